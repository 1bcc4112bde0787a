"""The vector environment, on a server and in this process."""

import contextlib
import gc
import itertools
import os
import pickle
import signal
import unittest
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock
from xml.etree import ElementTree

import elsewhere
import numpy as np
from support import Proxy, ServerCase, in_process_too, run_program

import ahu
from ahu.training import LEARNER, Batch, VectorEnv
from ahu.training._rendering import FRAME_SHAPE
from ahu.training._stream import Stream


class VectorCase(ServerCase):
    """Tests that open vector environments."""

    def open(self, game: str = "rappanui", num_envs: int = 1, **arguments: Any) -> VectorEnv:
        return self.enterContext(VectorEnv(game, num_envs, address=self.address, **arguments))

    def assert_same(self, one: Batch, other: Batch) -> None:
        """Checks that batches have the same bytes, except for the group and the durations."""
        self.assertEqual(content(one), content(other))


def content(batch: Batch) -> dict[str, object]:
    """Returns the content of a batch as bytes and messages."""
    rows = {name: getattr(batch, name) for name in ("env_ids", "seats", "players", "rewards", "ended", "seeds")}
    rows |= {"masks": batch.masks, "packed_masks": batch.packed_masks, "packed": batch.observation.packed}
    rows |= dict(batch.observation)
    if (final := batch.final_steps) is not None:
        names = ("env_ids", "seats", "players", "returns", "ranks")
        rows |= {f"final_{name}": getattr(final, name) for name in names}
        rows |= {f"final_{name}": values for name, values in dict(final.observation).items()}
    return {
        **{
            name: values if values is None else (values.dtype, values.shape, values.tobytes())
            for name, values in rows.items()
        },
        "episodes": list(batch.episodes),
    }


def played(env: VectorEnv, steps: int | None = None) -> Iterator[Batch]:
    """Yields the batches of random play: of this number of steps, or up to the first end of an episode."""
    choices = np.random.default_rng(1)
    batch = env.reset(seed=1)
    yield batch
    for _ in itertools.count() if steps is None else range(steps):
        batch = env.step(env.random_actions(batch, choices))
        yield batch
        if steps is None and batch.ended.any():
            return


@contextlib.contextmanager
def unchecked(env: VectorEnv) -> Iterator[None]:
    """Turns off the check of legal actions, so that illegal actions reach the engine."""
    legal = env._exchange.legal
    # A step in one call would take the real one.
    with mock.patch.object(env._exchange, "_plain", None), mock.patch.object(env._exchange, "legal") as lax:
        lax.check.return_value = None
        lax.update = legal.update
        yield


def seeds(batch: Batch) -> list[int]:
    """Returns the seeds of the episodes that began in a batch."""
    assert batch.seeds is not None
    return batch.seeds.tolist()


