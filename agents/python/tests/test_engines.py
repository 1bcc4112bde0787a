"""The engine in this process and the engine of a server: the same batches and the same errors, byte by byte."""

import contextlib
import copy
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import numpy as np
from support import HERE, SHORT, ServerCase, in_process_too
from test_episodes import other_value
from test_vector import content

import ahu
from ahu.training import LEARNER, Batch, VectorEnv, _exchange as exchange


class SideBySide(ServerCase):
    """Environments in this process and on a server, which get the same calls."""

    def pair(self, game: str = "rappanui", num_envs: int = 3, **arguments: Any) -> tuple[VectorEnv, VectorEnv]:
        addresses = (None, self.server.address)
        local, remote = (
            self.enterContext(VectorEnv(game, num_envs, address=address, **arguments)) for address in addresses
        )
        return local, remote

    def same(self, pair: Sequence[VectorEnv], ask: Callable[[VectorEnv], Batch]) -> Batch:
        """Checks that both environments return the same batch, and returns the batch."""
        one, other = map(ask, pair)
        self.assertEqual(content(one), content(other))
        self.assertEqual((one.group, repr(one)), (other.group, repr(other)))
        return one

    def same_error(self, pair: Sequence[VectorEnv], ask: Callable[[VectorEnv], object]) -> Exception:
        """Checks that both environments raise the same exception, and returns the exception."""
        raised = []
        for env in pair:
            with self.assertRaises(Exception) as caught:
                ask(env)
            raised.append(caught.exception)
        one, other = raised
        self.assertIs(type(one), type(other))
        self.assertEqual(str(one), str(other))
        # The reason, the metadata, and the other attributes of a ServiceError.
        self.assertEqual(vars(one), vars(other))
        return one

    def play(self, pair: tuple[VectorEnv, VectorEnv], steps: int) -> int:
        """Plays at random. Returns the number of episodes that ended."""
        choices = np.random.default_rng(1)
        ended = 0
        batch = self.same(pair, lambda env: env.reset(seed=2**64 - 1))
        for _ in range(steps):
            actions = pair[0].random_actions(batch, choices)
            if pair[0].autoreset == "disabled" and batch.ended.any():
                over = np.flatnonzero(batch.ended)
                self.same(pair, lambda env: env.reset(env_ids=over))
                batch = self.same(pair, lambda env: env.reset())
            else:
                batch = self.same(pair, lambda env: env.step(actions))
            ended += np.count_nonzero(batch.ended)
            for env in pair:
                np.testing.assert_array_equal(env.action_masks(), batch.masks.astype(bool))
        for seat in (None, int(batch.seats[1])):
            self.assertEqual(*(env.render(1, seat) for env in pair))
        return ended

    def test_the_games_are_the_same_in_every_mode(self) -> None:
        modes = [
            {"autoreset": "next_step", "rewards": "margin_gain", "obs_format": "flat"},
            {"autoreset": "same_step", "rewards": "points", "rotation": "episode"},
            {"autoreset": "disabled", "rewards": "rank", "obs_format": "packed", "mask_dtype": np.int8},
        ]
        for game, seat_count in self.tables():
            bots = [LEARNER, *[{"greedy": 1, "random": 2}] * (seat_count - 1)]
            # Episodes end within 130 steps if the client plays all seats. With bots, fewer steps suffice.
            for players, steps in ((None, 130), (bots, 60)):
                for mode in modes:
                    with self.subTest(game=game, seats=seat_count, players=players, mode=mode):
                        pair = self.pair(game, seats=seat_count, players=players, options=SHORT.get(game, {}), **mode)
                        self.play(pair, steps)
                        self.assertEqual(*((env.layout, env.action_count, env.options, env.seats) for env in pair))

    def test_the_games_are_the_same_with_every_option(self) -> None:
        for summary in self.client.list_games():
            for option in self.client.get_game(summary.game).options:
                value = other_value(option)
                if value is not None:
                    with self.subTest(game=summary.game, option=option.key, value=value):
                        self.play(self.pair(summary.game, options={option.key: value}), 40)

    def test_episodes_end_alike(self) -> None:
        for autoreset in ("next_step", "same_step", "disabled"):
            pair = self.pair("rapanui_cards", 8, autoreset=autoreset, seats=3)
            self.assertGreater(self.play(pair, 250), 1)

    def test_a_large_batch_on_several_cores_is_the_same(self) -> None:
        for threads in (1, 2):
            pair = self.pair(num_envs=1200, seats=2, threads=threads, obs_format="flat")
            self.play(pair, 20)

    def test_groups_and_subsets_are_the_same(self) -> None:
        pair = self.pair(num_envs=6, groups=3, seed=4)
        choices = np.random.default_rng(1)
        batch = self.same(pair, lambda env: env.reset())
        for _ in range(50):
            actions = pair[0].random_actions(batch, choices)
            for group in (2, 0, 1):
                for env in pair:
                    env.send(actions[2 * group : 2 * group + 2], group=group)
            for _ in range(3):
                self.same(pair, lambda env: env.recv())
            some = np.array([1, 2, 5])
            batch = self.same(pair, lambda env: env.reset(env_ids=[0, 3, 4]))
            masks = pair[0].action_masks()
            self.same(pair, lambda env: env.step(masks[some].argmax(1), env_ids=some))
            batch = self.same(pair, lambda env: env.step(env.action_masks().argmax(1)))

    def test_illegal_actions_are_treated_alike(self) -> None:
        for on_illegal in ("random_legal", "terminate"):
            for autoreset in ("next_step", "same_step", "disabled"):
                pair = self.pair(
                    num_envs=4, groups=2, seats=3, on_illegal=on_illegal, autoreset=autoreset, rotation="episode"
                )
                choices = np.random.default_rng(1)
                batch = self.same(pair, lambda env: env.reset(seed=1))
                for _ in range(60):
                    actions = choices.integers(-1, pair[0].action_count + 1, 4)
                    actions = np.where(choices.random(4) < 0.5, actions, batch.masks.argmax(1))
                    if autoreset == "disabled" and batch.ended.any():
                        batch = self.same(pair, lambda env: env.reset())
                    else:
                        batch = self.same(pair, lambda env: env.step(actions))
                for env in pair:
                    for group in range(2):
                        env.send(np.full(2, 9999), group=group)
                for _ in range(2):
                    self.same(pair, lambda env: env.recv())
                self.assertEqual(pair[0].replaced, pair[1].replaced)
                self.assertEqual(pair[0].replaced > 0, on_illegal == "random_legal")

    def test_errors_are_the_same(self) -> None:
        pair = self.pair(num_envs=4, groups=2, seed=1)
        for ask in (
            lambda env: env.step(np.zeros(4, int)),
            lambda env: env.recv(),
            lambda env: env.action_masks(),
            lambda env: env.render(),
            lambda env: env.render(4),
        ):
            self.same_error(pair, ask)
        batch = self.same(pair, lambda env: env.reset())
        actions = pair[0].random_actions(batch, np.random.default_rng(1))
        wrong = actions.copy()
        for action in (int(np.flatnonzero(~batch.masks[3])[0]), pair[0].action_count, -1, 70_000):
            wrong[3] = action
            self.assertIsInstance(self.same_error(pair, lambda env: env.step(wrong)), ahu.IllegalAction)
            self.same_error(pair, lambda env: env.send(wrong[2:], group=1))
        for ask in (
            lambda env: env.step(actions.astype(float)),
            lambda env: env.step(actions[:2]),
            lambda env: env.step(actions, env_ids=[0, 1, 2, 4]),
            lambda env: env.send(actions),
            lambda env: env.send(actions[:2], group=2),
            lambda env: env.send(actions[:2], group=1, env_ids=[0, 2]),
            lambda env: env.reset(env_ids=[1, 1]),
            lambda env: env.reset(1, seeds=[1]),
            lambda env: env.reset(seed="7"),
            lambda env: env.render(0, 2),
            lambda env: env.render(9, 0),
        ):
            self.same_error(pair, ask)
        for env in pair:
            env.send(actions[:2])
        self.same_error(pair, lambda env: env.step(actions))
        self.same(pair, lambda env: env.recv())
        self.same(pair, lambda env: env.step(actions[2:], env_ids=[2, 3]))

    def test_openings_are_refused_alike(self) -> None:
        for arguments in (
            {"game": "chess"},
            {"seats": 9},
            {"options": {"colour": "red"}},
            {"options": {"combine_rule": "often"}},
            {"players": (LEARNER, "deep blue")},
            {"players": ("random", "random")},
            {"players": (LEARNER,)},
            {"num_envs": 70_000},
            {"game": "giants", "num_envs": 65_536, "seats": 5},
        ):
            with self.subTest(arguments):
                error = self.same_error(self.pair(**arguments), lambda env: env.reset())
                self.assertIsInstance(error, ahu.ServiceError)


