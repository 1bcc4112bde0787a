"""What training is made of, as values: without a server."""

import subprocess
import sys
import unittest
from typing import Any

import grpc
import numpy as np

import ahu
from ahu import errors
from ahu.training import LEARNER, Batch, Layout, Observation, VectorEnv, bits, open_request
from ahu.training.batch import BatchSpec, concatenate
from ahu.training.illegal_actions import IllegalActionForfeits
from ahu.training.mask_cache import MaskCache
from ahu.v1 import catalog_service_pb2 as catalog
from ahu.v1.environment_service_pb2 import Episode, RunResponse
from ahu.v1.errors_pb2 import ErrorReason

LAYOUT = Layout.of(
    catalog.Layout(
        bit_count=70,
        number_count=3,
        fields=[
            catalog.Field(name="hand", block="BLOCK_BITS", kind="FIELD_KIND_FLAGS", shape=[2, 33], max=1),
            catalog.Field(
                name="stage",
                block="BLOCK_BITS",
                kind="FIELD_KIND_ONE_HOT",
                shape=[3],
                offset=66,
                max=1,
                meaning="when",
                values=["early", "middle", "late"],
            ),
            catalog.Field(name="last", block="BLOCK_BITS", kind="FIELD_KIND_FLAGS", offset=69, max=1),
            catalog.Field(
                name="points", block="BLOCK_NUMBERS", kind="FIELD_KIND_NUMBERS", shape=[2], min=-300, max=200
            ),
            catalog.Field(name="none", block="BLOCK_NUMBERS", kind="FIELD_KIND_NUMBERS", offset=2),
        ],
        hash=bytes(range(32)),
    )
)
BITS = np.zeros((2, 70), np.uint8)
BITS[0, [0, 32, 67, 69]] = 1
BITS[1, [33, 64]] = 1
NUMBERS = np.array([[150, -300, 0], [0, 200, 0]], np.int16)


