"""Suites that a policy in this process plays."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

import ahu
from ahu import _native
from ahu.training import _planned_games as planned_games, _suites as suites

SUITE = """
name = "tiny"
quick = 1
minutes = 0.1
[clock]
startup = "60s"
limit = "60s"
[conduct]
stand_in = "greedy@2"
[[cell]]
name = "cards"
game = "rapanui_cards"
rules = 1
seats = 2
opponents = ["greedy@2"]
blocks = 4
decisions = 100
random = -0.9
reference = { bot = "greedy@2", utility = 0.0 }
[[cell]]
name = "giants"
game = "giants"
rules = 1
seats = 3
options = { max_turns = "2" }
opponents = ["greedy@2", "search@1:2"]
blocks = 2
decisions = 100
random = -0.6
reference = { bot = "greedy@2", utility = 0.3 }
"""


@ahu.batched
def first(batch: ahu.Batch) -> NDArray[np.int64]:
    """Takes the first legal action."""
    return np.argmax(batch.masks, axis=1)


@ahu.batched
def last(batch: ahu.Batch) -> NDArray[np.int64]:
    """Takes the last legal action."""
    masks = batch.masks
    return masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)


class Reports(unittest.TestCase):
    def test_a_newer_program_may_say_more(self) -> None:
        file = Path(__file__).parents[3] / "docs/organise/benchmark/v1/greedy@1/report.json"
        data, more = json.loads(file.read_text()), json.loads(file.read_text())
        for place in (more, more["suite"], more["aggregate"]["normalised"], *more["cells"]):
            place["future"] = {"x": 1}
        for cell in more["cells"]:
            cell["normalised"]["future"] = 1
        one, other = suites._report(data), suites._report(more)
        self.assertEqual((one.normalised, one.cells, one.played), (other.normalised, other.cells, other.played))


class Suites(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.suite = str(self.folder / "tiny.toml")
        Path(self.suite).write_text(SUITE)

    def check(self, out: str) -> dict[str, Any]:
        command = [ahu.find_program(), "benchmark", "verify", str(self.folder / out), "--suite", self.suite, "--json"]
        done = subprocess.run([*command, "--sample", "1"], capture_output=True, text=True, check=False)
        checked: dict[str, Any] = json.loads(done.stdout)
        return checked

    def test_a_policy_plays_a_suite_in_batches_and_its_report_is_sound(self) -> None:
        told: list[ahu.Progress] = []
        report = ahu.benchmark(
            self.suite,
            first,
            out=self.folder / "first",
            declares={"model": "none"},
            on_progress=told.append,
        )
        self.assertEqual((report.suite, report.played, report.started, report.forfeits), ("tiny", 14, 14, 0))
        self.assertEqual(set(report.cells), {"cards", "giants"})
        self.assertEqual(report.data["agent"]["kind"], "callable")
        self.assertEqual(report.data["agent"]["declares"], {"model": "none"})
        self.assertEqual(told[-1], ahu.Progress(done=14, games=14, text="14 of 14 games"))
        checked = self.check("first")
        self.assertTrue(checked["valid"], checked)
        self.assertEqual(checked["records"], 14)
        self.assertGreater(checked["bot_choices_computed"], 0)
        self.assertIn("first", str(ahu.benchmark(self.suite, first, name="first", quick=True)))

    def test_two_runs_agree_in_all_but_times_and_one_goes_on_where_it_was_interrupted(self) -> None:
        one = ahu.benchmark(self.suite, last, out=self.folder / "one", games_at_once=3)
        calls = 0

        @ahu.batched
        def dies(batch: ahu.Batch) -> NDArray[np.int64]:
            nonlocal calls
            calls += 1
            if calls > 120:
                raise ZeroDivisionError
            return last(batch)

        with self.assertRaises(ZeroDivisionError):
            ahu.benchmark(self.suite, dies, out=self.folder / "two", games_at_once=1)
        played = len(list((self.folder / "two").rglob("*.rec")))
        self.assertTrue(0 < played < 14, played)
        two = ahu.benchmark(self.suite, last, out=self.folder / "two")
        self.assertEqual(one.data["records"]["timeless_digest"], two.data["records"]["timeless_digest"])
        # The game that was interrupted started again.
        self.assertEqual((one.started, two.started, two.played), (14, 15, 14))
        self.assertEqual(two.data["log"]["not_kept"], 1)
        checked = self.check("two")
        self.assertTrue(checked["valid"], checked)
        self.assertEqual(checked["log"], two.data["log"])
        self.assertEqual((self.folder / "one/blocks.csv").read_text(), (self.folder / "two/blocks.csv").read_text())

    def test_games_that_have_ended_are_kept_when_the_player_fails(self) -> None:
        most = 0

        @ahu.batched
        def dies(batch: ahu.Batch) -> NDArray[np.int64]:
            nonlocal most
            most = max(most, len(batch))
            if len(batch) < most:
                raise ZeroDivisionError
            return last(batch)

        # With more cores than games, the player fails before any record is due.
        with self.assertRaises(ZeroDivisionError):
            ahu.benchmark(self.suite, dies, out=self.folder / "out", threads=64)
        played = len(list((self.folder / "out").rglob("*.rec")))
        self.assertTrue(0 < played < most, played)
        self.assertEqual(ahu.benchmark(self.suite, last, out=self.folder / "out").started, 14 + most - played)

    def test_records_that_cannot_be_written_are_noted_once(self) -> None:
        full = mock.patch.object(planned_games, "write", side_effect=OSError("no space"))
        with full, self.assertRaisesRegex(OSError, "no space"):
            ahu.benchmark(self.suite, last, out=self.folder / "out")
        events = map(json.loads, (self.folder / "out/games.jsonl").read_text().splitlines())
        kept = [event["record"] for event in events if event["event"] == "keep"]
        self.assertGreater(len(kept), 0)
        self.assertEqual(len(kept), len(set(kept)))

    def test_a_game_whose_record_was_deleted_starts_again_in_the_log(self) -> None:
        before = ahu.benchmark(self.suite, first, out=self.folder / "out", name="a name")
        for record in (self.folder / "out/records/cards").iterdir():
            record.unlink()
        log = self.folder / "out/games.jsonl"
        whole = log.read_text()
        self.assertEqual(len(whole.splitlines()), 28)
        log.write_text(whole + whole[:40])  # a kill has cut off the last line
        again = ahu.benchmark(self.suite, first, out=self.folder / "out", name="a name")
        self.assertEqual((again.played, again.started), (14, 22))
        self.assertTrue(log.read_text().startswith(whole))
        self.assertTrue(self.check("out")["valid"])
        # The timeless digest does not depend on the name.
        other = ahu.benchmark(self.suite, first, name="another name")
        self.assertEqual(before.data["records"]["timeless_digest"], other.data["records"]["timeless_digest"])
        self.assertNotEqual(before.data["records"]["digest"], other.data["records"]["digest"])
        lines = whole.splitlines(keepends=True)
        log.write_text("".join(lines[:3] + lines[4:]))
        with self.assertRaisesRegex(ahu.BenchmarkError, "games.jsonl: line 4: expected the link "):
            ahu.benchmark(self.suite, first, out=self.folder / "out", name="a name")

    def test_two_processes_do_not_play_into_one_folder(self) -> None:
        @ahu.batched
        def second(batch: ahu.Batch) -> NDArray[np.int64]:
            with self.assertRaisesRegex(ahu.BenchmarkError, "in which another process plays"):
                ahu.benchmark(self.suite, first, out=self.folder / "out")
            return first(batch)

        ahu.benchmark(self.suite, second, out=self.folder / "out", cells=["cards"], first=1)
        self.assertTrue(self.check("out")["valid"])

    def test_a_policy_for_one_game_plays_a_part_of_the_suite(self) -> None:
        part = ahu.benchmark(self.suite, {"giants": last}, out=self.folder / "part")
        self.assertEqual((part.suite, list(part.cells), part.played), ("tiny giants", ["giants"], 6))
        self.assertEqual(part.data["suite"]["cells"], ["giants"])
        self.assertEqual(part.normalised.mean, part.cells["giants"].mean)
        self.assertTrue(self.check("part")["valid"])
        for chosen in ({"cells": ["giants"]}, {"games": ["giants"]}, {"cells": ["giants"], "games": ["giants"]}):
            again = ahu.benchmark(self.suite, last, out=self.folder / "part", **chosen)  # type: ignore[arg-type]
            self.assertEqual(again.data, part.data, "the same part goes on, and nothing is left to play")
        with self.assertRaisesRegex(ahu.BenchmarkError, 'the same suite.cells as when .* got \\["cards"\\]'):
            ahu.benchmark(self.suite, {"rapanui_cards": first}, out=self.folder / "part")
        runs = ahu.benchmark(self.suite, [{"giants": first}, {"giants": last}], quick=True)
        self.assertEqual((runs.suite, runs.played), ("tiny/1 giants", 6))
        with self.assertRaisesRegex(
            ahu.BenchmarkError, 'unknown game of the suite tiny "gaints"; did you mean "giants"'
        ):
            ahu.benchmark(self.suite, {"gaints": last})
        with self.assertRaisesRegex(ahu.BenchmarkError, 'unknown cell of the suite tiny "card"; did you mean "cards"'):
            ahu.benchmark(self.suite, last, cells=["card"])
        with self.assertRaisesRegex(ValueError, "expected a player for at least one game, got an empty mapping"):
            ahu.benchmark(self.suite, {})
        with self.assertRaisesRegex(TypeError, "expected games to be a sequence of names, got 'giants'"):
            ahu.benchmark(self.suite, last, games="giants")

    def test_policies_by_game_and_several_runs(self) -> None:
        by_game = {"rapanui_cards": first, "giants": last}
        report = ahu.benchmark(self.suite, [by_game, first], out=self.folder / "runs", runs=["a.pt", "b.pt"])
        self.assertEqual([run["name"] for run in report.data["agent"]["runs"]], ["a.pt", "b.pt"])
        self.assertEqual(report.played, 28)
        self.assertTrue(self.check("runs")["valid"])
        with self.assertRaisesRegex(
            ValueError, "expected a player for each game that tiny is left to play, got none for rapanui_cards$"
        ):
            ahu.benchmark(self.suite, {"giants": last}, out=self.folder / "none", games=["rapanui_cards", "giants"])
        with self.assertRaisesRegex(
            ValueError, "expected a player of run 1 for each game .* none for rapanui_cards, giants$"
        ):
            ahu.benchmark(self.suite, [first, {}], out=self.folder / "none")
        # The refused runs played no game, so another run can use the folder.
        self.assertEqual(ahu.benchmark(self.suite, by_game, out=self.folder / "none", quick=True).suite, "tiny/1")

    def test_bots_and_functions_of_a_turn_play_as_batches_do(self) -> None:
        report = ahu.benchmark(self.suite, "random@1", quick=True)
        self.assertEqual((report.data["agent"]["name"], report.suite, report.played), ("random@1", "tiny/1", 5))
        whole = ahu.benchmark(self.suite, first, quick=True)
        turns = ahu.benchmark(self.suite, lambda turn: turn.legal[0], quick=True)
        self.assertEqual(turns.cells, whole.cells)

    def test_a_slow_policy_forfeits_by_the_clock_of_the_suite(self) -> None:
        Path(self.suite).write_text(SUITE.replace('"60s"', '"20ms"'))

        def slow(batch: ahu.Batch) -> NDArray[np.int64]:
            clock.now += 0.05 * len(batch)
            return first(batch)

        clock = SimpleNamespace(now=0.0)
        watch = SimpleNamespace(perf_counter=lambda: clock.now)
        with mock.patch.object(planned_games, "time", watch):
            report = ahu.benchmark(self.suite, ahu.batched(slow), out=self.folder / "slow", quick=True)
        self.assertEqual(report.forfeits, report.played)
        self.assertEqual(report.data["cells"][0]["forfeits"], {"timeout": 2})
        self.assertTrue(self.check("slow")["valid"])

    def test_wrong_arguments_and_actions_are_refused(self) -> None:
        with self.assertRaisesRegex(ahu.BenchmarkError, 'unknown suite "v9"; did you mean "v1"?'):
            ahu.benchmark("v9", first)
        with self.assertRaisesRegex(ahu.BenchmarkError, "expected none, iterations:N, or seconds:S"):
            ahu.benchmark(self.suite, first, budget="iterations:0")
        with self.assertRaisesRegex(ahu.BenchmarkError, r"--seeds.*expected public, or sealed: .* got \"x\"$"):
            ahu.benchmark(self.suite, first, seeds="x")
        with self.assertRaisesRegex(
            ValueError, "expected a player, or one for each training run, got an empty sequence"
        ):
            ahu.benchmark(self.suite, [])
        for wrong in (None, [first, 7], {"giants": "greedy"}):
            with self.assertRaisesRegex(
                TypeError, "expected a function of a turn, .* a mapping of these by game, or a sequence of them"
            ):
                ahu.benchmark(self.suite, wrong)  # type: ignore[arg-type]
        for number in (0, -1):
            with self.assertRaisesRegex(ValueError, f"expected first to be at least 1 block, got {number}"):
                ahu.benchmark(self.suite, first, first=number)
        with self.assertRaises(TypeError):
            ahu.benchmark(self.suite, first, first=1.5)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "expected either first or quick, got first=1 and quick=True"):
            ahu.benchmark(self.suite, first, first=1, quick=True)
        with self.assertRaisesRegex(ValueError, "expected 2 players, one for each run, got 1"):
            ahu.benchmark(self.suite, first, runs=["a", "b"])
        with self.assertRaisesRegex(ValueError, "expected at least one game at once, got 0"):
            ahu.benchmark(self.suite, first, games_at_once=0)
        with self.assertRaises(ahu.IllegalAction):
            ahu.benchmark(self.suite, ahu.batched(lambda batch: np.zeros(len(batch), np.int64) + 5))
        begun = json.loads(
            subprocess.run(
                [
                    ahu.find_program(),
                    "benchmark",
                    "run",
                    self.suite,
                    "--agent=a=callable",
                    f"--out={self.folder / 'x'}",
                    "--planned",
                ],
                capture_output=True,
                check=True,
            ).stdout
        )["games"][0]["record"]
        for actions, times, message in (
            ([], [1], "expected a time for each of 0 actions, got 1 times"),
            ([], [], "expected more actions than 0"),
            ([65535], [1], "65535"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                _native.finish_record(begun, actions, times)
        with self.assertRaisesRegex(ValueError, "expected a record"):
            _native.finish_record("no record", [], [])

    def test_a_forged_report_is_refused(self) -> None:
        ahu.benchmark(self.suite, first, out=self.folder / "first")
        shutil.copytree(self.folder / "first", self.folder / "forged")
        report = json.loads((self.folder / "forged/report.json").read_text())
        report["cells"][0]["normalised"]["mean"] = 1.0
        (self.folder / "forged/report.json").write_text(json.dumps(report))
        checked = self.check("forged")
        self.assertFalse(checked["valid"])
        self.assertIn("cell cards: normalised.mean: expected ", checked["faults"][0])


if __name__ == "__main__":
    unittest.main()
