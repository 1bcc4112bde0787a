"""The engine in the trainer's process."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from ahu import _native, errors
from ahu.training.engine import Answer, Call
from ahu.training.looks import look_request
from ahu.training.rollouts import RolloutMemory
from ahu.training.rows import FinalRows, Rows
from ahu.v1.environment_service_pb2 import Player, RunRequest, RunResponse, TableForm


class LocalEngine:
    """Environments in this process. Steps that are started run on a separate thread.

    Args:
        open_request: the request.
        cores: the number of cores that a batch may take.

    Raises:
        AhuError: the engine refuses the request.
    """

    def __init__(self, open_request: RunRequest.Open, cores: _native.Cores) -> None:
        if not open_request.HasField("seed"):
            seeded = RunRequest.Open(seed=secrets.randbits(64))
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

    def ask(self, call: Call, rows: Rows) -> Answer:
        if self._searches:
            return self.finish(call, rows)
        first, env_ids, actions = call.first, call.env_ids, call.actions
        try:
            if actions is not None:
                self._environments.step(first, env_ids, actions, rows.memory, call)
            else:
                self._environments.reset(first, call.count, env_ids, call.seeds, call.states, rows.memory, call)
        except _native.Refused as refused:
            raise self._error(refused) from None
        nanoseconds, seeds, final = call.answer
        return Answer(nanoseconds, seeds) if final is None else _answer(rows, nanoseconds, seeds, final)

    def run(self, calls: Sequence[tuple[Call, Rows]]) -> list[Answer | errors.AhuError]:
        answers: list[Answer | errors.AhuError] = []
        for call, rows in calls:
            try:
                answers.append(self.ask(call, rows))
            except errors.AhuError as refusal:
                answers.append(refusal)
        return answers

    def start(self, call: Call) -> None:
        if call.actions is not None:
            self._environments.step(call.first, call.env_ids, call.actions, None, call)
        else:
            try:
                self._environments.reset(call.first, call.count, call.env_ids, call.seeds, call.states, None, call)
            except _native.Refused as refused:
                raise self._error(refused) from None

    def finish(self, call: Call, rows: Rows) -> Answer:
        if not call.has_begun:
            self.start(call)
        pending = call.answer
        if isinstance(pending, _native.Pending):
            try:
                self._environments.finish(pending, rows.memory, call)
            except _native.Refused as refused:
                raise self._error(refused) from None
        answer: Any = call.answer
        return _answer(rows, *answer)

    def look(self, call: Call, bot: str | None) -> RunResponse.Looked:
        request = look_request(call, bot).SerializeToString()
        try:
            looked = self._environments.look(call.first, call.count, call.env_ids, request)
        except _native.Refused as refused:
            raise self._error(refused) from None
        return RunResponse.Looked.FromString(looked)

    def save(self) -> bytes:
        try:
            return self._environments.save()
        except _native.Refused as refused:
            raise self._error(refused) from None

    def restore(self, data: bytes) -> RunResponse.Restored:
        try:
            return RunResponse.Restored.FromString(self._environments.restore(data))
        except _native.Refused as refused:
            raise self._error(refused) from None

    def render(self, environment: int, seat: int | None, form: TableForm) -> str:
        try:
            return self._environments.render(environment, seat, form)
        except _native.Refused as refused:
            raise self._error(refused) from None

    def typed(self, environment: int, seat: int) -> bytes:
        return self._environments.typed(environment, seat)

    def action(self, action_id: int, seat: int) -> bytes | None:
        return self._environments.action(action_id, seat)

    def set_players(self, request: RunRequest.SetPlayers) -> None:
        try:
            self._environments.set_players(request.SerializeToString())
        except _native.Refused as refused:
            raise self._error(refused) from None
        # Earlier players may play on for an episode.
        self._searches = self._searches or _has_search(request.players)

    def roll_out(self, net: _native.Net, steps: int, temperature: float, memory: RolloutMemory) -> tuple[int, bytes]:
        """Lets a net play. Returns the nanoseconds that it took, and the episodes that ended, as `FinalRows` has them.

        Raises:
            ValueError: the net is for another game, or the temperature is out of range.
            AhuError: the environments are lost.
        """
        try:
            return _native.roll_out(
                self._environments,
                net,
                steps,
                temperature,
                memory.rows.memory,
                memory.actions,
                memory.log_probabilities,
                memory.values,
                memory.starts,
                memory.advice,
                memory.last.memory,
                memory.last_values,
            )
        except _native.Refused as refused:
            raise self._error(refused) from None

    def close(self) -> None:
        self.is_usable = False
        self._environments.close()

    def _error(self, refused: _native.Refused) -> errors.AhuError:
        _, reason, message, metadata, _ = refused.args
        # An error without a reason is a fault of the engine: a game has panicked, and the environments are lost.
        self.is_usable = reason != "UNSPECIFIED"
        return errors.of_refusal(reason, message, metadata)


def _has_search(players: Iterable[Player]) -> bool:
    return any(bot.bot.startswith("search") for player in players for bot in player.bots)


def _answer(rows: Rows, nanoseconds: int, seeds: Any, final: Any) -> Answer:
    if final is None:
        return Answer(nanoseconds, seeds)
    columns, episodes = final
    names = (column.name for column in rows.spec.final_columns)
    return Answer(nanoseconds, seeds, FinalRows(rows.spec, dict(zip(names, columns, strict=True)), episodes))
