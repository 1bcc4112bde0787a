"""The example that learns: a short run of it, and what its parts promise."""

import json
import math
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest import mock

import numpy as np
import torch
from torch import nn
from trainer import EXAMPLES, TrainerCase, in_process_too, output_of, run

sys.path.insert(0, str(EXAMPLES))
import train_ppo

SHORT = ["--num-envs=32", "--steps=16", "--minibatch=128", "--width=32", "--every=2", "--blocks=4", "--final-blocks=4"]


class Advantages(unittest.TestCase):
    """Two seats decide in turn in one environment; what a seat's decision leads to is its own next one."""

    def rollout(self, seats: list[int], values: list[float], last: tuple[int, float]) -> train_ppo.Rollout:
        env = SimpleNamespace(layout=SimpleNamespace(bit_count=1, number_count=1), action_count=3, seat_count=2)
        rollout = train_ppo.Rollout(env, len(seats), 1)
        rollout.seats[:, 0], rollout.values[:, 0] = seats, values
        rollout.masks[:] = True
        rollout.last_seats[0], rollout.last_values[0] = last
        return rollout

    def advantages(self, rollout: train_ppo.Rollout, decay: float) -> list[float | None]:
        result, known = rollout.advantages(decay)
        rows = zip(result[:, 0], known[:, 0], strict=True)
        return [round(float(gain), 5) if is_known else None for gain, is_known in rows]

    def test_a_decision_leads_to_the_next_one_of_the_same_seat(self) -> None:
        rollout = self.rollout([0, 1, 1, 0], [0.1, 0.2, 0.4, 0.3], (1, 0.9))
        # Seat 0's second decision is not known: the rollout breaks off before that seat decides again.
        self.assertEqual(self.advantages(rollout, 0.0), [0.2, 0.2, 0.5, None])

    def test_gains_decay_over_own_decisions_alone(self) -> None:
        rollout = self.rollout([0, 1, 1, 0], [0.1, 0.2, 0.4, 0.3], (1, 0.9))
        self.assertEqual(self.advantages(rollout, 0.5), [0.2, 0.2 + 0.25, 0.5, None])

    def test_an_end_rewards_the_last_decision_of_every_seat(self) -> None:
        rollout = self.rollout([0, 1, 0], [0.1, 0.2, 0.3], (1, 0.9))
        rollout.rewards[1, 0], rollout.ended[1, 0] = (1, -1), True
        # The third decision belongs to the next episode, and nothing of that leads back.
        self.assertEqual(self.advantages(rollout, 1.0), [0.9, -1.2, None])

    def test_without_decay_advantages_sum_up_to_the_return(self) -> None:
        rollout = self.rollout([0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5], (0, 0.0))
        rollout.rewards[4, 0], rollout.ended[4, 0] = (1, -1), True
        self.assertEqual(self.advantages(rollout, 1.0), [0.9, -1.2, 0.7, -1.4, 0.5])

    def test_forced_decisions_are_passed_over(self) -> None:
        rollout = self.rollout([0, 0, 0], [0.1, 7.0, 0.3], (0, 0.6))
        rollout.masks[1, 0] = (False, True, False)
        self.assertEqual(self.advantages(rollout, 0.0), [0.2, None, 0.3])


def policy_of(bit_count: int, number_count: int, **offsets: int) -> train_ppo.Policy:
    """A small policy of three actions, and the fields of its layout by name and offset."""
    fields = {name: SimpleNamespace(offset=offset) for name, offset in offsets.items()}
    layout = SimpleNamespace(bit_count=bit_count, number_count=number_count, fields=fields)
    return train_ppo.Policy(layout, 3, train_ppo.Settings(game="another", points=10.0), 16)


class Parts(unittest.TestCase):
    def test_a_policy_never_does_what_is_not_legal(self) -> None:
        masks = np.array([[True, False, True], [False, True, False]])
        scores, values = policy_of(8, 2)(np.ones((2, 8), np.uint8), np.full((2, 2), 300, np.int16), masks)
        self.assertTrue((scores[torch.tensor(~masks)] == -math.inf).all())
        torch.testing.assert_close(scores.exp().sum(1), torch.ones(2))
        self.assertEqual(values.shape, (2,))

    def test_points_that_are_scored_count_in_full(self) -> None:
        policy = policy_of(1, 3, points=1)
        nn.init.zeros_(policy.value.weight)
        nn.init.zeros_(policy.value.bias)
        _, values = policy(np.zeros((1, 1), np.uint8), np.array([[50, 7, 4]], np.int16), np.ones((1, 3), np.bool_))
        self.assertAlmostEqual(float(values.detach()), 0.3)

    def test_numbers_are_scaled_by_what_was_seen(self) -> None:
        policy = policy_of(1, 1)
        for numbers in ([[10], [20]], [[30], [40]]):
            policy.learn_scale(np.array(numbers, np.int16))
        self.assertAlmostEqual(float(policy.scale.running_mean), 25)
        self.assertFalse(policy.scale.training)

    def test_every_setting_has_a_meaning(self) -> None:
        help_text = output_of("train_ppo.py", "--help")
        for name in train_ppo.Settings.__dataclass_fields__:
            self.assertIn(f"--{name.replace('_', '-')}", help_text)

    def test_groups_have_to_be_of_one_size(self) -> None:
        done = run("train_ppo.py", "--num-envs", "10", "--groups", "4")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--num-envs 10 is no multiple of --groups 4", done.stderr)

    def test_what_makes_no_sense_is_said(self) -> None:
        for settings, message in (
            ({"groups": 0}, "--groups is at least 1, not 0"),
            ({"num_envs": 0}, "--num-envs is at least 1, not 0"),
            ({"final_blocks": 1}, "--final-blocks is at least 2, not 1"),
            ({"opponents": ""}, "--opponents names bots"),
            ({"opponents": "greedy=x"}, "not 'x' for greedy"),
            ({"opponents": "random,greedy=0"}, "not '0' for greedy"),
        ):
            with self.subTest(settings):
                self.assertIn(message, train_ppo.Settings(**settings).error or "")
        self.assertIsNone(train_ppo.Settings(opponents="greedy=0.5,random").error)

    def test_a_name_that_stands_alone_has_a_value(self) -> None:
        self.assertEqual(train_ppo._pairs("greedy,random=0.5", "1"), {"greedy": "1", "random": "0.5"})


