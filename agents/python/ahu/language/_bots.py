"""The bots that play at a table in this process."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ahu import State

GREEDY = ("greedy", "greedy@2")
"""The names of the policy of the playouts of a search."""


def check(bot: str) -> None:
    """Raises ValueError if no bot of this name plays at a table."""
    if bot not in ("random", *GREEDY) and not re.fullmatch(r"search(@\d+)?:[1-9]\d{0,5}", bot):
        raise ValueError(f"expected a bot of random, greedy, greedy@2, and search:N, got {bot!r}")


def choose(state: State, seat: int, bot: str, decision: int) -> int:
    """Returns the id of the action that a bot chooses, from what its seat sees. It follows from the State, the seat, and the
    number of the decision."""
    from ahu import analyse

    legal = state.legal_ids(seat)
    if len(legal) == 1:
        return legal[0]
    # Not the seed of the State: whoever knew the generator of a bot would know its chance.
    draws = random.Random(f"bot {state.seed} {seat} {decision}")
    if bot == "random":
        return draws.choice(legal)
    if bot in GREEDY:
        return analyse(state, seat=seat, bot="search:1", threads=1).policy
    return analyse(state, seat=seat, bot=bot, seed=draws.getrandbits(64), threads=1).choice
