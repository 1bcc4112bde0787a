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
    PHASE_SETUP: _ClassVar[Phase]
    PHASE_BUY: _ClassVar[Phase]
    PHASE_PLAY: _ClassVar[Phase]
    PHASE_SACRIFICE: _ClassVar[Phase]
    PHASE_SUPPLY: _ClassVar[Phase]
    PHASE_DRAW: _ClassVar[Phase]
    PHASE_UNCOVER: _ClassVar[Phase]
    PHASE_PAYOUT: _ClassVar[Phase]
    PHASE_SUBSTITUTE: _ClassVar[Phase]
    PHASE_OVER: _ClassVar[Phase]

class Food(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FOOD_UNSPECIFIED: _ClassVar[Food]
    FOOD_FISH: _ClassVar[Food]
    FOOD_MULBERRY: _ClassVar[Food]
    FOOD_SWEET_POTATO: _ClassVar[Food]
    FOOD_GRAIN: _ClassVar[Food]

class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KIND_UNSPECIFIED: _ClassVar[Kind]
    KIND_FISH: _ClassVar[Kind]
    KIND_MULBERRY: _ClassVar[Kind]
    KIND_SWEET_POTATO: _ClassVar[Kind]
    KIND_GRAIN: _ClassVar[Kind]
    KIND_LUMBERJACK: _ClassVar[Kind]
    KIND_PRIEST: _ClassVar[Kind]
    KIND_MOAI: _ClassVar[Kind]

class Colour(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLOUR_UNSPECIFIED: _ClassVar[Colour]
    COLOUR_YELLOW_GREEN: _ClassVar[Colour]
    COLOUR_LIGHT_BLUE: _ClassVar[Colour]
    COLOUR_RED: _ClassVar[Colour]
    COLOUR_VIOLET: _ClassVar[Colour]

class Payout(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAYOUT_UNSPECIFIED: _ClassVar[Payout]
    PAYOUT_GLORY: _ClassVar[Payout]
    PAYOUT_WOOD: _ClassVar[Payout]
PHASE_UNSPECIFIED: Phase
PHASE_SETUP: Phase
PHASE_BUY: Phase
PHASE_PLAY: Phase
PHASE_SACRIFICE: Phase
PHASE_SUPPLY: Phase
PHASE_DRAW: Phase
PHASE_UNCOVER: Phase
PHASE_PAYOUT: Phase
PHASE_SUBSTITUTE: Phase
PHASE_OVER: Phase
FOOD_UNSPECIFIED: Food
FOOD_FISH: Food
FOOD_MULBERRY: Food
FOOD_SWEET_POTATO: Food
FOOD_GRAIN: Food
KIND_UNSPECIFIED: Kind
KIND_FISH: Kind
KIND_MULBERRY: Kind
KIND_SWEET_POTATO: Kind
KIND_GRAIN: Kind
KIND_LUMBERJACK: Kind
KIND_PRIEST: Kind
KIND_MOAI: Kind
COLOUR_UNSPECIFIED: Colour
COLOUR_YELLOW_GREEN: Colour
COLOUR_LIGHT_BLUE: Colour
COLOUR_RED: Colour
COLOUR_VIOLET: Colour
PAYOUT_UNSPECIFIED: Payout
PAYOUT_GLORY: Payout
PAYOUT_WOOD: Payout

class Observation(_message.Message):
    __slots__ = ("viewer_seat", "phase", "active_seat", "seat_to_act", "turn", "players", "columns", "stack_count", "boxed_moai", "unseen", "supply", "stone", "scored", "due", "worth")
    VIEWER_SEAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_SEAT_FIELD_NUMBER: _ClassVar[int]
    SEAT_TO_ACT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    STACK_COUNT_FIELD_NUMBER: _ClassVar[int]
    BOXED_MOAI_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_FIELD_NUMBER: _ClassVar[int]
    STONE_FIELD_NUMBER: _ClassVar[int]
    SCORED_FIELD_NUMBER: _ClassVar[int]
    DUE_FIELD_NUMBER: _ClassVar[int]
    WORTH_FIELD_NUMBER: _ClassVar[int]
    viewer_seat: int
    phase: Phase
    active_seat: int
    seat_to_act: int
    turn: int
    players: _containers.RepeatedCompositeFieldContainer[Player]
    columns: _containers.RepeatedCompositeFieldContainer[Column]
    stack_count: int
    boxed_moai: int
    unseen: KindCounts
    supply: FoodCounts
    stone: Stone
    scored: Kind
    due: int
    worth: FoodCounts
    def __init__(self, viewer_seat: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., active_seat: _Optional[int] = ..., seat_to_act: _Optional[int] = ..., turn: _Optional[int] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ..., columns: _Optional[_Iterable[_Union[Column, _Mapping]]] = ..., stack_count: _Optional[int] = ..., boxed_moai: _Optional[int] = ..., unseen: _Optional[_Union[KindCounts, _Mapping]] = ..., supply: _Optional[_Union[FoodCounts, _Mapping]] = ..., stone: _Optional[_Union[Stone, _Mapping]] = ..., scored: _Optional[_Union[Kind, str]] = ..., due: _Optional[int] = ..., worth: _Optional[_Union[FoodCounts, _Mapping]] = ...) -> None: ...

class Player(_message.Message):
    __slots__ = ("seat", "colour", "wood", "glory", "points", "display", "bonuses", "sacrifice_card_count", "hidden_card_count", "prices", "hand", "sacrifice_cards", "hidden_cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    COLOUR_FIELD_NUMBER: _ClassVar[int]
    WOOD_FIELD_NUMBER: _ClassVar[int]
    GLORY_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_FIELD_NUMBER: _ClassVar[int]
    BONUSES_FIELD_NUMBER: _ClassVar[int]
    SACRIFICE_CARD_COUNT_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_CARD_COUNT_FIELD_NUMBER: _ClassVar[int]
    PRICES_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    SACRIFICE_CARDS_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    colour: Colour
    wood: int
    glory: int
    points: int
    display: KindCounts
    bonuses: _containers.RepeatedScalarFieldContainer[Kind]
    sacrifice_card_count: int
    hidden_card_count: int
    prices: FoodCounts
    hand: KindCounts
    sacrifice_cards: FoodCounts
    hidden_cards: FoodCounts
    def __init__(self, seat: _Optional[int] = ..., colour: _Optional[_Union[Colour, str]] = ..., wood: _Optional[int] = ..., glory: _Optional[int] = ..., points: _Optional[int] = ..., display: _Optional[_Union[KindCounts, _Mapping]] = ..., bonuses: _Optional[_Iterable[_Union[Kind, str]]] = ..., sacrifice_card_count: _Optional[int] = ..., hidden_card_count: _Optional[int] = ..., prices: _Optional[_Union[FoodCounts, _Mapping]] = ..., hand: _Optional[_Union[KindCounts, _Mapping]] = ..., sacrifice_cards: _Optional[_Union[FoodCounts, _Mapping]] = ..., hidden_cards: _Optional[_Union[FoodCounts, _Mapping]] = ...) -> None: ...

class Column(_message.Message):
    __slots__ = ("number", "card_count", "cards")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CARD_COUNT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    number: int
    card_count: int
    cards: _containers.RepeatedScalarFieldContainer[Kind]
    def __init__(self, number: _Optional[int] = ..., card_count: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[Kind, str]]] = ...) -> None: ...

class Stone(_message.Message):
    __slots__ = ("top", "hidden_card_count", "cards", "top_face_down")
    TOP_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_CARD_COUNT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    TOP_FACE_DOWN_FIELD_NUMBER: _ClassVar[int]
    top: Food
    hidden_card_count: int
    cards: FoodCounts
    top_face_down: bool
    def __init__(self, top: _Optional[_Union[Food, str]] = ..., hidden_card_count: _Optional[int] = ..., cards: _Optional[_Union[FoodCounts, _Mapping]] = ..., top_face_down: bool = ...) -> None: ...

class Deck(_message.Message):
    __slots__ = ("cards", "start_cards", "sacrifice_cards", "column_count", "column_depth")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    START_CARDS_FIELD_NUMBER: _ClassVar[int]
    SACRIFICE_CARDS_FIELD_NUMBER: _ClassVar[int]
    COLUMN_COUNT_FIELD_NUMBER: _ClassVar[int]
    COLUMN_DEPTH_FIELD_NUMBER: _ClassVar[int]
    cards: KindCounts
    start_cards: _containers.RepeatedCompositeFieldContainer[StartCards]
    sacrifice_cards: FoodCounts
    column_count: int
    column_depth: int
    def __init__(self, cards: _Optional[_Union[KindCounts, _Mapping]] = ..., start_cards: _Optional[_Iterable[_Union[StartCards, _Mapping]]] = ..., sacrifice_cards: _Optional[_Union[FoodCounts, _Mapping]] = ..., column_count: _Optional[int] = ..., column_depth: _Optional[int] = ...) -> None: ...

class StartCards(_message.Message):
    __slots__ = ("colour", "cards")
    COLOUR_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    colour: Colour
    cards: KindCounts
    def __init__(self, colour: _Optional[_Union[Colour, str]] = ..., cards: _Optional[_Union[KindCounts, _Mapping]] = ...) -> None: ...

class FoodCounts(_message.Message):
    __slots__ = ("fish", "mulberry", "sweet_potato", "grain")
    FISH_FIELD_NUMBER: _ClassVar[int]
    MULBERRY_FIELD_NUMBER: _ClassVar[int]
    SWEET_POTATO_FIELD_NUMBER: _ClassVar[int]
    GRAIN_FIELD_NUMBER: _ClassVar[int]
    fish: int
    mulberry: int
    sweet_potato: int
    grain: int
    def __init__(self, fish: _Optional[int] = ..., mulberry: _Optional[int] = ..., sweet_potato: _Optional[int] = ..., grain: _Optional[int] = ...) -> None: ...

class KindCounts(_message.Message):
    __slots__ = ("gatherers", "lumberjack", "priest", "moai")
    GATHERERS_FIELD_NUMBER: _ClassVar[int]
    LUMBERJACK_FIELD_NUMBER: _ClassVar[int]
    PRIEST_FIELD_NUMBER: _ClassVar[int]
    MOAI_FIELD_NUMBER: _ClassVar[int]
    gatherers: FoodCounts
    lumberjack: int
    priest: int
    moai: int
    def __init__(self, gatherers: _Optional[_Union[FoodCounts, _Mapping]] = ..., lumberjack: _Optional[int] = ..., priest: _Optional[int] = ..., moai: _Optional[int] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("buy", "buy_nothing", "play", "box_moai", "sacrifice", "supply", "supply_nothing", "draw", "take", "pick", "pick_nothing")
    class Buy(_message.Message):
        __slots__ = ("food",)
        FOOD_FIELD_NUMBER: _ClassVar[int]
        food: Food
        def __init__(self, food: _Optional[_Union[Food, str]] = ...) -> None: ...
    class BuyNothing(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Play(_message.Message):
        __slots__ = ("kind", "count")
        KIND_FIELD_NUMBER: _ClassVar[int]
        COUNT_FIELD_NUMBER: _ClassVar[int]
        kind: Kind
        count: int
        def __init__(self, kind: _Optional[_Union[Kind, str]] = ..., count: _Optional[int] = ...) -> None: ...
    class BoxMoai(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Sacrifice(_message.Message):
        __slots__ = ("food",)
        FOOD_FIELD_NUMBER: _ClassVar[int]
        food: Food
        def __init__(self, food: _Optional[_Union[Food, str]] = ...) -> None: ...
    class Supply(_message.Message):
        __slots__ = ("food",)
        FOOD_FIELD_NUMBER: _ClassVar[int]
        food: Food
        def __init__(self, food: _Optional[_Union[Food, str]] = ...) -> None: ...
    class SupplyNothing(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Draw(_message.Message):
        __slots__ = ("column",)
        COLUMN_FIELD_NUMBER: _ClassVar[int]
        column: int
        def __init__(self, column: _Optional[int] = ...) -> None: ...
    class Take(_message.Message):
        __slots__ = ("payout",)
        PAYOUT_FIELD_NUMBER: _ClassVar[int]
        payout: Payout
        def __init__(self, payout: _Optional[_Union[Payout, str]] = ...) -> None: ...
    class Pick(_message.Message):
        __slots__ = ("food",)
        FOOD_FIELD_NUMBER: _ClassVar[int]
        food: Food
        def __init__(self, food: _Optional[_Union[Food, str]] = ...) -> None: ...
    class PickNothing(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    BUY_FIELD_NUMBER: _ClassVar[int]
    BUY_NOTHING_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    BOX_MOAI_FIELD_NUMBER: _ClassVar[int]
    SACRIFICE_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_NOTHING_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    PICK_FIELD_NUMBER: _ClassVar[int]
    PICK_NOTHING_FIELD_NUMBER: _ClassVar[int]
    buy: Action.Buy
    buy_nothing: Action.BuyNothing
    play: Action.Play
    box_moai: Action.BoxMoai
    sacrifice: Action.Sacrifice
    supply: Action.Supply
    supply_nothing: Action.SupplyNothing
    draw: Action.Draw
    take: Action.Take
    pick: Action.Pick
    pick_nothing: Action.PickNothing
    def __init__(self, buy: _Optional[_Union[Action.Buy, _Mapping]] = ..., buy_nothing: _Optional[_Union[Action.BuyNothing, _Mapping]] = ..., play: _Optional[_Union[Action.Play, _Mapping]] = ..., box_moai: _Optional[_Union[Action.BoxMoai, _Mapping]] = ..., sacrifice: _Optional[_Union[Action.Sacrifice, _Mapping]] = ..., supply: _Optional[_Union[Action.Supply, _Mapping]] = ..., supply_nothing: _Optional[_Union[Action.SupplyNothing, _Mapping]] = ..., draw: _Optional[_Union[Action.Draw, _Mapping]] = ..., take: _Optional[_Union[Action.Take, _Mapping]] = ..., pick: _Optional[_Union[Action.Pick, _Mapping]] = ..., pick_nothing: _Optional[_Union[Action.PickNothing, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("start_player", "start_cards", "uncovered", "turn_began", "bought", "bought_nothing", "played", "boxed", "sacrificed", "supplied", "supplied_nothing", "drew", "scored", "gained", "picked", "picked_nothing", "ended")
    class StartPlayer(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class StartCards(_message.Message):
        __slots__ = ("colours",)
        COLOURS_FIELD_NUMBER: _ClassVar[int]
        colours: _containers.RepeatedScalarFieldContainer[Colour]
        def __init__(self, colours: _Optional[_Iterable[_Union[Colour, str]]] = ...) -> None: ...
    class Uncovered(_message.Message):
        __slots__ = ("column", "cards")
        COLUMN_FIELD_NUMBER: _ClassVar[int]
        CARDS_FIELD_NUMBER: _ClassVar[int]
        column: int
        cards: _containers.RepeatedScalarFieldContainer[Kind]
        def __init__(self, column: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[Kind, str]]] = ...) -> None: ...
    class TurnBegan(_message.Message):
        __slots__ = ("seat", "turn")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        TURN_FIELD_NUMBER: _ClassVar[int]
        seat: int
        turn: int
        def __init__(self, seat: _Optional[int] = ..., turn: _Optional[int] = ...) -> None: ...
    class Bought(_message.Message):
        __slots__ = ("seat", "food", "wood")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FOOD_FIELD_NUMBER: _ClassVar[int]
        WOOD_FIELD_NUMBER: _ClassVar[int]
        seat: int
        food: Food
        wood: int
        def __init__(self, seat: _Optional[int] = ..., food: _Optional[_Union[Food, str]] = ..., wood: _Optional[int] = ...) -> None: ...
    class BoughtNothing(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class Played(_message.Message):
        __slots__ = ("seat", "kind", "count", "wood")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        KIND_FIELD_NUMBER: _ClassVar[int]
        COUNT_FIELD_NUMBER: _ClassVar[int]
        WOOD_FIELD_NUMBER: _ClassVar[int]
        seat: int
        kind: Kind
        count: int
        wood: int
        def __init__(self, seat: _Optional[int] = ..., kind: _Optional[_Union[Kind, str]] = ..., count: _Optional[int] = ..., wood: _Optional[int] = ...) -> None: ...
    class Boxed(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class Sacrificed(_message.Message):
        __slots__ = ("seat", "food", "face_down")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FOOD_FIELD_NUMBER: _ClassVar[int]
        FACE_DOWN_FIELD_NUMBER: _ClassVar[int]
        seat: int
        food: Food
        face_down: bool
        def __init__(self, seat: _Optional[int] = ..., food: _Optional[_Union[Food, str]] = ..., face_down: bool = ...) -> None: ...
    class Supplied(_message.Message):
        __slots__ = ("seat", "food")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FOOD_FIELD_NUMBER: _ClassVar[int]
        seat: int
        food: Food
        def __init__(self, seat: _Optional[int] = ..., food: _Optional[_Union[Food, str]] = ...) -> None: ...
    class SuppliedNothing(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class Drew(_message.Message):
        __slots__ = ("seat", "column", "kind")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        COLUMN_FIELD_NUMBER: _ClassVar[int]
        KIND_FIELD_NUMBER: _ClassVar[int]
        seat: int
        column: int
        kind: Kind
        def __init__(self, seat: _Optional[int] = ..., column: _Optional[int] = ..., kind: _Optional[_Union[Kind, str]] = ...) -> None: ...
    class Scored(_message.Message):
        __slots__ = ("kind",)
        KIND_FIELD_NUMBER: _ClassVar[int]
        kind: Kind
        def __init__(self, kind: _Optional[_Union[Kind, str]] = ...) -> None: ...
    class Gained(_message.Message):
        __slots__ = ("seat", "wood", "glory", "sacrifice_cards", "bonus")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        WOOD_FIELD_NUMBER: _ClassVar[int]
        GLORY_FIELD_NUMBER: _ClassVar[int]
        SACRIFICE_CARDS_FIELD_NUMBER: _ClassVar[int]
        BONUS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        wood: int
        glory: int
        sacrifice_cards: int
        bonus: bool
        def __init__(self, seat: _Optional[int] = ..., wood: _Optional[int] = ..., glory: _Optional[int] = ..., sacrifice_cards: _Optional[int] = ..., bonus: bool = ...) -> None: ...
    class Picked(_message.Message):
        __slots__ = ("seat", "food")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        FOOD_FIELD_NUMBER: _ClassVar[int]
        seat: int
        food: Food
        def __init__(self, seat: _Optional[int] = ..., food: _Optional[_Union[Food, str]] = ...) -> None: ...
    class PickedNothing(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class Ended(_message.Message):
        __slots__ = ("hidden_cards", "sacrifice_cards", "stone", "worth", "points")
        HIDDEN_CARDS_FIELD_NUMBER: _ClassVar[int]
        SACRIFICE_CARDS_FIELD_NUMBER: _ClassVar[int]
        STONE_FIELD_NUMBER: _ClassVar[int]
        WORTH_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        hidden_cards: _containers.RepeatedCompositeFieldContainer[FoodCounts]
        sacrifice_cards: _containers.RepeatedCompositeFieldContainer[FoodCounts]
        stone: FoodCounts
        worth: FoodCounts
        points: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, hidden_cards: _Optional[_Iterable[_Union[FoodCounts, _Mapping]]] = ..., sacrifice_cards: _Optional[_Iterable[_Union[FoodCounts, _Mapping]]] = ..., stone: _Optional[_Union[FoodCounts, _Mapping]] = ..., worth: _Optional[_Union[FoodCounts, _Mapping]] = ..., points: _Optional[_Iterable[int]] = ...) -> None: ...
    START_PLAYER_FIELD_NUMBER: _ClassVar[int]
    START_CARDS_FIELD_NUMBER: _ClassVar[int]
    UNCOVERED_FIELD_NUMBER: _ClassVar[int]
    TURN_BEGAN_FIELD_NUMBER: _ClassVar[int]
    BOUGHT_FIELD_NUMBER: _ClassVar[int]
    BOUGHT_NOTHING_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    BOXED_FIELD_NUMBER: _ClassVar[int]
    SACRIFICED_FIELD_NUMBER: _ClassVar[int]
    SUPPLIED_FIELD_NUMBER: _ClassVar[int]
    SUPPLIED_NOTHING_FIELD_NUMBER: _ClassVar[int]
    DREW_FIELD_NUMBER: _ClassVar[int]
    SCORED_FIELD_NUMBER: _ClassVar[int]
    GAINED_FIELD_NUMBER: _ClassVar[int]
    PICKED_FIELD_NUMBER: _ClassVar[int]
    PICKED_NOTHING_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    start_player: Event.StartPlayer
    start_cards: Event.StartCards
    uncovered: Event.Uncovered
    turn_began: Event.TurnBegan
    bought: Event.Bought
    bought_nothing: Event.BoughtNothing
    played: Event.Played
    boxed: Event.Boxed
    sacrificed: Event.Sacrificed
    supplied: Event.Supplied
    supplied_nothing: Event.SuppliedNothing
    drew: Event.Drew
    scored: Event.Scored
    gained: Event.Gained
    picked: Event.Picked
    picked_nothing: Event.PickedNothing
    ended: Event.Ended
    def __init__(self, start_player: _Optional[_Union[Event.StartPlayer, _Mapping]] = ..., start_cards: _Optional[_Union[Event.StartCards, _Mapping]] = ..., uncovered: _Optional[_Union[Event.Uncovered, _Mapping]] = ..., turn_began: _Optional[_Union[Event.TurnBegan, _Mapping]] = ..., bought: _Optional[_Union[Event.Bought, _Mapping]] = ..., bought_nothing: _Optional[_Union[Event.BoughtNothing, _Mapping]] = ..., played: _Optional[_Union[Event.Played, _Mapping]] = ..., boxed: _Optional[_Union[Event.Boxed, _Mapping]] = ..., sacrificed: _Optional[_Union[Event.Sacrificed, _Mapping]] = ..., supplied: _Optional[_Union[Event.Supplied, _Mapping]] = ..., supplied_nothing: _Optional[_Union[Event.SuppliedNothing, _Mapping]] = ..., drew: _Optional[_Union[Event.Drew, _Mapping]] = ..., scored: _Optional[_Union[Event.Scored, _Mapping]] = ..., gained: _Optional[_Union[Event.Gained, _Mapping]] = ..., picked: _Optional[_Union[Event.Picked, _Mapping]] = ..., picked_nothing: _Optional[_Union[Event.PickedNothing, _Mapping]] = ..., ended: _Optional[_Union[Event.Ended, _Mapping]] = ...) -> None: ...
