"""OpenSpiel: bots of OpenSpiel play a game of ours.

    python play_openspiel.py 7

The number is the seed of the choices.
"""

import sys

import numpy as np
import pyspiel
from open_spiel.python.algorithms import evaluate_bots
from open_spiel.python.bots.uniform_random import UniformRandomBot

import ahu.training.openspiel  # noqa: F401  It registers the game.


def main() -> None:
    """Plays a game of two random bots, and prints how it ended."""
    choices = np.random.RandomState(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    game = pyspiel.load_game("ahu(game=rappanui,players=2)")
    bots = [UniformRandomBot(player, choices) for player in range(game.num_players())]
    state = game.new_initial_state()
    returns = evaluate_bots.evaluate_bots(state, bots, choices)
    print(state.observation_string(0))
    print("returns by seat:", returns)


if __name__ == "__main__":
    main()
