"""The parts of `ahu.training` as values, without a server."""

import ast
import importlib
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np

import ahu
from ahu import _errors as errors, _native
from ahu.training import LEARNER, Batch, Layout, Observation, VectorEnv, _bits as bits, _open_request as open_request
from ahu.training._catalog import find
from ahu.training._engine import Answer, Call
from ahu.training._forfeits import Forfeits
from ahu.training._rows import BatchSpec, FinalRows, Rows
from ahu.training._settings import DEFAULTS
from ahu.training._versions import ENV_VERSIONS
from ahu.v1 import catalog_service_pb2 as catalog
from ahu.v1.environment_service_pb2 import Episode, RunResponse

LAYOUT = Layout.of(
    catalog.Layout(
        bit_count=70,
        number_count=3,
        fields=[
            catalog.LayoutField(
                name="hand", block="TENSOR_BLOCK_BITS", kind="LAYOUT_FIELD_KIND_FLAGS", shape=[2, 33], max=1
            ),
            catalog.LayoutField(
                name="stage",
                block="TENSOR_BLOCK_BITS",
                kind="LAYOUT_FIELD_KIND_ONE_HOT",
                shape=[3],
                offset=66,
                max=1,
                meaning="when",
                values=["early", "middle", "late"],
            ),
            catalog.LayoutField(
                name="last", block="TENSOR_BLOCK_BITS", kind="LAYOUT_FIELD_KIND_FLAGS", offset=69, max=1
            ),
            catalog.LayoutField(
                name="points",
                block="TENSOR_BLOCK_NUMBERS",
                kind="LAYOUT_FIELD_KIND_NUMBERS",
                shape=[2],
                min=-300,
                max=200,
            ),
            catalog.LayoutField(name="none", block="TENSOR_BLOCK_NUMBERS", kind="LAYOUT_FIELD_KIND_NUMBERS", offset=2),
        ],
        hash=bytes(range(32)),
    )
)
BITS = np.zeros((2, 70), np.uint8)
BITS[0, [0, 32, 67, 69]] = 1
BITS[1, [33, 64]] = 1
NUMBERS = np.array([[150, -300, 0], [0, 200, 0]], np.int16)


def packed(rows: Any) -> bits.Packed:
    """Returns rows of 0 and 1 in their wire format."""
    rows = np.asarray(rows, np.uint8)
    whole = np.zeros((len(rows), 8 * bits.width(rows.shape[1])), np.uint8)
    whole[:, : rows.shape[1]] = rows
    return np.packbits(whole, axis=1, bitorder="little")


def observation(obs_format: Any) -> Observation:
    return Observation(LAYOUT, obs_format, packed(BITS), NUMBERS)


class Bits(unittest.TestCase):
    def test_a_row_is_whole_words(self) -> None:
        self.assertEqual([bits.width(count) for count in (0, 1, 64, 65, 128, 129)], [0, 8, 8, 16, 16, 24])

    def test_the_lowest_bit_of_the_first_byte_comes_first(self) -> None:
        row = np.array([[0b0000_0110, 0, 0, 0, 0, 0, 0, 0b1000_0000, 1, 0, 0, 0, 0, 0, 0, 0]], np.uint8)
        self.assertEqual(np.flatnonzero(bits.unpack(row, 70)).tolist(), [1, 2, 63, 64])
        self.assertEqual(bits.unpack(row, 64).shape, (1, 64))

    def test_the_nth_bit_is_found_wherever_it_is(self) -> None:
        choices = np.random.default_rng(1)
        for count in (1, 7, 64, 65, 183, 1024):
            for density in (0.02, 0.5, 1.0):
                rows = (choices.random((50, count)) < density).astype(np.uint8)
                rows[:, choices.integers(count)] = 1
                for part in (0.0, 0.3, 0.999999):
                    found = _native.nth(bits.ONE_CORE, packed(rows), np.full(50, part))
                    for row, place in zip(rows, found, strict=True):
                        places = np.flatnonzero(row)
                        self.assertEqual(place, places[int(part * len(places))])

    def test_the_nth_of_no_bits_is_0(self) -> None:
        self.assertEqual(
            _native.nth(bits.ONE_CORE, packed([[0] * 130, [0] * 129 + [1]]), np.array([0.9, 0.9])).tolist(), [0, 129]
        )

    def test_uniform_parts_make_a_uniform_choice(self) -> None:
        row = [0] * 200
        for place in (0, 63, 64, 130, 199):
            row[place] = 1
        found = _native.nth(bits.ONE_CORE, packed([row] * 50_000), np.random.default_rng(1).random(50_000))
        counts = np.bincount(found, minlength=200)[[0, 63, 64, 130, 199]]
        self.assertEqual(counts.sum(), 50_000)
        # The bound is five standard deviations.
        self.assertLess(np.abs(counts - 10_000).max(), 5 * 90)


