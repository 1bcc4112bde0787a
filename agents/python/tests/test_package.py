"""The requirements of the package. `wheel_check.py` checks the installed package."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
import unittest
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from support import HERE

import ahu


class Requirements(unittest.TestCase):
    def test_they_are_said_the_same_twice(self) -> None:
        project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
        lines = (HERE / "requirements.txt").read_text().splitlines()
        self.assertEqual([line for line in lines if not line.startswith("#")], project["dependencies"])

    def test_nothing_else_is_imported(self) -> None:
        known = {"ahu", "google", "grpc", "__future__"} | set(sys.stdlib_module_names)
        for module in (*(HERE / "ahu").glob("*.py"), *(HERE / "ahu/language").glob("*.py")):
            imported = re.findall(r"^(?:from|import) (\w+)", module.read_text(), re.MULTILINE)
            # `ahu.records` returns arrays, as `ahu.training` does.
            allowed = known | ({"numpy"} if module.name == "records.py" else set())
            self.assertLessEqual(set(imported), allowed, module.name)


class Border(unittest.TestCase):
    """Public is what the page of the API names, from the module that it names."""

    page = (HERE / "../../docs/reference/python.md").read_text()
    entries = frozenset(re.findall(r"^::: ([\w.]+)$", page, re.MULTILINE))
    trees = MappingProxyType(
        {
            ".".join(path.relative_to(HERE).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
                path.read_text()
            )
            for path in (*(HERE / "ahu").rglob("*.py"), HERE / "ahu/_native.pyi")
            if "_pb2" not in path.name
        }
    )
    public = frozenset(module for module in trees if "._" not in module)

    def exported(self, module: str) -> list[str]:
        """Returns `__all__` of a module, which may need libraries that are not here."""
        if module == "ahu":
            return ahu.__all__
        for node in self.trees[module].body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and names_of(node) == ["__all__"] and node.value:
                return ast.literal_eval(node.value)
        raise AssertionError(f"{module} has no __all__, and no underscore")

    def test_a_module_without_an_underscore_is_on_the_page(self) -> None:
        self.assertGreater(len(self.public), 10)
        for module in self.public:
            with self.subTest(module):
                self.assertRegex(self.page, rf"(^::: |[`: ]){re.escape(module)}\b")
                self.assertEqual(len(self.exported(module)), len(set(self.exported(module))))

    def test_a_module_has_no_other_public_names(self) -> None:
        for module in self.public - {"ahu"}:
            # A module without names is a program.
            if exported := self.exported(module):
                own = {name for node in self.trees[module].body for name in names_of(node) if not name.startswith("_")}
                with self.subTest(module):
                    self.assertLessEqual(own, set(exported))

    def test_the_page_has_every_public_name_and_no_other(self) -> None:
        public = {f"{module}.{name}" for module in self.public for name in self.exported(module)}
        for name in public:
            with self.subTest(name):
                is_in_module = name.rpartition(".")[0] in self.entries
                self.assertTrue(is_in_module or name in self.entries or f"`{name}`" in self.page)
        self.assertLessEqual(self.entries, public | self.public)

    def test_every_public_name_and_member_is_documented(self) -> None:
        documented = {name for tree in self.trees.values() for name in documented_in(tree.body)}
        members = {
            node.name: [each.name for each in node.body if isinstance(each, FUNCTION) and not is_hidden(each)]
            for tree in self.trees.values()
            for node in tree.body
            if isinstance(node, ast.ClassDef)
        }
        for name in sorted({name for module in self.public for name in self.exported(module)}):
            # The protos document their messages.
            if f"`ahu.training.{name}` is the message" in self.page or f"`ahu.client.{name}`" in self.page:
                continue
            with self.subTest(name):
                is_message = name == "ObservationFormats"
                self.assertTrue(is_message or name in documented)
                own = {f"{name}.{member}" for member in members.get(name, [])}
                self.assertLessEqual(own, documented)

    def test_public_names_can_be_imported(self) -> None:
        for module in ("ahu", "ahu.aio", "ahu.client", "ahu.language", "ahu.records", "ahu.training"):
            for name in self.exported(module):
                with self.subTest(module, name=name):
                    self.assertTrue(hasattr(importlib.import_module(module), name))

    def test_the_version_is_that_of_the_program(self) -> None:
        told = subprocess.run([ahu.find_program(), "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(told.split()[:2], ["ahu", ahu.__version__])


FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def names_of(node: ast.AST) -> list[str]:
    """Returns the names that a statement defines."""
    if isinstance(node, FUNCTION | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def is_hidden(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Returns True for a member with an underscore, a setter, and a variant of a signature."""
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    return function.name.startswith("_") or any(each == "overload" or each.endswith(".setter") for each in decorators)


def documented_in(body: Sequence[ast.stmt], of: str = "") -> Iterator[str]:
    """Returns the names that have documentation in a body: of classes and functions, and of variables by the text after them."""
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, FUNCTION | ast.ClassDef):
            if ast.get_docstring(node):
                yield of + node.name
            if isinstance(node, ast.ClassDef):
                yield from documented_in(node.body, f"{node.name}.")
                attributes = re.findall(r"^    (\w+): ", ast.get_docstring(node) or "", re.MULTILINE)
                yield from (f"{node.name}.{attribute}" for attribute in attributes)
        elif (
            isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
        ):
            yield from (of + name for name in names_of(node))


if __name__ == "__main__":
    unittest.main()
