"""One game in the caller's hands: the children of a position."""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections.abc import Mapping

import ahu
from benchmarks.rounds import Labels

GAMES = 40
"""The number of random games whose mean length tells where the middle of a game is."""

NODES = 8
"""The number of positions in the middle of a game."""

AT_ONCE = 64
"""The number of children between two looks at the clock."""


class Children:
    """Children of positions in the middle of a game: `State.clone` and `State.apply`, action by action. Chance settles after
    an action, by the seed.

    Figures: `children_per_second`, and `bytes`, the size of a State without the plies that it shares.
    """

    def __init__(self, game: str, seat_count: int) -> None:
        self.labels: Labels = {"measure": "state", "game": game}
        choices = random.Random(1)
        ends = [_play(ahu.new_game(game, seat_count, seed=seed), None, choices) for seed in range(GAMES)]
        half = sum(ends) // len(ends) // 2
        self._nodes: list[ahu.State] = []
        seeds = itertools.count(GAMES)
        while len(self._nodes) < NODES:
            node = ahu.new_game(game, seat_count, seed=next(seeds))
            _play(node, half, choices)
            if not node.is_over:
                self._nodes.append(node)

    def run(self, seconds: float) -> Mapping[str, float]:
        pairs = itertools.cycle([(node, action) for node in self._nodes for action in node.legal_ids()])
        children, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for node, action in itertools.islice(pairs, AT_ONCE):
                child = node.clone()
                child.apply(action)
            children += AT_ONCE
        rate = children / (time.perf_counter() - start)
        return {"children_per_second": rate, "bytes": float(sys.getsizeof(self._nodes[0]))}

    def close(self) -> None:
        self._nodes.clear()


def _play(state: ahu.State, decisions: int | None, choices: random.Random) -> int:
    """Plays random decisions, at most to the end, and returns the number of decisions."""
    played = 0
    while not state.is_over and played != decisions:
        state.apply(choices.choice(state.legal_ids()))
        played += 1
    return played
