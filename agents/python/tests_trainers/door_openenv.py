"""The door for OpenEnv: real sessions at a server of this process."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
import unittest
from pathlib import Path
from typing import Any, ClassVar

import ahu_openenv
import uvicorn
from openenv import GenericEnvClient
from openenv.cli._validation import validate_running_environment
from openenv.validation import Level, Verdict, run_validation

import ahu

EPISODES = int(os.environ.get("AHU_EPISODES", "200"))


def first_action(question: str) -> str:
    return "[" + question.split("Legal actions: ")[1].split("\n")[0].split("; ")[0].split("..")[0] + "]"


class Door(unittest.TestCase):
    url: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        cls.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(ahu_openenv.app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.005)

        def stop() -> None:
            server.should_exit = True
            thread.join()

        cls.addClassCleanup(stop)

    def assert_no_match_is_left(self) -> None:
        # The server learns of the end of a connection a little later.
        end = time.monotonic() + 60
        while ahu_openenv.Match.by_name and time.monotonic() < end:
            time.sleep(0.005)
        self.assertEqual(ahu_openenv.Match.by_name, {})

    async def play(self, client: Any, **reset: Any) -> tuple[list[str], float]:
        result = await client.reset(**reset)
        questions = [result.observation["text"]]
        while not result.done:
            waits = result.observation["verdict"] == "waiting"
            result = await client.step({"text": "" if waits else first_action(questions[-1])})
            questions.append(result.observation["text"])
        return questions, result.reward

    def test_episodes_of_each_game_end_and_leave_nothing(self) -> None:
        async def work(game: str, indices: list[int], rewards: dict[int, float]) -> None:
            async with GenericEnvClient(base_url=self.url) as client:
                while indices:
                    index = indices.pop()
                    rewards[index] = (await self.play(client, split=game, index=index))[1]

        async def all_of(game: str) -> dict[int, float]:
            indices, rewards = list(range(EPISODES)), dict[int, float]()
            await asyncio.gather(*(work(game, indices, rewards) for _ in range(8)))
            return rewards

        for game in ahu.games():
            with self.subTest(game.game):
                rewards = asyncio.run(all_of(game.game))
                self.assertEqual(len(rewards), EPISODES)
                self.assertTrue(all(-1 <= reward <= 1 for reward in rewards.values()))
        self.assert_no_match_is_left()

    def test_a_seed_repeats(self) -> None:
        async def twice() -> list[Any]:
            async with GenericEnvClient(base_url=self.url) as client:
                return [await self.play(client, split="rappanui", seed=3) for _ in range(2)]

        first, again = asyncio.run(twice())
        self.assertEqual(first, again)

    def test_two_sessions_of_a_match_are_asked_for_their_own_seat_alone(self) -> None:
        async def both() -> list[Any]:
            async with GenericEnvClient(base_url=self.url) as one, GenericEnvClient(base_url=self.url) as other:
                begun = asyncio.Event()

                async def join(client: Any, seat: int) -> tuple[list[str], float]:
                    if seat:
                        await begun.wait()
                    result = await client.reset(split="rapanui_cards", seed=3, match="m", seat=seat)
                    begun.set()
                    questions = []
                    while not result.done:
                        asked = result.observation["verdict"] != "waiting"
                        questions += [result.observation["text"]] * asked
                        text = first_action(result.observation["text"]) if asked else ""
                        result = await client.step({"text": text})
                    return questions, result.reward

                return await asyncio.gather(join(one, 0), join(other, 1))

        sides = asyncio.run(both())
        for seat, (questions, _) in enumerate(sides):
            self.assertGreater(len(questions), 10)
            self.assertTrue(all(f" of seat {seat}: what do you do?" in question for question in questions))
        self.assertEqual(sum(reward for _, reward in sides), 0)
        self.assert_no_match_is_left()

    def test_a_seat_is_taken_once(self) -> None:
        async def clash() -> None:
            async with GenericEnvClient(base_url=self.url) as one, GenericEnvClient(base_url=self.url) as other:
                # The other seat is a bot's, so that no session has to wait.
                settings = {"split": "rappanui", "match": "taken", "bots": {"1": "greedy"}}
                await one.reset(**settings)
                with self.assertRaisesRegex(RuntimeError, "expected a free seat"):
                    await other.reset(**settings)

        asyncio.run(clash())

    def test_openenv_validates_the_package_and_the_server(self) -> None:
        report = validate_running_environment(self.url)
        self.assertTrue(report["passed"], report)
        folder = Path(ahu_openenv.__file__).parent
        package = run_validation(folder, max_level=Level.STATIC, skip_build=True)
        self.assertIs(package.verdict, Verdict.PASS)


if __name__ == "__main__":
    unittest.main()
