"""The door for TRL: its environment plays as TRL calls it."""

from __future__ import annotations

import inspect
import unittest

from ahu_trl import AhuEnvironment
from transformers.utils import get_json_schema

import ahu


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


if __name__ == "__main__":
    unittest.main()
