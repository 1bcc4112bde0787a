"""Suites: benchmarks of a player that can be cited and checked."""

from __future__ import annotations

import contextlib
import json
import logging
import operator
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias, cast

from ahu import _cli as cli
from ahu._agent import Player
from ahu._errors import BenchmarkError
from ahu._estimate import Estimate
from ahu._names import is_command
from ahu._progress import Progress, counter
from ahu._server import find_program
from ahu.language import LanguageAgent, Style
from ahu.training import _planned_games as planned_games
from ahu.training._games_log import GamesLog
from ahu.training._players import ClientPlayer, is_client_player

Players: TypeAlias = Player | Mapping[str, Player]
"""A player for all games, or one for each game by its name in the catalog."""


_log = logging.getLogger("ahu")


@dataclass(frozen=True, kw_only=True)
class BenchmarkCost:
    """The cost of a suite, told before its first game. The figures are estimates for an agent that decides like `random@1`; a
    stronger one may have three times as many decisions.

    Attributes:
        suite: the name of the suite, or of the part that is played.
        games: the number of games that are left.
        decisions: the decisions of the agent in the whole part.
        tokens_in: the tokens in the messages to a language model in the whole part, rules included; 0 if the suite states none.
        tokens_out: the tokens in its answers, with 20 for each decision: a model that reasons has hundreds or thousands.
        money: the price of these tokens, without a cache; None if the agent declares no prices.
        currency: the currency of the price; None if the agent declares no prices.
    """

    suite: str
    games: int
    decisions: int
    tokens_in: int
    tokens_out: int
    money: float | None
    currency: str | None

    def __str__(self) -> str:
        money = "" if self.money is None else f", {self.money:.2f} {self.currency} for them"
        return (
            f"{self.suite}: {self.games} games left; about {self.decisions} decisions, {self.tokens_in} tokens in "
            f"messages, and {self.tokens_out} in answers in all{money}"
        )


@dataclass(frozen=True, kw_only=True)
class BenchmarkReport:
    """The report about a player on a suite.

    Attributes:
        suite: the name of the suite, or of what was played of it: "v1/10" for the first blocks, "v1/10 giants-3-greedy" for
            the first blocks of one cell.
        normalised: the normalised score over all cells that were played: 0 for `random@1`, 1 for the reference bots; more is
            possible. The score of a part of a suite is no score of the suite.
        split: where the report has cells with familiar and with held-out opponents, as those of v2 are, the means over each kind,
            `familiar` and `held_out`, and their difference `gap`; empty otherwise.
        cells: the normalised score of each cell, by name.
        played: the number of games.
        started: the number of games that the run has started, by its log. `started - played` games were not kept.
        forfeits: the number of games in which the player ran out of time.
        language: the work of a language model in each cell, as its agent counted it: calls, tokens, verdicts, and the price, also
            of games that were interrupted; empty for other agents.
        data: the content of `report.json`.
    """

    suite: str
    normalised: Estimate
    split: Mapping[str, Estimate]
    cells: Mapping[str, Estimate]
    played: int
    started: int
    forfeits: int
    language: Sequence[Mapping[str, Any]] = field(repr=False)
    data: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        kinds = "".join(f", {name.replace('_', '-')} {estimate}" for name, estimate in self.split.items())
        return f"{self.data['agent']['name']} on {self.suite}: {self.normalised}{kinds}"


