"""The fields of an observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ahu.training import bits
from ahu.v1 import catalog_service_pb2 as catalog

BlockName = Literal["bits", "numbers"]
FieldKindName = Literal["flags", "one_hot", "thermometer", "binary", "numbers"]


@dataclass(frozen=True)
class Field:
    """A named run of values of one block.

    Attributes:
        name: its name, unique in the layout.
        block: where it lies, "bits" or "numbers".
        kind: how its values are to be read: "flags" say yes or no each, "one_hot" has at most one set along `axis`,
            "thermometer" has value i set where what it counts is more than i, "binary" has the binary digits of a whole
            number along `axis`, the lowest first, "numbers" are whole numbers.
        shape: its axes, the last running fastest; () for a single value.
        axis: the axis of a one-hot, a thermometer, or a binary number.
        offset: the place of its first value in its block.
        min: the lowest value.
        max: the highest value.
        seat_relative: whether the first axis is seats: the own first (or the left neighbour, where `meaning` says so),
            then to the left. Absent seats are zero.
        meaning: what it tells.
        values: the machine names of the entries along `values_axis`, such as "bid" and "pick"; if that is the axis of
            binary digits, the names of the numbers from 0; empty where the entries are seats, places, cards, or counts.
        values_axis: the axis whose entries `values` names.
    """

    name: str
    block: BlockName
    kind: FieldKindName
    shape: tuple[int, ...]
    axis: int
    offset: int
    min: int
    max: int
    seat_relative: bool
    meaning: str
    values: tuple[str, ...]
    values_axis: int

    @property
    def size(self) -> int:
        """The number of its values."""
        return math.prod(self.shape)

    @property
    def block_slice(self) -> slice:
        """The places of its values in its block."""
        return slice(self.offset, self.offset + self.size)


@dataclass(frozen=True)
class Layout:
    """The places of the fields of an observation: the same for every seat, seat count, and option of a game.

    Attributes:
        bit_count: how many bits there are.
        number_count: how many numbers there are.
        fields: the fields by name, in the order in which they lie.
        hash: SHA-256 over the fields, 32 bytes. Keep it with a trained network, and refuse another.
    """

    bit_count: int
    number_count: int
    fields: Mapping[str, Field]
    hash: bytes

    @classmethod
    def of(cls, message: catalog.Layout) -> Layout:
        """Returns the layout of a message."""
        fields = {field.name: _field(field) for field in message.fields}
        return cls(message.bit_count, message.number_count, fields, message.hash)

    @property
    def size(self) -> int:
        """The number of values of an observation: the bits, then the numbers."""
        return self.bit_count + self.number_count

    @property
    def bit_bytes(self) -> int:
        """The number of bytes of the bits of a row: whole 64-bit words."""
        return bits.width(self.bit_count)

    @cached_property
    def bounds(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """The lowest and the highest value of each number: int16 [number_count] both."""
        low, high = np.zeros((2, self.number_count), np.int16)
        for field in self.fields.values():
            if field.block == "numbers":
                low[field.block_slice], high[field.block_slice] = field.min, field.max
        return low, high

    @cached_property
    def scales(self) -> NDArray[np.float32]:
        """By what each number is divided in the format `flat`, to lie in [-1, 1]: float32 [number_count]."""
        low, high = (np.abs(bound.astype(np.float32)) for bound in self.bounds)
        return np.maximum(np.maximum(low, high), np.float32(1))


def _field(message: catalog.Field) -> Field:
    return Field(
        name=message.name,
        block=cast(BlockName, catalog.Block.Name(message.block).removeprefix("BLOCK_").lower()),
        kind=cast(FieldKindName, catalog.FieldKind.Name(message.kind).removeprefix("FIELD_KIND_").lower()),
        shape=tuple(message.shape),
        axis=message.axis,
        offset=message.offset,
        min=message.min,
        max=message.max,
        seat_relative=message.seat_relative,
        meaning=message.meaning,
        values=tuple(message.values),
        values_axis=message.values_axis,
    )
