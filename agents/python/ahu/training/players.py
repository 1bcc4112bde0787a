"""Players of the adapters."""

from __future__ import annotations

from collections.abc import Sequence

from ahu.training.open_request import LEARNER, Player


def agent(seat: int) -> str:
    """Returns the name of the agent of a seat in PettingZoo and RLlib."""
    return f"player_{seat}"


def one_learner(players: Sequence[Player] | None, seat_count: int) -> Sequence[Player]:
    """Returns the players of an environment in which one learner plays against others; None: against "random" bots.

    Raises:
        TypeError: `players` is the name of one player.
        ValueError: the number of learners is not one.
    """
    if players is None:
        return [LEARNER, *["random"] * (seat_count - 1)]
    if isinstance(players, str):
        raise TypeError(f'players are one for each seat, such as [LEARNER, "{players}"], not "{players}"')
    learners = sum(player is LEARNER for player in players)
    if learners != 1:
        raise ValueError(f"one of the players is LEARNER (None), not {learners}: the others are bots or policies")
    return players
