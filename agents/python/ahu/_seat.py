"""The table of a seat's calls, for the blocking client and the asyncio client, and what a seat remembers."""

from __future__ import annotations

from dataclasses import replace
from typing import Generic, TypeVar

from ahu._actions import Action, Choice
from ahu._calls import Call, Calls, sent
from ahu.v1 import match_service_pb2 as v1

AnyClient = TypeVar("AnyClient")


class SeatCalls(Generic[AnyClient]):
    """A seat of a match.

    A seat of a blocking client returns the answer of each call; a seat of an asyncio client returns a coroutine.

    Attributes:
        client: the client that sends the calls.
        match_id: the match.
        seat: the seat, from 0.
        token: the secret that authorizes calls for the seat. Keep it from others.
        agent_seed: the seed from the host for the agent's own random choices in this match, 0 to 2**53 - 1; None: the
            host gives none.
        decision_id: the decision that the seat owes, as of the last answer; None if it owes none.
    """

    def __init__(self, client: AnyClient, match_id: str, seat: int, token: str, agent_seed: int | None = None) -> None:
        self.client = client
        self.match_id = match_id
        self.seat = seat
        self.token = token
        self.agent_seed = agent_seed
        self.decision_id: int | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(match_id={self.match_id!r}, seat={self.seat})"

    @sent
    def match(self) -> Call[v1.Match]:
        """Returns the public description of the match. The token is enough for it, where others need a key."""
        return replace(Calls.get_match.build(self.client, self.match_id), token=self.token)

    @sent
    def observe(
        self, formats: v1.ObservationFormats | None = None, *, events_after: int | None = None, wait: float = 0.0
    ) -> Call[v1.Observation]:
        """Returns the observation of the seat, as `Client.observe` does."""
        place = (self.client, self.match_id, self.seat, self.token)
        call = Calls.observe.build(*place, formats=formats, events_after=events_after, wait=wait)
        return call.then(self._remember)

    @sent
    def legal_actions(self, *, typed: bool = False) -> Call[list[Action]]:
        """Returns the legal actions of the seat; none if it owes no decision. With `typed`, also as typed messages."""
        formats = v1.ObservationFormats(legal_actions=True, typed=typed)
        call = Calls.observe.build(self.client, self.match_id, self.seat, self.token, formats=formats)
        return call.then(lambda seen: [Action.of(action) for action in self._remember(seen).decision.legal_actions])

    @sent
    def parse(self, action: Choice) -> Call[v1.ParseActionResponse]:
        """Returns an action in all forms, and whether the seat may take it now. Changes nothing."""
        return Calls.parse_action.build(self.client, self.match_id, self.seat, self.token, action)

    @sent
    def _step(
        self,
        action: Choice,
        decision_id: int | None,
        formats: v1.ObservationFormats | None,
        events_after: int | None,
        wait: float,
        comment: str,
    ) -> Call[v1.StepResponse]:
        """Answers a decision; None: the decision that the seat owes, as of the last answer."""

        def answer(response: v1.StepResponse) -> v1.StepResponse:
            self._remember(response.observation)
            return response

        decision = self.decision_id or 0 if decision_id is None else decision_id
        place = (self.client, self.match_id, self.seat, self.token)
        call = Calls.step.build(
            *place, decision, action, formats=formats, events_after=events_after, wait=wait, comment=comment
        )
        return call.then(answer)

    @sent
    def resign(self) -> Call[v1.Match]:
        """Resigns: the seat forfeits, and a stand-in plays on for it."""
        return Calls.resign_seat.build(self.client, self.match_id, self.seat, self.token)

    @sent
    def record(self, record_format: v1.RecordFormat = v1.RECORD_FORMAT_TEXT) -> Call[v1.GetRecordResponse]:
        """Returns the record of the match after its end."""
        return Calls.get_record.build(self.client, self.match_id, record_format=record_format)

    def _remember(self, observation: v1.Observation) -> v1.Observation:
        self.decision_id = observation.decision.decision_id if observation.HasField("decision") else None
        return observation
