"""Environments for RLlib: every seat is an agent.

    from ray.rllib.algorithms.ppo import PPOConfig

    # RLlib's check samples actions without the mask.
    config = PPOConfig().environment(
        ahu.training.rllib.AhuMultiAgentEnv, env_config={"game": "rappanui"}, disable_env_checking=True
    )

Agents are "player_0" and so on, by seat. Observations have the keys that RLlib's `ActionMaskingTorchRLModule` reads:
"observations" and "action_mask". This module needs `pip install "ahu[trainers]"`.
"""

# pyright: standard

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.utils.typing import MultiAgentDict

from ahu._seeds import checked_seed
from ahu.training._adapters import agent as agent_of
from ahu.training._batch import Batch
from ahu.training._open_request import LEARNER
from ahu.training._vector import VectorEnv

__all__ = ["AhuMultiAgentEnv"]

_WORKER_SEEDS = 1 << 32
"""The distance between the seeds of one env runner and the seeds of the next."""


class AhuMultiAgentEnv(MultiAgentEnv):
    """One game. Every seat without a bot is an agent.

    A step has the observation only of the agent that decides next: "observations", float32 [bit_count + number_count] in
    the format "flat", and "action_mask", float32 [action_count] of 0 and 1. At the end all agents have their last
    observation, with a mask of zeros, and their returns. Episodes are truncated by `max_decisions` alone.

    If `on_illegal="terminate"` ends an episode, an agent's last observation is the last one that it was given, or zero if
    it was given none. If bots also change seats, by `rotation`, an agent that was given no observation is left out, since
    it is unknown whether it plays in this episode.

    Args:
        config: "game", and the settings of the environment (see `ahu.training.EnvSettings`). An `EnvContext` adds 2^32 times its
            worker_index, and its vector_index, to the seed, so that env runners play different games. RLlib's own runners
            leave vector_index at 0: several environments in one runner play the same games, unless there is no seed.

    Raises:
        TypeError: the config has no game, an unknown setting, or one that RLlib fixes: obs_format, mask_dtype.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        settings = {**config, "seed": _seed(config)}
        self.env = VectorEnv(
            num_envs=1, groups=1, autoreset="disabled", obs_format="flat", mask_dtype=np.bool_, **settings
        )
        # With rotation, the client plays every seat in some episode.
        players = config.get("players") or [LEARNER] * self.env.seats
        rotates = config.get("rotation") == "episode"
        self.possible_agents = [agent_of(seat) for seat, player in enumerate(players) if rotates or player is LEARNER]
        self._bots_rotate = rotates and any(player is not LEARNER for player in players)
        # The last observation that each agent of the episode was given.
        self._last_observations: MultiAgentDict = {}
        self.agents = list(self.possible_agents)
        space = spaces.Dict(
            {
                "observations": spaces.Box(-1, 1, (self.env.layout.size,), np.float32),
                "action_mask": spaces.Box(0, 1, (self.env.action_count,), np.float32),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = dict.fromkeys(self.possible_agents, spaces.Discrete(self.env.action_count))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MultiAgentDict, MultiAgentDict]:
        """Begins an episode: always the same with a seed, otherwise the next episode. There are no options."""
        # Before RLlib, which has another error.
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed, options=options)
        batch = self.env.reset(seed)
        unseen = np.zeros(self.env.layout.size, np.float32)
        self._last_observations = {} if self._bots_rotate else dict.fromkeys(self.possible_agents, unseen)
        return self._next_observation(batch), {}

    def step(
        self, action_dict: MultiAgentDict
    ) -> tuple[MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict]:
        """Takes the action of the agent that decides.

        Raises:
            KeyError: this agent has no action.
            IllegalAction: the action is illegal, and `on_illegal` is "raise".
        """
        agent = agent_of(self._seat)
        batch = self.env.step(np.asarray([action_dict[agent]]))
        if not batch.ended[0]:
            observation = self._next_observation(batch)
            rewards: MultiAgentDict = {agent: 0.0, agent_of(self._seat): float(batch.rewards[0, self._seat])}
            return observation, rewards, {"__all__": False}, {"__all__": False}, {}
        if batch.final_steps is not None:
            for seat, last_seen in zip(batch.final_steps.seats, batch.final_steps.observation.array, strict=True):
                self._last_observations[agent_of(int(seat))] = last_seen
        nothing = np.zeros(self.env.action_count, np.float32)
        last: MultiAgentDict = {
            agent: {"observations": observation, "action_mask": nothing}
            for agent, observation in self._last_observations.items()
        }
        by_seat: MultiAgentDict = {agent_of(seat): reward for seat, reward in enumerate(batch.rewards[0].tolist())}
        returns: MultiAgentDict = {agent: by_seat[agent] for agent in last}
        was_cut = bool(batch.truncated[0])
        terminated: MultiAgentDict = dict.fromkeys([*last, "__all__"], not was_cut)
        truncated: MultiAgentDict = dict.fromkeys([*last, "__all__"], was_cut)
        return last, returns, terminated, truncated, {}

    # RLlib types `render` as if an environment drew nothing.
    def render(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Returns the public view of the table."""
        return self.env.render()

    def close(self) -> None:
        """Closes the environment. Does nothing if it is closed."""
        self.env.close()

    def _next_observation(self, batch: Batch) -> MultiAgentDict:
        self._seat = int(batch.seats[0])
        observation = batch.observation.array[0]
        self._last_observations[agent_of(self._seat)] = observation
        mask = batch.masks[0].astype(np.float32)
        return {agent_of(self._seat): {"observations": observation, "action_mask": mask}}


def _seed(config: Mapping[str, Any]) -> int | None:
    """Returns the seed of an environment, which differs in each env runner; None: the engine chooses."""
    seed: int | None = config.get("seed")
    if seed is None or not isinstance(config, EnvContext):
        return seed
    return (checked_seed(seed) + (config.worker_index or 0) * _WORKER_SEEDS + config.vector_index) % 2**64
