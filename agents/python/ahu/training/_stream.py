"""A call of `EnvironmentService.Run`: requests out, responses in, in the same order."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Iterator

import grpc

from ahu import _channel, _errors as errors
from ahu._account import account_headers
from ahu._failures import error_of
from ahu.v1.environment_service_pb2 import RunRequest

_METHOD = "/ahu.v1.EnvironmentService/Run"

_WATCH_SECONDS = 1.0
"""The time between two looks for an overdue answer, in seconds."""


class Stream:
    """A connection to a server, with one call on it.

    Args:
        address: the address of the server.
        timeout: the time that an answer may take, in seconds.
    """

    def __init__(self, address: str, timeout: float) -> None:
        self._timeout = timeout
        self._waiting_since: float | None = None
        self._process = os.getpid()
        self._is_over = False
        # gRPC reads requests in its own thread. A queue in C hands them over with the least delay.
        self._requests: queue.SimpleQueue[RunRequest | None] = queue.SimpleQueue()
        # A separate connection, so that other calls do not share its limit of calls or its windows.
        self._channel = _channel.open_channel(grpc, address, (("grpc.use_local_subchannel_pool", 1),))
        # A batch is read from its bytes, so that its columns are copied once.
        run = self._channel.stream_stream(_METHOD, request_serializer=RunRequest.SerializeToString)
        self._call = run(self._sent(), metadata=account_headers())

    @property
    def is_usable(self) -> bool:
        """True unless the stream has failed, or belongs to the process from which this process was forked."""
        return not self._is_over and self._is_of_this_process

    @property
    def _is_of_this_process(self) -> bool:
        return self._process == os.getpid()

    def send(self, request: RunRequest) -> None:
        """Sends a request and does not wait."""
        self._requests.put(request)

    def receive(self) -> bytes:
        """Waits for the answer to the first request that has no answer yet, a `RunResponse` as bytes.

        Raises:
            ConnectionLost: the server cannot be reached, has ended, or is closing.
            ServiceError: the server has refused the stream, or has not answered in time.
        """
        self._waiting_since = time.monotonic()
        try:
            return next(self._call)
        except (StopIteration, grpc.RpcError) as error:
            self._is_over = True
            # gRPC's exception would bury this error in the traceback.
            raise self._failure(error) from None
        finally:
            self._waiting_since = None

    def close(self) -> None:
        """Ends the call, and with it the environments. Does nothing in a process that was forked since, because the
        connection belongs to the parent."""
        if self._is_of_this_process:
            self._is_over = True
            self._requests.put(None)
            self._call.cancel()
            self._channel.close()

    def _sent(self) -> Iterator[RunRequest]:
        """Yields the requests. gRPC runs this generator in a separate thread, so it also ends the call when an answer is
        overdue: gRPC has no time limit for a part of a stream."""
        while True:
            try:
                request = self._requests.get(timeout=min(self._timeout, _WATCH_SECONDS))
            except queue.Empty:
                if self._is_overdue():
                    self._call.cancel()
                    return
                continue
            if request is None:
                return
            yield request

    def _is_overdue(self) -> bool:
        since = self._waiting_since
        return since is not None and time.monotonic() - since > self._timeout

    def _failure(self, error: StopIteration | grpc.RpcError) -> errors.ServiceError:
        if self._is_overdue():
            message = f"no answer in {self._timeout:g} s; VectorEnv(timeout=...) sets the time"
            return errors.ServiceError(message, code="DEADLINE_EXCEEDED")
        if isinstance(error, grpc.RpcError):
            return error_of(error)
        return errors.ConnectionLost("the server has ended the stream", code="UNAVAILABLE")
