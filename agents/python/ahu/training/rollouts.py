"""Rollouts: games that a net plays inside the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu.training.batch import Batch
from ahu.v1.environment_service_pb2 import Episode


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """The decisions of a rollout, of each environment in order.

    An array has the shape [steps, n, ...], with the environments 0 to n - 1. It is a view of memory that has the steps of an
    environment one after the other: row `env * steps + step` of `batch`.

    Attributes:
        batch: the decisions as a batch of n * steps rows, with observations in the format of the environments.
        last: the batch after the last decision, as `VectorEnv.step` would return it.
        actions: the actions, by id: int64.
        log_probabilities: the natural logarithms of the probabilities with which the net drew the actions: float32.
        values: the value of each position for the seat that has to decide, by the net: float32.
        starts: True where no learner has decided in the episode before: bool.
        last_values: the values of `last`: float32 [n].
        advice: the choices of the adviser of the net by id, int64; None if the net has no adviser.
        last_advice: its choices in `last`, int64 [n]; None as well.
        episodes: the episodes that ended, by environment and then in order.
        server_seconds: the time that the engine took, in seconds.
    """

    batch: Batch
    last: Batch
    actions: NDArray[np.int64]
    log_probabilities: NDArray[np.float32]
    values: NDArray[np.float32]
    starts: NDArray[np.bool_]
    last_values: NDArray[np.float32]
    advice: NDArray[np.int64] | None
    last_advice: NDArray[np.int64] | None
    episodes: list[Episode] = field(repr=False)
    server_seconds: float

    def __len__(self) -> int:
        return len(self.actions)

    def by_step(self, array: NDArray[Any]) -> NDArray[Any]:
        """Returns an array with a row for each decision, such as an attribute of `batch`, as a view [steps, n, ...]."""
        steps, count = self.actions.shape
        return array.reshape(count, steps, *array.shape[1:]).swapaxes(0, 1)

    @property
    def packed(self) -> NDArray[np.uint8]:
        """The packed bits of the observations: uint8 [steps, n, 8 * ceil(bit_count / 64)]."""
        return self.by_step(self.batch.observation.packed)

    @property
    def numbers(self) -> NDArray[np.int16]:
        """The numbers of the observations: int16 [steps, n, number_count]."""
        return self.by_step(self.batch.observation.numbers)

    @property
    def packed_masks(self) -> NDArray[np.uint8]:
        """The legal actions, packed: uint8 [steps, n, 8 * ceil(action_count / 64)]."""
        return self.by_step(self.batch.packed_masks)

    @property
    def seats(self) -> NDArray[np.uint8]:
        """The seat that decided: uint8 [steps, n]."""
        return self.by_step(self.batch.seats)

    @property
    def players(self) -> NDArray[np.uint8]:
        """The player who has that seat: uint8 [steps, n]."""
        return self.by_step(self.batch.players)

    @property
    def rewards(self) -> NDArray[np.float32]:
        """The rewards that followed the decision, by seat: float32 [steps, n, seats]."""
        return self.by_step(self.batch.rewards)

    @property
    def ended(self) -> NDArray[np.bool_]:
        """True where the decision ended its episode: bool [steps, n]."""
        return self.by_step(self.batch.ended)

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """True where `max_decisions` ended the episode: bool [steps, n]."""
        truncated = np.zeros(len(self.batch), np.bool_)
        # The rows and the episodes have the same order.
        truncated[np.flatnonzero(self.batch.ended)] = [episode.truncated for episode in self.episodes]
        return self.by_step(truncated)
