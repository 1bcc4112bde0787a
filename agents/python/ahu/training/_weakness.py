"""Tables of a player with a planted weakness, by which a trainer of best responses is tried."""

# pyright: standard

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ahu._estimate import Estimate
from ahu._nets import loaded, read_net
from ahu.training._batch import Batch
from ahu.training._settings import EnvSettings
from ahu.training._vector import VectorEnv
from ahu.training.ppo import Tables, unpacked

CONFUSED = 3
"""The number of decisions that a confused player makes at random."""

_TOGETHER = 4_096
"""The most games that are played at the same time."""


class Weakness:
    """A player with a planted weakness: an action of the learner that the player would not have chosen confuses it, and it makes its
    next three decisions at random.

    Args:
        env: the environments, in which the client has all seats.
        player: the player: a bot, or a net as "net:FILE".
        seed: the seed of the random decisions.
    """

    def __init__(self, env: VectorEnv, player: str, seed: int) -> None:
        self._env, self._player = env, loaded(player)
        self._left = np.zeros((env.num_envs, env.seats), np.int64)
        self._generator = np.random.default_rng(seed)

    def choices(self, env_ids: NDArray[Any]) -> NDArray[np.int64]:
        """Returns what the player would choose in environments, [n]."""
        return self._env.advise(self._player, env_ids=env_ids).choices.astype(np.int64)

    def notice(self, env_ids: NDArray[Any], actions: NDArray[np.int64]) -> None:
        """Sees the actions of the learner in environments, [n]."""
        self._left[env_ids[actions != self.choices(env_ids)]] = CONFUSED

    def forget(self, env_ids: NDArray[Any]) -> None:
        """Begins new episodes."""
        self._left[env_ids] = 0

    def actions(self, rows: Batch) -> NDArray[np.int64]:
        """Returns the actions of the player, [n]."""
        at, seats = rows.env_ids, rows.seats
        is_confused = self._left[at, seats] > 0
        self._left[at, seats] -= is_confused
        noise = self._generator.random(rows.masks.shape) * rows.masks
        return np.where(is_confused, noise.argmax(1), self.choices(at))


