"""Decisions as a file of Parquet, for imitation and offline learning by any library."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu.training import _bits as bits
from ahu.training._observation import Observation
from ahu.training._rollouts import Rollout
from ahu.training._trajectory import Trajectory

_TOGETHER = 1_024
"""The number of trajectories in a row group."""


def write(source: Iterable[Trajectory] | Rollout, path: str | os.PathLike[str]) -> int:
    """Writes decisions to a file, and returns the number of rows. A file that is cut off has another name.

    Raises:
        ModuleNotFoundError: pyarrow is missing.
        ValueError: there are no decisions, or they are of several games.
    """
    try:
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError('to_parquet needs pyarrow: pip install "ahu[parquet]"', name="pyarrow") from error
    partial, writer, count = f"{os.fspath(path)}.new", None, 0
    try:
        for observation, columns in _of_rollout(source) if isinstance(source, Rollout) else _of_trajectories(source):
            table = _table(arrow, observation, columns)
            writer = writer or parquet.ParquetWriter(partial, table.schema, compression="zstd")
            writer.write_table(table)
            count += len(table)
        if writer is None:
            raise ValueError("expected at least one decision, got none")
        writer.close()
        os.replace(partial, path)
    finally:
        if writer is not None:
            writer.close()
            Path(partial).unlink(missing_ok=True)
    return count


def _table(arrow: Any, observation: Observation, columns: Mapping[str, NDArray[Any]]) -> Any:
    """Returns rows as a table of pyarrow."""
    arrays = {name: arrow.array(values) for name, values in columns.items() if values.ndim == 1}
    lists = {name: values for name, values in columns.items() if values.ndim == 2 and name != "legal"}
    lists["numbers"] = observation.numbers
    for name, values in lists.items():
        # The same lengths in all rows, so that a reader gets an array without a copy.
        arrays[name] = arrow.FixedSizeListArray.from_arrays(arrow.array(values.ravel()), values.shape[1])
    for name, values in (("bits", observation.packed), ("legal", columns["legal"])):
        content = arrow.py_buffer(np.ascontiguousarray(values))
        arrays[name] = arrow.FixedSizeBinaryArray.from_buffers(
            arrow.binary(values.shape[1]), len(values), [None, content]
        )
    return arrow.table(arrays).replace_schema_metadata(_facts(observation, columns["legal"].shape[1]))


def _facts(observation: Observation, legal: int) -> dict[str, str]:
    """Returns the layout for readers: its hash, and where each field is."""
    layout = observation.layout
    fields = {
        name: {"block": one.block, "kind": one.kind, "offset": one.offset, "shape": list(one.shape)}
        for name, one in layout.fields.items()
    }
    return {
        "ahu.layout_hash": layout.hash.hex(),
        "ahu.bit_count": str(layout.bit_count),
        "ahu.legal_bytes": str(legal),
        "ahu.fields": json.dumps(fields),
    }


def _of_trajectories(source: Iterable[Trajectory]) -> Iterator[tuple[Observation, Mapping[str, NDArray[Any]]]]:
    given, number, game = iter(source), 0, None
    while group := list(islice(given, _TOGETHER)):
        game = game or group[0].game
        if other := next((one.game for one in group if one.game != game), None):
            raise ValueError(f"expected decisions of one game, {game}, got some of {other}: write a file for each game")
        lengths = [len(one) for one in group]
        parts = [one.observation for one in group]
        observation = Observation(
            parts[0].layout,
            "packed",
            np.concatenate([part.packed for part in parts]),
            np.concatenate([part.numbers for part in parts]),
        )

        def each(values: list[Any], kind: Any, lengths: list[int] = lengths) -> NDArray[Any]:
            return np.repeat(np.array(values, kind), lengths)

        yield (
            observation,
            {
                "trajectory": each(list(range(number, number + len(group))), np.int64),
                "seed": each([one.seed for one in group], np.uint64),
                "seat": each([one.seat for one in group], np.uint8),
                "player": each([one.player for one in group], object),
                "legal": _packed(np.concatenate([one.masks for one in group])),
                "action": np.concatenate([one.actions for one in group]).astype(np.int32),
                "reward": np.concatenate([one.rewards for one in group]),
                "score": each([np.nan if one.score is None else one.score for one in group], np.float32),
                "rank": each([0 if one.rank is None else one.rank for one in group], np.uint8),
            },
        )
        number += len(group)


def _packed(masks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Returns masks packed as `Batch.packed_masks` has them, uint8 [n, 8 * ceil(A / 64)]."""
    packed = np.packbits(masks, axis=1, bitorder="little")
    return np.pad(packed, ((0, 0), (0, bits.width(masks.shape[1]) - packed.shape[1])))


def _of_rollout(rollout: Rollout) -> Iterator[tuple[Observation, Mapping[str, NDArray[Any]]]]:
    steps, count = rollout.actions.shape
    batch = rollout.batch

    def by_row(array: NDArray[Any]) -> NDArray[Any]:
        """Returns an array [steps, n] in the order of the rows."""
        return np.ascontiguousarray(array.swapaxes(0, 1)).reshape(steps * count)

    yield (
        batch.observation,
        {
            "environment": np.repeat(np.arange(count, dtype=np.int32), steps),
            "seat": np.array(batch.seats),
            "legal": np.array(batch.packed_masks),
            "action": by_row(rollout.actions).astype(np.int32),
            "log_probability": by_row(rollout.log_probabilities),
            "value": by_row(rollout.values),
            "rewards": np.array(batch.rewards),
            "ended": np.array(batch.ended),
        },
    )
