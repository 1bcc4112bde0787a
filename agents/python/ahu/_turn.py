"""The turn: what an agent is shown when it has to decide."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ahu._actions import Action
from ahu._hints import hinted
from ahu._messages import unpack
from ahu._public import public
from ahu._terms import seconds
from ahu.v1 import match_service_pb2 as v1

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ahu.training._batch import Batch
    from ahu.training._layout import Layout
    from ahu.training._observation import Observation, ObsFormat

DEFAULT_FORMATS = v1.ObservationFormats(typed=True, legal_actions=True, tensor=True, mask=True)
"""The formats for an agent without `formats`."""


class Turn:
    """A decision that the seat owes, and what the seat knows.

    Rules of thumb read `typed`, `legal`, `text`, and `events`. Nets read `observation` and `masks`, which are the same as
    in a `Batch` of one row; they need numpy. A property that the agent's `formats` do not request raises a LookupError.

    Attributes:
        message: the message from the server.
        events: the events that the seat was told since its last decision, in order; empty unless the agent's `events` is
            True.
        starts: True for the first decision that the agent is asked for in the match.
    """

    def __init__(
        self,
        message: v1.Observation,
        formats: v1.ObservationFormats,
        events: Iterable[v1.Event] = (),
        *,
        starts: bool = False,
        obs_format: ObsFormat = "split",
    ) -> None:
        self.message = message
        self.events = tuple(events)
        self.starts = starts
        self._formats = formats
        self._obs_format: ObsFormat = obs_format

    def __repr__(self) -> str:
        return f"Turn(match_id={self.match_id!r}, seat={self.seat}, decision_id={self.decision_id})"

    @property
    def match_id(self) -> str:
        """The match."""
        return self.message.match_id

    @property
    def seat(self) -> int:
        """The seat that decides, from 0."""
        return self.message.seat

    @property
    def decision_id(self) -> int:
        """The number of the decision, counted from 1 for each seat."""
        return self.message.decision.decision_id

    @property
    def time_left(self) -> float | None:
        """The time in seconds that was left for the decision when the server sent it; None: no limit.

        An action that arrives later is a timeout.
        """
        decision = self.message.decision
        return seconds(decision.time_left) if decision.HasField("time_left") else None

    @property
    def banks(self) -> dict[int, float]:
        """The time in seconds left in each bank, by seat, for seats with a bank.

        The bank of this seat is as of its last answer. The banks of other seats are as of the last event that this seat
        was told.
        """
        return {clock.seat: seconds(clock.bank) for clock in self.message.clocks}

    @cached_property
    def typed(self) -> Any:
        """The table as a typed message of the game, such as an `ahu.rappanui.v1.rappanui_pb2.Observation`."""
        self._need("typed")
        return unpack(self.message.typed)

    @property
    def text(self) -> str:
        """The table as text, for people."""
        self._need("text")
        return self.message.text

    @property
    def compact(self) -> str:
        """The table as text for language models: the facts of `text` in fewer tokens."""
        self._need("compact")
        return self.message.compact

    @property
    def compact_legend(self) -> str:
        """The explanation of `compact`, with the facts about the board, which stay the same for the whole game."""
        self._need("compact_legend")
        return self.message.compact_legend

    @property
    def view(self) -> bytes:
        """All that the seat knows, from which `ahu.State.from_view` and `ahu positions` sample games."""
        self._need("view")
        return self.message.view

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions, by rising id."""
        self._need("legal_actions")
        return tuple(Action.of(action) for action in self.message.decision.legal_actions)

    @cached_property
    def legal_ids(self) -> tuple[int, ...]:
        """The ids of the legal actions, in rising order."""
        decision = self.message.decision
        if self._formats.legal_ids:
            return tuple(decision.legal_ids)
        if self._formats.legal_actions:
            return tuple(action.action_id for action in decision.legal_actions)
        if self._formats.mask:
            return tuple(i for i in range(8 * len(decision.mask)) if decision.mask[i // 8] >> i % 8 & 1)
        self._need("legal_ids")
        return ()

    @property
    def observation(self) -> Observation:
        """The observation as arrays of one row, in the agent's `obs_format` (by default "split").

        Raises:
            ModuleNotFoundError: numpy is not installed.
            LookupError: `formats` does not request the tensor, or this package does not know the layout.
        """
        return self._one_row.observation

    @property
    def masks(self) -> NDArray[Any]:
        """The legal actions: bool [1, action_count]. Raises the same errors as `observation`."""
        return self._one_row.masks

    @property
    def layout(self) -> Layout:
        """The layout of the observation. Raises the same errors as `observation`."""
        return self._one_row.layout

    def batch(self, obs_format: ObsFormat = "split", mask_dtype: DTypeLike = bool) -> Batch:
        """Returns the decision as a batch of one row, as a `VectorEnv` returns it, without rewards.

        Args:
            obs_format: the format of observations (see `Observation`).
            mask_dtype: the type of masks, bool or int8.

        Raises the same errors as `observation`.
        """
        self._need("tensor")
        self._need("mask")
        # Agents that read no arrays need no numpy.
        from ahu.training._batch import batch_of_turns

        return batch_of_turns([self], obs_format, mask_dtype)

    @cached_property
    def _one_row(self) -> Batch:
        return self.batch(self._obs_format)

    def _need(self, name: str) -> None:
        if not getattr(self._formats, name):
            message = f"the agent's formats do not ask for {name}: formats = ObservationFormats({name}=True, ...)"
            raise LookupError(message)


public(Turn)
hinted(Turn)
