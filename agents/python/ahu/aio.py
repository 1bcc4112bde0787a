"""A client of the service for asyncio: all of `ahu.client` and `ahu.play`, to be awaited.

Arguments, answers and errors are those of the methods of the same names in `ahu.client`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Any, Protocol

import grpc
import grpc.aio

from ahu import _calls, _channel, _match
from ahu._calls import MAX_WAIT, Answer, Call
from ahu._compete import RETRY, Contest, competitor, players_of, practice_plan
from ahu._options import Options
from ahu._run import as_agent
from ahu._seat import SeatBase
from ahu.actions import Action, Choice
from ahu.client import TIMEOUT
from ahu.created_match import CreatedMatch
from ahu.placement import AgentKey, Placement, agent_key, assigned_seat
from ahu.play_result import PlayResult
from ahu.retry import Attempts, Retry
from ahu.terms import Conduct, Reservation, TimeControl
from ahu.turn import Turn
from ahu.v1 import catalog_service_pb2 as catalog
from ahu.v1 import match_service_pb2 as v1


class Agent(Protocol):
    """A program that plays a seat: `ahu.Agent`, except that its methods may be `async`."""

    def act(self, turn: Turn, /) -> Choice | Awaitable[Choice]:
        """What to do now."""
        ...


Policy = Callable[[Turn], Choice | Awaitable[Choice]]
"""A function that plays a seat: `ahu.Policy`, except that it may be `async`."""


async def play(agent: Agent, seat: Seat | None = None) -> PlayResult:
    """Plays a seat until its match ends or the seat has forfeited, as `ahu.play` does."""
    if seat is None:
        placement = Placement.from_environment()
        async with Client(placement.address) as client:
            return await play(agent, placement.seat_of(client))
    return await _match.run_awaiting(_match.plan(agent, seat))


async def play_many(agent: Agent, key: AgentKey | None = None) -> int:
    """Plays one seat after another until the host has no more, as `ahu.play_many` does."""
    key = agent_key() if key is None else key
    if key is None:
        await play(agent)
        return 1
    matches = 0
    async with Client(key.address) as client:
        while True:
            answer = await client.await_seat(key.key, wait=MAX_WAIT)
            if answer.closed:
                return matches
            if answer.HasField("assigned"):
                await play(agent, assigned_seat(client, answer.assigned))
                matches += 1


async def compete(
    agent: Agent | Policy,
    address: str | None = None,
    key: str | None = None,
    *,
    games_at_once: int = 1,
    credentials: grpc.ChannelCredentials | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> int:
    """Plays the matches of a cup until no more come, and returns their number, as `ahu.compete` does.

    Matches that are played at the same time share the event loop: while an `act` that is not `async` computes, the others
    wait, and their clocks run.
    """
    found, players = competitor(address, key), players_of(agent, games_at_once)
    async with Client(found.address, retry=RETRY, credentials=credentials, sleep=sleep) as client:
        contest = Contest(client, found, play, sleep, asyncio.Lock())
        playing = [asyncio.create_task(_match.run_awaiting(contest.plan(player))) for player in players]
        try:
            await asyncio.wait(playing, return_when=asyncio.FIRST_EXCEPTION)
            # The others end with the matches that they play now.
            contest.has_ended = True
            await asyncio.wait(playing)
        finally:
            # Only if this task is cancelled, some still play.
            for task in playing:
                task.cancel()
        return sum(task.result() for task in playing)


async def practice(
    agent: Agent | Policy,
    address: str | None = None,
    key: str | None = None,
    *,
    credentials: grpc.ChannelCredentials | None = None,
) -> v1.PracticeReport:
    """Plays a practice match of a cup, and returns the report on the agent, as `ahu.practice` does."""
    found, player = competitor(address, key), as_agent(agent)
    async with Client(found.address, credentials=credentials) as client:
        return await _match.run_awaiting(practice_plan(client, found, play, player))


class Client:
    """Calls the services of one server from one event loop. The arguments are those of `ahu.Client`."""

    def __init__(
        self,
        address: str,
        *,
        timeout: float = TIMEOUT,
        retry: Retry = Retry(),
        credentials: grpc.ChannelCredentials | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.address = address
        self._options = _channel.options(address)
        self._timeout = timeout
        self._retry = retry
        self._credentials = credentials
        self._sleep = sleep

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"aio.Client({self.address!r})"

    async def close(self) -> None:
        """Closes the connection. The client is of no use afterwards."""
        await self._channel.close(None)

    # The first use makes the channel, in the event loop that it belongs to.
    @cached_property
    def _channel(self) -> grpc.aio.Channel:
        if self._credentials is None:
            return grpc.aio.insecure_channel(self.address, self._options)
        return grpc.aio.secure_channel(self.address, self._credentials, self._options)

    @cached_property
    def _methods(self) -> dict[str, Callable[..., Any]]:
        return _calls.methods(self._channel)

    async def _send(self, call: Call[Answer]) -> Answer:
        attempts = Attempts(self._retry, self.address)
        method, timeout = self._methods[call.name], self._timeout + call.wait
        while True:
            try:
                return call.answer(await method(call.request, timeout=timeout, metadata=call.metadata))
            except grpc.RpcError as failure:
                wait = attempts.wait_after(failure)
            await self._sleep(wait)

    async def list_games(self) -> list[catalog.GameSummary]:
        """Every game, in short."""
        return await self._send(_calls.list_games())

    async def get_game(self, game: str) -> catalog.Game:
        """One game, in full."""
        return await self._send(_calls.get_game(game))

    async def get_server_info(self) -> catalog.GetServerInfoResponse:
        """The version of the server, and its limits."""
        return await self._send(_calls.get_server_info())

    async def create_match(
        self,
        game: str,
        seat_count: int,
        *,
        options: Options = {},
        bots: Mapping[int, str] = {},
        seed: int | None = None,
        strikes: int | None = None,
        time_control: TimeControl | None = None,
        seat_time_controls: Mapping[int, TimeControl] = {},
        conduct: Conduct | None = None,
        stand_in: str = "",
        private: bool = False,
        reservations: Mapping[int, Reservation] = {},
        labels: Mapping[str, str] = {},
        spectator_delay: int = 0,
    ) -> CreatedMatch:
        """Creates a match. It begins when every seat is taken.

        A match of bots alone is running when the call returns: wait for its end with `get_match`.
        """
        return await self._send(
            _calls.create_match(
                game,
                seat_count,
                options=options,
                bots=bots,
                seed=seed,
                strikes=strikes,
                time_control=time_control,
                seat_time_controls=seat_time_controls,
                conduct=conduct,
                stand_in=stand_in,
                private=private,
                reservations=reservations,
                labels=labels,
                spectator_delay=spectator_delay,
            )
        )

    async def cancel_match(self, match_id: str, owner_token: str, reason: str = "") -> v1.Match:
        """Cancels a match that has not ended. The match has no result.

        `reason` is for players and records; empty: "cancelled by its creator".
        """
        return await self._send(_calls.cancel_match(match_id, owner_token, reason))

    async def join_match(
        self,
        match_id: str | None = None,
        *,
        game: str | None = None,
        seat_count: int | None = None,
        options: Options = {},
        seat: int | None = None,
        name: str = "",
        invitation_code: str = "",
    ) -> v1.JoinMatchResponse:
        """Takes a seat, in a match or in any that fits."""
        return await self._send(
            _calls.join_match(
                match_id,
                game=game,
                seat_count=seat_count,
                options=options,
                seat=seat,
                name=name,
                invitation_code=invitation_code,
            )
        )

    async def join(
        self,
        match_id: str | None = None,
        *,
        game: str | None = None,
        seat_count: int | None = None,
        options: Options = {},
        seat: int | None = None,
        name: str = "",
        invitation_code: str = "",
    ) -> Seat:
        """Takes a seat as `join_match` does, and hands it over as an object."""
        response = await self.join_match(
            match_id,
            game=game,
            seat_count=seat_count,
            options=options,
            seat=seat,
            name=name,
            invitation_code=invitation_code,
        )
        return self.seat(response.match.match_id, response.seat, response.seat_token)

    def seat(self, match_id: str, seat: int, token: str, agent_seed: int | None = None) -> Seat:
        """A seat that was joined before."""
        return Seat(self, match_id, seat, token, agent_seed)

    async def await_seat(
        self, key: str, *, wait: float = 0.0, playing: Sequence[str] = (), practice_id: str = ""
    ) -> v1.AwaitSeatResponse:
        """Returns the seat that an agent has to play now, as `ahu.Client.await_seat` does."""
        return await self._send(_calls.await_seat(key, wait, playing, practice_id))

    async def get_match(self, match_id: str, *, wait: float = 0.0) -> v1.Match:
        """Returns the public description of a match.

        With `wait` (in seconds, at most 30), the call first waits until the match is finished.
        """
        return await self._send(_calls.get_match(match_id, wait))

    async def list_matches(
        self,
        *,
        game: str = "",
        state: v1.MatchState = v1.MATCH_STATE_UNSPECIFIED,
        page_size: int = 0,
    ) -> AsyncIterator[v1.Match]:
        """The matches that the server hosts, the oldest first, page by page as they are asked for."""
        page_token = ""
        while True:
            page = await self._send(_calls.list_matches(game, state, page_size, page_token))
            for match in page.matches:
                yield match
            page_token = page.next_page_token
            if not page_token:
                return

    async def observe(
        self,
        match_id: str,
        seat: int | None = None,
        token: str | None = None,
        *,
        formats: v1.ObservationFormats | None = None,
        wait: float = 0.0,
    ) -> v1.Observation:
        """What a seat knows."""
        return await self._send(_calls.observe(match_id, seat, token, formats, wait))

    async def watch(
        self,
        match_id: str,
        seat: int | None = None,
        token: str | None = None,
        *,
        after: int | None = None,
        formats: v1.ObservationFormats | None = None,
        all_seats: bool = False,
    ) -> AsyncGenerator[v1.WatchMatchResponse, None]:
        """Follows a match up to its end, as `ahu.Client.watch` does."""
        watch = _calls.Watch(match_id, seat, token, after, formats, all_seats)
        attempts: Attempts | None = None
        while True:
            call = watch.call()
            stream = self._methods[call.name](call.request, metadata=call.metadata)
            try:
                async for message in stream:
                    attempts = None
                    if watch.is_update(message):
                        yield message
                return
            except grpc.RpcError as failure:
                attempts = attempts or Attempts(self._retry, self.address)
                wait = attempts.wait_after(failure)
            finally:
                stream.cancel()
            await self._sleep(wait)

    async def list_legal_actions(
        self, match_id: str, seat: int, token: str, *, typed: bool = False
    ) -> v1.ListLegalActionsResponse:
        """What a seat may do, action by action; nothing, where it owes no decision."""
        return await self._send(_calls.list_legal_actions(match_id, seat, token, typed))

    async def parse_action(self, match_id: str, seat: int, token: str, action: Choice) -> v1.ParseActionResponse:
        """Says an action in all forms, and whether it is legal now. Carries nothing out."""
        return await self._send(_calls.parse_action(match_id, seat, token, action))

    async def step(
        self,
        match_id: str,
        seat: int,
        token: str,
        decision_id: int,
        action: Choice,
        *,
        formats: v1.ObservationFormats | None = None,
    ) -> v1.StepResponse:
        """Answers a decision. The same answer again is the same answer."""
        return await self._send(_calls.step(match_id, seat, token, decision_id, action, formats))

    async def resign_seat(self, match_id: str, seat: int, token: str) -> v1.Match:
        """Resigns for a seat, which forfeits: a stand-in plays on for it."""
        return await self._send(_calls.resign_seat(match_id, seat, token))

    async def get_record(
        self,
        match_id: str,
        *,
        record_format: v1.RecordFormat = v1.RECORD_FORMAT_TEXT,
        seat: int | None = None,
        token: str | None = None,
        after: int | None = None,
        wait: float = 0.0,
    ) -> v1.GetRecordResponse:
        """The record of a match: the whole once it is finished, before that what a viewer was told."""
        return await self._send(_calls.get_record(match_id, record_format, seat, token, after, wait))


class Seat(SeatBase):
    """A seat of a match, as `Client.join` hands it over."""

    def __init__(
        self, client: Client, match_id: str, seat: int, token: str, agent_seed: int | None = None
    ) -> None:
        super().__init__(match_id, seat, token, agent_seed)
        self.client = client

    async def match(self) -> v1.Match:
        """The match, as everybody may see it."""
        return await self.client.get_match(self.match_id)

    async def observe(self, formats: v1.ObservationFormats | None = None, *, wait: float = 0.0) -> v1.Observation:
        """What the seat knows."""
        return await self.client._send(self._observe(formats, wait))

    def watch(
        self, *, after: int | None = None, formats: v1.ObservationFormats | None = None
    ) -> AsyncGenerator[v1.WatchMatchResponse, None]:
        """Follows the match as the seat is told of it, as `Client.watch` does."""
        return self.client.watch(self.match_id, self.seat, self.token, after=after, formats=formats)

    async def legal_actions(self, *, typed: bool = False) -> list[Action]:
        """What the seat may do now; nothing, where it owes no decision."""
        return await self.client._send(self._legal_actions(typed))

    async def parse(self, action: Choice) -> v1.ParseActionResponse:
        """Says an action in all forms, and whether the seat may take it now. Carries nothing out."""
        return await self.client._send(self._parse(action))

    async def step(
        self, action: Choice, *, decision_id: int | None = None, formats: v1.ObservationFormats | None = None
    ) -> v1.StepResponse:
        """Answers a decision, by default the one that the seat owed when it was last heard of."""
        if decision_id is None:
            if self.decision_id is None:
                await self.observe()
            decision_id = self.decision_id or 0
        return await self.client._send(self._step(action, decision_id, formats))

    async def resign(self) -> v1.Match:
        """Resigns: the seat forfeits, and a stand-in plays on for it."""
        return await self.client._send(self._resign())

    async def record(self, record_format: v1.RecordFormat = v1.RECORD_FORMAT_TEXT) -> v1.GetRecordResponse:
        """The record of the match: the whole once it is finished, before that what the seat was told."""
        return await self.client._send(self._record(record_format))