@in_process_too
class Playing(VectorCase):
    def test_layout_and_actions_are_those_of_the_catalog(self) -> None:
        for game, seat_count in self.tables():
            env, game_info = self.open(game, seats=seat_count), self.client.get_game(game)
            self.assertEqual((env.layout.hash, env.action_count), (game_info.layout.hash, game_info.action_count))
            self.assertEqual(list(env.layout.fields), [field.name for field in game_info.layout.fields])
            values = {field.name: (tuple(field.values), field.values_axis) for field in game_info.layout.fields}
            named = {name: (field.values, field.values_axis) for name, field in env.layout.fields.items()}
            self.assertEqual(named, values)
            self.assertTrue(any(names for names, _ in values.values()), game)
            self.assertEqual(set(env.options), {option.key for option in game_info.options})

    def test_rows_have_the_shapes_that_are_promised(self) -> None:
        for game, seat_count in self.tables():
            env = self.open(game, 5, seats=seat_count, mask_dtype=np.int8)
            for batch in played(env):
                self.assertEqual(batch.env_ids.tolist(), [0, 1, 2, 3, 4])
                self.assertEqual((batch.masks.shape, batch.masks.dtype), ((5, env.action_count), np.int8))
                self.assertTrue(batch.masks.any(axis=1).all())
                self.assertLess(batch.seats.max(), seat_count)
                self.assertEqual(batch.rewards.shape, (5, seat_count))
                self.assertEqual(batch.observation["bits"].shape, (5, env.layout.bit_count))
                self.assertEqual(batch.ended.sum(), len(batch.episodes))
                self.assertEqual(len(batch.final_steps or ()), seat_count * len(batch.episodes))
                self.assertFalse(batch.rewards[~batch.ended].any())
            self.assertTrue(batch.episodes)

    def test_ends_say_what_the_episodes_say(self) -> None:
        for batch in played(self.open(num_envs=16, seats=3, rewards="margin"), 300):
            for number, episode in enumerate(batch.episodes):
                final_steps = batch.final_steps
                assert final_steps is not None
                rows = slice(3 * number, 3 * number + 3)
                self.assertEqual(final_steps.env_ids[rows].tolist(), [episode.environment] * 3)
                self.assertEqual(final_steps.seats[rows].tolist(), [0, 1, 2])
                self.assertEqual(final_steps.ranks[rows].tolist(), list(episode.ranks))
                self.assertEqual(final_steps.returns[rows].tolist(), list(episode.returns))
                self.assertEqual(batch.rewards[episode.environment].tolist(), list(episode.returns))

    def test_the_formats_tell_the_same(self) -> None:
        for game, seat_count in self.tables():
            split, flat, packed = (
                played(self.open(game, 3, seats=seat_count, obs_format=obs_format), 30)
                for obs_format in ("split", "flat", "packed")
            )
            for one, other, raw in zip(split, flat, packed, strict=True):
                bits, numbers = one.observation["bits"], one.observation["numbers"]
                scales = one.observation.layout.scales
                np.testing.assert_array_equal(other.observation.array, np.hstack([bits, numbers / scales]))
                self.assertLessEqual(np.abs(other.observation.array).max(), 1)
                width = raw.observation["bits"].shape[1]
                whole = np.zeros((3, 8 * width), np.uint8)
                whole[:, : bits.shape[1]] = bits
                np.testing.assert_array_equal(raw.observation["bits"], np.packbits(whole, axis=1, bitorder="little"))
                np.testing.assert_array_equal(raw.observation["numbers"], numbers)
                for name, field in one.observation.layout.fields.items():
                    self.assertEqual(one.observation[name].shape, (3, *field.shape), name)

    def test_the_same_seed_is_the_same_play(self) -> None:
        for one, other in zip(played(self.open(num_envs=4), 100), played(self.open(num_envs=4), 100), strict=True):
            self.assert_same(one, other)

    def test_what_is_legal_is_known_of_all(self) -> None:
        env = self.open(num_envs=4, groups=2)
        with self.assertRaisesRegex(LookupError, "reset first"):
            env.action_masks()
        first = env.reset(group=1)
        self.assertEqual(env.action_masks().any(axis=1).tolist(), [False, False, True, True])
        np.testing.assert_array_equal(env.action_masks()[2:], first.masks)

    def test_random_actions_are_legal_and_of_every_kind(self) -> None:
        env = self.open(num_envs=2000)
        batch = env.reset(seeds=[5] * 2000)
        legal = np.flatnonzero(batch.masks[0])
        chosen = env.random_actions(batch, np.random.default_rng(1))
        self.assertEqual(np.unique(chosen).tolist(), legal.tolist())


