"""The extension module: environments and single games in this process, and work on rows of bits. The package exports
`State` and the names about it; the rest is for its own use."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar, final, overload

import numpy as np
from google.protobuf.message import Message
from numpy.typing import NDArray

from ahu._actions import Action

_T = TypeVar("_T")

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
    def step_all(self, legal: LegalActions, actions: object, pool: list[_T]) -> tuple[_T, _Answer] | None: ...
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

    def choose(
        self, bits: _Bytes, numbers: NDArray[np.int16], masks: _Bytes, advice: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Returns the best legal action of each row, of equal ones the lowest id: int64 [n]; 0 in a row without legal actions.

        Args:
            bits: packed observations: uint8 [n, 8 * ceil(bit_count / 64)].
            numbers: their numbers: int16 [n, number_count].
            masks: packed masks: uint8 [n, 8 * ceil(action_count / 64)].
            advice: as for `evaluate`.

        Raises:
            ValueError: as for `evaluate`.
        """

def load_net(data: bytes) -> str:
    """Loads a net for the life of the process, and returns its name, by which it is a bot from then on.

    Raises:
        ValueError: as for `Net`.
    """

def roll_out(
    environments: Environments,
    net: Net,
    steps: int,
    temperature: float,
    rows: _Bytes,
    actions: NDArray[np.int64],
    log_probabilities: NDArray[np.float32],
    values: NDArray[np.float32],
    starts: _Bytes,
    advice: NDArray[np.int64],
    last: _Bytes,
    last_values: NDArray[np.float32],
) -> tuple[int, bytes]:
    """Plays a rollout, and fills the arrays, environment by environment. Returns the nanoseconds that it took, and a
    `RunResponse.Batch` with only the episodes that ended."""

@final
class LegalActions:
    """The legal actions of environments, as of their last batches."""

    def __new__(cls, count: int, action_count: int, seed: int) -> LegalActions: ...
    def update(self, first: int, env_ids: _EnvIds, masks: _Bytes) -> None: ...
    def seed(self, first: int, env_ids: _EnvIds, seeds: NDArray[np.uint64]) -> None: ...
    def check(
        self, first: int, env_ids: _EnvIds, actions: NDArray[np.int64], skips_ends: bool
    ) -> tuple[list[int], list[int]] | None: ...
    def random(self, env_ids: NDArray[np.uint32]) -> NDArray[np.int64]: ...
    def ids(self, environment: int) -> list[int]: ...
    def masks(self) -> _Bytes | None: ...

