"""Loops that are timed in turn, so that the machine's noise meets all alike."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Labels: TypeAlias = Mapping[str, Any]
"""What a loop measures: `measure`, mostly `game`, and what else tells it from the others."""


class Loop(Protocol):
    """Something that can be timed for a while, again and again.

    Attributes:
        labels: what it measures.
    """

    labels: Labels

    def run(self, seconds: float) -> Mapping[str, float]:
        """Runs for about so long; says what came of it, figure by figure."""

    def close(self) -> None:
        """Ends what it runs on."""


@dataclass
class Result:
    """What a loop brought.

    Attributes:
        labels: what it measured.
        rounds: its figures, round by round.
    """

    labels: Labels
    rounds: list[Mapping[str, float]] = field(default_factory=list)

    def of(self, figure: str) -> list[float]:
        """A figure, round by round."""
        return [figures[figure] for figures in self.rounds]


@dataclass(frozen=True)
class Spread:
    """A figure over all rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of values, one for each round."""
        return cls(statistics.median(values), min(values), max(values))


def measure(loops: Sequence[Loop], rounds: int, seconds: float, before: Callable[[], None]) -> list[Result]:
    """Runs every loop once in each round, in reversed order every other round. A round more than asked for warms up.

    Args:
        loops: the loops.
        rounds: how many rounds.
        seconds: how long a loop runs in a round.
        before: is called before each round that counts.
    """
    results = [Result(loop.labels) for loop in loops]
    for number in range(rounds + 1):
        if number:
            before()
        places = range(len(loops))
        for done, place in enumerate(reversed(places) if number % 2 else places):
            _tell(f"round {number} of {rounds}, loop {done + 1} of {len(loops)}: {_name(loops[place].labels)}")
            figures = loops[place].run(seconds)
            if number:
                results[place].rounds.append(figures)
        print(f"round {number} of {rounds} is done", file=sys.stderr)
    return results


def _tell(text: str) -> None:
    """A line that the next one overwrites, where a person watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}\r", end="", file=sys.stderr, flush=True)


def _name(labels: Labels) -> str:
    return " ".join(map(str, labels.values()))