class Layouts(unittest.TestCase):
    def test_fields_are_as_the_message_says(self) -> None:
        self.assertEqual(list(LAYOUT.fields), ["hand", "stage", "last", "points", "none"])
        stage = LAYOUT.fields["stage"]
        self.assertEqual((stage.block, stage.kind, stage.shape, stage.size), ("bits", "one_hot", (3,), 3))
        self.assertEqual((stage.offset, stage.min, stage.max, stage.meaning), (66, 0, 1, "when"))
        self.assertEqual((LAYOUT.fields["last"].shape, LAYOUT.fields["last"].size), ((), 1))
        self.assertEqual((LAYOUT.size, LAYOUT.bit_bytes, LAYOUT.hash), (73, 16, bytes(range(32))))

    def test_the_entries_of_one_axis_may_have_names(self) -> None:
        stage, last = LAYOUT.fields["stage"], LAYOUT.fields["last"]
        self.assertEqual((stage.values, stage.values_axis), (("early", "middle", "late"), 0))
        self.assertEqual((last.values, last.values_axis), ((), 0))
        message = catalog.LayoutField(
            name="tokens",
            block="TENSOR_BLOCK_BITS",
            kind="LAYOUT_FIELD_KIND_FLAGS",
            shape=[3, 2],
            values=["wood", "stone"],
            values_axis=1,
        )
        tokens = Layout.of(catalog.Layout(bit_count=6, fields=[message])).fields["tokens"]
        self.assertEqual((tokens.values, tokens.values_axis), (("wood", "stone"), 1))

    def test_numbers_are_scaled_by_the_greatest_amount_of_their_field(self) -> None:
        self.assertEqual(LAYOUT.scales.tolist(), [300, 300, 1])
        low, high = LAYOUT.bounds
        self.assertEqual((low.tolist(), high.tolist()), ([-300, -300, 0], [200, 200, 0]))


