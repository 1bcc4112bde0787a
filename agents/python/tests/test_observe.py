"""Many States at once: `ahu.observe`, `ahu.children`, and `ahu.analyse` of a sequence."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from test_state import GAMES, known, middle, play

import ahu
from ahu.training import catalog

EDGES = [(game, seats) for game in GAMES for seats in (known(game).summary.min_seats, known(game).summary.max_seats)]
"""Every game at its fewest and its most seats."""


@pytest.mark.parametrize(("game", "seats"), EDGES)
def test_a_state_is_observed_as_an_environment_shows_it(game: str, seats: int) -> None:
    state, choices = ahu.new_game(game, seats=seats, seed=9), random.Random(1)
    states, rows = [], []
    with ahu.VectorEnv(game, 1, seats=seats, obs_format="packed", autoreset="disabled") as env:
        batch = env.reset(seed=9)
        while not state.is_over:
            states.append(state.clone())
            rows.append([batch.observation["bits"][0], batch.observation["numbers"][0], batch.packed_masks[0]])
            assert int(batch.seats[0]) == state.to_act[0]
            action = choices.choice(state.legal_ids())
            state.apply(action)
            batch = env.step([action])

    seen = ahu.observe(states, obs_format="packed", threads=1)
    assert len(states) > 20 and not seen.ended.any() and not seen.rewards.any()
    for column, array in enumerate((seen.observation["bits"], seen.observation["numbers"], seen.packed_masks)):
        assert array.tobytes() == b"".join(row[column].tobytes() for row in rows)
    assert seen.env_ids.tolist() == list(range(len(states)))
    assert seen.seats.tolist() == seen.players.tolist() == [one.to_act[0] for one in states]
    # More rows than one core gets: the rows are the same.
    times = -(-1024 // len(states))
    many = ahu.observe(states * times, obs_format="packed", threads=3)
    for one, several in (
        (seen.observation.packed, many.observation.packed),
        (seen.observation.numbers, many.observation.numbers),
        (seen.packed_masks, many.packed_masks),
    ):
        assert several.tobytes() == one.tobytes() * times


class Watcher:
    """An agent that keeps what it is shown."""

    formats = ahu.ObservationFormats(tensor=True, mask=True, legal_ids=True)

    def __init__(self) -> None:
        self.shown: list[tuple[bytes, bytes, bytes]] = []

    def act(self, turn: ahu.Turn) -> int:
        tensor = turn.message.tensor
        self.shown.append((tensor.bits, tensor.numbers, turn.message.decision.mask))
        return turn.legal_ids[turn.decision_id % len(turn.legal_ids)]


@pytest.mark.parametrize(("game", "seats"), EDGES)
def test_a_state_is_observed_as_a_match_shows_it(game: str, seats: int) -> None:
    watcher, mine = Watcher(), seats - 1
    record = ahu.play(game, [*["random"] * mine, watcher], seed=5).record
    # The parts of a pickle have the actions in the order of play.
    actions: Any = ahu.State.from_record(record).__reduce__()[1][5]
    state, states = ahu.new_game(game, seats=seats, seed=5), []
    for seat, action in actions:
        if seat == mine:
            states.append(state.clone())
        state.apply(action, seat)

    batch = ahu.observe(states, mine, obs_format="packed")
    assert len(states) == len(watcher.shown) > 5
    for row, (bits, numbers, mask) in enumerate(watcher.shown):
        assert batch.observation["bits"][row].tobytes() == bits
        assert batch.observation["numbers"][row].tobytes() == numbers
        assert batch.packed_masks[row].tobytes() == mask


@pytest.mark.parametrize("game", GAMES)
def test_each_format_and_each_seat_is_what_the_state_shows_alone(game: str) -> None:
    fewest, most = known(game).summary.min_seats, known(game).summary.max_seats
    states = [middle(game, seats=seats) for seats in (fewest, most, fewest)]
    states.append(play(states[0].clone(), 10_000))
    for seat in (None, 0, fewest - 1):
        split = ahu.observe(states, seat)
        flat = ahu.observe(states, seat, obs_format="flat", mask_dtype=np.int8)
        assert split.masks.dtype == np.bool_ and flat.masks.dtype == np.int8
        for row, state in enumerate(states):
            shown = seat if seat is not None else next(iter(state.to_act), 0)
            alone = state.observation(shown)
            np.testing.assert_array_equal(split.observation["bits"][row], alone.bits)
            np.testing.assert_array_equal(split.observation["numbers"][row], alone.numbers)
            np.testing.assert_array_equal(flat.observation.array[row], alone.array)
            np.testing.assert_array_equal(split.masks[row], alone.mask)
            np.testing.assert_array_equal(flat.masks[row], alone.mask)
            assert split.seats[row] == shown
        assert split.ended.tolist() == [False, False, False, True]
        assert split.rewards.shape == (4, most)
    mixed = ahu.observe(states, np.array([fewest - 1, most - 1, 0, 1]))
    assert mixed.seats.tolist() == [fewest - 1, most - 1, 0, 1]


def test_a_policy_for_batches_takes_observations() -> None:
    states = [middle("rappanui"), middle("rappanui", seats=4)]
    best = ahu.observe(states, obs_format="flat").masks.argmax(axis=1)
    assert best.tolist() == [state.legal_ids()[0] for state in states]


@pytest.mark.parametrize(("game", "seats"), EDGES)
def test_children_are_plays_on_a_copy(game: str, seats: int) -> None:
    for seed, plies in ((1, 0), (2, 9), (3, 40)):
        state = play(ahu.new_game(game, seats=seats, seed=seed), plies)
        before = state.fingerprint()
        ids, children = ahu.children(state)
        assert ids == state.legal_ids() and len(children) == len(ids)
        for action, child in zip(ids, children, strict=True):
            copy = state.clone()
            copy.apply(action)
            assert child.fingerprint() == copy.fingerprint() and child.plies == copy.plies
            assert child.seed == copy.seed and child.to_act == copy.to_act
            assert child.record() == copy.record()
            play(child, 5)
            play(copy, 5)
            assert child.fingerprint() == copy.fingerprint()
        assert state.fingerprint() == before
    assert ahu.children(play(state, 10_000)) == ([], [])


def test_children_of_a_secret_decision_and_without_a_seed() -> None:
    state = ahu.new_game("giants", seats=3, seed=4)
    while len(state.to_act) == 1:
        state.apply(state.legal_ids()[0])
    last = state.to_act[-1]
    ids, children = ahu.children(state, last)
    assert ids == state.legal_ids(last) and ids
    for action, child in zip(ids, children, strict=True):
        copy = state.clone()
        copy.apply(action, last)
        assert copy.fingerprint() == child.fingerprint()
    with pytest.raises(ahu.ServiceError, match="expected a seat from 0 to 2, got 3"):
        ahu.children(state, 3)

    # Where the caller settles chance, there are no children before.
    unsettled = ahu.new_game("rappanui", seats=2, chance="caller")
    assert unsettled.chance_due and ahu.children(unsettled) == ([], [])
    while unsettled.chance_due:
        unsettled.settle(seed=1)
    ids, children = ahu.children(unsettled)
    assert ids == unsettled.legal_ids() and all(child.seed is None for child in children)
    # A State without a history has children without one.
    assert not ahu.children(state.clone(seed=1))[1][0].has_history


@pytest.mark.parametrize("game", GAMES)
def test_analyses_of_a_sequence_are_the_analyses_one_by_one(game: str) -> None:
    states = [play(ahu.new_game(game, seed=seed), 4) for seed in range(9)]
    alone = [repr(ahu.analyse(state, bot="search:20", seed=3).actions) for state in states]
    for threads in (1, 2):
        for some in (states, states[:2]):
            together = ahu.analyse(some, bot="search:20", seed=3, threads=threads)
            assert isinstance(together, list)
            assert [repr(analysis.actions) for analysis in together] == alone[: len(some)]
    [timed] = ahu.analyse(states[:1], bot="search:5ms")
    assert timed.playouts >= 1


def test_bad_input_is_refused() -> None:
    state, other = middle("rappanui"), middle("giants")
    with pytest.raises(ValueError, match="expected 1 State or more, got 0"):
        ahu.observe([])
    with pytest.raises(ValueError, match="expected States of rappanui, as the first is, got one of giants"):
        ahu.observe([state, other])
    with pytest.raises(TypeError, match=r"expected a sequence of States, got a State: give \[state\]"):
        ahu.observe(state)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected States, got str"):
        ahu.observe("state")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ahu.observe([state, "state"])  # type: ignore[list-item]
    with pytest.raises(ahu.ServiceError, match="State 1: expected a seat from 0 to 1, got 2") as refused:
        ahu.observe([state, state], [1, 2])
    assert refused.value.reason == "UNKNOWN_SEAT"
    with pytest.raises(ahu.ServiceError, match="State 0: expected a seat from 0 to 1, got -1"):
        ahu.observe([state], -1)
    with pytest.raises(ValueError, match=r"expected one seat, or seats of shape \(2,\), got \(3,\)"):
        ahu.observe([state, state], [0, 1, 0])
    with pytest.raises(TypeError, match="expected seats as integers, got float64"):
        ahu.observe([state], 0.5)
    with pytest.raises(ValueError, match="obs_format"):
        ahu.observe([state], obs_format="dense")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="masks are bool or int8, not float32"):
        ahu.observe([state], mask_dtype=np.float32)
    with pytest.raises(ValueError, match="expected 1 thread or more, got 0"):
        ahu.observe([state], threads=0)
    with pytest.raises(ValueError, match="expected 1 State or more, got 0"):
        ahu.analyse([])
    with pytest.raises(ahu.ServiceError) as over:
        ahu.analyse([state, play(state.clone(), 10_000)], bot="search:2")
    assert over.value.reason == "MATCH_ENDED"
    with pytest.raises(TypeError):
        ahu.analyse(7)  # type: ignore[call-overload]


def test_the_batch_has_the_layout_of_the_game() -> None:
    for game in GAMES:
        batch = ahu.observe([middle(game)])
        assert batch.layout.hash == catalog.known(game).layout.hash
