"""Generalized advantages where several seats take turns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def seat_advantages(
    *,
    rewards: NDArray[Any],
    dones: NDArray[Any],
    values: NDArray[Any],
    seats: NDArray[Any],
    is_free: NDArray[Any],
    next_values: NDArray[Any],
    next_seats: NDArray[Any],
    gamma: float = 1.0,
    gae_lambda: float = 0.95,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Returns the generalized advantages of each seat's decisions (GAE, Schulman et al. 2016): float32 [T, E]; and the
    decisions that have one, bool [T, E].

    The next step after a seat's decision is the same seat's next decision, or the end; the decisions of other seats in
    between do not count.

    A forced decision has no advantage, and neither has a seat's last decision if the rollout ends before its next
    decision.

    Args:
        rewards: the reward of each step for each seat, [T, E, S].
        dones: True if the step has ended the episode, [T, E].
        values: the value of each decision to its seat, [T, E].
        seats: the seat of each decision, [T, E].
        is_free: True if the decision had several legal actions, [T, E].
        next_values: the value of the decision after the last step, [E].
        next_seats: the seat of this decision, [E].
        gamma: the discount.
        gae_lambda: the lambda.
    """
    count, seat_count = rewards.shape[1:]
    advantages, has_advantage = np.zeros(values.shape, np.float32), np.zeros(values.shape, np.bool_)
    # What follows in time, for each seat of each environment: time runs backwards.
    known = np.zeros((count, seat_count), np.bool_)
    value, reward, advantage = np.zeros((3, count, seat_count), np.float32)
    rows = np.arange(count, dtype=np.intp)
    known[rows, next_seats], value[rows, next_seats] = True, next_values
    for step in reversed(range(len(values))):
        done = dones[step]
        known[done], value[done], reward[done], advantage[done] = True, 0, 0, 0
        reward += rewards[step]
        free = np.flatnonzero(is_free[step])
        own = (free, seats[step, free])
        delta = reward[own] + gamma * value[own] - values[step, free]
        gain = np.where(known[own], delta + gamma * gae_lambda * advantage[own], 0)
        advantages[step, free], has_advantage[step, free] = gain, known[own]
        known[own], value[own], reward[own], advantage[own] = True, values[step, free], 0, gain
    return advantages, has_advantage