class ObsFormats(unittest.TestCase):
    def check(self, array: Any, dtype: Any, expected: Any) -> None:
        self.assertEqual(array.dtype, dtype)
        np.testing.assert_array_equal(array, expected)

    def test_split(self) -> None:
        split = dict(observation("split"))
        self.assertEqual(list(split), ["bits", "numbers"])
        self.check(split["bits"], np.uint8, BITS)
        self.check(split["numbers"], np.int16, NUMBERS)

    def test_flat(self) -> None:
        flat = observation("flat")
        scaled = np.array([[0.5, -1, 0], [0, 2 / 3, 0]], np.float32)
        self.check(flat.array, np.float32, np.hstack([BITS, scaled]))
        self.check(flat["numbers"], np.float32, scaled)
        self.check(flat["bits"], np.float32, BITS)
        self.assertIs(flat.array, flat.array)
        self.check(np.asarray(flat), np.float32, flat.array)

    def test_packed_copies_nothing(self) -> None:
        raw = observation("packed")
        self.assertIs(raw["bits"], raw.packed)
        self.assertIs(raw["numbers"], raw.numbers)

    def test_named_fields_have_their_shape(self) -> None:
        for obs_format in ("split", "flat"):
            named = observation(obs_format)
            np.testing.assert_array_equal(named["hand"], BITS[:, :66].reshape(2, 2, 33))
            np.testing.assert_array_equal(named["stage"], BITS[:, 66:69])
            np.testing.assert_array_equal(named["last"], BITS[:, 69])
            self.assertTrue(np.shares_memory(named["hand"], named["bits"]), obs_format)
        self.check(observation("split")["points"], np.int16, NUMBERS[:, :2])
        self.check(observation("flat")["points"], np.float32, np.array([[0.5, -1], [0, 2 / 3]], np.float32))

    def test_it_is_looked_through_like_a_mapping(self) -> None:
        self.assertEqual(list(observation("split")), ["bits", "numbers"])
        there = [
            name in observation(obs_format) for name in ("bits", "hand", "hnad") for obs_format in ("split", "packed")
        ]
        self.assertEqual(there, [True, True, True, False, False, False])

    def test_what_is_not_there_is_an_error_that_says_what_is(self) -> None:
        with self.assertRaisesRegex(KeyError, 'no field \\\\?"hnad\\\\?", but: hand, stage'):
            observation("split")["hnad"]
        with self.assertRaisesRegex(KeyError, "no named fields"):
            observation("packed")["hand"]
        with self.assertRaisesRegex(LookupError, 'the format "split" has "bits" and "numbers"'):
            _ = observation("split").array


SPEC = BatchSpec(LAYOUT, "split", action_count=10, seats=3, mask_dtype=np.dtype(np.bool_))


def rows(env_ids: list[int], spec: BatchSpec = SPEC) -> Rows:
    """Returns the rows of these environments, by default with three seats and ten actions."""
    rows = Rows(spec, len(env_ids))
    numbers = np.array(env_ids, np.int64)
    rows.bits[...] = packed(BITS[numbers % 2])
    rows.numbers[...] = np.stack([numbers, -numbers, 0 * numbers], axis=1)
    rows.masks[...] = packed([[place in (number % 10, 9) for place in range(10)] for number in env_ids])
    rows.env_ids[...], rows.seats[...], rows.players[...] = numbers, numbers % 3, (numbers + 1) % 3
    rows.rewards[...], rows.ended[...] = 0, False
    return rows


