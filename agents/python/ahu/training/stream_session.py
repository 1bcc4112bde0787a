"""The requests and responses of one stream, from its opening to its end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ahu import errors
from ahu.training.mask_cache import Rows
from ahu.training.stream import Stream
from ahu.v1.environment_service_pb2 import RunRequest, RunResponse

BatchMessage: TypeAlias = RunResponse.Batch


@dataclass
class Exchange:
    """What is asked for and answered at one time, by one request as a rule.

    Attributes:
        group: the group.
        rows: the environments.
        requests: what is sent.
        merge: the batch that the responses make up.
        responses: the responses so far.
    """

    group: int
    rows: Rows
    requests: Sequence[RunRequest]
    merge: Callable[[list[BatchMessage]], BatchMessage] = lambda batches: batches[0]
    responses: list[RunResponse] = field(default_factory=list)


class StreamSession:
    """The requests and responses of one stream, whose environments are open.

    Args:
        stream: a call on which nothing was said yet.
        open_request: what is asked for.

    Attributes:
        stream: the call.
        reply: what the server said of the opening.
        listeners: what is told of each batch that comes, with the environments that are its rows.

    Raises:
        ConnectionLost: the server cannot be reached.
        AhuError: it refuses.
    """

    def __init__(self, stream: Stream, open_request: RunRequest.Open) -> None:
        self.stream = stream
        stream.send(RunRequest(open=open_request))
        self.reply = stream.receive().opened
        self.listeners: list[Callable[[Rows, BatchMessage], None]] = []
        self._pending: deque[Exchange] = deque()

    @property
    def pending_groups(self) -> frozenset[int]:
        """The groups that have been asked for something, and whose answer has not been taken."""
        return frozenset(exchange.group for exchange in self._pending)

    def send(self, exchange: Exchange) -> None:
        """Sends requests, and does not wait."""
        for request in exchange.requests:
            self.stream.send(request)
        self._pending.append(exchange)

    def receive(self) -> BatchMessage:
        """The answer to what was asked for first.

        Raises:
            LookupError: nothing was.
            AhuError: it is refused.
        """
        if not self._pending:
            raise LookupError("nothing is under way: send actions first")
        self._receive(self._pending[0])
        return self._merged(self._pending.popleft())

    def exchange(self, *exchanges: Exchange) -> list[BatchMessage]:
        """Asks for something and waits, whatever else is under way.

        Raises:
            AhuError: some is refused; the others are carried out.
        """
        for exchange in exchanges:
            self.send(exchange)
        self._receive_all()
        mine = [self._pending.pop() for _ in exchanges][::-1]
        batches: list[BatchMessage] = []
        refusals: list[errors.AhuError] = []
        for exchange in mine:
            try:
                batches.append(self._merged(exchange))
            except errors.AhuError as refusal:
                refusals.append(refusal)
        if refusals:
            raise refusals[0]
        return batches

    def render(self, request: RunRequest.Render) -> str:
        """An environment as text, whatever is under way.

        Raises:
            AhuError: it is refused.
        """
        self._receive_all()
        self.stream.send(RunRequest(render=request))
        return _accepted(self.stream.receive()).rendered.text

    def _receive_all(self) -> None:
        for exchange in self._pending:
            self._receive(exchange)

    def _receive(self, exchange: Exchange) -> None:
        while len(exchange.responses) < len(exchange.requests):
            exchange.responses.append(self.stream.receive())

    def _merged(self, exchange: Exchange) -> BatchMessage:
        batch = exchange.merge([_accepted(response).batch for response in exchange.responses])
        for listener in self.listeners:
            listener(exchange.rows, batch)
        return batch


def _accepted(response: RunResponse) -> RunResponse:
    if response.HasField("refused"):
        raise errors.of_refusal(response.refused)
    return response
