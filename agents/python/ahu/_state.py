"""One game in the caller's hands: `ahu.State`, and rollouts and analyses of it. The extension module has the code."""

from __future__ import annotations

from typing import Any

from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message

from ahu import _native
from ahu._native import (
    ActionAnalysis as ActionAnalysis,
    Analysis as Analysis,
    State as State,
    StateEvent as StateEvent,
    StateObservation as StateObservation,
    analyse as analyse,
    rollout as rollout,
)
from ahu._options import Options, option_texts
from ahu.actions import Action
from ahu.messages import unpack

# Observations are arrays, as in training: without numpy, this module cannot be imported.
from ahu.training import catalog
from ahu.v1 import match_service_pb2 as v1


def new_game(
    game: str,
    seats: int | None = None,
    options: Options | None = None,
    seed: int | None = None,
    *,
    history: bool = True,
) -> State:
    """Creates a game before its first decision.

    Args:
        game: the game, by its name in the catalog, such as "giants".
        seats: the number of seats; None: the fewest seats that the game supports.
        options: the options that differ from their defaults, by key.
        seed: the seed of all chance, 0 to 2^64 - 1. A match with the same seed is the same game. None: the caller
            settles chance, with `State.settle`.
        history: True to keep the plies, which `State.record` and pickles need.

    Raises:
        AhuError: the catalog has no such game (`UNKNOWN_GAME`), or the game has no such seat count or option
            (`BAD_SEAT_COUNT`, `BAD_OPTION`).
        OverflowError: the seed is out of range.
    """
    return _native.new_state(game, catalog.seat_count(game, seats), option_texts(options or {}), seed, history)


# The extension module calls these three.


def action_of(message: bytes) -> Action:
    """Returns the action of an `ahu.v1.Action` as bytes."""
    return Action.of(v1.Action.FromString(message))


def message_of(packed: bytes) -> Message:
    """Returns the message in an `Any` as bytes."""
    return unpack(Packed.FromString(packed))


def restore(*parts: Any) -> State:
    """Returns the State of a pickle."""
    return _native.restore_state(*parts)
