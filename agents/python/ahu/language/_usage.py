"""The tokens, attempts, and verdicts of a language model, and the price of its tokens."""

from __future__ import annotations

import os
import tomllib
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
        tokens_cached: those of `tokens_in` that the host had in its cache.
        tokens_reasoning: those of `tokens_out` that are the reasoning.
        id: the id of the answer, by which its host knows the call; None if it is not known.
        model: the name and version of the model, as the host tells them; None if it is not known.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    finish: str = "stop"
    tokens_cached: int = 0
    tokens_reasoning: int = 0
    id: str | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class Prices:
    """The prices of a model.

    Attributes:
        input_per_million: the price of a million tokens in messages.
        output_per_million: the price of a million tokens in answers.
        currency: the currency, such as "USD".
        cached_per_million: the price of a million tokens in messages that the host has in its cache; None: `input_per_million`.
    """

    input_per_million: float
    output_per_million: float
    currency: str = "USD"
    cached_per_million: float | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str], model: str) -> Prices:
        """Returns the prices of a model in a file of prices, which `ahu benchmark plan --prices` reads too:

            currency = "USD"
            [model."some-model"]
            input = 0.5
            cached_input = 0.05
            output = 2.0

        Raises:
            LookupError: the file has no such model.
            ValueError: the file is no file of prices.
            OSError: the file cannot be read.
        """
        with open(path, "rb") as file:
            content = tomllib.load(file)
        try:
            models, currency = content["model"], content["currency"]
            prices = models.get(model)
            if prices is None:
                raise LookupError(f"{path}: expected prices of {model}, got those of {', '.join(models)}")
            return cls(
                input_per_million=prices["input"],
                output_per_million=prices["output"],
                cached_per_million=prices.get("cached_input"),
                currency=currency,
            )
        except (KeyError, AttributeError, TypeError) as error:
            raise ValueError(f'{path}: expected currency and [model."NAME"] with input and output: {error!r}') from None

    def cost(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> float:
        """Returns the price of some tokens. `tokens_cached` are those of `tokens_in` that the host had in its cache."""
        cached = self.input_per_million if self.cached_per_million is None else self.cached_per_million
        fresh = tokens_in - tokens_cached
        return (fresh * self.input_per_million + tokens_cached * cached + tokens_out * self.output_per_million) / 1e6


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
        tokens_cached: those of `tokens_in` that the host had in its cache.
        tokens_reasoning: those of `tokens_out` that are the reasoning.
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
    tokens_cached: int = 0
    tokens_reasoning: int = 0
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
