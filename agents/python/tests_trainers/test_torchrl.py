"""TorchRL: the environments as its own check and rollouts see them."""

import unittest

import torch
from support import ServerCase, output_of
from torchrl.envs import check_env_specs

from ahu.training.torchrl import AhuTorchEnv


class TorchRl(ServerCase):
    def environments(self, game: str = "rappanui", count: int = 4, **settings: object) -> AhuTorchEnv:
        env = AhuTorchEnv(game, count, address=self.server.address, seed=7, **settings)
        self.addCleanup(env.close, raise_if_closed=False)
        return env

    def test_the_specs_hold(self) -> None:
        for game, seats in self.games.items():
            with self.subTest(game):
                check_env_specs(self.environments(game, seat_count=seats), break_when_any_done="both")

    def test_random_steps_are_legal_and_episodes_follow_each_other(self) -> None:
        env = self.environments(players=[None, "greedy"], rotation="episode")
        played = env.rollout(600, break_when_any_done=False)
        chosen = played["action_mask"].gather(-1, played["action"][..., None])
        self.assertTrue(chosen.all())
        done = played["next", "done"]
        self.assertGreaterEqual(done.sum(), 8)
        self.assertTrue((played["next", "reward"][~done] == 0).all())
        self.assertTrue((played["next", "terminated"] == done).all())

    def test_the_next_episode_begins_where_the_last_one_ended(self) -> None:
        env = self.environments()
        played = env.rollout(600, break_when_any_done=False)
        row, step = played["next", "done"][..., 0][:, :-1].nonzero()[0].tolist()
        end, begin = played["next", "observation"][row, step], played["observation"][row, step + 1]
        self.assertFalse(torch.equal(end, begin))
        other = (row + 1) % 4
        torch.testing.assert_close(played["next", "observation"][other, step], played["observation"][other, step + 1])

    def test_a_seed_means_the_same_episodes(self) -> None:
        env = self.environments()
        seeded = []
        for seed in (11, 11, 12):
            env.set_seed(seed)
            seeded.append(env.reset()["observation"])
        torch.testing.assert_close(seeded[0], seeded[1])
        self.assertFalse(torch.equal(seeded[0], seeded[2]))

    def test_the_example_runs(self) -> None:
        self.assertRegex(output_of("train_torchrl.py", "10_000"), r"\d+ episodes, mean return -?\d")


if __name__ == "__main__":
    unittest.main()
