"""The last action masks of the environments of a stream."""

from __future__ import annotations

import operator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ahu.training import bits
from ahu.v1.environment_service_pb2 import RunResponse

Rows: TypeAlias = slice | NDArray[np.integer[Any]]
"""Some environments: a whole group, or their numbers."""

_u64 = np.uint64


class MaskCache:
    """The last mask of each environment, and the generator of the client's own random actions in it.

    Args:
        count: how many environments there are.
        action_count: how many actions there are.
        seed: the seed of environment 0; environment i has this one plus i.
    """

    def __init__(self, count: int, action_count: int, seed: int) -> None:
        # A byte more than there are actions, so that whatever is no action at all can be looked up too.
        self._masks = np.zeros((count, bits.width(action_count) + 1), np.uint8)
        self._begun = np.zeros(count, np.bool_)
        self._action_count = action_count
        self._rng_states = seeds_from(seed, np.arange(count))

    def update(self, rows: Rows, batch: RunResponse.Batch) -> None:
        """Takes a batch in, the rows of which are these environments."""
        self._masks[rows, :-1] = np.frombuffer(batch.masks, np.uint8).reshape(batch.row_count, -1)
        self._begun[rows] = True

    def seed(self, rows: Rows, seeds: NDArray[np.uint64]) -> None:
        """Seeds the generators of environments anew."""
        self._rng_states[rows] = seeds

    def find_illegal(self, rows: Rows, actions: NDArray[np.integer[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Which of these actions are not legal, and which answer no decision at all, by place: intp [m] both."""
        masks = self._masks[rows]
        # Negative ones are large as unsigned ones.
        places = np.minimum(actions.astype(np.uint64), _u64(self._action_count))
        not_legal = np.flatnonzero(~bits.are_set(masks, places))
        has_decision = masks[not_legal].any(axis=1)
        return not_legal[has_decision], not_legal[~has_decision]

    def have_begun(self, env_ids: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """In which of these environments an episode has ever begun: bool [m]."""
        return self._begun[env_ids]

    def masks(self) -> NDArray[np.bool_]:
        """What is legal in each environment: bool [count, action_count].

        Raises:
            LookupError: no episode has begun.
        """
        if not self._begun.any():
            raise LookupError("no episode has begun: reset first")
        return bits.unpack(self._masks[:, :-1], self._action_count).view(np.bool_)

    def legal_ids(self, environment: int) -> NDArray[np.intp]:
        """The legal actions of an environment, rising: intp [m]."""
        return np.flatnonzero(np.unpackbits(self._masks[environment], bitorder="little"))

    def random_legal(self, env_ids: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """A random legal action for each of these environments. Which one depends on the environment's seed and on how
        many it was asked for before, and on nothing else: intp [m]."""
        states = self._rng_states[env_ids] + _u64(0x9E3779B97F4A7C15)
        self._rng_states[env_ids] = states
        return bits.nth(self._masks[env_ids, :-1], (_mixed(states) >> _u64(11)) / 2.0**53)


def seeds_from(seed: int, env_ids: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    """The seeds of environments where environment 0 has this one: uint64 [n], modulo 2^64.

    Raises:
        TypeError: the seed is no integer.
    """
    return _u64(operator.index(seed) % 2**64) + env_ids.astype(np.uint64)


def _mixed(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The output of SplitMix64 of states."""
    states = (states ^ states >> _u64(30)) * _u64(0xBF58476D1CE4E5B9)
    states = (states ^ states >> _u64(27)) * _u64(0x94D049BB133111EB)
    return states ^ states >> _u64(31)
