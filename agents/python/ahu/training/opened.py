"""Environments that are open: what is known of them, and what may be done in them."""

from __future__ import annotations

from typing import Any, Literal

import grpc
import numpy as np
from numpy.typing import NDArray

from ahu import errors
from ahu.training import requests
from ahu.training.batch import Reading
from ahu.training.forfeits import Forfeits
from ahu.training.known import Known, Rows
from ahu.training.opening import Autoreset
from ahu.training.session import BatchMessage, Exchange, Session

OnIllegal = Literal["raise", "random_legal", "terminate"]
"""What becomes of an action that is not legal: see `VectorEnv`."""


class Opened:
    """Environments that are open.

    Args:
        session: the stream on which they are.
        reading: how batches are to be read.
        known: what is known of them.
        forfeits: what ends episodes in which something illegal is done; None: nothing does.
        autoreset: what happens to an environment whose episode has ended.
        on_illegal: what becomes of an action that is not legal.

    """

    def __init__(
        self,
        session: Session,
        reading: Reading,
        known: Known,
        forfeits: Forfeits | None,
        autoreset: Autoreset,
        on_illegal: OnIllegal,
    ) -> None:
        self.session = session
        self.reading = reading
        self._known = known
        self._forfeits = forfeits
        self._autoreset = autoreset
        self._on_illegal = on_illegal
        session.listeners.append(known.hear)
        if forfeits is not None:
            session.listeners.append(forfeits.hear)

    def resetting(self, group: int, rows: Rows, seeds: NDArray[np.uint64] | None) -> Exchange:
        """What begins episodes in environments of a group.

        Raises:
            ValueError: the group is under way.
        """
        self._check_free(group)

        def merge(batches: list[BatchMessage]) -> BatchMessage:
            if seeds is not None:
                self._known.seed(rows, seeds)
            if self._forfeits is not None:
                self._forfeits.begin(rows)
            return batches[0]

        return Exchange(group, rows, [requests.reset(group, rows, seeds)], merge)

    def illegal(
        self, group: int, rows: Rows, numbers: NDArray[np.integer[Any]], ids: NDArray[np.integer[Any]]
    ) -> NDArray[np.intp]:
        """Checks actions that are to be taken in environments of a group. What `stepping` does then cannot fail.

        Args:
            group: the group.
            rows: the environments.
            numbers: their numbers.
            ids: the actions.

        Returns:
            Which of them are not legal, by place: intp [m]; none, where "raise" was agreed.

        Raises:
            IllegalAction: one is not legal, and "raise" was agreed.
            AhuError: an environment has no episode under way; with "next_step" one that has ended may be stepped.
            ValueError: the group is under way.
        """
        self._check_free(group)
        illegal, unasked = self._known.doubtful(rows, ids)
        unasked = numbers[unasked]
        if self._autoreset == "next_step":
            unasked = unasked[~self._known.have_begun(unasked)]
        if len(unasked):
            raise _no_episode(int(unasked[0]))
        if len(illegal) and self._on_illegal == "raise":
            raise self._illegal_action(int(numbers[illegal[0]]), int(ids[illegal[0]]))
        return illegal

    def stepping(
        self,
        group: int,
        rows: Rows,
        numbers: NDArray[np.integer[Any]],
        ids: NDArray[np.integer[Any]],
        illegal: NDArray[np.intp],
    ) -> Exchange:
        """What takes actions in environments of a group, of which those at the places `illegal` are not legal."""
        if self._forfeits is not None:
            return self._forfeits.stepping(group, numbers, ids, illegal)
        if len(illegal):
            ids = ids.copy()
            ids[illegal] = self._known.random_legal(numbers[illegal])
        return Exchange(group, rows, [requests.step(group, rows, ids)])

    def legal(self) -> NDArray[np.bool_]:
        """What is legal in each environment: bool [environments, action_count].

        Raises:
            LookupError: no episode has begun.
        """
        return self._known.legal()

    def _check_free(self, group: int) -> None:
        if group in self.session.groups_under_way:
            raise ValueError(f"group {group} is under way: recv its answer first")

    def _illegal_action(self, environment: int, action_id: int) -> errors.IllegalAction:
        legal = errors.ranges(self._known.legal_ids(environment).tolist())
        message = f"environment {environment}: action {action_id} is not legal; legal ids: {legal}"
        metadata = {"environment": str(environment), "action_id": str(action_id), "legal": legal}
        return errors.IllegalAction(_details(message, "ILLEGAL_ACTION", metadata))


def _no_episode(environment: int) -> errors.AhuError:
    message = f"environment {environment} has no episode under way: reset it first"
    return errors.AhuError(_details(message, "NO_EPISODE", {"environment": str(environment)}))


def _details(message: str, reason: str, metadata: dict[str, str]) -> errors.Details:
    """What the server would say."""
    return errors.Details(grpc.StatusCode.FAILED_PRECONDITION, message, reason, metadata)
