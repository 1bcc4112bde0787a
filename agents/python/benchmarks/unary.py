"""One call a decision: the blocking client, against a bot."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import ahu
from benchmarks.rounds import Labels

_BARE = ahu.ObservationFormats(legal_ids=True)
_TYPED = ahu.ObservationFormats(legal_ids=True, typed=True, legal_actions=True)


class Unary:
    """`Step` with only legal ids, `Step` with everything typed, and an empty call, in turn, so that each has the same part of
    a match.

    Figures, in microseconds: `step`, `typed`, and `empty`, each with `_p50` and `_p99`.
    """

    def __init__(self, server: ahu.Server, game: str, seat_count: int) -> None:
        self.labels: Labels = {"measure": "unary", "game": game}
        self._seat_count = seat_count
        self._client = ahu.client.Client(server.address)
        self._calls = self._play(game)

    def run(self, seconds: float) -> Mapping[str, float]:
        times: dict[str, list[float]] = {"step": [], "typed": [], "empty": []}
        start = time.perf_counter()
        for name, microseconds in self._calls:
            times[name].append(microseconds)
            if time.perf_counter() - start > seconds and all(times.values()):
                break
        return {
            f"{name}_p{percent}": percentile(taken, percent) for name, taken in times.items() for percent in (50, 99)
        }

    def close(self) -> None:
        self._client.close()

    def _play(self, game: str) -> Iterator[tuple[str, float]]:
        """Plays match after match. Yields the name of each call, and its time in microseconds."""
        choices = random.Random(1)
        bots = dict.fromkeys(range(1, self._seat_count), "random")
        for seed in range(2**32):
            seat = self._client.join(self._client.create_match(game, self._seat_count, bots=bots, seed=seed).match_id)
            observation = seat.observe(_BARE, wait=30)
            while observation.HasField("decision"):
                yield "empty", timed(self._client.get_server_info)[0]
                name, formats = choices.choice((("step", _BARE), ("typed", _TYPED)))
                action = choices.choice(observation.decision.legal_ids)
                microseconds, receipt = timed(seat.step, action, formats=formats)
                observation = receipt.observation
                yield name, microseconds


def timed(call: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[float, Any]:
    """Returns the time of a call in microseconds, and its answer."""
    start = time.perf_counter_ns()
    answer = call(*arguments, **named)
    return (time.perf_counter_ns() - start) / 1000, answer


def percentile(times: list[float], percent: int) -> float:
    """Returns a percentile of the times."""
    return sorted(times)[len(times) * percent // 100]
