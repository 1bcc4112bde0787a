"""Seeds as arguments."""

from __future__ import annotations

import operator
from typing import SupportsIndex


def checked_seed(seed: SupportsIndex) -> int:
    """Returns a seed that the caller gave.

    Raises:
        TypeError: the seed is not an integer.
        ValueError: the seed is out of range.
    """
    number = operator.index(seed)
    if not 0 <= number < 2**64:
        raise ValueError(f"expected a seed from 0 to 2**64 - 1, got {number}")
    return number
