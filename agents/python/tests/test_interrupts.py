"""Ctrl-C at any moment of a call: nothing is half done unnoticed, and nothing goes on for long.

SIGALRM stands for SIGINT: a timer of the system sends it, and its handler raises KeyboardInterrupt.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from support import runs, wait_until
from test_vector import content

import ahu
from ahu.training import LEARNER, Batch, VectorEnv

TASKS = Path("/proc/self/task")

LONGEST = 20.0
"""The time in seconds after which a call has ignored Ctrl-C: far more than it needs on a busy machine, and far less than the
calls here take."""


class InterruptCase(unittest.TestCase):
    def setUp(self) -> None:
        self.is_armed = False
        before = signal.signal(signal.SIGALRM, self.interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)

    def interrupt(self, *_: object) -> None:
        # Another thread may get a signal, and tell the main thread of it late.
        if self.is_armed:
            self.is_armed = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def interrupt_after(self, seconds: float) -> Iterator[None]:
        self.is_armed = True
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            self.is_armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)


class Steps(InterruptCase):
    """Random play that is interrupted at random moments, beside the same play without interrupts."""

    def setUp(self) -> None:
        super().setUp()
        self.moments = random.Random(1)
        self.lost = 0

    def same(self, env: VectorEnv, twin: VectorEnv, call: Callable[[VectorEnv], Batch]) -> Batch | None:
        """Asserts that a call which may be interrupted returns the batch of a call without interrupts. Returns the batch; None if
        the environments are lost, after which they are reset."""
        began = time.perf_counter()
        expected = call(twin)
        longest = 1.5 * (time.perf_counter() - began)
        batch = None
        with contextlib.suppress(KeyboardInterrupt), self.interrupt_after(self.moments.random() * longest):
            batch = call(env)
        if batch is None:
            try:
                # Ctrl-C came before the call began.
                batch = call(env)
            except RuntimeError as error:
                assert_lost(self, env, error)
                self.lost += 1
                return None
        self.assertEqual(content(batch), content(expected))
        return expected

    def compare(self, games: int, **arguments: Any) -> None:
        env, twin = (self.enterContext(VectorEnv("rappanui", seed=5, **arguments)) for _ in range(2))
        choices = np.random.default_rng(1)
        for seed in range(games):
            batch = twin.reset(seed=seed)
            self.assertEqual(content(env.reset(seed=seed)), content(batch))
            while batch is not None:
                actions = twin.random_actions(batch, choices)
                if arguments.get("on_illegal"):
                    actions[choices.random(len(actions)) < 0.2] = 9999
                batch = self.same(env, twin, lambda env, actions=actions: env.step(actions))
        self.assertEqual(self.lost, games)

    def test_a_step_of_one_environment_is_whole_or_lost(self) -> None:
        self.compare(300)

    def test_a_step_of_many_environments_is_whole_or_lost(self) -> None:
        self.compare(60, num_envs=256, players=(LEARNER, {"random": 1, "greedy": 1}), rotation="episode")

    def test_a_step_with_forfeits_is_whole_or_lost(self) -> None:
        for autoreset in ("same_step", "next_step"):
            with self.subTest(autoreset=autoreset):
                self.lost = 0
                self.compare(40, num_envs=16, on_illegal="terminate", autoreset=autoreset)

    def test_a_step_with_a_search_is_whole_or_lost(self) -> None:
        self.compare(10, num_envs=2, players=(LEARNER, "search:4"))

    def test_what_was_sent_is_whole_or_lost(self) -> None:
        env, twin = (self.enterContext(VectorEnv("rappanui", 8, groups=2, seed=5)) for _ in range(2))
        while self.lost < 15:
            batch = twin.reset(seed=1)
            self.assertEqual(content(env.reset(seed=1)), content(batch))
            actions = batch.masks.argmax(1)
            for one in (env, twin):
                one.send(actions[:4], group=0)
                one.send(actions[4:], group=1)
            if self.same(env, twin, lambda env: env.recv()) is None:
                twin.recv()
            else:
                self.same(env, twin, lambda env: env.recv())

    def test_a_player_that_is_interrupted_loses_the_environments(self) -> None:
        def interrupted(batch: Batch) -> Any:
            if self.moments.random() < 0.3:
                self.lost += 1
                raise KeyboardInterrupt
            return batch.masks.argmax(axis=1)

        address = self.enterContext(ahu.launch()).address
        for where in (None, address):
            players = (LEARNER, *[ahu.batched(interrupted)] * 2)
            env = self.enterContext(VectorEnv("rappanui", 8, players=players, seats=3, address=where, seed=5))
            self.lost = 0
            while self.lost < 5:
                before = self.lost
                with contextlib.suppress(KeyboardInterrupt):
                    batch = env.reset()
                    while True:
                        batch = env.step(batch.masks.argmax(axis=1))
                with self.assertRaises(RuntimeError) as caught:
                    env.step([0] * 8)
                self.assertEqual(self.lost, before + 1)
                assert_lost(self, env, caught.exception)

    def test_a_save_is_restored_after_an_interrupt(self) -> None:
        env, twin = (self.enterContext(VectorEnv("rappanui", 2, seed=5)) for _ in range(2))
        actions = env.reset().masks.argmax(1)
        saved = env.save()
        twin.restore(saved)
        with (
            mock.patch.object(type(env._exchange.engine), "step_all", side_effect=KeyboardInterrupt),
            self.assertRaises(KeyboardInterrupt),
        ):
            env.step(actions)
        env.restore(saved)
        self.assertEqual(content(env.step(actions)), content(twin.step(actions)))

    @unittest.skipUnless(TASKS.exists(), "only Linux lists the threads of a process")
    def test_a_search_ends_with_its_environments(self) -> None:
        def interrupt(*_: object) -> None:
            self.assertTrue(works())
            self.interrupt()

        signal.signal(signal.SIGALRM, interrupt)
        env = VectorEnv("giants", 8, players=(LEARNER, "search:1000000", "search:1000000"))
        with self.assertRaises(KeyboardInterrupt), self.interrupt_after(0.1):
            batch = env.reset(seed=1)
            env.step(batch.masks.argmax(1))
        wait_until(lambda: not works())


class Searches(InterruptCase):
    def assert_interrupted(self, call: Callable[[], object]) -> None:
        started = time.monotonic()
        with self.assertRaises(KeyboardInterrupt), self.interrupt_after(0.1):
            call()
        self.assertLess(time.monotonic() - started, LONGEST)

    def test_an_analysis_is_interrupted(self) -> None:
        state = ahu.new_game("giants", seed=1)
        for bot in ("search:1000000", "search:3600s"):
            self.assert_interrupted(lambda: ahu.analyse(state, bot=bot))

    def test_a_rollout_is_interrupted(self) -> None:
        state = ahu.new_game("giants", seed=1)
        self.assert_interrupted(lambda: ahu.rollout([state], "greedy", count=10_000_000))
        self.assert_interrupted(lambda: ahu.rollout([state], "search:1000000"))
        self.assert_interrupted(lambda: ahu.rollout([state], lambda state, _: state.legal_ids()[0], count=10_000_000))

    @unittest.skipUnless(TASKS.exists(), "only Linux lists the children of a process")
    def test_a_duel_by_the_program_is_interrupted_and_the_program_ends(self) -> None:
        def children() -> set[int]:
            return set(map(int, Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()))

        # Named before the call, since the import takes long.
        duel, before = ahu.duel, children()
        self.assert_interrupted(lambda: duel("giants", ["search@1:1000000", "search@2:1000000"], blocks=2))
        wait_until(lambda: not any(map(runs, children() - before)))

    def test_what_is_not_interrupted_gives_the_same(self) -> None:
        state = ahu.new_game("rappanui", seed=1)
        first = ahu.rollout([state], "greedy", count=600, seed=3)
        np.testing.assert_array_equal(ahu.rollout([state], "greedy", count=600, seed=3, threads=1), first)


PLAYS = """
import os, signal, threading
import ahu

