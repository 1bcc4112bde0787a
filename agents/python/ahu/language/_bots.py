"""The bots that play at a table in this process."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ahu import State


def check(bot: str) -> None:
    """Raises ValueError if no bot of this name plays at a table."""
    if bot not in ("random", "greedy", "greedy@2") and not re.fullmatch(r"search(@\d+)?:[1-9]\d{0,5}", bot):
        raise ValueError(f"expected a bot of random, greedy, greedy@2, and search:N, got {bot!r}")


def choose(state: State, seat: int, bot: str, decision: int) -> int:
    """Returns the id of the action that a bot chooses, from what its seat sees. It follows from the State, the seat, and the
    number of the decision."""
    from ahu import _native

    # Not the seed of the State: whoever knew the generator of a bot would know its chance.
    draws = random.Random(f"bot {state.seed} {seat} {decision}")
    return _native.choose(state, seat, bot, draws.getrandbits(64))
