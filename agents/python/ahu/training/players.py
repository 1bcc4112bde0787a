"""Who plays."""

from __future__ import annotations

from collections.abc import Sequence

from ahu.training.open_request import LEARNER, Player


def agent(seat: int) -> str:
    """What PettingZoo and RLlib call the agent who has a seat."""
    return f"player_{seat}"


def one_learner(players: Sequence[Player] | None, seat_count: int) -> Sequence[Player]:
    """The players, where one learner plays against bots; None: against "random" ones.

    Raises:
        TypeError: it is the name of one.
        ValueError: there is not one learner among them.
    """
    if players is None:
        return [LEARNER, *["random"] * (seat_count - 1)]
    if isinstance(players, str):
        raise TypeError(f'players are one for each seat, such as [LEARNER, "{players}"], not "{players}"')
    learners = sum(player is LEARNER for player in players)
    if learners != 1:
        raise ValueError(f"one of the players is LEARNER (None), not {learners}: the others are bots")
    return players
