"""The environments of PettingZoo, tested with PettingZoo's own tests."""

import contextlib
import copy
import io
import pickle
import unittest
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test
from support import SHORT, ServerCase, in_process_too

import ahu
from ahu.training import LEARNER
from ahu.training._rendering import FRAME_SHAPE
from ahu.training.pettingzoo import AhuAECEnv, AhuParallelEnv, aec_env, parallel_env

EXPECTED = (
    "Observation is not a NumPy array",  # A dictionary is the form that the documentation of action masks asks for.
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
)
"""Warnings that PettingZoo's own environments with masks would get too. PettingZoo exempts them by their names."""


@in_process_too
class Conformance(ServerCase):
    def each(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yields the arguments for every table. Output is dropped, and a warning that is not expected is an error."""
        for game, seat_count in self.tables():
            with self.subTest(game=game, seats=seat_count), contextlib.ExitStack() as stack:
                stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
                stack.enter_context(warnings.catch_warnings())
                warnings.simplefilter("error")
                for message in EXPECTED:
                    warnings.filterwarnings("ignore", message)
                yield game, {"seats": seat_count, "options": SHORT.get(game, {}), "address": self.address}

    def test_api(self) -> None:
        for game, arguments in self.each():
            for obs_format in ("flat", "split"):
                api_test(aec_env(game, obs_format=obs_format, **arguments), 400)

    def test_parallel_api(self) -> None:
        for game, arguments in self.each():
            parallel_api_test(parallel_env(game, **arguments), 600)

    def test_state(self) -> None:
        for game, arguments in self.each():
            for table in (aec_env(game, **arguments), parallel_env(game, **arguments)):
                with self.assertRaisesRegex(LookupError, "reset first"):
                    table.state()
            state_test(aec_env(game, **arguments), parallel_env(game, **arguments))

    def test_seed(self) -> None:
        for game, arguments in self.each():
            seed_test(lambda: aec_env(game, **arguments), 200)

    def test_parallel_seed(self) -> None:
        for game, arguments in self.each():
            parallel_seed_test(lambda: parallel_env(game, **arguments), 200)

    def test_a_space_samples_legal_actions(self) -> None:
        env = aec_env("rappanui", seats=3, address=self.address)
        env.action_space("player_0").sample()
        env.reset(seed=6)
        space = env.action_space(env.agent_selection)
        legal = set(np.flatnonzero(env.last()[0]["action_mask"]))
        space.seed(1)
        self.assertLessEqual({space.sample() for _ in range(200)}, legal)
        only = np.zeros(space.n, np.int8)
        only[5] = 1
        self.assertEqual(space.sample(only), 5)
        idle = next(agent for agent in env.agents if agent != env.agent_selection)
        self.assertEqual(env.action_space(idle).sample(), 0)
        again = pickle.loads(pickle.dumps(space))
        self.assertEqual((again, space), (gymnasium.spaces.Discrete(space.n), again))

    def test_render(self) -> None:
        for game, arguments in self.each():
            forms = {
                "ansi": lambda text: len(text.splitlines()) > 3,
                "svg": lambda text: text.startswith("<svg"),
                "rgb_array": lambda pixels: pixels.shape == FRAME_SHAPE,
                "human": lambda none: none is None,
            }
            render_test(lambda render_mode: aec_env(game, render_mode=render_mode, **arguments), forms)

    def test_episodes_are_as_long_by_turns_as_all_at_once(self) -> None:
        # This stands in for `max_cycles_test`, which assumes that an environment is cut after `max_cycles` cycles and that
        # every agent acts once in a cycle. Our environments are never cut, and one agent acts in a cycle.
        for game, arguments in self.each():
            most = self.client.get_game(game).max_plies
            lengths = [
                length(env(game, **arguments), most) for length, env in ((turns, aec_env), (cycles, parallel_env))
            ]
            self.assertEqual(lengths[0], lengths[1])


def first_legal(observation: Any) -> int:
    return int(np.flatnonzero(observation["action_mask"])[-1])


def turns(env: AhuAECEnv, most: int) -> int:
    """Returns the number of actions of an episode."""
    env.reset(seed=6)
    count = 0
    for _ in env.agent_iter(most):
        observation, _, terminated, _, _ = env.last()
        env.step(None if terminated else first_legal(observation))
        count += not terminated
    assert not env.agents
    return count


def cycles(env: AhuParallelEnv, most: int) -> int:
    """Returns the number of cycles of an episode."""
    observations, _ = env.reset(seed=6)
    count = 0
    while env.agents and count < most:
        to_act = {agent: seen for agent, seen in observations.items() if seen["action_mask"].any()}
        observations, *_ = env.step({agent: first_legal(seen) for agent, seen in to_act.items()})
        count += 1
    assert not env.agents
    return count


@in_process_too
class Tables(ServerCase):
    def env(self, make: Callable[..., Any] = aec_env, **arguments: Any) -> Any:
        env = make("rappanui", address=self.address, **arguments)
        self.addCleanup(env.close)
        return env

    def play(self, env: AhuAECEnv) -> dict[str, float]:
        """Plays a random episode and returns the sum of the rewards of each agent."""
        choices = np.random.default_rng(1)
        env.reset(seed=6)
        brought = dict.fromkeys(env.agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, _, _ = env.last()
            brought[agent] += reward
            legal = np.flatnonzero(observation["action_mask"])
            self.assertEqual(terminated, not len(legal))
            env.step(None if terminated else int(choices.choice(legal)))
        return brought

    def test_rewards_come_at_the_end_and_sum_to_zero(self) -> None:
        brought = self.play(self.env(seats=3))
        self.assertEqual(list(brought), ["player_0", "player_1", "player_2"])
        self.assertAlmostEqual(sum(brought.values()), 0)
        self.assertTrue(any(brought.values()))

    def test_bots_may_have_seats(self) -> None:
        env = self.env(seats=3, players=(LEARNER, "greedy", LEARNER))
        self.assertEqual(env.possible_agents, ["player_0", "player_2"])
        self.assertEqual(list(self.play(env)), ["player_0", "player_2"])

    def test_whoever_owes_nothing_has_a_zero_mask_and_what_it_was_told_last(self) -> None:
        env = self.env(parallel_env, seats=2)
        observations, infos = env.reset(seed=6)
        self.assertEqual(infos, {"player_0": {}, "player_1": {}})
        last: dict[str, Any] = {agent: np.zeros_like(seen["observation"]) for agent, seen in observations.items()}
        while env.agents:
            [to_act] = [agent for agent, seen in observations.items() if seen["action_mask"].any()]
            for agent, seen in observations.items():
                if agent != to_act:
                    np.testing.assert_array_equal(seen["observation"], last[agent])
            last[to_act] = observations[to_act]["observation"]
            with self.assertRaisesRegex(LookupError, f"{to_act} owes a decision"):
                env.step({agent: 0 for agent in env.agents if agent != to_act})
            # The actions of the other agents are ignored.
            actions = dict.fromkeys(env.agents, 9999) | {to_act: first_legal(observations[to_act])}
            observations, rewards, terminations, truncations, _ = env.step(actions)
        self.assertEqual((set(terminations.values()), set(truncations.values())), ({True}, {False}))
        self.assertAlmostEqual(sum(rewards.values()), 0)
        # At the end every agent gets a new observation.
        for agent, seen in observations.items():
            self.assertFalse(np.array_equal(seen["observation"], last[agent]), agent)

    def test_an_illegal_action_is_refused_unless_that_is_agreed_otherwise(self) -> None:
        env = self.env()
        env.reset(seed=6)
        with self.assertRaises(ahu.IllegalAction):
            env.step(9999)
        self.assertEqual(env.agents, env.possible_agents)
        for make in (aec_env, parallel_env):
            lost = self.env(make, seats=3, on_illegal="terminate")
            lost.reset(seed=6)
            if make is aec_env:
                lost.step(9999)
                rewards = lost.rewards
            else:
                _, rewards, *_ = lost.step(dict.fromkeys(lost.agents, 9999))
            self.assertEqual(sorted(rewards.values()), [-1, 0.5, 0.5])

    def test_copies_and_saves_go_on_in_the_middle_of_an_episode(self) -> None:
        env = self.env(aec_env, rewards="margin_gain")
        self.assertEqual(pickle.loads(pickle.dumps(env)).agents, [])
        env.reset(seed=6)
        for _ in range(9):
            env.step(int(env.last()[0]["action_mask"].argmax()))
        copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), self.env(aec_env, rewards="margin_gain")]
        copies[2].restore(env.save())
        for one in copies:
            self.addCleanup(one.close)
        for agent in env.agent_iter():
            seen, *last = env.last()
            action = None if any(last[1:3]) else int(seen["action_mask"].argmax())
            for one in copies:
                self.assertEqual(one.agent_selection, agent)
                np.testing.assert_equal(one.last(), (seen, *last))
                one.step(action)
            if action is None:
                with self.assertRaisesRegex(LookupError, "ended: reset first"):
                    env.save()
            env.step(action)

    def test_copies_of_tables_that_act_at_once_go_on(self) -> None:
        env, again = (self.env(parallel_env) for _ in range(2))
        seen, _ = env.reset(seed=6)
        for _ in range(5):
            actions = {agent: int(own["action_mask"].argmax()) for agent, own in seen.items()}
            copies = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
            seen, *others = env.step(actions)
            for one in copies:
                self.addCleanup(one.close)
                np.testing.assert_equal(one.step(actions), (seen, *others))
        shown, _ = again.restore(env.save())
        for agent in env.agents:
            np.testing.assert_array_equal(shown[agent]["action_mask"], seen[agent]["action_mask"])

    def test_where_no_episode_is_under_way_that_is_said(self) -> None:
        by_turns, at_once = self.env(aec_env), self.env(parallel_env)
        for look in (by_turns.last, lambda: by_turns.observe("player_0")):
            with self.assertRaisesRegex(LookupError, "reset first"):
                look()
        with self.assertRaisesRegex(LookupError, "no episode is under way: reset first"):
            at_once.step({"player_0": 7})
        self.play(by_turns)
        for action in (7, None):
            with self.assertRaisesRegex(LookupError, "no episode is under way: reset first"):
                by_turns.step(action)

    def test_it_goes_by_turns(self) -> None:
        self.assertFalse(self.env(aec_env).metadata["is_parallelizable"])

    def test_a_table_is_printed_as_it_is_played(self) -> None:
        env = self.env(render_mode="human")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            env.reset(seed=6)
            before = printed.getvalue()
            env.step(first_legal(env.last()[0]))
        self.assertIn("turn 1", before)
        self.assertGreater(len(printed.getvalue()), len(before))

    def test_without_a_render_mode_nothing_is_rendered(self) -> None:
        env = self.env()
        env.reset(seed=6)
        self.assertIsNone(env.render())
        with self.assertRaisesRegex(ValueError, "render_mode"):
            self.env(render_mode="film")


if __name__ == "__main__":
    unittest.main()
