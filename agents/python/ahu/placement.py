"""Where an agent program plays, as whoever starts it says in its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Placement:
    """A seat and the way to it.

    Attributes:
        address: where the server listens (AHU_ADDRESS).
        match_id: the match (AHU_MATCH).
        seat: the seat, from 0 (AHU_SEAT).
        token: the seat's token (AHU_TOKEN).
    """

    address: str
    match_id: str
    seat: int
    token: str = field(repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Placement:
        """What the variables say.

        Raises:
            LookupError: one is missing.
            ValueError: AHU_SEAT is no number.
        """
        names = ("AHU_ADDRESS", "AHU_MATCH", "AHU_SEAT", "AHU_TOKEN")
        missing = [name for name in names if name not in environment]
        if missing:
            raise LookupError(
                f"{', '.join(missing)} is not set. Start the agent with `ahu play GAME --seats greedy,'COMMAND'`, "
                "or hand a seat of `Client.join` to play()"
            )
        address, match_id, seat, token = (environment[name] for name in names)
        return cls(address, match_id, int(seat), token)
