"""Programs that play a seat of a match in this process's hands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ahu import _processes, lines
from ahu._errors import ProgramFailed
from ahu._names import COMMAND, LINES
from ahu._variables import KEYS
from ahu.client import Seat


class Program:
    """A program that plays a seat.

    Attributes:
        name: the name of the program at the table.
    """

    def __init__(self, player: str) -> None:
        self._is_lines = player.startswith(LINES)
        self._command = player.removeprefix(LINES if self._is_lines else COMMAND)
        if not (words := self._command.split()):
            raise ValueError(f'expected a command such as "python my_agent.py", got "{player}"')
        self.name = Path(words[-1]).name[:64]
        self._process: subprocess.Popen[bytes] | None = None
        self._environment: dict[str, str] = {}

    def play(self, seat: Seat) -> None:
        """Plays a seat to the end of its match.

        Raises:
            ProgramFailed: the program has exited before the end, or has written a line that is not an answer.
        """
        if self._is_lines:
            lines.play(self._command, seat)
            return
        place = {
            "AHU_ADDRESS": seat.client.address,
            "AHU_MATCH": seat.match_id,
            "AHU_SEAT": str(seat.seat),
            "AHU_TOKEN": seat.token,
        }
        # The keys are not for the program: it could act as its host.
        own = {name: value for name, value in os.environ.items() if name not in KEYS}
        self._environment = {**own, **place}
        self._process = subprocess.Popen(
            self._command, shell=True, env=self._environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
        status = self._process.wait()
        observation = seat.observe()
        if not observation.done:
            raise ProgramFailed(
                f"the program has exited with status {status} before the end of its match: {self._command}"
            )

    def stop(self) -> None:
        """Kills the program and all processes that it has started."""
        if self._process is not None:
            _processes.kill(self._process, self._environment)
