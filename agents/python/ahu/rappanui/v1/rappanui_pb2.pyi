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
    PHASE_RAPA_NUI: _ClassVar[Phase]
    PHASE_CONFLICT: _ClassVar[Phase]
    PHASE_MOAI: _ClassVar[Phase]
    PHASE_DECLINE: _ClassVar[Phase]
    PHASE_OVER: _ClassVar[Phase]

class CardType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CARD_TYPE_UNSPECIFIED: _ClassVar[CardType]
    CARD_TYPE_FOOD: _ClassVar[CardType]
    CARD_TYPE_WOOD: _ClassVar[CardType]
    CARD_TYPE_PEOPLE: _ClassVar[CardType]
    CARD_TYPE_STONE: _ClassVar[CardType]
    CARD_TYPE_RAID: _ClassVar[CardType]
    CARD_TYPE_HURI_MOAI: _ClassVar[CardType]
    CARD_TYPE_DISASTER: _ClassVar[CardType]
PHASE_UNSPECIFIED: Phase
PHASE_SETUP: Phase
PHASE_RAPA_NUI: Phase
PHASE_CONFLICT: Phase
PHASE_MOAI: Phase
PHASE_DECLINE: Phase
PHASE_OVER: Phase
CARD_TYPE_UNSPECIFIED: CardType
CARD_TYPE_FOOD: CardType
CARD_TYPE_WOOD: CardType
CARD_TYPE_PEOPLE: CardType
CARD_TYPE_STONE: CardType
CARD_TYPE_RAID: CardType
CARD_TYPE_HURI_MOAI: CardType
CARD_TYPE_DISASTER: CardType

class Observation(_message.Message):
    __slots__ = ("viewer_seat", "phase", "first_seat", "player_seat", "turn", "passes", "hand_limit", "excess", "players", "hand", "laid", "discard_pile", "erosion_pile", "deck_count", "shuffled", "surely_held")
    VIEWER_SEAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_SEAT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    HAND_LIMIT_FIELD_NUMBER: _ClassVar[int]
    EXCESS_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    LAID_FIELD_NUMBER: _ClassVar[int]
    DISCARD_PILE_FIELD_NUMBER: _ClassVar[int]
    EROSION_PILE_FIELD_NUMBER: _ClassVar[int]
    DECK_COUNT_FIELD_NUMBER: _ClassVar[int]
    SHUFFLED_FIELD_NUMBER: _ClassVar[int]
    SURELY_HELD_FIELD_NUMBER: _ClassVar[int]
    viewer_seat: int
    phase: Phase
    first_seat: int
    player_seat: int
    turn: int
    passes: int
    hand_limit: int
    excess: int
    players: _containers.RepeatedCompositeFieldContainer[Player]
    hand: _containers.RepeatedCompositeFieldContainer[Card]
    laid: _containers.RepeatedCompositeFieldContainer[Card]
    discard_pile: _containers.RepeatedCompositeFieldContainer[Card]
    erosion_pile: _containers.RepeatedCompositeFieldContainer[Card]
    deck_count: int
    shuffled: _containers.RepeatedCompositeFieldContainer[Card]
    surely_held: _containers.RepeatedCompositeFieldContainer[Card]
    def __init__(self, viewer_seat: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., first_seat: _Optional[int] = ..., player_seat: _Optional[int] = ..., turn: _Optional[int] = ..., passes: _Optional[int] = ..., hand_limit: _Optional[int] = ..., excess: _Optional[int] = ..., players: _Optional[_Iterable[_Union[Player, _Mapping]]] = ..., hand: _Optional[_Iterable[_Union[Card, _Mapping]]] = ..., laid: _Optional[_Iterable[_Union[Card, _Mapping]]] = ..., discard_pile: _Optional[_Iterable[_Union[Card, _Mapping]]] = ..., erosion_pile: _Optional[_Iterable[_Union[Card, _Mapping]]] = ..., deck_count: _Optional[int] = ..., shuffled: _Optional[_Iterable[_Union[Card, _Mapping]]] = ..., surely_held: _Optional[_Iterable[_Union[Card, _Mapping]]] = ...) -> None: ...

