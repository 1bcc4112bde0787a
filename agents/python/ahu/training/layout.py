"""The fields of an observation."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ahu.terms import word_of
from ahu.training import bits
from ahu.v1 import catalog_service_pb2 as catalog

BlockName = Literal["bits", "numbers"]
FieldKindName = Literal["flags", "one_hot", "thermometer", "binary", "numbers"]


@dataclass(frozen=True, kw_only=True)
class Field:
    """A named run of values of one block.

    Attributes:
        name: the name, unique in the layout.
        block: the block of the field, "bits" or "numbers".
        kind: the kind of the values. "flags": independent bits; "one_hot": at most one bit is set along `axis`;
            "thermometer": bit i is set if the value is greater than i; "binary": the binary digits of a whole number
            along `axis`, the lowest first; "numbers": whole numbers.
        shape: the sizes of the axes, the last varying fastest; () for a single value.
        axis: the axis of a one-hot, a thermometer, or a binary number.
        offset: the place of the first value in the block.
        min: the lowest value.
        max: the highest value.
        seat_relative: true if the first axis is seats: the viewer's own seat first (or the left neighbour, if `meaning`
            says so), then to the left. Absent seats are zero.
        meaning: the meaning, in words.
        values: the machine names of the entries along `values_axis`, such as "bid" and "pick"; if this is the axis of
            binary digits, the names of the numbers from 0; empty if the entries are seats, places, cards, or counts.
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
        """The number of values."""
        return math.prod(self.shape)

    @property
    def block_slice(self) -> slice:
        """The places of the values in the block."""
        return slice(self.offset, self.offset + self.size)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The places of the fields of an observation: the same for every seat, seat count, and option of a game.

    Attributes:
        bit_count: the number of bits.
        number_count: the number of numbers.
        fields: the fields by name, in the order of their offsets.
        hash: SHA-256 over the fields, 32 bytes. Keep it with a trained network, and refuse any other hash.
    """

    bit_count: int
    number_count: int
    fields: Mapping[str, Field]
    hash: bytes

    @classmethod
    def of(cls, message: catalog.Layout) -> Layout:
        """Returns the layout of a message."""
        fields = {field.name: _field(field) for field in message.fields}
        return cls(bit_count=message.bit_count, number_count=message.number_count, fields=fields, hash=message.hash)

    def __repr__(self) -> str:
        counts = f"fields={len(self.fields)}, bit_count={self.bit_count}, number_count={self.number_count}"
        return f"Layout({counts}, hash={self.hash.hex()[:16]}...)"

    @property
    def size(self) -> int:
        """The number of values of an observation: the bits, then the numbers."""
        return self.bit_count + self.number_count

    @property
    def bit_bytes(self) -> int:
        """The number of bytes of the bits of a row: whole 64-bit words."""
        return bits.width(self.bit_count)

    def central(self, seats: int) -> Layout:
        """Returns the layout of central observations (see `VectorEnv.central`): the fields of this layout for each seat, from
        the seat that has to decide to the left. "+0.hand" is the field "hand" as that seat sees it, "+1.hand" as its left
        neighbour sees it, and so on. The hash is SHA-256 over "central", the number of seats, and the hash of this layout."""
        fields = {
            name: replace(
                field,
                name=name,
                offset=field.offset + place * (self.bit_count if field.block == "bits" else self.number_count),
                meaning=f"{field.meaning} As seat {place} to the left of the seat that has to decide sees it.",
            )
            for block in ("bits", "numbers")
            for place in range(seats)
            for field in self.fields.values()
            if field.block == block
            for name in (f"+{place}.{field.name}",)
        }
        digest = hashlib.sha256(f"central {seats} {self.hash.hex()}".encode()).digest()
        bit_count, number_count = seats * self.bit_count, seats * self.number_count
        return Layout(bit_count=bit_count, number_count=number_count, fields=fields, hash=digest)

    @cached_property
    def bounds(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """The lowest and the highest value of each number, each int16 [number_count]."""
        low, high = np.zeros((2, self.number_count), np.int16)
        for field in self.fields.values():
            if field.block == "numbers":
                low[field.block_slice], high[field.block_slice] = field.min, field.max
        return low, high

    @cached_property
    def scales(self) -> NDArray[np.float32]:
        """The divisor of each number in the format `flat`, which scales it to [-1, 1]: float32 [number_count]."""
        low, high = (np.abs(bound.astype(np.float32)) for bound in self.bounds)
        return np.maximum(np.maximum(low, high), np.float32(1))


def _field(message: catalog.LayoutField) -> Field:
    return Field(
        name=message.name,
        block=cast(BlockName, catalog.TensorBlock.Name(message.block).removeprefix("TENSOR_BLOCK_").lower()),
        kind=cast(FieldKindName, word_of(catalog.LayoutFieldKind, message.kind, "LAYOUT_FIELD_KIND_")),
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
