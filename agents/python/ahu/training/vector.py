"""Many environments, stepped together."""

from __future__ import annotations

import functools
import os
import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ahu import _native, errors
from ahu._native import State
from ahu._nets import all_loaded, read_net
from ahu.training import bits, catalog
from ahu.training.arguments import (
    EnvIds,
    Seeds,
    check_unchanged,
    checked_actions,
    checked_env_ids,
    illegal_action,
    new_seeds,
    no_episode,
    snapshots,
)
from ahu.training.batch import Batch, check_out
from ahu.training.engine import Answer, Call, Engine
from ahu.training.exchanges import Exchange, OpenEnv, Sent, calls_of, joined, split
from ahu.training.forfeits import Forfeits
from ahu.training.layout import Layout
from ahu.training.local_engine import LocalEngine
from ahu.training.looks import Advice, central_observation
from ahu.training.observation import Observation, ObsFormat
from ahu.training.open_request import LEARNER, Autoreset, Player, one_of, open_request, player_messages
from ahu.training.policies import Asked, OwnPlayer, Playing, PolicyPlayers, asked_of, is_positive, named_players
from ahu.training.rendering import Rendered, RenderMode, pixels
from ahu.training.rollouts import Rollout, RolloutMemory
from ahu.training.row_turns import EngineLooks
from ahu.training.rows import BatchSpec, Out, Rows
from ahu.training.settings import EnvSettings, OnIllegal, complete
from ahu.v1.environment_service_pb2 import RunRequest, RunResponse, TableForm

_POOL = 4
"""The number of batches of one size whose memory is used again."""

_Policies: TypeAlias = list[dict[str, tuple[OwnPlayer, float]] | None]

P = ParamSpec("P")
T = TypeVar("T")


