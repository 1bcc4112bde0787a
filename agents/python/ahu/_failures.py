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


def error_of(failure: grpc.RpcError) -> errors.AhuError:
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
    fields = tuple(errors.FieldViolation(field.field, field.description) for field in violations.field_violations)
    pause = retry.retry_delay.ToTimedelta().total_seconds() if retry.HasField("retry_delay") else None
    details = errors.Details(call.code(), call.details() or "", info.reason, dict(info.metadata), fields, pause)
    return errors.of_details(details)


def _status(call: Any) -> status_pb2.Status:
    for key, value in call.trailing_metadata() or ():
        if key == _DETAILS:
            return status_pb2.Status.FromString(value)
    return status_pb2.Status()
