"""Agents, and how they play."""

from __future__ import annotations

from typing import Protocol

from ahu import _match
from ahu.actions import Choice
from ahu.client import Client, Seat
from ahu.placement import Placement
from ahu.play_result import PlayResult
from ahu.turn import Turn


class Agent(Protocol):
    """A program that plays a seat.

    It may have, beside `act`:

    * `formats`: an `ObservationFormats` that says what it wants to be shown; by default the typed observation and the
      legal actions. With `events_after=0` it is told all events from the first on.
    * `start(match)`: is called once, when the match has begun.
    * `end(result)`: is called once with the `PlayResult`, after the end of the match or the forfeit of the seat.
    """

    def act(self, turn: Turn, /) -> Choice:
        """What to do now: an id, a text, one of `turn.legal`, or a typed message of the game."""
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
            return play(agent, client.seat(placement.match_id, placement.seat, placement.token))
    plan = _match.plan(agent, seat)
    try:
        answer = next(plan)
        while True:
            answer = plan.send(answer)
    except StopIteration as end:
        return end.value
