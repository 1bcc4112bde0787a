"""Other libraries, each in a process of the interpreter that has them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.rounds import Labels

_ENVIRONMENT = Path(__file__).parents[1] / "environment"
_WORKER = Path(__file__).parent / "peers" / "worker.py"


class Unavailable(Exception):
    """A peer does not run here; the message has the reason."""


class Peer:
    """A game of another library, played at random.

    Args:
        python: the interpreter.
        name: the peer, by its name in `peers/loops.py`.

    Figures: `decisions_per_second`.

    Raises:
        Unavailable: the library does not run here.
    """

    def __init__(self, python: str, name: str) -> None:
        self._process = subprocess.Popen(
            [python, _WORKER, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            about = self._answer()
        except Unavailable:
            self.close()
            raise
        self.labels: Labels = {"measure": "peer", "game": name, **about}

    def run(self, seconds: float) -> Mapping[str, float]:
        assert self._process.stdin is not None, "it is a pipe"
        print(seconds, file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        # The peer ends at the end of its input.
        self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None, "it is a pipe"
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "it has ended without a word"}
        if "error" in answer:
            raise Unavailable(answer["error"])
        return answer


def interpreter() -> str:
    """Returns the interpreter that has the peers. Makes its environment if there is none, which may take minutes."""
    made = subprocess.run([_ENVIRONMENT, "peers"], check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.strip()


def names(python: str) -> Sequence[str]:
    """Returns the names of all peers."""
    listed = subprocess.run([python, _WORKER], check=True, stdout=subprocess.PIPE, text=True)
    return listed.stdout.split()


def started(python: str, wanted: Sequence[str], missing: dict[str, str]) -> Iterator[Peer]:
    """Yields the peers that run here. The others go into `missing`, with the reason."""
    for name in wanted:
        print(f"starting {name}", file=sys.stderr)
        try:
            yield Peer(python, name)
        except Unavailable as reason:
            missing[name] = str(reason)
