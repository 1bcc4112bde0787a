"""Environments for Gymnasium: one learner against bots or players of the client.

Importing this module registers every game of the package as "ahu/<game>-v<version>".
`gymnasium.make("ahu.training.gymnasium:ahu/rappanui-v0")` imports it by itself. A version rises with the rules and the layout
of its game.

Observations are {"observation", "action_mask"}. The mask, int8 [action_count] of 0 and 1, is also in
`info["action_mask"]`; it is all zero at the end of an episode. `info["seat"]` is the learner's seat. At the end of an
episode that was played to its end, `info["scores"]` has the points and `info["ranks"]` the ranks, by seat, int64
[seats] both.
"""

# pyright: standard

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

try:
    from gymnasium.vector import AutoresetMode
except ImportError:
    from ahu.training._versions import require

    require("gymnasium", gymnasium.__version__, (1, 1))
    raise

from ahu._seeds import checked_seed
from ahu.training import _spaces as ahu_spaces
from ahu.training._adapters import Copied, for_one_learner, one_action
from ahu.training._batch import Batch, FinalSteps
from ahu.training._open_request import Autoreset
from ahu.training._rendering import RENDER_MODES, Rendered, checked_render_mode
from ahu.training._settings import EnvSettings
from ahu.training._vector import VectorEnv
from ahu.training._versions import ENV_VERSIONS

__all__ = ["AhuGymnasiumEnv", "AhuGymnasiumVectorEnv"]

_Info: TypeAlias = dict[str, Any]
_Observations: TypeAlias = dict[str, Any]

_AUTORESET: dict[AutoresetMode, Autoreset] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


# Spaces are made on first use. So attributes of Gymnasium are properties here, which pyright has to ignore.
class AhuGymnasiumEnv(Copied, gymnasium.Env[_Observations, np.int64]):
    """One environment: a learner against bots. It is opened on first use. A pickle or a deep copy goes on where it stands.

    Args:
        game: the game, by its name in the catalog.
        render_mode: "ansi", "svg", or "rgb_array": the form in which `render` shows the table as the learner sees it, as
            for `VectorEnv.render`; None: no `render`.
        settings: the settings of the environment, by name (see `ahu.training.EnvSettings`), with one `LEARNER` among the
            players.
    """

    # Gymnasium declares it without ClassVar.
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        *,
        render_mode: str | None = None,
        **settings: Unpack[EnvSettings],
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        self.env = VectorEnv(game, autoreset="disabled", **for_one_learner(game, settings))
        self._seat: int | None = None

    @cached_property
    def observation_space(self) -> spaces.Dict:  # pyright: ignore[reportIncompatibleVariableOverride]
        """{"observation", "action_mask"}."""
        return ahu_spaces.masked(self.env.layout, self.env.obs_format, self.env.action_count)

    @cached_property
    def action_space(self) -> spaces.Discrete:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The ids of the actions."""
        return spaces.Discrete(self.env.action_count)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Observations, _Info]:
        """Begins an episode: always the same with a seed, otherwise the next episode. There are no options."""
        # Before Gymnasium, which has another error.
        seed = None if seed is None else checked_seed(seed)
        super().reset(seed=seed)
        return self._update(self.env.reset(seed))

    def step(self, action: np.int64 | int) -> tuple[_Observations, float, bool, bool, _Info]:
        """Takes an action. An episode is truncated by `max_decisions` alone.

        Raises:
            IllegalAction: the action is illegal, and `on_illegal` is "raise".
            ServiceError: no episode is in progress.
        """
        batch = self.env.step(one_action(action))
        assert self._seat is not None, "the engine refuses a step before the first reset"
        # The learner keeps its seat until the end. `batch.reward` would take longer.
        reward = batch.rewards.item(0, self._seat)
        observation, info = self._update(batch)
        ended = batch.ended.item(0)
        truncated = ended and batch.truncated.item(0)
        return observation, reward, ended and not truncated, truncated, info

    def save(self) -> bytes:
        """Returns the progress of the environment, as `VectorEnv.save` does."""
        return self.env.save()

    def restore(self, data: bytes) -> tuple[_Observations, _Info]:
        """Goes on where `save` was called, as `VectorEnv.restore` does. Returns what a reset returns."""
        return self._update(self.env.restore(data))

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions: bool [action_count].

        Raises:
            LookupError: no episode has begun.
        """
        return self.env.action_masks()[0]

    def render(self) -> Rendered | None:
        """Returns the table as the learner sees it, in the form of `render_mode`.

        Raises:
            LookupError: no episode has begun.
        """
        if self.render_mode is None:
            return None
        if self._seat is None:
            raise LookupError("no episode has begun: reset first")
        return self.env.render(0, self._seat, self.render_mode)

    def _repr_svg_(self) -> str | None:
        """Returns the table as the learner sees it, for notebooks; None before the first episode."""
        return None if self._seat is None else self.env.render(0, self._seat, "svg")

    def close(self) -> None:
        """Closes the environment. Does nothing if it is closed."""
        self.env.close()

    def _update(self, batch: Batch) -> tuple[_Observations, _Info]:
        self._seat = seat = batch.seats.item(0)
        mask, observation = batch.masks[0], ahu_spaces.row(ahu_spaces.values(batch.observation), 0)
        info = {"action_mask": mask.copy(), "seat": seat}
        if batch.ended.item(0) and batch.episodes:
            info |= {name: values[0] for name, values in _results(batch).items()}
        return {"observation": observation, "action_mask": mask}, info


