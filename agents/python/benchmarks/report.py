"""The report of the benchmarks, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from benchmarks.rounds import Result, Spread

BOARD_GAMES = frozenset({"giants", "rapanui_board"})
"""The board games; all other games are card games."""

CLIENT_MOST = 1_600_000
"""The maximum rate of a Python client, in decisions per second, measured with a prototype."""

HEADLINE = {"num_envs": 2048, "groups": 2, "obs_format": "split"}
"""The labels of the main measurement of `send/recv`: 2 x 1,024 environments."""

FLAT_FROM = 512
"""The number of environments in one group from which the cost of a decision is compared."""

BUSY = 0.1
"""The number of cores in use by other programs above which the report mentions the load."""

RUST_COMMAND = "cargo bench --bench service"
"""The command that measures unary calls from Rust."""

Lines: TypeAlias = Iterator[str]


@dataclass(frozen=True)
class Report:
    """The results of the benchmarks and their conditions.

    Attributes:
        command: the command that ran the benchmarks.
        hardware: the machine.
        cores: the number of cores.
        versions: the versions of Python and the packages.
        rounds: the number of rounds.
        seconds: the time of each loop in a round.
        busy: the number of cores that other programs used before each round.
        results: the measurements.
        missing: the libraries that do not run on this machine, with the reasons.
    """

    command: str
    hardware: str
    cores: int
    versions: str
    rounds: int
    seconds: float
    busy: Sequence[float]
    results: Sequence[Result]
    missing: Mapping[str, str]

    def json(self) -> dict[str, Any]:
        """Returns all figures of all rounds."""
        return asdict(self)

    def markdown(self) -> str:
        """Returns the report as Markdown."""
        parts = [self._conditions(), self._goals(), self._engine(), self._send_recv(), self._sides(), self._gymnasium()]
        return "\n".join(line for part in [*parts, self._unary(), self._peers()] for line in part)

    def _find(self, measure: str, **labels: Any) -> list[Result]:
        wanted = {"measure": measure, **labels}
        return [result for result in self.results if wanted.items() <= result.labels.items()]

    @property
    def _games(self) -> list[str]:
        return [engine.labels["game"] for engine in self._find("engine")]

    def _parts(self, result: Result, figure: str = "decisions_per_second") -> Spread:
        """Returns a rate as a share of the maximum: the rate of the engine in the same round, at most `CLIENT_MOST`."""
        [engine] = self._find("engine", game=result.labels["game"])
        pairs = zip(result.of(figure), engine.of("observed"), strict=True)
        return Spread.of([rate / min(observed, CLIENT_MOST) for rate, observed in pairs])

    def _conditions(self) -> Lines:
        busy = Spread.of(self.busy)
        illegal = sum(sum(result.of("illegal")) for result in self.results if "illegal" in result.rounds[0])
        yield f"Measured by `{self.command}` on {self.hardware};"
        yield f"{self.versions}."
        yield ""
        yield f"Figures are medians (lowest..highest) of {self.rounds} rounds, after one warm-up round. In each round,"
        yield f"every loop ran for {self.seconds:g} s; every other round ran the loops in reverse order. Shares and"
        yield f"ratios compare figures of the same round. Illegal actions: {illegal:.0f}."
        yield ""
        if busy.median > BUSY:
            took = f"{busy.median:.1f} ({busy.low:.1f}..{busy.high:.1f})"
            yield f"**Measured under load**: other programs used {took} cores between rounds."
            yield ""

    def _goals(self) -> Lines:
        yield "### Summary"
        yield ""
        rows: list[Sequence[str]] = []
        for game in self._games:
            rows.extend(self._goals_of(game))
        for unary in self._find("unary"):
            p50, p99 = (Spread.of(unary.of(f"step_{percentile}")).median for percentile in ("p50", "p99"))
            reached = _reached(p50 <= 300 and p99 <= 800, p50 <= 190 and p99 <= 350)
            rows.append(
                (
                    f"unary `Step`, Python, {unary.labels['game']}",
                    "300/800 us",
                    "190/350 us",
                    f"{p50:.0f}/{p99:.0f} us",
                    reached,
                )
            )
        rows.append(("unary `Step`, Rust", "80/150 us", "50/75 us", f"`{RUST_COMMAND}`", ""))
        yield from _table(("", "minimum", "target", "measured", "met"), rows)

    def _goals_of(self, game: str) -> Iterator[Sequence[str]]:
        least, aim = (500_000, 1_500_000) if game in BOARD_GAMES else (1_000_000, 3_000_000)
        for engine in self._find("engine", game=game):
            observed = Spread.of(engine.of("observed"))
            yield (
                f"engine with bits, numbers, and mask, {game}",
                f"{_rate(least)}/s",
                f"{_rate(aim)}/s",
                f"{_rates(observed)}/s",
                _reached(observed.median >= least, observed.median >= aim),
            )
        for result in self._find("send/recv", game=game, **HEADLINE):
            part, rate = self._parts(result), Spread.of(result.of("decisions_per_second"))
            yield (
                f"`send/recv`, 2 x 1,024, `split`, {game}",
                "0.65",
                "0.85" if game in BOARD_GAMES else "0.85; 2 M/s",
                f"{_parts(part)}; {_rate(rate.median)}/s",
                _reached(
                    part.median >= 0.65, part.median >= 0.85 and (game in BOARD_GAMES or rate.median >= 2_000_000)
                ),
            )
        for result in self._find("gymnasium", game=game):
            part = self._parts(result)
            every = self._parts(result, "all_decisions_per_second")
            yield (
                f"Gymnasium `step()`, {result.labels['num_envs']:,}, `{result.labels['obs_format']}`, {game}",
                "0.4",
                "0.6",
                f"{_parts(part)}; {every.median:.2f} with the bots' decisions",
                _reached(part.median >= 0.4, part.median >= 0.6),
            )
        rates = [
            Spread.of(result.of("decisions_per_second")).median
            for result in self._find("send/recv", game=game, groups=1, obs_format="split")
            if result.labels["num_envs"] >= FLAT_FROM
        ]
        if len(rates) > 1:
            flat = f"highest {max(rates) / min(rates):.2f} times the lowest"
            yield f"cost of a decision, 1 group of {FLAT_FROM} or more, {game}", "", "constant", flat, ""

    def _engine(self) -> Lines:
        yield "### Engine, one thread (decisions/s)"
        yield ""
        rows = [
            (engine.labels["game"], str(engine.labels["seat_count"]), _rates(alone), _rates(observed))
            for engine in self._find("engine")
            for alone, observed in [(Spread.of(engine.of("alone")), Spread.of(engine.of("observed")))]
        ]
        yield from _table(("game", "seats", "alone", "with bits, numbers, and mask"), rows)

    def _send_recv(self) -> Lines:
        for game in self._games:
            results = {
                tuple(result.labels[label] for label in ("num_envs", "obs_format", "groups")): result
                for result in self._find("send/recv", game=game)
            }
            yield f"### `send/recv`, {game} (decisions/s)"
            yield ""
            columns = [(obs_format, groups) for obs_format in ("split", "flat") for groups in (1, 2)]
            rows = []
            for count in sorted({num_envs for num_envs, *_ in results}):
                cells = (results.get((count, *column)) for column in columns)
                rates = (_rates(Spread.of(cell.of("decisions_per_second"))) if cell else "" for cell in cells)
                one, two = (results.get((count, "split", groups)) for groups in (1, 2))
                rows.append((f"{count:,}", *rates, _ratios(two, one) if one and two else ""))
            names = (f"`{obs_format}`, {groups} group{'s' * (groups > 1)}" for obs_format, groups in columns)
            yield from _table(("environments", *names, "`split`, 2 groups / 1 group"), rows)

    def _sides(self) -> Lines:
        """Yields the CPU time per decision of both processes, and the rate with all cores busy."""
        loops = [*self._find("send/recv", **HEADLINE), *self._find("gymnasium")]
        if not loops:
            return
        yield "### CPU time per decision, all cores (nanoseconds)"
        yield ""
        rows = []
        for result in loops:
            client, server = result.of("client_ns"), result.of("server_ns")
            most = [self.cores * 1e9 / sum(sides) for sides in zip(client, server, strict=True)]
            name = f"{result.labels['measure']}, {result.labels['num_envs']:,}, `{result.labels['obs_format']}`"
            sides = (_whole(Spread.of(side)) for side in (client, server))
            rows.append((name, result.labels["game"], *sides, f"{_rates(Spread.of(most))}/s"))
        yield from _table(("loop", "game", "client", "server", "rate with all cores busy"), rows)

    def _gymnasium(self) -> Lines:
        results = self._find("gymnasium")
        if not results:
            return
        yield '### `AhuVectorEnv.step`, one learner against "random" bots (decisions/s)'
        yield ""
        figures = ("decisions_per_second", "all_decisions_per_second")
        rows = [
            (
                result.labels["game"],
                f"{result.labels['num_envs']:,}",
                f"`{result.labels['obs_format']}`",
                *(_rates(Spread.of(result.of(figure))) for figure in figures),
            )
            for result in results
        ]
        yield from _table(("game", "environments", "format", "learner", "learner and bots"), rows)

    def _unary(self) -> Lines:
        results = self._find("unary")
        if not results:
            return
        yield "### Unary calls from Python (microseconds)"
        yield ""
        rows = [
            (
                result.labels["game"],
                *(
                    " / ".join(_whole(Spread.of(result.of(f"{call}_{percentile}"))) for percentile in ("p50", "p99"))
                    for call in ("step", "typed", "empty")
                ),
            )
            for result in results
        ]
        yield from _table(("game", "`Step` p50 / p99", "`Step`, typed", "empty call"), rows)

    def _peers(self) -> Lines:
        results = self._find("peer")
        if not results and not self.missing:
            return
        ours = self._find("send/recv", **HEADLINE)[:1]
        yield "### Other libraries, one process (decisions/s)"
        yield ""
        rows = [
            (
                result.labels["peer"],
                result.labels["plays"],
                _rates(Spread.of(result.of("decisions_per_second"))),
                *(_ratios(our, result) for our in ours),
            )
            for result in results
        ]
        header = ("library", "game", "decisions/s", *(f"`send/recv` of {our.labels['game']} / this" for our in ours))
        yield from _table(header, rows)
        for name, reason in self.missing.items():
            yield f"* Not measured: {name} ({reason})."


def _ratios(ours: Result, theirs: Result) -> str:
    pairs = zip(ours.of("decisions_per_second"), theirs.of("decisions_per_second"), strict=True)
    spread = Spread.of([our / their for our, their in pairs])
    return f"{_short(spread.median)} ({_short(spread.low)}..{_short(spread.high)})"


def _reached(least: bool, aim: bool) -> str:
    return "target" if aim else "minimum" if least else "no"


def _rate(rate: float) -> str:
    """Formats a rate with three digits."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if rate >= unit:
            return _short(rate / unit) + name
    return _short(rate)


def _short(value: float) -> str:
    """Formats a number with three digits, or as an integer from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _rates(spread: Spread) -> str:
    return f"{_rate(spread.median)} ({_rate(spread.low)}..{_rate(spread.high)})"


def _parts(spread: Spread) -> str:
    return f"{spread.median:.2f} ({spread.low:.2f}..{spread.high:.2f})"


def _whole(spread: Spread) -> str:
    return f"{spread.median:.0f} ({spread.low:.0f}..{spread.high:.0f})"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for cells in (header, ["-" * width for width in widths], *rows):
        yield f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))} |"
    yield ""