@in_process_too
class ShortRun(TrainerCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.enterContext(TemporaryDirectory()))

    def arguments(self, *more: str) -> list[str]:
        place = [] if self.address is None else ["--address", self.address]
        return [*SHORT, *place, "--out", str(self.folder), *more]

    def summary(self, *more: str) -> dict:
        return json.loads(output_of("train_ppo.py", *self.arguments("--json", *more)))

    def test_it_ends_writes_its_files_and_goes_on(self) -> None:
        first = self.summary("--decisions", "2048")
        self.assertEqual(first["decisions"], 2048)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"checkpoint.pt", "curve.json", "curve.png"})
        for bot in ("random", "greedy"):
            result = first["evaluation"][bot]
            self.assertLessEqual(0, result["low"])
            self.assertLessEqual(result["low"], result["share"])
            self.assertLessEqual(result["share"], result["high"])
            self.assertEqual(result["blocks"], 4)

        # What has decisions enough is evaluated only, by the same games.
        self.assertEqual(self.summary("--resume", "--decisions", "2048")["evaluation"], first["evaluation"])

        self.assertEqual(self.summary("--resume", "--decisions", "4096")["decisions"], 4096)
        curve = json.loads((self.folder / "curve.json").read_text())
        self.assertEqual([entry["decisions"] for entry in curve], [512 * update for update in range(1, 9)])
        self.assertEqual([entry["seconds"] for entry in curve], sorted(entry["seconds"] for entry in curve))

    def test_a_bot_that_there_is_not_is_found_before_anything_is_learnt(self) -> None:
        done = run("train_ppo.py", *self.arguments("--versus", "random,greedi", "--decisions", "512"))
        self.assertEqual(done.returncode, 2)
        self.assertIn('--versus: UNKNOWN_BOT: unknown bot "greedi"', done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_the_engine_does_not_know_is_said_at_the_start(self) -> None:
        for name, value in {"game": "chess", "seats": 9, "options": "hat=red", "opponents": "greedi=2"}.items():
            settings = train_ppo.Settings(**{name: value})
            with self.subTest(name), settings.make_training_env(self.address) as env:
                message = train_ppo.opening_error(settings, env, self.address) or ""
                self.assertIn(str(value).split("=")[0], message)
        settings = train_ppo.Settings(opponents="greedy=0.5,random", options="combine_rule")
        with settings.make_training_env(self.address) as env:
            self.assertIsNone(train_ppo.opening_error(settings, env, self.address))
            self.assertEqual(env.options["combine_rule"], "true")

    def test_what_was_learnt_is_saved_before_it_is_evaluated(self) -> None:
        settings = train_ppo.Settings(num_envs=32, steps=16, width=32, decisions=512, out=self.folder)
        address = self.address
        with settings.make_training_env(address) as env:
            learning = train_ppo.Run(env.layout, env.action_count, settings)
            with mock.patch.object(train_ppo, "evaluation", side_effect=KeyboardInterrupt):
                self.assertRaises(KeyboardInterrupt, train_ppo.train, learning, env, address)
        self.assertEqual(torch.load(self.folder / "checkpoint.pt", weights_only=True)["curve"][-1]["decisions"], 512)

    def test_a_checkpoint_of_another_layout_is_refused(self) -> None:
        self.summary("--decisions", "512")
        done = run("train_ppo.py", *self.arguments("--resume", "--game", "rapanui_cards"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"checkpoint\.pt cannot be resumed: .* another layout \(rappanui, \w{16}\)")
        self.assertNotIn("Traceback", done.stderr)

    def test_there_has_to_be_something_to_resume(self) -> None:
        done = run("train_ppo.py", *self.arguments("--resume"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is nothing to resume", done.stderr)

    def test_it_plays_against_itself_and_other_games(self) -> None:
        more = "--opponents", "self", "--game", "giants", "--seats", "3", "--versus", "random", "--decisions", "512"
        self.assertEqual(set(self.summary(*more)["evaluation"]), {"random"})

    def test_the_same_seed_learns_the_same(self) -> None:
        first, again = (self.summary("--decisions", "1024", "--seed", "5") for _ in range(2))
        curves = [first["evaluation"], again["evaluation"]]
        self.assertEqual(*curves)


if __name__ == "__main__":
    unittest.main()
