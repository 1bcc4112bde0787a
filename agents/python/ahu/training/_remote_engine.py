"""The engine on a server."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from google.protobuf.message import DecodeError

from ahu import _errors as errors, _native
from ahu.training._engine import Answer, Call
from ahu.training._looks import look_request
from ahu.training._rows import Rows
from ahu.training._stream import Stream
from ahu.v1.environment_service_pb2 import RunRequest, RunResponse, TableFormat

T = TypeVar("T")


@dataclass(slots=True)
class _Owed:
    """A response that the server owes or has sent."""

    response: bytes | None = None


_PART_BYTES = 1_000_000
"""The bytes of a save in one request, below Limits.run_request_bytes."""

_ONLY_IN_PROCESS = (
    "environments on a server have no typed observations and no texts of actions: use turn.observation, turn.legal_ids, or "
    "turn.text, or open the environments in this process"
)

_UNIMPLEMENTED = 12
"""The number of the gRPC code for what is not there."""

_UNKNOWN = "expected an answer that this version of the package knows, got one of a newer server: update the package"


class RemoteEngine:
    """Environments on a server. A stream owns them.

    Args:
        address: the address of the server.
        timeout: the time that an answer may take, in seconds.
        open_request: the request.

    Attributes:
        stream: the call.

    Raises:
        ConnectionLost: the server cannot be reached.
        ServiceError: the server refuses.
    """

    is_remote = True

    def __init__(self, address: str, timeout: float, open_request: RunRequest.Open) -> None:
        self.stream = Stream(address, timeout)
        self._owed: deque[_Owed] = deque()
        try:
            self.opened = self._asked(RunRequest(open=open_request)).opened
        except BaseException:
            self.close()
            raise

    @property
    def is_usable(self) -> bool:
        return self.stream.is_usable

    def start(self, call: Call) -> None:
        env_ids = b"" if call.env_ids is None else call.env_ids.tobytes()
        if call.actions is not None:
            actions = call.actions.astype("<u2").tobytes()
            request = RunRequest(step=RunRequest.Step(group=call.group, env_ids=env_ids, actions=actions))
            call.pending = self._send(request)
            return
        seeds = b"" if call.seeds is None else call.seeds.astype("<u8").tobytes()
        call.pending = self._send(RunRequest(reset=RunRequest.Reset(group=call.group, env_ids=env_ids, seeds=seeds)))

    def ask(self, call: Call, rows: Rows) -> Answer:
        if call.pending is None:
            self.start(call)
        response = self._received(cast(_Owed, call.pending))
        answer = self._read(lambda: _native.read_batch(response, rows.spec.widths, rows.memory))
        if answer is None:
            raise _refusal(self._read(lambda: RunResponse.FromString(response)))
        return Answer.of(rows, *answer)

    def look(self, call: Call, bot: str | None) -> RunResponse.Looked:
        request = look_request(call, bot)
        request.group = call.group
        if call.env_ids is not None:
            request.env_ids = call.env_ids.astype("<u4").tobytes()
        return self._asked(RunRequest(look=request)).looked

    def save(self) -> bytes:
        return self._asked(RunRequest(save=RunRequest.Save())).saved.data

    def restore(self, data: bytes) -> RunResponse.Restored:
        # One after the other, since a refused part ends the save.
        for first in range(0, len(data) - _PART_BYTES, _PART_BYTES):
            part = RunRequest.Restore(data=data[first : first + _PART_BYTES], more=True)
            self._asked(RunRequest(restore=part))
        last = data[(len(data) - 1) // _PART_BYTES * _PART_BYTES :] if data else b""
        return self._asked(RunRequest(restore=RunRequest.Restore(data=last))).restored

    def render(self, environment: int, seat: int | None, form: TableFormat) -> str:
        asked = RunRequest(render=RunRequest.Render(environment=environment, seat=seat, format=form))
        return self._asked(asked).rendered.text

    def typed(self, environment: int, seat: int) -> bytes:
        raise LookupError(_ONLY_IN_PROCESS)

    def action(self, action_id: int, seat: int) -> bytes | None:
        raise LookupError(_ONLY_IN_PROCESS)

    def set_players(self, request: RunRequest.SetPlayers) -> None:
        self._asked(RunRequest(set_players=request))

    def close(self) -> None:
        self.stream.close()

    def _asked(self, request: RunRequest) -> RunResponse:
        response = self._received(self._send(request))
        answer = self._read(lambda: RunResponse.FromString(response))
        if answer.WhichOneof("response") in (None, "refused"):
            raise _refusal(answer)
        return answer

    def _read(self, read: Callable[[], T]) -> T:
        """Returns what a function reads from an answer. After an answer that cannot be read nobody knows how far the environments
        have come, so they are given up."""
        try:
            return read()
        except (ValueError, DecodeError) as error:
            self.close()
            raise errors.ServiceError(
                f"the server gave an answer that cannot be read: {error}", code="INTERNAL"
            ) from None

    def _send(self, request: RunRequest) -> _Owed:
        self.stream.send(request)
        self._owed.append(owed := _Owed())
        return owed

    def _received(self, owed: _Owed) -> bytes:
        while owed.response is None:
            self._owed[0].response = self.stream.receive()
            self._owed.popleft()
        return owed.response


def _refusal(answer: RunResponse) -> errors.ServiceError:
    """Returns the error of an answer that is not the expected one."""
    if answer.HasField("refused"):
        return errors.of_refused(answer.refused)
    return errors.of_call(_UNIMPLEMENTED, "", _UNKNOWN, {}, None)
