"""The door for verifiers: real episodes with scripted models behind an endpoint of this process."""

from __future__ import annotations

import asyncio
import os
import re
import threading
import tomllib
import unittest
from pathlib import Path
from typing import Any

import ahu_verifiers
import verifiers.v1 as vf
from aiohttp import web

import ahu

EPISODES = int(os.environ.get("AHU_EPISODES", "200"))


def first_action(question: str) -> str:
    return "[" + question.split("Legal actions: ")[1].split("\n")[0].split("; ")[0].split("..")[0] + "]"


async def episodes(count: int, answer: Any = first_action, **config: Any) -> list[Any]:
    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        message = {"role": "assistant", "content": answer(body["messages"][-1]["content"])}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        named = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}
        return web.json_response({**named, "choices": [choice], "usage": usage})

    app = web.Application(client_max_size=1 << 24)
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
    context = vf.ModelContext(model="scripted", client=client)
    env = vf.load_environment(ahu_verifiers.AhuEnvConfig(**config))
    limit = asyncio.Semaphore(8)
    async with env.serving():
        runs = [env.run_slot(slot, context, limit) for task in env.taskset.take(count) for slot in env.slots(task)]
        played = await asyncio.gather(*runs)
    await runner.cleanup()
    return played


def told(played: list[Any]) -> list[Any]:
    return [
        [(t.agent.name, t.reward, t.metrics, [m.content for m in t.assistant_messages]) for t in e.traces]
        for e in played
    ]


class Door(unittest.TestCase):
    def test_episodes_of_each_game_end_and_leave_nothing(self) -> None:
        for game in ahu.games():
            with self.subTest(game.game):
                config = {"id": "ahu-verifiers", "game": game.game}
                bots = dict.fromkeys(range(1, ahu.new_game(game.game, seed=0).seats), "greedy")
                threads = threading.active_count()
                played = asyncio.run(episodes(EPISODES, taskset=config, bots=bots))
                self.assertEqual([episode.errors for episode in played if not episode.ok], [])
                self.assertEqual(len(played), EPISODES)
                self.assertLessEqual(threading.active_count(), threads)

    def test_each_seat_has_a_trace_and_a_reward_and_a_seed_repeats(self) -> None:
        config = {"id": "ahu-verifiers", "game": "rappanui", "seats": 3, "first_seed": 5}
        first, again = (asyncio.run(episodes(2, taskset=config, frozen=[1])) for _ in range(2))
        self.assertEqual(told(first), told(again))
        for episode in first:
            self.assertEqual([trace.agent.name for trace in episode.traces], ["seat2", "seat1", "seat0"])
            self.assertEqual([trace.agent.trainable for trace in episode.traces], [True, False, True])
            self.assertAlmostEqual(sum(trace.reward for trace in episode.traces), 0.0)

    def test_a_model_that_cannot_answer_forfeits_and_is_last(self) -> None:
        config = {"id": "ahu-verifiers", "game": "rapanui_cards"}
        [episode] = asyncio.run(episodes(1, lambda _: "hello", taskset=config, bots={1: "random"}))
        [trace] = episode.traces
        self.assertEqual((trace.reward, trace.metrics["verdict_forfeit"]), (-1.0, 1.0))

    def test_the_configuration_of_the_docs_plays(self) -> None:
        page = (Path(ahu_verifiers.__file__).parent / "../../docs/train/language.md").read_text()
        [block] = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        [episode] = asyncio.run(episodes(1, **tomllib.loads(block)["env"]))
        self.assertEqual(
            {trace.agent.name: trace.agent.trainable for trace in episode.traces}, {"seat0": True, "seat1": False}
        )


if __name__ == "__main__":
    unittest.main()
