"""The connection of a client to a server."""

from __future__ import annotations

import os
from ipaddress import ip_address
from typing import Any

from ahu._variables import content_of

MAX_RECEIVE_BYTES = 128 * 1024 * 1024
"""The maximum size of an answer, in bytes: a batch of environments."""

SILENCE_MS = 10_000
"""The silence after which the client pings the server, and the time in which it has to answer, in milliseconds."""

_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_RECEIVE_BYTES),
    # A silent connection is given up within 20 s, so that a call still has time to use another. The last of these
    # options limits pings that the keepalive did not send, since they would delay the keepalive.
    ("grpc.keepalive_time_ms", SILENCE_MS),
    ("grpc.keepalive_timeout_ms", SILENCE_MS),
    ("grpc.http2.ping_timeout_ms", SILENCE_MS),
    ("grpc.http2.max_pings_without_data", 0),
    # As often as our own retries, instead of after up to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # The time in which a connection has to be made, in place of 20 s.
    ("grpc.min_reconnect_backoff_ms", 5_000),
)


# Whether this process, or one that it was forked from, has opened a channel.
_is_in_use = False
# Whether the other process had opened it, so that gRPC would wait for ever for threads that it has no more.
_was_forked = False


def _note_fork() -> None:
    global _was_forked
    _was_forked = _is_in_use


os.register_at_fork(after_in_child=_note_fork)


def check(address: str) -> None:
    """Checks the form of an address.

    Raises:
        ValueError: it has another form.
    """
    _target(address)


def open_channel(grpc: Any, address: str, options: tuple[tuple[str, int], ...] = ()) -> Any:
    """Returns a channel to `address`, with TLS if it begins with `https://`.

    AHU_CA_FILE names a file in PEM with the authorities to trust in place of the usual ones.

    Args:
        grpc: the module with the functions that make channels: `grpc` or `grpc.aio`.
        address: the address.
        options: more options of the channel.

    Raises:
        ValueError: the address has another form.
        OSError: the file that AHU_CA_FILE names cannot be read.
        RuntimeError: this process was forked from one that had opened a channel.
    """
    global _is_in_use
    target, is_secure = _target(address)
    if _was_forked:
        raise RuntimeError(
            "this process was forked from one that had called a server, and gRPC does not survive that: "
            'start it with multiprocessing.get_context("spawn"), or call no server before the fork'
        )
    _is_in_use = True
    all_options = [*_OPTIONS, *options]
    if _is_on_this_machine(target):
        # The proxies that environment variables name are for other machines.
        all_options.append(("grpc.enable_http_proxy", 0))
    if not is_secure:
        return grpc.insecure_channel(target, all_options)
    from grpc import ssl_channel_credentials

    return grpc.secure_channel(target, ssl_channel_credentials(content_of("AHU_CA_FILE")), all_options)


def _target(address: str) -> tuple[str, bool]:
    """Returns the address as gRPC reads it, and whether it is for TLS."""
    scheme, has_scheme, rest = address.partition("://")
    target = rest.removesuffix("/") if has_scheme else address
    if (
        (has_scheme and scheme not in ("http", "https"))
        or not target
        or (has_scheme and "/" in target)
        or "," in target
    ):
        raise ValueError(f'an address is "host:port", "https://host:port", or "unix:/path", not "{address}"')
    return target, scheme == "https" and bool(has_scheme)


def _is_on_this_machine(target: str) -> bool:
    """Returns true for the name or an IP address of this machine itself, as `ahu serve` prints them."""
    host = target.rpartition(":")[0].strip("[]").lower()
    try:
        ip = ip_address(host)
    except ValueError:
        return host == "localhost"
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_loopback or ip.is_unspecified
