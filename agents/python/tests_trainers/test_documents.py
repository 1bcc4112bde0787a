"""The page about training: its programs run, and its links have targets."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

from trainer import HERE

DOCS = HERE / "../../docs"
PAGE = (DOCS / "training.md").read_text()


class Page(unittest.TestCase):
    def test_every_block_of_code_runs(self) -> None:
        for code in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
            with self.subTest(code):
                done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_it_points_at_is_there(self) -> None:
        for target in re.findall(r"\]\(([^)#]+)", PAGE):
            self.assertTrue((DOCS / target).exists(), target)
        for program in re.findall(r"agents/python/examples/\w+\.py", PAGE):
            self.assertTrue(Path(HERE / "../.." / program).exists(), program)


if __name__ == "__main__":
    unittest.main()
