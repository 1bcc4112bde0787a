"""Trains a best response to a player, and reports what it gains: a lower bound of the player's exploitability.

    python train_best_response.py rapanui_cards greedy@2 --minutes 5
    python train_best_response.py giants net:runs/net/giants.net --seats 5 --out runs/response

The player is frozen in all seats but one: a bot, a search such as search@1:50, or a net as net:FILE; `ahu.exploit` takes functions and
agents too. Then the same trainer tries the same player with a planted weakness, in as many minutes more: a bound near 0 says something
only where the trainer learns to use that. The result is a line of JSON; each estimate is the mean and the ends of its 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import ahu
from ahu.training import ProgressLine


def options(text: str) -> dict[str, str]:
    """Returns the options in a text such as `combine_rule=true,tie=fewest_cards`."""
    return {key: value for key, _, value in (pair.partition("=") for pair in text.split(",") if pair)}


def main() -> None:
    """Trains, and prints the bound."""
    parser = argparse.ArgumentParser(
        description="Trains a best response to a player, and reports what it gains.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("game", help="the game, by its name in the catalog")
    add("player", help="the player: a bot, or net:FILE")
    add("--minutes", type=float, default=10, help="the minutes of each of the two trainings")
    add("--seats", type=int, help="the number of seats; by default the fewest of the game")
    add("--options", type=options, default={}, help="options of the game, such as combine_rule=true")
    add("--measure", choices=("utility", "points"), default="utility", help="what is gained")
    add("--adviser", help="the bot that the net copies at first; by default net@1, where the game has it")
    add("--trust", type=float, help="the trust in the adviser; by default 3 in the board games, else 1; 0 with random")
    add("--no-planted", action="store_true", help="do not try the planted weakness")
    add("--blocks", type=int, default=500, help="the blocks of the measurement")
    add("--num-envs", type=int, default=256, help="the environments")
    add("--threads", type=int, default=1, help="the cores of PyTorch and of the environments")
    add("--seed", type=int, default=1, help="the seed of the net and of the games that it learns from")
    add("--out", type=Path, default=Path("runs/response"), help="the folder of the nets")
    args = parser.parse_args()
    line = ProgressLine("decisions")
    try:
        found = ahu.exploit(
            args.game,
            args.player,
            minutes=args.minutes,
            seats=args.seats,
            options=args.options,
            measure=args.measure,
            adviser=args.adviser,
            trust=args.trust,
            planted=not args.no_planted,
            blocks=args.blocks,
            num_envs=args.num_envs,
            threads=args.threads,
            seed=args.seed,
            out=args.out,
            on_progress=lambda share, decisions: line.tell(decisions, share),
        )
    except (ahu.AhuError, OSError, ValueError, ModuleNotFoundError) as error:
        line.end()
        parser.exit(1, f"error: {error}\n")
    line.end()
    estimates = {"gain": found.gain, "wins": found.wins, "planted": found.planted, "planted_start": found.planted_start}
    figures = {name: None if one is None else [one.mean, one.low, one.high] for name, one in estimates.items()}
    told = {"game": found.game, "seats": found.seats, "player": found.player, "measure": found.measure}
    cost = {
        "minutes": found.minutes,
        "decisions": found.decisions,
        "chosen": found.chosen,
        "net": str(found.net),
        "is_informative": found.is_informative,
    }
    print(json.dumps({**told, **figures, **cost}))
    print(found, file=sys.stderr)


if __name__ == "__main__":
    main()
