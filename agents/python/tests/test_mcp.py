"""The tools for language models, as the official client of MCP calls them."""

import asyncio
import re
import subprocess
import sysconfig
import unittest
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mcp import Client, MCPError, StdioServerParameters
from support import SHORT, ServerCase, play_seat

import ahu

PROGRAM = str(Path(sysconfig.get_path("scripts")) / "ahu")
NAME = "model"
SEED = 11


class Script:
    """A model that follows a script: its choice depends on the number of its earlier choices alone."""

    formats = ahu.ObservationFormats(legal_actions=True)

    def __init__(self) -> None:
        self.choices = 0

    def choose(self, legal: list[str]) -> str:
        if len(legal) == 1:
            return legal[0]
        self.choices += 1
        return legal[zlib.crc32(str(self.choices).encode()) % len(legal)]

    def act(self, turn: ahu.Turn) -> str:
        """Chooses as a direct player."""
        return self.choose([action.text for action in turn.legal])

    async def play(self, client: Client, text: str, match: dict[str, str]) -> str:
        """Plays by tools to the end of the match."""
        while "The match is finished." not in text:
            if "\nDecision " not in text:
                text = await told(client, "wait", match)
                continue
            number, legal = question(text)
            assert len(legal) > 1 or self.choices == 0, "forced actions are played at once"
            text = await told(client, "act", {**match, "decision": number, "actions": [self.choose(legal)]})
        return text


def question(text: str) -> tuple[int, list[str]]:
    """Returns the number of the open decision, and the legal actions."""
    _, rest = text.split("\nDecision ")
    head, *lines = rest.splitlines()
    legal = [line[2:] for line in lines if line.startswith("- ")]
    assert lines[0] == f"Legal actions ({len(legal)}):", lines[0]
    return int(head.split()[0]), legal


async def told(client: Client, tool: str, arguments: dict[str, Any] = {}) -> str:
    """Calls a tool, and returns its text."""
    result = await client.call_tool(tool, arguments)
    [content] = result.content
    if result.is_error:
        raise AssertionError(content.text)
    return content.text


def course(record: str) -> list[str]:
    """Returns the lines of a record that the choices of its players decide: no times, and no digests over times."""
    kept = (line for line in record.splitlines() if line.split()[0] not in ("idle", "clock", "chain", "digest"))
    return [re.sub(r" \(\d+ ms.*\)$", "", line) for line in kept]


class Playing(ServerCase):
    def direct(self, game: str, seats: int, players: int = 1) -> list[str]:
        """Returns the course of a match that scripts play directly."""
        match = self.create(game, seats, players)
        joined = [self.client.join(match.match_id, name=NAME) for _ in range(players)]

        async def play() -> None:
            await asyncio.gather(*(asyncio.to_thread(play_seat, Script(), seat) for seat in joined))

        asyncio.run(play())
        return self.course(match.match_id)

    def create(self, game: str, seats: int, players: int = 1) -> ahu.client.CreatedMatch:
        bots = dict.fromkeys(range(players, seats), "random")
        return self.client.create_match(game, seats, bots=bots, seed=SEED, options=SHORT.get(game, {}))

    def course(self, match_id: str) -> list[str]:
        return course(self.client.get_record(match_id).record.decode())

    def url(self) -> str:
        return f"http://{self.server.address}/mcp"

    def test_the_fewest_seats_of_every_game_are_played_over_stdio_as_by_a_direct_player(self) -> None:
        async def play(game: str, folder: str) -> str:
            options = [f"--option={key}={value}" for key, value in SHORT.get(game, {}).items()]
            arguments = ["--local", game, "--opponents", "random", "--seed", str(SEED), "--records", folder]
            program = StdioServerParameters(command=PROGRAM, args=["mcp", *arguments, *options])
            async with Client(program) as client:
                return await Script().play(client, await told(client, "look"), {})

        for game in self.client.list_games():
            with self.subTest(game.game), TemporaryDirectory() as folder:
                end = asyncio.run(play(game.game, folder))
                self.assertIn("seat 0 (you): rank ", end)
                [record] = Path(folder).iterdir()
                self.assertEqual(course(record.read_text()), self.direct(game.game, game.min_seats))

    def test_the_most_seats_of_every_game_are_played_over_http_as_by_a_direct_player(self) -> None:
        async def play(match_id: str, mode: str) -> None:
            async with Client(self.url(), mode=mode) as client:
                text = await told(client, "join", {"match": match_id, "name": NAME})
                match = {"match": text.splitlines()[0].removeprefix("match: ")}
                await Script().play(client, text, match)

        for n, game in enumerate(self.client.list_games()):
            with self.subTest(game.game):
                match = self.create(game.game, game.max_seats)
                # The handshake of the revisions before 2026-07-28, and none.
                asyncio.run(play(match.match_id, ("legacy", "auto")[n % 2]))
                self.assertEqual(self.course(match.match_id), self.direct(game.game, game.max_seats))

    def test_two_models_at_one_table_wait_for_each_other(self) -> None:
        async def seat(match_id: str) -> str:
            async with Client(self.url()) as client:
                text = await told(client, "join", {"match": match_id, "name": NAME})
                match = {"match": text.splitlines()[0].removeprefix("match: ")}
                text = await told(client, "wait", match)
                return await Script().play(client, text, match)

        async def both(match_id: str) -> list[str]:
            return await asyncio.gather(seat(match_id), seat(match_id))

        match = self.create("rappanui", 2, players=2)
        ends = asyncio.run(both(match.match_id))
        self.assertTrue(all(" (you): rank " in end for end in ends))
        self.assertEqual(self.course(match.match_id), self.direct("rappanui", 2, players=2))


class Reading(ServerCase):
    def test_rules_and_data_are_tools_and_resources_in_both_revisions(self) -> None:
        async def read(mode: str) -> dict[str, Any]:
            async with Client(f"http://{self.server.address}/mcp", mode=mode) as client:
                tools = (await client.list_tools()).tools
                self.assertEqual([tool.name for tool in tools], ["rules", "join", "look", "act", "wait"])
                for tool in tools:
                    self.assertFalse({"seed", "state"} & set(tool.input_schema["properties"]))
                listed = [resource.uri for resource in (await client.list_resources()).resources]
                [rules] = (await client.read_resource("ahu://rules/giants")).contents
                [data] = (await client.read_resource("ahu://data/giants/v1")).contents
                self.assertTrue(data.text.startswith('{"hexes":['))
                chapter = await told(client, "rules", {"game": "giants", "topic": "scoring"})
                self.assertIn(chapter, rules.text)
                with self.assertRaisesRegex(MCPError, "expected one of the tools rules, join, look, act, wait"):
                    await client.call_tool("seed", {})
                return {"listed": listed, "version": client.protocol_version}

        old, new = (asyncio.run(read(mode)) for mode in ("legacy", "auto"))
        self.assertEqual(old["listed"], new["listed"])
        self.assertIn("ahu://rules/rapanui_board", new["listed"])
        self.assertLess(old["version"], new["version"])
        self.assertEqual(new["version"], "2026-07-28")

    def test_the_help_names_the_command(self) -> None:
        shown = subprocess.run([PROGRAM, "mcp", "--help"], capture_output=True, text=True, check=True).stdout
        for word in ("--server", "--local", "--opponents", "docs/compete/mcp.md"):
            self.assertIn(word, shown)


if __name__ == "__main__":
    unittest.main()
