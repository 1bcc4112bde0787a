"""RLlib: the environment as its own check and PPO see it."""

import pickle
import unittest

import numpy as np
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from support import ServerCase, output_of

import ahu
from ahu.training.rllib import AhuMultiAgentEnv


class Rllib(ServerCase):
    def environment(self, **config: object) -> AhuMultiAgentEnv:
        env = AhuMultiAgentEnv({"game": "rappanui", "address": self.server.address, "seed": 7, **config})
        self.addCleanup(env.close)
        return env

    def play(self, env: AhuMultiAgentEnv) -> tuple[list[str], dict[str, float]]:
        """An episode of first legal actions: who decided, and the returns."""
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
                # The check takes any action.
                check_multiagent_environments(self.environment(game=game, seat_count=seats, on_illegal="random_legal"))

    def test_every_seat_is_an_agent(self) -> None:
        decided, returns = self.play(self.environment())
        self.assertEqual(set(decided), {"player_0", "player_1"})
        self.assertEqual(sum(returns.values()), 0)

    def test_a_seat_of_a_bot_is_none(self) -> None:
        env = self.environment(players=["greedy", None])
        self.assertEqual(env.possible_agents, ["player_1"])
        decided, returns = self.play(env)
        self.assertEqual((set(decided), set(returns)), ({"player_1"}, {"player_1"}))

    def test_with_rotation_the_learner_may_have_any_seat(self) -> None:
        env = self.environment(players=["greedy", None], rotation="episode")
        self.assertEqual(env.possible_agents, ["player_0", "player_1"])
        self.assertEqual(len({next(iter(env.reset()[0])) for _ in range(2)}), 2)

    def test_it_can_be_pickled(self) -> None:
        env = self.environment()
        env.reset(seed=5)
        again = pickle.loads(pickle.dumps(env))
        self.addCleanup(again.close)
        self.assertEqual(self.play(env), self.play(again))

    def test_an_illegal_action_changes_nothing(self) -> None:
        env = self.environment()
        [(agent, observation)] = env.reset()[0].items()
        with self.assertRaises(ahu.IllegalAction):
            env.step({agent: int(np.flatnonzero(observation["action_mask"] == 0)[0])})
        env.step({agent: int(observation["action_mask"].argmax())})

    def test_the_example_runs_an_iteration_of_ppo(self) -> None:
        self.assertRegex(output_of("train_rllib.py", "1"), r"1000 decisions, \d+ episodes of \d+")


if __name__ == "__main__":
    unittest.main()
