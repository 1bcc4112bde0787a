"""The package as it is installed."""

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
import unittest
import unittest.mock
from pathlib import Path

from support import HERE

import ahu


class Requirements(unittest.TestCase):
    def test_they_are_said_the_same_twice(self) -> None:
        project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
        lines = (HERE / "requirements.txt").read_text().splitlines()
        self.assertEqual([line for line in lines if not line.startswith("#")], project["dependencies"])

    def test_nothing_else_is_imported(self) -> None:
        known = {"ahu", "google", "grpc", "__future__"} | set(sys.stdlib_module_names)
        for module in (HERE / "ahu").glob("*.py"):
            imported = re.findall(r"^(?:from|import) (\w+)", module.read_text(), re.MULTILINE)
            # Records become arrays, as in `ahu.training`.
            allowed = known | ({"numpy"} if module.name == "records.py" else set())
            self.assertLessEqual(set(imported), allowed, module.name)


def is_installed() -> bool:
    """Whether the package that is tested is one that was installed, rather than the folder of the repository."""
    return HERE not in Path(ahu.__file__).parents


@unittest.skipUnless(is_installed(), "the package is not installed")
class Installed(unittest.TestCase):
    def test_it_has_package_types_extension_and_server(self) -> None:
        files = {file.name: file for file in importlib.metadata.files("ahu") or ()}
        self.assertLessEqual(
            {"__init__.py", "py.typed", "rappanui_pb2.pyi", "_native.abi3.so", "_native.pyi", "ahu"}, set(files)
        )
        self.assertEqual(Path(files["ahu"].locate()).resolve().parent.name, "bin")
        self.assertFalse(list(importlib.metadata.distribution("ahu").entry_points), "the program has the name ahu")

    def test_the_server_is_found_and_is_of_the_same_version(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "AHU_SERVER"}
        with unittest.mock.patch.dict(os.environ, environment, clear=True):
            program = ahu.find_server()
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        # The program is a release build, which names its commit where there is a repository.
        self.assertRegex(
            version.strip(), rf"^ahu {re.escape(importlib.metadata.version('ahu'))}( \([0-9a-f]{{12}}\))?$"
        )


if __name__ == "__main__":
    unittest.main()
