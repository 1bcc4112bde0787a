"""Forfeits, for `on_illegal="terminate"`: the seat that takes an illegal action loses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ahu.training._engine import Answer, Call
from ahu.training._open_request import Autoreset
from ahu.training._rows import BatchSpec, FinalRows, Rows


@dataclass(slots=True)
class ForfeitStep:
    """A step in which some environments forfeit, or begin anew after a forfeit.

    Attributes:
        calls: the calls that carry the step out, each with the places of its rows in the batch.
        forfeited: the places of the environments with an illegal action: intp [m].
        renewed: the environments that begin their next episode in this step: [m].
    """

    calls: list[tuple[Call, NDArray[np.intp]]]
    forfeited: NDArray[np.intp]
    renewed: NDArray[np.uint32]


class Forfeits:
    """The forfeits in some environments.

    Args:
        spec: the sizes of batches.
        count: the number of environments.
        autoreset: the reset of an environment whose episode has ended.
    """

    def __init__(self, spec: BatchSpec, count: int, autoreset: Autoreset) -> None:
        self._autoreset = autoreset
        self._last = Rows(spec, count)
        self._over = np.zeros(count, np.bool_)

    def update(self, call: Call, rows: Rows) -> None:
        """Keeps the rows of a call, with what the seats that decide next know."""
        self._last.put(call.numbers, rows)

    def reset(self, call: Call) -> None:
        """Notes that environments are reset."""
        self._over[call.numbers] = False

    def plan(self, call: Call, illegal: NDArray[np.intp]) -> ForfeitStep | None:
        """Returns the step that takes the actions of `call`, of which the actions at the places `illegal` are illegal.
        None: the call itself is the step."""
        env_ids = call.numbers.astype(np.uint32)
        over = self._over[env_ids]
        if not len(illegal) and not over.any():
            return None
        goes_on = ~over
        goes_on[illegal] = False
        begun = illegal if self._autoreset == "same_step" else np.flatnonzero(over)
        calls: list[tuple[Call, NDArray[np.intp]]] = []
        for places, is_step in ((np.flatnonzero(goes_on), True), (begun, False)):
            if len(places):
                actions = call.actions[places] if call.actions is not None and is_step else None
                calls.append((Call.of(call.group, env_ids[places], actions), places))
        return ForfeitStep(calls, illegal, env_ids[over])

    def finish(self, step: ForfeitStep, env_ids: NDArray[np.uint32], rows: Rows, answers: list[Answer]) -> Answer:
        """Writes the rows of the environments that forfeit, once all other rows are written. Returns the whole answer."""
        forfeited = env_ids[step.forfeited]
        parts = [answer.final_rows for answer in answers if answer.final_rows is not None]
        if len(forfeited):
            last = self._last.take(forfeited.astype(np.intp))
            seats, count = last.seats, rows.spec.seats
            rewards = np.full((len(forfeited), count), 1 / (count - 1), np.float32)
            rewards[np.arange(len(forfeited)), seats] = -1
            if self._autoreset != "same_step":
                last.masks[...] = 0
                rows.put(step.forfeited, last)
                self._over[forfeited] = True
            rows.rewards[step.forfeited] = rewards
            rows.ended[step.forfeited] = True
            parts.append(_final_rows(last))
        self._over[step.renewed] = False
        final_rows = FinalRows.joined(parts) if parts else None
        if final_rows is not None:
            final_rows = final_rows.take(np.argsort(final_rows.column("env_ids"), kind="stable"))
        return Answer(sum(answer.nanoseconds for answer in answers), None, final_rows)


def _final_rows(last: Rows) -> FinalRows:
    """Returns the final rows of the seats that have lost, from their last rows."""
    count = len(last)
    own = {
        "returns": np.full(count, -1, np.float32),
        "ranks": np.full(count, last.spec.seats, np.uint8),
    }
    columns = {
        column.name: np.ascontiguousarray(own.get(column.name, getattr(last, column.name, None))).reshape(-1)
        for column in last.spec.final_columns
    }
    return FinalRows(last.spec, {name: values.view(np.uint8) for name, values in columns.items()})