class Batches(unittest.TestCase):
    def test_columns_lie_one_after_the_other_and_are_aligned(self) -> None:
        for count in (1, 3):
            some = rows(list(range(count)))
            self.assertEqual(len(some.memory), count * SPEC.row_bytes)
            self.assertEqual(sum(getattr(some, column.name).nbytes for column in SPEC.columns), len(some.memory))
            for column in SPEC.columns:
                array = getattr(some, column.name)
                self.assertTrue(np.shares_memory(array, some.memory), column.name)
                self.assertTrue(array.flags.aligned and array.flags.c_contiguous, column.name)
        with self.assertRaises(AttributeError):
            _ = some.colour

    def test_a_batch_has_its_columns(self) -> None:
        batch = Batch(rows([3, 4]), group=1, nanoseconds=1_500_000_000)
        self.assertEqual((len(batch), batch.group, batch.server_seconds), (2, 1, 1.5))
        for array, dtype, expected in (
            (batch.env_ids, np.uint32, [3, 4]),
            (batch.seats, np.uint8, [0, 1]),
            (batch.players, np.uint8, [1, 2]),
            (batch.rewards, np.float32, [[0, 0, 0], [0, 0, 0]]),
            (batch.ended, np.bool_, [False, False]),
            (batch.masks, np.bool_, [[i in (3, 9) for i in range(10)], [i in (4, 9) for i in range(10)]]),
            (batch.observation["numbers"], np.int16, [[3, -3, 0], [4, -4, 0]]),
        ):
            self.assertEqual(array.dtype, dtype)
            self.assertEqual(array.tolist(), expected)
        self.assertIsNone(batch.final_steps)
        self.assertIsNone(batch.seeds)
        self.assertEqual(list(batch.episodes), [])
        self.assertIs(batch.masks, batch.masks)

    def test_masks_are_int8_if_that_is_asked_for(self) -> None:
        spec = BatchSpec(LAYOUT, "split", 10, 3, np.dtype(np.int8))
        self.assertEqual(Batch(rows([3], spec)).masks.dtype, np.int8)

    def test_some_rows_are_taken_and_put(self) -> None:
        some = rows([3, 4, 5])
        batch = Batch(some).take(np.array([2, 0]))
        self.assertEqual(batch.env_ids.tolist(), [5, 3])
        np.testing.assert_array_equal(batch.masks, Batch(rows([5, 3])).masks)
        self.assertFalse(np.shares_memory(batch.env_ids, some.memory))
        some.put(np.array([1]), rows([7]))
        self.assertEqual(some.memory.tobytes(), rows([3, 7, 5]).memory.tobytes())

    def test_joined_final_rows_are_those_of_all(self) -> None:
        def final(env_id: int) -> FinalRows:
            columns = {
                "env_ids": np.array([env_id], "<u4"),
                "seats": np.array([2], np.uint8),
                "players": np.array([1], np.uint8),
            }
            columns |= {"bits": np.zeros(16, np.uint8), "numbers": np.zeros(3, "<i2")}
            columns |= {"returns": np.array([0.5], "<f4"), "ranks": np.array([2], np.uint8)}
            episodes = RunResponse.Batch(episodes=[Episode(environment=env_id)]).SerializeToString()
            return FinalRows(SPEC, {name: values.view(np.uint8) for name, values in columns.items()}, episodes)

        batch = Batch(rows([3, 7]), FinalRows.joined([final(3), final(7)]))
        assert batch.final_steps is not None
        final_steps = batch.final_steps
        self.assertEqual((len(final_steps), final_steps.env_ids.tolist()), (2, [3, 7]))
        self.assertEqual((final_steps.seats.tolist(), final_steps.players.tolist()), ([2, 2], [1, 1]))
        self.assertEqual((final_steps.returns.tolist(), final_steps.ranks.tolist()), ([0.5, 0.5], [2, 2]))
        self.assertEqual([episode.environment for episode in batch.episodes], [3, 7])


