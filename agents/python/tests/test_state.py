"""`ahu.State`, one game that the caller steps. `tests/host/positions.rs` compares it with matches and environments."""

from __future__ import annotations

import copy
import hashlib
import multiprocessing
import pickle
import random
import subprocess
import sys
import threading
import unittest
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
from support import EXAMPLES

import ahu
from ahu.giants.v1 import giants_pb2
from ahu.training import _catalog as catalog

GAMES = ("rappanui", "rapanui_cards", "giants", "rapanui_board")
"""The games that the tests play."""


def play(state: ahu.State, decisions: int, seed: int = 0) -> ahu.State:
    """Plays this number of random decisions, or up to the end."""
    choices = random.Random(seed)
    for _ in range(decisions):
        if state.is_over:
            break
        state.apply(choices.choice(state.legal_ids()))
    return state


def middle(game: str, **settings: Any) -> ahu.State:
    """Returns a State in the middle of a game."""
    return play(ahu.new_game(game, seed=3, **settings), 30)


def tables() -> Iterator[tuple[str, int]]:
    """Yields every game with every number of seats."""
    for game in GAMES:
        summary = known(game).summary
        for seats in range(summary.min_seats, summary.max_seats + 1):
            yield game, seats


def known(game: str) -> Any:
    found = catalog.find(game)
    assert found is not None
    return found


