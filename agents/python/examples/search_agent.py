"""An agent that searches, in Rapa Nui, the card game.

    ahu play rapanui_cards greedy "python search_agent.py"
    ahu duel rapanui_cards search="python search_agent.py" greedy --blocks 100 --seed 1

It follows the game by the events that its seat is told, which it replays on its own `State`. All chance of this game is
public. For a card that another player lays face down it takes any card that fits, and `resample` then samples worlds from
the view of its seat. It tries each action in the same worlds, and `greedy` plays them to the end.
"""

import random
from typing import cast

import numpy as np

import ahu
from ahu._messages import unpack
from ahu.rapanui_cards.v1 import rapanui_cards_pb2 as cards

WORLDS = 8
PLAYOUTS = 25


class SearchAgent:
    """Takes the action with the best mean over sampled worlds."""

    formats = ahu.ObservationFormats(legal_ids=True, typed=True)
    events = True
    choices = random.Random()

    def seed(self, number: int) -> None:
        self.choices = random.Random(number)

    def start(self, match: ahu.client.Match) -> None:
        options = dict(match.options)
        self.state = ahu.new_game(match.game, seats=len(match.seats), options=options, chance="caller", history=False)

    def act(self, turn: ahu.Turn) -> int:
        self.state = self.follow(turn)
        worlds = [self.state.resample(turn.seat, self.choices.getrandbits(63)) for _ in range(WORLDS)]
        seed = self.choices.getrandbits(63)
        means = [self.mean(worlds, action, turn.seat, seed) for action in turn.legal_ids]
        return turn.legal_ids[int(np.argmax(means))]

    def mean(self, worlds: list[ahu.State], action: int, seat: int, seed: int) -> float:
        """Returns the mean lead of a seat after an action. All actions have the same worlds and the same chance."""
        children = [world.clone() for world in worlds]
        for child in children:
            child.apply(action, seat)
        return float(ahu.rollout(children, "greedy", count=PLAYOUTS, seed=seed, rewards="margin")[..., seat].mean())

    def follow(self, turn: ahu.Turn) -> ahu.State:
        """Returns the State after these events. A face-down card that does not fit what came later is sampled again."""
        for again in range(10_000):
            state = self.state.resample(turn.seat, self.choices.getrandbits(63)) if again else self.state.clone()
            if replayed(state, turn):
                return state
        raise RuntimeError(f"no game fits the events up to decision {turn.decision_id}")


def replayed(state: ahu.State, turn: ahu.Turn) -> bool:
    """Plays on until the seat was told all events. Returns False if one of them is impossible here."""
    rest = [event.text for event in turn.events]
    while rest:
        told: list[ahu.StateEvent] = []
        if state.chance_due:
            state.settle(outcome(cast(cards.Event, unpack(turn.events[-len(rest)].typed))), events=told)
        elif not any(fits(state, action, rest, turn.seat, told) for action in state.legal_ids()):
            return False
        rest = rest[len(texts(told, turn.seat)) :]
    return True


def fits(state: ahu.State, action: int, rest: list[str], seat: int, told: list[ahu.StateEvent]) -> bool:
    """Applies an action if it tells the seat what comes next."""
    events: list[ahu.StateEvent] = []
    state.clone().apply(action, events=events)
    if texts(events, seat) != rest[: len(texts(events, seat))]:
        return False
    state.apply(action, events=told)
    return True


def texts(events: list[ahu.StateEvent], seat: int) -> list[str]:
    """Returns the sentences that a seat is told about these events."""
    return [text for event in events if (text := event.text(seat)) is not None]


def outcome(event: cards.Event) -> str:
    """Returns the chance outcome that an event tells, in the spelling of records."""
    match event.WhichOneof("event"):
        case "start_player":
            return f"start {event.start_player.seat}"
        case "start_cards":
            return " ".join(
                ["colours", *(cards.Colour.Name(of)[7:].lower().replace("_", "") for of in event.start_cards.colours)]
            )
        case _:
            return " ".join(["cards", *(cards.Kind.Name(of)[5:].lower() for of in event.uncovered.cards)])


if __name__ == "__main__":
    ahu.connect(SearchAgent())
