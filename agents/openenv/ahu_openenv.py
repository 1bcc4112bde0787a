"""The games of Ahu for OpenEnv: a session has a seat, against bots or against other sessions.

uvicorn ahu_openenv:app --port 8000
"""

from __future__ import annotations

import secrets
import threading
import time
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State

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


class AhuState(State):
    """What is known of a session."""

    game: str = ""
    seat: int = 0


class Match:
    """A game of one or several sessions. Threads hold `changed` while they use it."""

    by_name: dict[str, Match] = {}
    lock = threading.Lock()

    def __init__(self, name: str, state: ahu.State, bots: dict[int, str], style: Style) -> None:
        self.name, self.game, self.since, self.sessions = name, state.game, time.monotonic(), 0
        self.changed = threading.Condition()
        self.table = Table(state, bots=bots, style=style)
        self.free = [seat for seat in range(state.seats) if seat not in bots]


class AhuEnvironment(Environment[AhuAction, AhuObservation, AhuState]):
    """A seat of a game."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._match: Match | None = None
        self._state = AhuState()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **settings: Any) -> AhuObservation:
        """Begins a game, or takes a seat of a match, whose first session has chosen the game.

        Args:
            seed: the seed of the game; None: a random one.
            episode_id: a name for the episode.
            **settings: `split` (the game), `index` (the seed, by a task), `seats`, `options`, `bots` by seat, `style` (the fields
                of `Style`), `match` (the name of a match), and `seat`.
        """
        self.close()
        seat, name, bots = settings.get("seat", 0), settings.get("match", ""), settings.get("bots")
        with Match.lock:
            match = Match.by_name.get(name)
            if match is None:
                chosen = settings.get("index", secrets.randbits(63) if seed is None else seed)
                asked = {key: settings[key] for key in ("seats", "options") if key in settings}
                state = ahu.new_game(settings.get("split", "rapanui_cards"), seed=chosen, **asked)
                if bots is None:
                    bots = {} if name else {other: "greedy" for other in range(state.seats) if other != seat}
                style = Style(**settings.get("style", {}))
                match = Match(name, state, {int(other): bot for other, bot in bots.items()}, style)
            if seat not in match.free:
                raise ValueError(f"expected a free seat ({', '.join(map(str, match.free)) or 'none'}), got {seat}")
            match.free.remove(seat)
            match.sessions += 1
            self._match = match
            if name:
                Match.by_name[name] = match
        self._state = AhuState(episode_id=episode_id, game=match.game, seat=seat)
        return self._observe("", match.table.rules(seat))

    def step(self, action: AhuAction, timeout_s: float | None = None, **_: Any) -> AhuObservation:
        """Takes a reply, if the seat is asked."""
        match, seat = self._match, self._state.seat
        if match is None:
            raise RuntimeError("expected a reset before a step")
        with match.changed:
            verdict = ""
            if seat in match.table.to_act():
                verdict = match.table.answer(seat, action.text).kind
                match.since = time.monotonic()
                match.changed.notify_all()
        self._state.step_count += 1
        return self._observe(verdict)

    @property
    def state(self) -> AhuState:
        """What is known of the session."""
        return self._state

    def close(self) -> None:
        """Leaves the game. The seat forfeits if the game is not over, and a bot plays on."""
        match, self._match = self._match, None
        if match is None:
            return
        with match.changed:
            if not match.table.is_over and self._state.seat not in match.table.forfeited:
                match.table.forfeit(self._state.seat)
            match.changed.notify_all()
        with Match.lock:
            match.sessions -= 1
            if not match.sessions and Match.by_name.get(match.name) is match:
                del Match.by_name[match.name]

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

    def _observe(self, verdict: str, rules: str = "") -> AhuObservation:
        match, seat = self._match, self._state.seat
        assert match is not None, "the callers have a match"
        table, end = match.table, time.monotonic() + LONGEST_WAIT
        with match.changed:
            while not table.is_over and seat not in table.forfeited and seat not in (asked := table.to_act()):
                if time.monotonic() > match.since + PATIENCE:
                    table.forfeit(asked[0])
                    match.since = time.monotonic()
                    match.changed.notify_all()
                elif not match.changed.wait(max(end - time.monotonic(), 0)) and time.monotonic() >= end:
                    return AhuObservation(
                        rules=rules, verdict="waiting", text="Others decide. Step again, with any text."
                    )
            if table.is_over or seat in table.forfeited:
                return AhuObservation(rules=rules, verdict=verdict, done=True, reward=table.reward(seat))
            return AhuObservation(rules=rules, verdict=verdict, text=table.prompt(seat), reward=0.0)


# With the number of sessions alone, OpenEnv never ends a session that nobody uses.
SESSIONS = ConcurrencyConfig(max_concurrent_envs=256, session_timeout=3600)
app = create_app(
    AhuEnvironment, AhuAction, AhuObservation, env_name="ahu", state_cls=AhuState, concurrency_config=SESSIONS
)
