"""The games of Ahu for OpenEnv: a session has a seat, against bots or against other sessions.

uvicorn ahu_openenv:app --port 8000
"""

from __future__ import annotations

import secrets
import threading
import time
from typing import Any

from openenv.core.env_server import Action, ConcurrencyConfig, Environment, Observation, State, create_app

import ahu
from ahu.language import Style, Table

LONGEST_WAIT = 25.0
"""The longest time in seconds that a step waits for other sessions: clients give up after 60."""
PATIENCE = 300.0
"""The time in seconds after which a seat that does not answer forfeits, so that the other sessions of its match go on."""
TASKS = 1_000_000
"""The number of tasks of a split, which is a game: the task with the index i has the seed i."""


class AhuAction(Action):
    """The reply of a model, in one field: clients then take a plain text for an action."""

    text: str


class AhuObservation(Observation):
    """What a seat is asked.

    Attributes:
        text: the question; empty at the end.
        rules: the text for the system prompt, in the observation of `reset` alone.
        verdict: the verdict on the reply; "waiting" if other sessions have not decided yet: step again, with any text.
    """

    text: str = ""
    rules: str = ""
    verdict: str = ""


class Match:
    """A game of one or several sessions. Threads hold `changed` while they use it."""

    by_name: dict[str, Match] = {}
    lock = threading.Lock()

    def __init__(self, seed: int | None, name: str, seat: int, settings: dict[str, Any]) -> None:
        game, bots = settings.get("split", "rapanui_cards"), settings.get("bots")
        chosen = settings.get("index", secrets.randbits(63) if seed is None else seed)
        state = ahu.new_game(game, seats=settings.get("seats"), options=settings.get("options", {}), seed=chosen)
        if bots is None:
            bots = {} if name else {other: "greedy" for other in range(state.seats) if other != seat}
        self.name, self.since, self.sessions, self.changed = name, time.monotonic(), 0, threading.Condition()
        self.table = Table(state, bots={int(n): bots[n] for n in bots}, style=Style(**settings.get("style", {})))
        self.free = [other for other in range(state.seats) if other not in map(int, bots)]


class AhuEnvironment(Environment[AhuAction, AhuObservation, State]):
    """A seat of a game."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    _match: Match | None = None
    _seat, _state = 0, State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **settings: Any) -> AhuObservation:
        """Begins a game, or takes a seat of a match, whose first session has chosen the game.

        Args:
            seed: the seed of the game; None: a random one.
            episode_id: a name for the episode.
            **settings: `split` (the game), `index` (the seed, by a task), `seats`, `options`, `bots` by seat, `style` (the fields
                of `Style`), `match` (the name of a match), and `seat`.
        """
        self.close()
        seat, name = settings.get("seat", 0), settings.get("match", "")
        # Made without the lock, since bots may think for long before the first question. A session that joins drops its own.
        made = Match(seed, name, seat, settings)
        with Match.lock:
            match = Match.by_name.get(name, made)
            if seat not in match.free:
                raise ValueError(f"expected a free seat ({', '.join(map(str, match.free)) or 'none'}), got {seat}")
            match.free.remove(seat)
            match.sessions += 1
            if name:
                Match.by_name[name] = match
        self._match, self._seat, self._state = match, seat, State(episode_id=episode_id)
        return self._observe(match, "", match.table.rules(seat))

    def step(self, action: AhuAction, timeout_s: float | None = None, **_: Any) -> AhuObservation:
        """Takes a reply, if the seat is asked."""
        match, seat = self._match, self._seat
        if match is None:
            raise RuntimeError("expected a reset before a step")
        with match.changed:
            verdict = ""
            if seat in match.table.to_act():
                verdict = match.table.answer(seat, action.text).kind
                match.since = time.monotonic()
                match.changed.notify_all()
        self._state.step_count += 1
        return self._observe(match, verdict)

    @property
    def state(self) -> State:
        """What is known of the session."""
        return self._state

    def close(self) -> None:
        """Leaves the game. The seat forfeits if the game is not over, and a bot plays on."""
        match, self._match = self._match, None
        if match is None:
            return
        with match.changed:
            if not match.table.is_over and self._seat not in match.table.forfeited:
                match.table.forfeit(self._seat)
            match.changed.notify_all()
        with Match.lock:
            match.sessions -= 1
            if not match.sessions:
                Match.by_name.pop(match.name, None)

    def list_splits(self) -> list[str]:
        """Returns the games."""
        return [game.game for game in ahu.games()]

    def num_tasks(self, split: str) -> int:
        """Returns the number of tasks of a game."""
        return TASKS

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Returns the first tasks of a game."""
        return [self.get_task(split, index) for index in range(100)]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Returns the arguments of `reset` for a task."""
        if split not in self.list_splits() or not 0 <= index < TASKS:
            raise IndexError(f"expected a game and an index below {TASKS}, got {split} and {index}")
        return {"id": f"{split}-{index}", "split": split, "index": index}

    def _observe(self, match: Match, verdict: str, rules: str = "") -> AhuObservation:
        seat, table, end = self._seat, match.table, time.monotonic() + LONGEST_WAIT
        with match.changed:
            while not table.is_over and seat not in table.forfeited and seat not in (asked := table.to_act()):
                if time.monotonic() > match.since + PATIENCE:
                    table.forfeit(asked[0])
                    match.since = time.monotonic()
                    match.changed.notify_all()
                elif not match.changed.wait(max(end - time.monotonic(), 0)) and time.monotonic() >= end:
                    return AhuObservation(rules=rules, verdict="waiting", text="Others decide: step again.")
            if table.is_over or seat in table.forfeited:
                return AhuObservation(rules=rules, verdict=verdict, done=True, reward=table.reward(seat))
            return AhuObservation(rules=rules, verdict=verdict, text=table.prompt(seat), reward=0.0)


# With the number of sessions alone, OpenEnv never ends a session that nobody uses.
SESSIONS = ConcurrencyConfig(max_concurrent_envs=256, session_timeout=3600)
app = create_app(AhuEnvironment, AhuAction, AhuObservation, env_name="ahu", concurrency_config=SESSIONS)
