"""A client of the service that blocks. `ahu.aio` has the same for asyncio."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Any

import grpc

from ahu import _calls, _channel
from ahu._calls import Answer, Call
from ahu._options import Options
from ahu._seat import SeatBase
from ahu.actions import Action, Choice
from ahu.created_match import CreatedMatch
from ahu.retry import Attempts, Retry
from ahu.terms import Conduct, Reservation, TimeControl
from ahu.v1 import catalog_service_pb2 as catalog
from ahu.v1 import match_service_pb2 as v1

TIMEOUT = 30.0
"""How long an attempt at a call may take, in seconds, beside what it waits on purpose. A connection that has fallen
silent is noticed sooner (20 s), and then the call is sent again."""


class Client:
    """Calls the services of one server. Threads may share it.

    Every call may be sent again, and is, for as long as `retry` says, while the server cannot be reached. The
    connection is made with the first call, and again whenever it is lost.

    Every method raises `AhuError` where the service refuses or a deadline passes, and `ConnectionLost` where the server
    cannot be reached.

    Args:
        address: where the server listens, such as "127.0.0.1:50551" or "unix:/run/ahu.socket".
        timeout: how long one attempt may take, in seconds, beside what the server is asked to wait.
        retry: how long and how often calls are sent again.
        credentials: those of TLS; None: no TLS.
        sleep: what waits between attempts, given seconds.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout: float = TIMEOUT,
        retry: Retry = Retry(),
        credentials: grpc.ChannelCredentials | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self._options = _channel.options(address)
        self._timeout = timeout
        self._retry = retry
        self._credentials = credentials
        self._sleep = sleep
        self._connecting = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.address!r})"

    def close(self) -> None:
        """Closes the connection. The client is of no use afterwards."""
        self._channel.close()

    # The first use makes the channel, so that a process may fork before.
    @cached_property
    def _channel(self) -> grpc.Channel:
        if self._credentials is None:
            return grpc.insecure_channel(self.address, self._options)
        return grpc.secure_channel(self.address, self._credentials, self._options)

    @cached_property
    def _methods(self) -> dict[str, Callable[..., Any]]:
        return _calls.methods(self._channel)

    def _send(self, call: Call[Answer]) -> Answer:
        attempts = Attempts(self._retry, self.address)
        # Of threads that come first at the same time, one makes the channel.
        with self._connecting:
            method = self._methods[call.name]
        timeout = self._timeout + call.wait
        while True:
            try:
                return call.answer(method(call.request, timeout=timeout, metadata=call.metadata))
            except grpc.RpcError as failure:
                wait = attempts.wait_after(failure)
            self._sleep(wait)

    def list_games(self) -> list[catalog.GameSummary]:
        """Every game, in short."""
        return self._send(_calls.list_games())

    def get_game(self, game: str) -> catalog.Game:
        """One game, in full: options, actions, layout, bots."""
        return self._send(_calls.get_game(game))

    def get_server_info(self) -> catalog.GetServerInfoResponse:
        """The version of the server, and its limits."""
        return self._send(_calls.get_server_info())

    def create_match(
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

        Args:
            game: the game, by its name in the catalog.
            seat_count: how many seats it has.
            options: the game's options that are not to have their defaults, by key.
            bots: the bots that take seats, by seat from 0, such as "greedy@1"; without a version: the newest. All other
                seats are open.
            seed: what fixes all chance of the match, 0 to 2**64 - 1; None: a random one. Whoever knows it can foresee
                every chance outcome.
            strikes: the number of strikes with which a seat forfeits, 1 to 255. Without `conduct`, each illegal action
                is a strike. None: 3, if `conduct` has strikes.
            time_control: the clock of every seat; None: only the server's idle limit.
            seat_time_controls: the clocks of seats that differ from `time_control`, by seat from 0.
            conduct: the consequences of faults; None: the defaults.
            stand_in: the bot that plays on for a seat that has forfeited; empty: the newest `greedy`.
            private: true if the server does not list the match, and `join` finds it only by its id.
            reservations: the seats that only certain players may take, by seat from 0.
            labels: labels for the description of the match: at most 16, with keys of 1 to 64 bytes and values of up to 256
                bytes.
            spectator_delay: the number of the last public events that the public is not told while the match is in
                progress, 0 to 10000.
        """
        return self._send(
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

    def cancel_match(self, match_id: str, owner_token: str, reason: str = "") -> v1.Match:
        """Cancels a match that has not ended. The match has no result.

        Args:
            match_id: the match.
            owner_token: the `owner_token` of the match that `create_match` returned.
            reason: the reason, for players and records: one line of up to 200 bytes; empty: "cancelled by its creator".
        """
        return self._send(_calls.cancel_match(match_id, owner_token, reason))

    def join_match(
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
        """Takes a seat, in a match (by `match_id`) or in any that fits (by `game`, `seat_count` and `options`).

        Where none fits, a new match is created.

        Args:
            match_id: the match.
            game: the game of which any match will do.
            seat_count: how many seats that match has; None: any number.
            options: its options that are not to have their defaults, by key.
            seat: the seat, from 0; None: the lowest open one.
            name: what the player is called in results and records: one line of 1 to 64 bytes; empty: "agent".
            invitation_code: the code for a reserved seat; empty for other seats.
        """
        return self._send(
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

    def join(
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
        response = self.join_match(
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

    def await_seat(
        self, key: str, *, wait: float = 0.0, playing: Sequence[str] = (), practice_id: str = ""
    ) -> v1.AwaitSeatResponse:
        """Returns the seat that an agent has to play now, for an agent that plays many matches.

        The answer is the same until the match has ended or the seat has forfeited. `ahu.play_many` and `ahu.compete` call
        this.

        Args:
            key: the agent's key, which the host of the matches gives it.
            wait: the time in seconds to wait for a seat, at most 30. If the time passes, the answer has no seat.
            playing: the matches that the agent plays now, by id: the answer has a seat of another one.
            practice_id: an id of the agent's choice for a practice match, 16 to 64 printable ASCII characters without
                spaces: the answer has the seat of that match, and after it the report. `ahu.practice` does all of that.
        """
        return self._send(_calls.await_seat(key, wait, playing, practice_id))

    def get_match(self, match_id: str, *, wait: float = 0.0) -> v1.Match:
        """Returns the public description of a match.

        Args:
            match_id: the match.
            wait: the time in seconds to wait for the end of the match, at most 30. If the time passes, the call returns
                the current description.
        """
        return self._send(_calls.get_match(match_id, wait))

    def list_matches(
        self,
        *,
        game: str = "",
        state: v1.MatchState = v1.MATCH_STATE_UNSPECIFIED,
        page_size: int = 0,
    ) -> Iterator[v1.Match]:
        """The matches that the server hosts, the oldest first, page by page as they are asked for.

        Args:
            game: only those of this game; empty: of all.
            state: only those that are so far; unspecified: all.
            page_size: how many are fetched at a time, 1 to 1000; 0: 100.
        """
        page_token = ""
        while True:
            page = self._send(_calls.list_matches(game, state, page_size, page_token))
            yield from page.matches
            page_token = page.next_page_token
            if not page_token:
                return

    def observe(
        self,
        match_id: str,
        seat: int | None = None,
        token: str | None = None,
        *,
        formats: v1.ObservationFormats | None = None,
        wait: float = 0.0,
    ) -> v1.Observation:
        """Returns the observation of a seat, or the public one without `seat` and `token`.

        Args:
            match_id: the match.
            seat: the seat, from 0; None: the seat of the token.
            token: the seat's token.
            formats: which formats are wanted; None: none.
            wait: how long to wait for the seat's next decision or the end of the match, in seconds, at most 30; for the
                public, for an event after `formats.events_after`, or else for the next one. It is no error where nothing
                comes in that time.
        """
        return self._send(_calls.observe(match_id, seat, token, formats, wait))

    def watch(
        self,
        match_id: str,
        seat: int | None = None,
        token: str | None = None,
        *,
        after: int | None = None,
        formats: v1.ObservationFormats | None = None,
        all_seats: bool = False,
    ) -> Generator[v1.WatchMatchResponse, None, None]:
        """Follows a match up to its end: yields an update when the viewer is told something new.

        The viewer is the public, or a seat with its `token`. The first update has the observation now, and each later one
        the events since the one before, as `update.observation.events`. After a lost connection, the stream goes on after
        the last event, for as long as `retry` says.

        Args:
            match_id: the match.
            seat: the seat, from 0; None: the seat of the token.
            token: the seat's token.
            after: the number of the event after which the stream begins; 0: before the first event; None: now.
            formats: the formats of the observations, without `events_after`; None: events alone, as text.
            all_seats: True to also get the observations of all seats, as `update.seat_observations`: only for a match that
                has ended.
        """
        watch = _calls.Watch(match_id, seat, token, after, formats, all_seats)
        attempts: Attempts | None = None
        while True:
            call = watch.call()
            with self._connecting:
                method = self._methods[call.name]
            stream = method(call.request, metadata=call.metadata)
            try:
                for message in stream:
                    attempts = None
                    if watch.is_update(message):
                        yield message
                return
            except grpc.RpcError as failure:
                attempts = attempts or Attempts(self._retry, self.address)
                wait = attempts.wait_after(failure)
            finally:
                stream.cancel()
            self._sleep(wait)

    def list_legal_actions(
        self, match_id: str, seat: int, token: str, *, typed: bool = False
    ) -> v1.ListLegalActionsResponse:
        """What a seat may do, action by action; nothing, where it owes no decision."""
        return self._send(_calls.list_legal_actions(match_id, seat, token, typed))

    def parse_action(self, match_id: str, seat: int, token: str, action: Choice) -> v1.ParseActionResponse:
        """Says an action in all forms, and whether it is legal now. Carries nothing out."""
        return self._send(_calls.parse_action(match_id, seat, token, action))

    def step(
        self,
        match_id: str,
        seat: int,
        token: str,
        decision_id: int,
        action: Choice,
        *,
        formats: v1.ObservationFormats | None = None,
    ) -> v1.StepResponse:
        """Answers a decision. The same answer again is the same answer.

        Args:
            match_id: the match.
            seat: the seat, from 0.
            token: the seat's token.
            decision_id: the decision that this answers.
            action: what to do.
            formats: which formats of the observation after the action are wanted; None: none.
        """
        return self._send(_calls.step(match_id, seat, token, decision_id, action, formats))

    def resign_seat(self, match_id: str, seat: int, token: str) -> v1.Match:
        """Resigns for a seat, which forfeits: a stand-in plays on for it."""
        return self._send(_calls.resign_seat(match_id, seat, token))

    def get_record(
        self,
        match_id: str,
        *,
        record_format: v1.RecordFormat = v1.RECORD_FORMAT_TEXT,
        seat: int | None = None,
        token: str | None = None,
        after: int | None = None,
        wait: float = 0.0,
    ) -> v1.GetRecordResponse:
        """The record of a match: the whole once it is finished, before that what a viewer was told.

        Args:
            match_id: the match.
            record_format: the form; before the end there is only text.
            seat: whose knowledge is wanted before the end, with its `token`; None: that of the token's seat, or the
                public's without a token.
            token: the seat's token.
            after: the number of an event: only the lines of the events after it are returned, also after the end.
            wait: how long to wait for an event after `after`, or for the end of the match without it, in seconds, at most
                30.
        """
        return self._send(_calls.get_record(match_id, record_format, seat, token, after, wait))


class Seat(SeatBase):
    """A seat of a match, as `Client.join` hands it over."""

    def __init__(
        self, client: Client, match_id: str, seat: int, token: str, agent_seed: int | None = None
    ) -> None:
        super().__init__(match_id, seat, token, agent_seed)
        self.client = client

    def match(self) -> v1.Match:
        """The match, as everybody may see it."""
        return self.client.get_match(self.match_id)

    def observe(self, formats: v1.ObservationFormats | None = None, *, wait: float = 0.0) -> v1.Observation:
        """What the seat knows, as `Client.observe` does."""
        return self.client._send(self._observe(formats, wait))

    def watch(
        self, *, after: int | None = None, formats: v1.ObservationFormats | None = None
    ) -> Generator[v1.WatchMatchResponse, None, None]:
        """Follows the match as the seat is told of it, as `Client.watch` does."""
        return self.client.watch(self.match_id, self.seat, self.token, after=after, formats=formats)

    def legal_actions(self, *, typed: bool = False) -> list[Action]:
        """What the seat may do now; nothing, where it owes no decision."""
        return self.client._send(self._legal_actions(typed))

    def parse(self, action: Choice) -> v1.ParseActionResponse:
        """Says an action in all forms, and whether the seat may take it now. Carries nothing out."""
        return self.client._send(self._parse(action))

    def step(
        self, action: Choice, *, decision_id: int | None = None, formats: v1.ObservationFormats | None = None
    ) -> v1.StepResponse:
        """Answers a decision, by default the one that the seat owed when it was last heard of."""
        if decision_id is None:
            if self.decision_id is None:
                self.observe()
            decision_id = self.decision_id or 0
        return self.client._send(self._step(action, decision_id, formats))

    def resign(self) -> v1.Match:
        """Resigns: the seat forfeits, and a stand-in plays on for it."""
        return self.client._send(self._resign())

    def record(self, record_format: v1.RecordFormat = v1.RECORD_FORMAT_TEXT) -> v1.GetRecordResponse:
        """The record of the match: the whole once it is finished, before that what the seat was told."""
        return self.client._send(self._record(record_format))
