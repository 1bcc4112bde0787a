"""Stable-Baselines3: MaskablePPO against bots, in many environments at once.

    python train_sb3.py 100_000

The number is the number of decisions to learn from.
"""

import sys

import numpy as np
from sb3_contrib import MaskablePPO

from ahu.training.sb3 import AhuVecEnv


def main() -> None:
    """Learns, and prints the share of wins in the last hundred episodes."""
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    env = AhuVecEnv("rappanui", 64, players=[None, "random"], rotation="episode", seed=7)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, gamma=1.0, device="cpu", seed=7)
    model.learn(decisions)
    # A win is worth 1, a tie 0, a loss -1.
    returns = [episode["r"] for episode in model.ep_info_buffer or ()]
    print(f"{model.num_timesteps} decisions, share of wins in the last {len(returns)} episodes:", end=" ")
    print(f"{(1 + np.mean(returns)) / 2:.2f}")
    env.close()


if __name__ == "__main__":
    main()
