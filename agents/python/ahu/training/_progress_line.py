"""The progress of long work on one line."""

from __future__ import annotations

import sys
import time

from ahu._public import public


class ProgressLine:
    """The progress of long work on one line of stderr, with the time that is left; nothing where stderr is no terminal.

    Args:
        unit: what is counted, such as "decisions".
    """

    def __init__(self, unit: str) -> None:
        self._unit, self._shows = unit, sys.stderr.isatty()
        self._began, self._first, self._told = time.monotonic(), 0.0, 0.0
        self._before: float | None = None

    def tell(self, count: float, share: float) -> None:
        """Shows the progress, at most once a second.

        Args:
            count: what was counted so far.
            share: the share of the work that is done, 0 to 1.
        """
        now = time.monotonic()
        if self._before is None:
            self._began, self._first, self._before = now, count, share
        if not self._shows or now - self._told < 1 or share <= self._before:
            return
        self._told, passed = now, now - self._began
        left = passed * (1 - share) / (share - self._before) / 60
        speed = (count - self._first) / passed
        text = f"{share:.0%}, {count:,.0f} {self._unit}, {speed:,.0f} a second, {left:.0f} minutes left"
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Removes the line."""
        if self._shows:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


public(ProgressLine, module="ahu.training")