class Legal(unittest.TestCase):
    """The legal actions of environments."""

    def legal(self, seed: int = 5) -> Any:
        legal = _native.LegalActions(4, 10, seed)
        legal.update(0, None, rows([0, 1, 2, 3]).masks)
        return legal

    def illegal(self, legal: Any, env_ids: list[int] | None, actions: list[int]) -> list[int]:
        numbers = None if env_ids is None else np.array(env_ids, np.uint32)
        found = legal.check(0, numbers, np.array(actions, np.int64), False)
        if found is None:
            return []
        illegal, no_decision = found
        self.assertEqual(no_decision, [])
        return list(illegal)

    def test_what_is_not_legal_is_found(self) -> None:
        legal = self.legal()
        self.assertEqual(self.illegal(legal, None, [0, 1, 9, 9]), [])
        self.assertEqual(self.illegal(legal, None, [1, 1, 9, 8]), [0, 3])
        self.assertEqual(self.illegal(legal, [1, 3], [0, 3]), [0])
        for nothing in (-1, 10, 63, 64, 127, 1000, 2**40, -(2**40), 2**63 - 1, -(2**63)):
            self.assertEqual(self.illegal(legal, None, [nothing] * 4), [0, 1, 2, 3], nothing)

    def test_that_holds_for_masks_without_a_bit_to_spare(self) -> None:
        legal = _native.LegalActions(1, 64, 0)
        legal.update(0, None, np.full((1, 8), 255, np.uint8))
        self.assertEqual([self.illegal(legal, None, [action]) for action in (0, 63, 64, -1)], [[], [], [0], [0]])

    def test_where_no_decision_is_due_nothing_is_asked(self) -> None:
        legal = self.legal()
        legal.update(2, None, np.zeros((1, 8), np.uint8))
        actions = np.array([1, 1, 5, 3])
        self.assertEqual(legal.check(0, None, actions, False), ([0], [2]))
        self.assertEqual(legal.check(0, None, actions, True), ([0], []))
        unbegun = _native.LegalActions(1, 10, 5)
        self.assertEqual(unbegun.check(0, None, np.array([0]), True), ([], [0]))
        self.assertIsNone(unbegun.masks())

    def test_replacements_are_legal_and_depend_on_the_seed_and_their_number_alone(self) -> None:
        def some(legal: Any, env_ids: list[int]) -> list[int]:
            numbers = np.array(env_ids, np.uint32)
            return [int(action) for _ in range(40) for action in legal.random(numbers)]

        alone = some(self.legal(), [3])
        self.assertEqual(set(alone), {3, 9})
        self.assertEqual(some(self.legal(), [1, 3])[1::2], alone)
        other = self.legal(seed=6)
        self.assertNotEqual(some(other, [3]), alone)
        other.seed(3, None, np.array([8], np.uint64))
        self.assertEqual(some(other, [3]), alone)

    def test_environments_that_there_are_not_are_refused(self) -> None:
        legal = self.legal()
        for first, env_ids in ((1, None), (0, np.array([0, 1, 2, 4], np.uint32)), (0, np.array([0, 1], np.uint32))):
            with self.assertRaisesRegex(ValueError, "expected 4 of 4 environments"):
                legal.check(first, env_ids, np.zeros(4, np.int64), False)


