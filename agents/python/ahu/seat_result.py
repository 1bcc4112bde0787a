"""The end of a match for one seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ahu._public import public
from ahu.errors import IllegalAction
from ahu.terms import Cause, cause_of
from ahu.v1 import match_service_pb2 as v1


@dataclass(frozen=True, kw_only=True)
class SeatResult:
    """The reason why a seat has nothing more to play, and the result of the match if it has one.

    Attributes:
        seat: the seat, from 0.
        state: the state of the match: `MATCH_STATE_FINISHED`, `MATCH_STATE_CANCELLED`, or `MATCH_STATE_VOID`;
            `MATCH_STATE_RUNNING` if the seat has forfeited and the others play on.
        result: the result of a finished match; None for any other match.
        forfeit: the reason why the seat has forfeited, such as "timeout"; None if it has not forfeited.
        reason: the reason why the match was cancelled or is void; empty for any other match.
        error: the refusal of the action by which the seat forfeited; None if it did not forfeit by an action.
    """

    seat: int
    state: v1.MatchState
    result: v1.MatchResult | None = None
    forfeit: Cause | None = None
    reason: str = ""
    error: IllegalAction | None = None

    @classmethod
    def of(cls, observation: v1.Observation, error: IllegalAction | None = None) -> SeatResult:
        """Returns the result of a seat by its last observation."""
        forfeit = forfeit_in(observation)
        return cls(
            seat=observation.seat,
            state=observation.state,
            result=observation.result if observation.HasField("result") else None,
            forfeit=forfeit,
            reason=observation.end_reason,
            error=error if forfeit in ("illegal", "unreadable") else None,
        )

    @property
    def scores(self) -> Sequence[int]:
        """The points, by seat.

        Raises:
            LookupError: there is no result.
        """
        return self._known().scores

    @property
    def ranks(self) -> Sequence[int]:
        """The ranks, by seat: 1 is first, and ties share a rank.

        Raises:
            LookupError: there is no result.
        """
        return self._known().ranks

    def __repr__(self) -> str:
        return f"SeatResult({self})"

    def __str__(self) -> str:
        """Returns the result in words, such as "seat 0: 31 points, place 1"."""
        parts = [f"forfeited ({self.forfeit})"] if self.forfeit else []
        if self.result is not None:
            parts.append(f"{self.scores[self.seat]} points, place {self.ranks[self.seat]}")
        elif self.state != v1.MATCH_STATE_RUNNING:
            parts.append(self._without_result())
        return f"seat {self.seat}: {', '.join(parts)}"

    def _known(self) -> v1.MatchResult:
        if self.result is None:
            end = self._without_result()
            raise LookupError(f"expected a finished match, got one without a result: {end}")
        return self.result

    def _without_result(self) -> str:
        if self.state == v1.MATCH_STATE_RUNNING:
            return "the others play on"
        ends = {v1.MATCH_STATE_CANCELLED: "the match was cancelled", v1.MATCH_STATE_VOID: "the match is void"}
        end = ends.get(self.state, "the match has ended")
        return f"{end}: {self.reason}" if self.reason else end


def forfeit_in(observation: v1.Observation) -> Cause | None:
    """Returns the reason why the seat of an observation has forfeited; None if it has not forfeited."""
    causes = (forfeit.cause for forfeit in observation.forfeits if forfeit.seat == observation.seat)
    return next(map(cause_of, causes), None)


public(SeatResult)
