"""Rows of a batch as turns, for players in environments that decide for one turn at a time."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message
from numpy.typing import DTypeLike, NDArray

from ahu import errors
from ahu.actions import Action, Choice, id_of
from ahu.messages import unpack
from ahu.training.batch import Batch
from ahu.training.engine import Engine
from ahu.turn import Turn
from ahu.v1 import match_service_pb2 as v1
from ahu.v1.environment_service_pb2 import TableFormat

if TYPE_CHECKING:
    from ahu.training.observation import ObsFormat

_FORMATS = v1.ObservationFormats(
    typed=True, text=True, legal_actions=True, tensor=True, mask=True, compact=True, compact_legend=True
)

_FORMS = {
    "table": TableFormat.TABLE_FORMAT_TEXT,
    "compact": TableFormat.TABLE_FORMAT_COMPACT,
    "legend": TableFormat.TABLE_FORMAT_COMPACT_LEGEND,
}


class Looks(Protocol):
    """The things that seats are shown besides arrays.

    Attributes:
        game: the game, by its name in the catalog.
    """

    game: str

    def text(self, environment: int, seat: int, form: str) -> str:
        """Returns the table in a form of `State.text`: "table", "compact", or "legend"."""
        ...

    def typed(self, environment: int, seat: int) -> Any:
        """Returns the table as a typed message."""
        ...

    def actions(self, environment: int, seat: int, legal_ids: Sequence[int]) -> tuple[Action, ...]:
        """Returns the legal actions in all forms."""
        ...


class EngineLooks:
    """The things that seats of environments are shown. Only environments in this process have typed messages and texts of actions.

    Args:
        engine: the engine.
        game: the game.
    """

    def __init__(self, engine: Engine, game: str) -> None:
        self.game = game
        self._engine = engine

    def text(self, environment: int, seat: int, form: str) -> str:
        return self._engine.render(environment, seat, _FORMS[form])

    def typed(self, environment: int, seat: int) -> Message:
        return unpack(Packed.FromString(self._engine.typed(environment, seat)))

    def actions(self, environment: int, seat: int, legal_ids: Sequence[int]) -> tuple[Action, ...]:
        messages = (self._engine.action(action_id, seat) for action_id in legal_ids)
        return tuple(Action.of(v1.Action.FromString(message)) for message in messages if message is not None)


class RowTurn(Turn):
    """A row of a batch as a turn. Environments keep no events, so `events` is empty."""

    def __init__(self, batch: Batch, row: int, decision_id: int, starts: bool, looks: Looks) -> None:
        environment, seat = int(batch.env_ids[row]), int(batch.seats[row])
        message = v1.Observation(
            match_id=f"environment {environment}",
            seat=seat,
            state=v1.MATCH_STATE_RUNNING,
            decision=v1.Decision(decision_id=decision_id),
        )
        super().__init__(message, _FORMATS, starts=starts)
        self._batch = batch
        self._row = row
        self._environment = environment
        self._looks = looks

    @cached_property
    def typed(self) -> Any:
        return self._looks.typed(self._environment, self.seat)

    @property
    def text(self) -> str:
        return self._looks.text(self._environment, self.seat, "table")

    @property
    def compact(self) -> str:
        return self._looks.text(self._environment, self.seat, "compact")

    @property
    def compact_legend(self) -> str:
        return self._looks.text(self._environment, self.seat, "legend")

    @cached_property
    def legal_ids(self) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self._batch.masks[self._row]).tolist())

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        return self._looks.actions(self._environment, self.seat, self.legal_ids)

    def batch(self, obs_format: ObsFormat = "split", mask_dtype: DTypeLike = bool) -> Batch:
        return self._batch.take(np.array([self._row])).as_format(obs_format, np.dtype(mask_dtype))


class RowAgents:
    """A function of a batch that asks a function of a turn, or agents: a copy of an agent for each seat of each environment.

    Args:
        player: the function or the agent.
        looks: what seats are shown besides arrays.
    """

    def __init__(self, player: Any, looks: Looks) -> None:
        self._player = player
        self._looks = looks
        self._agents: dict[tuple[int, int], Any] = {}
        self._decisions: dict[tuple[int, int], int] = {}

    def __call__(self, batch: Batch) -> NDArray[np.int64]:
        """Returns an action for each row."""
        return np.array([self._action(batch, row) for row in range(len(batch))], np.int64)

    def _action(self, batch: Batch, row: int) -> int:
        place = (int(batch.env_ids[row]), int(batch.seats[row]))
        starts = bool(batch.starts[row]) or place not in self._decisions
        number = 1 if starts else self._decisions[place] + 1
        turn = RowTurn(batch, row, number, starts, self._looks)
        if hasattr(self._player, "act"):
            if place not in self._agents:
                self._agents[place] = copy.deepcopy(self._player)
            agent = self._agents[place]
            if starts and hasattr(agent, "start"):
                agent.start(v1.Match(match_id=turn.match_id, game=self._looks.game))
            choice = _id_of(agent.act(turn), turn)
        else:
            choice = _id_of(self._player(turn), turn)
        self._decisions[place] = number
        return choice


def _id_of(choice: Choice, turn: RowTurn) -> int:
    """Returns the id of a choice in any form.

    Raises:
        IllegalAction: the choice is a text or a message of no legal action.
    """
    if isinstance(choice, Action):
        return choice.id
    if isinstance(choice, v1.Action):
        choice = choice.action_id if choice.HasField("action_id") else choice.text or unpack(choice.typed)
    if not isinstance(choice, str | Message):
        return id_of(choice)
    for action in turn.legal:
        if choice == (action.text if isinstance(choice, str) else action.typed):
            return action.id
    legal = errors.ranges(turn.legal_ids)
    message = f"{turn.match_id}, seat {turn.seat}: expected a legal action, got {choice!r}; legal ids: {legal}"
    raise errors.of_reason(message, reason="ILLEGAL_ACTION", metadata={"legal": legal})
