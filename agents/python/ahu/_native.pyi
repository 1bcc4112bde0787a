"""The extension module: environments and single games in this process, and work on rows of bits. The package exports
`State` and the names about it; the rest is for its own use."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsIndex, TypeAlias, final, overload

import numpy as np
from google.protobuf.message import Message
from numpy.typing import NDArray

from ahu._actions import Action

_Bytes: TypeAlias = NDArray[np.uint8]
_EnvIds: TypeAlias = NDArray[np.uint32] | None
_Answer: TypeAlias = tuple[int, NDArray[np.uint64] | None, tuple[Sequence[_Bytes], bytes] | None]
_Decisions: TypeAlias = tuple[_Bytes, NDArray[np.int16], _Bytes, NDArray[np.int64], NDArray[np.float32]]

class Refused(Exception):
    """A refused request. `args` are the number of the gRPC code, the reason, the message, the metadata, and the field."""

@final
class Cores:
    """The cores that the batches of some environments may take."""

    def __new__(cls, threads: int | None = None) -> Cores: ...

@final
class Pending:
    """A call that is carried out in the background."""

@final
class Environments:
    """Environments in this process."""

    # The name in the module.
    def __new__(cls, open: bytes, cores: Cores) -> Environments: ...  # noqa: A002
    @property
    def opened(self) -> bytes: ...
    @overload
    def step(self, first: int, env_ids: _EnvIds, actions: NDArray[np.int64], block: _Bytes) -> _Answer: ...
    @overload
    def step(self, first: int, env_ids: _EnvIds, actions: NDArray[np.int64], block: None) -> Pending: ...
    @overload
    def reset(
        self,
        first: int,
        count: int,
        env_ids: _EnvIds,
        seeds: NDArray[np.uint64] | None,
        states: Sequence[State] | None,
        block: _Bytes,
    ) -> _Answer: ...
    @overload
    def reset(
        self,
        first: int,
        count: int,
        env_ids: _EnvIds,
        seeds: NDArray[np.uint64] | None,
        states: Sequence[State] | None,
        block: None,
    ) -> Pending: ...
    def finish(self, pending: Pending, block: _Bytes) -> _Answer: ...
    def look(self, first: int, count: int, env_ids: _EnvIds, request: bytes) -> bytes: ...
    def save(self) -> bytes: ...
    def restore(self, data: bytes) -> bytes: ...
    def set_players(self, request: bytes) -> None: ...
    def close(self) -> None: ...
    def render(self, environment: int, seat: int | None, form: int = 1) -> str: ...
    def typed(self, environment: int, seat: int) -> bytes: ...
    def action(self, action_id: int, seat: int) -> bytes | None: ...

@final
class Net:
    """A net, as `ahu.training.read_net` returns it: a player in whole numbers, whose choices are the same on every platform.

    Attributes:
        name: the name by which records and reports call it: "net:" and the first 16 digits of the SHA-256 of its file.
        game: the game.
        layout_hash: the hash of the layout for which it was made, 32 bytes.
        provenance: the text of one line that its maker wrote.
        adviser: the bot whose choice the net is told, such as "greedy@2"; None if it is told none.
        inputs: the number of inputs.
        hidden: the number of units of each hidden layer.
        has_value: True if it has a head for the value.

    Raises:
        ValueError: the bytes are no net, or one for another version of its game.
    """

    def __new__(cls, data: bytes) -> Net: ...
    @property
    def name(self) -> str: ...
    @property
    def game(self) -> str: ...
    @property
    def layout_hash(self) -> bytes: ...
    @property
    def provenance(self) -> str: ...
    @property
    def adviser(self) -> str | None: ...
    @property
    def inputs(self) -> int: ...
    @property
    def hidden(self) -> list[int]: ...
    @property
    def has_value(self) -> bool: ...
    def evaluate(
        self, bits: _Bytes, numbers: NDArray[np.int16], advice: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Returns the score of every action, in units of 2**-32, int64 [n, A], and the values of the positions, float32 [n].

        Args:
            bits: packed observations: uint8 [n, 8 * ceil(bit_count / 64)].
            numbers: their numbers: int16 [n, number_count].
            advice: the choices of the adviser by id, int64 [n], if the net has one: see `VectorEnv.advise`.

        Raises:
            ValueError: an array has another shape, or advice is missing, unexpected, or out of range.
        """

    def observe(states: Sequence[State], seats: NDArray[np.int64] | None, block: _Bytes, threads: int | None) -> None: ...
def rollout(
    states: Sequence[State], bot: str, count: int, seed: int, *, rewards: str, threads: int | None
) -> NDArray[np.float32]: ...
def new_state(game: str, seats: int, options: Mapping[str, str], seed: int | None, history: bool) -> State: ...
def restore_state(
    rules_version: int,
    game: str,
    seats: int,
    options: Mapping[str, str],
    seed: int | None,
    plies: Sequence[str | tuple[int, int]],
    count: int,
    fingerprint: str,
) -> State:
    """Returns the State of a pickle, which calls this: the plies are played again.

    Args:
        rules_version: the rules version of the game.
        game: the game.
        seats: the number of seats.
        options: the options.
        seed: the seed of all chance; None if the caller settles it.
        plies: the plies that the caller chose: outcomes as text, and actions as the seat and the action id.
        count: the number of all plies.
        fingerprint: the fingerprint of the State.

    Raises:
        ServiceError: the game has another rules version, or the plies do not lead to this State (`BAD_FIELD`).
    """

def catalog_game(game: str) -> bytes: ...
def finish_record(begun: str, actions: Sequence[int | None], milliseconds: list[int]) -> bytes: ...
def flatten(
    cores: Cores, packed: _Bytes, numbers: NDArray[np.int16], scales: NDArray[np.float32], out: NDArray[np.float32]
) -> None: ...
def nth(cores: Cores, rows: _Bytes, pick: NDArray[np.float64]) -> NDArray[np.int64]: ...
def parse_action(game: str, text: str) -> int: ...
def returns_of(rewards: str, scores: Sequence[int], ranks: Sequence[int]) -> list[float]: ...
def pixels(svg: str, width: int) -> NDArray[np.uint8]: ...
def time_control(text: str) -> list[int | None]: ...
def read_decisions(
    record: bytes, rule: str
) -> tuple[str, int, list[str], tuple[list[int], list[int]] | None, list[int], list[_Decisions]]: ...
def read_header(record: bytes) -> dict[str, Any]: ...
def unheld(pool: Sequence[object]) -> int | None: ...
def unpack(cores: Cores, rows: _Bytes, out: _Bytes) -> None: ...
def verify_record(record: bytes) -> None: ...
