"""The environments of TorchRL, tested with TorchRL's own check and rollouts."""

import unittest

import numpy as np
import torch
from tensordict import TensorDictBase
from torchrl.collectors import Collector
from torchrl.envs import (
    ActionMask,
    Compose,
    EnvBase,
    ObservationNorm,
    RewardSum,
    SerialEnv,
    TransformedEnv,
    check_env_specs,
)
from trainer import TrainerCase, in_process_too, output_of

import ahu
from ahu.training.torchrl import AhuTorchEnv


@in_process_too
class TorchRl(TrainerCase):
    def make_env(self, game: str = "rappanui", count: int = 4, **settings: object) -> AhuTorchEnv:
        env = AhuTorchEnv(game, count, address=self.address, seed=7, **settings)
        self.addCleanup(env.close, raise_if_closed=False)
        return env

    def test_the_specs_hold(self) -> None:
        for game, seats in self.games.items():
            with self.subTest(game):
                check_env_specs(self.make_env(game, seats=seats), break_when_any_done="both")

    def assert_legal(self, played: TensorDictBase) -> None:
        self.assertTrue(played["action_mask"].gather(-1, played["action"][..., None]).all())

    def masked(self, env: EnvBase, *transforms: object) -> TransformedEnv:
        env = TransformedEnv(env, Compose(ActionMask(), *transforms))
        self.addCleanup(env.close, raise_if_closed=False)
        return env

    def test_random_steps_are_legal_and_episodes_follow_each_other(self) -> None:
        env = self.make_env(players=[None, "greedy"], rotation="episode")
        played = env.rollout(600, break_when_any_done=False)
        self.assert_legal(played)
        done = played["next", "done"]
        self.assertGreaterEqual(done.sum(), 8)
        self.assertTrue((played["next", "reward"][~done] == 0).all())
        self.assertTrue((played["next", "terminated"] == done).all())

    def test_the_next_episode_begins_where_the_last_one_ended(self) -> None:
        env = self.make_env()
        played = env.rollout(600, break_when_any_done=False)
        row, step = played["next", "done"][..., 0][:, :-1].nonzero()[0].tolist()
        end, begin = played["next", "observation"][row, step], played["observation"][row, step + 1]
        self.assertFalse(torch.equal(end, begin))
        other = (row + 1) % 4
        torch.testing.assert_close(played["next", "observation"][other, step], played["observation"][other, step + 1])

    def test_with_a_mask_the_specs_of_transforms_hold(self) -> None:
        check_env_specs(self.masked(self.make_env(), RewardSum()), break_when_any_done="both")

    def test_with_a_mask_observations_are_normalised_by_random_play(self) -> None:
        norm = ObservationNorm(in_keys=["observation"], standard_normal=True, eps=1e-3)
        env = self.masked(self.make_env(), norm)
        norm.init_stats(200, reduce_dim=(0, 1), cat_dim=1)
        played = env.rollout(300, break_when_any_done=False)
        self.assert_legal(played)
        self.assertGreater(played["observation"].abs().max(), 1)

    def test_with_a_mask_rewards_are_summed_up_by_episode(self) -> None:
        played = self.masked(self.make_env(), RewardSum()).rollout(600, break_when_any_done=False)
        self.assert_legal(played)
        done = played["next", "done"]
        self.assertGreaterEqual(done.sum(), 4)
        torch.testing.assert_close(played["next", "episode_reward"][done], played["next", "reward"][done])

    def test_with_a_mask_around_them_serial_environments_play_legally(self) -> None:
        env = self.masked(SerialEnv(2, lambda: AhuTorchEnv("rappanui", 3, address=self.address)))
        self.assert_legal(env.rollout(100, break_when_any_done=False))

    def test_with_a_mask_a_collector_plays_legally(self) -> None:
        env = self.masked(self.make_env())
        collector = Collector(env, env.rand_action, frames_per_batch=400, total_frames=800)
        for played in collector:
            self.assert_legal(played)
        collector.shutdown()

    def test_a_rollout_goes_on_until_all_are_done(self) -> None:
        for env in (self.make_env(), self.masked(self.make_env())):
            played = env.rollout(1_000, break_when_any_done=False, break_when_all_done=True)
            self.assert_legal(played)
            self.assertLess(played.shape[1], 1_000)
            done = played["next", "done"][..., 0]
            self.assertTrue(done[:, -1].all())
            # The episodes end at different times, and their rows then repeat the end.
            ends = done.int().argmax(1)
            self.assertGreater(len(ends.unique()), 1)
            for row, end in enumerate(ends):
                torch.testing.assert_close(played["next"][row, end], played["next"][row, -1])

    def test_what_is_left_out_of_a_step_goes_on_showing_what_it_shows(self) -> None:
        env = self.make_env()
        first = env.rand_action(env.reset())
        first["_step"] = torch.tensor([True, False, True, True])
        second = env.step(first)["next"]
        for row, stepped in enumerate(first["_step"]):
            same = torch.equal(second["observation"][row], first["observation"][row])
            self.assertEqual(same, not stepped)
        self.assertTrue(torch.equal(second["action_mask"][1], first["action_mask"][1]))
        env.rand_step(second)

    def test_what_is_done_has_to_be_reset(self) -> None:
        env = self.make_env()
        played = env.rollout(1_000)
        with self.assertRaisesRegex(ahu.ServiceError, "NO_EPISODE"):
            env.rand_step(played[:, -1]["next"])

    def test_a_reset_of_nothing_changes_nothing(self) -> None:
        env = self.make_env()
        env.set_seed(11)
        shown = env.reset()
        env.set_seed(12)
        nothing = shown.clone().set("_reset", torch.zeros(4, 1, dtype=torch.bool))
        torch.testing.assert_close(env.reset(nothing)["observation"], shown["observation"])
        # The seed takes effect at the next reset of an environment.
        self.assertFalse(torch.equal(env.reset()["observation"], shown["observation"]))

    def test_what_torchrl_leaves_no_choice_of_is_refused(self) -> None:
        fixed = {"autoreset": "next_step", "groups": 2, "obs_format": "split", "mask_dtype": np.int8}
        for name, value in fixed.items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, name):
                self.make_env(**{name: value})

    def test_a_seed_means_the_same_episodes(self) -> None:
        env = self.make_env()
        seeded = []
        for seed in (11, 11, 12):
            env.set_seed(seed)
            seeded.append(env.reset()["observation"])
        torch.testing.assert_close(seeded[0], seeded[1])
        self.assertFalse(torch.equal(seeded[0], seeded[2]))


class Example(unittest.TestCase):
    def test_the_example_runs(self) -> None:
        self.assertRegex(output_of("train_torchrl.py", "10_000"), r"\d+ episodes, mean return -?\d")


if __name__ == "__main__":
    unittest.main()
