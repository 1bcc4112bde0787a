"""The share of decisions in which bots choose differently, as Markdown.

    python -m benchmarks.choices heldout@1,heldout@2 greedy@2,net@1

The positions are those of games that the first bot of each row plays in all seats; decisions with one legal action do not count.
"""

from __future__ import annotations

import sys

import numpy as np

import ahu

DECISIONS = 20_000
"""The least number of decisions of each figure."""


def differing(game: str, seats: int, bot: str, others: list[str]) -> list[float]:
    """Returns the share of decisions in which each of the others chooses another action than the bot."""
    counted, differ = 0, np.zeros(len(others))
    with ahu.VectorEnv(game, 32, seats=seats, seed=2**40) as env:
        batch = env.reset()
        while counted < DECISIONS:
            choices = env.advise(bot).choices
            asked = batch.masks.sum(axis=1) > 1
            counted += int(asked.sum())
            for number, other in enumerate(others):
                differ[number] += (env.advise(other).choices != choices)[asked].sum()
            batch = env.step(choices)
    return list(differ / counted)


def main() -> None:
    """Prints a row for each game, seat count, and bot."""
    bots, others = (names.split(",") for names in sys.argv[1:3])
    print(f"| game | seats | bot | {' | '.join(f'not as `{other}`' for other in others)} |")
    print("|---" * (3 + len(others)) + "|")
    for summary in ahu.games():
        for seats in (summary.min_seats, summary.max_seats):
            for bot in bots:
                shares = differing(summary.game, seats, bot, others)
                row = " | ".join(f"{share:.2f}".removeprefix("0") for share in shares)
                print(f"| `{summary.game}` | {seats} | `{bot}` | {row} |", flush=True)


if __name__ == "__main__":
    main()
