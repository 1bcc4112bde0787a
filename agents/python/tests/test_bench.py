"""The benchmark: it runs, and reports its measures. No test asserts a speed."""

import json
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import HERE

SHORT = ("--games", "rappanui", "--num-envs", "1,16", "--rounds", "1", "--seconds", "0.01")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, HERE / "bench.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class Bench(unittest.TestCase):
    def test_everything_has_its_turn_in_every_round(self) -> None:
        with TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text("before\n<!-- measured -->\nold\n<!-- end -->\nafter\n")
            done = bench(*SHORT, "--json", "--page", str(page))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(
                page.read_text(), r"(?s)^before\n<!-- measured -->\nMeasured by .*\n<!-- end -->\nafter\n$"
            )
        results = json.loads(done.stdout)["results"]
        measures = [result["labels"]["measure"] for result in results]
        # "single" has three kinds in both places. "vector" has 1 and 16 environments in process in two formats, and on the
        # server 1 environment, 16 in one group, and 16 in two groups. "gymnasium" has both formats in both places.
        self.assertEqual(measures, ["engine", *["single"] * 6, "state", *["vector"] * 7, *["gymnasium"] * 4, "unary"])
        for result in results:
            self.assertEqual(len(result["rounds"]), 1, result["labels"])
            self.assertTrue(all(figure > 0 for figure in result["rounds"][0].values()), result["labels"])

    def test_some_measures_alone_have_a_report(self) -> None:
        done = bench(*SHORT, "--measures", "state")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"### States in the middle of a game.*\n\n.*\n.*\n\| rappanui +\| ")
        self.assertNotIn("### Vectors", done.stdout)

    def test_a_game_that_there_is_not_is_refused_by_name(self) -> None:
        done = bench("--games", "chess")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the catalog has no game chess, but: rappanui", done.stderr)


if __name__ == "__main__":
    unittest.main()
