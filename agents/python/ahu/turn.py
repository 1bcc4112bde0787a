"""The turn: what an agent is shown when it has to decide."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from ahu.actions import Action
from ahu.messages import unpack
from ahu.terms import seconds
from ahu.v1 import match_service_pb2 as v1


class Turn:
    """A decision that the seat owes, and what the seat knows.

    A property that the agent's `formats` do not request raises a LookupError.

    Attributes:
        observation: the message from the server.
        events: the events that the seat was told since its last decision, in order; empty if `formats` has no
            `events_after`.
    """

    def __init__(
        self, observation: v1.Observation, formats: v1.ObservationFormats, events: Iterable[v1.Event] = ()
    ) -> None:
        self.observation = observation
        self.events = tuple(events)
        self._formats = formats

    def __repr__(self) -> str:
        return f"Turn(match_id={self.match_id!r}, seat={self.seat}, decision_id={self.decision_id})"

    @property
    def match_id(self) -> str:
        """The match."""
        return self.observation.match_id

    @property
    def seat(self) -> int:
        """The seat that decides, from 0."""
        return self.observation.seat

    @property
    def decision_id(self) -> int:
        """The number of the decision, counted from 1 for each seat."""
        return self.observation.decision.decision_id

    @property
    def time_left(self) -> float | None:
        """The time in seconds that was left for the decision when the server sent it; None: no limit.

        An action that arrives later is a timeout.
        """
        decision = self.observation.decision
        return seconds(decision.time_left) if decision.HasField("time_left") else None

    @property
    def banks(self) -> dict[int, float]:
        """The time in seconds left in each bank, by seat, for seats with a bank.

        The bank of this seat is as of its last answer. The banks of other seats are as of the last event that this seat
        was told.
        """
        return {clock.seat: seconds(clock.bank) for clock in self.observation.clocks}

    @cached_property
    def typed(self) -> Any:
        """The table as a typed message of the game, such as an `ahu.rappanui.v1.rappanui_pb2.Observation`."""
        self._need("typed")
        return unpack(self.observation.typed)

    @property
    def text(self) -> str:
        """The table as text, for people."""
        self._need("text")
        return self.observation.text

    @property
    def tensor(self) -> v1.Tensor:
        """The tensor: `bits` and `numbers`, as bytes in the layout that the catalog states."""
        self._need("tensor")
        return self.observation.tensor

    @property
    def mask(self) -> bytes:
        """The legal actions: bit i % 8 (the lowest is 0) of byte i / 8 is set if id i is legal."""
        self._need("mask")
        return self.observation.decision.mask

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions, by rising id."""
        self._need("legal_actions")
        return tuple(Action.of(action) for action in self.observation.decision.legal_actions)

    @cached_property
    def legal_ids(self) -> tuple[int, ...]:
        """The ids of the legal actions, in rising order."""
        decision = self.observation.decision
        if self._formats.legal_ids:
            return tuple(decision.legal_ids)
        if self._formats.legal_actions:
            return tuple(action.action_id for action in decision.legal_actions)
        if self._formats.mask:
            return tuple(i for i in range(8 * len(decision.mask)) if decision.mask[i // 8] >> i % 8 & 1)
        self._need("legal_ids")
        return ()

    def _need(self, name: str) -> None:
        if not getattr(self._formats, name):
            message = f"the agent's formats do not ask for {name}: formats = ObservationFormats({name}=True, ...)"
            raise LookupError(message)
