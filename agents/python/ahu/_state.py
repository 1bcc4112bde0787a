"""One game in the caller's hands: `ahu.State`, and rollouts and analyses of it. The extension module has the code."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ahu import _native
from ahu._native import (
    ActionAnalysis as ActionAnalysis,
    Analysis as Analysis,
    State as State,
    StateEvent as StateEvent,
    StateObservation as StateObservation,
    analyse as analyse,
    children as children,
)
from ahu._options import Options, option_texts
from ahu.actions import Action
from ahu.agent import Player
from ahu.messages import unpack

# Observations are arrays, as in training: without numpy, this module cannot be imported.
from ahu.training import catalog
from ahu.training.batch import Batch, spec_of
from ahu.training.observation import ObsFormat
from ahu.training.open_request import one_of
from ahu.training.playouts import Playouts
from ahu.training.rows import BatchSpec, Rows
from ahu.v1 import match_service_pb2 as v1


def new_game(
    game: str,
    seats: int | None = None,
    options: Options | None = None,
    seed: int | None = None,
    *,
    history: bool = True,
) -> State:
    """Creates a game before its first decision.

    Args:
        game: the game, by its name in the catalog, such as "giants".
        seats: the number of seats; None: the fewest seats that the game supports.
        options: the options that differ from their defaults, by key.
        seed: the seed of all chance, 0 to 2^64 - 1. A match with the same seed is the same game. None: the caller
            settles chance, with `State.settle`.
        history: True to keep the plies, which `State.record` and pickles need.

    Raises:
        AhuError: the catalog has no such game (`UNKNOWN_GAME`), or the game has no such seat count or option
            (`BAD_SEAT_COUNT`, `BAD_OPTION`).
        ValueError: the seed is out of range.
    """
    return _native.new_state(game, catalog.seats(game, seats), option_texts(options or {}), seed, history)


def observe(
    states: Sequence[State],
    seats: int | ArrayLike | None = None,
    *,
    obs_format: ObsFormat = "split",
    mask_dtype: DTypeLike = np.bool_,
    threads: int | None = None,
) -> Batch:
    """Returns what a seat of each State is shown, with its legal actions, as a batch with a row for each State.

        batch = ahu.observe(states, obs_format="flat")
        values = net(batch.observation.array)  # float32 [len(states), layout.size]

    A row has the bytes that an environment and a match show the seat in this position, so a policy for batches works here,
    too. `batch.env_ids` are the places in `states`, `batch.seats` and `batch.players` the seats, and `batch.ended` is True
    where the game is over. `batch.rewards`, float32 [n, seats] for the highest number of seats of the game, are 0. A State
    in which the seat owes no decision has an empty mask.

    Args:
        states: one State or more of the same game. Seat counts and options may differ.
        seats: the seat that is shown, as one number, or as integers [len(states)]; None: in each State, the first seat that
            has to decide, or seat 0 if nobody has to.
        obs_format: the format of observations, "split", "flat", or "packed": see `Observation`.
        mask_dtype: the type of masks, bool or int8.
        threads: the number of cores for long lists; None: all.

    Raises:
        AhuError: a State has no such seat (`UNKNOWN_SEAT`).
        ValueError: there is no State, States are of different games, there is not one seat for each State, there is no such
            format, or `threads` is 0.
        TypeError: `states` has something else than States, or seats are not integers.
    """
    # Types are not checked when the code runs.
    if isinstance(states, State):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("expected a sequence of States, got a State: give [state]")
    count = len(states)
    if count == 0:
        raise ValueError("expected 1 State or more, got 0")
    if not isinstance(states[0], State):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected States, got {type(states[0]).__name__}")
    spec = _spec(states[0].game, obs_format, np.dtype(mask_dtype))
    if count >= _SHARED_FROM:
        spec = dataclasses.replace(spec, cores=_native.Cores(threads))
    rows = Rows(spec, count)
    _native.observe(states, None if seats is None else _shown(seats, count), rows.memory, threads)
    return Batch(rows)


_SHARED_FROM = 512
"""The number of States from which the arrays of a batch may take several cores."""


@functools.cache
def _spec(game: str, obs_format: ObsFormat, mask_dtype: np.dtype[Any]) -> BatchSpec:
    one_of("obs_format", obs_format, ObsFormat)
    if mask_dtype not in (np.dtype(np.bool_), np.dtype(np.int8)):
        raise ValueError(f"masks are bool or int8, not {mask_dtype}")
    return spec_of(catalog.known(game).layout.hash, obs_format, mask_dtype)


def _shown(seats: int | ArrayLike, count: int) -> NDArray[np.int64]:
    shown: NDArray[Any] = np.asarray(seats)
    if shown.dtype.kind not in "iu":
        raise TypeError(f"expected seats as integers, got {shown.dtype}")
    if shown.shape not in ((), (count,)):
        raise ValueError(f"expected one seat, or seats of shape {(count,)}, got {shown.shape}")
    return np.ascontiguousarray(np.broadcast_to(shown, (count,)), np.int64)


def rollout(
    states: Sequence[State],
    player: Player = "greedy",
    count: int = 1,
    seed: int = 0,
    *,
    rewards: str = "rank",
    threads: int | None = None,
) -> NDArray[np.float32]:
    """Plays copies of each State to the end, and returns the return of each seat: float32 [len(states), count, seats].

    Playout j of each State has the chance of the seed `seed` + j from there on, not that of the State: the futures of all
    States are alike, and tell nothing about the true one. From the first decision on, playout j is the episode that a
    match of these bots with the seed `seed` + j has, if the State has had no chance event before.

    Args:
        states: one State or more of the same game, all with the same number of seats.
        player: the player of all seats: the name of a bot, such as "greedy" or "random", on all cores; a function of a
            turn; an object with `act`, of which a deep copy plays each seat of each playout; or `ahu.batched(function)`,
            which is asked for all playouts together.
        count: the number of playouts of each State, 1 or more.
        seed: the seed of the first playout, 0 to 2^64 - 1.
        rewards: the reward rule, as in `State.returns`.
        threads: the number of cores for bots; None: all.

    Raises:
        AhuError: there is no such bot (`UNKNOWN_BOT`), rule (`BAD_FIELD`), or the player returns an action that is not
            legal.
        ValueError: there is no State, States have different numbers of seats or layouts, or `count` or `threads` is 0.
    """
    if isinstance(player, str):
        return _native.rollout(states, player, count, seed, rewards=rewards, threads=threads)
    # Checks the arguments.
    _native.rollout(states, "random", 1, seed, rewards=rewards, threads=threads)
    if count < 1:
        raise ValueError(f"expected a count of 1 or more, got {count}")
    games = [state.clone((seed + playout) % 2**64) for state in states for playout in range(count)]
    return Playouts(games).play(player, rewards).reshape(len(states), count, -1)


# The extension module calls these three.


def action_of(message: bytes) -> Action:
    """Returns the action of an `ahu.v1.Action` as bytes."""
    return Action.of(v1.Action.FromString(message))


def message_of(packed: bytes) -> Message:
    """Returns the message in an `Any` as bytes."""
    return unpack(Packed.FromString(packed))


def restore(*parts: Any) -> State:
    """Returns the State of a pickle."""
    return _native.restore_state(*parts)
