"""Clients of gRPC that nobody here wrote: each plays a whole match, in which the server is killed."""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import ahu
from ahu._server import find_program

sys.path.append(str(Path(__file__).resolve().parents[2] / "agents/python/tests"))
from support import play_seat, variables

HERE = Path(__file__).resolve().parent

SCRIPTS = sorted(HERE.glob("with_*"))
PAGE = (HERE / "../../docs/compete/protos.md").read_text()

LONGEST = 30
"""The maximum number of lines of a script, without imports, comments, and blank lines."""

SEED = 2**64 - 1
"""A seed that no floating-point number is."""

CONTROL = ahu.client.TimeControl(limit=60)
"""A limit, after which a client that has ended forfeits."""


def choice(turn: ahu.Turn) -> int:
    """Returns the action that each script chooses, too."""
    return turn.legal_ids[turn.decision_id % len(turn.legal_ids)]


class Killer:
    """An agent that kills the server before its third decision, and starts it again once the client has noticed."""

    formats = ahu.ObservationFormats(legal_ids=True)

    def __init__(self, case: Clients, client: subprocess.Popen[str]) -> None:
        self._case = case
        self._client = client
        self.told: list[str] = []

    def act(self, turn: ahu.Turn) -> int:
        if turn.decision_id == 3:
            self._case.kill()
            assert self._client.stderr is not None
            # Up to the line that says so, or the end of a client that does not try again.
            for line in self._client.stderr:
                self.told.append(line)
                if line.startswith("again: "):
                    break
            self._case.start()
        return choice(turn)


class Clients(unittest.TestCase):
    interpreter: str

    @classmethod
    def setUpClass(cls) -> None:
        # The agent in this process may notice the kill, too.
        logging.getLogger("ahu").addHandler(logging.NullHandler())
        cls.interpreter = subprocess.run([HERE / "build"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def setUp(self) -> None:
        self.data = self.enterContext(TemporaryDirectory())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.start()
        self.addCleanup(self.kill)

    def start(self) -> None:
        arguments = ["--listen", self.address, "--data", self.data, "--exit-with-stdin"]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.server = subprocess.Popen([find_program(), "serve", *arguments], **streams)

    def kill(self) -> None:
        self.server.kill()
        self.server.communicate()

    def play(self, script: Path) -> None:
        runner = self.interpreter if script.suffix == ".py" else "node_modules/.bin/tsx"
        with ahu.client.Client(self.address) as client:
            match = client.create_match("rappanui", 2, seed=SEED, time_control=CONTROL)
            stubs = str(HERE / "generated" / script.stem.removeprefix("with_"))
            environment = {**os.environ, **variables(self.address, client.join(match.match_id)), "PYTHONPATH": stubs}
            program = subprocess.Popen(
                [runner, script], cwd=HERE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            with program:
                killer = Killer(self, program)
                played = play_seat(killer, client.join(match.match_id)).result
                output, errors = program.communicate()
        told = "".join(killer.told) + errors
        assert played is not None
        self.assertEqual((output, list(played.forfeits)), (f"{' '.join(map(str, played.scores))} {SEED}\n", []), told)
        self.assertIn("again: ", told)

    def test_each_plays_a_match_through_a_kill_of_the_server(self) -> None:
        for script in SCRIPTS:
            with self.subTest(script.name):
                if script.suffix == ".ts" and not (HERE / "generated/ts_proto").exists():
                    self.skipTest(f"{script.name} is left out: npm is missing, or Node 20 or later")
                self.play(script)

    def test_the_page_has_each_with_its_versions(self) -> None:
        installed = json.loads((HERE / "package.json").read_text())["dependencies"]
        installed |= dict(
            line.split("==") for line in (HERE / "requirements.txt").read_text().split("\n") if "==" in line
        )
        for script in SCRIPTS:
            with self.subTest(script.name):
                [versions] = re.findall(rf"^\| \[.*/{script.name}\) \| (.*?) \|", PAGE, re.MULTILINE)
                for client, version in map(str.split, versions.split(", ")):
                    self.assertEqual(version, installed[client], client)
                code = re.sub(r'^(//|#|"""|from |import ).*|^ *(//|#).*', "", script.read_text(), flags=re.MULTILINE)
                self.assertLessEqual(sum(1 for line in code.split("\n") if line.strip()), LONGEST)


if __name__ == "__main__":
    unittest.main()
