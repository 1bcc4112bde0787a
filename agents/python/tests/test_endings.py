"""The endings of matches: clocks, conduct, cancellations, and private matches, against a server."""

import asyncio
import json
import secrets
import traceback
import unittest
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import support
from support import RandomAgent, ServerCase, play_seat

import ahu
import ahu.aio
from ahu.v1 import match_service_pb2 as v1

SHORT = ahu.client.TimeControl(limit=0.2, lag=0)
"""A clock that an agent without an answer exceeds at once."""


class Idle:
    """An agent that answers its first decision after the end of its match."""

    formats = ahu.ObservationFormats(legal_ids=True)

    def __init__(self, client: ahu.client.Client) -> None:
        self._client = client
        self.acted = 0

    def act(self, turn: ahu.Turn) -> int:
        self.acted += 1
        while self._client.get_match(turn.match_id, wait=30).state == v1.MATCH_STATE_RUNNING:
            pass
        return turn.legal_ids[0]


class Says:
    """An agent that gives the same answer to each decision."""

    formats = ahu.ObservationFormats(legal_actions=True)

    def __init__(self, answer: Callable[[ahu.Turn], int | str]) -> None:
        self._answer = answer

    def act(self, turn: ahu.Turn) -> int | str:
        return self._answer(turn)


def illegal(turn: ahu.Turn) -> int:
    """Returns the lowest id of an action that is not legal."""
    return next(i for i in range(1000) if i not in turn.legal_ids)


def forfeits_of(result: v1.MatchResult) -> dict[int, str]:
    """Returns the causes of all forfeits, by seat."""
    return {forfeit.seat: v1.Cause.Name(forfeit.cause) for forfeit in result.forfeits}


