import datetime

from google.protobuf import any_pb2 as _any_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Consequence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONSEQUENCE_UNSPECIFIED: _ClassVar[Consequence]
    CONSEQUENCE_REFUSAL: _ClassVar[Consequence]
    CONSEQUENCE_STRIKE: _ClassVar[Consequence]
    CONSEQUENCE_FORFEIT: _ClassVar[Consequence]

class Cause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CAUSE_UNSPECIFIED: _ClassVar[Cause]
    CAUSE_ILLEGAL: _ClassVar[Cause]
    CAUSE_UNREADABLE: _ClassVar[Cause]
    CAUSE_TIMEOUT: _ClassVar[Cause]
    CAUSE_EXITED: _ClassVar[Cause]
    CAUSE_ABSENT: _ClassVar[Cause]
    CAUSE_RESIGNED: _ClassVar[Cause]

class DismissalReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DISMISSAL_REASON_UNSPECIFIED: _ClassVar[DismissalReason]
    DISMISSAL_REASON_ENDED: _ClassVar[DismissalReason]
    DISMISSAL_REASON_OUT: _ClassVar[DismissalReason]
    DISMISSAL_REASON_LIMIT: _ClassVar[DismissalReason]
    DISMISSAL_REASON_RESTING: _ClassVar[DismissalReason]

class SeatState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEAT_STATE_UNSPECIFIED: _ClassVar[SeatState]
    SEAT_STATE_OPEN: _ClassVar[SeatState]
    SEAT_STATE_JOINED: _ClassVar[SeatState]
    SEAT_STATE_BOT: _ClassVar[SeatState]

class MatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STATE_UNSPECIFIED: _ClassVar[MatchState]
    MATCH_STATE_SEATING: _ClassVar[MatchState]
    MATCH_STATE_RUNNING: _ClassVar[MatchState]
    MATCH_STATE_FINISHED: _ClassVar[MatchState]
    MATCH_STATE_CANCELLED: _ClassVar[MatchState]
    MATCH_STATE_VOID: _ClassVar[MatchState]

class RecordFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_FORMAT_UNSPECIFIED: _ClassVar[RecordFormat]
    RECORD_FORMAT_TEXT: _ClassVar[RecordFormat]
    RECORD_FORMAT_BINARY: _ClassVar[RecordFormat]
CONSEQUENCE_UNSPECIFIED: Consequence
CONSEQUENCE_REFUSAL: Consequence
CONSEQUENCE_STRIKE: Consequence
CONSEQUENCE_FORFEIT: Consequence
CAUSE_UNSPECIFIED: Cause
CAUSE_ILLEGAL: Cause
CAUSE_UNREADABLE: Cause
CAUSE_TIMEOUT: Cause
CAUSE_EXITED: Cause
CAUSE_ABSENT: Cause
CAUSE_RESIGNED: Cause
DISMISSAL_REASON_UNSPECIFIED: DismissalReason
DISMISSAL_REASON_ENDED: DismissalReason
DISMISSAL_REASON_OUT: DismissalReason
DISMISSAL_REASON_LIMIT: DismissalReason
DISMISSAL_REASON_RESTING: DismissalReason
SEAT_STATE_UNSPECIFIED: SeatState
SEAT_STATE_OPEN: SeatState
SEAT_STATE_JOINED: SeatState
SEAT_STATE_BOT: SeatState
MATCH_STATE_UNSPECIFIED: MatchState
MATCH_STATE_SEATING: MatchState
MATCH_STATE_RUNNING: MatchState
MATCH_STATE_FINISHED: MatchState
MATCH_STATE_CANCELLED: MatchState
MATCH_STATE_VOID: MatchState
RECORD_FORMAT_UNSPECIFIED: RecordFormat
RECORD_FORMAT_TEXT: RecordFormat
RECORD_FORMAT_BINARY: RecordFormat

