"""Converts failed calls of gRPC into exceptions of the package."""

from __future__ import annotations

from typing import Any

import grpc

# The package has no types.
from google.rpc import error_details_pb2, status_pb2  # pyright: ignore[reportMissingTypeStubs]

from ahu import errors

DOMAIN = "ahu"
"""The domain of the reasons that are Ahu's own."""

_DETAILS = "grpc-status-details-bin"

_ADVICE = {
    "WRONG_VERSION_NUMBER": "the server speaks plain text on this port: use the address without https://",
    "CERTIFICATE_VERIFY_FAILED": "AHU_CA_FILE names a file with the authority of the server",
    "certificate has expired": "the certificate of the server has expired",
    "Hostname Verification Check failed": "the certificate of the server has another name than the address",
}
"""Advice on failures of TLS, by a part of the message of gRPC. Of several parts, the last counts."""


def error_of(failure: grpc.RpcError) -> errors.ServiceError:
    """Returns an `RpcError` as an exception of the package."""
    # Every RpcError of a call is also a grpc.Call, although its type does not say so.
    call: Any = failure
    info, violations, retry = (
        error_details_pb2.ErrorInfo(),
        error_details_pb2.BadRequest(),
        error_details_pb2.RetryInfo(),
    )
    for detail in _status(call).details:
        for known in (info, violations, retry):
            detail.Unpack(known)
    if info.domain != DOMAIN:
        info.Clear()
    fields = tuple(
        errors.FieldViolation(field=field.field, description=field.description) for field in violations.field_violations
    )
    pause = retry.retry_delay.ToTimedelta().total_seconds() if retry.HasField("retry_delay") else None
    message = call.details() or ""
    if advice := [text for part, text in _ADVICE.items() if part in message]:
        message += f" ({advice[-1]})"
    more = {"metadata": info.metadata, "field_violations": fields, "retry_after": pause}
    return errors.of_reason(message, code=call.code().name, reason=info.reason, **more)


def _status(call: Any) -> status_pb2.Status:
    for key, value in call.trailing_metadata() or ():
        if key == _DETAILS:
            return status_pb2.Status.FromString(value)
    return status_pb2.Status()