class IllegalActions(unittest.TestCase):
    """The steps in which environments forfeit."""

    def forfeits(self, autoreset: Any) -> Forfeits:
        forfeits = Forfeits(SPEC, 6, autoreset)
        forfeits.update(Call(0, 0, 6, None), rows(list(range(6))))
        return forfeits

    def forfeit(self, forfeits: Forfeits, illegal: list[int]) -> Any:
        return forfeits.plan(Call(0, 0, 3, None, np.array([9, 5, 9])), np.array(illegal, np.intp))

    def kinds(self, step: Any) -> list[tuple[str, list[int]]]:
        return [("reset" if call.actions is None else "step", call.numbers.tolist()) for call, _ in step.calls]

    def finished(self, forfeits: Forfeits, step: Any, parts: list[Rows], answers: list[Answer]) -> Batch:
        batch = rows([0, 1, 2])
        for (_, places), part in zip(step.calls, parts, strict=True):
            batch.put(places, part)
        answer = forfeits.finish(step, np.arange(3, dtype=np.uint32), batch, answers)
        return Batch(batch, answer.final_rows)

    def check_end(self, batch: Batch) -> None:
        """Checks that environment 1, whose seat 1 took an illegal action, has ended."""
        self.assertEqual(batch.env_ids.tolist(), [0, 1, 2])
        self.assertEqual(batch.ended.tolist(), [False, True, False])
        self.assertEqual(batch.rewards.tolist(), [[0, 0, 0], [0.5, -1, 0.5], [0, 0, 0]])
        assert batch.final_steps is not None
        self.assertEqual((batch.final_steps.env_ids.tolist(), batch.final_steps.seats.tolist()), ([1], [1]))
        self.assertEqual((batch.final_steps.returns.tolist(), batch.final_steps.ranks.tolist()), ([-1], [3]))
        self.assertEqual(batch.final_steps.observation["numbers"].tolist(), [[1, -1, 0]])

    def test_without_a_forfeit_the_step_is_as_it_was(self) -> None:
        self.assertIsNone(self.forfeit(self.forfeits("same_step"), []))

    def test_the_row_shows_the_end_and_the_others_step(self) -> None:
        for autoreset in ("next_step", "disabled"):
            forfeits = self.forfeits(autoreset)
            step = self.forfeit(forfeits, [1])
            self.assertEqual(self.kinds(step), [("step", [0, 2])])
            batch = self.finished(forfeits, step, [rows([0, 2])], [Answer(0)])
            self.check_end(batch)
            self.assertEqual(batch.masks.any(axis=1).tolist(), [True, False, True])
            # The next step begins the next episode.
            self.assertEqual(self.kinds(self.forfeit(forfeits, [])), [("step", [0, 2]), ("reset", [1])])

    def test_the_next_episode_begins_at_once(self) -> None:
        forfeits = self.forfeits("same_step")
        step = self.forfeit(forfeits, [1])
        self.assertEqual(self.kinds(step), [("step", [0, 2]), ("reset", [1])])
        batch = self.finished(forfeits, step, [rows([0, 2]), rows([1])], [Answer(0), Answer(0, np.zeros(1, np.uint64))])
        self.check_end(batch)
        self.assertTrue(batch.masks.any(axis=1).all())

    def test_ends_by_the_rules_and_by_forfeit_are_in_order(self) -> None:
        forfeits = self.forfeits("disabled")
        columns = {
            "env_ids": np.array([0, 2], "<u4"),
            "seats": np.array([0, 2], np.uint8),
            "players": np.zeros(2, np.uint8),
        }
        columns |= {"bits": rows([0, 2]).bits.reshape(-1), "numbers": rows([0, 2]).numbers.reshape(-1)}
        columns |= {"returns": np.array([1, 0], "<f4"), "ranks": np.array([1, 2], np.uint8)}
        ends = FinalRows(SPEC, {name: values.view(np.uint8) for name, values in columns.items()})
        together = self.finished(
            forfeits, self.forfeit(forfeits, [1]), [rows([0, 2])], [Answer(0, None, ends)]
        ).final_steps
        assert together is not None
        self.assertEqual(together.env_ids.tolist(), [0, 1, 2])
        self.assertEqual(together.ranks.tolist(), [1, 3, 2])
        self.assertEqual(together.observation["numbers"][:, 0].tolist(), [0, 1, 2])

    def test_a_reset_is_the_end_of_it(self) -> None:
        forfeits = self.forfeits("next_step")
        self.finished(forfeits, self.forfeit(forfeits, [1]), [rows([0, 2])], [Answer(0)])
        forfeits.reset(Call(0, 1, 1, None))
        self.assertIsNone(self.forfeit(forfeits, []))

    def test_all_of_a_group_may_forfeit(self) -> None:
        forfeits = self.forfeits("next_step")
        step = self.forfeit(forfeits, [0, 1, 2])
        self.assertEqual(step.calls, [])
        self.assertEqual(self.finished(forfeits, step, [], []).ended.tolist(), [True] * 3)


class Versions(unittest.TestCase):
    def test_the_version_of_an_environment_rises_with_rules_and_layout(self) -> None:
        for game, env in ENV_VERSIONS.items():
            known = find(game)
            assert known is not None, game
            self.assertEqual(
                (env.rules, env.layout),
                (known.summary.rules_version, known.layout.hash.hex()[:16]),
                f"{game}: raise the version in ahu/training/_versions.py",
            )


