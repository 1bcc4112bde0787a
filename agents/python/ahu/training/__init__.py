"""Training: many environments of a game, stepped together, in this process or on a server.

`ahu.training.gymnasium` and `ahu.training.pettingzoo` have the interfaces of these libraries. `evaluate` plays a policy
against others, and `benchmark` plays a suite with a policy. Everything here needs numpy: pip install "ahu[train]".
"""

import importlib

try:
    importlib.import_module("numpy")
except ModuleNotFoundError as error:
    raise ModuleNotFoundError('training needs numpy: pip install "ahu[train]"', name="numpy") from error

from ahu.training.batch import Batch, FinalSteps
from ahu.training.evaluation import Evaluation, Interval, evaluate
from ahu.training.layout import Field, Layout
from ahu.training.observation import Observation
from ahu.training.open_request import LEARNER
from ahu.training.suites import BenchmarkReport, benchmark
from ahu.training.vector import VectorEnv
from ahu.v1.environment_service_pb2 import Episode

__all__ = [
    "LEARNER",
    "Batch",
    "BenchmarkReport",
    "Episode",
    "Evaluation",
    "Field",
    "FinalSteps",
    "Interval",
    "Layout",
    "Observation",
    "VectorEnv",
    "benchmark",
    "evaluate",
]
