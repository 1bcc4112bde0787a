"""OpenSpiel: games as its own simulation test and algorithms see them."""

import pickle
import unittest

import numpy as np
import pyspiel
from trainer import TrainerCase, in_process_too, output_of

import ahu
import ahu.training.openspiel


@in_process_too
class OpenSpiel(TrainerCase):
    def game(self, name: str = "rappanui", players: int = 2) -> pyspiel.Game:
        place = {} if self.address is None else {"address": self.address}
        return pyspiel.load_game("ahu", {"game": name, "players": players, "seeds": 64, **place})

    def played(self, state: pyspiel.State, seed: int, decisions: int | None = None) -> list[int]:
        """Random actions, until the end or so many."""
        choices, actions = np.random.default_rng(seed), []
        while not state.is_terminal() and len(actions) != decisions:
            actions.append(int(choices.choice(state.legal_actions())))
            state.apply_action(actions[-1])
        return actions

    def test_random_simulations_hold(self) -> None:
        for name, players in self.games.items():
            with self.subTest(name):
                pyspiel.random_sim_test(self.game(name, players), 1, True, False)

    def test_a_history_says_everything(self) -> None:
        game = self.game()
        state = game.new_initial_state()
        self.played(state, 3)
        again = game.new_initial_state()
        for action in state.history():
            again.apply_action(action)
        self.assertEqual(again.returns(), state.returns())
        self.assertEqual(game.deserialize_state(state.serialize()).returns(), state.returns())
        for player in range(2):
            np.testing.assert_array_equal(again.observation_tensor(player), state.observation_tensor(player))

    def test_a_state_that_was_written_out_goes_on(self) -> None:
        game = self.game()
        state = game.new_initial_state()
        state.apply_action(5)
        self.played(state, 1, 20)
        texts = [state.serialize(), pyspiel.serialize_game_and_state(game, state)]
        pickled = pickle.dumps(state)
        # Positions at hand are not written out.
        self.assertLess(len(pickled), 1000)
        again = [
            game.deserialize_state(texts[0]),
            pyspiel.deserialize_game_and_state(texts[1])[1],
            pickle.loads(pickled),
        ]
        actions = self.played(state, 2)
        for other in again:
            self.assertEqual(self.played(other, 2), actions)
            self.assertEqual(other.returns(), state.returns())

    def test_an_illegal_action_costs_no_table(self) -> None:
        game = self.game()
        for seed in range(20):
            state = game.new_initial_state()
            state.apply_action(seed)
            legal = state.legal_actions()
            illegal = state.clone()
            illegal.apply_action(next(action for action in range(game.num_distinct_actions()) if action not in legal))
            with self.assertRaises(ahu.IllegalAction):
                illegal.legal_actions()
            # The state before it is played on.
            self.assertEqual(state.legal_actions(), legal)

    def test_clones_go_their_own_ways(self) -> None:
        state = self.game().new_initial_state()
        state.apply_action(5)
        self.played(state, 1, 20)
        before, clone = state.observation_tensor(state.current_player()), state.clone()
        self.played(clone, 2)
        self.assertTrue(clone.is_terminal())
        self.assertFalse(state.is_terminal())
        np.testing.assert_array_equal(state.observation_tensor(state.current_player()), before)

    def test_chance_draws_the_seed_and_nothing_else(self) -> None:
        state = self.game().new_initial_state()
        self.assertEqual(state.chance_outcomes()[-1], (63, 1 / 64))
        state.apply_action(5)
        other = self.game().new_initial_state()
        other.apply_action(6)
        self.assertNotEqual(state.observation_string(0), other.observation_string(0))
        self.played(state, 1)
        self.assertEqual(sum(state.returns()), 0)

    def test_more_positions_than_are_kept_are_played_anew(self) -> None:
        game = self.game()
        states = []
        for seed in range(40):
            state = game.new_initial_state()
            state.apply_action(seed)
            self.played(state, seed, 10)
            states.append((state, state.legal_actions()))
        for state, legal in states:
            self.assertEqual(state.clone().legal_actions(), legal)

    def test_a_seat_sees_its_own_hand_alone(self) -> None:
        state = self.game().new_initial_state()
        state.apply_action(5)
        texts = [state.observation_string(player) for player in range(2)]
        hands = [next(line for line in text.splitlines() if line.startswith("your hand")) for text in texts]
        self.assertNotEqual(*hands)
        self.assertNotIn(hands[1].removeprefix("your hand"), texts[0])

    def test_perfect_recall_is_refused(self) -> None:
        with self.assertRaises((ValueError, RuntimeError)):
            self.game().make_observer(pyspiel.IIGObservationType(perfect_recall=True), {})


class Remote(unittest.TestCase):
    def test_a_server_that_is_gone_costs_no_table(self) -> None:
        with ahu.launch() as server:
            game = pyspiel.load_game("ahu", {"game": "rappanui", "players": 2, "address": server.address})
        for seed in range(20):
            state = game.new_initial_state()
            state.apply_action(seed)
            with self.assertRaises(ahu.ConnectionLost):
                state.legal_actions()


class Example(unittest.TestCase):
    def test_the_example_runs(self) -> None:
        self.assertIn("returns by seat: [", output_of("play_openspiel.py", "3"))


if __name__ == "__main__":
    unittest.main()
