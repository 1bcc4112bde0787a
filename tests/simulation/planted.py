"""Plants faults in a copy of the code, and tells how many seeds of the simulation find each.

    python3 tests/simulation/planted.py [NAME ...]

Each fault is a patch in `planted/`, with the law that it breaks in its first line. Prints a line for each fault: the number
of seeds that break the law, of 200, and the first of them. Fails if a fault breaks no law, or another law first.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = sorted(path.stem for path in (HERE / "planted").glob("*.patch"))
    if not names:
        parser.error(f"expected patches in {HERE / 'planted'}, got none")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which faults, of {', '.join(names)} [default: all]")
    asked = parser.parse_args().names or names
    if unknown := [name for name in asked if name not in names]:
        parser.error(f"expected one of {', '.join(names)}, got {', '.join(unknown)}")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "ahu"
        _copy(copy)
        missed = [name for name in asked if not _finds(copy, HERE / "planted" / f"{name}.patch")]
    if missed:
        print(f"error: no seed finds {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


def _copy(copy: Path) -> None:
    """Copies the files that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP, check=True, capture_output=True
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (TOP / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, copy / name)


def _finds(copy: Path, patch: Path) -> bool:
    """Returns true if the simulation of the copy with this fault breaks the law of the patch."""
    law = patch.read_text().splitlines()[0].removeprefix("Breaks: ")
    subprocess.run(["git", "apply", str(patch)], cwd=copy, check=True)
    # Not the folder of the repository, where cargo would take this build for its own.
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TOP / "target" / "planted")}
    run = subprocess.run(
        ["cargo", "test", "--quiet", "--package", "ahu-service", "--test", "simulation", "every_seed"],
        cwd=copy, env=environment, capture_output=True, text=True, check=False,
    )
    subprocess.run(["git", "apply", "--reverse", str(patch)], cwd=copy, check=True)
    found = re.findall(rf"^(\d+): {re.escape(law)}", run.stdout, re.MULTILINE)
    others = sorted(set(re.findall(r"^\d+: ([^:]*)", run.stdout, re.MULTILINE)) - {law})
    if not found and not others:
        print(run.stdout[-2000:], run.stderr[-2000:], file=sys.stderr)
    first = f", the first is {found[0]}" if found else ""
    also = f"; others break {', '.join(others)}" if others else ""
    print(f"{patch.stem}: {len(found)} of 200 seeds break the law that {law}{first}{also}", flush=True)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