class CreateMatchRequest(_message.Message):
    __slots__ = ("spec", "request_id")
    SPEC_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    spec: MatchSpec
    request_id: str
    def __init__(self, spec: _Optional[_Union[MatchSpec, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class MatchSpec(_message.Message):
    __slots__ = ("game", "seat_count", "options", "bots", "seed", "rules_version", "layout_hash", "time_control", "seat_time_controls", "conduct", "stand_in", "unlisted", "reservations", "distinct_owners", "labels", "spectator_delay")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEAT_COUNT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_HASH_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    SEAT_TIME_CONTROLS_FIELD_NUMBER: _ClassVar[int]
    CONDUCT_FIELD_NUMBER: _ClassVar[int]
    STAND_IN_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    RESERVATIONS_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_OWNERS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    SPECTATOR_DELAY_FIELD_NUMBER: _ClassVar[int]
    game: str
    seat_count: int
    options: _containers.ScalarMap[str, str]
    bots: _containers.RepeatedCompositeFieldContainer[BotSeat]
    seed: str
    rules_version: int
    layout_hash: bytes
    time_control: TimeControl
    seat_time_controls: _containers.RepeatedCompositeFieldContainer[SeatTimeControl]
    conduct: Conduct
    stand_in: str
    unlisted: bool
    reservations: _containers.RepeatedCompositeFieldContainer[Reservation]
    distinct_owners: bool
    labels: _containers.ScalarMap[str, str]
    spectator_delay: int
    def __init__(self, game: _Optional[str] = ..., seat_count: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., bots: _Optional[_Iterable[_Union[BotSeat, _Mapping]]] = ..., seed: _Optional[str] = ..., rules_version: _Optional[int] = ..., layout_hash: _Optional[bytes] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ..., seat_time_controls: _Optional[_Iterable[_Union[SeatTimeControl, _Mapping]]] = ..., conduct: _Optional[_Union[Conduct, _Mapping]] = ..., stand_in: _Optional[str] = ..., unlisted: bool = ..., reservations: _Optional[_Iterable[_Union[Reservation, _Mapping]]] = ..., distinct_owners: bool = ..., labels: _Optional[_Mapping[str, str]] = ..., spectator_delay: _Optional[int] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("startup", "limit", "bank", "increment", "lag")
    STARTUP_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    startup: _duration_pb2.Duration
    limit: _duration_pb2.Duration
    bank: _duration_pb2.Duration
    increment: _duration_pb2.Duration
    lag: _duration_pb2.Duration
    def __init__(self, startup: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., limit: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., increment: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., lag: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class SeatTimeControl(_message.Message):
    __slots__ = ("seat", "time_control")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    seat: int
    time_control: TimeControl
    def __init__(self, seat: _Optional[int] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ...) -> None: ...

class Conduct(_message.Message):
    __slots__ = ("illegal", "unreadable", "timeout", "exited", "absent", "resigned", "absence_limit", "tries", "strikes")
    ILLEGAL_FIELD_NUMBER: _ClassVar[int]
    UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    EXITED_FIELD_NUMBER: _ClassVar[int]
    ABSENT_FIELD_NUMBER: _ClassVar[int]
    RESIGNED_FIELD_NUMBER: _ClassVar[int]
    ABSENCE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    TRIES_FIELD_NUMBER: _ClassVar[int]
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    illegal: Consequence
    unreadable: Consequence
    timeout: Consequence
    exited: Consequence
    absent: Consequence
    resigned: Consequence
    absence_limit: _duration_pb2.Duration
    tries: int
    strikes: int
    def __init__(self, illegal: _Optional[_Union[Consequence, str]] = ..., unreadable: _Optional[_Union[Consequence, str]] = ..., timeout: _Optional[_Union[Consequence, str]] = ..., exited: _Optional[_Union[Consequence, str]] = ..., absent: _Optional[_Union[Consequence, str]] = ..., resigned: _Optional[_Union[Consequence, str]] = ..., absence_limit: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., tries: _Optional[int] = ..., strikes: _Optional[int] = ...) -> None: ...

class Reservation(_message.Message):
    __slots__ = ("seat", "name", "invitation_code")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    INVITATION_CODE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    name: str
    invitation_code: str
    def __init__(self, seat: _Optional[int] = ..., name: _Optional[str] = ..., invitation_code: _Optional[str] = ...) -> None: ...

class BotSeat(_message.Message):
    __slots__ = ("seat", "bot")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bot: str
    def __init__(self, seat: _Optional[int] = ..., bot: _Optional[str] = ...) -> None: ...

class CreateMatchResponse(_message.Message):
    __slots__ = ("match", "owner_token")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    OWNER_TOKEN_FIELD_NUMBER: _ClassVar[int]
    match: Match
    owner_token: str
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., owner_token: _Optional[str] = ...) -> None: ...

class JoinMatchRequest(_message.Message):
    __slots__ = ("match_id", "any", "seat", "name", "request_id", "invitation_code")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ANY_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    INVITATION_CODE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    any: AnyMatch
    seat: int
    name: str
    request_id: str
    invitation_code: str
    def __init__(self, match_id: _Optional[str] = ..., any: _Optional[_Union[AnyMatch, _Mapping]] = ..., seat: _Optional[int] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., invitation_code: _Optional[str] = ...) -> None: ...

class AnyMatch(_message.Message):
    __slots__ = ("game", "seat_count", "options")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEAT_COUNT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    game: str
    seat_count: int
    options: _containers.ScalarMap[str, str]
    def __init__(self, game: _Optional[str] = ..., seat_count: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ...) -> None: ...

class JoinMatchResponse(_message.Message):
    __slots__ = ("assigned", "match")
    ASSIGNED_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    assigned: AssignedSeat
    match: Match
    def __init__(self, assigned: _Optional[_Union[AssignedSeat, _Mapping]] = ..., match: _Optional[_Union[Match, _Mapping]] = ...) -> None: ...

class AssignedSeat(_message.Message):
    __slots__ = ("match_id", "seat", "seat_token", "agent_seed")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEAT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AGENT_SEED_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    seat_token: str
    agent_seed: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., seat_token: _Optional[str] = ..., agent_seed: _Optional[int] = ...) -> None: ...

class AwaitSeatRequest(_message.Message):
    __slots__ = ("wait", "playing", "agent")
    WAIT_FIELD_NUMBER: _ClassVar[int]
    PLAYING_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    wait: _duration_pb2.Duration
    playing: _containers.RepeatedCompositeFieldContainer[SeatId]
    agent: str
    def __init__(self, wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., playing: _Optional[_Iterable[_Union[SeatId, _Mapping]]] = ..., agent: _Optional[str] = ...) -> None: ...

class SeatId(_message.Message):
    __slots__ = ("match_id", "seat")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class AwaitSeatResponse(_message.Message):
    __slots__ = ("assigned", "dismissal", "arrival")
    ASSIGNED_FIELD_NUMBER: _ClassVar[int]
    DISMISSAL_FIELD_NUMBER: _ClassVar[int]
    ARRIVAL_FIELD_NUMBER: _ClassVar[int]
    assigned: AssignedSeat
    dismissal: Dismissal
    arrival: Arrival
    def __init__(self, assigned: _Optional[_Union[AssignedSeat, _Mapping]] = ..., dismissal: _Optional[_Union[Dismissal, _Mapping]] = ..., arrival: _Optional[_Union[Arrival, _Mapping]] = ...) -> None: ...

class Arrival(_message.Message):
    __slots__ = ("cup_id", "line", "link")
    CUP_ID_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    cup_id: str
    line: int
    link: str
    def __init__(self, cup_id: _Optional[str] = ..., line: _Optional[int] = ..., link: _Optional[str] = ...) -> None: ...

class Dismissal(_message.Message):
    __slots__ = ("reason", "message")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    reason: DismissalReason
    message: str
    def __init__(self, reason: _Optional[_Union[DismissalReason, str]] = ..., message: _Optional[str] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("match_id", "wait")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    wait: _duration_pb2.Duration
    def __init__(self, match_id: _Optional[str] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: Match
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("game", "state", "page_size", "page_token", "labels", "player_id")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    game: str
    state: MatchState
    page_size: int
    page_token: str
    labels: _containers.ScalarMap[str, str]
    player_id: str
    def __init__(self, game: _Optional[str] = ..., state: _Optional[_Union[MatchState, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., player_id: _Optional[str] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("match_id", "game", "rules_version", "options", "seats", "state", "ended", "seed_commitment", "specification", "seed_given", "create_time", "begin_time", "end_time", "result", "time_controls", "conduct", "stand_in", "unlisted", "labels", "end_reason", "data_files", "spectator_delay", "distinct_owners")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    SEED_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SPECIFICATION_FIELD_NUMBER: _ClassVar[int]
    SEED_GIVEN_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    BEGIN_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROLS_FIELD_NUMBER: _ClassVar[int]
    CONDUCT_FIELD_NUMBER: _ClassVar[int]
    STAND_IN_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    DATA_FILES_FIELD_NUMBER: _ClassVar[int]
    SPECTATOR_DELAY_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_OWNERS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    game: str
    rules_version: int
    options: _containers.ScalarMap[str, str]
    seats: _containers.RepeatedCompositeFieldContainer[SeatInfo]
    state: MatchState
    ended: bool
    seed_commitment: bytes
    specification: str
    seed_given: bool
    create_time: _timestamp_pb2.Timestamp
    begin_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    result: MatchResult
    time_controls: _containers.RepeatedCompositeFieldContainer[TimeControl]
    conduct: Conduct
    stand_in: str
    unlisted: bool
    labels: _containers.ScalarMap[str, str]
    end_reason: str
    data_files: _containers.RepeatedScalarFieldContainer[str]
    spectator_delay: int
    distinct_owners: bool
    def __init__(self, match_id: _Optional[str] = ..., game: _Optional[str] = ..., rules_version: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., seats: _Optional[_Iterable[_Union[SeatInfo, _Mapping]]] = ..., state: _Optional[_Union[MatchState, str]] = ..., ended: bool = ..., seed_commitment: _Optional[bytes] = ..., specification: _Optional[str] = ..., seed_given: bool = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., begin_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., result: _Optional[_Union[MatchResult, _Mapping]] = ..., time_controls: _Optional[_Iterable[_Union[TimeControl, _Mapping]]] = ..., conduct: _Optional[_Union[Conduct, _Mapping]] = ..., stand_in: _Optional[str] = ..., unlisted: bool = ..., labels: _Optional[_Mapping[str, str]] = ..., end_reason: _Optional[str] = ..., data_files: _Optional[_Iterable[str]] = ..., spectator_delay: _Optional[int] = ..., distinct_owners: bool = ...) -> None: ...

class SeatInfo(_message.Message):
    __slots__ = ("seat", "state", "name", "present", "reserved", "player_id")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRESENT_FIELD_NUMBER: _ClassVar[int]
    RESERVED_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    state: SeatState
    name: str
    present: bool
    reserved: bool
    player_id: str
    def __init__(self, seat: _Optional[int] = ..., state: _Optional[_Union[SeatState, str]] = ..., name: _Optional[str] = ..., present: bool = ..., reserved: bool = ..., player_id: _Optional[str] = ...) -> None: ...

class ObservationFormats(_message.Message):
    __slots__ = ("tensor", "text", "legal_ids", "mask", "typed", "legal_actions", "compact", "compact_legend", "layout_hash", "rules_version", "view")
    TENSOR_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LEGAL_IDS_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    TYPED_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    COMPACT_FIELD_NUMBER: _ClassVar[int]
    COMPACT_LEGEND_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_HASH_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    tensor: bool
    text: bool
    legal_ids: bool
    mask: bool
    typed: bool
    legal_actions: bool
    compact: bool
    compact_legend: bool
    layout_hash: bytes
    rules_version: int
    view: bool
    def __init__(self, tensor: bool = ..., text: bool = ..., legal_ids: bool = ..., mask: bool = ..., typed: bool = ..., legal_actions: bool = ..., compact: bool = ..., compact_legend: bool = ..., layout_hash: _Optional[bytes] = ..., rules_version: _Optional[int] = ..., view: bool = ...) -> None: ...

class ObserveRequest(_message.Message):
    __slots__ = ("match_id", "seat", "public_view", "formats", "events_after", "wait", "svg")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_VIEW_FIELD_NUMBER: _ClassVar[int]
    FORMATS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_AFTER_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    SVG_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    public_view: bool
    formats: ObservationFormats
    events_after: int
    wait: _duration_pb2.Duration
    svg: bool
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., public_view: bool = ..., formats: _Optional[_Union[ObservationFormats, _Mapping]] = ..., events_after: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., svg: bool = ...) -> None: ...

class ObserveResponse(_message.Message):
    __slots__ = ("observation", "svg")
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    SVG_FIELD_NUMBER: _ClassVar[int]
    observation: Observation
    svg: str
    def __init__(self, observation: _Optional[_Union[Observation, _Mapping]] = ..., svg: _Optional[str] = ...) -> None: ...

class WatchMatchRequest(_message.Message):
    __slots__ = ("match_id", "seat", "public_view", "formats", "events_after", "heartbeat", "all_seats")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_VIEW_FIELD_NUMBER: _ClassVar[int]
    FORMATS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_AFTER_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    ALL_SEATS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    public_view: bool
    formats: ObservationFormats
    events_after: int
    heartbeat: _duration_pb2.Duration
    all_seats: bool
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., public_view: bool = ..., formats: _Optional[_Union[ObservationFormats, _Mapping]] = ..., events_after: _Optional[int] = ..., heartbeat: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., all_seats: bool = ...) -> None: ...

class WatchMatchResponse(_message.Message):
    __slots__ = ("observation", "seat_observations", "skipped")
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    SEAT_OBSERVATIONS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    observation: Observation
    seat_observations: _containers.RepeatedCompositeFieldContainer[Observation]
    skipped: bool
    def __init__(self, observation: _Optional[_Union[Observation, _Mapping]] = ..., seat_observations: _Optional[_Iterable[_Union[Observation, _Mapping]]] = ..., skipped: bool = ...) -> None: ...

class ParseActionRequest(_message.Message):
    __slots__ = ("match_id", "seat", "action")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    action: Action
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., action: _Optional[_Union[Action, _Mapping]] = ...) -> None: ...

class ParseActionResponse(_message.Message):
    __slots__ = ("action", "legal")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    action: Action
    legal: bool
    def __init__(self, action: _Optional[_Union[Action, _Mapping]] = ..., legal: bool = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("action_id", "text", "typed")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TYPED_FIELD_NUMBER: _ClassVar[int]
    action_id: int
    text: str
    typed: _any_pb2.Any
    def __init__(self, action_id: _Optional[int] = ..., text: _Optional[str] = ..., typed: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class StepRequest(_message.Message):
    __slots__ = ("match_id", "seat", "decision_id", "action", "formats", "events_after", "wait", "comment")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    FORMATS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_AFTER_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    decision_id: int
    action: Action
    formats: ObservationFormats
    events_after: int
    wait: _duration_pb2.Duration
    comment: str
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., decision_id: _Optional[int] = ..., action: _Optional[_Union[Action, _Mapping]] = ..., formats: _Optional[_Union[ObservationFormats, _Mapping]] = ..., events_after: _Optional[int] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., comment: _Optional[str] = ...) -> None: ...

class StepResponse(_message.Message):
    __slots__ = ("decision_id", "action_id", "replayed", "observation")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    decision_id: int
    action_id: int
    replayed: bool
    observation: Observation
    def __init__(self, decision_id: _Optional[int] = ..., action_id: _Optional[int] = ..., replayed: bool = ..., observation: _Optional[_Union[Observation, _Mapping]] = ...) -> None: ...

class Observation(_message.Message):
    __slots__ = ("match_id", "seat", "state", "done", "seats_to_act", "decision", "tensor", "text", "result", "typed", "events", "event_count", "forfeits", "clocks", "end_reason", "compact", "compact_legend", "view")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    SEATS_TO_ACT_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    TENSOR_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    TYPED_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    CLOCKS_FIELD_NUMBER: _ClassVar[int]
    END_REASON_FIELD_NUMBER: _ClassVar[int]
    COMPACT_FIELD_NUMBER: _ClassVar[int]
    COMPACT_LEGEND_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    state: MatchState
    done: bool
    seats_to_act: _containers.RepeatedScalarFieldContainer[int]
    decision: Decision
    tensor: Tensor
    text: str
    result: MatchResult
    typed: _any_pb2.Any
    events: _containers.RepeatedCompositeFieldContainer[Event]
    event_count: int
    forfeits: _containers.RepeatedCompositeFieldContainer[Forfeit]
    clocks: _containers.RepeatedCompositeFieldContainer[SeatClock]
    end_reason: str
    compact: str
    compact_legend: str
    view: bytes
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ..., state: _Optional[_Union[MatchState, str]] = ..., done: bool = ..., seats_to_act: _Optional[_Iterable[int]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ..., tensor: _Optional[_Union[Tensor, _Mapping]] = ..., text: _Optional[str] = ..., result: _Optional[_Union[MatchResult, _Mapping]] = ..., typed: _Optional[_Union[_any_pb2.Any, _Mapping]] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., event_count: _Optional[int] = ..., forfeits: _Optional[_Iterable[_Union[Forfeit, _Mapping]]] = ..., clocks: _Optional[_Iterable[_Union[SeatClock, _Mapping]]] = ..., end_reason: _Optional[str] = ..., compact: _Optional[str] = ..., compact_legend: _Optional[str] = ..., view: _Optional[bytes] = ...) -> None: ...

class Forfeit(_message.Message):
    __slots__ = ("seat", "cause")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cause: Cause
    def __init__(self, seat: _Optional[int] = ..., cause: _Optional[_Union[Cause, str]] = ...) -> None: ...

class SeatClock(_message.Message):
    __slots__ = ("seat", "bank")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bank: _duration_pb2.Duration
    def __init__(self, seat: _Optional[int] = ..., bank: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("number", "text", "typed", "begins_turn", "actor_seats")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TYPED_FIELD_NUMBER: _ClassVar[int]
    BEGINS_TURN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_SEATS_FIELD_NUMBER: _ClassVar[int]
    number: int
    text: str
    typed: _any_pb2.Any
    begins_turn: bool
    actor_seats: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, number: _Optional[int] = ..., text: _Optional[str] = ..., typed: _Optional[_Union[_any_pb2.Any, _Mapping]] = ..., begins_turn: bool = ..., actor_seats: _Optional[_Iterable[int]] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("decision_id", "legal_ids", "mask", "legal_actions", "time_left")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    LEGAL_IDS_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    TIME_LEFT_FIELD_NUMBER: _ClassVar[int]
    decision_id: int
    legal_ids: _containers.RepeatedScalarFieldContainer[int]
    mask: bytes
    legal_actions: _containers.RepeatedCompositeFieldContainer[Action]
    time_left: _duration_pb2.Duration
    def __init__(self, decision_id: _Optional[int] = ..., legal_ids: _Optional[_Iterable[int]] = ..., mask: _Optional[bytes] = ..., legal_actions: _Optional[_Iterable[_Union[Action, _Mapping]]] = ..., time_left: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Tensor(_message.Message):
    __slots__ = ("bits", "numbers", "layout_hash")
    BITS_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_HASH_FIELD_NUMBER: _ClassVar[int]
    bits: bytes
    numbers: bytes
    layout_hash: bytes
    def __init__(self, bits: _Optional[bytes] = ..., numbers: _Optional[bytes] = ..., layout_hash: _Optional[bytes] = ...) -> None: ...

class MatchResult(_message.Message):
    __slots__ = ("scores", "ranks", "seed", "salt", "fingerprint", "forfeits", "record_digest")
    SCORES_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    RECORD_DIGEST_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    seed: str
    salt: bytes
    fingerprint: bytes
    forfeits: _containers.RepeatedCompositeFieldContainer[Forfeit]
    record_digest: bytes
    def __init__(self, scores: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ..., seed: _Optional[str] = ..., salt: _Optional[bytes] = ..., fingerprint: _Optional[bytes] = ..., forfeits: _Optional[_Iterable[_Union[Forfeit, _Mapping]]] = ..., record_digest: _Optional[bytes] = ...) -> None: ...

class ResignSeatRequest(_message.Message):
    __slots__ = ("match_id", "seat")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class ResignSeatResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: Match
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ...) -> None: ...

class CancelMatchRequest(_message.Message):
    __slots__ = ("match_id", "reason")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    reason: str
    def __init__(self, match_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class CancelMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: Match
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ...) -> None: ...

class GetRecordRequest(_message.Message):
    __slots__ = ("match_id", "format")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    format: RecordFormat
    def __init__(self, match_id: _Optional[str] = ..., format: _Optional[_Union[RecordFormat, str]] = ...) -> None: ...

class GetRecordResponse(_message.Message):
    __slots__ = ("record", "comments")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    COMMENTS_FIELD_NUMBER: _ClassVar[int]
    record: bytes
    comments: _containers.RepeatedCompositeFieldContainer[DecisionComment]
    def __init__(self, record: _Optional[bytes] = ..., comments: _Optional[_Iterable[_Union[DecisionComment, _Mapping]]] = ...) -> None: ...

class DecisionComment(_message.Message):
    __slots__ = ("seat", "decision_id", "text")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    decision_id: int
    text: str
    def __init__(self, seat: _Optional[int] = ..., decision_id: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...
