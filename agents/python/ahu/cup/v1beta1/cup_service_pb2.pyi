import datetime

from ahu.v1 import match_service_pb2 as _match_service_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CupGameState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CUP_GAME_STATE_UNSPECIFIED: _ClassVar[CupGameState]
    CUP_GAME_STATE_WAITING: _ClassVar[CupGameState]
    CUP_GAME_STATE_STARTED: _ClassVar[CupGameState]
    CUP_GAME_STATE_FINISHED: _ClassVar[CupGameState]
    CUP_GAME_STATE_ANNULLED: _ClassVar[CupGameState]
CUP_GAME_STATE_UNSPECIFIED: CupGameState
CUP_GAME_STATE_WAITING: CupGameState
CUP_GAME_STATE_STARTED: CupGameState
CUP_GAME_STATE_FINISHED: CupGameState
CUP_GAME_STATE_ANNULLED: CupGameState

class ListCupsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListCupsResponse(_message.Message):
    __slots__ = ("cups", "next_page_token")
    CUPS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    cups: _containers.RepeatedCompositeFieldContainer[Cup]
    next_page_token: str
    def __init__(self, cups: _Optional[_Iterable[_Union[Cup, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetCupRequest(_message.Message):
    __slots__ = ("cup_id",)
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    def __init__(self, cup_id: _Optional[str] = ...) -> None: ...

class GetCupResponse(_message.Message):
    __slots__ = ("cup",)
    CUP_FIELD_NUMBER: _ClassVar[int]
    cup: Cup
    def __init__(self, cup: _Optional[_Union[Cup, _Mapping]] = ...) -> None: ...

class Cup(_message.Message):
    __slots__ = ("cup_id", "name", "stages", "agent_count", "game_count", "ended_game_count", "ended", "anonymous", "salt_hash", "salt", "begin_time", "until_time")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    AGENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    GAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENDED_GAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    ANONYMOUS_FIELD_NUMBER: _ClassVar[int]
    SALT_HASH_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    BEGIN_TIME_FIELD_NUMBER: _ClassVar[int]
    UNTIL_TIME_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    name: str
    stages: _containers.RepeatedCompositeFieldContainer[CupStage]
    agent_count: int
    game_count: int
    ended_game_count: int
    ended: bool
    anonymous: bool
    salt_hash: str
    salt: str
    begin_time: _timestamp_pb2.Timestamp
    until_time: _timestamp_pb2.Timestamp
    def __init__(self, cup_id: _Optional[str] = ..., name: _Optional[str] = ..., stages: _Optional[_Iterable[_Union[CupStage, _Mapping]]] = ..., agent_count: _Optional[int] = ..., game_count: _Optional[int] = ..., ended_game_count: _Optional[int] = ..., ended: bool = ..., anonymous: bool = ..., salt_hash: _Optional[str] = ..., salt: _Optional[str] = ..., begin_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., until_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CupStage(_message.Message):
    __slots__ = ("name", "game", "seat_count", "group_count", "advance")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEAT_COUNT_FIELD_NUMBER: _ClassVar[int]
    GROUP_COUNT_FIELD_NUMBER: _ClassVar[int]
    ADVANCE_FIELD_NUMBER: _ClassVar[int]
    name: str
    game: str
    seat_count: int
    group_count: int
    advance: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., game: _Optional[str] = ..., seat_count: _Optional[int] = ..., group_count: _Optional[int] = ..., advance: _Optional[_Iterable[str]] = ...) -> None: ...

class CupAgent(_message.Message):
    __slots__ = ("name", "owner", "anchor", "out", "out_reason", "disqualified")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    OUT_FIELD_NUMBER: _ClassVar[int]
    OUT_REASON_FIELD_NUMBER: _ClassVar[int]
    DISQUALIFIED_FIELD_NUMBER: _ClassVar[int]
    name: str
    owner: str
    anchor: bool
    out: bool
    out_reason: str
    disqualified: bool
    def __init__(self, name: _Optional[str] = ..., owner: _Optional[str] = ..., anchor: bool = ..., out: bool = ..., out_reason: _Optional[str] = ..., disqualified: bool = ...) -> None: ...

class ListCupAgentsRequest(_message.Message):
    __slots__ = ("cup_id", "page_size", "page_token")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    page_size: int
    page_token: str
    def __init__(self, cup_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListCupAgentsResponse(_message.Message):
    __slots__ = ("agents", "next_page_token")
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    agents: _containers.RepeatedCompositeFieldContainer[CupAgent]
    next_page_token: str
    def __init__(self, agents: _Optional[_Iterable[_Union[CupAgent, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListStandingsRequest(_message.Message):
    __slots__ = ("cup_id", "stage", "group", "page_size", "page_token")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    stage: str
    group: int
    page_size: int
    page_token: str
    def __init__(self, cup_id: _Optional[str] = ..., stage: _Optional[str] = ..., group: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListStandingsResponse(_message.Message):
    __slots__ = ("standings", "next_page_token")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    next_page_token: str
    def __init__(self, standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("stage", "group", "place", "agent", "game_count", "share", "margin", "wins", "forfeit_count", "rating")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    GAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    stage: str
    group: int
    place: int
    agent: str
    game_count: int
    share: float
    margin: float
    wins: float
    forfeit_count: int
    rating: SeasonRating
    def __init__(self, stage: _Optional[str] = ..., group: _Optional[int] = ..., place: _Optional[int] = ..., agent: _Optional[str] = ..., game_count: _Optional[int] = ..., share: _Optional[float] = ..., margin: _Optional[float] = ..., wins: _Optional[float] = ..., forfeit_count: _Optional[int] = ..., rating: _Optional[_Union[SeasonRating, _Mapping]] = ...) -> None: ...

class SeasonRating(_message.Message):
    __slots__ = ("elo", "margin", "best_place", "worst_place", "last_played_time")
    ELO_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    BEST_PLACE_FIELD_NUMBER: _ClassVar[int]
    WORST_PLACE_FIELD_NUMBER: _ClassVar[int]
    LAST_PLAYED_TIME_FIELD_NUMBER: _ClassVar[int]
    elo: float
    margin: float
    best_place: int
    worst_place: int
    last_played_time: _timestamp_pb2.Timestamp
    def __init__(self, elo: _Optional[float] = ..., margin: _Optional[float] = ..., best_place: _Optional[int] = ..., worst_place: _Optional[int] = ..., last_played_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListCupGamesRequest(_message.Message):
    __slots__ = ("cup_id", "agent", "page_size", "page_token")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    agent: str
    page_size: int
    page_token: str
    def __init__(self, cup_id: _Optional[str] = ..., agent: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListCupGamesResponse(_message.Message):
    __slots__ = ("games", "next_page_token")
    GAMES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[CupGame]
    next_page_token: str
    def __init__(self, games: _Optional[_Iterable[_Union[CupGame, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CupGame(_message.Message):
    __slots__ = ("stage", "table", "number", "extra", "state", "match_id", "agents", "scores", "ranks", "forfeits", "annulled_reason")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    EXTRA_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    ANNULLED_REASON_FIELD_NUMBER: _ClassVar[int]
    stage: str
    table: int
    number: int
    extra: bool
    state: CupGameState
    match_id: str
    agents: _containers.RepeatedScalarFieldContainer[str]
    scores: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    forfeits: _containers.RepeatedCompositeFieldContainer[_match_service_pb2.Forfeit]
    annulled_reason: str
    def __init__(self, stage: _Optional[str] = ..., table: _Optional[int] = ..., number: _Optional[int] = ..., extra: bool = ..., state: _Optional[_Union[CupGameState, str]] = ..., match_id: _Optional[str] = ..., agents: _Optional[_Iterable[str]] = ..., scores: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ..., forfeits: _Optional[_Iterable[_Union[_match_service_pb2.Forfeit, _Mapping]]] = ..., annulled_reason: _Optional[str] = ...) -> None: ...

class ReadJournalRequest(_message.Message):
    __slots__ = ("cup_id", "offset")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    offset: int
    def __init__(self, cup_id: _Optional[str] = ..., offset: _Optional[int] = ...) -> None: ...

class ReadJournalResponse(_message.Message):
    __slots__ = ("part",)
    PART_FIELD_NUMBER: _ClassVar[int]
    part: bytes
    def __init__(self, part: _Optional[bytes] = ...) -> None: ...

class EnterCupRequest(_message.Message):
    __slots__ = ("cup_id", "agent", "games_at_once", "request_id", "wait")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    GAMES_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    agent: str
    games_at_once: int
    request_id: str
    wait: _duration_pb2.Duration
    def __init__(self, cup_id: _Optional[str] = ..., agent: _Optional[str] = ..., games_at_once: _Optional[int] = ..., request_id: _Optional[str] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class EnterCupResponse(_message.Message):
    __slots__ = ("agent",)
    AGENT_FIELD_NUMBER: _ClassVar[int]
    agent: str
    def __init__(self, agent: _Optional[str] = ...) -> None: ...

class LeaveCupRequest(_message.Message):
    __slots__ = ("cup_id", "agent", "request_id", "wait")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    agent: str
    request_id: str
    wait: _duration_pb2.Duration
    def __init__(self, cup_id: _Optional[str] = ..., agent: _Optional[str] = ..., request_id: _Optional[str] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LeaveCupResponse(_message.Message):
    __slots__ = ("agent",)
    AGENT_FIELD_NUMBER: _ClassVar[int]
    agent: str
    def __init__(self, agent: _Optional[str] = ...) -> None: ...

class WakeAgentRequest(_message.Message):
    __slots__ = ("cup_id", "agent", "request_id", "wait")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    agent: str
    request_id: str
    wait: _duration_pb2.Duration
    def __init__(self, cup_id: _Optional[str] = ..., agent: _Optional[str] = ..., request_id: _Optional[str] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class WakeAgentResponse(_message.Message):
    __slots__ = ("agent",)
    AGENT_FIELD_NUMBER: _ClassVar[int]
    agent: str
    def __init__(self, agent: _Optional[str] = ...) -> None: ...

class PractiseRequest(_message.Message):
    __slots__ = ("practice_id",)
    PRACTICE_ID_FIELD_NUMBER: _ClassVar[int]
    practice_id: str
    def __init__(self, practice_id: _Optional[str] = ...) -> None: ...

class PractiseResponse(_message.Message):
    __slots__ = ("assigned", "report")
    ASSIGNED_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    assigned: _match_service_pb2.AssignedSeat
    report: PracticeReport
    def __init__(self, assigned: _Optional[_Union[_match_service_pb2.AssignedSeat, _Mapping]] = ..., report: _Optional[_Union[PracticeReport, _Mapping]] = ...) -> None: ...

class PracticeReport(_message.Message):
    __slots__ = ("match_id", "passed", "forfeit", "strike_count", "decision_count", "illegal_count", "unreadable_count", "slowest", "total", "withheld_count", "resent_count")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    STRIKE_COUNT_FIELD_NUMBER: _ClassVar[int]
    DECISION_COUNT_FIELD_NUMBER: _ClassVar[int]
    ILLEGAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    UNREADABLE_COUNT_FIELD_NUMBER: _ClassVar[int]
    SLOWEST_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_COUNT_FIELD_NUMBER: _ClassVar[int]
    RESENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    passed: bool
    forfeit: _match_service_pb2.Cause
    strike_count: int
    decision_count: int
    illegal_count: int
    unreadable_count: int
    slowest: _duration_pb2.Duration
    total: _duration_pb2.Duration
    withheld_count: int
    resent_count: int
    def __init__(self, match_id: _Optional[str] = ..., passed: bool = ..., forfeit: _Optional[_Union[_match_service_pb2.Cause, str]] = ..., strike_count: _Optional[int] = ..., decision_count: _Optional[int] = ..., illegal_count: _Optional[int] = ..., unreadable_count: _Optional[int] = ..., slowest: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., total: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., withheld_count: _Optional[int] = ..., resent_count: _Optional[int] = ...) -> None: ...
