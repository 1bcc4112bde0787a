"""One environment at a time, in this process and over the network."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import ahu
from ahu.training.gymnasium import AhuGymnasiumEnv
from ahu.training.pettingzoo import aec_env
from benchmarks.rounds import Labels
from benchmarks.vector import place

KINDS = ("VectorEnv(1).step", "AhuGymnasiumEnv.step", "AEC turn")
"""The loops: a step of a `VectorEnv` in self-play, which reads the observation; a step of Gymnasium against "random" bots; and a
turn of PettingZoo's AEC with `last` and `step`."""

AT_ONCE = 16
"""The number of steps between two looks at the clock."""


class Single:
    """One environment, stepped with random legal actions. Episodes go on with `reset`.

    Figures: `decisions_per_second`, which counts only the client's decisions.
    """

    def __init__(self, kind: str, server: ahu.Server | None, game: str, seat_count: int) -> None:
        self.labels: Labels = {"measure": "single", "kind": kind, "place": place(server), "game": game}
        settings: dict[str, Any] = {"seats": seat_count, "address": None if server is None else server.address}
        self._choices = random.Random(1)
        play = {KINDS[0]: self._vector, KINDS[1]: self._gymnasium, KINDS[2]: self._aec}[kind]
        self._env: Any
        self._steps = play(game, settings)

    def run(self, seconds: float) -> Mapping[str, float]:
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for _ in range(AT_ONCE):
                next(self._steps)
            steps += AT_ONCE
        return {"decisions_per_second": steps / (time.perf_counter() - start)}

    def close(self) -> None:
        self._env.close()

    def _legal(self, mask: Any) -> int:
        """Returns a legal action."""
        legal = mask.nonzero()[0]
        return int(legal[int(self._choices.random() * len(legal))])

    def _vector(self, game: str, settings: dict[str, Any]) -> Iterator[None]:
        self._env = env = ahu.VectorEnv(game, threads=1, **settings)
        generator = np.random.default_rng(1)
        batch = env.reset(seed=1)
        while True:
            batch = env.step(env.random_actions(batch, generator))
            _ = batch.observation["bits"], batch.observation["numbers"]
            yield

    def _gymnasium(self, game: str, settings: dict[str, Any]) -> Iterator[None]:
        self._env = env = AhuGymnasiumEnv(game, threads=1, **settings)
        _, info = env.reset(seed=1)
        while True:
            _, _, terminated, _, info = env.step(self._legal(info["action_mask"]))
            if terminated:
                _, info = env.reset()
            yield

    def _aec(self, game: str, settings: dict[str, Any]) -> Iterator[None]:
        self._env = env = aec_env(game, threads=1, **settings)
        env.reset(seed=1)
        while True:
            for _ in env.agent_iter():
                observation, _, terminated, _, _ = env.last()
                if terminated:
                    env.step(None)
                else:
                    env.step(self._legal(observation["action_mask"]))
                    yield
            env.reset()
