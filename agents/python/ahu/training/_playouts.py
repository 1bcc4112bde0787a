"""Games in the hands of the caller that a player plays to their ends together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ahu._actions import Action
from ahu.training._observe import observe
from ahu.training._players import batch_player

if TYPE_CHECKING:
    from ahu._native import State


class Playouts:
    """Games of one kind, played together: each decision of the games is one batch. They are also what their seats are shown.

    Args:
        games: the games, which are played in place.
    """

    def __init__(self, games: Sequence[State]) -> None:
        self.game = games[0].game
        self._games = games

    def play(self, player: Any, rewards: str) -> NDArray[np.float32]:
        """Plays all games to their ends, and returns the return of each seat by a reward rule: float32 [games, seats]."""
        chooser = batch_player(player, self)
        open_games = [number for number, game in enumerate(self._games) if not game.is_over]
        # A player begins with the first decision that it is asked for in a game.
        starts = np.ones(len(self._games), np.bool_)
        while open_games:
            batch = observe([self._games[number] for number in open_games])
            batch.env_ids[:] = open_games
            batch = batch.with_starts(starts[open_games])
            starts[open_games] = False
            for number, action in zip(open_games, chooser.choose(batch), strict=True):
                self._games[number].apply(int(action))
            open_games = [number for number in open_games if not self._games[number].is_over]
        return np.array([game.returns(rewards) for game in self._games], np.float32)

    def text(self, environment: int, seat: int, form: str) -> str:
        """Returns the table of a game in a form of `State.text`, as a seat is shown it."""
        return self._games[environment].text(seat, form)

    def typed(self, environment: int, seat: int) -> Any:
        """Returns the table of a game as a typed message, as a seat is shown it."""
        return self._games[environment].observation(seat).typed

    def actions(self, environment: int, seat: int, legal_ids: Sequence[int]) -> tuple[Action, ...]:
        """Returns the legal actions of a seat in all forms."""
        return self._games[environment].legal_actions(seat)
