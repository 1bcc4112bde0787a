"""Helpers of several tests: a server, agents, and a network that fails."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

import ahu

HERE = Path(__file__).resolve().parent.parent
EXAMPLES = HERE / "examples"


SHORT: dict[str, dict[str, str]] = {"giants": {"max_turns": "2"}}
"""The options with which a long game ends soon, by game."""

Case = TypeVar("Case", bound="type[ServerCase]")


class ServerCase(unittest.TestCase):
    """Tests that share a server.

    Attributes:
        address: the address for environments; None if environments run in this process.
    """

    server: ahu.Server

    @property
    def address(self) -> str | None:
        return self.server.address

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(ahu.launch())

    def setUp(self) -> None:
        self.client = self.enterContext(ahu.client.Client(self.server.address))

    def tables(self) -> Iterator[tuple[str, int]]:
        """Yields every game of the catalog with its lowest and with its highest number of seats."""
        for game in self.client.list_games():
            yield game.game, game.min_seats
            yield game.game, game.max_seats


class RandomAgent:
    """An agent that takes random legal actions, which its seed decides."""

    formats = ahu.ObservationFormats(legal_ids=True)

    def __init__(self, seed: int = 0) -> None:
        self._choices = random.Random(seed)

    def act(self, turn: ahu.Turn) -> int:
        return self._choices.choice(turn.legal_ids)


def play_seat(agent: Any, seat: ahu.client.Seat) -> ahu.SeatResult:
    """Plays a seat with an agent, and returns the end of the match."""
    result = ahu.connect(agent, seat=seat).result
    assert result is not None
    return result


def in_process_too(case: Case) -> Case:
    """Adds a case that runs the same tests with environments in this process."""
    name = f"{case.__name__}InProcess"
    local = type(name, (case,), {"address": None, "__module__": case.__module__})
    setattr(sys.modules[case.__module__], name, local)
    return case


class Failure(grpc.RpcError):
    """The error of a call that has failed."""

    def __init__(self, code: grpc.StatusCode, message: str = "", status: status_pb2.Status | None = None) -> None:
        self._code, self._message, self._status = code, message, status

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._message

    def trailing_metadata(self) -> Any:
        return () if self._status is None else (("grpc-status-details-bin", self._status.SerializeToString()),)


def failure(code: grpc.StatusCode, reason: str, message: str = "", *, retry: int = 0, **metadata: str) -> Failure:
    """Returns a failure with the details that the service sends; with a pause in seconds if `retry` is not 0."""
    status = status_pb2.Status(code=code.value[0], message=message)
    info = error_details_pb2.ErrorInfo(reason=reason, domain="ahu", metadata=metadata)
    status.details.add().Pack(info)
    if retry:
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=retry)))
    return Failure(code, message, status)


def variables(address: str, seat: ahu.client.Seat) -> dict[str, str]:
    """Returns the environment variables that tell an agent program its seat."""
    return {
        "AHU_ADDRESS": address,
        "AHU_MATCH": seat.match_id,
        "AHU_SEAT": str(seat.seat),
        "AHU_TOKEN": seat.token,
    }


def run_program(program: Path, *arguments: str, environment: dict[str, str] | None = None) -> str:
    """Runs a Python program and returns its output."""
    done = subprocess.run(
        [sys.executable, program, *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if done.returncode != 0:
        output = done.stdout[-2000:] + done.stderr
        raise AssertionError(f"{program.name} ended with status {done.returncode}\n{output}")
    return done.stdout


class Proxy:
    """A network between client and server that loses connections.

    The proxy drops every `lose_every`-th piece of the server's answers, and closes its connection. The server has then
    carried out the request, but the client gets no answer. With 0, nothing is lost.
    """

    def __init__(self, address: str, *, lose_every: int = 0, listening: bool = True) -> None:
        host, port = address.rsplit(":", 1)
        self._server = (host, int(port))
        self._lose_every = lose_every
        self._chunks = 0
        self._silent: set[socket.socket] = set()
        self._connected: set[socket.socket] = set()
        self.lost = 0
        # The socket is bound, but refuses connections until it listens.
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        if listening:
            self.listen()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        # The shutdown wakes the thread that accepts connections.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        # The server would wait for the end of calls over open connections.
        for server in self._connected:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)

    def listen(self) -> None:
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def silence(self) -> None:
        """Drops all further data of the open connections, without closing them."""
        self._silent |= self._connected

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._server)
            self._connected.add(server)
            for pump in (self._requests, self._answers):
                threading.Thread(target=pump, args=(client, server), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        _pump(client, server, lambda: False, lambda: server in self._silent)

    def _answers(self, client: socket.socket, server: socket.socket) -> None:
        _pump(server, client, self._lose, lambda: server in self._silent)

    def _lose(self) -> bool:
        self._chunks += 1
        lose = self._lose_every > 0 and self._chunks % self._lose_every == 0
        self.lost += lose
        return lose


def _pump(source: socket.socket, sink: socket.socket, lose: Callable[[], bool], is_silent: Callable[[], bool]) -> None:
    with contextlib.suppress(OSError):
        while (data := source.recv(65536)) and not lose():
            if not is_silent():
                sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            # The other side gets a reset.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.shutdown(socket.SHUT_RDWR)
        end.close()


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits until the condition is true."""
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the condition never came true")
        time.sleep(0.01)


def runs(process: int) -> bool:
    """Returns True if a process has not ended. A process that has exited and still waits for its parent has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
