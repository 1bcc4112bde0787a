"""Connections that are lost, and servers that cannot be started or reached."""

import asyncio
import os
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import support
from support import Proxy, RandomAgent, ServerCase, play_seat

import ahu
import ahu.aio
from ahu import _channel


class Lost(ServerCase):
    def play(self, address: str) -> ahu.client.MatchResult:
        """Plays a match with seed 7 of a random agent, over a connection to `address`, and a bot."""
        with ahu.client.Client(address) as client:
            match = client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
            result = play_seat(RandomAgent(1), client.join(match.match_id)).result
            assert result is not None
            return result

    def test_answers_that_are_lost_change_nothing(self) -> None:
        calm = self.play(self.server.address)
        with Proxy(self.server.address, lose_every=25) as proxy, self.assertLogs("ahu"):
            rough = self.play(proxy.address)
        self.assertGreater(proxy.lost, 3)
        self.assertEqual((rough.fingerprint, rough.scores), (calm.fingerprint, calm.scores))
        self.assertEqual(list(rough.forfeits), [])

    def test_asyncio_survives_them_too(self) -> None:
        async def play(address: str) -> ahu.SeatResult | None:
            async with ahu.aio.Client(address) as client:
                match = await client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
                return (await ahu.aio.connect(RandomAgent(1), seat=await client.join(match.match_id))).result

        with Proxy(self.server.address, lose_every=25) as proxy, self.assertLogs("ahu"):
            rough = asyncio.run(play(proxy.address))
        self.assertGreater(proxy.lost, 3)
        assert rough is not None and rough.result is not None
        self.assertEqual(rough.result.fingerprint, self.play(self.server.address).fingerprint)

    def test_so_do_the_agents_without_the_package(self) -> None:
        for program in (support.HERE / "random_agent.py", support.EXAMPLES / "reflection_agent.py"):
            match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
            seat = self.client.join(match.match_id)
            with Proxy(self.server.address, lose_every=40) as proxy:
                support.run_program(program, environment=support.variables(proxy.address, seat))
            self.assertGreater(proxy.lost, 1)
            self.assertEqual(list(seat.match().result.forfeits), [])

    def test_the_agent_without_stubs_sends_again_after_every_code_of_a_lost_connection(self) -> None:
        code = "import grpc, sys\nsys.path.append(sys.argv[1])\nfrom support import Failure\nimport reflection_agent\n"
        code += "names = ['CANCELLED', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNAVAILABLE', 'UNKNOWN', 'NOT_FOUND']\n"
        code += "def call():\n    raise Failure(grpc.StatusCode[names.pop(0)])\n"
        code += "try: reflection_agent.patiently(call)\nexcept Failure as error: print(names, error.code().name)"
        environment = {**os.environ, "PYTHONPATH": str(support.EXAMPLES)}
        command = [sys.executable, "-c", code, str(Path(__file__).parent)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stdout, "[] NOT_FOUND\n", done.stderr)

    def test_no_proxy_leads_to_this_machine(self) -> None:
        port = self.server.address.rpartition(":")[2]
        hosts = ("127.0.0.1", "0.0.0.0", "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]")
        with mock.patch.dict(os.environ, grpc_proxy="http://127.0.0.1:1"):
            for host in hosts:
                with self.subTest(host), ahu.client.Client(f"{host}:{port}", retry=ahu.client.Retry(total=0)) as client:
                    client.list_games()
            with ahu.client.Client(f"localhost.example.org:{port}", retry=ahu.client.Retry(total=0)) as client:
                with self.assertRaisesRegex(ahu.ConnectionLost, "127.0.0.1:1"):
                    client.list_games()

    def test_an_agent_without_the_package_exits_with_the_reason_of_a_refusal(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, conduct=ahu.client.Conduct(tries=2))
        variables = support.variables(self.server.address, self.client.join(match.match_id))
        code = "import reflection_agent as r; call = r.Service.call\n"
        code += "def wrong(self, name, request, token):\n"
        code += "    if name == 'Step': request['action'] = {'text': 'melt F7'}\n"
        code += "    return call(self, name, request, token)\n"
        code += "r.Service.call = wrong; r.main()"
        command = [sys.executable, "-c", code]
        environment = {**os.environ, **variables, "PYTHONPATH": str(support.EXAMPLES)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count('unknown action "melt"'), 1, done.stderr)

    def test_a_creation_whose_answer_is_lost_happens_once(self) -> None:
        with ahu.launch() as server:
            with Proxy(server.address, lose_every=5) as proxy, ahu.client.Client(proxy.address) as client:
                with self.assertLogs("ahu"):
                    made = [client.create_match("rappanui", 2).match_id for _ in range(5)]
                self.assertGreater(proxy.lost, 0)
            with ahu.client.Client(server.address) as client:
                self.assertEqual([match.match_id for match in client.list_matches()], made[::-1])

    def test_a_connection_that_falls_silent_is_given_up(self) -> None:
        quick = [(name, 200 if value == _channel.SILENCE_MS else value) for name, value in _channel._OPTIONS]
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        with Proxy(self.server.address) as proxy, mock.patch.object(_channel, "_OPTIONS", quick):
            with ahu.client.Client(proxy.address) as client, self.assertLogs("ahu"):
                self.assertTrue(client.seat(seat.match_id, seat.seat, seat.token).observe().HasField("decision"))
                proxy.silence()
                step = client.step(seat.match_id, seat.seat, seat.token, 1, "no meld")
        self.assertEqual(step.decision_id, 1)

    def test_a_server_that_comes_late_is_waited_for(self) -> None:
        with Proxy(self.server.address, listening=False) as proxy:
            waits: list[float] = []

            def sleep(seconds: float) -> None:
                waits.append(seconds)
                if len(waits) == 3:
                    proxy.listen()
                time.sleep(seconds)

            with ahu.Client(proxy.address) as client, self.assertLogs("ahu"):
                client._sleep = sleep
                self.assertEqual(client.list_games()[0].game, "rappanui")
            self.assertGreaterEqual(len(waits), 3)

    def test_whoever_waits_when_the_server_closes_has_lost_the_connection(self) -> None:
        with ahu.launch() as server, ahu.client.Client(server.address, retry=ahu.client.Retry(total=0)) as client:
            seat = client.join(game="rappanui", seats=2)
            with ThreadPoolExecutor(1) as threads:
                waiting = threads.submit(seat.observe, wait=30)
                server.close()
                with self.assertRaises(ahu.ConnectionLost):
                    waiting.result()


