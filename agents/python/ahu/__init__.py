"""Ahu: a referee for games between programs.

    import ahu

    class MyAgent:
        def act(self, turn):
            return turn.legal[0]

    ahu.play(MyAgent())

`ahu.v1` has the messages of the service, `ahu.<game>.v1` those of a game; `ahu.aio` has the client for asyncio.
`ahu.VectorEnv` has many games at a time, for training.
"""

import os
from typing import TYPE_CHECKING, Any

# gRPC survives the fork of its process only where it was told before it was imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "1")

from ahu._duel import DuelAgent, DuelResult, Estimate, duel
from ahu._run import GameResult, Policy, run
from ahu.actions import Action, Choice
from ahu.agent import Agent, play, play_many
from ahu.client import Client, Seat
from ahu.created_match import CreatedMatch
from ahu.errors import (
    AhuError,
    ConnectionLost,
    DuelError,
    FieldViolation,
    Forfeited,
    IllegalAction,
    LaunchError,
    MatchEnded,
    NoResignation,
    SeatReserved,
)
from ahu.messages import unpack
from ahu.placement import AgentKey, Placement
from ahu.play_result import PlayResult
from ahu.retry import Retry
from ahu.server import Server, find_server, launch
from ahu.terms import Cause, Conduct, Consequence, Reservation, TimeControl
from ahu.turn import Turn
from ahu.v1.match_service_pb2 import Match, MatchResult, Observation, ObservationFormats

if TYPE_CHECKING:
    from ahu.training import Batch, Layout, VectorEnv

__all__ = [
    "Action",
    "Agent",
    "AgentKey",
    "AhuError",
    "Batch",
    "Cause",
    "Choice",
    "Client",
    "Conduct",
    "ConnectionLost",
    "Consequence",
    "CreatedMatch",
    "DuelAgent",
    "DuelError",
    "DuelResult",
    "Estimate",
    "FieldViolation",
    "Forfeited",
    "GameResult",
    "IllegalAction",
    "LaunchError",
    "Layout",
    "Match",
    "MatchEnded",
    "MatchResult",
    "NoResignation",
    "Observation",
    "ObservationFormats",
    "Placement",
    "PlayResult",
    "Policy",
    "Reservation",
    "Retry",
    "Seat",
    "SeatReserved",
    "Server",
    "TimeControl",
    "Turn",
    "VectorEnv",
    "duel",
    "find_server",
    "launch",
    "play",
    "play_many",
    "run",
    "unpack",
]


def __getattr__(name: str) -> Any:
    """What needs numpy, which the package does without, is imported when it is first asked for."""
    if name not in ("Batch", "Layout", "VectorEnv"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ahu import training

    return getattr(training, name)
