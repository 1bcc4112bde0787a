"""The example `train_net.py`: its inputs, and short runs."""

import json
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from trainer import EXAMPLES, output_of, run

import ahu
from ahu.training import NetInputs, net_bytes

sys.path.insert(0, str(EXAMPLES))
import train_net

SHORT = (
    "--num-envs=16",
    "--copy-scale=0.5",
    "--num-steps=8",
    "--hidden=16,8",
    "--minibatch-size=128",
    "--eval-games=4",
    "--clone=0.4",
)


class Parts(unittest.TestCase):
    def test_the_inputs_mean_the_inputs_of_a_file(self) -> None:
        for game in ("rappanui", "rapanui_cards", "giants", "rapanui_board"):
            for decode in (0, 16, 128):
                with self.subTest(game, decode=decode), ahu.VectorEnv(game, 16, obs_format="packed") as env:
                    rng = np.random.default_rng(1)
                    batch = env.reset(seed=1)
                    for _ in range(40):
                        batch = env.step(env.random_actions(batch, rng))
                    inputs = NetInputs(env.layout, decode=decode)
                    bits, numbers = (torch.from_numpy(batch.observation[name]) for name in ("bits", "numbers"))
                    module = train_net.Inputs(inputs, env.action_count)
                    advice = torch.from_numpy(env.advise("greedy").choices.astype(np.int64))
                    here = module(bits, numbers, advice).float()
                    # Small whole numbers, whose sums are exact.
                    weights = torch.from_numpy(rng.integers(-9, 9, (5, module.size))).float()
                    told = np.eye(env.action_count)[advice]
                    there = np.concatenate([inputs.of(batch.observation), told], 1) @ module.in_file(weights).T
                    np.testing.assert_array_equal((here @ weights.T).numpy(), there)

    def test_the_file_scores_as_the_net_does(self) -> None:
        for game in ("rappanui", "giants"):
            with ahu.VectorEnv(game, 64, obs_format="packed") as env:
                rng, batch = np.random.default_rng(1), env.reset(seed=1)
                for _ in range(40):
                    batch = env.step(env.random_actions(batch, rng))
                inputs, actions = NetInputs(env.layout), train_net.touched(game)
                torch.manual_seed(1)
                net = train_net.Net(inputs, actions, [32, 16], 2.0).eval()
                with torch.no_grad():
                    net.shared.weight.mul_(20)
                advice = env.advise("greedy@1").choices.astype(np.int64)
            content = net_bytes(net.weights(), game=game, inputs=inputs, adviser="greedy@1")
            scores, values = ahu.training.Net(content).evaluate(
                batch.observation.packed, batch.observation.numbers, advice
            )
            told, masks = torch.from_numpy(advice), torch.from_numpy(batch.masks)
            bits, numbers = (torch.from_numpy(batch.observation[name]) for name in ("bits", "numbers"))
            with torch.inference_mode():
                logs, value = net(net.inputs(bits, numbers, told), masks, told)
            logits = np.where(batch.masks, scores / 2**32, -np.inf)
            theirs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
            self.assertLess(np.abs(theirs - logs.numpy())[batch.masks].max(), 0.1)
            self.assertLess(np.abs(values - value.numpy()).max(), 0.05)


class ShortRun(unittest.TestCase):
    def test_it_copies_learns_goes_on_and_writes_a_net_that_plays(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        arguments = ("--game=rapanui_cards", *SHORT, f"--out={folder}")
        done = run("train_net.py", *arguments, "--resume")
        self.assertIn("expected a checkpoint to go on from", done.stderr)
        copied, *_, last = map(json.loads, output_of("train_net.py", *arguments, "--minutes=0.1").splitlines())
        self.assertGreater(copied["copied"], 0)
        self.assertGreater(last["decisions"], 0)
        self.assertLessEqual({"wins_2_seats", "wins_4_seats"}, set(last))

        done = run("train_net.py", *arguments, "--minutes=0.2", "--hidden=8", "--resume")
        self.assertIn("expected --hidden 16,8, as in ", done.stderr)
        more = json.loads(output_of("train_net.py", *arguments, "--minutes=0.2", "--resume").splitlines()[-1])
        self.assertGreater(more["decisions"], last["decisions"])
        played = ahu.play("rapanui_cards", [f"net:{folder / 'rapanui_cards.net'}", "greedy@2"], seed=1)
        self.assertEqual(len(played.scores), 2)


if __name__ == "__main__":
    unittest.main()
