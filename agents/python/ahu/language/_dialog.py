"""The questions to the model of one seat, and the verdicts on its answers. It knows neither States nor servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Literal, TypeAlias

from ahu.language._listing import changes, listed
from ahu.language._reply import is_same, quoted, unknown
from ahu.language._style import Style

MAX_EVENTS = 60
"""The largest number of events in a prompt: the last ones."""

Kind = Literal["accepted", "illegal", "unreadable", "truncated", "forfeit"]

Event: TypeAlias = tuple[str, Sequence[int]]
"""An event as a seat is told it, with the seats whose decisions led to it."""

WAIT = "wait"
"""The entry of a plan that waits for the actions of other seats. It is no action of any game."""

EXPECTED = 'End your answer with {"actions": ["ACTION"]} or [ACTION], where ACTION is the exact text of an action.'
"""The reminder for an answer that is not read."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The judgement on an answer.

    Attributes:
        kind: "accepted"; "illegal", an action that is not legal now; "unreadable", no action; "truncated", no action in a
            reply that was cut off; "forfeit", one of the last three with the last attempt.
        fault: the fault behind a "forfeit"; otherwise the kind; None for "accepted".
        applied: the texts of the actions that were taken at once, without forced ones.
        feedback: a text for the model; empty for "accepted".
        attempt: the number of the attempt, from 1.
    """

    kind: Kind
    fault: Literal["illegal", "unreadable", "truncated"] | None = None
    applied: tuple[str, ...] = ()
    feedback: str = ""
    attempt: int


def _waits(entry: str) -> bool:
    """Returns True if an entry of a plan waits for the actions of other seats."""
    return is_same(entry, WAIT)


class Dialog:
    """The dialog with the model of one seat.

    Attributes:
        has_forfeited: True after the last attempt for a decision was refused.
    """

    def __init__(self, seat: int, style: Style, game: str) -> None:
        self._seat = seat
        self._style = style
        self._game = game
        self._events: list[str] = []
        self._left_out = 0
        self._plan: list[str] = []
        self._feedback = ""
        self._note = ""
        self._attempts = 0
        # The table of the last question, and that of the last one with an accepted answer.
        self._shown: str | None = None
        self._base: str | None = None
        self.has_forfeited = False

    def tell(self, events: Iterable[Event]) -> None:
        """Takes in events that the seat was told. An event to which another seat's decision led ends a plan that does not wait."""
        for event, actors in events:
            self._events.append(event)
            others = [actor for actor in actors if actor != self._seat]
            if others:
                self._end_plan(f"since seat {others[0]} acted" if len(others) == 1 else "since other seats acted")
        self._left_out += max(len(self._events) - MAX_EVENTS, 0)
        self._events = self._events[-MAX_EVENTS:]

    def forget_events(self) -> None:
        """Forgets the events so far: the first question of a match shows the table alone."""
        self._events, self._left_out = [], 0

    def end_plan(self) -> None:
        """Drops the rest of a plan that does not wait, since another seat has to decide."""
        self._end_plan("since another seat had to decide")

    def _end_plan(self, why: str) -> None:
        if self._plan and not _waits(self._plan[0]):
            self._note = f"Your plan ended before {quoted(self._plan[0])}, {why}."
            self._plan = []

    def silent(self, legal: Mapping[int, str]) -> tuple[int, bool] | None:
        """Returns the action that needs no question, and True if it was planned; None if the model is asked. An action is forced
        if no other one is legal."""
        rest = list(dropwhile(_waits, self._plan))
        if len(legal) == 1:
            [(action, text)] = legal.items()
            was_planned = bool(rest) and is_same(rest[0], text)
            if was_planned:
                self._plan = rest[1:]
            return action, was_planned
        if not rest:
            self._plan = []
            return None
        planned, *self._plan = rest
        for action, text in legal.items():
            if is_same(text, planned):
                return action, True
        self._note = f"Your plan ended at {quoted(planned)}, which {self._why(planned)}."
        self._plan = []
        return None

    def prompt(self, table: str, legal: Mapping[int, str], decision: int) -> str:
        """Returns the question: the new events, the present table, and the legal actions as the style has it."""
        parts: list[str] = []
        if self._events:
            left_out = [f"({self._left_out} earlier events)"] if self._left_out else []
            parts.append("\n".join(["Since your last decision:", *left_out, *self._events]))
        self._shown = table.rstrip()
        whole = f"The table now:\n{self._shown}"
        if self._style.changes and self._base is not None:
            changed = "\n".join(["The changes of the table:", *(changes(self._base, self._shown) or ["none"])])
            whole = min(whole, changed, key=len)
        parts.append(whole)
        # The feedback after a refused answer has the list too.
        if self._style.legal == "list" and not self._feedback:
            parts.append(f"Legal actions: {self._listed(legal)}")
        if self._note:
            parts.append(self._note)
        if self._feedback:
            parts.append(self._feedback)
        parts.append(f"Decision {decision} of seat {self._seat}: what do you do?")
        return "\n\n".join(parts)

    def judge(
        self, actions: Sequence[str] | None, legal: Mapping[int, str], truncated: bool
    ) -> tuple[Verdict, int | None]:
        """Returns the verdict on the actions of an answer, and the action to take; None for a refused answer. Changes nothing:
        `accept` or `refuse` follows."""
        attempt = self._attempts + 1
        if not actions:
            return self._refused("truncated" if truncated else "unreadable", attempt, legal, actions), None
        for action, text in legal.items():
            if is_same(text, actions[0]):
                return Verdict(kind="accepted", applied=(text,), attempt=attempt), action
        return self._refused("illegal", attempt, legal, actions), None

    def accept(self, actions: Sequence[str]) -> None:
        """Notes that the first of the actions of an answer was taken; none: an action that the model did not choose."""
        self._plan = list(actions[1:]) if self._style.plan else []
        # A question without an answer may be in no chat.
        if actions and self._shown is not None:
            self._base = self._shown
        self._shown = None
        self._events, self._left_out = [], 0
        self._feedback = self._note = ""
        self._attempts = 0

    def refuse(self, verdict: Verdict) -> None:
        """Notes a refused answer."""
        self._attempts = verdict.attempt
        self._shown = self._base = None
        self._feedback = verdict.feedback
        self.has_forfeited = verdict.kind == "forfeit"

    def _refused(
        self,
        fault: Literal["illegal", "unreadable", "truncated"],
        attempt: int,
        legal: Mapping[int, str],
        actions: Sequence[str] | None,
    ) -> Verdict:
        if attempt >= self._style.attempts:
            feedback = f"You have forfeited: the last answer was {fault}."
            return Verdict(kind="forfeit", fault=fault, feedback=feedback, attempt=attempt)
        if fault == "illegal":
            assert actions, "an illegal answer names an action"
            why = f"{quoted(actions[0])} {self._why(actions[0])}, so nothing has changed."
        elif fault == "truncated":
            why = f"Your answer was cut off before it named an action. Be brief. {EXPECTED}"
        else:
            why = f"Your answer named no action. {EXPECTED}"
        parts = [why]
        if self._style.legal != "never":
            parts.append(f"Legal actions: {self._listed(legal)}")
        parts.append(f"Attempt {attempt + 1} of {self._style.attempts}.")
        return Verdict(kind=fault, fault=fault, feedback="\n".join(parts), attempt=attempt)

    def _why(self, action: str) -> str:
        """Returns why an action is not taken."""
        reason = unknown(self._game, action)
        return f"is no action of the game ({reason})" if reason else "is not legal now"

    def _listed(self, legal: Mapping[int, str]) -> str:
        return listed(list(legal.values()), self._style.max_legal)
