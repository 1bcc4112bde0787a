"""Games for OpenSpiel: `pyspiel.load_game("ahu(game=rappanui,players=2)")` works once this module is imported.

    import pyspiel

    import ahu.training.openspiel

    game = pyspiel.load_game("ahu(game=rappanui,players=2)")
    state = game.new_initial_state()

A state holds an `ahu.State`, so a clone costs one copy. Every chance event is a chance node. A shuffle has too many
outcomes to list, so the outcomes of a node are numbers from 0 to "seeds" - 1 with equal probability, each a seed that
draws the outcome. With "explicit_chance", the outcomes of small chance events are listed with their probabilities. If
several seats decide in secret, one decides after the other, and sees nothing of the others' choices.

The module needs what `pip install "ahu[trainers]"` brings.
"""

# pyright: standard

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyspiel

import ahu
from ahu.training import catalog

_PARAMETERS: dict[str, Any] = {
    "game": "rappanui",
    "players": 2,
    "options": "",
    "rewards": "rank",
    "seeds": 1024,
    "explicit_chance": False,
    "decisions": 0,
    "information": "text",
}

_BOUNDS: Mapping[str, float] = {"rank": 1.0, "margin": 1000.0, "points": 1000.0}
"""The reward rules, each with the maximum amount of a return. No game comes near 1,000 points."""

_MAX_LISTED = 4096
"""The maximum number of outcomes that `State.chance_outcomes` lists."""

_INFORMATION = ("text", "digest")
"""The forms of information states."""


def _game_type(rewards: str) -> pyspiel.GameType:
    utility = pyspiel.GameType.Utility.GENERAL_SUM if rewards == "points" else pyspiel.GameType.Utility.ZERO_SUM
    return pyspiel.GameType(
        short_name="ahu",
        long_name="A game of Ahu",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=6,
        min_num_players=2,
        provides_information_state_string=True,
        # The number of events is unbounded, so no tensor can hold everything that a player could remember.
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_PARAMETERS,
    )


