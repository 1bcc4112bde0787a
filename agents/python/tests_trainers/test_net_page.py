"""The page "Let your net compete": its commands and programs run with a net that was trained for a moment."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from trainer import EXAMPLES, HERE, output_of

import ahu

PAGE = (HERE / "../../docs/net.md").read_text()


class NetPage(unittest.TestCase):
    def test_the_net_plays_a_game_a_duel_the_benchmark_and_seats_of_a_server(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        [train] = re.findall(r"^    python agents/python/examples/train_ppo.py (.*)$", PAGE, re.MULTILINE)
        self.assertIn("--out runs/first", train)
        short = ("--total-timesteps=1024", "--num-envs=32", "--num-steps=16", "--hidden=32", "--final-blocks=2")
        output_of("train_ppo.py", *short, "--out", str(folder / "runs/first"))
        *blocks, agent = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
        (folder / "page.py").write_text("".join(blocks))
        (folder / "my_net.py").write_text(agent)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(EXAMPLES), *filter(None, [os.environ.get("PYTHONPATH")])]),
        }
        output = self.run_in(folder, environment, sys.executable, "page.py")
        self.assertRegex(output, r"(?m)^\(-?\d+, -?\d+\)$")
        self.assertRegex(output, r"(?m)^\d\.\d{3} \(\d\.\d{3} to \d\.\d{3}\)$")
        self.assertIn("player on v1/2 rappanui-", output)
        seats = f"{sys.executable} my_net.py,greedy"
        self.run_in(folder, environment, ahu.find_server(), "play", "rappanui", "--players", seats, "--strict")

    def run_in(self, folder: Path, environment: dict[str, str], *command: str) -> str:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout


if __name__ == "__main__":
    unittest.main()