@in_process_too
class Arrays(ServerCase):
    """The arrays of batches."""

    def open(self, num_envs: int = 4, **arguments: Any) -> VectorEnv:
        return self.enterContext(VectorEnv("rappanui", num_envs, address=self.address, seed=1, **arguments))

    def step(self, env: VectorEnv, batch: Batch, **arguments: Any) -> Batch:
        return env.step(env.random_actions(batch, np.random.default_rng(1)), **arguments)

    def test_they_belong_to_whoever_holds_them(self) -> None:
        names = ("masks", "packed_masks", "rewards", "reward", "seats", "ended", "starts")
        for env in (self.open(), self.open(groups=2), self.open(obs_format="flat")):
            batches, arrays = [env.reset()], []
            for _ in range(8):
                last = batches[-1]
                arrays.append([*(getattr(last, name) for name in names), *dict(last.observation).values()])
                batches.append(self.step(env, last))
            kept = [[array.copy() for array in own] for own in arrays]
            # A part of an array is enough.
            part = self.step(env, batches[-1]).rewards[1:, 0]
            ended = part.copy()
            del batches
            batch = env.reset()
            for _ in range(8):
                batch = self.step(env, batch)
                batch.rewards[:] = 7
                batch.masks, dict(batch.observation)
            for own, before in zip(arrays, kept, strict=True):
                for array, kept_array in zip(own, before, strict=True):
                    np.testing.assert_array_equal(array, kept_array)
            np.testing.assert_array_equal(part, ended)

    def test_memory_that_nobody_holds_is_used_again(self) -> None:
        with mock.patch.object(exchange, "Rows", side_effect=exchange.Rows) as rows:
            env = self.open()
            batch = env.reset()
            for _ in range(20):
                batch = self.step(env, batch)
                batch.masks, batch.rewards, dict(batch.observation)
        self.assertEqual(rows.call_count, 2)

    def test_each_group_has_its_own(self) -> None:
        env = self.open(groups=2)
        batches = [env.reset(group=group) for group in range(2)]
        kept = batches[1].masks.copy()
        batch = batches[0]
        for _ in range(5):
            env.send(env.random_actions(batch, np.random.default_rng(1)))
            batch = env.recv()
            self.assertEqual(batch.masks.dtype, np.bool_)
        np.testing.assert_array_equal(batches[1].masks, kept)

    def test_they_are_writable(self) -> None:
        for obs_format in ("split", "flat", "packed"):
            env = self.open(32, obs_format=obs_format)
            batch = env.reset()
            while batch.final_steps is None:
                batch = self.step(env, batch)
            final = batch.final_steps
            for array in (
                *dict(batch.observation).values(),
                *dict(final.observation).values(),
                *(batch.masks, batch.packed_masks, batch.rewards, batch.ended, batch.seats, batch.env_ids),
                *(final.env_ids, final.seats, final.players, final.returns, final.ranks),
            ):
                self.assertTrue(array.flags.writeable)

    def test_the_callers_own_are_filled(self) -> None:
        for obs_format, blocks in (
            ("split", ("bits", "numbers")),
            ("packed", ("bits", "numbers")),
            ("flat", ("array",)),
        ):
            env, twin = self.open(obs_format=obs_format, groups=2), self.open(obs_format=obs_format, groups=2)
            expected = twin.reset()
            names = ("masks", "packed_masks", "rewards", "seats", "players", "env_ids", "ended")
            out = {name: np.full_like(getattr(expected, name), 1) for name in names}
            observation = expected.observation
            out |= {name: np.zeros_like(observation.array if name == "array" else observation[name]) for name in blocks}
            group = {name: array[:2].copy() for name, array in out.items()}
            batch = env.reset(out=out)
            for arrays in (out, out):
                for name in names:
                    np.testing.assert_array_equal(arrays[name], getattr(expected, name), name)
                for name in blocks:
                    shown = expected.observation
                    np.testing.assert_array_equal(arrays[name], shown.array if name == "array" else shown[name])
                self.assertIs(batch.masks, arrays["masks"])
                batch, expected = self.step(env, batch, out=out), self.step(twin, expected)
            env.send(env.random_actions(batch, np.random.default_rng(1))[:2])
            got = env.recv(out=group)
            self.assertIs(got.masks, group["masks"])
            self.assertTrue(group["masks"].any(axis=1).all())

    def test_an_array_that_does_not_fit_is_refused_and_nothing_is_carried_out(self) -> None:
        env, twin = self.open(), self.open()
        batch, same = env.reset(), twin.reset()
        read_only = np.zeros((4, env.action_count), bool)
        read_only.flags.writeable = False
        for out, error, message in (
            ({"masks": np.zeros((4, env.action_count), np.int8)}, ValueError, "expected the type bool, got int8"),
            (
                {"masks": np.zeros((3, env.action_count), bool)},
                ValueError,
                r"expected the shape \(4, 183\), got \(3, 183\)",
            ),
            ({"masks": np.zeros((env.action_count, 4), bool).T}, ValueError, "C order"),
            ({"masks": read_only}, ValueError, "expected a writable array, got a read-only one"),
            ({"masks": [[False] * 183] * 4}, TypeError, "expected an array of bool, got list"),
            ({"array": np.zeros((4, env.layout.size), np.float32)}, ValueError, "expected arrays of these names"),
            (
                {"numbers": np.zeros((4, env.layout.number_count), ">i2")},
                ValueError,
                "expected the type int16, got >i2",
            ),
        ):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                self.step(env, batch, out=out)
        with self.assertRaises(ValueError):
            env.reset(out={"seats": np.zeros(3, np.uint8)})
        env.send(env.random_actions(batch, np.random.default_rng(1)))
        with self.assertRaises(ValueError):
            env.recv(out={"seats": np.zeros(3, np.uint8)})
        self.assertEqual(content(env.recv()), content(self.step(twin, same)))


