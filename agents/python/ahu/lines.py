"""Plays the matches of a cup over the network with a program of the line protocol (docs/reference/lines.md).

    AHU_ADDRESS=cup.example.org:50551 AHU_KEY_FILE=moai.key python -m ahu.lines ./my_bot

The command starts the program for each match, and sends it the lines that `ahu play` sends. It skips a line that is
neither JSON nor an action. If it refuses any other line, or the program exits, it exits with code 1. Start it again to
go on with the match.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import logging
import os
import reprlib
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import IO, Any

from google.protobuf import json_format

from ahu import _match, _processes
from ahu._connect import connect_with
from ahu._errors import AhuError, ProgramFailed, ServiceError
from ahu._seat_result import SeatResult
from ahu._terms import cause_of, word_of
from ahu._turn import Turn
from ahu.client import Seat
from ahu.v1 import match_service_pb2 as v1

# A program: Python code has no use for its names.
__all__: list[str] = []

PROTOCOL = 1
"""The version of the line protocol."""

MAX_LINE = 65_536
"""The maximum length of a line of a program, in bytes."""

MAX_OUTPUT = 1024 * 1024
"""The number of bytes of a program's stderr that are shown in a match."""

END = 5.0
"""The time in seconds that a program has to exit after the end of its match."""

LATE = 1.0
"""The time in seconds after which a program is killed, once its clock has run out."""

STRAYS = 20
"""The number of different lines of a match that are told as skipped, after the server has said that they are no actions."""

_log = logging.getLogger("ahu")


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        "python -m ahu.lines", description="Play the matches of a cup with a line program."
    )
    parser.add_argument("command", help="the command that starts the program, for the shell")
    parser.add_argument("--games-at-once", type=int, default=1, metavar="COUNT", help="matches at the same time")
    parser.add_argument("--practice", action="store_true", help="play a practice match, and print the report")
    arguments, more = parser.parse_known_args()
    if more:
        quoted = shlex.quote(" ".join([arguments.command, *more]))
        parser.error(f"expected the command as one word, in quotes: python -m ahu.lines {quoted}")
    if arguments.games_at_once < 1:
        parser.error(f"expected --games-at-once of at least 1, got {arguments.games_at_once}")
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        players = [arguments.command] * arguments.games_at_once
        connected = connect_with(play, players, practice=arguments.practice)
    except (LookupError, OSError, AhuError) as error:
        sys.exit(f"error: {error}")
    report = connected.practice
    if report is None:
        sys.exit(connected.exit_code)
    print(report, end="")
    sys.exit(0 if report.passed else 1)


def play(command: str, seat: Seat) -> SeatResult:
    """Plays a seat with the program that a command starts, as `ahu.connect` does.

    Raises:
        ProgramFailed: the program has ended, or has written a line that is not an answer.
        The errors of `ahu.connect`.
    """
    program = LineProgram(command, seat)
    try:
        return _match.play(program, seat)
    finally:
        program.stop()


