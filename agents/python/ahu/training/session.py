"""The environments of one stream, from its opening to its end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ahu import errors
from ahu.training.known import Rows
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
        merge: the batch that the answers make up.
    """

    group: int
    rows: Rows
    requests: Sequence[RunRequest]
    merge: Callable[[list[BatchMessage]], BatchMessage] = lambda batches: batches[0]
    answers: list[RunResponse] = field(default_factory=list)


class Session:
    """Environments that are open.

    Args:
        stream: a call on which nothing was said yet.
        opening: what is asked for.

    Attributes:
        stream: the call.
        reply: what the server said of the opening.
        listeners: what is told of each batch that comes, with the environments that are its rows.

    Raises:
        ConnectionLost: the server cannot be reached.
        AhuError: it refuses.
    """

    def __init__(self, stream: Stream, opening: RunRequest.Open) -> None:
        self.stream = stream
        stream.send(RunRequest(open=opening))
        self.reply = stream.receive().opened
        self.listeners: list[Callable[[Rows, BatchMessage], None]] = []
        self._under_way: deque[Exchange] = deque()

    @property
    def groups_under_way(self) -> frozenset[int]:
        """The groups that have been asked for something, and whose answer has not been taken."""
        return frozenset(exchange.group for exchange in self._under_way)

    def ask(self, exchange: Exchange) -> None:
        """Sends requests, and does not wait."""
        for request in exchange.requests:
            self.stream.send(request)
        self._under_way.append(exchange)

    def answer(self) -> BatchMessage:
        """The answer to what was asked for first.

        Raises:
            LookupError: nothing was.
            AhuError: it is refused.
        """
        if not self._under_way:
            raise LookupError("nothing is under way: send actions first")
        self._receive(self._under_way[0])
        return self._merged(self._under_way.popleft())

    def exchange(self, *exchanges: Exchange) -> list[BatchMessage]:
        """Asks for something and waits, whatever else is under way.

        Raises:
            AhuError: some is refused; the others are carried out.
        """
        for exchange in exchanges:
            self.ask(exchange)
        self._receive_all()
        mine = [self._under_way.pop() for _ in exchanges][::-1]
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
        for exchange in self._under_way:
            self._receive(exchange)

    def _receive(self, exchange: Exchange) -> None:
        while len(exchange.answers) < len(exchange.requests):
            exchange.answers.append(self.stream.receive())

    def _merged(self, exchange: Exchange) -> BatchMessage:
        batch = exchange.merge([_accepted(answer).batch for answer in exchange.answers])
        for hear in self.listeners:
            hear(exchange.rows, batch)
        return batch


def _accepted(answer: RunResponse) -> RunResponse:
    if answer.HasField("refused"):
        raise errors.of_refusal(answer.refused)
    return answer
