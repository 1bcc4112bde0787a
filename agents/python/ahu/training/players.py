"""Players of the client in environments: past selves, a league, a hand-written agent, or any function.

A player is a function of a turn, an object with `act(turn)`, or `ahu.batched(function)`, whose function gets a `Batch` and
returns an action for each row. `VectorEnv` asks each for all environments that wait for it at once, and returns only rows
for `LEARNER`. So `final_steps`, and with "next_step" and "disabled" the row of an episode that has ended, show learners.

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

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ahu._batched import Batched
from ahu.agent import Agent, Policy, name_of
from ahu.training.batch import Batch, checked_choices
from ahu.training.engine import Answer, Call
from ahu.training.observation import ObsFormat
from ahu.training.row_turns import Looks, RowAgents
from ahu.training.rows import FinalRows, Rows
from ahu.v1.environment_service_pb2 import RunResponse

ClientPlayer: TypeAlias = Policy | Agent | Batched
"""A player of the client: a function of a turn, an object with `act`, or a function of a batch (`ahu.batched`)."""

WeightedPlayers: TypeAlias = Mapping[str, tuple[ClientPlayer, float]]
"""Players of the client by name, each with its weight."""

Ask: TypeAlias = Callable[[NDArray[np.uint32], NDArray[np.int64] | None], tuple[Rows, Answer]]
"""A function that takes actions in environments, or begins their next episodes (None), and returns their rows."""

_u64 = np.uint64


def weighted_players(player: object) -> WeightedPlayers | None:
    """Returns the players of the client among which one is drawn as this player; None for a learner or bots.

    Raises:
        ValueError: a weight is not a number above 0.
    """
    if is_client_player(player):
        return {_name(player): (cast(ClientPlayer, player), 1.0)}
    if not isinstance(player, Mapping):
        return None
    named = cast(Mapping[str, Any], player)
    are_players = [is_client_player(given[0] if _is_pair(given) else given) for given in named.values()]
    if not any(are_players):
        return None
    if not all(are_players):
        raise TypeError(f"a player has bots by weight or players by name, not both: {player!r}")
    players = {name: given if _is_pair(given) else (given, 1.0) for name, given in named.items()}
    for name, (_, weight) in players.items():
        if not (is_positive(weight) and weight < math.inf):
            raise ValueError(f'the weight of "{name}" is a number above 0, not {weight!r}')
    return players


def is_positive(value: object) -> bool:
    """Returns True for a real number above 0."""
    return isinstance(value, Real) and float(value) > 0


def is_client_player(player: object) -> bool:
    """Returns True for a player of the client."""
    return callable(player) or hasattr(player, "act")


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(cast(tuple[object, ...], value)) == 2


def _name(player: Any) -> str:
    if hasattr(player, "act"):
        return name_of(player)
    return str(getattr(player, "__name__", type(player).__name__))


@dataclass(frozen=True, kw_only=True)
class BatchPlayer:
    """A player of the client as a function of a batch.

    Attributes:
        name: the name of the player.
        function: the function.
        obs_format: the format of observations that the function wants.
        mask_dtype: the type of masks that the function wants.
    """

    name: str
    function: Callable[[Batch], ArrayLike]
    obs_format: ObsFormat
    mask_dtype: np.dtype[Any]

    def choose(self, batch: Batch) -> NDArray[np.int64]:
        """Returns the action that the player chooses for each row of a batch.

        Raises:
            ValueError, TypeError: the player does not return an action for each row.
        """
        chosen = self.function(batch.as_format(self.obs_format, self.mask_dtype))
        return checked_choices(chosen, len(batch), f'player "{self.name}"')


def batch_player(player: Any, looks: Looks) -> BatchPlayer:
    """Returns a player of the client as a function of a batch.

    Raises:
        TypeError: the player is none of the client.
    """
    if isinstance(player, Batched):
        return BatchPlayer(
            name=player.name, function=player, obs_format=player.obs_format, mask_dtype=np.dtype(player.mask_dtype)
        )
    if not is_client_player(player):
        raise TypeError(
            f"expected a function of a turn, an object with a method act, or ahu.batched(function) as a player; got {player!r}"
        )
    agents = RowAgents(player, looks)
    return BatchPlayer(name=_name(player), function=agents, obs_format="split", mask_dtype=np.dtype(np.bool_))


class ClientPlayers:
    """The players of the client in some environments.

    Args:
        players: for each player, those among which it is drawn; None for a learner or bots.
        learners: for each player, True if it is a learner.
        seats: the number of seats.
        seeds: the seed of each environment: uint64 [n].
        is_begun: True for each environment whose present episode began before, without players of the client: bool [n].
        autoreset_at_once: True if the next episode begins in the step that ends one.
        looks: what seats are shown besides arrays.
    """

    def __init__(
        self,
        players: Sequence[WeightedPlayers | None],
        learners: Sequence[bool],
        seats: int,
        seeds: NDArray[np.uint64],
        is_begun: NDArray[np.bool_],
        autoreset_at_once: bool,
        looks: Looks,
    ) -> None:
        count = len(seeds)
        self._is_learner = np.array(learners)
        self._looks = looks
        self._functions: list[BatchPlayer] = []
        # True for each environment and player that has had no decision in the episode.
        self._is_unasked = np.ones((count, 0), np.bool_)
        self._autoreset_at_once = autoreset_at_once
        self._seeds = seeds
        self._episodes = np.zeros(count, np.uint64)
        # The place of the function that plays for each player in this episode; -1 for a learner or a bot.
        self._drawn = np.full((count, len(players)), -1, np.intp)
        # True for each environment in whose episode a learner has had a decision.
        self._is_shown = is_begun.copy()
        # True for each environment whose episode has ended and whose next episode has not begun.
        self._is_over = ~is_begun
        # True for each environment whose episode has begun in this call.
        self._is_new = np.zeros(count, np.bool_)
        # The rewards of an episode before its first decision of a learner. They are paid with the next step, since a row
        # that begins an episode has no rewards of this episode.
        self._carried = np.zeros((count, seats), np.float32)
        self.set_players(players)

    def set_players(self, players: Sequence[WeightedPlayers | None]) -> None:
        """Changes the players, from the next episode of each environment on."""
        # Players of episodes that are in progress keep their turns.
        playing = np.unique(self._drawn[~self._is_over])
        playing = playing[playing >= 0]
        places = np.full(len(self._functions) + 1, -1, np.intp)
        places[playing] = np.arange(len(playing))
        # The last place is that of -1.
        self._drawn = places[self._drawn]
        self._functions = [self._functions[place] for place in playing]
        self._players: list[tuple[int, WeightedPlayers] | None] = []
        for own in players:
            self._players.append(None if own is None else (len(self._functions), own))
            if own is not None:
                batch_players = ((name, batch_player(player, self._looks)) for name, (player, _) in own.items())
                self._functions += [replace(player, name=name) for name, player in batch_players]
        is_unasked = np.ones((len(self._is_over), len(self._functions)), np.bool_)
        is_unasked[:, : len(playing)] = self._is_unasked[:, playing]
        self._is_unasked = is_unasked

    def play_on(self, call: Call, rows: Rows, answer: Answer, ask: Ask) -> Answer:
        """Plays on with the players of the client in the environments of a call, until each waits for a learner or shows an end.
        Changes the rows, and returns the whole answer.

        Raises:
            ValueError, TypeError: a player does not return an action for each row.
        """
        numbers, final_rows = call.numbers.astype(np.uint32), list[FinalRows]()
        if call.actions is None:
            if call.seeds is not None:
                self._seeds[numbers], self._episodes[numbers] = call.seeds, 0
            self._is_over[numbers] = True
            self._carried[numbers] = 0
        rows.rewards += self._carried[numbers]
        self._carried[numbers], self._is_new[numbers] = 0, False
        self._note(numbers, rows, answer, np.zeros(len(rows), np.bool_), final_rows)
        nanoseconds, seeds = answer.nanoseconds, answer.seeds
        while True:
            # Nobody is shown this end: the next episode begins.
            skipped = np.flatnonzero(self._is_over[numbers] & ~rows.ended)
            due = np.flatnonzero(rows.masks.any(axis=1) & ~self._is_learner[rows.players])
            if len(skipped) and not self._autoreset_at_once and not rows.masks[skipped].any():
                places = skipped
                part, more = ask(numbers[places], None)
                if seeds is not None and more.seeds is not None:
                    seeds[places] = more.seeds
            elif len(due):
                places = due
                part, more = ask(numbers[places], self._actions(numbers, rows, places))
            else:
                break
            nanoseconds += more.nanoseconds
            had_ended = rows.ended[places]
            earlier = rows.rewards[places]
            self._carried[numbers[places[had_ended]]] += part.rewards[had_ended]
            part.rewards[~had_ended] += earlier[~had_ended]
            part.rewards[had_ended] = earlier[had_ended]
            self._note(numbers[places], part, more, had_ended, final_rows)
            rows.put(places, part)
        begun = np.flatnonzero(self._is_new[numbers] & ~rows.ended)
        self._carried[numbers[begun]] += rows.rewards[begun]
        rows.rewards[begun] = 0
        joined = FinalRows.joined(final_rows) if final_rows else None
        if joined is not None:
            joined = joined.take(np.argsort(joined.column("env_ids"), kind="stable"))
            episodes = RunResponse.Batch.FromString(joined.episodes).episodes
            in_order = sorted(episodes, key=lambda episode: episode.environment)
            joined.episodes = RunResponse.Batch(episodes=in_order).SerializeToString()
            if not self._autoreset_at_once:
                self._show_learners(numbers, rows, joined)
        return Answer(nanoseconds, seeds, joined)

    def starts(self, place: Any) -> NDArray[np.bool_]:
        """Returns True for each of some environments whose row begins an episode: bool [n]."""
        return self._is_new[place] & ~self._is_over[place]

    def _note(
        self,
        numbers: NDArray[np.uint32],
        rows: Rows,
        answer: Answer,
        had_ended: NDArray[np.bool_],
        final_rows: list[FinalRows],
    ) -> None:
        """Notes the beginnings, the ends, and the decisions of learners in the rows. Removes ends of episodes without a decision
        of a learner. Rows whose end was shown earlier in the same step (`had_ended`) go on showing it."""
        ended = rows.ended.copy()
        shown = ended & self._is_shown[numbers]
        if answer.final_rows is not None:
            self._keep(answer.final_rows, numbers[shown], final_rows)
        unseen = ended & ~shown
        rows.rewards[unseen & ~had_ended] = 0
        self._carried[numbers[unseen]] = 0
        rows.ended[...] = shown | had_ended
        self._is_over[numbers[ended]] = True
        self._is_shown[numbers[ended]] = False
        waits = rows.masks.any(axis=1)
        self._begin(numbers[waits & self._is_over[numbers]])
        self._is_shown[numbers] |= waits & self._is_learner[rows.players]

    def _begin(self, numbers: NDArray[np.uint32]) -> None:
        """Notes that an episode has begun in environments, and draws their players."""
        self._is_over[numbers], self._is_new[numbers], self._is_unasked[numbers] = False, True, True
        for player, entry in enumerate(self._players):
            if entry is None:
                self._drawn[numbers, player] = -1
                continue
            first, own = entry
            weights: NDArray[np.float64] = np.cumsum([weight for _, weight in own.values()])
            place = self._episodes[numbers] * _u64(len(self._players)) + _u64(player + 1)
            pick: NDArray[np.float64] = (
                _mixed(self._seeds[numbers] + place * _u64(0x9E3779B97F4A7C15)) >> _u64(11)
            ) / 2.0**53
            drawn = np.searchsorted(weights, pick * float(weights[-1]), side="right")
            self._drawn[numbers, player] = first + np.minimum(drawn, len(own) - 1)
        self._episodes[numbers] += _u64(1)

    def _actions(self, numbers: NDArray[np.uint32], rows: Rows, places: NDArray[np.intp]) -> NDArray[np.int64]:
        """Returns the actions of the players for the rows at some places."""
        actions = np.zeros(len(places), np.int64)
        drawn = self._drawn[numbers[places], rows.players[places]]
        for function in map(int, np.unique(drawn)):
            own = np.flatnonzero(drawn == function)
            environments = numbers[places[own]]
            batch = Batch(rows.take(places[own]), starts=self._is_unasked[environments, function])
            actions[own] = self._functions[function].choose(batch)
            self._is_unasked[environments, function] = False
        return actions

    def _keep(self, final: FinalRows, shown: NDArray[np.uint32], final_rows: list[FinalRows]) -> None:
        """Keeps the final rows of learners in the environments `shown`, and their episodes, with the names of players."""
        env_ids, players = final.column("env_ids"), final.column("players")
        kept = final.take(np.flatnonzero(np.isin(env_ids, shown) & self._is_learner[players]))
        batch = RunResponse.Batch.FromString(final.episodes)
        episodes = [episode for episode in batch.episodes if episode.environment in shown]
        seats = final.column("seats")
        by_seat = {
            (int(environment), int(seat)): int(player)
            for environment, seat, player in zip(env_ids, seats, players, strict=True)
        }
        for episode in episodes:
            for seat in range(len(episode.bots)):
                player = by_seat.get((episode.environment, seat))
                if player is not None and not self._is_learner[player]:
                    episode.bots[seat] = self._functions[int(self._drawn[episode.environment, player])].name
        kept.episodes = RunResponse.Batch(episodes=episodes).SerializeToString()
        if len(kept) or episodes:
            final_rows.append(kept)

    def _show_learners(self, numbers: NDArray[np.uint32], rows: Rows, final: FinalRows) -> None:
        """Makes rows that show an end show it to the first learner."""
        env_ids, first = np.unique(final.column("env_ids"), return_index=True)
        places = np.searchsorted(numbers, env_ids)
        for name in ("seats", "players", "bits", "numbers"):
            getattr(rows, name)[places] = final.column(name)[first]


def _mixed(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns the output of SplitMix64 of states."""
    states = (states ^ states >> _u64(30)) * _u64(0xBF58476D1CE4E5B9)
    states = (states ^ states >> _u64(27)) * _u64(0x94D049BB133111EB)
    return states ^ states >> _u64(31)
