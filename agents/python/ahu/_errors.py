"""The exceptions of the package: whatever it raises by itself is an `AhuError`.

Wrong arguments raise a `TypeError`, a `ValueError`, or a `LookupError`, as elsewhere in Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ahu._public import public

if TYPE_CHECKING:
    from ahu._terms import Cause
    from ahu.v1 import environment_service_pb2 as environments


@dataclass(frozen=True, kw_only=True)
class FieldViolation:
    """An invalid field of a request."""

    field: str
    description: str


class AhuError(Exception):
    """An error of the package; the message is for people. Its subclasses say what failed."""


class ServiceError(AhuError):
    """A refusal by a server or by the engine of this process, or a failure on the way to the server.

    Attributes:
        message: the fault, for people.
        code: the name of the gRPC code, such as "NOT_FOUND".
        reason: a name of `ahu.v1.ErrorReason` without its prefix, such as "UNKNOWN_GAME"; empty if there is none, such as
            for a missed deadline.
        metadata: the metadata of the reason that `ErrorReason` documents, as text by name.
        field_violations: the invalid fields of the request.
        retry_after: the time in seconds after which the same call may succeed; None: waiting does not help.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "UNKNOWN",
        reason: str = "",
        metadata: Mapping[str, str] = {},
        field_violations: tuple[FieldViolation, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        # A pickle has these arguments, the message alone, and the attributes.
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata)
        self.field_violations = field_violations
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.reason or self.code}: {self.message}"


class ConnectionLost(ServiceError):
    """The client has given up (`Retry.total`): the server cannot be reached, or cannot answer now, such as while
    it closes."""


class IllegalAction(ServiceError):
    """The action is illegal now, or not an action of the game. Nothing in the match has changed, except for a strike if
    strikes were agreed.

    Attributes:
        legal_ids: the ids that are legal now, in rising order; empty if the server did not list them.
    """

    @property
    def legal_ids(self) -> tuple[int, ...]:
        return _numbers(self.metadata.get("legal", ""))


class Forfeited(ServiceError):
    """The seat has forfeited, and a stand-in plays for it.

    Attributes:
        cause: the reason, such as "timeout".
    """

    @property
    def cause(self) -> Cause:
        return cast("Cause", self.metadata.get("cause", "").lower())


class MatchEnded(ServiceError):
    """The match has ended, and does not accept the call any more.

    Attributes:
        state: "cancelled", "void", or "finished".
    """

    @property
    def state(self) -> str:
        return self.metadata.get("state", "").lower()


class SeatReserved(ServiceError):
    """The seat is reserved for another player, or the invitation code is wrong."""


class NoResignation(ServiceError):
    """The terms of the match do not allow a resignation."""


class DuelError(AhuError):
    """`ahu duel` failed; the message says why."""


class BenchmarkError(AhuError):
    """`ahu benchmark` failed; the message says why."""


class BudgetSpent(AhuError):
    """A language agent has spent its budget, and asks its model no more."""


class LaunchError(AhuError):
    """`ahu.launch` could not start a server."""


class NoResult(AhuError):
    """The match ended without a result: it is void, or was cancelled; the message says why."""


class ProgramFailed(AhuError):
    """A program that plays a seat exited before the end of its match, or wrote a line that is not an answer."""


def of_reason(message: str, *, reason: str, code: str = "FAILED_PRECONDITION", **more: Any) -> ServiceError:
    """Returns the exception for a reason, with the further arguments of a `ServiceError`."""
    # Later servers have more reasons for the same code.
    other = ConnectionLost if code == "UNAVAILABLE" else ServiceError
    return _BY_REASON.get(reason, other)(message, code=code, reason=reason, **more)


def of_refused(refused: environments.RunResponse.Refused) -> ServiceError:
    """Returns the exception for a refusal within a stream."""
    return of_call(refused.code, refused.reason, refused.message, refused.metadata, refused.field or None)


def of_call(code: int, reason: str, message: str, metadata: Mapping[str, str], field: str | None) -> ServiceError:
    """Returns the exception for a refused call, with the number of its gRPC code and the invalid field."""
    from google.rpc.code_pb2 import Code

    name = Code.Name(code) if code in Code.values() else "UNKNOWN"
    violations = () if field is None else (FieldViolation(field=field, description=message),)
    return of_reason(message, code=name, reason=reason, metadata=metadata, field_violations=violations)


_BY_REASON: Mapping[str, type[ServiceError]] = {
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


public(FieldViolation, AhuError, ServiceError, ConnectionLost, IllegalAction, Forfeited, MatchEnded, SeatReserved)
public(NoResignation, BudgetSpent, DuelError, BenchmarkError, LaunchError, NoResult, ProgramFailed)
