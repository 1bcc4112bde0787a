"""The games of Ahu for TRL: `GRPOTrainer(environment_factory=AhuEnvironment, ...)`."""

from __future__ import annotations

from typing import Any

import ahu
from ahu.language import Style, Table


class AhuEnvironment:
    """A seat of a game. The columns of the data set are the arguments of `reset`."""

    def reset(
        self,
        seed: int,
        game: str = "rapanui_cards",
        seats: int | None = None,
        seat: int = 0,
        bot: str = "greedy",
        style: dict[str, Any] = {},
        every: int = 1,
        **_: Any,
    ) -> str:
        """Begins the game of a seed, and returns the rules and the first question. One decision in `every` is asked, and
        greedy takes the others."""
        state = ahu.new_game(game, seats=seats, seed=seed)
        self._seat, self._every = seat, every
        bots = {other: bot for other in range(state.seats) if other != seat}
        self._table = Table(state, bots=bots, style=Style(**style))
        return f"\n{self._table.rules(seat)}\n\n{self._question()}"

    def play(self, action: str) -> str:
        """Takes an action of the game, and returns the next question.

        Args:
            action: the text of a legal action, such as "meld F7".
        """
        if not self._table.to_act():
            return "The game is over."
        verdict = self._table.answer(self._seat, actions=[action])
        # A refusal is a question about the same decision.
        return self._question() if verdict.kind == "accepted" else self._question(asked=True)

    def get_reward(self) -> float:
        """Returns the return by rank, from -1 to 1. A game that was not played to its end is a forfeit."""
        if not self._table.is_over and not self._table.forfeited:
            self._table.forfeit(self._seat)
        return self._table.reward(self._seat)

    def _question(self, asked: bool = False) -> str:
        while self._table.to_act():
            if asked or self._table.decision(self._seat) % self._every == 0:
                return self._table.prompt(self._seat)
            self._table.delegate(self._seat)
        return "The game is over."
