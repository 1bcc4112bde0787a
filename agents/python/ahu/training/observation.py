"""Observations of many environments, in the format that the trainer wants."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ahu.training import bits
from ahu.training.layout import Layout

ObsFormat = Literal["split", "flat", "packed"]
"""A format of observations: see `Observation`."""

OBS_FORMATS: tuple[ObsFormat, ...] = get_args(ObsFormat)


class Observation:
    """Observations, one a row. What is not looked at is not unpacked.

    `observation["bits"]` and `observation["numbers"]` are its two blocks, and `dict(observation)` is both:

    * format "split": uint8 [n, bit_count] of 0 and 1, and int16 [n, number_count].
    * format "flat": float32 [n, bit_count] of 0 and 1, and float32 [n, number_count], each number divided by the
      greatest amount that its field may have, so that it lies in [-1, 1]. Both are views of `array`.
    * format "packed": uint8 [n, 8 * ceil(bit_count / 64)], where bit i of a row is bit i % 8, the lowest being 0, of
      byte i / 8, and int16 [n, number_count]. Nothing is copied.

    `observation["hand"]` is a field of the layout, [n, *shape], as a view of its block; not in the format "packed".

    Attributes:
        layout: what they are made of.
        obs_format: the format.
        packed: the bits as they travel, whatever the format: uint8 [n, 8 * ceil(bit_count / 64)].
        numbers: the numbers as they travel: int16 [n, number_count].

    Where they are views of what the server sent, arrays are read-only.
    """

    def __init__(self, layout: Layout, obs_format: ObsFormat, packed: bits.Packed, numbers: NDArray[np.int16]) -> None:
        self.layout = layout
        self.obs_format = obs_format
        self.packed = packed
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.packed)

    def __repr__(self) -> str:
        return f"Observation(obs_format={self.obs_format!r}, rows={len(self)})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.array, dtype=dtype, copy=copy)

    def keys(self) -> Iterator[str]:
        """The blocks: "bits" and "numbers"."""
        return iter(("bits", "numbers"))

    def __iter__(self) -> Iterator[str]:
        return self.keys()

    def __contains__(self, name: object) -> bool:
        return name in self.keys() or (self.obs_format != "packed" and name in self.layout.fields)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name == "bits":
            return self._bits
        if name == "numbers":
            return self._scaled[:, self.layout.bit_count :] if self.obs_format == "flat" else self.numbers
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
        return self._scaled

    @cached_property
    def _bits(self) -> NDArray[Any]:
        if self.obs_format == "packed":
            return self.packed
        if self.obs_format == "flat":
            return self._scaled[:, : self.layout.bit_count]
        return bits.unpack(self.packed, self.layout.bit_count)

    @cached_property
    def _scaled(self) -> NDArray[np.float32]:
        values = np.empty((len(self), self.layout.size), np.float32)
        values[:, : self.layout.bit_count] = bits.unpack(self.packed, self.layout.bit_count)
        np.divide(self.numbers, self.layout.scales, out=values[:, self.layout.bit_count :])
        return values
