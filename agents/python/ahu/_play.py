"""One match between functions, agents, and bots, in one call."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

from ahu import _match, _process_server as process_server
from ahu._agent import Alone, Player, as_agent, copy_of
from ahu._calls import MAX_WAIT
from ahu._errors import NoResult
from ahu._hints import hinted
from ahu._names import is_command, is_net_file
from ahu._nets import file_of, read_net
from ahu._options import Options
from ahu._program import Program
from ahu._public import public
from ahu._server import launch
from ahu._terms import Cause, TimeControl, cause_of
from ahu._tracebacks import without_ours
from ahu.client import Client, Seat
from ahu.language._usage import Usage, usages
from ahu.v1 import match_service_pb2 as v1


@dataclass(frozen=True, kw_only=True)
class PlayResult:
    """The result of a finished match.

    Attributes:
        scores: the points by the rulebook, by seat.
        ranks: the ranks, by seat: 1 is first, and ties share a rank (1, 1, 3).
        forfeits: the reason why each seat has forfeited, such as "timeout"; None for a seat that has not forfeited.
        seed: the seed of the match, 0 to 2**64 - 1.
        record: the record as text, which `ahu replay` shows and verifies.
        match: the description of the match.
        usage: the work of each language agent, by seat: calls, tokens, and verdicts. Seats of the same agent show the work of all
            of them.
    """

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    forfeits: tuple[Cause | None, ...]
    seed: int
    record: str = field(repr=False)
    match: v1.Match = field(repr=False, compare=False)
    usage: Mapping[int, Usage] = field(repr=False, compare=False, default_factory=dict[int, Usage])


@without_ours
def play(
    game: str,
    players: Sequence[Player],
    *,
    options: Options = {},
    seed: int | None = None,
    time_control: TimeControl | str | Mapping[int, TimeControl | str] | None = None,
    address: str | None = None,
) -> PlayResult:
    """Plays a match, and returns its result and its record.

        ahu.play("giants", [my_policy, "greedy", "random"], seed=7)

    Players get only what their seat may know. Players of this process are called one at a time, in other threads than the
    caller's.

    Args:
        game: the game, by its name in the catalog.
        players: the player of each seat: the name of a bot, such as "greedy@2", a function of a turn, an object with a
            method `act` (see `Agent`), of which a deep copy plays each further seat, `ahu.batched(function)`, a net as "net:FILE",
            or a command that starts a program, such as "python my_agent.py" or "jsonl:./my_bot".
        options: the options that differ from their defaults, by key.
        seed: the seed that fixes all chance of the match, 0 to 2**64 - 1; None: a random seed.
        time_control: the clock of all players but bots, such as "10+0.1" (see `TimeControl.parse`), or the clocks of some by
            seat; None: only the server's idle limit.
        address: the address of a server; None: a server of this process, which starts with the first match.

    Raises:
        IllegalAction: a function or agent chose an action that is illegal or that the game does not have.
        ServiceError: the service refused something else, such as an unknown game or bot.
        TypeError: a player is none of these.
        NoResult: the match ended without a result.
        ProgramFailed: a program exited before the end, or wrote a line that is not an answer.
        Exception: whatever a function or agent raised. The match is cancelled then.
    """
    if isinstance(players, str):
        raise TypeError(f'expected a player for each seat, such as ["{players}", "greedy"], got "{players}"')
    bots: dict[int, str] = {}
    agents: dict[int, Alone | Program] = {}
    nets: list[str] = []
    turns = threading.Lock()
    own = {seat: player for seat, player in enumerate(players) if not isinstance(player, str)}
    before = usages(own)
    for seat, player in enumerate(players):
        if not isinstance(player, str):
            # A function may have several seats.
            is_again = hasattr(player, "act") and any(player is other for other in players[:seat])
            agents[seat] = Alone(copy_of(player) if is_again else as_agent(player), turns)
        elif is_net_file(player) and address is None:
            bots[seat] = read_net(player).name
            nets += ["--net", f"seat-{seat}={file_of(player)}"]
        elif is_command(player):
            agents[seat] = Program(player)
        else:
            bots[seat] = player
    clocks = time_control if isinstance(time_control, Mapping) else dict.fromkeys(agents, time_control)
    # A parsed time control has the values of a program that starts.
    controls = {seat: TimeControl.parse(str(control)) for seat, control in clocks.items() if control is not None}
    with contextlib.ExitStack() as stack:
        if nets:
            # A server knows the files of its start alone.
            address = stack.enter_context(launch(arguments=nets)).address
        client = stack.enter_context(Client(address or process_server.address()))
        created = client.create_match(
            game,
            len(players),
            options=options,
            bots=bots,
            seed=seed,
            unlisted=True,
            seat_time_controls=controls,
        )
        try:
            _play_seats(client, created.match_id, agents)
            return replace(_result(client, created.match_id), usage=usages(own, before))
        except BaseException as error:
            _cancel(client, created.match_id, created.owner_token, type(error).__name__)
            raise


def _play_seats(client: Client, match_id: str, agents: dict[int, Alone | Program]) -> None:
    """Plays all seats of agents, and raises the first error of an agent."""
    if not agents:
        return
    pool = ThreadPoolExecutor(len(agents), thread_name_prefix="ahu play")
    try:
        seats = {seat: client.join(match_id, seat=seat, name=agent.name) for seat, agent in agents.items()}
        playing: set[Future[object]] = {pool.submit(_play_seat, agents[seat], seats[seat]) for seat in agents}
        while playing:
            ended, playing = wait(playing, return_when=FIRST_COMPLETED)
            for future in ended:
                future.result()
    finally:
        # The agents that still play end when the match is cancelled.
        pool.shutdown(wait=False)
        for agent in agents.values():
            if isinstance(agent, Program):
                agent.stop()


def _play_seat(agent: Alone | Program, seat: Seat) -> object:
    return agent.play(seat) if isinstance(agent, Program) else _match.play(agent, seat)


def _result(client: Client, match_id: str) -> PlayResult:
    match = client.get_match(match_id)
    while not match.ended:
        match = client.get_match(match_id, wait=MAX_WAIT)
    if match.state != v1.MATCH_STATE_FINISHED:
        raise NoResult(f"the match has no result: {match.end_reason}")
    forfeits: dict[int, Cause] = {forfeit.seat: cause_of(forfeit.cause) for forfeit in match.result.forfeits}
    return PlayResult(
        scores=tuple(match.result.scores),
        ranks=tuple(match.result.ranks),
        forfeits=tuple(forfeits.get(seat) for seat in range(len(match.seats))),
        seed=int(match.result.seed),
        record=client.get_record(match_id).record.decode(),
        match=match,
    )


def _cancel(client: Client, match_id: str, owner_token: str, error: str) -> None:
    """Cancels a match whose player failed. Ignores errors of this call: the player's error matters more."""
    with contextlib.suppress(Exception):
        client.cancel_match(match_id, owner_token, f"a player raised {error}")


public(PlayResult, play)
hinted(PlayResult)
