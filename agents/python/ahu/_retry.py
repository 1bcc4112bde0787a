"""Retries of calls.

Every call of the service may be sent again: reads change nothing, a `Step` names the decision that it answers, and the
client puts a random `request_id` into every call that creates something. So the client sends a call with a lost answer
again.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import grpc

from ahu import _errors as errors
from ahu._failures import error_of

_log = logging.getLogger("ahu")


@dataclass(frozen=True, kw_only=True)
class Retry:
    """The retries of a client while it cannot reach the server or the server is closing.

    Attributes:
        total: the time for which the client tries, in seconds from the first failure of a call; 0: no retries;
            `math.inf`: without end.
        first: the wait before the first retry, in seconds. Each wait is twice the previous wait.
        longest: the longest wait, in seconds.
    """

    total: float = 60.0
    first: float = 0.05
    longest: float = 2.0

    def waits(self, clock: Callable[[], float] = time.monotonic) -> Iterator[float]:
        """Yields the waits before the retries of one call, in seconds. The time `total` runs from the first wait."""
        end, wait = clock() + self.total, self.first
        while (left := end - clock()) > 0:
            yield min(wait, left)
            wait = min(2 * wait, self.longest)


class Attempts:
    """The attempts at one call."""

    def __init__(self, retry: Retry, address: str, places: int = 1) -> None:
        """
        Args:
            retry: the retries.
            address: the addresses, for the log.
            places: the number of addresses, which the attempts take in turn. Only after the last of them comes a wait.
        """
        self._retry = retry
        self._address = address
        self._places = places
        self._waits = retry.waits()
        self._failed = 0

    def succeed(self) -> None:
        """Logs an answer after failures."""
        if self._failed:
            _log.info("%s answers again", self._address)

    def wait_after(self, failure: grpc.RpcError) -> float:
        """Returns the time to wait before the next attempt, in seconds.

        Raises:
            ServiceError: the client has to give up.
        """
        error = error_of(failure)
        # A server that is gone may take the whole deadline of a call.
        is_lost = isinstance(error, errors.ConnectionLost) or (self._places > 1 and error.code == "DEADLINE_EXCEEDED")
        is_last_place = (self._failed + 1) % self._places == 0
        wait = (next(self._waits, None) if is_last_place else 0.0) if is_lost else None
        if wait is None:
            # gRPC's exception would bury this error in the traceback. It is still there, as `__context__`.
            raise error from None
        self._failed += 1
        if self._failed == 1:
            limit = f" for {self._retry.total:g} s" if math.isfinite(self._retry.total) else ""
            _log.warning("no answer from %s, trying%s: %s", self._address, limit, error)
        return max(wait, error.retry_after or 0.0) if is_last_place else 0.0
