"""What `on_illegal="terminate"` does: who does what is not legal has lost.

The rules know no such end, so the client brings it about: the episode is over, and the row says so as the autoreset
mode has it. Its seat has the lowest reward, -1, and the last place; all others share the places before it, so that the
rewards sum to zero. `final_steps` has a row for that seat alone, with the observation on which it decided, and
`episodes` has no entry, for the server has not played the episode to an end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu.training import messages
from ahu.training.batch import FINAL_COLUMNS, ROW_COLUMNS, Batch, BatchSpec, concatenate
from ahu.training.mask_cache import Rows
from ahu.training.open_request import Autoreset
from ahu.training.stream_session import BatchMessage, Exchange
from ahu.v1.environment_service_pb2 import RunRequest

Integers = NDArray[np.integer[Any]]


class IllegalActionForfeits:
    """The episodes that are ended by what is not legal.

    Args:
        spec: what is needed to read batches.
        count: how many environments there are.
        autoreset: what happens to an environment whose episode has ended.
    """

    def __init__(self, spec: BatchSpec, count: int, autoreset: Autoreset) -> None:
        self._spec = spec
        self._autoreset = autoreset
        self._seats = np.zeros(count, np.uint8)
        self._bits = np.zeros((count, spec.layout.bit_bytes), np.uint8)
        self._numbers = np.zeros((count, spec.layout.number_count), np.int16)
        self._over = np.zeros(count, np.bool_)

    def update(self, rows: Rows, message: BatchMessage) -> None:
        """Takes a batch in, the rows of which are these environments."""
        batch = Batch(self._spec, message)
        self._seats[rows] = batch.seats
        self._bits[rows] = batch.observation.packed
        self._numbers[rows] = batch.observation.numbers

    def reset(self, rows: Rows) -> None:
        """Environments were reset."""
        self._over[rows] = False

    def step_exchange(self, group: int, env_ids: Integers, actions: Integers, illegal: NDArray[np.intp]) -> Exchange:
        """Takes an action in each of these environments; those at the places `illegal` are forfeited."""
        over = self._over[env_ids]
        goes_on = ~over
        goes_on[illegal] = False
        forfeited, renewed = env_ids[illegal], env_ids[over]
        begun = forfeited if self._autoreset == "same_step" else renewed
        requests: list[RunRequest] = []
        if goes_on.any():
            requests.append(messages.step(group, env_ids[goes_on], actions[goes_on]))
        if len(begun):
            requests.append(messages.reset(group, begun, None))

        def merge(batches: list[BatchMessage]) -> BatchMessage:
            if len(begun):
                batches[-1].ClearField("seeds")
            if len(forfeited):
                end = self._final_rows(group, forfeited)
                if self._autoreset == "same_step":
                    _overlay(batches[-1], end)
                else:
                    batches.append(end)
                    self._over[forfeited] = True
            self._over[renewed] = False
            return _in_order(concatenate(batches))

        return Exchange(group, env_ids, requests, merge)

    def _final_rows(self, group: int, forfeited: Integers) -> BatchMessage:
        """Rows that show the end of these environments."""
        count, seat_count = len(forfeited), self._spec.seat_count
        seats = self._seats[forfeited]
        rewards = np.full((count, seat_count), 1 / (seat_count - 1), "<f4")
        rewards[np.arange(count), seats] = -1
        end = BatchMessage(
            group=group,
            row_count=count,
            env_ids=forfeited.astype("<u4").tobytes(),
            seats=seats.tobytes(),
            bits=self._bits[forfeited].tobytes(),
            numbers=self._numbers[forfeited].astype("<i2").tobytes(),
            masks=bytes(count * self._spec.mask_bytes),
            rewards=rewards.tobytes(),
            ended=bytes([1] * count),
            final_row_count=count,
            final_returns=np.full(count, -1, "<f4").tobytes(),
            final_ranks=bytes([seat_count] * count),
        )
        for name in ("env_ids", "seats", "bits", "numbers"):
            setattr(end, f"final_{name}", getattr(end, name))
        return end


def _overlay(begun: BatchMessage, end: BatchMessage) -> None:
    """Puts the end of an episode into the rows with which the next has begun."""
    begun.final_row_count = end.final_row_count
    for name in ("rewards", "ended", *FINAL_COLUMNS):
        setattr(begun, name, getattr(end, name))


def _in_order(batch: BatchMessage) -> BatchMessage:
    """The rows and the final rows by rising environment."""
    _sort(batch, ROW_COLUMNS, batch.env_ids)
    _sort(batch, FINAL_COLUMNS, batch.final_env_ids)
    return batch


def _sort(batch: BatchMessage, columns: tuple[str, ...], env_ids: bytes) -> None:
    order = np.argsort(np.frombuffer(env_ids, "<u4"), kind="stable")
    for name in columns:
        if values := getattr(batch, name):
            setattr(batch, name, np.frombuffer(values, np.uint8).reshape(len(order), -1)[order].tobytes())
