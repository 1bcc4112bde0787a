"""The requirements of the package. `wheel_check.py` checks the installed package."""

import importlib
import re
import sys
import tomllib
import unittest

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


class Reference(unittest.TestCase):
    def test_the_page_of_the_api_has_every_public_name(self) -> None:
        page = (HERE / "../../docs/reference/python.md").read_text()
        entries = set(re.findall(r"^::: ([\w.]+)$", page, re.MULTILINE))
        # A module stands for all its names, and the messages of the protos have a page of their own.
        modules = {"aio", "client", "errors", "language", "records", "training", "v1"}
        public = {f"ahu.{name}": getattr(ahu, name) for name in set(dir(ahu)) - modules}
        public |= {f"ahu.language.{name}": getattr(ahu.language, name) for name in ahu.language.__all__}
        public |= {f"ahu.training.{name}": getattr(ahu.training, name) for name in ahu.training.__all__}
        for name, value in public.items():
            home, own = getattr(value, "__module__", None) or "", name.rpartition(".")[2]
            with self.subTest(name):
                if home.endswith("_pb2"):
                    self.assertIn(own, page)
                else:
                    self.assertTrue(
                        any(entry.rpartition(".")[2] == own or entry == home for entry in entries), f"{home}.{own}"
                    )
        for entry in entries:
            module, _, own = entry.rpartition(".")
            with self.subTest(entry):
                try:
                    importlib.import_module(entry)
                except ModuleNotFoundError:
                    self.assertTrue(hasattr(importlib.import_module(module), own), entry)


if __name__ == "__main__":
    unittest.main()
