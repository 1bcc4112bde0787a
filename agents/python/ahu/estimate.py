"""Means over blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ahu._public import public


@dataclass(frozen=True, kw_only=True)
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

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Estimate:
        """Returns the estimate of the JSON of the program `ahu`, which may have more keys."""
        return cls(**{one.name: data.get(one.name) for one in fields(cls)})

    def __str__(self) -> str:
        """Returns the mean and the interval, such as "0.512 (0.480 to 0.544)"."""
        return "-" if self.mean is None else f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


public(Estimate)
