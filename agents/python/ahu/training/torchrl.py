"""Environments for TorchRL: many learners, each against bots or players of the client.

    from torchrl.envs import check_env_specs

    from ahu.training.torchrl import AhuTorchEnv

    env = AhuTorchEnv("rappanui", 64, players=[None, "greedy"], rotation="episode")
    check_env_specs(env)
    print(env.rollout(100, break_when_any_done=False))

A policy reads the mask from "action_mask", for example as `MaskedCategorical` does. TorchRL draws random actions from the
action spec, which carries the mask of the last step. A transform or a `SerialEnv` has a copy of the spec, which keeps the
mask from the time of the copy. To make random actions legal there too, use `ActionMask` as the first transform, outside
of a `SerialEnv`.

    from torchrl.collectors import Collector
    from torchrl.envs import ActionMask, Compose, RewardSum, TransformedEnv

    env = TransformedEnv(env, Compose(ActionMask(), RewardSum()))
    collector = Collector(env, env.rand_action, frames_per_batch=6_400)

A collector without a policy copies the spec, hence `rand_action`. This module needs `pip install "ahu[trainers]"`.
"""

# pyright: standard

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict import TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from ahu._seeds import checked_seed
from ahu.training.adapters import for_one_learner
from ahu.training.batch import Batch
from ahu.training.settings import EnvSettings
from ahu.training.vector import VectorEnv


class AhuTorchEnv(EnvBase):
    """Environments in which one learner plays against bots, with the batch size [n].

    A step has "observation", float32 [n, bit_count + number_count] in the format "flat", and "action_mask", bool [n,
    action_count]. The mask is all true at the end of an episode, since TorchRL's specs do not support a mask that allows
    no action. A step takes "action", int64 [n]. "reward" is float32 [n, 1], "done", "terminated", and "truncated" are bool [n, 1]. An
    environment that is done has to be reset, as `rollout` and collectors do, or left out: an environment whose "_step",
    bool [n], is false keeps its last step, with a reward of 0.

    Args:
        game: the game, by its name in the catalog.
        num_envs: the number of environments.
        settings: the settings of the environments, by name (see `ahu.training.EnvSettings`), with one `LEARNER` among the
            players, and without `obs_format` and `mask_dtype`.

    Raises:
        ValueError: the number of learners among the players is not one.
        TypeError: the settings name one that TorchRL fixes: obs_format, mask_dtype.
    """

    # TorchRL has a property here and classes that set it.
    batch_locked = True  # pyright: ignore[reportIncompatibleMethodOverride, reportAssignmentType]

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        **settings: Unpack[EnvSettings],
    ) -> None:
        super().__init__(device="cpu", batch_size=torch.Size([num_envs]))
        fixed = for_one_learner(game, settings, obs_format="flat", mask_dtype=np.bool_)
        self.env = VectorEnv(game, num_envs, autoreset="disabled", **fixed)
        self._seed: int | None = None
        size, actions = self.env.layout.size, self.env.action_count
        self.observation_spec = Composite(
            observation=Bounded(-1, 1, torch.Size((num_envs, size)), dtype=torch.float32),
            action_mask=Binary(actions, torch.Size((num_envs, actions)), dtype=torch.bool),
            shape=torch.Size((num_envs,)),
        )
        self.action_spec = Categorical(actions, torch.Size((num_envs,)))
        self.reward_spec = Unbounded(torch.Size((num_envs, 1)), dtype=torch.float32)
        self.full_done_spec = Composite(
            done=Categorical(2, torch.Size((num_envs, 1)), dtype=torch.bool),
            terminated=Categorical(2, torch.Size((num_envs, 1)), dtype=torch.bool),
            truncated=Categorical(2, torch.Size((num_envs, 1)), dtype=torch.bool),
            shape=torch.Size((num_envs,)),
        )
        self._shown = self.observation_spec.zero().update(self.full_done_spec.zero())

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Closes the environments."""
        super().close(raise_if_closed=raise_if_closed)
        self.env.close()

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        chosen = self._chosen(tensordict, "_reset")
        if len(chosen) == 0:
            return self._shown.clone()
        seed, self._seed = self._seed, None
        return self._show(self.env.reset(seed, env_ids=chosen))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        # TorchRL does not call this if no environment is chosen.
        chosen = self._chosen(tensordict, "_step")
        batch = self.env.step(tensordict["action"].numpy()[chosen], env_ids=chosen)
        reward = torch.zeros(*self.batch_size, 1)
        reward[chosen, 0] = torch.from_numpy(batch.reward)
        return self._show(batch).set("reward", reward)

    def _set_seed(self, seed: int | None) -> None:
        self._seed = None if seed is None else checked_seed(seed)

    def _chosen(self, tensordict: TensorDictBase | None, entry: str) -> NDArray[np.int64]:
        """Returns the environments that an entry of flags chooses, in rising order: int64 [m]; all without the entry."""
        # A TensorDict does not define `in`.
        if tensordict is None or entry not in tensordict.keys():  # noqa: SIM118
            return np.arange(self.env.num_envs)
        return np.flatnonzero(tensordict[entry].numpy())

    def _show(self, batch: Batch) -> TensorDictBase:
        """Returns the observations of all environments, after an update from the batch."""
        rows = torch.tensor(batch.env_ids.astype(int))
        masks = torch.tensor(batch.masks)
        masks[~masks.any(1)] = True
        shown = self._shown.clone()
        shown["observation"][rows] = torch.tensor(batch.observation.array)
        shown["action_mask"][rows] = masks
        ended, truncated = batch.ended, batch.truncated
        for name, values in (("done", ended), ("terminated", ended & ~truncated), ("truncated", truncated)):
            shown[name][rows, 0] = torch.tensor(values)
        # It is the `Categorical` that `__init__` has set; its property says less.
        self.action_spec.update_mask(shown["action_mask"])  # pyright: ignore[reportAttributeAccessIssue]
        self._shown = shown
        return shown.clone()
