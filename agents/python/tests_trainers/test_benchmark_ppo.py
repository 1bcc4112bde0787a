"""The example `benchmark_ppo.py`, which plays a suite with nets of `train_ppo.py`."""

import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from trainer import output_of, run

SHORT = [
    "--num-envs=32",
    "--num-steps=16",
    "--num-minibatches=4",
    "--hidden=32",
    "--final-blocks=4",
    "--total-timesteps=512",
    "--versus=random",
]

HEAD = """
name = "tiny"
quick = 1
minutes = 0.1
[clock]
limit = "60s"
[conduct]
stand_in = "greedy@2"
"""

CELL = """
[[cell]]
name = "{game}-{seats}"
game = "{game}"
rules = 1
seats = {seats}
opponents = ["random@1"]
blocks = 2
decisions = 100
random = 0.0
reference = {{ bot = "greedy@2", utility = 0.9 }}
"""


class Nets(unittest.TestCase):
    def test_nets_play_a_suite_and_nets_of_some_games_play_a_part_of_it(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        suite, nets = folder / "tiny.toml", folder / "nets"
        # The net of a game plays at all seat counts of the game.
        cells = [("rappanui", 2), ("rappanui", 4), ("rapanui_cards", 2)]
        suite.write_text(HEAD + "".join(CELL.format(game=game, seats=seats) for game, seats in cells))
        arguments = ["--suite", str(suite), "--nets", str(nets), "--out"]
        output_of("train_ppo.py", *SHORT, "--game=rappanui", f"--out={nets / 'rappanui'}")
        output = output_of("benchmark_ppo.py", *arguments, str(folder / "part"))
        self.assertTrue(output.startswith("train_ppo on tiny rappanui-2,rappanui-4: "), output)
        done = run("benchmark_ppo.py", *arguments, str(folder / "part"), "--first=1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected the same suite.first as when the run in ", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

        output_of("train_ppo.py", *SHORT, "--game=rapanui_cards", f"--out={nets / 'rapanui_cards'}")
        output = output_of("benchmark_ppo.py", *arguments, str(folder / "out"))
        self.assertTrue(output.startswith("train_ppo on tiny: "), output)
        report = json.loads((folder / "out/report.json").read_text())
        self.assertEqual([cell["name"] for cell in report["cells"]], ["rappanui-2", "rappanui-4", "rapanui_cards-2"])
        self.assertEqual(len(report["agent"]["files"]), 2)
        # The nets take their likeliest actions, which are the same in each run.
        output_of("benchmark_ppo.py", *arguments, str(folder / "again"))
        again = json.loads((folder / "again/report.json").read_text())
        self.assertEqual(again["records"]["timeless_digest"], report["records"]["timeless_digest"])


if __name__ == "__main__":
    unittest.main()
