"""Actions, turns and errors as values: without a server."""

import unittest
from typing import Any

import grpc
from google.protobuf import any_pb2
from support import Failure, failure

import ahu
from ahu import _channel, actions, errors
from ahu.rappanui.v1 import rappanui_pb2 as rappanui
from ahu.v1 import match_service_pb2 as v1

TYPED = rappanui.Action(meld=rappanui.Action.Meld(card=rappanui.Card(notation="F7")))


class Choices(unittest.TestCase):
    def put(self, choice: Any) -> v1.StepRequest:
        request = v1.StepRequest()
        actions.put(choice, request)
        return request

    def test_an_action_goes_in_the_form_that_it_has(self) -> None:
        packed = any_pb2.Any()
        packed.Pack(TYPED)
        self.assertEqual(self.put(0).WhichOneof("action"), "action_id")
        self.assertEqual(self.put(78).action_id, 78)
        self.assertEqual(self.put("meld F7").text, "meld F7")
        self.assertEqual(self.put(TYPED).typed, packed)
        self.assertEqual(self.put(packed).typed, packed)
        self.assertEqual(self.put(ahu.Action(78, "meld F7")).action_id, 78)
        self.assertEqual(self.put(v1.Action(action_id=0)).WhichOneof("action"), "action_id")
        self.assertEqual(self.put(v1.Action(text="meld F7")).text, "meld F7")
        self.assertEqual(self.put(v1.Action(typed=packed)).typed, packed)

    def test_what_is_no_action_is_refused(self) -> None:
        for choice in (None, 1.5, ["meld F7"]):
            with self.assertRaisesRegex(TypeError, "an action is an id, a text, a typed message or one of turn.legal"):
                self.put(choice)
        with self.assertRaisesRegex(ValueError, "0 or more"):
            self.put(-1)
        with self.assertRaisesRegex(ValueError, "is empty"):
            self.put(v1.Action())


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

    def test_what_was_not_asked_for_is_an_error(self) -> None:
        turn = ahu.Turn(v1.Observation(), v1.ObservationFormats(mask=True))
        for name, field in (("typed", "typed"), ("text", "text"), ("tensor", "tensor"), ("legal", "legal_actions")):
            with self.assertRaisesRegex(LookupError, f"do not ask for {field}"):
                getattr(turn, name)
        with self.assertRaisesRegex(LookupError, "typed"):
            _ = ahu.Action(1, "a").typed


class Errors(unittest.TestCase):
    def test_they_say_what_the_service_says(self) -> None:
        error = errors.of(failure(grpc.StatusCode.NOT_FOUND, "UNKNOWN_GAME", "no such game", game="chess"))
        self.assertIs(type(error), ahu.AhuError)
        self.assertIs(error.code, grpc.StatusCode.NOT_FOUND)
        self.assertEqual((error.reason, error.message), ("UNKNOWN_GAME", "no such game"))
        self.assertEqual(error.metadata, {"game": "chess"})
        self.assertEqual(str(error), "UNKNOWN_GAME: no such game")

    def test_those_of_others_have_no_reason_of_ours(self) -> None:
        self.assertEqual(errors.of(Failure(grpc.StatusCode.INTERNAL, "oh")).reason, "")
        self.assertEqual(str(errors.of(Failure(grpc.StatusCode.INTERNAL, "oh"))), "INTERNAL: oh")

    def test_legal_ids_are_read_from_ranges(self) -> None:
        error = errors.of(failure(grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_ACTION", legal="0-3,9,..."))
        assert isinstance(error, ahu.IllegalAction)
        self.assertEqual(error.legal_ids, (0, 1, 2, 3, 9))


class Messages(unittest.TestCase):
    def test_a_message_of_an_unknown_game_says_so(self) -> None:
        with self.assertRaisesRegex(LookupError, 'no message is called "ahu.chess.v1.Action"'):
            ahu.unpack(any_pb2.Any(type_url="type.googleapis.com/ahu.chess.v1.Action"))


class Addresses(unittest.TestCase):
    def test_a_url_is_none(self) -> None:
        with self.assertRaisesRegex(ValueError, "host:port"):
            ahu.Client("http://127.0.0.1:50551")

    def test_a_unix_socket_has_the_authority_that_servers_want(self) -> None:
        self.assertIn(("grpc.default_authority", "localhost"), _channel.options("unix:/tmp/ahu.socket"))


class Placements(unittest.TestCase):
    def test_what_is_missing_is_named(self) -> None:
        with self.assertRaisesRegex(LookupError, "AHU_SEAT, AHU_TOKEN is not set"):
            ahu.Placement.from_environment({"AHU_ADDRESS": "a", "AHU_MATCH": "m"})

    def test_the_token_is_not_shown(self) -> None:
        variables = {"AHU_ADDRESS": "a", "AHU_MATCH": "m", "AHU_SEAT": "1", "AHU_TOKEN": "secret"}
        self.assertNotIn("secret", repr(ahu.Placement.from_environment(variables)))
        self.assertNotIn("secret", repr(ahu.Client("a:1").seat("m", 1, "secret")))


if __name__ == "__main__":
    unittest.main()
