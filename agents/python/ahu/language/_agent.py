"""A player that asks a language model."""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ahu._agent import Resignation
from ahu._errors import BudgetSpent
from ahu._turn import Turn
from ahu.language._dialog import Dialog, Verdict
from ahu.language._ledger import Ledger
from ahu.language._reply import MAX_REPLY, parse, without_thoughts
from ahu.language._rules import rules_text
from ahu.language._style import Style
from ahu.language._usage import Completion, Prices, Usage
from ahu.v1 import match_service_pb2 as v1

if TYPE_CHECKING:
    import asyncio

Message: TypeAlias = dict[str, str]
"""A message to a model: `{"role": "system" | "user" | "assistant", "content": "..."}`."""

Answer: TypeAlias = "str | Completion"
"""The answer of a model: a text alone, or with its tokens."""

_Result = TypeVar("_Result")
_Choosing: TypeAlias = Generator["Answer | Awaitable[Answer]", Answer, _Result]

Complete: TypeAlias = Callable[[list[Message]], "Answer | Awaitable[Answer]"]
"""A function, also an async one, from messages to the model's answer."""


class LanguageAgent:
    """A player that asks a language model.

        agent = ahu.language.LanguageAgent(complete, transcript="game.jsonl")
        ahu.play("rappanui", [agent, "greedy"])
        print(agent.usage())

    It plays wherever players play: `ahu.play`, `ahu.duel`, `ahu.connect`, `ahu.aio.connect`, and `ahu.benchmark`. Each call of
    the model has two messages: the rules, the same for the whole match, and a question with new events and the present table (see
    `Table`). If the style has `changes`, the earlier questions and accepted answers of the match stand between them, without
    thoughts. After the last attempt for a decision the agent resigns, and the seat forfeits.

    Attributes:
        name: the name of the player.
        style: the style of the questions.
        prices: the prices of the model; None if they are not declared.
        budget: the money that may be spent; None: no limit.
        formats: the formats that the agent asks a server for.
    """

    def __init__(
        self,
        complete: Complete,
        *,
        style: Style = Style(),
        name: str | None = None,
        transcript: str | os.PathLike[str] | None = None,
        prices: Prices | None = None,
        budget: float | None = None,
        ledger: str | os.PathLike[str] | None = None,
        on_call: Callable[[Mapping[str, Any]], None] | None = None,
        games_at_once: int = 1,
    ) -> None:
        """
        Args:
            complete: a function of a list of messages that returns the answer: a text, or a `Completion`. It may be async: then the
                questions of all agents of this process wait in one event loop of their own, and those of `ahu.aio` in its loop.
            style: the style of the questions.
            name: the name of the player; None: the name of the function.
            transcript: a file to which the agent appends a line of JSON for each try; None: none.
            prices: the prices of the model, for reports and for `budget`.
            budget: the money that the agent and its copies may spend: once it is reached, no call begins, and the next decision
                raises `BudgetSpent`. Calls that other games wait for at that moment come on top. None: no limit.
            ledger: a file that gets a line of JSON for each call before the model is asked, and one after its answer. What the
                file has in the currency of the prices counts against `budget`, also from other processes. None: no file.
            on_call: a function that gets each call after its answer was judged, as a mapping: the line of the transcript without
                the texts. It may be called in several threads at once.
            games_at_once: the number of games that a benchmark or a duel plays at once, each in a thread that calls `complete`.

        Raises:
            TypeError: `complete` is no function.
            ValueError: `games_at_once` is below 1, the budget is below 0, or there is a budget without prices.
        """
        if not callable(complete):
            raise TypeError(f"expected a function of messages, got {complete!r}")
        if games_at_once < 1:
            raise ValueError(f"expected games_at_once of at least 1, got {games_at_once}")
        if budget is not None and prices is None:
            raise ValueError("expected prices beside a budget, got none")
        if budget is not None and not budget >= 0:
            raise ValueError(f"expected a budget of at least 0, got {budget}")
        self.name = name or str(getattr(complete, "__name__", type(complete).__name__))
        self._given_name = name
        self.style = style
        self.prices = prices
        self.budget = budget
        self.games_at_once = games_at_once
        is_compact = style.table == "compact"
        self.formats = v1.ObservationFormats(
            legal_actions=True, compact=is_compact, compact_legend=is_compact, text=not is_compact
        )
        self.events = True
        self._complete = complete
        self._shared = _Shared(transcript, ledger)
        self._ledgers = () if self._shared.ledger is None else (self._shared.ledger.append,)
        self._on_call = on_call
        self._dialog: Dialog | None = None
        self._rules = ""
        self._chat: list[Message] = []
        self._match = v1.Match()

    def __deepcopy__(self, memo: object) -> LanguageAgent:
        """Returns a copy for another match at the same time, with the same function, transcript, and counts."""
        return self.with_style(self.style)

    def with_style(self, style: Style, *, ledger: Callable[[Mapping[str, Any]], None] | None = None) -> LanguageAgent:
        """Returns a copy with another style, which shares the function, the files, and the counts. `ledger` gets the lines of the
        ledger too."""
        copy = LanguageAgent(
            self._complete,
            style=style,
            name=self.name,
            prices=self.prices,
            budget=self.budget,
            on_call=self._on_call,
            games_at_once=self.games_at_once,
        )
        copy._shared = self._shared
        copy._ledgers = (*self._ledgers, *([] if ledger is None else [ledger]))
        return copy

    @property
    def spent(self) -> float:
        """The money that the agent, its copies, and all processes with its ledger have spent. Set it to count what was spent
        before, against `budget`."""
        return self._shared.look(self.prices)

    @spent.setter
    def spent(self, money: float) -> None:
        self._shared.look(self.prices)
        self._shared.spent = money

    def usage(self) -> Usage:
        """Returns the work of the agent and of all its copies so far."""
        return self._shared.usage

    def start(self, match: v1.Match, /) -> None:
        """Begins a match."""
        self._match, self._dialog, self._rules, self._chat = match, None, "", []

    def act(self, turn: Turn, /) -> int:
        """Returns the action that the model chooses.

        Raises:
            Resignation: the model's last attempt for the decision was refused.
            BudgetSpent: the budget is spent.
            TypeError: the function returned neither a text nor a `Completion`.
        """
        choosing = self._choosing(turn)
        try:
            answer = _awaited(next(choosing))
            while True:
                answer = _awaited(choosing.send(answer))
        except StopIteration as end:
            return end.value

    async def act_async(self, turn: Turn, /) -> int:
        """Returns what `act` returns, after a wait for an async function in the event loop of the caller."""
        from ahu._match import run_awaiting

        if type(self).act is not LanguageAgent.act:
            return self.act(turn)
        return await run_awaiting(self._choosing(turn))

    def _choosing(self, turn: Turn) -> _Choosing[int]:
        """Chooses an action. Yields what the function returns, and is sent the answers."""
        if self._dialog is None:
            self._dialog = Dialog(turn.seat, self.style, self._match.game)
        else:
            self._dialog.tell((event.text, event.actor_seats) for event in turn.events)
        legal = {action.id: action.text for action in turn.legal}
        silent = self._dialog.silent(legal)
        if silent is not None:
            action, was_planned = silent
            self._count(Usage(decisions=1, forced=int(len(legal) == 1), planned=int(was_planned and len(legal) > 1)))
            return action
        self._count(Usage(decisions=1))
        table = turn.compact if self.style.table == "compact" else turn.text
        if not self._rules:
            self._dialog.forget_events()
            self._rules = self._rules_of(turn)
            self._shared.write({"match": turn.match_id, "seat": turn.seat, "rules": self._rules})
        while True:
            prompt = self._dialog.prompt(table, legal, turn.decision_id)
            verdict, chosen = yield from self._try(turn, prompt, legal)
            if chosen is not None:
                return chosen
            if verdict.kind == "forfeit":
                raise Resignation(f"the model's last answer for decision {turn.decision_id} was {verdict.fault}")

    def _try(self, turn: Turn, prompt: str, legal: Mapping[int, str]) -> _Choosing[tuple[Verdict, int | None]]:
        """Asks the model once."""
        assert self._dialog is not None, "the first decision makes the dialog"
        prices = self.prices
        if prices is not None and self.budget is not None and (spent := self.spent) >= self.budget:
            raise BudgetSpent(f"{spent:.2f} {prices.currency} of a budget of {self.budget:.2f} are spent")
        asked = {
            "call": uuid.uuid4().hex,
            "at": _now(),
            "match": turn.match_id,
            "seat": turn.seat,
            "decision": turn.decision_id,
            "style": self.style.digest,
            "currency": None if prices is None else prices.currency,
        }
        self._enter(asked)
        begin = time.monotonic()
        system, user = {"role": "system", "content": self._rules}, {"role": "user", "content": prompt}
        answer = yield self._complete([system, *self._chat, user])
        seconds = time.monotonic() - begin
        if isinstance(answer, str):
            answer = Completion(text=answer)
        elif not isinstance(answer, Completion):  # pyright: ignore[reportUnnecessaryIsInstance]  Callers without types.
            raise TypeError(f"expected a text or a Completion of the function, got {type(answer).__name__}")
        reply = answer.text[-MAX_REPLY:]
        is_cut = answer.finish == "length"
        actions = parse(reply, legal.values(), truncated=is_cut)
        verdict, chosen = self._dialog.judge(actions, legal, is_cut)
        if chosen is None:
            self._dialog.refuse(verdict)
        else:
            self._dialog.accept(actions or ())
            if self.style.changes:
                self._chat += [user, {"role": "assistant", "content": without_thoughts(reply).strip()}]
        counted: dict[str, Any] = {verdict.fault or "accepted": 1, "forfeits": int(verdict.kind == "forfeit")}
        tokens = {
            name: getattr(answer, name) for name in ("tokens_in", "tokens_cached", "tokens_out", "tokens_reasoning")
        }
        cost = None if prices is None else prices.cost(answer.tokens_in, answer.tokens_out, answer.tokens_cached)
        self._count(Usage(calls=1, **tokens, **counted), cost or 0.0)
        call = {
            **asked,
            "at": _now(),
            "attempt": verdict.attempt,
            "verdict": verdict.kind,
            "fault": verdict.fault,
            "actions": list(verdict.applied),
            "id": answer.id,
            "model": answer.model,
            **tokens,
            "finish": answer.finish,
            "seconds": round(seconds, 3),
            "cost": cost,
        }
        # Nobody acts on an answer that is not in the ledger.
        self._enter(call)
        self._shared.write({**call, "prompt": prompt, "reply": reply})
        if self._on_call is not None:
            self._on_call(call)
        return verdict, chosen

    def _rules_of(self, turn: Turn) -> str:
        """Returns the text with the rules of the match.

        Raises:
            ModuleNotFoundError: the package has no extension module, which has the rules.
        """
        from ahu.training import _catalog as catalog

        match = self._match
        game = catalog.find(match.game)
        if game is None:
            raise LookupError(
                f"expected a game of this package, got {match.game!r}: install the package of the server's version"
            )
        legend = turn.compact_legend if self.style.table == "compact" else ""
        # Environments tell the game alone.
        seats = len(match.seats) or None
        return rules_text(game, turn.seat, seats, dict(match.options), legend, self.style)

    def _enter(self, line: Mapping[str, Any]) -> None:
        for append in self._ledgers:
            append(line)

    def _count(self, more: Usage, cost: float = 0.0) -> None:
        self._shared.count(replace(more, style=self.style.digest), cost)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _awaited(answer: Answer | Awaitable[Answer]) -> Answer:
    """Returns an answer, after a wait for the answer of an async function."""
    if not isinstance(answer, Awaitable):
        return answer
    # It brings the network with it, which training in this process does not need.
    import asyncio

    return asyncio.run_coroutine_threadsafe(_await(answer), _loop()).result()


