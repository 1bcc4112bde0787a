"""An agent that searches, in any game.

    ahu play rapanui_cards greedy "python search_agent.py"
    ahu duel rapanui_cards search="python search_agent.py" greedy --blocks 100 --seed 1

It samples worlds from its view: games that its seat could be in. It tries each action in the same worlds, and `greedy`
plays them to the end.
"""

import random

import numpy as np

import ahu

WORLDS = 8
PLAYOUTS = 25


class SearchAgent:
    """Takes the action with the best mean over sampled worlds."""

    formats = ahu.ObservationFormats(legal_ids=True, view=True)
    choices = random.Random()

    def seed(self, number: int) -> None:
        self.choices = random.Random(number)

    def act(self, turn: ahu.Turn) -> int:
        worlds = [ahu.State.from_view(turn.view, self.choices.getrandbits(63)) for _ in range(WORLDS)]
        seed = self.choices.getrandbits(63)
        means = [self.mean(worlds, action, turn.seat, seed) for action in turn.legal_ids]
        return turn.legal_ids[int(np.argmax(means))]

    def mean(self, worlds: list[ahu.State], action: int, seat: int, seed: int) -> float:
        """Returns the mean lead of a seat after an action. All actions have the same worlds and the same chance."""
        children = [world.clone() for world in worlds]
        for child in children:
            child.apply(action, seat)
        return float(ahu.rollout(children, "greedy", count=PLAYOUTS, seed=seed, rewards="margin")[..., seat].mean())


if __name__ == "__main__":
    ahu.connect(SearchAgent())
