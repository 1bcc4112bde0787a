"""The public names of the package, with their modules. `__init__.py` imports each on first use."""

from ahu import aio as aio, errors as errors, records as records, training as training, v1 as v1
from ahu._compete import compete as compete, practice as practice
from ahu._duel import (
    DuelAgent as DuelAgent,
    DuelResult as DuelResult,
    Estimate as Estimate,
    duel as duel,
)
from ahu._run import GameResult as GameResult, run as run
from ahu._state import (
    ActionAnalysis as ActionAnalysis,
    Analysis as Analysis,
    State as State,
    StateEvent as StateEvent,
    StateObservation as StateObservation,
    analyse as analyse,
    new_game as new_game,
    rollout as rollout,
)
from ahu.actions import Action as Action, Choice as Choice
from ahu.agent import Agent as Agent, Policy as Policy, play as play, play_many as play_many
from ahu.client import Client as Client, Seat as Seat
from ahu.created_match import CreatedMatch as CreatedMatch
from ahu.errors import (
    AhuError as AhuError,
    BenchmarkError as BenchmarkError,
    ConnectionLost as ConnectionLost,
    DuelError as DuelError,
    FieldViolation as FieldViolation,
    Forfeited as Forfeited,
    IllegalAction as IllegalAction,
    LaunchError as LaunchError,
    MatchEnded as MatchEnded,
    NoResignation as NoResignation,
    SeatReserved as SeatReserved,
)
from ahu.messages import unpack as unpack
from ahu.placement import AgentKey as AgentKey, Placement as Placement
from ahu.play_result import PlayResult as PlayResult
from ahu.retry import Retry as Retry
from ahu.server import Server as Server, find_server as find_server, launch as launch
from ahu.terms import (
    Cause as Cause,
    Conduct as Conduct,
    Consequence as Consequence,
    Reservation as Reservation,
    TimeControl as TimeControl,
)
from ahu.training import (
    Batch as Batch,
    BenchmarkReport as BenchmarkReport,
    Layout as Layout,
    VectorEnv as VectorEnv,
    benchmark as benchmark,
)
from ahu.turn import Turn as Turn
from ahu.v1.match_service_pb2 import (
    Match as Match,
    MatchResult as MatchResult,
    Observation as Observation,
    ObservationFormats as ObservationFormats,
    PracticeReport as PracticeReport,
)
