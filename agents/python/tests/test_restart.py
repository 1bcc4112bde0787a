"""A server that keeps its matches: agents and clients of this package go on after the server was killed."""

import os
import signal
import tempfile
import unittest

from support import RandomAgent, play_seat

import ahu
from ahu.v1 import match_service_pb2 as v1


class Killer:
    """An agent that kills the server before some of its decisions, and starts it again."""

    formats = RandomAgent.formats

    def __init__(self, case: "RestartTest") -> None:
        self._case = case
        self._agent = RandomAgent(7)
        self.kills = 0

    def act(self, turn: ahu.Turn) -> int:
        if turn.decision_id % 3 == 0:
            self._case.kill()
            self.kills += 1
        return self._agent.act(turn)


class RestartTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.data, self.socket = os.path.join(folder, "matches"), os.path.join(folder, "ahu.sock")
        self.server = self.start()
        self.addCleanup(lambda: self.server.close())

    def start(self) -> ahu.Server:
        return ahu.launch(arguments=["--data", self.data, "--uds", self.socket])

    def kill(self) -> None:
        os.kill(self.server.pid, signal.SIGKILL)
        self.server.close()
        self.server = self.start()

    def test_an_agent_goes_on_with_its_seat_after_each_kill(self) -> None:
        with ahu.client.Client(f"unix:{self.socket}") as client:
            created = client.create_match("rappanui", 2, bots={1: "greedy"}, seed=3)
            agent = Killer(self)
            played = play_seat(agent, client.join(created.match_id))
            self.assertGreater(agent.kills, 3)
            assert played.result is not None
            self.assertEqual(list(played.result.forfeits), [])
            described = client.get_match(created.match_id)
            self.assertEqual(described.state, v1.MATCH_STATE_FINISHED)
            self.assertEqual(described.result, played.result)
            self.kill()
            self.assertEqual(client.get_match(created.match_id).result, played.result)
            self.assertEqual([listed.match_id for listed in client.list_matches()], [created.match_id])
