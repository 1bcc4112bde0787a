"""Records as arrays: the decisions of each seat, for imitation and offline learning. Headers of records of any rules.

import ahu.records

for trajectory in ahu.records.load("games/"):
    fit(trajectory.observation["bits"], trajectory.actions, trajectory.masks)
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar, cast

import numpy as np

from ahu import _native
from ahu.training import _bits as bits, _catalog as catalog
from ahu.training._layout import Layout
from ahu.training._observation import OBS_FORMATS, Observation, ObsFormat
from ahu.training._parquet import write
from ahu.training._rollouts import Rollout
from ahu.training._trajectory import Trajectory

__all__ = ["Header", "Trajectory", "header", "headers", "load", "of_record", "to_parquet", "verify"]

_Result = TypeVar("_Result")

_Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""A file, a folder of files, or several of them."""

_SUFFIXES = (".txt", ".bin", ".rec")
"""The ends of the names of record files in a folder, as `ahu` writes them: text, bytes, and the records of a benchmark."""


@dataclass(frozen=True, kw_only=True)
class Header:
    """The facts that a record states whatever the version of its rules. Its digest and its chain are right.

    Attributes:
        game: the game.
        rules_version: the version of its rules.
        seed: the seed of the game's chance.
        players: the name of each player, by seat, such as "greedy@2".
        plies: the number of plies.
        ending: "finished", "cancelled", "void", or "unfinished".
        scores: the points by seat; None for a match without a result.
        ranks: the places by seat, 1 is first; None for a match without a result.
        forfeits: the cause of each forfeit by seat, such as "timeout"; None for a seat without one.
        digest: the digest, as a server publishes it.
    """

    game: str
    rules_version: int
    seed: int
    players: list[str]
    plies: int
    ending: str
    scores: list[int] | None
    ranks: list[int] | None
    forfeits: list[str | None]
    digest: str


def headers(paths: _Paths) -> dict[Path, Header]:
    """Returns the headers of record files, by path: also of records under rules that this version of the package does not have.

    Args:
        paths: files and folders, as for `load`.

    Raises:
        ValueError: a file is not a record, or was altered; the message names the file. Or a folder has no records.
        OSError: a file cannot be read.
    """
    return dict(_each(paths, header))


def header(record: bytes | str) -> Header:
    """Returns the header of a record. The errors are the same as for `headers`."""
    return Header(**_native.read_header(record.encode() if isinstance(record, str) else record))


def load(paths: _Paths, *, obs_format: ObsFormat = "split", rewards: str = "rank") -> list[Trajectory]:
    """Returns the trajectory of each seat in record files, by path in the given order, and by seat. Reads on all cores.

    Args:
        paths: record files, in either format. A folder stands for all files in it and in its folders that end with .txt,
            .bin, or .rec, in the order of their paths.
        obs_format: the format of observations: "split", "flat", or "packed".
        rewards: the reward rule: "rank", "margin", "points", or "margin_gain".

    Raises:
        ValueError: a file is not a record, was altered, has another rules version (`headers` tells which), or has a result
            that does not follow from its entries; the message names the file. Or a folder has no records, or there is no
            such format or reward rule.
        OSError: a file cannot be read.
    """
    read = functools.partial(of_record, obs_format=obs_format, rewards=rewards)
    return [trajectory for _, trajectories in _each(paths, read) for trajectory in trajectories]