@in_process_too
class Grouping(VectorCase):
    def test_groups_play_as_one_would(self) -> None:
        for one, other in zip(
            played(self.open(num_envs=12), 60), played(self.open(num_envs=12, groups=3), 60), strict=True
        ):
            self.assert_same(one, other)

    def test_answers_come_in_the_order_of_sends(self) -> None:
        env, whole = self.open(num_envs=6, groups=3, seed=4), self.open(num_envs=6, seed=4)
        batch = env.reset()
        self.assertEqual(env.seed, 4)
        actions = env.random_actions(batch, np.random.default_rng(1))
        for group in (2, 0, 1):
            env.send(actions[2 * group : 2 * group + 2], group=group)
        whole.reset()
        rewarded = whole.step(actions)
        for group in (2, 0, 1):
            answer = env.recv()
            self.assertEqual(answer.group, group)
            self.assertEqual(answer.env_ids.tolist(), [2 * group, 2 * group + 1])
            np.testing.assert_array_equal(answer.masks, rewarded.masks[answer.env_ids])

    def test_a_group_is_reset_and_shown_while_another_is_under_way(self) -> None:
        env = self.open(num_envs=4, groups=2, seed=4)
        for ask in (lambda: env.reset(group=1).env_ids.tolist() == [2, 3], lambda: "turn" in env.render(3)):
            env.send(env.random_actions(env.reset(group=0), np.random.default_rng(1)), group=0)
            self.assertTrue(ask())
            self.assertEqual(env.recv().env_ids.tolist(), [0, 1])

    def test_a_step_that_one_group_cannot_take_is_carried_out_in_none(self) -> None:
        for autoreset in ("next_step", "same_step", "disabled"):
            env = self.open(num_envs=4, groups=2, autoreset=autoreset, seed=4)
            actions = np.zeros(4, int)
            actions[2:] = env.random_actions(env.reset(group=1), np.random.default_rng(1))
            with self.subTest(autoreset), mock.patch.object(Stream, "send") as send:
                with self.assertRaises(ahu.ServiceError) as caught:
                    env.step(actions)
                self.assertEqual(caught.exception.metadata, {"environment": "0"})
                send.assert_not_called()

    def test_what_does_not_fit_is_refused(self) -> None:
        env = self.open(num_envs=4, groups=2)
        batch = env.reset(seed=1)
        actions = env.random_actions(batch, np.random.default_rng(1))
        with self.assertRaisesRegex(LookupError, "nothing is in progress"):
            env.recv()
        for group, error in ((2, "expected a group from 0 to 1, got 2"), (-1, "got -1")):
            with self.assertRaisesRegex(ValueError, error):
                env.send(actions[:2], group=group)
        with self.assertRaisesRegex(
            ValueError, r"expected actions of shape \(2,\), one for each environment, got \(4,\)"
        ):
            env.send(actions)
        with self.assertRaisesRegex(TypeError, "expected actions as integers, got float64"):
            env.step(actions.astype(float))
        env.send(actions[:2])
        for again in (lambda: env.send(actions[:2]), lambda: env.step(actions), env.reset, lambda: env.reset(group=0)):
            with self.assertRaisesRegex(ValueError, "group 0 is in progress: recv its answer first"):
                again()
        batch = env.recv()
        env.send(env.random_actions(batch, np.random.default_rng(1)))
        env.recv()
        for env_ids in ([1, 0], [1, 1], [], [-1]):
            with self.assertRaises((ValueError, TypeError)):
                env.reset(env_ids=env_ids)
        for env_ids in ([0, 4], [-1, 2]):
            with self.assertRaisesRegex(ValueError, "expected env_ids from 0 to 3"):
                env.reset(env_ids=env_ids)
        with self.assertRaisesRegex(ValueError, "rising order"):
            env.reset(env_ids=np.array([2, 1], np.uint32))
        with self.assertRaisesRegex(ValueError, "a group or environments"):
            env.reset(group=0, env_ids=[0])
        with self.assertRaisesRegex(ValueError, "one seed or by seeds"):
            env.reset(1, seeds=[1, 2, 3, 4])
        with self.assertRaisesRegex(ValueError, "expected 4 seeds, one for each environment, got 2"):
            env.reset(seeds=[1, 2])
        self.assertEqual(len(env.reset()), 4)


