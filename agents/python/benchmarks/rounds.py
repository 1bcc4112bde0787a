"""Loops that are timed in turn, so that the machine's noise affects all alike."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Labels: TypeAlias = Mapping[str, Any]
"""The labels of a loop: `measure`, mostly `game`, and whatever else distinguishes it from other loops."""


class Loop(Protocol):
    """A loop that can be timed again and again.

    Attributes:
        labels: what the loop measures.
    """

    labels: Labels

    def run(self, seconds: float) -> Mapping[str, float]:
        """Runs for about this time, and returns the figures by name."""

    def close(self) -> None:
        """Ends the environments or servers of the loop."""


@dataclass
class Result:
    """The measurements of a loop.

    Attributes:
        labels: what the loop measured.
        rounds: the figures, round by round.
    """

    labels: Labels
    rounds: list[Mapping[str, float]] = field(default_factory=list)

    def of(self, figure: str) -> list[float]:
        """Returns a figure, round by round."""
        return [figures[figure] for figures in self.rounds]


@dataclass(frozen=True)
class Spread:
    """Returns a figure over all rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of values, one for each round."""
        return cls(statistics.median(values), min(values), max(values))


def measure(loops: Sequence[Loop], rounds: int, seconds: float, before: Callable[[], None]) -> list[Result]:
    """Runs every loop once in each round, in reversed order every other round. One more round comes first, to warm up.

    Args:
        loops: the loops.
        rounds: the number of rounds that count.
        seconds: the time of a loop in a round.
        before: a function that is called before each round that counts.
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
    """Prints a line that the next line overwrites, if the output is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}\r", end="", file=sys.stderr, flush=True)


def _name(labels: Labels) -> str:
    return " ".join(map(str, labels.values()))
