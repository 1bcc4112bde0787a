"""Means over blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """A mean over blocks with its 95 % interval.

    Attributes:
        mean: the mean; None if no block has a value.
        low: the lower end of the interval; None as for `mean`.
        high: the upper end.
        variance_ratio: the variance of block means, divided by the variance of the means of as many unpaired games;
            None if it is unknown.
    """

    mean: float | None
    low: float | None
    high: float | None
    variance_ratio: float | None = None

    def __str__(self) -> str:
        """Returns the mean and the interval, such as "0.512 (0.480 to 0.544)"."""
        return "-" if self.mean is None else f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def estimate_of(figures: Mapping[str, Any]) -> Estimate:
    """Returns the estimate in an object of JSON, in which a newer program may have further keys."""
    return Estimate(**{name: figures.get(name) for name in ("mean", "low", "high", "variance_ratio")})
