"""The door for OpenEnv: real sessions at a server of this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
import time
import unittest
import unittest.mock
from pathlib import Path
from typing import Any, ClassVar

import ahu_openenv
import uvicorn
from openenv import GenericEnvClient
from openenv.cli._validation import validate_running_environment
from openenv.validation import Level, Verdict, run_validation

import ahu
from ahu.language import Table

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

    def test_two_sessions_build_their_matches_at_once(self) -> None:
        both, make = threading.Barrier(2, timeout=60), ahu.new_game

        def new_game(*args: Any, **settings: Any) -> ahu.State:
            both.wait()
            return make(*args, **settings)

        async def begin(client: Any, **settings: Any) -> None:
            async with client:
                await client.reset(**settings)

        async def begin_both(*names: str) -> None:
            await asyncio.gather(*(begin(GenericEnvClient(base_url=self.url), match=name) for name in names))

        for names in (("", ""), ("one", "other")):
            with self.subTest(names), unittest.mock.patch.object(ahu, "new_game", new_game):
                asyncio.run(begin_both(*names))

    def test_a_session_reads_what_its_seat_may_know_and_nothing_of_other_sessions(self) -> None:
        """The bytes of a session are those of a Table that was never at the server, whoever else plays there."""

        async def taken(clients: list[Any], settings: list[dict[str, Any]]) -> list[list[Any]]:
            """Plays the sessions in turn, a step each, and returns what they read."""
            results = [await client.reset(**own) for client, own in zip(clients, settings, strict=True)]
            read = [[result.observation] for result in results]
            while not all(result.done for result in results):
                for number, client in enumerate(clients):
                    if not results[number].done:
                        action = first_action(read[number][-1]["text"])
                        results[number] = await client.step({"text": action})
                        read[number].append(results[number].observation)
            return read

        async def all_at_once(settings: list[dict[str, Any]]) -> list[list[Any]]:
            async with contextlib.AsyncExitStack() as stack:
                clients = [GenericEnvClient(base_url=self.url) for _ in settings]
                return await taken([await stack.enter_async_context(client) for client in clients], settings)

        # The same game at both seats, another game, and a session that would read along.
        settings = [
            {"split": "rapanui_cards", "seed": 3, "seat": 0, "episode_id": "mine"},
            {"split": "rapanui_cards", "seed": 3, "seat": 1},
            {"split": "giants", "seed": 4, "seats": 3, "seat": 2},
            {"split": "rapanui_cards", "seed": 5, "match": "mine"} | {"bots": {"1": "greedy"}},
        ]
        for own, read in zip(settings, asyncio.run(all_at_once(settings)), strict=True):
            game, seed, seat = own["split"], own["seed"], own.get("seat", 0)
            state = ahu.new_game(game, seats=own.get("seats"), seed=seed)
            table = Table(state, bots={other: "greedy" for other in range(state.seats) if other != seat})
            with self.subTest(own):
                self.assertGreater(len(read), 10)
                self.assertEqual(read[0]["rules"], table.rules(seat))
                for observation in read[:-1]:
                    self.assertEqual(observation["text"], table.prompt(seat))
                    table.answer(seat, first_action(observation["text"]))
                self.assertEqual((table.to_act(), read[-1]["text"]), ((), ""))

    def test_openenv_validates_the_package_and_the_server(self) -> None:
        report = validate_running_environment(self.url)
        self.assertTrue(report["passed"], report)
        folder = Path(ahu_openenv.__file__).parent
        package = run_validation(folder, max_level=Level.STATIC, skip_build=True)
        self.assertIs(package.verdict, Verdict.PASS)


if __name__ == "__main__":
    unittest.main()
