"""The catalog of the engine in this process."""

from __future__ import annotations

import functools
from typing import NamedTuple

from ahu import _native
from ahu._errors import ServiceError
from ahu.training._layout import Layout
from ahu.v1.catalog_service_pb2 import Game


class Sizes(NamedTuple):
    """The layout of a game, its number of actions, and its highest number of seats."""

    layout: Layout
    action_count: int
    max_seats: int


@functools.cache
def known(game: str) -> Game:
    """Returns the catalog's description of a game.

    Raises:
        ServiceError: the catalog has no such game (`UNKNOWN_GAME`).
    """
    return Game.FromString(_native.catalog_game(game))


def find(game: str) -> Game | None:
    """Returns the catalog's description of a game; None if there is no game of this name."""
    try:
        return known(game)
    except ServiceError:
        return None


@functools.cache
def sizes(layout_hash: bytes) -> Sizes:
    """Returns the sizes of the game that has a layout.

    Raises:
        LookupError: no game of this package has the layout.
    """
    games = [game for game in map(known, _native.catalog_games()) if game.layout.hash == layout_hash]
    if not games:
        raise LookupError(
            f"no game of this package has the layout {layout_hash.hex()[:16]}: install the package of the server's version"
        )
    [game] = games
    return Sizes(Layout.of(game.layout), game.action_count, game.summary.max_seats)


def seats(game: str, seats: int | None) -> int:
    """Returns the requested number of seats; if None, the fewest seats that the game supports."""
    if seats is not None:
        return seats
    known = find(game)
    # The engine refuses an unknown game, whatever the number is.
    return 2 if known is None else known.summary.min_seats
