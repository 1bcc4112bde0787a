"""Training: many environments of a game, stepped together, in this process or on a server.

`VectorEnv` steps them, and the modules `gymnasium`, `pettingzoo`, `sb3`, `torchrl`, `rllib`, and `openspiel` have the
interfaces of other libraries. `EnvSettings` documents the settings that all of them take. `seat_advantages` computes
generalized advantages for each seat. Everything here needs numpy: pip install "ahu[train]".

An engine runs the environments here (`local_engine`) or on a server (`remote_engine`). The `exchange` of a `VectorEnv` is above
both, with everything that both would need to do alike: the check of actions, replacements, forfeits, players of the client.
Nothing imports gRPC before the caller names a server, because its import takes longer than the rest of the package.
"""

import importlib

try:
    importlib.import_module("numpy")
except ModuleNotFoundError as error:
    raise ModuleNotFoundError('training needs numpy: pip install "ahu[train]"', name="numpy") from error

from ahu._public import public
from ahu.training.action_features import ActionFeatures, action_features
from ahu.training.advantages import seat_advantages
from ahu.training.batch import Batch, FinalSteps
from ahu.training.layout import Field, Layout
from ahu.training.looks import Advice
from ahu.training.nets import Net, NetInputs, net_bytes, read_net, write_net
from ahu.training.observation import Observation
from ahu.training.open_request import LEARNER
from ahu.training.rollouts import Rollout
from ahu.training.settings import EnvSettings
from ahu.training.suites import BenchmarkCost, BenchmarkReport, benchmark
from ahu.training.vector import VectorEnv
from ahu.v1.environment_service_pb2 import Episode

__all__ = [
    "LEARNER",
    "ActionFeatures",
    "Advice",
    "Batch",
    "BenchmarkCost",
    "BenchmarkReport",
    "EnvSettings",
    "Episode",
    "Field",
    "FinalSteps",
    "Layout",
    "Net",
    "NetInputs",
    "Observation",
    "Rollout",
    "VectorEnv",
    "action_features",
    "benchmark",
    "net_bytes",
    "read_net",
    "seat_advantages",
    "write_net",
]

public(ActionFeatures, Batch, BenchmarkCost, BenchmarkReport, Layout, VectorEnv, action_features, benchmark)
public(Advice, EnvSettings, Field, FinalSteps, NetInputs, Observation, Rollout, module=__name__)
public(net_bytes, read_net, seat_advantages, write_net, module=__name__)
