"""Environments for Stable-Baselines3: many learners, each against bots or players of the client.

    from sb3_contrib import MaskablePPO

    from ahu.training.sb3 import AhuVecEnv

    env = AhuVecEnv("rappanui", 64, players=[None, "greedy"], rotation="episode")
    MaskablePPO("MlpPolicy", env).learn(100_000)

`MaskablePPO` asks for masks at every step, and gets the masks of the last batch. This module needs
`pip install "ahu[trainers]"`.
"""

# pyright: standard

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from ahu.training._adapters import Copied, for_one_learner
from ahu.training._batch import Batch
from ahu.training._rendering import checked_render_mode
from ahu.training._settings import EnvSettings
from ahu.training._vector import VectorEnv

__all__ = ["AhuVecEnv"]


class AhuVecEnv(Copied, VecEnv):
    """Environments in which one learner plays against bots. After the end of an episode the next episode begins at once.

    Observations are in the format "flat", float32 [n, bit_count + number_count]. At the end of an episode its info has
    "terminal_observation", the learner's last observation, and "episode" as in SB3's `Monitor`: the return "r", the
    number of the learner's decisions "l", and the seconds "t" since the environments were made.

    Args:
        game: the game, by its name in the catalog.
        num_envs: the number of environments.
        render_mode: "ansi", "svg", or "rgb_array": the form in which `env_method("render")` returns the tables as the
            learners see them, as for `VectorEnv.render`; None: no `render`. With "rgb_array", SB3 can make films.
        settings: the settings of the environments, by name (see `ahu.training.EnvSettings`), with one `LEARNER` among the
            players, and without `obs_format` and `mask_dtype`.

    A pickle or a deep copy goes on where it stands.

    Raises:
        ValueError: the number of learners among the players is not one.
        TypeError: the settings name one that SB3 fixes: obs_format, mask_dtype.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        **settings: Unpack[EnvSettings],
    ) -> None:
        fixed = for_one_learner(game, settings, obs_format="flat", mask_dtype=np.bool_)
        self.env = VectorEnv(game, num_envs, autoreset="same_step", **fixed)
        self.render_mode = checked_render_mode(render_mode)
        self._began = time.monotonic()
        self._batch: Batch | None = None
        self._lengths = np.zeros(num_envs, np.int64)
        observations = spaces.Box(-1, 1, (self.env.layout.size,), np.float32)
        super().__init__(num_envs, observations, spaces.Discrete(self.env.action_count))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_batch": None}

    def _go_on(self, batch: Batch) -> None:
        self._batch = batch

    def reset(self) -> NDArray[np.float32]:
        """Begins an episode in each environment, with the seeds set by `seed`, if any: float32 [n, size]."""
        # Either all seeds are set or none.
        seeds = [seed for seed in self._seeds if seed is not None] or None
        self._batch = batch = self.env.reset(seeds=seeds)
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return batch.observation.array

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """Sends an action for each environment: integers [n].

        Raises:
            IllegalAction: an action is illegal, and `on_illegal` is "raise". No action is sent.
        """
        self.env.send(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Waits for the answer: observations, rewards (float32 [n]), dones (bool [n]), and infos."""
        self._batch = batch = self.env.recv()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._lengths += 1
        if batch.final_steps is not None:
            seconds = round(time.monotonic() - self._began, 6)
            final_observations, truncated = batch.final_steps.observation.array, batch.truncated
            ends = zip(batch.final_steps.env_ids, final_observations, batch.final_steps.returns, strict=True)
            for environment, observation, returns in ends:
                length = int(self._lengths[environment])
                infos[environment] = {
                    "terminal_observation": observation,
                    "episode": {"r": float(returns), "l": length, "t": seconds},
                    "TimeLimit.truncated": bool(truncated[environment]),
                }
        self._lengths[batch.ended] = 0
        return batch.observation.array, batch.reward, batch.ended, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions of the last batch: bool [n, action_count].

        Raises:
            LookupError: no episode has begun.
        """
        return self._last.masks

    def close(self) -> None:
        """Closes the environments. Does nothing if they are closed."""
        self.env.close()

    def has_attr(self, attr_name: str) -> bool:
        """Returns True if `get_attr` or `env_method` knows the name."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute of some environments; there is "render_mode"."""
        if attr_name != "render_mode":
            raise AttributeError(f"the environments have no attribute {attr_name}: they live in the engine")
        return [self.render_mode for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises an AttributeError: the environments live in the engine."""
        raise AttributeError(f"the attribute {attr_name} cannot be set: the environments live in the engine")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Returns the answers of a method for some environments: "action_masks" or "render"."""
        which = self._get_indices(indices)
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[environment] for environment in which]
        if method_name == "render" and self.render_mode is not None:
            return self._rendered(which)
        raise AttributeError(f"the environments have no method {method_name}: they live in the engine")

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Returns False for each environment, since none is wrapped."""
        return [False for _ in self._get_indices(indices)]

    @property
    def _last(self) -> Batch:
        if self._batch is None:
            raise LookupError("no episode has begun: reset first")
        return self._batch

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Returns the tables as the learners see them, in pixels: uint8 [1200, 800, 3] each.

        Raises:
            NotImplementedError: `render_mode` is not "rgb_array".
            LookupError: no episode has begun.
        """
        if self.render_mode != "rgb_array":
            raise NotImplementedError(f'expected render_mode="rgb_array", got {self.render_mode!r}')
        return self._rendered(range(self.num_envs))

    def _rendered(self, env_ids: Iterable[int]) -> list[Any]:
        seats, mode = self._last.seats, self.render_mode
        return [self.env.render(environment, int(seats[environment]), mode) for environment in env_ids]
