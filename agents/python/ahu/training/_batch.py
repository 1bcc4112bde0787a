"""Batches: the answers of an engine, a row for each environment."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ahu._turn import Turn
from ahu.training import _bits as bits, _catalog as catalog
from ahu.training._layout import Layout
from ahu.training._observation import Memory, Observation, ObsFormat
from ahu.training._rows import BatchSpec, FinalRows, Out, Rows
from ahu.v1.environment_service_pb2 import Episode, RunResponse


class Batch:
    """Environments that were reset or stepped: a row for each, with the decision that it waits for.

    Observations and masks are unpacked on first access. All arrays are writable, and belong to whoever holds them: they
    never change later.
    """

    # Made on first access. `cached_property` would take a lock on each access.
    _observation: Observation | None = None
    _masks: NDArray[Any] | None = None
    _reward: NDArray[np.float32] | None = None
    _truncated: NDArray[np.bool_] | None = None
    _final_steps: FinalSteps | None = None
    _episodes: Sequence[Episode] | None = None

    def __init__(
        self,
        rows: Rows,
        final_rows: FinalRows | None = None,
        seeds: NDArray[np.uint64] | None = None,
        nanoseconds: int = 0,
        group: int = 0,
        out: Out | None = None,
        acted: NDArray[np.uint8] | None = None,
        starts: NDArray[np.bool_] | None = None,
    ) -> None:
        self._rows = rows
        self._acted = acted
        self._starts = starts
        self._final_rows = final_rows
        self._nanoseconds = nanoseconds
        self._out = None if out is None else dict(out)
        self.seeds = seeds
        """After a reset, the seeds of the episodes that began, uint64 [n]; otherwise None. A match with this seed has the same
        chance outcomes."""
        self.group = group
        """The group; the first group, if the batch has several."""
        if out is not None:
            self._fill(out)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Batch cannot be pickled or copied, since its memory belongs to the environments: pickle its arrays, such as "
            "batch.observation.array.copy(), or take rows with batch.take(rows)"
        )

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"Batch(group={self.group}, rows={len(self)}, ended={np.count_nonzero(self.ended)})"

    @property
    def env_ids(self) -> NDArray[np.uint32]:
        """The environment of each row, numbered over all groups from 0, in rising order: uint32 [n]."""
        return self._rows.env_ids

    @property
    def seats(self) -> NDArray[np.uint8]:
        """The seat that has to decide: uint8 [n]. In a row that shows the end of an episode, the first seat that the
        client played."""
        return self._rows.seats

    @property
    def players(self) -> NDArray[np.uint8]:
        """The player who has that seat, as its place in `players` of the `VectorEnv`: uint8 [n]."""
        return self._rows.players

    @property
    def observation(self) -> Observation:
        """The observation of that seat."""
        if self._observation is None:
            rows = self._rows
            spec = rows.spec
            self._observation = Observation(
                spec.layout, spec.obs_format, rows.bits, rows.numbers, self._memory, spec.cores
            )
        return self._observation

    @property
    def packed_masks(self) -> bits.Packed:
        """The legal actions of that seat, packed: uint8 [n, 8 * ceil(action_count / 64)]. Bit i % 8 (the lowest is 0) of
        byte i / 8 stands for action i."""
        return self._rows.masks

    @property
    def masks(self) -> NDArray[Any]:
        """The legal actions of that seat: bool (or int8, with `mask_dtype`) [n, action_count]; none in a row that shows the
        end of an episode."""
        if self._masks is None:
            spec = self._rows.spec
            masks = self._memory("masks", (len(self._rows), spec.action_count), spec.mask_dtype)
            bits.unpack(self._rows.masks, spec.action_count, masks.view(np.uint8), spec.cores)
            self._masks = masks
        return self._masks

    @property
    def rewards(self) -> NDArray[np.float32]:
        """The rewards of the request for each seat, from seat 0 on: float32 [n, seats]. Zero unless an episode ended,
        or the rule is "margin_gain"."""
        return self._rows.rewards

    @property
    def reward(self) -> NDArray[np.float32]:
        """The reward of the request for the seat that acted in it: float32 [n]. `rewards` also has the rewards of the other
        seats. In the row of a step that began another episode, `seats` is already a seat of that episode, and `reward` is
        the end of the last episode. Zero after a reset."""
        if self._reward is None:
            if self._acted is None:
                self._reward = np.zeros(len(self), np.float32)
            else:
                self._reward = self.rewards[np.arange(len(self)), self._acted]
        return self._reward

    @property
    def starts(self) -> NDArray[np.bool_]:
        """True in each row that begins an episode: bool [n]. For a player among others, True in the first row of each episode
        that the player is given."""
        if self._starts is None:
            # Unless somebody says otherwise, the next episode begins in the step that ends one.
            self._starts = np.ones(len(self), np.bool_) if self._acted is None else self.ended
        return self._starts

    @property
    def layout(self) -> Layout:
        """The layout of observations."""
        return self._rows.spec.layout

    @property
    def ended(self) -> NDArray[np.bool_]:
        """True in each row in which the request ended an episode: bool [n]. `truncated` tells whether by the rules of the game."""
        return self._rows.ended

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """True in each row in which the request ended an episode by `max_decisions`, and not by its rules: bool [n].

        The rewards of the step are then 0, except by "margin_gain", which pays each seat of the client the change of its margin
        since its last decision, by its own last observation. `final_steps` has the last observations, from which a critic
        values what would have come; their `returns` are what the episode has paid, and `ranks` count the points so far, as the
        public knows them."""
        if self._truncated is None:
            self._truncated = np.zeros(len(self), np.bool_)
            if self._final_rows is not None:
                cut = [episode.environment for episode in self.episodes if episode.truncated]
                self._truncated[np.searchsorted(self.env_ids, cut)] = True
        return self._truncated

    @property
    def final_steps(self) -> FinalSteps | None:
        """The final steps of the episodes that ended, for the seats that the client played; None if no episode ended. If
        `on_illegal="terminate"` ended an episode, only the seat that took the illegal action has a row."""
        if self._final_steps is None and self._final_rows is not None and len(self._final_rows):
            self._final_steps = FinalSteps(self._final_rows)
        return self._final_steps

    @property
    def episodes(self) -> Sequence[Episode]:
        """The episodes that ended, in the order of the rows: environment, seed, decision_count, truncated, and by seat bots,
        scores, ranks, and returns. Episodes that `on_illegal="terminate"` ended are left out."""
        if self._episodes is None:
            final = self._final_rows
            self._episodes = () if final is None else RunResponse.Batch.FromString(final.episodes).episodes
        return self._episodes

    def take(self, places: NDArray[np.integer[Any]]) -> Batch:
        """Returns a batch of some rows, with copies of the arrays and without final steps."""
        acted = None if self._acted is None else self._acted[places]
        return Batch(self._rows.take(places), group=self.group, acted=acted, starts=self.starts[places])

    def with_starts(self, starts: NDArray[np.bool_]) -> Batch:
        """Returns the same rows with another `starts`, and without final steps."""
        return Batch(self._rows, group=self.group, acted=self._acted, starts=starts)

    def as_format(self, obs_format: ObsFormat, mask_dtype: np.dtype[Any]) -> Batch:
        """Returns the same rows with observations and masks in other formats, and without final steps."""
        spec = self._rows.spec
        if (spec.obs_format, spec.mask_dtype) == (obs_format, mask_dtype):
            return self
        rows = self._rows.with_spec(spec.in_format(obs_format, mask_dtype))
        return Batch(rows, group=self.group, acted=self._acted, starts=self._starts)

    @property
    def server_seconds(self) -> float:
        """The time that the engine worked on the request, in seconds."""
        return self._nanoseconds / 1e9

    @property
    def _memory(self) -> Memory:
        """The memory for unpacked arrays. It must not hold the batch, whose observation holds it: Python frees a batch only at
        once if it is not in a cycle."""
        return self._rows.unpacked if self._out is None else functools.partial(_memory_of, self._out, self._rows)

    def _fill(self, out: Out) -> None:
        """Writes into arrays of the caller, which have been checked."""
        for name in out:
            array = self.observation.array if name == "array" else self.masks if name == "masks" else None
            if name == "bits" and self._rows.spec.obs_format == "split":
                array = self.observation["bits"]
            if array is None:
                np.copyto(out[name], getattr(self._rows, "masks" if name == "packed_masks" else name))


def batch_of_turns(
    turns: Sequence[Turn], obs_format: ObsFormat, mask_dtype: DTypeLike, places: Sequence[int] | None = None
) -> Batch:
    """Returns the decisions of turns of one game as a batch: a row for each turn.

    Args:
        turns: the turns, whose formats have the tensor and the mask.
        obs_format: the format of observations.
        mask_dtype: the type of masks, bool or int8.
        places: the number of each row in `env_ids`; None: 0, 1, and so on.

    Raises:
        LookupError: this package does not know the layout.
    """
    spec = spec_of(turns[0].message.tensor.layout_hash, obs_format, np.dtype(mask_dtype))
    rows = Rows(spec, len(turns))
    rows.memory[:] = 0
    rows.env_ids[:] = range(len(turns)) if places is None else places
    for row, turn in enumerate(turns):
        tensor = turn.message.tensor
        rows.bits[row] = np.frombuffer(tensor.bits, np.uint8)
        rows.numbers[row] = np.frombuffer(tensor.numbers, "<i2")
        rows.masks[row] = np.frombuffer(turn.message.decision.mask, np.uint8)
        rows.seats[row] = rows.players[row] = turn.seat
    return Batch(rows, starts=np.array([turn.starts for turn in turns], np.bool_))


@functools.cache
def spec_of(layout_hash: bytes, obs_format: ObsFormat, mask_dtype: np.dtype[Any]) -> BatchSpec:
    """Returns the sizes of batches of the game that has a layout, for its highest number of seats.

    Raises:
        LookupError: this package does not know the layout.
    """
    sizes = catalog.sizes(layout_hash)
    return BatchSpec(sizes.layout, obs_format, sizes.action_count, sizes.max_seats, mask_dtype)


def checked_choices(chosen: ArrayLike, count: int, who: str) -> NDArray[np.int64]:
    """Returns the actions that a player has chosen for `count` rows.

    Raises:
        TypeError: the actions are not integers.
        ValueError: there is not one action for each row.
    """
    actions: NDArray[Any] = np.asarray(chosen)
    if actions.dtype.kind not in "iu":
        raise TypeError(f"{who}: expected actions as integers, got {actions.dtype}")
    if actions.shape != (count,):
        raise ValueError(f"{who}: expected actions of shape {(count,)}, got {actions.shape}")
    return actions.astype(np.int64)


def check_out(out: Out, spec: BatchSpec, count: int) -> None:
    """Checks arrays of the caller for a batch of `count` rows.

    Raises:
        TypeError: a value is not an array.
        ValueError: the format has no such array, or an array has another type, shape, or order, or is read-only.
    """
    columns: dict[str, tuple[Any, tuple[int, ...]]]
    columns = {column.name: (column.dtype, (count, *column.shape)) for column in spec.columns}
    columns["packed_masks"] = columns.pop("masks")
    arrays = {**columns, "masks": (spec.mask_dtype, (count, spec.action_count))}
    if spec.obs_format == "split":
        arrays["bits"] = (np.uint8, (count, spec.layout.bit_count))
    if spec.obs_format == "flat":
        del arrays["bits"], arrays["numbers"]
        arrays["array"] = (np.float32, (count, spec.layout.size))
    for name, array in out.items():
        if name not in arrays:
            raise ValueError(f"expected arrays of these names in out: {', '.join(arrays)}; got {name!r}")
        dtype, shape = np.dtype(arrays[name][0]), arrays[name][1]
        # Types are not checked when the code runs.
        if not isinstance(array, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"out[{name!r}]: expected an array of {dtype}, got {type(array).__name__}")
        for what, expected, got in (("the type", dtype, array.dtype), ("the shape", shape, array.shape)):
            if expected != got:
                raise ValueError(f"out[{name!r}]: expected {what} {expected}, got {got}")
        if not array.flags.c_contiguous:
            raise ValueError(f"out[{name!r}]: expected rows one after the other (C order), got strides {array.strides}")
        if not array.flags.writeable:
            raise ValueError(f"out[{name!r}]: expected a writable array, got a read-only one")


def _memory_of(out: Out, rows: Rows, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    return out[name] if name in out else rows.unpacked(name, shape, dtype)


class FinalSteps:
    """The final steps of episodes: a row for each seat that the client played in each episode that ended. The rows are in
    the order of the environments, then of the seats."""

    def __init__(self, rows: FinalRows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"FinalSteps(rows={len(self)})"

    @cached_property
    def env_ids(self) -> NDArray[np.uint32]:
        """The environment: uint32 [m]."""
        return self._rows.column("env_ids")

    @cached_property
    def seats(self) -> NDArray[np.uint8]:
        """The seat: uint8 [m]."""
        return self._rows.column("seats")

    @cached_property
    def players(self) -> NDArray[np.uint8]:
        """The player who had the seat, as its place in `players` of the `VectorEnv`: uint8 [m]."""
        return self._rows.column("players")

    @cached_property
    def observation(self) -> Observation:
        """The last observation of that seat."""
        spec = self._rows.spec
        return Observation(spec.layout, spec.obs_format, self._rows.column("bits"), self._rows.column("numbers"))

    @cached_property
    def returns(self) -> NDArray[np.float32]:
        """The return of the episode for that seat: float32 [m]."""
        return self._rows.column("returns")

    @cached_property
    def ranks(self) -> NDArray[np.uint8]:
        """The rank of that seat, 1 is first, ties share: uint8 [m]."""
        return self._rows.column("ranks")
