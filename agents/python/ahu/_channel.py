"""The connection of a client to a server."""

from __future__ import annotations

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
        # Otherwise gRPC sends the path as the authority, which servers refuse.
        options.append(("grpc.default_authority", "localhost"))
    if address.startswith(("127.", "localhost:", "[::1]:")):
        # The proxies that environment variables name are for other machines.
        options.append(("grpc.enable_http_proxy", 0))
    return options
