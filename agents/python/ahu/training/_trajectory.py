"""The decisions of a seat in a game that is over, from its record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ahu._public import public
from ahu.training._observation import Observation


@dataclass(frozen=True, kw_only=True, eq=False)
class Trajectory:
    """The n decisions of one seat in one game, in order, without the decisions of a stand-in.

    Attributes:
        game: the game.
        seed: the seed of the game's chance.
        seat: the seat, from 0.
        player: the name of the player, such as "greedy@2".
        observation: what the seat was shown at each decision (see `Observation`).
        masks: the legal actions: bool [n, action_count].
        actions: the action that the seat took: int64 [n].
        rewards: the rewards from each action to the next decision: float32 [n]. The last reward includes the end: with
            all reward rules except "margin_gain" it is the return, and all others are zero. A match without a result
            has no reward at its end.
        score: the points at the end; None for a match without a result.
        rank: the place at the end, 1 is first; None for a match without a result.
        forfeited: True if the seat has forfeited.
    """

    game: str
    seed: int
    seat: int
    player: str
    observation: Observation
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float32]
    score: int | None
    rank: int | None
    forfeited: bool

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"Trajectory(game={self.game!r}, seat={self.seat}, player={self.player!r}, decisions={len(self)})"


public(Trajectory, module="ahu.records")
