"""One game in the caller's hands: `ahu.State`, and rollouts and analyses of it. The extension module has the code."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message

from ahu import _native
from ahu._actions import Action
from ahu._agent import Player
from ahu._messages import unpack
from ahu._native import (
    ActionAnalysis as ActionAnalysis,
    Analysis as Analysis,
    State as State,
    StateEvent as StateEvent,
    StateObservation as StateObservation,
    analyse as analyse,
    children as children,
    restore_state as restore_state,
)
from ahu._options import Options, option_texts
from ahu._public import public

# Observations are arrays, as in training: without numpy, this module cannot be imported.
from ahu.training import _catalog as catalog
from ahu.training._observe import observe as observe
from ahu.training._playouts import Playouts
from ahu.v1 import match_service_pb2 as v1
from ahu.v1.catalog_service_pb2 import Game, GameSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def games() -> list[GameSummary]:
    """Returns the games of the catalog of this process, in short, as `Client.list_games` does."""
    return [game(name).summary for name in _native.catalog_games()]


def game(name: str) -> Game:
    """Returns a game of the catalog of this process in full, as `Client.get_game` does: seats, options, bots, actions, rules.

    Raises:
        ServiceError: the catalog has no such game (`UNKNOWN_GAME`).
    """
    return Game.FromString(_native.catalog_game(name))


def new_game(
    game: str,
    *,
    seats: int | None = None,
    options: Options = {},
    seed: int | None = None,
    chance: Literal["seed", "caller"] = "seed",
    history: bool = True,
) -> State:
    """Creates a game before its first decision.

    Args:
        game: the game, by its name in the catalog, such as "giants".
        seats: the number of seats; None: the fewest seats that the game supports.
        options: the options that differ from their defaults, by key.
        seed: the seed of all chance, 0 to 2^64 - 1. A match with the same seed is the same game. None: a random seed.
        chance: the source of chance: "seed", or "caller", who settles each chance event with `State.settle`.
        history: True to keep the plies, which `State.record` and pickles need.

    Raises:
        ServiceError: the catalog has no such game (`UNKNOWN_GAME`), or the game has no such seat count or option
            (`BAD_SEAT_COUNT`, `BAD_OPTION`).
        ValueError: the seed is out of range, is given although the caller settles chance, or there is no such source.
    """
    if chance not in ("seed", "caller") or (chance == "caller" and seed is not None):
        raise ValueError(f'expected chance="seed", or chance="caller" without a seed, got {chance=} and {seed=}')
    if chance == "seed" and seed is None:
        # Short to type, and exact as a number of JSON.
        seed = secrets.randbits(53)
    return _native.new_state(game, catalog.seats(game, seats), option_texts(options), seed, history)


def rollout(
    states: Sequence[State],
    player: Player = "greedy",
    *,
    count: int = 1,
    seed: int = 0,
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
        ServiceError: there is no such bot (`UNKNOWN_BOT`), rule (`BAD_FIELD`), or the player returns an action that is not
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


# The extension module calls these two.


def action_of(message: bytes) -> Action:
    """Returns the action of an `ahu.v1.Action` as bytes."""
    return Action.of(v1.Action.FromString(message))


def message_of(packed: bytes) -> Message:
    """Returns the message in an `Any` as bytes."""
    return unpack(Packed.FromString(packed))


public(analyse, children, game, games, new_game, observe, restore_state, rollout)
