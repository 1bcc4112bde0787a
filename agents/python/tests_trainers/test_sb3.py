"""The environments of Stable-Baselines3, tested with its own checks and trainers."""

import pickle
import unittest
import warnings

import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from trainer import TrainerCase, in_process_too, output_of

from ahu.training.gymnasium import AhuGymnasiumEnv
from ahu.training.sb3 import AhuVecEnv


@in_process_too
class Sb3(TrainerCase):
    def make_env(self, count: int = 8, **settings: object) -> AhuVecEnv:
        env = AhuVecEnv("rappanui", count, address=self.address, seed=7, **settings)
        self.addCleanup(env.close)
        return env

    def test_single_environments_pass_the_check(self) -> None:
        for game, seats in self.games.items():
            with self.subTest(game), warnings.catch_warnings():
                # The check takes masks for images of a wrong type, and warns.
                warnings.simplefilter("ignore")
                # The check samples actions without the mask.
                env = AhuGymnasiumEnv(game, seats=seats, on_illegal="random_legal", address=self.address)
                check_env(env)
                env.close()

    def test_masks_are_those_of_the_last_batch(self) -> None:
        env = self.make_env()
        self.assertTrue(is_masking_supported(env))
        env.reset()
        masks = get_action_masks(env)
        self.assertEqual((masks.dtype, masks.shape), (np.bool_, (8, env.action_space.n)))
        self.assertTrue(masks.any(1).all())
        env.step(masks.argmax(1))
        np.testing.assert_array_equal(get_action_masks(env), env.action_masks())
        np.testing.assert_array_equal(env.env_method("action_masks", indices=3)[0], env.action_masks()[3])

    def test_an_end_has_what_the_learner_knew_last_and_the_return(self) -> None:
        env = self.make_env(players=[None, "greedy"], rotation="episode")
        env.reset()
        ended, decisions = 0, np.zeros(8, int)
        while ended < 16:
            observations, rewards, dones, infos = env.step(get_action_masks(env).argmax(1))
            decisions += 1
            self.assertTrue((rewards[~dones] == 0).all())
            for row in np.flatnonzero(dones):
                self.assertEqual(infos[row]["episode"]["r"], rewards[row])
                self.assertEqual(infos[row]["episode"]["l"], decisions[row])
                self.assertTrue(env.observation_space.contains(infos[row]["terminal_observation"]))
                self.assertFalse(np.array_equal(infos[row]["terminal_observation"], observations[row]))
                decisions[row] = 0
                ended += 1

    def test_a_seed_means_the_same_episodes(self) -> None:
        env = self.make_env()
        seeded = []
        for seed in (11, 11, 12):
            env.seed(seed)
            seeded.append(env.reset())
        np.testing.assert_array_equal(seeded[0], seeded[1])
        self.assertFalse(np.array_equal(seeded[0], seeded[2]))

    def test_what_there_is_not_is_an_attribute_error(self) -> None:
        env = self.make_env()
        self.assertFalse(env.has_attr("unwrapped"))
        with self.assertRaisesRegex(AttributeError, "live in the engine"):
            env.get_attr("spec")
        with self.assertRaisesRegex(AttributeError, "live in the engine"):
            env.env_method("close")

    def test_the_tables_are_shown_as_the_learners_see_them(self) -> None:
        env = self.make_env(2, render_mode="ansi")
        env.reset()
        for text in env.env_method("render"):
            self.assertIn("your hand", text)
        with self.assertRaisesRegex(NotImplementedError, "rgb_array"):
            env.get_images()
        with self.assertRaisesRegex(ValueError, "render_mode"):
            self.make_env(2, render_mode="human")

    def test_films_are_made_of_what_the_learners_see(self) -> None:
        env = self.make_env(2, render_mode="rgb_array")
        env.reset()
        self.assertEqual([image.shape for image in env.get_images()], [(1200, 800, 3)] * 2)
        tiles = env.render()
        assert tiles is not None
        self.assertEqual(tiles.ndim, 3)

    def test_two_learners_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "LEARNER"):
            self.make_env(players=[None, None])

    def test_what_sb3_leaves_no_choice_of_is_refused(self) -> None:
        fixed = {"autoreset": "next_step", "groups": 2, "obs_format": "split", "mask_dtype": np.int8}
        for name, value in fixed.items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, name):
                self.make_env(**{name: value})

    def test_a_pickle_goes_on_where_it_stands(self) -> None:
        env = self.make_env()
        env.reset()
        env.step(env.action_masks().argmax(1))
        again = pickle.loads(pickle.dumps(env))
        self.addCleanup(again.close)
        np.testing.assert_array_equal(again.action_masks(), env.action_masks())
        actions = env.action_masks().argmax(1)
        for own, other in zip(again.step(actions)[:3], env.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(own, other)

    def test_maskable_ppo_learns_some_hundred_steps(self) -> None:
        env = self.make_env()
        model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, device="cpu", seed=7)
        model.learn(512)
        self.assertEqual(model.num_timesteps, 512)


class Example(unittest.TestCase):
    def test_the_example_runs(self) -> None:
        self.assertRegex(output_of("train_sb3.py", "10_000"), r"share of wins in the last \d+ episodes: 0\.\d\d")


if __name__ == "__main__":
    unittest.main()
