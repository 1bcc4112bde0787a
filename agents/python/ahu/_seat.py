"""A seat, as far as the blocking and the asyncio client agree: what its calls say, and what it remembers."""

from __future__ import annotations

from ahu import _calls
from ahu._calls import Call
from ahu.actions import Action, Choice
from ahu.v1 import match_service_pb2 as v1


class SeatBase:
    """A seat of a match.

    Attributes:
        match_id: the match.
        seat: the seat, from 0.
        token: what proves that the seat is one's own. Keep it from others.
        agent_seed: the seed that the host gives for the agent's own random choices in this match, 0 to 2**63 - 1; None:
            it gives none.
        decision_id: the decision that the seat owed when it was last heard of; None where it owed none.
    """

    def __init__(self, match_id: str, seat: int, token: str, agent_seed: int | None = None) -> None:
        self.match_id = match_id
        self.seat = seat
        self.token = token
        self.agent_seed = agent_seed
        self.decision_id: int | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(match_id={self.match_id!r}, seat={self.seat})"

    def _observe(self, formats: v1.ObservationFormats | None, wait: float) -> Call[v1.Observation]:
        call = _calls.observe(self.match_id, self.seat, self.token, formats, wait)

        def answer(response: v1.ObserveResponse) -> v1.Observation:
            self._remember(response.observation)
            return response.observation

        return Call(call.name, call.request, answer, call.token, call.wait)

    def _step(self, action: Choice, decision_id: int, formats: v1.ObservationFormats | None) -> Call[v1.StepResponse]:
        call = _calls.step(self.match_id, self.seat, self.token, decision_id, action, formats)

        def answer(response: v1.StepResponse) -> v1.StepResponse:
            self._remember(response.observation)
            return response

        return Call(call.name, call.request, answer, call.token)

    def _legal_actions(self, typed: bool) -> Call[list[Action]]:
        call = _calls.list_legal_actions(self.match_id, self.seat, self.token, typed)

        def answer(response: v1.ListLegalActionsResponse) -> list[Action]:
            self.decision_id = response.decision_id if response.HasField("decision_id") else None
            return [Action.of(action) for action in response.actions]

        return Call(call.name, call.request, answer, call.token)

    def _parse(self, action: Choice) -> Call[v1.ParseActionResponse]:
        return _calls.parse_action(self.match_id, self.seat, self.token, action)

    def _resign(self) -> Call[v1.Match]:
        return _calls.resign_seat(self.match_id, self.seat, self.token)

    def _record(self, record_format: v1.RecordFormat) -> Call[v1.GetRecordResponse]:
        return _calls.get_record(self.match_id, record_format, self.seat, self.token)

    def _remember(self, observation: v1.Observation) -> None:
        self.decision_id = observation.decision.decision_id if observation.HasField("decision") else None
