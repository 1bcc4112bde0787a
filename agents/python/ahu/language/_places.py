"""The places at which a Table sits: a State of this process, or a seat of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ahu._nets import loaded
from ahu._seat_result import SeatResult
from ahu.language._dialog import Event
from ahu.v1 import match_service_pb2 as v1
from ahu.v1.catalog_service_pb2 import Game

if TYPE_CHECKING:
    from ahu import State
    from ahu.client import Seat


class StatePlace:
    """Seats of a State.

    Attributes:
        seats: the seats that models play.
        seat_count: the number of all seats.
        options: the values of all options.
    """

    def __init__(self, state: State, seats: Sequence[int] | None, bots: Mapping[int, str]) -> None:
        if state.seed is None:
            raise ValueError("expected a State with a seed, which settles its chance, got one without")
        self._state = state
        self.seat_count = state.seats
        self.seats = tuple(seat for seat in range(state.seats) if seat not in bots) if seats is None else tuple(seats)
        for seat in (*self.seats, *bots):
            if not isinstance(seat, int) or not 0 <= seat < state.seats:  # pyright: ignore[reportUnnecessaryIsInstance]  As JSON has it.
                raise ValueError(f"expected seats from 0 to {state.seats - 1}, got {seat!r}")
        if both := set(self.seats).intersection(bots):
            raise ValueError(f"expected a model or a bot for each seat, got both for seat {min(both)}")
        self.options = state.options
        self._decisions = dict.fromkeys(range(state.seats), 1)
        # The bots by seat, with the stand-ins of forfeited seats.
        self._bots = {seat: state._bot(loaded(bot)) for seat, bot in bots.items()}
        self._forfeited: set[int] = set()
        # The events before the first question: those of bots.
        self.opening = self._told([])

    def game(self) -> Game:
        """Returns the description of the game."""
        from ahu import game

        return game(self._state.game)

    def is_over(self) -> bool:
        """Returns True if no seat of the place will have to decide any more."""
        return self._state.is_over

    def to_act(self) -> tuple[int, ...]:
        """Returns the seats of the place that have to decide."""
        return tuple(seat for seat in self._state.to_act if seat in self.seats and seat not in self._bots)

    def legal(self, seat: int) -> dict[int, str]:
        """Returns the legal actions by id."""
        return {action: self._state.action_text(action) for action in self._state.legal_ids(seat)}

    def decision(self, seat: int) -> int:
        """Returns the number of the decision of a seat, from 1."""
        return self._decisions[seat]

    def table(self, seat: int, form: str) -> str:
        """Returns the table in the form "compact", "table", or "legend"."""
        return self._state.text(seat, form)

    def act(self, seat: int, action: int | str) -> dict[int, list[Event]]:
        """Takes an action, and returns the events that seats were told."""
        happened: list[Any] = []
        self._apply(seat, action, happened)
        return self._told(happened)

    def news(self) -> dict[int, list[Event]]:
        """Returns the events that seats were told since the last call, without waiting."""
        return {}

    def forfeit(self, seat: int) -> dict[int, list[Event]]:
        """Forfeits a seat, for which a stand-in decides from now on. Returns the events that seats were told."""
        self._forfeited.add(seat)
        self._bots[seat] = "greedy"
        return self._told([])

    def ranks(self) -> list[int]:
        """Returns the ranks by seat; forfeited seats share the last one."""
        return self._state.ranks(forfeited=sorted(self._forfeited))

    def returns(self, rewards: str) -> list[float]:
        """Returns the return of each seat by a reward rule."""
        return self._state.returns(rewards, forfeited=sorted(self._forfeited))

    def _apply(self, seat: int, action: int | str, happened: list[Any]) -> None:
        self._state.apply(action, seat, happened)
        self._decisions[seat] += 1

    def delegate(self, seat: int, bot: str) -> dict[int, list[Event]]:
        """Lets a bot take the present decision of a seat. Returns the events that seats were told."""
        return self.act(seat, self._choice(seat, loaded(bot)))

    def _choice(self, seat: int, bot: str) -> int:
        return self._state._bot_choice(seat, bot, self._decisions[seat])

    def _told(self, happened: list[Any]) -> dict[int, list[Event]]:
        """Lets bots decide, and returns what the seats are told of all events. A bot sees what its seat sees."""
        while due := [seat for seat in self._state.to_act if seat in self._bots]:
            seat = due[0]
            self._apply(seat, self._choice(seat, self._bots[seat]), happened)
        return {
            seat: [(text, event.actor_seats) for event in happened if (text := event.text(seat)) is not None]
            for seat in self.seats
        }


class SeatPlace:
    """A seat of a server, with the methods and attributes of a `StatePlace`."""

    def __init__(self, seat: Seat, form: str) -> None:
        self._seat = seat
        self.seats = (seat.seat,)
        self._formats = v1.ObservationFormats(legal_actions=True)
        self._told = 0
        if form == "compact":
            self._formats.compact = True
        else:
            self._formats.text = True
        self._match = seat.match()
        self.seat_count = len(self._match.seats)
        self.options = dict(self._match.options)
        self._events: list[Event] = []
        self._seen: v1.Observation = self._look(0.0)

    def game(self) -> Game:
        return self._seat.client.get_game(self._match.game)

    def is_over(self) -> bool:
        return self._seen.done

    def to_act(self) -> tuple[int, ...]:
        if self.is_over():
            return ()
        # While several seats decide at once, the answers of the others change what this seat is shown.
        if not self._seen.HasField("decision") or len(self._seen.seats_to_act) > 1:
            self._seen = self._look(0.0)
        return self.seats if self._seen.HasField("decision") and not self.is_over() else ()

    def wait(self, seconds: float) -> None:
        """Waits for the next decision or the end."""
        if not self.is_over() and not self._seen.HasField("decision"):
            self._seen = self._look(seconds)

    def legal(self, seat: int) -> dict[int, str]:
        return {action.action_id: action.text for action in self._seen.decision.legal_actions}

    def decision(self, seat: int) -> int:
        return self._seen.decision.decision_id

    def table(self, seat: int, form: str) -> str:
        if form == "legend":
            return self._seat.observe(v1.ObservationFormats(compact_legend=True)).compact_legend
        return self._seen.compact if form == "compact" else self._seen.text

    def act(self, seat: int, action: int | str) -> dict[int, list[Event]]:
        step = self._seat.step(action, decision_id=self.decision(seat), formats=self._formats, events_after=self._told)
        self._seen = self._kept(step.observation)
        return self.news()

    def news(self) -> dict[int, list[Event]]:
        events, self._events = self._events, []
        return {self.seats[0]: events}

    def forfeit(self, seat: int) -> dict[int, list[Event]]:
        self._seat.resign()
        self._seen = self._look(0.0)
        return self.news()

    def ranks(self) -> list[int]:
        return list(SeatResult.of(self._ended()).ranks)

    def returns(self, rewards: str) -> list[float]:
        from ahu import _native

        result = SeatResult.of(self._ended())
        return _native.returns_of(rewards, result.scores, result.ranks)

    def _ended(self) -> v1.Observation:
        """Returns the present observation of a seat that may have forfeited: its match goes on without it."""
        if self.is_over() and not self._seen.HasField("result"):
            self._seen = self._look(0.0)
        return self._seen

    def _look(self, seconds: float) -> v1.Observation:
        return self._kept(self._seat.observe(self._formats, events_after=self._told, wait=seconds))

    def _kept(self, seen: v1.Observation) -> v1.Observation:
        """Keeps the events of an observation, and of those that had no room in it."""
        while True:
            new = [event for event in seen.events if event.number > self._told]
            self._events += [(event.text, event.actor_seats) for event in new]
            if new:
                self._told = new[-1].number
            if not seen.events or self._told >= seen.event_count:
                return seen
            seen = self._seat.observe(self._formats, events_after=self._told)
