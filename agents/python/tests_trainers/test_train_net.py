"""The example `train_net.py`: its inputs, and short runs."""

import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from pyarrow import parquet
from trainer import output_of, run

import ahu
from ahu.training import NetInputs, net_bytes, ppo

SHORT = (
    "--preset=cores",
    "--num-envs=16",
    "--copy-scale=0.5",
    "--num-steps=8",
    "--hidden=16,8",
    "--minibatch-size=128",
    "--eval-blocks=2",
    "--threads=1",
    "--seats=2,4",
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
                    module = ppo.Inputs(inputs, env.action_count)
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
                inputs, actions = NetInputs(env.layout), ppo.touched(game)
                torch.manual_seed(1)
                module = ppo.Inputs(inputs, env.action_count)
                net = ppo.Net(module, actions, ppo.Settings(hidden=(32, 16), trust=2.0)).eval()
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
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(TemporaryDirectory()))

    def lines(self, *arguments: str) -> list[dict[str, Any]]:
        output = output_of("train_net.py", "--game=rapanui_cards", *SHORT, f"--out={self.folder}", *arguments)
        return [json.loads(line) for line in output.splitlines() if line.startswith("{")]

    def test_it_copies_learns_goes_on_and_writes_a_net_that_plays(self) -> None:
        done = run("train_net.py", "--game=rapanui_cards", *SHORT, f"--out={self.folder}", "--resume")
        self.assertIn("expected a checkpoint to go on from", done.stderr)
        copied, *_, last = self.lines("--total-timesteps=2000")
        self.assertGreater(copied["copied"], 0)
        self.assertGreaterEqual(last["decisions"], 2000)
        self.assertLessEqual({"wins_2_seats", "wins_4_seats", "differs"}, set(last))

        done = run("train_net.py", "--game=rapanui_cards", *SHORT, f"--out={self.folder}", "--hidden=8", "--resume")
        self.assertIn("expected --hidden 16,8, as in ", done.stderr)
        [*_, more] = self.lines("--total-timesteps=4000", "--resume")
        self.assertGreaterEqual(more["decisions"], 4000)
        curve = [json.loads(line) for line in (self.folder / "curve.jsonl").read_text().splitlines()]
        self.assertEqual([curve[0], curve[-1]], [copied, more])
        self.assertIn("wins_4_seats</text>", (self.folder / "curve.svg").read_text())
        name = more["net"].removeprefix("net:")
        net = f"net:{self.folder / f'rapanui_cards-{name}.net'}"
        self.assertEqual(len(ahu.play("rapanui_cards", [net, "greedy@2"], seed=1).scores), 2)

    def test_a_net_that_chooses_as_the_bot_wins_exactly_its_share(self) -> None:
        # So much trust that the choice is always that of the adviser.
        lines = self.lines("--total-timesteps=1", "--trust=1000")
        self.assertEqual([line["wins_2_seats"][0] for line in lines], [0.5] * len(lines))
        self.assertEqual([line["wins_4_seats"][0] for line in lines], [0.25] * len(lines))
        self.assertEqual(lines[-1]["differs"], 0)

    def test_in_a_league_it_meets_its_past_and_all_meet_all(self) -> None:
        league = self.folder / "league"
        league.mkdir()
        self.lines("--total-timesteps=1500", "--eval-minutes=0", f"--league={league}", "--rivals=greedy@2,random@1")
        content = json.loads((league / "matrix.json").read_text())
        selves = [name for name in content["names"] if name.startswith("rapanui_cards-")]
        self.assertGreaterEqual(len(selves), 3)
        self.assertEqual(len(content["pairs"]), len(content["names"]) * (len(content["names"]) - 1))
        self.assertEqual(content["elo"]["greedy@2"], 0)
        self.assertLess(content["elo"]["random@1"], 0)
        rows = (league / "matrix.csv").read_text().splitlines()
        self.assertEqual(rows[0].split(",")[1:], content["names"])
        more = ("--total-timesteps=3000", "--resume", f"--league={league}", "--rivals=greedy@2,random@1")
        self.assertGreaterEqual(self.lines(*more)[-1]["decisions"], 3000)
        (league / "rapanui_cards-my run.net").write_bytes(b"")
        with self.assertRaisesRegex(ValueError, "got .*my run.net"):
            _ = ahu.training.League("rapanui_cards", league, ["greedy@2"]).members
        with self.assertRaisesRegex(ValueError, 'got "greedy"'):
            ahu.training.League("rapanui_cards", league, ["greedy"])


