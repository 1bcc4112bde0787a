"""`ahu duel` from Python: comparisons of agents in blocks of games, as data."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any, cast

from ahu import _cli as cli, _handover
from ahu._agent import Copies, Player, as_agent, name_of
from ahu._batched import Batched
from ahu._connect import connect_with
from ahu._errors import DuelError, ServiceError
from ahu._estimate import Estimate
from ahu._match import play
from ahu._names import is_command
from ahu._nets import loaded
from ahu._options import Options, option_texts
from ahu._placement import agent_key
from ahu._progress import Progress, counter
from ahu._public import public
from ahu._seeds import checked_seed
from ahu._server import find_program
from ahu._terms import TimeControl
from ahu._tracebacks import without_ours
from ahu.language._usage import Usage, usages

GAMES_AT_ONCE = 1024
"""The number of games of batched players that are played together."""

_COUNTED = re.compile(r"^\[[#.]*\] (\d+) of (\d+) games")
"""The games in a line of progress of `ahu duel`."""


@dataclass(frozen=True, kw_only=True)
class DuelPlayer:
    """The results of one player. All are means for each seat that it took.

    Attributes:
        name: the name.
        player: the player as it was given; for a bot, its name with the version.
        seats: the number of seats that the player took in each game.
        wins: the share of wins, 0 to 1; a win shared by k counts 1/k.
        pairs: the share of pairs with other players that the player won, 0 to 1. A tie is a half, and so is the share
            among equals.
        margin: the points above the mean of the other seats.
        utility: the utility of the rank, -1 to 1.
        score: the points.
        rank: the rank; 1 is first.
        forfeits: the number of forfeits by cause, such as "timeout".
        decision_ms: the time of a decision in milliseconds: its median ("p50") and its 99 % quantile ("p99"); None if
            nothing was measured.
        usage: the work of a language agent in the duel: calls, tokens, and verdicts; None for other players.
    """

    name: str
    player: str
    seats: int
    wins: Estimate
    pairs: Estimate
    margin: Estimate
    utility: Estimate
    score: Estimate
    rank: Estimate
    forfeits: Mapping[str, int]
    decision_ms: Mapping[str, float | None]
    usage: Usage | None = None


@dataclass(frozen=True, kw_only=True)
class DuelPair:
    """The comparison of two players.

    Attributes:
        player: the name of one player.
        other: the name of the other player.
        share: the share of pairs with `other` that `player` won, 0 to 1. A tie is a half.
        verdict: "better" or "worse" for `player`, "not_shown", or "too_few_blocks".
    """

    player: str
    other: str
    share: Estimate
    verdict: str


@dataclass(frozen=True, kw_only=True)
class DuelResult:
    """The result of a duel.

    Attributes:
        players: the results of each player, by name.
        blocks: the number of blocks that count.
        games: the number of games in these blocks.
        pairs: the comparison of each pair of players, in their order.
        verdict: the verdict in sentences for people, whose words may change: first on the test, if there was one, then on
            each pair of players. `pairs` and `data` have the same for programs.
        data: the output of `ahu duel --json`.
    """

    players: Mapping[str, DuelPlayer]
    blocks: int
    games: int
    pairs: Sequence[DuelPair]
    verdict: Sequence[str]
    data: Mapping[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        return f"DuelResult(players={list(self.players)}, blocks={self.blocks}, games={self.games}, verdict={self.verdict})"

    def __str__(self) -> str:
        """Returns the verdict."""
        return "\n".join(self.verdict)


@without_ours
def duel(
    game: str,
    players: Mapping[str, Player] | Sequence[Player],
    *,
    seats: int | None = None,
    options: Options = {},
    field: str | None = None,
    blocks: int | None = None,
    games: int | None = None,
    sprt: tuple[float, float] | None = None,
    max_blocks: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    luck: str | None = None,
    trust: bool = False,
    design: str | None = None,
    seed: int | None = None,
    salt: str | None = None,
    time_control: TimeControl | str | Mapping[str, TimeControl | str] | None = None,
    patience: float | None = None,
    strikes: int | None = None,
    games_at_once: int | None = None,
    records: str | os.PathLike[str] | None = None,
    logs: str | os.PathLike[str] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> DuelResult:
    """Compares players in blocks of games, as the command `ahu duel` does.

        result = ahu.duel("rapanui_cards", {"new": my_policy, "old": "greedy@1"}, blocks=100)
        print(result.players["new"].pairs)

    Batched players and bots play many games together in this process, in groups that are always the same, so the same seed
    repeats a duel; they share luck by default. With `sprt`, `logs`, terms (`time_control`, `patience`, `strikes`), a number of
    `games_at_once`, programs, or other players of this process, the program `ahu` hosts the games.

    Functions and agents of this process play in separate threads. A function is called by one of them at a time. An object
    plays one seat at a time, and a deep copy of it each further seat at the same time. Functions and agents may remember, so
    each of their games has a seed of its own, unless `trust` is given.

    Args:
        game: the game, by its name in the catalog.
        players: the players, by name: a function of a turn, an object with a method `act`, `ahu.batched(function)`, a bot
            such as "greedy@1", a net as "net:FILE", a command, or "jsonl:COMMAND". The last player fills the remaining seats,
            unless `field` does. In a list, a player has the name of its bot, function, class, or file.
        seats: the number of seats; None: the fewest seats that have room for the players.
        options: the options that differ from their defaults, by key.
        field: the player that fills the remaining seats: a bot, a command, or "jsonl:COMMAND".
        blocks: the number of blocks, at least 2; None: 200. A block plays one table with its players permuted.
        games: the number of games, instead of `blocks`: a multiple of the games of a block.
        sprt: the hypotheses of a sequential test, as differences from an even share of pairs, such as (0, 0.05).
        max_blocks: the maximum number of blocks of the test; None: 5000.
        alpha: the probability with which the test may accept the second hypothesis although the first one is true; None: 0.05.
        beta: the probability with which the test may accept the first hypothesis although the second one is true; None: 0.05.
        luck: "shared" or "own"; None: as `ahu duel` decides.
        trust: true if the programs make no use of what they remember of another game of the block.
        design: "neighbour" or "cyclic"; None: "neighbour".
        seed: the seed that fixes all games, together with the salt, 0 to 2**64 - 1; None: a random seed.
        salt: 64 hexadecimal digits, which keep others from guessing the games of a small seed; None: `ahu duel` draws a
            salt for functions, agents, and commands without `trust`, and uses none otherwise. The result has it as
            `data["salt"]`.
        time_control: the clock of all programs, such as "10+0.1" (see `TimeControl.parse`), or the clocks of some players by
            name.
        patience: the time in seconds in which a program has to begin, and in which it decides without a clock; None: 60.
        strikes: the number of illegal or unreadable actions with which a seat forfeits a game; None: the first unreadable one,
            while illegal ones are refused.
        games_at_once: the number of games at once; None: 1 if a function or object plays, or the `games_at_once` of its
            language agents, and otherwise as `ahu duel` decides.
        records: a folder for the records; a call with the same arguments goes on where an earlier one was interrupted.
        logs: a new folder for the output of programs.
        on_progress: a function that gets the progress, also each forfeit; None: show nothing.

    Raises:
        DuelError: `ahu duel` failed, with its message.
        ValueError: functions or agents of this process would share luck, and `trust` is not given; or two players of a list
            have the same name.
        TypeError: a player is neither a function, an agent, nor a text; an object has to play several seats at once and
            cannot be copied; or `players` is neither a mapping nor a list.
        Exception: whatever a function or agent of this process raised.
    """
    players = _named(players)
    clocks = time_control if isinstance(time_control, Mapping) else {"": time_control} if time_control else {}
    hosted = (sprt, max_blocks, alpha, beta, patience, strikes, games_at_once, logs)
    together = not clocks and all(one is None for one in hosted)
    given: dict[str, object] = {
        "--seats": seats,
        "--field": field,
        "--blocks": blocks,
        "--games": games,
        "--sprt": None if sprt is None else f"{sprt[0]},{sprt[1]}",
        "--max-blocks": max_blocks,
        "--alpha": alpha,
        "--beta": beta,
        "--luck": luck,
        "--design": design,
        "--seed": None if seed is None else checked_seed(seed),
        "--salt": salt,
        "--patience": patience,
        "--strikes": strikes,
        "--concurrency": games_at_once,
        "--records": None if records is None else os.fspath(records),
        "--logs": None if logs is None else os.fspath(logs),
    }
    if together and _play_together(players, field):
        return _played_here(game, players, given, options, on_progress)
    local = {name: as_agent(player) for name, player in players.items() if not isinstance(player, str)}
    if games_at_once is None and local:
        given["--concurrency"] = min(getattr(agent, "games_at_once", 1) for agent in local.values())
    if local and luck == "shared" and not trust:
        raise ValueError(
            f'expected trust=True with luck="shared", since {", ".join(local)} of this process can remember other games'
        )
    more = ["--json", *(["--trust"] if trust else [])]
    more += [f"--tc={name}={clock}" if name else f"--tc={clock}" for name, clock in clocks.items()]
    with contextlib.ExitStack() as stack:
        before = usages(local)
        hosts = {name: stack.enter_context(_Host(agent)) for name, agent in local.items()}
        texts = {name: hosts[name].command if name in hosts else player for name, player in players.items()}
        output = _run([*_command(game, texts, given, options), *more], hosts, _news(on_progress))
    return _result(json.loads(output), usages(local, before))


def _named(players: Mapping[str, Player] | Sequence[Player]) -> Mapping[str, Player]:
    """Returns the players by name.

    Raises:
        TypeError: the players are neither a mapping nor a list.
        ValueError: two players of a list have the same name.
    """
    if isinstance(players, Mapping):
        return players
    if isinstance(players, str) or not isinstance(players, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f'expected players by name or as a list, such as ["greedy", "random"], got {players!r}')
    named: dict[str, Player] = {}
    for player in players:
        # The name of a file is the last part of its command.
        own = Path(player.split()[-1]).name if isinstance(player, str) and player.split() else name_of(as_agent(player))
        name = re.sub(r"[^\w.@:+-]+", "", own, flags=re.ASCII)[:32]
        if name in named:
            raise ValueError(f'expected names of their own for the players, such as {{"a": ...}}, got "{name}" twice')
        named[name] = player
    return named


def _news(on_progress: Callable[[Progress], None] | None) -> Callable[[str], None] | None:
    """Returns a function that tells each line of `ahu duel` as progress, with the games of the last line that counts them."""
    if on_progress is None:
        return None
    last = Progress(done=0, games=None, text="")

    def tell(line: str) -> None:
        nonlocal last
        counted = _COUNTED.search(line)
        done, games = map(int, counted.groups()) if counted else (last.done, last.games)
        last = Progress(done=done, games=games, text=line)
        on_progress(last)

    return tell


def _play_together(players: Mapping[str, Player], field: str | None) -> bool:
    """Returns True if this process can play all games of these players together."""
    texts = [player for player in (*players.values(), field) if isinstance(player, str)]
    own = [player for player in players.values() if not isinstance(player, str)]
    is_program = any(map(is_command, texts))
    return bool(own) and all(isinstance(player, Batched) for player in own) and not is_program


def _command(game: str, texts: Mapping[str, object], given: Mapping[str, object], options: Options) -> list[str]:
    command = [find_program(), "duel", game]
    command += [f"{name}={value}" for name, value in given.items() if value is not None]
    command += [f"--option={key}={value}" for key, value in option_texts(options).items()]
    return command + [f"{name}={text}" for name, text in texts.items()]


def _played_here(
    game: str,
    players: Mapping[str, Player],
    given: Mapping[str, object],
    options: Options,
    on_progress: Callable[[Progress], None] | None,
) -> DuelResult:
    """Plays a duel of batched players and bots in this process, many games together."""
    # The players need numpy themselves.
    from ahu.training import _planned_games as planned_games
    from ahu.training._games_log import GamesLog

    with contextlib.ExitStack() as stack:
        folder = str(given["--records"] or stack.enter_context(tempfile.TemporaryDirectory(prefix="ahu-")))
        texts = {name: player if isinstance(player, str) else "callable" for name, player in players.items()}
        # The plan has the names of nets, which this process has to know.
        for player in (*texts.values(), given["--field"]):
            if isinstance(player, str):
                loaded(player)
        command = [*_command(game, texts, {**given, "--records": folder}, options), "--trust"]
        planned = json.loads(_run([*command, "--planned"], {}, None))["games"]
        with GamesLog(Path(folder), DuelError) as log:
            progress = counter(len(planned), on_progress)
            # Games with the same players in the same seats are played together, in groups that are always the same.
            by_seating: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
            for one in planned:
                by_seating.setdefault(tuple(one["agents"]), []).append(one)
            for names, games in by_seating.items():
                own = {
                    seat: players[name]
                    for seat, name in enumerate(names)
                    if not isinstance(players.get(name), str | None)
                }
                for first in range(0, len(games), GAMES_AT_ONCE):
                    part = games[first : first + GAMES_AT_ONCE]
                    planned_games.play_together(part, cast("Mapping[int, Batched]", own), None, log, progress)
        return _result(json.loads(_run([*command, "--json"], {}, None)))


def _run(command: Sequence[str], hosts: Mapping[str, _Host], on_line: Callable[[str], None] | None) -> str:
    """Runs the command, and returns its output.

    Raises:
        DuelError: the command failed.
        Exception: what an agent of this process raised.
    """

    def start(process: subprocess.Popen[bytes]) -> None:
        for host in hosts.values():
            host.on_error = process.terminate

    try:
        output = cli.output(command, DuelError, on_start=start, on_line=on_line)
    except DuelError:
        _check(hosts)
        raise
    _check(hosts)
    return output


def _check(hosts: Mapping[str, _Host]) -> None:
    """Raises what an agent of this process raised, which has ended the duel."""
    for host in hosts.values():
        host.check()


class _Host:
    """An agent of this process, and the connections of programs that hand their place over to it."""

    def __init__(self, agent: Any) -> None:
        self._copies = Copies(agent)
        # The folder is closed to other users. The path of a socket has at most about 100 bytes.
        is_short = len(os.fsencode(tempfile.gettempdir())) <= 80
        self._folder = tempfile.TemporaryDirectory(prefix="ahu-", dir=None if is_short else "/tmp")
        folder, key = Path(self._folder.name), secrets.token_bytes(32)
        (folder / _handover.KEY).write_bytes(key)
        self._listener = Listener(str(folder / _handover.SOCKET), "AF_UNIX", authkey=key)
        self._error: BaseException | None = None
        self.on_error: Callable[[], object] = lambda: None

    def __enter__(self) -> _Host:
        threading.Thread(target=self._accept, name="ahu duel", daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()
        self._folder.cleanup()

    @property
    def command(self) -> str:
        """The command of the program that hands over."""
        return shlex.join([sys.executable, "-m", "ahu._handover", self._folder.name])

    def check(self) -> None:
        """Raises what the agent raised, which has ended the duel."""
        if self._error is not None:
            raise self._error

    def _accept(self) -> None:
        for connection in self._connections():
            threading.Thread(target=self._play, args=(connection,), name="ahu duel", daemon=True).start()

    def _connections(self) -> Iterator[Connection[Any, Any]]:
        while True:
            try:
                yield cast("Connection[Any, Any]", self._listener.accept())
            except OSError:
                # The listener is closed.
                return
            except Exception:  # noqa: S112
                # A program without the key has connected.
                continue

    def _play(self, connection: Connection[Any, Any]) -> None:
        with connection:
            try:
                key = agent_key(connection.recv())
                with self._copies.one() as agent:
                    connect_with(play, [agent], key, retry=None)
            except BaseException as error:
                if isinstance(error, ServiceError) and error.reason == "WRONG_TOKEN":
                    # The duel has stopped the program behind this connection, since its time ran out.
                    return
                self._error = self._error or error
                self.on_error()


def _result(data: Mapping[str, Any], work: Mapping[str, Usage] = {}) -> DuelResult:
    figures = ("wins", "pairs", "margin", "utility", "score", "rank")
    players = {
        agent["name"]: DuelPlayer(
            name=agent["name"],
            player=agent["player"],
            seats=agent["seats"],
            forfeits=agent["forfeits"],
            usage=work.get(agent["name"]),
            decision_ms={share: agent["decision_ms"][share] for share in ("p50", "p99")},
            **{figure: Estimate.of(agent[figure]) for figure in figures},
        )
        for agent in data["agents"]
    }
    pairs = [
        DuelPair(player=pair["agent"], other=pair["other"], share=Estimate.of(pair["share"]), verdict=pair["verdict"])
        for pair in data["pairs"]
    ]
    return DuelResult(
        players=players,
        blocks=data["blocks"],
        games=data["games"],
        pairs=tuple(pairs),
        verdict=tuple(data["verdict"]),
        data=data,
    )


public(DuelPair, DuelPlayer, DuelResult, duel)
