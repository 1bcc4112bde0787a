"""Hands an environment to other processes, before and after its first use.

    python elsewhere.py fork|spawn ADDRESS

This is a program of its own, because the first process that it starts is forked before gRPC is in use.
"""

import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

import ahu


def played(env: ahu.VectorEnv) -> list[bytes]:
    """Returns the legal actions of twenty steps of random play."""
    choices = np.random.default_rng(1)
    masks = []
    batch = env.reset(seed=1)
    for _ in range(20):
        masks.append(batch.masks.tobytes())
        batch = env.step(env.random_actions(batch, choices))
    return masks


def refused(reset: Any, reason: str) -> None:
    try:
        reset()
    except RuntimeError as error:
        assert reason in str(error), error
    else:
        raise AssertionError(f"not refused: {reason}")


def tell(env: ahu.VectorEnv, to: Connection, was_open: bool, is_remote: bool) -> None:
    if was_open:
        refused(env.reset, "opened before the process was forked")
        env.close()
    if was_open and is_remote:
        refused(env.reset, "gRPC does not survive that")
        to.send(None)
    else:
        to.send(played(env))


def elsewhere(context: Any, env: ahu.VectorEnv, is_remote: bool, was_open: bool = False) -> list[bytes] | None:
    """Returns the legal actions of the same play in another process, or None if a server cannot be used there."""
    here, there = context.Pipe()
    process = context.Process(target=tell, args=(env, there, was_open, is_remote), daemon=True)
    process.start()
    assert here.poll(60), "no word in 60 s"
    masks: list[bytes] | None = here.recv()
    process.join()
    assert process.exitcode == 0, process.exitcode
    return masks


def forked_in_use(context: Any, address: str) -> None:
    """Forks while another thread uses environments. The child may close them and, without a server, use them again."""
    parent, inside, go_on = os.getpid(), threading.Event(), threading.Event()

    @ahu.batched
    def slow(batch: ahu.Batch) -> Any:
        inside.set()
        assert os.getpid() != parent or go_on.wait(60), "no word in 60 s"
        return batch.masks.argmax(axis=1)

    with ahu.VectorEnv("rappanui", 4, players=(slow, None), address=address or None) as env:
        # With this seed, the policy has the first decision of a game.
        thread = threading.Thread(target=env.reset, args=(1,))
        thread.start()
        assert inside.wait(60), "no word in 60 s"
        masks = elsewhere(context, env, bool(address), True)
        go_on.set()
        thread.join()
        assert masks == (None if address else played(env))


def main(method: str, address: str) -> None:
    context, is_remote, is_forked = multiprocessing.get_context(method), bool(address), method == "fork"
    with ahu.VectorEnv("rappanui", 4, address=address or None) as env:
        unused = elsewhere(context, env, is_remote)
        batch = env.reset(seed=9)
        used = [elsewhere(context, env, is_remote, is_forked) for _ in range(2)]
        # In this process the environment has not changed, also with a step in progress.
        env.send(env.random_actions(batch, np.random.default_rng(1)))
        used.append(elsewhere(context, env, is_remote, is_forked))
        env.recv()
        here = played(env)
    assert unused == here
    assert used == [None if is_remote and is_forked else here] * 3
    if is_forked:
        forked_in_use(context, address)
    print("all play the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
