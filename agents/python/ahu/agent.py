"""Agents, and how they play."""

from __future__ import annotations

from typing import Protocol

from ahu import _match
from ahu._calls import MAX_WAIT
from ahu.actions import Choice
from ahu.client import Client, Seat
from ahu.placement import AgentKey, Placement, agent_key, assigned_seat
from ahu.play_result import PlayResult
from ahu.turn import Turn


class Agent(Protocol):
    """A program that plays a seat.

    It may have, beside `act`:

    * `formats`: an `ObservationFormats` that says what it wants to be shown; by default the typed observation and the
      legal actions. With `events_after=0` it is told all events from the first on.
    * `seed(number)`: is called once before `start`, with the seed that the host gives for the agent's own random choices in
      this match, an int from 0 to 2**63 - 1. `ahu duel` gives one, so that a duel can be repeated.
    * `start(match)`: is called once, when the match has begun. An agent that plays many matches begins anew here.
    * `end(result)`: is called once with the `PlayResult`, after the end of the match or the forfeit of the seat.
    """

    def act(self, turn: Turn, /) -> Choice:
        """Returns the action: an id, a text, an item of `turn.legal`, or a typed message of the game."""
        ...


def play(agent: Agent, seat: Seat | None = None) -> PlayResult:
    """Plays a seat until its match ends or the seat has forfeited, and returns the reason and the result.

    The client connects again after a lost connection, and sends a step again if its answer was lost. After a forfeit,
    `play` does not wait for the end of the match: `Client.get_match` does.

    Args:
        agent: who decides.
        seat: the seat; None: the one of which AHU_ADDRESS, AHU_MATCH, AHU_SEAT and AHU_TOKEN tell.

    Raises:
        IllegalAction: the agent chose an action that is not legal or not in the game, and the seat has not forfeited
            with it; the message lists legal actions.
        ConnectionLost: the server could not be reached for as long as the client tries.
        AhuError: the service refused something else.
        LookupError: no seat was given, and the environment tells of none.
        TypeError: the agent chose what is no action in any form.
    """
    if seat is None:
        placement = Placement.from_environment()
        with Client(placement.address) as client:
            return play(agent, placement.seat_of(client))
    return _match.run(_match.plan(agent, seat))


def play_many(agent: Agent, key: AgentKey | None = None) -> int:
    """Plays one seat after another, each as `play` does, until the host has no more. Returns the number of matches.

    `ahu duel` then needs one process for many matches, which takes a small part of the time. Where the host has one match
    alone, as `ahu play` and `ahu check-agent` have, this plays that one. The agent is the same object in all matches: it
    begins anew in `start(match)`.

    Args:
        agent: the agent that decides.
        key: the key with which the agent asks for seats; None: that of the variables AHU_ADDRESS and AHU_KEY.

    Raises:
        The errors of `play`.
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
