"""Looks at the rows of environments: the advice of bots, and central observations."""

import signal
import unittest
from typing import Any

import numpy as np
from support import SHORT, ServerCase, in_process_too
from test_engines import SideBySide
from test_vector import content

import ahu
from ahu.training import LEARNER, VectorEnv


class LookCase(ServerCase):
    def open(self, game: str, num_envs: int = 4, **arguments: Any) -> VectorEnv:
        options = SHORT.get(game, {})
        return self.enterContext(VectorEnv(game, num_envs, address=self.address, options=options, **arguments))


@in_process_too
class Advising(LookCase):
    def test_the_advice_is_the_choice_of_the_bot_in_a_match_of_the_same_seed(self) -> None:
        for game, seat_count in self.tables():
            # A search is compared with an analysis below.
            for bot in ("greedy", "easy", "random"):
                with self.subTest(game=game, seats=seat_count, bot=bot):
                    states = [
                        ahu.new_game(game, seats=seat_count, options=SHORT.get(game, {}), seed=seed)
                        for seed in range(7, 9)
                    ]
                    env = self.open(game, 2, seats=seat_count, rewards="points", autoreset="disabled", seed=7)
                    returns = np.full((2, seat_count), np.nan)
                    env.reset()
                    waiting = np.arange(2)
                    while len(waiting):
                        batch = env.step(env.advise(bot, env_ids=waiting).choices, env_ids=waiting)
                        returns[batch.env_ids[batch.ended]] = batch.rewards[batch.ended]
                        waiting = batch.env_ids[~batch.ended]
                    for seed, state in enumerate(states, 7):
                        # The bots of a rollout choose as the bots of a match with its seed.
                        expected = ahu.rollout([state], bot, count=1, seed=seed, rewards="points")
                        self.assertEqual(returns[seed - 7].tolist(), expected.reshape(-1).tolist())

    def test_beside_bots_the_advice_is_the_choice_of_the_same_bot(self) -> None:
        game, count = "rapanui_cards", 3
        alone = self.open(game, seats=count, autoreset="disabled", seed=1)
        beside = self.open(game, seats=count, autoreset="disabled", players=[LEARNER, "greedy", "greedy"], seed=1)
        results = []
        for env in (alone, beside):
            batch = env.reset()
            episodes = []
            while len(waiting := batch.env_ids[~batch.ended]):
                batch = env.step(env.advise("greedy", env_ids=waiting).choices, env_ids=waiting)
                episodes += [(e.environment, tuple(e.scores), e.decision_count) for e in batch.episodes]
            results.append(sorted(episodes))
        self.assertEqual(*results)

    def test_a_search_has_the_figures_of_an_analysis(self) -> None:
        for game, seat_count in self.tables():
            env = self.open(game, 3, seats=seat_count, seed=5)
            batch, advice = env.reset(), env.advise("search:24")
            self.assertEqual((len(advice), advice.env_ids.tolist()), (3, [0, 1, 2]))
            for row in range(3):
                state = ahu.new_game(game, seats=seat_count, options=SHORT.get(game, {}), seed=5 + row)
                analysis = ahu.analyse(state, bot="search:24", seed=5 + row)
                if len(analysis.actions) == 1:
                    self.assertFalse(advice.visits[row].any())
                    continue
                self.assertEqual(advice.choices[row], analysis.choice)
                ids = [action.id for action in analysis.actions]
                self.assertEqual(np.flatnonzero(batch.masks[row]).tolist(), ids)
                for name, own in (("visits", "visits"), ("means", "mean"), ("standard_errors", "standard_error")):
                    figures = getattr(advice, name)
                    expected = np.zeros(env.action_count, figures.dtype)
                    expected[ids] = [getattr(action, own) for action in analysis.actions]
                    np.testing.assert_array_equal(figures[row], expected, name)

    def test_looks_change_nothing(self) -> None:
        for autoreset in ("same_step", "next_step"):
            arguments = {"seats": 3, "players": [LEARNER, "greedy", LEARNER], "rotation": "episode", "seed": 3}
            one, other = (self.open("rapanui_cards", autoreset=autoreset, **arguments) for _ in range(2))
            batch, same = one.reset(), other.reset()
            for step in range(40):
                self.assertEqual(content(batch), content(same))
                advice = one.advise("greedy")
                self.assertEqual(one.advise("greedy").choices.tolist(), advice.choices.tolist())
                one.central()
                over = ~batch.masks.any(axis=1)
                self.assertFalse(advice.choices[over].any())
                self.assertTrue(batch.masks[~over, advice.choices[~over]].all())
                actions = other.random_actions(same, np.random.default_rng(step))
                batch, same = one.step(actions), other.step(actions)

    def test_groups_and_some_environments_are_advised_as_all(self) -> None:
        env = self.open("rappanui", 6, groups=3, seed=1)
        env.reset()
        whole, central = env.advise("search:8"), env.central()
        self.assertEqual(env.advise("search:8", group=1).choices.tolist(), whole.choices[2:4].tolist())
        some = env.advise("search:8", env_ids=[1, 4])
        self.assertEqual(some.choices.tolist(), whole.choices[[1, 4]].tolist())
        np.testing.assert_array_equal(some.means, whole.means[[1, 4]])
        np.testing.assert_array_equal(env.central(env_ids=[1, 4]).packed, central.packed[[1, 4]])
        env.send(env.action_masks()[:2].argmax(axis=1))
        with self.assertRaisesRegex(ValueError, "group 0 is in progress"):
            env.advise("greedy")
        env.advise("greedy", group=2)
        env.recv()

    def test_where_an_illegal_action_ended_an_episode_there_is_no_advice(self) -> None:
        env = self.open("rappanui", 2, on_illegal="terminate", autoreset="next_step", seed=1)
        env.reset()
        env.step([9999, env.advise("random").choices[1]])
        self.assertEqual(env.advise("greedy").choices[0], 0)


