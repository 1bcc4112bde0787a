"""Measures the calls of a step of one environment, in nanoseconds.

    cd agents/python; "$(./environment package)" -m benchmarks.calls

Prints Markdown: the least of five rounds for each call, less the call of a function that does nothing.
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable

# The folder has the sources of `ahu` without the extension module: the installed package comes first.
sys.path.append(sys.path.pop(0))

import numpy as np

import ahu
from ahu import _native
from ahu.training.gymnasium import AhuGymnasiumEnv
from ahu.training.pettingzoo import aec_env

GAME = "rappanui"
CALLS = 20_000
"""The calls of a round."""


def nanoseconds(call: Callable[[], object]) -> float:
    return min(timeit.repeat(call, number=CALLS, repeat=5)) / CALLS * 1e9


def main() -> None:
    env, rng = ahu.VectorEnv(GAME, threads=1), np.random.default_rng(1)
    batch = env.reset(seed=1)
    rows = batch._rows  # pyright: ignore[reportPrivateUsage]  The calls within the package are what is measured.
    cores, out = rows.spec.cores, np.empty((1, batch.layout.bit_count), np.uint8)

    def step() -> None:
        nonlocal batch
        batch = env.step(env.random_actions(batch, rng))

    def step_and_read() -> None:
        step()
        _ = batch.observation["bits"], batch.observation["numbers"]

    single = AhuGymnasiumEnv(GAME, threads=1)
    _, info = single.reset(seed=1)

    def gymnasium_step() -> None:
        nonlocal info
        _, _, terminated, _, info = single.step(int(info["action_mask"].argmax()))
        if terminated:
            _, info = single.reset()

    table = aec_env(GAME, threads=1)
    table.reset(seed=1)

    def turn() -> None:
        observation, _, terminated, _, _ = table.last()
        if terminated:
            table.reset()
        else:
            table.step(int(observation["action_mask"].argmax()))

    calls: dict[str, Callable[[], object]] = {
        "`rng.random()`": rng.random,
        "a random bit of a mask, in the extension module": lambda: _native.nth(cores, rows.masks, 0.5),
        "the bits of an observation, unpacked there": lambda: _native.unpack(cores, rows.bits, out),
        "`env.random_actions`": lambda: env.random_actions(batch, rng),
        "`env.random_actions` and `env.step`": step,
        "the same, and the observation": step_and_read,
        "`AhuGymnasiumEnv.step`, the first legal action": gymnasium_step,
        "a turn of PettingZoo's AEC, `last` and `step`, the first legal action": turn,
    }
    nothing = nanoseconds(lambda: None)
    print("| call | ns |\n|---|---|")
    for name, call in calls.items():
        print(f"| {name} | {nanoseconds(call) - nothing:,.0f} |")


if __name__ == "__main__":
    main()
