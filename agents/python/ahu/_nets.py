"""Nets as players: `net:FILE`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ahu import _native
from ahu._names import NET, is_net_file

_MAX_FILE = 16 * 1024 * 1024
"""The maximum size of a file, in bytes."""


def read_net(path: str | os.PathLike[str]) -> _native.Net:
    """Returns the net of a file, whose path may begin with "net:".

    Raises:
        ValueError: the file is no net, or is for another version of its game.
        OSError: the file cannot be read.
    """
    return _native.Net(_content(path))


def loaded(player: str) -> str:
    """Returns the name of a bot: of "net:FILE" the name of the net, which is loaded; any other text as it is.

    Raises:
        ValueError, OSError: as for `read_net`.
    """
    return _native.load_net(_content(player)) if is_net_file(player) else player


def all_loaded(players: Any) -> Any:
    """Returns players in which each "net:FILE" is the name of its net, also in mixtures by weight; what is no list of players as
    it is.

    Raises:
        ValueError, OSError: as for `read_net`.
    """
    if not isinstance(players, Sequence) or isinstance(players, str):
        return cast(Any, players)
    return [_player(player) for player in cast("Sequence[Any]", players)]


def _player(player: Any) -> Any:
    if isinstance(player, str):
        return loaded(player)
    if isinstance(player, Mapping):
        entries = cast("Mapping[object, Any]", player)
        if any(isinstance(name, str) and is_net_file(name) for name in entries):
            return {loaded(name) if isinstance(name, str) else name: one for name, one in entries.items()}
    return cast(Any, player)


def file_of(player: str) -> str:
    """Returns the path of "net:FILE"."""
    return os.path.abspath(player.removeprefix(NET))


def _content(path: str | os.PathLike[str]) -> bytes:
    file = os.fspath(path).removeprefix(NET)
    with open(file, "rb") as opened:
        # A byte more than a net may have, so that a larger file is refused.
        return opened.read(_MAX_FILE + 1)
