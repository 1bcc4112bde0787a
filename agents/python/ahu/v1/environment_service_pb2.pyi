import datetime

from ahu.v1 import catalog_service_pb2 as _catalog_service_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TableFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_FORMAT_UNSPECIFIED: _ClassVar[TableFormat]
    TABLE_FORMAT_TEXT: _ClassVar[TableFormat]
    TABLE_FORMAT_SVG: _ClassVar[TableFormat]
    TABLE_FORMAT_PNG: _ClassVar[TableFormat]
    TABLE_FORMAT_COMPACT: _ClassVar[TableFormat]
    TABLE_FORMAT_COMPACT_LEGEND: _ClassVar[TableFormat]

class AutoresetMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUTORESET_MODE_UNSPECIFIED: _ClassVar[AutoresetMode]
    AUTORESET_MODE_NEXT_STEP: _ClassVar[AutoresetMode]
    AUTORESET_MODE_SAME_STEP: _ClassVar[AutoresetMode]
    AUTORESET_MODE_DISABLED: _ClassVar[AutoresetMode]

class SeatRotation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEAT_ROTATION_UNSPECIFIED: _ClassVar[SeatRotation]
    SEAT_ROTATION_FIXED: _ClassVar[SeatRotation]
    SEAT_ROTATION_EPISODE: _ClassVar[SeatRotation]

class RewardRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REWARD_RULE_UNSPECIFIED: _ClassVar[RewardRule]
    REWARD_RULE_RANK: _ClassVar[RewardRule]
    REWARD_RULE_MARGIN: _ClassVar[RewardRule]
    REWARD_RULE_POINTS: _ClassVar[RewardRule]
    REWARD_RULE_MARGIN_GAIN: _ClassVar[RewardRule]
TABLE_FORMAT_UNSPECIFIED: TableFormat
TABLE_FORMAT_TEXT: TableFormat
TABLE_FORMAT_SVG: TableFormat
TABLE_FORMAT_PNG: TableFormat
TABLE_FORMAT_COMPACT: TableFormat
TABLE_FORMAT_COMPACT_LEGEND: TableFormat
AUTORESET_MODE_UNSPECIFIED: AutoresetMode
AUTORESET_MODE_NEXT_STEP: AutoresetMode
AUTORESET_MODE_SAME_STEP: AutoresetMode
AUTORESET_MODE_DISABLED: AutoresetMode
SEAT_ROTATION_UNSPECIFIED: SeatRotation
SEAT_ROTATION_FIXED: SeatRotation
SEAT_ROTATION_EPISODE: SeatRotation
REWARD_RULE_UNSPECIFIED: RewardRule
REWARD_RULE_RANK: RewardRule
REWARD_RULE_MARGIN: RewardRule
REWARD_RULE_POINTS: RewardRule
REWARD_RULE_MARGIN_GAIN: RewardRule

