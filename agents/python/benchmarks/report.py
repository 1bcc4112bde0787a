"""What was measured, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from benchmarks.rounds import Result, Spread

BOARD_GAMES = frozenset({"giants", "rapanui_board"})
"""The games on boards; all others are card games."""

CLIENT_MOST = 1_600_000
"""What a stock client in Python can take at most, in decisions a second, as a prototype measured it."""

HEADLINE = {"environments": 2048, "groups": 2, "form": "split"}
"""The measurement of `send/recv` by which we are judged: 2 x 1,024 environments."""

FLAT_FROM = 512
"""From how many environments in one group on a decision is to cost the same."""

BUSY = 0.1
"""With how many cores taken by other programs we call a machine loaded."""

RUST_COMMAND = "cargo bench --bench service"
"""What measures the same from Rust."""

Lines: TypeAlias = Iterator[str]


@dataclass(frozen=True)
class Report:
    """All that is told.

    Attributes:
        command: the command that measured.
        hardware: the machine.
        cores: how many cores there are.
        versions: what was measured with.
        rounds: how many rounds there were.
        seconds: how long each loop ran in a round.
        busy: how many cores other programs took before each round.
        results: what was measured.
        missing: the peers that do not run here, with the reason.
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
        """Everything, round by round."""
        return asdict(self)

    def markdown(self) -> str:
        """Everything, as a page."""
        parts = [self._conditions(), self._goals(), self._engine(), self._send_recv(), self._sides(), self._gymnasium()]
        return "\n".join(line for part in [*parts, self._unary(), self._peers()] for line in part)

    def _find(self, measure: str, **labels: Any) -> list[Result]:
        wanted = {"measure": measure, **labels}
        return [result for result in self.results if wanted.items() <= result.labels.items()]

    @property
    def _games(self) -> list[str]:
        return [engine.labels["game"] for engine in self._find("engine")]

    def _parts(self, result: Result, figure: str = "decisions_per_second") -> Spread:
        """A rate as a part of what can be had at most, that of the engine in the same round or that of a client."""
        [engine] = self._find("engine", game=result.labels["game"])
        pairs = zip(result.of(figure), engine.of("observed"), strict=True)
        return Spread.of([rate / min(observed, CLIENT_MOST) for rate, observed in pairs])

    def _conditions(self) -> Lines:
        busy = Spread.of(self.busy)
        illegal = sum(sum(result.of("illegal")) for result in self.results if "illegal" in result.rounds[0])
        yield f"Measured by `{self.command}` on {self.hardware};"
        yield f"{self.versions}."
        yield ""
        yield f"Median (lowest..highest) of {self.rounds} rounds; in each, every loop ran {self.seconds:g} s, in"
        yield "reversed order every other round, and a round before them warmed up. Parts and ratios are of the same"
        yield f"round. Illegal actions: {illegal:.0f}."
        yield ""
        if busy.median > BUSY:
            took = f"{busy.median:.1f} ({busy.low:.1f}..{busy.high:.1f})"
            yield f"**Measured under load**: other programs took {took} cores between the rounds."
            yield ""

    def _goals(self) -> Lines:
        yield "### Speed to reach"
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
        yield from _table(("", "at least", "aim", "measured", "reached"), rows)

    def _goals_of(self, game: str) -> Iterator[Sequence[str]]:
        least, aim = (500_000, 1_500_000) if game in BOARD_GAMES else (1_000_000, 3_000_000)
        for engine in self._find("engine", game=game):
            observed = Spread.of(engine.of("observed"))
            yield (
                f"engine with bits, numbers and mask, {game}",
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
                f"Gymnasium `step()`, {result.labels['environments']:,}, `{result.labels['form']}`, {game}",
                "0.4",
                "0.6",
                f"{_parts(part)}; {every.median:.2f} with the bots' decisions",
                _reached(part.median >= 0.4, part.median >= 0.6),
            )
        rates = [
            Spread.of(result.of("decisions_per_second")).median
            for result in self._find("send/recv", game=game, groups=1, form="split")
            if result.labels["environments"] >= FLAT_FROM
        ]
        if len(rates) > 1:
            flat = f"the dearest {max(rates) / min(rates):.2f} times the cheapest"
            yield f"a decision, from {FLAT_FROM} environments in one group on, {game}", "", "the same", flat, ""

    def _engine(self) -> Lines:
        yield "### The engine, one thread (M decisions/s)"
        yield ""
        rows = [
            (engine.labels["game"], str(engine.labels["seat_count"]), _rates(alone), _rates(observed))
            for engine in self._find("engine")
            for alone, observed in [(Spread.of(engine.of("alone")), Spread.of(engine.of("observed")))]
        ]
        yield from _table(("game", "seats", "alone", "with bits, numbers and mask"), rows)

    def _send_recv(self) -> Lines:
        for game in self._games:
            results = {
                tuple(result.labels[label] for label in ("environments", "form", "groups")): result
                for result in self._find("send/recv", game=game)
            }
            yield f"### `send/recv`, {game} (decisions/s)"
            yield ""
            columns = [(form, groups) for form in ("split", "flat") for groups in (1, 2)]
            rows = []
            for count in sorted({environments for environments, *_ in results}):
                cells = (results.get((count, *column)) for column in columns)
                rates = (_rates(Spread.of(cell.of("decisions_per_second"))) if cell else "" for cell in cells)
                one, two = (results.get((count, "split", groups)) for groups in (1, 2))
                rows.append((f"{count:,}", *rates, _ratios(two, one) if one and two else ""))
            names = (f"`{form}`, {groups} group{'s' * (groups > 1)}" for form, groups in columns)
            yield from _table(("environments", *names, "`split`, 2 groups to 1"), rows)

    def _sides(self) -> Lines:
        """What a decision takes of both processes, and how many there would be if no core ever waited."""
        loops = [*self._find("send/recv", **HEADLINE), *self._find("gymnasium")]
        if not loops:
            return
        yield "### CPU time a decision, in nanoseconds of all cores together"
        yield ""
        rows = []
        for result in loops:
            client, server = result.of("client_ns"), result.of("server_ns")
            most = [self.cores * 1e9 / sum(sides) for sides in zip(client, server, strict=True)]
            name = f"{result.labels['measure']}, {result.labels['environments']:,}, `{result.labels['form']}`"
            sides = (_whole(Spread.of(side)) for side in (client, server))
            rows.append((name, result.labels["game"], *sides, f"{_rates(Spread.of(most))}/s"))
        yield from _table(("loop", "game", "client", "server", "decisions, if no core ever waited"), rows)

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
                f"{result.labels['environments']:,}",
                f"`{result.labels['form']}`",
                *(_rates(Spread.of(result.of(figure))) for figure in figures),
            )
            for result in results
        ]
        yield from _table(("game", "environments", "form", "the learner's", "with the bots'"), rows)

    def _unary(self) -> Lines:
        results = self._find("unary")
        if not results:
            return
        yield "### One call a decision, from Python (microseconds)"
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
        yield from _table(("game", "`Step` p50 / p99", "`Step`, typed", "an empty call"), rows)

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
        header = ("library", "game", "decisions/s", *(f"`send/recv` of {our.labels['game']} to it" for our in ours))
        yield from _table(header, rows)
        for name, reason in self.missing.items():
            yield f"* Left out: {name} ({reason})."


def _ratios(ours: Result, theirs: Result) -> str:
    pairs = zip(ours.of("decisions_per_second"), theirs.of("decisions_per_second"), strict=True)
    spread = Spread.of([our / their for our, their in pairs])
    return f"{_short(spread.median)} ({_short(spread.low)}..{_short(spread.high)})"


def _reached(least: bool, aim: bool) -> str:
    return "aim" if aim else "least" if least else "no"


def _rate(rate: float) -> str:
    """A rate, to three digits."""
    for unit, name in ((1e6, " M"), (1e3, " k")):
        if rate >= unit:
            return _short(rate / unit) + name
    return _short(rate)


def _short(value: float) -> str:
    """A number, to three digits or to the whole."""
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
