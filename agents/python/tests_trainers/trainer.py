"""Helpers of the tests of the trainers, beside the helpers of the package's tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
from support import EXAMPLES, HERE, ServerCase, in_process_too
from test_docs import code_of

__all__ = ["EXAMPLES", "HERE", "TrainerCase", "code_of", "in_process_too", "output_of", "run"]


class TrainerCase(ServerCase):
    """Tests of environments, on a shared server or in this process."""

    @property
    def games(self) -> dict[str, int]:
        """The games of the catalog with their lowest seat counts."""
        return {game.game: game.min_seats for game in self.client.list_games()}


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, EXAMPLES / program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def output_of(program: str, *arguments: str) -> str:
    """Runs an example, which has to succeed, and returns its output."""
    done = run(program, *arguments)
    if done.returncode != 0:
        output = done.stdout[-2000:] + done.stderr[-4000:]
        raise AssertionError(f"{program} ended with status {done.returncode}\n{output}")
    return done.stdout
