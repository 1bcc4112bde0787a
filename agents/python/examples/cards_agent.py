"""An agent that builds Moai, in Rapa Nui, the card game.

    ahu play rapanui_cards greedy "python cards_agent.py"

It reads the typed observation and chooses among the typed actions: it builds a Moai as soon as it can pay, prefers priests and
lumberjacks to Hunters & Gatherers, buys what is cheap, and takes cards that uncover what it has most of.
"""

import ahu
from ahu.rapanui_cards.v1 import rapanui_cards_pb2 as cards

FOODS = {
    cards.FOOD_FISH: "fish",
    cards.FOOD_MULBERRY: "mulberry",
    cards.FOOD_SWEET_POTATO: "sweet_potato",
    cards.FOOD_GRAIN: "grain",
}
GATHERERS = {
    cards.KIND_FISH: "fish",
    cards.KIND_MULBERRY: "mulberry",
    cards.KIND_SWEET_POTATO: "sweet_potato",
    cards.KIND_GRAIN: "grain",
}
MOAI_PRICE = 7
HAND = 3


class CardsAgent:
    """Builds Moai."""

    def act(self, turn: ahu.Turn) -> ahu.Action:
        """Returns the action that looks best; of equal actions, the one with the higher id."""
        table: cards.Observation = turn.typed
        return max(turn.legal, key=lambda action: (worth(action.typed, table), action.id))


def worth(action: cards.Action, table: cards.Observation) -> float:
    """Returns how good an action looks. The numbers are comparable only between actions of one step."""
    own = table.players[table.viewer_seat]
    match action.WhichOneof("action"):
        case "buy":
            left = own.wood - price(own, action.buy.food)
            return 2.0 - price(own, action.buy.food) if not own.hand.moai or left >= MOAI_PRICE else -1.0
        case "play":
            return worth_of_play(action.play, own)
        case "sacrifice":
            return float(getattr(own.sacrifice_cards, FOODS[action.sacrifice.food]))
        case "supply":
            return float(getattr(own.sacrifice_cards, FOODS[action.supply.food]))
        case "pick":
            return float(getattr(own.sacrifice_cards, FOODS[action.pick.food]))
        case "draw":
            return worth_of_draw(table.columns[action.draw.column - 1], own)
        case "take":
            saving = own.hand.moai and own.wood < MOAI_PRICE
            return 1.0 if (action.take.payout == cards.PAYOUT_WOOD) == bool(saving) else 0.0
        case _:
            return 0.0


def price(player: cards.Player, food: cards.Food) -> int:
    """Returns the player's price of a sacrifice card, in wood."""
    return getattr(player.prices, FOODS[food])


def worth_of_play(play: cards.Action.Play, own: cards.Player) -> float:
    """Prefers a Moai, then the points that the card scores, and among gatherers a new food."""
    if play.kind in GATHERERS:
        is_new = getattr(own.display.gatherers, GATHERERS[play.kind]) == 0
        return (2.5 if is_new else 1.0) + 0.2 * play.count
    return {cards.KIND_MOAI: 9.0, cards.KIND_PRIEST: 3.0, cards.KIND_LUMBERJACK: 2.0}[play.kind]


def worth_of_draw(column: cards.Column, own: cards.Player) -> float:
    """Prefers a Moai or a priest for the hand, and for the last card drawn, what it uncovers."""
    taken = {cards.KIND_MOAI: 2.0, cards.KIND_PRIEST: 1.5}.get(column.cards[0], 1.0)
    is_last = hand_size(own.hand) == HAND - 1
    uncovered = column.cards[1] if len(column.cards) > 1 else cards.KIND_UNSPECIFIED
    return taken + (scored(uncovered, own) if is_last else 0.0)


def scored(kind: cards.Kind, own: cards.Player) -> float:
    """Returns roughly what the scoring of a kind brings."""
    if kind in GATHERERS:
        return 1.0 if getattr(own.display.gatherers, GATHERERS[kind]) else 0.0
    counts = {
        cards.KIND_LUMBERJACK: 0.4 * own.display.lumberjack,
        cards.KIND_PRIEST: float(own.display.priest),
        cards.KIND_MOAI: float(own.display.moai),
    }
    return counts.get(kind, 0.0) + (0.5 if kind in own.bonuses else 0.0)


def hand_size(hand: cards.KindCounts) -> int:
    """Returns the number of cards in a hand."""
    gatherers = sum(getattr(hand.gatherers, food) for food in FOODS.values())
    return gatherers + hand.lumberjack + hand.priest + hand.moai


def main() -> None:
    """Plays the seat that the environment names."""
    print(ahu.connect(CardsAgent()))


if __name__ == "__main__":
    main()
