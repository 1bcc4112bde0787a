"""An agent that plays the matches of a cup over the network, for as long as the cup lasts.

`Contest.plan` is a generator like `_match.plan`: `ahu.aio.compete` awaits what it yields.
"""

from __future__ import annotations

import copy
import logging
import math
import threading
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import grpc

from ahu._calls import MAX_WAIT
from ahu._match import run
from ahu._tracebacks import without_ours
from ahu.agent import Agent, Policy, as_agent, play
from ahu.client import Client, Seat
from ahu.errors import AhuError
from ahu.placement import AgentKey, agent_key, assigned_seat
from ahu.retry import Retry
from ahu.v1 import match_service_pb2 as v1

RETRY = Retry(total=math.inf, first=0.1, longest=30.0)
"""The retries of a competing agent, which waits for its server without end."""

FORGOTTEN = 600.0
"""The time in seconds for which a valid key may be refused: a server that has just started again has no cup yet."""

_PASSING = frozenset(
    (
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.UNKNOWN,
    )
)
"""The codes of errors after which the agent asks again for the seat that it plays."""

_log = logging.getLogger("ahu")


@without_ours
def compete(
    agent: Agent | Policy,
    address: str | None = None,
    key: str | None = None,
    *,
    games_at_once: int = 1,
    credentials: grpc.ChannelCredentials | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Plays the matches of a cup until no more come, and returns the number of matches.

        ahu.compete(MyAgent(), "cup.example.org:50551", open("moai.key").read())

    While the server cannot be reached, the agent tries again without end: at first at once, later every 30 seconds. It
    goes on with its match, even in a new process with the same key. Use the key in only one process: two would play the
    same seats. The logger "ahu" logs the progress at the level INFO.

    Args:
        agent: a function that gets a turn and returns an action, or an object with a method `act` (see `Agent`).
        address: the address of the server, such as "cup.example.org:50551"; None: AHU_ADDRESS.
        key: the agent's key, from the organiser; None: AHU_KEY, or the content of the file AHU_KEY_FILE.
        games_at_once: the maximum number of matches that the agent plays at the same time. A deep copy of the agent
            plays each match beyond the first, in its own thread.
        credentials: the credentials for TLS; None: no TLS.
        sleep: the function that waits between tries; it gets seconds.

    Raises:
        LookupError: neither the arguments nor the environment have an address and a key.
        ValueError: `games_at_once` is not positive.
        AhuError: the key is wrong, or the service refused something else.
        IllegalAction: the agent chose an illegal action, and the seat did not forfeit by it.
        TypeError: the agent is neither a function nor an object with `act`.
        Exception: whatever the agent raised.
    """
    found = competitor(address, key)
    return compete_as(play, players_of(agent, games_at_once), found, credentials=credentials, sleep=sleep)


def compete_as(
    play: Callable[[Any, Seat], Any],
    players: Sequence[Any],
    key: AgentKey | None = None,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Plays the matches of a cup with the function `play`, and returns the number of matches.

    Args:
        play: plays a seat for a player to its end.
        players: the players. Each plays one match at a time.
        key: the key of the agent; None: the key in the environment.
        credentials: as for `compete`.
        sleep: as for `compete`.
    """
    key = key or competitor(None, None)
    with Client(key.address, retry=RETRY, credentials=credentials, sleep=sleep) as client:
        contest = Contest(client, key, play, sleep, threading.Lock())
        if len(players) == 1:
            return run(contest.plan(players[0]))
        with ThreadPoolExecutor(len(players), thread_name_prefix="ahu compete") as pool:
            playing = [pool.submit(run, contest.plan(player)) for player in players]
            wait(playing, return_when=FIRST_EXCEPTION)
            # The others end with the matches that they play now.
            contest.has_ended = True
            return sum(future.result() for future in playing)


@without_ours
def practice(
    agent: Agent | Policy,
    address: str | None = None,
    key: str | None = None,
    *,
    credentials: grpc.ChannelCredentials | None = None,
) -> v1.PracticeReport:
    """Plays a practice match of a cup, which does not count, and returns the report on the agent.

    The match has the game and the clock that the organiser chose, against bots. The server withholds every tenth answer
    once, as if the connection were lost. `passed` of the report is true if the agent played without a fault. The other
    fields count illegal and unreadable actions and strikes, and measure the time of decisions.

    Args:
        agent: as for `compete`.
        address: as for `compete`.
        key: as for `compete`.
        credentials: as for `compete`.

    Raises:
        AhuError: as for `compete`; it has the field `practice_id` if the organiser offers no practice.
        Exception: all other errors of `compete`.
    """
    return practise_as(play, as_agent(agent), competitor(address, key), credentials=credentials)


def practise_as(
    play: Callable[[Any, Seat], Any],
    player: Any,
    key: AgentKey | None = None,
    *,
    credentials: grpc.ChannelCredentials | None = None,
) -> v1.PracticeReport:
    """Plays a practice match with `play`, as `compete_as` does, and returns the report on the player."""
    key = key or competitor(None, None)
    with Client(key.address, credentials=credentials) as client:
        return run(practice_plan(client, key, play, player))


def practice_plan(
    client: Any, key: AgentKey, play: Callable[[Any, Any], Any], agent: Any
) -> Generator[Any, Any, v1.PracticeReport]:
    """Plays a practice match to its end, and returns the report on the agent."""
    practice_id = str(uuid.uuid4())
    while True:
        answer = yield client.await_seat(key.key, practice_id=practice_id)
        if answer.HasField("practice_report"):
            return answer.practice_report
        yield play(agent, assigned_seat(client, answer.assigned))


def players_of(agent: Any, games_at_once: int) -> list[Any]:
    """Returns the agent, and a deep copy of it for each further match at the same time.

    Raises:
        ValueError: `games_at_once` is not positive.
        TypeError: the agent is neither a function nor an object with `act`.
    """
    if games_at_once < 1:
        raise ValueError(f"expected games_at_once of at least 1, got {games_at_once}")
    player = as_agent(agent)
    return [player, *(copy.deepcopy(player) for _ in range(games_at_once - 1))]


def competitor(address: str | None, key: str | None) -> AgentKey:
    """Returns the key of the arguments or the environment.

    Raises:
        LookupError: there is none.
    """
    found = agent_key(address=address, key=key)
    if found is None:
        raise LookupError(
            "expected an address and a key, as arguments or in the variables AHU_ADDRESS and AHU_KEY or AHU_KEY_FILE"
        )
    return found


class Contest:
    """The matches of one key, with a blocking client or one for asyncio.

    Attributes:
        has_ended: True once no further seat is asked for.
    """

    def __init__(
        self, client: Any, key: AgentKey, play: Callable[[Any, Any], Any], sleep: Callable[[float], Any], asking: Any
    ) -> None:
        """
        Args:
            client: the client of the server.
            key: the key of the agent.
            play: plays a seat of the client for an agent.
            sleep: waits between tries, given seconds.
            asking: an unlocked lock, of threads or of asyncio. Only its holder asks for a seat, so that no two players
                get the same seat.
        """
        self.has_ended = False
        self._client = client
        self._key = key.key
        self._play = play
        self._sleep = sleep
        self._asking = asking
        self._playing: set[str] = set()
        self._accepted_at: float | None = None

    def plan(self, agent: Any) -> Generator[Any, Any, int]:
        """Plays one seat after another until no more come, and returns the number of matches."""
        matches, waits = 0, RETRY.waits()
        while True:
            try:
                seat = yield from self._next()
                if seat is None:
                    return matches
                try:
                    result = yield self._play(agent, seat)
                finally:
                    self._playing.discard(seat.match_id)
            except AhuError as error:
                self._raise_unless_passing(error)
                pause = next(waits)
                _log.warning("trying again in %.1f s: %s", pause, error)
                yield self._sleep(pause)
                continue
            matches, waits = matches + 1, RETRY.waits()
            _log.info("match %s: %s", seat.match_id, result)

    def _next(self) -> Generator[Any, Any, Any]:
        """Waits for the next seat, and returns it; None: no more seats will come."""
        yield self._asking.acquire()
        try:
            while not self.has_ended:
                answer = yield self._client.await_seat(self._key, wait=MAX_WAIT, playing=sorted(self._playing))
                if self._accepted_at is None:
                    _log.info("%s has accepted the key", self._client.address)
                self._accepted_at = time.monotonic()
                if answer.closed:
                    _log.info("no more matches come")
                    self.has_ended = True
                elif answer.HasField("assigned"):
                    seat = assigned_seat(self._client, answer.assigned)
                    self._playing.add(seat.match_id)
                    _log.info("match %s: plays seat %d", seat.match_id, seat.seat)
                    return seat
            return None
        finally:
            self._asking.release()

    def _raise_unless_passing(self, error: AhuError) -> None:
        """Raises an error that will not pass by itself."""
        is_forgotten = (
            error.reason in ("WRONG_TOKEN", "UNKNOWN_MATCH")
            and self._accepted_at is not None
            and time.monotonic() - self._accepted_at < FORGOTTEN
        )
        if not is_forgotten and error.code not in _PASSING:
            raise error
