"""Agents: what decides for a seat."""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeAlias, cast

from ahu._actions import Choice
from ahu._batched import Batched
from ahu._public import public
from ahu._turn import DEFAULT_FORMATS, Turn


class Agent(Protocol):
    """A program that plays a seat.

    Besides `act` it may have:

    * `formats`: an `ObservationFormats` with what the agent wants to be shown; by default the typed observation, the legal
      actions, the tensor, and the mask.
    * `events`: True to be told all events, in `turn.events`.
    * `obs_format`: the format of `turn.observation`, by default "split".
    * `seed(number)`: called once before `start`, with the host's seed for the agent's own random choices in this match,
      an int from 0 to 2**53 - 1. `ahu duel` gives a seed, so that a duel can be repeated.
    * `start(match)`: called once, when the match has begun. An agent that plays many matches resets itself here.
      An agent with `start` or `seed` plays one seat at a time: a deep copy plays each further seat.
    * `act_async(turn)`: awaited instead of `act` in the event loop of `ahu.aio`.
    * `end(result)`: called once with the `SeatResult`, after the end of the match or the forfeit of the seat.
    """

    def act(self, turn: Turn, /) -> Choice:
        """Returns the action: an id, a text, an item of `turn.legal`, or a typed message of the game. To resign, it raises
        `ahu.Resignation`."""
        ...


class Resignation(Exception):
    """Raised in `act` by an agent that resigns: its seat forfeits, and a stand-in plays on."""


Policy: TypeAlias = Callable[[Turn], Choice]
"""A function that gets a turn and returns an action. A turn has only what the seat may know."""

Player: TypeAlias = str | Agent | Policy | Batched
"""A player: the name of a bot, such as "greedy@2", or a command that starts a program; an object with a method `act`; a
function of a turn; or a function of a batch (`ahu.batched`)."""


def as_agent(player: Any) -> Any:
    """Returns a player of this process as an agent.

    Raises:
        TypeError: the player is neither a function nor an agent.
    """
    if isinstance(player, Batched):
        # Each seat is a place of its own in the batches.
        return copy.deepcopy(player)
    if hasattr(player, "act"):
        return player
    if callable(player):
        return _PolicyAgent(cast("Policy", player))
    raise TypeError(
        f"expected a function of a turn, an object with a method act, ahu.batched(function), or the name of a bot as a "
        f"player; got {player!r}"
    )


def copies(agent: Any, count: int) -> list[Any]:
    """Returns the agent, and a deep copy of it for each further match at the same time.

    Raises:
        ValueError: `count` is not positive.
        TypeError: the player is neither a function nor an agent.
    """
    if count < 1:
        raise ValueError(f"expected games_at_once of at least 1, got {count}")
    player = as_agent(agent)
    return [player, *(copy_of(player) for _ in range(count - 1))]


def copy_of(agent: Any) -> Any:
    """Returns a deep copy of an agent, for another seat at the same time.

    Raises:
        TypeError: the agent cannot be copied.
    """
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise TypeError(
            f"expected an agent that can be copied, since each seat at the same time needs one of its own; "
            f"{name_of(agent)}: {error}"
        ) from error


class Copies:
    """An agent and its copies, each of which plays one seat at a time. A function is one for all seats.

    Attributes:
        agent: the agent that was given.
    """

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self._lock = threading.Lock()
        # An agent in the middle of a game is no good original.
        self._original: Any = None
        self._error: TypeError | None = None
        try:
            self._original = agent if isinstance(agent, _PolicyAgent) else copy_of(agent)
        except TypeError as error:
            self._error = error
        self._calls = threading.Lock()
        self._free = [self._of(agent)]

    @contextlib.contextmanager
    def one(self) -> Generator[Any]:
        """Lends an agent that plays no other seat meanwhile.

        Raises:
            TypeError: all are lent, and the agent cannot be copied.
        """
        with self._lock:
            agent = self._free.pop() if self._free else self._of(self._another())
        try:
            yield agent
        finally:
            with self._lock:
                self._free.append(agent)

    def _another(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._original if isinstance(self._original, _PolicyAgent) else copy_of(self._original)

    def _of(self, agent: Any) -> Any:
        # Copies of a batched player ask their function together.
        if isinstance(agent, Batched):
            return agent
        return Alone(agent, self._calls if isinstance(agent, _PolicyAgent) else threading.Lock())


class _PolicyAgent:
    """An agent that asks a function."""

    def __init__(self, policy: Policy) -> None:
        self.act = policy
        self.name = str(getattr(policy, "__name__", type(policy).__name__))


class Alone:
    """An agent whose methods hold a lock, so that only one agent of the match runs at a time.

    Attributes:
        agent: the agent itself.
    """

    def __init__(self, agent: Any, lock: threading.Lock) -> None:
        self.agent = agent
        self.name = name_of(agent)
        self.formats = getattr(agent, "formats", DEFAULT_FORMATS)
        self.obs_format = getattr(agent, "obs_format", "split")
        self._act: Callable[[Turn], Choice] = self._alone(agent.act, lock)
        for method in ("seed", "start", "end"):
            if callable(getattr(agent, method, None)):
                setattr(self, method, self._alone(getattr(agent, method), lock))

    def act(self, turn: Turn, /) -> Choice:
        """Returns the action that the agent chooses."""
        return self._act(turn)

    @staticmethod
    def _alone(method: Callable[..., Any], lock: threading.Lock) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            with lock:
                return method(*arguments)

        return call


def name_of(agent: Any) -> str:
    """Returns the name of an agent: one line of at most 64 bytes."""
    name = str(getattr(agent, "name", None) or type(agent).__name__)
    return name.encode("ascii", "replace").decode()[:64] if name.isprintable() else "agent"


public(Agent, Resignation)
