"""Rows of bits, as they travel: bit i of a row is bit i % 8, the lowest being 0, of its byte i / 8."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Packed: TypeAlias = NDArray[np.uint8]
"""Packed rows, uint8 [n, 8 * words]: whole 64-bit words, zero where there are no more bits."""

_u64 = np.uint64
_ONES = _u64(0x0101010101010101)
_HIGHS = _u64(0x8080808080808080)


def _nth_of_bytes() -> NDArray[np.uint64]:
    """The place of the n-th bit that is set in a byte, at 8 * byte + n; 0, where there are not so many."""
    table = np.zeros((256, 8), np.uint64)
    for byte in range(256):
        places = [place for place in range(8) if byte >> place & 1]
        table[byte, : len(places)] = places
    return table.reshape(-1)


_NTH_OF_BYTES = _nth_of_bytes()


def width(count: int) -> int:
    """How many bytes a row of `count` bits has."""
    return 8 * -(-count // 64)


def unpack(packed: Packed, count: int) -> NDArray[np.uint8]:
    """The first `count` bits of each row, 0 or 1: uint8 [n, count]."""
    return np.unpackbits(packed, axis=1, count=count, bitorder="little")


def are_set(packed: Packed, places: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Whether the bit of each row is set that is at its place, 0 to 8 * width - 1: bool [n]."""
    rows = np.arange(len(packed))
    bytes_of_rows: Packed = packed[rows, places >> 3]
    return (bytes_of_rows >> (places & 7).astype(np.uint8) & 1).view(np.bool_)


def nth(packed: Packed, pick: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
    """The place of one of the bits that are set in each row: intp [n]; 0 for a row that has none.

    Args:
        packed: the rows.
        pick: which of them, as a part of their number, at least 0 and less than 1: float [n]. Uniform numbers make a
            uniform choice.
    """
    # It works on counts of bits word by word, and unpacks nothing: five times as fast as looking for the bits.
    words = np.ascontiguousarray(packed).view("<u8")
    counts = np.bitwise_count(words)
    ends = np.zeros((words.shape[1] + 1, len(words)), np.uint16)
    for word in range(words.shape[1]):
        np.add(ends[word], counts[:, word], out=ends[word + 1])
    rank = (pick * ends[-1]).astype(np.uint16)
    word_of_row = (ends[1:-1] <= rank).sum(axis=0, dtype=np.uint8).astype(np.intp)
    rows = np.arange(len(words))
    rank_in_word = (rank - ends[word_of_row, rows]).astype(np.uint64)
    place = 64 * word_of_row + _nth_of_words(words[rows, word_of_row], rank_in_word).astype(np.intp)
    return place * (ends[-1] > 0)


def _nth_of_words(words: NDArray[np.uint64], rank: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The place of the bit of each word that has `rank` set bits below it."""
    # The bytes of `sums` are how many bits are set up to and with each byte; those that are at most `rank` are passed.
    sums = np.bitwise_count(words.view(np.uint8)).view(np.uint64) * _ONES
    passed = np.bitwise_count((rank * _ONES | _HIGHS) - sums & _HIGHS).astype(np.uint64)
    place = passed * _u64(8)
    rank_in_byte = rank - (sums << _u64(8) >> place & _u64(255))
    byte = words >> place & _u64(255)
    return place + _NTH_OF_BYTES[byte * _u64(8) + rank_in_byte]
