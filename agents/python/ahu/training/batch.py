"""What the server answers: some environments of a group, a row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu.training import bits
from ahu.training.layout import Layout
from ahu.training.observation import Observation, ObsFormat
from ahu.v1.environment_service_pb2 import Episode, RunResponse


@dataclass(frozen=True)
class BatchSpec:
    """What is needed to read batches.

    Attributes:
        layout: what the observations are made of.
        obs_format: the format that is wanted of them.
        action_count: how many actions there are.
        seat_count: how many seats there are.
        mask_dtype: what masks are made of, bool or int8.
    """

    layout: Layout
    obs_format: ObsFormat
    action_count: int
    seat_count: int
    mask_dtype: np.dtype[Any]

    @property
    def mask_bytes(self) -> int:
        """How many bytes the mask of a row has: whole 64-bit words."""
        return bits.width(self.action_count)

    def observation(self, packed: bytes, numbers: bytes, count: int) -> Observation:
        """The observations of `count` rows."""
        return Observation(
            self.layout,
            self.obs_format,
            np.frombuffer(packed, np.uint8).reshape(count, self.layout.bit_bytes),
            np.frombuffer(numbers, "<i2").reshape(count, self.layout.number_count),
        )


class Batch:
    """Environments that were reset or stepped, one a row, each with the decision that it waits for.

    Every array is made when it is first looked at. Those that are views of what the server sent are read-only.
    """

    def __init__(self, spec: BatchSpec, message: RunResponse.Batch) -> None:
        self.message = message
        self._spec = spec

    def __len__(self) -> int:
        return self.message.row_count

    def __repr__(self) -> str:
        return f"Batch(group={self.group}, rows={len(self)}, ended={np.count_nonzero(self.ended)})"

    @property
    def group(self) -> int:
        """The group; of a batch that several groups make up, the first."""
        return self.message.group

    @cached_property
    def env_ids(self) -> NDArray[np.uint32]:
        """The environment of each row, counted over all groups from 0, rising: uint32 [n]."""
        return np.frombuffer(self.message.env_ids, "<u4")

    @cached_property
    def seats(self) -> NDArray[np.uint8]:
        """The seat that owes the decision: uint8 [n]. Where the row shows the end of an episode, the first seat that
        the client played."""
        return np.frombuffer(self.message.seats, np.uint8)

    @cached_property
    def observation(self) -> Observation:
        """What that seat knows."""
        return self._spec.observation(self.message.bits, self.message.numbers, len(self))

    @cached_property
    def packed_masks(self) -> bits.Packed:
        """What that seat may do, as it travels: uint8 [n, 8 * ceil(action_count / 64)], where bit i % 8, the lowest
        being 0, of byte i / 8 tells of action i."""
        return np.frombuffer(self.message.masks, np.uint8).reshape(len(self), self._spec.mask_bytes)

    @cached_property
    def masks(self) -> NDArray[Any]:
        """What that seat may do: bool (or int8, where that is asked for) [n, action_count]; nothing, where the row
        shows the end of an episode."""
        return bits.unpack(self.packed_masks, self._spec.action_count).view(self._spec.mask_dtype)

    @cached_property
    def rewards(self) -> NDArray[np.float32]:
        """What the request brought each seat, from seat 0 on: float32 [n, seat_count]. Zero, but where an episode
        ended."""
        return np.frombuffer(self.message.rewards, "<f4").reshape(len(self), self._spec.seat_count)

    @cached_property
    def ended(self) -> NDArray[np.bool_]:
        """Where the request ended an episode: bool [n]. No episode is ever cut off."""
        return np.frombuffer(self.message.ended, np.bool_)

    @cached_property
    def final_steps(self) -> FinalSteps | None:
        """How the episodes that ended ended for the seats that the client played; None, where none ended. Of an episode
        that `on_illegal="terminate"` has ended it tells of the seat alone that did what is not legal."""
        return FinalSteps(self._spec, self.message) if self.message.final_row_count else None

    @property
    def episodes(self) -> Sequence[Episode]:
        """The episodes that were played to their end, in the order of the rows: environment, seed, decision_count, and
        by seat bots, scores, ranks and returns. Those that `on_illegal="terminate"` has ended are not among them."""
        return self.message.episodes

    @cached_property
    def seeds(self) -> NDArray[np.uint64] | None:
        """After a reset the seeds of the episodes that began, uint64 [n]; else None. A match with this seed has the
        same chance outcomes."""
        return np.frombuffer(self.message.seeds, "<u8") if self.message.seeds else None

    @property
    def server_seconds(self) -> float:
        """How long the server worked on the request."""
        return self.message.server_nanoseconds / 1e9


class FinalSteps:
    """The final steps of episodes: a row for each seat that the client played, of each episode that ended, in the order
    of the environments and then of the seats."""

    def __init__(self, spec: BatchSpec, message: RunResponse.Batch) -> None:
        self._spec = spec
        self._message = message

    def __len__(self) -> int:
        return self._message.final_row_count

    def __repr__(self) -> str:
        return f"FinalSteps(rows={len(self)})"

    @cached_property
    def env_ids(self) -> NDArray[np.uint32]:
        """The environment: uint32 [n]."""
        return np.frombuffer(self._message.final_env_ids, "<u4")

    @cached_property
    def seats(self) -> NDArray[np.uint8]:
        """The seat: uint8 [n]."""
        return np.frombuffer(self._message.final_seats, np.uint8)

    @cached_property
    def observation(self) -> Observation:
        """What that seat knew last."""
        return self._spec.observation(self._message.final_bits, self._message.final_numbers, len(self))

    @cached_property
    def returns(self) -> NDArray[np.float32]:
        """What the episode was worth to that seat: float32 [n]."""
        return np.frombuffer(self._message.final_returns, "<f4")

    @cached_property
    def ranks(self) -> NDArray[np.uint8]:
        """The place of that seat, 1 the first, ties share: uint8 [n]."""
        return np.frombuffer(self._message.final_ranks, np.uint8)


ROW_COLUMNS = ("env_ids", "seats", "bits", "numbers", "masks", "rewards", "ended", "seeds")
"""The fields of a batch that have a value for each row."""

FINAL_COLUMNS = ("final_env_ids", "final_seats", "final_bits", "final_numbers", "final_returns", "final_ranks")
"""The fields of a batch that have a value for each final row."""


def concatenate(messages: Sequence[RunResponse.Batch]) -> RunResponse.Batch:
    """Batches as one, the rows of the first before those of the second."""
    if len(messages) == 1:
        return messages[0]
    return RunResponse.Batch(
        group=messages[0].group,
        row_count=sum(message.row_count for message in messages),
        final_row_count=sum(message.final_row_count for message in messages),
        episodes=[episode for message in messages for episode in message.episodes],
        server_nanoseconds=sum(message.server_nanoseconds for message in messages),
        **{name: b"".join(getattr(message, name) for message in messages) for name in (*ROW_COLUMNS, *FINAL_COLUMNS)},
    )
