"""Games that the program `ahu` plans and that players of this process play, many together, for a benchmark or a duel."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ahu import _native
from ahu.training.games_log import GamesLog
from ahu.training.open_request import LEARNER
from ahu.training.players import ClientPlayer
from ahu.training.vector import VectorEnv


def play_together(
    games: Sequence[Mapping[str, Any]],
    players: Mapping[int, ClientPlayer],
    threads: int | None,
    log: GamesLog,
    on_kept: Callable[[int], None] | None = None,
) -> None:
    """Plays games of one kind, with the same bots in the same seats, to their ends, and writes their records.

    Args:
        games: the games, as `ahu benchmark run --games` and `ahu duel --games` describe them.
        players: the player of each seat without a bot.
        threads: the number of cores for the games; None: all.
        log: the log of the games.
        on_kept: called with the number of games that have ended, after each such write.

    Raises:
        IllegalAction: a player chose an illegal action.
        Exception: whatever a player raised.
    """
    first = games[0]
    actions: list[list[int]] = [[] for _ in games]
    milliseconds: list[list[int]] = [[] for _ in games]
    cores, ended = threads or os.cpu_count() or 1, list[int]()

    def record(number: int) -> bytes:
        return _native.finish_record(games[number]["record"], actions[number], milliseconds[number])

    def keep() -> None:
        # After an interrupt or a failure here, nothing is computed or kept a second time.
        numbers = ended.copy()
        ended.clear()
        if numbers:
            records = list(pool.map(record, numbers))
            # If the process is killed before a record is there, its game starts again.
            log.keep({games[number]["name"]: kept for number, kept in zip(numbers, records, strict=True)})
            for number, kept in zip(numbers, records, strict=True):
                write(Path(games[number]["path"]), kept)
            if on_kept is not None:
                on_kept(len(numbers))

    log.start(game["name"] for game in games)
    env = VectorEnv(
        first["game"],
        len(games),
        seats=first["seats"],
        players=[LEARNER if bot is None else bot for bot in first["players"]],
        options=first["options"],
        autoreset="disabled",
        seed=0,
        threads=threads,
    )
    with env, ThreadPoolExecutor(cores) as pool, ExitStack() as stack:
        # Whatever a player raises, the games that have ended are kept.
        stack.callback(keep)
        batch = env.reset(seeds=[int(game["seed"]) for game in games])
        # One player may have several seats, and is asked for all of them together.
        own = list({id(player): player for player in players.values()}.values())
        batch_players = [env.batch_player(player) for player in own]
        of_seat = np.full(first["seats"], -1)
        for seat, player in players.items():
            of_seat[seat] = next(number for number, other in enumerate(own) if other is player)
        is_new = np.ones((len(games), len(own)), np.bool_)
        while len(batch):
            chosen, took = np.zeros(len(batch), np.int64), np.zeros(len(batch))
            for number, batch_player in enumerate(batch_players):
                rows = np.flatnonzero(of_seat[batch.seats] == number)
                if len(rows) == 0:
                    continue
                part = batch if len(rows) == len(batch) else batch.take(rows)
                environments = batch.env_ids[rows]
                begun = is_new[environments, number]
                is_new[environments, number] = False
                start = time.perf_counter()
                chosen[rows] = batch_player.choose(part.with_starts(begun))
                # The rows of a batch are decided together, so each has its part of the time.
                took[rows] = (time.perf_counter() - start) * 1000 / len(rows)
            env_ids = batch.env_ids.copy()
            batch = env.step(chosen, env_ids=env_ids)
            for number, action, own_time in zip(map(int, env_ids), map(int, chosen), took.tolist(), strict=True):
                actions[number].append(action)
                milliseconds[number].append(round(own_time))
            ended += map(int, env_ids[batch.ended])
            batch = batch.take(np.flatnonzero(~batch.ended))
            # A record computes the choices of its bots again, and a search takes long: so each core gets a record. No player
            # chooses meanwhile, so its times stay its own.
            if len(ended) >= cores:
                keep()


def write(path: Path, content: bytes) -> None:
    """Writes a file at once, so that a killed process leaves no partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".new")
    draft.write_bytes(content)
    draft.replace(path)
