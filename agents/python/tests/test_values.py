"""Actions, turns, terms, results, and errors as values: without a server."""

import copy
import math
import pickle
import unittest
from typing import get_args
from unittest import mock

import grpc
from google.protobuf import any_pb2
from support import Failure, failure, play_seat

import ahu
from ahu import _actions as actions, _channel, _terms as terms
from ahu._failures import error_of
from ahu.rappanui.v1 import rappanui_pb2 as rappanui
from ahu.v1 import match_service_pb2 as v1

TYPED = rappanui.Action(meld=rappanui.Action.Meld(card=rappanui.Card(notation="F7")))


class Choices(unittest.TestCase):
    def test_an_action_goes_in_the_form_that_it_has(self) -> None:
        packed = any_pb2.Any()
        packed.Pack(TYPED)
        self.assertEqual(actions.message(0), v1.Action(action_id=0))
        self.assertEqual(actions.message(78).action_id, 78)
        self.assertEqual(actions.message("meld F7").text, "meld F7")
        self.assertEqual(actions.message(TYPED).typed, packed)
        self.assertEqual(actions.message(packed).typed, packed)
        self.assertEqual(actions.message(ahu.Action(id=78, text="meld F7")).action_id, 78)
        self.assertEqual(actions.message(v1.Action(action_id=0)), v1.Action(action_id=0))
        self.assertEqual(actions.message(v1.Action(text="meld F7")).text, "meld F7")
        self.assertEqual(actions.message(v1.Action(typed=packed)).typed, packed)

    def test_what_is_no_action_is_refused(self) -> None:
        for choice in (None, 1.5, ["meld F7"]):
            with self.assertRaisesRegex(TypeError, "an action is an id, a text, a typed message or one of turn.legal"):
                actions.message(choice)
        with self.assertRaisesRegex(ValueError, "0 or more"):
            actions.message(-1)
        with self.assertRaisesRegex(ValueError, "is empty"):
            actions.message(v1.Action())


class Turns(unittest.TestCase):
    def test_legal_ids_come_from_whatever_form_has_them(self) -> None:
        legal = [v1.Action(action_id=3, text="a"), v1.Action(action_id=64, text="b")]
        for name, decision in (
            ("legal_ids", v1.Decision(legal_ids=[3, 64])),
            ("legal_actions", v1.Decision(legal_actions=legal)),
            ("mask", v1.Decision(mask=(1 << 3 | 1 << 64).to_bytes(16, "little"))),
        ):
            turn = ahu.Turn(v1.Observation(decision=decision), v1.ObservationFormats(**{name: True}))
            self.assertEqual(turn.legal_ids, (3, 64), name)

    def test_times_are_seconds(self) -> None:
        observation = v1.Observation(
            decision=v1.Decision(time_left=terms.duration(1.25, "time_left")),
            clocks=[v1.SeatClock(seat=seat, bank=terms.duration(bank, "bank")) for seat, bank in ((0, 60), (2, 0.5))],
        )
        turn = ahu.Turn(observation, v1.ObservationFormats())
        self.assertEqual((turn.time_left, turn.banks), (1.25, {0: 60.0, 2: 0.5}))
        without = ahu.Turn(v1.Observation(decision=v1.Decision()), v1.ObservationFormats())
        self.assertEqual((without.time_left, without.banks), (None, {}))

    def test_what_was_not_asked_for_is_an_error(self) -> None:
        turn = ahu.Turn(v1.Observation(), v1.ObservationFormats(mask=True))
        for name, field in (
            ("typed", "typed"),
            ("text", "text"),
            ("observation", "tensor"),
            ("masks", "tensor"),
            ("legal", "legal_actions"),
        ):
            with self.assertRaisesRegex(LookupError, f"do not ask for {field}"):
                getattr(turn, name)
        with self.assertRaisesRegex(LookupError, "typed"):
            _ = ahu.Action(id=1, text="a").typed


