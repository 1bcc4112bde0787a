"""Observations of many States, as one batch."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ahu import _native
from ahu._native import State
from ahu.training import catalog
from ahu.training.batch import Batch, spec_of
from ahu.training.observation import ObsFormat
from ahu.training.open_request import one_of
from ahu.training.rows import BatchSpec, Rows


def observe(
    states: Sequence[State],
    seats: int | ArrayLike | None = None,
    *,
    obs_format: ObsFormat = "split",
    mask_dtype: DTypeLike = np.bool_,
    threads: int | None = None,
) -> Batch:
    """Returns what a seat of each State is shown, with its legal actions, as a batch with a row for each State.

        batch = ahu.observe(states, obs_format="flat")
        values = net(batch.observation.array)  # float32 [len(states), layout.size]

    A row has the bytes that an environment and a match show the seat in this position, so a policy for batches works here,
    too. `batch.env_ids` are the places in `states`, `batch.seats` and `batch.players` the seats, and `batch.ended` is True
    where the game is over. `batch.rewards`, float32 [n, seats] for the highest number of seats of the game, are 0. A State
    in which the seat owes no decision has an empty mask.

    Args:
        states: one State or more of the same game. Seat counts and options may differ.
        seats: the seat that is shown, as one number, or as integers [len(states)]; None: in each State, the first seat that
            has to decide, or seat 0 if nobody has to.
        obs_format: the format of observations, "split", "flat", or "packed": see `Observation`.
        mask_dtype: the type of masks, bool or int8.
        threads: the number of cores for long lists; None: all.

    Raises:
        ServiceError: a State has no such seat (`UNKNOWN_SEAT`).
        ValueError: there is no State, States are of different games, there is not one seat for each State, there is no such
            format, or `threads` is 0.
        TypeError: `states` has something else than States, or seats are not integers.
    """
    # Types are not checked when the code runs.
    if isinstance(states, State):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("expected a sequence of States, got a State: give [state]")
    count = len(states)
    if count == 0:
        raise ValueError("expected 1 State or more, got 0")
    if not isinstance(states[0], State):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected States, got {type(states[0]).__name__}")
    spec = _spec(states[0].game, obs_format, np.dtype(mask_dtype))
    if count >= _SHARED_FROM:
        spec = dataclasses.replace(spec, cores=_native.Cores(threads))
    rows = Rows(spec, count)
    _native.observe(states, None if seats is None else _shown(seats, count), rows.memory, threads)
    return Batch(rows)


_SHARED_FROM = 512
"""The number of States from which the arrays of a batch may take several cores."""


@functools.cache
def _spec(game: str, obs_format: ObsFormat, mask_dtype: np.dtype[Any]) -> BatchSpec:
    one_of("obs_format", obs_format, ObsFormat)
    if mask_dtype not in (np.dtype(np.bool_), np.dtype(np.int8)):
        raise ValueError(f"masks are bool or int8, not {mask_dtype}")
    return spec_of(catalog.known(game).layout.hash, obs_format, mask_dtype)


def _shown(seats: int | ArrayLike, count: int) -> NDArray[np.int64]:
    shown: NDArray[Any] = np.asarray(seats)
    if shown.dtype.kind not in "iu":
        raise TypeError(f"expected seats as integers, got {shown.dtype}")
    if shown.shape not in ((), (count,)):
        raise ValueError(f"expected one seat, or seats of shape {(count,)}, got {shown.shape}")
    return np.ascontiguousarray(np.broadcast_to(shown, (count,)), np.int64)
