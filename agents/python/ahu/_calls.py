"""The table of calls: every call of the service once, for the blocking client and the asyncio client.

A method of `Calls` has the signature, the docstring, and the request of a call: it builds a `Call`. The decorator
`sent` turns it into a method that sends the call. The type of this method depends on its object: a blocking client
returns the answer, an asyncio client a coroutine. So both clients have the same calls, with types that editors and
pyright can read (`tests/typed_calls.py`).
"""

from __future__ import annotations

import functools
import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from ahu import _actions as actions, _channel
from ahu._account import account_headers
from ahu._actions import Choice
from ahu._created_match import CreatedMatch
from ahu._options import Options, option_texts
from ahu._placement import assigned_seat
from ahu._retry import Attempts, Retry
from ahu._seeds import checked_seed
from ahu._terms import Conduct, Reservation, TimeControl, duration
from ahu.cup.v1beta1 import cup_service_pb2 as cups
from ahu.cup.v1beta1.cup_service_pb2_grpc import CupServiceStub
from ahu.v1 import catalog_service_pb2 as catalog, match_service_pb2 as v1
from ahu.v1.catalog_service_pb2_grpc import CatalogServiceStub
from ahu.v1.match_service_pb2_grpc import MatchServiceStub

MAX_WAIT = 30.0
"""The maximum time that a call waits, in seconds. The server shortens longer waits."""

TIMEOUT = 30.0
"""The time that one attempt at a call may take, in seconds, in addition to the time that it waits on purpose. A silent
connection is noticed sooner (20 s), and then the call is sent again."""