class Exploits(unittest.TestCase):
    def test_a_response_finds_a_planted_weakness(self) -> None:
        folder = self.enterContext(TemporaryDirectory())
        found = ahu.exploit("rapanui_cards", "greedy@2", minutes=0.15, blocks=50, num_envs=64, out=folder)
        assert found.planted is not None and found.planted.low is not None and found.gain.low is not None
        # The adviser net@1 wins nine of ten games against greedy@2, and the response begins as strong.
        self.assertGreater(found.gain.low, 0.4)
        self.assertTrue(found.is_informative)
        self.assertEqual(ahu.training.read_net(found.net).game, "rapanui_cards")
        self.assertIn("gains", str(found))

    def test_a_response_at_three_seats_for_points_with_options_and_a_function(self) -> None:
        def lowest(turn: ahu.Turn) -> int:
            return turn.legal[0]

        settings: Any = {"seats": 3, "options": {"quick_game": "true", "max_turns": "1"}, "minutes": 0.03, "blocks": 4}
        for player in ("greedy@1", lowest):
            found = ahu.exploit("giants", player, measure="points", num_envs=8, threads=None, **settings)
            self.assertEqual(found.seats, 3)
            self.assertEqual(found.planted is None, player is lowest)
            assert found.gain.low is not None and found.gain.high is not None
            self.assertLessEqual(found.gain.low, found.gain.high)

    def test_the_program_prints_a_line_of_json(self) -> None:
        folder = self.enterContext(TemporaryDirectory())
        output = output_of(
            "train_best_response.py",
            "rappanui",
            "net@1",
            "--minutes=0.02",
            "--blocks=20",
            "--num-envs=8",
            "--out",
            folder,
        )
        figures = json.loads(output)
        # The net before any training plays as net@1 does, and so gains nothing.
        self.assertEqual(figures["planted_start"], [0, 0, 0])
        self.assertEqual(
            set(figures) & {"gain", "wins", "planted", "is_informative"}, {"gain", "wins", "planted", "is_informative"}
        )

    def test_what_cannot_be_exploited_is_refused(self) -> None:
        for player, more, message in (
            ("python my_agent.py", {}, "got the program .*plays in matches alone"),
            ("greedy", {"minutes": 0}, "expected minutes above 0"),
            ("greedy", {"blocks": 1}, "2 blocks or more"),
            ("greedy", {"measure": "margin"}, "margin"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                ahu.exploit("rappanui", player, **{"minutes": 0.01, **more})


class Parquet(unittest.TestCase):
    def test_a_file_has_the_decisions_of_records_and_of_rollouts(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        for seed in range(3):
            (folder / f"{seed}.txt").write_text(ahu.play("giants", ["greedy", "random", "random"], seed=seed).record)
        expected = ahu.records.load(folder, obs_format="packed")
        rows = ahu.records.to_parquet(folder, folder / "games.parquet")
        self.assertEqual(rows, sum(map(len, expected)))
        table = parquet.read_table(folder / "games.parquet")
        self.assertEqual(
            table.schema.metadata[b"ahu.layout_hash"].decode(), ahu.training.VectorEnv("giants").layout.hash.hex()
        )
        packed = np.frombuffer(table["bits"].combine_chunks().buffers()[1], np.uint8).reshape(rows, -1)
        numbers = table["numbers"].combine_chunks().flatten().to_numpy().reshape(rows, -1)
        legal = np.frombuffer(table["legal"].combine_chunks().buffers()[1], np.uint8).reshape(rows, -1)
        masks = np.concatenate([one.masks for one in expected])
        np.testing.assert_array_equal(packed, np.concatenate([one.observation.packed for one in expected]))
        np.testing.assert_array_equal(numbers, np.concatenate([one.observation.numbers for one in expected]))
        unpacked = np.unpackbits(legal, axis=1, bitorder="little", count=masks.shape[1])
        np.testing.assert_array_equal(unpacked.astype(bool), masks)
        self.assertEqual(table["action"].to_pylist(), [int(action) for one in expected for action in one.actions])
        own = [one for one in expected if one.seat == 0]
        self.assertEqual(ahu.records.to_parquet(own, folder / "own.parquet"), sum(map(len, own)))
        self.assertEqual(set(parquet.read_table(folder / "own.parquet")["seat"].to_pylist()), {0})
        (folder / "other.txt").write_text(ahu.play("rappanui", ["random", "random"], seed=1).record)
        with self.assertRaisesRegex(ValueError, "of one game, giants, got some of rappanui"):
            ahu.records.to_parquet(folder, folder / "games.parquet")
        self.assertEqual(len(parquet.read_table(folder / "games.parquet")), rows)


if __name__ == "__main__":
    unittest.main()
