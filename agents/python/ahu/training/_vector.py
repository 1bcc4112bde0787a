"""Many environments, stepped together."""

from __future__ import annotations

import functools
import os
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ahu import _native
from ahu._native import State
from ahu._nets import all_loaded, read_net
from ahu.training import _bits as bits, _catalog as catalog
from ahu.training._arguments import EnvIds, Seeds, check_unchanged, snapshots
from ahu.training._batch import Batch
from ahu.training._engine import Engine
from ahu.training._exchange import Exchange
from ahu.training._layout import Layout
from ahu.training._local_engine import LocalEngine
from ahu.training._looks import Advice
from ahu.training._observation import Observation, ObsFormat
from ahu.training._open_request import LEARNER, Autoreset, EnvPlayer, one_of, open_request, player_messages
from ahu.training._players import BatchPlayer, ClientPlayer, batch_player, is_positive, weighted_players
from ahu.training._rendering import Rendered, RenderMode, pixels
from ahu.training._rollouts import Rollout
from ahu.training._rows import BatchSpec, Out
from ahu.training._settings import EnvSettings, OnIllegal, complete
from ahu.v1.environment_service_pb2 import TableFormat

_INTERRUPTED = "Ctrl-C has interrupted this VectorEnv in a call, and its environments are lost: reset() first"

_IN_USE = "this VectorEnv is in use: by another thread, or by the call that asks its players"

P = ParamSpec("P")
T = TypeVar("T")


