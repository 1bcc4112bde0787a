"""The loop of an agent that competes. In tests/service/compete.rs it plays on servers that are killed."""

import asyncio
import os
import subprocess
import tempfile
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import support
from newer_server import NEW

import ahu
from ahu import _connect, aio
from ahu._seat_result import SeatResult
from ahu._server import find_program
from ahu.cup.v1beta1.cup_service_pb2 import PracticeReport, PractiseResponse
from ahu.v1 import match_service_pb2 as v1

ADDRESS = "localhost:1"


def refusal(code: str, reason: str = "") -> ahu.ServiceError:
    return ahu.ServiceError("a test", code=code, reason=reason)


def seat_of(match_id: str) -> v1.AwaitSeatResponse:
    return v1.AwaitSeatResponse(assigned=v1.AssignedSeat(match_id=match_id, seat=1, seat_token="t", agent_seed=5))


CLOSED = v1.AwaitSeatResponse(dismissal=v1.Dismissal(reason=v1.DISMISSAL_REASON_ENDED, message="the cup has ended"))
EXCLUDED = v1.AwaitSeatResponse(dismissal=v1.Dismissal(reason=v1.DISMISSAL_REASON_OUT, message="excluded: it cheats"))
NONE = v1.AwaitSeatResponse()
WRONG = refusal("PERMISSION_DENIED", "WRONG_TOKEN")


class Loop(unittest.TestCase):
    """The loop with a server whose answers the test gives.

    Attributes:
        asked: the calls for a seat: the key, and the seats that the agent plays.
        played: the matches in the order of their beginnings, with the seeds of the agent.
        slept: the pauses, in seconds.
        dismissal: the words with which the loop has ended.
        told: the log.
    """

    def setUp(self) -> None:
        self.asked: list[tuple[str, list[tuple[str, int]]]] = []
        self.played: list[tuple[str, int | None]] = []
        self.slept: list[float] = []
        self.dismissal: str | None = None
        self.told: list[str] = []

    def compete(self, answers: list[Any], results: list[Any] = [], **options: Any) -> int:
        left, ends = iter(answers), iter(results)

        def await_seat(
            _: Any, key: str, *, wait: float, playing: list[tuple[str, int]], agent: str
        ) -> v1.AwaitSeatResponse:
            self.assertEqual(wait, 30.0)
            self.asked.append((key, playing))
            answer = next(left)
            if isinstance(answer, Exception):
                raise answer
            return answer

        def play(_: Any, seat: ahu.client.Seat) -> SeatResult:
            self.played.append((seat.match_id, seat.agent_seed))
            end = next(ends, None)
            if isinstance(end, Exception):
                raise end
            return SeatResult(seat=1, state=v1.MATCH_STATE_CANCELLED, reason="a test")

        with self.assertLogs("ahu", "INFO") as log:
            connected = self.run_with(await_seat, play, options)
        self.dismissal, self.told = connected.dismissal, log.output
        return connected.matches

    def run_with(
        self, await_seat: Callable[..., Any], play: Callable[..., Any], options: dict[str, Any]
    ) -> _connect.Connected:
        """Runs the loop with a server that answers with `await_seat`. The loop plays matches with `play`."""
        client = {"await_seat": await_seat, "_sleep": staticmethod(self.slept.append)}
        with mock.patch.multiple(ahu.Client, **client), mock.patch.object(_connect, "play", play):
            return ahu.connect(lambda turn: 0, ADDRESS, "key", **options)

    def test_one_seat_after_another_is_played_until_no_more_come(self) -> None:
        self.assertEqual(self.compete([seat_of("a"), NONE, seat_of("b"), CLOSED]), 2)
        self.assertEqual(self.played, [("a", 5), ("b", 5)])
        self.assertEqual(self.asked, [("key", [])] * 4)
        self.assertEqual(self.slept, [])

    def test_the_words_of_a_dismissal_are_told(self) -> None:
        later = v1.AwaitSeatResponse(dismissal=v1.Dismissal(reason=NEW, message="a storm"))  # type: ignore[arg-type]
        for answer, level in ((CLOSED, "INFO"), (EXCLUDED, "WARNING"), (later, "WARNING")):
            self.assertEqual(self.compete([answer]), 0)
            self.assertEqual(self.dismissal, answer.dismissal.message)
            self.assertEqual(self.told[-1], f"{level}:ahu:no more seats: {answer.dismissal.message}")

    def test_a_wrong_key_is_an_error_at_once(self) -> None:
        with self.assertRaises(ahu.ServiceError) as raised:
            self.compete([WRONG])
        self.assertIs(raised.exception, WRONG)

    def test_a_key_that_was_accepted_before_is_tried_for_a_while(self) -> None:
        self.assertEqual(self.compete([NONE, WRONG, WRONG, seat_of("a"), WRONG, CLOSED]), 1)
        self.assertEqual(self.slept, [0.1, 0.2, 0.1])

    def test_a_key_that_stays_refused_is_an_error_in_the_end(self) -> None:
        times = iter([0.0, 1.0, _connect.FORGOTTEN + 1.0])
        with mock.patch.object(_connect, "time", SimpleNamespace(monotonic=lambda: next(times, 1e9))):
            with self.assertRaises(ahu.ServiceError) as raised:
                self.compete([NONE, *[WRONG] * 10])
        self.assertIs(raised.exception, WRONG)
        self.assertLess(len(self.asked), 10)

    def test_the_agent_goes_on_in_its_match_after_an_error_that_passes(self) -> None:
        lost = refusal("CANCELLED")
        gone = refusal("NOT_FOUND", "UNKNOWN_MATCH")
        answers = [seat_of("a"), seat_of("a"), seat_of("b"), lost, CLOSED]
        self.assertEqual(self.compete(answers, [lost, gone, None]), 1)
        self.assertEqual([match for match, _ in self.played], ["a", "a", "b"])
        self.assertEqual(self.asked, [("key", [])] * 5, "the match is not played while the agent asks")

    def test_an_error_of_the_agent_ends_it(self) -> None:
        for error in (ZeroDivisionError("a test"), refusal("INVALID_ARGUMENT", "BAD_FIELD")):
            with self.assertRaises(type(error)):
                self.compete([seat_of("a")], [error])

    def test_a_server_that_is_away_is_waited_for_without_end(self) -> None:
        waits = _connect.RETRY.waits()
        first = [next(waits) for _ in range(2_000)]
        self.assertEqual(first[:4], [0.1, 0.2, 0.4, 0.8])
        self.assertEqual(set(first[20:]), {30.0})


