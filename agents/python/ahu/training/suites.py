"""Suites: benchmarks of a policy that can be cited and checked."""

from __future__ import annotations

import contextlib
import json
import operator
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from ahu import _native
from ahu.errors import BenchmarkError
from ahu.server import find_server
from ahu.training.observation import ObsFormat
from ahu.training.open_request import LEARNER
from ahu.training.policies import Policy
from ahu.training.vector import VectorEnv

Policies: TypeAlias = Policy | Mapping[str, Policy]
"""A policy for all games, or one for each game by its name in the catalog."""


@dataclass(frozen=True)
class BenchmarkInterval:
    """A mean over blocks with its 95 % interval; None if there are too few values."""

    mean: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        return "-" if self.mean is None else f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True)
class BenchmarkReport:
    """The report about a policy on a suite.

    Attributes:
        suite: the name of the suite, or of its first blocks, such as "v1/10".
        normalised: the normalised score over all cells: 0 for `random@1`, 1 for the reference bots; more is possible.
        cells: the normalised score of each cell, by name.
        games: the number of games.
        forfeits: the number of games in which the policy ran out of time.
        data: the content of `report.json`.
    """

    suite: str
    normalised: BenchmarkInterval
    cells: Mapping[str, BenchmarkInterval]
    games: int
    forfeits: int
    data: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.data['agent']['name']} on {self.suite}: {self.normalised}"


def benchmark(
    suite: str,
    policy: Policies | Sequence[Policies],
    *,
    out: str | os.PathLike[str] | None = None,
    name: str = "policy",
    runs: Sequence[str | os.PathLike[str]] = (),
    first: int | None = None,
    quick: bool = False,
    seeds: str = "public",
    source: str | None = None,
    files: Sequence[str | os.PathLike[str]] = (),
    budget: str | None = None,
    declares: Mapping[str, str] = {},
    obs_format: ObsFormat = "split",
    threads: int | None = None,
    games_at_once: int = 1024,
    on_progress: Callable[[int, int], None] | None = None,
) -> BenchmarkReport:
    """Plays a suite with a policy, in batches in this process, and writes the same report as `ahu benchmark run`.

        report = ahu.benchmark("v1", policy, out="net", files=["net.pt"])
        print(report.normalised)

    After an interruption, a call with the same arguments goes on. `ahu benchmark check` checks the report. The choices of
    opponents that search are computed twice: for the game, and for its record.

    Args:
        suite: the suite, such as "v1", or a file that ends with ".toml".
        policy: a function that gets a `Batch` and returns an action for each row, integers [n]; or a function for each
            game, by the game's name in the catalog. For several training runs of one method, a sequence of such policies.
        out: the folder of the report; None: keep only what is returned.
        name: the name of the agent in the report, 1 to 64 bytes.
        runs: the checkpoints of the policies, in their order; the report has the hashes of checkpoints that are files.
        first: the number of blocks of each cell, at least 1; None: all blocks.
        quick: true for the few blocks that the suite has for a first look.
        seeds: "public", or "sealed:" and 64 hexadecimal digits.
        source: the source of the sealed seeds, such as the round of a public beacon.
        files: files of the agent; the report has their hashes.
        budget: the budget of a decision: "none", "iterations:N", or "seconds:S"; None: "none".
        declares: further declarations for the report, such as {"model": "..."}.
        obs_format: the format of observations: see `Observation`.
        threads: the number of cores for the games; None: all.
        games_at_once: the maximum number of games in a batch.
        on_progress: a function that gets the number of games done, and the number of games that were left at the start.

    Raises:
        BenchmarkError: `ahu benchmark` failed, with its message.
        IllegalAction: the policy chose an illegal action.
        TypeError: a policy is neither a function nor a mapping of functions, or `first` or `games_at_once` is not an
            integer.
        ValueError: there is no policy, no policy for a game that is left to play, or the number of policies is not the
            number of `runs`; `first` or `games_at_once` is below 1, or both `first` and `quick` are given.
        Exception: whatever the policy raised.
    """
    policies = cast(Sequence[Policies], policy) if isinstance(policy, Sequence) else [policy]
    if not policies:
        raise ValueError("expected a policy, or one for each training run, got an empty sequence")
    for own in policies:
        functions: list[object] = [*own.values()] if isinstance(own, Mapping) else [own]
        for single in functions:
            if not callable(single):
                raise TypeError(
                    f"expected a function, a mapping of functions by game, or a sequence of them, got {single!r}"
                )
    if operator.index(games_at_once) < 1:
        raise ValueError(f"expected at least one game at once, got {games_at_once}")
    if first is not None and operator.index(first) < 1:
        raise ValueError(f"expected first to be at least 1 block, got {first}")
    if first is not None and quick:
        raise ValueError(f"expected either first or quick, got first={first} and quick=True")
    names = [os.fspath(run) for run in runs] or (
        [f"run {number}" for number in range(len(policies))] if len(policies) > 1 else []
    )
    if names and len(names) != len(policies):
        raise ValueError(f"expected {len(names)} policies, one for each run, got {len(policies)}")
    with contextlib.ExitStack() as stack:
        folder = out if out is not None else stack.enter_context(tempfile.TemporaryDirectory(prefix="ahu-"))
        command = [find_server(), "benchmark", "run", suite, f"--agent={name}=callable", f"--out={os.fspath(folder)}"]
        command += [f"--run={run}" for run in names]
        command += [] if first is None else [f"--first={first}"]
        command += ["--quick"] if quick else []
        command += [f"--seeds={seeds}"]
        command += [] if source is None else [f"--source={source}"]
        command += [f"--file={os.fspath(file)}" for file in files]
        command += [] if budget is None else [f"--budget={budget}"]
        command += [f"--declare={key}={value}" for key, value in declares.items()]
        left = json.loads(_output([*command, "--games"]))
        _check_games(left, policies)
        _play_all(left["games"], policies, obs_format, threads, games_at_once, on_progress)
        return _report(left["suite"], json.loads(_output([*command, "--json"])))