class Play(unittest.TestCase):
    def test_a_state_plays_the_game_of_an_environment_with_its_seed(self) -> None:
        for game, seats in tables():
            with self.subTest(game=game, seats=seats):
                state = ahu.new_game(game, seats=seats, seed=9)
                with ahu.VectorEnv(game, 1, seats=seats, autoreset="disabled", rewards="margin") as env:
                    batch = env.reset(seed=9)
                    while not state.is_over:
                        [seat] = batch.seats
                        observation = state.observation(int(seat))
                        np.testing.assert_array_equal(observation.bits, batch.observation["bits"][0])
                        np.testing.assert_array_equal(observation.numbers, batch.observation["numbers"][0])
                        np.testing.assert_array_equal(observation.mask, batch.masks[0])
                        self.assertEqual(state.to_act[0], seat)
                        action = state.legal_ids()[state.plies % len(state.legal_ids())]
                        state.apply(action)
                        batch = env.step([action])
                    self.assertTrue(batch.ended[0])
                    np.testing.assert_array_equal(batch.rewards[0], np.float32(state.returns("margin")))

    def test_the_array_is_the_format_flat(self) -> None:
        for game in GAMES:
            with ahu.VectorEnv(game, 1, obs_format="flat") as env:
                batch = env.reset(seed=3)
                array = ahu.new_game(game, seed=3).observation(int(batch.seats[0])).array
                self.assertEqual(array.dtype, np.float32)
                np.testing.assert_array_equal(array, batch.observation.array[0])

    def test_actions_have_id_text_and_message_and_each_applies(self) -> None:
        state = middle("giants", seats=3)
        actions = state.legal_actions()
        self.assertEqual([action.id for action in actions], state.legal_ids())
        for action in actions:
            self.assertEqual(action.text, state.action_text(action.id))
            self.assertIsInstance(action.typed, giants_pb2.Action)
            after = set()
            for choice in (action, action.id, action.text, np.int64(action.id)):
                child = state.clone()
                child.apply(choice)
                after.add(child.fingerprint())
            self.assertEqual(len(after), 1)

    def test_a_view_comes_as_text_and_message(self) -> None:
        for game in GAMES:
            with self.subTest(game=game):
                state = middle(game)
                for seat in (None, *range(state.seats)):
                    observation = state.observation(seat)
                    self.assertEqual(observation.text, state.text(seat))
                    self.assertEqual(observation.typed.DESCRIPTOR.full_name, known(game).observation_message)
                self.assertEqual(str(state), state.text())

    def test_a_notebook_shows_the_picture_of_the_public(self) -> None:
        state = middle("rappanui")
        for seat in (None, 0, 1):
            self.assertIn("svg", ElementTree.fromstring(state.svg(seat)).tag)
        self.assertNotEqual(state.svg(0), state.svg(1))
        self.assertEqual(state._repr_svg_(), state.svg())  # pyright: ignore[reportPrivateUsage]
        before = state.clone()
        play(state, 5)
        self.assertNotEqual(state.svg(0, before), state.svg(0))

    def test_scores_ranks_and_returns_are_lists_by_seat(self) -> None:
        state = play(ahu.new_game("rappanui", seats=3, seed=1), 10_000)
        scores, ranks = state.scores(), state.ranks()
        self.assertEqual(ranks, state.ranks(2))
        self.assertEqual(state.returns("points"), scores)
        self.assertAlmostEqual(sum(state.returns()), 0, 5)
        self.assertEqual(state.returns().index(max(state.returns())), ranks.index(1))

    def test_options_are_those_of_the_game(self) -> None:
        state = ahu.new_game("rappanui", seats=2, options={"equal_turns": True}, seed=1)
        self.assertEqual(state.options["equal_turns"], "true")
        self.assertEqual((state.game, state.seats, state.seed), ("rappanui", 2, 1))
        self.assertEqual(state.action_count, known("rappanui").action_count)

    def test_events_are_told_by_viewer_and_only_when_they_are_asked_for(self) -> None:
        state = ahu.new_game("rappanui", seed=2)
        quiet, events = state.clone(), list[ahu.StateEvent]()
        while not state.is_over:
            action = state.legal_ids()[-1]
            self.assertIsNone(state.apply(action, events=events))
            quiet.apply(action)
        self.assertEqual(state.fingerprint(), quiet.fingerprint())
        texts = {seat: [text for event in events if (text := event.text(seat))] for seat in (None, 0, 1)}
        self.assertTrue(all(texts.values()))
        self.assertNotEqual(texts[0], texts[1])
        message = next(event.typed() for event in events if event.text())
        assert message is not None
        self.assertEqual(message.DESCRIPTOR.full_name, known("rappanui").event_message)

    def test_seats_that_decide_in_secret_act_in_any_order(self) -> None:
        state = ahu.new_game("giants", seats=4, seed=1)
        while len(state.to_act) < 2:
            play(state, 1)
        one, other = state.clone(), state.clone()
        seats = state.to_act
        for child, order in ((one, seats), (other, seats[::-1])):
            for seat in order:
                # A bid has three parts: markers, workers, and leaders.
                for _ in range(3):
                    child.apply(child.legal_ids(seat)[-1], seat)
        self.assertEqual(one.fingerprint(), other.fingerprint())

    def test_events_name_the_seats_that_led_to_them(self) -> None:
        state, events = ahu.new_game("rappanui", chance="caller"), list[ahu.StateEvent]()
        while state.chance_due:
            state.settle(seed=3, events=events)
        self.assertEqual({event.actor_seats for event in events}, {()})
        seat, told = state.to_act[0], list[ahu.StateEvent]()
        while not state.chance_due:
            state.apply(state.legal_ids()[-1], events=told)
        state.settle(seed=4, events=told)
        self.assertEqual({event.actor_seats for event in told}, {(seat,)})

        giants, told = ahu.new_game("giants", seats=3, seed=1), list[ahu.StateEvent]()
        for seat in (2, 0, 1):
            for _ in range(3):
                giants.apply(giants.legal_ids(seat)[-1], seat, told)
        self.assertTrue(told)
        self.assertEqual({event.actor_seats for event in told}, {(0, 1, 2)})

    def test_chance_by_hand_has_the_outcomes_that_it_gets(self) -> None:
        seeded, by_hand = ahu.new_game("rappanui", seed=7), ahu.new_game("rappanui", chance="caller")
        self.assertIsNone(by_hand.seed)
        events = list[ahu.StateEvent]()
        for step in range(20):
            while by_hand.chance_due:
                other = by_hand.clone()
                outcome = other.settle(seed=7)
                self.assertEqual(by_hand.settle(outcome, events=events), outcome)
                self.assertEqual(by_hand.fingerprint(), other.fingerprint())
            self.assertEqual(by_hand.fingerprint(), seeded.fingerprint())
            action = seeded.legal_ids()[step % len(seeded.legal_ids())]
            seeded.apply(action)
            by_hand.apply(action)
        self.assertTrue(events)
        self.assertFalse(seeded.chance_due)

    def test_without_a_seed_one_is_drawn_and_the_caller_settles_chance_only_if_asked(self) -> None:
        first, second = ahu.new_game("rappanui"), ahu.new_game("rappanui")
        self.assertNotEqual(first.seed, second.seed)
        self.assertEqual(first.fingerprint(), ahu.new_game("rappanui", seed=first.seed).fingerprint())
        first.apply(first.legal_ids()[0])
        self.assertTrue(ahu.new_game("rappanui", chance="caller").chance_due)
        for wrong in ({"chance": "caller", "seed": 1}, {"chance": "mine"}):
            with self.assertRaisesRegex(ValueError, 'expected chance="seed", or chance="caller" without a seed, got'):
                ahu.new_game("rappanui", **wrong)  # type: ignore[arg-type]

    def test_the_catalog_of_this_process_is_the_catalog_of_a_server(self) -> None:
        with ahu.launch() as server, ahu.Client(server.address) as client:
            self.assertEqual(ahu.games(), client.list_games())
            for summary in ahu.games():
                self.assertEqual(ahu.game(summary.game).layout, client.get_game(summary.game).layout)
        ahu.game("giants").Clear()
        self.assertEqual(ahu.game("giants").summary.game, "giants")
        with self.assertRaisesRegex(ahu.ServiceError, 'did you mean "giants"'):
            ahu.game("gaints")


