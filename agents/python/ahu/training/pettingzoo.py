"""Environments for PettingZoo: several agents at one table.

In `aec_env` the agents take turns. `parallel_env` asks all agents at once, and takes the action of the agent whose turn
it is. Agents are called "player_<seat>". Observations are {"observation", "action_mask"}, the mask int8 [action_count] of
0 and 1.

A seat gets a new observation when it owes a decision, and at the end. In between it has its last observation, which is
all zero before the first, and its mask is zero. `action_space(agent).sample()` gives a legal action, or 0 for an agent that owes
no decision.
"""

# pyright: standard

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias, Unpack

import numpy as np
import pettingzoo
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from ahu.training import _rendering as rendering, _spaces as ahu_spaces
from ahu.training._adapters import Copied, agent as agent_of, one_action
from ahu.training._batch import Batch
from ahu.training._open_request import LEARNER
from ahu.training._settings import EnvSettings, complete
from ahu.training._vector import VectorEnv
from ahu.training._versions import require

require("pettingzoo", pettingzoo.__version__, (1, 25))

__all__ = ["AhuAECEnv", "AhuParallelEnv", "aec_env", "parallel_env"]

_Agent: TypeAlias = str
_Observation: TypeAlias = dict[str, Any]
_RENDER_MODES = (*rendering.RENDER_MODES, "human")


def aec_env(game: str, *, render_mode: str | None = None, **settings: Unpack[EnvSettings]) -> AhuAECEnv:
    """Returns an environment in which agents take turns. Takes the arguments of `AhuAECEnv`."""
    return AhuAECEnv(game, render_mode=render_mode, **settings)


def parallel_env(game: str, *, render_mode: str | None = None, **settings: Unpack[EnvSettings]) -> AhuParallelEnv:
    """Returns an environment in which all agents act at once. Takes the arguments of `AhuAECEnv`."""
    return AhuParallelEnv(game, render_mode=render_mode, **settings)


class _ActionSpace(spaces.Discrete):
    """The ids of the actions. Without a mask it samples by the last mask of its agent: PettingZoo's `parallel_seed_test` and many
    scripts sample so."""

    def __init__(self, count: int, table: _Table, agent: _Agent) -> None:
        super().__init__(count)
        self._table = table
        self._agent = agent

    def sample(self, mask: NDArray[np.int8] | None = None, probability: Any = None) -> np.int64:
        """Returns a random action, as `Discrete.sample` does."""
        if probability is not None:
            return super().sample(mask, probability)
        return super().sample(self._table._mask_of(self._agent) if mask is None else mask)


