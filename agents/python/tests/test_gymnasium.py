"""The environments of Gymnasium, tested with Gymnasium's own checks and compared with its vector environment."""

import copy
import pickle
import unittest
import warnings
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from support import SHORT, ServerCase, in_process_too

import ahu
from ahu.training import LEARNER
from ahu.training._rendering import FRAME_SHAPE
from ahu.training.gymnasium import AhuGymnasiumEnv, AhuGymnasiumVectorEnv

MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)


class GymnasiumCase(ServerCase):
    def make(self, game: str, **arguments: Any) -> Any:
        return gymnasium.make(f"ahu/{game}-v0", address=self.address, **arguments)


@in_process_too
class Checks(GymnasiumCase):
    def test_gymnasium_finds_nothing_to_complain_of(self) -> None:
        # The check samples actions without the mask, so illegal actions have to be replaced.
        for game, seat_count in self.tables():
            for obs_format in ("flat", "split", "packed"):
                with self.subTest(game=game, seats=seat_count, obs_format=obs_format), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    env = self.make(game, seats=seat_count, obs_format=obs_format, on_illegal="random_legal")
                    check_env(env.unwrapped)
                    env.close()

    def test_every_game_of_the_catalog_is_registered(self) -> None:
        games = {game.game for game in self.client.list_games()}
        registered = {name for name in gymnasium.registry if name.startswith("ahu/")}
        self.assertEqual(registered, {f"ahu/{game}-v0" for game in games})

    def test_every_game_is_made_with_its_own_defaults(self) -> None:
        for game in self.client.list_games():
            env = self.make(game.game)
            _, info = env.reset(seed=1)
            self.assertTrue(info["action_mask"].any())
            self.assertEqual(env.unwrapped.env.seats, game.min_seats)
            env.close()

    def test_the_margin_on_the_way_sums_to_the_margin(self) -> None:
        for kind in ("margin", "margin_gain"):
            env = self.make("rappanui", rewards=kind, players=("greedy", LEARNER))
            _, info = env.reset(seed=3)
            rewards, terminated = [], False
            while not terminated:
                _, reward, terminated, _, info = env.step(int(info["action_mask"].argmax()))
                rewards.append(reward)
            self.assertEqual(sum(rewards), info["scores"][1] - info["scores"][0])
            self.assertEqual(any(rewards[:-1]), kind == "margin_gain")
            env.close()

    def test_an_episode_can_be_played_by_the_mask(self) -> None:
        for game, seat_count in self.tables():
            env = self.make(game, seats=seat_count, players=(*["greedy"] * (seat_count - 1), LEARNER))
            _, info = env.reset(seed=3)
            terminated, rewarded = False, 0.0
            while not terminated:
                self.assertEqual(info["seat"], seat_count - 1)
                self.assertEqual(info["action_mask"].tolist(), env.unwrapped.action_masks().tolist())
                observation, reward, terminated, truncated, info = env.step(
                    env.action_space.sample(info["action_mask"])
                )
                np.testing.assert_array_equal(observation["action_mask"], info["action_mask"])
                self.assertEqual((truncated, rewarded), (False, 0.0))
                rewarded = reward
            self.assertEqual((info["action_mask"].any(), info["ranks"].shape), (False, (seat_count,)))
            # Without ties, the reward follows from the rank.
            if sorted(info["ranks"]) == list(range(1, seat_count + 1)):
                self.assertAlmostEqual(rewarded, 1 - 2 * (info["ranks"][-1] - 1) / (seat_count - 1), places=6)

    def test_an_illegal_action_is_refused_unless_that_is_agreed_otherwise(self) -> None:
        env = self.make("rappanui")
        _, info = env.reset(seed=3)
        illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
        with self.assertRaises(ahu.IllegalAction):
            env.step(illegal)
        lost = self.make("rappanui", on_illegal="terminate")
        first, _ = lost.reset(seed=3)
        observation, reward, terminated, _, info = lost.step(illegal)
        self.assertEqual((reward, terminated, info["action_mask"].any()), (-1.0, True, False))
        np.testing.assert_array_equal(observation["observation"], first["observation"])

    def test_what_makes_no_sense_is_refused(self) -> None:
        for arguments in ({"players": (LEARNER, LEARNER)}, {"players": ("random", "random")}, {"render_mode": "human"}):
            for kind in (AhuGymnasiumEnv, AhuGymnasiumVectorEnv):
                with self.assertRaises(ValueError):
                    kind("rappanui", **arguments)

    def test_it_is_pickled_before_and_after_use(self) -> None:
        env = AhuGymnasiumEnv("rappanui", address=self.address)
        copies = [pickle.loads(pickle.dumps(env))]
        expected, _ = env.reset(seed=4)
        copies.append(pickle.loads(pickle.dumps(env)))
        for one in copies:
            observation, _ = one.reset(seed=4)
            np.testing.assert_array_equal(observation["observation"], expected["observation"])

    def test_a_copy_goes_on_in_the_middle_of_an_episode(self) -> None:
        env, again = (
            AhuGymnasiumEnv("rappanui", address=self.address, players=(LEARNER, "greedy@1")) for _ in range(2)
        )
        env.reset(seed=4)
        for _ in range(3):
            env.step(env.action_masks().argmax())
        _, info = again.restore(env.save())
        np.testing.assert_array_equal(info["action_mask"], env.action_masks())
        copies = [again, pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
        for one in (env, *copies):
            self.addCleanup(one.close)
        ended = False
        while not ended:
            action = env.action_masks().argmax()
            expected = env.step(action)
            for one in copies:
                np.testing.assert_equal(one.step(action), expected)
            ended = expected[2]

    def test_a_copy_that_cannot_go_on_says_so(self) -> None:
        env = AhuGymnasiumEnv("rappanui", on_illegal="random_legal")
        self.addCleanup(env.close)
        copy.deepcopy(env)
        env.reset(seed=4)
        for make in (copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(ValueError, "on_illegal=.*to save environments"):
                make(env)

    def test_the_learners_view_is_rendered(self) -> None:
        env = self.make("rappanui", render_mode="ansi", players=("random", LEARNER))
        self.assertIsNone(env.unwrapped._repr_svg_())
        env.reset(seed=3)
        self.assertEqual(env.render(), env.unwrapped.env.render(0, 1))
        self.assertEqual(env.unwrapped._repr_svg_(), env.unwrapped.env.render(0, 1, "svg"))

    def test_a_film_has_frames_of_one_size(self) -> None:
        env = self.make("rappanui", render_mode="rgb_array")
        frames = gymnasium.wrappers.RenderCollection(env)
        _, info = frames.reset(seed=3)
        for _ in range(8):
            _, _, _, _, info = frames.step(int(np.flatnonzero(info["action_mask"])[0]))
        film = np.stack(frames.render())
        self.assertEqual((film.shape, film.dtype), ((9, *FRAME_SHAPE), np.uint8))
        self.assertTrue((film[0] != film[-1]).any())


@in_process_too
class Vectors(GymnasiumCase):
    def pair(
        self, count: int, mode: AutoresetMode, game: str, **arguments: Any
    ) -> tuple[AhuGymnasiumVectorEnv, SyncVectorEnv]:
        """Returns the tested vector environment, and Gymnasium's vector environment of as many single environments."""
        arguments = {"address": self.address, **arguments}
        single = SyncVectorEnv([lambda: AhuGymnasiumEnv(game, **arguments)] * count, autoreset_mode=mode)
        vector = AhuGymnasiumVectorEnv(game, count, autoreset_mode=mode, **arguments)
        for env in (single, vector):
            self.addCleanup(env.close)
        return vector, single

    def assert_equal(self, one: Any, other: Any) -> None:
        self.assertEqual(len(one), len(other))
        for part, same in zip(one, other, strict=True):
            if isinstance(part, dict):
                self.assertEqual(part.keys(), same.keys())
            # A message takes longer than the comparison, so only a failure makes one.
            if not data_equivalence(part, same, exact=True):
                self.fail(f"{part}\n{same}")

    def play(self, vector: AhuGymnasiumVectorEnv, single: SyncVectorEnv, episodes: int) -> None:
        """Plays at random until this number of episodes has ended, and compares all results."""
        choices = np.random.default_rng(1)
        disabled = vector.metadata["autoreset_mode"] is AutoresetMode.DISABLED
        self.assert_equal(vector.reset(seed=5), single.reset(seed=5))
        while episodes > 0:
            masks = vector.action_masks()
            actions = np.array([choices.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
            outcome = vector.step(actions)
            self.assert_equal(outcome, single.step(actions))
            over = outcome[2]
            episodes -= np.count_nonzero(over)
            if disabled and over.any():
                options = [{"reset_mask": over.copy()} for _ in range(2)]
                self.assert_equal(vector.reset(options=options[0]), single.reset(options=options[1]))

    def test_it_does_what_single_ones_do(self) -> None:
        for game, seat_count in self.tables():
            for mode in MODES:
                with self.subTest(game=game, seats=seat_count, mode=mode):
                    options = SHORT.get(game, {})
                    self.play(*self.pair(3, mode, game, seats=seat_count, options=options), episodes=3)

    def test_in_every_form_and_with_rotation_and_points(self) -> None:
        for obs_format in ("split", "packed"):
            for mode in MODES:
                arguments = {"obs_format": obs_format, "seats": 3, "rotation": "episode", "rewards": "points"}
                self.play(*self.pair(2, mode, "rapanui_cards", **arguments), episodes=6)

    def test_illegal_actions_are_replaced_and_punished_alike(self) -> None:
        for on_illegal in ("random_legal", "terminate"):
            for mode in MODES:
                vector, single = self.pair(3, mode, "rappanui", on_illegal=on_illegal, seats=3)
                self.assert_equal(vector.reset(seed=5), single.reset(seed=5))
                over = np.zeros(3, bool)
                for step in range(60):
                    if mode is AutoresetMode.DISABLED and over.any():
                        options = [{"reset_mask": over.copy()} for _ in range(2)]
                        self.assert_equal(vector.reset(options=options[0]), single.reset(options=options[1]))
                    legal = [int(mask.argmax()) for mask in vector.action_masks()]
                    actions = np.array([legal[0], (7 * step) % 183, legal[2]])
                    outcome = vector.step(actions)
                    self.assert_equal(outcome, single.step(actions))
                    over = outcome[2]

    def test_some_are_reset_with_seeds_of_their_own(self) -> None:
        vector, single = self.pair(3, AutoresetMode.NEXT_STEP, "rappanui")
        self.assert_equal(vector.reset(seed=[8, 8, 2]), single.reset(seed=[8, 8, 2]))
        options = [{"reset_mask": np.array([True, False, True])} for _ in range(2)]
        self.assert_equal(vector.reset(seed=40, options=options[0]), single.reset(seed=40, options=options[1]))
        options = [{"reset_mask": np.array([False, True, True])} for _ in range(2)]
        self.assert_equal(
            vector.reset(seed=[4, 5, 6], options=options[0]), single.reset(seed=[4, 5, 6], options=options[1])
        )
        for seed in ([None, 2, 3], [2**63, None, 2], np.array([4, 5, 6]).tolist(), [None] * 3):
            self.assert_equal(vector.reset(seed=seed), single.reset(seed=seed))
        for seed in (np.int64(5), np.uint8(5)):
            self.assert_equal(vector.reset(seed=seed), single.reset(seed=5))
        self.assert_equal(vector.reset(seed=np.array([4, 5, 6])), single.reset(seed=[4, 5, 6]))
        for seed, error in (([1, 2], "expected 3 seeds, one for each environment, got 2"), ([1, 2, 3, 4], "got 4")):
            with self.assertRaisesRegex(ValueError, error):
                vector.reset(seed=seed)
        with self.assertRaises(TypeError):
            vector.reset(seed=[1.5, 2, 3])
        for mask, error in (([True] * 3, TypeError), (np.ones(3), TypeError), (np.zeros(3, bool), ValueError)):
            with self.assertRaises(error):
                vector.reset(options={"reset_mask": mask})

    def test_some_may_be_reset_first(self) -> None:
        vector, _ = self.pair(3, AutoresetMode.NEXT_STEP, "rappanui")
        with self.assertRaisesRegex(LookupError, "reset first"):
            vector.action_masks()
        observations, infos = vector.reset(seed=1, options={"reset_mask": np.array([False, True, False])})
        self.assertEqual(observations["action_mask"].any(axis=1).tolist(), [False, True, False])
        self.assertEqual(infos["_action_mask"].tolist(), [False, True, False])

    def test_what_was_told_stays_as_it_was(self) -> None:
        vector, _ = self.pair(2, AutoresetMode.DISABLED, "rappanui")
        first, _ = vector.reset(seed=1)
        kept = first["action_mask"].copy()
        vector.reset(seed=9, options={"reset_mask": np.array([True, False])})
        np.testing.assert_array_equal(first["action_mask"], kept)

    def test_what_is_legal_is_known_whatever_becomes_of_what_was_told(self) -> None:
        vector, _ = self.pair(2, AutoresetMode.DISABLED, "rappanui")
        single = AhuGymnasiumEnv("rappanui", address=self.address)
        self.addCleanup(single.close)
        for env in (vector, single):
            observations, _ = env.reset(seed=1)
            observations["action_mask"][...] = 0
            self.assertTrue(env.action_masks().any())
            again = pickle.loads(pickle.dumps(env))
            self.addCleanup(again.close)
            np.testing.assert_array_equal(again.action_masks(), env.action_masks())

    def test_it_may_be_closed_again(self) -> None:
        vector, _ = self.pair(2, AutoresetMode.DISABLED, "rappanui")
        for _ in range(2):
            vector.reset(seed=1)
            vector.close()
            with self.assertRaises(LookupError):
                vector.action_masks()

    def test_its_spaces_are_those_of_gymnasium(self) -> None:
        for obs_format in ("flat", "split", "packed"):
            vector, single = self.pair(3, AutoresetMode.SAME_STEP, "rappanui", obs_format=obs_format)
            for name in ("observation_space", "single_observation_space", "action_space", "single_action_space"):
                self.assertEqual(getattr(vector, name), getattr(single, name))
            self.assertIn(vector.reset(seed=1)[0], vector.observation_space)
            self.assertEqual(vector.metadata["autoreset_mode"], single.metadata["autoreset_mode"])

    def test_tables_are_rendered(self) -> None:
        for render_mode in ("ansi", "svg", "rgb_array"):
            vector, single = self.pair(
                3, AutoresetMode.SAME_STEP, "rappanui", render_mode=render_mode, rotation="episode"
            )
            vector.reset(seed=1)
            single.reset(seed=1)
            for own, other in zip(vector.render(), single.render(), strict=True):
                np.testing.assert_array_equal(own, other)

    def test_gymnasium_makes_it(self) -> None:
        vector: Any = gymnasium.make_vec("ahu/rappanui-v0", num_envs=4, address=self.address)
        self.addCleanup(vector.close)
        self.assertIsInstance(vector.unwrapped, AhuGymnasiumVectorEnv)
        self.assertEqual(vector.reset(seed=1)[0]["action_mask"].shape, (4, vector.single_action_space.n))

    def test_single_ones_work_in_processes_of_their_own(self) -> None:
        def single() -> AhuGymnasiumEnv:
            return AhuGymnasiumEnv("rappanui", address=address)

        address = self.address
        vector = AhuGymnasiumVectorEnv("rappanui", 2, address=address)
        apart = AsyncVectorEnv([single, single], context="spawn")
        try:
            self.assert_equal(vector.reset(seed=3), apart.reset(seed=3))
        finally:
            apart.close()
            vector.close()


if __name__ == "__main__":
    unittest.main()
