"""The server of this process, for matches and environments without an address."""

from __future__ import annotations

import atexit
import os
import threading

from ahu._server import Server, launch

_lock = threading.Lock()
_server: Server | None = None
_parents_address: str | None = None


def address() -> str:
    """Returns the address of the server. Starts the server on the first call, and again if it has ended. The server ends with
    the process. A forked process uses the server of its parent.

    Raises:
        LaunchError: there is no server, or it does not start.
    """
    global _server
    if _parents_address is not None:
        return _parents_address
    with _lock:
        if _server is None or _server._has_ended():  # pyright: ignore[reportPrivateUsage]
            _server = launch()
        return _server.address


def _close() -> None:
    if _server is not None:
        _server.close()


def _inherit() -> None:
    """Forgets the server in a forked process: the server belongs to the parent, and ends with it."""
    global _lock, _parents_address, _server
    _lock = threading.Lock()
    if _server is not None:
        _parents_address = _server.address
        _server._leave()  # pyright: ignore[reportPrivateUsage]
        _server = None


atexit.register(_close)
os.register_at_fork(after_in_child=_inherit)
