"""What the tests of the trainers share."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

import ahu

HERE = Path(__file__).resolve().parent.parent
EXAMPLES = HERE / "examples"


class ServerCase(unittest.TestCase):
    """Tests that share a server.

    Attributes:
        server: the server.
        games: the games of the catalog, and the fewest seats that each has.
    """

    server: ahu.Server
    games: dict[str, int]

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(ahu.launch())
        with ahu.Client(cls.server.address) as client:
            cls.games = {game.game: game.min_seats for game in client.list_games()}


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs an example to its end."""
    # One thread: nets are small, and threads that wait for each other are slow where cores are few.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, EXAMPLES / program, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


def output_of(program: str, *arguments: str) -> str:
    """What an example prints, which has to end well."""
    done = run(program, *arguments)
    if done.returncode != 0:
        output = done.stdout[-2000:] + done.stderr[-4000:]
        raise AssertionError(f"{program} ended with status {done.returncode}\n{output}")
    return done.stdout
