#!/usr/bin/env python3
"""Compares the speed of two builds of the program `ahu`, in pairs.

    python3 benches/compare.py OLD NEW [--pairs 15] [--seconds 0.7] [GAME ...]

runs `OLD speed` and `NEW speed` in turn, changes their order with every pair, and prints for each game, seat count, and loop the
ratio NEW / OLD of the decisions per second: the median over the pairs, and the interval between two order statistics that
contains the true median with at least 95 % confidence. A change is "no slower" if the interval reaches 0.95.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys


def measure(program: str, games: list[str], seconds: float) -> dict[tuple[str, int, str], float]:
    """Returns decisions per second by game, seat count, and loop."""
    rates = {}
    for game in games or [None]:
        command = [program, "speed", *([game] if game else []), "--time", str(seconds), "--rounds", "3", "--json"]
        for row in json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout):
            for loop in ("engine", "observed"):
                rates[row["game"], row["seats"], loop] = row[loop]["decisions_per_second"]
    return rates


def interval(samples: list[float]) -> tuple[float, float]:
    """Returns the narrowest pair of order statistics that holds the median with at least 95 % confidence."""
    count = len(samples)
    low = 0
    while low + 1 < count / 2 and 2 * sum(math.comb(count, k) for k in range(low + 2)) / 2**count <= 0.05:
        low += 1
    ordered = sorted(samples)
    return ordered[low], ordered[count - 1 - low]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="the program to compare with")
    parser.add_argument("new", help="the program to judge")
    parser.add_argument("games", nargs="*", metavar="GAME", help="the games to measure [default: all]")
    parser.add_argument("--pairs", type=int, default=15, help="the number of pairs [default: 15]")
    parser.add_argument("--seconds", type=float, default=0.7, help="the time for each seat count of a run [default: 0.7]")
    asked = parser.parse_args()

    ratios: dict[tuple[str, int, str], list[float]] = {}
    for pair in range(asked.pairs):
        programs = (asked.old, asked.new) if pair % 2 == 0 else (asked.new, asked.old)
        rates = {program: measure(program, asked.games, asked.seconds) for program in programs}
        for key in rates[asked.old].keys() & rates[asked.new].keys():
            ratios.setdefault(key, []).append(rates[asked.new][key] / rates[asked.old][key])
        print(f"pair {pair + 1} of {asked.pairs}", end="\r", file=sys.stderr)

    slower = 0
    print(f"{'game':<15} {'seats':>5} {'loop':<9} {'new / old':>9}   95 % interval")
    for (game, seats, loop), samples in sorted(ratios.items()):
        low, high = interval(samples)
        slower += high < 0.95
        note = "  slower" if high < 0.95 else ""
        print(f"{game:<15} {seats:>5} {loop:<9} {statistics.median(samples):>9.3f}   {low:.3f} to {high:.3f}{note}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
