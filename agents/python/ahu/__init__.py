"""Ahu: a referee for games between programs.

    import ahu

    class MyAgent:
        def act(self, turn):
            return turn.legal[0]

    ahu.play(MyAgent())

`ahu.v1` has the messages of the service, `ahu.<game>.v1` those of a game; `ahu.aio` has the client for asyncio.
`ahu.VectorEnv` has many games at a time, for training; `ahu.State` has one, to be copied, changed, and looked at.
"""

import importlib
import importlib.util
import os
from typing import Any

# gRPC survives the fork of its process only where it was told before it was imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "1")

_NAMES = {
    "ahu._compete": ("compete", "practice"),
    "ahu._duel": ("DuelAgent", "DuelResult", "Estimate", "duel"),
    "ahu._run": ("GameResult", "Policy", "run"),
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
    "ahu.agent": ("Agent", "play", "play_many"),
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
"""The names of the package by the modules that have them; `__init__.pyi` has the same for type checkers."""

_MODULES = ("aio", "errors", "records", "training", "v1")
"""The modules that need no import of their own."""

# Type checkers read `__init__.pyi` instead.
__all__ = sorted(name for names in _NAMES.values() for name in names)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Imports what is first asked for. gRPC takes longer to import than all of this package, and training in this process
    does without it; the others do without numpy."""
    if name in _MODULES:
        return importlib.import_module(f"ahu.{name}")
    for module, names in _NAMES.items():
        if name in names:
            value = globals()[name] = getattr(importlib.import_module(module), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Returns all names that can be imported: without numpy, none of training and of `ahu.State`."""
    missing = (
        ()
        if importlib.util.find_spec("numpy")
        else ("records", "training", *_NAMES["ahu.training"], *_NAMES["ahu._state"])
    )
    return sorted({*globals(), *__all__, *_MODULES}.difference(missing))