class LineProgram:
    """An agent that asks a program. It starts the program when the match begins."""

    formats = v1.ObservationFormats(typed=True, text=True, legal_actions=True, view=True)
    events = True

    def __init__(self, command: str, seat: Seat) -> None:
        self._command = command
        self._seat = seat
        self._process: subprocess.Popen[bytes] | None = None
        self._environment: dict[str, str] = {}
        self._showing: threading.Thread | None = None
        self._place: dict[str, Any] = {}
        self._told = 0
        self._strays: set[str] = set()

    def start(self, match: v1.Match) -> None:
        """Starts the program, and sends it the line `start`."""
        seat = self._seat
        # The address and the key are not for the program.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AHU_")}
        environment |= {"AHU_MATCH": match.match_id, "AHU_SEAT": str(seat.seat)}
        if seat.agent_seed is not None:
            environment["AHU_AGENT_SEED"] = str(seat.agent_seed)
        self._environment = environment
        self._process = subprocess.Popen(
            self._command,
            shell=True,
            env=environment,
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._showing = threading.Thread(target=_show, args=(self._process.stderr,), name="ahu stderr", daemon=True)
        self._showing.start()
        self._place = {
            "match": match.match_id,
            "game": match.game,
            "rules_version": match.rules_version,
            "seat": seat.seat,
            "seats": len(match.seats),
        }
        conduct = match.conduct
        clocks = list(map(_control, match.time_controls))
        terms = {"clocks": clocks, "tries": conduct.tries, "strikes": conduct.strikes or None}
        self._send({"type": "start", "protocol": PROTOCOL, **self._place, "options": dict(match.options), **terms})

    def act(self, turn: Turn) -> int | str:
        """Returns the action that the program chooses."""
        self._told = turn.message.event_count
        self._send(self._question(turn))
        # The seat forfeits when its time is up. A program that hangs must not hold up all later matches.
        killer = threading.Timer(threading.TIMEOUT_MAX if turn.time_left is None else turn.time_left + LATE, self._kill)
        killer.daemon = True
        killer.start()
        try:
            return self._read(turn)
        finally:
            killer.cancel()

    def end(self, result: SeatResult) -> None:
        """Sends the line `end`, unless the others play on."""
        if self._process is None or result.state == v1.MATCH_STATE_RUNNING:
            return
        observation = self._seat.observe(v1.ObservationFormats(text=True), events_after=self._told)
        fields = None
        if result.result is not None:
            scores, ranks = list(result.scores), list(result.ranks)
            fields = {"scores": scores, "ranks": ranks, "forfeits": self._forfeits(result.result.forfeits)}
        line = {
            "type": "end",
            **self._place,
            "ending": word_of(v1.MatchState, result.state, "MATCH_STATE_"),
            "reason": result.reason or None,
            "result": fields,
            "events": _events(observation.events),
            "text": observation.text,
        }
        self._send(line)

    def stop(self) -> None:
        """Closes the stdin of the program, and kills the program if it has not ended after `END` seconds."""
        if self._process is None:
            return
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            _log.warning("killed, since it has not ended %g s after its match: %s", END, self._command)
        self._kill()
        self._process.wait()
        self._process.stdout.close()
        if self._showing is not None:
            self._showing.join(LATE)

    def _kill(self) -> None:
        """Kills the program and all processes that it has started."""
        assert self._process is not None
        _processes.kill(self._process, self._environment)

    def _question(self, turn: Turn) -> dict[str, Any]:
        """Returns the line that asks for a decision."""
        observation = turn.message
        banks = {clock.seat: _milliseconds(clock, "bank") for clock in observation.clocks}
        return {
            "type": "decide",
            **self._place,
            "decision": turn.decision_id,
            "attempt": 1,
            "clock": {
                "left_ms": _milliseconds(observation.decision, "time_left"),
                "banks_ms": [banks.get(seat) for seat in range(self._place["seats"])],
            },
            "forfeits": self._forfeits(observation.forfeits),
            "events": _events(turn.events),
            "text": turn.text,
            "legal": [{"action_id": action.id, "text": action.text} for action in turn.legal],
            "typed": json_format.MessageToDict(
                turn.typed, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
            ),
            **({"view": base64.b64encode(turn.view).decode()} if turn.view else {}),
        }

    def _read(self, turn: Turn) -> int | str:
        """Reads lines up to the answer to a decision, and returns its action."""
        assert self._process is not None and self._process.stdout is not None
        while line := self._process.stdout.readline(MAX_LINE + 1):
            # Some languages begin what they write with a byte order mark.
            text = line.decode(errors="replace").removeprefix("\ufeff").strip()
            answer = self._answer(text, turn)
            if answer is not None:
                return answer
            self._skip(text)
        raise ProgramFailed(f"the program has ended before its match, or its time was up: {self._command}")

    def _skip(self, text: str) -> None:
        """Tells of a line that is no answer, unless it was told before, or too many were."""
        if text in self._strays or len(self._strays) == STRAYS:
            return
        self._strays.add(text)
        _log.warning("skipped: %.80r", text)
        if len(self._strays) == STRAYS:
            _log.warning("from here on, lines of this match are skipped without a word, unless they are legal actions")

    def _answer(self, text: str, turn: Turn) -> int | str | None:
        """Returns the action of a line; None if it may be a message for people, has another type, or answers another decision.

        Raises:
            ProgramFailed: the line is an answer without an action.
        """
        if not text.startswith(("{", '"')):
            is_action = _is_number(text) or self._is_action(text, turn)
            return _action(text) if is_action else None
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if isinstance(given, str):
            return _action(given)
        if given.get("type", "action") != "action" or given.get("decision", turn.decision_id) != turn.decision_id:
            return None
        if given.get("action") is None and given.get("resign") is True:
            self._seat.resign()
            # The seat has forfeited, so the server does not accept the action.
            return turn.legal[0].id
        match given.get("action"):
            case str(action):
                return _action(action)
            case int(action) if not isinstance(action, bool) and 0 <= action < 2**32:
                return action
            case action:
                got = reprlib.repr(action)
                raise ProgramFailed(f'expected an action id or text in the field "action", got {got}')

    def _is_action(self, text: str, turn: Turn) -> bool:
        """Returns true if a text is an action of the game. A call for each line would take the time of a program that
        writes many."""
        words = " ".join(text.split())
        if any(action.text == words for action in turn.legal):
            return True
        if not words or text in self._strays or len(self._strays) == STRAYS:
            return False
        try:
            self._seat.parse(text)
        except ServiceError as error:
            if error.reason != "BAD_ACTION":
                raise
            return False
        return True

    def _forfeits(self, forfeits: Iterable[v1.Forfeit]) -> list[str | None]:
        causes = {forfeit.seat: cause_of(forfeit.cause) for forfeit in forfeits}
        return [causes.get(seat) for seat in range(self._place["seats"])]

    def _send(self, line: dict[str, Any]) -> None:
        """Writes a line, unless the program has closed its stdin. The next read notices if the program has ended."""
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass


def _events(events: Iterable[v1.Event]) -> list[dict[str, Any]]:
    return [{"text": event.text, "actor_seats": list(event.actor_seats)} for event in events]


def _action(text: str) -> int | str:
    """Returns an action: a text of digits as an id, any other action as it is."""
    return int(text) if _is_number(text) and int(text) < 2**32 else text


def _is_number(text: str) -> bool:
    """Returns true if a text may be an action id: a number of at most 32 bits has ten digits."""
    return text.isascii() and text.isdigit() and len(text) <= 10


def _show(pipe: IO[bytes]) -> None:
    """Shows what a program writes for people, up to `MAX_OUTPUT` bytes, and reads the rest, so that the pipe never fills."""
    left = MAX_OUTPUT
    with pipe:
        while line := pipe.readline(MAX_LINE):
            if left > 0:
                left -= len(line)
                text = line.decode(errors="replace") if left > 0 else "(further output of this program is left out)\n"
                print(text, end="", file=sys.stderr, flush=True)


def _control(control: v1.TimeControl) -> dict[str, int | None]:
    """Returns the time control of a seat, in milliseconds."""
    free = {f"{name}_ms": _milliseconds(control, name) or 0 for name in ("startup", "increment", "lag")}
    return {**free, **{f"{name}_ms": _milliseconds(control, name) for name in ("limit", "bank")}}


def _milliseconds(message: Any, name: str) -> int | None:
    """Returns a duration of a message in milliseconds; None if the field is not set."""
    return getattr(message, name).ToMilliseconds() if message.HasField(name) else None


if __name__ == "__main__":
    main()
