"""Measures many tables of language models at once in one process, beside the engine alone.

    python -m benchmarks.tables --games 200 > benchmarks/tables.md

An instant model, which takes a legal action at random, has a seat against `greedy`, in all games at once. `Table` asks on States
in one thread; `LanguageAgent` plays seats of a server by `ahu.aio`, in one event loop. The engine alone plays the same tables
with `greedy` at all seats, on one core. Prints Markdown: games a minute, and questions.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import random
import time
from collections.abc import Callable

import ahu
import ahu.aio
from ahu.language import LanguageAgent, Message, Style, Table
from benchmarks import machine
from benchmarks.tokens import tables

BOT = "greedy"


def choice(question: str, draws: random.Random) -> str:
    """Returns an entry of the list of legal actions in a question, at random."""
    line = question.split("Legal actions: ")[1].split("\n")[0]
    return f"[{draws.choice(line.split('; ')).split('..')[0]}]"


def engine(game: str, seats: int, games: int) -> int:
    """Plays the games with bots alone, on one core."""
    ahu.rollout([ahu.new_game(game, seats=seats, seed=seed) for seed in range(games)], BOT, threads=1)
    return 0


def states(game: str, seats: int, games: int) -> int:
    """Asks on States, each table in its turn."""
    draws, asked = random.Random(0), 0
    bots = dict.fromkeys(range(1, seats), BOT)
    open_tables = [
        Table(ahu.new_game(game, seats=seats, seed=seed), bots=bots, style=Style(plan=False)) for seed in range(games)
    ]
    while open_tables := [table for table in open_tables if table.to_act()]:
        for table in open_tables:
            asked += 1
            table.answer(0, choice(table.prompt(0), draws))
    return asked


def seats_of_a_server(game: str, seats: int, games: int) -> int:
    """Asks in matches of a server, all at once in one event loop."""
    draws = random.Random(0)

    async def complete(messages: list[Message]) -> str:
        return choice(messages[-1]["content"], draws)

    agent = LanguageAgent(complete, style=Style(plan=False))

    async def play() -> None:
        with ahu.launch() as server:
            async with ahu.aio.Client(server.address) as client:

                async def one(seed: int) -> None:
                    match = await client.create_match(game, seats, bots=dict.fromkeys(range(1, seats), BOT), seed=seed)
                    await ahu.aio.connect(copy.deepcopy(agent), seat=await client.join(match.match_id, seat=0))

                await asyncio.gather(*map(one, range(games)))

    asyncio.run(play())
    return agent.usage().calls


def rate(play: Callable[[str, int, int], int], game: str, seats: int, games: int) -> tuple[float, float]:
    """Returns the games a minute, and the questions or decisions of the model a game."""
    begin = time.perf_counter()
    asked = play(game, seats, games)
    return 60 * games / (time.perf_counter() - begin), asked / games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="the number of games at once")
    games = parser.parse_args().games
    print("# Many tables in one process\n")
    print(
        f"`python -m benchmarks.tables --games {games}` on {machine.hardware()}: {games} games at once, an instant model\n"
        f"against `{BOT}`, games a minute. The engine alone has `{BOT}` at all seats, by `ahu.rollout` on one core.\n"
    )
    print("| game | seats | questions a game | engine alone | `Table` on States | `ahu.aio` with a server |")
    print("|---|---|---|---|---|---|")
    for game, seats in tables():
        alone, _ = rate(engine, game, seats, 20 * games)
        on_states, asked = rate(states, game, seats, games)
        on_server, _ = rate(seats_of_a_server, game, seats, games)
        print(
            f"| {game} | {seats} | {asked:.0f} | {alone:.0f} | {on_states:.0f} | {on_server:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
