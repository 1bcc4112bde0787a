"""The pages about nets, and the first path of training: their programs run with a net that was trained for a moment."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from trainer import EXAMPLES, HERE, code_of, output_of

import ahu

FIRST = (HERE / "../../docs/train/index.md").read_text()
PAGE = (HERE / "../../docs/train/net.md").read_text()


class NetPage(unittest.TestCase):
    def test_the_net_plays_a_game_a_duel_the_benchmark_and_seats_of_a_server(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        [train] = re.findall(
            r"^    python agents/python/examples/train_ppo.py (.*--max-minutes 3 .*)$", FIRST, re.MULTILINE
        )
        self.assertIn("--out runs/first", train)
        short = ("--total-timesteps=1024", "--num-envs=32", "--num-steps=16", "--hidden=32", "--final-blocks=2")
        output_of("train_ppo.py", *short, "--out", str(folder / "runs/first"))
        blocks = [code.text for code in code_of(PAGE) if code.language == "python"]
        [agent] = [text for text in blocks if text.startswith("# my_net.py\n")]
        page = "".join(text for text in blocks if text != agent)
        self.assertIn("files=", page)
        # Two blocks of each cell, in place of 1,400 games.
        (folder / "page.py").write_text(page.replace("files=", "first=2, files="))
        (folder / "my_net.py").write_text(agent)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(EXAMPLES), *filter(None, [os.environ.get("PYTHONPATH")])]),
        }
        output = self.run_in(folder, environment, sys.executable, "page.py")
        self.assertRegex(output, r"(?m)^\(-?\d+, -?\d+\)$")
        self.assertRegex(output, r"(?m)^\d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\)$")
        self.assertIn("net on v1/2 rappanui-", output)
        [match] = [code.text for code in code_of(FIRST) if code.text.startswith("# match.py\n")]
        (folder / "match.py").write_text(match)
        self.assertIn("net", self.run_in(folder, environment, sys.executable, "match.py"))
        net = f"{sys.executable} my_net.py"
        self.run_in(folder, environment, ahu.find_program(), "play", "rappanui", net, "greedy", "--strict")

    def run_in(self, folder: Path, environment: dict[str, str], *command: str) -> str:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout


if __name__ == "__main__":
    unittest.main()
