"""Players that ask a function for many decisions at once, such as nets."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ahu._public import public
from ahu.turn import Turn
from ahu.v1 import match_service_pb2 as v1

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from ahu.training.batch import Batch
    from ahu.training.observation import ObsFormat


def batched(
    function: Callable[[Batch], ArrayLike],
    *,
    obs_format: ObsFormat = "split",
    mask_dtype: DTypeLike = bool,
    max_wait: float = 0.0,
    name: str | None = None,
    layout_hash: bytes | None = None,
) -> Batched:
    """Returns a player that asks a function for the actions of many decisions at once.

        net = ahu.batched(policy, obs_format="flat")
        ahu.duel("rappanui", {"net": net, "bot": "greedy"})

    The player plays wherever players play: games, duels, benchmarks, cups, and seats of environments. Without a clock, its
    games are played together in this process, in groups that are always the same, so results repeat. With a clock or
    against programs, the function gets the decisions that are due at the same time; the wait for others counts as
    thinking time.

    Args:
        function: a function of a `Batch` that returns an action for each row: integers [n]. A recurrent function keeps its
            state by `batch.env_ids` and `batch.seats`, and begins anew where `batch.starts` is true.
        obs_format: the format of observations: "split", "flat", or "packed" (see `Observation`).
        mask_dtype: the type of `batch.masks`, bool or int8.
        max_wait: the time in seconds that a decision on a server may wait for the decisions of other games, 0 or more.
        name: the name of the player; None: the name of the function.
        layout_hash: the hash of the only layout that the function knows (see `Layout.hash`). A game or a version with another
            layout is refused: with a ValueError here, with LAYOUT_MISMATCH by a server. None: the function knows every layout.

    Raises:
        TypeError: `function` is not callable.
        ValueError: there is no such format, or `max_wait` is negative.
    """
    if not callable(function):
        raise TypeError(f"expected a function of a batch, got {function!r}")
    from ahu.training.observation import OBS_FORMATS

    if obs_format not in OBS_FORMATS:
        raise ValueError(f"expected obs_format of {', '.join(OBS_FORMATS)}, got {obs_format!r}")
    if max_wait < 0:
        raise ValueError(f"expected max_wait of 0 seconds or more, got {max_wait}")
    named = name or str(getattr(function, "__name__", type(function).__name__))
    return Batched(_Queue(function, obs_format, mask_dtype, max_wait, layout_hash), named, name)


class Batched:
    """A player that `ahu.batched` returns: an agent whose copies share one function.

    Attributes:
        name: the name of the player.
        given_name: the name that its maker gave it; None: it has the name of the function.
        formats: the formats that the player asks a server for.
    """

    def __init__(self, queue: _Queue, name: str, given_name: str | None = None) -> None:
        self.name = name
        self.given_name = given_name
        self.formats = v1.ObservationFormats(tensor=True, mask=True, layout_hash=queue.layout_hash or b"")
        self._queue = queue
        self._place = next(queue.places)
        self._starts = True

    def __repr__(self) -> str:
        return f"ahu.batched({self.name})"

    def __deepcopy__(self, memo: object) -> Batched:
        """Returns a copy for another match at the same time, with the same function."""
        return Batched(self._queue, self.name, self.given_name)

    @property
    def obs_format(self) -> ObsFormat:
        """The format of observations that the function gets."""
        return self._queue.obs_format

    @property
    def mask_dtype(self) -> DTypeLike:
        """The type of masks that the function gets."""
        return self._queue.mask_dtype

    def __call__(self, batch: Batch, /) -> ArrayLike:
        """Returns the actions of the function for a batch."""
        return self._queue.choose(batch)

    def start(self, match: v1.Match, /) -> None:
        """Begins a match."""
        self._starts = True
        self._queue.enter(self._place)

    def act(self, turn: Turn, /) -> int:
        """Returns the action that the function chooses, together with other decisions that are due."""
        turn.starts, self._starts = self._starts, False
        return self._queue.ask(turn, self._place)

    def end(self, result: object, /) -> None:
        """Ends a match."""
        self._queue.leave(self._place)


class _Ask:
    """A decision that waits for the function."""

    __slots__ = ("action", "error", "is_done", "place", "turn")

    def __init__(self, turn: Turn, place: int) -> None:
        self.turn = turn
        self.place = place
        self.is_done = False
        self.action = 0
        self.error: BaseException | None = None


class _Queue:
    """The decisions that wait for one function. The first thread that finds the function idle asks for all of them."""

    def __init__(
        self,
        function: Callable[[Batch], ArrayLike],
        obs_format: ObsFormat,
        mask_dtype: DTypeLike,
        max_wait: float,
        layout_hash: bytes | None,
    ) -> None:
        self.layout_hash = layout_hash
        self._function = function
        self.obs_format: ObsFormat = obs_format
        self.mask_dtype = mask_dtype
        self.places = itertools.count()
        self._max_wait = max_wait
        self._changed = threading.Condition()
        self._is_calling = False
        self._asks: list[_Ask] = []
        # The places that play a match.
        self._playing: set[int] = set()

    def enter(self, place: int) -> None:
        with self._changed:
            self._playing.add(place)

    def leave(self, place: int) -> None:
        with self._changed:
            self._playing.discard(place)
            self._changed.notify_all()

    def choose(self, batch: Batch) -> ArrayLike:
        """Returns the actions of the function for a batch.

        Raises:
            ValueError: the batch has another layout than the function knows.
        """
        if self.layout_hash is not None and batch.layout.hash != self.layout_hash:
            raise ValueError(
                f"expected a game with the layout {self.layout_hash.hex()[:16]}, for which the player was made, got one with "
                f"the layout {batch.layout.hash.hex()[:16]}"
            )
        return self._function(batch)

    def ask(self, turn: Turn, place: int) -> int:
        """Returns the action for a turn."""
        ask, latest = _Ask(turn, place), time.monotonic() + self._max_wait
        with self._changed:
            self._asks.append(ask)
            self._changed.notify_all()
            while not ask.is_done:
                left = latest - time.monotonic()
                if self._is_calling:
                    self._changed.wait()
                elif left > 0 and len(self._asks) < len(self._playing):
                    self._changed.wait(left)
                else:
                    self._call_for_all()
        if ask.error is not None:
            raise ask.error
        return ask.action

    def _call_for_all(self) -> None:
        """Asks the function for all decisions that wait. Others may come meanwhile."""
        asks, self._asks = sorted(self._asks, key=lambda ask: ask.place), []
        self._is_calling = True
        self._changed.release()
        try:
            self._call(asks)
        finally:
            self._changed.acquire()
            self._is_calling = False
            for ask in asks:
                ask.is_done = True
            self._changed.notify_all()

    def _call(self, asks: list[_Ask]) -> None:
        from ahu.training.batch import batch_of_turns, checked_choices

        try:
            turns, places = [ask.turn for ask in asks], [ask.place for ask in asks]
            batch = batch_of_turns(turns, self.obs_format, self.mask_dtype, places)
            actions = checked_choices(self.choose(batch), len(asks), "the function of ahu.batched")
            for ask, action in zip(asks, actions.tolist(), strict=True):
                ask.action = action
        except BaseException as error:
            for ask in asks:
                ask.error = error


public(Batched, batched)
