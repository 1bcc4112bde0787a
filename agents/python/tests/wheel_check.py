"""Checks that an installed wheel plays without a Rust toolchain: a match on its server, and environments in process."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import ahu


def main() -> None:
    """Plays, and prints a line; raises where something is missing."""
    program = Path(ahu.find_server())
    assert program.parent == Path(sys.executable).parent, f"{program} is not the program of the wheel"
    assert Path(__file__).resolve().parents[1] not in Path(ahu.__file__).resolve().parents, (
        "the package is not that of the wheel"
    )
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    match = ahu.run("rappanui", [lambda turn: random.choice(turn.legal), "greedy"], seed=7)
    with ahu.VectorEnv("giants", 8, seed=1) as env:
        batch = env.reset()
        for _ in range(100):
            batch = env.step(env.random_actions(batch, np.random.default_rng(1)))
    print(f"{version}: scores {match.scores}; cargo is {shutil.which('cargo') or 'not in PATH'}")


if __name__ == "__main__":
    main()