@in_process_too
class Subsets(VectorCase):
    def test_environments_that_are_not_stepped_stand_still(self) -> None:
        parts, whole = self.open(num_envs=6, groups=2), self.open(num_envs=6, groups=2)
        batch = parts.reset(seed=2)
        whole.reset(seed=2)
        actions = parts.random_actions(batch, np.random.default_rng(1))
        some, others = np.array([1, 3, 5]), np.array([0, 2, 4])
        first, second = parts.step(actions[some], env_ids=some), parts.step(actions[others], env_ids=others)
        together = whole.step(actions)
        for part, rows in ((first, some), (second, others)):
            self.assertEqual(part.env_ids.tolist(), rows.tolist())
            np.testing.assert_array_equal(part.masks, together.masks[rows])
            np.testing.assert_array_equal(part.observation["bits"], together.observation["bits"][rows])
        with self.assertRaises(ahu.IllegalAction):
            parts.step(np.full(2, 9999), env_ids=[1, 4])
        self.assertEqual(len(parts.step(parts.random_actions(together, np.random.default_rng(1)))), 6)

    def test_some_environments_of_a_group_are_sent_to(self) -> None:
        env = self.open(num_envs=6, groups=2)
        actions = env.random_actions(env.reset(seed=2), np.random.default_rng(1))
        env.send(actions[[3, 5]], group=1, env_ids=[3, 5])
        self.assertEqual(env.recv().env_ids.tolist(), [3, 5])
        for wrong in ([0], [2, 3], [5, 6]):
            with self.assertRaisesRegex(ValueError, "group 1 are 3 to 5|env_ids from 0 to 5"):
                env.send(actions[: len(wrong)], group=1, env_ids=wrong)


@in_process_too
class Seeding(VectorCase):
    def test_environment_i_has_the_seed_plus_i(self) -> None:
        env = self.open(num_envs=4, groups=2)
        self.assertEqual(seeds(env.reset(seed=2**64 - 2)), [2**64 - 2, 2**64 - 1, 0, 1])
        self.assertEqual(seeds(env.reset(seed=2**64 - 1, env_ids=[1, 2])), [0, 1])
        self.assertEqual(seeds(env.reset(seeds=[9, 2**64 - 1, 2**63 + 1, 9])), [9, 2**64 - 1, 2**63 + 1, 9])
        self.assertEqual(seeds(env.reset(seeds=np.array([4, 5]), group=1)), [4, 5])

    def test_any_integer_is_a_seed_and_nothing_else(self) -> None:
        env = self.open(num_envs=2, seed=np.int32(2))
        self.assertEqual(seeds(env.reset()), [2, 3])
        for seed in (np.int64(7), np.uint8(7), np.uint64(7), np.array(7)):
            self.assertEqual(seeds(env.reset(seed)), [7, 8])
        for seed in (1.5, "7", np.float64(7)):
            with self.subTest(seed=seed):
                with self.assertRaisesRegex(TypeError, "integer"):
                    env.reset(seed)
                with self.assertRaisesRegex(TypeError, "integer"):
                    VectorEnv("rappanui", seed=seed)

    def test_without_a_seed_the_next_episode_comes(self) -> None:
        env = self.open(num_envs=2, seed=7)
        self.assertEqual(seeds(env.reset()), [7, 8])
        second = seeds(env.reset())
        self.assertNotEqual(second, [7, 8])
        env.reset(seed=7)
        self.assertEqual(seeds(env.reset()), second)

    def test_a_step_has_no_seeds(self) -> None:
        env = self.open()
        batch = env.reset()
        self.assertIsNone(env.step(env.random_actions(batch, np.random.default_rng(1))).seeds)

    def test_the_servers_choice_is_reported(self) -> None:
        one, other = self.open(), self.open()
        self.assertNotEqual(one.seed, other.seed)
        self.assertEqual(seeds(one.reset()), [one.seed])


@in_process_too
class Players(VectorCase):
    def test_only_the_learner_is_asked(self) -> None:
        env = self.open(num_envs=8, seats=3, players=("greedy", LEARNER, {"random": 1, "greedy": 1}))
        bots = set()
        for batch in played(env, 150):
            self.assertEqual(set(batch.seats.tolist()), {1})
            for episode in batch.episodes:
                self.assertEqual((episode.bots[0], episode.bots[1]), ("greedy@2", ""))
                bots.add(episode.bots[2])
        self.assertEqual(bots, {"random@1", "greedy@2"})

    def test_seats_rotate(self) -> None:
        env = self.open(num_envs=2, seats=3, players=(LEARNER, "random", "random"), rotation="episode")
        self.assertEqual(env.reset(seed=0).seats.tolist(), [0, 1])
        self.assertEqual(env.reset().seats.tolist(), [1, 2])
        self.assertEqual(env.reset().seats.tolist(), [2, 0])