def _check_games(left: Mapping[str, Any], policies: Sequence[Policies]) -> None:
    """Checks that each training run has a policy for each game that it has left to play.

    Raises:
        ValueError: a policy is missing.
    """
    for run, own in enumerate(policies):
        if not isinstance(own, Mapping):
            continue
        names = {game["game"]: None for game in left["games"] if game["run"] == run}
        missing = [name for name in names if name not in own]
        if missing:
            of = f" of run {run}" if len(policies) > 1 else ""
            raise ValueError(
                f"expected a policy{of} for each game that {left['suite']} is left to play, got none for {', '.join(missing)}"
            )


def _output(command: Sequence[str]) -> str:
    """Runs the program, and returns its output.

    Raises:
        BenchmarkError: the program failed.
    """
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        # After a wrong argument, the program adds its usage, which would confuse callers of this function.
        message = done.stderr.removeprefix("error: ").split("\n\nUsage: ")[0].split("\n\nFor more information, ")[0]
        raise BenchmarkError(message.strip())
    return done.stdout


def _play_all(
    games: Sequence[Mapping[str, Any]],
    policies: Sequence[Policies],
    obs_format: ObsFormat,
    threads: int | None,
    games_at_once: int,
    on_progress: Callable[[int, int], None] | None,
) -> None:
    done = 0
    # Environments of one batch share their players, so the games of each seat are played together.
    ordered = sorted(games, key=lambda game: (game["run"], game["cell"], game["seat"]))
    for (run, _, _), group in groupby(ordered, key=lambda game: (game["run"], game["cell"], game["seat"])):
        together = list(group)
        own = policies[int(run)]
        policy = cast(Mapping[str, Policy], own)[together[0]["game"]] if isinstance(own, Mapping) else own
        for begin in range(0, len(together), games_at_once):
            part = together[begin : begin + games_at_once]
            _play(part, policy, obs_format, threads)
            done += len(part)
            if on_progress is not None:
                on_progress(done, len(games))


def _play(games: Sequence[Mapping[str, Any]], policy: Policy, obs_format: ObsFormat, threads: int | None) -> None:
    """Plays games with the same players in the same seats, and writes their records."""
    first = games[0]
    actions: list[list[int]] = [[] for _ in games]
    milliseconds: list[list[int]] = [[] for _ in games]
    env = VectorEnv(
        first["game"],
        len(games),
        seat_count=first["seats"],
        players=[LEARNER if bot is None else bot for bot in first["players"]],
        options=first["options"],
        autoreset="disabled",
        obs_format=obs_format,
        seed=0,
        threads=threads,
    )
    with env:
        batch = env.reset(seeds=[game["seed"] for game in games])
        while len(batch):
            start = time.perf_counter()
            chosen = np.asarray(policy(batch))
            # The rows of a batch are decided together, so each has its part of the time.
            own = round((time.perf_counter() - start) * 1000 / len(batch))
            env_ids = batch.env_ids.copy()
            batch = env.step(chosen, env_ids)
            for number, action in zip(map(int, env_ids), map(int, chosen), strict=True):
                actions[number].append(action)
                milliseconds[number].append(own)
            for number in map(int, env_ids[batch.ended]):
                game = games[number]
                record = _native.finish_record(game["record"], actions[number], milliseconds[number])
                _write(Path(game["path"]), record)
            batch = batch.take(np.flatnonzero(~batch.ended))


def _write(path: Path, content: bytes) -> None:
    """Writes a file at once, so that a killed process leaves no partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".new")
    draft.write_bytes(content)
    draft.replace(path)


def _report(suite: str, data: Mapping[str, Any]) -> BenchmarkReport:
    return BenchmarkReport(
        suite,
        BenchmarkInterval(**data["aggregate"]["normalised"]),
        {cell["name"]: BenchmarkInterval(**cell["normalised"]) for cell in data["cells"]},
        data["aggregate"]["games"],
        data["aggregate"]["forfeits"],
        data,
    )
