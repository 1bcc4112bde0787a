"""The request that opens environments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast, get_args

from ahu._options import option_texts
from ahu._seeds import checked_seed
from ahu.training._players import ClientPlayer, is_positive, weighted_players
from ahu.v1 import environment_service_pb2 as v1

LEARNER = None
"""The entry of `players` for the client."""

EnvPlayer: TypeAlias = (
    str | Mapping[str, float] | ClientPlayer | Mapping[str, ClientPlayer | tuple[ClientPlayer, float]] | None
)
"""A player of an environment: `LEARNER`, the name of a bot or "net:FILE", a mixture of bots by weight, from which one is drawn
for each episode, a player of the client, or several of these by name.

A player of the client is a function of a turn, an object with `act(turn)`, or `ahu.batched(function)`, whose function gets a
`Batch` and returns an action for each row. `VectorEnv` asks each for all environments that wait for it at once, and returns
only rows for `LEARNER`. So `final_steps`, and with "next_step" and "disabled" the row of an episode that has ended, show
learners.

    players=[LEARNER, ahu.batched(net)]                         one player
    players=[LEARNER, {"past": past, "older": older}]           several by name, of which one is drawn for each episode
    players=[LEARNER, {"past": (past, 3), "older": (older, 1)}] the same, by weight

`episode.bots` has the name of the player of a seat. The draw depends only on the seed of the environment and on the number of
the episode; if `VectorEnv.set_players` brings the first players of the client, their first episode has the number 0. An episode
that ends before a learner has a decision is skipped. Of an object with `act`, a deep copy plays each seat of each environment;
`start` is called with a `Match` that has only the game.

An exception in a player, or an illegal action of a player (with `on_illegal="raise"`), leaves games half played: the
environments are lost, and `reset` opens them again.
"""

Autoreset = Literal["next_step", "same_step", "disabled"]
"""The way in which an environment begins its next episode: see `VectorEnv`."""

Rotation = Literal["fixed", "episode"]
"""The seats of the players in the next episode: see `EnvSettings`."""

Rewards = Literal["rank", "margin", "points", "margin_gain"]
"""The value of a finished game: see `EnvSettings`."""

_WEIGHTS_SUM = 1_000_000
"""The sum to which weights are scaled if they are not whole numbers, or too large."""


def open_request(
    game: str, num_envs: int, groups: int, autoreset: Autoreset, settings: Mapping[str, Any]
) -> v1.RunRequest.Open:
    """Returns the request that opens environments, from the arguments of `VectorEnv`, with all settings and the number of seats.

    Raises:
        TypeError: a player is none of the kinds, or the seed is not an integer.
        ValueError: there is no such mode, rotation, or reward rule, a weight is not above 0, or the seed or the number of
            decisions is out of range.
    """
    max_decisions, seed = settings["max_decisions"], settings["seed"]
    if max_decisions is not None and not 1 <= max_decisions < 2**32:
        raise ValueError(f"expected max_decisions from 1 to {2**32 - 1}, or None, got {max_decisions!r}")
    return v1.RunRequest.Open(
        game=game,
        seat_count=settings["seats"],
        options=option_texts(settings["options"]),
        environment_count=num_envs,
        group_count=groups,
        autoreset_mode=f"AUTORESET_MODE_{one_of('autoreset', autoreset, Autoreset)}",
        players=player_messages(settings["players"]),
        seat_rotation=f"SEAT_ROTATION_{one_of('rotation', settings['rotation'], Rotation)}",
        reward_rule=f"REWARD_RULE_{one_of('rewards', settings['rewards'], Rewards)}",
        seed=None if seed is None else checked_seed(seed),
        max_decisions=max_decisions or 0,
    )


def one_of(name: str, value: str, choices: object) -> str:
    """Returns the value in the spelling of the service's enums.

    Raises:
        ValueError: the value is none of the choices.
    """
    if value not in get_args(choices):
        raise ValueError(f"{name} is one of {', '.join(map(repr, get_args(choices)))}, not {value!r}")
    return value.upper()


def player_messages(players: Sequence[EnvPlayer] | None) -> list[v1.EnvironmentPlayer]:
    """Returns the players as the engine gets them. Those of the client are external players.

    Raises:
        TypeError: a player is none of the kinds.
        ValueError: a weight is not above 0.
    """
    if isinstance(players, str):
        raise TypeError(f'players are one for each seat, such as [LEARNER, "{players}"], not "{players}"')
    return [_player(player) for player in players or ()]


def _player(player: EnvPlayer) -> v1.EnvironmentPlayer:
    if player is LEARNER or weighted_players(player) is not None:
        return v1.EnvironmentPlayer()
    weights: object = {player: 1} if isinstance(player, str) else player
    if not isinstance(weights, Mapping):
        raise TypeError(
            f"a player is LEARNER, the name of a bot, bots by weight, a function of a turn, an object with act, or "
            f"ahu.batched(function), not {player!r}"
        )
    bots = cast(Mapping[str, float], weights)
    if not bots:
        raise ValueError("a mixture of bots has at least one: LEARNER is for whom the client plays")
    return v1.EnvironmentPlayer(bots=[v1.WeightedBot(bot=bot, weight=weight) for bot, weight in _whole(bots).items()])


def _whole(weights: Mapping[str, float]) -> dict[str, int]:
    """Returns the weights as whole numbers: unchanged, if they are whole and not large, otherwise in millionths of their sum."""
    for bot, weight in weights.items():
        if not (is_positive(weight) and weight < math.inf):
            raise ValueError(f'the weight of "{bot}" is a number above 0, not {weight!r}')
    total = sum(weights.values())
    if total <= _WEIGHTS_SUM and all(weight == int(weight) for weight in weights.values()):
        return {bot: int(weight) for bot, weight in weights.items()}
    return {bot: max(1, round(_WEIGHTS_SUM * (weight / total))) for bot, weight in weights.items()}
