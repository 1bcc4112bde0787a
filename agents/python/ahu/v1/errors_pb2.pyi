from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_GAME: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_MATCH: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_SEAT: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_BOT: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_SEAT_COUNT: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_OPTION: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_NAME: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_SEAT_TAKEN: _ClassVar[ErrorReason]
    ERROR_REASON_NO_TOKEN: _ClassVar[ErrorReason]
    ERROR_REASON_WRONG_TOKEN: _ClassVar[ErrorReason]
    ERROR_REASON_MATCH_NOT_STARTED: _ClassVar[ErrorReason]
    ERROR_REASON_BAD_ACTION: _ClassVar[ErrorReason]
    ERROR_REASON_GAME_OVER: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_YOUR_DECISION: _ClassVar[ErrorReason]
    ERROR_REASON_STALE_DECISION: _ClassVar[ErrorReason]
    ERROR_REASON_DECISION_TAKEN: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_ACTION: _ClassVar[ErrorReason]
    ERROR_REASON_ILLEGAL_ACTION: _ClassVar[ErrorReason]
    ERROR_REASON_FORFEITED: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_MATCHES: _ClassVar[ErrorReason]
    ERROR_REASON_CLOSING: _ClassVar[ErrorReason]
    ERROR_REASON_REQUEST_ID_REUSED: _ClassVar[ErrorReason]
    ERROR_REASON_MATCH_SUSPENDED: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_ENVIRONMENTS: _ClassVar[ErrorReason]
    ERROR_REASON_NO_EPISODE: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_STREAMS: _ClassVar[ErrorReason]
    ERROR_REASON_MATCH_ENDED: _ClassVar[ErrorReason]
    ERROR_REASON_SEAT_RESERVED: _ClassVar[ErrorReason]
    ERROR_REASON_NO_RESIGNATION: _ClassVar[ErrorReason]
    ERROR_REASON_MATCH_DAMAGED: _ClassVar[ErrorReason]
    ERROR_REASON_RULES_MISSING: _ClassVar[ErrorReason]
    ERROR_REASON_MATCH_SEALED: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_UNKNOWN_GAME: ErrorReason
ERROR_REASON_UNKNOWN_MATCH: ErrorReason
ERROR_REASON_UNKNOWN_SEAT: ErrorReason
ERROR_REASON_UNKNOWN_BOT: ErrorReason
ERROR_REASON_BAD_SEAT_COUNT: ErrorReason
ERROR_REASON_BAD_OPTION: ErrorReason
ERROR_REASON_BAD_NAME: ErrorReason
ERROR_REASON_BAD_FIELD: ErrorReason
ERROR_REASON_SEAT_TAKEN: ErrorReason
ERROR_REASON_NO_TOKEN: ErrorReason
ERROR_REASON_WRONG_TOKEN: ErrorReason
ERROR_REASON_MATCH_NOT_STARTED: ErrorReason
ERROR_REASON_BAD_ACTION: ErrorReason
ERROR_REASON_GAME_OVER: ErrorReason
ERROR_REASON_NOT_YOUR_DECISION: ErrorReason
ERROR_REASON_STALE_DECISION: ErrorReason
ERROR_REASON_DECISION_TAKEN: ErrorReason
ERROR_REASON_UNKNOWN_ACTION: ErrorReason
ERROR_REASON_ILLEGAL_ACTION: ErrorReason
ERROR_REASON_FORFEITED: ErrorReason
ERROR_REASON_TOO_MANY_MATCHES: ErrorReason
ERROR_REASON_CLOSING: ErrorReason
ERROR_REASON_REQUEST_ID_REUSED: ErrorReason
ERROR_REASON_MATCH_SUSPENDED: ErrorReason
ERROR_REASON_TOO_MANY_ENVIRONMENTS: ErrorReason
ERROR_REASON_NO_EPISODE: ErrorReason
ERROR_REASON_TOO_MANY_STREAMS: ErrorReason
ERROR_REASON_MATCH_ENDED: ErrorReason
ERROR_REASON_SEAT_RESERVED: ErrorReason
ERROR_REASON_NO_RESIGNATION: ErrorReason
ERROR_REASON_MATCH_DAMAGED: ErrorReason
ERROR_REASON_RULES_MISSING: ErrorReason
ERROR_REASON_MATCH_SEALED: ErrorReason
