"""The door for TRL: its environment plays as TRL calls it."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import ahu_trl
import torch
from ahu_trl import AhuEnvironment
from safetensors.torch import load_file
from transformers.utils import get_json_schema

import ahu

LEARN = Path(ahu_trl.__file__).parent / "examples" / "learn.py"


def first_action(question: str) -> str:
    return question.split("Legal actions: ")[1].split("\n")[0].split("; ")[0].split("..")[0]


def play(environment: AhuEnvironment, **row: object) -> tuple[list[str], float]:
    questions = [environment.reset(**row)]  # pyright: ignore[reportArgumentType]
    while "Legal actions: " in questions[-1]:
        questions.append(environment.play(first_action(questions[-1])))
    return questions, environment.get_reward()


class Door(unittest.TestCase):
    def test_five_episodes_of_each_game_in_one_environment(self) -> None:
        for game in ahu.games():
            environment = AhuEnvironment()
            for seed in range(5):
                with self.subTest(game.game, seed=seed):
                    questions, reward = play(environment, prompt="Play.", seed=seed, game=game.game, every=10)
                    self.assertEqual(questions[-1], "The game is over.")
                    self.assertTrue(-1 <= reward <= 1)

    def test_a_seed_repeats_and_an_unfinished_game_is_a_forfeit(self) -> None:
        self.assertEqual(play(AhuEnvironment(), seed=3), play(AhuEnvironment(), seed=3))
        environment = AhuEnvironment()
        environment.reset(seed=3)
        self.assertEqual(environment.get_reward(), -1.0)

    def test_play_is_the_only_tool_and_has_a_schema(self) -> None:
        names = [name for name, _ in inspect.getmembers(AhuEnvironment, inspect.isfunction) if not name.startswith("_")]
        self.assertEqual(names, ["get_reward", "play", "reset"])
        schema = get_json_schema(AhuEnvironment().play)["function"]
        self.assertEqual(list(schema["parameters"]["properties"]), ["action"])

    def test_the_example_teaches_a_model_and_trains_it_by_rewards_of_the_door(self) -> None:
        tiny = "--games 300 --epochs 2 --every 30 --width 128 --layers 2 --steps 2 --seeds 8"
        with TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-W",
                "ignore",
                LEARN,
                *tiny.split(),
                "--out",
                folder,
                "--json",
                f"{folder}/json",
            ]
            done = subprocess.run([*command, "--device", "cpu"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
            figures = json.loads((Path(folder) / "json").read_text())
            taught, learned = (load_file(f"{folder}/{name}/model.safetensors") for name in ("taught", "learned"))
        self.assertEqual((figures["steps"], figures["seeds"]), (2, 8))
        for name in ("random", "before", "after"):
            self.assertTrue(-1 <= figures[name]["mean"] <= 1, figures)
        self.assertAlmostEqual(figures["after"]["mean"] - figures["before"]["mean"], figures["gain"]["mean"], places=3)
        # GRPO changes weights only if games of one seed have different rewards.
        self.assertEqual(taught.keys(), learned.keys())
        self.assertTrue(any(not torch.equal(taught[name], learned[name]) for name in taught))


if __name__ == "__main__":
    unittest.main()
