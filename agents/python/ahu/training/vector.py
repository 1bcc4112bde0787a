"""Many environments, stepped together."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Sequence
from numbers import Real
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ahu import errors
from ahu._calls import Options
from ahu import process_server
from ahu.training import bits
from ahu.training.batch import Batch, BatchSpec, concatenate
from ahu.training.env_session import EnvSession, OnIllegal
from ahu.training.illegal_actions import IllegalActionForfeits
from ahu.training.layout import Layout
from ahu.training.mask_cache import MaskCache, Rows, seeds_from
from ahu.training.observation import ObsFormat
from ahu.training.open_request import Autoreset, Player, Rewards, Rotation, one_of, open_request
from ahu.training.stream import Stream
from ahu.training.stream_session import Exchange, StreamSession
from ahu.v1.environment_service_pb2 import RunRequest

TIMEOUT = 60.0
"""How long an answer may take, in seconds."""

EnvIds: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]
Seeds: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]


class VectorEnv:
    """Environments of one game on a server, stepped together: a row each, with the decision that it waits for.

        with ahu.VectorEnv("rappanui", 1024, groups=2) as env:
            rng = np.random.default_rng(1)
            for group in range(2):
                env.send(env.random_actions(env.reset(seed=1, group=group), rng), group)
            while True:
                batch = env.recv()
                env.send(env.random_actions(batch, rng), batch.group)

    Nothing is connected before it is first used, so that it may be pickled (which keeps the arguments alone) and
    forked. One thread at a time may use it.

    Args:
        game: the game, by its name in the catalog.
        num_envs: how many environments there are, in all groups.
        seat_count: how many seats a game has.
        players: who plays, one for each seat: `LEARNER` (the client), a bot by its name, or a mixture of bots by
            weight; None: the client plays all.
        options: the game's options that are not to have their defaults, by key.
        groups: how many groups of one size the environments are divided into, each stepped by requests of its own.
        autoreset: what happens to an environment whose episode has ended, as Gymnasium defines it. "next_step": its row
            shows the end; the next step ignores its action and begins the next episode. "same_step": the next episode
            begins at once. "disabled": it has to be reset.
        rotation: "fixed": player j has seat j; "episode": with each episode all move one seat to the left.
        rewards: what a finished game is worth. "rank": +1 for the first to -1 for the last, evenly spaced; "margin":
            points above the mean of the others' points; "points": points.
        seed: the seed of environment 0; environment i has this one plus i. None: one of the server's choosing.
        obs_format: the format of observations: see `Observation`.
        mask_dtype: what masks are made of, bool or int8.
        on_illegal: what becomes of an action that is not legal. "raise": an IllegalAction, and nothing is carried out.
            "random_legal": a random legal one is taken instead, which the environment's seed determines; `replaced`
            counts them. "terminate": the episode ends; see `ahu.training.illegal_actions`.
        address: where the server listens; None: one is started for this process.
        timeout: how long an answer may take, in seconds.

    Attributes:
        replaced: how many actions "random_legal" has replaced, since it was made.

    Every method raises `ConnectionLost` where the server cannot be reached or is gone, and `AhuError` of the code
    DEADLINE_EXCEEDED where an answer is overdue; then the environments are gone too, and begin anew with `reset`. It
    raises any other `AhuError` where the server refuses: then nothing was carried out. A server has at most 65,536
    environments for each of these, 128 MiB for a batch, and, unless it is told otherwise, 262,144 environments for all.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        seat_count: int = 2,
        players: Sequence[Player] | None = None,
        options: Options = {},
        groups: int = 1,
        autoreset: Autoreset = "same_step",
        rotation: Rotation = "fixed",
        rewards: Rewards = "rank",
        seed: int | None = None,
        obs_format: ObsFormat = "split",
        mask_dtype: DTypeLike = np.bool_,
        on_illegal: OnIllegal = "raise",
        address: str | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        for name, count in {"num_envs": num_envs, "seat_count": seat_count, "groups": groups}.items():
            if count < 1:
                raise ValueError(f"{name} is 1 or more, not {count}")
        if num_envs % groups:
            raise ValueError(f"{num_envs} environments cannot be divided into {groups} groups of one size")
        if not (isinstance(timeout, Real) and timeout > 0):
            raise ValueError(f"timeout is a number of seconds above 0, not {timeout!r}")
        if np.dtype(mask_dtype) not in (np.bool_, np.int8):
            raise ValueError(f"masks are bool or int8, not {np.dtype(mask_dtype)}")
        one_of("obs_format", obs_format, ObsFormat)
        one_of("on_illegal", on_illegal, OnIllegal)
        if on_illegal == "terminate" and rewards != "rank":
            raise ValueError(f'on_illegal="terminate" needs rewards="rank": there is no lowest return by {rewards}')
        self.game = game
        self.num_envs = num_envs
        self.groups = groups
        self.seat_count = seat_count
        self.obs_format = obs_format
        self.autoreset = autoreset
        self.on_illegal = on_illegal
        self._mask_dtype = np.dtype(mask_dtype)
        self._address = address
        self._timeout = timeout
        self._open_request = open_request(
            game, num_envs, seat_count, players, options, groups, autoreset, rotation, rewards, seed
        )
        self._env_session: EnvSession | None = None
        self._finalizer: Callable[[], object] | None = None
        self.replaced = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_env_session": None, "_finalizer": None, "replaced": 0}

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"VectorEnv({self.game!r}, {self.num_envs}, seat_count={self.seat_count}, groups={self.groups})"

    @property
    def layout(self) -> Layout:
        """What the observations are made of."""
        return self._live_session.spec.layout

    @property
    def action_count(self) -> int:
        """How many actions there are: ids run from 0 on, the same in every position."""
        return self._live_session.spec.action_count

    @property
    def seed(self) -> int:
        """The seed of environment 0 with which the environments were opened, 0 to 2**64 - 1."""
        return self._live_session.stream_session.reply.seed

    @property
    def options(self) -> dict[str, str]:
        """The options of the game, all of them, each with its value."""
        return dict(self._live_session.stream_session.reply.options)

    def reset(
        self,
        seed: int | None = None,
        *,
        seeds: Seeds | None = None,
        env_ids: EnvIds | None = None,
        group: int | None = None,
    ) -> Batch:
        """Begins an episode in each of some environments, whether or not one is under way.

        Args:
            seed: environment i is seeded with this one plus i, modulo 2^64. None, and no `seeds`: each goes on to its
                next episode.
            seeds: the seeds of these environments, in their order: integers [n].
            env_ids: the environments, counted over all groups, rising; None: all.
            group: all of one group, instead of `env_ids`.

        Returns:
            Their batch, with `seeds`.

        Raises:
            ValueError: the arguments do not go together, there are no such environments, or their group is under way.
        """
        if (group is not None and env_ids is not None) or (seed is not None and seeds is not None):
            raise ValueError("reset a group or environments, by one seed or by seeds")
        parts = self._parts(env_ids) if group is None else [(group, self._rows(group))]
        new = _new_seeds(seed, seeds, [self._env_ids(rows) for _, rows in parts])
        session = self._live_session
        exchanges = [session.reset_exchange(group, rows, own) for (group, rows), own in zip(parts, new, strict=True)]
        return Batch(session.spec, concatenate(session.stream_session.exchange(*exchanges)))

    def send(self, actions: ArrayLike, group: int = 0, env_ids: EnvIds | None = None) -> None:
        """Sends an action for each environment of a group, and does not wait.

        Args:
            actions: the actions by id, in the order of the environments: integers [n].
            group: the group. It has to have been answered for what was sent before.
            env_ids: some of its environments, counted over all groups, rising; None: all.

        Raises:
            IllegalAction: an action is not legal, and `on_illegal` is "raise". Nothing is sent; the message names the
                first environment in which it is so, and what would be legal.
            ValueError: there are not as many actions as environments, these are not all of the group, or it is still
                under way.
            TypeError: the actions are not integers.
        """
        whole = self._rows(group)
        rows = whole if env_ids is None else _checked_env_ids(env_ids, self.num_envs)
        if not isinstance(rows, slice) and (rows[0] < whole.start or rows[-1] >= whole.stop):
            raise ValueError(f"the environments of group {group} are {whole.start} to {whole.stop - 1}, not {rows}")
        [exchange] = self._step_exchanges([(group, rows)], actions)
        self._live_session.stream_session.send(exchange)

    def recv(self) -> Batch:
        """Waits for the answer to what was sent first and has not been answered yet.

        Raises:
            LookupError: nothing was sent.
            AhuError: it is refused, and has changed nothing.
        """
        session = self._live_session
        return Batch(session.spec, session.stream_session.receive())

    def step(self, actions: ArrayLike, env_ids: EnvIds | None = None) -> Batch:
        """Takes an action in each environment, and waits.

        Args:
            actions: the actions by id, in the order of the environments: integers [n].
            env_ids: the environments, counted over all groups, rising; None: all.

        Returns:
            Their batch, of all groups in one.

        Raises:
            IllegalAction, ValueError, TypeError: as `send` does. Then nothing is carried out, in no group.
        """
        exchanges = self._step_exchanges(self._parts(env_ids), actions)
        session = self._live_session
        return Batch(session.spec, concatenate(session.stream_session.exchange(*exchanges)))

    def action_masks(self) -> NDArray[np.bool_]:
        """What is legal in each environment, as the server said last: bool [num_envs, action_count]; nothing, where
        an episode has ended or none has begun.

        Raises:
            LookupError: no episode has begun in any.
        """
        if self._env_session is None:
            raise LookupError("no episode has begun: reset first")
        return self._live_session.action_masks()

    def random_actions(self, batch: Batch, rng: np.random.Generator) -> NDArray[np.intp]:
        """A legal action for each row, every one as likely: intp [n]; 0, where the row shows the end of an episode."""
        return bits.nth(batch.packed_masks, rng.random(len(batch)))

    def render(self, environment: int = 0, seat: int | None = None) -> str:
        """An environment as text.

        Args:
            environment: the environment, counted over all groups.
            seat: the seat whose knowledge is shown, one that the client plays; None: what everybody may see.
        """
        return self._live_session.stream_session.render(RunRequest.Render(environment=environment, seat=seat))

    def close(self) -> None:
        """Closes the environments. May be called again; whatever comes after it opens them anew."""
        if self._finalizer is not None:
            self._finalizer()
        self._env_session = self._finalizer = None

    @property
    def _live_session(self) -> EnvSession:
        """The environments as they are open, in this process; else they are opened."""
        if self._env_session is None or not self._env_session.stream_session.stream.is_usable:
            self.close()
            self._env_session = self._open()
        return self._env_session

    def _open(self) -> EnvSession:
        stream = Stream(self._address or process_server.address(), self._timeout)
        self._finalizer = weakref.finalize(self, stream.close)
        try:
            stream_session = StreamSession(stream, self._open_request)
        except errors.AhuError:
            self.close()
            raise
        reply = stream_session.reply
        layout = Layout.of(reply.layout)
        spec = BatchSpec(layout, self.obs_format, reply.action_count, self.seat_count, self._mask_dtype)
        mask_cache = MaskCache(self.num_envs, spec.action_count, reply.seed)
        is_forfeit = self.on_illegal == "terminate"
        forfeits = IllegalActionForfeits(spec, self.num_envs, self.autoreset) if is_forfeit else None
        return EnvSession(stream_session, spec, mask_cache, forfeits, self.autoreset, self.on_illegal)

    def _step_exchanges(self, parts: list[tuple[int, Rows]], actions: ArrayLike) -> list[Exchange]:
        """What takes actions in environments by their groups. All are checked before anything is done."""
        env_ids = [self._env_ids(rows) for _, rows in parts]
        split_actions = _split(_checked_actions(actions, sum(map(len, env_ids))), env_ids)
        session = self._live_session
        steps = [(*part, *what) for part, *what in zip(parts, env_ids, split_actions, strict=True)]
        illegal = [session.find_illegal(*step) for step in steps]
        if self.on_illegal == "random_legal":
            self.replaced += sum(map(len, illegal))
        return [session.step_exchange(*step, places) for step, places in zip(steps, illegal, strict=True)]

    @property
    def _group_size(self) -> int:
        return self.num_envs // self.groups

    def _rows(self, group: int) -> Rows:
        """The environments of a group."""
        if not 0 <= group < self.groups:
            raise ValueError(f"there is no group {group}: there are {self.groups}, from 0 on")
        return slice(group * self._group_size, (group + 1) * self._group_size)

    def _env_ids(self, rows: Rows) -> NDArray[np.integer[Any]]:
        """The numbers of environments."""
        return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows

    def _parts(self, env_ids: EnvIds | None) -> list[tuple[int, Rows]]:
        """Environments by their groups."""
        if env_ids is None:
            return [(group, self._rows(group)) for group in range(self.groups)]
        checked = _checked_env_ids(env_ids, self.num_envs)
        groups = checked // self._group_size
        return [(int(group), checked[groups == group]) for group in np.unique(groups)]


