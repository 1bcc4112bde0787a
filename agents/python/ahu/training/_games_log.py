"""The log of a run that the program `ahu` plans and that this process plays."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ahu.language._ledger import Ledger


class GamesLog:
    """The log of a run, `games.jsonl`: a line for each game that starts, and for each record that is kept.

    Each line ends with a link: SHA-256 over the link of the line before and the line without its own link. `ahu`
    checks the lines that are there. A lock on the folder keeps other processes from playing into it.

    Attributes:
        spent: the money of the calls of language models when the log was opened, by training run and game.

    Args:
        folder: the folder of the run.
        error: the error that says that another process plays.
    """

    def __init__(self, folder: Path, error: type[Exception]) -> None:
        path = folder / "games.jsonl"
        with contextlib.ExitStack() as stack:
            lock = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, lock)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise error(f"expected a folder of its own, got {folder}, in which another process plays") from None
            except OSError:
                pass  # The file system has no locks.
            content = path.read_bytes()
            # A last line without an end was cut off while it was written.
            whole = content[: content.rfind(b"\n") + 1]
            os.truncate(path, len(whole))
            self._ledger = Ledger(folder / "calls.jsonl")
            self.spent: dict[tuple[Any, str], float] = {}
            for call in self._ledger.new():
                place = (call["run"], call["game"])
                self.spent[place] = self.spent.get(place, 0.0) + (call.get("cost") or 0.0)
            lines = whole.splitlines()
            self._link = json.loads(lines[-1])["link"] if lines else ""
            self._file = stack.enter_context(path.open("ab"))
            self._open = stack.pop_all()

    def __enter__(self) -> GamesLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def start(self, names: Iterable[str]) -> None:
        """Notes that games start. The lines are on the disk when this returns."""
        self._append([{"event": "start", "record": name} for name in names])

    def keep(self, records: Mapping[str, bytes]) -> None:
        """Notes that the records of games are kept. The lines are on the disk when this returns."""
        self._append(
            [
                {"event": "keep", "record": name, "sha256": hashlib.sha256(record).hexdigest()}
                for name, record in records.items()
            ]
        )

    def call(self, call: Mapping[str, Any]) -> None:
        """Appends a line about a call of a language model to `calls.jsonl`. It is on the disk when this returns."""
        self._ledger.append(call)

    def _append(self, events: Sequence[Mapping[str, str]]) -> None:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for event in events:
            body = json.dumps({"at": now, **event}, separators=(",", ":"))
            self._link = hashlib.sha256((self._link + body).encode()).hexdigest()
            self._file.write(f'{body[:-1]},"link":"{self._link}"}}\n'.encode())
        self._file.flush()
        os.fsync(self._file.fileno())
