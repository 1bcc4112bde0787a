"""Arguments that make no sense are refused alike everywhere, and values say briefly what they are."""

import copy
import pickle
import re
import tomllib
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
from support import HERE, ServerCase

import ahu
from ahu.training._versions import require
from ahu.training.gymnasium import AhuGymnasiumEnv, AhuGymnasiumVectorEnv
from ahu.training.pettingzoo import aec_env, parallel_env


@ahu.batched
def lowest(batch: ahu.Batch) -> Any:
    return batch.masks.argmax(axis=1)


class Seeds(ServerCase):
    def test_a_seed_out_of_range_is_refused_alike_everywhere(self) -> None:
        env, state = ahu.VectorEnv("rappanui", 2), ahu.new_game("rappanui", seed=1)
        unsettled = ahu.new_game("rappanui", chance="caller")
        single, vector = AhuGymnasiumEnv("rappanui"), AhuGymnasiumVectorEnv("rappanui", 2)
        turns, at_once = aec_env("rappanui"), parallel_env("rappanui")
        players = {"a": "greedy", "b": "random"}
        calls: list[Callable[[int], object]] = [
            lambda seed: ahu.new_game("rappanui", seed=seed),
            lambda seed: state.clone(seed),
            lambda seed: state.resample(0, seed),
            lambda seed: unsettled.settle(seed=seed),
            lambda seed: ahu.rollout([state], seed=seed),
            lambda seed: ahu.analyse(state, seed=seed),
            lambda seed: ahu.VectorEnv("rappanui", seed=seed),
            lambda seed: env.reset(seed),
            lambda seed: env.reset(seeds=[1, seed]),
            lambda seed: env.reset(seeds=np.array([1, seed], object)),
            lambda seed: single.reset(seed=seed),
            lambda seed: vector.reset(seed=seed),
            lambda seed: vector.reset(seed=[1, seed]),
            lambda seed: turns.reset(seed=seed),
            lambda seed: at_once.reset(seed=seed),
            lambda seed: ahu.duel("rappanui", {"lowest": lowest, "bot": "greedy"}, blocks=2, seed=seed),
            lambda seed: ahu.play("rappanui", ["greedy", "random"], seed=seed, address=self.address),
            lambda seed: ahu.duel("rappanui", players, blocks=1, seed=seed),
            lambda seed: self.client.create_match("rappanui", 2, seed=seed),
        ]
        for number, call in enumerate(calls):
            for seed in (-1, 2**64):
                with self.subTest(number=number, seed=seed):
                    with self.assertRaises(ValueError) as caught:
                        call(seed)
                    self.assertEqual(str(caught.exception), f"expected a seed from 0 to 2**64 - 1, got {seed}")

    def test_the_highest_seed_is_taken_everywhere(self) -> None:
        most = 2**64 - 1
        self.assertEqual(ahu.new_game("rappanui", seed=most).seed, most)
        self.assertEqual(ahu.VectorEnv("rappanui", seed=most).seed, most)
        observations, _ = AhuGymnasiumVectorEnv("rappanui", 2).reset(seed=most)
        single, _ = AhuGymnasiumEnv("rappanui").reset(seed=0)
        # Environment 1 has this seed plus 1, modulo 2^64.
        np.testing.assert_array_equal(observations["observation"][1], single["observation"])
        duel = ahu.duel("rappanui", {"lowest": lowest, "bot": "greedy"}, blocks=2, seed=most)
        self.assertEqual(duel.games, 4)


class Settings(unittest.TestCase):
    def test_adapters_take_settings_alone(self) -> None:
        makes: list[Callable[..., object]] = [AhuGymnasiumEnv, AhuGymnasiumVectorEnv, aec_env, parallel_env]
        for make in makes:
            for name in ("groups", "autoreset", "seat_count"):
                with self.subTest(make=make, name=name):
                    with self.assertRaisesRegex(
                        TypeError, f"unexpected keyword argument '{name}'; expected settings of these names: seats, "
                    ):
                        make("rappanui", **{name: 1})


class Evaluations(unittest.TestCase):
    def test_an_interval_of_ranks_stays_within_the_ranks(self) -> None:
        for blocks in (2, 5):
            ranks = (
                ahu.duel("giants", {"lowest": lowest, "bot": "greedy"}, blocks=blocks, seed=1).players["lowest"].rank
            )
            assert ranks.low is not None and ranks.mean is not None and ranks.high is not None
            self.assertLessEqual(1, ranks.low)
            self.assertLessEqual(ranks.low, ranks.mean)
            self.assertLessEqual(ranks.mean, ranks.high)
            self.assertLessEqual(ranks.high, 3)


class Values(ServerCase):
    def test_a_repr_is_short(self) -> None:
        env = ahu.VectorEnv("giants", 4, seed=1)
        batch = env.reset()
        created = self.client.create_match("giants", 3, bots={1: "greedy", 2: "greedy"})
        seat = self.client.join(created.match_id)
        values = [
            env,
            batch,
            batch.observation,
            env.layout,
            ahu.new_game("giants"),
            ahu.play("rappanui", ["greedy", "random"], address=self.address),
            ahu.duel("rappanui", {"a": "greedy", "b": "random"}, blocks=2, seed=1),
            created,
            ahu.connect(lambda turn: turn.legal[0], seat=seat).result,
        ]
        for value in values:
            with self.subTest(type=type(value).__name__):
                self.assertTrue(repr(value).startswith(f"{type(value).__name__}("), repr(value))
                self.assertLess(len(repr(value)), 300)

    def test_a_batch_says_what_can_be_pickled(self) -> None:
        batch = ahu.VectorEnv("rappanui", 2, seed=1).reset()
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, r"pickle its arrays, .* or take rows with batch\.take"):
                call(batch)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(batch.masks)), batch.masks)


class Versions(unittest.TestCase):
    def test_an_older_library_is_refused_with_the_minimum(self) -> None:
        project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
        extras = " ".join(line for extra in project["optional-dependencies"].values() for line in extra)
        for module, library in (("gymnasium", gymnasium), ("pettingzoo", pettingzoo)):
            found = re.search(rf"\b{module}>=(\d+)\.(\d+)", extras)
            assert found is not None
            major, minor = int(found[1]), int(found[2])
            code = Path(HERE, "ahu", "training", f"{module}.py").read_text()
            self.assertIn(f'require("{module}", {module}.__version__, ({major}, {minor}))', code)
            require(module, library.__version__, (major, minor))
            require(module, f"{major}.{minor}.0a1", (major, minor))
            message = f"ahu.training needs {module} {major}.{minor} or later, got {major}.{minor - 1}.3"
            with self.assertRaisesRegex(ImportError, re.escape(message)):
                require(module, f"{major}.{minor - 1}.3", (major, minor))


if __name__ == "__main__":
    unittest.main()
