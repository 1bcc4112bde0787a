"""Ahu: a referee for games between programs.

    import ahu

    def first(turn):
        return turn.legal[0]

    print(ahu.play("rappanui", [first, "greedy"]).scores)

Five verbs run games: `play` (one game here), `duel` (a comparison), `benchmark` (a suite), `connect` (seats of a server),
and `rollout` (games from a position). Wherever somebody plays, a player is the name of a bot, a command, a function of a
`Turn`, an object with `act(turn)`, or `batched(function)`.

`VectorEnv` steps many games at once, for training, and `ahu.training` has adapters for trainers. `State` is one game that
you can copy, change, and look at, and `games` lists the games. `Client` calls a server, with the terms of `ahu.client`;
`ahu.aio` has the client for asyncio.
`ahu.v1` has the messages of the service, and `ahu.<game>.v1` the messages of a game.
"""

import importlib as _importlib
import importlib.util as _util
import sys as _sys

_NAMES = {
    "ahu._batched": ("Batched", "batched"),
    "ahu._connect": ("Connected", "connect"),
    "ahu._duel": ("DuelPair", "DuelPlayer", "DuelResult", "duel"),
    "ahu._play": ("PlayResult", "play"),
    "ahu._progress": ("Progress",),
    "ahu._state": (
        "ActionAnalysis",
        "Analysis",
        "State",
        "StateEvent",
        "StateObservation",
        "analyse",
        "children",
        "game",
        "games",
        "new_game",
        "observe",
        "restore_state",
        "rollout",
    ),
    "ahu._actions": ("Action", "Choice"),
    "ahu._agent": ("Agent", "Player", "Policy", "Resignation"),
    "ahu.client": ("Client",),
    "ahu._errors": (
        "AhuError",
        "BenchmarkError",
        "BudgetSpent",
        "ConnectionLost",
        "DuelError",
        "FieldViolation",
        "Forfeited",
        "IllegalAction",
        "LaunchError",
        "MatchEnded",
        "NoResignation",
        "NoResult",
        "ProgramFailed",
        "SeatReserved",
        "ServiceError",
    ),
    "ahu._estimate": ("Estimate",),
    "ahu._messages": ("unpack",),
    "ahu._options": ("Options",),
    "ahu._seat_result": ("SeatResult",),
    "ahu._server": ("Server", "find_program", "launch"),
    "ahu._terms": ("Cause",),
    "ahu.training": (
        "ActionFeatures",
        "Batch",
        "BenchmarkCost",
        "BenchmarkReport",
        "Exploitability",
        "Layout",
        "VectorEnv",
        "action_features",
        "benchmark",
        "exploit",
    ),
    "ahu._turn": ("Turn",),
    "ahu.v1.match_service_pb2": ("ObservationFormats",),
}
"""The public names, by module. `__init__.pyi` has the same for type checkers."""

_MODULES = ("aio", "client", "language", "records", "training", "v1")
"""The modules that `import ahu` makes available."""

# Type checkers read `__init__.pyi` instead.
__all__ = sorted(name for names in _NAMES.values() for name in names)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Imports a name on first use. gRPC takes longer to import than the whole package, and training in this process does
    not need it. The other parts do not need numpy."""
    if name == "__version__":
        from importlib.metadata import version

        return version("ahu")
    if name in _MODULES:
        return _importlib.import_module(f"ahu.{name}")
    for module, names in _NAMES.items():
        if name in names:
            value = globals()[name] = getattr(_importlib.import_module(module), name)
            return value
    from ahu._hints import no_attribute

    raise no_attribute(__name__, name, _sys.modules[__name__])


def __dir__() -> list[str]:
    """Returns all names that can be imported. Without numpy, training and `ahu.State` cannot."""
    missing = (
        () if _util.find_spec("numpy") else ("records", "training", *_NAMES["ahu.training"], *_NAMES["ahu._state"])
    )
    return sorted({*__all__, *_MODULES}.difference(missing))
