"""Calls that are sent again, tested without a server and without waiting."""

import itertools
import unittest
from unittest import mock

import grpc
from support import Failure, failure

import ahu
import ahu.aio
from ahu.v1 import match_service_pb2 as v1

UNAVAILABLE = Failure(grpc.StatusCode.UNAVAILABLE, "connection refused")


class Waits(unittest.TestCase):
    def test_each_is_twice_the_one_before_up_to_the_longest(self) -> None:
        waits = ahu.client.Retry(total=60, first=0.05, longest=2).waits(clock=lambda: 0.0)
        self.assertEqual(list(itertools.islice(waits, 8)), [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2, 2])

    def test_they_end_with_the_total(self) -> None:
        spent: list[float] = []
        for wait in ahu.client.Retry(total=1, first=0.25, longest=2).waits(clock=lambda: sum(spent)):
            spent.append(wait)  # noqa: PERF402  The clock reads what was spent.
        self.assertEqual(spent, [0.25, 0.5, 0.25])

    def test_with_a_total_of_0_there_are_none(self) -> None:
        self.assertEqual(list(ahu.client.Retry(total=0).waits()), [])


class Sending(unittest.TestCase):
    def setUp(self) -> None:
        self.slept: list[float] = []
        self.client = ahu.Client("127.0.0.1:1")
        self.client._sleep = self.slept.append

    def answer(self, *answers: object) -> mock.Mock:
        """Replaces the methods of the client by one that gives these answers, one after the other."""
        method = mock.Mock(side_effect=answers)
        methods = dict.fromkeys(("GetMatch", "CreateMatch", "JoinMatch", "Step"), method)
        self.client._opened[0] = mock.Mock(), methods
        return method

    def test_a_lost_call_is_sent_again_as_it_was(self) -> None:
        method = self.answer(UNAVAILABLE, UNAVAILABLE, v1.CreateMatchResponse(match=v1.Match(match_id="m")))
        with self.assertLogs("ahu") as log:
            match = self.client.create_match("rappanui", 2)
        self.assertEqual(match.match_id, "m")
        self.assertEqual(self.slept, [0.05, 0.1])
        requests = [call.args[0] for call in method.call_args_list]
        self.assertEqual(len({request.request_id for request in requests}), 1)
        self.assertEqual(len(requests[0].request_id), 36)
        lines = [record.getMessage() for record in log.records]
        self.assertEqual(len(lines), 2, "the failure and the answer are told once a call")
        self.assertTrue(lines[0].startswith("no answer from") and lines[1].endswith("answers again"), lines)

    def test_the_addresses_take_turns_and_only_the_last_is_followed_by_a_wait(self) -> None:
        client = ahu.Client("127.0.0.1:1,127.0.0.1:2,https://ahu.example.org")
        client._sleep = self.slept.append
        answers = (
            (UNAVAILABLE, UNAVAILABLE),
            (UNAVAILABLE, UNAVAILABLE, UNAVAILABLE),
            (UNAVAILABLE, v1.GetMatchResponse()),
        )
        methods = [mock.Mock(side_effect=each) for each in answers]
        client._opened.update({place: (mock.Mock(), {"GetMatch": method}) for place, method in enumerate(methods)})
        with self.assertLogs("ahu") as log:
            client.get_match("m")
        self.assertEqual(self.slept, [0.0, 0.0, 0.05, 0.0, 0.0])
        self.assertIn("no answer from 127.0.0.1:1,127.0.0.1:2,https://ahu.example.org", log.output[0])
        methods[2].side_effect = [v1.GetMatchResponse()]
        client.get_match("m")
        self.assertEqual([method.call_count for method in methods], [2, 2, 3], "it stays with the one that answers")

    def test_an_address_whose_server_is_silent_or_a_spare_is_left_at_once(self) -> None:
        client = ahu.Client("127.0.0.1:1,127.0.0.1:2,127.0.0.1:3")
        client._sleep = self.slept.append
        spare = failure(grpc.StatusCode.UNAVAILABLE, "CLOSING", retry=1)
        answers = (failure(grpc.StatusCode.DEADLINE_EXCEEDED, ""),), (spare,), (v1.GetMatchResponse(),)
        methods = [mock.Mock(side_effect=each) for each in answers]
        client._opened.update({place: (mock.Mock(), {"GetMatch": method}) for place, method in enumerate(methods)})
        client.get_match("m")
        self.assertEqual(self.slept, [0.0, 0.0])

    def test_each_creation_has_a_request_id_of_its_own(self) -> None:
        method = self.answer(v1.JoinMatchResponse(), v1.JoinMatchResponse())
        self.client.join_match("m")
        self.client.join_match("m")
        first, second = (call.args[0].request_id for call in method.call_args_list)
        self.assertNotEqual(first, second)

    def test_a_server_that_is_unavailable_for_any_reason_is_as_good_as_away(self) -> None:
        for reason in ("CLOSING", "MATCH_SUSPENDED", "ONE_OF_A_NEWER_SERVER"):
            self.slept.clear()
            self.answer(failure(grpc.StatusCode.UNAVAILABLE, reason), v1.GetMatchResponse())
            with self.assertLogs("ahu"):
                self.client.get_match("m")
            self.assertEqual(len(self.slept), 1)

    def test_what_the_service_refuses_is_not_sent_again(self) -> None:
        for refusal in (
            failure(grpc.StatusCode.NOT_FOUND, "UNKNOWN_MATCH"),
            failure(grpc.StatusCode.DATA_LOSS, "MATCH_DAMAGED"),
            Failure(grpc.StatusCode.DEADLINE_EXCEEDED),
        ):
            method = self.answer(refusal)
            with self.assertRaises(ahu.ServiceError) as caught:
                self.client.get_match("m")
            self.assertNotIsInstance(caught.exception, ahu.ConnectionLost)
            self.assertEqual(method.call_count, 1)

    def test_the_end_of_patience_is_a_lost_connection(self) -> None:
        self.client = ahu.client.Client("127.0.0.1:1", retry=ahu.client.Retry(total=0))
        self.answer(UNAVAILABLE)
        with self.assertRaises(ahu.ConnectionLost) as caught:
            self.client.get_match("m")
        self.assertEqual(caught.exception.code, "UNAVAILABLE")

    def test_each_attempt_has_a_deadline(self) -> None:
        method = self.answer(v1.GetMatchResponse())
        self.client.get_match("m")
        self.assertEqual(method.call_args.kwargs["timeout"], 30)


class SendingByAsyncio(unittest.IsolatedAsyncioTestCase):
    async def test_a_lost_call_is_sent_again(self) -> None:
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        client = ahu.aio.Client("127.0.0.1:1")
        client._sleep = sleep
        method = mock.AsyncMock(side_effect=[UNAVAILABLE, v1.GetMatchResponse(match=v1.Match(match_id="m"))])
        client._opened[0] = mock.Mock(), {"GetMatch": method}
        with self.assertLogs("ahu"):
            match = await client.get_match("m")
        self.assertEqual(match.match_id, "m")
        self.assertEqual(slept, [0.05])


if __name__ == "__main__":
    unittest.main()