class Launching(unittest.TestCase):
    def launch_with(self, program: str | os.PathLike[str]) -> str:
        """Returns the error of a launch with this program in AHU_SERVER."""
        with mock.patch.dict(os.environ, AHU_SERVER=os.fspath(program)), self.assertRaises(ahu.LaunchError) as caught:
            ahu.launch()
        return str(caught.exception)

    def script(self, text: str) -> Path:
        """Writes a shell script and returns its path."""
        program = Path(self.enterContext(TemporaryDirectory())) / "program"
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        return program

    def test_a_server_ends_with_its_context(self) -> None:
        with ahu.launch() as server:
            self.assertRegex(server.address, r"^127\.0\.0\.1:\d+$")
            self.assertIsNone(server.process.poll())
        self.assertEqual(server.process.returncode, 0)
        server.close()

    def test_what_the_server_tells_can_be_read(self) -> None:
        with ahu.launch() as server, ahu.client.Client(server.address) as client:
            match = client.create_match("rappanui", 2)
        self.assertIn(match.match_id, server.log)

    def test_a_program_that_is_not_there_is_named(self) -> None:
        self.assertIn('AHU_SERVER names no program that can be run: "/nowhere/ahu"', self.launch_with("/nowhere/ahu"))

    def test_a_program_that_fails_is_quoted(self) -> None:
        error = self.launch_with(self.script("echo out of stones >&2; exit 3"))
        self.assertIn("the server did not start", error)
        self.assertIn("ended with status 3", error)
        self.assertIn("out of stones", error)

    def test_arguments_that_the_server_refuses_are_told(self) -> None:
        with self.assertRaisesRegex(ahu.LaunchError, "--no-such-thing"):
            ahu.launch(["--no-such-thing"])

    def test_a_program_that_says_nothing_is_given_up(self) -> None:
        program = self.script("cat > /dev/null")
        with self.assertRaisesRegex(ahu.LaunchError, "said nothing"):
            ahu.launch(program=program, timeout=0.2)

    def test_two_servers_do_not_meet(self) -> None:
        with ahu.launch() as one, ahu.launch() as other:
            self.assertNotEqual(one.address, other.address)


if __name__ == "__main__":
    unittest.main()