class Copies(unittest.TestCase):
    def test_a_copy_goes_on_by_itself(self) -> None:
        for copied in (ahu.State.clone, copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))):
            state = middle("rapanui_cards")
            before, child = state.fingerprint(), copied(state)
            self.assertEqual((child.fingerprint(), child.plies, child.seed), (before, state.plies, 3))
            self.assertEqual(child.record(), state.record())
            child.apply(child.legal_ids()[0])
            self.assertEqual(state.fingerprint(), before)
            self.assertNotEqual(child.record(), state.record())
        forgetful = play(ahu.new_game("rapanui_cards", seed=3, history=False), 30)
        self.assertEqual(forgetful.fingerprint(), middle("rapanui_cards").fingerprint())
        self.assertFalse(copy.copy(forgetful).has_history)

    def test_a_pickle_is_the_same_state_at_every_ply_with_chance_by_hand_too(self) -> None:
        for chance in ({"seed": 4}, {"chance": "caller"}):
            state = ahu.new_game("rappanui", seats=3, options={"equal_turns": True}, **chance)  # type: ignore[arg-type]
            for step in range(40):
                again = pickle.loads(pickle.dumps(state))
                self.assertEqual(
                    (again.fingerprint(), again.plies, again.seed, again.options, again.chance_due),
                    (state.fingerprint(), state.plies, state.seed, state.options, state.chance_due),
                )
                if state.chance_due:
                    state.settle(seed=step)
                else:
                    state.apply(state.legal_ids()[0])

    def test_another_process_gets_the_same_state(self) -> None:
        state = middle("giants")
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(1) as pool:
                self.assertEqual(pool.map(fingerprint_of, [state]), [state.fingerprint()])
                # The threads of a rollout end with the rollout, so a process that is forked afterwards can roll out too.
                ahu.rollout([state], count=2)
                [returns] = pool.map(rolled_out, [state])
            np.testing.assert_array_equal(returns, rolled_out(state))

    def test_the_size_of_a_clone_does_not_grow_with_the_game(self) -> None:
        begun, late = ahu.new_game("giants", seed=1), play(ahu.new_game("giants", seed=1), 300)
        self.assertGreater(sys.getsizeof(begun), 300)
        self.assertEqual(sys.getsizeof(begun), sys.getsizeof(late))

    def test_another_seed_gives_another_future(self) -> None:
        state = middle("rappanui")
        ends = {play(state.clone(seed), 10_000).fingerprint() for seed in (5, 5, 6)}
        self.assertEqual(len(ends), 2)
        self.assertFalse(state.clone(5).has_history)

    def test_a_resampled_state_is_a_function_of_the_view_alone(self) -> None:
        for game, seats in tables():
            with self.subTest(game=game, seats=seats):
                state = ahu.new_game(game, seats=seats, seed=5)
                for _ in range(12):
                    play(state, 7)
                    for seat in range(seats):
                        world = state.resample(seat, 1)
                        self.assertEqual(everything(world, seat), everything(state, seat))
                        # The two States have different secrets and the same view, so their samples are the same.
                        self.assertEqual(world.resample(seat, 2).fingerprint(), state.resample(seat, 2).fingerprint())
                        self.assertFalse(world.has_history)
                        # As bytes, the view leads to the same samples.
                        self.assertEqual(world.view(seat), state.view(seat))
                        sampled = ahu.State.from_view(state.view(seat), 2)
                        self.assertEqual(sampled.fingerprint(), state.resample(seat, 2).fingerprint())
                        self.assertEqual((sampled.options, sampled.seed), (state.options, state.resample(seat, 2).seed))

    def test_a_state_of_a_view_has_the_chance_that_it_is_given(self) -> None:
        state = ahu.new_game("rappanui", seed=5)
        sampled = ahu.State.from_view(state.view(0), 7, chance="caller")
        self.assertIsNone(sampled.seed)
        while not sampled.chance_due:
            sampled.apply(sampled.legal_ids()[0])
        self.assertTrue(sampled.settle(seed=3))

    def test_bytes_that_are_no_view_are_refused(self) -> None:
        view = ahu.new_game("rappanui", seed=5).view(0)
        for changed, message in (
            (b"", "got 0 bytes, which break off"),
            (view[:-1], "which break off"),
            (view + b"x", "got 1 more"),
            (view[:5] + b"R" + view[6:], 'unknown game "Rappanui"'),
        ):
            with self.assertRaisesRegex(ahu.ServiceError, message):
                ahu.State.from_view(changed, 1)
        with self.assertRaisesRegex(ValueError, "expected chance="):
            ahu.State.from_view(view, 1, chance="seeds")  # type: ignore[arg-type]
        with self.assertRaises(ValueError):
            ahu.State.from_view(view, -1)

    def test_a_record_leads_to_the_state_at_each_of_its_plies(self) -> None:
        state = ahu.new_game("giants", seats=3, seed=6)
        fingerprints = {state.plies: state.fingerprint()}
        while not state.is_over:
            play(state, 1)
            fingerprints[state.plies] = state.fingerprint()
        record = state.record()
        for ply, fingerprint in fingerprints.items():
            if ply % 20 == 0:
                self.assertEqual(ahu.State.from_record(record, at_ply=ply).fingerprint(), fingerprint)
        self.assertEqual(ahu.State.from_record(record).record(), record)
        self.assertEqual(ahu.State.from_record(record, at_ply=0).plies, 0)

    def test_a_state_in_the_middle_of_a_record_goes_on_with_its_chance(self) -> None:
        record = play(ahu.new_game("rappanui", seed=6), 10_000).record()
        state = ahu.State.from_record(record, 0)
        self.assertTrue(state.chance_due)
        while state.chance_due:
            self.assertTrue(state.settle())
        self.assertEqual(state.fingerprint(), ahu.new_game("rappanui", seed=6).fingerprint())


