"""The catalog of the engine in this process."""

from __future__ import annotations

import functools

from ahu import _native
from ahu.v1.catalog_service_pb2 import Game


@functools.cache
def find(game: str) -> Game | None:
    """Returns a game with all that the catalog says of it; None if there is no game of this name."""
    message = _native.catalog_game(game)
    return None if message is None else Game.FromString(message)


def seat_count(game: str, seat_count: int | None) -> int:
    """Returns the number of seats that is asked for; without one, the fewest that the game is for."""
    if seat_count is not None:
        return seat_count
    known = find(game)
    # An engine that does not know the game either refuses it, whatever the number is.
    return 2 if known is None else known.summary.min_seats
