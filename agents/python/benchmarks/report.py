"""The report of the benchmarks, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from benchmarks.rounds import Result, Spread

BOARD_GAMES = frozenset({"giants", "rapanui_board"})
"""The board games; all other games are card games."""

HEADLINE = {"place": "in process", "num_envs": 2048, "groups": 1, "obs_format": "split", "threads": 1}
"""The labels of the vector with which other libraries are compared."""

CORES_NUM_ENVS = 4096
"""The number of environments with which one core and two are compared."""

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
        versions: the versions of Python and the packages.
        rounds: the number of rounds.
        seconds: the time of each loop in a round.
        busy: the number of cores that other programs used before each round.
        results: the measurements.
        missing: the libraries that do not run on this machine, with the reasons.
    """

    command: str
    hardware: str
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
        parts = [self._conditions(), self._goals(), self._engine(), self._single()]
        parts += [self._state(), self._vectors(), self._cores()]
        parts.append(self._gymnasium())
        return "\n".join(line for part in [*parts, self._unary(), self._peers()] for line in part)

    def _find(self, measure: str, **labels: Any) -> list[Result]:
        wanted = {"measure": measure, **labels}
        return [result for result in self.results if wanted.items() <= result.labels.items()]

    @property
    def _games(self) -> list[str]:
        return [engine.labels["game"] for engine in self._find("engine")]

    def _parts(self, result: Result, figure: str = "decisions_per_second", of: str = "observed") -> Spread:
        """Returns a rate as a share of a rate of the engine in the same round: with bits, numbers, and mask, or alone."""
        [engine] = self._find("engine", game=result.labels["game"])
        pairs = zip(result.of(figure), engine.of(of), strict=True)
        return Spread.of([rate / observed for rate, observed in pairs])

    def _conditions(self) -> Lines:
        busy = Spread.of(self.busy)
        yield f"Measured by `{self.command}` on {self.hardware};"
        yield f"{self.versions}."
        yield ""
        yield f"Figures are medians (lowest..highest) of {self.rounds} rounds, after one warm-up round. In each round,"
        yield f"every loop ran for {self.seconds:g} s; every other round ran the loops in reverse order. Shares and"
        yield "ratios compare figures of the same round."
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
        singles = {
            "VectorEnv(1).step": (100_000, 250_000),
            "AhuGymnasiumEnv.step": (50_000, 100_000),
            "AEC turn": (30_000, 60_000),
        }
        for kind, (least, aim) in singles.items():
            for result in self._find("single", kind=kind, place="in process", game=game):
                rate = Spread.of(result.of("decisions_per_second"))
                reached = _reached(rate.median >= least, rate.median >= aim)
                yield f"`{kind}`, {game}", f"{_rate(least)}/s", f"{_rate(aim)}/s", f"{_rates(rate)}/s", reached
        aims = {
            "`State.clone` and `apply`": ("clones_per_second", 500_000, 1_000_000),
            "`ahu.children`, children": ("children_per_second", 1_000_000, 3_300_000),
            "`ahu.observe`, 2,048 States, `split`": ("split_per_second", 500_000, 1_000_000),
        }
        for result in self._find("state", game=game):
            for name, (figure, least, aim) in aims.items():
                rate = Spread.of(result.of(figure))
                reached = _reached(rate.median >= least, rate.median >= aim)
                yield f"{name}, {game}", f"{_rate(least)}/s", f"{_rate(aim)}/s", f"{_rates(rate)}/s", reached
        for obs_format, least, aim in (("packed", 0.7, 0.85), ("split", 0.5, 0.65)):
            for result in self._find("vector", game=game, **{**HEADLINE, "obs_format": obs_format}):
                part = self._parts(result)
                reached = _reached(part.median >= least, part.median >= aim)
                yield f"vector, 2,048, `{obs_format}`, one core, {game}", f"{least}", f"{aim}", _parts(part), reached
        one, two = (self._in_process(game, CORES_NUM_ENVS, "split", threads) for threads in (1, 2))
        if one and two:
            ratio = _ratio(two, one)
            reached = _reached(ratio.median >= 1.5, ratio.median >= 1.8)
            yield f"two cores over one, {CORES_NUM_ENVS:,}, `split`, {game}", "1.5", "1.8", _parts(ratio), reached
        for result in self._find("vector", game=game, place="server", num_envs=2048, groups=2):
            part = self._parts(result)
            name = f"server, 2 x 1,024, `split`, {game}"
            if game in BOARD_GAMES:
                yield name, "0.5", "0.65", _parts(part), _reached(part.median >= 0.5, part.median >= 0.65)
            else:
                # The engine needs so little time for a card game that nearly all of the time is the network.
                yield name, "", "", _parts(part), ""

    def _in_process(self, game: str, num_envs: int, obs_format: str, threads: int) -> Result | None:
        found = self._find(
            "vector", game=game, place="in process", num_envs=num_envs, obs_format=obs_format, threads=threads
        )
        return found[0] if found else None

    def _engine(self) -> Lines:
        yield "### Engine, one thread (decisions/s)"
        yield ""
        rows = [
            (engine.labels["game"], str(engine.labels["seats"]), _rates(alone), _rates(observed))
            for engine in self._find("engine")
            for alone, observed in [(Spread.of(engine.of("alone")), Spread.of(engine.of("observed")))]
        ]
        yield from _table(("game", "seats", "alone", "with bits, numbers, and mask"), rows)

    def _single(self) -> Lines:
        results = self._find("single", place="in process")
        if not results:
            return
        yield "### One environment (decisions/s)"
        yield ""
        rows = []
        for local in results:
            kind, game = local.labels["kind"], local.labels["game"]
            [remote] = self._find("single", kind=kind, game=game, place="server")
            rates = (_rates(Spread.of(result.of("decisions_per_second"))) for result in (local, remote))
            rows.append((f"`{kind}`", game, *rates, _ratios(local, remote)))
        yield from _table(("loop", "game", "in process", "server", "ratio"), rows)

    def _state(self) -> Lines:
        results = self._find("state")
        if not results:
            return
        yield "### States in the middle of a game, one core (a second)"
        yield ""
        figures = ("children_per_second", "clones_per_second", "packed_per_second", "split_per_second")
        rows = [
            (
                result.labels["game"],
                *(_rates(Spread.of(result.of(figure))) for figure in figures),
                f"{result.of('bytes')[0]:,.0f}",
            )
            for result in results
        ]
        header = (
            "children by `ahu.children`",
            "by `clone` and `apply`",
            "`ahu.observe`, `packed`",
            "`ahu.observe`, `split`",
        )
        yield from _table(("game", *header, "bytes of a State"), rows)

    def _vectors(self) -> Lines:
        for game in self._games:
            counts = sorted({result.labels["num_envs"] for result in self._find("vector", game=game)})
            if not counts:
                continue
            yield f"### Vectors, {game} (decisions/s)"
            yield ""
            rows = []
            for count in counts:
                local = [self._in_process(game, count, obs_format, 1) for obs_format in ("packed", "split")]
                remote = [
                    next(iter(self._find("vector", game=game, place="server", num_envs=count, groups=groups)), None)
                    for groups in (1, 2)
                ]
                rates = [
                    _rates(Spread.of(cell.of("decisions_per_second"))) if cell else "" for cell in (*local, *remote)
                ]
                best = remote[1] or remote[0]
                rows.append((f"{count:,}", *rates, _ratios(local[1], best) if local[1] and best else ""))
            header = (
                "`packed`, in process",
                "`split`, in process",
                "`split`, server, 1 group",
                "`split`, server, 2 groups",
            )
            yield from _table(("environments", *header, "`split`, in process / server"), rows)

    def _cores(self) -> Lines:
        """Yields the rates with several cores, in this process."""
        several = [result for result in self._find("vector", place="in process") if result.labels["threads"] > 1]
        if not several:
            return
        yield "### Several cores, in process (decisions/s)"
        yield ""
        threads = sorted({result.labels["threads"] for result in several})
        rows = []
        for result in several:
            game, count, obs_format = (result.labels[label] for label in ("game", "num_envs", "obs_format"))
            if result.labels["threads"] != threads[0]:
                continue
            cells = [self._in_process(game, count, obs_format, number) for number in (1, *threads)]
            one, *others = [cell for cell in cells if cell]
            rates = (_rates(Spread.of(cell.of("decisions_per_second"))) for cell in (one, *others))
            ratios = (_ratios(other, one) for other in others)
            rows.append((game, f"{count:,}", f"`{obs_format}`", *rates, *ratios))
        header = ("game", "environments", "format", "1 core", *(f"{number} cores" for number in threads))
        yield from _table((*header, *(f"{number} / 1" for number in threads)), rows)

    def _gymnasium(self) -> Lines:
        results = self._find("gymnasium")
        if not results:
            return
        yield '### `AhuGymnasiumVectorEnv.step`, 4,096 environments, one learner against "random" bots (decisions/s)'
        yield ""
        figures = ("decisions_per_second", "all_decisions_per_second")
        rows = [
            (
                result.labels["game"],
                result.labels["place"],
                f"`{result.labels['obs_format']}`",
                *(_rates(Spread.of(result.of(figure))) for figure in figures),
            )
            for result in results
        ]
        yield from _table(("game", "place", "format", "learner", "learner and bots"), rows)

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
        ours = self._find("vector", **HEADLINE)[:1]
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
        header = ("library", "game", "decisions/s", *(f"`split` of {our.labels['game']} / this" for our in ours))
        yield from _table(header, rows)
        for name, reason in self.missing.items():
            yield f"* Not measured: {name} ({reason})."


def _ratio(ours: Result, theirs: Result) -> Spread:
    pairs = zip(ours.of("decisions_per_second"), theirs.of("decisions_per_second"), strict=True)
    return Spread.of([our / their for our, their in pairs])


def _ratios(ours: Result, theirs: Result) -> str:
    spread = _ratio(ours, theirs)
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
