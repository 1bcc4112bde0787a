from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_MOAI_DRAW: _ClassVar[Phase]
    PHASE_BID: _ClassVar[Phase]
    PHASE_PICK: _ClassVar[Phase]
    PHASE_PLACEMENT: _ClassVar[Phase]
    PHASE_TRANSPORT: _ClassVar[Phase]
    PHASE_STORE: _ClassVar[Phase]
    PHASE_RECOVER: _ClassVar[Phase]
    PHASE_OVER: _ClassVar[Phase]

class Figure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FIGURE_UNSPECIFIED: _ClassVar[Figure]
    FIGURE_WORKER: _ClassVar[Figure]
    FIGURE_SORCERER: _ClassVar[Figure]
    FIGURE_CHIEF: _ClassVar[Figure]

class Edge(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EDGE_UNSPECIFIED: _ClassVar[Edge]
    EDGE_NORTH_EAST: _ClassVar[Edge]
    EDGE_EAST: _ClassVar[Edge]
    EDGE_SOUTH_EAST: _ClassVar[Edge]
    EDGE_SOUTH_WEST: _ClassVar[Edge]
    EDGE_WEST: _ClassVar[Edge]
    EDGE_NORTH_WEST: _ClassVar[Edge]

class Terrain(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TERRAIN_UNSPECIFIED: _ClassVar[Terrain]
    TERRAIN_LAND: _ClassVar[Terrain]
    TERRAIN_MOAI_QUARRY: _ClassVar[Terrain]
    TERRAIN_HEADDRESS_QUARRY: _ClassVar[Terrain]
    TERRAIN_VILLAGE: _ClassVar[Terrain]
    TERRAIN_HUT: _ClassVar[Terrain]
    TERRAIN_FOREST: _ClassVar[Terrain]

class Area(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AREA_UNSPECIFIED: _ClassVar[Area]
    AREA_BEHIND_SCREEN: _ClassVar[Area]
    AREA_IN_FRONT: _ClassVar[Area]
    AREA_ISLAND: _ClassVar[Area]
    AREA_AHU: _ClassVar[Area]

class PieceType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PIECE_TYPE_UNSPECIFIED: _ClassVar[PieceType]
    PIECE_TYPE_MOAI: _ClassVar[PieceType]
    PIECE_TYPE_HEADDRESS: _ClassVar[PieceType]
PHASE_UNSPECIFIED: Phase
PHASE_MOAI_DRAW: Phase
PHASE_BID: Phase
PHASE_PICK: Phase
PHASE_PLACEMENT: Phase
PHASE_TRANSPORT: Phase
PHASE_STORE: Phase
PHASE_RECOVER: Phase
PHASE_OVER: Phase
FIGURE_UNSPECIFIED: Figure
FIGURE_WORKER: Figure
FIGURE_SORCERER: Figure
FIGURE_CHIEF: Figure
EDGE_UNSPECIFIED: Edge
EDGE_NORTH_EAST: Edge
EDGE_EAST: Edge
EDGE_SOUTH_EAST: Edge
EDGE_SOUTH_WEST: Edge
EDGE_WEST: Edge
EDGE_NORTH_WEST: Edge
TERRAIN_UNSPECIFIED: Terrain
TERRAIN_LAND: Terrain
TERRAIN_MOAI_QUARRY: Terrain
TERRAIN_HEADDRESS_QUARRY: Terrain
TERRAIN_VILLAGE: Terrain
TERRAIN_HUT: Terrain
TERRAIN_FOREST: Terrain
AREA_UNSPECIFIED: Area
AREA_BEHIND_SCREEN: Area
AREA_IN_FRONT: Area
AREA_ISLAND: Area
AREA_AHU: Area
PIECE_TYPE_UNSPECIFIED: PieceType
PIECE_TYPE_MOAI: PieceType
PIECE_TYPE_HEADDRESS: PieceType

class Observation(_message.Message):
    __slots__ = ("viewer_seat", "phase", "turn", "max_turns", "first_seat", "acting_seat", "passed_seats", "decision", "hexes", "ahus", "players", "pieces", "offered_moai", "moai_left", "moai_removed", "headdresses_left", "halves_left", "logs_left", "dice")
    VIEWER_SEAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    MAX_TURNS_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTING_SEAT_FIELD_NUMBER: _ClassVar[int]
    PASSED_SEATS_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    HEXES_FIELD_NUMBER: _ClassVar[int]
    AHUS_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    OFFERED_MOAI_FIELD_NUMBER: _ClassVar[int]
    MOAI_LEFT_FIELD_NUMBER: _ClassVar[int]
    MOAI_REMOVED_FIELD_NUMBER: _ClassVar[int]
    HEADDRESSES_LEFT_FIELD_NUMBER: _ClassVar[int]
    HALVES_LEFT_FIELD_NUMBER: _ClassVar[int]
    LOGS_LEFT_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    viewer_seat: int
    phase: Phase
    turn: int
    max_turns: int
    first_seat: int
    acting_seat: int
    passed_seats: _containers.RepeatedScalarFieldContainer[int]
    decision: Decision
    hexes: _containers.RepeatedCompositeFieldContainer[Hex]
    ahus: _containers.RepeatedCompositeFieldContainer[Ahu]
    players: _containers.RepeatedCompositeFieldContainer[Player]
    pieces: _containers.RepeatedCompositeFieldContainer[Piece]
    offered_moai: _containers.RepeatedScalarFieldContainer[int]
    moai_left: _containers.RepeatedScalarFieldContainer[int]
    moai_removed: _containers.RepeatedScalarFieldContainer[int]
    headdresses_left: int
    halves_left: int
    logs_left: int
    dice: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, viewer_seat: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., turn: _Optional[int] = ..., max_turns: _Optional[int] = ..., first_seat: _Optional[int] = ..., acting_seat: _Optional[int] = ..., passed_seats: _Optional[_Iterable[int]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ..., hexes: _Optional[_Iterable[_Union[Hex, _Mapping]]] = ..., ahus: _Optional[_Iterable[_Union[Ahu, _Mapping]]] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ..., pieces: _Optional[_Iterable[_Union[Piece, _Mapping]]] = ..., offered_moai: _Optional[_Iterable[int]] = ..., moai_left: _Optional[_Iterable[int]] = ..., moai_removed: _Optional[_Iterable[int]] = ..., headdresses_left: _Optional[int] = ..., halves_left: _Optional[int] = ..., logs_left: _Optional[int] = ..., dice: _Optional[_Iterable[int]] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("own_bid", "figure", "logs", "piece", "moved", "hex", "points_due", "max_points")
    OWN_BID_FIELD_NUMBER: _ClassVar[int]
    FIGURE_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    PIECE_FIELD_NUMBER: _ClassVar[int]
    MOVED_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    POINTS_DUE_FIELD_NUMBER: _ClassVar[int]
    MAX_POINTS_FIELD_NUMBER: _ClassVar[int]
    own_bid: Bid
    figure: Figure
    logs: int
    piece: str
    moved: bool
    hex: int
    points_due: int
    max_points: int
    def __init__(self, own_bid: _Optional[_Union[Bid, _Mapping]] = ..., figure: _Optional[_Union[Figure, str]] = ..., logs: _Optional[int] = ..., piece: _Optional[str] = ..., moved: bool = ..., hex: _Optional[int] = ..., points_due: _Optional[int] = ..., max_points: _Optional[int] = ...) -> None: ...

class Bid(_message.Message):
    __slots__ = ("markers", "workers", "sorcerer", "chief")
    MARKERS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    SORCERER_FIELD_NUMBER: _ClassVar[int]
    CHIEF_FIELD_NUMBER: _ClassVar[int]
    markers: int
    workers: int
    sorcerer: bool
    chief: bool
    def __init__(self, markers: _Optional[int] = ..., workers: _Optional[int] = ..., sorcerer: bool = ..., chief: bool = ...) -> None: ...

class Island(_message.Message):
    __slots__ = ("hexes", "ahus", "row_count", "column_count")
    HEXES_FIELD_NUMBER: _ClassVar[int]
    AHUS_FIELD_NUMBER: _ClassVar[int]
    ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
    COLUMN_COUNT_FIELD_NUMBER: _ClassVar[int]
    hexes: _containers.RepeatedCompositeFieldContainer[IslandHex]
    ahus: _containers.RepeatedCompositeFieldContainer[IslandAhu]
    row_count: int
    column_count: int
    def __init__(self, hexes: _Optional[_Iterable[_Union[IslandHex, _Mapping]]] = ..., ahus: _Optional[_Iterable[_Union[IslandAhu, _Mapping]]] = ..., row_count: _Optional[int] = ..., column_count: _Optional[int] = ...) -> None: ...

class IslandHex(_message.Message):
    __slots__ = ("number", "q", "r", "row", "column", "neighbours", "terrain", "logs", "coasts", "ahus")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    Q_FIELD_NUMBER: _ClassVar[int]
    R_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURS_FIELD_NUMBER: _ClassVar[int]
    TERRAIN_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    COASTS_FIELD_NUMBER: _ClassVar[int]
    AHUS_FIELD_NUMBER: _ClassVar[int]
    number: int
    q: int
    r: int
    row: int
    column: int
    neighbours: _containers.RepeatedScalarFieldContainer[int]
    terrain: Terrain
    logs: int
    coasts: _containers.RepeatedScalarFieldContainer[Edge]
    ahus: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, number: _Optional[int] = ..., q: _Optional[int] = ..., r: _Optional[int] = ..., row: _Optional[int] = ..., column: _Optional[int] = ..., neighbours: _Optional[_Iterable[int]] = ..., terrain: _Optional[_Union[Terrain, str]] = ..., logs: _Optional[int] = ..., coasts: _Optional[_Iterable[_Union[Edge, str]]] = ..., ahus: _Optional[_Iterable[int]] = ...) -> None: ...

class IslandAhu(_message.Message):
    __slots__ = ("number", "hex", "moai_points", "headdress_points", "edge")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    MOAI_POINTS_FIELD_NUMBER: _ClassVar[int]
    HEADDRESS_POINTS_FIELD_NUMBER: _ClassVar[int]
    EDGE_FIELD_NUMBER: _ClassVar[int]
    number: int
    hex: int
    moai_points: int
    headdress_points: int
    edge: Edge
    def __init__(self, number: _Optional[int] = ..., hex: _Optional[int] = ..., moai_points: _Optional[int] = ..., headdress_points: _Optional[int] = ..., edge: _Optional[_Union[Edge, str]] = ...) -> None: ...

class Hex(_message.Message):
    __slots__ = ("number", "neighbours", "q", "r", "terrain", "harvest", "ahus", "figures", "logs", "log_seats", "logs_needed")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURS_FIELD_NUMBER: _ClassVar[int]
    Q_FIELD_NUMBER: _ClassVar[int]
    R_FIELD_NUMBER: _ClassVar[int]
    TERRAIN_FIELD_NUMBER: _ClassVar[int]
    HARVEST_FIELD_NUMBER: _ClassVar[int]
    AHUS_FIELD_NUMBER: _ClassVar[int]
    FIGURES_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    LOG_SEATS_FIELD_NUMBER: _ClassVar[int]
    LOGS_NEEDED_FIELD_NUMBER: _ClassVar[int]
    number: int
    neighbours: _containers.RepeatedScalarFieldContainer[int]
    q: int
    r: int
    terrain: Terrain
    harvest: int
    ahus: _containers.RepeatedScalarFieldContainer[int]
    figures: _containers.RepeatedCompositeFieldContainer[Figures]
    logs: int
    log_seats: _containers.RepeatedScalarFieldContainer[int]
    logs_needed: int
    def __init__(self, number: _Optional[int] = ..., neighbours: _Optional[_Iterable[int]] = ..., q: _Optional[int] = ..., r: _Optional[int] = ..., terrain: _Optional[_Union[Terrain, str]] = ..., harvest: _Optional[int] = ..., ahus: _Optional[_Iterable[int]] = ..., figures: _Optional[_Iterable[_Union[Figures, _Mapping]]] = ..., logs: _Optional[int] = ..., log_seats: _Optional[_Iterable[int]] = ..., logs_needed: _Optional[int] = ...) -> None: ...

class Figures(_message.Message):
    __slots__ = ("seat", "workers", "sorcerer", "chief")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    SORCERER_FIELD_NUMBER: _ClassVar[int]
    CHIEF_FIELD_NUMBER: _ClassVar[int]
    seat: int
    workers: int
    sorcerer: bool
    chief: bool
    def __init__(self, seat: _Optional[int] = ..., workers: _Optional[int] = ..., sorcerer: bool = ..., chief: bool = ...) -> None: ...

class Ahu(_message.Message):
    __slots__ = ("number", "hex", "moai_points", "headdress_points", "base_seat", "moai", "headdress")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    MOAI_POINTS_FIELD_NUMBER: _ClassVar[int]
    HEADDRESS_POINTS_FIELD_NUMBER: _ClassVar[int]
    BASE_SEAT_FIELD_NUMBER: _ClassVar[int]
    MOAI_FIELD_NUMBER: _ClassVar[int]
    HEADDRESS_FIELD_NUMBER: _ClassVar[int]
    number: int
    hex: int
    moai_points: int
    headdress_points: int
    base_seat: int
    moai: str
    headdress: str
    def __init__(self, number: _Optional[int] = ..., hex: _Optional[int] = ..., moai_points: _Optional[int] = ..., headdress_points: _Optional[int] = ..., base_seat: _Optional[int] = ..., moai: _Optional[str] = ..., headdress: _Optional[str] = ...) -> None: ...

class Player(_message.Message):
    __slots__ = ("seat", "points", "prestige", "halves", "workers", "markers", "logs", "bases", "workers_to_come", "markers_to_come", "workers_spent", "markers_spent", "sorcerer", "chief", "peeked_ahus", "bid")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    PRESTIGE_FIELD_NUMBER: _ClassVar[int]
    HALVES_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    MARKERS_FIELD_NUMBER: _ClassVar[int]
    LOGS_FIELD_NUMBER: _ClassVar[int]
    BASES_FIELD_NUMBER: _ClassVar[int]
    WORKERS_TO_COME_FIELD_NUMBER: _ClassVar[int]
    MARKERS_TO_COME_FIELD_NUMBER: _ClassVar[int]
    WORKERS_SPENT_FIELD_NUMBER: _ClassVar[int]
    MARKERS_SPENT_FIELD_NUMBER: _ClassVar[int]
    SORCERER_FIELD_NUMBER: _ClassVar[int]
    CHIEF_FIELD_NUMBER: _ClassVar[int]
    PEEKED_AHUS_FIELD_NUMBER: _ClassVar[int]
    BID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    points: int
    prestige: int
    halves: int
    workers: int
    markers: int
    logs: int
    bases: int
    workers_to_come: int
    markers_to_come: int
    workers_spent: int
    markers_spent: int
    sorcerer: Spot
    chief: Spot
    peeked_ahus: _containers.RepeatedScalarFieldContainer[int]
    bid: Bid
    def __init__(self, seat: _Optional[int] = ..., points: _Optional[int] = ..., prestige: _Optional[int] = ..., halves: _Optional[int] = ..., workers: _Optional[int] = ..., markers: _Optional[int] = ..., logs: _Optional[int] = ..., bases: _Optional[int] = ..., workers_to_come: _Optional[int] = ..., markers_to_come: _Optional[int] = ..., workers_spent: _Optional[int] = ..., markers_spent: _Optional[int] = ..., sorcerer: _Optional[_Union[Spot, _Mapping]] = ..., chief: _Optional[_Union[Spot, _Mapping]] = ..., peeked_ahus: _Optional[_Iterable[int]] = ..., bid: _Optional[_Union[Bid, _Mapping]] = ...) -> None: ...

class Spot(_message.Message):
    __slots__ = ("area", "hex")
    AREA_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    area: Area
    hex: int
    def __init__(self, area: _Optional[_Union[Area, str]] = ..., hex: _Optional[int] = ...) -> None: ...

class Piece(_message.Message):
    __slots__ = ("name", "type", "weight", "area", "hex", "ahu", "owner_seat", "marked", "visited_hexes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    AHU_FIELD_NUMBER: _ClassVar[int]
    OWNER_SEAT_FIELD_NUMBER: _ClassVar[int]
    MARKED_FIELD_NUMBER: _ClassVar[int]
    VISITED_HEXES_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: PieceType
    weight: int
    area: Area
    hex: int
    ahu: int
    owner_seat: int
    marked: bool
    visited_hexes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[PieceType, str]] = ..., weight: _Optional[int] = ..., area: _Optional[_Union[Area, str]] = ..., hex: _Optional[int] = ..., ahu: _Optional[int] = ..., owner_seat: _Optional[int] = ..., marked: bool = ..., visited_hexes: _Optional[_Iterable[int]] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("bid_markers", "bid_workers", "bid_leaders", "pick", "decline", "place", "take_half", "no_more", "at", "no_power", "use_power", "reserve", "lift", "enter", "pay", "pay_chief", "enough", "stop", "mark", "erect", "top", "peek", "leave", "keep", "take_back")
    class BidMarkers(_message.Message):
        __slots__ = ("count",)
        COUNT_FIELD_NUMBER: _ClassVar[int]
        count: int
        def __init__(self, count: _Optional[int] = ...) -> None: ...
    class BidWorkers(_message.Message):
        __slots__ = ("count",)
        COUNT_FIELD_NUMBER: _ClassVar[int]
        count: int
        def __init__(self, count: _Optional[int] = ...) -> None: ...
    class BidLeaders(_message.Message):
        __slots__ = ("sorcerer", "chief")
        SORCERER_FIELD_NUMBER: _ClassVar[int]
        CHIEF_FIELD_NUMBER: _ClassVar[int]
        sorcerer: bool
        chief: bool
        def __init__(self, sorcerer: bool = ..., chief: bool = ...) -> None: ...
    class Pick(_message.Message):
        __slots__ = ("size",)
        SIZE_FIELD_NUMBER: _ClassVar[int]
        size: int
        def __init__(self, size: _Optional[int] = ...) -> None: ...
    class Decline(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Place(_message.Message):
        __slots__ = ("figure", "logs")
        FIGURE_FIELD_NUMBER: _ClassVar[int]
        LOGS_FIELD_NUMBER: _ClassVar[int]
        figure: Figure
        logs: int
        def __init__(self, figure: _Optional[_Union[Figure, str]] = ..., logs: _Optional[int] = ...) -> None: ...
    class TakeHalf(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class NoMore(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class At(_message.Message):
        __slots__ = ("hex",)
        HEX_FIELD_NUMBER: _ClassVar[int]
        hex: int
        def __init__(self, hex: _Optional[int] = ...) -> None: ...
    class NoPower(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class UsePower(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Reserve(_message.Message):
        __slots__ = ("ahu",)
        AHU_FIELD_NUMBER: _ClassVar[int]
        ahu: int
        def __init__(self, ahu: _Optional[int] = ...) -> None: ...
    class Lift(_message.Message):
        __slots__ = ("piece",)
        PIECE_FIELD_NUMBER: _ClassVar[int]
        piece: str
        def __init__(self, piece: _Optional[str] = ...) -> None: ...
    class Enter(_message.Message):
        __slots__ = ("hex",)
        HEX_FIELD_NUMBER: _ClassVar[int]
        hex: int
        def __init__(self, hex: _Optional[int] = ...) -> None: ...
    class Pay(_message.Message):
        __slots__ = ("left", "payee_seat")
        LEFT_FIELD_NUMBER: _ClassVar[int]
        PAYEE_SEAT_FIELD_NUMBER: _ClassVar[int]
        left: int
        payee_seat: int
        def __init__(self, left: _Optional[int] = ..., payee_seat: _Optional[int] = ...) -> None: ...
    class PayChief(_message.Message):
        __slots__ = ("left", "payee_seat")
        LEFT_FIELD_NUMBER: _ClassVar[int]
        PAYEE_SEAT_FIELD_NUMBER: _ClassVar[int]
        left: int
        payee_seat: int
        def __init__(self, left: _Optional[int] = ..., payee_seat: _Optional[int] = ...) -> None: ...
    class Enough(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Stop(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Mark(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Erect(_message.Message):
        __slots__ = ("ahu",)
        AHU_FIELD_NUMBER: _ClassVar[int]
        ahu: int
        def __init__(self, ahu: _Optional[int] = ...) -> None: ...
    class Top(_message.Message):
        __slots__ = ("ahu",)
        AHU_FIELD_NUMBER: _ClassVar[int]
        ahu: int
        def __init__(self, ahu: _Optional[int] = ...) -> None: ...
    class Peek(_message.Message):
        __slots__ = ("ahu",)
        AHU_FIELD_NUMBER: _ClassVar[int]
        ahu: int
        def __init__(self, ahu: _Optional[int] = ...) -> None: ...
    class Leave(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Keep(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class TakeBack(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    BID_MARKERS_FIELD_NUMBER: _ClassVar[int]
    BID_WORKERS_FIELD_NUMBER: _ClassVar[int]
    BID_LEADERS_FIELD_NUMBER: _ClassVar[int]
    PICK_FIELD_NUMBER: _ClassVar[int]
    DECLINE_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    TAKE_HALF_FIELD_NUMBER: _ClassVar[int]
    NO_MORE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    NO_POWER_FIELD_NUMBER: _ClassVar[int]
    USE_POWER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_FIELD_NUMBER: _ClassVar[int]
    LIFT_FIELD_NUMBER: _ClassVar[int]
    ENTER_FIELD_NUMBER: _ClassVar[int]
    PAY_FIELD_NUMBER: _ClassVar[int]
    PAY_CHIEF_FIELD_NUMBER: _ClassVar[int]
    ENOUGH_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    MARK_FIELD_NUMBER: _ClassVar[int]
    ERECT_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    PEEK_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    TAKE_BACK_FIELD_NUMBER: _ClassVar[int]
    bid_markers: Action.BidMarkers
    bid_workers: Action.BidWorkers
    bid_leaders: Action.BidLeaders
    pick: Action.Pick
    decline: Action.Decline
    place: Action.Place
    take_half: Action.TakeHalf
    no_more: Action.NoMore
    at: Action.At
    no_power: Action.NoPower
    use_power: Action.UsePower
    reserve: Action.Reserve
    lift: Action.Lift
    enter: Action.Enter
    pay: Action.Pay
    pay_chief: Action.PayChief
    enough: Action.Enough
    stop: Action.Stop
    mark: Action.Mark
    erect: Action.Erect
    top: Action.Top
    peek: Action.Peek
    leave: Action.Leave
    keep: Action.Keep
    take_back: Action.TakeBack
    def __init__(self, bid_markers: _Optional[_Union[Action.BidMarkers, _Mapping]] = ..., bid_workers: _Optional[_Union[Action.BidWorkers, _Mapping]] = ..., bid_leaders: _Optional[_Union[Action.BidLeaders, _Mapping]] = ..., pick: _Optional[_Union[Action.Pick, _Mapping]] = ..., decline: _Optional[_Union[Action.Decline, _Mapping]] = ..., place: _Optional[_Union[Action.Place, _Mapping]] = ..., take_half: _Optional[_Union[Action.TakeHalf, _Mapping]] = ..., no_more: _Optional[_Union[Action.NoMore, _Mapping]] = ..., at: _Optional[_Union[Action.At, _Mapping]] = ..., no_power: _Optional[_Union[Action.NoPower, _Mapping]] = ..., use_power: _Optional[_Union[Action.UsePower, _Mapping]] = ..., reserve: _Optional[_Union[Action.Reserve, _Mapping]] = ..., lift: _Optional[_Union[Action.Lift, _Mapping]] = ..., enter: _Optional[_Union[Action.Enter, _Mapping]] = ..., pay: _Optional[_Union[Action.Pay, _Mapping]] = ..., pay_chief: _Optional[_Union[Action.PayChief, _Mapping]] = ..., enough: _Optional[_Union[Action.Enough, _Mapping]] = ..., stop: _Optional[_Union[Action.Stop, _Mapping]] = ..., mark: _Optional[_Union[Action.Mark, _Mapping]] = ..., erect: _Optional[_Union[Action.Erect, _Mapping]] = ..., top: _Optional[_Union[Action.Top, _Mapping]] = ..., peek: _Optional[_Union[Action.Peek, _Mapping]] = ..., leave: _Optional[_Union[Action.Leave, _Mapping]] = ..., keep: _Optional[_Union[Action.Keep, _Mapping]] = ..., take_back: _Optional[_Union[Action.TakeBack, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("turn_began", "rolled", "bid_sealed", "bids_shown", "picked", "declined", "unclaimed", "placed", "power_used", "half_taken", "passed", "peeked", "lifted", "paid", "entered", "stopped", "marked", "erected", "topped", "stored", "came_home", "logs_returned", "taken_back", "ended")
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REASON_UNSPECIFIED: _ClassVar[Event.Reason]
        REASON_BASES: _ClassVar[Event.Reason]
        REASON_EXHAUSTION: _ClassVar[Event.Reason]
        REASON_LAST_TURN: _ClassVar[Event.Reason]
    REASON_UNSPECIFIED: Event.Reason
    REASON_BASES: Event.Reason
    REASON_EXHAUSTION: Event.Reason
    REASON_LAST_TURN: Event.Reason
    class TurnBegan(_message.Message):
        __slots__ = ("turn", "first_seat")
        TURN_FIELD_NUMBER: _ClassVar[int]
        FIRST_SEAT_FIELD_NUMBER: _ClassVar[int]
        turn: int
        first_seat: int
        def __init__(self, turn: _Optional[int] = ..., first_seat: _Optional[int] = ...) -> None: ...
    class Rolled(_message.Message):
        __slots__ = ("faces", "offered_moai")
        FACES_FIELD_NUMBER: _ClassVar[int]
        OFFERED_MOAI_FIELD_NUMBER: _ClassVar[int]
        faces: _containers.RepeatedScalarFieldContainer[int]
        offered_moai: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, faces: _Optional[_Iterable[int]] = ..., offered_moai: _Optional[_Iterable[int]] = ...) -> None: ...
    class BidSealed(_message.Message):
        __slots__ = ("seat", "bid")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        BID_FIELD_NUMBER: _ClassVar[int]
        seat: int
        bid: Bid
        def __init__(self, seat: _Optional[int] = ..., bid: _Optional[_Union[Bid, _Mapping]] = ...) -> None: ...
    class BidsShown(_message.Message):
        __slots__ = ("bids",)
        BIDS_FIELD_NUMBER: _ClassVar[int]
        bids: _containers.RepeatedCompositeFieldContainer[Bid]
        def __init__(self, bids: _Optional[_Iterable[_Union[Bid, _Mapping]]] = ...) -> None: ...
    class Picked(_message.Message):
        __slots__ = ("seat", "piece")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ...) -> None: ...
    class Declined(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class Unclaimed(_message.Message):
        __slots__ = ("moai", "returned")
        MOAI_FIELD_NUMBER: _ClassVar[int]
        RETURNED_FIELD_NUMBER: _ClassVar[int]
        moai: _containers.RepeatedScalarFieldContainer[int]
        returned: bool
        def __init__(self, moai: _Optional[_Iterable[int]] = ..., returned: bool = ...) -> None: ...
    class Placed(_message.Message):
        __slots__ = ("seat", "figure", "logs", "hex")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FIGURE_FIELD_NUMBER: _ClassVar[int]
        LOGS_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        seat: int
        figure: Figure
        logs: int
        hex: int
        def __init__(self, seat: _Optional[int] = ..., figure: _Optional[_Union[Figure, str]] = ..., logs: _Optional[int] = ..., hex: _Optional[int] = ...) -> None: ...
    class PowerUsed(_message.Message):
        __slots__ = ("seat", "figure", "workers", "markers", "logs", "headdress", "reserved_ahu")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FIGURE_FIELD_NUMBER: _ClassVar[int]
        WORKERS_FIELD_NUMBER: _ClassVar[int]
        MARKERS_FIELD_NUMBER: _ClassVar[int]
        LOGS_FIELD_NUMBER: _ClassVar[int]
        HEADDRESS_FIELD_NUMBER: _ClassVar[int]
        RESERVED_AHU_FIELD_NUMBER: _ClassVar[int]
        seat: int
        figure: Figure
        workers: int
        markers: int
        logs: int
        headdress: str
        reserved_ahu: int
        def __init__(self, seat: _Optional[int] = ..., figure: _Optional[_Union[Figure, str]] = ..., workers: _Optional[int] = ..., markers: _Optional[int] = ..., logs: _Optional[int] = ..., headdress: _Optional[str] = ..., reserved_ahu: _Optional[int] = ...) -> None: ...
    class HalfTaken(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class Passed(_message.Message):
        __slots__ = ("seat", "forced")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FORCED_FIELD_NUMBER: _ClassVar[int]
        seat: int
        forced: bool
        def __init__(self, seat: _Optional[int] = ..., forced: bool = ...) -> None: ...
    class Peeked(_message.Message):
        __slots__ = ("seat", "ahu", "owner_seat")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        AHU_FIELD_NUMBER: _ClassVar[int]
        OWNER_SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        ahu: int
        owner_seat: int
        def __init__(self, seat: _Optional[int] = ..., ahu: _Optional[int] = ..., owner_seat: _Optional[int] = ...) -> None: ...
    class Lifted(_message.Message):
        __slots__ = ("seat", "piece")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ...) -> None: ...
    class Paid(_message.Message):
        __slots__ = ("seat", "payee_seat", "hex", "points")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PAYEE_SEAT_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        payee_seat: int
        hex: int
        points: int
        def __init__(self, seat: _Optional[int] = ..., payee_seat: _Optional[int] = ..., hex: _Optional[int] = ..., points: _Optional[int] = ...) -> None: ...
    class Entered(_message.Message):
        __slots__ = ("seat", "piece", "hex")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        HEX_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        hex: int
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ..., hex: _Optional[int] = ...) -> None: ...
    class Stopped(_message.Message):
        __slots__ = ("seat", "piece")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ...) -> None: ...
    class Marked(_message.Message):
        __slots__ = ("seat", "piece")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ...) -> None: ...
    class Erected(_message.Message):
        __slots__ = ("seat", "piece", "ahu", "points")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        AHU_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        ahu: int
        points: int
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ..., ahu: _Optional[int] = ..., points: _Optional[int] = ...) -> None: ...
    class Topped(_message.Message):
        __slots__ = ("seat", "piece", "ahu")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        AHU_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        ahu: int
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ..., ahu: _Optional[int] = ...) -> None: ...
    class Stored(_message.Message):
        __slots__ = ("seat", "piece", "marked")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        MARKED_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        marked: bool
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ..., marked: bool = ...) -> None: ...
    class CameHome(_message.Message):
        __slots__ = ("logs_gone",)
        LOGS_GONE_FIELD_NUMBER: _ClassVar[int]
        logs_gone: int
        def __init__(self, logs_gone: _Optional[int] = ...) -> None: ...
    class LogsReturned(_message.Message):
        __slots__ = ("seat", "logs")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        LOGS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        logs: int
        def __init__(self, seat: _Optional[int] = ..., logs: _Optional[int] = ...) -> None: ...
    class TakenBack(_message.Message):
        __slots__ = ("seat", "piece")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        seat: int
        piece: str
        def __init__(self, seat: _Optional[int] = ..., piece: _Optional[str] = ...) -> None: ...
    class Ended(_message.Message):
        __slots__ = ("reason", "points", "sources")
        REASON_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        SOURCES_FIELD_NUMBER: _ClassVar[int]
        reason: Event.Reason
        points: _containers.RepeatedScalarFieldContainer[int]
        sources: _containers.RepeatedCompositeFieldContainer[Event.Points]
        def __init__(self, reason: _Optional[_Union[Event.Reason, str]] = ..., points: _Optional[_Iterable[int]] = ..., sources: _Optional[_Iterable[_Union[Event.Points, _Mapping]]] = ...) -> None: ...
    class Points(_message.Message):
        __slots__ = ("scored", "moai", "headdresses", "tablets")
        SCORED_FIELD_NUMBER: _ClassVar[int]
        MOAI_FIELD_NUMBER: _ClassVar[int]
        HEADDRESSES_FIELD_NUMBER: _ClassVar[int]
        TABLETS_FIELD_NUMBER: _ClassVar[int]
        scored: int
        moai: int
        headdresses: int
        tablets: int
        def __init__(self, scored: _Optional[int] = ..., moai: _Optional[int] = ..., headdresses: _Optional[int] = ..., tablets: _Optional[int] = ...) -> None: ...
    TURN_BEGAN_FIELD_NUMBER: _ClassVar[int]
    ROLLED_FIELD_NUMBER: _ClassVar[int]
    BID_SEALED_FIELD_NUMBER: _ClassVar[int]
    BIDS_SHOWN_FIELD_NUMBER: _ClassVar[int]
    PICKED_FIELD_NUMBER: _ClassVar[int]
    DECLINED_FIELD_NUMBER: _ClassVar[int]
    UNCLAIMED_FIELD_NUMBER: _ClassVar[int]
    PLACED_FIELD_NUMBER: _ClassVar[int]
    POWER_USED_FIELD_NUMBER: _ClassVar[int]
    HALF_TAKEN_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    PEEKED_FIELD_NUMBER: _ClassVar[int]
    LIFTED_FIELD_NUMBER: _ClassVar[int]
    PAID_FIELD_NUMBER: _ClassVar[int]
    ENTERED_FIELD_NUMBER: _ClassVar[int]
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    MARKED_FIELD_NUMBER: _ClassVar[int]
    ERECTED_FIELD_NUMBER: _ClassVar[int]
    TOPPED_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    CAME_HOME_FIELD_NUMBER: _ClassVar[int]
    LOGS_RETURNED_FIELD_NUMBER: _ClassVar[int]
    TAKEN_BACK_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    turn_began: Event.TurnBegan
    rolled: Event.Rolled
    bid_sealed: Event.BidSealed
    bids_shown: Event.BidsShown
    picked: Event.Picked
    declined: Event.Declined
    unclaimed: Event.Unclaimed
    placed: Event.Placed
    power_used: Event.PowerUsed
    half_taken: Event.HalfTaken
    passed: Event.Passed
    peeked: Event.Peeked
    lifted: Event.Lifted
    paid: Event.Paid
    entered: Event.Entered
    stopped: Event.Stopped
    marked: Event.Marked
    erected: Event.Erected
    topped: Event.Topped
    stored: Event.Stored
    came_home: Event.CameHome
    logs_returned: Event.LogsReturned
    taken_back: Event.TakenBack
    ended: Event.Ended
    def __init__(self, turn_began: _Optional[_Union[Event.TurnBegan, _Mapping]] = ..., rolled: _Optional[_Union[Event.Rolled, _Mapping]] = ..., bid_sealed: _Optional[_Union[Event.BidSealed, _Mapping]] = ..., bids_shown: _Optional[_Union[Event.BidsShown, _Mapping]] = ..., picked: _Optional[_Union[Event.Picked, _Mapping]] = ..., declined: _Optional[_Union[Event.Declined, _Mapping]] = ..., unclaimed: _Optional[_Union[Event.Unclaimed, _Mapping]] = ..., placed: _Optional[_Union[Event.Placed, _Mapping]] = ..., power_used: _Optional[_Union[Event.PowerUsed, _Mapping]] = ..., half_taken: _Optional[_Union[Event.HalfTaken, _Mapping]] = ..., passed: _Optional[_Union[Event.Passed, _Mapping]] = ..., peeked: _Optional[_Union[Event.Peeked, _Mapping]] = ..., lifted: _Optional[_Union[Event.Lifted, _Mapping]] = ..., paid: _Optional[_Union[Event.Paid, _Mapping]] = ..., entered: _Optional[_Union[Event.Entered, _Mapping]] = ..., stopped: _Optional[_Union[Event.Stopped, _Mapping]] = ..., marked: _Optional[_Union[Event.Marked, _Mapping]] = ..., erected: _Optional[_Union[Event.Erected, _Mapping]] = ..., topped: _Optional[_Union[Event.Topped, _Mapping]] = ..., stored: _Optional[_Union[Event.Stored, _Mapping]] = ..., came_home: _Optional[_Union[Event.CameHome, _Mapping]] = ..., logs_returned: _Optional[_Union[Event.LogsReturned, _Mapping]] = ..., taken_back: _Optional[_Union[Event.TakenBack, _Mapping]] = ..., ended: _Optional[_Union[Event.Ended, _Mapping]] = ...) -> None: ...
