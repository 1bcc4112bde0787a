import datetime

from ahu.v1 import match_service_pb2 as _match_service_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CupCallKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CUP_CALL_KIND_UNSPECIFIED: _ClassVar[CupCallKind]
    CUP_CALL_KIND_ENTER: _ClassVar[CupCallKind]
    CUP_CALL_KIND_LEAVE: _ClassVar[CupCallKind]
    CUP_CALL_KIND_WAKE: _ClassVar[CupCallKind]
CUP_CALL_KIND_UNSPECIFIED: CupCallKind
CUP_CALL_KIND_ENTER: CupCallKind
CUP_CALL_KIND_LEAVE: CupCallKind
CUP_CALL_KIND_WAKE: CupCallKind

class OpenQueuesRequest(_message.Message):
    __slots__ = ("cup_id", "agents")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    agents: _containers.RepeatedCompositeFieldContainer[QueuedAgent]
    def __init__(self, cup_id: _Optional[str] = ..., agents: _Optional[_Iterable[_Union[QueuedAgent, _Mapping]]] = ...) -> None: ...

class QueuedAgent(_message.Message):
    __slots__ = ("key_hash", "name", "practice", "dismissal", "replaces", "account_id")
    KEY_HASH_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRACTICE_FIELD_NUMBER: _ClassVar[int]
    DISMISSAL_FIELD_NUMBER: _ClassVar[int]
    REPLACES_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    key_hash: bytes
    name: str
    practice: _match_service_pb2.MatchSpec
    dismissal: _match_service_pb2.Dismissal
    replaces: bytes
    account_id: str
    def __init__(self, key_hash: _Optional[bytes] = ..., name: _Optional[str] = ..., practice: _Optional[_Union[_match_service_pb2.MatchSpec, _Mapping]] = ..., dismissal: _Optional[_Union[_match_service_pb2.Dismissal, _Mapping]] = ..., replaces: _Optional[bytes] = ..., account_id: _Optional[str] = ...) -> None: ...

class OpenQueuesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AwaitAgentsRequest(_message.Message):
    __slots__ = ("cup_id", "wait", "after", "after_call")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    AFTER_CALL_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    wait: _duration_pb2.Duration
    after: int
    after_call: int
    def __init__(self, cup_id: _Optional[str] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., after: _Optional[int] = ..., after_call: _Optional[int] = ...) -> None: ...

class AwaitAgentsResponse(_message.Message):
    __slots__ = ("changes", "agents", "calls")
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    changes: int
    agents: _containers.RepeatedCompositeFieldContainer[AgentPresence]
    calls: _containers.RepeatedCompositeFieldContainer[CupCall]
    def __init__(self, changes: _Optional[int] = ..., agents: _Optional[_Iterable[_Union[AgentPresence, _Mapping]]] = ..., calls: _Optional[_Iterable[_Union[CupCall, _Mapping]]] = ...) -> None: ...

class CupCall(_message.Message):
    __slots__ = ("number", "kind", "account_id", "account", "agent", "games_at_once")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    GAMES_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    number: int
    kind: CupCallKind
    account_id: str
    account: str
    agent: str
    games_at_once: int
    def __init__(self, number: _Optional[int] = ..., kind: _Optional[_Union[CupCallKind, str]] = ..., account_id: _Optional[str] = ..., account: _Optional[str] = ..., agent: _Optional[str] = ..., games_at_once: _Optional[int] = ...) -> None: ...

class AgentPresence(_message.Message):
    __slots__ = ("key_hash", "waiting", "idle")
    KEY_HASH_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    IDLE_FIELD_NUMBER: _ClassVar[int]
    key_hash: bytes
    waiting: bool
    idle: _duration_pb2.Duration
    def __init__(self, key_hash: _Optional[bytes] = ..., waiting: bool = ..., idle: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class NoteArrivalsRequest(_message.Message):
    __slots__ = ("cup_id", "key_hashes", "line", "link")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_HASHES_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    key_hashes: _containers.RepeatedScalarFieldContainer[bytes]
    line: int
    link: str
    def __init__(self, cup_id: _Optional[str] = ..., key_hashes: _Optional[_Iterable[bytes]] = ..., line: _Optional[int] = ..., link: _Optional[str] = ...) -> None: ...

class NoteArrivalsResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HostMatchRequest(_message.Message):
    __slots__ = ("cup_id", "spec", "request_id", "pinned", "sealed", "repetition")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    SEALED_FIELD_NUMBER: _ClassVar[int]
    REPETITION_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    spec: _match_service_pb2.MatchSpec
    request_id: str
    pinned: bool
    sealed: bool
    repetition: int
    def __init__(self, cup_id: _Optional[str] = ..., spec: _Optional[_Union[_match_service_pb2.MatchSpec, _Mapping]] = ..., request_id: _Optional[str] = ..., pinned: bool = ..., sealed: bool = ..., repetition: _Optional[int] = ...) -> None: ...

class HostMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: _match_service_pb2.Match
    def __init__(self, match: _Optional[_Union[_match_service_pb2.Match, _Mapping]] = ...) -> None: ...

class SeatPlayersRequest(_message.Message):
    __slots__ = ("cup_id", "match_id", "players")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    match_id: str
    players: _containers.RepeatedCompositeFieldContainer[SeatPlayer]
    def __init__(self, cup_id: _Optional[str] = ..., match_id: _Optional[str] = ..., players: _Optional[_Iterable[_Union[SeatPlayer, _Mapping]]] = ...) -> None: ...

class SeatPlayer(_message.Message):
    __slots__ = ("seat", "name", "key_hash", "agent_seed")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KEY_HASH_FIELD_NUMBER: _ClassVar[int]
    AGENT_SEED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    name: str
    key_hash: bytes
    agent_seed: int
    def __init__(self, seat: _Optional[int] = ..., name: _Optional[str] = ..., key_hash: _Optional[bytes] = ..., agent_seed: _Optional[int] = ...) -> None: ...

class SeatPlayersResponse(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[_match_service_pb2.AssignedSeat]
    def __init__(self, seats: _Optional[_Iterable[_Union[_match_service_pb2.AssignedSeat, _Mapping]]] = ...) -> None: ...

class ReportExitRequest(_message.Message):
    __slots__ = ("cup_id", "match_id", "seat")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    match_id: str
    seat: int
    def __init__(self, cup_id: _Optional[str] = ..., match_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class ReportExitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UnsealMatchRequest(_message.Message):
    __slots__ = ("cup_id", "match_id")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    match_id: str
    def __init__(self, cup_id: _Optional[str] = ..., match_id: _Optional[str] = ...) -> None: ...

class UnsealMatchResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AppendJournalRequest(_message.Message):
    __slots__ = ("cup_id", "offset", "part")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    offset: int
    part: bytes
    def __init__(self, cup_id: _Optional[str] = ..., offset: _Optional[int] = ..., part: _Optional[bytes] = ...) -> None: ...

class AppendJournalResponse(_message.Message):
    __slots__ = ("length",)
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    length: int
    def __init__(self, length: _Optional[int] = ...) -> None: ...