class GamesAtOnce(unittest.TestCase):
    def test_a_cup_gives_an_agent_as_many_games_at_once_as_its_file_says(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        cup = folder / "cup.toml"
        cup.write_text(
            'game = "rapanui_cards"\nblocks = 1\n[cup]\nname = "Cup"\nanchor = "greedy"\n'
            '[[agent]]\nname = "far"\nremote = true\ngames_at_once = 2\n'
        )
        program = [find_program(), "cup"]
        subprocess.run([*program, "keys", cup, "--out", folder], check=True, stdout=subprocess.DEVNULL)
        run = subprocess.Popen([*program, "run", cup, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        assert run.stdout is not None
        self.addCleanup(run.stdout.close)
        line = run.stdout.readline()
        address = line.split("agents connect to ")[1].split(";")[0]
        both = threading.Barrier(2)

        def first(turn: ahu.Turn) -> Any:
            # Each of the two games waits for the other one.
            if turn.decision_id == 1:
                both.wait(timeout=60)
            return turn.legal[0]

        self.assertEqual(
            ahu.connect(first, address, (folder / "far.key").read_text().strip(), games_at_once=2).matches, 2
        )
        self.assertEqual(run.wait(), 0)


def awaited(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an asynchronous function with the same result."""

    async def call(*arguments: Any, **options: Any) -> Any:
        await asyncio.sleep(0)
        return function(*arguments, **options)

    return call


class AsyncioLoop(Loop):
    """The same loop for asyncio."""

    def run_with(
        self, await_seat: Callable[..., Any], play: Callable[..., Any], options: dict[str, Any]
    ) -> _connect.Connected:
        client = {"await_seat": awaited(await_seat), "_sleep": staticmethod(awaited(self.slept.append))}
        with mock.patch.multiple(aio.Client, **client), mock.patch.object(aio, "_play", awaited(play)):
            return asyncio.run(aio.connect(lambda turn: 0, ADDRESS, "key", **options))

    def test_a_seat_is_asked_for_beside_those_that_are_played(self) -> None:
        self.assertEqual(self.compete([seat_of("a"), seat_of("b"), NONE, CLOSED], games_at_once=2), 2)
        self.assertEqual([match for match, _ in self.played], ["a", "b"])
        self.assertIn(("key", [("a", 1)]), self.asked)

    def test_a_seat_is_played_on_after_another_seat_of_its_match(self) -> None:
        other = v1.AwaitSeatResponse(assigned=v1.AssignedSeat(match_id="a", seat=0, seat_token="t"))
        self.assertEqual(self.compete([seat_of("a"), other, NONE, CLOSED], games_at_once=2), 2)
        self.assertEqual(self.asked[1:3], [("key", [("a", 1)]), ("key", [("a", 0)])])

    def test_an_error_lets_the_other_matches_end(self) -> None:
        ended: list[str] = []

        async def act(_: Any, seat: Any) -> SeatResult:
            if seat.match_id == "a":
                raise ZeroDivisionError("a test")
            for _ in range(10):
                await asyncio.sleep(0)
            ended.append(seat.match_id)
            return SeatResult(seat=1, state=v1.MATCH_STATE_CANCELLED, reason="a test")

        answers = iter([seat_of("a"), seat_of("b"), seat_of("c")])
        await_seat = awaited(lambda *_, **__: next(answers))
        with mock.patch.object(aio.Client, "await_seat", await_seat), mock.patch.object(aio, "_play", act):
            with self.assertRaises(ZeroDivisionError):
                asyncio.run(aio.connect(lambda turn: 0, ADDRESS, "key", games_at_once=2))
        self.assertEqual(ended, ["b"])

    def test_a_task_that_is_cancelled_ends_its_matches(self) -> None:
        begun: list[str] = []
        ended: list[str] = []

        async def forever(_: Any, seat: Any) -> SeatResult:
            begun.append(seat.match_id)
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(seat.match_id)
            raise AssertionError

        async def cancelled() -> None:
            competing = asyncio.create_task(aio.connect(lambda turn: 0, ADDRESS, "key", games_at_once=2))
            while len(begun) < 2:
                await asyncio.sleep(0)
            competing.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await competing
            await asyncio.sleep(0)
            self.assertEqual(sorted(ended), ["a", "b"])

        answers = iter([seat_of("a"), seat_of("b")])
        await_seat = awaited(lambda *_, **__: next(answers))
        with mock.patch.object(aio.Client, "await_seat", await_seat), mock.patch.object(aio, "_play", forever):
            asyncio.run(cancelled())


class Practice(unittest.TestCase):
    def test_a_practice_match_is_played_until_its_report_comes(self) -> None:
        def blocking(practise: Callable[..., Any], play: Callable[..., Any]) -> PracticeReport:
            with (
                mock.patch.object(ahu.client.Client, "practise", practise),
                mock.patch.object(_connect, "play", play),
            ):
                report = ahu.connect(lambda turn: 0, ADDRESS, "key", practice=True).practice
            assert report is not None
            return report

        def awaiting(practise: Callable[..., Any], play: Callable[..., Any]) -> PracticeReport:
            practise, play = awaited(practise), awaited(play)
            with mock.patch.object(aio.Client, "practise", practise), mock.patch.object(aio, "_play", play):
                report = asyncio.run(aio.connect(lambda turn: 0, ADDRESS, "key", practice=True)).practice
            assert report is not None
            return report

        for run in (blocking, awaiting):
            with self.subTest(run.__name__):
                self.practise(run)

    def practise(self, run: Callable[..., PracticeReport]) -> None:
        report = PracticeReport(match_id="a", passed=True, decision_count=30)
        seat = PractiseResponse(assigned=seat_of("a").assigned)
        answers, asked, played = iter([seat, PractiseResponse(report=report)]), [], []

        def practise(_: Any, key: str, practice_id: str) -> PractiseResponse:
            asked.append((key, practice_id))
            return next(answers)

        self.assertEqual(run(practise, lambda _, seat: played.append(seat.match_id)), report)
        self.assertEqual(played, ["a"])
        self.assertEqual(len(asked), 2)
        self.assertEqual(len(set(asked)), 1, "the id names the same match")


class Keys(support.ServerCase):
    def test_the_key_comes_from_the_arguments_or_the_environment(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "moai.key").write_bytes("\ufefffrom-file\r\n".encode())
        address = {"AHU_ADDRESS": self.server.address}
        file = {"AHU_KEY_FILE": str(folder / "moai.key")}
        cases: list[tuple[dict[str, str], tuple[str, ...], str]] = [
            ({**address, "AHU_KEY": "from-variable", **file}, (), "from-variable"),
            ({**address, **file}, (), "from-file"),
            ({}, (self.server.address, "from-argument"), "from-argument"),
        ]
        for variables, arguments, expected in cases:
            with mock.patch.dict(os.environ, variables, clear=True):
                found = ahu._placement.agent_key(**dict(zip(("address", "key"), arguments, strict=False)))
                self.assertEqual(found, ahu.client.AgentKey(address=self.server.address, key=expected))
                with self.assertRaisesRegex(ahu.ServiceError, "not the key of an agent"):
                    ahu.connect(support.RandomAgent(), *arguments)

    def test_a_key_file_that_cannot_be_read_is_named(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "binary").write_bytes(b"\xff\xfe")
        for name, reason in (
            ("lost.key", "No such file or directory"),
            (".", "Is a directory"),
            ("binary", "not text"),
        ):
            file = str(folder / name)
            with mock.patch.dict(os.environ, {"AHU_ADDRESS": ADDRESS, "AHU_KEY_FILE": file}, clear=True):
                with self.assertRaises(LookupError) as raised:
                    ahu.connect(support.RandomAgent())
            self.assertIn(f'expected a file with a key in AHU_KEY_FILE, got "{file}": ', str(raised.exception))
            self.assertIn(reason, str(raised.exception))

    def test_a_file_of_authorities_that_cannot_be_read_is_named(self) -> None:
        with mock.patch.dict(os.environ, {"AHU_CA_FILE": "lost.pem"}, clear=True):
            with self.assertRaisesRegex(OSError, "AHU_CA_FILE: No such file or directory: 'lost.pem'"):
                ahu.connect(support.RandomAgent(), f"https://{self.server.address}", "key")

    def test_the_token_of_a_seat_reads_its_match(self) -> None:
        match = mock.Mock(return_value=v1.GetMatchResponse(match=v1.Match(match_id="m")))
        self.client._opened[0] = mock.Mock(), {"GetMatch": match}
        self.client.seat("m", 1, "secret").match()
        self.assertIn(("authorization", "Bearer secret"), match.call_args.kwargs["metadata"])

    def test_what_is_missing_is_named(self) -> None:
        with mock.patch.dict(os.environ, clear=True):
            missing = "AHU_ADDRESS, AHU_MATCH, AHU_SEAT, AHU_TOKEN is not set.* AHU_KEY or AHU_KEY_FILE"
            with self.assertRaisesRegex(LookupError, missing):
                ahu.connect(support.RandomAgent())
            for arguments in ({"practice": True}, {"address": ADDRESS}, {"key": "key"}):
                with self.assertRaisesRegex(LookupError, "AHU_ADDRESS and AHU_KEY or AHU_KEY_FILE"):
                    ahu.connect(support.RandomAgent(), **arguments)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "expected either a seat, or an address and a key"):
            ahu.connect(support.RandomAgent(), ADDRESS, seat=mock.Mock())
        with self.assertRaisesRegex(ValueError, "expected games_at_once of at least 1, got 0"):
            ahu.connect(support.RandomAgent(), ADDRESS, "key", games_at_once=0)
        with self.assertRaisesRegex(TypeError, "expected a function"):
            ahu.connect(3, ADDRESS, "key")  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
