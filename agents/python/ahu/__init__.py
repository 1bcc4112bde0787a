"""Ahu: a referee for games between programs.

    import ahu

    class MyAgent:
        def act(self, turn):
            return turn.legal[0]

    ahu.play(MyAgent())

`ahu.v1` has the messages of the service, and `ahu.<game>.v1` the messages of a game. `ahu.aio` has the client for
asyncio. `ahu.VectorEnv` steps many games at once, for training. `ahu.State` is one game that you can copy, change, and
look at.
"""

import importlib
import importlib.util
import os
from typing import Any

# gRPC survives a fork only if this variable is set before its import.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "1")

_NAMES = {
    "ahu._compete": ("compete", "practice"),
    "ahu._duel": ("DuelAgent", "DuelResult", "Estimate", "duel"),
    "ahu._run": ("GameResult", "run"),
    "ahu._state": (
        "ActionAnalysis",
        "Analysis",
        "State",
        "StateEvent",
        "StateObservation",
        "analyse",
        "new_game",
        "rollout",
    ),
    "ahu.actions": ("Action", "Choice"),
    "ahu.agent": ("Agent", "Policy", "play", "play_many"),
    "ahu.client": ("Client", "Seat"),
    "ahu.created_match": ("CreatedMatch",),
    "ahu.errors": (
        "AhuError",
        "BenchmarkError",
        "ConnectionLost",
        "DuelError",
        "FieldViolation",
        "Forfeited",
        "IllegalAction",
        "LaunchError",
        "MatchEnded",
        "NoResignation",
        "SeatReserved",
    ),
    "ahu.messages": ("unpack",),
    "ahu.placement": ("AgentKey", "Placement"),
    "ahu.play_result": ("PlayResult",),
    "ahu.retry": ("Retry",),
    "ahu.server": ("Server", "find_server", "launch"),
    "ahu.terms": ("Cause", "Conduct", "Consequence", "Reservation", "TimeControl"),
    "ahu.training": ("Batch", "BenchmarkReport", "Layout", "VectorEnv", "benchmark"),
    "ahu.turn": ("Turn",),
    "ahu.v1.match_service_pb2": ("Match", "MatchResult", "Observation", "ObservationFormats", "PracticeReport"),
}
"""The public names, by module. `__init__.pyi` has the same for type checkers."""

_MODULES = ("aio", "errors", "records", "training", "v1")
"""The modules that `import ahu` makes available."""

# Type checkers read `__init__.pyi` instead.
__all__ = sorted(name for names in _NAMES.values() for name in names)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Imports a name on first use. gRPC takes longer to import than the whole package, and training in this process does
    not need it. The other parts do not need numpy."""
    if name in _MODULES:
        return importlib.import_module(f"ahu.{name}")
    for module, names in _NAMES.items():
        if name in names:
            value = globals()[name] = getattr(importlib.import_module(module), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Returns all names that can be imported. Without numpy, training and `ahu.State` cannot."""
    missing = (
        ()
        if importlib.util.find_spec("numpy")
        else ("records", "training", *_NAMES["ahu.training"], *_NAMES["ahu._state"])
    )
    return sorted({*globals(), *__all__, *_MODULES}.difference(missing))