def everything(state: ahu.State, seat: int) -> tuple[object, ...]:
    """Returns everything that a seat gets from a State."""
    observation = state.observation(seat)
    return (
        observation.bits.tobytes(),
        observation.numbers.tobytes(),
        observation.mask.tobytes(),
        observation.typed.SerializeToString(deterministic=True),
        observation.text,
        state.svg(seat),
        state.scores(seat),
        state.ranks(seat),
        state.to_act,
    )


def fingerprint_of(state: ahu.State) -> str:
    return state.fingerprint()


def rolled_out(state: ahu.State) -> Any:
    return ahu.rollout([state], count=3, seed=1)


class Many(unittest.TestCase):
    def test_rollouts_are_the_matches_of_the_bots_with_these_seeds(self) -> None:
        for game in GAMES:
            with self.subTest(game=game):
                state = ahu.new_game(game, chance="caller")
                returns = ahu.rollout([state, state], "greedy", count=3, seed=40, rewards="margin")
                self.assertEqual((returns.shape, returns.dtype), ((2, 3, state.seats), np.float32))
                np.testing.assert_array_equal(returns[0], returns[1])
                alone = ahu.rollout([state], "greedy", count=1, seed=41, rewards="margin", threads=1)
                np.testing.assert_array_equal(returns[0, 1], alone[0, 0])
                self.assertTrue(state.chance_due)

    def test_a_function_is_a_policy_like_any_other(self) -> None:
        state = middle("rapanui_cards")
        seats = list[int]()

        def first(turn: ahu.Turn) -> int:
            seats.append(turn.seat)
            assert turn.typed is not None and turn.text
            assert turn.observation["bits"].shape == (1, turn.layout.bit_count)
            return turn.legal_ids[0]

        class Last:
            def act(self, turn: ahu.Turn) -> ahu.Action:
                return turn.legal[-1]

        def least(batch: ahu.Batch) -> Any:
            return batch.masks.argmax(axis=1)

        before = state.fingerprint()
        for player, place in ((first, 0), (Last(), -1), (ahu.batched(least), 0)):
            returns = ahu.rollout([state, state], player, count=2, seed=5)
            for playout in range(2):
                world = state.clone(5 + playout)
                while not world.is_over:
                    world.apply(world.legal_ids()[place])
                np.testing.assert_array_equal(returns[0, playout], np.float32(world.returns()))
            np.testing.assert_array_equal(returns[0], returns[1])
        self.assertEqual(set(seats), set(range(state.seats)))
        self.assertEqual(state.fingerprint(), before)

    def test_an_end_is_rolled_out_to_itself(self) -> None:
        state = play(ahu.new_game("rappanui", seed=1), 10_000)
        np.testing.assert_array_equal(ahu.rollout([state])[0, 0], np.float32(state.returns()))

    def test_an_analysis_has_the_figures_of_each_legal_action_on_any_number_of_cores(self) -> None:
        state = middle("rapanui_board")
        analysis = ahu.analyse(state, bot="search:60", seed=1)
        self.assertEqual([action.id for action in analysis.actions], state.legal_ids())
        self.assertIn(analysis.choice, state.legal_ids())
        self.assertEqual(sum(action.visits for action in analysis.actions), analysis.playouts)
        for action in analysis.actions:
            self.assertEqual(action.text, state.action_text(action.id))
            self.assertEqual(sum(action.ranks), action.visits)
            self.assertEqual(len(action.ranks), state.seats)
        alone = ahu.analyse(state, bot="search:60", seed=1, threads=1)
        self.assertEqual(list(map(repr, alone.actions)), list(map(repr, analysis.actions)))

    def test_an_analysis_reads_the_view_of_its_seat_alone(self) -> None:
        state = middle("rappanui")
        [seat] = state.to_act
        figures = {
            repr(ahu.analyse(of, seat=seat, bot="search:40").actions)
            for of in (state, *(state.resample(seat, n) for n in (1, 2)))
        }
        self.assertEqual(len(figures), 1)


