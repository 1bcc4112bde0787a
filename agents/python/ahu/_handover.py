"""The program that `ahu duel` starts for an agent in another process: it hands its place over to that process.

    python -m ahu._handover FOLDER

It connects to the process behind the socket in FOLDER, sends it the variables that `ahu duel` has set, and exits when the
connection ends. The file `key` in FOLDER, which no other user can read, has the key of the connection.
"""

from __future__ import annotations

import contextlib
import os
import sys
from multiprocessing.connection import Client
from pathlib import Path

SOCKET = "socket"
"""The name of the socket in the folder."""

KEY = "key"
"""The name of the file with the key in the folder."""


def main() -> None:
    """Hands the place of this process over."""
    folder = Path(sys.argv[1])
    with Client(str(folder / SOCKET), authkey=(folder / KEY).read_bytes()) as other:
        other.send({name: value for name, value in os.environ.items() if name.startswith("AHU_")})
        # If nothing comes, the other process has ended.
        with contextlib.suppress(EOFError):
            other.recv()


if __name__ == "__main__":
    main()
