"""`ahu duel` from Python: comparisons of agents in blocks of games, as data."""

from __future__ import annotations

import contextlib
import json
import os
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

from ahu import _handover
from ahu._batched import Batched
from ahu._connect import connect_with
from ahu._match import play
from ahu._names import is_command
from ahu._nets import PREFIX, loaded
from ahu._options import Options, option_texts
from ahu._seeds import checked_seed
from ahu._tracebacks import without_ours
from ahu.agent import Alone, Player, as_agent
from ahu.errors import AhuError, DuelError
from ahu.estimate import Estimate, estimate_of
from ahu.language.usage import Usage, usages
from ahu.placement import agent_key
from ahu.server import Log, find_server

GAMES_AT_ONCE = 1024
"""The number of games of batched players that are played together."""


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class DuelResult:
    """The result of a duel.

    Attributes:
        players: the results of each player, by name.
        blocks: the number of blocks that count.
        games: the number of games in these blocks.
        verdict: the verdict in sentences: first on the test, if there was one, then on each pair of players.
        data: the output of `ahu duel --json`.
    """

    players: Mapping[str, DuelPlayer]
    blocks: int
    games: int
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
    players: Mapping[str, Player],
    *,
    seats: int | None = None,
    options: Options = {},
    field: str | None = None,
    blocks: int | None = None,
    sprt: tuple[float, float] | None = None,
    max_blocks: int | None = None,
    luck: str | None = None,
    trust: bool = False,
    design: str | None = None,
    seed: int | None = None,
    salt: str | None = None,
    time_controls: Mapping[str, str] | str | None = None,
    concurrency: int | None = None,
    records: str | os.PathLike[str] | None = None,
    logs: str | os.PathLike[str] | None = None,
    arguments: Sequence[str] = (),
    on_progress: Callable[[str], None] | None = None,
) -> DuelResult:
    """Compares players in blocks of games, as the command `ahu duel` does.

        result = ahu.duel("rapanui_cards", {"new": my_policy, "old": "greedy@1"}, blocks=100)
        print(result.players["new"].pairs)

    Batched players and bots play many games together in this process, in groups that are always the same, so the same seed
    repeats a duel; they share luck by default. With a clock, a test, programs, or other players of this process, the program
    `ahu` hosts the games.

    Functions and agents of this process play in separate threads. Only one method of an agent is called at a time. An
    agent with a state must play one seat at a time: `concurrency` is 1 by default, and such an agent must not fill
    several seats. Functions and agents may remember, so each of their games has a seed of its own, unless `trust` is
    given.

    Args:
        game: the game, by its name in the catalog.
        players: the players, by name: a function of a turn, an object with a method `act`, `ahu.batched(function)`, a bot
            such as "greedy@1", a net as "net:FILE", a command, or "jsonl:COMMAND". The last player fills the remaining seats, unless `field`
            does.
        seats: the number of seats; None: the fewest seats that have room for the players.
        options: the options that differ from their defaults, by key.
        field: the player that fills the remaining seats: a bot, a command, or "jsonl:COMMAND".
        blocks: the number of blocks, at least 2; None: 200.
        sprt: the hypotheses of a sequential test, as differences from an even share of pairs, such as (0, 0.05).
        max_blocks: the maximum number of blocks of the test; None: 5000.
        luck: "shared" or "own"; None: as `ahu duel` decides.
        trust: true if the programs make no use of what they remember of another game of the block.
        design: "neighbour" or "cyclic"; None: "neighbour".
        seed: the seed that fixes all games, together with the salt, 0 to 2**64 - 1; None: a random seed.
        salt: 64 hexadecimal digits, which keep others from guessing the games of a small seed; None: `ahu duel` draws a
            salt for functions, agents, and commands without `trust`, and uses none otherwise. The result has it as
            `data["salt"]`.
        time_controls: the clock of all programs, such as "10+0.1", or the clocks of some players by name.
        concurrency: the number of games at once; None: 1 if a function or object plays, otherwise as `ahu duel`
            decides.
        records: a folder for the records; a call with the same arguments goes on where an earlier one was interrupted.
        logs: a new folder for the output of programs.
        arguments: further arguments of `ahu duel`.
        on_progress: a function that gets each line of progress and each forfeit; None: show nothing.

    Raises:
        DuelError: `ahu duel` failed, with its message.
        ValueError: functions or agents of this process would share luck, and `trust` is not given.
        TypeError: a player is neither a function, an agent, nor a text.
        Exception: whatever a function or agent of this process raised.
    """
    clocks = {"": time_controls} if isinstance(time_controls, str) else dict(time_controls or {})
    together = (
        not clocks and sprt is None and max_blocks is None and concurrency is None and logs is None and not arguments
    )
    given: dict[str, object] = {
        "--seats": seats,
        "--field": field,
        "--blocks": blocks,
        "--sprt": None if sprt is None else f"{sprt[0]},{sprt[1]}",
        "--max-blocks": max_blocks,
        "--luck": luck,
        "--design": design,
        "--seed": None if seed is None else checked_seed(seed),
        "--salt": salt,
        "--concurrency": concurrency,
        "--records": None if records is None else os.fspath(records),
        "--logs": None if logs is None else os.fspath(logs),
    }
    if together and _play_together(players, field):
        return _played_here(game, players, given, options, on_progress)
    local = {name: as_agent(player) for name, player in players.items() if not isinstance(player, str)}
    if concurrency is None and local:
        given["--concurrency"] = 1
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
        output = _run([*_command(game, texts, given, options), *more, *arguments], hosts, on_progress)
    return _result(json.loads(output), usages(local, before))


