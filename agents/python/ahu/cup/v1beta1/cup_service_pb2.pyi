import datetime

from ahu.v1 import match_service_pb2 as _match_service_pb2
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

class GetCupRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetCupResponse(_message.Message):
    __slots__ = ("cup",)
    CUP_FIELD_NUMBER: _ClassVar[int]
    cup: Cup
    def __init__(self, cup: _Optional[_Union[Cup, _Mapping]] = ...) -> None: ...

class Cup(_message.Message):
    __slots__ = ("name", "stages", "agents", "game_count", "ended_game_count", "ended", "anonymous", "salt_hash", "salt", "begin_time", "until_time")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    GAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENDED_GAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    ANONYMOUS_FIELD_NUMBER: _ClassVar[int]
    SALT_HASH_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    BEGIN_TIME_FIELD_NUMBER: _ClassVar[int]
    UNTIL_TIME_FIELD_NUMBER: _ClassVar[int]
    name: str
    stages: _containers.RepeatedCompositeFieldContainer[CupStage]
    agents: _containers.RepeatedCompositeFieldContainer[CupAgent]
    game_count: int
    ended_game_count: int
    ended: bool
    anonymous: bool
    salt_hash: str
    salt: str
    begin_time: _timestamp_pb2.Timestamp
    until_time: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., stages: _Optional[_Iterable[_Union[CupStage, _Mapping]]] = ..., agents: _Optional[_Iterable[_Union[CupAgent, _Mapping]]] = ..., game_count: _Optional[int] = ..., ended_game_count: _Optional[int] = ..., ended: bool = ..., anonymous: bool = ..., salt_hash: _Optional[str] = ..., salt: _Optional[str] = ..., begin_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., until_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

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

class ListStandingsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListStandingsResponse(_message.Message):
    __slots__ = ("groups",)
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedCompositeFieldContainer[GroupStandings]
    def __init__(self, groups: _Optional[_Iterable[_Union[GroupStandings, _Mapping]]] = ...) -> None: ...

class GroupStandings(_message.Message):
    __slots__ = ("stage", "group", "standings")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    stage: str
    group: int
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    def __init__(self, stage: _Optional[str] = ..., group: _Optional[int] = ..., standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("place", "agent", "game_count", "share", "margin", "wins", "forfeit_count")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    GAME_COUNT_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    place: int
    agent: str
    game_count: int
    share: float
    margin: float
    wins: float
    forfeit_count: int
    def __init__(self, place: _Optional[int] = ..., agent: _Optional[str] = ..., game_count: _Optional[int] = ..., share: _Optional[float] = ..., margin: _Optional[float] = ..., wins: _Optional[float] = ..., forfeit_count: _Optional[int] = ...) -> None: ...

class ListCupGamesRequest(_message.Message):
    __slots__ = ("agent", "page_size", "page_token")
    AGENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    agent: str
    page_size: int
    page_token: str
    def __init__(self, agent: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListCupGamesResponse(_message.Message):
    __slots__ = ("games", "next_page_token")
    GAMES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[CupGame]
    next_page_token: str
    def __init__(self, games: _Optional[_Iterable[_Union[CupGame, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CupGame(_message.Message):
    __slots__ = ("stage", "table", "game", "extra", "state", "match_id", "agents", "scores", "ranks", "forfeits", "annulled_reason")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
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
    game: int
    extra: bool
    state: CupGameState
    match_id: str
    agents: _containers.RepeatedScalarFieldContainer[str]
    scores: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    forfeits: _containers.RepeatedCompositeFieldContainer[_match_service_pb2.Forfeit]
    annulled_reason: str
    def __init__(self, stage: _Optional[str] = ..., table: _Optional[int] = ..., game: _Optional[int] = ..., extra: bool = ..., state: _Optional[_Union[CupGameState, str]] = ..., match_id: _Optional[str] = ..., agents: _Optional[_Iterable[str]] = ..., scores: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ..., forfeits: _Optional[_Iterable[_Union[_match_service_pb2.Forfeit, _Mapping]]] = ..., annulled_reason: _Optional[str] = ...) -> None: ...
