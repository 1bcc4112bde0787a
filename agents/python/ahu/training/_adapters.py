"""The players of adapters for other libraries."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ahu.training import _catalog as catalog
from ahu.training._batch import Batch
from ahu.training._open_request import LEARNER
from ahu.training._settings import EnvSettings, complete
from ahu.training._vector import VectorEnv


class Copied:
    """An adapter whose pickles and deep copies have its episodes, and go on in the middle of them as it does itself.

    Attributes:
        env: the environments.
    """

    env: VectorEnv

    def __getstate__(self) -> dict[str, Any]:
        """Returns the attributes, with the progress of the environments.

        Raises:
            ValueError: an episode is in progress, and `VectorEnv.save` cannot save it.
        """
        return {**vars(self), "_progress": self.env.save() if self.env.has_begun else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        progress = state.pop("_progress")
        vars(self).update(state)
        if progress is not None:
            self._go_on(self.env.restore(progress))

    def _go_on(self, batch: Batch) -> None:
        """Takes up the rows at which the environments stand."""


def agent(seat: int) -> str:
    """Returns the name of the agent of a seat in PettingZoo and RLlib."""
    return f"player_{seat}"


def one_action(action: np.int64 | int) -> list[Any]:
    """Returns an action as the actions of one environment. A list with an int of Python takes less time than an array."""
    return [action.item() if type(action) is np.int64 else action]


def for_one_learner(game: str, settings: EnvSettings, **fixed: Any) -> EnvSettings:
    """Returns the settings of environments in which one learner plays against others; without players, against "random" bots.

    Args:
        game: the game, by its name in the catalog.
        settings: the settings of the caller.
        fixed: the settings that the adapter fixes. Without them, observations are "flat", and masks int8.

    Raises:
        TypeError: `players` is the name of one player, or the settings name one that is unknown or fixed.
        ValueError: the number of learners is not one.
    """
    if both := settings.keys() & fixed.keys():
        raise TypeError(f"expected no setting {', '.join(sorted(both))}: the adapter fixes it")
    # `VectorEnv` has arguments that are no settings, such as `groups`.
    complete(settings)
    players = settings.get("players")
    if players is None:
        players = [LEARNER, *["random"] * (catalog.seats(game, settings.get("seats")) - 1)]
    if isinstance(players, str):
        raise TypeError(f'players are one for each seat, such as [LEARNER, "{players}"], not "{players}"')
    learners = sum(player is LEARNER for player in players)
    if learners != 1:
        raise ValueError(
            f"one of the players is LEARNER (None), not {learners}: the others are bots or players of the client"
        )
    formats = fixed or {"obs_format": settings.get("obs_format", "flat"), "mask_dtype": np.int8}
    return cast(EnvSettings, {**settings, **formats, "players": players})