@in_process_too
class Using(ServerCase):
    """Calls that are refused or fail."""

    def test_two_threads_are_refused(self) -> None:
        env = self.enterContext(VectorEnv("rappanui", 2, address=self.address))
        batch = env.reset()
        actions = env.random_actions(batch, np.random.default_rng(1))
        inside, go_on = threading.Event(), threading.Event()
        errors = []

        def wait() -> None:
            inside.set()
            go_on.wait(30)

        engine = env._exchange.engine
        original = type(engine).ask

        def slow(self: Any, *arguments: Any) -> Any:
            wait()
            return original(self, *arguments)

        with mock.patch.object(type(engine), "ask", slow):
            thread = threading.Thread(target=env.step, args=(actions,))
            thread.start()
            self.assertTrue(inside.wait(30))
            for ask in (
                lambda: env.step(actions),
                env.reset,
                lambda: env.send(actions),
                env.recv,
                env.render,
                env.close,
            ):
                try:
                    ask()
                except RuntimeError as error:
                    errors.append(str(error))
            go_on.set()
            thread.join()
        self.assertEqual(len(errors), 6)
        self.assertTrue(all("this VectorEnv is in use" in error for error in errors))
        self.assertEqual(len(env.step(env.action_masks().argmax(1))), 2)

    def test_a_deep_copy_begins_anew(self) -> None:
        env = self.enterContext(VectorEnv("rappanui", 2, address=self.address, seed=3))
        first = content(env.reset())
        env.step(env.action_masks().argmax(1))
        other = self.enterContext(copy.deepcopy(env))
        with self.assertRaises(LookupError):
            other.action_masks()
        self.assertEqual(content(other.reset()), first)

    def test_threads_are_bounded_by_a_number(self) -> None:
        for threads in (0, -1):
            with self.assertRaisesRegex(ValueError, f"threads is 1 or more, or None, not {threads}"):
                VectorEnv("rappanui", threads=threads)


