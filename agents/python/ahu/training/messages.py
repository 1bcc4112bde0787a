"""The requests of a stream, made of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu.training.mask_cache import Rows
from ahu.v1.environment_service_pb2 import RunRequest


def step(group: int, rows: Rows, actions: NDArray[np.integer[Any]]) -> RunRequest:
    """Takes an action in each of these environments of a group, or in all of it."""
    ids = actions.astype("<u2").tobytes()
    return RunRequest(step=RunRequest.Step(group=group, env_ids=_env_ids(rows), actions=ids))


def reset(group: int, rows: Rows, seeds: NDArray[np.uint64] | None) -> RunRequest:
    """Begins episodes in these environments of a group, or in all of it. No seeds: each goes on to its next."""
    new = b"" if seeds is None else seeds.astype("<u8").tobytes()
    return RunRequest(reset=RunRequest.Reset(group=group, env_ids=_env_ids(rows), seeds=new))


def _env_ids(rows: Rows) -> bytes:
    return b"" if isinstance(rows, slice) else rows.astype("<u4").tobytes()
