"""Ahu: a referee for games between programs.

    import ahu

    class MyAgent:
        def act(self, turn):
            return turn.legal[0]

    ahu.play(MyAgent())

`ahu.v1` has the messages of the service, `ahu.<game>.v1` those of a game; `ahu.aio` has the client for asyncio.
"""

from ahu.actions import Action, Choice
from ahu.agent import Agent, play
from ahu.client import Client, Seat
from ahu.errors import AhuError, ConnectionLost, FieldViolation, IllegalAction, LaunchError
from ahu.messages import unpack
from ahu.placement import Placement
from ahu.retry import Retry
from ahu.server import Server, find_server, launch
from ahu.turn import Turn
from ahu.v1.match_service_pb2 import Match, MatchResult, Observation, ObservationForms

__all__ = [
    "Action",
    "Agent",
    "AhuError",
    "Choice",
    "Client",
    "ConnectionLost",
    "FieldViolation",
    "IllegalAction",
    "LaunchError",
    "Match",
    "MatchResult",
    "Observation",
    "ObservationForms",
    "Placement",
    "Retry",
    "Seat",
    "Server",
    "Turn",
    "find_server",
    "launch",
    "play",
    "unpack",
]
