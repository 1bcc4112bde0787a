"""The features of actions: what each action touches."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ahu.training import catalog
from ahu.v1 import catalog_service_pb2 as v1


@dataclass(frozen=True, kw_only=True, eq=False)
class ActionFeatures:
    """The kind, piece, place, number, and opponent of each action of a game.

    The arrays are indexed by action id, int16 [action_count], and read-only. -1 stands for a feature that an action does
    not have. The features are the same in every position, with all options, and at every seat count, and no two actions of
    a game have the same five. Kinds, pieces, and places have numbers from 0, in the order of the ids that have them first.

    Attributes:
        kind: the kind, from 0 to `len(kinds)` - 1. Every action has one.
        piece: the piece that the action touches, -1 to `len(pieces)` - 1.
        place: the place that the action touches, -1 to `len(places)` - 1.
        number: the number in the action, such as the count of cards, 0 or more; -1: none.
        opponent: the opponent, as the k-th to the left, 1 to 5; -1: none.
        kinds: the name of each kind, which is the text of its actions with `<>` around each part that varies within the
            kind: "meld <card>", "take wood".
        pieces: the name of each piece, which is its sort and its text in actions: "card F1".
        places: the name of each place, which is its sort and its text in actions: "hex 12".
    """

    kind: NDArray[np.int16]
    piece: NDArray[np.int16]
    place: NDArray[np.int16]
    number: NDArray[np.int16]
    opponent: NDArray[np.int16]
    kinds: tuple[str, ...]
    pieces: tuple[str, ...]
    places: tuple[str, ...]

    @classmethod
    def of(cls, message: v1.ActionFeatures) -> ActionFeatures:
        """Returns the features of a message of the catalog."""
        return cls(
            **{name: _column(getattr(message, name)) for name in ("kind", "piece", "place", "number", "opponent")},
            kinds=tuple(message.kinds),
            pieces=tuple(message.pieces),
            places=tuple(message.places),
        )

    def __len__(self) -> int:
        """Returns the number of actions."""
        return len(self.kind)

    def __repr__(self) -> str:
        counts = f"kinds={len(self.kinds)}, pieces={len(self.pieces)}, places={len(self.places)}"
        return f"ActionFeatures(actions={len(self)}, {counts})"


@functools.cache
def action_features(game: str) -> ActionFeatures:
    """Returns what each action of a game touches, for nets that embed actions, and for clicks on pieces and places.

        features = ahu.action_features("giants")
        hexes = features.place[batch.masks[0]]  # the places of the legal actions of the first row

    Args:
        game: the game, by its name in the catalog, such as "giants".

    Raises:
        ServiceError: the catalog has no such game (`UNKNOWN_GAME`).
    """
    return ActionFeatures.of(catalog.known(game).action_features)


def _column(values: Sequence[int]) -> NDArray[np.int16]:
    column = np.array(values, np.int16)
    column.setflags(write=False)
    return column
