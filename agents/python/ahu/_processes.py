"""Programs that play a seat, with all the processes that they start."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

_LOOKS = 20
"""The number of times that `kill` looks for processes. A program that starts them faster than they are killed goes on."""


def kill(process: subprocess.Popen[bytes], environment: Mapping[str, str]) -> None:
    """Kills a program that has a session of its own, and all processes that it has started.

    A process that has left the session is known by the variables of Ahu that it has inherited, on Linux.

    Args:
        process: the program.
        environment: the environment of the program, which names a seat.
    """
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    own = {f"{name}={value}".encode() for name, value in environment.items() if name.startswith("AHU_")}
    for _ in range(_LOOKS):
        others = _with_variables(own)
        for other in others:
            with contextlib.suppress(ProcessLookupError):
                os.kill(other, signal.SIGKILL)
        if not others:
            return


def _with_variables(own: set[bytes]) -> list[int]:
    """Returns the processes that have exactly these variables of Ahu."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may have ended, or belong to another user.
        with contextlib.suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if {variable for variable in variables if variable.startswith(b"AHU_")} == own:
                found.append(int(folder.name))
    return found