@in_process_too
class Autoresetting(VectorCase):
    def end(self, env: VectorEnv) -> Batch:
        """Plays up to the end of the first episode, and returns its batch."""
        *_, end = played(env)
        return end

    def test_next_step_shows_the_end_first(self) -> None:
        env = self.open(autoreset="next_step")
        end = self.end(env)
        self.assertFalse(end.masks.any())
        self.assertEqual(env.random_actions(end, np.random.default_rng(1)).tolist(), [0])
        for ignored in (0, -1, 9999):
            begun = env.step(np.array([ignored]))
            self.assertEqual((begun.ended.tolist(), begun.rewards.any(), begun.masks.any()), ([False], False, True))
            env.close()
            self.end(env)

    def test_same_step_begins_at_once(self) -> None:
        end = self.end(self.open(autoreset="same_step"))
        self.assertTrue(end.masks.any())
        self.assertTrue(end.rewards.any())

    def test_disabled_wants_a_reset(self) -> None:
        env = self.open(autoreset="disabled")
        self.end(env)
        with self.assertRaises(ahu.ServiceError) as by_client:
            env.step(np.array([0]))
        with unchecked(env), self.assertRaises(ahu.ServiceError) as by_server:
            env.step(np.array([0]))
        self.assertEqual(by_client.exception.reason, "NO_EPISODE")
        self.assertEqual(str(by_client.exception), str(by_server.exception))
        self.assertEqual(by_client.exception.metadata, by_server.exception.metadata)
        self.assertTrue(env.reset().masks.any())

    def test_final_observations_are_the_same_in_every_mode(self) -> None:
        ends = [self.end(self.open(autoreset=mode)).final_steps for mode in ("next_step", "same_step", "disabled")]
        for end in ends:
            assert end is not None and ends[0] is not None
            np.testing.assert_array_equal(end.observation["bits"], ends[0].observation["bits"])
            np.testing.assert_array_equal(end.observation["numbers"], ends[0].observation["numbers"])