class AhuGymnasiumVectorEnv(Copied, gymnasium.vector.VectorEnv[_Observations, NDArray[np.int64], NDArray[Any]]):
    """Many environments, each a learner against bots, stepped by one request. They are opened on first use.

    It behaves like a `SyncVectorEnv` of as many `AhuGymnasiumEnv`s, in all three autoreset modes. A pickle or a deep copy goes on
    where it stands.

    Args:
        game: the game, by its name in the catalog.
        num_envs: the number of environments.
        autoreset_mode: the reset of an environment whose episode has ended.
        render_mode: "ansi", "svg", or "rgb_array": the form in which `render` shows the tables as the learners see them,
            as for `VectorEnv.render`; None: no `render`.
        settings: the settings of the environments, by name (see `ahu.training.EnvSettings`), with one `LEARNER` among the
            players.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **settings: Unpack[EnvSettings],
    ) -> None:
        self.render_mode = checked_render_mode(render_mode)
        self.num_envs = num_envs
        self.metadata = {**AhuGymnasiumEnv.metadata, "autoreset_mode": AutoresetMode(autoreset_mode)}
        mode = _AUTORESET[AutoresetMode(autoreset_mode)]
        self.env = VectorEnv(game, num_envs, autoreset=mode, **for_one_learner(game, settings))
        self._observations: _Observations = {}
        self._seats = np.zeros(num_envs, np.int64)

    @cached_property
    def single_observation_space(self) -> spaces.Dict:  # pyright: ignore[reportIncompatibleVariableOverride]
        """{"observation", "action_mask"}, of one environment."""
        return ahu_spaces.masked(self.env.layout, self.env.obs_format, self.env.action_count)

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """{"observation", "action_mask"}, each with an axis of environments before the others."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def single_action_space(self) -> spaces.Discrete:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The ids of the actions."""
        return spaces.Discrete(self.env.action_count)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """An action for each environment."""
        return batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Observations, _Info]:
        """Begins episodes.

        Args:
            seed: environment i gets this seed plus i, or the i-th of several seeds. With None, it goes on to its next
                episode.
            options: "reset_mask", bool [num_envs], chooses the environments to reset; without it, all are reset.

        Raises:
            TypeError: a seed is not an integer.
            ValueError: a seed is out of range, or there are several seeds, but not one for each environment.
        """
        mask = (options or {}).get("reset_mask")
        env_ids = np.arange(self.num_envs) if mask is None else _chosen(mask, self.num_envs)
        seeds = _seeds(seed, self.num_envs)
        super().reset(seed=seeds[0])
        self.closed = False
        given = [seeds[environment] for environment in map(int, env_ids)]
        is_new = np.array([seed is not None for seed in given])
        if not is_new.all():
            self._update(self.env.reset(env_ids=env_ids[~is_new]))
        if is_new.any():
            self._update(self.env.reset(seeds=[seed for seed in given if seed is not None], env_ids=env_ids[is_new]))
        return self._shown(env_ids)

    def step(
        self, actions: ArrayLike
    ) -> tuple[_Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], _Info]:
        """Takes an action in each environment. Episodes are truncated by `max_decisions` alone.

        Raises:
            IllegalAction: an action is illegal, and `on_illegal` is "raise". No action is taken.
            ServiceError: an environment has no episode in progress.
        """
        batch = self.env.step(actions)
        rewards = batch.reward.astype(np.float64)
        truncations = batch.truncated.copy()
        return self._update(batch), rewards, batch.ended & ~truncations, truncations, self._infos(batch)

    def save(self) -> bytes:
        """Returns the progress of the environments, as `VectorEnv.save` does."""
        return self.env.save()

    def restore(self, data: bytes) -> tuple[_Observations, _Info]:
        """Goes on where `save` was called, as `VectorEnv.restore` does. Returns what a reset returns."""
        self._update(self.env.restore(data))
        return self._shown(np.arange(self.num_envs))

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions: bool [num_envs, action_count].

        Raises:
            LookupError: no episode has begun.
        """
        return self.env.action_masks()

    def render(self) -> tuple[Rendered, ...] | None:
        """Returns the tables as the learners see them, in the form of `render_mode`."""
        if self.render_mode is None:
            return None
        mode = self.render_mode
        return tuple(self.env.render(environment, int(seat), mode) for environment, seat in enumerate(self._seats))

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the environments."""
        # Gymnasium 1.1 and 1.2 also close a vector whose arguments were refused.
        if "env" in vars(self):
            self.env.close()

    def _shown(self, env_ids: NDArray[np.integer[Any]]) -> tuple[_Observations, _Info]:
        """Returns the observations of all environments, and the infos of some."""
        masks = self._observations["action_mask"][env_ids]
        return self._observations, self._info(env_ids, action_mask=masks, seat=self._seats[env_ids])

    def _update(self, batch: Batch) -> _Observations:
        """Returns the observations of all environments: new ones from the batch, and the last ones of all others."""
        self._seats[batch.env_ids] = batch.seats
        observations = {"observation": ahu_spaces.values(batch.observation), "action_mask": batch.masks}
        if len(batch) < self.num_envs:
            last = self._observations or ahu_spaces.zeros(self.single_observation_space, self.num_envs)
            observations = ahu_spaces.updated(last, batch.env_ids, observations)
        self._observations = observations
        return observations

    def _infos(self, batch: Batch) -> _Info:
        infos = self._info(batch.env_ids, action_mask=batch.masks, seat=batch.seats.astype(np.int64))
        results = self._info(_ended(batch), **_results(batch))
        if batch.final_steps is None or self.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            return infos | results
        masks = np.zeros((len(batch.final_steps), self.env.action_count), np.int8)
        final = self._info(batch.final_steps.env_ids, action_mask=masks, seat=batch.final_steps.seats.astype(np.int64))
        return infos | {
            "final_obs": self._final_observations(batch.final_steps, masks),
            "_final_obs": batch.ended.copy(),
            "final_info": final | results,
            "_final_info": batch.ended.copy(),
        }

    def _info(self, env_ids: NDArray[np.integer[Any]], **values: NDArray[Any]) -> _Info:
        """Returns the infos of some environments, by name, and under "_" and the name which environments have them."""
        info: _Info = {}
        for name, own in values.items():
            info[name] = np.zeros((self.num_envs, *own.shape[1:]), own.dtype)
            info[name][env_ids] = own
            info[f"_{name}"] = np.zeros(self.num_envs, np.bool_)
            info[f"_{name}"][env_ids] = True
        return info

    def _final_observations(self, final_steps: FinalSteps, masks: NDArray[np.int8]) -> NDArray[np.object_]:
        values = {"observation": ahu_spaces.values(final_steps.observation), "action_mask": masks}
        final = np.full(self.num_envs, None, np.object_)
        for place, environment in enumerate(final_steps.env_ids):
            final[environment] = ahu_spaces.row(values, place)
        return final


