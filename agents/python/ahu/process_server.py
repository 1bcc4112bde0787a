"""The server of this process, for matches and environments that name no address."""

from __future__ import annotations

import atexit
import os
import threading

from ahu.server import Server, launch

_lock = threading.Lock()
_server: Server | None = None
_parents_address: str | None = None


def address() -> str:
    """Returns the address of the server. The first call starts it, and so does a call after its end; it ends with the process.
    A process that was forked uses its parent's.

    Raises:
        LaunchError: there is no server, or it does not start.
    """
    global _server
    if _parents_address is not None:
        return _parents_address
    with _lock:
        if _server is None or _server.process.poll() is not None:
            _server = launch()
        return _server.address


def _close() -> None:
    if _server is not None:
        _server.close()


def _inherit() -> None:
    """Forgets the server in a process that was forked: it is its parent's, and ends with that."""
    global _lock, _parents_address, _server
    _lock = threading.Lock()
    if _server is not None and _server.process.stdin is not None:
        _parents_address = _server.address
        _server.process.stdin.close()
        # Nobody is to wait for a process that is not its child.
        _server.process.returncode = 0
        _server = None


atexit.register(_close)
os.register_at_fork(after_in_child=_inherit)
