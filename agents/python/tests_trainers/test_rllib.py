"""The environment of RLlib, tested with RLlib's own check and PPO."""

import pickle
import unittest

import numpy as np
from ray.rllib.env.env_context import EnvContext
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from trainer import TrainerCase, in_process_too, output_of

import ahu
from ahu.training.rllib import AhuMultiAgentEnv


@in_process_too
class Rllib(TrainerCase):
    def make_env(self, **config: object) -> AhuMultiAgentEnv:
        env = AhuMultiAgentEnv({"game": "rappanui", "address": self.address, "seed": 7, **config})
        self.addCleanup(env.close)
        return env

    def play(self, env: AhuMultiAgentEnv) -> tuple[list[str], dict[str, float]]:
        """Plays an episode with the first legal actions. Returns the agents that decided, and the returns."""
        observations, _ = env.reset(seed=5)
        decided = []
        while True:
            [(agent, observation)] = observations.items()
            self.assertTrue(env.observation_spaces[agent].contains(observation))
            decided.append(agent)
            action = int(observation["action_mask"].argmax())
            observations, rewards, terminated, truncated, _ = env.step({agent: action})
            self.assertFalse(any(truncated.values()))
            if terminated["__all__"]:
                self.assertEqual(set(observations), set(rewards))
                return decided, rewards
            self.assertEqual(set(rewards.values()), {0.0})

    def test_the_check_passes(self) -> None:
        for game, seats in self.games.items():
            with self.subTest(game):
                # The check samples actions without the mask.
                check_multiagent_environments(self.make_env(game=game, seats=seats, on_illegal="random_legal"))

    def test_every_seat_is_an_agent(self) -> None:
        decided, returns = self.play(self.make_env())
        self.assertEqual(set(decided), {"player_0", "player_1"})
        self.assertEqual(sum(returns.values()), 0)

    def test_a_seat_of_a_bot_is_none(self) -> None:
        env = self.make_env(players=["greedy", None])
        self.assertEqual(env.possible_agents, ["player_1"])
        decided, returns = self.play(env)
        self.assertEqual((set(decided), set(returns)), ({"player_1"}, {"player_1"}))

    def test_with_rotation_the_learner_may_have_any_seat(self) -> None:
        env = self.make_env(players=["greedy", None], rotation="episode")
        self.assertEqual(env.possible_agents, ["player_0", "player_1"])
        self.assertEqual(len({next(iter(env.reset()[0])) for _ in range(2)}), 2)

    def test_it_can_be_pickled(self) -> None:
        env = self.make_env()
        env.reset(seed=5)
        again = pickle.loads(pickle.dumps(env))
        self.addCleanup(again.close)
        self.assertEqual(self.play(env), self.play(again))

    def test_an_illegal_action_changes_nothing(self) -> None:
        env = self.make_env()
        [(agent, observation)] = env.reset()[0].items()
        with self.assertRaises(ahu.IllegalAction):
            env.step({agent: int(np.flatnonzero(observation["action_mask"] == 0)[0])})
        env.step({agent: int(observation["action_mask"].argmax())})

    def test_a_forfeit_ends_the_episode_for_all(self) -> None:
        env = self.make_env(seats=3, on_illegal="terminate")
        [(first, observation)] = env.reset(seed=1)[0].items()
        last_observations = {first: observation["observations"]}
        decided = first
        while decided == first:
            [(decided, observation)] = env.step({decided: int(observation["action_mask"].argmax())})[0].items()
            last_observations[decided] = observation["observations"]
        last, returns, terminated, truncated, _ = env.step({decided: env.env.action_count})
        self.assertEqual(returns, {agent: -1.0 if agent == decided else 0.5 for agent in env.possible_agents})
        self.assertEqual(terminated, dict.fromkeys([*env.possible_agents, "__all__"], True))
        self.assertFalse(any(truncated.values()))
        self.assertEqual(set(last), set(env.possible_agents))
        unseen = np.zeros(env.env.layout.size, np.float32)
        for agent, observation in last.items():
            self.assertTrue(env.observation_spaces[agent].contains(observation))
            self.assertFalse(observation["action_mask"].any())
            np.testing.assert_array_equal(observation["observations"], last_observations.get(agent, unseen))

    def test_a_forfeit_ends_nothing_for_a_bot(self) -> None:
        env = self.make_env(players=["greedy", None], rotation="episode", on_illegal="terminate")
        for _ in range(2):
            [agent] = env.reset()[0]
            last, returns, _, _, _ = env.step({agent: env.env.action_count})
            self.assertEqual((list(last), returns), ([agent], {agent: -1.0}))

    def test_env_runners_play_other_games_than_each_other(self) -> None:
        config = {"game": "rappanui", "address": self.address, "seed": 7}
        places = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]
        envs = [AhuMultiAgentEnv(EnvContext(config, worker, vector_index=vector)) for worker, vector in places]
        for env in envs:
            self.addCleanup(env.close)
        self.assertEqual(envs[0].env.seed, 7)
        self.assertEqual(len({env.env.seed for env in envs}), len(envs))

    def test_what_rllib_leaves_no_choice_of_is_refused(self) -> None:
        fixed = {"num_envs": 8, "groups": 1, "autoreset": "same_step", "obs_format": "split", "mask_dtype": np.int8}
        for name, value in fixed.items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, name):
                self.make_env(**{name: value})


class Example(unittest.TestCase):
    def test_the_example_runs_an_iteration_of_ppo(self) -> None:
        self.assertRegex(output_of("train_rllib.py", "1"), r"1000 decisions, \d+ episodes of \d+")


if __name__ == "__main__":
    unittest.main()