class Example(unittest.TestCase):
    def test_a_look_into_a_game_shows_a_table_and_the_best_actions(self) -> None:
        command = [sys.executable, EXAMPLES / "look_into_game.py"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("playouts, utility 0.", done.stdout)
        self.assertRegex(done.stdout, r" wins [01]\.\d\d")


class BadInput(unittest.TestCase):
    def refused(self, state: ahu.State, reason: str, message: str, call: Any, *arguments: Any, **named: Any) -> Any:
        """Checks that a call is refused with a reason and a message, and changes nothing."""
        before = (state.fingerprint(), state.plies)
        with self.assertRaisesRegex(ahu.ServiceError, message) as caught:
            call(*arguments, **named)
        self.assertEqual(caught.exception.reason, reason)
        self.assertEqual((state.fingerprint(), state.plies), before)
        return caught.exception

    def test_a_state_that_is_over_takes_no_action(self) -> None:
        state = play(ahu.new_game("rappanui", seed=1), 10_000)
        for seat in (None, 0):
            self.refused(state, "MATCH_ENDED", "the game is over", state.apply, 0, seat)
        self.assertEqual((state.legal_ids(), state.legal_actions(), state.to_act), ([], (), ()))
        self.refused(state, "MATCH_ENDED", "the game is over", ahu.analyse, state)

    def test_a_seat_that_owes_no_decision_does_not_act(self) -> None:
        state = middle("rapanui_cards")
        [seat] = state.to_act
        other = 1 - seat
        self.refused(
            state, "NOT_YOUR_DECISION", f"seat {other} has no decision .*seats to act: {seat}", state.apply, 0, other
        )
        self.assertEqual(state.legal_ids(other), [])
        self.refused(state, "NOT_YOUR_DECISION", f"seats to act: {seat}", ahu.analyse, state, seat=other)

    def test_an_illegal_action_is_refused_with_the_legal_ids(self) -> None:
        state = middle("giants")
        illegal = next(number for number in range(state.action_count) if number not in state.legal_ids())
        error = self.refused(state, "ILLEGAL_ACTION", "is not legal; legal ids: ", state.apply, illegal)
        self.assertIsInstance(error, ahu.IllegalAction)
        self.assertEqual(list(error.legal_ids), state.legal_ids())
        count = state.action_count
        for number in (count, 2**20, -1):
            message = f"expected an action id from 0 to {count - 1}, got {number}"
            self.refused(state, "UNKNOWN_ACTION", message, state.apply, number)
        self.refused(state, "UNKNOWN_ACTION", f"got {count}", state.action_text, count)
        self.refused(state, "BAD_ACTION", 'unknown action "fly"', state.apply, "fly")
        for wrong in (1.5, None, object()):
            with self.assertRaisesRegex(TypeError, "expected an action as an id, a text, or an ahu.Action, got"):
                state.apply(wrong)  # pyright: ignore[reportArgumentType]

    def test_an_impossible_outcome_is_refused(self) -> None:
        state = ahu.new_game("rappanui", chance="caller")
        self.refused(state, "NOT_YOUR_DECISION", "a chance event is due: settle it before", state.apply, 0)
        self.refused(state, "NOT_YOUR_DECISION", "a chance event is due", ahu.analyse, state)
        outcome = state.clone().settle(seed=1)
        for wrong in ("nothing", outcome + " ", outcome.replace(outcome.split()[-1], "F99.1")):
            self.refused(state, "BAD_FIELD", "BAD_FIELD: .+", state.settle, wrong)
        self.refused(state, "BAD_FIELD", "expected an outcome or a seed, got both", state.settle, outcome, 1)
        self.refused(state, "BAD_FIELD", "since the State has no seed; got neither", state.settle)
        seeded = ahu.new_game("rappanui", seed=1)
        self.refused(seeded, "BAD_FIELD", "expected a due chance event", seeded.settle)
        before_chance = ahu.State.from_record(seeded.record(), 0)
        self.refused(before_chance, "BAD_FIELD", "the seed settles chance", before_chance.settle, outcome)

    def test_a_seat_out_of_range_is_refused_everywhere(self) -> None:
        state = middle("giants", seats=3)
        for seat in (3, -1, 2**40):
            for call in (
                state.observation,
                state.text,
                state.svg,
                state.scores,
                state.ranks,
                state.legal_ids,
                state.legal_actions,
                lambda seat: state.resample(seat, 1),
                lambda seat: state.apply(0, seat),
                lambda seat: state.returns("rank", seat),
                lambda seat: ahu.analyse(state, seat=seat),
            ):
                self.refused(state, "UNKNOWN_SEAT", f"expected a seat from 0 to 2, got {seat}", call, seat)

    def test_a_record_that_cannot_be_used_says_why(self) -> None:
        state = middle("rappanui")
        record = state.record()
        plies = state.plies
        read = ahu.State.from_record
        for ply in (plies + 1, -1):
            self.refused(state, "BAD_FIELD", f"expected a ply from 0 to {plies}, got {ply}", read, record, ply)
        self.refused(state, "BAD_FIELD", "expected a record that begins with", read, b"nothing")
        self.refused(state, "BAD_FIELD", "altered", read, record[:-1] + bytes([record[-1] ^ 1]))
        with self.assertRaisesRegex(TypeError, "expected a record as bytes or str, got int"):
            read(7)  # pyright: ignore[reportArgumentType]
        for without, got in ((ahu.new_game("giants", chance="caller"), "no seed"), (state.clone(1), "no history")):
            with self.assertRaisesRegex(ValueError, f"expected a State with a seed and a history, .*got {got}"):
                without.record()
        with self.assertRaisesRegex(ValueError, "expected a State with a history, from which a pickle is made"):
            pickle.dumps(state.resample(0, 1))

    def test_a_record_of_another_rules_version_is_refused(self) -> None:
        record = bytearray(middle("rappanui").record())
        # The binary form begins with the magic, the name with its length, and the version. It ends with a digest of all.
        place = 8 + 4 + len("rappanui")
        version = int.from_bytes(record[place : place + 4], "little")
        record[place : place + 4] = (version + 1).to_bytes(4, "little")
        record[-32:] = hashlib.sha256(record[:-32]).digest()
        message = f"expected a record of rappanui under rules version {version}, got rules version {version + 1}"
        with self.assertRaisesRegex(ahu.ServiceError, message):
            ahu.State.from_record(bytes(record))

    def test_a_pickle_of_another_rules_version_is_refused(self) -> None:
        state = middle("rappanui")
        _, (version, *parts) = state.__reduce__()
        assert isinstance(version, int)
        restore: Any = ahu.restore_state
        message = f"expected a State of rappanui under rules version {version}, got rules version {version + 1}"
        for call, arguments in (
            (message, (version + 1, *parts)),
            ("expected the fingerprint", (version, *parts[:-1], "0" * 16)),
            ("is impossible", (version, *parts[:4], parts[4][1:], *parts[5:])),
        ):
            with self.assertRaisesRegex(ahu.ServiceError, call):
                restore(*arguments)

    def test_a_game_that_there_is_not_is_refused_as_an_environment_is(self) -> None:
        for arguments, reason in (
            ({"game": "chess"}, "UNKNOWN_GAME"),
            ({"game": "giants", "seats": 9}, "BAD_SEAT_COUNT"),
            ({"game": "giants", "options": {"board": "moon"}}, "BAD_OPTION"),
        ):
            with self.assertRaises(ahu.ServiceError) as caught:
                ahu.new_game(**arguments)  # type: ignore[arg-type]
            self.assertEqual(caught.exception.reason, reason)

    def test_a_rollout_says_what_it_expects(self) -> None:
        state = middle("rappanui")
        self.refused(state, "UNKNOWN_BOT", "unknown bot", ahu.rollout, [state], "deep_blue")
        self.refused(state, "UNKNOWN_BOT", "expected a search, such as search:200", ahu.analyse, state, bot="greedy")
        self.refused(state, "BAD_FIELD", "unknown reward rule", ahu.rollout, [state], rewards="win")
        self.refused(state, "BAD_FIELD", "unknown reward rule", state.returns, "win")
        self.refused(state, "ILLEGAL_ACTION", "is not legal", ahu.rollout, [state], lambda turn: illegal(state))
        other = middle("rappanui", seats=3)
        self.refused(state, "BAD_FIELD", "expected an earlier State of", state.svg, 0, other)
        for message, arguments in (
            ("expected 1 State or more, got 0", {"states": []}),
            ("expected States with 2 seats, as the first has, got one with 3", {"states": [state, other]}),
            ("expected a count of 1 to", {"states": [state], "count": 0}),
            ("expected actions of shape", {"states": [state], "player": ahu.batched(lambda batch: [0, 0])}),
        ):
            with self.assertRaisesRegex(ValueError, message):
                ahu.rollout(**arguments)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "expected 1 thread or more, got 0"):
            ahu.rollout([state], threads=0)
        with self.assertRaisesRegex(TypeError, "expected a function of a turn, .* as a player; got 7"):
            ahu.rollout([state], 7)  # pyright: ignore[reportArgumentType]

    def test_two_threads_on_one_state_are_serialised(self) -> None:
        state = ahu.new_game("giants", seats=3, seed=1)
        faults = list[BaseException]()

        def act() -> None:
            choices = random.Random(threading.get_ident())
            try:
                for _ in range(150):
                    # Another thread may act between `legal_ids` and `apply`.
                    try:
                        state.apply(choices.choice(state.legal_ids() or [0]))
                    except ahu.ServiceError as refused:
                        assert refused.reason in ("ILLEGAL_ACTION", "MATCH_ENDED"), refused
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=act) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])
        # No action is half applied: the plies lead to the position.
        again = ahu.State.from_record(state.record())
        self.assertEqual((again.fingerprint(), again.plies), (state.fingerprint(), state.plies))


def illegal(state: ahu.State) -> int:
    return next(number for number in range(state.action_count) if number not in state.legal_ids())


def step(state: ahu.State) -> int:
    state.apply(state.legal_ids()[0])
    return 0


if __name__ == "__main__":
    unittest.main()
