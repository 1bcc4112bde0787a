"""The terms of a match: clocks, conduct, and reservations.

Durations are in seconds. None leaves a field out, so that the service uses its default.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args

from google.protobuf.duration_pb2 import Duration

from ahu.v1 import match_service_pb2 as v1

Consequence: TypeAlias = Literal["refusal", "strike", "forfeit"]
"""The consequence of a fault."""

Cause: TypeAlias = Literal["illegal", "unreadable", "timeout", "exited", "absent", "resigned"]
"""The reason of a strike or a forfeit."""

_MAX_SECONDS = 315_576_000_000
"""The longest duration that a message can have: 10,000 years."""


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """The limits on the thinking time of a seat, in seconds, each at most a day. Its text is the one that `parse` reads.

    Attributes:
        startup: the additional free time of the first decision; None: 10 in `ahu.play` and `ahu.duel`, which start the
            players, and none in `create_match`.
        limit: the limit of one decision; None: no limit.
        bank: the limit of all decisions together; None: no limit.
        increment: the time that each decision adds to the bank; None: none.
        lag: the free time of each decision, for the network; None: none in `ahu.play` and `ahu.duel`, and 0.2 in
            `create_match`.
    """

    startup: float | None = None
    limit: float | None = None
    bank: float | None = None
    increment: float | None = None
    lag: float | None = None

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Returns the time control of a text, such as "10+0.1" or "5s/move,startup=1m", as `ahu play --tc` reads it. All its values
        are set, except limits that it does not have.

        Raises:
            ValueError: the text is no time control.
        """
        from ahu import _native

        names, times = ("startup", "limit", "bank", "increment", "lag"), _native.time_control(text)
        return cls(**{name: time / 1000 for name, time in zip(names, times, strict=True) if time is not None})

    def __str__(self) -> str:
        parts = [] if self.limit is None else [f"{self.limit:.12g}/move"]
        if self.bank is not None or self.increment:
            parts.insert(0, f"{self.bank or 0:.12g}" + (f"+{self.increment:.12g}" if self.increment else ""))
        free = (("startup", self.startup), ("lag", self.lag))
        return ",".join([*parts, *(f"{name}={time:.12g}" for name, time in free if time is not None)])

    @classmethod
    def of(cls, message: v1.TimeControl) -> TimeControl:
        """Returns the time control in a message, such as one of `Match.time_controls`."""
        return cls(**{descriptor.name: seconds(value) for descriptor, value in message.ListFields()})

    def message(self) -> v1.TimeControl:
        """Returns the time control as a message.

        Raises:
            ValueError: a value is not a finite number, or too large for a message.
        """
        return v1.TimeControl(**{name: duration(value, name) for name, value in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """The consequences of faults: "refusal", "strike", or "forfeit"; None: the default.

    Attributes:
        illegal: for an illegal action; by default "refusal".
        unreadable: for a text or message that is not an action; by default "refusal".
        timeout: for a timeout, "strike" or "forfeit"; by default "forfeit".
        exited: for the exit of a program that the host of the match started, "refusal" or "forfeit"; by default
            "forfeit".
        absent: for an absence beyond `absence_limit`; by default "forfeit".
        resigned: for a resignation, "refusal" or "forfeit"; by default "forfeit".
        absence_limit: the time in seconds that an agent may be absent while it has a decision; None: no limit.
        tries: the number of refused calls for one decision after which a seat forfeits, 1 to 65535; None: 50.
        strikes: the number of strikes after which a seat forfeits, 1 to 255; None: 3, if a fault is a strike.
    """

    illegal: Consequence | None = None
    unreadable: Consequence | None = None
    timeout: Consequence | None = None
    exited: Consequence | None = None
    absent: Consequence | None = None
    resigned: Consequence | None = None
    absence_limit: float | None = None
    tries: int | None = None
    strikes: int | None = None

    @classmethod
    def of(cls, message: v1.Conduct) -> Conduct:
        """Returns the conduct in a message, such as `Match.conduct`."""
        consequences: dict[str, Consequence | None] = {
            cause: _consequence(getattr(message, cause)) for cause in get_args(Cause)
        }
        return cls(
            **consequences,
            absence_limit=seconds(message.absence_limit) if message.HasField("absence_limit") else None,
            tries=message.tries or None,
            strikes=message.strikes if message.HasField("strikes") else None,
        )

    def message(self) -> v1.Conduct:
        """Returns the conduct as a message.

        Raises:
            ValueError: a consequence is not a known word, `absence_limit` is not a finite number, or `tries` is 0.
        """
        if self.tries == 0:
            raise ValueError("expected tries of 1 to 65535, got 0")
        return v1.Conduct(
            **{cause: _consequence_name(cause, getattr(self, cause)) for cause in get_args(Cause)},
            absence_limit=duration(self.absence_limit, "absence_limit"),
            tries=self.tries or 0,
            strikes=self.strikes,
        )


@dataclass(frozen=True, kw_only=True)
class Reservation:
    """The player for whom a seat is reserved. Exactly one of the attributes is set.

    Attributes:
        name: the name that the player must have. A name is not a secret.
        invitation_code: the code that the player must send: 16 to 64 printable characters that nobody can guess, such
            as the result of `secrets.token_urlsafe()`.
    """

    name: str | None = None
    invitation_code: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.name is None) == (self.invitation_code is None):
            got = "none" if self.name is None else "both"
            raise ValueError(f"expected a name or an invitation_code, got {got}")


def duration(value: float | None, name: str) -> Duration | None:
    """Returns seconds as a message; None for None.

    Raises:
        ValueError: the value is not a finite number, or too large for a message.
    """
    if value is None:
        return None
    if not math.isfinite(value) or abs(value) > _MAX_SECONDS:
        raise ValueError(f"expected seconds for {name}, got {value}")
    message = Duration()
    message.FromNanoseconds(round(value * 1e9))
    return message


def seconds(value: Duration) -> float:
    """Returns a duration in seconds."""
    return value.ToNanoseconds() / 1e9


def word_of(enum: Any, number: int, prefix: str) -> str:
    """Returns the word for the value of an enum in a message; its number if this package is older than the server."""
    names = {value: name for name, value in enum.items()}
    return names.get(number, str(number)).removeprefix(prefix).lower()


def cause_of(number: v1.Cause) -> Cause:
    """Returns the word for a cause in a message, as `word_of` does."""
    return cast(Cause, word_of(v1.Cause, number, "CAUSE_"))


def _consequence(number: v1.Consequence) -> Consequence | None:
    if number == v1.CONSEQUENCE_UNSPECIFIED:
        return None
    return cast(Consequence, word_of(v1.Consequence, number, "CONSEQUENCE_"))


def _consequence_name(cause: str, word: str | None) -> str:
    """Returns the name in the proto for a word."""
    if word is None:
        return "CONSEQUENCE_UNSPECIFIED"
    if word not in get_args(Consequence):
        raise ValueError(f'expected "refusal", "strike", or "forfeit" for {cause}, got {word!r}')
    return f"CONSEQUENCE_{word.upper()}"
