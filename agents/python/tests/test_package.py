"""The requirements of the package. `wheel_check.py` checks the installed package."""

import re
import sys
import tomllib
import unittest

from support import HERE


class Requirements(unittest.TestCase):
    def test_they_are_said_the_same_twice(self) -> None:
        project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
        lines = (HERE / "requirements.txt").read_text().splitlines()
        self.assertEqual([line for line in lines if not line.startswith("#")], project["dependencies"])

    def test_nothing_else_is_imported(self) -> None:
        known = {"ahu", "google", "grpc", "__future__"} | set(sys.stdlib_module_names)
        for module in (HERE / "ahu").glob("*.py"):
            imported = re.findall(r"^(?:from|import) (\w+)", module.read_text(), re.MULTILINE)
            # `ahu.records` returns arrays, as `ahu.training` does.
            allowed = known | ({"numpy"} if module.name == "records.py" else set())
            self.assertLessEqual(set(imported), allowed, module.name)


if __name__ == "__main__":
    unittest.main()
