"""Agents, and how they play."""

from __future__ import annotations

from typing import Protocol

from ahu import _match
from ahu.actions import Choice
from ahu.client import Client, Seat
from ahu.placement import Placement
from ahu.turn import Turn
from ahu.v1 import match_service_pb2 as v1


class Agent(Protocol):
    """A program that plays a seat.

    It may have, beside `act`:

    * `formats`: an `ObservationFormats` that says what it wants to be shown; by default the typed observation and the
      legal actions. With `events_after=0` it is told all events from the first on.
    * `start(match)`: is called once, when the match has begun.
    * `end(result)`: is called once, when the match is over.
    """

    def act(self, turn: Turn, /) -> Choice:
        """What to do now: an id, a text, one of `turn.legal`, or a typed message of the game."""
        ...


def play(agent: Agent, seat: Seat | None = None) -> v1.MatchResult:
    """Plays a seat to the end of its match.

    A connection that is lost is made again, and a step whose answer was lost is sent again. A seat that has forfeited
    does not act any more, but waits for the end.

    Args:
        agent: who decides.
        seat: the seat; None: the one of which AHU_ADDRESS, AHU_MATCH, AHU_SEAT and AHU_TOKEN tell.

    Raises:
        IllegalAction: the agent chose what is no action of the game, or not legal; the message names what is.
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
