"""Vector environments, in this process and over the network, as a trainer uses them."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

import ahu
from ahu import _native
from ahu.training import LEARNER, Batch, _bits as bits
from ahu.training._observation import ObsFormat
from ahu.training.gymnasium import AhuGymnasiumVectorEnv
from benchmarks.rounds import Labels

SAMPLE_EPISODES = 256
"""The number of episodes from which the decisions of a game for each decision of the learner are estimated."""


def place(server: ahu.Server | None) -> str:
    """Returns the name of the place where environments run."""
    return "in process" if server is None else "server"


class SendRecv:
    """Self-play with random legal actions, by `send` and `recv`, or by `step` if there is one group in this process. The loop
    reads the observation, the rewards, the ends, and, except in the format "packed", the masks. An illegal action would
    raise an error.

    Figures: `decisions_per_second`.
    """

    def __init__(
        self,
        server: ahu.Server | None,
        game: str,
        seat_count: int,
        num_envs: int,
        groups: int,
        obs_format: ObsFormat,
        threads: int = 1,
    ) -> None:
        self.labels: Labels = {
            "measure": "vector",
            "place": place(server),
            "game": game,
            "num_envs": num_envs,
            "groups": groups,
            "obs_format": obs_format,
            "threads": threads,
        }
        self._env = ahu.VectorEnv(
            game,
            num_envs,
            seats=seat_count,
            groups=groups,
            obs_format=obs_format,
            threads=threads,
            address=None if server is None else server.address,
        )
        self._random = np.random.default_rng(1)
        self._steps = server is None and groups == 1
        self._waiting: list[Batch] = []

    def run(self, seconds: float) -> Mapping[str, float]:
        env, decisions = self._env, 0
        waiting = self._waiting or [env.reset(seed=1, group=group) for group in range(env.groups)]
        start = time.perf_counter()
        if self._steps:
            [batch] = waiting
            while time.perf_counter() - start < seconds:
                batch = env.step(self._chosen(batch))
                decisions += len(batch)
            self._waiting = [batch]
            return {"decisions_per_second": decisions / (time.perf_counter() - start)}
        for batch in waiting:
            env.send(self._chosen(batch), group=batch.group)
        while time.perf_counter() - start < seconds:
            batch = env.recv()
            decisions += len(batch)
            env.send(self._chosen(batch), group=batch.group)
        # Wait for all answers within the time, so that the engine is idle between the rounds.
        self._waiting = [env.recv() for _ in range(env.groups)]
        decisions += env.num_envs
        return {"decisions_per_second": decisions / (time.perf_counter() - start)}

    def close(self) -> None:
        self._env.close()

    def _chosen(self, batch: Batch) -> NDArray[np.int64]:
        """Reads the batch, and returns the actions."""
        if batch.observation.obs_format == "packed":
            _ = dict(batch.observation), batch.packed_masks
        else:
            _ = batch.observation.array if batch.observation.obs_format == "flat" else dict(batch.observation)
            _ = batch.masks
        _ = batch.rewards, batch.ended, batch.seats
        return self._env.random_actions(batch, self._random)


class GymnasiumStep:
    """`AhuGymnasiumVectorEnv.step` in one batch: a learner that acts at random, against "random" bots.

    Figures: `decisions_per_second` counts only the learner's decisions, `all_decisions_per_second` also the bots'
    decisions.
    """

    def __init__(
        self, server: ahu.Server | None, game: str, seat_count: int, num_envs: int, obs_format: ObsFormat
    ) -> None:
        self.labels: Labels = {
            "measure": "gymnasium",
            "place": place(server),
            "game": game,
            "num_envs": num_envs,
            "obs_format": obs_format,
        }
        address = None if server is None else server.address
        # One core, like the engine with which it is compared.
        self._env = AhuGymnasiumVectorEnv(
            game, num_envs, seats=seat_count, obs_format=obs_format, threads=1, address=address
        )
        self._random = np.random.default_rng(1)
        self._for_each = decisions_for_each_of_the_learner(game, seat_count)
        self._masks = self._env.reset(seed=1)[0]["action_mask"]

    def run(self, seconds: float) -> Mapping[str, float]:
        decisions = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            actions, to_act = random_actions(self._masks, self._random)
            decisions += int(np.count_nonzero(to_act))
            self._masks = self._env.step(actions)[0]["action_mask"]
        rate = decisions / (time.perf_counter() - start)
        return {"decisions_per_second": rate, "all_decisions_per_second": rate * self._for_each}

    def close(self) -> None:
        self._env.close()


def random_actions(masks: NDArray[np.int8], random: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Returns a random legal action for each row, intp [n], or 0 where an episode has ended, and whether there is one, bool [n]."""
    packed = np.packbits(masks, axis=1, bitorder="little")
    words = np.zeros((len(masks), bits.width(masks.shape[1])), np.uint8)
    words[:, : packed.shape[1]] = packed
    return _native.nth(bits.ONE_CORE, words, random.random(len(masks))), np.asarray(words.any(axis=1))


def decisions_for_each_of_the_learner(game: str, seat_count: int) -> float:
    """Returns the number of decisions of a game, including the bots', for each decision of a learner against "random" bots."""
    players = (LEARNER, *["random"] * (seat_count - 1))
    random = np.random.default_rng(1)
    with ahu.VectorEnv(game, SAMPLE_EPISODES, seats=seat_count, players=players) as env:
        lengths = np.zeros(SAMPLE_EPISODES, np.int64)
        own = everything = episodes = 0
        batch = env.reset(seed=1)
        while episodes < SAMPLE_EPISODES:
            batch = env.step(env.random_actions(batch, random))
            lengths += 1
            own += lengths[batch.ended].sum()
            lengths[batch.ended] = 0
            everything += sum(episode.decision_count for episode in batch.episodes)
            episodes += len(batch.episodes)
    return float(everything / own)
