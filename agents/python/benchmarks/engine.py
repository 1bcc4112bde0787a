"""The engine in a separate process, on one core: the baseline of each round."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping

import ahu
from benchmarks.rounds import Labels


class Engine:
    """`ahu speed`: the engine alone, and with bits, numbers and mask of every decision.

    Figures, in decisions a second: `alone`, `observed`.
    """

    def __init__(self, game: str, seat_count: int) -> None:
        self.labels: Labels = {"measure": "engine", "game": game, "seats": seat_count}
        # One round, after another that warms up.
        self._command = [ahu.find_program(), "speed", game, "--seats", str(seat_count), "--rounds", "1", "--json"]

    def run(self, seconds: float) -> Mapping[str, float]:
        # Two loops in two rounds, each as long as one of our loops.
        command = [*self._command, "--time", str(4 * seconds)]
        [measured] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["tables"]
        return {
            part: measured[key]["decisions_per_second"] for part, key in (("alone", "engine"), ("observed", "observed"))
        }

    def close(self) -> None:
        pass
