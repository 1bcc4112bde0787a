"""The engine in the trainer's process."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ahu import _errors as errors, _native
from ahu.training._engine import Answer, Call
from ahu.training._looks import look_request
from ahu.training._rows import Rows
from ahu.v1.environment_service_pb2 import EnvironmentPlayer, Episode, RunRequest, RunResponse, TableFormat

Parts: TypeAlias = tuple[int, NDArray[np.uint64] | None, tuple[Sequence[NDArray[np.uint8]], bytes] | None]
"""The parts of an `Answer`, as the extension module gives them."""

P = ParamSpec("P")
T = TypeVar("T")


class LocalEngine:
    """Environments in this process. Steps that are started run on a separate thread.

    Args:
        open_request: the request.
        cores: the number of cores that a batch may take.

    Raises:
        ServiceError: the engine refuses the request.
    """

    is_remote = False

    def __init__(self, open_request: RunRequest.Open, cores: _native.Cores) -> None:
        if not open_request.HasField("seed"):
            seeded = RunRequest.Open(seed=secrets.randbits(53))
            seeded.MergeFrom(open_request)
            open_request = seeded
        try:
            self._environments = _native.Environments(open_request.SerializeToString(), cores)
        except _native.Refused as refused:
            raise errors.of_call(*refused.args) from None
        self.opened = RunResponse.Opened.FromString(self._environments.opened)
        self.is_usable = True
        # A search takes seconds in many environments. Its calls run in the background, so that Ctrl-C ends the wait.
        self._searches = _has_search(open_request.players)

    def start(self, call: Call) -> None:
        first, env_ids, actions = call.first, call.env_ids, call.actions
        if actions is not None:
            call.pending = self._environments.step(first, env_ids, actions, None)
        else:
            call.pending = self._environments.reset(first, call.count, env_ids, call.seeds, call.states, None)

    def ask(self, call: Call, rows: Rows) -> Answer:
        first, env_ids, actions = call.first, call.env_ids, call.actions
        try:
            if self._searches and call.pending is None:
                self.start(call)
            if call.pending is not None:
                answer = self._environments.finish(call.pending, rows.memory)
            elif actions is not None:
                answer = self._environments.step(first, env_ids, actions, rows.memory)
            else:
                answer = self._environments.reset(first, call.count, env_ids, call.seeds, call.states, rows.memory)
        except _native.Refused as refused:
            raise self._error(refused) from None
        return Answer.of(rows, *answer)

    def step_all(self, legal: _native.LegalActions, actions: ArrayLike, pool: list[Rows]) -> tuple[Rows, Parts] | None:
        """Takes actions in all environments. Returns rows of the pool that nobody held, with the parts of an `Answer`. None:
        nothing was done, and it takes a call of its own."""
        if self._searches:
            return None
        try:
            return self._environments.step_all(legal, actions, pool)
        except _native.Refused as refused:
            raise self._error(refused) from None

    def look(self, call: Call, bot: str | None) -> RunResponse.Looked:
        request = look_request(call, bot).SerializeToString()
        looked = self._asked(self._environments.look, call.first, call.count, call.env_ids, request)
        return RunResponse.Looked.FromString(looked)

    def save(self) -> bytes:
        return self._asked(self._environments.save)

    def restore(self, data: bytes) -> RunResponse.Restored:
        return RunResponse.Restored.FromString(self._asked(self._environments.restore, data))

    def render(self, environment: int, seat: int | None, form: TableFormat) -> str:
        return self._asked(self._environments.render, environment, seat, form)

    def typed(self, environment: int, seat: int) -> bytes:
        return self._environments.typed(environment, seat)

    def action(self, action_id: int, seat: int) -> bytes | None:
        return self._environments.action(action_id, seat)

    def set_players(self, request: RunRequest.SetPlayers) -> None:
        self._asked(self._environments.set_players, request.SerializeToString())
        # Earlier players may play on for an episode.
        self._searches = self._searches or _has_search(request.players)

    def roll_out(
        self, net: _native.Net, steps: int, temperature: float, *arrays: NDArray[Any]
    ) -> tuple[int, Sequence[Episode]]:
        """Lets a net play, and fills the arrays. Returns the nanoseconds that it took, and the episodes that ended.

        Raises:
            ValueError: the net is for another game, or the temperature is out of range.
            ServiceError: the environments are lost.
        """
        nanoseconds, episodes = self._asked(_native.roll_out, self._environments, net, steps, temperature, *arrays)
        return nanoseconds, RunResponse.Batch.FromString(episodes).episodes

    def close(self) -> None:
        self.is_usable = False
        self._environments.close()

    def _asked(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Returns what a function of the extension module returns, or raises its refusal as a `ServiceError`."""
        try:
            return function(*args, **kwargs)
        except _native.Refused as refused:
            raise self._error(refused) from None

    def _error(self, refused: _native.Refused) -> errors.ServiceError:
        # An error without a reason is a fault of the engine: a game has panicked, and the environments are lost.
        self.is_usable = refused.args[1] != "UNSPECIFIED"
        return errors.of_call(*refused.args)


def _has_search(players: Iterable[EnvironmentPlayer]) -> bool:
    return any(bot.bot.startswith("search") for player in players for bot in player.bots)
