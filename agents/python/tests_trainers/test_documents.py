"""The page about trainers: its programs run. `tests/test_docs.py` runs the programs of all pages that need no trainer."""

import re
import subprocess
import sys
import unittest

from trainer import HERE

PAGE = (HERE / "../../docs/train/trainers.md").read_text()


class Page(unittest.TestCase):
    def test_every_block_of_code_runs(self) -> None:
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 6)
        for code in blocks:
            with self.subTest(code):
                done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
