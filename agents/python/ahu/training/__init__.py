"""Training: many environments of a game, stepped together over one connection.

`ahu.training.gymnasium` and `ahu.training.pettingzoo` have them as these libraries know environments. All of it needs
numpy: pip install "ahu[train]".
"""

try:
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError('training needs numpy: pip install "ahu[train]"', name="numpy") from error

from ahu.training.batch import Batch, FinalSteps
from ahu.training.layout import Field, Layout
from ahu.training.observation import Observation
from ahu.training.open_request import LEARNER
from ahu.training.vector import VectorEnv
from ahu.v1.environment_service_pb2 import Episode

__all__ = ["LEARNER", "Batch", "Episode", "Field", "FinalSteps", "Layout", "Observation", "VectorEnv"]
