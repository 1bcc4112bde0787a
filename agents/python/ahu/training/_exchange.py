"""The exchange of a `VectorEnv` with its engine: what is sent, asked, and kept while the environments are open."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ahu import _errors as errors, _native
from ahu._native import State
from ahu.training._arguments import (
    EnvIds,
    Seeds,
    checked_actions,
    checked_env_ids,
    illegal_action,
    new_seeds,
    no_episode,
)
from ahu.training._batch import Batch, check_out
from ahu.training._engine import Answer, Call, Engine
from ahu.training._forfeits import Forfeits
from ahu.training._local_engine import LocalEngine
from ahu.training._looks import Advice, central_observation
from ahu.training._observation import Observation
from ahu.training._open_request import Autoreset
from ahu.training._players import ClientPlayers, WeightedPlayers
from ahu.training._rollouts import Rollout
from ahu.training._row_turns import EngineLooks
from ahu.training._rows import BatchSpec, FinalRows, Out, Rows
from ahu.training._settings import OnIllegal
from ahu.v1.environment_service_pb2 import EnvironmentPlayer, RunRequest, RunResponse

_POOL = 4
"""The number of batches of one size whose memory is used again."""


class Exchange:
    """The exchange with an engine. It checks what the engine is sent, and knows what the last batches showed.

    Args:
        engine: the engine, whose environments have just been opened.
        spec: the sizes of batches.
        game: the game.
        num_envs: the number of environments.
        groups: the number of groups.
        autoreset: the reset of an environment whose episode has ended.
        on_illegal: the consequence of an illegal action.
        learners: for each player, True if it is a learner.
        players: for each player, the players of the client among which it is drawn; None for a learner or bots.

    Attributes:
        engine, spec: as given.
        looks: what seats are shown besides arrays.
        legal: the legal actions of the environments.
        replaced: the number of actions that "random_legal" has replaced.
        players: the players of the client; None: there have been none.
    """

    def __init__(
        self,
        engine: Engine,
        spec: BatchSpec,
        game: str,
        num_envs: int,
        groups: int,
        autoreset: Autoreset,
        on_illegal: OnIllegal,
        learners: Sequence[bool],
        players: Sequence[WeightedPlayers | None],
    ) -> None:
        self.engine = engine
        self.spec = spec
        self.legal = _native.LegalActions(num_envs, spec.action_count, engine.opened.seed)
        self.replaced = 0
        self.players: ClientPlayers | None = None
        self.looks = EngineLooks(engine, game)
        self._num_envs = num_envs
        self._groups = groups
        self._group_size = num_envs // groups
        self._spans_groups = groups == 1 or not engine.is_remote
        self._autoreset: Autoreset = autoreset
        self._on_illegal = on_illegal
        self._forfeits = Forfeits(spec, num_envs, autoreset) if on_illegal == "terminate" else None
        self._learners = learners
        # Environment i has the seed of environment 0 plus i, modulo 2^64.
        self._seeds = np.uint64(engine.opened.seed) + np.arange(num_envs).astype(np.uint64)
        # The seat of each environment in its last batch. Batches keep parts of the array: it never changes, but another array
        # takes its place.
        self._acting = np.zeros(num_envs, np.uint8)
        # True for each environment whose last batch showed the end of its episode, with "next_step".
        self._over = np.zeros(num_envs, np.bool_)
        # The calls that were sent and have no answer yet. Each is of one group.
        self._sent: deque[Call] = deque()
        # The rows of the last batches, by their number.
        self._pools: dict[int, list[Rows]] = {}
        self._pool = self._pools.setdefault(num_envs, [])
        # The engine, if a step of all environments changes nothing here besides legal actions and seats to act.
        is_plain = autoreset != "next_step" and on_illegal != "terminate"
        self._plain = engine if is_plain and isinstance(engine, LocalEngine) else None
        self._change_players(players)

    def reset(
        self,
        seed: int | None,
        seeds: Seeds | None,
        env_ids: EnvIds | None,
        group: int | None,
        states: Sequence[State] | None,
        out: Out | None,
    ) -> Batch:
        """Begins episodes, as `VectorEnv.reset` does."""
        calls = self._calls(env_ids, group)
        numbers = _numbers(calls)
        new = new_seeds(seed, seeds, numbers)
        if new is not None:
            for call, own in zip(calls, _split(new, calls), strict=True):
                call.seeds = own
        if states is not None:
            if len(states) != len(numbers):
                raise ValueError(f"expected {len(numbers)} states, one for each environment, got {len(states)}")
            calls[0].states = list(states)
        if out is not None:
            check_out(out, self.spec, len(numbers))
        self._check_free(calls)
        if self.engine.is_remote:
            self._start(calls)
        return self._carried_out(calls, out)

    def step(self, actions: ArrayLike, env_ids: EnvIds | None, out: Out | None) -> Batch:
        """Takes actions, as `VectorEnv.step` does."""
        if self._plain is not None and env_ids is None and out is None and not self._sent and self.players is None:
            # The usual case in one call. A single environment has hundreds of thousands of steps a second.
            stepped = self._plain.step_all(self.legal, actions, self._pool)
            if stepped is not None:
                rows, (nanoseconds, _, final) = stepped
                final_rows = None if final is None else FinalRows.of(self.spec, *final)
                acted, self._acting = self._acting, rows.seats.copy()
                # With "disabled", no step begins an episode.
                starts = None if self._autoreset == "same_step" else self._over.copy()
                return Batch(rows, final_rows, None, nanoseconds, 0, None, acted, starts)
        calls = self._calls(env_ids)
        self._prepare(calls, actions, out)
        if self.engine.is_remote:
            self._start(calls)
        return self._carried_out(calls, out)

    def send(self, actions: ArrayLike, group: int, env_ids: EnvIds | None) -> None:
        """Sends actions, as `VectorEnv.send` does."""
        call = self._group_call(group)
        if env_ids is not None:
            numbers = checked_env_ids(env_ids, self._num_envs)
            last = call.first + call.count - 1
            if numbers[0] < call.first or numbers[-1] > last:
                raise ValueError(f"the environments of group {group} are {call.first} to {last}, not {numbers}")
            call = Call.of(group, numbers)
        self._prepare([call], actions)
        self._start([call])
        self._sent.append(call)

    def recv(self, out: Out | None) -> Batch:
        """Waits for the answer to the first call that was sent."""
        if not self._sent:
            raise LookupError("nothing is in progress: send actions first")
        if out is not None:
            check_out(out, self.spec, self._sent[0].count)
        return self._carried_out([self._sent.popleft()], out)

    def roll_out(self, net: _native.Net, steps: int, temperature: float) -> Rollout:
        """Lets a net play, as `VectorEnv.rollout` does."""
        call = self._all()
        self._check_free([call])
        assert isinstance(self.engine, LocalEngine)
        count, spec = self._num_envs, self.spec
        size = count * steps
        rows, last = Rows(spec, size), Rows(spec, count)
        actions, starts = np.empty(size, np.int64), np.empty(size, np.bool_)
        log_probabilities, values = np.empty(size, np.float32), np.empty(size, np.float32)
        last_values = np.empty(count, np.float32)
        # An entry for each step, and then one for the last row of the environment.
        advice = np.empty(0 if net.adviser is None else size + count, np.int64)
        own = (actions, log_probabilities, values, starts.view(np.uint8), advice)
        nanoseconds, episodes = self.engine.roll_out(
            net, steps, temperature, rows.memory, *own, last.memory, last_values
        )

        def by_step(array: NDArray[Any]) -> NDArray[Any]:
            return array.reshape(count, -1, *array.shape[1:]).swapaxes(0, 1)

        # The last action of each environment led to its last row.
        call.actions = by_step(actions)[-1].copy()
        self._note(call, last)
        self._acting = last.seats.copy()
        last.rewards[...] = by_step(rows.rewards)[-1]
        last.ended[...] = by_step(rows.ended)[-1]
        advised = by_step(advice) if len(advice) else None
        return Rollout(
            batch=Batch(rows, acted=rows.seats, starts=starts),
            last=Batch(last, acted=by_step(rows.seats)[-1].copy()),
            actions=by_step(actions),
            log_probabilities=by_step(log_probabilities),
            values=by_step(values),
            starts=by_step(starts),
            last_values=last_values,
            advice=None if advised is None else advised[:-1],
            last_advice=None if advised is None else advised[-1],
            episodes=list(episodes),
            server_seconds=nanoseconds / 1e9,
        )

    def set_players(self, messages: Sequence[EnvironmentPlayer], players: Sequence[WeightedPlayers | None]) -> None:
        """Changes the players, from the next episode of each environment on."""
        self._check_free([self._all()])
        self.engine.set_players(RunRequest.SetPlayers(players=messages))
        self._change_players(players)

    def save(self) -> bytes:
        """Returns the progress of all environments."""
        self._check_saves("save")
        return self.engine.save()

    def restore(self, data: bytes) -> Batch:
        """Replaces all environments by those of a save, and returns their batch."""
        self._check_saves("restore")
        restored = self.engine.restore(data)
        call, rows = self._all(), Rows(self.spec, self._num_envs)
        response = RunResponse(batch=restored.batch).SerializeToString()
        answer = _native.read_batch(response, self.spec.widths, rows.memory)
        assert answer is not None
        call.seeds = np.frombuffer(restored.env_seeds, "<u8").astype(np.uint64)
        self._note(call, rows)
        self._acting = rows.seats.copy()
        if self._autoreset == "next_step":
            self._over[:] = rows.ended
        starts = np.frombuffer(bytearray(restored.starts), np.bool_)
        return Batch(rows, None, answer[1], group=0, starts=starts)

    def advise(self, bot: str, env_ids: EnvIds | None, group: int | None) -> Advice:
        """Returns the advice of a bot for the present rows."""
        calls, answers = self._looked(bot, env_ids, group)
        numbers = _numbers(calls).astype(np.uint32)
        advice = Advice(numbers, self.spec.action_count, [answer.advice for answer in answers])
        if self._forfeits is not None and (masks := self.legal.masks()) is not None:
            # The engine does not know that these episodes are over.
            advice.choices[~masks.reshape(self._num_envs, -1)[numbers].any(axis=1)] = 0
        return advice

    def central(self, env_ids: EnvIds | None, group: int | None) -> Observation:
        """Returns central observations of the present rows."""
        spec, (_, answers) = self.spec, self._looked(None, env_ids, group)
        layout = spec.layout.central(spec.seats)
        return central_observation(layout, spec.obs_format, [answer.central for answer in answers], spec.cores)

    def _looked(
        self, bot: str | None, env_ids: EnvIds | None, group: int | None
    ) -> tuple[list[Call], list[RunResponse.Looked]]:
        if group is not None and env_ids is not None:
            raise ValueError("look at a group or at environments, not both")
        calls = self._calls(env_ids, group)
        self._check_free(calls)
        return calls, [self.engine.look(call, bot) for call in calls]

    def _change_players(self, players: Sequence[WeightedPlayers | None]) -> None:
        if self.players is not None:
            self.players.set_players(players)
        elif any(players):
            masks, is_begun = self.legal.masks(), np.zeros(self._num_envs, np.bool_)
            if masks is not None:
                is_begun[...] = masks.reshape(self._num_envs, -1).any(axis=1)
            at_once, seats = self._autoreset == "same_step", self.spec.seats
            self.players = ClientPlayers(
                players, self._learners, seats, self._seeds.copy(), is_begun, at_once, self.looks
            )

    def _check_saves(self, what: str) -> None:
        """Checks that the environments can be saved.

        Raises:
            ValueError: they cannot be.
        """
        self._check_free([self._all()])
        if self._on_illegal != "raise":
            raise ValueError(f'expected on_illegal="raise" to {what} environments, got {self._on_illegal!r}')
        if self.players is not None:
            raise ValueError(f"expected bots and LEARNER as players to {what} environments, got a player of the client")

    def _all(self) -> Call:
        """Returns a call for all environments."""
        return Call(0, 0, self._num_envs, None)

    def _group_call(self, group: int) -> Call:
        """Returns a call for the environments of a group."""
        if not 0 <= group < self._groups:
            raise ValueError(f"expected a group from 0 to {self._groups - 1}, got {group}")
        return Call(group, group * self._group_size, self._group_size, None)

    def _calls(self, env_ids: EnvIds | None, group: int | None = None) -> list[Call]:
        """Returns calls for environments, one for each that the engine needs."""
        if env_ids is None:
            if group is not None:
                return [self._group_call(group)]
            if self._spans_groups:
                return [Call(0, 0, self._num_envs, None)]
            return [self._group_call(group) for group in range(self._groups)]
        numbers = checked_env_ids(env_ids, self._num_envs)
        groups = numbers // self._group_size
        if self._spans_groups:
            return [Call.of(int(groups[0]), numbers)]
        return [Call.of(int(group), numbers[groups == group]) for group in np.unique(groups)]

    def _prepare(self, calls: list[Call], actions: ArrayLike, out: Out | None = None) -> None:
        """Gives calls their actions. Checks all actions before any is taken."""
        call = calls[0]
        count = call.count if len(calls) == 1 else sum(call.count for call in calls)
        checked = checked_actions(actions, count)
        if out is not None:
            check_out(out, self.spec, count)
        if self._sent:
            self._check_free(calls)
        if len(calls) == 1:
            # The usual case. A single environment has hundreds of thousands of steps a second.
            call.actions = checked
            illegal = self._illegal(call)
            if illegal or self._forfeits is not None:
                self._settle(call, illegal)
            return
        for call, own in zip(calls, _split(checked, calls), strict=True):
            call.actions = own
        for call, illegal in [(call, self._illegal(call)) for call in calls]:
            self._settle(call, illegal)

    def _check_free(self, calls: list[Call]) -> None:
        """Checks that no group of calls is in progress.

        Raises:
            ValueError: a group is.
        """
        for group in sorted(call.group for call in self._sent):
            if any(group in call.numbers // self._group_size for call in calls):
                raise ValueError(f"group {group} is in progress: recv its answer first")

    def _illegal(self, call: Call) -> Sequence[int]:
        """Returns the places of the illegal actions.

        Raises:
            IllegalAction: an action is illegal, and `on_illegal` is "raise".
            ServiceError: an environment has no episode in progress. With "next_step", an episode that has ended may be
                stepped.
        """
        assert call.actions is not None
        found = self.legal.check(call.first, call.env_ids, call.actions, self._autoreset == "next_step")
        if found is None:
            return ()
        illegal, no_decision = found
        if no_decision:
            raise no_episode(int(call.numbers[no_decision[0]]))
        if illegal and self._on_illegal == "raise":
            environment, action = int(call.numbers[illegal[0]]), int(call.actions[illegal[0]])
            raise illegal_action(environment, action, self.legal.ids(environment))
        return illegal

    def _settle(self, call: Call, illegal: Sequence[int]) -> None:
        """Settles the consequences of the illegal actions at some places."""
        places = np.array(illegal, np.intp)
        if self._forfeits is not None:
            call.forfeit = self._forfeits.plan(call, places)
        elif illegal:
            self.replaced += len(illegal)
            assert call.actions is not None
            call.actions = call.actions.copy()
            call.actions[places] = self.legal.random(call.numbers[places].astype(np.uint32))

    def _start(self, calls: list[Call]) -> None:
        for call in calls:
            for part in (call,) if call.forfeit is None else [part for part, _ in call.forfeit.calls]:
                self.engine.start(part)

    def _carried_out(self, calls: list[Call], out: Out | None) -> Batch:
        """Waits for the answers to calls, and returns their batch.

        Raises:
            ServiceError: a call is refused.
        """
        call = calls[0]
        # Ellipsis stands for all environments, whose arrays need not be divided.
        place: EllipsisType | slice | NDArray[Any] = ...
        if len(calls) == 1:
            rows = self._rows(call, call.count)
            answer = self._answer(call, rows)
            if self.players is not None:
                answer = self._played_on(self.players, call, rows, answer)
            if call.count < self._num_envs:
                place = slice(call.first, call.first + call.count) if call.env_ids is None else call.env_ids
        else:
            place = _numbers(calls)
            rows = self._rows(call, len(place))
            answer = self._answers(calls, rows)
        acted = starts = None
        if call.actions is not None:
            # What the last batch of these environments showed.
            acted = self._acting if place is ... else self._acting[place]
            if self._autoreset != "same_step":
                starts = self._over[place].copy()
        if place is ...:
            self._acting = rows.seats.copy()
        else:
            self._acting = self._acting.copy()
            self._acting[place] = rows.seats
        if self._autoreset == "next_step":
            self._over[place] = rows.ended
        if self.players is not None:
            starts = self.players.starts(place)
        return Batch(rows, answer.final_rows, answer.seeds, answer.nanoseconds, call.group, out, acted, starts)

    def _rows(self, call: Call, count: int) -> Rows:
        """Returns rows for a batch. For a group or for all environments, these are rows that nobody holds any more."""
        if call.env_ids is not None:
            return Rows(self.spec, count)
        pool = self._pools.get(count)
        if pool is None:
            pool = self._pools[count] = []
        free = _native.unheld(pool)
        if free is not None:
            return pool[free]
        rows = Rows(self.spec, count)
        pool.append(rows)
        # Those who keep many batches have their memory from the system.
        del pool[:-_POOL]
        return rows

    def _answer(self, call: Call, rows: Rows) -> Answer:
        """Waits for the answer to a call, and notes it.

        Raises:
            ServiceError: the call is refused.
        """
        forfeit = call.forfeit
        if forfeit is None:
            answer = self.engine.ask(call, rows)
        else:
            answers: list[Answer] = []
            for part, places in forfeit.calls:
                own = Rows(self.spec, part.count)
                answers.append(self.engine.ask(part, own))
                rows.put(places, own)
            rows.env_ids[...] = call.numbers
            assert self._forfeits is not None
            answer = self._forfeits.finish(forfeit, call.numbers.astype(np.uint32), rows, answers)
        self._note(call, rows)
        return answer

    def _answers(self, calls: list[Call], rows: Rows) -> Answer:
        """Waits for the answers to calls of several groups, and writes their rows one after the other."""
        answers: list[Answer] = []
        refusals: list[errors.ServiceError] = []
        first = 0
        for call in calls:
            part = Rows(self.spec, call.count)
            try:
                answer = self._answer(call, part)
            except errors.ServiceError as refusal:
                refusals.append(refusal)
                continue
            answers.append(answer if self.players is None else self._played_on(self.players, call, part, answer))
            rows.put(slice(first, first + len(part)), part)
            first += len(part)
        if refusals:
            raise refusals[0]
        return _joined(answers)

    def _note(self, call: Call, rows: Rows) -> None:
        """Notes the state of the environments in the rows of a call."""
        if call.actions is None:
            if call.seeds is not None:
                self.legal.seed(call.first, call.env_ids, call.seeds)
                self._seeds[call.numbers] = call.seeds
            if self._forfeits is not None:
                self._forfeits.reset(call)
        if self._forfeits is not None:
            self._forfeits.update(call, rows)
        self.legal.update(call.first, call.env_ids, rows.masks)

    def _played_on(self, players: ClientPlayers, call: Call, rows: Rows, answer: Answer) -> Answer:
        """Plays on with the players of the client after a call, whose rows change. Returns the whole answer."""

        def ask(env_ids: NDArray[np.uint32], actions: NDArray[np.int64] | None) -> tuple[Rows, Answer]:
            part, own = Call.of(call.group, env_ids, actions), Rows(self.spec, len(env_ids))
            if actions is not None:
                self._settle(part, self._illegal(part))
            return own, self._answer(part, own)

        try:
            return players.play_on(call, rows, answer, ask)
        except BaseException:
            # Games are half played.
            self.engine.close()
            raise


def _numbers(calls: list[Call]) -> NDArray[np.integer[Any]]:
    """Returns the environments of calls."""
    return calls[0].numbers if len(calls) == 1 else np.concatenate([call.numbers for call in calls])


def _split(values: NDArray[Any], calls: list[Call]) -> list[NDArray[Any]]:
    """Returns values, one for each environment, by the calls of the environments."""
    return np.split(values, np.cumsum([call.count for call in calls])[:-1])


def _joined(answers: list[Answer]) -> Answer:
    """Joins answers into one, with the rows of the first before the rows of the second."""
    seeds = [answer.seeds for answer in answers if answer.seeds is not None]
    final_rows = [answer.final_rows for answer in answers if answer.final_rows is not None]
    return Answer(
        sum(answer.nanoseconds for answer in answers),
        np.concatenate(seeds) if seeds else None,
        FinalRows.joined(final_rows) if final_rows else None,
    )
