"""The client of the service, and the terms of matches: for programs that create, join, and watch matches.

`Client` and `Seat` block; `ahu.aio` has the same for asyncio. An agent that only plays needs `ahu.connect` alone.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from types import TracebackType

import grpc

from ahu import _calls
from ahu._actions import Choice
from ahu._calls import Answer, Blocking, Call, Calls
from ahu._created_match import CreatedMatch
from ahu._placement import AgentKey, Placement
from ahu._public import public
from ahu._retry import Attempts, Retry
from ahu._seat import SeatCalls
from ahu._terms import Conduct, Consequence, Reservation, TimeControl
from ahu.cup.v1beta1.cup_service_pb2 import PracticeReport
from ahu.v1 import match_service_pb2 as v1
from ahu.v1.match_service_pb2 import Match, MatchResult, Observation

__all__ = [
    "AgentKey",
    "Client",
    "Conduct",
    "Consequence",
    "CreatedMatch",
    "Match",
    "MatchResult",
    "Observation",
    "Placement",
    "PracticeReport",
    "Reservation",
    "Retry",
    "Seat",
    "TimeControl",
]


class Client(Calls["Seat"], Blocking):
    """Calls the services of one server. Threads may share it.

    While the server cannot be reached, the client sends a call again, for as long as `retry` says; every call may
    safely be sent again. The client connects with the first call, and again whenever the connection is lost.

    Every method raises `ServiceError` if the service refuses the call or a deadline passes, and `ConnectionLost` if the
    server cannot be reached.

    Args:
        address: the address of the server, such as "127.0.0.1:50551", "https://cup.example.org" for TLS, or
            "unix:/run/ahu.socket". With TLS, AHU_CA_FILE may name a file in PEM with the authorities to trust. A service of
            several servers has several addresses, with commas between them: the client finds the one that works.
        timeout: the time that one attempt may take, in seconds, in addition to the time that the server is asked to
            wait.
        retry: the time and the pauses of retries.
        account_key: the key of an account, for a server that requires one; None: AHU_ACCOUNT_KEY, or the content of the file
            AHU_ACCOUNT_KEY_FILE, or no key.
    """

    _grpc = grpc
    # Tests replace the function that waits between attempts.
    _sleep = staticmethod(time.sleep)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.address!r})"

    def close(self) -> None:
        """Closes the connection. The client cannot be used afterwards."""
        for channel, _ in self._opened.values():
            channel.close()

    def _send(self, call: Call[Answer]) -> Answer:
        attempts, timeout = self._attempts(), self._timeout + call.wait
        while True:
            place, method = self._method(call.name)
            try:
                response = method(call.request, timeout=timeout, metadata=(*call.metadata, *self._headers))
                attempts.succeed()
                return call.answer(response)
            except grpc.RpcError as failure:
                wait = attempts.wait_after(failure)
                self._turn_from(place)
            self._sleep(wait)

    def seat(self, match_id: str, seat: int, token: str, agent_seed: int | None = None) -> Seat:
        """Returns a seat that was joined before."""
        return Seat(self, match_id, seat, token, agent_seed)

    def list_matches(
        self,
        *,
        game: str = "",
        state: v1.MatchState = v1.MATCH_STATE_UNSPECIFIED,
        labels: Mapping[str, str] = {},
        player_id: str = "",
        page_size: int = 0,
    ) -> Iterator[v1.Match]:
        """Yields the matches that the server hosts, the newest first. Fetches each page when it is reached.

        Args:
            game: the game of the matches; empty: all games.
            state: the state of the matches; unspecified: all states.
            labels: labels that the matches must have.
            player_id: the account that must have a seat in the matches; empty: all matches.
            page_size: the number of matches that are fetched at a time, 1 to 1000; 0: 100.
        """
        page_token = ""
        while True:
            page = self._match_page(game, state, labels, player_id, page_size, page_token)
            yield from page.matches
            page_token = page.next_page_token
            if not page_token:
                return

    def watch(
        self,
        match_id: str,
        seat: int | None = None,
        token: str | None = None,
        *,
        events_after: int | None = None,
        formats: v1.ObservationFormats | None = None,
        all_seats: bool = False,
    ) -> Generator[v1.WatchMatchResponse, None, None]:
        """Follows a match to its end: yields an update whenever the viewer is told something new.

        The viewer is the public, or a seat with its `token`. The first update has the present observation. Each later
        update has the events since the previous update, as `update.observation.events`. If the connection is lost, the
        client tries to continue the stream after the last event, for as long as `retry` says.

        Args:
            match_id: the match.
            seat: the seat, from 0; None: the seat of the token.
            token: the seat's token.
            events_after: the number of the event after which the stream begins; 0: before the first event; None: now.
            formats: the formats of the observations; None: only events, as text.
            all_seats: True to also get the observations of all seats, as `update.seat_observations`: only for a match that
                has ended.
        """
        watch = _calls.Watch(match_id, seat, token, events_after, formats, all_seats)
        attempts: Attempts | None = None
        while True:
            call = watch.call()
            place, method = self._method(call.name)
            stream = method(call.request, metadata=(*call.metadata, *self._headers))
            try:
                for message in stream:
                    attempts = None
                    if watch.is_update(message):
                        yield message
                return
            except grpc.RpcError as failure:
                attempts = attempts or self._attempts()
                wait = attempts.wait_after(failure)
                self._turn_from(place)
            finally:
                stream.cancel()
            self._sleep(wait)


class Seat(SeatCalls[Client], Blocking):
    """A seat of a match, as `Client.join` returns it."""

    def _send(self, call: Call[Answer]) -> Answer:
        return self.client._send(call)  # pyright: ignore[reportPrivateUsage]  A seat sends as its client does.

    def watch(
        self, *, events_after: int | None = None, formats: v1.ObservationFormats | None = None
    ) -> Generator[v1.WatchMatchResponse, None, None]:
        """Follows the match as the seat, as `Client.watch` does."""
        return self.client.watch(self.match_id, self.seat, self.token, events_after=events_after, formats=formats)

    def step(
        self,
        action: Choice,
        *,
        decision_id: int | None = None,
        formats: v1.ObservationFormats | None = None,
        events_after: int | None = None,
        wait: float = 0.0,
        comment: str = "",
    ) -> v1.StepResponse:
        """Answers a decision, by default the decision that the seat owes as of the last answer. See `Client.step`."""
        if decision_id is None and self.decision_id is None:
            self.observe()
        return self._step(action, decision_id, formats, events_after, wait, comment)


public(Client)
public(AgentKey, Conduct, CreatedMatch, Placement, Reservation, Retry, TimeControl, module=__name__)
