import datetime

from google.protobuf import any_pb2 as _any_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TensorBlock(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TENSOR_BLOCK_UNSPECIFIED: _ClassVar[TensorBlock]
    TENSOR_BLOCK_BITS: _ClassVar[TensorBlock]
    TENSOR_BLOCK_NUMBERS: _ClassVar[TensorBlock]

class LayoutFieldKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LAYOUT_FIELD_KIND_UNSPECIFIED: _ClassVar[LayoutFieldKind]
    LAYOUT_FIELD_KIND_FLAGS: _ClassVar[LayoutFieldKind]
    LAYOUT_FIELD_KIND_ONE_HOT: _ClassVar[LayoutFieldKind]
    LAYOUT_FIELD_KIND_THERMOMETER: _ClassVar[LayoutFieldKind]
    LAYOUT_FIELD_KIND_NUMBERS: _ClassVar[LayoutFieldKind]
    LAYOUT_FIELD_KIND_BINARY: _ClassVar[LayoutFieldKind]
TENSOR_BLOCK_UNSPECIFIED: TensorBlock
TENSOR_BLOCK_BITS: TensorBlock
TENSOR_BLOCK_NUMBERS: TensorBlock
LAYOUT_FIELD_KIND_UNSPECIFIED: LayoutFieldKind
LAYOUT_FIELD_KIND_FLAGS: LayoutFieldKind
LAYOUT_FIELD_KIND_ONE_HOT: LayoutFieldKind
LAYOUT_FIELD_KIND_THERMOMETER: LayoutFieldKind
LAYOUT_FIELD_KIND_NUMBERS: LayoutFieldKind
LAYOUT_FIELD_KIND_BINARY: LayoutFieldKind

class ListGamesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListGamesResponse(_message.Message):
    __slots__ = ("games",)
    GAMES_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[GameSummary]
    def __init__(self, games: _Optional[_Iterable[_Union[GameSummary, _Mapping]]] = ...) -> None: ...

class GetGameRequest(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class GetGameResponse(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: Game
    def __init__(self, game: _Optional[_Union[Game, _Mapping]] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "limits", "durable", "key_required", "features")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    DURABLE_FIELD_NUMBER: _ClassVar[int]
    KEY_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    version: str
    limits: Limits
    durable: bool
    key_required: bool
    features: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, version: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., durable: bool = ..., key_required: bool = ..., features: _Optional[_Iterable[str]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("matches", "match_idle", "wait", "request_bytes", "answer_events", "spectator_delay", "environments", "stream_environments", "batch_bytes", "environment_streams", "run_request_bytes", "decision_idle", "match_memory_bytes", "bot_playouts", "bot_time", "connections", "stream_open", "watchers", "match_watchers", "shares", "rates")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    MATCH_IDLE_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    ANSWER_EVENTS_FIELD_NUMBER: _ClassVar[int]
    SPECTATOR_DELAY_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENTS_FIELD_NUMBER: _ClassVar[int]
    STREAM_ENVIRONMENTS_FIELD_NUMBER: _ClassVar[int]
    BATCH_BYTES_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_STREAMS_FIELD_NUMBER: _ClassVar[int]
    RUN_REQUEST_BYTES_FIELD_NUMBER: _ClassVar[int]
    DECISION_IDLE_FIELD_NUMBER: _ClassVar[int]
    MATCH_MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    BOT_PLAYOUTS_FIELD_NUMBER: _ClassVar[int]
    BOT_TIME_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    STREAM_OPEN_FIELD_NUMBER: _ClassVar[int]
    WATCHERS_FIELD_NUMBER: _ClassVar[int]
    MATCH_WATCHERS_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    RATES_FIELD_NUMBER: _ClassVar[int]
    matches: int
    match_idle: _duration_pb2.Duration
    wait: _duration_pb2.Duration
    request_bytes: int
    answer_events: int
    spectator_delay: int
    environments: int
    stream_environments: int
    batch_bytes: int
    environment_streams: int
    run_request_bytes: int
    decision_idle: _duration_pb2.Duration
    match_memory_bytes: int
    bot_playouts: int
    bot_time: _duration_pb2.Duration
    connections: int
    stream_open: _duration_pb2.Duration
    watchers: int
    match_watchers: int
    shares: Shares
    rates: Rates
    def __init__(self, matches: _Optional[int] = ..., match_idle: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., wait: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_bytes: _Optional[int] = ..., answer_events: _Optional[int] = ..., spectator_delay: _Optional[int] = ..., environments: _Optional[int] = ..., stream_environments: _Optional[int] = ..., batch_bytes: _Optional[int] = ..., environment_streams: _Optional[int] = ..., run_request_bytes: _Optional[int] = ..., decision_idle: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., match_memory_bytes: _Optional[int] = ..., bot_playouts: _Optional[int] = ..., bot_time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., connections: _Optional[int] = ..., stream_open: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., watchers: _Optional[int] = ..., match_watchers: _Optional[int] = ..., shares: _Optional[_Union[Shares, _Mapping]] = ..., rates: _Optional[_Union[Rates, _Mapping]] = ...) -> None: ...

class Shares(_message.Message):
    __slots__ = ("connections", "calls", "matches", "bot_matches", "playouts", "environments", "environment_streams", "unopened_streams", "watchers", "bytes")
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    BOT_MATCHES_FIELD_NUMBER: _ClassVar[int]
    PLAYOUTS_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENTS_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_STREAMS_FIELD_NUMBER: _ClassVar[int]
    UNOPENED_STREAMS_FIELD_NUMBER: _ClassVar[int]
    WATCHERS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    connections: int
    calls: int
    matches: int
    bot_matches: int
    playouts: int
    environments: int
    environment_streams: int
    unopened_streams: int
    watchers: int
    bytes: int
    def __init__(self, connections: _Optional[int] = ..., calls: _Optional[int] = ..., matches: _Optional[int] = ..., bot_matches: _Optional[int] = ..., playouts: _Optional[int] = ..., environments: _Optional[int] = ..., environment_streams: _Optional[int] = ..., unopened_streams: _Optional[int] = ..., watchers: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class Rates(_message.Message):
    __slots__ = ("calls", "connections")
    CALLS_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    calls: int
    connections: int
    def __init__(self, calls: _Optional[int] = ..., connections: _Optional[int] = ...) -> None: ...

class GameSummary(_message.Message):
    __slots__ = ("game", "title", "rules_version", "min_seats", "max_seats", "about", "credit", "reconstructed")
    GAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    MIN_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEATS_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    RECONSTRUCTED_FIELD_NUMBER: _ClassVar[int]
    game: str
    title: str
    rules_version: int
    min_seats: int
    max_seats: int
    about: str
    credit: str
    reconstructed: str
    def __init__(self, game: _Optional[str] = ..., title: _Optional[str] = ..., rules_version: _Optional[int] = ..., min_seats: _Optional[int] = ..., max_seats: _Optional[int] = ..., about: _Optional[str] = ..., credit: _Optional[str] = ..., reconstructed: _Optional[str] = ...) -> None: ...

class Game(_message.Message):
    __slots__ = ("summary", "options", "action_count", "action_groups", "layout", "bots", "max_plies", "observation_message", "action_message", "event_message", "rules", "data_files", "seat_colours", "action_features")
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    ACTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    ACTION_GROUPS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    MAX_PLIES_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ACTION_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    EVENT_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    DATA_FILES_FIELD_NUMBER: _ClassVar[int]
    SEAT_COLOURS_FIELD_NUMBER: _ClassVar[int]
    ACTION_FEATURES_FIELD_NUMBER: _ClassVar[int]
    summary: GameSummary
    options: _containers.RepeatedCompositeFieldContainer[GameOption]
    action_count: int
    action_groups: _containers.RepeatedCompositeFieldContainer[ActionGroup]
    layout: Layout
    bots: _containers.RepeatedCompositeFieldContainer[Bot]
    max_plies: int
    observation_message: str
    action_message: str
    event_message: str
    rules: str
    data_files: _containers.RepeatedCompositeFieldContainer[DataFile]
    seat_colours: _containers.RepeatedScalarFieldContainer[str]
    action_features: ActionFeatures
    def __init__(self, summary: _Optional[_Union[GameSummary, _Mapping]] = ..., options: _Optional[_Iterable[_Union[GameOption, _Mapping]]] = ..., action_count: _Optional[int] = ..., action_groups: _Optional[_Iterable[_Union[ActionGroup, _Mapping]]] = ..., layout: _Optional[_Union[Layout, _Mapping]] = ..., bots: _Optional[_Iterable[_Union[Bot, _Mapping]]] = ..., max_plies: _Optional[int] = ..., observation_message: _Optional[str] = ..., action_message: _Optional[str] = ..., event_message: _Optional[str] = ..., rules: _Optional[str] = ..., data_files: _Optional[_Iterable[_Union[DataFile, _Mapping]]] = ..., seat_colours: _Optional[_Iterable[str]] = ..., action_features: _Optional[_Union[ActionFeatures, _Mapping]] = ...) -> None: ...

class DataFile(_message.Message):
    __slots__ = ("name", "about", "content")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    about: str
    content: _any_pb2.Any
    def __init__(self, name: _Optional[str] = ..., about: _Optional[str] = ..., content: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class GameOption(_message.Message):
    __slots__ = ("key", "meaning", "defaults", "flag", "choice", "number")
    class Flag(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Choice(_message.Message):
        __slots__ = ("values",)
        VALUES_FIELD_NUMBER: _ClassVar[int]
        values: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...
    class Number(_message.Message):
        __slots__ = ("min", "max")
        MIN_FIELD_NUMBER: _ClassVar[int]
        MAX_FIELD_NUMBER: _ClassVar[int]
        min: int
        max: int
        def __init__(self, min: _Optional[int] = ..., max: _Optional[int] = ...) -> None: ...
    KEY_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    DEFAULTS_FIELD_NUMBER: _ClassVar[int]
    FLAG_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    key: str
    meaning: str
    defaults: _containers.RepeatedScalarFieldContainer[str]
    flag: GameOption.Flag
    choice: GameOption.Choice
    number: GameOption.Number
    def __init__(self, key: _Optional[str] = ..., meaning: _Optional[str] = ..., defaults: _Optional[_Iterable[str]] = ..., flag: _Optional[_Union[GameOption.Flag, _Mapping]] = ..., choice: _Optional[_Union[GameOption.Choice, _Mapping]] = ..., number: _Optional[_Union[GameOption.Number, _Mapping]] = ...) -> None: ...

class ActionGroup(_message.Message):
    __slots__ = ("first_id", "count", "pattern", "meaning")
    FIRST_ID_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    first_id: int
    count: int
    pattern: str
    meaning: str
    def __init__(self, first_id: _Optional[int] = ..., count: _Optional[int] = ..., pattern: _Optional[str] = ..., meaning: _Optional[str] = ...) -> None: ...

class ActionFeatures(_message.Message):
    __slots__ = ("kinds", "pieces", "places", "kind", "piece", "place", "number", "opponent")
    KINDS_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PIECE_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    pieces: _containers.RepeatedScalarFieldContainer[str]
    places: _containers.RepeatedScalarFieldContainer[str]
    kind: _containers.RepeatedScalarFieldContainer[int]
    piece: _containers.RepeatedScalarFieldContainer[int]
    place: _containers.RepeatedScalarFieldContainer[int]
    number: _containers.RepeatedScalarFieldContainer[int]
    opponent: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, kinds: _Optional[_Iterable[str]] = ..., pieces: _Optional[_Iterable[str]] = ..., places: _Optional[_Iterable[str]] = ..., kind: _Optional[_Iterable[int]] = ..., piece: _Optional[_Iterable[int]] = ..., place: _Optional[_Iterable[int]] = ..., number: _Optional[_Iterable[int]] = ..., opponent: _Optional[_Iterable[int]] = ...) -> None: ...

class Layout(_message.Message):
    __slots__ = ("bit_count", "number_count", "fields", "hash")
    BIT_COUNT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_COUNT_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    bit_count: int
    number_count: int
    fields: _containers.RepeatedCompositeFieldContainer[LayoutField]
    hash: bytes
    def __init__(self, bit_count: _Optional[int] = ..., number_count: _Optional[int] = ..., fields: _Optional[_Iterable[_Union[LayoutField, _Mapping]]] = ..., hash: _Optional[bytes] = ...) -> None: ...

class LayoutField(_message.Message):
    __slots__ = ("name", "block", "kind", "shape", "axis", "offset", "min", "max", "seat_relative", "meaning", "values", "values_axis")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    SEAT_RELATIVE_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    VALUES_AXIS_FIELD_NUMBER: _ClassVar[int]
    name: str
    block: TensorBlock
    kind: LayoutFieldKind
    shape: _containers.RepeatedScalarFieldContainer[int]
    axis: int
    offset: int
    min: int
    max: int
    seat_relative: bool
    meaning: str
    values: _containers.RepeatedScalarFieldContainer[str]
    values_axis: int
    def __init__(self, name: _Optional[str] = ..., block: _Optional[_Union[TensorBlock, str]] = ..., kind: _Optional[_Union[LayoutFieldKind, str]] = ..., shape: _Optional[_Iterable[int]] = ..., axis: _Optional[int] = ..., offset: _Optional[int] = ..., min: _Optional[int] = ..., max: _Optional[int] = ..., seat_relative: bool = ..., meaning: _Optional[str] = ..., values: _Optional[_Iterable[str]] = ..., values_axis: _Optional[int] = ...) -> None: ...

class Bot(_message.Message):
    __slots__ = ("name", "about")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    name: str
    about: str
    def __init__(self, name: _Optional[str] = ..., about: _Optional[str] = ...) -> None: ...
