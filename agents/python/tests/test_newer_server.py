"""The package with a server that is newer: see `newer_server.py`. Of the example agents, `agent_host.py` has the same test."""

import asyncio
import shlex
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from newer_server import ADJOURNED, NEW, NewerServer
from support import HERE, RandomAgent, ServerCase, play_seat

import ahu
import ahu.aio
import ahu.training
from ahu import lines
from ahu.v1 import match_service_pb2 as v1

FORFEITED = v1.Observation(done=True, forfeits=[v1.Forfeit(seat=0, cause=NEW)])
STORM = v1.Observation(state=ADJOURNED, done=True, end_reason="a storm")


class Agent(RandomAgent):
    """An agent that has to be told of the match before its first decision."""

    conduct: ahu.client.Conduct

    def start(self, match: v1.Match) -> None:
        self.conduct = ahu.client.Conduct.of(match.conduct)

    def act(self, turn: ahu.Turn) -> int:
        assert self.conduct.illegal == "refusal"
        return super().act(turn)


class NewerServers(ServerCase):
    def join(self, ending: v1.Observation | None = None) -> ahu.client.Seat:
        """Joins a match on a newer server with this ending."""
        newer = self.enterContext(NewerServer(self.server.address, ending))
        client = self.enterContext(ahu.client.Client(newer.address))
        return client.join(client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7).match_id)

    def test_agents_play_to_the_end(self) -> None:
        for ending, told in (
            (None, r"points, place"),
            (FORFEITED, r"forfeited \(99\)"),
            (STORM, r"has ended: a storm"),
        ):
            with self.assertLogs("ahu") as log:
                self.assertRegex(str(play_seat(Agent(), self.join(ending))), told)
            self.assertIn("NODE_MOVED", log.output[0])

    def test_an_agent_of_asyncio_plays_to_the_end(self) -> None:
        async def play(address: str) -> ahu.SeatResult | None:
            async with ahu.aio.Client(address) as client:
                match = await client.create_match("rappanui", 2, bots={1: "greedy"})
                return (await ahu.aio.connect(Agent(), seat=await client.join(match.match_id))).result

        with NewerServer(self.server.address) as newer, self.assertLogs("ahu"):
            result = asyncio.run(play(newer.address))
        self.assertRegex(str(result), r"points, place")

    def test_a_program_of_the_line_protocol_plays_to_the_end(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        bot = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE.parent / 'lines/random_bot.py'))}"
        for ending, told in ((None, '"ending": "finished"'), (STORM, '"ending": "10"')):
            with self.assertLogs("ahu"):
                lines.play(f"cd {shlex.quote(str(folder))} && tee sent | {bot}", self.join(ending))
            self.assertIn(told, (folder / "sent").read_text().splitlines()[-1])

    def test_watchers_see_each_event_once(self) -> None:
        seat = self.join()
        seat.resign()
        numbers = [event.number for update in seat.watch(events_after=0) for event in update.observation.events]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertGreater(len(numbers), 10)

    def test_environments_tell_what_they_do_not_know(self) -> None:
        with NewerServer(self.server.address) as newer:
            with ahu.training.VectorEnv("rappanui", 2, seats=2, address=newer.address) as envs:
                envs.reset(seed=1)
                with self.assertRaises(ahu.ServiceError) as refused:
                    envs.advise("nobody")
                self.assertEqual((refused.exception.reason, refused.exception.code), ("NOVEL", "NOT_FOUND"))
                with self.assertRaisesRegex(ahu.ServiceError, "one of a newer server: update the package"):
                    envs.render(0)
                self.assertEqual(envs.reset(seed=2).env_ids.tolist(), [0, 1])


if __name__ == "__main__":
    unittest.main()
