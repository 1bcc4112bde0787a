"""`ahu.records`: the decisions of seats as arrays, compared with the rows of environments."""

import hashlib
import random
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from support import EXAMPLES, RandomAgent, ServerCase, play_seat

import ahu
from ahu import records

GAMES = ("rappanui", "rapanui_cards", "giants", "rapanui_board")


def played(game: str, seed: int, decisions: int | None = None) -> ahu.State:
    """Plays random decisions: this number of decisions, or up to the end."""
    state, choices = ahu.new_game(game, seed=seed), random.Random(seed)
    while not state.is_over and decisions != 0:
        state.apply(choices.choice(state.legal_ids()))
        decisions = None if decisions is None else decisions - 1
    return state


class Trajectories(unittest.TestCase):
    def test_they_are_the_rows_of_an_environment_with_the_seed_and_the_actions(self) -> None:
        for game in GAMES:
            with self.subTest(game):
                state = played(game, 4)
                found = records.of_record(state.record(), rewards="margin")
                self.assertEqual([one.seat for one in found], list(range(state.seats)))
                taken = [iter(one.actions.tolist()) for one in found]
                rows = [0] * len(found)
                with ahu.VectorEnv(game, 1, autoreset="disabled", rewards="margin") as env:
                    batch = env.reset(seed=4)
                    while not batch.ended[0]:
                        [seat] = batch.seats
                        own, row = found[seat], rows[seat]
                        np.testing.assert_array_equal(own.observation["bits"][row], batch.observation["bits"][0])
                        np.testing.assert_array_equal(own.observation["numbers"][row], batch.observation["numbers"][0])
                        np.testing.assert_array_equal(own.masks[row], batch.masks[0])
                        self.assertTrue(own.masks[row, own.actions[row]])
                        rows[seat] += 1
                        batch = env.step([next(taken[seat])])
                    np.testing.assert_array_equal([one.rewards[-1] for one in found], batch.rewards[0])
                self.assertEqual(rows, [len(one) for one in found])
                self.assertEqual([one.score for one in found], state.scores())
                self.assertEqual([one.rank for one in found], state.ranks())

    def test_rewards_come_with_the_end_but_for_the_gain_of_the_margin(self) -> None:
        record = played("rapanui_cards", 5).record()
        state = ahu.State.from_record(record)
        for rule in ("rank", "margin", "points"):
            found = records.of_record(record, rewards=rule)
            self.assertEqual([one.rewards[-1] for one in found], [np.float32(one) for one in state.returns(rule)])
            self.assertEqual([one.rewards[:-1].any() for one in found], [False, False])
        for one, margin in zip(records.of_record(record, rewards="margin_gain"), state.returns("margin"), strict=True):
            self.assertGreater(np.count_nonzero(one.rewards), 2)
            # No player has points before the first decision, so the gains sum to the margin.
            self.assertAlmostEqual(float(one.rewards.sum()), margin, 3)

    def test_formats_are_those_of_environments(self) -> None:
        record = played("rappanui", 1).record()
        split, flat, packed = (records.of_record(record, obs_format=form)[0] for form in ("split", "flat", "packed"))
        self.assertEqual((split.observation["bits"].dtype, flat.observation.array.dtype), (np.uint8, np.float32))
        self.assertEqual(
            (split.actions.dtype, split.rewards.dtype, split.masks.dtype), (np.int64, np.float32, np.bool_)
        )
        np.testing.assert_array_equal(flat.observation["bits"], split.observation["bits"])
        np.testing.assert_array_equal(packed.observation.packed, split.observation.packed)
        np.testing.assert_array_equal(split.observation["hand"].shape[0], len(split))

    def test_a_match_without_a_result_has_no_reward_of_an_end(self) -> None:
        found = records.of_record(played("giants", 1, 50).record(), rewards="points")
        self.assertEqual(sum(map(len, found)), 50)
        for one in found:
            self.assertEqual((one.score, one.rank, one.rewards.any()), (None, None, False))


class Forfeits(ServerCase):
    def test_the_decisions_of_a_stand_in_are_left_out(self) -> None:
        created = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(created.match_id)
        agent = RandomAgent(1)
        agent.act = self.twice(agent.act, seat)  # pyright: ignore[reportAttributeAccessIssue]
        result = play_seat(agent, seat)
        self.assertEqual(result.forfeit, "resigned")
        match = self.client.get_match(created.match_id, wait=20)
        self.assertEqual(match.state, ahu.v1.match_service_pb2.MATCH_STATE_FINISHED)
        own, bot = records.of_record(self.client.get_record(created.match_id).record)
        self.assertEqual((len(own), own.forfeited, own.rank), (2, True, 2))
        self.assertEqual((bot.forfeited, bot.player, bot.rank), (False, "greedy@2", 1))
        self.assertGreater(len(bot), 10)

    def twice(self, act: Any, seat: ahu.client.Seat) -> Any:
        """Returns the method `act` of an agent that resigns instead of its third decision."""
        taken = 0

        def acts(turn: ahu.Turn) -> Any:
            nonlocal taken
            taken += 1
            if taken > 2:
                seat.resign()
            return act(turn)

        return acts