def _checked_env_ids(env_ids: EnvIds, count: int) -> NDArray[np.int64]:
    """The numbers of environments, of which there are so many.

    Raises:
        TypeError: they are no integers.
        ValueError: they do not rise, or there are no such environments.
    """
    numbers = _integers("env_ids", env_ids).astype(np.int64)
    if numbers.ndim != 1 or len(numbers) == 0 or (np.diff(numbers) <= 0).any():
        raise ValueError("env_ids are in rising order, at least one, none twice")
    if numbers[0] < 0 or numbers[-1] >= count:
        raise ValueError(f"env_ids are 0 to {count - 1}, not {numbers[0]} to {numbers[-1]}")
    return numbers


def _checked_actions(actions: ArrayLike, count: int) -> NDArray[np.integer[Any]]:
    """Actions for so many environments."""
    ids = _integers("actions", actions)
    if ids.shape != (count,):
        raise ValueError(f"{count} environments want actions of shape ({count},), not {ids.shape}")
    return ids


def _integers(name: str, values: ArrayLike) -> NDArray[np.integer[Any]]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} are integers, not {array.dtype}")
    return array


def _new_seeds(
    seed: int | None, seeds: Seeds | None, parts: list[NDArray[np.integer[Any]]]
) -> list[NDArray[np.uint64]] | list[None]:
    """The new seeds of environments by their parts; None, where they keep theirs."""
    if seed is not None:
        return [seeds_from(seed, numbers) for numbers in parts]
    if seeds is None:
        return [None] * len(parts)
    count = sum(len(numbers) for numbers in parts)
    # Numbers of this size are not to become floats on the way.
    whole = seeds.tolist() if isinstance(seeds, np.ndarray) else seeds
    new = np.array([operator.index(seed) % 2**64 for seed in whole], np.uint64)
    if len(new) != count:
        raise ValueError(f"{count} environments want as many seeds, not {len(new)}")
    return _split(new, parts)


def _split(values: NDArray[Any], parts: list[NDArray[np.integer[Any]]]) -> list[NDArray[Any]]:
    """Values, one for each environment, by the parts of the environments."""
    return np.split(values, np.cumsum([len(numbers) for numbers in parts])[:-1])
