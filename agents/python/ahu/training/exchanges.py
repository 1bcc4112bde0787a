"""The exchanges of a `VectorEnv` with its engine, and what it keeps while it is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ahu import _native
from ahu.training.engine import Answer, Call, Engine
from ahu.training.forfeits import Forfeits, ForfeitStep
from ahu.training.policies import Playing, PolicyPlayers
from ahu.training.rows import BatchSpec, FinalRows, Rows


class Exchange:
    """A request for environments of a group, and the calls of the engine that carry it out.

    Attributes:
        call: the request.
        forfeit: the step that carries the request out, if environments forfeit.
        parts: the calls, each with the places of its rows; None: all rows.
        rows: the rows of the request, which are the rows of the batch if it has one exchange; None until the calls are made.
        part_rows: the rows of each call; empty until the calls are made.
        playing: the play of the client's policies; None before it.
        whole: the answer once the client's policies have played on; None before.
        acted: the seats that acted in the exchanges of the batch, kept by the first of them; None before, and for a reset.
        starts: True for each environment whose episode begins, kept as `acted` is; None: as `Batch.starts` says.
    """

    rows: Rows | None = None
    part_rows: Sequence[Rows] = ()
    playing: Playing | None = None
    whole: Answer | None = None
    acted: NDArray[np.uint8] | None = None
    starts: NDArray[np.bool_] | None = None

    def __init__(self, call: Call, forfeit: ForfeitStep | None = None) -> None:
        self.call = call
        self.forfeit = forfeit
        self.parts: Sequence[tuple[Call, NDArray[np.intp] | None]]
        self.parts = ((call, None),) if forfeit is None else forfeit.calls


def calls_of(spec: BatchSpec, exchanges: list[Exchange]) -> list[tuple[Call, Rows]]:
    """Returns the calls of exchanges, each with its rows."""
    for exchange in exchanges:
        if exchange.rows is None:
            exchange.rows = Rows(spec, exchange.call.count)
        if not exchange.part_rows:
            is_one = exchange.forfeit is None
            exchange.part_rows = [exchange.rows] if is_one else [Rows(spec, call.count) for call, _ in exchange.parts]
    return [
        (call, part)
        for exchange in exchanges
        for (call, _), part in zip(exchange.parts, exchange.part_rows, strict=True)
    ]


@dataclass(slots=True)
class Sent:
    """Exchanges of one batch without an answer yet.

    Attributes:
        exchanges: the exchanges.
        groups: their groups.
        was_interrupted: True for a `step` or a `reset` that Ctrl-C has interrupted.
    """

    exchanges: list[Exchange]
    groups: frozenset[int]
    was_interrupted: bool = False

    @property
    def count(self) -> int:
        """The number of rows of the batch."""
        return sum(exchange.call.count for exchange in self.exchanges)

    def is_within(self, numbers: NDArray[np.integer[Any]]) -> bool:
        """Returns True if these environments have all environments of the exchanges."""
        return all(np.isin(exchange.call.numbers, numbers).all() for exchange in self.exchanges)


@dataclass
class OpenEnv:
    """Environments that are open.

    Attributes:
        engine: the engine.
        spec: the sizes of batches.
        legal: the legal actions of the environments.
        forfeits: the forfeits by illegal actions; None: there are none.
        seeds: the seed of each environment: uint64 [num_envs].
        acting: the seat of each environment in its last batch: uint8 [num_envs]. Batches keep parts of it: it never changes, but
            another array takes its place.
        over: True for each environment whose last batch showed the end of its episode, with "next_step": bool [num_envs].
        policies: the policies among the players; None: there have been none.
        sent: the exchanges that were sent and have no answer yet, by batch.
        groups_in_progress: the groups of these exchanges.
        rows: the rows of the last batches, by their number.
    """

    engine: Engine
    spec: BatchSpec
    legal: _native.LegalActions
    forfeits: Forfeits | None
    seeds: NDArray[np.uint64]
    acting: NDArray[np.uint8]
    over: NDArray[np.bool_]
    policies: PolicyPlayers | None = None
    sent: list[Sent] = field(default_factory=list["Sent"])
    groups_in_progress: set[int] = field(default_factory=set)
    rows: dict[int, list[Rows]] = field(default_factory=dict)

    def noted(self, exchange: Exchange, answers: list[Answer]) -> Answer:
        """Joins the answers and rows of the parts into one, and notes the changes. Ctrl-C may end it, and it is asked again."""
        call, rows, forfeit = exchange.call, exchange.rows, exchange.forfeit
        assert rows is not None
        if forfeit is None:
            [answer] = answers
        elif (answer := forfeit.answer) is None:
            for (_, places), part in zip(exchange.parts, exchange.part_rows, strict=True):
                rows.put(slice(None) if places is None else places, part)
            assert self.forfeits is not None
            rows.env_ids[...] = call.numbers
            answer = self.forfeits.finish(forfeit, call.numbers.astype(np.uint32), rows, answers)
        self.note(call, rows)
        return answer

    def note(self, call: Call, rows: Rows) -> None:
        """Notes the state of the environments in the rows of a call."""
        if call.actions is None:
            if call.seeds is not None:
                self.legal.seed(call.first, call.env_ids, call.seeds)
                self.seeds[call.numbers] = call.seeds
            if self.forfeits is not None:
                self.forfeits.reset(call)
        if self.forfeits is not None:
            self.forfeits.update(call, rows)
        self.legal.update(call.first, call.env_ids, rows.masks)


def joined(answers: list[Answer]) -> Answer:
    """Joins two answers into one, with the rows of the first before the rows of the second."""
    seeds = [answer.seeds for answer in answers if answer.seeds is not None]
    final_rows = [answer.final_rows for answer in answers if answer.final_rows is not None]
    return Answer(
        sum(answer.nanoseconds for answer in answers),
        np.concatenate(seeds) if seeds else None,
        FinalRows.joined(final_rows) if final_rows else None,
    )


def split(values: NDArray[Any], calls: list[Call]) -> list[NDArray[Any]]:
    """Returns values, one for each environment, by the calls of the environments."""
    return np.split(values, np.cumsum([call.count for call in calls])[:-1])