Answer = TypeVar("Answer")
AnySeat = TypeVar("AnySeat")
Arguments = ParamSpec("Arguments")
Owner = TypeVar("Owner")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Call(Generic[Answer]):
    """A call.

    Attributes:
        name: the method of the service.
        request: the request, the same each time that it is sent.
        answer: the function that turns the response into what the caller gets.
        token: the token of a seat or an owner; None: the call needs no token.
        wait: the time that the server may take on purpose, in seconds.
    """

    name: str
    request: Message
    answer: Callable[[Any], Answer]
    token: str | None = None
    wait: float = 0.0

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Returns the headers of the request: the token, and the match for a proxy that routes by it."""
        match_id = getattr(self.request, "match_id", "")
        headers = (("authorization", f"Bearer {self.token}"),) if self.token is not None else ()
        return (
            (*headers, ("ahu-match-id", match_id))
            if match_id.isascii() and match_id.isprintable() and match_id
            else headers
        )

    def then(self, function: Callable[[Answer], Result]) -> Call[Result]:
        """Returns the same call with another answer: the result of `function` for the present answer."""
        return Call(self.name, self.request, lambda response: function(self.answer(response)), self.token, self.wait)


class Blocking(ABC):
    """A sender of calls that blocks."""

    @abstractmethod
    def _send(self, call: Call[Answer]) -> Answer:
        """Sends a call, and returns its answer."""


class Awaiting(ABC):
    """A sender of calls for asyncio."""

    @abstractmethod
    async def _send(self, call: Call[Answer]) -> Answer:
        """Sends a call, and returns its answer."""


class Builder(Protocol[Arguments, Answer]):
    """A method of the table, taken from its class. `build` returns the call without sending it; its first argument is the
    client."""

    build: Callable[Concatenate[Any, Arguments], Call[Answer]]


class Method(Protocol[Arguments, Answer]):
    """The type of a method that sends a call: a blocking sender's returns the answer, an awaiting sender's a coroutine."""

    @overload
    def __get__(self, sender: None, owner: type[Any]) -> Builder[Arguments, Answer]: ...
    @overload
    def __get__(self, sender: Blocking, owner: type[Any]) -> Callable[Arguments, Answer]: ...
    @overload
    def __get__(self, sender: Awaiting, owner: type[Any]) -> Callable[Arguments, Coroutine[Any, Any, Answer]]: ...


def sent(build: Callable[Concatenate[Owner, Arguments], Call[Answer]]) -> Method[Arguments, Answer]:
    """Returns the method that builds a call as `build` does, and sends it."""

    @functools.wraps(build)
    def send(sender: Any, *arguments: Any, **named: Any) -> Any:
        return sender._send(build(sender, *arguments, **named))

    method: Any = send
    method.build = build
    return method


def methods(channel: Any) -> dict[str, Callable[..., Any]]:
    """Returns the methods of these services, by name. No two methods have the same name."""
    methods: dict[str, Callable[..., Any]] = {}
    for stub in (CatalogServiceStub, MatchServiceStub, CupServiceStub):
        methods.update(vars(stub(channel)))
    return methods


def _whole(response: Answer) -> Answer:
    """Returns the response itself, for calls whose answer is the whole response."""
    return response


def _limited(wait: float) -> tuple[float, Duration]:
    """Returns a wait in seconds, within the limits, and the same as a message."""
    wait = min(max(wait, 0.0), MAX_WAIT)
    message = duration(wait, "wait")
    assert message is not None
    return wait, message


def _request_id() -> str:
    return str(uuid.uuid4())


class Calls(ABC, Generic[AnySeat]):
    """The calls of a client.

    A blocking client returns the answer of each call; an asyncio client returns a coroutine.
    """

    # The module with the functions that make channels: `grpc` or `grpc.aio`.
    _grpc: ClassVar[Any]

    def __init__(
        self,
        address: str,
        *,
        timeout: float = TIMEOUT,
        retry: Retry = Retry(),
        account_key: str | None = None,
    ) -> None:
        self.address = address
        self._addresses = address.split(",")
        for each in self._addresses:
            _channel.check(each)
        # The place of the address that answered last, and the channels and methods of those that were used.
        self._place = 0
        self._opened: dict[int, tuple[Any, dict[str, Callable[..., Any]]]] = {}
        self._timeout = timeout
        self._retry = retry
        self._headers = account_headers(account_key)
        # Only one of several threads makes the channel.
        self._connecting = threading.Lock()

    def _method(self, name: str) -> tuple[int, Callable[..., Any]]:
        """Returns the place of the address to call, and its method with this name. The first use makes the channel, so that a
        process may fork before, and in the event loop to which it belongs."""
        with self._connecting:
            place = self._place
            if place not in self._opened:
                channel = _channel.open_channel(self._grpc, self._addresses[place])
                self._opened[place] = channel, methods(channel)
            return place, self._opened[place][1][name]

    def _turn_from(self, place: int) -> None:
        """Turns to the next address after one that gave no answer, unless another call has done so."""
        if self._place == place:
            self._place = (place + 1) % len(self._addresses)

    def _attempts(self) -> Attempts:
        return Attempts(self._retry, self.address, len(self._addresses))

    @abstractmethod
    def seat(self, match_id: str, seat: int, token: str, agent_seed: int | None = None) -> AnySeat:
        """Returns a seat that was joined before."""

    @sent
    def list_games(self) -> Call[list[catalog.GameSummary]]:
        """Returns the games of the catalog, in short."""
        return Call("ListGames", catalog.ListGamesRequest(), lambda response: list(response.games))

    @sent
    def get_game(self, game: str) -> Call[catalog.Game]:
        """Returns one game in full: options, actions, layout, bots."""
        return Call("GetGame", catalog.GetGameRequest(game=game), lambda response: response.game)

    @sent
    def get_server_info(self) -> Call[catalog.GetServerInfoResponse]:
        """Returns the version of the server, and its limits."""
        return Call("GetServerInfo", catalog.GetServerInfoRequest(), _whole)

    @sent
    def create_match(
        self,
        game: str,
        seats: int,
        *,
        options: Options = {},
        bots: Mapping[int, str] = {},
        seed: int | None = None,
        time_control: TimeControl | None = None,
        seat_time_controls: Mapping[int, TimeControl] = {},
        conduct: Conduct | None = None,
        stand_in: str = "",
        unlisted: bool = False,
        reservations: Mapping[int, Reservation] = {},
        labels: Mapping[str, str] = {},
        spectator_delay: int = 0,
        rules_version: int | None = None,
        layout_hash: bytes = b"",
    ) -> Call[CreatedMatch]:
        """Creates a match. It begins when every seat is taken.

        A match in which only bots play is running when the call returns: wait for its end with `get_match`.

        Args:
            game: the game, by its name in the catalog.
            seats: the number of seats.
            options: the options that differ from their defaults, by key.
            bots: the bots that take seats, by seat from 0, such as "greedy@1"; without a version: the newest. All other
                seats are open.
            seed: the seed that fixes all chance of the match, 0 to 2**64 - 1; None: a random seed. A player that knows
                the seed can foresee every chance outcome.
            time_control: the clock of every seat; None: only the server's idle limit.
            seat_time_controls: the clocks of seats that differ from `time_control`, by seat from 0.
            conduct: the consequences of faults; None: the defaults.
            stand_in: the bot that plays on for a seat that has forfeited; empty: the newest `greedy`.
            unlisted: true if the server does not list the match, and `join` finds it only by its id.
            reservations: the seats that only certain players may take, by seat from 0.
            labels: labels for the description of the match: at most 16, with keys of 1 to 64 bytes and values of up to 256
                bytes.
            spectator_delay: the number of last public events that are kept from the public while the match is in
                progress, 0 to 10000.
            rules_version: the rules version that the caller expects; a server with another one refuses the match. None:
                any version.
            layout_hash: the layout hash that the caller expects (see `Layout.hash`), in the same way; empty: any layout.
        """
        spec = v1.MatchSpec(
            game=game,
            seat_count=seats,
            options=option_texts(options),
            bots=[v1.BotSeat(seat=seat, bot=bot) for seat, bot in bots.items()],
            seed="" if seed is None else str(checked_seed(seed)),
            time_control=None if time_control is None else time_control.message(),
            seat_time_controls=[
                v1.SeatTimeControl(seat=seat, time_control=control.message())
                for seat, control in seat_time_controls.items()
            ],
            conduct=None if conduct is None else conduct.message(),
            stand_in=stand_in,
            unlisted=unlisted,
            reservations=[
                v1.Reservation(seat=seat, name=reservation.name, invitation_code=reservation.invitation_code)
                for seat, reservation in reservations.items()
            ],
            labels=labels,
            spectator_delay=spectator_delay,
            rules_version=rules_version,
            layout_hash=layout_hash,
        )
        request = v1.CreateMatchRequest(spec=spec, request_id=_request_id())
        return Call(
            "CreateMatch",
            request,
            lambda response: CreatedMatch(match=response.match, owner_token=response.owner_token),
        )

    @sent
    def cancel_match(self, match_id: str, owner_token: str, reason: str = "") -> Call[v1.Match]:
        """Cancels a match that has not ended. The match has no result.

        Args:
            match_id: the match.
            owner_token: the `owner_token` of the match that `create_match` returned.
            reason: the reason, for players and records: one line of up to 200 bytes; empty: "cancelled by its creator".
        """
        request = v1.CancelMatchRequest(match_id=match_id, reason=reason)
        return Call("CancelMatch", request, lambda response: response.match, owner_token)

    @sent
    def join_match(
        self,
        match_id: str | None = None,
        *,
        game: str | None = None,
        seats: int | None = None,
        options: Options = {},
        seat: int | None = None,
        name: str = "",
        invitation_code: str = "",
    ) -> Call[v1.JoinMatchResponse]:
        """Takes a seat as `join` does, and returns the response of the service."""
        request = v1.JoinMatchRequest(seat=seat, name=name, request_id=_request_id(), invitation_code=invitation_code)
        if match_id is not None and game is None and seats is None and not options:
            request.match_id = match_id
        elif match_id is None and game is not None:
            request.any.CopyFrom(v1.AnyMatch(game=game, seat_count=seats, options=option_texts(options)))
        else:
            raise ValueError("join a match by its match_id, or any match of a game by game, seats, and options")
        return Call("JoinMatch", request, _whole)

    @sent
    def join(
        self,
        match_id: str | None = None,
        *,
        game: str | None = None,
        seats: int | None = None,
        options: Options = {},
        seat: int | None = None,
        name: str = "",
        invitation_code: str = "",
    ) -> Call[AnySeat]:
        """Takes a seat in a given match (by `match_id`), or in any match that fits (by `game`, `seats`, and `options`).

        If no match fits, the server creates one.

        Args:
            match_id: the match.
            game: the game, if any match of it will do.
            seats: the number of seats of the match; None: any number.
            options: the options that differ from their defaults, by key.
            seat: the seat, from 0; None: the lowest open seat.
            name: the name of the player in results and records: one line of 1 to 64 bytes; empty: "agent".
            invitation_code: the code for a reserved seat; empty for other seats.

        Raises:
            ValueError: the arguments name neither a match nor a game, or both.
        """
        call = Calls.join_match.build(
            self,
            match_id,
            game=game,
            seats=seats,
            options=options,
            seat=seat,
            name=name,
            invitation_code=invitation_code,
        )
        return call.then(lambda joined: assigned_seat(self, joined.assigned))

    @sent
    def await_seat(
        self, key: str, *, wait: float = 0.0, playing: Iterable[tuple[str, int]] = (), agent: str = ""
    ) -> Call[v1.AwaitSeatResponse]:
        """Returns the seat that an agent has to play now, for an agent that plays many matches.

        The answer is the same until the match has ended or the seat has forfeited. `ahu.connect` calls this.

        Args:
            key: the agent's key, from the host of the matches.
            wait: the time in seconds to wait for a seat, at most 30. If the time passes, the answer has no seat.
            playing: the seats that the agent plays now, each as the id of its match and its number: the answer has another
                seat.
            agent: the agent of a ladder, for the key of an account that has entered several: "moai@3", or "moai" for the
                newest version; empty for the one that was entered last.
        """
        wait, limit = _limited(wait)
        seats = [v1.SeatId(match_id=match_id, seat=seat) for match_id, seat in playing]
        return Call("AwaitSeat", v1.AwaitSeatRequest(wait=limit, playing=seats, agent=agent), _whole, key, wait)

    @sent
    def practise(self, key: str, practice_id: str) -> Call[cups.PractiseResponse]:
        """Begins a practice match for an agent of a cup, and returns its seat; after the match, the report on the agent.

        `ahu.connect(practice=True)` does all this.

        Args:
            key: the agent's key, from the organiser of the cup.
            practice_id: an id of the agent's choice for the match: 16 to 64 printable ASCII characters without spaces. The
                same id returns the same match.
        """
        return Call("Practise", cups.PractiseRequest(practice_id=practice_id), _whole, key)

    @sent
    def get_match(self, match_id: str, *, wait: float = 0.0) -> Call[v1.Match]:
        """Returns the public description of a match.

        Args:
            match_id: the match.
            wait: the time in seconds to wait for the end of the match, at most 30. If the time passes, the call returns
                the current description.
        """
        wait, limit = _limited(wait)
        request = v1.GetMatchRequest(match_id=match_id, wait=limit)
        return Call("GetMatch", request, lambda response: response.match, wait=wait)

    @sent
    def _match_page(
        self,
        game: str,
        state: v1.MatchState,
        labels: Mapping[str, str],
        player_id: str,
        page_size: int,
        page_token: str,
    ) -> Call[v1.ListMatchesResponse]:
        """Returns one page of the matches that `list_matches` lists."""
        request = v1.ListMatchesRequest(
            game=game, state=state, labels=labels, player_id=player_id, page_size=page_size, page_token=page_token
        )
        return Call("ListMatches", request, _whole)

    @sent
    def observe(
        self,
        match_id: str,
        seat: int | None = None,
        token: str | None = None,
        *,
        formats: v1.ObservationFormats | None = None,
        events_after: int | None = None,
        wait: float = 0.0,
    ) -> Call[v1.Observation]:
        """Returns the observation of a seat; without `seat` and `token`, the public observation.

        Args:
            match_id: the match.
            seat: the seat, from 0; None: the seat of the token.
            token: the seat's token.
            formats: the formats of the observation; None: none.
            events_after: the number of the event after which the observation has events, 0 for all; None: no events.
            wait: the time in seconds to wait for the seat's next decision or the end of the match, at most 30. The
                public waits for an event after `events_after`, or without it for the next event. If the time passes, the
                call returns the current observation.
        """
        wait, limit = _limited(wait)
        public = seat is None and token is None
        request = v1.ObserveRequest(
            match_id=match_id, seat=seat, public_view=public, formats=formats, events_after=events_after, wait=limit
        )
        return Call("Observe", request, lambda response: response.observation, token, wait)

    @sent
    def parse_action(self, match_id: str, seat: int, token: str, action: Choice) -> Call[v1.ParseActionResponse]:
        """Returns an action in all forms, and whether it is legal now. Changes nothing."""
        request = v1.ParseActionRequest(match_id=match_id, seat=seat, action=actions.message(action))
        return Call("ParseAction", request, _whole, token)

    @sent
    def step(
        self,
        match_id: str,
        seat: int,
        token: str,
        decision_id: int,
        action: Choice,
        *,
        formats: v1.ObservationFormats | None = None,
        events_after: int | None = None,
        wait: float = 0.0,
        comment: str = "",
    ) -> Call[v1.StepResponse]:
        """Answers a decision. The same answer sent again gets the same response.

        Args:
            match_id: the match.
            seat: the seat, from 0.
            token: the seat's token.
            decision_id: the number of the decision.
            action: the action: an id, a text, an item of `Turn.legal`, or a typed message.
            formats: the formats of the observation after the action; None: none.
            events_after: the number of the event after which the observation has events, 0 for all; None: no events.
            wait: the time in seconds to wait, after the action, for the seat's next decision or the end of the match, at
                most 30. If the time passes, the observation has no decision.
            comment: a comment on the decision, up to 2048 bytes, which nobody gets before the end of the match.
        """
        wait, limit = _limited(wait)
        request = v1.StepRequest(
            match_id=match_id,
            seat=seat,
            decision_id=decision_id,
            action=actions.message(action),
            formats=formats,
            events_after=events_after,
            wait=limit,
            comment=comment,
        )
        return Call("Step", request, _whole, token, wait)

    @sent
    def resign_seat(self, match_id: str, seat: int, token: str) -> Call[v1.Match]:
        """Resigns for a seat, which forfeits: a stand-in plays on for it."""
        request = v1.ResignSeatRequest(match_id=match_id, seat=seat)
        return Call("ResignSeat", request, lambda response: response.match, token)

    @sent
    def get_record(
        self,
        match_id: str,
        *,
        record_format: v1.RecordFormat = v1.RECORD_FORMAT_TEXT,
        organiser_key: str | None = None,
    ) -> Call[v1.GetRecordResponse]:
        """Returns the record of a match that has ended, with the comments of the agents. `get_match` waits for the end.

        Args:
            match_id: the match.
            record_format: the format.
            organiser_key: the key of the server's organiser, for a sealed match.
        """
        request = v1.GetRecordRequest(match_id=match_id, format=record_format)
        return Call("GetRecord", request, _whole, organiser_key)


class Watch:
    """The part of a stream of `WatchMatch` that both clients share: the event after which it begins, even after a lost
    connection."""

    def __init__(
        self,
        match_id: str,
        seat: int | None,
        token: str | None,
        events_after: int | None,
        formats: v1.ObservationFormats | None,
        all_seats: bool,
    ) -> None:
        public = seat is None and token is None
        self._request = v1.WatchMatchRequest(
            match_id=match_id, seat=seat, public_view=public, formats=formats, all_seats=all_seats
        )
        self._token = token
        self._after = events_after
        self._begins = True
        self._has_begun = False

    def call(self) -> Call[v1.WatchMatchResponse]:
        """Returns the call that begins the stream after the last event."""
        request = v1.WatchMatchRequest()
        request.CopyFrom(self._request)
        if self._after is not None:
            request.events_after = self._after
        self._begins = True
        return Call("WatchMatch", request, _whole, self._token)

    def is_update(self, message: v1.WatchMatchResponse) -> bool:
        """Notes a message. Returns False for a heartbeat, and for the first message of a stream that continues another."""
        if not message.HasField("observation"):
            return False
        is_known, self._begins = self._begins and self._has_begun, False
        self._has_begun = True
        if message.observation.events:
            self._after = message.observation.events[-1].number
        elif self._after is None:
            self._after = message.observation.event_count
        return not is_known