class Files(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(TemporaryDirectory()))
        for seed in range(3):
            (self.folder / f"{seed}.bin").write_bytes(played("rappanui", seed).record())

    def test_files_and_folders_are_read_in_order(self) -> None:
        (self.folder / "results.csv").write_text("no record")
        self.assertEqual(
            [(one.seed, one.seat) for one in records.load(self.folder)], [(n, s) for n in range(3) for s in (0, 1)]
        )
        files = [self.folder / "2.bin", str(self.folder / "0.bin")]
        self.assertEqual([one.seed for one in records.load(files)], [2, 2, 0, 0])
        self.assertEqual(len(records.load(str(files[0]))), 2)
        self.assertEqual(records.load([]), [])

    def test_the_records_of_a_benchmark_are_read_from_their_folders(self) -> None:
        for seed, cell in [(7, "records/b"), (8, "records/a")]:
            (self.folder / cell).mkdir(parents=True)
            (self.folder / cell / "00-00000-00.rec").write_bytes(played("rappanui", seed).record())
        self.assertEqual([one.seed for one in records.load(self.folder / "records")], [8, 8, 7, 7])
        (self.folder / "empty").mkdir()
        with self.assertRaisesRegex(ValueError, "empty: expected files that end with .txt, .bin, .rec, found none"):
            records.load(self.folder / "empty")

    def test_headers_need_no_rules(self) -> None:
        whole = (self.folder / "1.bin").read_bytes()
        # The version follows the magic, and the name of the game with its length.
        at = 8 + 4 + len("rappanui")
        content = whole[:at] + bytes([7]) + whole[at + 1 : -32]
        (self.folder / "1.bin").write_bytes(content + hashlib.sha256(content).digest())

        found = records.headers(self.folder)

        self.assertEqual(
            [(file.name, own.game, own.rules_version, own.seed) for file, own in found.items()],
            [("0.bin", "rappanui", 1, 0), ("1.bin", "rappanui", 7, 1), ("2.bin", "rappanui", 1, 2)],
        )
        own, state = found[self.folder / "1.bin"], played("rappanui", 1)
        self.assertEqual((own.scores, own.ranks, own.ending), (state.scores(), state.ranks(), "finished"))
        self.assertEqual((own.forfeits, len(own.players)), ([None, None], 2))
        self.assertEqual(own.digest, hashlib.sha256(content).hexdigest())
        self.assertGreater(own.plies, 20)
        message = "1.bin: expected a record of rappanui under rules version 1, got rules version 7"
        with self.assertRaisesRegex(ValueError, message):
            records.load(self.folder)
        (self.folder / "1.bin").write_bytes(content + hashlib.sha256(whole).digest())
        with self.assertRaisesRegex(ValueError, "1.bin: the record was altered"):
            records.headers(self.folder)
        with self.assertRaisesRegex(ValueError, "expected a record that begins with"):
            records.header("no record")

    def test_a_file_that_cannot_be_used_is_named(self) -> None:
        whole = (self.folder / "1.bin").read_bytes()
        for content, message in (
            (b"nothing", "expected a record that begins with"),
            (whole[:-1] + bytes([whole[-1] ^ 1]), "altered"),
        ):
            (self.folder / "1.bin").write_bytes(content)
            with self.assertRaisesRegex(ValueError, f"1.bin: .*{message}"):
                records.load(self.folder)
        with self.assertRaises(FileNotFoundError):
            records.load(self.folder / "9.bin")
        with self.assertRaisesRegex(ValueError, "unknown reward rule"):
            records.of_record(whole, rewards="win")
        with self.assertRaisesRegex(ValueError, "expected obs_format of split, flat, packed, got 'bits'"):
            records.of_record(whole, obs_format="bits")  # pyright: ignore[reportArgumentType]

    def test_files_are_verified(self) -> None:
        self.assertEqual(records.verify(self.folder), 3)
        (self.folder / "play.txt").write_text(ahu.play("giants", ["greedy", "random", "random"], seed=1).record)
        self.assertEqual(records.verify([self.folder / "play.txt", str(self.folder)]), 5)
        whole = (self.folder / "2.bin").read_bytes()
        (self.folder / "2.bin").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with self.assertRaisesRegex(ValueError, "2.bin: .*altered"):
            records.verify(self.folder)


class Example(unittest.TestCase):
    def test_the_clone_agrees_with_greedy_more_often_than_chance(self) -> None:
        with TemporaryDirectory() as folder:
            games = Path(folder) / "games"
            duel = ["duel", "rapanui_cards", "a=greedy", "b=greedy", "--blocks", "40", "--seed", "1"]
            command = [ahu.find_program(), *duel, "--records", games]
            subprocess.run(command, check=True, capture_output=True, timeout=120)
            clone = [sys.executable, EXAMPLES / "clone_greedy.py", games]
            done = subprocess.run(clone, check=True, capture_output=True, text=True, timeout=120)
        words = done.stdout.replace(",", "").split()
        agreement, chance = float(words[words.index("agreement:") + 1]), float(words[-1])
        self.assertGreater(agreement, 1.5 * chance)


if __name__ == "__main__":
    unittest.main()
