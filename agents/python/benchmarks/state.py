"""Games in the caller's hands: the children of a position, and the observations of many positions."""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping

import ahu
from ahu.training.observation import ObsFormat
from benchmarks.rounds import Labels

GAMES = 40
"""The number of random games whose mean length tells where the middle of a game is."""

NODES = 8
"""The number of positions in the middle of a game."""

AT_ONCE = 64
"""The number of children between two looks at the clock."""

OBSERVED = 2048
"""The number of States in a batch of observations."""


class States:
    """Positions in the middle of a game on one core: their children, by `ahu.children` and by `State.clone` and
    `State.apply`, action by action, and the observations and masks of many, by `ahu.observe`. Chance settles after an action,
    by the seed.

    Figures: `children_per_second`, `clones_per_second`, `packed_per_second`, `split_per_second`, and `bytes`, the size of a
    State without the plies that it shares.
    """

    def __init__(self, game: str, seat_count: int) -> None:
        self.labels: Labels = {"measure": "state", "game": game}
        choices = random.Random(1)
        ends = [_play(ahu.new_game(game, seats=seat_count, seed=seed), None, choices) for seed in range(GAMES)]
        half = sum(ends) // len(ends) // 2
        self._nodes: list[ahu.State] = []
        seeds = itertools.count(GAMES)
        while len(self._nodes) < NODES:
            node = ahu.new_game(game, seats=seat_count, seed=next(seeds))
            _play(node, half, choices)
            if not node.is_over:
                self._nodes.append(node)

        # Other games each, so that their memory is not in the first cache.
        self._many: list[ahu.State] = []
        while len(self._many) < OBSERVED:
            self._many.extend(child for node in self._nodes for child in ahu.children(node)[1])
        del self._many[OBSERVED:]

    def run(self, seconds: float) -> Mapping[str, float]:
        nodes = itertools.cycle(self._nodes)
        pairs = itertools.cycle([(node, action) for node in self._nodes for action in node.legal_ids()])
        part = seconds / 4
        return {
            "children_per_second": _rate(part, lambda: len(ahu.children(next(nodes))[1])),
            "clones_per_second": _rate(part, lambda: _clones(pairs)),
            "packed_per_second": _rate(part, lambda: self._observe("packed")),
            "split_per_second": _rate(part, lambda: self._observe("split")),
            "bytes": float(sys.getsizeof(self._nodes[0])),
        }

    def _observe(self, obs_format: ObsFormat) -> int:
        batch = ahu.observe(self._many, obs_format=obs_format, threads=1)
        if obs_format == "packed":
            return len(batch.packed_masks)
        _ = batch.observation["bits"]
        return len(batch.masks)

    def close(self) -> None:
        self._nodes.clear()
        self._many.clear()


def _clones(pairs: Iterator[tuple[ahu.State, int]]) -> int:
    for node, action in itertools.islice(pairs, AT_ONCE):
        child = node.clone()
        child.apply(action)
    return AT_ONCE


def _rate(seconds: float, work: Callable[[], int]) -> float:
    """Repeats work, which returns its number of things, for about this time. Returns the things a second."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        done += work()
    return done / (time.perf_counter() - start)


def _play(state: ahu.State, decisions: int | None, choices: random.Random) -> int:
    """Plays random decisions, at most to the end, and returns the number of decisions."""
    played = 0
    while not state.is_over and played != decisions:
        state.apply(choices.choice(state.legal_ids()))
        played += 1
    return played
