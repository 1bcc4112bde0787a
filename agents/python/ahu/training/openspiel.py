"""Games as OpenSpiel knows them: `pyspiel.load_game("ahu(game=rappanui,players=2)")` once this module is imported.

    import pyspiel

    import ahu.training.openspiel

    game = pyspiel.load_game("ahu(game=rappanui,players=2)")
    state = game.new_initial_state()

All chance of a game follows from its seed, so chance moves first and once: it draws the seed, and the rest is
decisions. A history says everything; a state is its seed and the actions since, and the engine plays them when it is
asked for a position that it does not have at hand.

A clone has the seed of its original, and thereby its future chance outcomes and all hidden cards: fit for playing,
training and evaluating, not for a search that is to know no more than a player. It needs what
`pip install "ahu[trainers]"` brings.
"""

# pyright: standard

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

import ahu
from ahu.training import catalog
from ahu.training.batch import Batch
from ahu.training.vector import VectorEnv

_TABLES = 16
"""The number of positions that are kept at hand."""

_PARAMETERS: dict[str, Any] = {"game": "rappanui", "players": 2, "seeds": 1024, "address": ""}

_GAME_TYPE = pyspiel.GameType(
    short_name="ahu",
    long_name="A game of the Ahu service",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=6,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_PARAMETERS,
)


@dataclass(frozen=True)
class _Position:
    """The known facts of a position.

    Attributes:
        env_id: the environment that it is in.
        seat: who decides; at the end anybody.
        legal: what that seat may do, rising.
        returns: what the game was worth, by seat; None before the end.
        observations: what each seat knew when it last decided, or knows at the end: float32 [seats, size].
    """

    env_id: int
    seat: int
    legal: list[int]
    returns: list[float] | None
    observations: NDArray[np.float32]


class _Tables:
    """Positions at hand, each in an environment of its own. All states of a game share them."""

    def __init__(self, env: VectorEnv, seeds: int) -> None:
        self.env = env
        self.seeds = seeds
        self._free = list(range(env.num_envs))
        # By seed and actions, the one that was asked for last at the end.
        self._positions: OrderedDict[tuple[int, ...], _Position] = OrderedDict()

    def at(self, history: tuple[int, ...]) -> _Position:
        """Returns the position after a seed and actions. It goes on from the nearest one before it, which then is gone.

        Raises:
            AhuError: the engine refuses, or an action is not legal. The environment is free for others.
        """
        length = len(history)
        while length > 0 and history[:length] not in self._positions:
            length -= 1
        if length == 0:
            position = self._begin(history[0])
            length = 1
        else:
            position = self._positions.pop(history[:length])
        try:
            for action in history[length:]:
                batch = self.env.step([action], [position.env_id])
                position = self._read(batch, position.observations)
        except ahu.AhuError:
            self._free.append(position.env_id)
            raise
        self._positions[history] = position
        return position

    def _begin(self, seed: int) -> _Position:
        if not self._free:
            _, oldest = self._positions.popitem(last=False)
            self._free.append(oldest.env_id)
        batch = self.env.reset(seeds=[seed], env_ids=[self._free[-1]])
        # No longer free once the episode has begun: where that is refused, the environment is not lost.
        self._free.pop()
        return self._read(batch, np.zeros((self.env.seat_count, self.env.layout.size), np.float32))

    def _read(self, batch: Batch, before: NDArray[np.float32]) -> _Position:
        observations, returns = before.copy(), None
        observations[batch.seats[0]] = batch.observation.array[0]
        if batch.final_steps is not None:
            observations[batch.final_steps.seats] = batch.final_steps.observation.array
            returns = batch.rewards[0].tolist()
        legal = np.flatnonzero(batch.masks[0]).tolist()
        return _Position(int(batch.env_ids[0]), int(batch.seats[0]), legal, returns, observations)


