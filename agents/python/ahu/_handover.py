"""The program that `ahu duel` starts for an agent that lives in another process: it hands its place over.

    python -m ahu._handover ADDRESS

It connects to the process at ADDRESS, sends it the variables that `ahu duel` has set, and exits when the connection ends.
The key of the connection is in the variable AHU_HANDOVER_KEY.
"""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Client


def main() -> None:
    """Hands the place of this process over."""
    key = bytes.fromhex(os.environ["AHU_HANDOVER_KEY"])
    with Client(sys.argv[1], authkey=key) as other:
        other.send({name: value for name, value in os.environ.items() if name.startswith("AHU_")})
        try:
            other.recv()
        except EOFError:
            # The other process has ended.
            pass


if __name__ == "__main__":
    main()
