"""The settings of environments, which `VectorEnv` and all adapters take as keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import DTypeLike

from ahu._options import Options
from ahu.training._observation import ObsFormat
from ahu.training._open_request import EnvPlayer, Rewards, Rotation

TIMEOUT = 60.0
"""The time that an answer of a server may take, in seconds."""

OnIllegal = Literal["raise", "random_legal", "terminate"]
"""The consequence of an illegal action: see `EnvSettings`.

With "terminate", the seat that takes an illegal action loses. The rules have no such end, so the client makes it: the episode
is over, and the row shows this as the autoreset mode demands. The seat has the lowest reward, -1, and the last place. All
others share the places before it, so that the rewards sum to zero. `final_steps` has a row only for that seat, with the
observation on which it decided. `episodes` has no entry, since the episode was not played to its end.
"""


class EnvSettings(TypedDict, total=False):
    """The settings of environments.

    Attributes:
        seats: the number of seats of a game; None: the fewest seats that the game supports.
        players: the players, one for each seat: `LEARNER` (None: the client), the name of a bot, a mixture of bots by
            weight, a function of a turn, an object with `act`, `ahu.batched(function)`, or several of the last three by
            name (see `EnvPlayer`). None: the client plays all seats; in adapters with one learner, the learner
            plays against "random" bots.
        options: the options of the game that differ from their defaults, by key.
        rotation: "fixed" (default): player j has seat j; "episode": with each episode all players move one seat to the
            left.
        rewards: the value of a finished game. "rank" (default): +1 for the first to -1 for the last, evenly spaced;
            "margin": points above the mean of the others' points; "points": points. All others are paid at the end;
            "margin_gain" pays "margin" during the game (see `Batch.rewards`).
        max_decisions: the number of decisions, with the decisions of bots, after which an episode is truncated (see
            `Batch.truncated`), 1 or more; None: episodes run to their end.
        seed: the seed of environment 0; environment i has this seed plus i. None: a random seed.
        obs_format: the format of observations (see `Observation`). By default "split"; in adapters "flat".
        mask_dtype: the type of masks, bool or int8.
        on_illegal: the consequence of an illegal action. "raise" (default): an IllegalAction, and no action is taken.
            "random_legal": a random legal action instead, which the environment's seed determines; `replaced` counts the
            replacements. "terminate": the episode ends (see `OnIllegal`).
        threads: the number of cores that the environments of this process may take, 1 or more; None: all. It has no
            effect on a server.
        address: the address of a server; None: the environments run in this process.
        timeout: the time that an answer of a server may take, in seconds; by default 60.
    """

    seats: int | None
    players: Sequence[EnvPlayer] | None
    options: Options
    rotation: Rotation
    rewards: Rewards
    max_decisions: int | None
    seed: int | None
    obs_format: ObsFormat
    mask_dtype: DTypeLike
    on_illegal: OnIllegal
    threads: int | None
    address: str | None
    timeout: float


DEFAULTS: Mapping[str, Any] = {
    "seats": None,
    "players": None,
    "options": {},
    "rotation": "fixed",
    "rewards": "rank",
    "max_decisions": None,
    "seed": None,
    "obs_format": "split",
    "mask_dtype": np.bool_,
    "on_illegal": "raise",
    "threads": None,
    "address": None,
    "timeout": TIMEOUT,
}
"""The default of each setting."""


def complete(settings: EnvSettings) -> dict[str, Any]:
    """Returns the settings with the defaults of all others.

    Raises:
        TypeError: there is no setting of a name.
    """
    unknown = settings.keys() - DEFAULTS.keys()
    if unknown:
        # Python's words: TorchRL's `GymEnv` leaves out arguments that an error names in them.
        name = f"got an unexpected keyword argument '{min(unknown)}'"
        raise TypeError(f"{name}; expected settings of these names: {', '.join(DEFAULTS)}")
    return {**DEFAULTS, **settings}