class _Table(Copied):
    """A table of either kind, with the last observation of each of its agents."""

    def __init__(
        self,
        game: str,
        *,
        render_mode: str | None = None,
        **settings: Unpack[EnvSettings],
    ) -> None:
        rendering.checked_render_mode(render_mode, _RENDER_MODES)
        if settings.get("rotation", "fixed") != "fixed":
            raise ValueError('expected rotation="fixed": an agent keeps its seat')
        formats = EnvSettings(obs_format=settings.get("obs_format", "flat"), mask_dtype=np.int8)
        self.env = VectorEnv(game, autoreset="disabled", **complete({**settings, **formats}))
        self.metadata = {
            "name": f"ahu_{game}_v0",
            "render_modes": list(_RENDER_MODES),
            "render_fps": 4,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        players = settings.get("players")
        learners = [LEARNER] * self.env.seats if players is None else players
        self._seats = {agent_of(seat): seat for seat, player in enumerate(learners) if player is LEARNER}
        self._agents_by_seat = {seat: agent for agent, seat in self._seats.items()}
        self.possible_agents = list(self._seats)
        self.agents: list[_Agent] = []
        self._actor = ""
        self._observations: dict[_Agent, _Observation] = {}

    def observation_space(self, agent: _Agent) -> spaces.Dict:
        """Returns the space of {"observation", "action_mask"}."""
        return self._spaces[agent][0]

    def action_space(self, agent: _Agent) -> _ActionSpace:
        """Returns the space of the ids of the actions."""
        return self._spaces[agent][1]

    @cached_property
    def state_space(self) -> spaces.Space[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The space of `state`."""
        return ahu_spaces.masked(self.env.central_layout, self.env.obs_format, self.env.action_count)["observation"]

    def state(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Returns everything that any seat knows, for critics (see `VectorEnv.central`).

        Raises:
            LookupError: no episode has begun.
        """
        if not self._observations:
            raise LookupError("no episode has begun: reset first")
        return ahu_spaces.row(ahu_spaces.values(self.env.central()), 0)

    @cached_property
    def _spaces(self) -> dict[_Agent, tuple[spaces.Dict, _ActionSpace]]:
        # Each agent has its own space, since spaces are seeded separately.
        count = self.env.action_count
        return {
            agent: (ahu_spaces.masked(self.env.layout, self.env.obs_format, count), _ActionSpace(count, self, agent))
            for agent in self.possible_agents
        }

    def render(self) -> rendering.Rendered | None:
        """Returns the public view of the table in the form of `render_mode`, or prints it."""
        if self.render_mode is None:
            return None
        if self.render_mode != "human":
            return self.env.render(0, None, self.render_mode)
        print(self.env.render())
        return None

    def _repr_svg_(self) -> str | None:
        """Returns the public view of the table, for notebooks; None before the first episode."""
        return self.env.render(mode="svg") if self._observations else None

    def close(self) -> None:
        """Closes the environment. Does nothing if it is closed."""
        self.env.close()

    def _mask_of(self, agent: _Agent) -> NDArray[np.int8] | None:
        """Returns the mask of the agent's last observation; None before the first episode."""
        last = self._observations.get(agent)
        return None if last is None else last["action_mask"]

    def _no_mask(self) -> NDArray[np.int8]:
        """Returns the mask of an agent that has nothing to decide."""
        return np.zeros(self.env.action_count, np.int8)

    def _check_under_way(self) -> None:
        if not self.agents:
            raise LookupError("no episode is under way: reset first")

    def _begin(self, batch: Batch) -> None:
        """Takes up an episode at its first decision, or at that of a save."""
        self.agents = self.possible_agents.copy()
        self._observations = {agent: ahu_spaces.zeros(self.observation_space(agent)) for agent in self.agents}
        self._update(batch)

    def _act(self, action: int) -> tuple[dict[_Agent, float], bool, bool]:
        """Takes the action of the agent that decides. Returns the agents' rewards, True if the episode has ended by its rules,
        and True if it was truncated."""
        batch = self.env.step(one_action(action))
        self._update(batch)
        rewards = batch.rewards[0].tolist()
        ended = batch.ended.item(0)
        truncated = ended and batch.truncated.item(0)
        ended = ended and not truncated
        return {agent: rewards[seat] for agent, seat in self._seats.items()}, ended, truncated

    def _update(self, batch: Batch) -> None:
        # The agent that acted has nothing to decide until it is asked again.
        if (last := self._observations.get(self._actor)) is not None:
            self._observations[self._actor] = {**last, "action_mask": self._no_mask()}
        self._actor = self._agents_by_seat[batch.seats.item(0)]
        if batch.final_steps is None:
            observation = ahu_spaces.row(ahu_spaces.values(batch.observation), 0)
            self._observations[self._actor] = {"observation": observation, "action_mask": batch.masks[0]}
        else:
            last = ahu_spaces.values(batch.final_steps.observation)
            for place, seat in enumerate(batch.final_steps.seats):
                own = {"observation": ahu_spaces.row(last, place), "action_mask": self._no_mask()}
                self._observations[self._agents_by_seat[seat]] = own
        if self.render_mode == "human":
            self.render()


# An action is an int, and the space of actions, `Discrete`, has those of numpy.
class AhuAECEnv(_Table, AECEnv[_Agent, _Observation, int]):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A table whose agents take turns.

    Args:
        game: the game, by its name in the catalog.
        render_mode: "ansi", "svg", or "rgb_array": the form in which `render` shows the public view of the table, as for
            `VectorEnv.render`; "human": print the table with every step; None: no `render`.
        settings: the settings of the environment, by name (see `ahu.training.EnvSettings`). Without `players`, agents play
            all seats. `rotation` is "fixed".
    """

    agent_selection: _Agent = ""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins an episode: with a seed always the same, else the next after the one before. There are no options."""
        self._start(self.env.reset(seed))

    def save(self) -> bytes:
        """Returns the progress of the episode, as `VectorEnv.save` does, with the rewards since each agent's last decision.

        Raises:
            LookupError: no episode is in progress.
        """
        self._check_under_way()
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            raise LookupError("the episode has ended: reset first")
        rewards = [self._cumulative_rewards[agent] for agent in self.possible_agents]
        return np.array(rewards, "<f8").tobytes() + self.env.save()

    def restore(self, data: bytes) -> None:
        """Goes on where `save` was called, as `VectorEnv.restore` does. An agent that has nothing to decide has an observation of
        zeros until it is asked."""
        size = 8 * len(self.possible_agents)
        self._start(self.env.restore(data[size:]))
        rewards = np.frombuffer(data[:size], "<f8").tolist()
        self._cumulative_rewards = dict(zip(self.agents, rewards, strict=True))

    def _start(self, batch: Batch) -> None:
        self._begin(batch)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[_Agent, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._actor
        self._skip_agent_selection = None

    def step(self, action: int | None) -> None:
        """Takes an action for the agent whose turn it is; None once the episode has ended.

        Raises:
            IllegalAction: the action is illegal, and `on_illegal` is "raise".
            LookupError: no episode is in progress.
            TypeError: the action is None, and the episode goes on.
        """
        self._check_under_way()
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            # PettingZoo's type leaves out the None that the method expects.
            self._was_dead_step(action)  # pyright: ignore[reportArgumentType]
            return
        if action is None:
            raise TypeError(f"{self.agent_selection} owes a decision, and None is no action")
        self.rewards, ended, truncated = self._act(action)
        if ended or truncated:
            self.terminations = dict.fromkeys(self.agents, ended)
            self.truncations = dict.fromkeys(self.agents, truncated)
        self.agent_selection = self._actor
        self._accumulate_rewards()

    def observe(self, agent: _Agent) -> _Observation:
        """Returns the last observation of the agent.

        Raises:
            LookupError: no episode has begun.
        """
        if not self._observations:
            raise LookupError("no episode has begun: reset first")
        return self._observations[agent]


class AhuParallelEnv(_Table, ParallelEnv[_Agent, _Observation, int]):  # pyright: ignore[reportIncompatibleMethodOverride]
    """A table whose agents are all asked at once. Takes the arguments of `AhuAECEnv`."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[_Agent, _Observation], dict[_Agent, dict[str, Any]]]:
        """Begins an episode: with a seed always the same, else the next after the one before. There are no options."""
        return self._start(self.env.reset(seed))

    def save(self) -> bytes:
        """Returns the progress of the episode, as `VectorEnv.save` does.

        Raises:
            LookupError: no episode is in progress.
        """
        self._check_under_way()
        return self.env.save()

    def restore(self, data: bytes) -> tuple[dict[_Agent, _Observation], dict[_Agent, dict[str, Any]]]:
        """Goes on where `save` was called, as `VectorEnv.restore` does. Returns what a reset returns; an agent that has nothing to
        decide has an observation of zeros until it is asked."""
        return self._start(self.env.restore(data))

    def _start(self, batch: Batch) -> tuple[dict[_Agent, _Observation], dict[_Agent, dict[str, Any]]]:
        self._begin(batch)
        return dict(self._observations), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[_Agent, int]
    ) -> tuple[
        dict[_Agent, _Observation],
        dict[_Agent, float],
        dict[_Agent, bool],
        dict[_Agent, bool],
        dict[_Agent, dict[str, Any]],
    ]:
        """Takes the action of the agent that owes a decision, whose mask is not zero. Ignores the actions of all other agents,
        which may be left out.

        Raises:
            IllegalAction: the action is illegal, and `on_illegal` is "raise".
            LookupError: this agent has no action, or no episode is in progress.
        """
        self._check_under_way()
        if self._actor not in actions:
            raise LookupError(f"{self._actor} owes a decision, and has no action: {actions}")
        agents = self.agents
        rewards, ended, truncated = self._act(actions[self._actor])
        self.agents = [] if ended or truncated else agents
        infos: dict[_Agent, dict[str, Any]] = {agent: {} for agent in agents}
        return dict(self._observations), rewards, dict.fromkeys(agents, ended), dict.fromkeys(agents, truncated), infos