class EndingCase(ServerCase):
    def seat(self, **terms: Any) -> ahu.client.Seat:
        """Returns a seat against a bot, in a match with seed 7 and these terms."""
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7, **terms)
        return self.client.join(match.match_id)

    def refused(self, kind: type[ahu.ServiceError], call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Checks that a call raises an error of this kind, and returns the error."""
        with self.assertRaises(kind) as caught:
            call(*arguments, **named)
        return caught.exception

    def play_to_forfeit(self, agent: ahu.Agent, seat: ahu.client.Seat, cause: str) -> ahu.SeatResult:
        """Plays a seat that forfeits for this cause. Its opponent, a bot, gets a result."""
        with self.assertLogs("ahu") as logs:
            played = play_seat(agent, seat)
        self.assertEqual(played.forfeit, cause)
        self.assertTrue(str(played).startswith(f"seat 0: forfeited ({cause})"), played)
        self.assertIn(f"has forfeited ({cause}", logs.output[0])
        match = self.client.get_match(seat.match_id, wait=30)
        self.assertEqual(match.state, v1.MATCH_STATE_FINISHED)
        self.assertEqual(forfeits_of(match.result), {0: f"CAUSE_{cause.upper()}"})
        self.assertEqual(list(match.result.ranks), [2, 1])
        return played


class Finished(EndingCase):
    def test_a_finished_match_has_a_result_and_no_forfeit(self) -> None:
        seat = self.seat()
        played = play_seat(RandomAgent(1), seat)
        self.assertEqual((played.state, played.forfeit, played.reason), (v1.MATCH_STATE_FINISHED, None, ""))
        match = self.client.get_match(seat.match_id)
        self.assertEqual(played.result, match.result)
        self.assertEqual((len(match.result.record_digest), forfeits_of(match.result)), (32, {}))
        self.assertEqual(str(played), f"seat 0: {played.scores[0]} points, place {played.ranks[0]}")

    def test_nobody_resigns_or_cancels_after_the_end(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        play_seat(RandomAgent(1), seat)
        for call in (seat.resign, lambda: self.client.cancel_match(match.match_id, match.owner_token)):
            self.assertEqual(self.refused(ahu.MatchEnded, call).state, "finished")


class Failing(ServerCase):
    def test_an_error_of_a_function_shows_its_own_frames_alone(self) -> None:
        def choose(turn: ahu.Turn) -> int:
            return [turn.legal_ids[0]][7]

        def play() -> Any:
            with ahu.client.Client(self.address) as client:
                match = client.create_match("rappanui", 2, bots={1: "random"})
                return play_seat(choose, client.join(match.match_id))

        for call in (play, lambda: ahu.play("rappanui", [choose, "random"], address=self.address)):
            frames = frames_of(call, IndexError)
            self.assertEqual(frames[-1], "choose")
            self.assertFalse({"plan", "_decide", "_play"} & set(frames), frames)

    def test_an_error_of_the_package_keeps_its_frames(self) -> None:
        frames = frames_of(
            lambda: ahu.play("no such game", ["random", "random"], address=self.address), ahu.ServiceError
        )
        self.assertIn("play", frames)
        self.assertIn("_send", frames)


def frames_of(call: Callable[[], Any], error: type[Exception]) -> list[str]:
    """Returns the names of the functions in the traceback of the error that the call raises."""
    try:
        call()
    except error as raised:
        return [frame.name for frame in traceback.extract_tb(raised.__traceback__)]
    raise AssertionError("expected an error")


class Clocks(EndingCase):
    def test_an_agent_that_never_moves_forfeits_and_the_others_get_a_result_in_every_game(self) -> None:
        for game in self.client.list_games():
            with self.subTest(game.game):
                count = game.min_seats
                match = self.client.create_match(game.game, count, seed=7, seat_time_controls={0: SHORT})
                seats = [self.client.join(match.match_id, seat=seat) for seat in range(count)]
                idle = Idle(self.client)
                agents = [idle, *(RandomAgent(seat) for seat in range(1, count))]
                with ThreadPoolExecutor(count) as threads, self.assertLogs("ahu"):
                    played = list(threads.map(play_seat, agents, seats))
                self.assertEqual((idle.acted, played[0].forfeit), (1, "timeout"))
                for other in played[1:]:
                    assert other.result is not None
                    self.assertIsNone(other.forfeit)
                    self.assertEqual(forfeits_of(other.result), {0: "CAUSE_TIMEOUT"})
                    self.assertEqual(other.ranks[0], count)

    def test_a_timeout_is_an_error_of_the_next_step(self) -> None:
        match = self.client.create_match("rappanui", 2, seed=7, seat_time_controls={0: SHORT})
        slow, other = (self.client.join(match.match_id, seat=seat) for seat in (0, 1))
        observation = other.observe(wait=30)
        while not observation.forfeits:
            if observation.HasField("decision"):
                other.step(other.legal_actions()[0])
            observation = other.observe(wait=30)
        self.assertEqual(self.refused(ahu.Forfeited, slow.step, 0, decision_id=1).cause, "timeout")
        self.assertEqual(slow.resign().state, v1.MATCH_STATE_RUNNING, "it has forfeited anyway")
        with self.assertLogs("ahu"):
            played = play_seat(RandomAgent(), slow)
        self.assertEqual((played.state, played.result, played.forfeit), (v1.MATCH_STATE_RUNNING, None, "timeout"))
        self.assertEqual(str(played), "seat 0: forfeited (timeout)")

    def test_an_agent_sees_its_time_and_the_banks_of_all(self) -> None:
        case = self

        class Looks(RandomAgent):
            decisions = 0

            def act(self, turn: ahu.Turn) -> int:
                self.decisions += 1
                assert turn.time_left is not None
                first = 60 if self.decisions == 1 else 0
                case.assertLessEqual(turn.time_left, 30.5 + first)
                case.assertGreater(turn.time_left, first)
                case.assertEqual(set(turn.banks), {0})
                case.assertLessEqual(turn.banks[0], 500 + self.decisions)
                return super().act(turn)

        control = ahu.client.TimeControl(startup=60, limit=30, bank=500, increment=1, lag=0.5)
        agent = Looks(1)
        seat = self.seat(seat_time_controls={0: control})
        self.assertIsNone(play_seat(agent, seat).forfeit)
        self.assertGreater(agent.decisions, 10)
        self.assertEqual(ahu.client.TimeControl.of(seat.match().time_controls[0]), control)

    def test_the_lag_is_a_fifth_of_a_second_unless_it_is_agreed(self) -> None:
        match = self.client.create_match("rappanui", 2, time_control=ahu.client.TimeControl(limit=9))
        self.assertEqual([ahu.client.TimeControl.of(control).lag for control in match.time_controls], [0.2, 0.2])
        self.assertEqual([ahu.client.TimeControl.of(control).limit for control in match.time_controls], [9, 9])

    def test_a_time_that_makes_no_sense_is_refused(self) -> None:
        for values in (
            {"limit": 0},
            {"limit": -1},
            {"bank": 0},
            {"bank": -0.5},
            {"startup": -1},
            {"limit": 86_401},
            {"bank": 1e9},
            {"lag": -1},
            {"increment": 1},
        ):
            with self.subTest(values):
                control = ahu.client.TimeControl(**values)
                error = self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, time_control=control)
                self.assertEqual(error.reason, "BAD_FIELD")
                self.assertIn("time_control", error.field_violations[0].field)
        controls = {2: ahu.client.TimeControl(limit=1)}
        error = self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, seat_time_controls=controls)
        self.assertEqual(error.reason, "UNKNOWN_SEAT")


class Conducts(EndingCase):
    def test_an_illegal_action_forfeits_where_that_is_agreed(self) -> None:
        seat = self.seat(conduct=ahu.client.Conduct(illegal="forfeit"))
        played = self.play_to_forfeit(Says(illegal), seat, "illegal")
        assert played.error is not None
        self.assertEqual(played.error.legal_ids, (71,))
        self.assertRegex(played.error.message, r"seat 0, decision 1: the agent chose 0\..* Legal: 71")

    def test_an_unreadable_action_forfeits_where_that_is_agreed(self) -> None:
        seat = self.seat(conduct=ahu.client.Conduct(unreadable="forfeit"))
        played = self.play_to_forfeit(Says(lambda turn: "build a boat"), seat, "unreadable")
        assert played.error is not None
        self.assertEqual(played.error.reason, "BAD_ACTION")

    def test_the_agreed_number_of_strikes_forfeits(self) -> None:
        seat = self.seat(conduct=ahu.client.Conduct(illegal="strike", unreadable="strike", strikes=2))
        error = self.refused(ahu.IllegalAction, play_seat, Says(illegal), seat)
        self.assertEqual((error.metadata["strike"], error.metadata["strikes"]), ("1", "2"))
        self.play_to_forfeit(Says(lambda turn: "build a boat"), seat, "unreadable")

    def test_a_refused_action_is_an_error_and_the_match_goes_on(self) -> None:
        seat = self.seat()
        self.refused(ahu.IllegalAction, play_seat, Says(illegal), seat)
        self.assertIsNone(play_seat(RandomAgent(1), seat).forfeit)

    def test_an_agent_that_sends_garbage_for_ever_forfeits(self) -> None:
        seat = self.seat(conduct=ahu.client.Conduct(tries=3))
        for text in "build a boat", "sail away":
            self.refused(ahu.IllegalAction, play_seat, Says(lambda turn, text=text: text), seat)
        self.play_to_forfeit(Says(lambda turn: "swim"), seat, "unreadable")

    def test_an_agent_that_resigns_forfeits(self) -> None:
        class Resigns(RandomAgent):
            def act(self, turn: ahu.Turn) -> int:
                seat.resign()
                return super().act(turn)

        seat = self.seat()
        played = self.play_to_forfeit(Resigns(), seat, "resigned")
        self.assertIsNone(played.error)

    def test_a_resignation_may_be_sent_again(self) -> None:
        match = self.client.create_match("rappanui", 2, seed=7)
        one, other = (self.client.join(match.match_id) for _ in range(2))
        self.assertEqual(one.resign().state, v1.MATCH_STATE_RUNNING)
        self.assertEqual(one.resign().state, v1.MATCH_STATE_RUNNING)
        played = play_seat(RandomAgent(1), other)
        assert played.result is not None
        self.assertEqual(forfeits_of(played.result), {0: "CAUSE_RESIGNED"})

    def test_a_resignation_is_refused_where_that_is_agreed(self) -> None:
        seat = self.seat(conduct=ahu.client.Conduct(resigned="refusal"))
        self.refused(ahu.NoResignation, seat.resign)
        self.assertIsNone(play_seat(RandomAgent(1), seat).forfeit)

    def test_an_agent_that_is_absent_forfeits_where_that_is_agreed(self) -> None:
        seat = self.seat(conduct=ahu.client.Conduct(absence_limit=0.1))
        self.assertTrue(seat.match().seats[0].present)
        self.play_to_forfeit(Idle(self.client), seat, "absent")
        self.assertFalse(seat.match().seats[1].present, "a bot is not present")

    def test_the_agreed_conduct_is_in_the_description(self) -> None:
        conduct = ahu.client.Conduct(
            illegal="strike",
            unreadable="refusal",
            timeout="forfeit",
            exited="refusal",
            absent="forfeit",
            resigned="refusal",
            absence_limit=60,
            tries=9,
            strikes=4,
        )
        match = self.client.create_match("rappanui", 2, conduct=conduct, stand_in="random")
        self.assertEqual(ahu.client.Conduct.of(match.conduct), conduct)
        self.assertEqual(match.stand_in, "random@1")
        default = self.client.create_match("rappanui", 2)
        self.assertEqual(ahu.client.Conduct.of(default.conduct).illegal, "refusal")
        self.assertIsNone(ahu.client.Conduct.of(default.conduct).strikes, "no fault is a strike")
        self.assertEqual(default.stand_in, "greedy@2")
        strikes = self.client.create_match("rappanui", 2, conduct=ahu.client.Conduct(illegal="strike"))
        self.assertEqual(ahu.client.Conduct.of(strikes.conduct).strikes, 3)

    def test_a_contradictory_conduct_is_refused(self) -> None:
        bad: tuple[Mapping[str, Any], ...] = (
            {"conduct": ahu.client.Conduct(strikes=3)},
            {"conduct": ahu.client.Conduct(timeout="refusal")},
            {"conduct": ahu.client.Conduct(resigned="strike")},
            {"conduct": ahu.client.Conduct(exited="strike")},
            {"conduct": ahu.client.Conduct(timeout="strike"), "time_control": ahu.client.TimeControl(bank=9)},
            {"conduct": ahu.client.Conduct(absence_limit=0)},
            {"conduct": ahu.client.Conduct(absence_limit=-1)},
            {"conduct": ahu.client.Conduct(tries=65_536)},
            {"conduct": ahu.client.Conduct(illegal="strike", strikes=0)},
            {"conduct": ahu.client.Conduct(illegal="strike", strikes=256)},
        )
        for terms in bad:
            with self.subTest(terms):
                error = self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, **terms)
                self.assertEqual(error.reason, "BAD_FIELD")
                self.assertTrue(error.field_violations)
        error = self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, stand_in="greedy@99")
        self.assertEqual(error.reason, "UNKNOWN_BOT")


class Cancelled(EndingCase):
    def test_an_agent_that_waits_for_others_is_told(self) -> None:
        match = self.client.create_match("rappanui", 2)
        seat = self.client.join(match.match_id)
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(play_seat, RandomAgent(), seat)
            self.client.cancel_match(match.match_id, match.owner_token, "it rains")
            played = waiting.result()
        self.assertEqual((played.state, played.result, played.reason), (v1.MATCH_STATE_CANCELLED, None, "it rains"))
        self.assertEqual(str(played), "seat 0: the match was cancelled: it rains")

    def test_an_agent_that_thinks_is_told(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        ends: list[ahu.SeatResult] = []
        case = self

        class Thinks(RandomAgent):
            def act(self, turn: ahu.Turn) -> int:
                cancelled = case.client.cancel_match(match.match_id, match.owner_token)
                case.assertEqual(cancelled.end_reason, "cancelled by its creator")
                return super().act(turn)

            def end(self, result: ahu.SeatResult) -> None:
                ends.append(result)

        played = play_seat(Thinks(), seat)
        self.assertEqual((played.state, played.reason), (v1.MATCH_STATE_CANCELLED, "cancelled by its creator"))
        self.assertEqual(ends, [played])
        self.assertEqual(self.refused(ahu.MatchEnded, seat.step, 0, decision_id=1).state, "cancelled")
        self.assertEqual(self.refused(ahu.MatchEnded, seat.resign).state, "cancelled")

    def test_only_the_creator_cancels(self) -> None:
        match = self.client.create_match("rappanui", 2)
        seat = self.client.join(match.match_id)
        other = self.client.create_match("rappanui", 2)
        for token in ("guess", seat.token, other.owner_token):
            error = self.refused(ahu.ServiceError, self.client.cancel_match, match.match_id, token)
            self.assertEqual(error.reason, "WRONG_TOKEN")
        self.assertEqual(self.client.get_match(match.match_id).state, v1.MATCH_STATE_SEATING)

    def test_a_reason_is_one_line(self) -> None:
        match = self.client.create_match("rappanui", 2)
        for reason in ("x" * 201, "two\nlines", "  spaces"):
            error = self.refused(ahu.ServiceError, self.client.cancel_match, match.match_id, match.owner_token, reason)
            self.assertEqual(error.reason, "BAD_FIELD")

    def test_nobody_joins_a_cancelled_match(self) -> None:
        match = self.client.create_match("rappanui", 2)
        self.client.cancel_match(match.match_id, match.owner_token)
        self.assertEqual(self.refused(ahu.MatchEnded, self.client.join, match.match_id).state, "cancelled")
        self.assertNotEqual(self.client.join(game="rappanui", seats=2).match_id, match.match_id)
        listed = self.client.list_matches(state=v1.MATCH_STATE_CANCELLED)
        self.assertIn(match.match_id, [listed_match.match_id for listed_match in listed])


class Programs(EndingCase):
    """Agents that do not use the package."""

    def run_programs(self, seat: ahu.client.Seat) -> tuple[str, dict[str, Any]]:
        environment = support.variables(self.server.address, seat)
        plain = support.run_program(support.HERE / "random_agent.py", environment=environment)
        reflection = support.run_program(support.EXAMPLES / "reflection_agent.py", environment=environment)
        return plain, json.loads(reflection.splitlines()[-1])

    def test_a_cancelled_match_ends_them(self) -> None:
        match = self.client.create_match("rappanui", 2)
        seat = self.client.join(match.match_id)
        self.client.cancel_match(match.match_id, match.owner_token, "it rains")
        plain, reflection = self.run_programs(seat)
        self.assertEqual(plain, "seat 0: MATCH_STATE_CANCELLED (it rains)\n")
        self.assertEqual(reflection, {"end_reason": "it rains"})

    def test_a_forfeit_ends_them(self) -> None:
        seat = self.seat()
        seat.resign()
        self.client.get_match(seat.match_id, wait=30)
        plain, reflection = self.run_programs(seat)
        self.assertEqual(plain, "seat 0: forfeited (CAUSE_RESIGNED)\n")
        self.assertEqual(reflection["forfeits"], [{"seat": 0, "cause": "CAUSE_RESIGNED"}])


class Private(EndingCase):
    def test_a_private_match_is_found_by_its_id_alone(self) -> None:
        match = self.client.create_match("rappanui", 2, unlisted=True, labels={"cup": "spring", "round": "3"})
        self.assertTrue(match.unlisted)
        self.assertEqual(dict(match.labels), {"cup": "spring", "round": "3"})
        self.assertNotIn(match.match_id, [listed.match_id for listed in self.client.list_matches()])
        self.assertNotEqual(self.client.join(game="rappanui", seats=2).match_id, match.match_id)
        self.assertEqual(self.client.join(match.match_id).seat, 0)

    def test_an_invitation_code_opens_its_seat(self) -> None:
        code, other = secrets.token_urlsafe(), secrets.token_urlsafe()
        reservations = {1: ahu.client.Reservation(invitation_code=code)}
        match = self.client.create_match("rappanui", 2, reservations=reservations)
        self.assertEqual([seat.reserved for seat in match.seats], [False, True])
        for wrong in ("", other):
            error = self.refused(ahu.SeatReserved, self.client.join, match.match_id, seat=1, invitation_code=wrong)
            self.assertEqual(error.metadata["seat"], "1")
        self.assertEqual(self.client.join(match.match_id, invitation_code=code).seat, 1)
        self.assertEqual(self.client.join(match.match_id).seat, 0)

    def test_a_name_takes_its_seat(self) -> None:
        reservations = {0: ahu.client.Reservation(name="Hotu"), 1: ahu.client.Reservation(name="Matua")}
        match = self.client.create_match("rappanui", 2, reservations=reservations)
        self.refused(ahu.SeatReserved, self.client.join, match.match_id, name="stranger")
        self.refused(ahu.SeatReserved, self.client.join, match.match_id, seat=0, name="Matua")
        self.assertEqual(self.client.join(match.match_id, name="Matua").seat, 1)
        self.assertEqual(self.client.join(match.match_id, name="Hotu").seat, 0)

    def test_a_reservation_that_makes_no_sense_is_refused(self) -> None:
        code = ahu.client.Reservation(invitation_code="short")
        for bad in ({0: code}, {0: ahu.client.Reservation(name="")}, {0: ahu.client.Reservation(name="two\nlines")}):
            self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, reservations=bad)
        named = {0: ahu.client.Reservation(name="Hotu")}
        self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, bots={0: "greedy"}, reservations=named)

    def test_labels_have_limits(self) -> None:
        for labels in ({str(i): "" for i in range(17)}, {"": "x"}, {"k" * 65: ""}, {"k": "x" * 257}, {"k": "a\nb"}):
            error = self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, labels=labels)
            self.assertEqual(error.reason, "BAD_FIELD")


class Bots(EndingCase):
    def test_a_name_without_a_version_is_that_of_the_newest_bot(self) -> None:
        names = [bot.name for bot in self.client.get_game("rappanui").bots]
        others = ["heldout@1", "heldout@2", "net@1"]
        self.assertEqual(names, ["random@1", "easy@1", "greedy@1", "greedy@2", *others, "search@1", "search@2"])
        match = self.client.create_match("rappanui", 3, bots={0: "greedy", 1: "greedy@1"})
        self.assertEqual([seat.name for seat in match.seats], ["greedy@2", "greedy@1", ""])
        for unknown in "greedy@3", "greedy@", "@1", "greedy@01":
            error = self.refused(ahu.ServiceError, self.client.create_match, "rappanui", 2, bots={0: unknown})
            self.assertEqual((error.reason, error.metadata["bot"]), ("UNKNOWN_BOT", unknown))


class EndingsByAsyncio(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.server = self.enterContext(ahu.launch())
        self.client = await self.enterAsyncContext(ahu.aio.Client(self.server.address))

    async def test_an_agent_that_never_moves_forfeits(self) -> None:
        case = self

        class Idles(RandomAgent):
            async def act(self, turn: ahu.Turn) -> int:  # type: ignore[override]
                while (await case.client.get_match(turn.match_id, wait=30)).state == v1.MATCH_STATE_RUNNING:
                    pass
                return super().act(turn)

        match = await self.client.create_match("rappanui", 2, seed=7, seat_time_controls={0: SHORT})
        seats = [await self.client.join(match.match_id) for _ in range(2)]
        with self.assertLogs("ahu"):
            agents = (Idles(), RandomAgent(1))
            playing = (ahu.aio.connect(agent, seat=seat) for agent, seat in zip(agents, seats, strict=True))
            idle, other = [connected.result for connected in await asyncio.gather(*playing)]
        assert idle is not None and other is not None
        self.assertEqual((idle.forfeit, other.forfeit), ("timeout", None))
        self.assertEqual(idle.result, other.result)

    async def test_an_illegal_action_forfeits_where_that_is_agreed(self) -> None:
        match = await self.client.create_match(
            "rappanui", 2, bots={1: "greedy"}, seed=7, conduct=ahu.client.Conduct(illegal="forfeit")
        )
        with self.assertLogs("ahu"):
            played = (await ahu.aio.connect(Says(illegal), seat=await self.client.join(match.match_id))).result
        assert played is not None
        self.assertEqual(played.forfeit, "illegal")

    async def test_whoever_waits_is_told_of_a_cancellation(self) -> None:
        match = await self.client.create_match("rappanui", 2, unlisted=True, labels={"cup": "spring"})
        seat = await self.client.join(match.match_id)
        playing = asyncio.create_task(ahu.aio.connect(RandomAgent(), seat=seat))
        await self.client.cancel_match(match.match_id, match.owner_token, "it rains")
        played = (await playing).result
        assert played is not None
        self.assertEqual((played.state, played.reason), (v1.MATCH_STATE_CANCELLED, "it rains"))
        with self.assertRaises(ahu.MatchEnded):
            await seat.resign()

    async def test_a_code_opens_a_seat_and_its_player_may_resign(self) -> None:
        code = secrets.token_urlsafe()
        match = await self.client.create_match(
            "rappanui",
            2,
            reservations={0: ahu.client.Reservation(invitation_code=code)},
            time_control=ahu.client.TimeControl(bank=60),
        )
        with self.assertRaises(ahu.SeatReserved):
            await self.client.join(match.match_id, seat=0)
        seat = await self.client.join(match.match_id, invitation_code=code)
        other = await self.client.join(match.match_id)
        self.assertEqual({clock.seat for clock in (await other.observe()).clocks}, {0, 1})
        self.assertEqual((await seat.resign()).state, v1.MATCH_STATE_RUNNING)
        observation = await other.observe(wait=30)
        self.assertEqual([forfeit.cause for forfeit in observation.forfeits], [v1.CAUSE_RESIGNED])


if __name__ == "__main__":
    unittest.main()