def benchmark(
    suite: str,
    player: Players | Sequence[Players],
    *,
    out: str | os.PathLike[str] | None = None,
    name: str | None = None,
    runs: Sequence[str | os.PathLike[str]] = (),
    cells: Sequence[str] = (),
    games: Sequence[str] = (),
    first: int | None = None,
    quick: bool = False,
    seeds: str = "public",
    source: str | None = None,
    files: Sequence[str | os.PathLike[str]] = (),
    budget: str | None = None,
    declares: Mapping[str, str] = {},
    threads: int | None = None,
    games_at_once: int = 1024,
    on_start: Callable[[BenchmarkCost], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> BenchmarkReport:
    """Plays a suite with a player, and writes the same report as `ahu benchmark run`.

        net = ahu.batched(policy, obs_format="flat")
        report = ahu.benchmark("v2", net, out="net", files=["net.pt"])
        print(report.normalised)

    A player of this process plays many games together, without a clock; `ahu.batched(function)` is asked for a decision of
    each of them at once. The program `ahu` plays bots and commands.

    After an interruption, a call with the same arguments goes on. The log `games.jsonl` in the folder counts the games that
    were started and not kept, such as those of an interruption. `ahu benchmark verify` checks the report. The choices of
    opponents that search are computed twice: for the game, and for its record.

    A player that knows one game plays the cells of its game, as a part of the suite:

        report = ahu.benchmark("v2", {"giants": net}, out="giants")
        print(report.suite)  # v2 giants-3-greedy,giants-5-mixed,giants-3-heldout,giants-3-net,giants-5-heldout

    Args:
        suite: the suite, such as "v2", or a file that ends with ".toml".
        player: `ahu.batched(function)`, a function of a turn, an object with `act`, or an `ahu.language.LanguageAgent`, which is
            asked in the style of the suite if the suite states one; or one of these for each game, by the
            game's name in the catalog. Without `cells` and `games`, a mapping means exactly the games that it has. For
            several training runs of one method, a sequence of such players; mappings then have the same games. Or the name
            of a bot, or a command.
        out: the folder of the report; None: keep only what is returned.
        name: the name of the player in the report, 1 to 64 bytes; None: the name of the bot, the `name` that
            `ahu.batched` or `LanguageAgent` got for all players, or "player".
        runs: the checkpoints of the players, in their order; the report has the hashes of checkpoints that are files.
        cells: the names of the cells to play, which the file of the suite names.
        games: the games whose cells to play, by their names in the catalog, also with `cells`. Without both: all cells.
        first: the number of blocks of each cell, at least 1; None: all blocks.
        quick: true for the few blocks that the suite has for a first look.
        seeds: "public", or "sealed:" and 64 hexadecimal digits.
        source: the source of the sealed seeds, such as the round of a public beacon.
        files: files of the agent; the report has their hashes.
        budget: the budget of a decision: "none", "iterations:N", or "seconds:S"; None: "none".
        declares: further declarations for the report, such as {"model": "..."}; {"trained-on-held-out": "no"} tells that the player
            was not trained against the held-out opponents of v2, "yes" that it was.
        threads: the number of cores for the games; None: all.
        games_at_once: the maximum number of games in a batch.
        on_start: a function that gets the cost of the suite before the first game: for a language model, tokens and money. None:
            for a language model, the logger "ahu" warns of it.
        on_progress: a function that gets the progress after each write of records: of the games that were left at the start.
            Only for players of this process.

    Raises:
        BenchmarkError: `ahu benchmark` failed, with its message, such as for a cell or a game that the suite does not have.
            Or another process plays into the folder.
        IllegalAction: the player chose an illegal action.
        TypeError: a player is none of these, `cells` or `games` is a string, or `first` or
            `games_at_once` is not an integer.
        ValueError: there is no player, a mapping without a game, no player for a game that is left to play, or the number
            of players is not the number of `runs`; `first` or `games_at_once` is below 1, or both `first` and `quick` are
            given.
        Exception: whatever the player raised.
    """
    is_program = isinstance(player, str)
    players = cast(Sequence[Players], player) if isinstance(player, Sequence) and not is_program else [player]
    if not players:
        raise ValueError("expected a player, or one for each training run, got an empty sequence")
    for own in players:
        for single in cast(Mapping[str, object], own).values() if isinstance(own, Mapping) else [own]:
            if not is_program and not is_client_player(single):
                raise TypeError(
                    "expected a function of a turn, an object with a method act, ahu.batched(function), a mapping of these by "
                    f"game, or a sequence of them; got {single!r}"
                )
    if operator.index(games_at_once) < 1:
        raise ValueError(f"expected at least one game at once, got {games_at_once}")
    if first is not None and operator.index(first) < 1:
        raise ValueError(f"expected first to be at least 1 block, got {first}")
    if first is not None and quick:
        raise ValueError(f"expected either first or quick, got first={first} and quick=True")
    for of, chosen in (("cells", cells), ("games", games)):
        if isinstance(chosen, str):
            raise TypeError(f"expected {of} to be a sequence of names, got {chosen!r}")
    if not cells and not games:
        games = _games_of(players)
    names = [os.fspath(run) for run in runs] or (
        [f"run {number}" for number in range(len(players))] if len(players) > 1 else []
    )
    if names and len(names) != len(players):
        raise ValueError(f"expected {len(names)} players, one for each run, got {len(players)}")
    agent = f"--agent={name or _shared_name(players)}={player if is_program else 'callable'}"
    if is_program and name is None and not is_command(player):
        agent = f"--agent={player}"
    with contextlib.ExitStack() as stack:
        folder = out if out is not None else stack.enter_context(tempfile.TemporaryDirectory(prefix="ahu-"))
        command = [find_program(), "benchmark", "run", suite, agent, f"--out={os.fspath(folder)}"]
        command += [f"--run={run}" for run in names]
        command += [f"--cell={cell}" for cell in cells]
        command += [f"--game={game}" for game in games]
        command += [] if first is None else [f"--first={first}"]
        command += ["--quick"] if quick else []
        command += [f"--seeds={seeds}"]
        command += [] if source is None else [f"--source={source}"]
        command += [f"--file={os.fspath(file)}" for file in files]
        command += [] if budget is None else [f"--budget={budget}"]
        command += [f"--declare={key}={value}" for key, value in declares.items()]
        if not is_program:
            left = json.loads(cli.output([*command, "--planned"], BenchmarkError))
            _check_games(left, players)
            with GamesLog(Path(folder), BenchmarkError) as log:
                if left["games"]:
                    _tell_cost(_cost(left, players), on_start, players)
                _play_all(left, players, log, threads, games_at_once, on_progress)
        return _report(json.loads(cli.output([*command, "--json"], BenchmarkError)))


def _games_of(players: Sequence[Players]) -> list[str]:
    """Returns the games that mappings of players mean; none if a player plays all games, or if the mappings differ.

    Raises:
        ValueError: the mappings have no game.
    """
    mappings = [cast(Mapping[str, Player], own) for own in players if isinstance(own, Mapping)]
    if len(mappings) < len(players) or any(own.keys() != mappings[0].keys() for own in mappings):
        return []
    if not mappings[0]:
        raise ValueError("expected a player for at least one game, got an empty mapping")
    return list(mappings[0])


def _shared_name(players: Sequence[Players]) -> str:
    """Returns the name that was given to all players; "player" if they have several, or none."""
    every: list[Any] = []
    for own in players:
        every += cast(Mapping[str, Player], own).values() if isinstance(own, Mapping) else [own]
    names = {getattr(one, "_given_name", None) for one in every}
    [name, *others] = names
    return name if isinstance(name, str) and not others else "player"


def _check_games(left: Mapping[str, Any], players: Sequence[Players]) -> None:
    """Checks that each training run has a player for each game that it has left to play.

    Raises:
        ValueError: a player is missing.
    """
    for run, own in enumerate(players):
        if not isinstance(own, Mapping):
            continue
        names = {game["game"]: None for game in left["games"] if game["run"] == run}
        missing = [name for name in names if name not in own]
        if missing:
            of = f" of run {run}" if len(players) > 1 else ""
            raise ValueError(
                f"expected a player{of} for each game that {left['suite']} is left to play, got none for {', '.join(missing)}"
            )


def _cost(left: Mapping[str, Any], players: Sequence[Players]) -> BenchmarkCost:
    """Returns the cost of the games that are left."""
    prices = next((own.prices for own in players if isinstance(own, LanguageAgent)), None)
    tokens_in, tokens_out = left["tokens"], 20 * left["decisions"] if left["tokens"] else 0
    money = None if prices is None else prices.cost(tokens_in, tokens_out)
    return BenchmarkCost(
        suite=left["suite"],
        games=len(left["games"]),
        decisions=left["decisions"],
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        money=money,
        currency=None if prices is None else prices.currency,
    )


def _tell_cost(
    cost: BenchmarkCost, on_start: Callable[[BenchmarkCost], None] | None, players: Sequence[Players]
) -> None:
    """Tells the cost before the first game. The user of a language model is told in any case."""
    if on_start is not None:
        on_start(cost)
    elif any(isinstance(own, LanguageAgent) for own in players):
        _log.warning("%s", cost)


def _play_all(
    left: Mapping[str, Any],
    players: Sequence[Players],
    log: GamesLog,
    threads: int | None,
    games_at_once: int,
    on_progress: Callable[[Progress], None] | None,
) -> None:
    tell = counter(len(left["games"]), on_progress)
    games: list[tuple[Mapping[str, Any], ClientPlayer]] = []
    asked: list[tuple[Mapping[str, Any], LanguageAgent]] = []
    for game in left["games"]:
        own = players[int(game["run"])]
        player = cast(Mapping[str, Player], own)[game["game"]] if isinstance(own, Mapping) else own
        if isinstance(player, LanguageAgent):
            asked.append((game, player))
        else:
            games.append((game, cast(ClientPlayer, player)))
    if asked:
        _play_matches(asked, log, tell)

    def place(game: tuple[Mapping[str, Any], ClientPlayer]) -> tuple[Any, ...]:
        return tuple(game[0][key] for key in ("run", "cell", "seat"))

    # Environments of one batch share their players, so the games of each seat are played together.
    for _, group in groupby(sorted(games, key=place), key=place):
        together = list(group)
        for begin in range(0, len(together), games_at_once):
            part = together[begin : begin + games_at_once]
            [game, player] = part[0]
            planned_games.play_together([game for game, _ in part], {game["seat"]: player}, threads, log, tell)


def _play_matches(
    games: Sequence[tuple[Mapping[str, Any], LanguageAgent]], log: GamesLog, tell: Callable[[int], None]
) -> None:
    """Plays games of language models as matches, of all cells at once, and writes their records and a line about each call."""
    # The module imports gRPC, which training in this process does not need.
    from ahu.training._planned_matches import play_matches

    agents = {id(agent): agent for _, agent in games}.values()
    for agent in agents:
        # The budget is that of the run, also after an interruption.
        own = {(game["run"], game["game"]) for game, player in games if player is agent}
        agent.spent = max(agent.spent, sum(log.spent.get(place, 0.0) for place in own))

    def player(game: Mapping[str, Any], agent: LanguageAgent) -> LanguageAgent:
        """Returns the player of a game: in the style of the suite, or in its own if the suite states none."""
        style = game["style"]
        place = {"run": game["run"], "game": game["game"], "cell": game["cell"], "record": game["name"]}
        own = agent.style if style is None else Style(**style)
        return agent.with_style(own, ledger=lambda call: log.call({**place, **call}))

    at_once = min(agent.games_at_once for agent in agents)
    for game, record in play_matches(games, player, at_once, lambda game: log.start([game["name"]])):
        log.keep({game["name"]: record})
        planned_games.write(Path(game["path"]), record)
        tell(1)


def _report(data: Mapping[str, Any]) -> BenchmarkReport:
    first, cells = data["suite"]["first"], data["suite"]["cells"]
    suite = data["suite"]["name"] + (f"/{first}" if first else "") + (f" {','.join(cells)}" if cells else "")
    return BenchmarkReport(
        suite=suite,
        normalised=Estimate.of(data["aggregate"]["normalised"]),
        split={name: Estimate.of(value) for name, value in data["aggregate"].get("split", {}).items()},
        cells={cell["name"]: Estimate.of(cell["normalised"]) for cell in data["cells"]},
        played=data["aggregate"]["games"],
        started=data["log"]["started"],
        forfeits=data["aggregate"]["forfeits"],
        language=data.get("language", []),
        data=data,
    )