class VectorEnv:
    """Environments of one game, stepped together. Each has a row, with the decision that it waits for.

        with ahu.VectorEnv("rappanui", 1024, groups=2) as env:
            rng = np.random.default_rng(1)
            for group in range(2):
                env.send(env.random_actions(env.reset(seed=1, group=group), rng), group=group)
            while True:
                batch = env.recv()
                env.send(env.random_actions(batch, rng), group=batch.group)

    The environments run in this process, or on a server (`address`); both play the same games. They are opened on first
    use. A pickle or a deep copy has only the arguments, so it begins anew. A forked process gets a RuntimeError from
    environments that were open, until it closes them. Only one thread at a time may use a `VectorEnv`; a call from
    another thread raises a RuntimeError. Ctrl-C in a call loses the environments, unless the call only looks at environments of
    this process; every use then raises a RuntimeError until `reset` or `restore`.

    A batch and its arrays belong to whoever holds them, and never change later. The memory of a batch that nobody holds
    any more is used again.

    Args:
        game: the game, by its name in the catalog.
        num_envs: the number of environments in all groups.
        groups: the number of groups of equal size. Each group is stepped by separate requests.
        autoreset: the reset of an environment whose episode has ended, as Gymnasium defines it. "same_step": the next
            episode begins at once. "next_step": the row shows the end; the next step ignores the action and begins the
            next episode. "disabled": the client has to reset the environment.
        settings: the settings of the environments, by name (see `ahu.training.EnvSettings`).

    Attributes:
        num_envs, groups, seats: the numbers of environments, groups, and seats.

    Every method raises a `ServiceError` if the engine refuses a request; the request then has no effect. If a game panics,
    which is a fault of its rules, the method raises a `ServiceError` with the code INTERNAL that names game, seed, and ply.
    The environments are lost, and `reset` opens them again. With `address`, they are also lost after a `ConnectionLost`,
    if the server cannot be reached or is gone, and after a `ServiceError` with the code DEADLINE_EXCEEDED, if an answer is
    overdue. There are at most 65,536 environments, and a batch has at most 128 MiB. A server also limits the environments
    of all its clients together.
    """

    @staticmethod
    def _alone(
        *, changes: bool
    ) -> Callable[[Callable[Concatenate[VectorEnv, P], T]], Callable[Concatenate[VectorEnv, P], T]]:
        """Makes a method refuse a call while another call is in progress. Ctrl-C in a method that changes environments loses
        them."""

        def decorate(method: Callable[Concatenate[VectorEnv, P], T]) -> Callable[Concatenate[VectorEnv, P], T]:
            @functools.wraps(method)
            def checked(self: VectorEnv, /, *args: P.args, **kwargs: P.kwargs) -> T:
                # An attribute and no lock: CPython changes threads, and raises KeyboardInterrupt, at calls alone, so that here
                # Ctrl-C can part nothing.
                if self._is_in_use:
                    raise RuntimeError(_IN_USE)
                self._is_in_use = True
                try:
                    return method(self, *args, **kwargs)
                except KeyboardInterrupt:
                    self._interrupted(changes)
                    raise
                finally:
                    self._is_in_use = False

            return checked

        return decorate

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        groups: int = 1,
        autoreset: Autoreset = "same_step",
        **settings: Unpack[EnvSettings],
    ) -> None:
        given = complete(settings)
        seats = catalog.seats(game, given["seats"])
        for name, count in {"num_envs": num_envs, "seats": seats, "groups": groups}.items():
            if count < 1:
                raise ValueError(f"{name} is 1 or more, not {count}")
        threads, rewards = given["threads"], given["rewards"]
        if threads is not None and threads < 1:
            raise ValueError(f"threads is 1 or more, or None, not {threads}")
        if num_envs % groups:
            raise ValueError(f"{num_envs} environments cannot be divided into {groups} groups of one size")
        if not is_positive(given["timeout"]):
            raise ValueError(f"timeout is a number of seconds above 0, not {given['timeout']!r}")
        mask_dtype = np.dtype(given["mask_dtype"])
        if mask_dtype not in (np.dtype(np.bool_), np.dtype(np.int8)):
            raise ValueError(f"masks are bool or int8, not {mask_dtype}")
        one_of("obs_format", given["obs_format"], ObsFormat)
        one_of("on_illegal", given["on_illegal"], OnIllegal)
        if given["on_illegal"] == "terminate" and rewards != "rank":
            raise ValueError(f'on_illegal="terminate" needs rewards="rank": there is no lowest return by {rewards}')
        self.game = game
        self.num_envs = num_envs
        self.groups = groups
        self.seats = seats
        self.obs_format: ObsFormat = given["obs_format"]
        self.autoreset: Autoreset = autoreset
        self.on_illegal: OnIllegal = given["on_illegal"]
        self._mask_dtype = mask_dtype
        self._threads = threads
        self._address = given["address"]
        self._timeout = given["timeout"]
        if self._address is None:
            given["players"] = all_loaded(given["players"])
        players = given["players"]
        self._open_request = open_request(game, num_envs, groups, autoreset, {**given, "seats": seats})
        self._players = [weighted_players(player) for player in players or ()]
        self._learners = [player is LEARNER for player in players or [LEARNER] * seats]
        self._mappings = snapshots(players or ())
        if any(self._players) and not any(self._learners):
            raise ValueError("one of the players or more is LEARNER (None): the environments wait for it")
        self._is_in_use = False
        self._exchange: Exchange | None = None
        self._finalizer: weakref.finalize[..., VectorEnv] | None = None
        # The reason why the environments may not be opened now.
        self._refusal: str | None = None
        # The replacements in environments that are closed.
        self._replaced_before = 0

    def __getstate__(self) -> dict[str, Any]:
        unopened = {"_exchange": None, "_finalizer": None, "_refusal": None, "_replaced_before": 0}
        return {**vars(self), **unopened, "_is_in_use": False}

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"VectorEnv({self.game!r}, {self.num_envs}, seats={self.seats}, groups={self.groups})"

    @property
    def layout(self) -> Layout:
        """The layout of observations."""
        return self._live.spec.layout

    @property
    def central_layout(self) -> Layout:
        """The layout of central observations."""
        return self._live.spec.layout.central(self.seats)

    @property
    def action_count(self) -> int:
        """The number of actions. Ids run from 0 on, and are the same in every position."""
        return self._live.spec.action_count

    @property
    def seed(self) -> int:
        """The seed of environment 0 with which the environments were opened, 0 to 2**64 - 1."""
        return self._live.engine.opened.seed

    @property
    def options(self) -> dict[str, str]:
        """All options of the game, each with its value."""
        return dict(self._live.engine.opened.options)

    @property
    def replaced(self) -> int:
        """The number of actions that "random_legal" has replaced."""
        return self._replaced_before + (0 if self._exchange is None else self._exchange.replaced)

    @_alone(changes=True)
    def reset(
        self,
        seed: int | None = None,
        *,
        seeds: Seeds | None = None,
        env_ids: EnvIds | None = None,
        group: int | None = None,
        states: Sequence[State] | None = None,
        out: Out | None = None,
    ) -> Batch:
        """Begins an episode in each of some environments, even if their present episode has not ended.

        Args:
            seed: environment i gets this seed, 0 to 2**64 - 1, plus i, modulo 2**64. None, and no `seeds`: each environment
                goes on to its next episode.
            seeds: the seeds of these environments, in their order: integers [n], 0 to 2**64 - 1.
            env_ids: the environments, numbered over all groups, in rising order; None: all.
            group: all environments of one group, instead of `env_ids`.
            states: a State for each of these environments, in their order, at which its episode begins, of the same game, seats,
                and options. Chance and bots follow from the seed of the episode and not of the State, so that a State is
                the start of many episodes; with the seed of a State in `seeds`, chance goes on as in the State. None: the
                first position of the game. Only for environments in this process.
            out: arrays for the batch, as for `step`.

        Returns:
            The batch of these environments, with `seeds`.

        Raises:
            ValueError: the arguments contradict each other, a seed is out of range, there are no such environments,
                their group is in progress, or States are given for environments on a server.
            ServiceError: a State is one of another game, of other seats or options, or is over.
        """
        if (group is not None and env_ids is not None) or (seed is not None and seeds is not None):
            raise ValueError("reset a group or environments, by one seed or by seeds")
        if self._mappings:
            check_unchanged(self._mappings)
        if states is not None and self._address is not None:
            raise ValueError(
                "expected no states for environments on a server: a State lives in the process of its caller"
            )
        if self._refusal is _INTERRUPTED:
            self._refusal = None
        return self._live.reset(seed, seeds, env_ids, group, states, out)

    @_alone(changes=True)
    def send(self, actions: ArrayLike, *, group: int = 0, env_ids: EnvIds | None = None) -> None:
        """Sends an action for each environment of a group, and does not wait.

        Args:
            actions: the actions by id, in the order of the environments: integers [n].
            group: the group. Receive the answer to what was sent before first.
            env_ids: some environments of the group, numbered over all groups, in rising order; None: all.

        Raises:
            IllegalAction: an action is illegal, and `on_illegal` is "raise". No action is sent; the message names the
                first such environment and its legal actions.
            ValueError: the number of actions is not the number of environments, an environment is not in the group, or
                the group is in progress.
            TypeError: the actions are not integers.
        """
        if self._mappings:
            check_unchanged(self._mappings)
        self._live.send(actions, group, env_ids)

    @_alone(changes=True)
    def recv(self, *, out: Out | None = None) -> Batch:
        """Waits for the next answer. Answers come in the order of the calls of `send`.

        Args:
            out: arrays for the batch, as for `step`.

        Raises:
            LookupError: no answer is due.
            ServiceError: the request is refused, and has changed nothing.
        """
        return self._live.recv(out)

    def step(self, actions: ArrayLike, *, env_ids: EnvIds | None = None, out: Out | None = None) -> Batch:
        """Takes an action in each environment, and waits.

        Args:
            actions: the actions by id, in the order of the environments: integers [n].
            env_ids: the environments, numbered over all groups, in rising order; None: all.
            out: arrays for the batch, by name: an attribute of `Batch` that has a row for each environment, or for the
                observation "bits" and "numbers", or "array" in the format "flat". An array has the type and the shape of
                the attribute, is writable, and has its rows one after the other.

        Returns:
            The batch of these environments, of all groups in one.

        Raises:
            IllegalAction, ValueError, TypeError: as for `send`, and for an array in `out` that does not fit. No action is
                taken in any group.
        """
        # What `_alone` does, by hand: it takes a tenth of the time of a single environment.
        if self._is_in_use:
            raise RuntimeError(_IN_USE)
        self._is_in_use = True
        try:
            if self._mappings:
                check_unchanged(self._mappings)
            return self._live.step(actions, env_ids, out)
        except KeyboardInterrupt:
            self._interrupted(changes=True)
            raise
        finally:
            self._is_in_use = False

    @_alone(changes=True)
    def rollout(self, net: _native.Net | str | os.PathLike[str], steps: int, *, temperature: float = 1.0) -> Rollout:
        """Lets a net play all learners inside the engine, `steps` decisions in each environment, and waits.

            rollout = env.rollout("net:first.net", 128)
            rollout.actions[0], rollout.log_probabilities[0], rollout.rewards[0]

        An environment that has not begun begins its first episode. The draw of an action is a function of the seed of the
        episode, the seat, and the number of the seat's decision, so threads and the number of environments change nothing.

        Args:
            net: the net, as `ahu.training.read_net` returns it, or its file.
            steps: the number of decisions in each environment, 1 or more.
            temperature: the divisor of the scores in the softmax from which actions are drawn, 0 to 1,000; 0 takes the best
                action.

        Raises:
            ValueError: an argument is out of range, the net is for another game, the environments run on a server, or have
                players of the client, another `autoreset` than "same_step", or `on_illegal="terminate"`; or a group is in
                progress.
            ServiceError: the engine has lost the environments.
        """
        if steps < 1:
            raise ValueError(f"expected 1 step or more, got {steps}")
        if self._address is not None or any(self._players):
            raise ValueError("expected environments in this process with learners and bots, got others")
        if self.autoreset != "same_step" or self.on_illegal == "terminate":
            raise ValueError(
                f'expected autoreset="same_step", and on_illegal other than "terminate", got autoreset={self.autoreset!r}, '
                f"on_illegal={self.on_illegal!r}"
            )
        if not isinstance(net, _native.Net):
            net = read_net(net)
        if self._mappings:
            check_unchanged(self._mappings)
        return self._live.roll_out(net, steps, temperature)

    @_alone(changes=True)
    def set_players(self, players: Sequence[EnvPlayer]) -> None:
        """Changes the players. In each environment the new players play from its next episode on; an episode in progress
        ends with the players with whom it began.

        Args:
            players: the players, one for each seat, as in the constructor. `LEARNER` keeps its places.

        Raises:
            TypeError, ValueError: as in the constructor; or `LEARNER` has other places, or a group is in progress.
            ServiceError: the engine refuses the players, such as an unknown bot.
        """
        if self._address is None:
            players = all_loaded(players)
        messages = player_messages(players)
        learners = [player is LEARNER for player in players]
        if learners != self._learners:
            places = [place for place, is_learner in enumerate(self._learners) if is_learner]
            raise ValueError(
                f"expected {len(self._learners)} players, with LEARNER in the places {places}; got {players!r}"
            )
        weighted, mappings = [weighted_players(player) for player in players], snapshots(players)
        if self._is_open:
            self._live.set_players(messages, weighted)
        self._players, self._mappings = weighted, mappings
        del self._open_request.players[:]
        self._open_request.players.extend(messages)

    @_alone(changes=False)
    def save(self) -> bytes:
        """Returns the progress of all environments, with chance, bots, and seats. After `restore` they go on as if they had not
        been saved, byte for byte.

        A save has the seeds and the actions of the present episodes, so it is small, and it is read in any process. It has
        neither the batch in the hands of the caller nor the caller's own memory, such as the state of a generator.

        Raises:
            ValueError: a group is in progress, `on_illegal` is not "raise", or there is a player of the client.
            ServiceError: an episode began at a State without a history.
        """
        return self._live.save()

    @_alone(changes=True)
    def restore(self, data: bytes) -> Batch:
        """Replaces all environments by those of a save.

        Args:
            data: the bytes of `save`, of environments with the same game, options, number, players, and settings. The
                formats of observations and masks, groups, threads, and the address may differ.

        Returns:
            The batch of all environments, as if they had been reset: without rewards, and with the seeds of the episodes.
            `ended` is True in a row that shows the end of an episode, and `starts` in a row that begins one.

        Raises:
            ValueError: as for `save`.
            ServiceError: the bytes are cut or changed, or are of other environments. Nothing has changed.
        """
        if self._refusal is _INTERRUPTED:
            self._refusal = None
        return self._live.restore(data)

    @_alone(changes=False)
    def advise(self, bot: str, *, env_ids: EnvIds | None = None, group: int | None = None) -> Advice:
        """Returns the advice of a bot for the present rows, and changes nothing.

        The advice is the choice that the bot makes in a match of the same seed, at that seat and decision; it follows from the
        seed of the episode, the seat, and the number of its decision. After an episode that began at a State, decisions count
        from there.

        Args:
            bot: the name of a bot, such as "greedy" or "search:200". A search has a budget in playouts.
            env_ids: the environments, numbered over all groups, in rising order; None: all.
            group: all environments of one group, instead of `env_ids`.

        Raises:
            ValueError: there are no such environments, or their group is in progress.
            ServiceError: there is no such bot, an environment has had no reset, or the answer could exceed 128 MiB. A server also
                refuses a search beyond its limits.
        """
        return self._live.advise(bot, env_ids, group)

    @_alone(changes=False)
    def central(self, *, env_ids: EnvIds | None = None, group: int | None = None) -> Observation:
        """Returns central observations of the present rows, for critics, and changes nothing.

        A central observation has everything that any seat knows: the observations of all seats, from the seat of the row to
        the left. Its layout is `central_layout`. Do not show it to a policy that competes: no match shows it.

        Args:
            env_ids: the environments, numbered over all groups, in rising order; None: all.
            group: all environments of one group, instead of `env_ids`.

        Raises:
            ValueError: there are no such environments, or their group is in progress.
            ServiceError: an environment has had no reset, or the answer could exceed 128 MiB.
        """
        return self._live.central(env_ids, group)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions of each environment, as of its last batch: bool [num_envs, action_count]; none if the
        episode has ended or has not begun.

        Raises:
            LookupError: no episode has begun in any environment.
        """
        masks = self._masks
        if masks is None:
            raise LookupError("no episode has begun: reset first")
        return bits.unpack(masks.reshape(self.num_envs, -1), self.action_count).view(np.bool_)

    def random_actions(self, batch: Batch, rng: np.random.Generator) -> NDArray[np.int64]:
        """Returns a random legal action for each row, all with the same probability: int64 [n]; 0 in a row that shows the end
        of an episode."""
        rows = batch._rows  # pyright: ignore[reportPrivateUsage]  A batch is of this package.
        # One number is the same number by itself, and takes less time than an array.
        pick = rng.random() if len(rows) == 1 else rng.random(len(rows))
        return _native.nth(rows.spec.cores, rows.masks, pick)

    def batch_player(self, player: ClientPlayer) -> BatchPlayer:
        """Returns a player of the client as a function of the batches of these environments."""
        return batch_player(player, self._live.looks)

    @overload
    def render(self, environment: int = 0, seat: int | None = None, mode: Literal["ansi", "svg"] = "ansi") -> str: ...
    @overload
    def render(self, environment: int, seat: int | None, mode: str) -> Rendered: ...
    @_alone(changes=False)
    def render(self, environment: int = 0, seat: int | None = None, mode: str = "ansi") -> Rendered:
        """Returns the table of an environment, for people.

        Args:
            environment: the environment, numbered over all groups.
            seat: the seat whose view is shown; the client has to play this seat. None: the public view.
            mode: "ansi": text; "svg": a picture as SVG; "rgb_array": the same picture in pixels, uint8 [1200, 800, 3].

        Raises:
            ValueError: there is no such mode.
        """
        one_of("mode", mode, RenderMode)
        table = self._live.engine.render(
            environment, seat, TableFormat.TABLE_FORMAT_TEXT if mode == "ansi" else TableFormat.TABLE_FORMAT_SVG
        )
        return pixels(table) if mode == "rgb_array" else table

    def _repr_svg_(self) -> str | None:
        """Returns what everybody sees of environment 0, for notebooks; None before the environments are opened."""
        return self.render(mode="svg") if self._is_open else None

    @_alone(changes=False)
    def close(self) -> None:
        """Closes the environments. The next use opens them again."""
        self._close()

    def _close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._replaced_before = self.replaced
        self._exchange = self._finalizer = self._refusal = None

    def _interrupted(self, changes: bool) -> None:
        """Gives the environments up after Ctrl-C, if nobody knows how far they have come."""
        if self._exchange is not None and (changes or self._address is not None):
            self._close()
            self._refusal = _INTERRUPTED

    def _leave_behind(self) -> None:
        """Marks the environments as belonging to another process."""
        if self._finalizer is not None:
            _left_behind.append((self._exchange, self._finalizer))
            self._finalizer.detach()
            self._exchange = self._finalizer = None
            self._refusal = (
                "this VectorEnv was opened before the process was forked: close it and reset it, or make another"
            )
        self._is_in_use = False

    @property
    def _masks(self) -> NDArray[np.uint8] | None:
        """The packed masks of all environments; None before the first episode."""
        return self._live.legal.masks() if self._is_open else None

    @property
    def has_begun(self) -> bool:
        """True if an environment has begun an episode, and the environments are open."""
        return self._masks is not None

    @property
    def _is_open(self) -> bool:
        return self._exchange is not None and self._exchange.engine.is_usable

    @property
    def _live(self) -> Exchange:
        """The exchange with the engine. Opens the environments if necessary.

        Raises:
            RuntimeError: the environments were opened before the process was forked, or Ctrl-C has interrupted them.
        """
        exchange = self._exchange
        if exchange is None or not exchange.engine.is_usable:
            if self._refusal is not None:
                raise RuntimeError(self._refusal)
            self._close()
            self._exchange = exchange = self._opened()
        return exchange

    def _opened(self) -> Exchange:
        cores = _native.Cores(self._threads)
        engine: Engine
        if self._address is None:
            engine = LocalEngine(self._open_request, cores)
        else:
            # The module imports gRPC, which environments in this process do not need.
            from ahu.training._remote_engine import RemoteEngine

            engine = RemoteEngine(self._address, self._timeout, self._open_request)
        self._finalizer = weakref.finalize(self, engine.close)
        _open_envs.add(self)
        layout, actions = Layout.of(engine.opened.layout), engine.opened.action_count
        spec = BatchSpec(layout, self.obs_format, actions, self.seats, self._mask_dtype, cores)
        return Exchange(
            engine,
            spec,
            self.game,
            self.num_envs,
            self.groups,
            self.autoreset,
            self.on_illegal,
            self._learners,
            self._players,
        )


_open_envs: weakref.WeakSet[VectorEnv] = weakref.WeakSet()
"""The environments of this process that were opened."""

_left_behind: list[Any] = []
"""The environments that a fork left behind. Their threads live in the parent, so they must be neither used nor dropped."""


def _leave_behind() -> None:
    """Marks the environments of the parent in a process that was forked."""
    for env in list(_open_envs):
        # No user of a VectorEnv calls it.
        env._leave_behind()  # pyright: ignore[reportPrivateUsage]


os.register_at_fork(after_in_child=_leave_behind)
