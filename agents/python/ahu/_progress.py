"""The progress of games that are played together, as a caller's function gets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ahu._public import public


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of a duel or a benchmark.

    Attributes:
        done: the number of games that have ended.
        games: the number of all games, at most for a sequential test; None if it is not known yet.
        text: the progress in words, or another news, such as a forfeit; the words may change.
    """

    done: int
    games: int | None
    text: str

    def __str__(self) -> str:
        """Returns the text."""
        return self.text


def counter(games: int, on_progress: Callable[[Progress], None] | None) -> Callable[[int], None]:
    """Returns a function that adds a number of games to those that have ended, and tells the sum."""
    done = 0

    def count(ended: int) -> None:
        nonlocal done
        done += ended
        if on_progress is not None:
            on_progress(Progress(done=done, games=games, text=f"{done} of {games} games"))

    return count


public(Progress)
