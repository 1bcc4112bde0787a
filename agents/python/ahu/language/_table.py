"""A table at which language models sit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ahu.language._dialog import Dialog, Event, Verdict
from ahu.language._places import SeatPlace, StatePlace
from ahu.language._reply import MAX_REPLY
from ahu.language._rules import rules_text
from ahu.language._style import Style

if TYPE_CHECKING:
    from ahu import State
    from ahu.client import Seat

LONGEST_WAIT = 30.0
"""The longest time that a server lets a call wait, in seconds."""


class Table:
    """The questions of a game as texts, and the answers of language models as actions.

        table = Table(ahu.new_game("rappanui", seed=7))
        while seats := table.to_act():
            seat = seats[0]
            reply = model(table.rules(seat), table.prompt(seat))
            verdict = table.answer(seat, reply)

    A prompt has the events since the last answer and the present table, and so no earlier prompt is needed. Decisions with one
    legal action are taken without a question. A refused answer costs an attempt and changes nothing; its feedback is in the
    next prompt. After the last attempt the seat forfeits, and comes last: on a server it resigns, and the stand-in of the match
    plays on; of a State, the policy of the playouts of a search plays on. `State.ranks` knows of no forfeit: take `returns`.

    A prompt is a function of what its seat may know. Names and comments of players are in no prompt.
    """

    def __init__(
        self,
        place: State | Seat,
        *,
        seats: Sequence[int] | None = None,
        bots: Mapping[int, str] = {},
        style: Style = Style(),
    ) -> None:
        """
        Args:
            place: a State, which changes with the answers, or a seat of `Client.join`.
            seats: the seats of a State that models play; None: all without a bot. `play` takes the actions of the others.
            bots: the bots of a State by seat, such as "greedy", "easy", "search:200", or "net:FILE". From the beginning of a game
                on, they play as in a match with the seed of the State.
            style: the style of the questions.

        Raises:
            ValueError: the State has no such seat or no seed, a seat has a model and a bot, or `seats` or `bots` is given for a
                seat of a server.
            ServiceError: there is no such bot (`UNKNOWN_BOT`).
        """
        self.style = style
        self._form = "compact" if style.table == "compact" else "table"
        if hasattr(place, "apply"):
            self._place: StatePlace | SeatPlace = StatePlace(place, seats, bots)  # pyright: ignore[reportArgumentType]  It is a State.
        elif seats is None and not bots:
            self._place = SeatPlace(place, self._form)  # pyright: ignore[reportArgumentType]  It is a seat.
        else:
            raise ValueError("expected seats and bots for a State alone: a seat of a server is one seat")
        game = self._place.game().summary.game
        self._dialogs = {seat: Dialog(seat, style, game) for seat in self._place.seats}
        self._told: dict[int, list[str]] = {seat: [] for seat in self._place.seats}
        self._asked: set[int] = set()
        self._rules: dict[int, str] = {}
        if isinstance(self._place, StatePlace):
            self._tell(self._place.opening)

    @property
    def is_over(self) -> bool:
        """True if no model has to decide any more: the game is over, or the seat of a server has forfeited."""
        return self._place.is_over()

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that have forfeited here."""
        return tuple(seat for seat, dialog in self._dialogs.items() if dialog.has_forfeited)

    def ranks(self) -> list[int]:
        """Returns the ranks by seat: 1 is first, and ties share (1, 1, 3). Forfeited seats share the last rank.

        Raises:
            LookupError: the seat of a server has no result, such as before the end.
        """
        return self._place.ranks()

    def returns(self, rewards: str = "rank") -> list[float]:
        """Returns the return of each seat by the ranks of `ranks` and the points. A stand-in of a forfeited seat goes on to earn
        points, so "rank" alone tells a trainer of the forfeit.

        Args:
            rewards: "rank" (+1 for the first place to -1 for the last), "margin", or "points".

        Raises:
            ServiceError: there is no such rule (`BAD_FIELD`).
            LookupError: the seat of a server has no result, such as before the end.
        """
        return self._place.returns(rewards)

    def reward(self, seat: int, rewards: str = "rank") -> float:
        """Returns the return of one seat; by "rank", -1 for a seat that has forfeited, also if others have too. Before the end,
        forfeit the seat first. Raises what `returns` raises, and a ValueError if no model plays the seat."""
        has_forfeited, reward = self._of(seat).has_forfeited, self.returns(rewards)[seat]
        return -1.0 if has_forfeited and rewards == "rank" else reward

    def legal(self, seat: int) -> dict[int, str]:
        """Returns the texts of the legal actions of a seat that is asked by id: for tools, constrained decoding, and scripts.

        Raises:
            ValueError: the seat is not asked.
        """
        self._check(seat)
        return self._place.legal(seat)

    def events(self, seat: int) -> tuple[str, ...]:
        """Returns all events that a seat was told since the table was made: for a model that is to remember.

        Raises:
            ValueError: no model plays the seat.
        """
        self._of(seat)
        return tuple(self._told[seat])

    def to_act(self, wait: float = LONGEST_WAIT) -> tuple[int, ...]:
        """Returns the seats that are asked, in rising order; none at the end. Takes forced decisions first.

        Args:
            wait: the time in seconds that a seat of a server waits for its decision, at most 30. If the time passes, no seat is
                asked, and `is_over` is False.
        """
        self._settle()
        if isinstance(self._place, SeatPlace) and not self._place.to_act():
            self._place.wait(min(wait, LONGEST_WAIT))
            self._settle()
        return self._place.to_act()

    def decision(self, seat: int) -> int:
        """Returns the number of the decision that a seat is asked for, from 1.

        Raises:
            ValueError: the seat is not asked.
        """
        self._check(seat)
        return self._place.decision(seat)

    def rules(self, seat: int) -> str:
        """Returns the text that the model of a seat needs once: the rules as the style has them, the legend of the table, and the
        form of an answer. It is the same for the whole game.

        Raises:
            ValueError: no model plays the seat.
        """
        self._of(seat)
        if seat not in self._rules:
            place = self._place
            legend = place.table(seat, "legend") if self._form == "compact" else ""
            self._rules[seat] = rules_text(place.game(), seat, place.seat_count, place.options, legend, self.style)
        return self._rules[seat]

    def prompt(self, seat: int) -> str:
        """Returns the question to the model of a seat.

        Raises:
            ValueError: the seat is not asked.
        """
        self._check(seat)
        dialog = self._dialogs[seat]
        if seat not in self._asked:
            self._asked.add(seat)
            dialog.forget_events()
        place = self._place
        return dialog.prompt(place.table(seat, self._form), place.legal(seat), place.decision(seat))

    def answer(self, seat: int, reply: str, *, truncated: bool = False, decision: int | None = None) -> Verdict:
        """Takes the reply of the model of a seat, and returns the verdict.

        An action that the reply names explicitly is final for its attempt, even if it is illegal. If a call to a server fails,
        nothing has changed here, and the same answer may be given again.

        Args:
            seat: the seat.
            reply: the reply, of which the last 65,536 characters are read.
            truncated: True if the reply was cut off, such as by a limit of tokens.
            decision: the number of the decision that the reply answers; None: the present one. With a number, an answer that
                comes twice, too early, or too late is refused.

        Raises:
            ValueError: the seat is not asked, or is asked for another decision. Nothing has changed.
            TypeError: the reply is no text.
        """
        if not isinstance(reply, str):  # pyright: ignore[reportUnnecessaryIsInstance]  Callers without types.
            raise TypeError(f"expected a reply as a text, got {type(reply).__name__}")
        self._check(seat)
        present = self._place.decision(seat)
        if decision is not None and decision != present:
            raise ValueError(f"expected an answer to decision {present} of seat {seat}, got one to decision {decision}")
        reply = reply[-MAX_REPLY:]
        dialog = self._dialogs[seat]
        verdict, action = dialog.judge(reply, self._place.legal(seat), truncated)
        if action is None:
            told = self._place.forfeit(seat) if verdict.kind == "forfeit" else {}
            dialog.refuse(verdict)
            self._tell(told)
            self._settle()
            return verdict
        told = self._place.act(seat, action)
        self._asked.add(seat)
        dialog.accept(reply)
        self._tell(told)
        applied = [*verdict.applied, *self._settle(seat)]
        return replace(verdict, applied=tuple(applied))

    def forfeit(self, seat: int) -> None:
        """Forfeits a seat of a model, as after its last attempt: it comes last, and its stand-in plays on.

        Raises:
            ValueError: no model plays the seat, it has forfeited, or the game is over. Nothing has changed.
        """
        dialog = self._of(seat)
        if dialog.has_forfeited or self.is_over:
            raise ValueError(f"expected a seat that plays, got {seat}")
        told = self._place.forfeit(seat)
        dialog.has_forfeited = True
        self._tell(told)
        self._settle()

    def play(self, seat: int, action: int | str) -> None:
        """Takes an action of a seat of a State that no model plays.

        Raises:
            ValueError: a model plays the seat, or this is a seat of a server.
            ServiceError: the State refuses the action.
        """
        if not isinstance(self._place, StatePlace) or seat in self._dialogs:
            raise ValueError(f"expected a seat of a State that no model plays, got {seat}")
        self._tell(self._place.act(seat, action))
        self._settle()

    def delegate(self, seat: int, bot: str = "greedy") -> None:
        """Lets a bot take the present decision of a model's seat, without a question.

        Raises:
            ValueError: the seat is not asked, or this is a seat of a server.
            ServiceError: there is no such bot (`UNKNOWN_BOT`).
        """
        self._check(seat)
        dialog = self._dialogs[seat]
        if not isinstance(self._place, StatePlace):
            raise ValueError(f"expected a State, of which bots take decisions, got seat {seat} of a server")
        told = self._place.delegate(seat, bot)
        self._asked.add(seat)
        dialog.accept("")
        self._tell(told)
        self._settle()

    def _of(self, seat: int) -> Dialog:
        dialog = self._dialogs.get(seat)
        if dialog is None:
            raise ValueError(f"expected a seat of a model ({', '.join(map(str, self._dialogs)) or 'none'}), got {seat}")
        return dialog

    def _check(self, seat: int) -> None:
        self._of(seat)
        asked = self._place.to_act()
        if seat not in asked:
            known = f"seat {', '.join(map(str, asked))}" if asked else "no seat"
            raise ValueError(f"expected a seat that is asked ({known}), got {seat}")

    def _tell(self, told: dict[int, list[Event]]) -> None:
        for seat, events in told.items():
            self._dialogs[seat].tell(events)
            self._told[seat] += [text for text, _ in events]

    def _settle(self, planning: int | None = None) -> list[str]:
        """Takes forced and planned decisions until models have to be asked. Returns the planned actions of the seat `planning`."""
        taken: list[str] = []
        while True:
            # A look at a server brings news.
            to_act = self._place.to_act()
            self._tell(self._place.news())
            for seat, dialog in self._dialogs.items():
                if seat not in to_act:
                    dialog.end_plan()
            for seat in to_act:
                legal = self._place.legal(seat)
                silent = self._dialogs[seat].silent(legal)
                if silent is not None:
                    action, was_planned = silent
                    if was_planned and seat == planning:
                        taken.append(legal[action])
                    self._tell(self._place.act(seat, action))
                    break
            else:
                return taken
