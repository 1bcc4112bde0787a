"""Plays a seat to the end of its match, for blocking and asyncio agents alike.

`plan` is a generator that yields the result of each call: an answer if seat and agent are blocking, an awaitable if
they are of asyncio. The runner of the generator awaits what is awaitable, and sends the answer back, or throws the
error in.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Generator
from typing import Any, TypeVar, cast

from google.protobuf import text_format
from google.protobuf.message import Message

from ahu._agent import Alone, Resignation
from ahu._calls import MAX_WAIT, Awaiting
from ahu._errors import IllegalAction, ServiceError
from ahu._seat_result import SeatResult, forfeit_in
from ahu._turn import DEFAULT_FORMATS, Turn
from ahu.v1 import match_service_pb2 as v1

_OBSERVE_AGAIN = frozenset(("ABORTED", "FAILED_PRECONDITION"))
"""The codes of errors after which the match may have gone on, or have ended, without this answer."""

_LEGAL_SHOWN = 20
"""The number of legal actions that an error shows."""

Plan = Generator[Any, Any, SeatResult]

Answer = TypeVar("Answer")

_log = logging.getLogger("ahu")

_playing: dict[int, object] = {}
"""A mark for each agent with a memory that plays now, by the identity of the agent."""


def run(plan: Generator[Any, Any, Answer]) -> Answer:
    """Runs a plan of a blocking client to its end, and returns the plan's answer."""
    try:
        answer = next(plan)
        while True:
            answer = plan.send(answer)
    except StopIteration as end:
        return end.value


def play(agent: Any, seat: Any) -> SeatResult:
    """Plays a seat of a blocking client for `agent`, as `plan` does."""
    return run(plan(agent, seat))


async def run_awaiting(plan: Generator[Any, Any, Answer]) -> Answer:
    """Runs a plan to its end, awaits every awaitable, and returns the plan's answer."""
    try:
        step = next(plan)
        while True:
            try:
                answer = await step if inspect.isawaitable(step) else step
            except Exception as error:
                step = plan.throw(error)
            else:
                step = plan.send(answer)
    except StopIteration as end:
        return end.value
    finally:
        # A cancelled task leaves the plan in the middle.
        plan.close()


def plan(agent: Any, seat: Any) -> Plan:
    """Plays `seat` for `agent` until the match ends or the seat has forfeited.

    Raises:
        ValueError: the agent remembers a game, and plays another seat at the moment.
    """
    own = agent.agent if isinstance(agent, Alone) else agent
    if not any(callable(getattr(own, name, None)) for name in ("seed", "start")):
        return (yield from _plan(agent, seat))
    entry = object()
    if _playing.setdefault(id(own), entry) is not entry:
        raise ValueError(
            f"expected an agent of its own for seat {seat.seat} of match {seat.match_id}, such as copy.deepcopy(agent): "
            f"{type(own).__name__} plays another seat at the moment"
        )
    try:
        return (yield from _plan(agent, seat))
    finally:
        del _playing[id(own)]


def _plan(agent: Any, seat: Any) -> Plan:
    formats = getattr(agent, "formats", DEFAULT_FORMATS)
    events = _EventBuffer(0 if getattr(agent, "events", False) else None)
    begun, starts = False, True
    error: IllegalAction | None = None
    # Do not wait with the first call: a seat that has forfeited would wait for the end of the match.
    observation = yield seat.observe(formats, events_after=events.last)
    while not observation.done:
        # A decision shows that the match has begun, too: later servers have more states.
        if not begun and (observation.state == v1.MATCH_STATE_RUNNING or observation.HasField("decision")):
            begun = True
            # An attribute `seed` that is not callable belongs to the agent.
            if seat.agent_seed is not None and callable(getattr(agent, "seed", None)):
                yield agent.seed(seat.agent_seed)
            if hasattr(agent, "start"):
                yield agent.start((yield seat.match()))
        if not events.update(observation):
            observation = yield seat.observe(formats, events_after=events.last)
        elif observation.HasField("decision"):
            observation, error = yield from _decide(agent, seat, (formats, events), observation, starts)
            starts = False
        else:
            observation = yield seat.observe(formats, events_after=events.last, wait=MAX_WAIT)
    result = SeatResult.of(observation, error)
    if result.forfeit is not None:
        cause = f"{result.forfeit}: {result.error.message}" if result.error else result.forfeit
        _log.warning("seat %d of match %s has forfeited (%s)", seat.seat, seat.match_id, cause)
    if hasattr(agent, "end"):
        yield agent.end(result)
    return result