class WeakTables(Tables):
    """Tables at which a learner has one seat, and a player with a planted weakness has all others.

    In environment i the learner has the seat i, plus one for each episode, modulo the number of seats.

    Args:
        game: the game.
        count: the number of environments.
        player: the player, as for `Weakness`.
        settings: the settings of the environments.
    """

    def __init__(self, game: str, count: int, player: str, settings: EnvSettings) -> None:
        self._env, self._player, self._settings = VectorEnv(game, count, **settings), player, settings
        super().__init__([self._env])
        self._weakness = Weakness(self._env, player, settings.get("seed") or 0)
        self._own = np.arange(count) % self._env.seats
        [batch] = self.batches
        self._shown = [array.copy() for array in _arrays(batch)]
        self._play_others(batch, lambda _: None)

    def rows(self, device: str) -> tuple[Tensor, Tensor, Tensor, NDArray[np.int64]]:
        """Returns what `Tables.rows` does: the decisions of the learner."""
        bits, numbers, packed = (torch.from_numpy(array).to(device) for array in self._shown)
        return bits, numbers, unpacked(packed, self.action_count).bool(), self._own.copy()

    def step(self, actions: NDArray[np.int64], win: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Takes actions of the learner, and those of the player until the learner has to decide everywhere."""
        rewards, ended = np.zeros((self.count, self.max_seats), np.float32), np.zeros(self.count, np.bool_)

        def note(batch: Batch) -> None:
            # What is paid after the end belongs to the next episode, in which the learner has not decided.
            goes_on = ~ended[batch.env_ids]
            rewards[batch.env_ids] += goes_on[:, None] * batch.rewards
            if (final := batch.final_steps) is not None:
                paid = win * (self._env.seats * (final.ranks == 1) - 1)
                rewards[final.env_ids, final.seats] += ~ended[final.env_ids] * paid
            over = batch.env_ids[batch.ended]
            ended[over] = True
            self._own[over] = (self._own[over] + 1) % self._env.seats
            self._weakness.forget(over)

        every = np.arange(self.count)
        self._weakness.notice(every, actions)
        batch = self._env.step(actions)
        note(batch)
        self._play_others(batch, note)
        return rewards, ended

    def save(self) -> list[bytes]:
        """Raises NotImplementedError: the weakness remembers what a save does not have."""
        raise NotImplementedError("tables with a planted weakness have no save")

    def gain(self, net: Path, measure: str, blocks: int, seed: int) -> Estimate:
        """Returns what a net gains for each game in one seat against the player in all others, in blocks of a game for each seat.

        Args:
            net: the file of the net.
            measure: "utility" or "points".
            blocks: the number of blocks, 2 or more.
            seed: the seed of the first block.
        """
        # A batch of so many environments is small enough.
        most = max(_TOGETHER // self._env.seats, 1)
        parts = [(first, min(most, blocks - first)) for first in range(0, blocks, most)]
        means = np.concatenate([self._means(net, measure, part, (seed + first) % 2**64) for first, part in parts])
        mean, error = float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(blocks))
        return Estimate(mean=mean, low=mean - error, high=mean + error)

    def _means(self, net: Path, measure: str, blocks: int, seed: int) -> NDArray[np.float64]:
        """Returns the mean gain of each block."""
        seats, learner = self._env.seats, read_net(net)
        count = blocks * seats
        settings: EnvSettings = {**self._settings, "seed": None}
        gained, own = np.zeros(count), np.arange(count) % seats
        with VectorEnv(self.game, count, autoreset="disabled", **settings) as env:
            weakness = Weakness(env, self._player, seed)
            rows = env.reset(seeds=[(seed + place // seats) % 2**64 for place in range(count)])
            while True:
                for episode in rows.episodes:
                    gained[episode.environment] = _gain(episode, int(own[episode.environment]), measure)
                rows = rows.take(np.flatnonzero(~rows.ended))
                if not len(rows):
                    break
                is_own = rows.seats == own[rows.env_ids]
                actions = np.zeros(len(rows), np.int64)
                if is_own.any():
                    mine = rows.take(np.flatnonzero(is_own))
                    actions[is_own] = _best(env, learner, mine)
                    weakness.notice(mine.env_ids, actions[is_own])
                if not is_own.all():
                    actions[~is_own] = weakness.actions(rows.take(np.flatnonzero(~is_own)))
                rows = env.step(actions, env_ids=rows.env_ids)
        return gained.reshape(blocks, seats).mean(1)

    def _play_others(self, batch: Batch, note: Callable[[Batch], None]) -> None:
        """Lets the player decide until the learner has to decide everywhere."""
        while True:
            for shown, new in zip(self._shown, _arrays(batch), strict=True):
                shown[batch.env_ids] = new
            rest = batch.take(np.flatnonzero(batch.seats != self._own[batch.env_ids]))
            if not len(rest):
                return
            batch = self._env.step(self._weakness.actions(rest), env_ids=rest.env_ids)
            note(batch)


def _arrays(batch: Batch) -> tuple[NDArray[Any], ...]:
    return batch.observation["bits"], batch.observation["numbers"], batch.packed_masks


def _best(env: VectorEnv, net: Any, rows: Batch) -> NDArray[np.int64]:
    """Returns the most probable actions of a net, as `net:FILE` takes them."""
    advice = None
    if net.adviser is not None:
        advice = env.advise(net.adviser, env_ids=rows.env_ids).choices.astype(np.int64)
    return net.choose(rows.observation.packed, rows.observation.numbers, rows.packed_masks, advice)


def _gain(episode: Any, seat: int, measure: str) -> float:
    if measure == "points":
        return float(episode.scores[seat])
    ranks = np.array(list(episode.ranks))
    better, equal = int((ranks < ranks[seat]).sum()), int((ranks == ranks[seat]).sum())
    # The mean over the places that equals share, from 1 for the first to -1 for the last.
    return 1 - 2 * (better + (equal - 1) / 2) / (len(ranks) - 1)
