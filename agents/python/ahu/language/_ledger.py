"""The ledger of a language model: the file of its calls."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast


class Ledger:
    """The calls of a language model in a file, to which several processes may write.

    A call has a line before the model is asked, and a second one with the same `call` and with the `verdict` after the answer,
    before anybody acts on it. A call without a second line was cut off: its host may have answered and billed it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._read = 0
        self._lock = threading.Lock()

    def append(self, call: Mapping[str, Any]) -> None:
        """Appends a line. It is on the disk when this returns."""
        line = (json.dumps(call, separators=(",", ":")) + "\n").encode()
        with self._lock, self._path.open("a+b", buffering=0) as file:
            with contextlib.suppress(OSError):  # The file system has no locks.
                fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
                # The last line was cut off while it was written.
                size = self._path.read_bytes().rfind(b"\n") + 1
                file.truncate(size)
            try:
                if file.write(line) != len(line):
                    raise OSError(f"{self._path}: a line was written in part")
                os.fsync(file.fileno())
            except OSError:
                # No later line may stand behind a part of this one.
                file.truncate(size)
                raise

    def new(self) -> list[dict[str, Any]]:
        """Returns the lines that have come since the last such call, also from other processes.

        Raises:
            ValueError: a line is no JSON object.
        """
        with self._lock:
            try:
                with self._path.open("rb") as file:
                    file.seek(self._read)
                    content = file.read()
            except FileNotFoundError:
                return []
            whole = content[: content.rfind(b"\n") + 1]
            calls = [self._call(line) for line in whole.splitlines()]
            self._read += len(whole)
        return calls

    def _call(self, line: bytes) -> dict[str, Any]:
        with contextlib.suppress(ValueError):
            if isinstance(call := json.loads(line), dict):
                return cast(dict[str, Any], call)
        raise ValueError(f"{self._path}: expected a JSON object in each line, got {line[:60]!r}")
