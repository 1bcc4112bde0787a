"""A server that is newer than its clients: a proxy before a real server, which adds what a client has to accept to each answer.

docs/compete/protos.md has these rules.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import Any

import grpc
from google.protobuf import any_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message

# The package has no types.
from google.rpc import error_details_pb2, status_pb2  # pyright: ignore[reportMissingTypeStubs]

from ahu.v1 import catalog_service_pb2 as catalog, environment_service_pb2 as environments, match_service_pb2 as v1

PAUSED = 9
"""A state that no client knows, of a match in progress."""

ADJOURNED = 10
"""A state that no client knows, of a match that has ended."""

NEW = 99
"""A value that no other enum has."""

METADATA = (("ahu-new", "1"), ("ahu-new-bin", b"\0\xff"))
"""Metadata that no client knows."""

_DETAILS = "grpc-status-details-bin"


def _field(number: int, wire_type: int, content: bytes) -> bytes:
    """Returns a field in binary form. Its number has two bytes: 16 to 2047."""
    key = number << 3 | wire_type
    return bytes((key & 127 | 128, key >> 7)) + content


UNKNOWN = _field(1000, 0, b"\7") + _field(1001, 1, bytes(8)) + _field(1002, 2, b"\3new") + _field(1003, 5, bytes(4))
"""Fields that no client knows, one of each wire type."""


class NewerServer(grpc.GenericRpcHandler):
    """A newer server. Use it in a `with` statement.

    The first `Step` is refused with UNAVAILABLE, and the third with ABORTED after the server has taken its action, both for
    reasons that no client knows.

    Args:
        address: the address of the real server.
        ending: the observation with which the match ends after four calls of `Step`; None: it ends as it does.

    Attributes:
        address: the address.
        calls: the names of the calls that have begun.
    """

    def __init__(self, address: str, ending: v1.Observation | None = None) -> None:
        self.calls: list[str] = []
        self._channel = grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)])
        self._ending = ending
        self._observations = count()
        self._server = grpc.server(ThreadPoolExecutor(16), handlers=[self])
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> NewerServer:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(None)
        self._channel.close()

    def service(self, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        method = descriptor_pool.Default().FindMethodByName(path[1:].replace("/", "."))
        kind = message_factory.GetMessageClass(method.output_type)
        # A call with one message is a stream with one message.
        return grpc.stream_stream_rpc_method_handler(partial(self._forward, path, kind))

    def _forward(self, path: str, kind: Any, requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        self.calls.append(name := path.rpartition("/")[2])
        steps = self.calls.count("Step") if name == "Step" else 0
        context.send_initial_metadata(METADATA)
        context.set_trailing_metadata(METADATA)
        if steps == 1:
            _refuse(context, grpc.StatusCode.UNAVAILABLE, "NODE_MOVED")
        secrets = [(key, value) for key, value in context.invocation_metadata() if key == "authorization"]
        call: Any = self._channel.stream_stream(path)(_until_closed(requests), metadata=secrets)
        context.add_callback(call.cancel)
        try:
            for answer in call:
                if steps == 3:
                    _refuse(context, grpc.StatusCode.ABORTED, "BOARD_TURNED")
                yield self._newer(kind.FromString(answer))
                if name == "WatchMatch":
                    yield UNKNOWN
        except grpc.RpcError:
            status = dict(call.trailing_metadata() or ()).get(_DETAILS, b"")
            _refuse(context, call.code(), status=status_pb2.Status.FromString(status), message=call.details())

    def _newer(self, answer: Message) -> bytes:
        """Returns an answer with additions to all messages in it."""
        for message in list(_messages(answer)):
            if isinstance(message, any_pb2.Any):
                message.value += UNKNOWN
                continue
            if isinstance(message, v1.Observation):
                self._change(message)
            elif isinstance(message, v1.Dismissal):
                message.reason = NEW
            elif isinstance(message, v1.MatchResult):
                message.forfeits.add(seat=1, cause=NEW)
            elif isinstance(message, v1.Match):
                message.state = message.state if message.ended else PAUSED
                message.conduct.resigned = message.seats[1].state = NEW
            elif isinstance(message, catalog.LayoutField):
                message.kind = NEW
            elif isinstance(message, environments.RunResponse):
                if message.HasField("rendered"):
                    message.Clear()
                elif message.HasField("refused"):
                    message.refused.reason = "NOVEL"
            # Without a known kind of the answer to `render`, this is an unknown one.
            message.MergeFromString(UNKNOWN)
        return answer.SerializeToString()

    def _change(self, observation: v1.Observation) -> None:
        observation.forfeits.add(seat=1, cause=NEW)
        if observation.state == v1.MATCH_STATE_RUNNING and next(self._observations) % 2 == 0:
            observation.state = PAUSED
        if self._ending is not None and self.calls.count("Step") > 4:
            observation.ClearField("decision")
            observation.MergeFrom(self._ending)


def _until_closed(requests: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the requests of a client, until it leaves."""
    with contextlib.suppress(Exception):
        yield from requests


def _messages(message: Message) -> Iterator[Any]:
    """Yields a message of Ahu and those in it, with each `Any`, and without the other messages of Google."""
    if not message.DESCRIPTOR.full_name.startswith("google.") or isinstance(message, any_pb2.Any):
        yield message
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for item in value if field.is_repeated else [value]:
                yield from _messages(item)


def _refuse(
    context: Any, code: grpc.StatusCode, reason: str = "", *, status: Any = None, message: str = "the server is new"
) -> None:
    """Ends a call with an error that has a detail of a type that no client knows."""
    status = status or status_pb2.Status(code=code.value[0], message=message)
    if reason:
        status.details.add().Pack(error_details_pb2.ErrorInfo(reason=reason, domain="ahu"))
    status.details.add(type_url="type.googleapis.com/ahu.v9.Hint", value=UNKNOWN)
    context.set_trailing_metadata((*METADATA, (_DETAILS, status.SerializeToString())))
    context.abort(code, message)