class Errors(unittest.TestCase):
    def test_they_say_what_the_service_says(self) -> None:
        error = error_of(failure(grpc.StatusCode.NOT_FOUND, "UNKNOWN_GAME", "no such game", game="chess"))
        self.assertIs(type(error), ahu.ServiceError)
        self.assertEqual(error.code, "NOT_FOUND")
        self.assertEqual((error.reason, error.message), ("UNKNOWN_GAME", "no such game"))
        self.assertEqual(error.metadata, {"game": "chess"})
        self.assertEqual(str(error), "UNKNOWN_GAME: no such game")

    def test_those_of_others_have_no_reason_of_ours(self) -> None:
        self.assertEqual(error_of(Failure(grpc.StatusCode.INTERNAL, "oh")).reason, "")
        self.assertEqual(str(error_of(Failure(grpc.StatusCode.INTERNAL, "oh"))), "INTERNAL: oh")

    def test_reasons_with_a_class_of_their_own_are_that_class(self) -> None:
        failed = grpc.StatusCode.FAILED_PRECONDITION
        forfeited = error_of(failure(failed, "FORFEITED", cause="TIMEOUT"))
        assert isinstance(forfeited, ahu.Forfeited)
        self.assertEqual(forfeited.cause, "timeout")
        ended = error_of(failure(failed, "MATCH_ENDED", match_id="m", state="VOID"))
        assert isinstance(ended, ahu.MatchEnded)
        self.assertEqual(ended.state, "void")
        self.assertIs(type(error_of(failure(failed, "NO_RESIGNATION"))), ahu.NoResignation)
        denied = error_of(failure(grpc.StatusCode.PERMISSION_DENIED, "SEAT_RESERVED"))
        self.assertIs(type(denied), ahu.SeatReserved)

    def test_legal_ids_are_read_from_ranges(self) -> None:
        error = error_of(failure(grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_ACTION", legal="0-3,9,..."))
        assert isinstance(error, ahu.IllegalAction)
        self.assertEqual(error.legal_ids, (0, 1, 2, 3, 9))


class Terms(unittest.TestCase):
    def test_a_time_control_is_the_same_as_a_message(self) -> None:
        control = ahu.client.TimeControl(startup=5, limit=2.5, bank=60, increment=0.001, lag=0)
        message = control.message()
        self.assertEqual((message.limit.seconds, message.limit.nanos), (2, 500_000_000))
        self.assertEqual(ahu.client.TimeControl.of(message), control)
        self.assertEqual(ahu.client.TimeControl().message(), v1.TimeControl())
        self.assertTrue(message.HasField("lag"), "a lag of 0 is not the default")

    def test_a_time_control_is_a_text(self) -> None:
        for text, control in (
            ("10+0.1", ahu.client.TimeControl(startup=10, bank=10, increment=0.1, lag=0)),
            ("5s/move,startup=1m", ahu.client.TimeControl(startup=60, limit=5, increment=0, lag=0)),
            (
                "2m+1500ms,0.05/move,lag=0.2",
                ahu.client.TimeControl(startup=10, limit=0.05, bank=120, increment=1.5, lag=0.2),
            ),
        ):
            self.assertEqual(ahu.client.TimeControl.parse(text), control)
            self.assertEqual(ahu.client.TimeControl.parse(str(control)), control)
        self.assertEqual(str(ahu.client.TimeControl(bank=10, increment=0.1)), "10+0.1")
        self.assertEqual(str(ahu.client.TimeControl(bank=600, limit=0.0625, startup=0)), "600,0.0625/move,startup=0")
        with self.assertRaisesRegex(ValueError, 'expected a time from 0 to 86400 seconds, .* got "soon"'):
            ahu.client.TimeControl.parse("soon")
        with self.assertRaises(TypeError):
            ahu.client.TimeControl(10)  # pyright: ignore[reportCallIssue]

    def test_a_value_that_is_not_a_time_is_refused(self) -> None:
        for value in (math.nan, math.inf, -math.inf, 1e30):
            with self.assertRaisesRegex(ValueError, f"expected seconds for limit, got {value}".replace("+", r"\+")):
                ahu.client.TimeControl(limit=value).message()

    def test_a_conduct_is_the_same_as_a_message(self) -> None:
        conduct = ahu.client.Conduct(
            illegal="strike", unreadable="forfeit", resigned="refusal", absence_limit=90.5, tries=7
        )
        message = conduct.message()
        self.assertEqual(message.illegal, v1.CONSEQUENCE_STRIKE)
        self.assertEqual(message.timeout, v1.CONSEQUENCE_UNSPECIFIED)
        self.assertEqual(ahu.client.Conduct.of(message), conduct)
        self.assertEqual(ahu.client.Conduct.of(ahu.client.Conduct().message()), ahu.client.Conduct())

    def test_a_conduct_that_says_nothing_is_refused(self) -> None:
        with self.assertRaisesRegex(
            ValueError, 'expected "refusal", "strike", or "forfeit" for timeout, got \'death\''
        ):
            ahu.client.Conduct(timeout="death").message()  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "expected tries of 1 to 65535, got 0"):
            ahu.client.Conduct(tries=0).message()

    def test_a_reservation_has_one_condition(self) -> None:
        with self.assertRaisesRegex(ValueError, "expected a name or an invitation_code, got none"):
            ahu.client.Reservation()
        with self.assertRaisesRegex(ValueError, "expected a name or an invitation_code, got both"):
            ahu.client.Reservation(name="a", invitation_code="b")
        self.assertNotIn("secret", repr(ahu.client.Reservation(invitation_code="secret")))


class CreatedMatches(unittest.TestCase):
    def test_it_has_the_fields_of_the_description(self) -> None:
        created = ahu.client.CreatedMatch(match=v1.Match(match_id="m", unlisted=True), owner_token="secret")
        self.assertEqual((created.match_id, created.unlisted, created.owner_token), ("m", True, "secret"))
        with self.assertRaisesRegex(AttributeError, "'CreatedMatch' object has no attribute 'colour'"):
            _ = created.colour
        self.assertNotIn("secret", repr(created))

    def test_it_can_be_copied_and_pickled(self) -> None:
        created = ahu.client.CreatedMatch(match=v1.Match(match_id="m"), owner_token="secret")
        self.assertEqual(copy.deepcopy(created), created)
        self.assertEqual(pickle.loads(pickle.dumps(created)), created)


class Script:
    """A seat that gets these observations, one after the other."""

    match_id, seat = "m", 0

    agent_seed = None

    def __init__(self, *observations: v1.Observation) -> None:
        self._observations = list(observations)

    def match(self) -> v1.Match:
        return v1.Match(match_id="m")

    def observe(
        self, formats: v1.ObservationFormats, *, events_after: int | None = None, wait: float = 0.0
    ) -> v1.Observation:
        return self._observations.pop(0)


class Results(unittest.TestCase):
    """The results of `play` with scripted observations."""

    def play(self, *observations: v1.Observation) -> ahu.SeatResult:
        """Plays a seat that gets these observations and never has a decision."""
        ends: list[ahu.SeatResult] = []

        class Watches:
            formats = v1.ObservationFormats()

            def act(self, turn: ahu.Turn) -> int:
                raise AssertionError("there is no decision")

            def end(self, result: ahu.SeatResult) -> None:
                ends.append(result)

        result = play_seat(Watches(), Script(*observations))  # type: ignore[arg-type]
        self.assertEqual(ends, [result])
        return result

    def test_a_finished_match_has_a_result(self) -> None:
        known = v1.MatchResult(scores=[31, 7], ranks=[1, 2])
        running = v1.Observation(seat=0, state=v1.MATCH_STATE_RUNNING)
        result = self.play(running, v1.Observation(seat=0, state=v1.MATCH_STATE_FINISHED, done=True, result=known))
        self.assertEqual((result.result, result.forfeit, result.reason), (known, None, ""))
        self.assertEqual((list(result.scores), list(result.ranks)), ([31, 7], [1, 2]))
        self.assertEqual(str(result), "seat 0: 31 points, place 1")

    def test_a_match_without_a_result_says_why(self) -> None:
        for state, words in (
            (v1.MATCH_STATE_CANCELLED, "the match was cancelled: rain"),
            (v1.MATCH_STATE_VOID, "the match is void: rain"),
            (9, "the match has ended: rain"),
        ):
            result = self.play(v1.Observation(seat=0, state=state, done=True, end_reason="rain"))  # type: ignore[arg-type]
            self.assertEqual((result.state, result.result, result.reason), (state, None, "rain"))
            self.assertEqual(str(result), f"seat 0: {words}")
            with self.assertRaisesRegex(LookupError, f"without a result: {words}"):
                _ = result.scores

    def test_every_cause_of_a_forfeit_is_told(self) -> None:
        for cause in get_args(ahu.Cause):
            forfeits = [
                v1.Forfeit(seat=1, cause=v1.CAUSE_ILLEGAL),
                v1.Forfeit(seat=0, cause=f"CAUSE_{cause.upper()}"),
            ]
            observation = v1.Observation(seat=0, state=v1.MATCH_STATE_RUNNING, done=True, forfeits=forfeits)
            with self.assertLogs("ahu") as logs:
                result = self.play(observation)
            self.assertEqual((result.forfeit, str(result)), (cause, f"seat 0: forfeited ({cause})"))
            self.assertIn(f"seat 0 of match m has forfeited ({cause})", logs.output[0])
            with self.assertRaisesRegex(LookupError, "the others play on"):
                _ = result.ranks

    def test_a_forfeit_of_another_seat_does_not_stop_the_seat(self) -> None:
        forfeits = [v1.Forfeit(seat=1, cause=v1.CAUSE_RESIGNED)]
        running = v1.Observation(seat=0, state=v1.MATCH_STATE_RUNNING, forfeits=forfeits)
        known = v1.MatchResult(scores=[5, 9], ranks=[1, 2])
        result = self.play(
            running,
            running,
            v1.Observation(seat=0, state=v1.MATCH_STATE_FINISHED, done=True, forfeits=forfeits, result=known),
        )
        self.assertIsNone(result.forfeit)

    def test_a_cause_of_a_newer_server_is_a_number(self) -> None:
        forfeits = [v1.Forfeit(seat=0, cause=77)]  # type: ignore[arg-type]
        with self.assertLogs("ahu"):
            result = self.play(v1.Observation(seat=0, state=v1.MATCH_STATE_RUNNING, done=True, forfeits=forfeits))
        self.assertEqual(result.forfeit, "77")


class Messages(unittest.TestCase):
    def test_a_message_of_an_unknown_game_says_so(self) -> None:
        with self.assertRaisesRegex(LookupError, 'no message is called "ahu.chess.v1.Action"'):
            ahu.unpack(any_pb2.Any(type_url="type.googleapis.com/ahu.chess.v1.Action"))


class Addresses(unittest.TestCase):
    def test_an_address_of_another_form_is_refused(self) -> None:
        for address in ("ftp://127.0.0.1:50551", "https://cup.example.org/page", "https://", "", "127.0.0.1:1,"):
            with self.assertRaisesRegex(ValueError, "host:port"):
                ahu.client.Client(address)

    def test_the_scheme_says_whether_a_channel_has_tls(self) -> None:
        for address, expected in {
            "127.0.0.1:5": ("insecure", "127.0.0.1:5"),
            "http://127.0.0.1:5/": ("insecure", "127.0.0.1:5"),
            "https://cup.example.org": ("secure", "cup.example.org"),
            "unix:/run/ahu.socket": ("insecure", "unix:/run/ahu.socket"),
        }.items():
            module = mock.Mock()
            _channel.open_channel(module, address)
            [(name, (target, *_), _)] = module.method_calls
            self.assertEqual((name.removesuffix("_channel"), target), expected)

    def test_proxies_are_for_other_machines(self) -> None:
        for host, expected in {
            "localhost": True,
            "Localhost": True,
            "127.0.0.2": True,
            "0.0.0.0": True,
            "[::1]": True,
            "[0:0::1]": True,
            "[::]": True,
            "[::ffff:127.0.0.1]": True,
            "[::FFFF:0:0]": True,
            "127.example.org": False,
            "localhost.example.org": False,
            "192.0.2.1": False,
            "[2001:db8::1]": False,
            "[::ffff:192.0.2.1]": False,
        }.items():
            module = mock.Mock()
            _channel.open_channel(module, f"http://{host}:5")
            [(_, (_, options), _)] = module.method_calls
            self.assertEqual(("grpc.enable_http_proxy", 0) in options, expected, host)


class Placements(unittest.TestCase):
    def test_what_is_missing_is_named(self) -> None:
        with self.assertRaisesRegex(LookupError, "AHU_SEAT, AHU_TOKEN is not set"):
            ahu.client.Placement.from_environment({"AHU_ADDRESS": "a", "AHU_MATCH": "m"})

    def test_the_token_is_not_shown(self) -> None:
        variables = {"AHU_ADDRESS": "a", "AHU_MATCH": "m", "AHU_SEAT": "1", "AHU_TOKEN": "secret"}
        self.assertNotIn("secret", repr(ahu.client.Placement.from_environment(variables)))
        self.assertNotIn("secret", repr(ahu.client.Client("a:1").seat("m", 1, "secret")))


if __name__ == "__main__":
    unittest.main()
