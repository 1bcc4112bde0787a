"""An agent that takes what there is, in Rappa Nui, the deck game.

    ahu play rappanui greedy "python greedy_agent.py"

It reads the typed observation and chooses among the typed actions: it plays an event whenever it has one, against the
leader; the best meld that it can lay; and it discards what it misses least.
"""

from collections.abc import Iterable

import ahu
from ahu.rappanui.v1 import rappanui_pb2 as rappanui

SUITS = (
    rappanui.CARD_TYPE_FOOD,
    rappanui.CARD_TYPE_WOOD,
    rappanui.CARD_TYPE_PEOPLE,
    rappanui.CARD_TYPE_STONE,
)
EVENT_WORTH = {rappanui.CARD_TYPE_HURI_MOAI: 3, rappanui.CARD_TYPE_RAID: 2, rappanui.CARD_TYPE_DISASTER: 1}


class GreedyAgent:
    """Takes what there is."""

    def act(self, turn: ahu.Turn) -> ahu.Action:
        """Returns the action that looks best; of equal actions, the one with the higher id."""
        table: rappanui.Observation = turn.typed
        return max(turn.legal, key=lambda action: (worth(action.typed, table), action.id))


def worth(action: rappanui.Action, table: rappanui.Observation) -> float:
    """Returns how good an action looks. The numbers are comparable only between actions of one phase."""
    match action.WhichOneof("action"):
        case "play_event":
            return worth_of_event(action.play_event, table)
        case "meld":
            return worth_of_meld(action.meld.card, table)
        case "done":
            return 1.0
        case "discard":
            return -worth_of_card(action.discard.card, table.hand)
        case _:
            return 0.0


def worth_of_event(event: rappanui.Action.PlayEvent, table: rappanui.Observation) -> float:
    """Against the leader; less than nothing, where there is nothing to take."""
    target = table.players[event.target_seat]
    prize = target.points if event.card.type == rappanui.CARD_TYPE_HURI_MOAI else target.hand_count
    return EVENT_WORTH[event.card.type] + target.points / 1000 if prize > 0 else -1.0


def worth_of_meld(card: rappanui.Card, table: rappanui.Observation) -> float:
    """A meld brings as many points as its lowest number: of each suit, the lowest card that brings them is laid."""
    cards = [*table.hand, *table.laid]
    points = min(max(numbers(cards, suit), default=0) for suit in SUITS)
    if points == 0 or any(laid.type == card.type for laid in table.laid):
        return -1.0
    return 1.0 if card.value == min(value for value in numbers(cards, card.type) if value >= points) else -1.0


def worth_of_card(card: rappanui.Card, hand: Iterable[rappanui.Card]) -> float:
    """A card is missed less where the hand has better ones of its suit."""
    if card.type not in SUITS:
        return 8.0
    return card.value - 4.0 * sum(value > card.value for value in numbers(hand, card.type))


def numbers(cards: Iterable[rappanui.Card], suit: rappanui.CardType) -> list[int]:
    """The numbers of the cards of a suit."""
    return [card.value for card in cards if card.type == suit]


def main() -> None:
    """Plays the seat that the environment names."""
    print(ahu.connect(GreedyAgent()))


if __name__ == "__main__":
    main()
