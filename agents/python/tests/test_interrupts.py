"""Ctrl-C at any moment of a call: nothing is lost, and nothing goes on for long.

SIGALRM stands for SIGINT: a timer of the system sends it, and its handler raises KeyboardInterrupt.
"""

import contextlib
import random
import signal
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
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
        self.interrupts = self.kept = 0

    def both(self, env: VectorEnv, twin: VectorEnv, call: Callable[[VectorEnv], Batch]) -> tuple[Batch, Batch]:
        """Returns the batches of a call: with interrupts, after which the docs say what to do, and without."""
        began = time.perf_counter()
        expected = call(twin)
        longest = 1.5 * (time.perf_counter() - began)
        batch = None
        with contextlib.suppress(KeyboardInterrupt), self.interrupt_after(self.moments.random() * longest):
            batch = call(env)
        while batch is None:
            self.interrupts += 1
            # On a slow machine too, some call ends before it is interrupted.
            longest *= 2
            with contextlib.suppress(KeyboardInterrupt), self.interrupt_after(self.moments.random() * longest):
                try:
                    batch = env.recv()
                    self.kept += 1
                except LookupError:
                    # The call had not begun.
                    batch = call(env)
        return batch, expected

    def compare(self, steps: int, **arguments: Any) -> None:
        env, twin = (self.enterContext(VectorEnv("rappanui", seed=5, **arguments)) for _ in range(2))
        choices = np.random.default_rng(1)
        batch, expected = self.both(env, twin, lambda env: env.reset())
        for step in range(steps):
            self.assertEqual(content(batch), content(expected), step)
            if step % 50 == 49:
                batch, expected = self.both(env, twin, lambda env: env.reset(seed=3))
            actions = twin.random_actions(expected, choices)
            if arguments.get("on_illegal"):
                actions[choices.random(len(actions)) < 0.2] = 9999
            batch, expected = self.both(env, twin, lambda env: env.step(actions))
        self.assertGreater(self.kept, 20, f"{self.kept} batches of {self.interrupts} interrupts")

    def test_no_batch_of_one_environment_is_lost(self) -> None:
        self.compare(4000)

    def test_no_batch_of_many_environments_is_lost(self) -> None:
        self.compare(600, num_envs=256, players=(LEARNER, {"random": 1, "greedy": 1}), rotation="episode")

    def test_no_batch_with_forfeits_is_lost(self) -> None:
        for autoreset in ("same_step", "next_step"):
            with self.subTest(autoreset=autoreset):
                self.compare(300, num_envs=16, on_illegal="terminate", autoreset=autoreset)

    def test_no_batch_of_a_search_is_lost(self) -> None:
        self.compare(60, num_envs=2, players=(LEARNER, "search:4"))

    def test_a_policy_that_is_interrupted_is_asked_again(self) -> None:
        def chooses(batch: Batch) -> Any:
            return batch.masks.argmax(axis=1)

        def interrupted(batch: Batch) -> Any:
            if self.moments.random() < 0.3:
                self.interrupts += 1
                raise KeyboardInterrupt
            return chooses(batch)

        address = self.enterContext(ahu.launch()).address
        for autoreset, where in (("same_step", None), ("next_step", None), ("next_step", address)):
            for on_illegal in ("raise", "terminate"):
                arguments: dict[str, Any] = {
                    "autoreset": autoreset,
                    "on_illegal": on_illegal,
                    "address": where,
                    "seed": 5,
                    "seats": 3,
                }
                env, twin = (
                    self.enterContext(
                        VectorEnv(
                            "rappanui",
                            8,
                            players=(LEARNER, *[ahu.batched(policy)] * 2),
                            rotation="episode",
                            **arguments,
                        )
                    )
                    for policy in (interrupted, chooses)
                )
                choices = np.random.default_rng(1)
                batch, expected = surely(env, lambda: env.reset()), twin.reset()
                for step in range(60):
                    self.assertEqual(without_names(batch), without_names(expected), step)
                    actions = twin.random_actions(expected, choices)
                    if on_illegal == "terminate":
                        actions[choices.random(8) < 0.1] = 9999
                    batch, expected = surely(env, lambda: env.step(actions)), twin.step(actions)
        self.assertGreater(self.interrupts, 50)

    def test_no_batch_that_was_sent_is_lost(self) -> None:
        env, twin = (self.enterContext(VectorEnv("rappanui", 8, groups=2, seed=5)) for _ in range(2))
        choices = np.random.default_rng(1)
        batches = {group: twin.reset(group=group) for group in range(2)}
        for group in range(2):
            env.reset(group=group)
        for step in range(600):
            for group in range(2):
                actions = twin.random_actions(batches[group], choices)
                twin.send(actions, group)
                with contextlib.suppress(KeyboardInterrupt), self.interrupt_after(self.moments.random() * 3e-5):
                    env.send(actions, group)
                # What Ctrl-C kept from being sent is not in progress.
                with contextlib.suppress(ValueError):
                    env.send(actions, group)
            for group in range(2):
                batch, expected = self.both(env, twin, lambda env: env.recv())
                self.assertEqual((batch.group, content(batch)), (group, content(expected)), step)
                batches[group] = expected

    def test_after_an_interrupt_the_batch_is_received_or_dropped_by_a_reset(self) -> None:
        env, twin = (self.enterContext(VectorEnv("rappanui", 96, players=(LEARNER, "search:50"))) for _ in range(2))
        actions = env.reset(seed=1).masks.argmax(1)
        for _ in range(100):
            with self.assertRaises(KeyboardInterrupt), self.interrupt_after(0.01):
                env.step(actions)
            # On a busy machine, Ctrl-C comes before the engine begins, and nothing is in progress.
            try:
                env.advise("greedy")
            except ValueError:
                break
        with self.assertRaisesRegex(ValueError, "group 0 is in progress: recv its answer first"):
            env.step(actions)
        with self.assertRaisesRegex(ValueError, "group 0 is in progress"):
            env.reset(env_ids=[1])
        self.assertEqual(content(env.reset(seed=1)), content(twin.reset(seed=1)))
        self.assertEqual(content(env.step(actions)), content(twin.step(actions)))
        with self.assertRaises(LookupError):
            env.recv()

    @unittest.skipUnless(TASKS.exists(), "only Linux lists the threads of a process")
    def test_a_search_ends_with_its_environments(self) -> None:
        env = VectorEnv("giants", 8, players=(LEARNER, "search:1000000", "search:1000000"))
        with self.assertRaises(KeyboardInterrupt), self.interrupt_after(0.1):
            batch = env.reset(seed=1)
            env.step(batch.masks.argmax(1))
        self.assertTrue(works())
        env.close()
        ends = time.monotonic() + LONGEST
        while works():
            self.assertLess(time.monotonic(), ends, "the search goes on")
            time.sleep(0.005)


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
        self.assert_interrupted(lambda: ahu.rollout([state], "greedy", 10_000_000))
        self.assert_interrupted(lambda: ahu.rollout([state], "search:1000000"))
        self.assert_interrupted(lambda: ahu.rollout([state], lambda state, _: state.legal_ids()[0], 10_000_000))

    def test_what_is_not_interrupted_gives_the_same(self) -> None:
        state = ahu.new_game("rappanui", seed=1)
        first = ahu.rollout([state], "greedy", 600, 3)
        np.testing.assert_array_equal(ahu.rollout([state], "greedy", 600, 3, threads=1), first)


def surely(env: VectorEnv, call: Callable[[], Batch]) -> Batch:
    """Returns the batch of a call whose policies are interrupted."""
    while True:
        try:
            return call()
        except KeyboardInterrupt:
            call = env.recv


def without_names(batch: Batch) -> dict[str, object]:
    """Returns the content of a batch without the names of policies."""
    episodes = [(episode.environment, episode.seed, list(episode.scores)) for episode in batch.episodes]
    return {**content(batch), "episodes": episodes}


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
