"""A client of the service for asyncio: everything in `ahu.client`, and `ahu.connect`, to await.

Arguments, answers, and errors are the same as for the methods of the same names in `ahu.client`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Protocol

import grpc
import grpc.aio

from ahu import _calls, _match
from ahu._actions import Choice
from ahu._agent import copies
from ahu._batched import Batched
from ahu._calls import Answer, Awaiting, Call, Calls
from ahu._connect import RETRY, Connected, Contest, known_key, practice_plan, refuse_with_seat
from ahu._placement import Placement, agent_key
from ahu._retry import Attempts
from ahu._seat import SeatCalls
from ahu._seat_result import SeatResult
from ahu._turn import Turn
from ahu.v1 import match_service_pb2 as v1

__all__ = ["Agent", "Client", "Policy", "Seat", "connect"]


class Agent(Protocol):
    """A program that plays a seat: `ahu.Agent`, except that its methods may be `async`. An agent that plays here and elsewhere
    may have `act_async` beside `act`, which is awaited instead."""

    def act(self, turn: Turn, /) -> Choice | Awaitable[Choice]:
        """Returns the action, or an awaitable for it."""
        ...


Policy = Callable[[Turn], Choice | Awaitable[Choice]]
"""A function that plays a seat: `ahu.Policy`, except that it may be `async`."""


async def connect(
    agent: Agent | Policy | Batched,
    address: str | None = None,
    key: str | None = None,
    *,
    seat: Seat | None = None,
    practice: bool = False,
    games_at_once: int = 1,
) -> Connected:
    """Plays seats of a server with an agent, and returns what it has played, as `ahu.connect` does.

    Matches at the same time share the event loop: while an `act` that is not `async` computes, the others wait, and
    their clocks run.
    """
    players = copies(agent, games_at_once)
    if seat is not None:
        refuse_with_seat(address, key, practice)
        return Connected(matches=1, result=await _play(players[0], seat))
    found = agent_key(address=address, key=key)
    if found is None and address is None and key is None and not practice:
        placement = Placement.from_environment()
        async with Client(placement.address) as client:
            return Connected(matches=1, result=await _play(players[0], placement.seat_of(client)))
    found = known_key(found)
    async with Client(found.address, retry=RETRY) as client:
        if practice:
            return await _match.run_awaiting(practice_plan(client, found, _play, players[0]))
        contest = Contest(client, found, _play, asyncio.Lock())
        playing = [asyncio.create_task(_match.run_awaiting(contest.plan(player))) for player in players]
        try:
            await asyncio.wait(playing, return_when=asyncio.FIRST_EXCEPTION)
            # The other players stop after their present matches.
            contest.has_ended = True
            await asyncio.wait(playing)
        finally:
            # Only if this task is cancelled, some still play.
            for task in playing:
                task.cancel()
        return contest.connected(sum(task.result() for task in playing))


async def _play(agent: Any, seat: Any) -> SeatResult:
    return await _match.run_awaiting(_match.plan(agent, seat))


class Client(Calls["Seat"], Awaiting):
    """Calls the services of one server from one event loop. Takes the same arguments as `ahu.client.Client`."""

    _grpc = grpc.aio
    _sleep = staticmethod(asyncio.sleep)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"aio.Client({self.address!r})"

    async def close(self) -> None:
        """Closes the connection. The client cannot be used afterwards."""
        for channel, _ in self._opened.values():
            await channel.close(None)

    async def _send(self, call: Call[Answer]) -> Answer:
        attempts, timeout = self._attempts(), self._timeout + call.wait
        while True:
            place, method = self._method(call.name)
            try:
                response = await method(call.request, timeout=timeout, metadata=(*call.metadata, *self._headers))
                attempts.succeed()
                return call.answer(response)
            except grpc.RpcError as failure:
                wait = attempts.wait_after(failure)
                self._turn_from(place)
            await self._sleep(wait)

    def seat(self, match_id: str, seat: int, token: str, agent_seed: int | None = None) -> Seat:
        """Returns a seat that was joined before."""
        return Seat(self, match_id, seat, token, agent_seed)

    async def list_matches(
        self,
        *,
        game: str = "",
        state: v1.MatchState = v1.MATCH_STATE_UNSPECIFIED,
        labels: Mapping[str, str] = {},
        player_id: str = "",
        page_size: int = 0,
    ) -> AsyncIterator[v1.Match]:
        """Yields the matches that the server hosts, as `ahu.client.Client.list_matches` does."""
        page_token = ""
        while True:
            page = await self._match_page(game, state, labels, player_id, page_size, page_token)
            for match in page.matches:
                yield match
            page_token = page.next_page_token
            if not page_token:
                return

    async def watch(
        self,
        match_id: str,
        seat: int | None = None,
        token: str | None = None,
        *,
        events_after: int | None = None,
        formats: v1.ObservationFormats | None = None,
        all_seats: bool = False,
    ) -> AsyncGenerator[v1.WatchMatchResponse, None]:
        """Follows a match up to its end, as `ahu.client.Client.watch` does."""
        watch = _calls.Watch(match_id, seat, token, events_after, formats, all_seats)
        attempts: Attempts | None = None
        while True:
            call = watch.call()
            place, method = self._method(call.name)
            stream = method(call.request, metadata=(*call.metadata, *self._headers))
            try:
                async for message in stream:
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
            await self._sleep(wait)


class Seat(SeatCalls[Client], Awaiting):
    """A seat of a match, as `Client.join` returns it."""

    async def _send(self, call: Call[Answer]) -> Answer:
        return await self.client._send(call)  # pyright: ignore[reportPrivateUsage]  A seat sends as its client does.

    def watch(
        self, *, events_after: int | None = None, formats: v1.ObservationFormats | None = None
    ) -> AsyncGenerator[v1.WatchMatchResponse, None]:
        """Follows the match as the seat, as `Client.watch` does."""
        return self.client.watch(self.match_id, self.seat, self.token, events_after=events_after, formats=formats)

    async def step(
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
            await self.observe()
        return await self._step(action, decision_id, formats, events_after, wait, comment)