def packed(rows: Any) -> bits.Packed:
    """Rows of 0 and 1 as they travel."""
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

    def test_a_bit_is_looked_up_in_each_row(self) -> None:
        rows = packed([[1, 0, 1] + [0] * 70, [0] * 72 + [1]])
        for places, expected in (([2, 72], [True, True]), ([1, 71], [False, False]), ([0, 0], [True, False])):
            self.assertEqual(bits.are_set(rows, np.array(places)).tolist(), expected)

    def test_the_nth_bit_is_found_wherever_it_is(self) -> None:
        choices = np.random.default_rng(1)
        for count in (1, 7, 64, 65, 183, 1024):
            for density in (0.02, 0.5, 1.0):
                rows = (choices.random((50, count)) < density).astype(np.uint8)
                rows[:, choices.integers(count)] = 1
                for part in (0.0, 0.3, 0.999999):
                    found = bits.nth(packed(rows), np.full(50, part))
                    for row, place in zip(rows, found, strict=True):
                        places = np.flatnonzero(row)
                        self.assertEqual(place, places[int(part * len(places))])

    def test_the_nth_of_no_bits_is_0(self) -> None:
        self.assertEqual(bits.nth(packed([[0] * 130, [0] * 129 + [1]]), np.array([0.9, 0.9])).tolist(), [0, 129])

    def test_uniform_parts_make_a_uniform_choice(self) -> None:
        row = [0] * 200
        for place in (0, 63, 64, 130, 199):
            row[place] = 1
        found = bits.nth(packed([row] * 50_000), np.random.default_rng(1).random(50_000))
        counts = np.bincount(found, minlength=200)[[0, 63, 64, 130, 199]]
        self.assertEqual(counts.sum(), 50_000)
        # Five standard deviations.
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
        message = catalog.Field(
            name="tokens",
            block="BLOCK_BITS",
            kind="FIELD_KIND_FLAGS",
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


def message(env_ids: list[int], **changes: Any) -> RunResponse.Batch:
    """A batch of some environments, of three seats and ten actions."""
    count = len(env_ids)
    return RunResponse.Batch(
        row_count=count,
        env_ids=np.array(env_ids, "<u4").tobytes(),
        seats=bytes(number % 3 for number in env_ids),
        bits=packed(np.resize(BITS, (count, 70))).tobytes(),
        numbers=np.array([[number, -number, 0] for number in env_ids], "<i2").tobytes(),
        masks=packed([[place in (number % 10, 9) for place in range(10)] for number in env_ids]).tobytes(),
        rewards=bytes(12 * count),
        ended=bytes(count),
        server_nanoseconds=1_500_000_000,
        **changes,
    )


SPEC = BatchSpec(LAYOUT, "split", action_count=10, seat_count=3, mask_dtype=np.dtype(np.bool_))


class Batches(unittest.TestCase):
    def test_columns_are_read_as_they_travel(self) -> None:
        batch = Batch(SPEC, message([3, 4], group=1))
        self.assertEqual((len(batch), batch.group, batch.server_seconds), (2, 1, 1.5))
        for array, dtype, expected in (
            (batch.env_ids, np.uint32, [3, 4]),
            (batch.seats, np.uint8, [0, 1]),
            (batch.rewards, np.float32, [[0, 0, 0], [0, 0, 0]]),
            (batch.ended, np.bool_, [False, False]),
            (batch.masks, np.bool_, [[i in (3, 9) for i in range(10)], [i in (4, 9) for i in range(10)]]),
            (batch.observation["numbers"], np.int16, [[3, -3, 0], [4, -4, 0]]),
        ):
            self.assertEqual(array.dtype, dtype)
            self.assertEqual(array.tolist(), expected)
        self.assertIsNone(batch.final_steps)
        self.assertIsNone(batch.seeds)
        self.assertIs(batch.masks, batch.masks)

    def test_masks_are_int8_where_that_is_asked_for(self) -> None:
        spec = BatchSpec(LAYOUT, "split", 10, 3, np.dtype(np.int8))
        self.assertEqual(Batch(spec, message([3])).masks.dtype, np.int8)

    def test_joined_batches_have_the_rows_of_all(self) -> None:
        end = {"final_row_count": 1, "final_env_ids": b"\7\0\0\0", "final_seats": b"\2", "final_bits": bytes(16)}
        end |= {"final_numbers": bytes(6), "final_returns": np.float32(0.5).tobytes(), "final_ranks": b"\2"}
        second = message([7], seeds=bytes(8), episodes=[Episode(environment=7)], **end)
        batch = Batch(SPEC, concatenate([message([3, 4], seeds=bytes(16)), second]))
        self.assertEqual(batch.env_ids.tolist(), [3, 4, 7])
        self.assertEqual(batch.observation["numbers"][:, 0].tolist(), [3, 4, 7])
        self.assertEqual((batch.server_seconds, len(batch.episodes)), (3.0, 1))
        assert batch.final_steps is not None and batch.seeds is not None
        final_steps = batch.final_steps
        self.assertEqual((len(final_steps), final_steps.seats.tolist(), final_steps.ranks.tolist()), (1, [2], [2]))
        self.assertEqual((final_steps.returns.tolist(), len(batch.seeds)), ([0.5], 3))


class Masks(unittest.TestCase):
    def mask_cache(self, action_count: int = 10, seed: int = 5) -> MaskCache:
        cache = MaskCache(4, action_count, seed)
        cache.update(slice(0, 4), message([0, 1, 2, 3]))
        return cache

    def illegal(self, cache: MaskCache, rows: Any, actions: list[int], dtype: Any = np.int64) -> list[int]:
        illegal, no_decision = cache.find_illegal(rows, np.array(actions, dtype))
        self.assertEqual(no_decision.tolist(), [])
        return illegal.tolist()

    def test_what_is_not_legal_is_found(self) -> None:
        cache, rows = self.mask_cache(), slice(0, 4)
        self.assertEqual(self.illegal(cache, rows, [0, 1, 9, 9]), [])
        self.assertEqual(self.illegal(cache, rows, [1, 1, 9, 8]), [0, 3])
        self.assertEqual(self.illegal(cache, np.array([1, 3]), [0, 3]), [0])
        for nothing in (-1, 10, 63, 64, 127, 1000, 2**40, -(2**40)):
            self.assertEqual(self.illegal(cache, rows, [nothing] * 4), [0, 1, 2, 3], nothing)
        self.assertEqual(self.illegal(cache, rows, [0, 1, 9, 200], np.uint8), [3])
        self.assertEqual(self.illegal(cache, rows, [0, 1, 9, -1], np.int8), [3])

    def test_that_holds_for_masks_without_a_bit_to_spare(self) -> None:
        cache = MaskCache(1, 64, 0)
        cache.update(slice(0, 1), RunResponse.Batch(row_count=1, masks=b"\xff" * 8))
        self.assertEqual([self.illegal(cache, slice(0, 1), [id]) for id in (0, 63, 64, -1)], [[], [], [0], [0]])

    def test_where_no_decision_is_owed_nothing_is_asked(self) -> None:
        cache = self.mask_cache()
        cache.update(np.array([2]), RunResponse.Batch(row_count=1, masks=bytes(8)))
        illegal, no_decision = cache.find_illegal(slice(0, 4), np.array([1, 1, 5, 3]))
        self.assertEqual((illegal.tolist(), no_decision.tolist()), ([0], [2]))

    def test_replacements_are_legal_and_depend_on_the_seed_and_their_number_alone(self) -> None:
        def some(cache: MaskCache, env_ids: list[int]) -> list[int]:
            numbers = np.array(env_ids)
            return [int(id) for _ in range(40) for id in cache.random_legal(numbers)]

        alone = some(self.mask_cache(), [3])
        self.assertEqual(set(alone), {3, 9})
        self.assertEqual(some(self.mask_cache(), [1, 3])[1::2], alone)
        other = self.mask_cache(seed=6)
        self.assertNotEqual(some(other, [3]), alone)
        other.seed(np.array([3]), np.array([8], np.uint64))
        self.assertEqual(some(other, [3]), alone)


class IllegalActions(unittest.TestCase):
    def forfeits(self, autoreset: Any) -> IllegalActionForfeits:
        forfeits = IllegalActionForfeits(SPEC, 6, autoreset)
        forfeits.update(slice(0, 6), message(list(range(6))))
        return forfeits

    def forfeit(self, forfeits: IllegalActionForfeits, illegal: list[int]) -> Any:
        return forfeits.step_exchange(0, np.arange(3), np.array([9, 5, 9]), np.array(illegal, np.intp))

    def check_end(self, batch: Batch) -> None:
        """Environment 1, whose seat 1 did what it may not, has ended."""
        self.assertEqual(batch.env_ids.tolist(), [0, 1, 2])
        self.assertEqual(batch.ended.tolist(), [False, True, False])
        self.assertEqual(batch.rewards.tolist(), [[0, 0, 0], [0.5, -1, 0.5], [0, 0, 0]])
        assert batch.final_steps is not None
        self.assertEqual((batch.final_steps.env_ids.tolist(), batch.final_steps.seats.tolist()), ([1], [1]))
        self.assertEqual((batch.final_steps.returns.tolist(), batch.final_steps.ranks.tolist()), ([-1], [3]))
        self.assertEqual(batch.final_steps.observation["numbers"].tolist(), [[1, -1, 0]])

    def test_the_row_shows_the_end_and_the_others_step(self) -> None:
        for autoreset in ("next_step", "disabled"):
            exchange = self.forfeit(self.forfeits(autoreset), [1])
            [request] = exchange.requests
            self.assertEqual(np.frombuffer(request.step.env_ids, "<u4").tolist(), [0, 2])
            self.assertEqual(np.frombuffer(request.step.actions, "<u2").tolist(), [9, 9])
            batch = Batch(SPEC, exchange.merge([message([0, 2])]))
            self.check_end(batch)
            self.assertEqual(batch.masks.any(axis=1).tolist(), [True, False, True])
            self.assertEqual(batch.observation["numbers"][:, 0].tolist(), [0, 1, 2])

    def test_the_next_step_begins_the_next_episode(self) -> None:
        forfeits = self.forfeits("next_step")
        self.forfeit(forfeits, [1]).merge([message([0, 2])])
        exchange = self.forfeit(forfeits, [])
        step, reset = exchange.requests
        self.assertEqual(np.frombuffer(step.step.env_ids, "<u4").tolist(), [0, 2])
        self.assertEqual(np.frombuffer(reset.reset.env_ids, "<u4").tolist(), [1])
        batch = Batch(SPEC, exchange.merge([message([0, 2]), message([1], seeds=bytes(8))]))
        self.assertEqual((batch.env_ids.tolist(), batch.final_steps, batch.seeds), ([0, 1, 2], None, None))
        self.assertEqual(batch.ended.tolist(), [False] * 3)
        self.assertEqual(len(self.forfeit(forfeits, []).requests), 1)

    def test_the_next_episode_begins_at_once(self) -> None:
        exchange = self.forfeit(self.forfeits("same_step"), [1])
        self.assertEqual([request.WhichOneof("request") for request in exchange.requests], ["step", "reset"])
        batch = Batch(SPEC, exchange.merge([message([0, 2]), message([1], seeds=bytes(8))]))
        self.check_end(batch)
        self.assertTrue(batch.masks.any(axis=1).all())

    def test_ends_by_the_rules_and_by_forfeit_are_in_order(self) -> None:
        exchange = self.forfeit(self.forfeits("disabled"), [1])
        ends = {"final_env_ids": np.array([0, 2], "<u4").tobytes(), "final_seats": bytes([0, 2]), "final_row_count": 2}
        ends |= {"final_ranks": bytes([1, 2]), "final_returns": np.array([1, 0], "<f4").tobytes()}
        ends |= {"final_bits": message([0, 2]).bits, "final_numbers": message([0, 2]).numbers}
        together = Batch(SPEC, exchange.merge([message([0, 2], **ends)])).final_steps
        assert together is not None
        self.assertEqual(together.env_ids.tolist(), [0, 1, 2])
        self.assertEqual(together.ranks.tolist(), [1, 3, 2])
        self.assertEqual(together.observation["numbers"][:, 0].tolist(), [0, 1, 2])

    def test_a_reset_is_the_end_of_it(self) -> None:
        forfeits = self.forfeits("next_step")
        self.forfeit(forfeits, [1]).merge([message([0, 2])])
        forfeits.reset(np.array([1]))
        self.assertEqual([request.WhichOneof("request") for request in self.forfeit(forfeits, []).requests], ["step"])

    def test_all_of_a_group_may_forfeit(self) -> None:
        exchange = self.forfeit(self.forfeits("next_step"), [0, 1, 2])
        self.assertEqual(list(exchange.requests), [])
        self.assertEqual(Batch(SPEC, exchange.merge([])).ended.tolist(), [True] * 3)


class OpenRequests(unittest.TestCase):
    def request(self, **changes: Any) -> Any:
        arguments: dict[str, Any] = {
            "players": None,
            "options": {},
            "groups": 1,
            "autoreset": "same_step",
            "rotation": "fixed",
        }
        return open_request.open_request("rappanui", 8, 3, **{**arguments, "rewards": "rank", "seed": None, **changes})

    def test_it_says_what_is_asked_for(self) -> None:
        request = self.request(
            options={"flag": True}, autoreset="disabled", rotation="episode", rewards="margin", seed=-1
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
            ({"seat_count": -1}, "seat_count is 1 or more, not -1"),
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
            ((None, 3), "LEARNER, the name of a bot, or bots by weight, not 3"),
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
            reason=ErrorReason.ERROR_REASON_ILLEGAL_ACTION, message="no", metadata={"legal": "1-2", "environment": "7"}
        )
        error = errors.of_refusal(refused)
        assert isinstance(error, ahu.IllegalAction)
        self.assertEqual((error.legal_ids, error.metadata["environment"]), ((1, 2), "7"))
        self.assertIs(error.code, grpc.StatusCode.FAILED_PRECONDITION)
        other = errors.of_refusal(RunResponse.Refused(reason=ErrorReason.ERROR_REASON_BAD_FIELD))
        self.assertEqual((type(other), other.reason), (ahu.AhuError, "BAD_FIELD"))

    def test_ranges_are_read_as_they_are_written(self) -> None:
        self.assertEqual(errors.ranges([0, 1, 2, 3, 9, 11, 12]), "0-3,9,11-12")
        self.assertEqual(errors.ranges([]), "")


class Importing(unittest.TestCase):
    def run_python(self, code: str) -> str:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr.strip().rpartition("\n")[2]

    def test_the_client_needs_no_numpy(self) -> None:
        self.assertEqual(self.run_python("import sys, ahu; print('numpy' in sys.modules)"), "False\n")

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


if __name__ == "__main__":
    unittest.main()