@in_process_too
class CentralObservations(LookCase):
    def test_they_are_the_observations_of_all_seats_to_the_left(self) -> None:
        for game, seat_count in self.tables():
            for obs_format in ("split", "flat", "packed"):
                env = self.open(game, 3, seats=seat_count, obs_format=obs_format, seed=9)
                batch, central, layout = env.reset(), env.central(), env.layout
                self.assertEqual(central.layout, env.central_layout)
                self.assertNotEqual(central.layout.hash, layout.hash)
                size = (seat_count * layout.bit_count, seat_count * layout.number_count)
                self.assertEqual((central.layout.bit_count, central.layout.number_count), size)
                for row in range(3):
                    state = ahu.new_game(game, seats=seat_count, options=SHORT.get(game, {}), seed=9 + row)
                    for place in range(seat_count):
                        seen = state.observation((int(batch.seats[row]) + place) % seat_count)
                        if obs_format == "packed":
                            bits = np.unpackbits(central.packed[row], bitorder="little")
                            own = bits[place * layout.bit_count : (place + 1) * layout.bit_count]
                            np.testing.assert_array_equal(own, seen.bits)
                            continue
                        for name, field in layout.fields.items():
                            values = (seen.bits if field.block == "bits" else seen.numbers)[field.block_slice]
                            if obs_format == "flat" and field.block == "numbers":
                                values = values / layout.scales[field.block_slice]
                            shown = central[f"+{place}.{name}"][row].reshape(-1)
                            np.testing.assert_array_equal(shown, values.astype(shown.dtype), name)

    def test_they_begin_with_the_observation_of_the_row(self) -> None:
        for autoreset in ("next_step", "same_step"):
            env = self.open("rapanui_cards", 8, seats=3, autoreset=autoreset, rotation="episode", seed=1)
            batch, rng = env.reset(), np.random.default_rng(1)
            for _ in range(100):
                central = env.central()
                np.testing.assert_array_equal(central["bits"][:, : env.layout.bit_count], batch.observation["bits"])
                np.testing.assert_array_equal(
                    central["numbers"][:, : env.layout.number_count], batch.observation["numbers"]
                )
                batch = env.step(env.random_actions(batch, rng))


class Refusals(SideBySide):
    def test_they_are_the_same_in_process_and_on_a_server(self) -> None:
        pair = self.pair(num_envs=4, groups=2, seed=1)
        self.same_error(pair, lambda env: env.advise("greedy"))
        self.same_error(pair, lambda env: env.central())
        self.same(pair, lambda env: env.reset(group=1))
        for ask in (
            lambda env: env.advise("greedy"),
            lambda env: env.advise("deep blue", group=1),
            lambda env: env.advise("greedy:7", group=1),
            lambda env: env.advise("search:2s", group=1),
            lambda env: env.advise("greedy", group=2),
            lambda env: env.advise("greedy", env_ids=[2, 9]),
            lambda env: env.advise("greedy", env_ids=[2], group=1),
            lambda env: env.central(env_ids=[3, 2]),
        ):
            self.same_error(pair, ask)
        choices = [env.advise("search:20", group=1).choices.tolist() for env in pair]
        self.assertEqual(*choices)

    def test_a_server_limits_the_playouts_of_advice(self) -> None:
        env = self.enterContext(VectorEnv("rappanui", 2, address=self.server.address, seed=1))
        first = content(env.reset())
        with self.assertRaisesRegex(ahu.ServiceError, "at most 1000 playouts a decision on this server"):
            env.advise("search:1001")
        env.advise("greedy")
        self.assertEqual(content(env.reset(seed=1)), first)


class Interrupted(unittest.TestCase):
    def test_ctrl_c_stops_a_search_and_nothing_is_lost(self) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        with VectorEnv("giants", 64, seats=3, seed=1) as env:
            batch = env.reset()
            before = signal.signal(signal.SIGALRM, interrupt)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                # Minutes of work.
                with self.assertRaises(KeyboardInterrupt):
                    env.advise("search:100000")
            finally:
                signal.signal(signal.SIGALRM, before)
            choices = env.advise("search:4").choices
            self.assertTrue(batch.masks[np.arange(64), choices].all())
            env.step(choices)


if __name__ == "__main__":
    unittest.main()
