"""One clock, the same wherever it is written."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import ahu
from ahu.client import TimeControl

REPOSITORY = Path(__file__).parents[3]
PROGRAM = f"jsonl:{sys.executable} {REPOSITORY / 'agents/lines/random_bot.py'}"
CLOCK = "startup=10000ms limit=none bank=100000ms increment=100ms lag=0ms"
CUP = f"""
game = "rappanui"
seats = 2
blocks = 1

[cup]
name = "Clocks"

[clock]
bank = "100s"
increment = 0.1

[[agent]]
name = "program"
cmd = '{PROGRAM}'

[[agent]]
name = "bot"
bot = "greedy"
"""


def first(turn: ahu.Turn) -> ahu.Action:
    return turn.legal[0]


def clocks(record: str) -> set[str]:
    """Returns the clocks of a record that have a limit."""
    lines = (line.split(" ", 2) for line in record.splitlines() if line.startswith("clock "))
    return {clock for _, _, clock in lines if "limit=none bank=none" not in clock}


class OneClock(unittest.TestCase):
    def test_a_clock_is_the_same_in_every_place(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        controls = (TimeControl(bank=100, increment=0.1), "100+0.1", "100s+100ms", {0: "100+0.1"})
        records = [ahu.play("rappanui", [first, "greedy"], seed=7, time_control=control).record for control in controls]
        play = ["play", "rappanui", PROGRAM, "greedy", "--tc", "100+0.1", "--record", "-"]
        records.append(self.ahu(*play))
        for number, control in enumerate((TimeControl(bank=100, increment=0.1), "100+0.1", {"own": "100+0.1"})):
            games = folder / f"duel-{number}"
            players = {"own": PROGRAM, "bot": "greedy"}
            ahu.duel("rappanui", players, blocks=2, seed=7, time_control=control, records=games)
            records += [file.read_text() for file in games.glob("*.txt")]
        (folder / "cup.toml").write_text(CUP)
        self.ahu("cup", "run", str(folder / "cup.toml"))
        records += [file.read_text() for file in (folder / "cup.data/records").rglob("*.txt")]
        self.assertGreater(len(records), len(controls) + 1 + 3 * 4)
        for record in records:
            self.assertEqual(clocks(record), {CLOCK}, record[:400])

    def test_a_clock_for_a_seat_is_of_this_seat(self) -> None:
        result = ahu.play("rappanui", [first, first], seed=7, time_control={1: TimeControl(limit=30, startup=0)})
        clock = "startup=0ms limit=30000ms bank=none increment=0ms lag=0ms"
        self.assertEqual(clocks(result.record), {clock})
        self.assertIn(f"\nclock 1 {clock}\n", result.record)
        with self.assertRaisesRegex(ValueError, "expected a bank such as 10"):
            ahu.play("rappanui", [first, first], time_control=TimeControl(startup=1))

    def ahu(self, *arguments: str) -> str:
        done = subprocess.run([ahu.find_program(), *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
