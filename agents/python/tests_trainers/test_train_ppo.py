"""The example `train_ppo.py`: short runs, and the advantages of its seats."""

import contextlib
import io
import json
import math
import subprocess
import sys
import time
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from trainer import EXAMPLES, TrainerCase, in_process_too, output_of, run

sys.path.insert(0, str(EXAMPLES))
import train_ppo

SHORT = ("--num-envs=32", "--num-steps=16", "--num-minibatches=4", "--hidden=32", "--eval-every=2")
BLOCKS = ("--eval-blocks=4", "--final-blocks=4")


class Parts(unittest.TestCase):
    def test_a_policy_never_chooses_what_is_not_legal(self) -> None:
        masks = torch.tensor([[True, False, True], [False, True, False]])
        scores, values = train_ppo.Agent(10, 3, 16)(torch.ones(2, 10), masks)
        self.assertTrue((scores[~masks] == -math.inf).all())
        torch.testing.assert_close(scores.exp().sum(1), torch.ones(2))
        self.assertEqual(values.shape, (2,))

    def test_the_parameters_have_the_names_of_cleanrl(self) -> None:
        names = vars(train_ppo.parse_args([]))
        cleanrl = "learning_rate num_envs num_steps gamma gae_lambda num_minibatches update_epochs clip_coef ent_coef"
        self.assertLessEqual({*cleanrl.split(" "), "vf_coef", "max_grad_norm", "total_timesteps", "seed"}, set(names))

    def test_counts_are_at_least_one(self) -> None:
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), self.assertRaises(SystemExit) as ended:
            train_ppo.parse_args(["--num-envs", "0"])
        self.assertEqual(ended.exception.code, 2)
        self.assertIn("--num-envs: invalid number value: '0'", errors.getvalue())


@in_process_too
class ShortRun(TrainerCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.enterContext(TemporaryDirectory()))

    def arguments(self, *more: str) -> list[str]:
        place = [] if self.address is None else ["--address", self.address]
        return [*SHORT, *BLOCKS, *place, "--out", str(self.folder), *more]

    def lines(self, *more: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in output_of("train_ppo.py", *self.arguments(*more)).splitlines()]

    def test_it_trains_evaluates_and_keeps_the_net(self) -> None:
        *_, summary = self.lines("--total-timesteps", "2048")
        self.assertEqual((summary["game"], summary["seats"], summary["global_step"]), ("rappanui", 2, 2048))
        self.assertEqual({result["blocks"] for result in summary["evaluation"].values()}, {4})
        saved = torch.load(self.folder / "agent.pt", weights_only=False)
        self.assertEqual(saved["args"]["total_timesteps"], 2048)
        self.assertEqual(
            {path.name for path in self.folder.iterdir()}, {"agent.pt", "checkpoint.pt", "curve.jsonl", "curve.svg"}
        )

    def test_tensorboard_has_the_losses_and_the_evaluations(self) -> None:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        self.lines("--total-timesteps", "1024", "--tensorboard")
        logs = EventAccumulator(str(self.folder))
        logs.Reload()
        tags = {"losses/policy_loss", "losses/entropy", "charts/learning_rate", "eval/wins_greedy@1"}
        self.assertLessEqual(tags, set(logs.Tags()["scalars"]))

    def test_it_plays_other_games_and_against_bots(self) -> None:
        more = ("--game=giants", "--seats=3", "--opponents=greedy,random", "--versus=random", "--total-timesteps=512")
        self.assertEqual(set(self.lines(*more)[-1]["evaluation"]), {"random"})

    def test_the_same_seed_learns_the_same(self) -> None:
        first, again = (self.lines("--total-timesteps=1024", "--seed=5") for _ in range(2))
        self.assertEqual(first[-1]["evaluation"], again[-1]["evaluation"])

    def test_a_run_that_was_killed_goes_on_as_if_it_had_not_been(self) -> None:
        steps = ("--total-timesteps=16384", "--seed=5", "--eval-every=100", "--save-every=1")
        whole = self.lines(*steps)[-1]["evaluation"]
        nets = [torch.load(self.folder / "agent.pt", weights_only=False)["agent"]]
        (self.folder / "checkpoint.pt").unlink()
        (self.folder / "agent.pt").unlink()

        command = [sys.executable, EXAMPLES / "train_ppo.py", *self.arguments(*steps)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while not (self.folder / "checkpoint.pt").exists():
                self.assertIsNone(process.poll(), "it ended without a checkpoint")
                time.sleep(0.01)
            process.kill()
        self.assertFalse((self.folder / "agent.pt").exists(), "it was killed before its end")
        self.assertEqual(self.lines(*steps, "--resume")[-1]["evaluation"], whole)
        nets.append(torch.load(self.folder / "agent.pt", weights_only=False)["agent"])
        torch.testing.assert_close(nets[1], nets[0], rtol=0, atol=0)

    def test_a_run_that_has_ended_is_evaluated_again(self) -> None:
        ended = self.lines("--total-timesteps=512")[-1]
        self.assertEqual(self.lines("--total-timesteps=512", "--resume")[-1], ended)

    def test_a_run_goes_on_with_the_settings_it_had(self) -> None:
        done = run("train_ppo.py", *self.arguments("--resume"))
        self.assertIn("expected a checkpoint to go on from", done.stderr)
        self.lines("--total-timesteps", "512")
        done = run("train_ppo.py", *self.arguments("--resume", "--hidden=16"))
        self.assertIn("expected --hidden 32, as in ", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_an_unknown_game_is_named(self) -> None:
        done = run("train_ppo.py", *self.arguments("--game", "chess"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("chess", done.stderr)


if __name__ == "__main__":
    unittest.main()
