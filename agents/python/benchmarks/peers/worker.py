"""A peer's loop, in the interpreter that has the peers: `worker.py NAME`. Without a name it lists the names of all.

It writes a line of JSON, {"peer", "plays"} or {"error"}. Then it reads lines, each with a number of seconds to run, and
answers each with {"decisions_per_second"}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from loops import PEERS


def main(name: str) -> None:
    # The output of libraries must not mix with the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def answer(figures: Mapping[str, Any]) -> None:
        print(json.dumps(figures), file=answers, flush=True)

    peer = PEERS[name]
    try:
        loop = peer.loop()
        # The first decision imports and compiles.
        next(loop)
    except Exception as error:
        # Whatever the error is, the peer is left out.
        answer({"error": f"{type(error).__name__}: {error}"})
        return
    answer({"peer": f"{peer.distribution} {version(peer.distribution)}", "plays": peer.plays})
    for line in sys.stdin:
        start = time.perf_counter()
        decisions = 0
        while time.perf_counter() - start < float(line):
            decisions += next(loop)
        answer({"decisions_per_second": decisions / (time.perf_counter() - start)})


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            print(*PEERS, sep="\n")
        case [name]:
            main(name)
