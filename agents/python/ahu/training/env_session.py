"""Environments that are open: which actions are legal in them, and what becomes of those that are not."""

from __future__ import annotations

from typing import Any, Literal

import grpc
import numpy as np
from numpy.typing import NDArray

from ahu import errors
from ahu.training import messages
from ahu.training.batch import BatchSpec
from ahu.training.illegal_actions import IllegalActionForfeits
from ahu.training.mask_cache import MaskCache, Rows
from ahu.training.open_request import Autoreset
from ahu.training.stream_session import BatchMessage, Exchange, StreamSession

OnIllegal = Literal["raise", "random_legal", "terminate"]
"""What becomes of an action that is not legal: see `VectorEnv`."""


class EnvSession:
    """Environments that are open.

    Args:
        stream_session: the requests and responses of their stream.
        spec: what is needed to read batches.
        mask_cache: their last masks.
        forfeits: what ends episodes in which something illegal is done; None: nothing does.
        autoreset: what happens to an environment whose episode has ended.
        on_illegal: what becomes of an action that is not legal.
    """

    def __init__(
        self,
        stream_session: StreamSession,
        spec: BatchSpec,
        mask_cache: MaskCache,
        forfeits: IllegalActionForfeits | None,
        autoreset: Autoreset,
        on_illegal: OnIllegal,
    ) -> None:
        self.stream_session = stream_session
        self.spec = spec
        self._mask_cache = mask_cache
        self._forfeits = forfeits
        self._autoreset = autoreset
        self._on_illegal = on_illegal
        stream_session.listeners.append(mask_cache.update)
        if forfeits is not None:
            stream_session.listeners.append(forfeits.update)

    def reset_exchange(self, group: int, rows: Rows, seeds: NDArray[np.uint64] | None) -> Exchange:
        """What begins episodes in environments of a group.

        Raises:
            ValueError: the group is under way.
        """
        self._check_free(group)

        def merge(batches: list[BatchMessage]) -> BatchMessage:
            if seeds is not None:
                self._mask_cache.seed(rows, seeds)
            if self._forfeits is not None:
                self._forfeits.reset(rows)
            return batches[0]

        return Exchange(group, rows, [messages.reset(group, rows, seeds)], merge)

    def find_illegal(
        self, group: int, rows: Rows, env_ids: NDArray[np.integer[Any]], actions: NDArray[np.integer[Any]]
    ) -> NDArray[np.intp]:
        """Checks actions that are to be taken in environments of a group. What `step_exchange` does then cannot fail.

        Args:
            group: the group.
            rows: the environments.
            env_ids: their numbers.
            actions: the actions, by id.

        Returns:
            Which of them are not legal, by place: intp [m]; none, where "raise" was agreed.

        Raises:
            IllegalAction: one is not legal, and "raise" was agreed.
            AhuError: an environment has no episode under way; with "next_step" one that has ended may be stepped.
            ValueError: the group is under way.
        """
        self._check_free(group)
        illegal, no_decision = self._mask_cache.find_illegal(rows, actions)
        no_decision = env_ids[no_decision]
        if self._autoreset == "next_step":
            no_decision = no_decision[~self._mask_cache.have_begun(no_decision)]
        if len(no_decision):
            raise _no_episode(int(no_decision[0]))
        if len(illegal) and self._on_illegal == "raise":
            raise self._illegal_action(int(env_ids[illegal[0]]), int(actions[illegal[0]]))
        return illegal

    def step_exchange(
        self,
        group: int,
        rows: Rows,
        env_ids: NDArray[np.integer[Any]],
        actions: NDArray[np.integer[Any]],
        illegal: NDArray[np.intp],
    ) -> Exchange:
        """What takes actions in environments of a group, of which those at the places `illegal` are not legal."""
        if self._forfeits is not None:
            return self._forfeits.step_exchange(group, env_ids, actions, illegal)
        if len(illegal):
            actions = actions.copy()
            actions[illegal] = self._mask_cache.random_legal(env_ids[illegal])
        return Exchange(group, rows, [messages.step(group, rows, actions)])

    def action_masks(self) -> NDArray[np.bool_]:
        """What is legal in each environment: bool [num_envs, action_count].

        Raises:
            LookupError: no episode has begun.
        """
        return self._mask_cache.masks()

    def _check_free(self, group: int) -> None:
        if group in self.stream_session.pending_groups:
            raise ValueError(f"group {group} is under way: recv its answer first")

    def _illegal_action(self, environment: int, action_id: int) -> errors.IllegalAction:
        legal = errors.ranges(self._mask_cache.legal_ids(environment).tolist())
        message = f"environment {environment}: action {action_id} is not legal; legal ids: {legal}"
        metadata = {"environment": str(environment), "action_id": str(action_id), "legal": legal}
        return errors.IllegalAction(_details(message, "ILLEGAL_ACTION", metadata))


def _no_episode(environment: int) -> errors.AhuError:
    message = f"environment {environment} has no episode under way: reset it first"
    return errors.AhuError(_details(message, "NO_EPISODE", {"environment": str(environment)}))


def _details(message: str, reason: str, metadata: dict[str, str]) -> errors.Details:
    """What the server would say."""
    return errors.Details(grpc.StatusCode.FAILED_PRECONDITION, message, reason, metadata)
