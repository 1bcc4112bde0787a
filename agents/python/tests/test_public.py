"""The public names: their module, their pickles, their fields, and the errors."""

import dataclasses
import multiprocessing
import pickle
import pickletools
import re
import subprocess
import sys
import unittest
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import ahu
import ahu.client
import ahu.language
import ahu.training
from ahu import _hints

FIELDS: dict[str, Any] = {
    "code": "NOT_FOUND",
    "reason": "UNKNOWN_GAME",
    "metadata": {"legal": "0-2", "cause": "TIMEOUT", "state": "VOID"},
    "field_violations": (ahu.FieldViolation(field="game", description="none"),),
    "retry_after": 0.5,
}


def names_of(module: ModuleType, names: list[str]) -> Iterator[tuple[str, Any]]:
    """Yields the classes and functions of a module that are no messages of a proto."""
    for name in names:
        value = getattr(module, name)
        # An alias of a type tells the module of the type.
        if isinstance(value, type | FunctionType | BuiltinFunctionType) and not value.__module__.endswith("_pb2"):
            yield name, value


def public() -> Iterator[tuple[str, str, Any]]:
    """Yields the module, the name, and the value of each public class and function."""
    modules = {ahu: ahu.__all__, ahu.language: ahu.language.__all__, ahu.training: ahu.training.__all__}
    terms = ["AgentKey", "Conduct", "CreatedMatch", "Placement", "Reservation", "Retry", "TimeControl"]
    for module, names in {**modules, ahu.client: terms}.items():
        for name, value in names_of(module, list(names)):
            yield module.__name__, name, value


def errors(kind: type[ahu.AhuError] = ahu.AhuError) -> Iterator[type[ahu.AhuError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from errors(below)


class Hints(unittest.TestCase):
    def test_a_name_of_another_library_leads_to_what_is_there(self) -> None:
        state = ahu.new_game("rappanui", seed=1)
        turn = ahu.Turn(ahu.v1.match_service_pb2.Observation(), ahu.ObservationFormats())
        result = ahu.PlayResult(scores=(1,), ranks=(1,), forfeits=(None,), seed=1, record="", match=None)
        here = {"ahu": ahu, "State": state, "Turn": turn, "PlayResult": result}
        self.assertEqual(here.keys(), _hints.HERE.keys())
        for owner, hints in _hints.HERE.items():
            for name, use in hints.items():
                with self.subTest(f"{owner}.{name}"):
                    with self.assertRaises(AttributeError) as raised:
                        getattr(here[owner], name)
                    self.assertEqual(str(raised.exception), f"{owner} has no attribute {name!r}; use {use}")
                    module, _, member = re.split(r"[(:,]| or ", use)[0].rpartition(".")
                    holder = here["ahu"] if module == "ahu" else here[owner]
                    self.assertTrue(module not in ("", "ahu") or member in dir(holder), use)

    def test_a_property_that_fails_tells_its_own_error(self) -> None:
        class Broken(ahu.Turn):
            @property
            def broken(self) -> object:
                return self.message.nothing  # type: ignore[attr-defined]  # pyright: ignore

        turn = Broken(ahu.v1.match_service_pb2.Observation(), ahu.ObservationFormats())
        with self.assertRaisesRegex(AttributeError, "nothing"):
            turn.broken  # noqa: B018


class Names(unittest.TestCase):
    def test_each_belongs_to_the_module_from_which_users_import_it(self) -> None:
        seen = {"ahu": 0, "ahu.language": 0, "ahu.training": 0, "ahu.client": 0}
        for module, name, value in public():
            with self.subTest(f"{module}.{name}"):
                self.assertIn(value.__module__, {module, "ahu"})
                self.assertIs(getattr(sys.modules[value.__module__], value.__qualname__), value)
                seen[module] += 1
        self.assertGreater(min(seen.values()), 6, seen)
        self.assertGreater(seen["ahu"], 50, seen)

    def test_fields_of_dataclasses_are_given_by_name(self) -> None:
        kinds = {value for _, _, value in public() if dataclasses.is_dataclass(value)}
        self.assertGreater(len(kinds), 20)
        for kind in kinds:
            with self.subTest(kind):
                self.assertTrue(all(field.kw_only for field in dataclasses.fields(kind)))

    def test_pickles_name_nothing_private(self) -> None:
        players = {"a": "greedy", "b": "random"}
        state = ahu.new_game("rappanui", seed=1)
        for value in (
            ahu.play("rappanui", list(players.values()), seed=1),
            ahu.duel("rappanui", players, blocks=2, seed=1),
            state,
            ahu.analyse,
            ahu.VectorEnv,
            ahu.action_features,
            ahu.language.Usage(calls=3),
            ahu.client.Retry(total=1),
            ahu.IllegalAction("no", **FIELDS),
        ):
            with self.subTest(value):
                content = pickle.dumps(value)
                texts = [argument for _, argument, _ in pickletools.genops(content) if isinstance(argument, str)]
                modules = {text for text in texts if re.fullmatch(r"ahu(\.\w+)*", text) and not text.endswith("_pb2")}
                self.assertLessEqual(modules, {"ahu", "ahu.client", "ahu.language", "ahu.training"})
                again = pickle.loads(content)
                self.assertIs(type(again), type(value))
        self.assertEqual(pickle.loads(pickle.dumps(state)).fingerprint(), state.fingerprint())

    def test_results_can_be_compared_and_hashed(self) -> None:
        one, two = (ahu.play("rappanui", ["greedy", "random"], seed=1) for _ in range(2))
        self.assertNotEqual(one.match.match_id, two.match.match_id)
        self.assertEqual(len({dataclasses.replace(result, record="") for result in (one, two)}), 1)


class Errors(unittest.TestCase):
    def test_all_pickle_with_all_their_fields(self) -> None:
        kinds = list(errors())
        known = {name for name in ahu.__all__ if name in vars(ahu._errors) and name != "FieldViolation"}
        self.assertEqual({kind.__name__ for kind in kinds}, known)
        for kind in kinds:
            error = kind("it failed", **FIELDS) if issubclass(kind, ahu.ServiceError) else kind("it failed")
            error.add_note("a note")
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.subTest(kind, protocol=protocol):
                    again = pickle.loads(pickle.dumps(error, protocol))
                    self.assertIs(type(again), kind)
                    self.assertEqual((again.args, vars(again), str(again)), (error.args, vars(error), str(error)))
        again = pickle.loads(pickle.dumps(ahu.IllegalAction("no", **FIELDS)))
        self.assertEqual((again.legal_ids, again.code, str(again)), ((0, 1, 2), "NOT_FOUND", "UNKNOWN_GAME: no"))

    def test_a_pool_of_processes_hands_an_error_on(self) -> None:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            # The pool of a process that cannot read the error never answers.
            answer = pool.apply_async(ahu.new_game, ("gaints",))
            with self.assertRaisesRegex(ahu.ServiceError, 'UNKNOWN_GAME: .*did you mean "giants"') as caught:
                answer.get(timeout=120)
        self.assertEqual((caught.exception.code, caught.exception.metadata), ("NOT_FOUND", {"game": "gaints"}))

    def test_those_of_this_process_need_no_grpc(self) -> None:
        code = (
            "import sys, ahu\n"
            "try: ahu.new_game('rappanui').apply(9999)\n"
            "except ahu.IllegalAction as error: print(error.code, error.reason, 'grpc' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "INVALID_ARGUMENT UNKNOWN_ACTION False")


if __name__ == "__main__":
    unittest.main()
