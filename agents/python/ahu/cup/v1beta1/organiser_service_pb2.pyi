import datetime

from ahu.v1 import match_service_pb2 as _match_service_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OpenQueuesRequest(_message.Message):
    __slots__ = ("agents",)
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    agents: _containers.RepeatedCompositeFieldContainer[QueuedAgent]
    def __init__(self, agents: _Optional[_Iterable[_Union[QueuedAgent, _Mapping]]] = ...) -> None: ...

class QueuedAgent(_message.Message):
    __slots__ = ("key_hash", "name", "practice", "closed", "replaces")
    KEY_HASH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRACTICE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    REPLACES_FIELD_NUMBER: _ClassVar[int]
    key_hash: str
    name: str
    practice: _match_service_pb2.CreateMatchRequest
    closed: bool
    replaces: str
    def __init__(self, key_hash: _Optional[str] = ..., name: _Optional[str] = ..., practice: _Optional[_Union[_match_service_pb2.CreateMatchRequest, _Mapping]] = ..., closed: bool = ..., replaces: _Optional[str] = ...) -> None: ...

class OpenQueuesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AwaitAgentsRequest(_message.Message):
    __slots__ = ("wait", "after")
    WAIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    wait: _duration_pb2.Duration
    after: int
    def __init__(self, wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., after: _Optional[int] = ...) -> None: ...

class AwaitAgentsResponse(_message.Message):
    __slots__ = ("changes", "agents")
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    changes: int
    agents: _containers.RepeatedCompositeFieldContainer[AgentPresence]
    def __init__(self, changes: _Optional[int] = ..., agents: _Optional[_Iterable[_Union[AgentPresence, _Mapping]]] = ...) -> None: ...

class AgentPresence(_message.Message):
    __slots__ = ("key_hash", "waiting", "idle")
    KEY_HASH_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    IDLE_FIELD_NUMBER: _ClassVar[int]
    key_hash: str
    waiting: bool
    idle: _duration_pb2.Duration
    def __init__(self, key_hash: _Optional[str] = ..., waiting: bool = ..., idle: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class HostMatchRequest(_message.Message):
    __slots__ = ("match", "pinned", "sealed", "game")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    SEALED_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    match: _match_service_pb2.CreateMatchRequest
    pinned: bool
    sealed: bool
    game: int
    def __init__(self, match: _Optional[_Union[_match_service_pb2.CreateMatchRequest, _Mapping]] = ..., pinned: bool = ..., sealed: bool = ..., game: _Optional[int] = ...) -> None: ...

class HostMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: _match_service_pb2.Match
    def __init__(self, match: _Optional[_Union[_match_service_pb2.Match, _Mapping]] = ...) -> None: ...

class SeatPlayersRequest(_message.Message):
    __slots__ = ("match_id", "players")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    players: _containers.RepeatedCompositeFieldContainer[SeatPlayer]
    def __init__(self, match_id: _Optional[str] = ..., players: _Optional[_Iterable[_Union[SeatPlayer, _Mapping]]] = ...) -> None: ...

class SeatPlayer(_message.Message):
    __slots__ = ("seat", "name", "key_hash", "agent_seed")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KEY_HASH_FIELD_NUMBER: _ClassVar[int]
    AGENT_SEED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    name: str
    key_hash: str
    agent_seed: int
    def __init__(self, seat: _Optional[int] = ..., name: _Optional[str] = ..., key_hash: _Optional[str] = ..., agent_seed: _Optional[int] = ...) -> None: ...

class SeatPlayersResponse(_message.Message):
    __slots__ = ("seat_tokens",)
    SEAT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    seat_tokens: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, seat_tokens: _Optional[_Iterable[str]] = ...) -> None: ...

class ReportExitRequest(_message.Message):
    __slots__ = ("match_id", "seat")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class ReportExitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UnsealMatchRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class AppendJournalRequest(_message.Message):
    __slots__ = ("salt_hash", "offset", "part")
    SALT_HASH_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    salt_hash: str
    offset: int
    part: bytes
    def __init__(self, salt_hash: _Optional[str] = ..., offset: _Optional[int] = ..., part: _Optional[bytes] = ...) -> None: ...

class AppendJournalResponse(_message.Message):
    __slots__ = ("length",)
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    length: int
    def __init__(self, length: _Optional[int] = ...) -> None: ...

class UnsealMatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
