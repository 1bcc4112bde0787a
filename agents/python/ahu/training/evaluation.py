"""Evaluation of a policy against other players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ahu import _native
from ahu._options import Options
from ahu.training import catalog
from ahu.training.observation import ObsFormat
from ahu.training.open_request import LEARNER, Player
from ahu.training.policies import Policy
from ahu.training.vector import VectorEnv

SEED = 2**40
"""The seed of the first block: training with seeds from 0 on seldom gets this far."""

BLOCKS_AT_ONCE = 1024
"""The number of blocks that are played together."""


@dataclass(frozen=True)
class Interval:
    """A mean over blocks with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation.

    Attributes:
        share: the share of wins: a sole win counts 1, a first place shared by k counts 1/k.
        margin: the points above the mean of the others' points.
        ranks: the mean rank, 1 is first.
        blocks: the number of blocks.
        games: the number of games. A block has as many games as seats.
        shares, margins: the means of each block, in the order of the seeds: float64 [blocks].
    """

    share: Interval
    margin: Interval
    ranks: Interval
    blocks: int
    games: int
    shares: NDArray[np.float64]
    margins: NDArray[np.float64]


def evaluate(
    game: str,
    policy: Policy,
    opponents: Player | Sequence[Player] = "greedy",
    blocks: int = 200,
    *,
    seat_count: int | None = None,
    options: Options = {},
    seed: int = SEED,
    obs_format: ObsFormat = "split",
    threads: int | None = None,
    address: str | None = None,
) -> Evaluation:
    """Plays a policy against opponents.

    A block is one seed, played once with the policy in each seat; the opponents follow to its left, in their order. All
    games of a block have the same chance, so the block is the unit of the statistics. The intervals are computed as in
    `ahu duel`.

    Args:
        game: the game, by its name in the catalog.
        policy: the policy (see `ahu.training.policies`).
        opponents: one opponent for each other seat, or one for all: bots, mixtures, or policies, as for `VectorEnv`.
        blocks: the number of blocks, 2 or more for an interval.
        seat_count: the number of seats; None: the fewest seats that the game supports.
        options: the options that differ from their defaults, by key.
        seed: the seed of the first block; the other blocks have the following seeds.
        obs_format: the format of the observations that the policy gets.
        threads: as for `VectorEnv`.
        address: as for `VectorEnv`.

    Raises:
        ValueError: the number of opponents is wrong, an opponent is LEARNER, or there is no block.
        AhuError: the engine refuses the request.
    """
    seat_count = catalog.seat_count(game, seat_count)
    # To type checkers, the name of a bot is also a sequence.
    others = (
        list(cast(Sequence[Player], opponents))
        if isinstance(opponents, list | tuple)
        else [cast(Player, opponents)] * (seat_count - 1)
    )
    if len(others) != seat_count - 1 or LEARNER in others:
        raise ValueError(
            f"expected an opponent for each of the other {seat_count - 1} seats, or one; got {opponents!r}"
        )
    if blocks < 1:
        raise ValueError(f"blocks is 1 or more, not {blocks}")
    results = np.zeros((3, seat_count, blocks))
    for first in range(0, blocks, BLOCKS_AT_ONCE):
        part = slice(first, min(first + BLOCKS_AT_ONCE, blocks))
        for seat in range(seat_count):
            players = [LEARNER, *others]
            env = VectorEnv(
                game,
                part.stop - part.start,
                seat_count=seat_count,
                players=players[seat_count - seat :] + players[: seat_count - seat],
                options=options,
                autoreset="disabled",
                obs_format=obs_format,
                seed=seed + first,
                threads=threads,
                address=address,
            )
            with env:
                results[:, seat, part] = _played(env, policy, seat)
    shares, margins, ranks = results.mean(axis=1)
    return Evaluation(
        Interval(*_native.share_of(shares)),
        Interval(*_native.mean_of(margins)),
        Interval(*_native.mean_of(ranks)),
        blocks,
        blocks * seat_count,
        shares,
        margins,
    )


def _played(env: VectorEnv, policy: Policy, seat: int) -> NDArray[np.float64]:
    """Returns share, margin, and rank of the policy in an episode of each environment: [3, num_envs]."""
    results = np.zeros((3, env.num_envs))
    batch = env.reset()
    while len(batch):
        batch = env.step(policy(batch), batch.env_ids)
        for episode in batch.episodes:
            results[:, episode.environment] = _result(episode, seat)
        batch = batch.take(np.flatnonzero(~batch.ended))
    return results


def _result(episode: Any, seat: int) -> tuple[float, float, float]:
    ranks, scores = list(episode.ranks), list(episode.scores)
    share = 1 / ranks.count(1) if ranks[seat] == 1 else 0.0
    margin = scores[seat] - (sum(scores) - scores[seat]) / max(1, len(scores) - 1)
    return share, margin, float(ranks[seat])
