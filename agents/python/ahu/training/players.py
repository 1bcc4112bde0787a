"""Who plays where one learner plays against bots."""

from __future__ import annotations

from collections.abc import Sequence

from ahu.training.opening import LEARNER, Player


def one_learner(players: Sequence[Player] | None, seat_count: int) -> Sequence[Player]:
    """The players; None: the learner and "random" bots.

    Raises:
        ValueError: there is not one learner among them.
    """
    if players is None:
        return [LEARNER, *["random"] * (seat_count - 1)]
    learners = sum(player is LEARNER for player in players)
    if learners != 1:
        raise ValueError(f"one of the players is LEARNER (None), not {learners}: the others are bots")
    return players
