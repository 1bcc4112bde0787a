"""Measures how fast Python steps environments, in process and on a server, compared with the engine and other libraries.

    "$(agents/python/environment package)" agents/python/bench.py --peers

Prints Markdown: medians with the lowest and the highest value, over rounds in which every loop has its turn. A decision
is an action of one seat, forced or not. Vectors are in self-play with random legal actions. Games have their fewest
seats. benchmarks/speed.md explains more.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

# The folder of this file has the sources of `ahu` without the extension module: the installed package comes first.
sys.path.append(sys.path.pop(0))

import ahu
from ahu.training._observation import ObsFormat
from benchmarks import machine, peer
from benchmarks.engine import Engine
from benchmarks.report import Report
from benchmarks.rounds import Loop, measure
from benchmarks.single import KINDS, Single
from benchmarks.state import States
from benchmarks.unary import Unary
from benchmarks.vector import GymnasiumStep, SendRecv

NUM_ENVS = (1, 16, 128, 512, 2048, 4096, 16_384)
"""The numbers of environments of vectors."""

THREADS = (1, 2, 4)
"""The numbers of cores of vectors in process, as far as the machine has them."""

THREADS_FROM = 4096
"""The number of environments from which several cores are measured."""

GYMNASIUM_NUM_ENVS = 4096
"""The number of environments of `AhuGymnasiumVectorEnv`."""

BUSY_SECONDS = 0.5
"""The time for which the use of cores by other programs is measured before each round."""

MEASURES = ("engine", "single", "state", "vector", "gymnasium", "unary")
"""The kinds of loops of each game."""

OBS_FORMATS: tuple[ObsFormat, ...] = ("split", "flat")


def main() -> None:
    arguments = _arguments()
    missing: dict[str, str] = {}
    busy: list[float] = []
    with contextlib.ExitStack() as stack:
        loops: list[Loop] = []
        for loop in _loops(stack, arguments, missing):
            stack.callback(loop.close)
            loops.append(loop)
        results = measure(
            loops, arguments.rounds, arguments.seconds, lambda: busy.append(machine.busy_cores(BUSY_SECONDS))
        )
    report = Report(
        shlex.join(["bench.py", *sys.argv[1:]]),
        machine.hardware(),
        machine.versions(),
        arguments.rounds,
        arguments.seconds,
        busy,
        results,
        missing,
    )
    if arguments.page:
        _put(arguments.page, report.markdown())
    print(json.dumps(report.json(), indent=1) if arguments.json else report.markdown())


def _loops(stack: contextlib.ExitStack, arguments: argparse.Namespace, missing: dict[str, str]) -> Iterator[Loop]:
    """Yields all loops."""
    measures = arguments.measures
    for game, seat_count in _games(arguments.games):
        print(f"opening {game}", file=sys.stderr)
        # Each game has a separate server: one server cannot hold the environments of all games.
        server = stack.enter_context(ahu.launch())
        if "engine" in measures:
            yield Engine(game, seat_count)
        if "single" in measures:
            for kind in KINDS:
                for place in (None, server):
                    yield Single(kind, place, game, seat_count)
        if "state" in measures:
            yield States(game, seat_count)
        for num_envs in arguments.num_envs if "vector" in measures else ():
            for threads in THREADS:
                if threads == 1 or (num_envs >= THREADS_FROM and threads <= machine.cores()):
                    for obs_format in ("packed", "split"):
                        yield SendRecv(None, game, seat_count, num_envs, 1, obs_format, threads)
            for groups in (1, 2) if num_envs > 1 else (1,):
                yield SendRecv(server, game, seat_count, num_envs, groups, "split")
        for obs_format in OBS_FORMATS if "gymnasium" in measures else ():
            for place in (None, server):
                yield GymnasiumStep(place, game, seat_count, GYMNASIUM_NUM_ENVS, obs_format)
        if "unary" in measures:
            yield Unary(server, game, seat_count)
    if arguments.peers is not None:
        python = peer.interpreter()
        wanted = [name for name in peer.names(python) if name.startswith(tuple(arguments.peers))]
        yield from peer.started(python, wanted, missing)


def _games(names: Sequence[str]) -> list[tuple[str, int]]:
    """The games with their fewest seats: these, or all of the catalog."""
    with ahu.launch() as server, ahu.client.Client(server.address) as client:
        seats = {game.game: game.min_seats for game in client.list_games()}
    unknown = [name for name in names if name not in seats]
    if unknown:
        sys.exit(f"the catalog has no game {', '.join(unknown)}, but: {', '.join(seats)}")
    return [(name, seats[name]) for name in names or seats]


def _put(page: Path, text: str) -> None:
    """Replaces the results in a page by new results."""
    before, begin, rest = page.read_text().partition("<!-- measured -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not end:
        sys.exit(f"{page} has no lines <!-- measured --> and <!-- end -->")
    page.write_text(f"{before}{begin}{text}\n{end}{after}")


def _names(text: str) -> list[str]:
    return text.split(",")


def _measures(text: str) -> list[str]:
    measures = ["engine", *_names(text)]
    if unknown := set(measures).difference(MEASURES):
        raise argparse.ArgumentTypeError(
            f"expected measures of {', '.join(MEASURES)}, got {', '.join(sorted(unknown))}"
        )
    return measures


def _counts(text: str) -> list[int]:
    counts = [int(count) for count in text.split(",")]
    if any(count != 1 and (count < 1 or count % 2) for count in counts):
        raise argparse.ArgumentTypeError("1 or even numbers, as they are divided into two groups")
    return counts


def _arguments() -> argparse.Namespace:
    summary, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=_names, default=[], metavar="GAME,...", help="which games [default: all]")
    parser.add_argument(
        "--measures",
        type=_measures,
        default=MEASURES,
        metavar="MEASURE,...",
        help=f"which of {', '.join(MEASURES)}; the engine is the baseline of all [default: all]",
    )
    parser.add_argument(
        "--num-envs", type=_counts, metavar="N,...", help="how many environments for vectors, in all groups"
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="how many rounds [default: 7]")
    parser.add_argument("--seconds", type=float, metavar="S", help="how long each loop runs in a round [default: 0.5]")
    parser.add_argument(
        "--peers",
        type=_names,
        nargs="?",
        const=[""],
        metavar="NAME,...",
        help="other libraries too, or the games whose names begin so, such as open_spiel; installs them where they are not",
    )
    parser.add_argument("--quick", action="store_true", help="3 rounds of 0.1 s, with 1 and 2,048 environments")
    parser.add_argument("--json", action="store_true", help="print every figure of every round")
    parser.add_argument("--page", type=Path, help="also put the Markdown into this file, between its marks")
    arguments = parser.parse_args()
    usual = (3, 0.1, (1, 2048)) if arguments.quick else (7, 0.5, NUM_ENVS)
    arguments.rounds, arguments.seconds, arguments.num_envs = (
        given if given is not None else default
        for given, default in zip((arguments.rounds, arguments.seconds, arguments.num_envs), usual, strict=True)
    )
    if arguments.rounds < 1 or arguments.seconds <= 0:
        parser.error("there is at least one round, and a loop runs for some time")
    return arguments


if __name__ == "__main__":
    main()
