from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Side(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIDE_UNSPECIFIED: _ClassVar[Side]
    SIDE_NORTH: _ClassVar[Side]
    SIDE_EAST: _ClassVar[Side]
    SIDE_SOUTH: _ClassVar[Side]
    SIDE_WEST: _ClassVar[Side]

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_SETUP: _ClassVar[Phase]
    PHASE_DRAFT: _ClassVar[Phase]
    PHASE_PLACE: _ClassVar[Phase]
    PHASE_SCULPT: _ClassVar[Phase]
    PHASE_TRANSPORT: _ClassVar[Phase]
    PHASE_CARRY: _ClassVar[Phase]
    PHASE_TOLL: _ClassVar[Phase]
    PHASE_GAIN: _ClassVar[Phase]
    PHASE_SHIFT: _ClassVar[Phase]
    PHASE_EXCHANGE: _ClassVar[Phase]
    PHASE_PAY: _ClassVar[Phase]
    PHASE_END_TURN: _ClassVar[Phase]
    PHASE_OVER: _ClassVar[Phase]

class Resource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOURCE_UNSPECIFIED: _ClassVar[Resource]
    RESOURCE_REEDS: _ClassVar[Resource]
    RESOURCE_EGGS: _ClassVar[Resource]
    RESOURCE_WOOD: _ClassVar[Resource]
    RESOURCE_PEARLS: _ClassVar[Resource]

class Size(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIZE_UNSPECIFIED: _ClassVar[Size]
    SIZE_SMALL: _ClassVar[Size]
    SIZE_MEDIUM: _ClassVar[Size]
    SIZE_LARGE: _ClassVar[Size]

class Tile(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TILE_UNSPECIFIED: _ClassVar[Tile]
    TILE_REST: _ClassVar[Tile]
    TILE_BARTER: _ClassVar[Tile]
    TILE_SKIMP: _ClassVar[Tile]
    TILE_CHIP_IN: _ClassVar[Tile]
    TILE_TAKE_THREE_MORE: _ClassVar[Tile]
    TILE_TAKE_YOUR_PICK: _ClassVar[Tile]
    TILE_CHANGE_JOBS: _ClassVar[Tile]
    TILE_LEND_A_HAND: _ClassVar[Tile]
    TILE_GAIN_FAVOR: _ClassVar[Tile]
    TILE_TAKE_TWO_MORE: _ClassVar[Tile]

class Improvement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    IMPROVEMENT_UNSPECIFIED: _ClassVar[Improvement]
    IMPROVEMENT_FERVENT: _ClassVar[Improvement]
    IMPROVEMENT_ARTISTIC: _ClassVar[Improvement]
    IMPROVEMENT_POPULAR: _ClassVar[Improvement]
    IMPROVEMENT_CHIEF: _ClassVar[Improvement]

class Offering(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OFFERING_UNSPECIFIED: _ClassVar[Offering]
    OFFERING_HUT: _ClassVar[Offering]
    OFFERING_CHICKEN: _ClassVar[Offering]
    OFFERING_HATCHET: _ClassVar[Offering]
    OFFERING_BOAT: _ClassVar[Offering]
    OFFERING_NECKLACE: _ClassVar[Offering]

class Quarry(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUARRY_UNSPECIFIED: _ClassVar[Quarry]
    QUARRY_CRATER: _ClassVar[Quarry]
    QUARRY_PUKAO: _ClassVar[Quarry]

class SorcererPlace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SORCERER_PLACE_UNSPECIFIED: _ClassVar[SorcererPlace]
    SORCERER_PLACE_IN_HAND: _ClassVar[SorcererPlace]
    SORCERER_PLACE_ON_STAR: _ClassVar[SorcererPlace]
    SORCERER_PLACE_AT_WORK: _ClassVar[SorcererPlace]

class ChiefPlace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHIEF_PLACE_UNSPECIFIED: _ClassVar[ChiefPlace]
    CHIEF_PLACE_IN_VILLAGE: _ClassVar[ChiefPlace]
    CHIEF_PLACE_IN_HAND: _ClassVar[ChiefPlace]
    CHIEF_PLACE_IN_QUARRY: _ClassVar[ChiefPlace]
    CHIEF_PLACE_ON_SPACE: _ClassVar[ChiefPlace]

class Means(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEANS_UNSPECIFIED: _ClassVar[Means]
    MEANS_TILE: _ClassVar[Means]
    MEANS_TABLET: _ClassVar[Means]

class EndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    END_REASON_UNSPECIFIED: _ClassVar[EndReason]
    END_REASON_AHUS: _ClassVar[EndReason]
    END_REASON_ROUNDS: _ClassVar[EndReason]
    END_REASON_STALL: _ClassVar[EndReason]
SIDE_UNSPECIFIED: Side
SIDE_NORTH: Side
SIDE_EAST: Side
SIDE_SOUTH: Side
SIDE_WEST: Side
PHASE_UNSPECIFIED: Phase
PHASE_SETUP: Phase
PHASE_DRAFT: Phase
PHASE_PLACE: Phase
PHASE_SCULPT: Phase
PHASE_TRANSPORT: Phase
PHASE_CARRY: Phase
PHASE_TOLL: Phase
PHASE_GAIN: Phase
PHASE_SHIFT: Phase
PHASE_EXCHANGE: Phase
PHASE_PAY: Phase
PHASE_END_TURN: Phase
PHASE_OVER: Phase
RESOURCE_UNSPECIFIED: Resource
RESOURCE_REEDS: Resource
RESOURCE_EGGS: Resource
RESOURCE_WOOD: Resource
RESOURCE_PEARLS: Resource
SIZE_UNSPECIFIED: Size
SIZE_SMALL: Size
SIZE_MEDIUM: Size
SIZE_LARGE: Size
TILE_UNSPECIFIED: Tile
TILE_REST: Tile
TILE_BARTER: Tile
TILE_SKIMP: Tile
TILE_CHIP_IN: Tile
TILE_TAKE_THREE_MORE: Tile
TILE_TAKE_YOUR_PICK: Tile
TILE_CHANGE_JOBS: Tile
TILE_LEND_A_HAND: Tile
TILE_GAIN_FAVOR: Tile
TILE_TAKE_TWO_MORE: Tile
IMPROVEMENT_UNSPECIFIED: Improvement
IMPROVEMENT_FERVENT: Improvement
IMPROVEMENT_ARTISTIC: Improvement
IMPROVEMENT_POPULAR: Improvement
IMPROVEMENT_CHIEF: Improvement
OFFERING_UNSPECIFIED: Offering
OFFERING_HUT: Offering
OFFERING_CHICKEN: Offering
OFFERING_HATCHET: Offering
OFFERING_BOAT: Offering
OFFERING_NECKLACE: Offering
QUARRY_UNSPECIFIED: Quarry
QUARRY_CRATER: Quarry
QUARRY_PUKAO: Quarry
SORCERER_PLACE_UNSPECIFIED: SorcererPlace
SORCERER_PLACE_IN_HAND: SorcererPlace
SORCERER_PLACE_ON_STAR: SorcererPlace
SORCERER_PLACE_AT_WORK: SorcererPlace
CHIEF_PLACE_UNSPECIFIED: ChiefPlace
CHIEF_PLACE_IN_VILLAGE: ChiefPlace
CHIEF_PLACE_IN_HAND: ChiefPlace
CHIEF_PLACE_IN_QUARRY: ChiefPlace
CHIEF_PLACE_ON_SPACE: ChiefPlace
MEANS_UNSPECIFIED: Means
MEANS_TILE: Means
MEANS_TABLET: Means
END_REASON_UNSPECIFIED: EndReason
END_REASON_AHUS: EndReason
END_REASON_ROUNDS: EndReason
END_REASON_STALL: EndReason

class Observation(_message.Message):
    __slots__ = ("viewer_seat", "phase", "active_seat", "seat_to_act", "round", "turn_order", "players", "spaces", "supply", "pukao_count", "free_quarry_places", "star_count", "stacks", "empty_ahu_count", "last_ahu_count", "idle_rounds_left", "rounds_left", "erected_or_styled", "displayed_tiles", "aside_tiles", "sculpted", "transport", "gain", "exchange")
    VIEWER_SEAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_SEAT_FIELD_NUMBER: _ClassVar[int]
    SEAT_TO_ACT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TURN_ORDER_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    SPACES_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_FIELD_NUMBER: _ClassVar[int]
    PUKAO_COUNT_FIELD_NUMBER: _ClassVar[int]
    FREE_QUARRY_PLACES_FIELD_NUMBER: _ClassVar[int]
    STAR_COUNT_FIELD_NUMBER: _ClassVar[int]
    STACKS_FIELD_NUMBER: _ClassVar[int]
    EMPTY_AHU_COUNT_FIELD_NUMBER: _ClassVar[int]
    LAST_AHU_COUNT_FIELD_NUMBER: _ClassVar[int]
    IDLE_ROUNDS_LEFT_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_LEFT_FIELD_NUMBER: _ClassVar[int]
    ERECTED_OR_STYLED_FIELD_NUMBER: _ClassVar[int]
    DISPLAYED_TILES_FIELD_NUMBER: _ClassVar[int]
    ASIDE_TILES_FIELD_NUMBER: _ClassVar[int]
    SCULPTED_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_FIELD_NUMBER: _ClassVar[int]
    GAIN_FIELD_NUMBER: _ClassVar[int]
    EXCHANGE_FIELD_NUMBER: _ClassVar[int]
    viewer_seat: int
    phase: Phase
    active_seat: int
    seat_to_act: int
    round: int
    turn_order: _containers.RepeatedScalarFieldContainer[int]
    players: _containers.RepeatedCompositeFieldContainer[Player]
    spaces: _containers.RepeatedCompositeFieldContainer[Space]
    supply: SizeCounts
    pukao_count: int
    free_quarry_places: SizeCounts
    star_count: int
    stacks: _containers.RepeatedCompositeFieldContainer[OfferingStack]
    empty_ahu_count: int
    last_ahu_count: int
    idle_rounds_left: int
    rounds_left: int
    erected_or_styled: bool
    displayed_tiles: _containers.RepeatedScalarFieldContainer[Tile]
    aside_tiles: _containers.RepeatedScalarFieldContainer[Tile]
    sculpted: SizeCounts
    transport: Transport
    gain: Gain
    exchange: Exchange
    def __init__(self, viewer_seat: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., active_seat: _Optional[int] = ..., seat_to_act: _Optional[int] = ..., round: _Optional[int] = ..., turn_order: _Optional[_Iterable[int]] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ..., spaces: _Optional[_Iterable[_Union[Space, _Mapping]]] = ..., supply: _Optional[_Union[SizeCounts, _Mapping]] = ..., pukao_count: _Optional[int] = ..., free_quarry_places: _Optional[_Union[SizeCounts, _Mapping]] = ..., star_count: _Optional[int] = ..., stacks: _Optional[_Iterable[_Union[OfferingStack, _Mapping]]] = ..., empty_ahu_count: _Optional[int] = ..., last_ahu_count: _Optional[int] = ..., idle_rounds_left: _Optional[int] = ..., rounds_left: _Optional[int] = ..., erected_or_styled: bool = ..., displayed_tiles: _Optional[_Iterable[_Union[Tile, str]]] = ..., aside_tiles: _Optional[_Iterable[_Union[Tile, str]]] = ..., sculpted: _Optional[_Union[SizeCounts, _Mapping]] = ..., transport: _Optional[_Union[Transport, _Mapping]] = ..., gain: _Optional[_Union[Gain, _Mapping]] = ..., exchange: _Optional[_Union[Exchange, _Mapping]] = ...) -> None: ...

class Player(_message.Message):
    __slots__ = ("seat", "points", "offering_points", "offerings", "resources", "tiles", "tablet", "improvements", "moai", "villager_count", "sculptors", "virtual_sculptors", "sorcerer", "chief", "held_spaces", "dropped_out")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    OFFERING_POINTS_FIELD_NUMBER: _ClassVar[int]
    OFFERINGS_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    TABLET_FIELD_NUMBER: _ClassVar[int]
    IMPROVEMENTS_FIELD_NUMBER: _ClassVar[int]
    MOAI_FIELD_NUMBER: _ClassVar[int]
    VILLAGER_COUNT_FIELD_NUMBER: _ClassVar[int]
    SCULPTORS_FIELD_NUMBER: _ClassVar[int]
    VIRTUAL_SCULPTORS_FIELD_NUMBER: _ClassVar[int]
    SORCERER_FIELD_NUMBER: _ClassVar[int]
    CHIEF_FIELD_NUMBER: _ClassVar[int]
    HELD_SPACES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_OUT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    points: int
    offering_points: int
    offerings: OfferingCounts
    resources: ResourceCounts
    tiles: _containers.RepeatedScalarFieldContainer[Tile]
    tablet: bool
    improvements: _containers.RepeatedScalarFieldContainer[Improvement]
    moai: SizeCounts
    villager_count: int
    sculptors: SizeCounts
    virtual_sculptors: SizeCounts
    sorcerer: Sorcerer
    chief: Chief
    held_spaces: _containers.RepeatedScalarFieldContainer[int]
    dropped_out: bool
    def __init__(self, seat: _Optional[int] = ..., points: _Optional[int] = ..., offering_points: _Optional[int] = ..., offerings: _Optional[_Union[OfferingCounts, _Mapping]] = ..., resources: _Optional[_Union[ResourceCounts, _Mapping]] = ..., tiles: _Optional[_Iterable[_Union[Tile, str]]] = ..., tablet: bool = ..., improvements: _Optional[_Iterable[_Union[Improvement, str]]] = ..., moai: _Optional[_Union[SizeCounts, _Mapping]] = ..., villager_count: _Optional[int] = ..., sculptors: _Optional[_Union[SizeCounts, _Mapping]] = ..., virtual_sculptors: _Optional[_Union[SizeCounts, _Mapping]] = ..., sorcerer: _Optional[_Union[Sorcerer, _Mapping]] = ..., chief: _Optional[_Union[Chief, _Mapping]] = ..., held_spaces: _Optional[_Iterable[int]] = ..., dropped_out: bool = ...) -> None: ...

class Sorcerer(_message.Message):
    __slots__ = ("place", "star")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    STAR_FIELD_NUMBER: _ClassVar[int]
    place: SorcererPlace
    star: int
    def __init__(self, place: _Optional[_Union[SorcererPlace, str]] = ..., star: _Optional[int] = ...) -> None: ...

class Chief(_message.Message):
    __slots__ = ("place", "column", "space")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    SPACE_FIELD_NUMBER: _ClassVar[int]
    place: ChiefPlace
    column: Size
    space: int
    def __init__(self, place: _Optional[_Union[ChiefPlace, str]] = ..., column: _Optional[_Union[Size, str]] = ..., space: _Optional[int] = ...) -> None: ...

class Board(_message.Message):
    __slots__ = ("spaces", "quarries", "row_count", "column_count", "quarry_places", "star_count")
    SPACES_FIELD_NUMBER: _ClassVar[int]
    QUARRIES_FIELD_NUMBER: _ClassVar[int]
    ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
    COLUMN_COUNT_FIELD_NUMBER: _ClassVar[int]
    QUARRY_PLACES_FIELD_NUMBER: _ClassVar[int]
    STAR_COUNT_FIELD_NUMBER: _ClassVar[int]
    spaces: _containers.RepeatedCompositeFieldContainer[BoardSpace]
    quarries: _containers.RepeatedCompositeFieldContainer[BoardQuarry]
    row_count: int
    column_count: int
    quarry_places: SizeCounts
    star_count: int
    def __init__(self, spaces: _Optional[_Iterable[_Union[BoardSpace, _Mapping]]] = ..., quarries: _Optional[_Iterable[_Union[BoardQuarry, _Mapping]]] = ..., row_count: _Optional[int] = ..., column_count: _Optional[int] = ..., quarry_places: _Optional[_Union[SizeCounts, _Mapping]] = ..., star_count: _Optional[int] = ...) -> None: ...

class BoardSpace(_message.Message):
    __slots__ = ("number", "row", "column", "adjacent_spaces", "adjacent_quarries", "colours", "ahu_count", "coasts")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    ADJACENT_SPACES_FIELD_NUMBER: _ClassVar[int]
    ADJACENT_QUARRIES_FIELD_NUMBER: _ClassVar[int]
    COLOURS_FIELD_NUMBER: _ClassVar[int]
    AHU_COUNT_FIELD_NUMBER: _ClassVar[int]
    COASTS_FIELD_NUMBER: _ClassVar[int]
    number: int
    row: int
    column: int
    adjacent_spaces: _containers.RepeatedScalarFieldContainer[int]
    adjacent_quarries: _containers.RepeatedScalarFieldContainer[Quarry]
    colours: _containers.RepeatedScalarFieldContainer[Resource]
    ahu_count: int
    coasts: _containers.RepeatedScalarFieldContainer[Side]
    def __init__(self, number: _Optional[int] = ..., row: _Optional[int] = ..., column: _Optional[int] = ..., adjacent_spaces: _Optional[_Iterable[int]] = ..., adjacent_quarries: _Optional[_Iterable[_Union[Quarry, str]]] = ..., colours: _Optional[_Iterable[_Union[Resource, str]]] = ..., ahu_count: _Optional[int] = ..., coasts: _Optional[_Iterable[_Union[Side, str]]] = ...) -> None: ...

class BoardQuarry(_message.Message):
    __slots__ = ("quarry", "row", "column", "adjacent_spaces")
    QUARRY_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    ADJACENT_SPACES_FIELD_NUMBER: _ClassVar[int]
    quarry: Quarry
    row: int
    column: int
    adjacent_spaces: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, quarry: _Optional[_Union[Quarry, str]] = ..., row: _Optional[int] = ..., column: _Optional[int] = ..., adjacent_spaces: _Optional[_Iterable[int]] = ...) -> None: ...

class Tiles(_message.Message):
    __slots__ = ("offerings", "ahu_tiles", "improvements", "moai", "moai_of_two", "pukao_count")
    OFFERINGS_FIELD_NUMBER: _ClassVar[int]
    AHU_TILES_FIELD_NUMBER: _ClassVar[int]
    IMPROVEMENTS_FIELD_NUMBER: _ClassVar[int]
    MOAI_FIELD_NUMBER: _ClassVar[int]
    MOAI_OF_TWO_FIELD_NUMBER: _ClassVar[int]
    PUKAO_COUNT_FIELD_NUMBER: _ClassVar[int]
    offerings: _containers.RepeatedCompositeFieldContainer[OfferingTiles]
    ahu_tiles: _containers.RepeatedCompositeFieldContainer[AhuTiles]
    improvements: _containers.RepeatedCompositeFieldContainer[ImprovementTile]
    moai: SizeCounts
    moai_of_two: SizeCounts
    pukao_count: int
    def __init__(self, offerings: _Optional[_Iterable[_Union[OfferingTiles, _Mapping]]] = ..., ahu_tiles: _Optional[_Iterable[_Union[AhuTiles, _Mapping]]] = ..., improvements: _Optional[_Iterable[_Union[ImprovementTile, _Mapping]]] = ..., moai: _Optional[_Union[SizeCounts, _Mapping]] = ..., moai_of_two: _Optional[_Union[SizeCounts, _Mapping]] = ..., pukao_count: _Optional[int] = ...) -> None: ...

class OfferingTiles(_message.Message):
    __slots__ = ("type", "price", "values", "values_of_two", "outstanding_values")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PRICE_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    VALUES_OF_TWO_FIELD_NUMBER: _ClassVar[int]
    OUTSTANDING_VALUES_FIELD_NUMBER: _ClassVar[int]
    type: Offering
    price: ResourceCounts
    values: _containers.RepeatedScalarFieldContainer[int]
    values_of_two: _containers.RepeatedScalarFieldContainer[int]
    outstanding_values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, type: _Optional[_Union[Offering, str]] = ..., price: _Optional[_Union[ResourceCounts, _Mapping]] = ..., values: _Optional[_Iterable[int]] = ..., values_of_two: _Optional[_Iterable[int]] = ..., outstanding_values: _Optional[_Iterable[int]] = ...) -> None: ...

class AhuTiles(_message.Message):
    __slots__ = ("type", "count", "beginner_count")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    BEGINNER_COUNT_FIELD_NUMBER: _ClassVar[int]
    type: Tile
    count: int
    beginner_count: int
    def __init__(self, type: _Optional[_Union[Tile, str]] = ..., count: _Optional[int] = ..., beginner_count: _Optional[int] = ...) -> None: ...

class ImprovementTile(_message.Message):
    __slots__ = ("type", "price")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PRICE_FIELD_NUMBER: _ClassVar[int]
    type: Improvement
    price: ResourceCounts
    def __init__(self, type: _Optional[_Union[Improvement, str]] = ..., price: _Optional[_Union[ResourceCounts, _Mapping]] = ...) -> None: ...

class Space(_message.Message):
    __slots__ = ("number", "row", "column", "adjacent_spaces", "adjacent_quarries", "colours", "ahu_count", "tiles", "moai", "styled_count", "owner_seat", "standing_count", "lying_count", "chief")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    ADJACENT_SPACES_FIELD_NUMBER: _ClassVar[int]
    ADJACENT_QUARRIES_FIELD_NUMBER: _ClassVar[int]
    COLOURS_FIELD_NUMBER: _ClassVar[int]
    AHU_COUNT_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    MOAI_FIELD_NUMBER: _ClassVar[int]
    STYLED_COUNT_FIELD_NUMBER: _ClassVar[int]
    OWNER_SEAT_FIELD_NUMBER: _ClassVar[int]
    STANDING_COUNT_FIELD_NUMBER: _ClassVar[int]
    LYING_COUNT_FIELD_NUMBER: _ClassVar[int]
    CHIEF_FIELD_NUMBER: _ClassVar[int]
    number: int
    row: int
    column: int
    adjacent_spaces: _containers.RepeatedScalarFieldContainer[int]
    adjacent_quarries: _containers.RepeatedScalarFieldContainer[Quarry]
    colours: _containers.RepeatedScalarFieldContainer[Resource]
    ahu_count: int
    tiles: _containers.RepeatedScalarFieldContainer[Tile]
    moai: SizeCounts
    styled_count: int
    owner_seat: int
    standing_count: int
    lying_count: int
    chief: bool
    def __init__(self, number: _Optional[int] = ..., row: _Optional[int] = ..., column: _Optional[int] = ..., adjacent_spaces: _Optional[_Iterable[int]] = ..., adjacent_quarries: _Optional[_Iterable[_Union[Quarry, str]]] = ..., colours: _Optional[_Iterable[_Union[Resource, str]]] = ..., ahu_count: _Optional[int] = ..., tiles: _Optional[_Iterable[_Union[Tile, str]]] = ..., moai: _Optional[_Union[SizeCounts, _Mapping]] = ..., styled_count: _Optional[int] = ..., owner_seat: _Optional[int] = ..., standing_count: _Optional[int] = ..., lying_count: _Optional[int] = ..., chief: bool = ...) -> None: ...

class OfferingStack(_message.Message):
    __slots__ = ("type", "values", "outstanding_values")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    OUTSTANDING_VALUES_FIELD_NUMBER: _ClassVar[int]
    type: Offering
    values: _containers.RepeatedScalarFieldContainer[int]
    outstanding_values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, type: _Optional[_Union[Offering, str]] = ..., values: _Optional[_Iterable[int]] = ..., outstanding_values: _Optional[_Iterable[int]] = ...) -> None: ...

class Transport(_message.Message):
    __slots__ = ("cargo", "at", "visited", "tile", "tolls")
    CARGO_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    VISITED_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    TOLLS_FIELD_NUMBER: _ClassVar[int]
    cargo: Cargo
    at: Area
    visited: _containers.RepeatedCompositeFieldContainer[Area]
    tile: Tile
    tolls: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, cargo: _Optional[_Union[Cargo, _Mapping]] = ..., at: _Optional[_Union[Area, _Mapping]] = ..., visited: _Optional[_Iterable[_Union[Area, _Mapping]]] = ..., tile: _Optional[_Union[Tile, str]] = ..., tolls: _Optional[_Iterable[int]] = ...) -> None: ...

class Gain(_message.Message):
    __slots__ = ("space", "count", "part_count", "part_colour")
    SPACE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    PART_COUNT_FIELD_NUMBER: _ClassVar[int]
    PART_COLOUR_FIELD_NUMBER: _ClassVar[int]
    space: int
    count: int
    part_count: int
    part_colour: Resource
    def __init__(self, space: _Optional[int] = ..., count: _Optional[int] = ..., part_count: _Optional[int] = ..., part_colour: _Optional[_Union[Resource, str]] = ...) -> None: ...

class Exchange(_message.Message):
    __slots__ = ("price", "offering", "outstanding")
    PRICE_FIELD_NUMBER: _ClassVar[int]
    OFFERING_FIELD_NUMBER: _ClassVar[int]
    OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
    price: int
    offering: Offering
    outstanding: bool
    def __init__(self, price: _Optional[int] = ..., offering: _Optional[_Union[Offering, str]] = ..., outstanding: bool = ...) -> None: ...

class Area(_message.Message):
    __slots__ = ("space", "quarry")
    SPACE_FIELD_NUMBER: _ClassVar[int]
    QUARRY_FIELD_NUMBER: _ClassVar[int]
    space: int
    quarry: Quarry
    def __init__(self, space: _Optional[int] = ..., quarry: _Optional[_Union[Quarry, str]] = ...) -> None: ...

class Cargo(_message.Message):
    __slots__ = ("moai", "pukao")
    class Pukao(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    MOAI_FIELD_NUMBER: _ClassVar[int]
    PUKAO_FIELD_NUMBER: _ClassVar[int]
    moai: Size
    pukao: Cargo.Pukao
    def __init__(self, moai: _Optional[_Union[Size, str]] = ..., pukao: _Optional[_Union[Cargo.Pukao, _Mapping]] = ...) -> None: ...

class ResourceCounts(_message.Message):
    __slots__ = ("reeds", "eggs", "wood", "pearls")
    REEDS_FIELD_NUMBER: _ClassVar[int]
    EGGS_FIELD_NUMBER: _ClassVar[int]
    WOOD_FIELD_NUMBER: _ClassVar[int]
    PEARLS_FIELD_NUMBER: _ClassVar[int]
    reeds: int
    eggs: int
    wood: int
    pearls: int
    def __init__(self, reeds: _Optional[int] = ..., eggs: _Optional[int] = ..., wood: _Optional[int] = ..., pearls: _Optional[int] = ...) -> None: ...

class SizeCounts(_message.Message):
    __slots__ = ("small", "medium", "large")
    SMALL_FIELD_NUMBER: _ClassVar[int]
    MEDIUM_FIELD_NUMBER: _ClassVar[int]
    LARGE_FIELD_NUMBER: _ClassVar[int]
    small: int
    medium: int
    large: int
    def __init__(self, small: _Optional[int] = ..., medium: _Optional[int] = ..., large: _Optional[int] = ...) -> None: ...

class OfferingCounts(_message.Message):
    __slots__ = ("hut", "chicken", "hatchet", "boat", "necklace")
    HUT_FIELD_NUMBER: _ClassVar[int]
    CHICKEN_FIELD_NUMBER: _ClassVar[int]
    HATCHET_FIELD_NUMBER: _ClassVar[int]
    BOAT_FIELD_NUMBER: _ClassVar[int]
    NECKLACE_FIELD_NUMBER: _ClassVar[int]
    hut: int
    chicken: int
    hatchet: int
    boat: int
    necklace: int
    def __init__(self, hut: _Optional[int] = ..., chicken: _Optional[int] = ..., hatchet: _Optional[int] = ..., boat: _Optional[int] = ..., necklace: _Optional[int] = ...) -> None: ...

class Power(_message.Message):
    __slots__ = ("barter", "chip_in", "change_to_sculptor", "change_to_transporter", "rest", "lend_sculptor", "lend_chief", "take_two_more", "take_three_more")
    class TakeTwoMore(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class TakeThreeMore(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Barter(_message.Message):
        __slots__ = ("give", "take")
        GIVE_FIELD_NUMBER: _ClassVar[int]
        TAKE_FIELD_NUMBER: _ClassVar[int]
        give: Resource
        take: Resource
        def __init__(self, give: _Optional[_Union[Resource, str]] = ..., take: _Optional[_Union[Resource, str]] = ...) -> None: ...
    BARTER_FIELD_NUMBER: _ClassVar[int]
    CHIP_IN_FIELD_NUMBER: _ClassVar[int]
    CHANGE_TO_SCULPTOR_FIELD_NUMBER: _ClassVar[int]
    CHANGE_TO_TRANSPORTER_FIELD_NUMBER: _ClassVar[int]
    REST_FIELD_NUMBER: _ClassVar[int]
    LEND_SCULPTOR_FIELD_NUMBER: _ClassVar[int]
    LEND_CHIEF_FIELD_NUMBER: _ClassVar[int]
    TAKE_TWO_MORE_FIELD_NUMBER: _ClassVar[int]
    TAKE_THREE_MORE_FIELD_NUMBER: _ClassVar[int]
    barter: Power.Barter
    chip_in: Size
    change_to_sculptor: Size
    change_to_transporter: int
    rest: int
    lend_sculptor: int
    lend_chief: int
    take_two_more: Power.TakeTwoMore
    take_three_more: Power.TakeThreeMore
    def __init__(self, barter: _Optional[_Union[Power.Barter, _Mapping]] = ..., chip_in: _Optional[_Union[Size, str]] = ..., change_to_sculptor: _Optional[_Union[Size, str]] = ..., change_to_transporter: _Optional[int] = ..., rest: _Optional[int] = ..., lend_sculptor: _Optional[int] = ..., lend_chief: _Optional[int] = ..., take_two_more: _Optional[_Union[Power.TakeTwoMore, _Mapping]] = ..., take_three_more: _Optional[_Union[Power.TakeThreeMore, _Mapping]] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("place_transporter", "place_sculptor", "place_sorcerer", "place_chief", "improve", "play", "sculpt", "sculpt_done", "begin_transport", "drop_out", "end_turn", "step", "erect", "style", "toll", "take_gain", "divide_gain", "skimp", "offer", "pay", "draft")
    class PlaceTransporter(_message.Message):
        __slots__ = ("space",)
        SPACE_FIELD_NUMBER: _ClassVar[int]
        space: int
        def __init__(self, space: _Optional[int] = ...) -> None: ...
    class PlaceSculptor(_message.Message):
        __slots__ = ("column",)
        COLUMN_FIELD_NUMBER: _ClassVar[int]
        column: Size
        def __init__(self, column: _Optional[_Union[Size, str]] = ...) -> None: ...
    class PlaceSorcerer(_message.Message):
        __slots__ = ("star",)
        STAR_FIELD_NUMBER: _ClassVar[int]
        star: int
        def __init__(self, star: _Optional[int] = ...) -> None: ...
    class PlaceChief(_message.Message):
        __slots__ = ("column",)
        COLUMN_FIELD_NUMBER: _ClassVar[int]
        column: Size
        def __init__(self, column: _Optional[_Union[Size, str]] = ...) -> None: ...
    class Improve(_message.Message):
        __slots__ = ("improvement",)
        IMPROVEMENT_FIELD_NUMBER: _ClassVar[int]
        improvement: Improvement
        def __init__(self, improvement: _Optional[_Union[Improvement, str]] = ...) -> None: ...
    class Play(_message.Message):
        __slots__ = ("means", "power")
        MEANS_FIELD_NUMBER: _ClassVar[int]
        POWER_FIELD_NUMBER: _ClassVar[int]
        means: Means
        power: Power
        def __init__(self, means: _Optional[_Union[Means, str]] = ..., power: _Optional[_Union[Power, _Mapping]] = ...) -> None: ...
    class Sculpt(_message.Message):
        __slots__ = ("size",)
        SIZE_FIELD_NUMBER: _ClassVar[int]
        size: Size
        def __init__(self, size: _Optional[_Union[Size, str]] = ...) -> None: ...
    class SculptDone(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class BeginTransport(_message.Message):
        __slots__ = ("cargo",)
        CARGO_FIELD_NUMBER: _ClassVar[int]
        cargo: Cargo
        def __init__(self, cargo: _Optional[_Union[Cargo, _Mapping]] = ...) -> None: ...
    class DropOut(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class EndTurn(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Step(_message.Message):
        __slots__ = ("to",)
        TO_FIELD_NUMBER: _ClassVar[int]
        to: Area
        def __init__(self, to: _Optional[_Union[Area, _Mapping]] = ...) -> None: ...
    class Erect(_message.Message):
        __slots__ = ("tile",)
        TILE_FIELD_NUMBER: _ClassVar[int]
        tile: Tile
        def __init__(self, tile: _Optional[_Union[Tile, str]] = ...) -> None: ...
    class Style(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Toll(_message.Message):
        __slots__ = ("resource",)
        RESOURCE_FIELD_NUMBER: _ClassVar[int]
        resource: Resource
        def __init__(self, resource: _Optional[_Union[Resource, str]] = ...) -> None: ...
    class TakeGain(_message.Message):
        __slots__ = ("shifted",)
        SHIFTED_FIELD_NUMBER: _ClassVar[int]
        shifted: bool
        def __init__(self, shifted: bool = ...) -> None: ...
    class DivideGain(_message.Message):
        __slots__ = ("first_count",)
        FIRST_COUNT_FIELD_NUMBER: _ClassVar[int]
        first_count: int
        def __init__(self, first_count: _Optional[int] = ...) -> None: ...
    class Skimp(_message.Message):
        __slots__ = ("means",)
        MEANS_FIELD_NUMBER: _ClassVar[int]
        means: Means
        def __init__(self, means: _Optional[_Union[Means, str]] = ...) -> None: ...
    class Offer(_message.Message):
        __slots__ = ("offering", "outstanding")
        OFFERING_FIELD_NUMBER: _ClassVar[int]
        OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
        offering: Offering
        outstanding: bool
        def __init__(self, offering: _Optional[_Union[Offering, str]] = ..., outstanding: bool = ...) -> None: ...
    class Pay(_message.Message):
        __slots__ = ("resources",)
        RESOURCES_FIELD_NUMBER: _ClassVar[int]
        resources: ResourceCounts
        def __init__(self, resources: _Optional[_Union[ResourceCounts, _Mapping]] = ...) -> None: ...
    class Draft(_message.Message):
        __slots__ = ("tile",)
        TILE_FIELD_NUMBER: _ClassVar[int]
        tile: Tile
        def __init__(self, tile: _Optional[_Union[Tile, str]] = ...) -> None: ...
    PLACE_TRANSPORTER_FIELD_NUMBER: _ClassVar[int]
    PLACE_SCULPTOR_FIELD_NUMBER: _ClassVar[int]
    PLACE_SORCERER_FIELD_NUMBER: _ClassVar[int]
    PLACE_CHIEF_FIELD_NUMBER: _ClassVar[int]
    IMPROVE_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    SCULPT_FIELD_NUMBER: _ClassVar[int]
    SCULPT_DONE_FIELD_NUMBER: _ClassVar[int]
    BEGIN_TRANSPORT_FIELD_NUMBER: _ClassVar[int]
    DROP_OUT_FIELD_NUMBER: _ClassVar[int]
    END_TURN_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    ERECT_FIELD_NUMBER: _ClassVar[int]
    STYLE_FIELD_NUMBER: _ClassVar[int]
    TOLL_FIELD_NUMBER: _ClassVar[int]
    TAKE_GAIN_FIELD_NUMBER: _ClassVar[int]
    DIVIDE_GAIN_FIELD_NUMBER: _ClassVar[int]
    SKIMP_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    PAY_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    place_transporter: Action.PlaceTransporter
    place_sculptor: Action.PlaceSculptor
    place_sorcerer: Action.PlaceSorcerer
    place_chief: Action.PlaceChief
    improve: Action.Improve
    play: Action.Play
    sculpt: Action.Sculpt
    sculpt_done: Action.SculptDone
    begin_transport: Action.BeginTransport
    drop_out: Action.DropOut
    end_turn: Action.EndTurn
    step: Action.Step
    erect: Action.Erect
    style: Action.Style
    toll: Action.Toll
    take_gain: Action.TakeGain
    divide_gain: Action.DivideGain
    skimp: Action.Skimp
    offer: Action.Offer
    pay: Action.Pay
    draft: Action.Draft
    def __init__(self, place_transporter: _Optional[_Union[Action.PlaceTransporter, _Mapping]] = ..., place_sculptor: _Optional[_Union[Action.PlaceSculptor, _Mapping]] = ..., place_sorcerer: _Optional[_Union[Action.PlaceSorcerer, _Mapping]] = ..., place_chief: _Optional[_Union[Action.PlaceChief, _Mapping]] = ..., improve: _Optional[_Union[Action.Improve, _Mapping]] = ..., play: _Optional[_Union[Action.Play, _Mapping]] = ..., sculpt: _Optional[_Union[Action.Sculpt, _Mapping]] = ..., sculpt_done: _Optional[_Union[Action.SculptDone, _Mapping]] = ..., begin_transport: _Optional[_Union[Action.BeginTransport, _Mapping]] = ..., drop_out: _Optional[_Union[Action.DropOut, _Mapping]] = ..., end_turn: _Optional[_Union[Action.EndTurn, _Mapping]] = ..., step: _Optional[_Union[Action.Step, _Mapping]] = ..., erect: _Optional[_Union[Action.Erect, _Mapping]] = ..., style: _Optional[_Union[Action.Style, _Mapping]] = ..., toll: _Optional[_Union[Action.Toll, _Mapping]] = ..., take_gain: _Optional[_Union[Action.TakeGain, _Mapping]] = ..., divide_gain: _Optional[_Union[Action.DivideGain, _Mapping]] = ..., skimp: _Optional[_Union[Action.Skimp, _Mapping]] = ..., offer: _Optional[_Union[Action.Offer, _Mapping]] = ..., pay: _Optional[_Union[Action.Pay, _Mapping]] = ..., draft: _Optional[_Union[Action.Draft, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("ordered", "tiles_laid", "drafted", "nothing_to_draft", "round_began", "transporter_placed", "sculptor_placed", "sorcerer_placed", "chief_placed", "improved", "played", "sculpted", "sculpting_done", "transport_began", "stepped", "toll_earned", "erected", "gained", "styled", "skimped", "offering_chosen", "offering_taken", "dropped_out", "round_ended", "ended")
    class Ordered(_message.Message):
        __slots__ = ("seats",)
        SEATS_FIELD_NUMBER: _ClassVar[int]
        seats: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, seats: _Optional[_Iterable[int]] = ...) -> None: ...
    class TilesLaid(_message.Message):
        __slots__ = ("tiles",)
        TILES_FIELD_NUMBER: _ClassVar[int]
        tiles: _containers.RepeatedScalarFieldContainer[Tile]
        def __init__(self, tiles: _Optional[_Iterable[_Union[Tile, str]]] = ...) -> None: ...
    class Drafted(_message.Message):
        __slots__ = ("seat", "tile")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        TILE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        tile: Tile
        def __init__(self, seat: _Optional[int] = ..., tile: _Optional[_Union[Tile, str]] = ...) -> None: ...
    class NothingToDraft(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class RoundBegan(_message.Message):
        __slots__ = ("round",)
        ROUND_FIELD_NUMBER: _ClassVar[int]
        round: int
        def __init__(self, round: _Optional[int] = ...) -> None: ...
    class TransporterPlaced(_message.Message):
        __slots__ = ("seat", "space")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        SPACE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        space: int
        def __init__(self, seat: _Optional[int] = ..., space: _Optional[int] = ...) -> None: ...
    class SculptorPlaced(_message.Message):
        __slots__ = ("seat", "column")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        COLUMN_FIELD_NUMBER: _ClassVar[int]
        seat: int
        column: Size
        def __init__(self, seat: _Optional[int] = ..., column: _Optional[_Union[Size, str]] = ...) -> None: ...
    class SorcererPlaced(_message.Message):
        __slots__ = ("seat", "star")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        STAR_FIELD_NUMBER: _ClassVar[int]
        seat: int
        star: int
        def __init__(self, seat: _Optional[int] = ..., star: _Optional[int] = ...) -> None: ...
    class ChiefPlaced(_message.Message):
        __slots__ = ("seat", "column")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        COLUMN_FIELD_NUMBER: _ClassVar[int]
        seat: int
        column: Size
        def __init__(self, seat: _Optional[int] = ..., column: _Optional[_Union[Size, str]] = ...) -> None: ...
    class Improved(_message.Message):
        __slots__ = ("seat", "improvement")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        IMPROVEMENT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        improvement: Improvement
        def __init__(self, seat: _Optional[int] = ..., improvement: _Optional[_Union[Improvement, str]] = ...) -> None: ...
    class Played(_message.Message):
        __slots__ = ("seat", "means", "power")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        MEANS_FIELD_NUMBER: _ClassVar[int]
        POWER_FIELD_NUMBER: _ClassVar[int]
        seat: int
        means: Means
        power: Power
        def __init__(self, seat: _Optional[int] = ..., means: _Optional[_Union[Means, str]] = ..., power: _Optional[_Union[Power, _Mapping]] = ...) -> None: ...
    class Sculpted(_message.Message):
        __slots__ = ("seat", "size")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        SIZE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        size: Size
        def __init__(self, seat: _Optional[int] = ..., size: _Optional[_Union[Size, str]] = ...) -> None: ...
    class SculptingDone(_message.Message):
        __slots__ = ("seat", "moai")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        MOAI_FIELD_NUMBER: _ClassVar[int]
        seat: int
        moai: SizeCounts
        def __init__(self, seat: _Optional[int] = ..., moai: _Optional[_Union[SizeCounts, _Mapping]] = ...) -> None: ...
    class TransportBegan(_message.Message):
        __slots__ = ("seat", "cargo")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        CARGO_FIELD_NUMBER: _ClassVar[int]
        seat: int
        cargo: Cargo
        def __init__(self, seat: _Optional[int] = ..., cargo: _Optional[_Union[Cargo, _Mapping]] = ...) -> None: ...
    class Stepped(_message.Message):
        __slots__ = ("seat", "area")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        AREA_FIELD_NUMBER: _ClassVar[int]
        seat: int
        area: Area
        def __init__(self, seat: _Optional[int] = ..., area: _Optional[_Union[Area, _Mapping]] = ...) -> None: ...
    class TollEarned(_message.Message):
        __slots__ = ("seat", "space", "resource", "lost")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        SPACE_FIELD_NUMBER: _ClassVar[int]
        RESOURCE_FIELD_NUMBER: _ClassVar[int]
        LOST_FIELD_NUMBER: _ClassVar[int]
        seat: int
        space: int
        resource: Resource
        lost: bool
        def __init__(self, seat: _Optional[int] = ..., space: _Optional[int] = ..., resource: _Optional[_Union[Resource, str]] = ..., lost: bool = ...) -> None: ...
    class Erected(_message.Message):
        __slots__ = ("seat", "space", "size", "tile", "tiring")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        SPACE_FIELD_NUMBER: _ClassVar[int]
        SIZE_FIELD_NUMBER: _ClassVar[int]
        TILE_FIELD_NUMBER: _ClassVar[int]
        TIRING_FIELD_NUMBER: _ClassVar[int]
        seat: int
        space: int
        size: Size
        tile: Tile
        tiring: bool
        def __init__(self, seat: _Optional[int] = ..., space: _Optional[int] = ..., size: _Optional[_Union[Size, str]] = ..., tile: _Optional[_Union[Tile, str]] = ..., tiring: bool = ...) -> None: ...
    class Gained(_message.Message):
        __slots__ = ("seat", "resource", "count", "lost_count")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        RESOURCE_FIELD_NUMBER: _ClassVar[int]
        COUNT_FIELD_NUMBER: _ClassVar[int]
        LOST_COUNT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        resource: Resource
        count: int
        lost_count: int
        def __init__(self, seat: _Optional[int] = ..., resource: _Optional[_Union[Resource, str]] = ..., count: _Optional[int] = ..., lost_count: _Optional[int] = ...) -> None: ...
    class Styled(_message.Message):
        __slots__ = ("seat", "space", "tiring")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        SPACE_FIELD_NUMBER: _ClassVar[int]
        TIRING_FIELD_NUMBER: _ClassVar[int]
        seat: int
        space: int
        tiring: bool
        def __init__(self, seat: _Optional[int] = ..., space: _Optional[int] = ..., tiring: bool = ...) -> None: ...
    class Skimped(_message.Message):
        __slots__ = ("seat", "means")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        MEANS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        means: Means
        def __init__(self, seat: _Optional[int] = ..., means: _Optional[_Union[Means, str]] = ...) -> None: ...
    class OfferingChosen(_message.Message):
        __slots__ = ("seat", "offering", "outstanding")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        OFFERING_FIELD_NUMBER: _ClassVar[int]
        OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
        seat: int
        offering: Offering
        outstanding: bool
        def __init__(self, seat: _Optional[int] = ..., offering: _Optional[_Union[Offering, str]] = ..., outstanding: bool = ...) -> None: ...
    class OfferingTaken(_message.Message):
        __slots__ = ("seat", "offering", "outstanding", "value", "payment")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        OFFERING_FIELD_NUMBER: _ClassVar[int]
        OUTSTANDING_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        PAYMENT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        offering: Offering
        outstanding: bool
        value: int
        payment: ResourceCounts
        def __init__(self, seat: _Optional[int] = ..., offering: _Optional[_Union[Offering, str]] = ..., outstanding: bool = ..., value: _Optional[int] = ..., payment: _Optional[_Union[ResourceCounts, _Mapping]] = ...) -> None: ...
    class DroppedOut(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class RoundEnded(_message.Message):
        __slots__ = ("round", "empty_ahu_count")
        ROUND_FIELD_NUMBER: _ClassVar[int]
        EMPTY_AHU_COUNT_FIELD_NUMBER: _ClassVar[int]
        round: int
        empty_ahu_count: int
        def __init__(self, round: _Optional[int] = ..., empty_ahu_count: _Optional[int] = ...) -> None: ...
    class Ended(_message.Message):
        __slots__ = ("reason", "points")
        REASON_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        reason: EndReason
        points: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, reason: _Optional[_Union[EndReason, str]] = ..., points: _Optional[_Iterable[int]] = ...) -> None: ...
    ORDERED_FIELD_NUMBER: _ClassVar[int]
    TILES_LAID_FIELD_NUMBER: _ClassVar[int]
    DRAFTED_FIELD_NUMBER: _ClassVar[int]
    NOTHING_TO_DRAFT_FIELD_NUMBER: _ClassVar[int]
    ROUND_BEGAN_FIELD_NUMBER: _ClassVar[int]
    TRANSPORTER_PLACED_FIELD_NUMBER: _ClassVar[int]
    SCULPTOR_PLACED_FIELD_NUMBER: _ClassVar[int]
    SORCERER_PLACED_FIELD_NUMBER: _ClassVar[int]
    CHIEF_PLACED_FIELD_NUMBER: _ClassVar[int]
    IMPROVED_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    SCULPTED_FIELD_NUMBER: _ClassVar[int]
    SCULPTING_DONE_FIELD_NUMBER: _ClassVar[int]
    TRANSPORT_BEGAN_FIELD_NUMBER: _ClassVar[int]
    STEPPED_FIELD_NUMBER: _ClassVar[int]
    TOLL_EARNED_FIELD_NUMBER: _ClassVar[int]
    ERECTED_FIELD_NUMBER: _ClassVar[int]
    GAINED_FIELD_NUMBER: _ClassVar[int]
    STYLED_FIELD_NUMBER: _ClassVar[int]
    SKIMPED_FIELD_NUMBER: _ClassVar[int]
    OFFERING_CHOSEN_FIELD_NUMBER: _ClassVar[int]
    OFFERING_TAKEN_FIELD_NUMBER: _ClassVar[int]
    DROPPED_OUT_FIELD_NUMBER: _ClassVar[int]
    ROUND_ENDED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    ordered: Event.Ordered
    tiles_laid: Event.TilesLaid
    drafted: Event.Drafted
    nothing_to_draft: Event.NothingToDraft
    round_began: Event.RoundBegan
    transporter_placed: Event.TransporterPlaced
    sculptor_placed: Event.SculptorPlaced
    sorcerer_placed: Event.SorcererPlaced
    chief_placed: Event.ChiefPlaced
    improved: Event.Improved
    played: Event.Played
    sculpted: Event.Sculpted
    sculpting_done: Event.SculptingDone
    transport_began: Event.TransportBegan
    stepped: Event.Stepped
    toll_earned: Event.TollEarned
    erected: Event.Erected
    gained: Event.Gained
    styled: Event.Styled
    skimped: Event.Skimped
    offering_chosen: Event.OfferingChosen
    offering_taken: Event.OfferingTaken
    dropped_out: Event.DroppedOut
    round_ended: Event.RoundEnded
    ended: Event.Ended
    def __init__(self, ordered: _Optional[_Union[Event.Ordered, _Mapping]] = ..., tiles_laid: _Optional[_Union[Event.TilesLaid, _Mapping]] = ..., drafted: _Optional[_Union[Event.Drafted, _Mapping]] = ..., nothing_to_draft: _Optional[_Union[Event.NothingToDraft, _Mapping]] = ..., round_began: _Optional[_Union[Event.RoundBegan, _Mapping]] = ..., transporter_placed: _Optional[_Union[Event.TransporterPlaced, _Mapping]] = ..., sculptor_placed: _Optional[_Union[Event.SculptorPlaced, _Mapping]] = ..., sorcerer_placed: _Optional[_Union[Event.SorcererPlaced, _Mapping]] = ..., chief_placed: _Optional[_Union[Event.ChiefPlaced, _Mapping]] = ..., improved: _Optional[_Union[Event.Improved, _Mapping]] = ..., played: _Optional[_Union[Event.Played, _Mapping]] = ..., sculpted: _Optional[_Union[Event.Sculpted, _Mapping]] = ..., sculpting_done: _Optional[_Union[Event.SculptingDone, _Mapping]] = ..., transport_began: _Optional[_Union[Event.TransportBegan, _Mapping]] = ..., stepped: _Optional[_Union[Event.Stepped, _Mapping]] = ..., toll_earned: _Optional[_Union[Event.TollEarned, _Mapping]] = ..., erected: _Optional[_Union[Event.Erected, _Mapping]] = ..., gained: _Optional[_Union[Event.Gained, _Mapping]] = ..., styled: _Optional[_Union[Event.Styled, _Mapping]] = ..., skimped: _Optional[_Union[Event.Skimped, _Mapping]] = ..., offering_chosen: _Optional[_Union[Event.OfferingChosen, _Mapping]] = ..., offering_taken: _Optional[_Union[Event.OfferingTaken, _Mapping]] = ..., dropped_out: _Optional[_Union[Event.DroppedOut, _Mapping]] = ..., round_ended: _Optional[_Union[Event.RoundEnded, _Mapping]] = ..., ended: _Optional[_Union[Event.Ended, _Mapping]] = ...) -> None: ...