def _play_together(players: Mapping[str, Player], field: str | None) -> bool:
    """Returns True if this process can play all games of these players together."""
    texts = [player for player in (*players.values(), field) if isinstance(player, str)]
    own = [player for player in players.values() if not isinstance(player, str)]
    is_program = any(is_command(text) and not text.startswith(PREFIX) for text in texts)
    return bool(own) and all(isinstance(player, Batched) for player in own) and not is_program


def _command(game: str, texts: Mapping[str, object], given: Mapping[str, object], options: Options) -> list[str]:
    command = [find_server(), "duel", game]
    command += [f"{name}={value}" for name, value in given.items() if value is not None]
    command += [f"--option={key}={value}" for key, value in option_texts(options).items()]
    return command + [f"--agent={name}={text}" for name, text in texts.items()]


def _played_here(
    game: str,
    players: Mapping[str, Player],
    given: Mapping[str, object],
    options: Options,
    on_progress: Callable[[str], None] | None,
) -> DuelResult:
    """Plays a duel of batched players and bots in this process, many games together."""
    # The players need numpy themselves.
    from ahu.training import planned_games
    from ahu.training.games_log import GamesLog

    with contextlib.ExitStack() as stack:
        folder = str(given["--records"] or stack.enter_context(tempfile.TemporaryDirectory(prefix="ahu-")))
        texts = {name: player if isinstance(player, str) else "callable" for name, player in players.items()}
        # The plan has the names of nets, which this process has to know.
        for player in (*texts.values(), given["--field"]):
            if isinstance(player, str):
                loaded(player)
        command = [*_command(game, texts, {**given, "--records": folder}, options), "--trust"]
        planned = json.loads(_run([*command, "--games"], {}, None))["games"]
        with GamesLog(Path(folder), DuelError) as log:
            done = 0

            def progress(ended: int) -> None:
                nonlocal done
                done += ended
                if on_progress is not None:
                    on_progress(f"{done} of {len(planned)} games")

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


def _run(command: Sequence[str], hosts: Mapping[str, _Host], on_progress: Callable[[str], None] | None) -> str:
    """Runs the command, and returns its output.

    Raises:
        DuelError: the command failed.
        Exception: what an agent of this process raised.
    """
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    errors = Log(process, on_progress)
    for host in hosts.values():
        host.on_error = process.terminate
    with process:
        try:
            assert process.stdout is not None
            output = process.stdout.read()
        except BaseException:
            process.terminate()
            raise
        errors.join()
    for host in hosts.values():
        host.check()
    if process.returncode != 0:
        raise DuelError(errors.text().removeprefix("error: ").strip())
    return output.decode()


class _Host:
    """An agent of this process, and the connections of programs that hand their place over to it."""

    def __init__(self, agent: Any) -> None:
        # Copies of a batched player ask their function together.
        self._agent = agent if isinstance(agent, Batched) else Alone(agent, threading.Lock())
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
                connect_with(play, [as_agent(self._agent)], key, retry=None)
            except BaseException as error:
                if isinstance(error, AhuError) and error.reason == "WRONG_TOKEN":
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
            **{figure: estimate_of(agent[figure]) for figure in figures},
        )
        for agent in data["agents"]
    }
    return DuelResult(players, data["blocks"], data["games"], tuple(data["verdict"]), data)
