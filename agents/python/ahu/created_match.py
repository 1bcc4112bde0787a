"""A match in the hands of its creator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ahu.v1 import match_service_pb2 as v1


@dataclass(frozen=True, kw_only=True)
class CreatedMatch:
    """A match that a client has created. It also has every field of `Match`, such as `state` and `seats`.

    Attributes:
        match: the public description of the match when it was created.
        owner_token: the secret that authorizes `cancel_match`. Keep it from others.
    """

    match: v1.Match
    owner_token: str

    def __repr__(self) -> str:
        return f"CreatedMatch({self.match.game!r}, match_id={self.match.match_id!r}, seats={len(self.match.seats)})"

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self.match.match_id

    def __getattr__(self, name: str) -> Any:
        """Returns a field of the description."""
        if name not in v1.Match.DESCRIPTOR.fields_by_name:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.match, name)