class OpenRequests(unittest.TestCase):
    def request(self, **changes: Any) -> Any:
        autoreset = changes.pop("autoreset", "same_step")
        return open_request.open_request("rappanui", 8, 1, autoreset, {**DEFAULTS, "seats": 3, **changes})

    def test_it_says_what_is_asked_for(self) -> None:
        request = self.request(
            options={"flag": True}, autoreset="disabled", rotation="episode", rewards="margin", seed=2**64 - 1
        )
        self.assertEqual((request.game, request.environment_count, request.seat_count), ("rappanui", 8, 3))
        self.assertEqual((request.options["flag"], request.seed), ("true", 2**64 - 1))
        self.assertEqual((request.autoreset_mode, request.seat_rotation, request.reward_rule), (3, 2, 2))
        self.assertFalse(self.request().HasField("seed"))
        self.assertTrue(self.request(seed=0).HasField("seed"))

    def test_players_are_learners_bots_and_mixtures(self) -> None:
        for weights, expected in (({"a": 3, "b": 1}, [3, 1]), ({"a": 0.75, "b": 0.25}, [750_000, 250_000])):
            players = self.request(players=(LEARNER, "greedy", weights)).players
            bots = [[(bot.bot, bot.weight) for bot in player.bots] for player in players]
            self.assertEqual(bots, [[], [("greedy", 1)], [("a", expected[0]), ("b", expected[1])]])

    def test_what_makes_no_sense_is_refused_with_what_would(self) -> None:
        for changes, error in (
            ({"autoreset": "never"}, "autoreset is one of 'next_step', 'same_step', 'disabled', not 'never'"),
            ({"rotation": "left"}, "rotation is one of"),
            ({"rewards": "win"}, "rewards is one of"),
            ({"obs_format": "wide"}, "obs_format is one of 'split', 'flat', 'packed'"),
            ({"on_illegal": "ignore"}, "on_illegal is one of"),
            ({"on_illegal": "terminate", "rewards": "points"}, 'needs rewards="rank"'),
            ({"num_envs": 9, "groups": 2}, "9 environments cannot be divided into 2 groups"),
            ({"num_envs": 0}, "num_envs is 1 or more, not 0"),
            ({"seats": -1}, "seats is 1 or more, not -1"),
            ({"timeout": 0}, "timeout is a number of seconds above 0, not 0"),
            ({"timeout": float("nan")}, "not nan"),
            ({"timeout": None}, "not None"),
            ({"players": (None, {"greedy": 0})}, 'the weight of "greedy" is a number above 0, not 0'),
            ({"players": (None, {"greedy": 0.5, "random": -0.5})}, "not -0.5"),
            ({"players": (None, {"greedy": float("nan")})}, "not nan"),
            ({"players": (None, {"greedy": "much"})}, "not 'much'"),
            ({"mask_dtype": np.float32}, "bool or int8"),
            ({"players": ({}, None)}, "at least one"),
        ):
            with self.subTest(changes), self.assertRaisesRegex(ValueError, error):
                VectorEnv("rappanui", **changes)

    def test_players_of_no_kind_are_refused(self) -> None:
        for players, error in (
            ("greedy", r'such as \[LEARNER, "greedy"\]'),
            ((None, 3), "LEARNER, the name of a bot, bots by weight, .*, not 3"),
        ):
            with self.subTest(players=players), self.assertRaisesRegex(TypeError, error):
                VectorEnv("rappanui", players=players)

    def test_weights_are_scaled_to_what_the_service_takes(self) -> None:
        for weights, expected in (({"a": 1e-9, "b": 0.5}, [1, 10**6]), ({"a": 10**12, "b": 10**12}, [500_000] * 2)):
            [player] = self.request(players=(weights,)).players
            self.assertEqual([bot.weight for bot in player.bots], expected)

    def test_flags_may_be_numpys(self) -> None:
        self.assertEqual(self.request(options={"flag": np.bool_(True)}).options["flag"], "true")


