"""Starts a server, for tests, training, or a quick match."""

from __future__ import annotations

import collections
import contextlib
import importlib.metadata
import os
import re
import select
import shutil
import subprocess
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import IO

from ahu._errors import LaunchError
from ahu._public import public

START_TIMEOUT = 30.0
"""The time that a server may take to start, in seconds."""

_END_TIMEOUT = 10.0
"""The time that a server may take to end, in seconds. The server gives calls under way half of this time."""

_LOG_LINES = 200
"""The number of lines of the log that are kept."""


class Server:
    """A server that runs until it is closed, or this process ends.

    Attributes:
        address: the address on which it listens, "127.0.0.1:PORT".
        pid: the id of its process.
    """

    def __init__(self, process: subprocess.Popen[bytes], log: Log, address: str) -> None:
        self.address = address
        self.pid = process.pid
        self._process = process
        self._log = log

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Server({self.address!r})"

    @property
    def log(self) -> str:
        """The last 200 lines of the server's log."""
        return self._log.text()

    def close(self) -> None:
        """Ends the server. Does nothing if it has ended."""
        end(self._process, self._log)

    def _has_ended(self) -> bool:
        return self._process.poll() is not None

    def _leave(self) -> None:
        """Lets go of the process in a forked process: a process can wait only for its own children."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.returncode = 0


def launch(
    *, arguments: Sequence[str] = (), program: str | os.PathLike[str] | None = None, timeout: float = START_TIMEOUT
) -> Server:
    """Starts a server on a free port. Use it in a `with` statement.

    Args:
        arguments: further arguments of `ahu serve`.
        program: the program `ahu`; None: the program that `find_program` finds.
        timeout: the time that it may take to start, in seconds.

    Raises:
        LaunchError: there is no server, or it does not start; the message has its output.
    """
    program = os.fspath(program) if program is not None else find_program()
    ready, to_parent = os.pipe()
    try:
        process = subprocess.Popen(
            [program, "serve", "--listen=127.0.0.1:0", f"--ready-fd={to_parent}", "--exit-with-stdin", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(to_parent,),
            # Ctrl-C in a terminal or a notebook reaches this process alone.
            start_new_session=True,
        )
    except OSError as error:
        os.close(ready)
        raise LaunchError(f"{program} cannot be started: {error}") from error
    finally:
        os.close(to_parent)
    log = Log(process)
    try:
        return Server(process, log, _address(ready, timeout))
    except (TimeoutError, EOFError) as error:
        end(process, log, timeout=1.0)
        what = error if isinstance(error, TimeoutError) else f"ended with status {process.returncode}"
        message = f"the server did not start: {program} {what}\n{log.text()}".rstrip()
        raise LaunchError(message + other_version(program)) from error


def find_program() -> str:
    """Returns the program `ahu`: AHU_PROGRAM, otherwise the program beside the interpreter, otherwise the one in PATH.

    Raises:
        LaunchError: there is no program, or AHU_PROGRAM does not name one.
    """
    if (named := os.environ.get("AHU_PROGRAM")) is not None:
        program = shutil.which(named)
        if program is None:
            raise LaunchError(f'AHU_PROGRAM names no program that can be run: "{named}"')
        return program
    scripts = sysconfig.get_path("scripts")
    program = shutil.which("ahu", path=scripts) or shutil.which("ahu")
    if program is None:
        raise LaunchError(
            f"no server: AHU_PROGRAM is not set, and neither {scripts} nor PATH has the program ahu. The wheels for Linux and "
            "macOS have it, and the page of releases has it alone"
        )
    return program


def other_version(program: str) -> str:
    """Returns a line for an error if the program has another version than this package, and an empty text otherwise."""
    with contextlib.suppress(OSError, subprocess.SubprocessError, importlib.metadata.PackageNotFoundError):
        told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_END_TIMEOUT).stdout
        found, own = re.match(r"ahu (\S+)", told), importlib.metadata.version("ahu")
        if found is not None and found[1] != own:
            return f"\n{program} is of version {found[1]}, and the package ahu of version {own}: install the same version of both"
    return ""


def _address(ready: int, timeout: float) -> str:
    """Returns the first line from the file descriptor.

    Raises:
        EOFError: the other end closes first.
        TimeoutError: no line comes in time.
    """
    end, output = time.monotonic() + timeout, b""
    with open(ready, "rb", buffering=0) as pipe:
        while b"\n" not in output:
            if not select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"said nothing in {timeout:g} s")
            more = pipe.read(256)
            if not more:
                raise EOFError
            output += more
    return output.decode().partition("\n")[0]


def end(process: subprocess.Popen[bytes], log: Log, *, timeout: float = _END_TIMEOUT) -> None:
    """Ends a process by closing its input, and if that does not help, kills it."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    log.join(1.0)


class Log:
    """The last lines that a process writes to its standard error. A thread reads them, so that the pipe never fills.

    Args:
        process: the process. It is ended when `on_line` raises something.
        on_line: a function that gets each line; None: nothing.
    """

    def __init__(self, process: subprocess.Popen[bytes], on_line: Callable[[str], None] | None = None) -> None:
        self._lines: collections.deque[str] = collections.deque(maxlen=_LOG_LINES)
        self._process = process
        self._on_line = on_line
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read, args=(process.stderr,), name="ahu log", daemon=True)
        self._thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                text = line.decode(errors="replace")
                self._lines.append(text)
                if self._on_line is None or self._error is not None:
                    continue
                try:
                    self._on_line(text.rstrip("\n"))
                except BaseException as error:
                    self._error = error
                    self._process.terminate()

    def text(self) -> str:
        """Returns the last lines."""
        return "".join(self._lines.copy())

    def join(self, timeout: float | None = None) -> None:
        """Waits for the last line, and raises what `on_line` raised."""
        self._thread.join(timeout)
        if self._error is not None:
            raise self._error


public(Server, find_program, launch)
