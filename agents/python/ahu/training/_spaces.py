"""Observations and masks as spaces of Gymnasium, which PettingZoo also uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ahu.training._layout import Layout
from ahu.training._observation import Observation, ObsFormat

Values: TypeAlias = Any
"""A value of a space, of one row or of several: an array, or arrays by name, which may be nested."""


def masked(layout: Layout, obs_format: ObsFormat, action_count: int) -> spaces.Dict:
    """Returns the space of {"observation", "action_mask"}: the observation in its format, int8 [action_count] of 0 and 1."""
    mask = spaces.Box(0, 1, (action_count,), np.int8)
    return spaces.Dict({"observation": _observations(layout, obs_format), "action_mask": mask})


def values(observation: Observation) -> Values:
    """Returns observations as values of the space."""
    return observation.array if observation.obs_format == "flat" else dict(observation)


def row(values: Values, place: int) -> Values:
    """Returns one of several observations."""
    if isinstance(values, dict):
        parts = cast(dict[str, Values], values)
        return {name: row(part, place) for name, part in parts.items()}
    return values[place]


def zeros(space: spaces.Space[Any], *rows: int) -> Values:
    """Returns a value of the space with all zeros; with `count`, for this many rows."""
    if isinstance(space, spaces.Dict):
        parts = cast(Mapping[str, spaces.Space[Any]], space)
        return {name: zeros(part, *rows) for name, part in parts.items()}
    return np.zeros((*rows, *(space.shape or ())), space.dtype)


def updated(values: Values, rows: NDArray[np.integer[Any]], new: Values) -> Values:
    """Returns a copy of observations with some rows replaced."""
    if isinstance(values, dict):
        parts = cast(dict[str, Values], values)
        return {name: updated(part, rows, new[name]) for name, part in parts.items()}
    values = values.copy()
    values[rows] = new
    return values


def _observations(layout: Layout, obs_format: ObsFormat) -> spaces.Space[Any]:
    if obs_format == "flat":
        return spaces.Box(-1, 1, (layout.size,), np.float32)
    low, high = layout.bounds
    packed = spaces.Box(0, 255, (layout.bit_bytes,), np.uint8)
    bits = packed if obs_format == "packed" else spaces.Box(0, 1, (layout.bit_count,), np.uint8)
    return spaces.Dict({"bits": bits, "numbers": spaces.Box(low, high, dtype=np.int16)})
