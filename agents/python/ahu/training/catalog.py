"""The catalog of the engine in this process."""

from __future__ import annotations

import functools

from ahu import _native
from ahu.v1.catalog_service_pb2 import Game


@functools.cache
def find(game: str) -> Game | None:
    """Returns the catalog's description of a game; None if there is no game of this name."""
    message = _native.catalog_game(game)
    return None if message is None else Game.FromString(message)


def seat_count(game: str, seat_count: int | None) -> int:
    """Returns the requested number of seats; if None, the fewest seats that the game supports."""
    if seat_count is not None:
        return seat_count
    known = find(game)
    # The engine refuses an unknown game, whatever the number is.
    return 2 if known is None else known.summary.min_seats
