"""Checks an installed wheel, and plays with it without a Rust toolchain.

The wheel has the package, its types, the extension module, and the program in the same version. A match runs on its server,
environments run in process, and the extension module has no network.
"""

import importlib.metadata
import random
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

import ahu
from ahu import _native

NETWORK = re.compile(
    r"socket(pair)?|connect|bind|listen|accept4?|shutdown|(get|set)sockopt|get(sock|peer)name|send(to|mmsg|msg)?"
    r"|recv(from|mmsg|msg)?|getaddrinfo|freeaddrinfo|getnameinfo|gethostby\w+|epoll_\w+|res_\w+"
)
"""The functions of the C library with which a program uses a network."""

MOST_BYTES = 12_800_000
"""The largest size of an extension module that is a release build. The nets of `net@1` and `heldout@2` take 2.6 MB of it, and
views as bytes, with their checks, 0.4 MB."""


def check_files() -> None:
    """Checks that the wheel has the package, its types, the extension module, and the program under the name `ahu`."""
    files = {file.name: file for file in importlib.metadata.files("ahu") or ()}
    expected = {"__init__.py", "py.typed", "rappanui_pb2.pyi", "_native.abi3.so", "_native.pyi", "ahu"}
    missing = expected - set(files)
    assert not missing, f"expected {sorted(expected)} in the wheel, got none of {sorted(missing)}"
    folder = Path(files["ahu"].locate()).resolve().parent
    assert folder.name == "bin", f"expected the program in the folder bin, got {folder}"
    entry_points = list(importlib.metadata.distribution("ahu").entry_points)
    assert not entry_points, f"expected no entry point, since the program has the name ahu, got {entry_points}"
    assert Path(__file__).resolve().parents[1] not in Path(ahu.__file__).resolve().parents, (
        "the package is not that of the wheel"
    )


def check_program() -> str:
    """Checks that the program of the wheel is found and has the version of the wheel. Returns its version line."""
    program = Path(ahu.find_program())
    assert program.parent == Path(sys.executable).parent, f"{program} is not the program of the wheel"
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    expected = importlib.metadata.version("ahu")
    # A debug build names itself. A release build names its commit if it was built in a repository.
    assert re.fullmatch(rf"ahu {re.escape(expected)}( \((debug build|[0-9a-f]{{12}})\))?", version), (
        f"expected the program in version {expected}, got {version}"
    )
    return version


def check_extension() -> None:
    """Checks that the extension module imports no function of the network, and that its size is below a limit."""
    extension = Path(_native.__file__)
    size = extension.stat().st_size
    assert size <= MOST_BYTES, f"expected an extension module of at most {MOST_BYTES:,} bytes, got {size:,}"
    if sys.platform != "linux":
        print("not checked: the network in the extension module, since this system has no ELF files")
        return
    imports = imported_functions(extension)
    # Without these, the symbols were not read.
    assert {"PyErr_SetRaisedException", "malloc", "write"} & imports, f"expected known imports, got {sorted(imports)}"
    network = network_functions(imports)
    assert not network, f"expected no function of the network in the extension module, got {sorted(network)}"
    # The imports of the program prove that the check can fail, unless the program is linked to a C library of its own.
    known = imported_functions(Path(ahu.find_program()))
    assert not known or {"socket", "bind", "listen"} <= known, f"expected a program with sockets, got {sorted(known)}"
    print(f"the extension module has {size:,} bytes, and none of its {len(imports)} imports is of the network")


def network_functions(imports: set[str]) -> set[str]:
    return {name for name in imports if NETWORK.fullmatch(name)}


def imported_functions(file: Path) -> set[str]:
    """Returns the names of the dynamic symbols that an ELF file takes from other files."""
    content = file.read_bytes()
    assert content[:6] == b"\x7fELF\x02\x01", f"expected an ELF file of 64 bits in little-endian order, got {file}"
    [table] = struct.unpack_from("<Q", content, 40)
    size, count = struct.unpack_from("<HH", content, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", content, table + size * number) for number in range(count)]
    names = set()
    for _, kind, _, _, offset, length, link, _, _, entry in sections:
        # SHT_DYNSYM: the section that this section links to has the names.
        if kind != 11:
            continue
        strings = sections[link][4]
        for symbol in range(offset, offset + length, entry):
            name, _, _, section = struct.unpack_from("<IBBH", content, symbol)
            if name and section == 0:
                begin = strings + name
                names.add(content[begin : content.index(b"\0", begin)].decode())
    return names


def main() -> None:
    """Makes all checks, plays, and prints the results. Raises an error if something is missing."""
    check_files()
    version = check_program()
    check_extension()
    match = ahu.play("rappanui", [lambda turn: random.choice(turn.legal), "greedy"], seed=7)
    with ahu.VectorEnv("giants", 8, seed=1) as env:
        batch = env.reset()
        for _ in range(100):
            batch = env.step(env.random_actions(batch, np.random.default_rng(1)))
    print(f"{version}: scores {match.scores}; cargo is {shutil.which('cargo') or 'not in PATH'}")


if __name__ == "__main__":
    main()
