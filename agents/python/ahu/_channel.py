"""The connection of a client to a server."""

from __future__ import annotations

MAX_RECEIVE_BYTES = 128 * 1024 * 1024
"""The largest answer, in bytes: that of a batch of environments."""

SILENCE_MS = 10_000
"""After how much silence a server is asked whether it is there, and how long it has to answer, in milliseconds."""

_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_RECEIVE_BYTES),
    # A connection that has fallen silent is given up within 20 s, while a call still has time to go another way. The
    # last of these is for pings that are not the keepalive's own, and hold that up.
    ("grpc.keepalive_time_ms", SILENCE_MS),
    ("grpc.keepalive_timeout_ms", SILENCE_MS),
    ("grpc.http2.ping_timeout_ms", SILENCE_MS),
    ("grpc.http2.max_pings_without_data", 0),
    # At the pace of our own retries, instead of up to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)


def options(address: str) -> list[tuple[str, int | str]]:
    """Returns the options of a channel to `address`.

    Raises:
        ValueError: it is a URL.
    """
    if address.startswith(("http://", "https://")):
        raise ValueError(f'an address is "host:port" or "unix:/path", not "{address}"')
    options: list[tuple[str, int | str]] = list(_OPTIONS)
    if address.startswith("unix:"):
        # Else the path is sent as authority, which servers refuse.
        options.append(("grpc.default_authority", "localhost"))
    if address.startswith(("127.", "localhost:", "[::1]:")):
        # Proxies of the environment are for other machines.
        options.append(("grpc.enable_http_proxy", 0))
    return options