def to_parquet(
    source: _Paths | Sequence[Trajectory] | Rollout, path: str | os.PathLike[str], *, rewards: str = "rank"
) -> int:
    """Writes decisions to a file of Parquet, and returns the number of its rows. Needs pyarrow: `pip install "ahu[parquet]"`.

    A row is a decision, with what its seat was shown, and nothing of other seats: "bits" (binary, as `Observation.packed`), "numbers"
    (int16 list), "legal" (binary, as `Batch.packed_masks`), "action" (int32), "seat" (uint8). Of records, a row also has
    "trajectory" (int64: the seat of one game, in the order of play), "seed" (uint64), "player", "reward" (float32), "score" (float32, NaN
    without a result), and "rank" (uint8, 0 without). Of a rollout: "environment" (int32), "log_probability", "value" (float32),
    "rewards" (float32 list, by seat), and "ended". The metadata has the hash of the layout, and the place of each of its fields.

    Args:
        source: record files of one game, as for `load`; trajectories, such as those of some seats; or a rollout of environments.
        path: the file, which appears when it is complete.
        rewards: the reward rule of record files, as for `load`.

    Raises:
        ModuleNotFoundError: pyarrow is missing.
        TypeError: there are record files and trajectories.
        ValueError: as for `load`; or there are no decisions, or they are of several games.
        OSError: a file cannot be read or written.
    """
    if isinstance(source, Rollout):
        return write(source, path)
    if isinstance(source, str | os.PathLike):
        source = [source]
    given = list(source)
    trajectories = [one for one in given if isinstance(one, Trajectory)]
    if len(trajectories) == len(given):
        return write(trajectories, path)
    if trajectories:
        raise TypeError("expected record files or trajectories, got both")
    return write(load(cast("_Paths", given), obs_format="packed", rewards=rewards), path)


def verify(paths: _Paths) -> int:
    """Verifies record files as `ahu replay --verify` does, on all cores, and returns their number. The rules have to lead from
    the seed and the actions to each chance outcome, each fault, and the result.

    Args:
        paths: record files, as for `load`.

    Raises:
        ValueError: a file is not a record, was altered, has another rules version, or has a claim that does not follow from its
            entries; the message names the file. Or a folder has no records.
        OSError: a file cannot be read.
    """
    return len(_each(paths, _native.verify_record))


def _each(paths: _Paths, work: Callable[[bytes], _Result]) -> list[tuple[Path, _Result]]:
    """Reads record files on all cores, and returns each with what `work` returns for its content."""
    named = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files = [file for path in map(Path, named) for file in (_records_in(path) if path.is_dir() else [path])]

    def of(file: Path) -> _Result:
        try:
            return work(file.read_bytes())
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(zip(files, pool.map(of, files), strict=True))


def _records_in(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        raise ValueError(f"{folder}: expected files that end with {', '.join(_SUFFIXES)}, found none")
    return files


def of_record(record: bytes | str, *, obs_format: ObsFormat = "split", rewards: str = "rank") -> list[Trajectory]:
    """Returns the trajectory of each seat in a record, such as the result of `ahu.State.record` or `PlayResult.record`. The
    arguments and errors are the same as for `load`.
    """
    if obs_format not in OBS_FORMATS:
        raise ValueError(f"expected obs_format of {', '.join(OBS_FORMATS)}, got {obs_format!r}")
    content = record.encode() if isinstance(record, str) else record
    game, seed, players, result, forfeited, seats = _native.read_decisions(content, rewards)
    known = catalog.find(game)
    assert known is not None, "the record is one of a game of the catalog"
    layout = Layout.of(known.layout)
    trajectories: list[Trajectory] = []
    for seat, (packed, numbers, masks, actions, gains) in enumerate(seats):
        count = len(actions)
        observation = Observation(
            layout,
            obs_format,
            packed.reshape(count, layout.bit_bytes),
            numbers.reshape(count, layout.number_count),
        )
        packed_masks = masks.reshape(count, bits.width(known.action_count))
        legal = bits.unpack(packed_masks, known.action_count).view(np.bool_)
        score, rank = (None, None) if result is None else (result[0][seat], result[1][seat])
        trajectories.append(
            Trajectory(
                game=game,
                seed=seed,
                seat=seat,
                player=players[seat],
                observation=observation,
                masks=legal,
                actions=actions,
                rewards=gains,
                score=score,
                rank=rank,
                forfeited=seat in forfeited,
            )
        )
    return trajectories