@in_process_too
class Illegal(VectorCase):
    def test_it_is_named_and_changes_nothing_in_any_group(self) -> None:
        env = self.open(num_envs=4, groups=2)
        batch = env.reset(seed=1)
        good = env.random_actions(batch, np.random.default_rng(1))
        for illegal in (int(np.flatnonzero(~batch.masks[3])[0]), env.action_count, -1, 70_000):
            actions = good.copy()
            actions[3] = illegal
            with self.assertRaises(ahu.IllegalAction) as caught:
                env.step(actions)
            self.assertEqual(caught.exception.metadata["environment"], "3")
            self.assertEqual(caught.exception.legal_ids, tuple(np.flatnonzero(batch.masks[3])))
            self.assertIn(f"environment 3: action {illegal} is not legal", str(caught.exception))
        same = self.open(num_envs=4)
        same.reset(seed=1)
        self.assert_same(env.step(good), same.step(good))

    def test_client_and_server_say_the_same_of_it(self) -> None:
        env = self.open(num_envs=2)
        batch = env.reset(seed=1)
        actions = env.random_actions(batch, np.random.default_rng(1))
        actions[1] = np.flatnonzero(~batch.masks[1])[0]
        with self.assertRaises(ahu.IllegalAction) as by_client:
            env.step(actions)
        with unchecked(env), self.assertRaises(ahu.IllegalAction) as by_server:
            env.step(actions)
        client, server = by_client.exception, by_server.exception
        self.assertEqual(str(client), str(server))
        self.assertEqual((client.code, client.metadata), (server.code, server.metadata))

    def test_a_random_legal_one_replaces_it(self) -> None:
        def play(num_envs: int) -> tuple[VectorEnv, list[Batch]]:
            env = self.open(num_envs=num_envs, on_illegal="random_legal")
            batches = [env.reset(seed=1)]
            for action in range(100):
                actions = np.full(num_envs, action % env.action_count)
                batches.append(env.step(actions))
                self.assertEqual(set(actions), {action % env.action_count})
            return env, batches

        (one, alone), (many, together), (again, repeated) = play(1), play(3), play(3)
        self.assertGreater(one.replaced, 50)
        self.assertGreater(many.replaced, one.replaced)
        self.assertEqual(many.replaced, again.replaced)
        for single, several, same in zip(alone, together, repeated, strict=True):
            self.assert_same(several, same)
            np.testing.assert_array_equal(single.observation["bits"][0], several.observation["bits"][0])

    def test_a_step_that_is_refused_replaces_nothing(self) -> None:
        env, twin = (self.open(num_envs=4, groups=2, on_illegal="random_legal", seed=4) for _ in range(2))
        wrong = np.full(2, 9999)
        for one in (env, twin):
            one.reset(group=0)
            one.step(wrong, env_ids=[0, 1])
        with self.assertRaises(ahu.ServiceError):
            env.step(np.full(4, 9999))
        self.assertEqual((env.replaced, twin.replaced), (2, 2))
        self.assert_same(env.step(wrong, env_ids=[0, 1]), twin.step(wrong, env_ids=[0, 1]))
        env.close()
        self.assertEqual((env.replaced, env._exchange), (4, None))

    def forfeited(self, autoreset: str) -> tuple[VectorEnv, Batch]:
        """Takes an illegal action in the second of three environments. Returns the environments and the batch."""
        env = self.open(num_envs=3, seats=3, autoreset=autoreset, on_illegal="terminate")
        batch = env.reset(seed=1)
        actions = env.random_actions(batch, np.random.default_rng(1))
        actions[1] = 9999
        end = env.step(actions)
        self.assertEqual(end.ended.tolist(), [False, True, False])
        self.assertEqual(end.rewards[1].tolist(), [-1 if seat == batch.seats[1] else 0.5 for seat in range(3)])
        assert end.final_steps is not None
        np.testing.assert_array_equal(end.final_steps.observation["bits"][0], batch.observation["bits"][1])
        legal = self.open(num_envs=3, seats=3)
        legal.reset(seed=1)
        others = legal.step(actions[[0, 2]], env_ids=[0, 2])
        np.testing.assert_array_equal(end.observation["bits"][[0, 2]], others.observation["bits"])
        return env, end

    def test_it_ends_the_episode_and_the_next_begins(self) -> None:
        for autoreset in ("next_step", "same_step"):
            env, end = self.forfeited(autoreset)
            self.assertEqual(end.masks[1].any(), autoreset == "same_step")
            begun = env.step(env.random_actions(end, np.random.default_rng(1)))
            self.assertEqual((begun.ended.any(), begun.rewards.any()), (False, False))
            self.assertTrue(begun.masks.any(axis=1).all())

    def test_it_ends_the_episode_and_a_reset_begins_the_next(self) -> None:
        env, end = self.forfeited("disabled")
        with self.assertRaises(ahu.ServiceError):
            env.step(env.random_actions(end, np.random.default_rng(1)))
        begun = env.reset(env_ids=[1])
        stepped = env.step(env.random_actions(begun, np.random.default_rng(1)), env_ids=[1])
        self.assertEqual(stepped.ended.tolist(), [False])


