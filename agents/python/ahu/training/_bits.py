"""Rows of packed bits: bit i of a row is bit i % 8 (the lowest is 0) of byte i / 8."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ahu import _native

Packed: TypeAlias = NDArray[np.uint8]
"""Packed rows, uint8 [n, 8 * words]: whole 64-bit words, filled up with zeros."""

ONE_CORE = _native.Cores(1)
"""The core of the caller."""


def width(count: int) -> int:
    """Returns the number of bytes of a row of `count` bits."""
    return 8 * -(-count // 64)


def unpack(
    packed: Packed, count: int, out: NDArray[np.uint8] | None = None, cores: _native.Cores = ONE_CORE
) -> NDArray[np.uint8]:
    """Returns the first `count` bits of each row, 0 or 1: uint8 [n, count], in `out` if it is given."""
    if out is None:
        out = np.empty((len(packed), count), np.uint8)
    _native.unpack(cores, np.ascontiguousarray(packed), out)
    return out
