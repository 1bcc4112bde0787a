"""An agent that plays seats of a server: one seat, or the matches of a duel or of a cup for as long as they last.

`Contest.plan` is a generator like `_match.plan`: `ahu.aio.connect` awaits what it yields.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from ahu._agent import Agent, Policy, copies
from ahu._batched import Batched
from ahu._calls import MAX_WAIT
from ahu._errors import ServiceError
from ahu._match import play, run
from ahu._placement import AgentKey, Placement, agent_key, assigned_seat
from ahu._public import public
from ahu._retry import Retry
from ahu._seat_result import SeatResult
from ahu._tracebacks import without_ours
from ahu.client import Client, PracticeReport, Seat
from ahu.v1 import match_service_pb2 as v1

RETRY = Retry(total=math.inf, first=0.1, longest=30.0)
"""The retries of a competing agent, which waits for its server without end."""

FORGOTTEN = 600.0
"""The time in seconds for which a valid key may be refused: a server that has just started again has no cup yet."""

PAUSED = 75
"""The exit code of a program whose account has played its games of the day: a supervisor starts it again later."""

_PASSING = frozenset(("CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "RESOURCE_EXHAUSTED", "UNAVAILABLE", "UNKNOWN"))
"""The codes of errors after which the agent asks again for the seat that it plays."""

_log = logging.getLogger("ahu")


@dataclass(frozen=True, kw_only=True)
class Connected:
    """The matches that an agent has played with one call of `connect`.

    Attributes:
        matches: the number of matches; 0 if no match came.
        result: the end of the last match; None if there was no match.
        practice: the report on a practice match; None if there was none.
        dismissal: the reason why no more seats come, in the words of the host; None for a single seat and for practice.
        exit_code: the code with which a program should end, for the supervisor that starts it again after a failure: 75
            (EX_TEMPFAIL) if the account of the agent has played its games of the day, else 0.
    """

    matches: int
    result: SeatResult | None = None
    practice: PracticeReport | None = None
    dismissal: str | None = None
    exit_code: int = 0

    def __str__(self) -> str:
        """Returns the last result, or the number of matches."""
        return str(self.result) if self.matches == 1 and self.result is not None else f"{self.matches} matches"


@without_ours
def connect(
    agent: Agent | Policy | Batched,
    address: str | None = None,
    key: str | None = None,
    *,
    seat: Seat | None = None,
    practice: bool = False,
    games_at_once: int = 1,
) -> Connected:
    """Plays seats of a server with an agent, and returns what it has played.

        ahu.connect(MyAgent())                                                       # as `ahu play` or `ahu duel` says
        ahu.connect(my_policy, "cup.example.org:50551", open("moai.key").read())     # a cup
        ahu.connect(my_policy, seat=client.join(game="giants"))                      # one seat

    With a key, the agent asks for one seat after another until no more come. While the server cannot be reached, it tries
    again without end: at first at once, later every 30 seconds. It goes on with its match, even in a new process with the
    same key. Use a key in only one process: two would play the same seats.

    Without a key and a seat, the agent plays the seat that its host names in the environment, until its match ends or the
    seat has forfeited. After a lost connection it connects again, and sends a step again if its answer was lost.

    The logger "ahu" logs the progress at the level INFO.

    Args:
        agent: a function of a turn, an object with a method `act` (see `Agent`), or `ahu.batched(function)`. The same
            object plays one match after another.
        address: the address of the server, such as "https://cup.example.org" for TLS, or "127.0.0.1:50551"; None:
            AHU_ADDRESS. With TLS, AHU_CA_FILE may name a file in PEM with the authorities to trust.
        key: the agent's key, from the organiser; None: AHU_KEY, or the content of the file AHU_KEY_FILE. With the key of an
            account that has entered several agents into ladders, AHU_AGENT names the one that plays.
        seat: the only seat to play, of `Client.join`.
        practice: True to play a practice match of a cup, which does not count, for the report on the agent. It has the
            game and the clock that the organiser chose, against bots. The server withholds some answers, as if the
            connection were lost.
        games_at_once: the maximum number of matches that the agent plays at the same time. A deep copy of the agent plays
            each match beyond the first, in its own thread.

    Raises:
        LookupError: neither the arguments nor the environment name a seat or a key.
        ValueError: `games_at_once` is not positive, or `seat` is given together with an address, a key, or `practice`.
        IllegalAction: the agent chose an action that is illegal or that the game does not have, and the seat did not
            forfeit by it; the message lists legal actions.
        ConnectionLost: without a key, the server could not be reached for a minute, or for as long as the client tries.
        ServiceError: the key is wrong, the organiser offers no practice, or the service refused something else.
        TypeError: the agent is not a player of this process, or its choice is not an action in any form.
        Exception: whatever the agent raised.
    """
    players = copies(agent, games_at_once)
    if seat is not None:
        refuse_with_seat(address, key, practice)
        return Connected(matches=1, result=play(players[0], seat))
    found = agent_key(address=address, key=key)
    if found is None and address is None and key is None and not practice:
        placement = Placement.from_environment()
        with Client(placement.address) as client:
            return Connected(matches=1, result=play(players[0], placement.seat_of(client)))
    return connect_with(play, players, known_key(found), practice=practice)


def connect_with(
    play: Callable[[Any, Seat], SeatResult],
    players: Sequence[Any],
    key: AgentKey | None = None,
    *,
    practice: bool = False,
    retry: Retry | None = RETRY,
) -> Connected:
    """Plays the seats of a key with the function `play`; without a key, the seat in the environment.

    Args:
        play: plays a seat for a player to its end.
        players: the players. Each plays one match at a time.
        key: the key of the agent; None: the key in the environment.
        practice: True to play a practice match with the first player.
        retry: the retries of calls; None: the usual retries, and an error ends the matches.
    """
    key = key or agent_key()
    if key is None and not practice and "AHU_TOKEN" in os.environ:
        placement = Placement.from_environment()
        with Client(placement.address) as client:
            return Connected(matches=1, result=play(players[0], placement.seat_of(client)))
    key = known_key(key)
    with Client(key.address, retry=retry or Retry()) as client:
        if practice:
            return run(practice_plan(client, key, play, players[0]))
        contest = Contest(client, key, play, threading.Lock(), is_patient=retry is not None)
        if len(players) == 1:
            return contest.connected(run(contest.plan(players[0])))
        with ThreadPoolExecutor(len(players), thread_name_prefix="ahu connect") as pool:
            playing = [pool.submit(run, contest.plan(player)) for player in players]
            wait(playing, return_when=FIRST_EXCEPTION)
            # The others end with the matches that they play now.
            contest.has_ended = True
            return contest.connected(sum(future.result() for future in playing))


def refuse_with_seat(address: str | None, key: str | None, practice: bool) -> None:
    """Checks that nothing else than the seat says where to play.

    Raises:
        ValueError: something else does.
    """
    if address is not None or key is not None or practice:
        raise ValueError("expected either a seat, or an address and a key: a seat knows its server")


def practice_plan(
    client: Any, key: AgentKey, play: Callable[[Any, Any], Any], agent: Any
) -> Generator[Any, Any, Connected]:
    """Plays a practice match to its end, and returns the report on the agent."""
    practice_id, result = str(uuid.uuid4()), None
    while True:
        answer = yield client.practise(key.key, practice_id)
        if answer.HasField("report"):
            return Connected(matches=1, result=result, practice=answer.report)
        result = yield play(agent, assigned_seat(client, answer.assigned))


def known_key(key: AgentKey | None) -> AgentKey:
    """Returns the key.

    Raises:
        LookupError: there is none.
    """
    if key is None:
        raise LookupError(
            "expected an address and a key, as arguments or in the variables AHU_ADDRESS and AHU_KEY or AHU_KEY_FILE"
        )
    return key


class Contest:
    """The matches of one key, with a blocking client or one for asyncio.

    Attributes:
        has_ended: True once no further seat is asked for.
    """

    def __init__(
        self,
        client: Any,
        key: AgentKey,
        play: Callable[[Any, Any], Any],
        asking: Any,
        is_patient: bool = True,
    ) -> None:
        """
        Args:
            client: the client of the server.
            key: the key of the agent.
            play: plays a seat of the client for an agent.
            asking: an unlocked lock, of threads or of asyncio. Only its holder asks for a seat, so that no two players
                get the same seat.
            is_patient: True to try again after errors that may pass.
        """
        self.has_ended = False
        self._client = client
        self._key = key.key
        self._play = play
        self._asking = asking
        self._is_patient = is_patient
        self._result: SeatResult | None = None
        self._dismissal: str | None = None
        self._exit_code = 0
        self._agent = key.agent
        self._playing: set[tuple[str, int]] = set()
        self._accepted_at: float | None = None

    def connected(self, matches: int) -> Connected:
        """Returns what was played in a number of matches."""
        return Connected(matches=matches, result=self._result, dismissal=self._dismissal, exit_code=self._exit_code)

    def plan(self, agent: Any) -> Generator[Any, Any, int]:
        """Plays one seat after another until no more come, and returns the number of matches."""
        matches, waits = 0, RETRY.waits()
        while True:
            seat = None
            try:
                seat = yield from self._next()
                if seat is None:
                    return matches
                try:
                    result = yield self._play(agent, seat)
                finally:
                    self._playing.discard((seat.match_id, seat.seat))
            except ServiceError as error:
                self._raise_unless_passing(error, has_seat=seat is not None)
                pause = max(next(waits), error.retry_after or 0.0)
                _log.warning("trying again in %.1f s: %s", pause, error)
                yield self._client._sleep(pause)
                continue
            self._result = result
            matches, waits = matches + 1, RETRY.waits()
            _log.info("match %s: %s", seat.match_id, result)

    def _next(self) -> Generator[Any, Any, Any]:
        """Waits for the next seat, and returns it; None: no more seats will come."""
        yield self._asking.acquire()
        try:
            while not self.has_ended:
                playing = sorted(self._playing)
                answer = yield self._client.await_seat(self._key, wait=MAX_WAIT, playing=playing, agent=self._agent)
                if self._accepted_at is None:
                    _log.info("%s has accepted the key", self._client.address)
                self._accepted_at = time.monotonic()
                if answer.HasField("dismissal"):
                    has_ended = answer.dismissal.reason == v1.DISMISSAL_REASON_ENDED
                    self._dismissal = answer.dismissal.message
                    if answer.dismissal.reason == v1.DISMISSAL_REASON_LIMIT:
                        self._exit_code = PAUSED
                    _log.log(logging.INFO if has_ended else logging.WARNING, "no more seats: %s", self._dismissal)
                    self.has_ended = True
                elif answer.HasField("assigned"):
                    seat = assigned_seat(self._client, answer.assigned)
                    self._playing.add((seat.match_id, seat.seat))
                    _log.info("match %s: plays seat %d", seat.match_id, seat.seat)
                    return seat
            return None
        finally:
            self._asking.release()

    def _raise_unless_passing(self, error: ServiceError, has_seat: bool) -> None:
        """Raises an error that will not pass by itself."""
        is_recent = self._accepted_at is not None and time.monotonic() - self._accepted_at < FORGOTTEN
        # A server that was restored from a backup may lack the match of a seat. The next call for a seat tries the key.
        is_forgotten = error.reason in ("WRONG_TOKEN", "UNKNOWN_MATCH", "NO_KEY") and (has_seat or is_recent)
        if not self._is_patient or (not is_forgotten and error.code not in _PASSING):
            raise error


public(Connected, connect)