class Player(_message.Message):
    __slots__ = ("seat", "points", "hand_count", "known_cards", "exposed_cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    HAND_COUNT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_CARDS_FIELD_NUMBER: _ClassVar[int]
    EXPOSED_CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    points: int
    hand_count: int
    known_cards: _containers.RepeatedCompositeFieldContainer[Card]
    exposed_cards: _containers.RepeatedCompositeFieldContainer[Card]
    def __init__(self, seat: _Optional[int] = ..., points: _Optional[int] = ..., hand_count: _Optional[int] = ..., known_cards: _Optional[_Iterable[_Union[Card, _Mapping]]] = ..., exposed_cards: _Optional[_Iterable[_Union[Card, _Mapping]]] = ...) -> None: ...

class Card(_message.Message):
    __slots__ = ("type", "value", "notation")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    type: CardType
    value: int
    notation: str
    def __init__(self, type: _Optional[_Union[CardType, str]] = ..., value: _Optional[int] = ..., notation: _Optional[str] = ...) -> None: ...

class Deck(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedCompositeFieldContainer[DeckCards]
    def __init__(self, cards: _Optional[_Iterable[_Union[DeckCards, _Mapping]]] = ...) -> None: ...

class DeckCards(_message.Message):
    __slots__ = ("card", "name", "count")
    CARD_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    card: Card
    name: str
    count: int
    def __init__(self, card: _Optional[_Union[Card, _Mapping]] = ..., name: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("no_event", "play_event", "no_meld", "meld", "done", "discard")
    class NoEvent(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class PlayEvent(_message.Message):
        __slots__ = ("card", "left", "target_seat")
        CARD_FIELD_NUMBER: _ClassVar[int]
        LEFT_FIELD_NUMBER: _ClassVar[int]
        TARGET_SEAT_FIELD_NUMBER: _ClassVar[int]
        card: Card
        left: int
        target_seat: int
        def __init__(self, card: _Optional[_Union[Card, _Mapping]] = ..., left: _Optional[int] = ..., target_seat: _Optional[int] = ...) -> None: ...
    class NoMeld(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Meld(_message.Message):
        __slots__ = ("card",)
        CARD_FIELD_NUMBER: _ClassVar[int]
        card: Card
        def __init__(self, card: _Optional[_Union[Card, _Mapping]] = ...) -> None: ...
    class Done(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Discard(_message.Message):
        __slots__ = ("card",)
        CARD_FIELD_NUMBER: _ClassVar[int]
        card: Card
        def __init__(self, card: _Optional[_Union[Card, _Mapping]] = ...) -> None: ...
    NO_EVENT_FIELD_NUMBER: _ClassVar[int]
    PLAY_EVENT_FIELD_NUMBER: _ClassVar[int]
    NO_MELD_FIELD_NUMBER: _ClassVar[int]
    MELD_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    no_event: Action.NoEvent
    play_event: Action.PlayEvent
    no_meld: Action.NoMeld
    meld: Action.Meld
    done: Action.Done
    discard: Action.Discard
    def __init__(self, no_event: _Optional[_Union[Action.NoEvent, _Mapping]] = ..., play_event: _Optional[_Union[Action.PlayEvent, _Mapping]] = ..., no_meld: _Optional[_Union[Action.NoMeld, _Mapping]] = ..., meld: _Optional[_Union[Action.Meld, _Mapping]] = ..., done: _Optional[_Union[Action.Done, _Mapping]] = ..., discard: _Optional[_Union[Action.Discard, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("dealt", "turn_began", "drew", "pass_ended", "reshuffled", "no_event_played", "event_played", "stolen", "lost", "toppled", "nothing_to_take", "no_meld_played", "laid", "melded", "discarded", "ended")
    class Cards(_message.Message):
        __slots__ = ("count", "cards")
        COUNT_FIELD_NUMBER: _ClassVar[int]
        CARDS_FIELD_NUMBER: _ClassVar[int]
        count: int
        cards: _containers.RepeatedCompositeFieldContainer[Card]
        def __init__(self, count: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[Card, _Mapping]]] = ...) -> None: ...
    class Dealt(_message.Message):
        __slots__ = ("first_seat", "hands")
        FIRST_SEAT_FIELD_NUMBER: _ClassVar[int]
        HANDS_FIELD_NUMBER: _ClassVar[int]
        first_seat: int
        hands: _containers.RepeatedCompositeFieldContainer[Event.Cards]
        def __init__(self, first_seat: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[Event.Cards, _Mapping]]] = ...) -> None: ...
    class TurnBegan(_message.Message):
        __slots__ = ("seat", "turn")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        TURN_FIELD_NUMBER: _ClassVar[int]
        seat: int
        turn: int
        def __init__(self, seat: _Optional[int] = ..., turn: _Optional[int] = ...) -> None: ...
    class Drew(_message.Message):
        __slots__ = ("seat", "cards")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        CARDS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        cards: Event.Cards
        def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Union[Event.Cards, _Mapping]] = ...) -> None: ...
    class PassEnded(_message.Message):
        __slots__ = ("passes",)
        PASSES_FIELD_NUMBER: _ClassVar[int]
        passes: int
        def __init__(self, passes: _Optional[int] = ...) -> None: ...
    class Reshuffled(_message.Message):
        __slots__ = ("deck_count",)
        DECK_COUNT_FIELD_NUMBER: _ClassVar[int]
        deck_count: int
        def __init__(self, deck_count: _Optional[int] = ...) -> None: ...
    class NoEventPlayed(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class EventPlayed(_message.Message):
        __slots__ = ("seat", "card", "target_seat")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        CARD_FIELD_NUMBER: _ClassVar[int]
        TARGET_SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        card: Card
        target_seat: int
        def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[Card, _Mapping]] = ..., target_seat: _Optional[int] = ...) -> None: ...
    class Stolen(_message.Message):
        __slots__ = ("thief_seat", "victim_seat", "cards")
        THIEF_SEAT_FIELD_NUMBER: _ClassVar[int]
        VICTIM_SEAT_FIELD_NUMBER: _ClassVar[int]
        CARDS_FIELD_NUMBER: _ClassVar[int]
        thief_seat: int
        victim_seat: int
        cards: Event.Cards
        def __init__(self, thief_seat: _Optional[int] = ..., victim_seat: _Optional[int] = ..., cards: _Optional[_Union[Event.Cards, _Mapping]] = ...) -> None: ...
    class Lost(_message.Message):
        __slots__ = ("seat", "cards")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        CARDS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        cards: Event.Cards
        def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Union[Event.Cards, _Mapping]] = ...) -> None: ...
    class Toppled(_message.Message):
        __slots__ = ("seat", "points")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        seat: int
        points: int
        def __init__(self, seat: _Optional[int] = ..., points: _Optional[int] = ...) -> None: ...
    class NothingToTake(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class NoMeldPlayed(_message.Message):
        __slots__ = ("seat",)
        SEAT_FIELD_NUMBER: _ClassVar[int]
        seat: int
        def __init__(self, seat: _Optional[int] = ...) -> None: ...
    class Laid(_message.Message):
        __slots__ = ("seat", "card")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        CARD_FIELD_NUMBER: _ClassVar[int]
        seat: int
        card: Card
        def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[Card, _Mapping]] = ...) -> None: ...
    class Melded(_message.Message):
        __slots__ = ("seat", "points", "eroded", "discarded")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        ERODED_FIELD_NUMBER: _ClassVar[int]
        DISCARDED_FIELD_NUMBER: _ClassVar[int]
        seat: int
        points: int
        eroded: Event.Cards
        discarded: Event.Cards
        def __init__(self, seat: _Optional[int] = ..., points: _Optional[int] = ..., eroded: _Optional[_Union[Event.Cards, _Mapping]] = ..., discarded: _Optional[_Union[Event.Cards, _Mapping]] = ...) -> None: ...
    class Discarded(_message.Message):
        __slots__ = ("seat", "card")
        SEAT_FIELD_NUMBER: _ClassVar[int]
        CARD_FIELD_NUMBER: _ClassVar[int]
        seat: int
        card: Card
        def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[Card, _Mapping]] = ...) -> None: ...
    class Ended(_message.Message):
        __slots__ = ("points",)
        POINTS_FIELD_NUMBER: _ClassVar[int]
        points: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, points: _Optional[_Iterable[int]] = ...) -> None: ...
    DEALT_FIELD_NUMBER: _ClassVar[int]
    TURN_BEGAN_FIELD_NUMBER: _ClassVar[int]
    DREW_FIELD_NUMBER: _ClassVar[int]
    PASS_ENDED_FIELD_NUMBER: _ClassVar[int]
    RESHUFFLED_FIELD_NUMBER: _ClassVar[int]
    NO_EVENT_PLAYED_FIELD_NUMBER: _ClassVar[int]
    EVENT_PLAYED_FIELD_NUMBER: _ClassVar[int]
    STOLEN_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    TOPPLED_FIELD_NUMBER: _ClassVar[int]
    NOTHING_TO_TAKE_FIELD_NUMBER: _ClassVar[int]
    NO_MELD_PLAYED_FIELD_NUMBER: _ClassVar[int]
    LAID_FIELD_NUMBER: _ClassVar[int]
    MELDED_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    dealt: Event.Dealt
    turn_began: Event.TurnBegan
    drew: Event.Drew
    pass_ended: Event.PassEnded
    reshuffled: Event.Reshuffled
    no_event_played: Event.NoEventPlayed
    event_played: Event.EventPlayed
    stolen: Event.Stolen
    lost: Event.Lost
    toppled: Event.Toppled
    nothing_to_take: Event.NothingToTake
    no_meld_played: Event.NoMeldPlayed
    laid: Event.Laid
    melded: Event.Melded
    discarded: Event.Discarded
    ended: Event.Ended
    def __init__(self, dealt: _Optional[_Union[Event.Dealt, _Mapping]] = ..., turn_began: _Optional[_Union[Event.TurnBegan, _Mapping]] = ..., drew: _Optional[_Union[Event.Drew, _Mapping]] = ..., pass_ended: _Optional[_Union[Event.PassEnded, _Mapping]] = ..., reshuffled: _Optional[_Union[Event.Reshuffled, _Mapping]] = ..., no_event_played: _Optional[_Union[Event.NoEventPlayed, _Mapping]] = ..., event_played: _Optional[_Union[Event.EventPlayed, _Mapping]] = ..., stolen: _Optional[_Union[Event.Stolen, _Mapping]] = ..., lost: _Optional[_Union[Event.Lost, _Mapping]] = ..., toppled: _Optional[_Union[Event.Toppled, _Mapping]] = ..., nothing_to_take: _Optional[_Union[Event.NothingToTake, _Mapping]] = ..., no_meld_played: _Optional[_Union[Event.NoMeldPlayed, _Mapping]] = ..., laid: _Optional[_Union[Event.Laid, _Mapping]] = ..., melded: _Optional[_Union[Event.Melded, _Mapping]] = ..., discarded: _Optional[_Union[Event.Discarded, _Mapping]] = ..., ended: _Optional[_Union[Event.Ended, _Mapping]] = ...) -> None: ...
