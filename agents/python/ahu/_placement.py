"""The seats of an agent program, as its host names them in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ahu.v1 import match_service_pb2 as v1


@dataclass(frozen=True, kw_only=True)
class Placement:
    """A seat and how to reach it.

    Attributes:
        address: the address of the server (AHU_ADDRESS).
        match_id: the match (AHU_MATCH).
        seat: the seat, from 0 (AHU_SEAT).
        token: the seat's token (AHU_TOKEN).
        agent_seed: the seed of the agent's own random choices in this match (AHU_AGENT_SEED); None: the host gives none.
    """

    address: str
    match_id: str
    seat: int
    token: str = field(repr=False)
    agent_seed: int | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Placement:
        """Returns the seat that the variables name.

        Raises:
            LookupError: a variable is missing.
            ValueError: AHU_SEAT or AHU_AGENT_SEED is not a number.
        """
        names = ("AHU_ADDRESS", "AHU_MATCH", "AHU_SEAT", "AHU_TOKEN")
        missing = [name for name in names if name not in environment]
        if missing:
            raise LookupError(
                f"{', '.join(missing)} is not set. Start the agent with `ahu play GAME greedy 'COMMAND'`, "
                "or give connect() a seat of `Client.join`, or an address and a key (AHU_ADDRESS, and AHU_KEY or AHU_KEY_FILE)"
            )
        address, match_id, seat, token = (environment[name] for name in names)
        agent_seed = None if (seed := environment.get("AHU_AGENT_SEED")) is None else int(seed)
        return cls(address=address, match_id=match_id, seat=int(seat), token=token, agent_seed=agent_seed)

    def seat_of(self, client: Any) -> Any:
        """Returns the seat, as a `Seat` of a client of this server."""
        return client.seat(self.match_id, self.seat, self.token, self.agent_seed)


@dataclass(frozen=True, kw_only=True)
class AgentKey:
    """The key with which an agent that plays many matches asks for its seats.

    Attributes:
        address: the address of the server (AHU_ADDRESS).
        key: the key (AHU_KEY, or the content of the file AHU_KEY_FILE).
        agent: the agent of a ladder whose seats it asks for, of those that the account of the key has entered (AHU_AGENT);
            empty for the one that was entered last.
    """

    address: str
    key: str = field(repr=False)
    agent: str = ""


def agent_key(
    environment: Mapping[str, str] = os.environ, *, address: str | None = None, key: str | None = None
) -> AgentKey | None:
    """Returns the key of the arguments, otherwise of the variables; None: the host has only one match for the agent.

    Raises:
        LookupError: the file that AHU_KEY_FILE names cannot be read.
    """
    address = environment.get("AHU_ADDRESS") if address is None else address
    key = environment.get("AHU_KEY") if key is None else key
    if key is None and (file := environment.get("AHU_KEY_FILE")):
        try:
            key = Path(file).read_text("utf-8-sig")
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise LookupError(f'expected a file with a key in AHU_KEY_FILE, got "{file}": {reason}') from None
    if address is None or key is None:
        return None
    return AgentKey(address=address, key=key.strip(), agent=environment.get("AHU_AGENT", ""))


def assigned_seat(client: Any, assigned: v1.AssignedSeat) -> Any:
    """Returns an assigned seat, as a `Seat` of a client."""
    agent_seed = assigned.agent_seed if assigned.HasField("agent_seed") else None
    return client.seat(assigned.match_id, assigned.seat, assigned.seat_token, agent_seed)
