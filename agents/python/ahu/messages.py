"""The typed messages of games, which the service carries as `google.protobuf.Any`."""

from __future__ import annotations

import importlib

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

from ahu._public import public


def unpack(packed: Any) -> Message:
    """Returns the message in `packed`, such as an `ahu.rappanui.v1.rappanui_pb2.Observation`.

    Raises:
        LookupError: this package is older than the server, and has no message of that name.
    """
    message = _message_class(packed.TypeName())()
    packed.Unpack(message)
    return message


def _message_class(name: str) -> type[Message]:
    pool = descriptor_pool.Default()
    try:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
    except KeyError:
        _import_stubs(name)
    try:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
    except KeyError:
        raise LookupError(f'no message is called "{name}": is this package older than the server?') from None


def _import_stubs(name: str) -> None:
    """Imports the stubs of the message's game: `ahu.<game>.v1` is in `ahu.<game>.v1.<game>_pb2`."""
    package = name.rpartition(".")[0]
    parts = package.split(".")
    if len(parts) == 3 and parts[0] == "ahu":
        try:
            importlib.import_module(f"{package}.{parts[1]}_pb2")
        except ModuleNotFoundError:
            return


public(unpack)