def _ended(batch: Batch) -> NDArray[np.intp]:
    """Returns the environments whose episodes were played to their end: intp [m]."""
    return np.array([episode.environment for episode in batch.episodes], np.intp)


def _results(batch: Batch) -> dict[str, NDArray[np.int64]]:
    """Returns the results of these episodes, by seat: int64 [m, seats]; empty without episodes."""
    if not batch.episodes:
        return {}
    return {
        "scores": np.array([list(episode.scores) for episode in batch.episodes], np.int64),
        "ranks": np.array([list(episode.ranks) for episode in batch.episodes], np.int64),
    }


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> Sequence[int | None]:
    """Returns the seeds of `count` environments."""
    if seed is None:
        return [None] * count
    if isinstance(seed, (int, np.integer)):
        return [(checked_seed(seed) + environment) % 2**64 for environment in range(count)]
    if len(seed) != count:
        raise ValueError(f"expected {count} seeds, one for each environment, got {len(seed)}")
    return [None if own is None else checked_seed(own) for own in seed]


def _chosen(mask: object, count: int) -> NDArray[np.intp]:
    """Returns the environments that a mask chooses.

    Raises:
        TypeError: the mask is not an array of bool.
        ValueError: the mask has another shape, or chooses no environment.
    """
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f'options["reset_mask"] is an array of bool, not {mask!r}')
    if mask.shape != (count,) or not mask.any():
        raise ValueError(f'options["reset_mask"] has shape ({count},) and chooses at least one environment')
    return np.flatnonzero(mask)


def _register() -> None:
    """Registers the games of the package with Gymnasium."""
    for game, env in ENV_VERSIONS.items():
        gymnasium.register(
            f"ahu/{game}-v{env.version}",
            entry_point="ahu.training.gymnasium:AhuGymnasiumEnv",
            vector_entry_point="ahu.training.gymnasium:AhuGymnasiumVectorEnv",
            kwargs={"game": game},
        )


_register()
