"""The build backend of the package: maturin, with the program `ahu` beside the extension module.

maturin builds the module `ahu._native`. The backend builds the program first, and puts it into the folder of the wheel's
scripts. If the variable AHU_PROGRAM names a program, the backend takes this program instead.

With the setting `pure` (`pip wheel --config-settings pure=1`), it builds the wheel `py3-none-any`, which has neither: pip
takes this wheel where there is no wheel for the platform. The client, agents, messages, and line programs need no more.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

HERE = Path(__file__).resolve().parent
SETTINGS = tomllib.loads((HERE / "pyproject.toml").read_text())["tool"]["maturin"]

SCRIPTS = HERE / SETTINGS["data"] / "scripts"
# maturin looks for the folder before anything is built.
SCRIPTS.mkdir(parents=True, exist_ok=True)


def build_wheel(folder: str, settings: Any = None, metadata_folder: str | None = None) -> str:
    """Builds the wheel, and returns its name."""
    if (settings or {}).get("pure"):
        return _build_pure_wheel(Path(folder))
    _put_program()
    name: str = maturin.build_wheel(folder, settings, metadata_folder)
    return name


def build_editable(folder: str, settings: Any = None, metadata_folder: str | None = None) -> str:
    """Builds the wheel of an editable install, and returns its name."""
    _put_program()
    name: str = maturin.build_editable(folder, settings, metadata_folder)
    return name


def _build_pure_wheel(folder: Path) -> str:
    """Builds the wheel without the extension module and the program, and returns its name. The same files give the same wheel."""
    with tempfile.TemporaryDirectory() as scratch:
        info = Path(scratch) / prepare_metadata_for_build_wheel(scratch)
        name = f"{info.name.removesuffix('.dist-info')}-py3-none-any.whl"
        files = {
            path.relative_to(HERE).as_posix(): path.read_bytes()
            for path in (HERE / "ahu").rglob("*")
            if path.suffix in (".py", ".pyi", ".typed") and "__pycache__" not in path.parts
        }
        files["ahu/_native.py"] = (HERE / "pure/_native.py").read_bytes()
        files |= {
            path.relative_to(scratch).as_posix(): path.read_bytes()
            for path in info.rglob("*")
            if path.is_file() and path.name not in ("RECORD", "WHEEL")
        }
        wheel = "Wheel-Version: 1.0\nGenerator: build_backend of ahu\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        files[f"{info.name}/WHEEL"] = wheel.encode()
    lines = [f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in sorted(files.items())]
    files[f"{info.name}/RECORD"] = "".join([*lines, f"{info.name}/RECORD,,\n"]).encode()
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            # Without a date, the earliest that there is.
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _put_program() -> None:
    """Copies the program to the scripts of the wheel, and builds it first unless AHU_PROGRAM names one."""
    program = Path(os.environ.get("AHU_PROGRAM") or _build_program())
    if not program.is_file():
        raise SystemExit(f'AHU_PROGRAM names no program: "{program}"')
    shutil.copy2(program, SCRIPTS / "ahu")


def _build_program() -> str:
    """Builds the program, and returns its path."""
    native = (HERE / SETTINGS["manifest-path"]).parent
    manifest = tomllib.loads((native / "Cargo.toml").read_text())
    # In an sdist the crate is in another place than in the repository. The extension names its folder.
    crate = native / manifest["target"]["cfg(any())"]["dependencies"]["ahu"]["path"]
    command = ["cargo", "build", "--release", "--locked", "--bin", "ahu", "--message-format", "json-render-diagnostics"]
    built = subprocess.run(command, cwd=crate, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        raise SystemExit(f"the program ahu cannot be built: cargo ended with status {built.returncode}")
    messages = map(json.loads, built.stdout.splitlines())
    [program] = [message["executable"] for message in messages if message.get("executable")]
    return str(program)
