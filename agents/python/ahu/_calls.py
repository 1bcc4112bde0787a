"""The calls of the service, as values: what `Client` and `aio.Client` have in common."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from ahu import actions
from ahu._options import Options, option_texts
from ahu.created_match import CreatedMatch
from ahu.terms import Conduct, Reservation, TimeControl, duration
from ahu.v1 import catalog_service_pb2 as catalog
from ahu.v1 import match_service_pb2 as v1
from ahu.v1.catalog_service_pb2_grpc import CatalogServiceStub
from ahu.v1.match_service_pb2_grpc import MatchServiceStub

MAX_WAIT = 30.0
"""The maximum time that Observe and GetMatch wait, in seconds. The server shortens longer waits."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Call(Generic[Answer]):
    """A call.

    Attributes:
        name: the method.
        request: what is sent, each time the same.
        answer: what the caller gets, of the response.
        token: the token of a seat or an owner.
        wait: how long the server may take on purpose, in seconds.
    """

    name: str
    request: Message
    answer: Callable[[Any], Answer]
    token: str | None = None
    wait: float = 0.0

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes along with the request."""
        return () if self.token is None else (("authorization", f"Bearer {self.token}"),)


def methods(channel: Any) -> dict[str, Callable[..., Any]]:
    """The methods of both services by name; no two are called the same."""
    return {**vars(CatalogServiceStub(channel)), **vars(MatchServiceStub(channel))}


def _whole(response: Any) -> Any:
    return response


def _wait(wait: float) -> tuple[float, Duration]:
    """Returns a wait in seconds, within the limits, and the same as a message."""
    wait = min(max(wait, 0.0), MAX_WAIT)
    message = duration(wait, "wait")
    assert message is not None
    return wait, message


def _request_id() -> str:
    return str(uuid.uuid4())


def list_games() -> Call[list[catalog.GameSummary]]:
    return Call("ListGames", catalog.ListGamesRequest(), lambda response: list(response.games))


def get_game(game: str) -> Call[catalog.Game]:
    return Call("GetGame", catalog.GetGameRequest(game=game), lambda response: response.game)


def get_server_info() -> Call[catalog.GetServerInfoResponse]:
    return Call("GetServerInfo", catalog.GetServerInfoRequest(), _whole)


def create_match(
    game: str,
    seat_count: int,
    *,
    options: Options,
    bots: Mapping[int, str],
    seed: int | None,
    strikes: int | None,
    time_control: TimeControl | None,
    seat_time_controls: Mapping[int, TimeControl],
    conduct: Conduct | None,
    stand_in: str,
    private: bool,
    reservations: Mapping[int, Reservation],
    labels: Mapping[str, str],
    spectator_delay: int,
) -> Call[CreatedMatch]:
    request = v1.CreateMatchRequest(
        game=game,
        seat_count=seat_count,
        options=option_texts(options),
        bots=[v1.BotSeat(seat=seat, bot=bot) for seat, bot in bots.items()],
        seed=seed,
        strikes=strikes,
        request_id=_request_id(),
        time_control=None if time_control is None else time_control.message(),
        seat_time_controls=[
            v1.SeatTimeControl(seat=seat, time_control=control.message())
            for seat, control in seat_time_controls.items()
        ],
        conduct=None if conduct is None else conduct.message(),
        stand_in=stand_in,
        private=private,
        reservations=[
            v1.Reservation(seat=seat, name=reservation.name, invitation_code=reservation.invitation_code)
            for seat, reservation in reservations.items()
        ],
        labels=labels,
        spectator_delay=spectator_delay,
    )
    return Call("CreateMatch", request, lambda response: CreatedMatch(response.match, response.owner_token))


def cancel_match(match_id: str, owner_token: str, reason: str) -> Call[v1.Match]:
    request = v1.CancelMatchRequest(match_id=match_id, reason=reason)
    return Call("CancelMatch", request, lambda response: response.match, owner_token)


def join_match(
    match_id: str | None,
    *,
    game: str | None,
    seat_count: int | None,
    options: Options,
    seat: int | None,
    name: str,
    invitation_code: str,
) -> Call[v1.JoinMatchResponse]:
    request = v1.JoinMatchRequest(seat=seat, name=name, request_id=_request_id(), invitation_code=invitation_code)
    if match_id is not None and game is None and seat_count is None and not options:
        request.match_id = match_id
    elif match_id is None and game is not None:
        request.any.CopyFrom(v1.AnyMatch(game=game, seat_count=seat_count, options=option_texts(options)))
    else:
        raise ValueError("join a match by its match_id, or any match of a game by game, seat_count and options")
    return Call("JoinMatch", request, _whole)


def await_seat(key: str, wait: float, playing: Sequence[str], practice_id: str) -> Call[v1.AwaitSeatResponse]:
    wait, limit = _wait(wait)
    request = v1.AwaitSeatRequest(wait=limit, playing=playing, practice_id=practice_id)
    return Call("AwaitSeat", request, _whole, key, wait)


def get_match(match_id: str, wait: float) -> Call[v1.Match]:
    wait, limit = _wait(wait)
    request = v1.GetMatchRequest(match_id=match_id, wait=limit)
    return Call("GetMatch", request, lambda response: response.match, wait=wait)


def list_matches(game: str, state: v1.MatchState, page_size: int, page_token: str) -> Call[v1.ListMatchesResponse]:
    request = v1.ListMatchesRequest(game=game, state=state, page_size=page_size, page_token=page_token)
    return Call("ListMatches", request, _whole)


def observe(
    match_id: str, seat: int | None, token: str | None, formats: v1.ObservationFormats | None, wait: float
) -> Call[v1.Observation]:
    wait, limit = _wait(wait)
    request = v1.ObserveRequest(match_id=match_id, seat=seat, formats=formats, wait=limit)
    return Call("Observe", request, lambda response: response.observation, token, wait)


class Watch:
    """A stream of `WatchMatch`, as far as the blocking and the asyncio client agree: where it begins, also again after a
    lost connection."""

    def __init__(
        self,
        match_id: str,
        seat: int | None,
        token: str | None,
        after: int | None,
        formats: v1.ObservationFormats | None,
        all_seats: bool,
    ) -> None:
        self._request = v1.WatchMatchRequest(match_id=match_id, seat=seat, formats=formats, all_seats=all_seats)
        self._token = token
        self._after = after
        self._begins = True
        self._has_begun = False

    def call(self) -> Call[v1.WatchMatchResponse]:
        """Returns the call that begins the stream after the last event."""
        request = v1.WatchMatchRequest()
        request.CopyFrom(self._request)
        if self._after is not None:
            request.after = self._after
        self._begins = True
        return Call("WatchMatch", request, _whole, self._token)

    def is_update(self, message: v1.WatchMatchResponse) -> bool:
        """Notes a message. Returns False for a heartbeat, and for a beginning that is an end of the stream before."""
        if not message.HasField("observation"):
            return False
        is_known, self._begins = self._begins and self._has_begun, False
        self._has_begun = True
        if message.observation.events:
            self._after = message.observation.events[-1].number
        elif self._after is None:
            self._after = message.observation.event_count
        return not is_known


def list_legal_actions(match_id: str, seat: int, token: str, typed: bool) -> Call[v1.ListLegalActionsResponse]:
    request = v1.ListLegalActionsRequest(match_id=match_id, seat=seat, typed=typed)
    return Call("ListLegalActions", request, _whole, token)


def parse_action(match_id: str, seat: int, token: str, action: actions.Choice) -> Call[v1.ParseActionResponse]:
    request = v1.ParseActionRequest(match_id=match_id, seat=seat)
    actions.put(action, request)
    return Call("ParseAction", request, _whole, token)


def step(
    match_id: str,
    seat: int,
    token: str,
    decision_id: int,
    action: actions.Choice,
    formats: v1.ObservationFormats | None,
) -> Call[v1.StepResponse]:
    request = v1.StepRequest(match_id=match_id, seat=seat, decision_id=decision_id, formats=formats)
    actions.put(action, request)
    return Call("Step", request, _whole, token)


def resign_seat(match_id: str, seat: int, token: str) -> Call[v1.Match]:
    request = v1.ResignSeatRequest(match_id=match_id, seat=seat)
    return Call("ResignSeat", request, lambda response: response.match, token)


def get_record(
    match_id: str,
    record_format: v1.RecordFormat,
    seat: int | None,
    token: str | None,
    after: int | None = None,
    wait: float = 0.0,
) -> Call[v1.GetRecordResponse]:
    wait, limit = _wait(wait)
    request = v1.GetRecordRequest(match_id=match_id, format=record_format, seat=seat, after=after, wait=limit)
    return Call("GetRecord", request, _whole, token, wait)
