"""Training: many environments of a game, stepped together, in this process or on a server.

`VectorEnv` steps them, and the modules `gymnasium`, `pettingzoo`, `sb3`, `torchrl`, `rllib`, and `openspiel` have the
interfaces of other libraries. `EnvSettings` documents the settings that all of them take. `seat_advantages` computes
generalized advantages for each seat. Everything here needs numpy: pip install "ahu[train]".

An engine runs the environments here (`_local_engine`) or on a server (`_remote_engine`). The `_exchange` of a `VectorEnv` is above
both, with everything that both would need to do alike: the check of actions, replacements, forfeits, players of the client.
Nothing imports gRPC before the caller names a server, because its import takes longer than the rest of the package.
"""

import importlib

try:
    importlib.import_module("numpy")
except ModuleNotFoundError as error:
    raise ModuleNotFoundError('training needs numpy: pip install "ahu[train]"', name="numpy") from error

from ahu._public import public
from ahu.training._action_features import ActionFeatures, action_features
from ahu.training._advantages import seat_advantages
from ahu.training._batch import Batch, FinalSteps
from ahu.training._curves import Curve
from ahu.training._exploit import Exploitability, exploit
from ahu.training._layout import Field, Layout
from ahu.training._league import League, LeagueTable
from ahu.training._looks import Advice
from ahu.training._nets import Net, NetInputs, net_bytes, read_net, write_net
from ahu.training._observation import Observation, ObsFormat
from ahu.training._open_request import LEARNER, Autoreset, EnvPlayer, Rewards, Rotation
from ahu.training._players import ClientPlayer
from ahu.training._progress_line import ProgressLine
from ahu.training._rendering import RenderMode
from ahu.training._rollouts import Rollout
from ahu.training._settings import EnvSettings, OnIllegal
from ahu.training._suites import BenchmarkCost, BenchmarkReport, benchmark
from ahu.training._vector import VectorEnv
from ahu.v1.environment_service_pb2 import Episode

__all__ = [
    "LEARNER",
    "ActionFeatures",
    "Advice",
    "Autoreset",
    "Batch",
    "BenchmarkCost",
    "BenchmarkReport",
    "ClientPlayer",
    "Curve",
    "EnvPlayer",
    "EnvSettings",
    "Episode",
    "Exploitability",
    "Field",
    "FinalSteps",
    "Layout",
    "League",
    "LeagueTable",
    "Net",
    "NetInputs",
    "ObsFormat",
    "Observation",
    "OnIllegal",
    "ProgressLine",
    "RenderMode",
    "Rewards",
    "Rollout",
    "Rotation",
    "VectorEnv",
    "action_features",
    "benchmark",
    "exploit",
    "net_bytes",
    "read_net",
    "seat_advantages",
    "write_net",
]

public(ActionFeatures, Batch, BenchmarkCost, BenchmarkReport, Layout, VectorEnv, action_features, benchmark)
public(Advice, EnvSettings, Field, FinalSteps, NetInputs, Observation, Rollout, module=__name__)
public(net_bytes, read_net, seat_advantages, write_net, module=__name__)
