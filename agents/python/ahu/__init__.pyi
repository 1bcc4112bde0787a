"""The public names of the package, with their modules. `__init__.py` imports each on first use."""

from ahu import (
    aio as aio,
    client as client,
    errors as errors,
    language as language,
    records as records,
    training as training,
    v1 as v1,
)
from ahu._batched import Batched as Batched, batched as batched
from ahu._connect import Connected as Connected, connect as connect
from ahu._duel import DuelPair as DuelPair, DuelPlayer as DuelPlayer, DuelResult as DuelResult, duel as duel
from ahu._play import PlayResult as PlayResult, play as play
from ahu._progress import Progress as Progress
from ahu._state import (
    ActionAnalysis as ActionAnalysis,
    Analysis as Analysis,
    State as State,
    StateEvent as StateEvent,
    StateObservation as StateObservation,
    analyse as analyse,
    children as children,
    game as game,
    games as games,
    new_game as new_game,
    observe as observe,
    restore_state as restore_state,
    rollout as rollout,
)
from ahu.actions import Action as Action, Choice as Choice
from ahu.agent import Agent as Agent, Player as Player, Policy as Policy, Resignation as Resignation
from ahu.client import Client as Client
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
    NoResult as NoResult,
    ProgramFailed as ProgramFailed,
    SeatReserved as SeatReserved,
    ServiceError as ServiceError,
)
from ahu.estimate import Estimate as Estimate
from ahu.messages import unpack as unpack
from ahu.seat_result import SeatResult as SeatResult
from ahu.server import Server as Server, find_server as find_server, launch as launch
from ahu.training import (
    ActionFeatures as ActionFeatures,
    Batch as Batch,
    BenchmarkCost as BenchmarkCost,
    BenchmarkReport as BenchmarkReport,
    Layout as Layout,
    VectorEnv as VectorEnv,
    action_features as action_features,
    benchmark as benchmark,
)
from ahu.turn import Turn as Turn
from ahu.v1.match_service_pb2 import ObservationFormats as ObservationFormats
