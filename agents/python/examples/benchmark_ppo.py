"""Plays a suite with nets that `train_ppo.py` trained, one for each game, and writes the report of `ahu benchmark`.

    for game in rappanui rapanui_cards rapanui_board; do
        python train_ppo.py --game $game --out nets/$game
    done
    python train_ppo.py --game giants --seats 3 --out nets/giants
    python benchmark_ppo.py --suite v1 --first 5 --nets nets --out ppo

Nets for some games play the cells of these games. A net that was trained with one number of seats plays with any number, since a game has one layout of observations.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from train_ppo import load

import ahu


def main() -> None:
    parser = argparse.ArgumentParser(description="Plays a suite with nets of train_ppo.py, one for each game.")
    parser.add_argument("--suite", default="v1", help="the suite, or a file that ends with .toml")
    parser.add_argument("--first", type=int, help="the number of blocks of each cell; by default all")
    parser.add_argument("--seeds", default="public", help="public, or sealed: and 64 hexadecimal digits")
    parser.add_argument(
        "--nets", type=Path, default=Path("nets"), help="a folder with a folder of train_ppo.py for each game"
    )
    parser.add_argument("--name", default="train_ppo", help="the name of the agent in the report")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the report")
    arguments = parser.parse_args()
    models = sorted(arguments.nets.glob("*/agent.pt"))

    def show(progress: ahu.Progress) -> None:
        print(f"\r{progress}", end="", file=sys.stderr)

    try:
        report = ahu.benchmark(
            arguments.suite,
            {path.parent.name: load(path) for path in models},
            out=arguments.out,
            name=arguments.name,
            first=arguments.first,
            seeds=arguments.seeds,
            files=models,
            on_progress=show,
        )
    except (ahu.BenchmarkError, ValueError) as error:
        parser.exit(1, f"error: {error}\n")
    print(file=sys.stderr)
    print(report)
    for cell, normalised in report.cells.items():
        print(f"{cell:<20} {normalised}")


if __name__ == "__main__":
    main()
