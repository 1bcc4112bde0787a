"""A league: a pool of opponents for a learner, weighted by results, and the results of all against all."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu._estimate import Estimate
from ahu._nets import loaded
from ahu._public import public
from ahu.training._batch import Batch
from ahu.training._open_request import LEARNER, EnvPlayer
from ahu.training._vector import VectorEnv

_MOST = 12
"""The most opponents that the learner meets between two changes of the pool: those against which it wins least."""

_MEMORY = 200.0
"""The number of pairs with an opponent after which half of what was known before is forgotten."""

_LEAST = 0.02
"""The least weight of an opponent; one that always wins has 1."""

_NAME = re.compile(r"[A-Za-z0-9._@:+-]{1,32}")
"""The names of players in a duel."""


@dataclass(frozen=True, kw_only=True)
class LeagueTable:
    """The results of all members of a league against all others.

    Attributes:
        names: the members.
        shares: the share of pairs that the first member won of those with the second one, 0 to 1, by both names: a tie is a half.
        elo: the Elo ratings by which the shares are most probable, by name; the first member has 0.
    """

    names: Sequence[str]
    shares: Mapping[tuple[str, str], Estimate] = field(repr=False)
    elo: Mapping[str, float]

    def __str__(self) -> str:
        """Returns the ratings, the best first, one for each line."""
        best_first = sorted(self.names, key=lambda name: -self.elo[name])
        return "\n".join(f"{self.elo[name]:6.0f}  {name}" for name in best_first)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes `matrix.csv`, the shares of the row's member against the column's, and `matrix.json`, with intervals and Elo."""
        with (Path(folder) / "matrix.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["", *self.names])
            for one in self.names:
                shares = [self.shares.get((one, other)) for other in self.names]
                rows.writerow([one, *["" if share is None else share.mean for share in shares]])
        pairs = [
            {"player": one, "other": other, "share": share.mean, "low": share.low, "high": share.high}
            for (one, other), share in self.shares.items()
        ]
        content = {"names": list(self.names), "pairs": pairs, "elo": dict(self.elo)}
        (Path(folder) / "matrix.json").write_text(json.dumps(content, indent=2) + "\n")


class League:
    """A pool of opponents: bots, the nets of a game in a folder, and a learner's past selves, which `add` puts there.

    An opponent's weight is (1 - p)^2, with the share p of pairs that the learner won against it, as in prioritized fictitious self-play
    (Vinyals et al. 2019, "Grandmaster level in StarCraft II", methods).

    Args:
        game: the game, by its name in the catalog.
        folder: the folder of the nets, which is made where there is none.
        bots: the bots of the pool with their versions, such as "greedy@2".

    Raises:
        ValueError: a bot has no version.
    """

    def __init__(self, game: str, folder: str | os.PathLike[str], bots: Sequence[str]) -> None:
        if unversioned := [bot for bot in bots if "@" not in bot]:
            raise ValueError(f'expected bots with their versions, such as "greedy@2", got "{unversioned[0]}"')
        self._game, self._folder = game, Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._bots = list(bots)
        # The pairs that the learner won and played with each opponent, by the name of the bot.
        self._results: dict[str, NDArray[np.float64]] = {}
        self._pool: dict[str, float] = {}

    @property
    def members(self) -> dict[str, str]:
        """The players by name: the bots, and the nets by the names of their files, as "net:FILE".

        Raises:
            ValueError: the name of a file cannot be that of a player.
        """
        nets = sorted(self._folder.glob(f"{self._game}-*.net"))
        if wrong := [path for path in nets if not _NAME.fullmatch(path.stem)]:
            raise ValueError(f"expected names of 1 to 32 letters, digits, and ._@:+- before .net, got {wrong[0]}")
        return {**{bot: bot for bot in self._bots}, **{path.stem: f"net:{path}" for path in nets}}

    def add(self, net: str | os.PathLike[str], decisions: int) -> None:
        """Copies a net into the folder, as a past self after this many decisions.

        Raises:
            ValueError: the folder has another net of this name, of another run.
        """
        target = self._folder / f"{self._game}-{decisions:012d}.net"
        if target.exists() and target.read_bytes() != Path(net).read_bytes():
            raise ValueError(
                f"expected a folder without the nets of another run, got one with {target}; name a new one"
            )
        shutil.copy(net, target)

    def meet(self, tables: Sequence[tuple[VectorEnv, Sequence[EnvPlayer] | None]], *, is_new: bool = True) -> None:
        """Lets the learner meet the pool in all next episodes of environments.

        Args:
            tables: the environments, each with its players; the pool takes the places of all but `LEARNER`. None: the learner has
                all places, and keeps them.
            is_new: True for the pool as it is now, False for that of the last call, as in a saved state.
        """
        if is_new:
            self._pool = self.weights()
        for env, players in tables:
            if self._pool and players is not None:
                env.set_players([LEARNER if player is LEARNER else self._pool for player in players])

    def weights(self) -> dict[str, float]:
        """Returns the players of the pool with their weights."""
        weights = {player: self._weight(loaded(player)) for player in self.members.values()}
        best = sorted(weights, key=lambda player: -weights[player])[:_MOST]
        return {player: max(weights[player], _LEAST) for player in best}

    def count(self, batch: Batch) -> None:
        """Counts the results of the episodes of a batch against the opponents in them."""
        for episode in batch.episodes:
            own = [rank for rank, bot in zip(episode.ranks, episode.bots, strict=True) if not bot]
            if len(own) != 1:
                continue
            for rank, bot in zip(episode.ranks, episode.bots, strict=True):
                if bot:
                    known = self._results.setdefault(bot, np.zeros(2))
                    known *= 0.5 ** (1 / _MEMORY)
                    known += ((own[0] < rank) + 0.5 * (own[0] == rank), 1)

    def state(self) -> dict[str, Any]:
        """Returns what `load_state` needs to go on."""
        return {"results": {name: known.tolist() for name, known in self._results.items()}, "pool": self._pool}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Goes on where `state` was called."""
        self._results = {name: np.array(known) for name, known in state["results"].items()}
        self._pool = dict(state["pool"])

    def play(self, *, seats: int, blocks: int, seed: int) -> LeagueTable:
        """Lets all members play against all others, and writes the table into the folder.

        Args:
            seats: the number of seats, 2 or more: one member has one seat, and the other one all others.
            blocks: the blocks of each pair.
            seed: the seed of the games.
        """
        # gRPC takes longer to import than the rest of the package.
        from ahu._duel import duel

        shares: dict[tuple[str, str], Estimate] = {}
        members = self.members
        for one, other in combinations(members, 2):
            played = duel(self._game, {one: members[one], other: members[other]}, seats=seats, blocks=blocks, seed=seed)
            [pair] = played.pairs
            share = pair.share
            shares[one, other] = share
            assert share.mean is not None and share.low is not None and share.high is not None
            shares[other, one] = Estimate(mean=1 - share.mean, low=1 - share.high, high=1 - share.low)
        table = LeagueTable(names=list(members), shares=shares, elo=_elo(list(members), shares, blocks))
        table.write(self._folder)
        return table

    def _weight(self, name: str) -> float:
        won, played = self._results.get(name, (0.0, 0.0))
        # Nothing known is even.
        share = (won + 1) / (played + 2)
        return float((1 - share) ** 2)


def _elo(names: Sequence[str], shares: Mapping[tuple[str, str], Estimate], blocks: int) -> dict[str, float]:
    """Returns the ratings by which the shares are most probable: the model of Bradley and Terry, by Hunter's iteration (2004)."""
    won = np.array([[shares[one, other].mean if one != other else 0.0 for other in names] for one in names])
    # A pair that was played and not, half each, so that nobody is infinitely strong.
    won = won * blocks + 0.5 * (1 - np.eye(len(names)))
    played = won + won.T
    strength = np.ones(len(names))
    for _ in range(10_000 if len(names) > 1 else 0):
        step = won.sum(1) / (played / (strength[:, None] + strength)).sum(1)
        step /= step[0]
        done = np.abs(np.log(step / strength)).max() < 1e-9
        strength = step
        if done:
            break
    return {name: round(400 * float(np.log10(value)), 1) for name, value in zip(names, strength, strict=True)}


public(League, LeagueTable, module="ahu.training")