class VectorEnv:
    """Environments of one game, stepped together. Each has a row, with the decision that it waits for.

        with ahu.VectorEnv("rappanui", 1024, groups=2) as env:
            rng = np.random.default_rng(1)
            for group in range(2):
                env.send(env.random_actions(env.reset(seed=1, group=group), rng), group)
            while True:
                batch = env.recv()
                env.send(env.random_actions(batch, rng), batch.group)

    The environments run in this process, or on a server (`address`); both play the same games. They are opened on first
    use. A pickle or a deep copy has only the arguments, so it begins anew. A forked process gets a RuntimeError from
    environments that were open, until it closes them. Only one thread at a time may use a `VectorEnv`; a call from
    another thread raises a RuntimeError.

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
        replaced: the number of actions that "random_legal" has replaced.

    Every method raises an `AhuError` if the engine refuses a request; the request then has no effect. If a game panics,
    which is a fault of its rules, the method raises an `AhuError` with the code INTERNAL that names game, seed, and ply.
    The environments are lost, and `reset` opens them again. With `address`, they are also lost after a `ConnectionLost`,
    if the server cannot be reached or is gone, and after an `AhuError` with the code DEADLINE_EXCEEDED, if an answer is
    overdue. There are at most 65,536 environments, and a batch has at most 128 MiB. A server also limits the environments
    of all its clients together.
    """

    @staticmethod
    def _alone(
        method: Callable[Concatenate[VectorEnv, P], T],
    ) -> Callable[Concatenate[VectorEnv, P], T]:
        """Makes a method refuse a call while another call is in progress."""

        @functools.wraps(method)
        def checked(self: VectorEnv, /, *args: P.args, **kwargs: P.kwargs) -> T:
            # An attribute and no lock: CPython changes threads, and raises KeyboardInterrupt, at calls alone, so that here
            # Ctrl-C can part nothing.
            if self._is_in_use:
                raise RuntimeError("this VectorEnv is in use: by another thread, or by the call that asks its policies")
            self._is_in_use = True
            self._asked = None
            try:
                return method(self, *args, **kwargs)
            except KeyboardInterrupt:
                self._keep_asked()
                raise
            finally:
                self._is_in_use = False

        return checked

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
        players = given["players"] if self._address is not None else all_loaded(given["players"])
        self._open_request = open_request(
            game,
            num_envs,
            seats,
            players,
            given["options"],
            groups,
            autoreset,
            given["rotation"],
            rewards,
            given["seed"],
            given["max_decisions"],
        )
        self._policies = [named_players(player) for player in players or ()]
        self._learners = [player is LEARNER for player in players or [LEARNER] * seats]
        self._mappings = snapshots(players or ())
        if any(self._policies) and not any(self._learners):
            raise ValueError("one of the players or more is LEARNER (None): the environments wait for it")
        self._is_in_use = False
        # The exchanges that the call in progress, or the last one, has asked the engine for, or has received.
        self._asked: list[Exchange] | Sent | None = None
        self._open_env: OpenEnv | None = None
        self._finalizer: weakref.finalize[..., VectorEnv] | None = None
        self._was_forked = False
        self.replaced = 0

    def __getstate__(self) -> dict[str, Any]:
        unopened = {"_open_env": None, "_finalizer": None, "_was_forked": False, "replaced": 0}
        return {**vars(self), **unopened, "_is_in_use": False, "_asked": None}

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

    @_alone
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
            AhuError: a State is one of another game, of other seats or options, or is over.
        """
        if (group is not None and env_ids is not None) or (seed is not None and seeds is not None):
            raise ValueError("reset a group or environments, by one seed or by seeds")
        if self._mappings:
            check_unchanged(self._mappings)
        calls = self._calls(env_ids) if group is None else [self._group_call(group)]
        numbers = np.concatenate([call.numbers for call in calls]) if len(calls) > 1 else calls[0].numbers
        new = new_seeds(seed, seeds, numbers)
        if new is not None:
            for call, own in zip(calls, split(new, calls), strict=True):
                call.seeds = own
        if states is not None:
            if self._address is not None:
                raise ValueError(
                    "expected no states for environments on a server: a State lives in the process of its caller"
                )
            if len(states) != len(numbers):
                raise ValueError(f"expected {len(numbers)} states, one for each environment, got {len(states)}")
            calls[0].states = list(states)
        open_env = self._live
        if out is not None:
            check_out(out, open_env.spec, len(numbers))
        if len(open_env.sent) == 1 and open_env.sent[0].was_interrupted and open_env.sent[0].is_within(numbers):
            # Nobody wants the batch any more.
            self._received(open_env, None)
            open_env = self._live
        self._check_free(open_env, calls)
        return self._carried_out([Exchange(call) for call in calls], out)

    @_alone
    def send(self, actions: ArrayLike, group: int = 0, env_ids: EnvIds | None = None) -> None:
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
        call = self._group_call(group)
        if env_ids is not None:
            numbers = checked_env_ids(env_ids, self.num_envs)
            if numbers[0] < call.first or numbers[-1] >= call.first + call.count:
                last = call.first + call.count - 1
                raise ValueError(f"the environments of group {group} are {call.first} to {last}, not {numbers}")
            call = Call(group, 0, len(numbers), numbers)
        exchanges = self._checked_step([call], actions)
        open_env = self._live
        # First of all, so that after Ctrl-C `recv` starts what was not started.
        sent = Sent(exchanges, frozenset((group,)))
        open_env.sent += [sent]
        open_env.groups_in_progress |= sent.groups
        for call, _ in exchanges[0].parts:
            open_env.engine.start(call)

    @_alone
    def recv(self, *, out: Out | None = None) -> Batch:
        """Waits for the next answer. Answers come in the order of the calls of `send`. The batch of a `step` or a `reset`
        that Ctrl-C has interrupted comes here too, in its turn.

        Args:
            out: arrays for the batch, as for `step`.

        Raises:
            LookupError: no answer is due.
            AhuError: the request is refused, and has changed nothing.
        """
        open_env = self._live
        if not open_env.sent:
            raise LookupError("nothing is in progress: send actions first")
        if out is not None:
            check_out(out, open_env.spec, open_env.sent[0].count)
        return self._received(open_env, out)

    @_alone
    def step(self, actions: ArrayLike, env_ids: EnvIds | None = None, *, out: Out | None = None) -> Batch:
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
        exchanges = self._checked_step(self._calls(env_ids), actions, out)
        return self._carried_out(exchanges, out)

    @_alone
    def rollout(self, net: _native.Net | str | os.PathLike[str], steps: int, temperature: float = 1.0) -> Rollout:
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
            AhuError: the engine has lost the environments.
        """
        if steps < 1:
            raise ValueError(f"expected 1 step or more, got {steps}")
        if self._address is not None or any(self._policies):
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
        open_env = self._live
        call = Call(0, 0, self.num_envs, None)
        self._check_free(open_env, [call])
        assert isinstance(open_env.engine, LocalEngine)
        memory = RolloutMemory.of(
            Rows(open_env.spec, steps * self.num_envs),
            Rows(open_env.spec, self.num_envs),
            is_advised=net.adviser is not None,
        )
        nanoseconds, episodes = open_env.engine.roll_out(net, steps, temperature, memory)
        rows, last = memory.rows, memory.last
        # The last action of each environment led to its last row.
        call.actions = memory.actions.reshape(self.num_envs, steps)[:, -1].copy()
        open_env.note(call, last)
        open_env.acting = last.seats.copy()
        acted = rows.seats.reshape(self.num_envs, steps)[:, -1].copy()
        ended = rows.ended.reshape(self.num_envs, steps)[:, -1]
        last.rewards[...] = rows.rewards.reshape(self.num_envs, steps, self.seats)[:, -1]
        last.ended[...] = ended
        batch = Batch(rows, acted=rows.seats, starts=memory.starts.view(np.bool_))
        return memory.rollout(steps, batch, Batch(last, acted=acted), nanoseconds, episodes)

    @_alone
    def set_players(self, players: Sequence[Player]) -> None:
        """Changes the players. In each environment the new players play from its next episode on; an episode in progress
        ends with the players with whom it began.

        Args:
            players: the players, one for each seat, as in the constructor. `LEARNER` keeps its places.

        Raises:
            TypeError, ValueError: as in the constructor; or `LEARNER` has other places, or a group is in progress.
            AhuError: the engine refuses the players, such as an unknown bot.
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
        policies, mappings = [named_players(player) for player in players], snapshots(players)
        open_env = self._open_env
        if open_env is not None and open_env.engine.is_usable:
            if open_env.groups_in_progress:
                raise ValueError(f"group {min(open_env.groups_in_progress)} is in progress: recv its answer first")
            open_env.engine.set_players(RunRequest.SetPlayers(players=messages))
            if open_env.policies is not None:
                open_env.policies.set_players(policies)
            elif any(policies):
                open_env.policies = self._policy_players(policies, open_env)
        self._policies, self._mappings = policies, mappings
        del self._open_request.players[:]
        self._open_request.players.extend(messages)

    @_alone
    def save(self) -> bytes:
        """Returns the progress of all environments, with chance, bots, and seats. After `restore` they go on as if they had not
        been saved, byte for byte.

        A save has the seeds and the actions of the present episodes, so it is small, and it is read in any process. It has
        neither the batch in the hands of the caller nor the caller's own memory, such as the state of a generator.

        Raises:
            ValueError: a group is in progress, `on_illegal` is not "raise", or a player is a policy of the client.
            AhuError: an episode began at a State without a history.
        """
        return self._saving("save").engine.save()

    @_alone
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
            AhuError: the bytes are cut or changed, or are of other environments. Nothing has changed.
        """
        open_env = self._saving("restore")
        restored = open_env.engine.restore(data)
        call, rows = Call(0, 0, self.num_envs, None), Rows(open_env.spec, self.num_envs)
        rows.fill(restored.batch)
        call.seeds = np.frombuffer(restored.env_seeds, "<u8").astype(np.uint64)
        open_env.note(call, rows)
        open_env.acting = rows.seats.copy()
        open_env.over[:] = rows.ended
        seeds = np.frombuffer(bytearray(restored.batch.seeds), "<u8")
        starts = np.frombuffer(bytearray(restored.starts), np.bool_)
        return Batch(rows, None, seeds, group=0, starts=starts)

    def _saving(self, what: str) -> OpenEnv:
        """Returns the open environments, if they can be saved.

        Raises:
            ValueError: they cannot be.
        """
        open_env = self._live
        if open_env.groups_in_progress:
            raise ValueError(f"group {min(open_env.groups_in_progress)} is in progress: recv its answer first")
        if self.on_illegal != "raise":
            raise ValueError(f'expected on_illegal="raise" to {what} environments, got {self.on_illegal!r}')
        if open_env.policies is not None:
            raise ValueError(f"expected bots and LEARNER as players to {what} environments, got a policy of the client")
        return open_env

    @_alone
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
            AhuError: there is no such bot, an environment has had no reset, or the answer could exceed 128 MiB. A server also
                refuses a search beyond its limits.
        """
        open_env, calls, answers = self._looked(bot, env_ids, group)
        numbers = np.concatenate([call.numbers for call in calls]).astype(np.uint32)
        advice = Advice(numbers, open_env.spec.action_count, [answer.advice for answer in answers])
        if open_env.forfeits is not None and (masks := open_env.legal.masks()) is not None:
            # The engine does not know that these episodes are over.
            advice.choices[~masks.reshape(self.num_envs, -1)[numbers].any(axis=1)] = 0
        return advice

    @_alone
    def central(self, *, env_ids: EnvIds | None = None, group: int | None = None) -> Observation:
        """Returns central observations of the present rows, for critics, and changes nothing.

        A central observation has everything that any seat knows: the observations of all seats, from the seat of the row to
        the left. Its layout is `central_layout`. Do not show it to a policy that competes: no match shows it.

        Args:
            env_ids: the environments, numbered over all groups, in rising order; None: all.
            group: all environments of one group, instead of `env_ids`.

        Raises:
            ValueError: there are no such environments, or their group is in progress.
            AhuError: an environment has had no reset, or the answer could exceed 128 MiB.
        """
        open_env, _, answers = self._looked(None, env_ids, group)
        layout, spec = open_env.spec.layout.central(self.seats), open_env.spec
        return central_observation(layout, spec.obs_format, [answer.central for answer in answers], spec.cores)

    def _looked(
        self, bot: str | None, env_ids: EnvIds | None, group: int | None
    ) -> tuple[OpenEnv, list[Call], list[RunResponse.Looked]]:
        """Looks at the rows of environments."""
        if group is not None and env_ids is not None:
            raise ValueError("look at a group or at environments, not both")
        calls = self._calls(env_ids) if group is None else [self._group_call(group)]
        open_env = self._live
        self._check_free(open_env, calls)
        return open_env, calls, [open_env.engine.look(call, bot) for call in calls]

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions of each environment, as of its last batch: bool [num_envs, action_count]; none if the
        episode has ended or has not begun.

        Raises:
            LookupError: no episode has begun in any environment.
        """
        masks = None if self._open_env is None else self._live.legal.masks()
        if masks is None:
            raise LookupError("no episode has begun: reset first")
        return bits.unpack(masks.reshape(self.num_envs, -1), self.action_count).view(np.bool_)

    def random_actions(self, batch: Batch, rng: np.random.Generator) -> NDArray[np.int64]:
        """Returns a random legal action for each row, all with the same probability: int64 [n]; 0 in a row that shows the end
        of an episode."""
        return bits.nth(batch.packed_masks, rng.random(len(batch)), batch._rows.spec.cores)  # pyright: ignore[reportPrivateUsage]  A batch is of this package.

    def asked_of(self, player: OwnPlayer) -> Asked:
        """Returns a player of the client as a function of the batches of these environments."""
        return asked_of(player, EngineLooks(self._live.engine, self.game))

    @overload
    def render(self, environment: int = 0, seat: int | None = None, mode: Literal["ansi", "svg"] = "ansi") -> str: ...
    @overload
    def render(self, environment: int, seat: int | None, mode: str) -> Rendered: ...
    @_alone
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
            environment, seat, TableForm.TABLE_FORM_TEXT if mode == "ansi" else TableForm.TABLE_FORM_SVG
        )
        return pixels(table) if mode == "rgb_array" else table

    def _repr_svg_(self) -> str | None:
        """Returns what everybody sees of environment 0, for notebooks; None before the environments are opened."""
        return None if self._open_env is None else self.render(mode="svg")

    @_alone
    def close(self) -> None:
        """Closes the environments. The next use opens them again."""
        self._close()

    def _close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._open_env = self._finalizer = None
        self._was_forked = False

    def _leave_behind(self) -> None:
        """Marks the environments as belonging to another process."""
        if self._open_env is not None:
            _left_behind.append((self._open_env, self._finalizer))
            if self._finalizer is not None:
                self._finalizer.detach()
            self._open_env, self._finalizer, self._was_forked = None, None, True
        self._is_in_use = False
        self._asked = None

    @property
    def _live(self) -> OpenEnv:
        """The open environments. Opens them if necessary.

        Raises:
            RuntimeError: the environments were opened before the process was forked.
        """
        open_env = self._open_env
        if open_env is None or not open_env.engine.is_usable:
            if self._was_forked:
                raise RuntimeError(
                    "this VectorEnv was opened before the process was forked: close it and reset it, or make another"
                )
            self._close()
            self._open_env = open_env = self._opened()
        return open_env

    def _opened(self) -> OpenEnv:
        engine: Engine
        cores = _native.Cores(self._threads)
        if self._address is None:
            engine = LocalEngine(self._open_request, cores)
        else:
            # These modules import gRPC, which environments in this process do not need.
            from ahu.training.remote_engine import RemoteEngine
            from ahu.training.stream import Stream

            stream = Stream(self._address, self._timeout)
            self._finalizer = weakref.finalize(self, stream.close)
            try:
                engine = RemoteEngine(stream, self._open_request)
            except errors.AhuError:
                self._close()
                raise
        opened = engine.opened
        layout = Layout.of(opened.layout)
        spec = BatchSpec(layout, self.obs_format, opened.action_count, self.seats, self._mask_dtype, cores)
        legal = _native.LegalActions(self.num_envs, spec.action_count, opened.seed)
        forfeits = Forfeits(spec, self.num_envs, self.autoreset) if self.on_illegal == "terminate" else None
        # Environment i has the seed of environment 0 plus i, modulo 2^64.
        seeds = np.uint64(opened.seed) + np.arange(self.num_envs).astype(np.uint64)
        acting, over = np.zeros(self.num_envs, np.uint8), np.zeros(self.num_envs, np.bool_)
        open_env = OpenEnv(engine, spec, legal, forfeits, seeds, acting, over)
        if any(self._policies):
            open_env.policies = self._policy_players(self._policies, open_env)
        _open_envs.add(self)
        return open_env

    def _policy_players(self, policies: _Policies, open_env: OpenEnv) -> PolicyPlayers:
        masks, is_begun = open_env.legal.masks(), np.zeros(self.num_envs, np.bool_)
        if masks is not None:
            is_begun[...] = masks.reshape(self.num_envs, -1).any(axis=1)
        at_once, looks = self.autoreset == "same_step", EngineLooks(open_env.engine, self.game)
        return PolicyPlayers(policies, self._learners, self.seats, open_env.seeds.copy(), is_begun, at_once, looks)

    def _calls(self, env_ids: EnvIds | None) -> list[Call]:
        """Returns requests for environments without actions, one for each that the engine needs."""
        spans_groups = self.groups == 1 or self._address is None
        if env_ids is None:
            if spans_groups:
                return [Call(0, 0, self.num_envs, None)]
            return [self._group_call(group) for group in range(self.groups)]
        numbers = checked_env_ids(env_ids, self.num_envs)
        groups = numbers // self._group_size
        if spans_groups:
            return [Call(int(groups[0]), 0, len(numbers), numbers)]
        parts = [(int(group), numbers[groups == group]) for group in np.unique(groups)]
        return [Call(group, 0, len(part), part) for group, part in parts]

    @property
    def _group_size(self) -> int:
        return self.num_envs // self.groups

    def _group_call(self, group: int) -> Call:
        """Returns a request for the environments of a group."""
        if not 0 <= group < self.groups:
            raise ValueError(f"expected a group from 0 to {self.groups - 1}, got {group}")
        return Call(group, group * self._group_size, self._group_size, None)

    def _checked_step(self, calls: list[Call], actions: ArrayLike, out: Out | None = None) -> list[Exchange]:
        """Returns the exchange that takes actions in environments. Checks all actions before any is taken."""
        if self._mappings:
            check_unchanged(self._mappings)
        count = calls[0].count if len(calls) == 1 else sum(call.count for call in calls)
        checked = checked_actions(actions, count)
        if len(calls) == 1:
            calls[0].actions = checked
        else:
            for call, own in zip(calls, split(checked, calls), strict=True):
                call.actions = own
        open_env = self._live
        if out is not None:
            check_out(out, open_env.spec, count)
        self._check_free(open_env, calls)
        if len(calls) == 1:
            found = self._illegal(open_env, calls[0])
            if not found and open_env.forfeits is None:
                return [Exchange(calls[0])]
            illegal = [found]
        else:
            illegal = [self._illegal(open_env, call) for call in calls]
        if self.on_illegal == "random_legal":
            self.replaced += sum(map(len, illegal))
        return [self._exchange(open_env, call, places) for call, places in zip(calls, illegal, strict=True)]

    def _check_free(self, open_env: OpenEnv, calls: list[Call]) -> None:
        if not open_env.groups_in_progress:
            return
        for group in self._groups_of(calls):
            if group in open_env.groups_in_progress:
                raise ValueError(f"group {group} is in progress: recv its answer first")

    def _groups_of(self, calls: list[Call]) -> list[int]:
        return np.unique(np.concatenate([call.numbers // self._group_size for call in calls])).tolist()

    def _illegal(self, open_env: OpenEnv, call: Call) -> Sequence[int]:
        """Returns the places of the illegal actions.

        Raises:
            IllegalAction: an action is illegal, and `on_illegal` is "raise".
            AhuError: an environment has no episode in progress. With "next_step", an episode that has ended may be
                stepped.
        """
        assert call.actions is not None
        found = open_env.legal.check(call.first, call.env_ids, call.actions, self.autoreset == "next_step")
        if found is None:
            return ()
        illegal, no_decision = found
        if no_decision:
            raise no_episode(int(call.numbers[no_decision[0]]))
        if illegal and self.on_illegal == "raise":
            environment, action = int(call.numbers[illegal[0]]), int(call.actions[illegal[0]])
            raise illegal_action(environment, action, open_env.legal.ids(environment))
        return illegal

    def _exchange(self, open_env: OpenEnv, call: Call, illegal: Sequence[int]) -> Exchange:
        """Returns the exchange that takes the actions of a call, of which the actions at the places `illegal` are illegal."""
        if open_env.forfeits is not None:
            return Exchange(call, open_env.forfeits.plan(call, np.array(illegal, np.intp)))
        if illegal:
            places = np.array(illegal, np.intp)
            assert call.actions is not None
            call.actions = call.actions.copy()
            call.actions[places] = open_env.legal.random(call.numbers[places].astype(np.uint32))
        return Exchange(call)

    def _rows(self, open_env: OpenEnv, exchanges: list[Exchange]) -> Rows:
        """Returns the rows for a batch. For a group or for all environments, these are rows that nobody holds any more."""
        call = exchanges[0].call
        count = call.count if len(exchanges) == 1 else sum(exchange.call.count for exchange in exchanges)
        if call.env_ids is not None:
            return Rows(open_env.spec, count)
        pool = open_env.rows.get(count)
        if pool is None:
            pool = open_env.rows[count] = []
        free = _native.unheld(pool)
        if free is not None:
            return pool[free]
        rows = Rows(open_env.spec, count)
        pool.append(rows)
        # Those who keep many batches have their memory from the system.
        del pool[:-_POOL]
        return rows

    def _carried_out(self, exchanges: list[Exchange], out: Out | None) -> Batch:
        """Carries out exchanges of the open environments and waits, even if others are in progress."""
        open_env = self._open_env
        assert open_env is not None
        rows = self._rows(open_env, exchanges)
        if len(exchanges) == 1 and exchanges[0].forfeit is None:
            # The usual case. A single environment has hundreds of thousands of exchanges a second.
            call = exchanges[0].call
            exchanges[0].rows = rows
            self._asked = exchanges
            answer = open_env.engine.ask(call, rows)
            open_env.note(call, rows)
            if open_env.policies is not None:
                exchanges[0].whole = answer = self._played_on(open_env, exchanges[0], answer)
            return self._shown(open_env, exchanges, rows, answer, out)
        if len(exchanges) == 1:
            exchanges[0].rows = rows
        calls = calls_of(open_env.spec, exchanges)
        self._asked = exchanges
        answers = open_env.engine.run(calls)
        return self._batch(open_env, exchanges, rows, answers, out)

    def _received(self, open_env: OpenEnv, out: Out | None) -> Batch:
        """Waits for what was sent first, and returns its batch. After Ctrl-C it may be asked again."""
        self._asked = sent = open_env.sent[0]
        rows = sent.exchanges[0].rows
        if rows is None or len(sent.exchanges) > 1:
            rows = self._rows(open_env, sent.exchanges)
        if len(sent.exchanges) == 1:
            sent.exchanges[0].rows = rows
        answers: list[Answer | errors.AhuError] = []
        for call, own in calls_of(open_env.spec, sent.exchanges):
            try:
                answers.append(open_env.engine.finish(call, own))
            except errors.AhuError as refusal:
                answers.append(refusal)
        try:
            batch = self._batch(open_env, sent.exchanges, rows, answers, out)
        except errors.AhuError:
            del open_env.sent[0]
            open_env.groups_in_progress -= sent.groups
            raise
        # These lines have no call, so Ctrl-C cannot part them.
        del open_env.sent[0]
        open_env.groups_in_progress -= sent.groups
        return batch

    def _keep_asked(self) -> None:
        """Keeps what Ctrl-C has interrupted for `recv`: what it was about to return, or what the engine has begun."""
        asked, open_env = self._asked, self._open_env
        if asked is None or open_env is None or not open_env.engine.is_usable:
            return
        if isinstance(asked, Sent):
            if not open_env.sent or open_env.sent[0] is not asked:
                open_env.sent.insert(0, asked)
                open_env.groups_in_progress |= asked.groups
            return
        calls = [call for exchange in asked for call, _ in exchange.parts]
        if any(call.has_begun for call in calls):
            sent = Sent(asked, frozenset(self._groups_of(calls)), was_interrupted=True)
            open_env.sent += [sent]
            open_env.groups_in_progress |= sent.groups

    def _batch(
        self,
        open_env: OpenEnv,
        exchanges: list[Exchange],
        rows: Rows,
        answers: list[Answer | errors.AhuError],
        out: Out | None,
    ) -> Batch:
        """Returns the batch of exchanges that were answered.

        Raises:
            AhuError: an exchange is refused.
        """
        refusals: list[errors.AhuError] = []
        remaining = iter(answers)
        whole: list[Answer] = []
        first = 0
        for exchange in exchanges:
            own = [next(remaining) for _ in exchange.parts]
            refusals += [answer for answer in own if isinstance(answer, errors.AhuError)]
            good = [answer for answer in own if isinstance(answer, Answer)]
            if len(good) == len(own):
                part, answer = exchange.rows, exchange.whole
                assert part is not None
                if answer is None:
                    answer = open_env.noted(exchange, good)
                    if open_env.policies is not None:
                        exchange.whole = answer = self._played_on(open_env, exchange, answer)
                whole.append(answer)
                if part is not rows:
                    rows.put(slice(first, first + len(part)), part)
                    first += len(part)
        if refusals:
            raise refusals[0]
        answer = whole[0] if len(whole) == 1 else joined(whole)
        return self._shown(open_env, exchanges, rows, answer, out)

    def _shown(
        self, open_env: OpenEnv, exchanges: list[Exchange], rows: Rows, answer: Answer, out: Out | None
    ) -> Batch:
        """Returns the batch of rows."""
        first = exchanges[0]
        call = first.call
        # Ellipsis stands for all environments, whose arrays need not be divided.
        place: Any = ...
        if len(exchanges) > 1:
            place = np.concatenate([exchange.call.numbers for exchange in exchanges])
        elif call.count < self.num_envs:
            place = slice(call.first, call.first + call.count) if call.env_ids is None else call.env_ids
        if call.actions is not None and first.acted is None:
            # What the last batch of these environments showed. After Ctrl-C this is known already.
            if self.autoreset != "same_step" and open_env.policies is None:
                first.starts = open_env.over[place].copy()
            first.acted = open_env.acting if place is ... else open_env.acting[place]
        if place is ...:
            open_env.acting = rows.seats.copy()
        else:
            open_env.acting = open_env.acting.copy()
            open_env.acting[place] = rows.seats
        if self.autoreset == "next_step":
            open_env.over[place] = rows.ended
        starts = first.starts if open_env.policies is None else open_env.policies.starts(place)
        return Batch(rows, answer.final_rows, answer.seeds, answer.nanoseconds, call.group, out, first.acted, starts)

    def _played_on(self, open_env: OpenEnv, exchange: Exchange, answer: Answer) -> Answer:
        """Plays on with the policies after an exchange, whose rows it changes. Returns the whole answer."""
        call, rows = exchange.call, exchange.rows

        def step(env_ids: NDArray[np.uint32], actions: NDArray[np.int64]) -> tuple[Rows, Answer]:
            asked = Call(call.group, 0, len(env_ids), env_ids, actions)
            illegal = self._illegal(open_env, asked)
            if self.on_illegal == "random_legal":
                self.replaced += len(illegal)
            return asked_rows(self._exchange(open_env, asked, illegal))

        def reset(env_ids: NDArray[np.uint32]) -> tuple[Rows, Answer]:
            return asked_rows(Exchange(Call(call.group, 0, len(env_ids), env_ids)))

        def asked_rows(exchange: Exchange) -> tuple[Rows, Answer]:
            answers = [open_env.engine.ask(call, rows) for call, rows in calls_of(open_env.spec, [exchange])]
            answer = open_env.noted(exchange, answers)
            assert exchange.rows is not None
            return exchange.rows, answer

        if exchange.playing is None:
            exchange.playing = Playing()
        assert open_env.policies is not None and rows is not None
        try:
            return open_env.policies.play_on(call, rows, answer, step, reset, exchange.playing)
        except BaseException as error:
            if not (isinstance(error, KeyboardInterrupt) and exchange.playing.is_choosing):
                # Games are half played.
                self._close()
            raise


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