class RunRequest(_message.Message):
    __slots__ = ("open", "reset", "step", "render", "set_players", "look", "save", "restore")
    class Open(_message.Message):
        __slots__ = ("game", "seat_count", "options", "environment_count", "group_count", "autoreset_mode", "players", "seat_rotation", "reward_rule", "seed", "rules_version", "layout_hash", "max_decisions")
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
        ENVIRONMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
        GROUP_COUNT_FIELD_NUMBER: _ClassVar[int]
        AUTORESET_MODE_FIELD_NUMBER: _ClassVar[int]
        PLAYERS_FIELD_NUMBER: _ClassVar[int]
        SEAT_ROTATION_FIELD_NUMBER: _ClassVar[int]
        REWARD_RULE_FIELD_NUMBER: _ClassVar[int]
        SEED_FIELD_NUMBER: _ClassVar[int]
        RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
        LAYOUT_HASH_FIELD_NUMBER: _ClassVar[int]
        MAX_DECISIONS_FIELD_NUMBER: _ClassVar[int]
        game: str
        seat_count: int
        options: _containers.ScalarMap[str, str]
        environment_count: int
        group_count: int
        autoreset_mode: AutoresetMode
        players: _containers.RepeatedCompositeFieldContainer[EnvironmentPlayer]
        seat_rotation: SeatRotation
        reward_rule: RewardRule
        seed: int
        rules_version: int
        layout_hash: bytes
        max_decisions: int
        def __init__(self, game: _Optional[str] = ..., seat_count: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., environment_count: _Optional[int] = ..., group_count: _Optional[int] = ..., autoreset_mode: _Optional[_Union[AutoresetMode, str]] = ..., players: _Optional[_Iterable[_Union[EnvironmentPlayer, _Mapping]]] = ..., seat_rotation: _Optional[_Union[SeatRotation, str]] = ..., reward_rule: _Optional[_Union[RewardRule, str]] = ..., seed: _Optional[int] = ..., rules_version: _Optional[int] = ..., layout_hash: _Optional[bytes] = ..., max_decisions: _Optional[int] = ...) -> None: ...
    class Reset(_message.Message):
        __slots__ = ("group", "env_ids", "seeds", "seed")
        GROUP_FIELD_NUMBER: _ClassVar[int]
        ENV_IDS_FIELD_NUMBER: _ClassVar[int]
        SEEDS_FIELD_NUMBER: _ClassVar[int]
        SEED_FIELD_NUMBER: _ClassVar[int]
        group: int
        env_ids: bytes
        seeds: bytes
        seed: int
        def __init__(self, group: _Optional[int] = ..., env_ids: _Optional[bytes] = ..., seeds: _Optional[bytes] = ..., seed: _Optional[int] = ...) -> None: ...
    class Step(_message.Message):
        __slots__ = ("group", "env_ids", "actions")
        GROUP_FIELD_NUMBER: _ClassVar[int]
        ENV_IDS_FIELD_NUMBER: _ClassVar[int]
        ACTIONS_FIELD_NUMBER: _ClassVar[int]
        group: int
        env_ids: bytes
        actions: bytes
        def __init__(self, group: _Optional[int] = ..., env_ids: _Optional[bytes] = ..., actions: _Optional[bytes] = ...) -> None: ...
    class SetPlayers(_message.Message):
        __slots__ = ("players",)
        PLAYERS_FIELD_NUMBER: _ClassVar[int]
        players: _containers.RepeatedCompositeFieldContainer[EnvironmentPlayer]
        def __init__(self, players: _Optional[_Iterable[_Union[EnvironmentPlayer, _Mapping]]] = ...) -> None: ...
    class Look(_message.Message):
        __slots__ = ("group", "env_ids", "advice", "central")
        GROUP_FIELD_NUMBER: _ClassVar[int]
        ENV_IDS_FIELD_NUMBER: _ClassVar[int]
        ADVICE_FIELD_NUMBER: _ClassVar[int]
        CENTRAL_FIELD_NUMBER: _ClassVar[int]
        group: int
        env_ids: bytes
        advice: str
        central: RunRequest.Central
        def __init__(self, group: _Optional[int] = ..., env_ids: _Optional[bytes] = ..., advice: _Optional[str] = ..., central: _Optional[_Union[RunRequest.Central, _Mapping]] = ...) -> None: ...
    class Save(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Restore(_message.Message):
        __slots__ = ("data", "more")
        DATA_FIELD_NUMBER: _ClassVar[int]
        MORE_FIELD_NUMBER: _ClassVar[int]
        data: bytes
        more: bool
        def __init__(self, data: _Optional[bytes] = ..., more: bool = ...) -> None: ...
    class Central(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Render(_message.Message):
        __slots__ = ("environment", "seat", "format", "width")
        ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FORMAT_FIELD_NUMBER: _ClassVar[int]
        WIDTH_FIELD_NUMBER: _ClassVar[int]
        environment: int
        seat: int
        format: TableFormat
        width: int
        def __init__(self, environment: _Optional[int] = ..., seat: _Optional[int] = ..., format: _Optional[_Union[TableFormat, str]] = ..., width: _Optional[int] = ...) -> None: ...
    OPEN_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    RENDER_FIELD_NUMBER: _ClassVar[int]
    SET_PLAYERS_FIELD_NUMBER: _ClassVar[int]
    LOOK_FIELD_NUMBER: _ClassVar[int]
    SAVE_FIELD_NUMBER: _ClassVar[int]
    RESTORE_FIELD_NUMBER: _ClassVar[int]
    open: RunRequest.Open
    reset: RunRequest.Reset
    step: RunRequest.Step
    render: RunRequest.Render
    set_players: RunRequest.SetPlayers
    look: RunRequest.Look
    save: RunRequest.Save
    restore: RunRequest.Restore
    def __init__(self, open: _Optional[_Union[RunRequest.Open, _Mapping]] = ..., reset: _Optional[_Union[RunRequest.Reset, _Mapping]] = ..., step: _Optional[_Union[RunRequest.Step, _Mapping]] = ..., render: _Optional[_Union[RunRequest.Render, _Mapping]] = ..., set_players: _Optional[_Union[RunRequest.SetPlayers, _Mapping]] = ..., look: _Optional[_Union[RunRequest.Look, _Mapping]] = ..., save: _Optional[_Union[RunRequest.Save, _Mapping]] = ..., restore: _Optional[_Union[RunRequest.Restore, _Mapping]] = ...) -> None: ...

class EnvironmentPlayer(_message.Message):
    __slots__ = ("bots",)
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[WeightedBot]
    def __init__(self, bots: _Optional[_Iterable[_Union[WeightedBot, _Mapping]]] = ...) -> None: ...

class WeightedBot(_message.Message):
    __slots__ = ("bot", "weight")
    BOT_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    weight: int
    def __init__(self, bot: _Optional[str] = ..., weight: _Optional[int] = ...) -> None: ...

class RunResponse(_message.Message):
    __slots__ = ("opened", "batch", "rendered", "refused", "players_set", "looked", "saved", "restored")
    class Opened(_message.Message):
        __slots__ = ("layout", "action_count", "seed", "options", "data_files")
        class OptionsEntry(_message.Message):
            __slots__ = ("key", "value")
            KEY_FIELD_NUMBER: _ClassVar[int]
            VALUE_FIELD_NUMBER: _ClassVar[int]
            key: str
            value: str
            def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
        LAYOUT_FIELD_NUMBER: _ClassVar[int]
        ACTION_COUNT_FIELD_NUMBER: _ClassVar[int]
        SEED_FIELD_NUMBER: _ClassVar[int]
        OPTIONS_FIELD_NUMBER: _ClassVar[int]
        DATA_FILES_FIELD_NUMBER: _ClassVar[int]
        layout: _catalog_service_pb2.Layout
        action_count: int
        seed: int
        options: _containers.ScalarMap[str, str]
        data_files: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, layout: _Optional[_Union[_catalog_service_pb2.Layout, _Mapping]] = ..., action_count: _Optional[int] = ..., seed: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., data_files: _Optional[_Iterable[str]] = ...) -> None: ...
    class Batch(_message.Message):
        __slots__ = ("group", "row_count", "env_ids", "seats", "bits", "numbers", "masks", "rewards", "ended", "truncated", "final_row_count", "final_env_ids", "final_seats", "final_bits", "final_numbers", "final_returns", "final_ranks", "episodes", "seeds", "server_nanoseconds", "players", "final_players")
        GROUP_FIELD_NUMBER: _ClassVar[int]
        ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
        ENV_IDS_FIELD_NUMBER: _ClassVar[int]
        SEATS_FIELD_NUMBER: _ClassVar[int]
        BITS_FIELD_NUMBER: _ClassVar[int]
        NUMBERS_FIELD_NUMBER: _ClassVar[int]
        MASKS_FIELD_NUMBER: _ClassVar[int]
        REWARDS_FIELD_NUMBER: _ClassVar[int]
        ENDED_FIELD_NUMBER: _ClassVar[int]
        TRUNCATED_FIELD_NUMBER: _ClassVar[int]
        FINAL_ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
        FINAL_ENV_IDS_FIELD_NUMBER: _ClassVar[int]
        FINAL_SEATS_FIELD_NUMBER: _ClassVar[int]
        FINAL_BITS_FIELD_NUMBER: _ClassVar[int]
        FINAL_NUMBERS_FIELD_NUMBER: _ClassVar[int]
        FINAL_RETURNS_FIELD_NUMBER: _ClassVar[int]
        FINAL_RANKS_FIELD_NUMBER: _ClassVar[int]
        EPISODES_FIELD_NUMBER: _ClassVar[int]
        SEEDS_FIELD_NUMBER: _ClassVar[int]
        SERVER_NANOSECONDS_FIELD_NUMBER: _ClassVar[int]
        PLAYERS_FIELD_NUMBER: _ClassVar[int]
        FINAL_PLAYERS_FIELD_NUMBER: _ClassVar[int]
        group: int
        row_count: int
        env_ids: bytes
        seats: bytes
        bits: bytes
        numbers: bytes
        masks: bytes
        rewards: bytes
        ended: bytes
        truncated: bytes
        final_row_count: int
        final_env_ids: bytes
        final_seats: bytes
        final_bits: bytes
        final_numbers: bytes
        final_returns: bytes
        final_ranks: bytes
        episodes: _containers.RepeatedCompositeFieldContainer[Episode]
        seeds: bytes
        server_nanoseconds: int
        players: bytes
        final_players: bytes
        def __init__(self, group: _Optional[int] = ..., row_count: _Optional[int] = ..., env_ids: _Optional[bytes] = ..., seats: _Optional[bytes] = ..., bits: _Optional[bytes] = ..., numbers: _Optional[bytes] = ..., masks: _Optional[bytes] = ..., rewards: _Optional[bytes] = ..., ended: _Optional[bytes] = ..., truncated: _Optional[bytes] = ..., final_row_count: _Optional[int] = ..., final_env_ids: _Optional[bytes] = ..., final_seats: _Optional[bytes] = ..., final_bits: _Optional[bytes] = ..., final_numbers: _Optional[bytes] = ..., final_returns: _Optional[bytes] = ..., final_ranks: _Optional[bytes] = ..., episodes: _Optional[_Iterable[_Union[Episode, _Mapping]]] = ..., seeds: _Optional[bytes] = ..., server_nanoseconds: _Optional[int] = ..., players: _Optional[bytes] = ..., final_players: _Optional[bytes] = ...) -> None: ...
    class Rendered(_message.Message):
        __slots__ = ("text", "image")
        TEXT_FIELD_NUMBER: _ClassVar[int]
        IMAGE_FIELD_NUMBER: _ClassVar[int]
        text: str
        image: bytes
        def __init__(self, text: _Optional[str] = ..., image: _Optional[bytes] = ...) -> None: ...
    class PlayersSet(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Looked(_message.Message):
        __slots__ = ("row_count", "advice", "central", "server_nanoseconds")
        ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
        ADVICE_FIELD_NUMBER: _ClassVar[int]
        CENTRAL_FIELD_NUMBER: _ClassVar[int]
        SERVER_NANOSECONDS_FIELD_NUMBER: _ClassVar[int]
        row_count: int
        advice: RunResponse.Advice
        central: RunResponse.CentralObservations
        server_nanoseconds: int
        def __init__(self, row_count: _Optional[int] = ..., advice: _Optional[_Union[RunResponse.Advice, _Mapping]] = ..., central: _Optional[_Union[RunResponse.CentralObservations, _Mapping]] = ..., server_nanoseconds: _Optional[int] = ...) -> None: ...
    class Saved(_message.Message):
        __slots__ = ("data",)
        DATA_FIELD_NUMBER: _ClassVar[int]
        data: bytes
        def __init__(self, data: _Optional[bytes] = ...) -> None: ...
    class Restored(_message.Message):
        __slots__ = ("batch", "starts", "env_seeds")
        BATCH_FIELD_NUMBER: _ClassVar[int]
        STARTS_FIELD_NUMBER: _ClassVar[int]
        ENV_SEEDS_FIELD_NUMBER: _ClassVar[int]
        batch: RunResponse.Batch
        starts: bytes
        env_seeds: bytes
        def __init__(self, batch: _Optional[_Union[RunResponse.Batch, _Mapping]] = ..., starts: _Optional[bytes] = ..., env_seeds: _Optional[bytes] = ...) -> None: ...
    class Advice(_message.Message):
        __slots__ = ("choices", "counts", "action_ids", "visits", "means", "standard_errors")
        CHOICES_FIELD_NUMBER: _ClassVar[int]
        COUNTS_FIELD_NUMBER: _ClassVar[int]
        ACTION_IDS_FIELD_NUMBER: _ClassVar[int]
        VISITS_FIELD_NUMBER: _ClassVar[int]
        MEANS_FIELD_NUMBER: _ClassVar[int]
        STANDARD_ERRORS_FIELD_NUMBER: _ClassVar[int]
        choices: bytes
        counts: bytes
        action_ids: bytes
        visits: bytes
        means: bytes
        standard_errors: bytes
        def __init__(self, choices: _Optional[bytes] = ..., counts: _Optional[bytes] = ..., action_ids: _Optional[bytes] = ..., visits: _Optional[bytes] = ..., means: _Optional[bytes] = ..., standard_errors: _Optional[bytes] = ...) -> None: ...
    class CentralObservations(_message.Message):
        __slots__ = ("bits", "numbers")
        BITS_FIELD_NUMBER: _ClassVar[int]
        NUMBERS_FIELD_NUMBER: _ClassVar[int]
        bits: bytes
        numbers: bytes
        def __init__(self, bits: _Optional[bytes] = ..., numbers: _Optional[bytes] = ...) -> None: ...
    class Refused(_message.Message):
        __slots__ = ("code", "reason", "message", "metadata", "retry_delay", "field")
        class MetadataEntry(_message.Message):
            __slots__ = ("key", "value")
            KEY_FIELD_NUMBER: _ClassVar[int]
            VALUE_FIELD_NUMBER: _ClassVar[int]
            key: str
            value: str
            def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
        CODE_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        MESSAGE_FIELD_NUMBER: _ClassVar[int]
        METADATA_FIELD_NUMBER: _ClassVar[int]
        RETRY_DELAY_FIELD_NUMBER: _ClassVar[int]
        FIELD_FIELD_NUMBER: _ClassVar[int]
        code: int
        reason: str
        message: str
        metadata: _containers.ScalarMap[str, str]
        retry_delay: _duration_pb2.Duration
        field: str
        def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., retry_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., field: _Optional[str] = ...) -> None: ...
    OPENED_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    RENDERED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_SET_FIELD_NUMBER: _ClassVar[int]
    LOOKED_FIELD_NUMBER: _ClassVar[int]
    SAVED_FIELD_NUMBER: _ClassVar[int]
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    opened: RunResponse.Opened
    batch: RunResponse.Batch
    rendered: RunResponse.Rendered
    refused: RunResponse.Refused
    players_set: RunResponse.PlayersSet
    looked: RunResponse.Looked
    saved: RunResponse.Saved
    restored: RunResponse.Restored
    def __init__(self, opened: _Optional[_Union[RunResponse.Opened, _Mapping]] = ..., batch: _Optional[_Union[RunResponse.Batch, _Mapping]] = ..., rendered: _Optional[_Union[RunResponse.Rendered, _Mapping]] = ..., refused: _Optional[_Union[RunResponse.Refused, _Mapping]] = ..., players_set: _Optional[_Union[RunResponse.PlayersSet, _Mapping]] = ..., looked: _Optional[_Union[RunResponse.Looked, _Mapping]] = ..., saved: _Optional[_Union[RunResponse.Saved, _Mapping]] = ..., restored: _Optional[_Union[RunResponse.Restored, _Mapping]] = ...) -> None: ...

class Episode(_message.Message):
    __slots__ = ("environment", "seed", "decision_count", "bots", "scores", "ranks", "returns", "truncated")
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    DECISION_COUNT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    RETURNS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    environment: int
    seed: int
    decision_count: int
    bots: _containers.RepeatedScalarFieldContainer[str]
    scores: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    returns: _containers.RepeatedScalarFieldContainer[float]
    truncated: bool
    def __init__(self, environment: _Optional[int] = ..., seed: _Optional[int] = ..., decision_count: _Optional[int] = ..., bots: _Optional[_Iterable[str]] = ..., scores: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ..., returns: _Optional[_Iterable[float]] = ..., truncated: bool = ...) -> None: ...
