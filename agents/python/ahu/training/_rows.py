"""The rows of a batch: columns, one after the other in one block of memory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ahu import _native
from ahu.training import _bits as bits
from ahu.training._bits import Packed
from ahu.training._layout import Layout
from ahu.training._observation import ObsFormat

Out: TypeAlias = Mapping[str, NDArray[Any]]
"""Arrays of the caller for a batch, by the name of the attribute that they become (see `VectorEnv.step`)."""


@dataclass(frozen=True)
class Column:
    """A column of rows: the name, the type of the values, and the shape of a row's values."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def row_bytes(self) -> int:
        """The bytes of a row."""
        return self.dtype.itemsize * math.prod(self.shape)


@dataclass(frozen=True)
class BatchSpec:
    """The sizes and formats of the batches of some environments.

    Attributes:
        layout: the layout of observations.
        obs_format: the format of observations that the trainer wants.
        action_count: the number of actions.
        seats: the number of seats.
        mask_dtype: the type of masks, bool or int8.
        cores: the cores that unpack rows.
    """

    layout: Layout
    obs_format: ObsFormat
    action_count: int
    seats: int
    mask_dtype: np.dtype[Any]
    cores: _native.Cores = field(default_factory=lambda: bits.ONE_CORE)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of rows, in the order in which the engine writes them."""
        return tuple(
            Column(name, np.dtype(dtype), shape)
            for name, dtype, shape in (
                ("bits", "u1", (self.layout.bit_bytes,)),
                ("masks", "u1", (bits.width(self.action_count),)),
                ("env_ids", "<u4", ()),
                ("rewards", "<f4", (self.seats,)),
                ("numbers", "<i2", (self.layout.number_count,)),
                ("seats", "u1", ()),
                ("players", "u1", ()),
                ("ended", "?", ()),
            )
        )

    def in_format(self, obs_format: ObsFormat, mask_dtype: np.dtype[Any]) -> BatchSpec:
        """Returns the same sizes with other formats."""
        return dataclasses.replace(self, obs_format=obs_format, mask_dtype=mask_dtype)

    @cached_property
    def places(self) -> dict[str, tuple[int, np.dtype[Any], tuple[int, ...]]]:
        """Each column by its name: the bytes of a row in all columns before it, the type, and the shape of a row."""
        places: dict[str, tuple[int, np.dtype[Any], tuple[int, ...]]] = {}
        before = 0
        for column in self.columns:
            places[column.name] = (before, column.dtype, column.shape)
            before += column.row_bytes
        return places

    @cached_property
    def widths(self) -> list[int]:
        """The bytes of a row in each column."""
        return [column.row_bytes for column in self.columns]

    @cached_property
    def row_bytes(self) -> int:
        """The bytes of a row in all columns."""
        return sum(self.widths)

    @cached_property
    def final_columns(self) -> tuple[Column, ...]:
        """The columns of final rows, in the order in which the engine has them."""
        rows = {column.name: column for column in self.columns}
        own = (Column("returns", np.dtype("<f4"), ()), Column("ranks", np.dtype("u1"), ()))
        return (*(rows[name] for name in ("env_ids", "seats", "players", "bits", "numbers")), *own)


_COLUMNS = frozenset(("bits", "masks", "env_ids", "rewards", "numbers", "seats", "players", "ended"))


class Rows:
    """Rows of a batch.

    Attributes:
        spec: the sizes and formats.
        memory: the columns, one after the other: uint8 [n * row_bytes].
        views: the columns that were asked for.
        unpacked_arrays: the arrays that were made of columns, by name.
        bits, masks, env_ids, rewards, numbers, seats, players, ended: the columns, as views of the memory: [n, ...].
    """

    bits: Packed
    masks: Packed
    env_ids: NDArray[np.uint32]
    rewards: NDArray[np.float32]
    numbers: NDArray[np.int16]
    seats: NDArray[np.uint8]
    players: NDArray[np.uint8]
    ended: NDArray[np.bool_]

    def __init__(self, spec: BatchSpec, count: int, memory: NDArray[np.uint8] | None = None) -> None:
        self.spec = spec
        self.memory = np.empty(count * spec.row_bytes, np.uint8) if memory is None else memory
        # With these, `_native.unheld` knows whether anybody else holds an array.
        self.views: list[NDArray[Any]] = []
        self.unpacked_arrays: dict[str, NDArray[Any]] = {}
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getattr__(self, name: str) -> NDArray[Any]:
        # Runs once for each column, which is an attribute from then on.
        place = self.spec.places.get(name) if name in _COLUMNS else None
        if place is None:
            raise AttributeError(name)
        before, dtype, shape = place
        view: NDArray[Any] = np.ndarray((self._count, *shape), dtype, self.memory, before * self._count)
        self.views.append(view)
        setattr(self, name, view)
        return view

    def unpacked(self, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Returns the memory for an array that is made of columns: the same memory each time."""
        array = self.unpacked_arrays.get(name)
        if array is None:
            array = self.unpacked_arrays[name] = np.empty(shape, dtype)
        return array

    def with_spec(self, spec: BatchSpec) -> Rows:
        """Returns the same rows, in the same memory, for other formats."""
        return Rows(spec, len(self), self.memory)

    def take(self, places: NDArray[np.integer[Any]]) -> Rows:
        """Returns a copy of some rows."""
        rows = Rows(self.spec, len(places))
        for column in self.spec.columns:
            getattr(rows, column.name)[...] = getattr(self, column.name)[places]
        return rows

    def put(self, places: slice | NDArray[np.integer[Any]], rows: Rows) -> None:
        """Replaces the rows at some places."""
        for column in self.spec.columns:
            getattr(self, column.name)[places] = getattr(rows, column.name)


@dataclass
class FinalRows:
    """The final rows of a batch, and its episodes.

    Attributes:
        columns: each of `BatchSpec.final_columns` by its name, as bytes: uint8 [m * row_bytes].
        episodes: a `RunResponse.Batch` with only the episodes, as bytes. Concatenated messages are one message with all
            their episodes.
    """

    spec: BatchSpec
    columns: dict[str, NDArray[np.uint8]]
    episodes: bytes = b""

    @classmethod
    def of(cls, spec: BatchSpec, columns: Iterable[NDArray[np.uint8]], episodes: bytes) -> FinalRows:
        """Returns the rows that have these columns, in the order of `BatchSpec.final_columns`."""
        names = (column.name for column in spec.final_columns)
        return cls(spec, dict(zip(names, columns, strict=True)), episodes)

    @classmethod
    def joined(cls, parts: list[FinalRows]) -> FinalRows:
        """Returns final rows one after the other."""
        columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns}
        return cls(parts[0].spec, columns, b"".join(part.episodes for part in parts))

    def __len__(self) -> int:
        return len(self.columns["seats"])

    def column(self, name: str) -> NDArray[Any]:
        """Returns a column as an array: [m, ...]."""
        [column] = [column for column in self.spec.final_columns if column.name == name]
        return self.columns[name].view(column.dtype).reshape(len(self), *column.shape)

    def take(self, places: NDArray[np.intp]) -> FinalRows:
        """Returns some of the rows, in the order of the places, with all episodes."""
        columns = {
            name: np.ascontiguousarray(values.reshape(len(self), -1)[places]).reshape(-1)
            for name, values in self.columns.items()
        }
        return FinalRows(self.spec, columns, self.episodes)
