"""Games that the program `ahu` plans, each played as a match of a server: for agents that need events and that may resign."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from ahu import _native, _process_server as process_server
from ahu._agent import Resignation
from ahu._match import play
from ahu._turn import Turn
from ahu.client import Client

_Agent = TypeVar("_Agent")


def play_matches(
    games: Sequence[tuple[Mapping[str, Any], _Agent]],
    player: Callable[[Mapping[str, Any], _Agent], Any],
    at_once: int,
    on_start: Callable[[Mapping[str, Any]], None],
) -> Iterator[tuple[Mapping[str, Any], bytes]]:
    """Plays games to their ends, some of them at once. Yields each game that has ended, with its record.

    Args:
        games: the games, as `ahu benchmark run --games` describes them, each with its agent.
        player: returns the player of a game, a copy of its agent.
        at_once: the number of games at once, each in a thread.
        on_start: called before a game starts.

    Raises:
        Exception: whatever the agent raised. The other games end first.
    """
    left = list(reversed(games))
    with Client(process_server.address()) as client, ThreadPoolExecutor(at_once, "ahu benchmark") as pool:
        playing: dict[Future[bytes], Mapping[str, Any]] = {}
        try:
            while left or playing:
                while left and len(playing) < at_once:
                    game, agent = left.pop()
                    on_start(game)
                    playing[pool.submit(_play, client, game, player(game, agent))] = game
                for future in wait(playing, return_when=FIRST_COMPLETED).done:
                    yield playing.pop(future), future.result()
        finally:
            # After an error, the games in progress are lost: they start again.
            for future in playing:
                future.cancel()


def _play(client: Client, game: Mapping[str, Any], player: Any) -> bytes:
    """Plays a game, and returns its record."""
    bots = {seat: bot for seat, bot in enumerate(game["players"]) if bot is not None}
    recorder = _Recorder(player)
    created = client.create_match(
        game["game"], game["seats"], options=game["options"], bots=bots, seed=int(game["seed"]), unlisted=True
    )
    try:
        play(recorder, client.join(created.match_id, seat=game["seat"], name=player.name))
    except BaseException as error:
        client.cancel_match(created.match_id, created.owner_token, f"a player raised {type(error).__name__}")
        raise
    return _native.finish_record(game["record"], recorder.actions, recorder.milliseconds)


class _Recorder:
    """An agent that writes down the choices of another one, and their times.

    Attributes:
        actions: the ids of the actions; None for a resignation.
        milliseconds: the time of each choice.
    """

    def __init__(self, agent: Any) -> None:
        self.formats = agent.formats
        self.actions: list[int | None] = []
        self.milliseconds: list[int] = []
        self._agent = agent

    def start(self, match: Any) -> None:
        self._agent.start(match)

    def act(self, turn: Turn) -> int:
        begin, choice = time.monotonic(), None
        try:
            choice = self._agent.act(turn)
            return choice
        except Resignation:
            choice = None
            raise
        finally:
            self.actions.append(choice)
            self.milliseconds.append(round((time.monotonic() - begin) * 1000))
