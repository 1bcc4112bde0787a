"""Imitation: learns to play as `greedy` does, from records of its games.

    ahu duel rapanui_cards a=greedy b=greedy --blocks 100 --records games
    python clone_greedy.py games

The policy is a linear softmax over the legal actions, fitted by gradient descent. It prints the share of decisions in which it
agrees with the player of the records, in games that it has not learned from, beside that of a random legal action.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from ahu import records

Array = NDArray[np.float32]


def probabilities(weights: Array, inputs: Array, masks: NDArray[np.bool_]) -> Array:
    """Returns the probability of each action, zero for those that are not legal: float32 [n, action_count]."""
    scores = np.where(masks, inputs @ weights, -np.inf)
    powers = np.exp(scores - scores.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def fit(inputs: Array, masks: NDArray[np.bool_], actions: NDArray[np.int64], epochs: int = 10) -> Array:
    """Returns weights, float32 [size, action_count], that make the actions likely."""
    generator = np.random.default_rng(1)
    weights = np.zeros((inputs.shape[1], masks.shape[1]), np.float32)
    for _ in range(epochs):
        for rows in np.array_split(generator.permutation(len(actions)), max(1, len(actions) // 256)):
            errors = probabilities(weights, inputs[rows], masks[rows])
            errors[np.arange(len(rows)), actions[rows]] -= 1
            weights -= inputs[rows].T @ errors / len(rows)
    return weights


def main() -> None:
    """Reads the records that the arguments name, learns from four fifths of the games, and looks at the others."""
    trajectories = [one for one in records.load(sys.argv[1:], obs_format="flat") if len(one)]
    seeds = sorted({one.seed for one in trajectories})
    held_out = set(seeds[::5])
    arrays = []
    for is_held_out in (False, True):
        part = [one for one in trajectories if (one.seed in held_out) == is_held_out]
        inputs = np.concatenate([one.observation.array for one in part])
        masks, actions = (np.concatenate([getattr(one, name) for one in part]) for name in ("masks", "actions"))
        # A forced action teaches nothing.
        free = masks.sum(1) > 1
        arrays.append((inputs[free], masks[free], actions[free]))
    weights = fit(*arrays[0])
    inputs, masks, actions = arrays[1]
    agrees = (probabilities(weights, inputs, masks).argmax(1) == actions).mean()
    print(f"decisions: {len(arrays[0][2]):,} to learn from, {len(actions):,} to look at")
    print(f"agreement: {agrees:.3f}, of a random legal action {(1 / masks.sum(1)).mean():.3f}")


if __name__ == "__main__":
    main()
