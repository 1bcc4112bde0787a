"""Engines: where the environments of a `VectorEnv` run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ahu._native import State
from ahu.training._rows import FinalRows, Rows
from ahu.v1.environment_service_pb2 import RunRequest, RunResponse, TableFormat

if TYPE_CHECKING:
    from ahu.training._forfeits import ForfeitStep


@dataclass(slots=True)
class Call:
    """A request to step or reset some environments.

    Attributes:
        group: the group of the environments; the first group, if there are several.
        first: the first environment of a run.
        count: the number of environments.
        env_ids: the environments, if they are not a run: uint32 [n], in rising order.
        actions: the actions of a step: int64 [n]; None: a reset.
        seeds: the new seeds of a reset: uint64 [n]; None: each environment goes on to its next episode.
        states: the States at which the episodes of a reset begin; None: at the first position of the game.
        forfeit: the step that carries the call out, if environments forfeit; None: the call itself.
        pending: the promise of an answer, in the form that the engine has; None until the call is started.
    """

    group: int
    first: int
    count: int
    env_ids: NDArray[np.uint32] | None
    actions: NDArray[np.int64] | None = None
    seeds: NDArray[np.uint64] | None = None
    states: Sequence[State] | None = None
    forfeit: ForfeitStep | None = None
    pending: Any = None

    @classmethod
    def of(cls, group: int, env_ids: NDArray[np.uint32], actions: NDArray[np.int64] | None = None) -> Call:
        """Returns a call for environments by their numbers."""
        return cls(group, 0, len(env_ids), env_ids, actions)

    @property
    def numbers(self) -> NDArray[np.integer[Any]]:
        """The numbers of the environments: [n]."""
        return np.arange(self.first, self.first + self.count) if self.env_ids is None else self.env_ids


@dataclass(slots=True)
class Answer:
    """The answer to a call, besides its rows.

    Attributes:
        nanoseconds: the time that the engine worked.
        seeds: after a reset, the seeds of the episodes that began: uint64 [n].
        final_rows: the final rows of the episodes that ended; None if none ended.
    """

    nanoseconds: int
    seeds: NDArray[np.uint64] | None = None
    final_rows: FinalRows | None = None

    @classmethod
    def of(
        cls,
        rows: Rows,
        nanoseconds: int,
        seeds: NDArray[np.uint64] | None,
        final: tuple[Sequence[NDArray[np.uint8]], bytes] | None,
    ) -> Answer:
        """Reads an answer as the extension module gives it. `rows` are those of the call."""
        return cls(nanoseconds, seeds, None if final is None else FinalRows.of(rows.spec, *final))


class Engine(Protocol):
    """Environments that are open.

    A request that the engine refuses has no effect. Every method but `start` raises the `ServiceError`.

    Attributes:
        opened: the answer to the request that opened the environments.
        is_remote: True if the environments run on a server.
        is_usable: False once the environments are lost.
    """

    opened: RunResponse.Opened
    is_remote: bool

    @property
    def is_usable(self) -> bool: ...

    def start(self, call: Call) -> None:
        """Begins a call."""
        ...

    def ask(self, call: Call, rows: Rows) -> Answer:
        """Waits for a call, which it begins unless that was done, even if other calls are in progress."""
        ...

    def look(self, call: Call, bot: str | None) -> RunResponse.Looked:
        """Looks at the rows of the environments of a call: the advice of a bot; None: the central observations. Waits, and
        changes nothing."""
        ...

    def save(self) -> bytes:
        """Returns the progress of all environments."""
        ...

    def restore(self, data: bytes) -> RunResponse.Restored:
        """Replaces all environments by those of a save."""
        ...

    def render(self, environment: int, seat: int | None, form: TableFormat) -> str:
        """Returns the table of an environment in a form of text, for a seat or for the public."""
        ...

    def typed(self, environment: int, seat: int) -> bytes:
        """Returns what a seat is shown, as an `Any` with the typed message of the game.

        Raises:
            LookupError: the environments run on a server.
        """
        ...

    def action(self, action_id: int, seat: int) -> bytes | None:
        """Returns an action in all forms, as an `Action`; None for an id that the game does not have. Raises as `typed`."""
        ...

    def set_players(self, request: RunRequest.SetPlayers) -> None:
        """Changes the players, who play from the next episode of each environment on. No call is in progress."""
        ...

    def close(self) -> None:
        """Ends the environments."""
        ...