class InProcess(unittest.TestCase):
    def test_no_server_is_started(self) -> None:
        with mock.patch.object(subprocess, "Popen") as process, VectorEnv("rappanui") as env:
            env.step(env.action_masks().argmax(1) if env.reset() else None)
            process.assert_not_called()

    def test_threads_bound_the_cores(self) -> None:
        def cores() -> int:
            return sum(thread.startswith("ahu core") for thread in thread_names())

        for threads in (1, 3):
            with VectorEnv("rappanui", 2048, threads=threads, obs_format="flat") as env:
                batch = env.reset()
                env.send(batch.masks.argmax(1))
                _ = env.recv().observation.array
                # A new thread gets its name a moment after its start.
                until = time.monotonic() + 30
                while cores() < threads - 1 and time.monotonic() < until:
                    os.sched_yield()
                self.assertEqual(cores(), threads - 1)
            del env, batch
            gc.collect()

    def test_a_step_in_the_background_ends_with_its_environment(self) -> None:
        with VectorEnv("rappanui", 4096, groups=2, players=(LEARNER, "greedy")) as env:
            for group in range(2):
                env.send(env.reset(group=group).masks.argmax(1), group=group)
        del env
        gc.collect()
        self.assertEqual(len(VectorEnv("rappanui").reset()), 1)

    def test_ctrl_c_is_heard_while_the_engine_works(self) -> None:
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        # The searches of a step take much longer than the interval of the checks for signals.
        env = VectorEnv("rappanui", 96, seed=1, players=(LEARNER, "search:50"), threads=1)
        first = content(env.reset())
        env.send(env.action_masks().argmax(1))
        with self.assertRaises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            env.recv()
        with self.assertRaisesRegex(RuntimeError, "Ctrl-C has interrupted this VectorEnv"):
            env.recv()
        self.assertEqual(content(env.reset()), first)

    def test_other_threads_go_on_while_the_engine_works(self) -> None:
        env = VectorEnv("rappanui", 2048, seed=1, threads=1)
        batch = env.reset()
        engine, rows = env._exchange.engine._environments, batch._rows
        actions, bits = batch.masks.argmax(1), batch.observation["bits"]
        cores, pick = ahu._native.Cores(1), np.zeros(2048)
        pending: list[Any] = []
        calls: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "reset": (lambda: None, lambda: engine.reset(0, 2048, None, None, None, rows.memory)),
            "step": (lambda: env.reset(seed=1), lambda: engine.step(0, None, actions, rows.memory)),
            "finish": (
                lambda: (env.reset(seed=1), pending.append(engine.step(0, None, actions, None))),
                lambda: engine.finish(pending.pop(), rows.memory),
            ),
            "unpack": (lambda: None, lambda: ahu._native.unpack(cores, rows.bits, bits)),
            "nth": (lambda: None, lambda: ahu._native.nth(cores, rows.masks, pick)),
        }
        for name, (prepare, call) in calls.items():
            with self.subTest(name):
                for _ in range(500):
                    prepare()
                    if goes_on_during(call):
                        break
                else:
                    self.fail("the call keeps the interpreter")

    def test_a_fault_of_the_engine_loses_the_environments(self) -> None:
        env = VectorEnv("rappanui", 2, seed=1)
        first = content(env.reset())
        engine = env._exchange.engine
        message = (
            "environment 1: rappanui panicked in the game of seed 2 after 7 plies, and the environments are lost: no"
        )
        with mock.patch.object(engine, "_environments") as environments:
            environments.step_all.side_effect = ahu._native.Refused(13, "UNSPECIFIED", message, {}, None)
            with self.assertRaisesRegex(ahu.ServiceError, "seed 2 after 7 plies") as caught:
                env.step(env.action_masks().argmax(1))
        self.assertEqual(caught.exception.code, "INTERNAL")
        self.assertEqual(content(env.reset()), first)

    def test_the_extension_needs_no_network(self) -> None:
        command = ["cargo", "tree", "--package", "ahu-module", "--edges", "normal", "--prefix", "none"]
        tree = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout
        crates = {line.split()[0] for line in tree.splitlines() if line}
        self.assertLessEqual({"ahu-core", "ahu-games", "ahu-host", "ahu-messages", "pyo3", "numpy", "prost"}, crates)
        self.assertFalse(crates & {"ahu", "ahu-contest", "ahu-service", "tonic", "tokio", "hyper", "h2", "rusqlite"})


def goes_on_during(call: Callable[[], object]) -> bool:
    """Returns True if another thread of Python ran during a call."""
    gate, ran = threading.Lock(), []

    def run() -> None:
        with gate:
            ran.append(True)

    interval = sys.getswitchinterval()
    gate.acquire()
    thread = threading.Thread(target=run)
    thread.start()
    # A waiting thread gets the interpreter only if the running thread releases it, and not after an interval.
    sys.setswitchinterval(3600)
    try:
        gate.release()
        call()
        return bool(ran)
    finally:
        sys.setswitchinterval(interval)
        thread.join()


def thread_names() -> Iterator[str]:
    """Returns the names of the threads of this process in the kernel."""
    from pathlib import Path

    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            yield (task / "comm").read_text().strip()


if __name__ == "__main__":
    unittest.main()
