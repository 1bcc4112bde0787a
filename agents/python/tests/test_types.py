"""The names, signatures, and doc comments of the package. `typed_calls.py` has the types that pyright checks."""

import ast
import inspect
import re
import unittest
from collections.abc import Iterator
from pathlib import Path

from support import HERE

import ahu
from ahu import _native, aio
from ahu.v1 import catalog_service_pb2, match_service_pb2

PACKAGE = Path(ahu.__file__).parent
QUESTIONS = ("How", "What", "When", "Where", "Whether", "Who", "Whoever")


def unary_methods() -> Iterator[str]:
    """Yields the Python names of the calls with one answer."""
    for module in (catalog_service_pb2, match_service_pb2):
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                if not method.server_streaming:
                    yield re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()


class Calls(unittest.TestCase):
    def test_both_clients_have_every_call_that_has_one_answer(self) -> None:
        names = set(unary_methods())
        self.assertLessEqual({"get_game", "create_match", "step", "list_matches"}, names)
        for client in (ahu.client.Client, aio.Client):
            self.assertLessEqual(names, set(dir(client)), client)

    def test_both_clients_and_both_seats_have_the_same_methods_with_the_same_parameters(self) -> None:
        for one, other in ((ahu.client.Client, aio.Client), (ahu.client.Seat, aio.Seat)):
            names = {name for name in dir(one) if not name.startswith("_")}
            self.assertEqual(names, {name for name in dir(other) if not name.startswith("_")})
            for name in names:
                with self.subTest(one=one, name=name):
                    parameters = [list(inspect.signature(getattr(of, name)).parameters) for of in (one, other)]
                    self.assertEqual(*parameters)

    def test_help_explains_a_call_and_its_arguments(self) -> None:
        for client in (ahu.client.Client, aio.Client):
            text = inspect.getdoc(client.create_match) or ""
            self.assertRegex(text, r"(?s)^Creates a match\..*Args:.*seats: ")


class Extension(unittest.TestCase):
    def test_its_stub_has_the_names_and_parameters_of_the_module(self) -> None:
        stub = ast.parse((PACKAGE / "_native.pyi").read_text())
        self.assertEqual(declared(stub.body, _native), {name for name in vars(_native) if not name.startswith("__")})


def declared(body: list[ast.stmt], of: object) -> set[str]:
    """Returns the public names in the body of a stub, and checks the parameters of its functions against `of`."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            kind = getattr(of, node.name)
            assert isinstance(kind, type), f"{node.name} is no class"
            if not issubclass(kind, Exception):
                members = {name for name in vars(kind) if not name.startswith("__")}
                stated = declared(node.body, kind)
                assert stated == members, f"{node.name}: the stub has {stated}, the module {members}"
            names.add(node.name)
        elif isinstance(node, ast.FunctionDef):
            is_property = any(isinstance(name, ast.Name) and name.id == "property" for name in node.decorator_list)
            if not is_property:
                # `inspect` gives the parameters of a constructor as the signature of the class.
                function = of if node.name == "__new__" else getattr(of, node.name)
                assert callable(function)
                expected = [name for name in inspect.signature(function).parameters if name != "self"]
                listed = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
                listed_parameters = [name for name in listed if name not in ("self", "cls")]
                assert listed_parameters == expected, f"{node.name}: {listed_parameters} is not {expected}"
            if not node.name.startswith("__"):
                names.add(node.name)
    return names


class Prose(unittest.TestCase):
    def test_doc_comments_begin_with_a_noun_or_a_verb(self) -> None:
        """Rules R1 and R2 of CONTRIBUTING.md."""
        faults: list[str] = []
        for module in (HERE / "ahu").rglob("*.py"):
            if module.name.endswith(("_pb2.py", "_pb2_grpc.py")):
                continue
            for node in ast.walk(ast.parse(module.read_text())):
                faults += [f"{module.name}:{node.lineno}: {text}" for text in faulty(node)]
        self.assertEqual(faults, [])


def faulty(node: ast.AST) -> Iterator[str]:
    """Yields the first line of the doc comment of a node if it breaks the rules."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        first = (ast.get_docstring(node) or "Returns").split("\n")[0]
        words = {name.id for name in node.decorator_list if isinstance(name, ast.Name)}
        is_value = bool(words & {"property", "cached_property"})
        if first.startswith(QUESTIONS) or not (is_value or re.match(r"[A-Z][a-z]+s\b|[^A-Z]", first)):
            yield first
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        # The doc comment of a module, a class, or a constant.
        first = node.value.value.split("\n")[0]
        if re.match(rf"(?:{'|'.join(QUESTIONS)})\b", first):
            yield first


if __name__ == "__main__":
    unittest.main()
