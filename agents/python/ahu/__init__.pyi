"""The public names of the package, with their modules. `__init__.py` imports each on first use."""

from ahu import (
    aio as aio,
    client as client,
    language as language,
    records as records,
    training as training,
    v1 as v1,
)
from ahu._actions import Action as Action, Choice as Choice
from ahu._agent import Agent as Agent, Player as Player, Policy as Policy, Resignation as Resignation
from ahu._batched import Batched as Batched, batched as batched
from ahu._connect import Connected as Connected, connect as connect
from ahu._duel import DuelPair as DuelPair, DuelPlayer as DuelPlayer, DuelResult as DuelResult, duel as duel
from ahu._errors import (
    AhuError as AhuError,
    BenchmarkError as BenchmarkError,
    BudgetSpent as BudgetSpent,
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
from ahu._estimate import Estimate as Estimate
from ahu._messages import unpack as unpack
from ahu._options import Options as Options
from ahu._play import PlayResult as PlayResult, play as play
from ahu._progress import Progress as Progress
from ahu._seat_result import SeatResult as SeatResult
from ahu._server import Server as Server, find_program as find_program, launch as launch
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
from ahu._terms import Cause as Cause
from ahu._turn import Turn as Turn
from ahu.client import Client as Client
from ahu.training import (
    ActionFeatures as ActionFeatures,
    Batch as Batch,
    BenchmarkCost as BenchmarkCost,
    BenchmarkReport as BenchmarkReport,
    Exploitability as Exploitability,
    Layout as Layout,
    VectorEnv as VectorEnv,
    action_features as action_features,
    benchmark as benchmark,
    exploit as exploit,
)
from ahu.v1.match_service_pb2 import ObservationFormats as ObservationFormats

__version__: str