@final
class State:
    """One game in progress, to copy, change, and look at.

    A State knows everything: the hands of all seats, and with a seed also its future. Do not give a State to agents
    that compete: give them `observation(seat)` and `text(seat)`, and let them search in States from `resample`.

    `new_game` and `State.from_record` create States. A seat is a number from 0. For a view, `seat=None` is the public. For a
    decision, it is the first seat that has to decide; if several seats decide in secret, each of them may be named. A
    refused call changes nothing, and raises an `ahu.ServiceError`.

    A clone copies the state and one pointer to the plies so far, which copies share. Calls for one State are
    serialised: a call of another thread waits until the present call has ended. `rollout` and `analyse` let other
    threads work, and play copies.
    """

    @property
    def game(self) -> str:
        """The name of the game in the catalog."""

    @property
    def seats(self) -> int:
        """The number of seats."""

    @property
    def options(self) -> dict[str, str]:
        """The value of every option of the game, by key."""

    @property
    def action_count(self) -> int:
        """The number of action ids, which run from 0 to `action_count` - 1 in every position."""

    @property
    def seed(self) -> int | None:
        """The seed of all chance; None if the caller settles chance."""

    @property
    def plies(self) -> int:
        """The number of plies so far: actions and chance outcomes."""

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that have to decide, in rising order; none at the end, and while a chance event is due."""

    @property
    def chance_due(self) -> bool:
        """True if a chance event is due: settle it with `settle`. With a seed, chance settles by itself after each action, so
        only a State from the middle of a record can have a chance event due."""

    @property
    def is_over(self) -> bool:
        """True at the end of the game."""

    @property
    def has_history(self) -> bool:
        """True if the State keeps its plies, for `record` and pickles. A State of `new_game(history=False)`, `resample`, or
        `clone(seed)` keeps none."""

    def legal_ids(self, seat: SupportsIndex | None = None) -> list[int]:
        """Returns the ids of the legal actions, in rising order; none for a seat that owes no decision."""

    def legal_actions(self, seat: SupportsIndex | None = None) -> tuple[Action, ...]:
        """Returns the legal actions with id, text, and typed message, by rising id."""

    def action_text(self, action_id: SupportsIndex) -> str:
        """Returns the text of an action, legal or not, such as "meld F7".

        Raises:
            IllegalAction: no action has this id (`UNKNOWN_ACTION`).
        """

    def apply(
        self,
        action: SupportsIndex | str | Action,
        seat: SupportsIndex | None = None,
        events: list[StateEvent] | None = None,
    ) -> None:
        """Applies the action of a seat. With a seed, chance settles up to the next decision.

        Args:
            action: an id, a text such as "meld F7", or one of `legal_actions`.
            seat: the seat that acts; None: the first seat that has to decide.
            events: a list to which the events of these plies are added. Without it, no events are made.

        Raises:
            IllegalAction: the action is illegal (`legal_ids` has the legal ids), or not an action of the game.
            ServiceError: the seat owes no decision, or a chance event is due (`NOT_YOUR_DECISION`), or the game is over
                (`MATCH_ENDED`).
        """

    def chance_outcomes(self) -> list[tuple[str, float]] | None:
        """Returns every possible outcome of the chance event that is due, in the spelling of records, with its probability.
        The probabilities sum to 1.

        None if no chance event is due, or if there are more than some thousands of outcomes, such as the deals of a
        deck.
        """

    def settle(
        self, outcome: str | None = None, seed: int | None = None, events: list[StateEvent] | None = None
    ) -> str:
        """Settles the chance event that is due, and returns the outcome as text.

        Args:
            outcome: the outcome, in the spelling of records, such as "draw F4.1". Only for a State without a seed.
            seed: a seed that draws the outcome, 0 to 2^64 - 1, as in a match with this seed. Only for a State without a
                seed. Leave both out for a State with a seed, which draws the outcome.
            events: a list to which the events of this ply are added.

        Raises:
            ServiceError: no chance event is due, the text is not an outcome, or the outcome is impossible (`BAD_FIELD`).
        """

    def observation(self, seat: SupportsIndex | None = None) -> StateObservation:
        """Returns what a seat is shown, in every form."""

    def text(self, seat: SupportsIndex | None = None, form: str = "table") -> str:
        """Returns the table that a seat is shown, as text.

        Args:
            seat: the viewer; None: the public.
            form: "table": for people; "compact": the same facts for language models, in fewer tokens; "legend": the
                explanation of the compact text, with the facts about the board, which stay the same for the whole game.

        Raises:
            ServiceError: there is no such form (`BAD_FIELD`).
        """

    def svg(self, seat: SupportsIndex | None = None, before: State | None = None) -> str:
        """Returns the table that a seat is shown, as a picture in SVG.

        Args:
            seat: the viewer; None: the public.
            before: an earlier State of the same game. The picture marks the differences from it.

        Raises:
            ServiceError: `before` is of another game, seat count, or options (`BAD_FIELD`).
        """

    def _repr_svg_(self) -> str: ...
    def scores(self, seat: SupportsIndex | None = None) -> list[int]:
        """Returns the points by seat, as final scoring would give them now, as far as the viewer can count them. At the end
        all viewers count the same."""

    def ranks(self, seat: SupportsIndex | None = None, *, forfeited: Sequence[int] = ()) -> list[int]:
        """Returns the ranks by seat, as far as the viewer can tell: 1 is first, and ties share (1, 1, 3). The seats `forfeited`
        share the last rank, as in a match."""

    def returns(
        self, rewards: str = "rank", seat: SupportsIndex | None = None, *, forfeited: Sequence[int] = ()
    ) -> list[float]:
        """Returns the return of each seat by a reward rule, by the scores and ranks that the viewer sees now.

        Args:
            rewards: "rank" (+1 for the first place to -1 for the last), "margin", or "points".
            seat: the viewer; None: the public.
            forfeited: the seats that have forfeited, which share the last rank. Points stay as they are.

        Raises:
            ServiceError: there is no such rule (`BAD_FIELD`).
        """

    def clone(self, seed: int | None = None) -> State:
        """Returns a copy, which can go on differently.

        Args:
            seed: a seed for all chance from here on, 0 to 2^64 - 1; the copy then has no history. None: the copy has
                the seed of this State, and so the same future, and shares its history.
        """

    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: object) -> State: ...
    def resample(self, seat: SupportsIndex, seed: int) -> State:
        """Returns a State that the seat could be in: the facts hidden from the seat are random.

        The new State is a function of the seat's view and of `seed`, 0 to 2^64 - 1, alone. It has no history. It has a
        new seed if this State has a seed.

        Raises:
            ServiceError: the game has no such seat (`UNKNOWN_SEAT`).
        """

    def _bot_choice(self, seat: SupportsIndex, bot: str, decision: SupportsIndex) -> int:
        """Returns the id of the action that a bot chooses, from what its seat sees. It is the choice of the bot in a match with
        this seed, if this is decision `decision` of the seat, counted from 1. A State without a seed counts as one with 0.

        Raises:
            ServiceError: the game has no such seat (`UNKNOWN_SEAT`) or no such bot (`UNKNOWN_BOT`), or the seat owes no decision.
        """

    def _bot(self, name: str) -> str:
        """Returns the full name of a bot of the game, such as "greedy@2" for "greedy".

        Raises:
            ServiceError: there is no such bot (`UNKNOWN_BOT`).
        """

    def fingerprint(self) -> str:
        """Returns 16 hexadecimal digits that are the same for equal states, on every platform."""

    def record(self) -> bytes:
        """Returns the game so far as a record, in its binary form, with all secrets. `ahu replay` shows it.

        Raises:
            ValueError: the State has no seed, or no history.
        """

    @classmethod
    def from_record(cls, record: bytes | str, at_ply: SupportsIndex | None = None) -> State:
        """Returns the State of a record, with the record's seed.

        Args:
            record: the record, in its binary form or as text. Strikes and forfeits are not part of the game.
            at_ply: the number of plies from the first; None: all.

        Raises:
            ServiceError: the record cannot be read, was altered, has another rules version, has an impossible ply, has a
                chance outcome that does not follow from its seed, or has fewer plies than `at_ply` (`BAD_FIELD`).
        """

    def view(self, seat: SupportsIndex | None = None) -> bytes:
        """Returns all that a seat knows, as opaque bytes: what it is shown, and what follows from the events that it was told.

        An agent of a match gets them in `Turn.view`. They hold for one rules version.

        Args:
            seat: the seat; None: the public.

        Raises:
            NotImplementedError: the game has no views as bytes.
            ServiceError: a chance event is due (`NOT_YOUR_DECISION`).
        """

    @classmethod
    def from_view(cls, view: bytes, seed: int, *, chance: Literal["seed", "caller"] = "seed") -> State:
        """Returns a State that the seat of a view could be in: the facts that are hidden from it are random.

        It is the State that `resample` returns for the seat and the seed, except that its plies are counted from the view on.
        It has no history. Bytes that somebody has changed may show a table that no game reaches: then a later call may have no
        legal actions, or raise a `pyo3_runtime.PanicException`.

        Args:
            view: the bytes of `State.view` or `Turn.view`.
            seed: the seed of the hidden facts and of all chance from here on, from 0 to 2**64 - 1.
            chance: the source of chance: "seed", or "caller", who settles each chance event with `settle`.

        Raises:
            ValueError: the seed is out of range, or there is no such source of chance.
            ServiceError: the bytes are no view, contradict themselves, or are from another rules version (`BAD_FIELD`).
        """

    def __reduce__(self) -> tuple[Callable[..., State], tuple[object, ...]]: ...
    def __sizeof__(self) -> int:
        """Returns the bytes of a clone, without the plies that it shares."""

@final
class StateObservation:
    """What one viewer is shown of a State. Each form is made on access."""

    @property
    def bits(self) -> _Bytes:
        """The bits, 0 or 1: uint8 [bit_count]. `ahu.VectorEnv.layout` has the fields."""

    @property
    def numbers(self) -> NDArray[np.int16]:
        """The numbers: int16 [number_count]."""

    @property
    def array(self) -> NDArray[np.float32]:
        """Bits and numbers in the format "flat": float32 [bit_count + number_count] in [-1, 1]."""

    @property
    def mask(self) -> NDArray[np.bool_]:
        """True for each legal action of the seat: bool [action_count]; all False for the public."""

    @property
    def legal_ids(self) -> list[int]:
        """The ids of the legal actions of the seat, in rising order; none for the public."""

    @property
    def text(self) -> str:
        """The table as text for people."""

    @property
    def compact(self) -> str:
        """The table as text for language models: the facts of `text` in fewer tokens. `State.text` has the legend."""

    @property
    def typed(self) -> Any:
        """The typed message of the game, such as an `ahu.rappanui.v1.rappanui_pb2.Observation`."""

@final
class StateEvent:
    """An event of a ply. Each viewer is told its part of it, or nothing."""

    @property
    def actor_seats(self) -> tuple[int, ...]:
        """The seats whose decisions led to the event, rising: one for an action and the chance that follows it, all that
        decide together for secret decisions; none for the setup."""

    def text(self, seat: int | None = None) -> str | None:
        """Returns the sentence that a seat is told, or the public for None; None if it is told nothing."""

    def typed(self, seat: int | None = None) -> Message | None:
        """Returns the typed message that a seat is told, or the public for None; None if it is told nothing."""

@final
class Analysis:
    """The figures of a search for each legal action of a decision."""

    @property
    def actions(self) -> list[ActionAnalysis]:
        """The legal actions, by rising id."""

    @property
    def choice(self) -> int:
        """The id of the action that the search chooses."""

    @property
    def policy(self) -> int:
        """The id of the action that the policy of the playouts chooses."""

    @property
    def playouts(self) -> int:
        """The number of playouts."""

@final
class ActionAnalysis:
    """The figures of one action over its playouts, for the seat that decides."""

    @property
    def id(self) -> int:
        """The action."""

    @property
    def text(self) -> str:
        """The action as text."""

    @property
    def visits(self) -> int:
        """The number of playouts; 0 for an action that was not tried."""

    @property
    def mean(self) -> float:
        """The mean utility, from 0 to 1, where 0.5 is no lead; 0 without playouts."""

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; 0 with fewer than two playouts."""

    @property
    def score(self) -> float:
        """The mean of the points at the end; 0 without playouts."""

    @property
    def ranks(self) -> list[int]:
        """The number of playouts that ended with each rank, from the first: one number for each seat."""

