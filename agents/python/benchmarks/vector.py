"""Vector environments over the network, as a trainer uses them."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

import ahu
from ahu.training import LEARNER, Batch, bits
from ahu.training.gymnasium import AhuVectorEnv
from ahu.training.observation import ObsFormat
from benchmarks.machine import cpu_seconds
from benchmarks.rounds import Labels

SAMPLE_EPISODES = 256
"""How many episodes tell how many decisions a game has for each one of the learner's."""


class Clocks:
    """Clocks that start now.

    Args:
        server: the process of the server.
    """

    def __init__(self, server: int) -> None:
        self._server = server
        self._started = self._now()

    def seconds(self) -> float:
        """How long they have run."""
        return time.perf_counter() - self._started[0]

    def figures(self, decisions: int) -> dict[str, float]:
        """Decisions a second, and the CPU time that one took on both sides, in nanoseconds."""
        wall, client, server = (now - then for now, then in zip(self._now(), self._started, strict=True))
        return {
            "decisions_per_second": decisions / wall,
            "client_ns": client / decisions * 1e9,
            "server_ns": server / decisions * 1e9,
        }

    def _now(self) -> tuple[float, float, float]:
        return time.perf_counter(), time.process_time(), cpu_seconds(self._server)


class SendRecv:
    """Self-play by `send` and `recv` with random legal actions: every observation, mask, reward and end into numpy.

    Figures: those of `Clocks`, and `illegal`, how many actions were not legal.
    """

    def __init__(
        self, server: ahu.Server, game: str, seat_count: int, num_envs: int, groups: int, obs_format: ObsFormat
    ) -> None:
        self.labels: Labels = {
            "measure": "send/recv",
            "game": game,
            "num_envs": num_envs,
            "groups": groups,
            "obs_format": obs_format,
        }
        self._server = server.process.pid
        self._env = ahu.VectorEnv(
            game, num_envs, seat_count=seat_count, groups=groups, obs_format=obs_format, address=server.address
        )
        self._random = np.random.default_rng(1)
        self._waiting: list[Batch] = []

    def run(self, seconds: float) -> Mapping[str, float]:
        decisions = illegal = 0

        def act(batch: Batch) -> None:
            nonlocal decisions, illegal
            _look(batch)
            actions = self._env.random_actions(batch, self._random)
            decisions += len(batch)
            illegal += int(np.count_nonzero(~batch.masks[np.arange(len(batch)), actions]))
            self._env.send(actions, batch.group)

        groups = range(self._env.groups)
        waiting = self._waiting or [self._env.reset(seed=1, group=group) for group in groups]
        clocks = Clocks(self._server)
        for batch in waiting:
            act(batch)
        while clocks.seconds() < seconds:
            act(self._env.recv())
        # Whatever was sent is answered within the time, so that nothing is done between the rounds.
        self._waiting = [self._env.recv() for _ in groups]
        return {**clocks.figures(decisions), "illegal": illegal}

    def close(self) -> None:
        self._env.close()


class GymnasiumStep:
    """`AhuVectorEnv.step` in one batch: a learner who acts at random, against "random" bots.

    Figures: those of `Clocks` and `illegal`, for the learner's decisions alone; `all_decisions_per_second` has those of
    the bots too.
    """

    def __init__(self, server: ahu.Server, game: str, seat_count: int, num_envs: int, obs_format: ObsFormat) -> None:
        self.labels: Labels = {"measure": "gymnasium", "game": game, "num_envs": num_envs, "obs_format": obs_format}
        self._server = server.process.pid
        self._env = AhuVectorEnv(game, num_envs, seat_count=seat_count, obs_format=obs_format, address=server.address)
        self._random = np.random.default_rng(1)
        self._for_each = decisions_for_each_of_the_learner(server, game, seat_count)
        self._masks = self._env.reset(seed=1)[0]["action_mask"]

    def run(self, seconds: float) -> Mapping[str, float]:
        decisions = illegal = 0
        clocks = Clocks(self._server)
        while clocks.seconds() < seconds:
            actions, to_act = random_actions(self._masks, self._random)
            decisions += int(np.count_nonzero(to_act))
            illegal += int(np.count_nonzero(self._masks[to_act, actions[to_act]] == 0))
            self._masks = self._env.step(actions)[0]["action_mask"]
        figures = clocks.figures(decisions)
        everything = figures["decisions_per_second"] * self._for_each
        return {**figures, "illegal": illegal, "all_decisions_per_second": everything}

    def close(self) -> None:
        self._env.close()


def random_actions(masks: NDArray[np.int8], random: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """A random legal action for each row, intp [n], and where there is one, bool [n]; 0, where an episode has ended."""
    packed = np.packbits(masks, axis=1, bitorder="little")
    words = np.zeros((len(masks), bits.width(masks.shape[1])), np.uint8)
    words[:, : packed.shape[1]] = packed
    return bits.nth(words, random.random(len(masks))), np.asarray(words.any(axis=1))


def decisions_for_each_of_the_learner(server: ahu.Server, game: str, seat_count: int) -> float:
    """How many decisions a game has, those of bots among them, for each one of a learner's against "random" bots."""
    players = (LEARNER, *["random"] * (seat_count - 1))
    random = np.random.default_rng(1)
    with ahu.VectorEnv(game, SAMPLE_EPISODES, seat_count=seat_count, players=players, address=server.address) as env:
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


def _look(batch: Batch) -> None:
    """Makes every array that a trainer needs of a batch."""
    _ = batch.observation.array if batch.observation.obs_format == "flat" else dict(batch.observation)
    _ = batch.masks, batch.rewards, batch.ended, batch.seats
