"""Games in the hands of the caller that a player plays to their ends together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ahu.actions import Action
from ahu.training import bits, catalog
from ahu.training.batch import Batch
from ahu.training.layout import Layout
from ahu.training.players import batch_player
from ahu.training.rows import BatchSpec, Rows

if TYPE_CHECKING:
    from ahu._native import State


class Playouts:
    """Games of one kind, played together: each decision of the games is one batch. They are also what their seats are shown.

    Args:
        games: the games, which are played in place.

    Raises:
        ValueError: the games are not all of one kind.
    """

    def __init__(self, games: Sequence[State]) -> None:
        self.game = games[0].game
        if any(game.game != self.game for game in games):
            raise ValueError(f"expected States of {self.game}, as the first is, got another game")
        known = catalog.find(self.game)
        assert known is not None, "a State is of a game of the catalog"
        layout = Layout.of(known.layout)
        self._games = games
        self._spec = BatchSpec(layout, "split", known.action_count, games[0].seats, np.dtype(np.bool_))

    def play(self, player: Any, rewards: str) -> NDArray[np.float32]:
        """Plays all games to their ends, and returns the return of each seat by a reward rule: float32 [games, seats]."""
        chooser = batch_player(player, self)
        open_games = [number for number, game in enumerate(self._games) if not game.is_over]
        # A player begins with the first decision that it is asked for in a game.
        starts = np.ones(len(self._games), np.bool_)
        while open_games:
            batch = self._batch(open_games, starts[open_games])
            starts[open_games] = False
            for number, action in zip(open_games, chooser.choose(batch), strict=True):
                self._games[number].apply(int(action))
            open_games = [number for number in open_games if not self._games[number].is_over]
        return np.array([game.returns(rewards) for game in self._games], np.float32)

    def _batch(self, numbers: list[int], starts: Any) -> Batch:
        """Returns the decisions of some games."""
        rows = Rows(self._spec, len(numbers))
        rows.memory[:] = 0
        rows.env_ids[:] = numbers
        for row, number in enumerate(numbers):
            game = self._games[number]
            seat = game.to_act[0]
            shown = game.observation(seat)
            rows.seats[row] = rows.players[row] = seat
            rows.numbers[row] = shown.numbers
            rows.bits[row] = _packed(shown.bits, rows.bits.shape[1])
            rows.masks[row] = _packed(shown.mask, rows.masks.shape[1])
        return Batch(rows, starts=starts)

    def text(self, environment: int, seat: int, form: str) -> str:
        """Returns the table of a game in a form of `State.text`, as a seat is shown it."""
        return self._games[environment].text(seat, form)

    def typed(self, environment: int, seat: int) -> Any:
        """Returns the table of a game as a typed message, as a seat is shown it."""
        return self._games[environment].observation(seat).typed

    def actions(self, environment: int, seat: int, legal_ids: Sequence[int]) -> tuple[Action, ...]:
        """Returns the legal actions of a seat in all forms."""
        return self._games[environment].legal_actions(seat)


def _packed(values: Any, width: int) -> bits.Packed:
    packed = np.zeros(width, np.uint8)
    bytes_ = np.packbits(values, bitorder="little")
    packed[: len(bytes_)] = bytes_
    return packed
