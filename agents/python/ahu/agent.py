"""Agents, and how they play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, cast

from ahu import _match
from ahu._calls import MAX_WAIT
from ahu._tracebacks import without_ours
from ahu.actions import Choice
from ahu.client import Client, Seat
from ahu.placement import AgentKey, Placement, agent_key, assigned_seat
from ahu.play_result import PlayResult
from ahu.turn import Turn


class Agent(Protocol):
    """A program that plays a seat.

    Besides `act` it may have:

    * `formats`: an `ObservationFormats` with what the agent wants to be shown; by default the typed observation and the
      legal actions. With `events_after=0` the agent is told all events from the first on.
    * `seed(number)`: called once before `start`, with the host's seed for the agent's own random choices in this match,
      an int from 0 to 2**63 - 1. `ahu duel` gives a seed, so that a duel can be repeated.
    * `start(match)`: called once, when the match has begun. An agent that plays many matches resets itself here.
    * `end(result)`: called once with the `PlayResult`, after the end of the match or the forfeit of the seat.
    """

    def act(self, turn: Turn, /) -> Choice:
        """Returns the action: an id, a text, an item of `turn.legal`, or a typed message of the game."""
        ...


Policy: TypeAlias = Callable[[Turn], Choice]
"""A function that gets a turn and returns an action. A turn has only what the seat may know."""


@without_ours
def play(agent: Agent | Policy, seat: Seat | None = None) -> PlayResult:
    """Plays a seat until its match ends or the seat has forfeited, and returns the reason and the result.

    The client connects again after a lost connection, and sends a step again if its answer was lost. After a forfeit,
    `play` does not wait for the end of the match: `Client.get_match` does.

    Args:
        agent: a function that gets a turn and returns an action, or an object with a method `act` (see `Agent`).
        seat: the seat; None: the seat that AHU_ADDRESS, AHU_MATCH, AHU_SEAT, and AHU_TOKEN name.

    Raises:
        IllegalAction: the agent chose an action that is illegal or that the game does not have, and the seat did not
            forfeit by it; the message lists legal actions.
        ConnectionLost: the server could not be reached for as long as the client tries.
        AhuError: the service refused something else.
        LookupError: no seat was given, and the environment names none.
        TypeError: the agent is neither a function nor an object with `act`, or its choice is not an action in any form.
        Exception: whatever the agent raised.
    """
    if seat is None:
        placement = Placement.from_environment()
        with Client(placement.address) as client:
            return play(agent, placement.seat_of(client))
    return _match.run(_match.plan(as_agent(agent), seat))


@without_ours
def play_many(agent: Agent | Policy, key: AgentKey | None = None) -> int:
    """Plays one seat after another, each as `play` does, until the host has no more. Returns the number of matches.

    `ahu duel` then needs only one process for many matches, which is many times as fast. If the host has only one
    match, as `ahu play` and `ahu check-agent` do, this function plays only that match. The agent is the same object in
    all matches: reset it in `start(match)`.

    Args:
        agent: as for `play`.
        key: the key with which the agent asks for seats; None: the key in the variables AHU_ADDRESS and AHU_KEY.

    Raises the same errors as `play`.
    """
    key = agent_key() if key is None else key
    if key is None:
        play(agent)
        return 1
    matches = 0
    with Client(key.address) as client:
        while True:
            answer = client.await_seat(key.key, wait=MAX_WAIT)
            if answer.closed:
                return matches
            if answer.HasField("assigned"):
                play(agent, assigned_seat(client, answer.assigned))
                matches += 1


def as_agent(player: Any) -> Any:
    """Returns a player as an agent.

    Raises:
        TypeError: the player is neither a function nor an agent.
    """
    if hasattr(player, "act"):
        return player
    if callable(player):
        return _PolicyAgent(cast("Policy", player))
    raise TypeError(
        f"expected a function, an object with a method act, or the name of a bot as a player; got {player!r}"
    )


class _PolicyAgent:
    """An agent that asks a function."""

    def __init__(self, policy: Policy) -> None:
        self.act = policy
        self.name = str(getattr(policy, "__name__", type(policy).__name__))
