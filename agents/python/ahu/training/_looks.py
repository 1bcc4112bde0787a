"""Looks at the rows of environments, which change nothing: a bot's advice, and central observations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu import _native
from ahu.training._engine import Call
from ahu.training._layout import Layout
from ahu.training._observation import Observation, ObsFormat
from ahu.v1.environment_service_pb2 import RunRequest, RunResponse


class Advice:
    """The advice of a bot for the rows of environments (see `VectorEnv.advise`).

    A search has figures for each legal action. They are 0 for actions that are not legal or were not tried, in rows with a
    single legal action, and for a bot that is no search.

    Attributes:
        env_ids: the environment of each row: uint32 [n].
        choices: the action that the bot would choose: int64 [n]; 0 in a row that shows the end of an episode.
    """

    def __init__(self, env_ids: NDArray[np.uint32], action_count: int, parts: Sequence[RunResponse.Advice]) -> None:
        self.env_ids = env_ids
        self.choices: NDArray[np.int64] = _joined(parts, "choices", "<u2").astype(np.int64)
        self._parts = parts
        self._action_count = action_count

    def __len__(self) -> int:
        return len(self.choices)

    def __repr__(self) -> str:
        return f"Advice(rows={len(self)})"

    @cached_property
    def visits(self) -> NDArray[np.uint32]:
        """The playouts of each action: uint32 [n, action_count]."""
        return self._by_action("visits", "<u4")

    @cached_property
    def means(self) -> NDArray[np.float32]:
        """The mean utility of each action for the seat that decides, float32 [n, action_count] from 0 to 1: the lead over the
        best other seat, squashed, where 0.5 is no lead."""
        return self._by_action("means", "<f4")

    @cached_property
    def standard_errors(self) -> NDArray[np.float32]:
        """The standard error of each mean: float32 [n, action_count]; 0 with fewer than two playouts."""
        return self._by_action("standard_errors", "<f4")

    @cached_property
    def _places(self) -> tuple[NDArray[np.intp], NDArray[np.uint16]]:
        """The row and the action of each figure."""
        counts = _joined(self._parts, "counts", "<u2")
        return np.repeat(np.arange(len(self)), counts), _joined(self._parts, "action_ids", "<u2")

    def _by_action(self, name: str, dtype: str) -> NDArray[Any]:
        values = np.zeros((len(self), self._action_count), dtype)
        values[self._places] = _joined(self._parts, name, dtype)
        return values


def look_request(call: Call, bot: str | None) -> RunRequest.Look:
    """Returns the request to look at the environments of a call, without these: for the advice of a bot; None: for central
    observations."""
    if bot is None:
        return RunRequest.Look(central=RunRequest.Central())
    return RunRequest.Look(advice=bot)


def central_observation(
    layout: Layout,
    obs_format: ObsFormat,
    parts: Sequence[RunResponse.CentralObservations],
    cores: _native.Cores,
) -> Observation:
    """Returns the central observations of rows."""
    packed = _joined(parts, "bits", "u1").reshape(-1, layout.bit_bytes)
    numbers = _joined(parts, "numbers", "<i2").reshape(len(packed), layout.number_count)
    return Observation(layout, obs_format, packed, numbers, cores=cores)


def _joined(parts: Sequence[Any], name: str, dtype: str) -> NDArray[Any]:
    """Returns a column of several answers as one writable array."""
    return np.frombuffer(bytearray().join(getattr(part, name) for part in parts), dtype)
