"""Watching a match: the updates of `Client.watch`, also over connections that are lost."""

import asyncio
import contextlib
import threading
import unittest

from support import Proxy, RandomAgent, ServerCase, play_seat

import ahu
import ahu.aio
from ahu.v1 import match_service_pb2 as v1

TABLE = v1.ObservationFormats(text=True, typed=True)
LOSE_EVERY = 6
"""The proxy loses every sixth piece, since a stream arrives in few, large pieces."""


def numbers(updates: list[v1.WatchMatchResponse]) -> list[int]:
    """Returns the numbers of the events in updates."""
    return [event.number for update in updates for event in update.observation.events]


class Watching(ServerCase):
    def finished(self) -> str:
        match = self.client.create_match("rappanui", 2, bots={0: "greedy", 1: "greedy"}, seed=3)
        while self.client.get_match(match.match_id, wait=30).state != v1.MATCH_STATE_FINISHED:
            pass
        return match.match_id

    def test_a_match_is_followed_to_its_end(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        watched: list[v1.WatchMatchResponse] = []
        formats = v1.ObservationFormats(text=True)

        def watch() -> None:
            watched.extend(self.client.watch(match.match_id, events_after=0, formats=formats))

        watching = threading.Thread(target=watch)
        watching.start()
        play_seat(RandomAgent(1), seat)
        watching.join()

        last = watched[-1].observation
        self.assertEqual(last.state, v1.MATCH_STATE_FINISHED)
        self.assertEqual(numbers(watched), list(range(1, last.event_count + 1)))
        self.assertTrue(all(update.observation.text for update in watched))
        own = list(seat.watch(events_after=0))
        self.assertEqual(own[-1].observation.seat, 0)
        self.assertGreaterEqual(len(own), len(watched))
        every = list(self.client.watch(match.match_id, events_after=0, all_seats=True))
        self.assertTrue(every and all(len(update.seat_observations) == 2 for update in every))

    def test_a_lost_connection_loses_and_doubles_no_event(self) -> None:
        match_id = self.finished()
        calm = list(self.client.watch(match_id, events_after=0, formats=TABLE))
        with Proxy(self.server.address, lose_every=LOSE_EVERY) as proxy, ahu.client.Client(proxy.address) as client:
            with self.assertLogs("ahu"):
                rough = list(client.watch(match_id, events_after=0, formats=TABLE))
        self.assertGreater(proxy.lost, 1)
        self.assertEqual(numbers(rough), numbers(calm))
        self.assertEqual(rough[-1], calm[-1])

    def test_asyncio_watches_too(self) -> None:
        match_id = self.finished()

        async def watch(address: str) -> list[v1.WatchMatchResponse]:
            async with ahu.aio.Client(address) as client:
                return [update async for update in client.watch(match_id, events_after=0, formats=TABLE)]

        calm = list(self.client.watch(match_id, events_after=0, formats=TABLE))
        self.assertEqual(asyncio.run(watch(self.server.address)), calm)
        with Proxy(self.server.address, lose_every=LOSE_EVERY) as proxy, self.assertLogs("ahu"):
            rough = asyncio.run(watch(proxy.address))
        self.assertEqual(numbers(rough), numbers(calm))

    def test_a_refusal_is_an_error_and_a_loop_may_be_left(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7, spectator_delay=4)
        self.assertEqual(match.match.spectator_delay, 4)
        with self.assertRaises(ahu.ServiceError) as refused:
            next(self.client.watch(match.match_id, all_seats=True))
        self.assertEqual(refused.exception.reason, "MATCH_NOT_ENDED")
        with contextlib.closing(self.client.watch(match.match_id)) as updates:
            for update in updates:
                self.assertEqual(update.observation.state, v1.MATCH_STATE_SEATING)
                break
        self.client.cancel_match(match.match_id, match.owner_token)


if __name__ == "__main__":
    unittest.main()
