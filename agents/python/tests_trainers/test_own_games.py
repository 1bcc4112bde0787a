"""Games in crates of their own (`examples/games`), measured with OpenSpiel's algorithms against published values."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples/games"
TARGET = ROOT / "target/games"

SCRIPT = """
import poker_games  # Before `ahu`, whose extension module it becomes.
import ahu
import ahu.training.openspiel
import pyspiel
from open_spiel.python.algorithms import expected_game_score, exploitability
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy

# One of the equilibria of Kuhn's paper, as the probabilities of a bet with the cards 1, 2, and 3: the first player does not bet
# first, the second one bluffs after a pass, and after a bet both call alike.
FIRST, BLUFF, CALL = (0, 0, 0), (1 / 3, 0, 1), (0, 1 / 3, 1)


def load(name):
    return pyspiel.load_game("ahu", {"game": name, "rewards": "points", "explicit_chance": True})


def uniform(game):
    return round(exploitability.nash_conv(game, UniformRandomPolicy(game)), 9)


def equilibrium(game):
    policy = TabularPolicy(game)
    for state in policy.states:
        player = state.current_player()
        text = state.information_state_string(player)
        _, told = text.split(f"seat {player} gets the card ")
        bets = CALL if "bet" in told else (FIRST, BLUFF)[player]
        bet = bets[int(told[0]) - 1]
        policy.policy_for_key(text)[:] = [1 - bet, bet]
    return policy


kuhn = load("kuhn_poker")
exact = equilibrium(kuhn)
print([game.game for game in ahu.games()][-2:])
print(uniform(kuhn), uniform(pyspiel.load_game("kuhn_poker")))
print(uniform(load("leduc_poker")), uniform(pyspiel.load_game("leduc_poker")))
print(round(abs(exploitability.nash_conv(kuhn, exact)), 9))
print(round(expected_game_score.policy_value(kuhn.new_initial_state(), [exact, exact])[0], 9))
"""


class OwnGames(unittest.TestCase):
    def test_the_games_of_another_crate_have_their_published_exploitability(self) -> None:
        shutil.copy(ROOT / "Cargo.lock", FOLDER)
        build = ["cargo", "build", "--manifest-path", FOLDER / "Cargo.toml", "--target-dir", TARGET]
        subprocess.run([*build, "--package", "poker_games"], check=True)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(TARGET / "debug/libpoker_games.so", Path(folder) / "poker_games.so")
            path = os.pathsep.join((folder, str(ROOT / "agents/python")))
            run = subprocess.run(
                [sys.executable, "-c", SCRIPT], env=os.environ | {"PYTHONPATH": path}, check=True, capture_output=True, text=True
            )
        games, kuhn, leduc, exact, value = run.stdout.splitlines()
        self.assertEqual(games, "['kuhn_poker', 'leduc_poker']")
        # Ours, and OpenSpiel's own; 11/12 follows from Kuhn's paper (1950), as the value of the game, -1/18, does.
        self.assertEqual([float(figure) for figure in kuhn.split()], [0.916666667] * 2)
        self.assertEqual([float(figure) for figure in leduc.split()], [4.747222222] * 2)
        self.assertEqual((float(exact), float(value)), (0, -0.055555556))


if __name__ == "__main__":
    unittest.main()
