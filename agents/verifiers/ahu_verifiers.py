"""The games of Ahu for verifiers: each seat is a role with a trace and a reward of its own.

verifiers finds the taskset, the environment, and the harness by the name of this module.
"""

from __future__ import annotations

import itertools
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import Any, Literal

import httpx
import verifiers.v1 as vf
from pydantic import Field

from ahu import new_game
from ahu.language import Style, Table

__all__ = ["AhuEnv", "AhuHarness", "AhuTaskset"]

NAME = "ahu-verifiers"
# Made once: it reads the certificates of the system.
CERTIFICATES = ssl.create_default_context()
VERDICTS = ("accepted", "illegal", "unreadable", "truncated", "forfeit")


class AhuTasksetConfig(vf.TasksetConfig):
    """The games to play: the task with the index i has the seed `first_seed` + i."""

    id: str = NAME
    game: str = "rapanui_cards"
    seats: int | None = Field(default=None, ge=2, le=6)
    options: dict[str, str] = {}
    first_seed: int = Field(default=0, ge=0)
    style: dict[str, Any] = asdict(Style())
    """The fields of `ahu.language.Style`."""


class AhuData(vf.TaskData):
    """One game."""

    game: str
    seats: int | None
    options: dict[str, str]
    seed: int
    style: dict[str, Any]


class AhuTask(vf.Task[AhuData]):
    """The task of one game."""


class AhuTaskset(vf.Taskset[AhuTask, AhuTasksetConfig]):
    """A game for each seed, without an end."""

    INFINITE = True

    def load(self) -> Iterator[AhuTask]:
        """Yields the games in the order of their seeds."""
        config = self.config
        for seed in itertools.count(config.first_seed):
            data = AhuData(
                name=f"{config.game}#{seed}",
                game=config.game,
                seats=config.seats,
                options=config.options,
                seed=seed,
                style=config.style,
            )
            yield AhuTask(data, config.task)


class AhuHarnessConfig(vf.HarnessConfig):
    """How a seat is asked."""

    id: str = NAME
    history: bool = False
    """True if a model sees its earlier questions and answers again: the tokens of a game then grow with its square."""


class AhuHarness(vf.Harness[AhuHarnessConfig]):
    """Asks the model once in this process, without a program of its own."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data) -> vf.ProgramResult:
        """Sends the rules and the question to the endpoint, which keeps the answer."""
        asked = data.prompt if self.config.history else data.prompt[-1:]
        messages = [{"role": message.role, "content": message.content} for message in asked]
        body = {"model": ctx.model, "messages": [{"role": "system", "content": data.system_prompt}, *messages]}
        async with httpx.AsyncClient(timeout=None, verify=CERTIFICATES) as client:
            answer = await client.post(
                f"{endpoint}/chat/completions", json=body, headers={"Authorization": f"Bearer {secret}"}
            )
        return vf.ProgramResult(int(answer.is_error), "", answer.text if answer.is_error else "")


def role() -> vf.AgentConfig:
    """Returns the configuration of a seat: its model is the one of the run, unless `model` and `client` name another."""
    return vf.AgentConfig(harness=AhuHarnessConfig(), runtime={"type": "subprocess"})  # pyright: ignore[reportArgumentType]


class AhuEnvConfig(vf.EnvConfig):
    """A role for each seat; those above the number of seats do not play."""

    seat0: vf.AgentConfig = role()
    seat1: vf.AgentConfig = role()
    seat2: vf.AgentConfig = role()
    seat3: vf.AgentConfig = role()
    seat4: vf.AgentConfig = role()
    seat5: vf.AgentConfig = role()
    bots: dict[int, str] = {}
    """The seats that bots play, such as {1: "greedy"}."""
    frozen: list[int] = []
    """The seats whose models are not trained."""
    rewards: Literal["rank", "margin", "points"] = "rank"
    """The rule of the rewards, which verifiers adds up by trace."""


class AhuEnv(vf.Env[AhuEnvConfig]):
    """An episode is a game, of which each model has a trace with its reward."""

    async def setup(self, agents: vf.Agents) -> None:
        """Freezes the seats that are not trained."""
        for seat in self.config.frozen:
            getattr(agents, f"seat{seat}").trainable = False

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Plays the game."""
        data = task.data
        state = new_game(data.game, seats=data.seats, options=data.options, seed=data.seed)
        table = Table(state, bots=self.config.bots, style=Style(**data.style))
        seats = [seat for seat in range(state.seats) if seat not in self.config.bots]
        if table.style.changes and not all(getattr(getattr(self.config, f"seat{n}").harness, "history", True) for n in seats):
            raise ValueError("expected history of each seat's harness: the style has changes, and a model has to remember")
        verdicts = {seat: Counter[str]() for seat in seats}
        async with AsyncExitStack() as stack:
            chats: dict[int, vf.Interaction] = {}
            for seat in seats:
                own = vf.Task(vf.TaskData(idx=data.idx, name=f"{data.name}/{seat}", system_prompt=table.rules(seat)))
                chats[seat] = await stack.enter_async_context(getattr(agents, f"seat{seat}").interaction(own))
            while asked := table.to_act():
                seat = asked[0]
                segment = await chats[seat].turn(table.prompt(seat))
                if segment.terminated:
                    table.forfeit(seat)
                    verdicts[seat]["forfeit"] += 1
                else:
                    cut_off = chats[seat].trace.is_truncated
                    verdicts[seat][table.answer(seat, segment.last_reply, truncated=cut_off).kind] += 1
        for seat, chat in chats.items():
            usage = chat.trace.usage
            tokens = {"input": usage.input_tokens, "output": usage.completion_tokens} if usage else {}
            chat.trace.record_reward(self.config.rewards, table.reward(seat, self.config.rewards))
            chat.trace.record_metrics({f"verdict_{kind}": float(verdicts[seat][kind]) for kind in VERDICTS})
            chat.trace.record_metrics({f"tokens_{kind}": float(count) for kind, count in tokens.items()})
            chat.trace.record_metric("rank", float(table.ranks()[seat]))