ready = threading.Event()

def slow(turn):
    # What Ctrl-C in a terminal does, to all processes of its group.
    os.killpg(0, signal.SIGINT)
    ready.wait()
    return turn.legal[0]

try:
    ahu.play("rappanui", [slow, "greedy"], seed=1)
except KeyboardInterrupt:
    ready.set()
    print(ahu.play("rappanui", ["random", "greedy"], seed=1).scores)
"""

STEPS = """
import os, signal
import ahu

server = ahu.launch()
env = ahu.VectorEnv("rappanui", 4, address=server.address)
batch = env.reset(seed=1)
try:
    os.killpg(0, signal.SIGINT)
    signal.pause()
except KeyboardInterrupt:
    print(len(env.step(batch.masks.argmax(1))))
"""

COMPARES = """
import ahu
ahu.duel("giants", {"one": "search:1000000", "other": "search:1000000"}, blocks=2)
"""


class Groups(unittest.TestCase):
    """Signals to a program and all that it has started, as a terminal and a notebook send them."""

    def start(self, script: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_servers_outlive_ctrl_c(self) -> None:
        for script, expected in ((PLAYS, r"\(\d+, \d+\)\n"), (STEPS, "4\n")):
            output, _ = self.start(script).communicate(timeout=LONGEST)
            self.assertRegex(output, expected)

    @unittest.skipUnless(TASKS.exists(), "only Linux lists the children of a process")
    def test_a_command_ends_with_its_parent(self) -> None:
        process = self.start(COMPARES)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        wait_until(lambda: children.read_text().split())
        [child] = map(int, children.read_text().split())
        # The child is seen before it has its session.
        wait_until(lambda: os.getsid(child) == child)
        process.kill()
        process.wait()
        wait_until(lambda: not runs(child))


def assert_lost(case: unittest.TestCase, env: VectorEnv, error: RuntimeError) -> None:
    """Asserts that an error tells that environments are lost, and that it goes on until they are reset."""
    expected = r"^Ctrl-C has interrupted this VectorEnv .* lost: reset\(\) first$"
    case.assertRegex(str(error), expected)
    for use in (env.recv, env.save, env.render, lambda: env.advise("greedy"), lambda: env.layout):
        with case.assertRaisesRegex(RuntimeError, expected):
            use()
    with case.assertRaisesRegex(LookupError, "no episode has begun"):
        env.action_masks()


def works() -> bool:
    """Returns True if a thread of this process carries out calls of environments."""
    names = []
    for task in TASKS.iterdir():
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            names.append((task / "comm").read_text().strip())
    return "ahu worker" in names


if __name__ == "__main__":
    unittest.main()