class AhuGame(pyspiel.Game):
    """A game of the catalog, all seats of which OpenSpiel plays. Utilities are by place, from +1 to -1.

    Args:
        params: "game": its name in the catalog; "players": how many seats; "seeds": how many seeds chance draws from,
            from 0 on; "address": the address of a server, empty: the game runs in this process.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**_PARAMETERS, **(params or {})}
        address = chosen["address"] or None
        env = VectorEnv(
            chosen["game"],
            _TABLES,
            seat_count=chosen["players"],
            autoreset="disabled",
            obs_format="flat",
            copy=True,
            address=address,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=env.action_count,
            max_chance_outcomes=chosen["seeds"],
            num_players=chosen["players"],
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=_max_plies(chosen["game"], address),
        )
        super().__init__(_GAME_TYPE, info, dict(params or {}))
        self.tables = _Tables(env, chosen["seeds"])

    def new_initial_state(self) -> AhuState:
        """Returns the state before chance has drawn the seed."""
        return AhuState(self)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> AhuObserver:
        """Returns the writer of observations. There is one kind of them, without perfect recall.

        Raises:
            ValueError: another kind is asked for.
        """
        if params or (iig_obs_type is not None and iig_obs_type.perfect_recall):
            raise ValueError("there are observations of one kind: without parameters, without perfect recall")
        return AhuObserver(self.tables.env)


def _max_plies(game: str, address: str | None) -> int:
    """Returns the greatest number of plies that a game may have."""
    if address is None:
        known = catalog.find(game)
        assert known is not None, "the environments are open"
        return known.max_plies
    with ahu.Client(address) as client:
        return client.get_game(game).max_plies


class AhuState(pyspiel.State):
    """A position: the seed, and the actions since."""

    def __init__(self, game: AhuGame) -> None:
        super().__init__(game)
        # And no more: whatever it has is copied with a clone, and written out with a pickle.
        self._past: tuple[int, ...] = ()

    def current_player(self) -> int:
        """Returns the seat that decides, or chance, or the terminal player after the end of the game."""
        if not self._past:
            return pyspiel.PlayerId.CHANCE
        position = self.position()
        return pyspiel.PlayerId.TERMINAL if position.returns is not None else position.seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the seeds that there are, each as likely."""
        return [(seed, 1 / self._tables.seeds) for seed in range(self._tables.seeds)]

    def is_terminal(self) -> bool:
        """Returns True if the game is over."""
        return bool(self._past) and self.position().returns is not None

    def returns(self) -> list[float]:
        """Returns the value of the game by seat; zero before the end."""
        result = self.position().returns if self._past else None
        return result or [0.0] * self.num_players()

    def position(self) -> _Position:
        """Returns the position, once chance has drawn the seed."""
        return self._tables.at(self._past)

    @property
    def _tables(self) -> _Tables:
        return self.get_game().tables

    def _legal_actions(self, player: int) -> list[int]:
        position = self.position()
        return position.legal if player == position.seat else []

    def _apply_action(self, action: int) -> None:
        self._past = (*self._past, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"seed {action}" if player == pyspiel.PlayerId.CHANCE else f"action {action}"

    def __str__(self) -> str:
        return " ".join(map(str, self._past))


class AhuObserver:
    """Writes observations: what a seat knew when it last decided, or knows at the end; zero before its first decision.

    Attributes:
        tensor: float32 [bit_count + number_count] in the format "flat".
        dict: "observation": the same.
    """

    def __init__(self, env: VectorEnv) -> None:
        self._env = env
        self.tensor = np.zeros(env.layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: AhuState, player: int) -> None:
        """Writes what a player of a state sees into `tensor`."""
        self.tensor[:] = 0 if state.is_chance_node() else state.position().observations[player]

    def string_from(self, state: AhuState, player: int) -> str:
        """Returns the table as a player of a state sees it now."""
        if state.is_chance_node():
            return ""
        return self._env.render(state.position().env_id, player)


pyspiel.register_game(_GAME_TYPE, AhuGame)
