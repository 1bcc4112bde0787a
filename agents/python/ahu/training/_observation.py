"""Observations of many environments, in the format that the trainer wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ahu import _native
from ahu.training import _bits as bits
from ahu.training._layout import Layout

ObsFormat = Literal["split", "flat", "packed"]
"""A format of observations: see `Observation`."""

OBS_FORMATS: tuple[ObsFormat, ...] = get_args(ObsFormat)

Memory: TypeAlias = Callable[[str, tuple[int, ...], Any], NDArray[Any]]
"""A function that returns memory for an array by name, shape, and type."""


class Observation:
    """Observations, one a row. Arrays are unpacked on first use.

    `observation["bits"]` and `observation["numbers"]` are the two blocks, and `dict(observation)` is both:

    * format "split": uint8 [n, bit_count] of 0 and 1, and int16 [n, number_count].
    * format "flat": float32 [n, bit_count] of 0 and 1, and float32 [n, number_count], each number divided by the greatest
      amount of its field, so that it is in [-1, 1]. Both are views of `array`.
    * format "packed": uint8 [n, 8 * ceil(bit_count / 64)], where bit i of a row is bit i % 8 (the lowest is 0) of byte i
      / 8, and int16 [n, number_count]. These are no copies.

    `observation["hand"]` is a field of the layout, [n, *shape], as a view of its block; not in the format "packed".

    Attributes:
        layout: the layout.
        obs_format: the format.
        packed: the packed bits, in every format: uint8 [n, 8 * ceil(bit_count / 64)].
        numbers: the numbers as the engine writes them: int16 [n, number_count].
    """

    # Made on first access.
    _array: NDArray[np.float32] | None = None
    _split_bits: NDArray[np.uint8] | None = None

    def __init__(
        self,
        layout: Layout,
        obs_format: ObsFormat,
        packed: bits.Packed,
        numbers: NDArray[np.int16],
        memory: Memory | None = None,
        cores: _native.Cores = bits.ONE_CORE,
    ) -> None:
        self.layout = layout
        self.obs_format = obs_format
        self.packed = packed
        self.numbers = numbers
        self._memory = memory or _new
        self._cores = cores

    def __len__(self) -> int:
        return len(self.packed)

    def __repr__(self) -> str:
        return f"Observation(obs_format={self.obs_format!r}, rows={len(self)})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.array, dtype=dtype, copy=copy)

    def keys(self) -> Iterator[str]:
        """Returns the names of the blocks: "bits" and "numbers"."""
        return iter(("bits", "numbers"))

    def __iter__(self) -> Iterator[str]:
        return self.keys()

    def __contains__(self, name: object) -> bool:
        return name in list(self.keys()) or (self.obs_format != "packed" and name in self.layout.fields)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name == "bits":
            return self._bits
        if name == "numbers":
            return self.array[:, self.layout.bit_count :] if self.obs_format == "flat" else self.numbers
        field = self.layout.fields.get(name)
        if field is None:
            raise KeyError(f'the layout has no field "{name}", but: {", ".join(self.layout.fields)}')
        if self.obs_format == "packed":
            raise KeyError('the format "packed" has no named fields; "split" and "flat" have them')
        return self[field.block][:, field.block_slice].reshape(len(self), *field.shape)

    @property
    def array(self) -> NDArray[np.float32]:
        """The whole observation, the bits and then the numbers, float32 [n, bit_count + number_count] in [-1, 1].

        Raises:
            LookupError: the format is not "flat".
        """
        if self.obs_format != "flat":
            raise LookupError(
                f'only the format "flat" is one array; the format "{self.obs_format}" has "bits" and "numbers"'
            )
        if self._array is None:
            layout, count = self.layout, len(self.packed)
            self._array = self._memory("array", (count, layout.size), np.float32)
            packed, numbers = np.ascontiguousarray(self.packed), np.ascontiguousarray(self.numbers)
            _native.flatten(self._cores, packed, numbers, layout.scales, self._array)
        return self._array

    @property
    def _bits(self) -> NDArray[Any]:
        if self.obs_format == "packed":
            return self.packed
        if self.obs_format == "flat":
            return self.array[:, : self.layout.bit_count]
        if self._split_bits is None:
            count = self.layout.bit_count
            memory = self._memory("bits", (len(self.packed), count), np.uint8)
            self._split_bits = bits.unpack(self.packed, count, memory, self._cores)
        return self._split_bits


def _new(name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    return np.empty(shape, dtype)
