"""The README and pages of the guide: their commands and programs run."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support import HERE

import ahu

README = (HERE / "README.md").read_text()
GUIDE = (HERE / "../../docs/agents.md").read_text()
DUELS = (HERE / "../../docs/duels.md").read_text()
TRAINING = (HERE / "../../docs/training.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Documents(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(TemporaryDirectory()))
        programs = self.folder / "programs"
        programs.mkdir()
        # The programs `ahu` and `python`, which are in PATH where the package is installed.
        for name, program in (("ahu", ahu.find_server()), ("python", sys.executable)):
            (programs / name).write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
            (programs / name).chmod(0o755)
        packages = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(packages),
        }

    def run_in_folder(self, *command: str) -> str:
        """Runs a command in the folder and returns its error output."""
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120
        )
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stderr

    def test_every_block_of_code_runs(self) -> None:
        ran = 0
        for language, code in BLOCK.findall(README):
            if name := re.match(r"# (\w+\.py)\n", code):
                # A later block uses this file.
                (self.folder / name[1]).write_text(code)
            elif language == "python":
                self.run_in_folder(sys.executable, "-c", code)
                ran += 1
            elif "pytest" not in code:
                errors = self.run_in_folder("bash", "-euc", code)
                self.assertNotRegex(errors, "Traceback|stand-in", code)
                ran += 1
        self.assertEqual(ran, 15)

    def test_the_competing_agent_of_the_guide_asks_for_its_key(self) -> None:
        _, compete, practice, _ = [code for language, code in BLOCK.findall(GUIDE) if language == "python"]
        (self.folder / "my_agent.py").write_text(compete)
        command = [sys.executable, "my_agent.py"]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("AHU_KEY", done.stderr)
        compile(practice, "practice", "exec")

    def test_the_first_agent_of_the_guide_plays(self) -> None:
        code, *_ = [code for language, code in BLOCK.findall(GUIDE) if language == "python"]
        (self.folder / "my_agent.py").write_text(code)
        command, page = re.findall(r"^    (ahu play .*my_agent\.py.*)$", GUIDE, re.MULTILINE)
        # The web page of such a match is tested in a browser (tests/web).
        self.assertEqual(page, f"{command} --web --pause")
        errors = self.run_in_folder("bash", "-euc", command)
        self.assertNotRegex(errors, "Traceback|stand-in")

    def test_the_better_agent_of_the_guide_is_checked_and_wins_its_duel(self) -> None:
        *_, code = [code for language, code in BLOCK.findall(GUIDE) if language == "python"]
        self.assertLessEqual(len([line for line in code.splitlines() if line]), 30)
        (self.folder / "my_bot.py").write_text(code)
        check, duel, lost, again = re.findall(r"^    (ahu (?:check-agent|duel) .*my_bot\.py.*)$", GUIDE, re.MULTILINE)
        self.run_in_folder("bash", "-euc", check)
        self.run_in_folder("bash", "-euc", f"{duel} --seed 1 --strict >table.txt")
        table = (self.folder / "table.txt").read_text()
        self.assertIn("The test accepts H1 after ", table)
        self.assertIn("mine is better than random@1: ", table)
        # From a lost duel to its costly decisions, as tests of the agent.
        [analyse] = re.findall(r"^    (ahu analyse .*)$", GUIDE, re.MULTILINE)
        self.run_in_folder("bash", "-euc", f"{lost} --seed 1 >lost.txt")
        self.run_in_folder("bash", "-euc", f"{analyse} --bot search:20 >costs.txt")
        costs = (self.folder / "costs.txt").read_text()
        self.assertIn("10 positions were added to positions.jsonl\n\nmine in 20 games of rappanui: ", costs)
        self.run_in_folder("bash", "-euc", f"{again} >checked.txt || true")
        checked = (self.folder / "checked.txt").read_text().splitlines()
        self.assertEqual([line.split()[1:3] for line in checked], [["line", f"{number},"] for number in range(1, 11)])

    def test_the_comparison_from_python_runs(self) -> None:
        [code] = [code for language, code in BLOCK.findall(DUELS) if language == "python"]
        self.run_in_folder(sys.executable, "-c", code)

    def test_the_examples_of_one_game_run(self) -> None:
        section = TRAINING.partition("## One game in your hands\n")[2].partition("\n## ")[0]
        blocks = [code for language, code in BLOCK.findall(section) if language == "python"]
        self.assertEqual(len(blocks), 2)
        for code in blocks:
            self.run_in_folder(sys.executable, "-c", code)

    def test_what_it_points_at_is_there(self) -> None:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", README):
            self.assertTrue((HERE / target).exists(), target)


if __name__ == "__main__":
    unittest.main()