class Refusals(unittest.TestCase):
    def test_they_are_the_errors_of_calls(self) -> None:
        refused = RunResponse.Refused(
            code=9, reason="ILLEGAL_ACTION", message="no", metadata={"legal": "1-2", "environment": "7"}
        )
        error = errors.of_refused(refused)
        assert isinstance(error, ahu.IllegalAction)
        self.assertEqual((error.legal_ids, error.metadata["environment"]), ((1, 2), "7"))
        self.assertEqual(error.code, "FAILED_PRECONDITION")
        other = errors.of_refused(RunResponse.Refused(code=3, reason="BAD_FIELD", message="no", field="seat"))
        self.assertEqual((type(other), other.reason), (ahu.ServiceError, "BAD_FIELD"))
        self.assertEqual(other.field_violations, (errors.FieldViolation(field="seat", description="no"),))
        self.assertEqual(errors.of_refused(RunResponse.Refused(code=99, reason="NEW")).code, "UNKNOWN")

    def test_ranges_are_read_as_they_are_written(self) -> None:
        self.assertEqual(errors.ranges([0, 1, 2, 3, 9, 11, 12]), "0-3,9,11-12")
        self.assertEqual(errors.ranges([]), "")


STATE = {
    *("ActionAnalysis", "Analysis", "State", "StateEvent", "StateObservation"),
    *("analyse", "children", "game", "games", "new_game", "observe", "restore_state", "rollout"),
}

TRAINING = {
    *("training", "records", "ActionFeatures", "Batch", "BenchmarkCost", "BenchmarkReport", "Layout", "VectorEnv"),
    *("Exploitability", "action_features", "benchmark", "exploit"),
    *STATE,
}
"""The names of the package that need numpy."""


class Importing(unittest.TestCase):
    def run_python(self, code: str) -> str:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr.strip().rpartition("\n")[2]

    def test_the_client_needs_no_numpy(self) -> None:
        code = "import sys, ahu, ahu.aio; [getattr(ahu, name) for name in dir(ahu) if name not in {}]; print('numpy' in sys.modules)"
        self.assertEqual(self.run_python(code.format(TRAINING)), "False\n")

    def test_training_in_this_process_needs_no_network(self) -> None:
        code = "import sys, ahu; ahu.VectorEnv('rappanui').reset(); print({'grpc', 'asyncio'} & set(sys.modules))"
        self.assertEqual(self.run_python(code), "set()\n")

    def test_the_vector_environment_needs_numpy_alone(self) -> None:
        code = "import sys, ahu.training; print({'gymnasium', 'pettingzoo'} & set(sys.modules))"
        self.assertEqual(self.run_python(code), "set()\n")

    def test_training_without_numpy_says_what_to_install(self) -> None:
        output = self.run_python("import sys; sys.modules['numpy'] = None; import ahu; ahu.VectorEnv")
        self.assertIn('training needs numpy: pip install "ahu[train]"', output)

    def test_the_names_are_those_of_the_package(self) -> None:
        self.assertIs(ahu.VectorEnv, VectorEnv)
        with self.assertRaises(AttributeError):
            _ = ahu.VectorEnvironment

    def test_names_are_imported_from_where_type_checkers_find_them(self) -> None:
        stub = ast.parse(Path(ahu.__file__).with_suffix(".pyi").read_text())
        homes = {
            name.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for name in node.names
        }
        modules = {name for name, home in homes.items() if home == "ahu"}
        self.assertEqual(set(homes) - modules, set(ahu.__all__))
        self.assertLessEqual(set(homes), set(dir(ahu)))
        for name, home in homes.items():
            with self.subTest(name):
                self.assertIs(getattr(ahu, name), getattr(importlib.import_module(home), name))

    def test_the_help_of_the_package_shows_its_names_with_numpy_and_without(self) -> None:
        for hidden in ("", "import sys; sys.modules['numpy'] = None; "):
            text = self.run_python(f"{hidden}import ahu, pydoc; print(pydoc.render_doc(ahu, renderer=pydoc.plaintext))")
            self.assertIn("class Turn(", text)
            self.assertEqual("class VectorEnv(" in text, not hidden)


if __name__ == "__main__":
    unittest.main()
