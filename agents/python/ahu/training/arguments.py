"""The arguments of a `VectorEnv`: their checks, and the errors of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ahu import errors
from ahu._seeds import checked_seed
from ahu.training.open_request import Player

EnvIds: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]
Seeds: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]

_INT64 = np.dtype(np.int64)


def checked_env_ids(env_ids: EnvIds, count: int) -> NDArray[np.uint32]:
    """Returns the numbers of environments, of which there are `count`.

    Raises:
        TypeError: the numbers are not integers.
        ValueError: the numbers do not rise, or there are no such environments.
    """
    numbers = _integers("env_ids", env_ids).astype(np.int64)
    if numbers.ndim != 1 or len(numbers) == 0 or (np.diff(numbers) <= 0).any():
        raise ValueError(f"expected env_ids in rising order, one or more, got {numbers}")
    if numbers[0] < 0 or numbers[-1] >= count:
        raise ValueError(f"expected env_ids from 0 to {count - 1}, got {numbers[0]} to {numbers[-1]}")
    return numbers.astype(np.uint32)


def checked_actions(actions: ArrayLike, count: int) -> NDArray[np.int64]:
    """Returns actions for `count` environments, one after the other."""
    if (
        type(actions) is np.ndarray
        and actions.dtype is _INT64
        and actions.shape == (count,)
        and actions.flags.c_contiguous
    ):
        # The usual case, which needs no conversion.
        return actions
    ids = _integers("actions", actions)
    if ids.shape != (count,):
        raise ValueError(f"expected actions of shape ({count},), one for each environment, got {ids.shape}")
    if ids.dtype == np.uint64:
        # An invalid action stays invalid.
        ids = np.minimum(ids, np.uint64(2**63 - 1))
    return np.ascontiguousarray(ids, np.int64)


def _integers(name: str, values: ArrayLike) -> NDArray[np.integer[Any]]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise TypeError(f"expected {name} as integers, got {array.dtype}")
    return array


def new_seeds(seed: int | None, seeds: Seeds | None, numbers: NDArray[np.integer[Any]]) -> NDArray[np.uint64] | None:
    """Returns the new seeds of environments; None if they keep their seeds."""
    if seed is not None:
        return np.uint64(checked_seed(seed)) + numbers.astype(np.uint64)
    if seeds is None:
        return None
    # Otherwise numpy would convert numbers of this size to floats.
    whole = seeds.tolist() if isinstance(seeds, np.ndarray) else seeds
    new = np.array([checked_seed(seed) for seed in whole], np.uint64)
    if len(new) != len(numbers):
        raise ValueError(f"expected {len(numbers)} seeds, one for each environment, got {len(new)}")
    return new


def snapshots(players: Sequence[Player]) -> list[tuple[Mapping[str, Any], dict[str, Any]]]:
    """Returns each mapping among the players with a copy."""
    mappings = [cast(Mapping[str, Any], player) for player in players if isinstance(player, Mapping)]
    return [(mapping, dict(mapping)) for mapping in mappings]


def check_unchanged(taken: list[tuple[Mapping[str, Any], dict[str, Any]]]) -> None:
    """Checks that the mappings of players are as they were.

    Raises:
        RuntimeError: the caller has changed one.
    """
    for mapping, before in taken:
        # Players are compared by identity: their own comparison may be anything.
        for name in mapping.keys() | before.keys():
            new, old = mapping.get(name), before.get(name)
            if new is not old and (callable(new) or callable(old) or new != old):
                raise RuntimeError(
                    f"the entry {name!r} of the mapping in players has changed, which changes no player: call set_players"
                )


def no_episode(environment: int) -> errors.ServiceError:
    message = f"environment {environment} has no episode under way: reset it first"
    return errors.of_reason(message, reason="NO_EPISODE", metadata={"environment": str(environment)})


def illegal_action(environment: int, action_id: int, legal_ids: Sequence[int]) -> errors.ServiceError:
    legal = errors.ranges(legal_ids)
    message = f"environment {environment}: action {action_id} is not legal; legal ids: {legal}"
    metadata = {"environment": str(environment), "action_id": str(action_id), "legal": legal}
    return errors.of_reason(message, reason="ILLEGAL_ACTION", metadata=metadata)
