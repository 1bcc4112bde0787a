"""The exceptions of the package: every error of the service is an `AhuError`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ahu.v1 import environment_service_pb2 as environments

if TYPE_CHECKING:
    # gRPC takes longer to import than the whole package, and environments in this process need it only for errors.
    import grpc

    from ahu._terms import Cause


@dataclass(frozen=True)
class FieldViolation:
    """An invalid field of a request."""

    field: str
    description: str


@dataclass(frozen=True)
class Details:
    """The content of an error."""

    code: grpc.StatusCode
    message: str
    reason: str = ""
    metadata: Mapping[str, str] | None = None
    field_violations: tuple[FieldViolation, ...] = ()
    retry_after: float | None = None


class AhuError(Exception):
    """An error of the service, or of the way there.

    Attributes:
        code: the gRPC code.
        reason: a name of `ahu.v1.ErrorReason` without its prefix, such as "UNKNOWN_GAME"; empty if the error does not
            come from the service, such as a missed deadline.
        message: the fault, for people.
        metadata: the metadata of the reason that `ErrorReason` documents, as text by name.
        field_violations: the invalid fields of the request.
        retry_after: the time in seconds after which the same call may succeed; None: waiting does not help.
    """

    def __init__(self, details: Details) -> None:
        super().__init__(f"{details.reason or details.code.name}: {details.message}")
        self.code = details.code
        self.reason = details.reason
        self.message = details.message
        self.metadata = dict(details.metadata or {})
        self.field_violations = details.field_violations
        self.retry_after = details.retry_after


class ConnectionLost(AhuError):
    """The client has given up (`Retry.total`): the server cannot be reached, or cannot answer now, such as while
    it closes."""


class IllegalAction(AhuError):
    """The action is illegal now, or not an action of the game. Nothing in the match has changed, except for a strike if
    strikes were agreed.

    Attributes:
        legal_ids: the ids that are legal now, in rising order; empty if the server did not list them.
    """

    @property
    def legal_ids(self) -> tuple[int, ...]:
        return _numbers(self.metadata.get("legal", ""))


class Forfeited(AhuError):
    """The seat has forfeited, and a stand-in plays for it.

    Attributes:
        cause: the reason, such as "timeout".
    """

    @property
    def cause(self) -> Cause:
        return cast("Cause", self.metadata.get("cause", "").lower())


class MatchEnded(AhuError):
    """The match has ended, and does not accept the call any more.

    Attributes:
        state: "cancelled", "void", or "finished".
    """

    @property
    def state(self) -> str:
        return self.metadata.get("state", "").lower()


class SeatReserved(AhuError):
    """The seat is reserved for another player, or the invitation code is wrong."""


class NoResignation(AhuError):
    """The terms of the match do not allow a resignation."""


class DuelError(RuntimeError):
    """`ahu duel` failed; the message says why."""


class BenchmarkError(RuntimeError):
    """`ahu benchmark` failed; the message says why."""


class LaunchError(RuntimeError):
    """`ahu.launch` could not start a server."""


FAILED_PRECONDITION = 9
"""The number of the gRPC code for a request that the state does not allow."""


def of_details(details: Details) -> AhuError:
    """Returns the exception for the content of an error."""
    if own := _BY_REASON.get(details.reason):
        return own(details)
    # For whatever reason: later servers have more of them.
    if details.code.name == "UNAVAILABLE":
        return ConnectionLost(details)
    return AhuError(details)


def of_refused(refused: environments.RunResponse.Refused) -> AhuError:
    """Returns the exception for a refusal within a stream."""
    return of_call(refused.code, refused.reason, refused.message, refused.metadata, refused.field or None)


def of_call(code: int, reason: str, message: str, metadata: Mapping[str, str], field: str | None) -> AhuError:
    """Returns the exception for a refused call, with the number of its gRPC code and the invalid field."""
    import grpc

    status_code = next((one for one in grpc.StatusCode if one.value[0] == code), grpc.StatusCode.UNKNOWN)
    violations = () if field is None else (FieldViolation(field, message),)
    return of_details(Details(status_code, message, reason, dict(metadata), violations))


_BY_REASON: Mapping[str, type[AhuError]] = {
    "ILLEGAL_ACTION": IllegalAction,
    "UNKNOWN_ACTION": IllegalAction,
    "BAD_ACTION": IllegalAction,
    "FORFEITED": Forfeited,
    "MATCH_ENDED": MatchEnded,
    "SEAT_RESERVED": SeatReserved,
    "NO_RESIGNATION": NoResignation,
}
"""The exceptions for reasons that have a class."""


def ranges(numbers: Iterable[int]) -> str:
    """Returns rising numbers as ranges such as "0-3,9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ",".join("-".join(map(str, run)) for run in runs)


def _numbers(ranges: str) -> tuple[int, ...]:
    """Returns the numbers of ranges such as "0-3,9", without a range that was cut off."""
    numbers: list[int] = []
    for part in ranges.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit() and (last or first).isdigit():
            numbers.extend(range(int(first), int(last or first) + 1))
    return tuple(numbers)