async def _await(answer: Awaitable[Answer]) -> Answer:
    return await answer


_loops: list[asyncio.AbstractEventLoop] = []
_making = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """Returns the event loop of all async functions, which a thread runs until the process ends."""
    import asyncio

    with _making:
        if not _loops:
            _loops.append(asyncio.new_event_loop())
            threading.Thread(target=_loops[0].run_forever, name="ahu language", daemon=True).start()
    return _loops[0]


def _forget_loop() -> None:
    """Forgets the loop of the parent process, whose thread a child does not have."""
    global _making
    _making = threading.Lock()
    _loops.clear()


os.register_at_fork(after_in_child=_forget_loop)


class _Shared:
    """The counts and the files of an agent and its copies."""

    def __init__(self, transcript: str | os.PathLike[str] | None, ledger: str | os.PathLike[str] | None) -> None:
        self.usage = Usage()
        # The money of all calls; with a ledger, of those that it had at the last look.
        self.spent = 0.0
        self.ledger = None if ledger is None else Ledger(ledger)
        self._transcript = None if transcript is None else Path(transcript)
        self._lock = threading.Lock()

    def count(self, more: Usage, cost: float) -> None:
        with self._lock:
            self.usage += more
            if self.ledger is None:
                self.spent += cost

    def look(self, prices: Prices | None) -> float:
        """Returns the money that is spent by now, in the currency of the prices."""
        currency = None if prices is None else prices.currency
        with self._lock:
            if self.ledger is not None:
                calls = self.ledger.new()
                self.spent += sum(call.get("cost") or 0.0 for call in calls if call.get("currency") == currency)
            return self.spent

    def write(self, line: Mapping[str, Any]) -> None:
        """Appends a line to the transcript, at once."""
        if self._transcript is None:
            return
        text = json.dumps(line, separators=(",", ":"))
        with self._lock, self._transcript.open("a", encoding="ascii") as file:
            file.write(text + "\n")
