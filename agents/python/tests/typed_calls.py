"""The types of calls, as pyright sees them. `.ci/check` checks this file, and nothing runs it.

Both clients share the table of calls in `ahu/_calls.py`, which decides the types of calls as well as their requests.
"""

from typing import assert_type

import ahu
from ahu import aio
from ahu.v1 import catalog_service_pb2 as catalog, match_service_pb2 as v1


def blocking(client: ahu.client.Client) -> None:
    """Calls a server with the blocking client, which returns answers."""
    assert_type(client.get_game("rappanui"), catalog.Game)
    assert_type(client.create_match("rappanui", 2, bots={0: "greedy"}), ahu.client.CreatedMatch)
    assert_type(next(client.list_matches(game="rappanui")), v1.Match)
    seat = client.join("match", seat=1)
    assert_type(seat, ahu.client.Seat)
    assert_type(seat.client, ahu.client.Client)
    assert_type(seat.legal_actions(typed=True), list[ahu.Action])
    assert_type(seat.step(3, decision_id=1), v1.StepResponse)
    client.get_game(3)  # pyright: ignore[reportArgumentType]  A game is a str.
    client.get_game()  # pyright: ignore[reportCallIssue]  The game is missing.
    seat.observe(3)  # pyright: ignore[reportArgumentType]  Formats are a message.


async def awaiting(client: aio.Client) -> None:
    """Calls a server with the client for asyncio, whose calls are awaited."""
    assert_type(await client.get_game("rappanui"), catalog.Game)
    assert_type(await client.create_match("rappanui", 2, bots={0: "greedy"}), ahu.client.CreatedMatch)
    async for match in client.list_matches(game="rappanui"):
        assert_type(match, v1.Match)
    seat = await client.join("match", seat=1)
    assert_type(seat, aio.Seat)
    assert_type(seat.client, aio.Client)
    assert_type(await seat.legal_actions(typed=True), list[ahu.Action])
    assert_type(await seat.step(3, decision_id=1), v1.StepResponse)
    await client.get_game(3)  # pyright: ignore[reportArgumentType]  A game is a str.
    print(client.get_game("rappanui").options)  # pyright: ignore[reportAttributeAccessIssue]  The await is missing.
