"""How long a call takes from Python, on a server of its own.

    python bench.py

A step, a step with everything typed and an empty call are timed in turn, so that the machine's noise meets all alike.
Prints medians and 99th percentiles in microseconds, and the ratio of the medians to the empty call's.
"""

import random
import time
from collections.abc import Callable
from typing import Any

import ahu

STEPS = 5_000
"""How many of each are timed."""

BARE = ahu.ObservationForms(legal_ids=True)
TYPED = ahu.ObservationForms(legal_ids=True, typed=True, legal_actions=True)


def main() -> None:
    times: dict[str, list[float]] = {"empty call": [], "Step": [], "Step, typed": []}
    choices = random.Random(1)
    with ahu.launch() as server, ahu.Client(server.address) as client:
        for seed in range(STEPS):
            match = client.create_match("rappanui", 2, bots={1: "random"}, seed=seed)
            seat = client.join(match.match_id)
            observation = seat.observe(BARE, wait=30)
            while observation.HasField("decision"):
                # In turn: each has the same part of a match.
                name, forms = ("Step", BARE) if len(times["empty call"]) % 2 else ("Step, typed", TYPED)
                action = choices.choice(observation.decision.legal_ids)
                timed(times["empty call"], client.get_server_info)
                observation = timed(times[name], lambda: seat.step(action, forms=forms)).observation
            if len(times["Step"]) >= STEPS:
                break
    empty = percentile(times["empty call"], 50)
    for name, taken in times.items():
        p50, p99 = percentile(taken, 50), percentile(taken, 99)
        print(f"{name:<12} p50 {p50:6.1f} us   p99 {p99:6.1f} us   {p50 / empty:.2f} times the empty call")


def timed(times: list[float], call: Callable[[], Any]) -> Any:
    """What `call` answers; how long that took goes into `times`, in microseconds."""
    start = time.perf_counter_ns()
    answer = call()
    times.append((time.perf_counter_ns() - start) / 1000)
    return answer


def percentile(times: list[float], percent: int) -> float:
    return sorted(times)[len(times) * percent // 100]


if __name__ == "__main__":
    main()
