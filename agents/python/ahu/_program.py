"""Programs that play a seat of a match in this process's hands."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ahu import _processes, lines
from ahu._names import LINES
from ahu._variables import KEYS
from ahu.client import Seat
from ahu.errors import ProgramFailed


class Program:
    """A program that plays a seat.

    Attributes:
        name: the name of the program at the table.
    """

    def __init__(self, command: str) -> None:
        self.name = Path(command.removeprefix(LINES).split()[-1]).name[:64]
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._environment: dict[str, str] = {}

    def play(self, seat: Seat) -> None:
        """Plays a seat to the end of its match.

        Raises:
            ProgramFailed: the program has exited before the end, or has written a line that is not an answer.
        """
        if self._command.startswith(LINES):
            lines.play(self._command.removeprefix(LINES), seat)
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