def children(state: State, seat: SupportsIndex | None = None) -> tuple[list[int], list[State]]:
    """Returns the ids of the legal actions, in rising order, and the State after each.

        ids, states = ahu.children(state)

    The States are those of `clone` and `apply`, made in one call: with a seed, chance has settled up to the next decision.
    `state` does not change.

    Args:
        state: the State.
        seat: the seat that acts; None: the first seat that has to decide. A seat that owes no decision has no children.

    Raises:
        ServiceError: the game has no such seat (`UNKNOWN_SEAT`).
    """

@overload
def analyse(
    states: State,
    *,
    seat: SupportsIndex | None = None,
    bot: str = "search:200",
    seed: int = 0,
    threads: int | None = None,
) -> Analysis:
    """Analyses a decision by a search, on all cores, from the view of its seat alone. Ctrl-C stops it.

    Args:
        states: a State, or a sequence of States, which get a list of analyses: each is the analysis of its State alone.
        seat: the seat that has to decide; None: the first of them.
        bot: a search with its budget, such as "search:200" for 200 playouts.
        seed: the seed of the search, 0 to 2^64 - 1. The same seed gives the same analysis, on any number of cores.
        threads: the number of cores; None: all.

    Raises:
        ServiceError: the bot is no search (`UNKNOWN_BOT`), or the seat owes no decision (`NOT_YOUR_DECISION`, `MATCH_ENDED`).
        ValueError: the sequence is empty, or `threads` is 0.
    """