class AhuGame(pyspiel.Game):
    """A game of the catalog. OpenSpiel plays all its seats.

    Args:
        params: "game": the name in the catalog. "players": the number of seats. "options": the options that differ from
            their defaults, such as "board:v1;max_turns:20". "rewards": the reward rule: "rank" (+1 to -1, zero-sum),
            "margin" (zero-sum), or "points". "seeds": the number of outcomes of each chance node, 1 or more.
            "explicit_chance": True to list the outcomes of chance events that have at most some thousands
            (`State.chance_outcomes`), with their probabilities; all other events have seeds. "decisions": the number of
            decisions of all seats together after which the game ends. The returns are then those to which "greedy"
            plays on for all seats, with the chance of the seed 0: few decisions bring no points yet. 0: the game ends by its rules.
            "information": the form of `information_state_string`: "text", or "digest", 64 hexadecimal
            digits for that text, for tables with many information states.

    Raises:
        ServiceError: there is no such game, seat count, option, or reward rule.
        ValueError: "options", "seeds", "decisions", or "information" has another form.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**_PARAMETERS, **(params or {})}
        if chosen["seeds"] < 1:
            raise ValueError(f"expected 1 seed or more, got {chosen['seeds']}")
        if chosen["decisions"] < 0:
            raise ValueError(f"expected a number of decisions, or 0 for all, got {chosen['decisions']}")
        if chosen["information"] not in _INFORMATION:
            raise ValueError(f"expected information of {', '.join(_INFORMATION)}, got {chosen['information']!r}")
        self._initial = ahu.new_game(
            chosen["game"], seats=chosen["players"], options=_options(chosen["options"]), chance="caller"
        )
        self._initial.returns(chosen["rewards"])
        if chosen["rewards"] not in _BOUNDS:
            raise ValueError(
                f"expected rewards of {', '.join(_BOUNDS)}, got {chosen['rewards']!r}: rewards come at the end"
            )
        known = catalog.find(chosen["game"])
        assert known is not None, "the game has begun"
        self.rewards: str = chosen["rewards"]
        self.seeds: int = chosen["seeds"]
        self.has_explicit_chance: bool = chosen["explicit_chance"]
        self.decisions: int = chosen["decisions"]
        self.has_digests: bool = chosen["information"] == "digest"
        self._max_plies = known.max_plies
        bound = _BOUNDS[self.rewards]
        info = pyspiel.GameInfo(
            num_distinct_actions=known.action_count,
            max_chance_outcomes=max(self.seeds, _MAX_LISTED) if self.has_explicit_chance else self.seeds,
            num_players=chosen["players"],
            min_utility=-bound,
            max_utility=bound,
            utility_sum=None if self.rewards == "points" else 0.0,
            max_game_length=self._max_plies,
        )
        super().__init__(_game_type(self.rewards), info, dict(params or {}))

    def max_chance_nodes_in_history(self) -> int:
        """Returns the maximum number of chance events of a game."""
        return self._max_plies

    def new_initial_state(self) -> AhuState:
        """Returns the state before the first chance event."""
        return AhuState(self, self._initial.clone(), _Log([()] * self.num_players()))

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> AhuObserver:
        """Returns the writer of observations, or of information states for `perfect_recall`.

        Raises:
            ValueError: the request has parameters, or asks for the information of all players, for nothing, or for what only
                the public or only a player remembers.
        """
        kinds = {
            (True, pyspiel.PrivateInfoType.SINGLE_PLAYER): "player",
            (True, pyspiel.PrivateInfoType.NONE): "public",
            (False, pyspiel.PrivateInfoType.SINGLE_PLAYER): "private",
        }
        kind, recalls = "player", False
        if iig_obs_type is not None:
            kind = kinds.get((iig_obs_type.public_info, iig_obs_type.private_info), "")
            recalls = iig_obs_type.perfect_recall
        if params or not kind or (recalls and kind != "player"):
            raise ValueError(
                "expected an observer without parameters, of public information, that of a single player, or both; with "
                "perfect recall, of both"
            )
        return AhuObserver(self, recalls, kind)


def _options(text: str) -> dict[str, str]:
    """Reads options such as "board:v1;max_turns:20"."""
    options: dict[str, str] = {}
    for part in filter(None, text.split(";")):
        key, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f'expected options such as "key:value;key:value", got {text!r}')
        options[key] = value
    return options


class _Log:
    """The plies up to a position. Positions share the log of their common plies; a copy of a log is the log itself."""

    def __init__(self, known: Sequence[Sequence[str]]) -> None:
        """Creates a log without plies, with the lines that each seat knows."""
        self._before: _Log | None = None
        self._known = known
        self._seat: int | None = None
        self._action = ""
        self._events: Sequence[ahu.StateEvent] = ()
        self._digests: dict[int, bytes] = {}

    def after(self, events: Sequence[ahu.StateEvent], seat: int | None = None, action: str = "") -> _Log:
        """Returns the log after one more ply: its events, and the action of a seat."""
        log = _Log([()] * len(self._known))
        log._before, log._events, log._seat, log._action = self, events, seat, action
        return log

    def __deepcopy__(self, memo: object) -> _Log:
        return self

    def __reduce__(self) -> tuple[type[_Log], tuple[list[tuple[str, ...]]]]:
        return _Log, ([self.lines(seat) for seat in range(len(self._known))],)

    def lines(self, seat: int) -> tuple[str, ...]:
        """Returns everything that a seat was told, and its own actions, in order."""
        lines: list[str] = []
        for log in reversed(list(self._back())):
            lines += log._own(seat)
        return tuple(lines)

    def digest(self, seat: int) -> bytes:
        """Returns a digest of these lines, which is made from the digest of the previous ply."""
        missing: list[_Log] = []
        for log in self._back():
            if seat in log._digests:
                break
            missing.append(log)
        for log in reversed(missing):
            digest = b"" if log._before is None else log._before._digests[seat]
            # Line by line, so that a resampled log has the same digests as the original log.
            for line in log._own(seat):
                digest = hashlib.sha256(digest + line.encode()).digest()
            log._digests[seat] = digest
        return self._digests[seat]

    def _back(self) -> Iterator[_Log]:
        log: _Log | None = self
        while log is not None:
            yield log
            log = log._before

    def _own(self, seat: int) -> Iterator[str]:
        yield from self._known[seat]
        if seat == self._seat:
            yield f"> {self._action}"
        yield from (text for event in self._events if (text := event.text(seat)) is not None)


class AhuState(pyspiel.State):
    """A position of a game.

    Attributes:
        position: the game, with all its secrets.
        decisions: the number of decisions so far, of all seats together.
    """

    def __init__(self, game: AhuGame, position: ahu.State, log: _Log, decisions: int = 0) -> None:
        super().__init__(game)
        self.position = position
        self.log = log
        self.decisions = decisions

    def current_player(self) -> int:
        """Returns the seat that decides (the first, if there are several), or chance, or the terminal player."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.position.chance_due else self.position.to_act[0]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the seeds with equal probabilities, or the numbers of the listed outcomes with their probabilities."""
        if (listed := self._listed()) is not None:
            return [(number, probability) for number, (_, probability) in enumerate(listed)]
        seeds = self._game_of_ahu.seeds
        return [(seed, 1 / seeds) for seed in range(seeds)]

    def is_terminal(self) -> bool:
        """Returns True if the game is over, or if its decisions are used up."""
        limit = self._game_of_ahu.decisions
        return self.position.is_over or (limit > 0 and self.decisions >= limit)

    def returns(self) -> list[float]:
        """Returns the value of the game by seat; zero before the end."""
        if not self.is_terminal():
            return [0.0] * self.num_players()
        # Returns are whole numbers divided by the number of opponents. OpenSpiel demands a sum closer to 0 than float32
        # can guarantee.
        others, rule = self.num_players() - 1, self._game_of_ahu.rewards
        if self.position.is_over:
            returns = np.float64(self.position.returns(rule))
        else:
            # A function of the state, since the seed is the same for all.
            returns = ahu.rollout([self.position], "greedy", rewards=rule, threads=1)[0, 0].astype(np.float64)
        return (np.rint(returns * others) / others).tolist()

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> AhuState:
        """Returns a state that the player could be in, from its view alone: the facts hidden from the player are random.

        The player's information state is the same. The information states of other players begin with what they see in
        the new state. The new state has no history, and cannot be serialised.
        """
        position = self.position.resample(player, int(rng() * 2**53))
        known: list[tuple[str, ...]] = [(position.text(seat),) for seat in range(position.seats)]
        known[player] = self.log.lines(player)
        return AhuState(self._game_of_ahu, position, _Log(known), self.decisions)

    def information_of(self, player: int) -> str:
        """Returns the information state of a player: see `AhuGame`."""
        if self._game_of_ahu.has_digests:
            return self.log.digest(player).hex() or "-"
        return "\n".join(self.log.lines(player))

    @property
    def _game_of_ahu(self) -> AhuGame:
        game = self.get_game()
        assert isinstance(game, AhuGame)
        return game

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_ids(player) if player == self.current_player() else []

    def _apply_action(self, action: int) -> None:
        events: list[ahu.StateEvent] = []
        if self.position.chance_due:
            if (listed := self._listed()) is None:
                self.position.settle(seed=action, events=events)
            else:
                self.position.settle(listed[action][0], events=events)
            self.log = self.log.after(events)
        else:
            seat = self.position.to_act[0]
            self.position.apply(action, seat, events)
            self.decisions += 1
            self.log = self.log.after(events, seat, self.position.action_text(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return self.position.action_text(action)
        listed = self._listed()
        return f"seed {action}" if listed is None else listed[action][0]

    def _listed(self) -> list[tuple[str, float]] | None:
        """Returns the outcomes of the chance event that is due; None if seeds draw them."""
        return self.position.chance_outcomes() if self._game_of_ahu.has_explicit_chance else None

    def __str__(self) -> str:
        return self.position.text()


class AhuObserver:
    """Writes what a player is shown now, or with perfect recall the events that it was told, and its own actions.

    Args:
        game: the game.
        perfect_recall: True for information states.
        kind: "player": everything that the player is shown; "public": what everybody is shown; "private": the lines of the
            player's text that the public text does not have.

    Attributes:
        tensor: float32 [bit_count + number_count] in the format "flat"; None with perfect recall, and for "private".
        dict: "observation": the same array; empty without it.
    """

    def __init__(self, game: AhuGame, perfect_recall: bool, kind: str) -> None:
        self._recalls = perfect_recall
        self._kind = kind
        size = len(game.new_initial_state().position.observation().array)
        self.tensor = None if perfect_recall or kind == "private" else np.zeros(size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: AhuState, player: int) -> None:
        """Writes what a player is shown in a state into `tensor`."""
        if self.tensor is not None:
            self.tensor[:] = state.position.observation(None if self._kind == "public" else player).array

    def string_from(self, state: AhuState, player: int) -> str:
        """Returns the table as text, as the player is shown it, or the player's information state."""
        if self._recalls:
            return state.information_of(player)
        if self._kind == "player":
            return state.position.text(player)
        public = state.position.text()
        if self._kind == "public":
            return public
        known = set(public.splitlines())
        return "\n".join(line for line in state.position.text(player).splitlines() if line not in known)


pyspiel.register_game(_game_type("rank"), AhuGame)