@in_process_too
class Showing(VectorCase):
    def test_the_table_is_shown_as_text(self) -> None:
        for game, seat_count in self.tables():
            env = self.open(game, 2, seats=seat_count)
            *_, batch = played(env, 20)
            public, own = env.render(1), env.render(1, int(batch.seats[1]))
            self.assertGreater(len(public.splitlines()), 3)
            self.assertNotEqual(public, own)
            self.assertNotEqual(public, env.render(0))

    def test_the_table_is_shown_as_a_picture(self) -> None:
        for game, seat_count in self.tables():
            env = self.open(game, 2, seats=seat_count)
            self.assertIsNone(env._repr_svg_())
            *_, batch = played(env, 20)
            seat = int(batch.seats[1])
            public, own = env.render(1, None, "svg"), env.render(1, seat, "svg")
            self.assertEqual(ElementTree.fromstring(public).tag, "{http://www.w3.org/2000/svg}svg")
            self.assertNotEqual(public, own)
            self.assertEqual(env._repr_svg_(), env.render(mode="svg"))
            pixels = env.render(1, seat, "rgb_array")
            assert isinstance(pixels, np.ndarray)
            self.assertEqual((pixels.shape, pixels.dtype), (FRAME_SHAPE, np.uint8))
            # The picture reaches two opposite edges of its frame. The rest of the frame has the background colour.
            drawn = np.argwhere((pixels != pixels[0, 0]).any(axis=2))
            spread = (drawn.max(axis=0) - drawn.min(axis=0)) / FRAME_SHAPE[:2]
            self.assertGreater(spread.max(), 0.9)
            self.assertFalse(np.array_equal(pixels, env.render(1, None, "rgb_array")))

    def test_a_mode_that_does_not_exist_is_refused(self) -> None:
        env = self.open()
        env.reset(seed=3)
        with self.assertRaisesRegex(ValueError, "mode is one of 'ansi', 'svg', 'rgb_array', not 'human'"):
            env.render(0, None, "human")

    def test_what_cannot_be_shown_is_refused_and_the_stream_goes_on(self) -> None:
        env = self.open(players=(LEARNER, "random"))
        env.reset(seed=3)
        for environment, seat in ((1, None), (0, 1), (0, 2)):
            with self.assertRaises(ahu.ServiceError):
                env.render(environment, seat)
        self.assertEqual(len(env.reset()), 1)


@in_process_too
class Opening(VectorCase):
    def test_an_opening_that_is_refused_says_why(self) -> None:
        for arguments, reason in (
            ({"game": "chess"}, "UNKNOWN_GAME"),
            ({"seats": 9}, "BAD_SEAT_COUNT"),
            ({"options": {"colour": "red"}}, "BAD_OPTION"),
            ({"players": (LEARNER, "deep blue")}, "UNKNOWN_BOT"),
            ({"players": ("random", "random")}, "BAD_FIELD"),
            ({"num_envs": 70_000}, "BAD_FIELD"),
        ):
            with self.subTest(arguments):
                with self.assertRaises(ahu.ServiceError) as caught:
                    self.open(**arguments).reset()
                self.assertEqual(caught.exception.reason, reason)

    def test_a_step_before_a_reset_is_refused_and_the_stream_goes_on(self) -> None:
        env = self.open()
        with self.assertRaises(ahu.ServiceError) as caught:
            env.step([0])
        self.assertEqual(caught.exception.reason, "NO_EPISODE")
        self.assertEqual(len(env.reset()), 1)

    def test_closing_is_not_the_end(self) -> None:
        env = self.open(seed=3)
        env.reset()
        env.close()
        env.close()
        self.assertEqual(seeds(env.reset()), [3])


