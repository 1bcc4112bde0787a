"""The tokens, attempts, and verdicts of a language model, and the price of its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True, kw_only=True)
class Completion:
    """The answer of a model.

    Attributes:
        text: the text.
        tokens_in: the number of tokens of the messages; 0 if it is not known.
        tokens_out: the number of tokens of the answer, with those of its reasoning; 0 if it is not known.
        finish: the reason why the answer ended: "length" if it was cut off, otherwise "stop" or another word.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    finish: str = "stop"


@dataclass(frozen=True, kw_only=True)
class Prices:
    """The prices of a model.

    Attributes:
        input_per_million: the price of a million tokens in messages.
        output_per_million: the price of a million tokens in answers.
        currency: the currency, such as "USD".
    """

    input_per_million: float
    output_per_million: float
    currency: str = "USD"

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Returns the price of some tokens."""
        return (tokens_in * self.input_per_million + tokens_out * self.output_per_million) / 1e6


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The work of a language agent. Counts begin with 0 when the agent is made; the difference of two is the work between them.

    Attributes:
        style: the digest of the style in which the model was asked; "several" for more than one, empty for none.
        decisions: the decisions of the agent's seats.
        forced: the decisions that had one legal action.
        planned: the decisions that an earlier reply had made.
        calls: the calls of the model.
        tokens_in: the tokens in its messages.
        tokens_out: the tokens in its answers.
        accepted: the accepted answers.
        illegal: the answers with an action that was not legal.
        unreadable: the answers without an action.
        truncated: the answers that were cut off before an action.
        forfeits: the forfeits, after the last attempt for a decision.
    """

    style: str = ""
    decisions: int = 0
    forced: int = 0
    planned: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    accepted: int = 0
    illegal: int = 0
    unreadable: int = 0
    truncated: int = 0
    forfeits: int = 0

    def __add__(self, other: Usage) -> Usage:
        style = self.style or other.style
        if other.style not in ("", style):
            style = "several"
        return Usage(style=style, **{name: own + getattr(other, name) for name, own in self._counts().items()})

    def __sub__(self, other: Usage) -> Usage:
        return Usage(style=self.style, **{name: own - getattr(other, name) for name, own in self._counts().items()})

    def _counts(self) -> dict[str, int]:
        return {name: count for name, count in self.as_dict().items() if name != "style"}

    def as_dict(self) -> dict[str, Any]:
        """Returns the style and the counts by name."""
        return asdict(self)


def usages(players: Mapping[Key, Any], before: Mapping[Key, Usage] = {}) -> dict[Key, Usage]:
    """Returns the work of the language agents among some players, without the work before."""
    counts = {key: player.usage() for key, player in players.items() if callable(getattr(player, "usage", None))}
    return {key: count - before.get(key, Usage()) for key, count in counts.items()}
