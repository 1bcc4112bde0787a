"""What `on_illegal="terminate"` does: who does what is not legal has lost.

The rules know no such end, so the client brings it about: the episode is over, and the row says so as the autoreset
mode has it. Its seat has the lowest reward, -1, and the last place; all others share the places before it, so that the
rewards sum to zero. `ends` has a row for that seat alone, with the observation on which it decided, and `episodes` has
no entry, for the server has not played the episode to an end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu.training import requests
from ahu.training.batch import END_COLUMNS, ROW_COLUMNS, Batch, Reading, joined
from ahu.training.known import Rows
from ahu.training.opening import Autoreset
from ahu.training.session import BatchMessage, Exchange
from ahu.v1.environment_service_pb2 import RunRequest

Numbers = NDArray[np.integer[Any]]


class Forfeits:
    """The episodes that are ended by what is not legal.

    Args:
        reading: how batches are to be read.
        count: how many environments there are.
        autoreset: what happens to an environment whose episode has ended.
    """

    def __init__(self, reading: Reading, count: int, autoreset: Autoreset) -> None:
        self._reading = reading
        self._autoreset = autoreset
        self._seats = np.zeros(count, np.uint8)
        self._bits = np.zeros((count, reading.layout.bit_bytes), np.uint8)
        self._numbers = np.zeros((count, reading.layout.number_count), np.int16)
        self._over = np.zeros(count, np.bool_)

    def hear(self, rows: Rows, message: BatchMessage) -> None:
        """Takes a batch in, the rows of which are these environments."""
        batch = Batch(self._reading, message)
        self._seats[rows] = batch.seats
        self._bits[rows] = batch.observation.packed
        self._numbers[rows] = batch.observation.numbers

    def begin(self, rows: Rows) -> None:
        """Environments were reset."""
        self._over[rows] = False

    def stepping(self, group: int, numbers: Numbers, actions: Numbers, illegal: NDArray[np.intp]) -> Exchange:
        """Takes an action in each of these environments; those at the places `illegal` are forfeited."""
        over = self._over[numbers]
        goes_on = ~over
        goes_on[illegal] = False
        forfeited, renewed = numbers[illegal], numbers[over]
        begun = forfeited if self._autoreset == "same_step" else renewed
        asked: list[RunRequest] = []
        if goes_on.any():
            asked.append(requests.step(group, numbers[goes_on], actions[goes_on]))
        if len(begun):
            asked.append(requests.reset(group, begun, None))

        def merge(batches: list[BatchMessage]) -> BatchMessage:
            if len(begun):
                batches[-1].ClearField("seeds")
            if len(forfeited):
                end = self._end(group, forfeited)
                if self._autoreset == "same_step":
                    _overlay(batches[-1], end)
                else:
                    batches.append(end)
                    self._over[forfeited] = True
            self._over[renewed] = False
            return _in_order(joined(batches))

        return Exchange(group, numbers, asked, merge)

    def _end(self, group: int, forfeited: Numbers) -> BatchMessage:
        """Rows that show the end of these environments."""
        count, seat_count = len(forfeited), self._reading.seat_count
        seats = self._seats[forfeited]
        rewards = np.full((count, seat_count), 1 / (seat_count - 1), "<f4")
        rewards[np.arange(count), seats] = -1
        end = BatchMessage(
            group=group,
            row_count=count,
            environments=forfeited.astype("<u4").tobytes(),
            seats=seats.tobytes(),
            bits=self._bits[forfeited].tobytes(),
            numbers=self._numbers[forfeited].astype("<i2").tobytes(),
            masks=bytes(count * self._reading.mask_bytes),
            rewards=rewards.tobytes(),
            ended=bytes([1] * count),
            end_row_count=count,
            end_returns=np.full(count, -1, "<f4").tobytes(),
            end_ranks=bytes([seat_count] * count),
        )
        for name in ("environments", "seats", "bits", "numbers"):
            setattr(end, f"end_{name}", getattr(end, name))
        return end


def _overlay(begun: BatchMessage, end: BatchMessage) -> None:
    """Puts the end of an episode into the rows with which the next has begun."""
    begun.end_row_count = end.end_row_count
    for name in ("rewards", "ended", *END_COLUMNS):
        setattr(begun, name, getattr(end, name))


def _in_order(batch: BatchMessage) -> BatchMessage:
    """The rows and the end rows by rising environment."""
    _sort(batch, ROW_COLUMNS, batch.environments)
    _sort(batch, END_COLUMNS, batch.end_environments)
    return batch


def _sort(batch: BatchMessage, columns: tuple[str, ...], environments: bytes) -> None:
    order = np.argsort(np.frombuffer(environments, "<u4"), kind="stable")
    for name in columns:
        if values := getattr(batch, name):
            setattr(batch, name, np.frombuffer(values, np.uint8).reshape(len(order), -1)[order].tobytes())