class Connecting(VectorCase):
    def test_a_refused_opening_closes_the_connection(self) -> None:
        with mock.patch.object(Stream, "close") as close:
            with self.assertRaises(ahu.ServiceError):
                self.open("chess").reset()
            close.assert_called_once_with()

    def test_of_a_step_that_the_server_refuses_in_one_group_the_others_are_known(self) -> None:
        env, twin = (self.open(num_envs=4, groups=2, autoreset="next_step", seed=4) for _ in range(2))
        choices = np.random.default_rng(1)
        actions = np.zeros(4, int)
        actions[2:] = env.random_actions(env.reset(group=1), choices)
        with unchecked(env), self.assertRaises(ahu.ServiceError) as caught:
            env.step(actions)
        self.assertEqual((caught.exception.reason, caught.exception.metadata), ("NO_EPISODE", {"environment": "0"}))
        twin.reset()
        batch = twin.step(actions[2:], env_ids=[2, 3])
        next_actions = twin.random_actions(batch, choices)
        self.assert_same(env.step(next_actions, env_ids=[2, 3]), twin.step(next_actions, env_ids=[2, 3]))

    def test_nothing_is_connected_before_it_is_used(self) -> None:
        with Proxy(self.server.address, listening=False) as proxy:
            env = VectorEnv("rappanui", address=proxy.address)
            self.assertIn("rappanui", repr(env))
            env.close()
            with self.assertRaises(ahu.ConnectionLost):
                env.reset()

    def test_no_server_is_a_lost_connection(self) -> None:
        with Proxy(self.server.address, listening=False) as proxy:
            with self.assertRaises(ahu.ConnectionLost):
                VectorEnv("rappanui", address=proxy.address).reset()

    def test_a_server_that_ends_is_a_lost_connection(self) -> None:
        with ahu.launch() as server:
            env = VectorEnv("rappanui", address=server.address)
            batch = env.reset()
            server.close()
            with self.assertRaises(ahu.ConnectionLost):
                env.step(env.random_actions(batch, np.random.default_rng(1)))

    def test_what_is_under_way_when_it_is_killed_is_lost_too(self) -> None:
        with ahu.launch() as server:
            env = VectorEnv("rappanui", 4, address=server.address)
            batch = env.reset()
            os.kill(server.pid, signal.SIGKILL)
            server.close()
            with self.assertRaises(ahu.ConnectionLost):
                env.step(env.random_actions(batch, np.random.default_rng(1)))

    def test_a_server_that_falls_silent_is_overdue(self) -> None:
        with Proxy(self.server.address) as proxy:
            env = VectorEnv("rappanui", address=proxy.address, timeout=0.3)
            env.reset()
            proxy.silence()
            with self.assertRaisesRegex(ahu.ServiceError, "no answer in 0.3 s") as caught:
                env.reset()
            self.assertEqual(caught.exception.code, "DEADLINE_EXCEEDED")

    def test_whoever_interrupts_a_wait_begins_anew(self) -> None:
        env = self.open(seed=3)
        batch = env.reset()
        # The server would wait for the end of the call.
        self.addCleanup(env._exchange.engine.stream._call.cancel)
        with mock.patch.object(env._exchange.engine.stream, "_call") as call:
            call.__next__.side_effect = KeyboardInterrupt
            with self.assertRaises(KeyboardInterrupt):
                env.step(env.random_actions(batch, np.random.default_rng(1)))
        with self.assertRaisesRegex(RuntimeError, "Ctrl-C has interrupted this VectorEnv"):
            env.step([0])
        self.assertEqual(seeds(env.reset()), [3])
        self.addCleanup(env._exchange.engine.stream._call.cancel)
        with mock.patch.object(env._exchange.engine.stream, "_call") as call:
            call.__next__.side_effect = KeyboardInterrupt
            with self.assertRaises(KeyboardInterrupt):
                env.render()
        with self.assertRaisesRegex(RuntimeError, "Ctrl-C has interrupted this VectorEnv"):
            env.render()

    def test_what_is_closed_is_forgotten(self) -> None:
        env = self.open()
        env.reset()
        stream = weakref.ref(env._exchange.engine.stream)
        env.close()
        gc.collect()
        self.assertIsNone(stream())

    def test_whoever_forgets_to_close_leaves_nothing_open(self) -> None:
        env = VectorEnv("rappanui", address=self.address)
        env.reset()
        call = env._exchange.engine.stream._call
        self.assertFalse(call.done())
        del env
        gc.collect()
        self.assertTrue(call.done())


class Processes(VectorCase):
    def test_an_environment_goes_to_other_processes_used_or_not(self) -> None:
        for method in ("fork", "spawn"):
            for address in (self.server.address, ""):
                with self.subTest(method, address=address):
                    output = run_program(Path(elsewhere.__file__), method, address)
                    self.assertEqual(output, "all play the same\n")

    def test_pickling_keeps_the_arguments_alone(self) -> None:
        env = self.open(num_envs=4, seats=3, seed=5, players=(LEARNER, "greedy", {"random": 2}), obs_format="flat")
        first = env.reset()
        copy = self.enterContext(pickle.loads(pickle.dumps(env)))
        self.assertEqual((copy.num_envs, copy.seats, copy.obs_format), (4, 3, "flat"))
        self.assert_same(copy.reset(), first)


if __name__ == "__main__":
    unittest.main()