def _decide(
    agent: Any,
    seat: Any,
    asked: tuple[v1.ObservationFormats, _EventBuffer],
    observation: v1.Observation,
    starts: bool,
) -> Generator[Any, Any, tuple[v1.Observation, IllegalAction | None]]:
    """Sends the action that the agent chooses. Returns the observation after it, and the refusal if the seat forfeits.

    Raises:
        IllegalAction: the action was refused, and the seat did not forfeit by it.
    """
    formats, events = asked
    obs_format: Any = getattr(agent, "obs_format", "split")
    turn = Turn(observation, formats, events.take(), starts=starts, obs_format=obs_format)
    try:
        act = getattr(agent, "act_async", agent.act) if isinstance(cast(object, seat), Awaiting) else agent.act
        choice = yield act(turn)
    except Resignation as resignation:
        _log.warning("seat %d of match %s resigns: %s", turn.seat, turn.match_id, resignation)
        yield seat.resign()
        return (yield seat.observe(formats, events_after=events.last)), None
    try:
        response = yield seat.step(
            choice, decision_id=turn.decision_id, formats=formats, events_after=events.last, wait=MAX_WAIT
        )
        return response.observation, None
    except IllegalAction as error:
        explained = _explained(error, turn, choice)
    except ServiceError as error:
        if error.code not in _OBSERVE_AGAIN:
            raise
        observation = yield seat.observe(formats, events_after=events.last)
        if observation.decision.decision_id == turn.decision_id:
            raise
        return observation, None
    observation = yield seat.observe(formats, events_after=events.last)
    if forfeit_in(observation) is None:
        raise explained
    return observation, explained


def _explained(error: IllegalAction, turn: Turn, choice: object) -> IllegalAction:
    """Returns the error with the legal actions that the agent was shown."""
    actions = turn.message.decision.legal_actions
    legal = [f'{action.action_id} "{action.text}"' for action in actions] or list(map(str, error.legal_ids))
    shown = ", ".join(legal[:_LEGAL_SHOWN]) + (f" and {len(legal) - _LEGAL_SHOWN} more" if legal[_LEGAL_SHOWN:] else "")
    message = f"seat {turn.seat}, decision {turn.decision_id}: the agent chose {_described(choice)}. {error.message}"
    if shown:
        message += f". Legal: {shown}"
    error.message, error.args = message, (message,)
    return error.with_traceback(None)


def _described(choice: object) -> str:
    """Returns the choice of an agent in one line."""
    if isinstance(choice, Message):
        return f"{choice.DESCRIPTOR.full_name} {{ {text_format.MessageToString(choice, as_one_line=True)} }}"
    return repr(choice)


class _EventBuffer:
    """The events that the seat was told and the agent has not been shown yet.

    Attributes:
        last: the number of the last event that has arrived; None if the agent is told no events.
    """

    def __init__(self, last: int | None) -> None:
        self._events: list[v1.Event] = []
        self.last = last

    def update(self, observation: v1.Observation) -> bool:
        """Takes the events in. Returns False if there are more, which the next observation has."""
        if self.last is None:
            return True
        for event in observation.events:
            if event.number > self.last:
                self._events.append(event)
                self.last = event.number
        return not observation.events or self.last >= observation.event_count

    def take(self) -> list[v1.Event]:
        """Returns the events, and forgets them."""
        events, self._events = self._events, []
        return events
