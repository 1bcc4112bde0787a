"""The entries of the benchmark, and forged ones."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import ahu

ROOT = Path(__file__).resolve().parents[3]

FIRST = """
import json, sys
for line in sys.stdin:
    turn = json.loads(line)
    if turn["type"] == "decide":
        print(turn["legal"][0]["action_id"], flush=True)
"""

ENTRY = 'authors = "Ada"\nlicence = "MIT"\nrun = "python first.py"\n'

CELLS = ("rappanui-2-greedy", "cards-2-heldout")


def run(*arguments: str) -> tuple[int, str]:
    """Runs the script, and returns its exit code and its output."""
    command = [sys.executable, str(ROOT / ".ci/entries"), *arguments]
    environment = {**os.environ, "AHU_PROGRAM": str(ahu.find_program())}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


def play(bot: Path, name: str, out: Path, *, trained: str = "no", actions: str = "") -> None:
    """Plays five blocks of two cells with the bot in a file."""
    bot.write_text(FIRST.replace("[0]", actions or "[0]"))
    agent = f"{name}=jsonl:{shlex.quote(sys.executable)} {shlex.quote(str(bot))}"
    options = [f"--declare=trained-on-held-out={trained}", *(f"--cell={cell}" for cell in CELLS)]
    command = [ahu.find_program(), "benchmark", "run", "v2", "--first=5", f"--agent={agent}", f"--out={out}", *options]
    subprocess.run(command, check=True, capture_output=True)


class Entries(unittest.TestCase):
    """Entries of a bot that takes the first legal action, and of one that takes the last."""

    runs: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        cls.runs = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for name, actions in (("first", "[0]"), ("last", "[-1]"), ("copied", "[0]")):
            play(cls.runs / f"{name}.py", name, cls.runs / name, actions=actions)

    def setUp(self) -> None:
        self.docs = Path(self.enterContext(tempfile.TemporaryDirectory())) / "organise"

    def enter(self, name: str, *, records: bool = True, place: str | None = None) -> Path:
        """Makes the entry of a run, as the page says, and returns its folder."""
        folder, made = self.docs / "benchmark" / (place or f"v2/{name}"), self.runs / name
        folder.mkdir(parents=True)
        for file in ("report.json", "blocks.csv", "games.jsonl"):
            shutil.copy(made / file, folder)
        folder.joinpath("entry.toml").write_text(ENTRY)
        if records:
            self.pack(folder, made / "records")
        return folder

    def pack(self, folder: Path, records: Path, name: str = "records") -> None:
        """Packs records."""
        with tarfile.open(folder / "records.tar.gz", "w:gz") as archive:
            archive.add(records, name)

    def refuses(self, *parts: str) -> None:
        """Checks that the entries are refused with a line that has all parts."""
        code, output = run("--docs", str(self.docs))
        self.assertEqual(code, 1, output)
        self.assertTrue(any(all(part in line for part in parts) for line in output.splitlines()), output)

    def test_entries_make_the_page_and_its_picture(self) -> None:
        folder = self.enter("first")
        folder.joinpath("entry.toml").write_text(ENTRY.replace("Ada", "Ada | Bo\\n<b>"))
        self.enter("last", records=False)
        self.refuses("leaderboard.md: expected what `.ci/entries --write` makes of the entries, got no file")
        code, output = run("--docs", str(self.docs), "--write")
        self.assertEqual((code, output.splitlines()), (0, ["v2/first: records", "v2/last: claim"]))
        self.assertEqual(run("--docs", str(self.docs))[0], 0)
        page = (self.docs / "leaderboard.md").read_text()
        report = json.loads((self.runs / "first" / "report.json").read_text())
        [row] = [line for line in page.splitlines() if "[first]" in line]
        for part in ("| Ada \\| Bo \\<b\\> | v2/5 rappanui-2-greedy, cards-2-heldout | records |", "| no |"):
            self.assertIn(part, row)
        whole = report["aggregate"]
        for figures in (whole["normalised"], *whole["split"].values()):
            self.assertIn(f"{figures['mean']:.3f} ({figures['low']:.3f} to {figures['high']:.3f})", row)
        picture = (self.docs.parent / "pictures/leaderboard-v2.svg").read_text()
        self.assertIn(">first (v2/5 rappanui-2-greedy, cards-2-heldout)<", picture)
        self.assertEqual(picture.count("<circle"), 4)
        (self.docs / "leaderboard.md").write_text(page.replace("records |", "played again |"))
        self.refuses("leaderboard.md", "expected what `.ci/entries --write` makes")

    def test_a_maintainer_plays_blocks_again(self) -> None:
        folder = self.enter("first")
        again = ("--docs", str(self.docs), "--again", "v2/first", "1", "--by", "Kea")
        code, output = run(*again)
        self.assertEqual((code, output), (0, "v2/first: the first 1 blocks of each cell are the same\n"))
        self.assertIn('[again]\nby = "Kea"', (folder / "entry.toml").read_text())
        self.assertIn("v2/first: played again", run("--docs", str(self.docs), "--write")[1])
        # An agent that is not what it was.
        bot = self.runs / "first.py"
        self.addCleanup(bot.write_text, bot.read_text())
        bot.write_text(FIRST.replace("[0]", "[-1]"))
        code, output = run(*again)
        self.assertEqual(code, 1)
        self.assertIn("cell cards-2-heldout, block 0: the agent plays other games than its entry has", output)

    def test_altered_records_and_seeds_are_refused(self) -> None:
        folder = self.enter("first")
        records = self.docs / "records"
        shutil.copytree(self.runs / "first" / "records", records)
        one, other, *_ = sorted(records.glob("cards-2-heldout/*"))
        kept = one.read_bytes()
        one.write_bytes(other.read_bytes())
        self.pack(folder, records)
        self.refuses("v2/first: ", "cell cards-2-heldout, block 0")
        one.write_bytes(kept[:-40] + b"0" * 40)
        self.pack(folder, records)
        self.refuses("v2/first: ", "cell cards-2-heldout, block 0")
        one.unlink()
        self.pack(folder, records)
        self.refuses("v2/first: ", "cell cards-2-heldout, block 0")
        self.pack(folder, self.runs / "first" / "records")
        self.alter(folder, lambda report: report["seeds"].update(salt="0" * 64))
        self.refuses("v2/first: expected a salt with the SHA-256")
        self.alter(folder, lambda report: report["seeds"].update(kind="sealed"))
        self.refuses("v2/first: expected seeds of the kind public for this salt, got sealed")

    def test_the_games_of_another_agent_are_refused(self) -> None:
        self.enter("first")
        copied = self.enter("copied", records=False)
        # The one with the weaker evidence has the fault, whatever the names are.
        self.refuses("v2/copied: expected games of its own, got 10 of 10 blocks that v2/first has too")
        self.pack(copied, self.runs / "copied" / "records")
        self.refuses("v2/first: expected games of its own")
        shutil.rmtree(copied)
        # The records of another agent as they are, under a name of one's own.
        folder = self.enter("first", place="v2/mine")
        self.refuses("v2/mine: expected the folder v2/first")
        self.alter(folder, lambda report: report["agent"].update(name="mine"))
        self.refuses("v2/mine: ", "the player of seat", "mine", "first")

    def alter(self, folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
        """Changes the report of an entry, as its run wrote it."""
        name = "first" if folder.name == "mine" else folder.name
        report = json.loads((self.runs / name / "report.json").read_text())
        change(report)
        (folder / "report.json").write_text(json.dumps(report))

    def test_an_entry_cannot_name_what_is_run(self) -> None:
        folder = self.enter("first", records=False)
        mark = self.docs.parent / "mark"
        self.alter(folder, lambda report: report["agent"].update(kind="bot", player=f"x=jsonl:touch {mark}"))
        code, output = run("--docs", str(self.docs), "--write")
        self.assertEqual((code, output, mark.exists()), (0, "v2/first: claim\n", False))
        # A claim of a bot's games under a name of one's own is a claim.
        self.alter(folder, lambda report: report["agent"].update(kind="bot", player="greedy@2"))
        self.assertEqual(run("--docs", str(self.docs))[1], "v2/first: claim\n")
        (folder / "blocks.csv").unlink()
        (folder / "blocks.csv").symlink_to(self.runs / "first" / "blocks.csv")
        self.refuses("v2/first: expected plain files of at most ", "got 'blocks.csv'")

    def test_faults_of_the_folder_are_named(self) -> None:
        folder = self.enter("first")
        for text, fault in (
            ('authors = "Ada"\nrun = "x"\n', "v2/first: entry.toml: expected licence as str, got None"),
            (ENTRY + "pages = 1\n", "expected the keys authors, licence, run, about, url, again, got pages"),
            (ENTRY.replace('"Ada"', "7"), "expected authors as str, got 7"),
            (ENTRY + '[again]\nby = "Kea"\n', "expected again.date as date, got None"),
            (ENTRY + '[again]\nby = "Kea"\ndate = 2026-12-01\nblocks = 9\n', "expected again.blocks to be at most 5"),
            ("authors =", "entry.toml: expected TOML, got "),
        ):
            folder.joinpath("entry.toml").write_text(text)
            self.refuses(fault)
        folder.joinpath("entry.toml").write_text(ENTRY)
        (folder / "notes.md").write_text("")
        self.refuses("v2/first: expected the files ", "got notes.md")
        (folder / "notes.md").unlink()
        self.alter(folder, lambda report: report["agent"]["declares"].clear())
        self.refuses(
            "expected the declaration trained-on-held-out=yes or trained-on-held-out=no in the report, got none"
        )
        self.alter(folder, lambda _: None)
        self.pack(folder, self.runs / "first" / "records", "../records")
        self.refuses("v2/first: records.tar.gz: expected records/CELL/NAME.rec, got '../records'")
        (folder / "records.tar.gz").unlink()
        folder.joinpath("entry.toml").write_text(ENTRY + '[again]\nby = "Kea"\ndate = 2026-12-01\nblocks = 1\n')
        self.refuses("v2/first: entry.toml: expected [again] with records.tar.gz alone: a maintainer adds it")
        folder.joinpath("entry.toml").write_text(ENTRY)
        self.pack(folder, self.runs / "first" / "records")
        (folder / "games.jsonl").unlink()
        self.refuses("v2/first: expected games.jsonl beside records.tar.gz, got none")
        self.alter(folder, lambda report: report["suite"].update(first=4))
        self.refuses("v2/first: expected at least 5 blocks of each cell, got 4")
        (folder.parent / "notes.md").write_text("")
        self.refuses("v2/notes.md: expected the folder of an entry, got a file")
        (folder.parent / "notes.md").unlink()
        (folder / "records.tar.gz").write_bytes(b"no archive")
        self.refuses("v2/first: records.tar.gz: expected an archive, got ")
        self.alter(folder, lambda report: report["aggregate"].clear())
        self.refuses("v2/first: expected report.json and blocks.csv of a run, got KeyError")
        code, output = run("--docs", str(self.docs), "--again", "v2/nobody", "1", "--by", "Kea")
        self.assertEqual(code, 2)
        self.assertIn("expected an entry such as v2/NAME, found no folder", output)


class Repository(unittest.TestCase):
    def test_the_entries_of_the_repository_hold_and_make_its_page(self) -> None:
        code, output = run()
        self.assertEqual(code, 0, output)
        self.assertIn("v2/net@1: played again", output)
