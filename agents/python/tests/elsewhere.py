"""Hands an environment to other processes, before and after its first use.

    python elsewhere.py fork|spawn ADDRESS

This is a program of its own, because gRPC survives a fork only if `ahu` was imported before gRPC.
"""

import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

import ahu  # isort: skip

import numpy as np


def played(env: ahu.VectorEnv) -> list[bytes]:
    """Returns the legal actions of twenty steps of random play."""
    choices = np.random.default_rng(1)
    masks = []
    batch = env.reset(seed=1)
    for _ in range(20):
        masks.append(batch.masks.tobytes())
        batch = env.step(env.random_actions(batch, choices))
    return masks


def tell(env: ahu.VectorEnv, to: Connection, was_open: bool) -> None:
    if was_open:
        try:
            env.reset()
        except RuntimeError as error:
            assert "opened before the process was forked" in str(error), error
        else:
            raise AssertionError("a process that was forked uses the environments of its parent")
        env.close()
    to.send(played(env))


def elsewhere(context: Any, env: ahu.VectorEnv, was_open: bool = False) -> list[bytes]:
    """Returns the legal actions of the same play in another process."""
    # gRPC sometimes hangs in a forked process, if one of its threads held a lock at the fork. Another fork may succeed.
    for _ in range(3):
        here, there = context.Pipe()
        process = context.Process(target=tell, args=(env, there, was_open), daemon=True)
        process.start()
        if here.poll(20):
            break
        process.kill()
    else:
        raise AssertionError("no word in three times 20 s")
    masks: list[bytes] = here.recv()
    process.join()
    assert process.exitcode == 0, process.exitcode
    return masks


def forked_in_use(context: Any, address: str) -> None:
    """Forks while another thread uses environments. The child may use them after it has closed them."""
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
        masks = elsewhere(context, env, True)
        go_on.set()
        thread.join()
        assert masks == played(env)


def main(method: str, address: str) -> None:
    context = multiprocessing.get_context(method)
    if method == "fork":
        forked_in_use(context, address)
    with ahu.VectorEnv("rappanui", 4, address=address or None) as env:
        unused = elsewhere(context, env)
        batch = env.reset(seed=9)
        used = [elsewhere(context, env, method == "fork") for _ in range(2)]
        # In this process the environment has not changed, also with a step in progress.
        env.send(env.random_actions(batch, np.random.default_rng(1)))
        used.append(elsewhere(context, env, method == "fork"))
        env.recv()
        assert [unused, *used] == [played(env)] * 4
    print("all play the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