@overload
def analyse(
    states: Sequence[State],
    *,
    seat: SupportsIndex | None = None,
    bot: str = "search:200",
    seed: int = 0,
    threads: int | None = None,
) -> list[Analysis]: ...
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
def catalog_games() -> list[str]: ...
def finish_record(begun: str, actions: Sequence[int | None], milliseconds: list[int]) -> bytes: ...
def flatten(
    cores: Cores, packed: _Bytes, numbers: NDArray[np.int16], scales: NDArray[np.float32], out: NDArray[np.float32]
) -> None: ...
def nth(cores: Cores, rows: _Bytes, pick: NDArray[np.float64] | float) -> NDArray[np.int64]: ...
def parse_action(game: str, text: str) -> int: ...
def returns_of(rewards: str, scores: Sequence[int], ranks: Sequence[int]) -> list[float]: ...
def pixels(svg: str, width: int) -> NDArray[np.uint8]: ...
def time_control(text: str) -> list[int | None]: ...
def read_decisions(
    record: bytes, rule: str
) -> tuple[str, int, list[str], tuple[list[int], list[int]] | None, list[int], list[_Decisions]]: ...
def read_header(record: bytes) -> dict[str, Any]: ...
def read_batch(response: bytes, widths: Sequence[int], block: _Bytes) -> _Answer | None: ...
def unheld(pool: Sequence[object]) -> int | None: ...
def unpack(cores: Cores, rows: _Bytes, out: _Bytes) -> None: ...
def verify_record(record: bytes) -> None: ...
