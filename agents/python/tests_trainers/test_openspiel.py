"""The games of OpenSpiel, tested with OpenSpiel's own simulation test and its algorithms."""

import pickle
import random
import sys
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import (
    exploitability,
    external_sampling_mccfr,
    generate_playthrough,
    ismcts,
    mcts,
    outcome_sampling_mccfr,
)
from open_spiel.python.policy import UniformRandomPolicy
from trainer import output_of

import ahu
import ahu.training.openspiel
from ahu.training import catalog

# OpenSpiel has the same agent for PyTorch and for JAX.
try:
    from open_spiel.python.pytorch import dqn
except ModuleNotFoundError:
    from open_spiel.python.jax import dqn

GAMES = ("rappanui", "rapanui_cards", "giants", "rapanui_board")

ITERATIONS = 100
"""The number of simulations or iterations of each algorithm."""

SHORT = {"giants": "board:tiny;quick_game:true;max_turns:1"}
"""The options of games in which the product of the probabilities of all plies would be 0 in floating point."""


def seats(name: str) -> range:
    found = catalog.find(name)
    assert found is not None
    return range(found.summary.min_seats, found.summary.max_seats + 1)


def load(name: str = "rappanui", players: int | None = None, **parameters: Any) -> pyspiel.Game:
    known = {"game": name, "players": players or seats(name)[0], "seeds": 64, **parameters}
    return pyspiel.load_game("ahu", known)


def tables() -> Iterator[tuple[str, int]]:
    """Yields every game with every number of seats."""
    for name in GAMES:
        for players in seats(name):
            yield name, players


def played(state: pyspiel.State, seed: int, plies: int | None = None) -> list[int]:
    """Takes random actions of players and chance: this number of plies, or up to the end. Returns the actions."""
    choices, actions = random.Random(seed), list[int]()
    while not state.is_terminal() and len(actions) != plies:
        actions.append(choices.choice(state.legal_actions()))
        state.apply_action(actions[-1])
    return actions


def decision(game: pyspiel.Game, seed: int) -> pyspiel.State:
    """Returns a state in which a player has a choice."""
    state = game.new_initial_state()
    played(state, seed, 10)
    while state.is_chance_node() or len(state.legal_actions()) == 1:
        played(state, seed, 1)
    return state


class Counted:
    """An `ahu.State` that counts its calls and the calls of its clones."""

    def __init__(self, position: ahu.State, calls: list[str]) -> None:
        self._position = position
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._position, name)
        if callable(value):
            self._calls.append(name)
        return value

    def __deepcopy__(self, memo: object) -> "Counted":
        self._calls.append("clone")
        return Counted(self._position.clone(), self._calls)


class OpenSpiel(unittest.TestCase):
    def test_random_simulations_hold(self) -> None:
        for name, players in tables():
            with self.subTest(name=name, players=players):
                pyspiel.random_sim_test(load(name, players), 1, True, False)

    def test_a_history_says_everything(self) -> None:
        game = load()
        state = game.new_initial_state()
        played(state, 3)
        again = game.new_initial_state()
        for action in state.history():
            again.apply_action(action)
        self.assertEqual(again.returns(), state.returns())
        self.assertEqual(game.deserialize_state(state.serialize()).returns(), state.returns())
        for player in range(2):
            np.testing.assert_array_equal(again.observation_tensor(player), state.observation_tensor(player))
            self.assertEqual(again.information_state_string(player), state.information_state_string(player))

    def test_a_state_that_was_written_out_goes_on(self) -> None:
        for information in ("text", "digest"):
            game = load(information=information)
            state = game.new_initial_state()
            played(state, 1, 20)
            again = [
                game.deserialize_state(state.serialize()),
                pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1],
                pickle.loads(pickle.dumps(state)),
            ]
            actions = played(state, 2)
            for other in again:
                self.assertEqual(played(other, 2), actions)
                self.assertEqual(other.returns(), state.returns())
                self.assertEqual(other.information_state_string(0), state.information_state_string(0))

    def test_an_illegal_action_changes_nothing(self) -> None:
        state = decision(load(), 1)
        legal, text = state.legal_actions(), str(state)
        illegal = next(action for action in range(state.num_distinct_actions()) if action not in legal)
        with self.assertRaises(ahu.IllegalAction):
            state.apply_action(illegal)
        self.assertEqual((state.legal_actions(), str(state)), (legal, text))

    def test_nine_children_of_a_node_cost_nine_clones(self) -> None:
        state: Any = decision(load("rapanui_board"), 1)
        calls = list[str]()
        state.position = Counted(state.position, calls)
        legal = state.legal_actions()
        calls.clear()
        for action in (legal * 9)[:9]:
            state.child(action)
        self.assertEqual((calls.count("clone"), calls.count("apply"), calls.count("settle")), (9, 9, 0))

    def test_clones_go_their_own_ways(self) -> None:
        state = decision(load(), 1)
        before, clone = state.observation_tensor(state.current_player()), state.clone()
        played(clone, 2)
        self.assertTrue(clone.is_terminal())
        self.assertFalse(state.is_terminal())
        np.testing.assert_array_equal(state.observation_tensor(state.current_player()), before)

    def test_each_chance_event_is_a_node_whose_outcomes_are_seeds(self) -> None:
        state = load().new_initial_state()
        self.assertTrue(state.is_chance_node())
        self.assertEqual(state.chance_outcomes()[-1], (63, 1 / 64))
        self.assertEqual(state.action_to_string(5), "seed 5")
        children = {str(state.child(seed).observation_string(0)) for seed in range(8)}
        self.assertGreater(len(children), 1)
        played(state, 1)
        chance_nodes = sum(entry.player == pyspiel.PlayerId.CHANCE for entry in state.full_history())
        self.assertGreater(chance_nodes, 3)
        self.assertEqual(sum(state.returns()), 0)

    def test_explicit_chance_lists_the_outcomes_that_can_be_listed(self) -> None:
        listed: set[str] = set()
        for name, players in tables():
            game = load(name, players, explicit_chance=True)
            state: Any = game.new_initial_state()
            choices = random.Random(players)
            while not state.is_terminal():
                if not state.is_chance_node():
                    state.apply_action(choices.choice(state.legal_actions()))
                    continue
                outcomes, known = state.chance_outcomes(), state.position.chance_outcomes()
                self.assertAlmostEqual(sum(probability for _, probability in outcomes), 1)
                self.assertLessEqual(len(outcomes), game.max_chance_outcomes())
                action = choices.choice(outcomes)[0]
                if known is None:
                    self.assertEqual(state.action_to_string(action), f"seed {action}")
                else:
                    self.assertEqual(state.action_to_string(action), known[action][0])
                    listed.add(f"{name} {known[action][0].split()[0]}")
                state.apply_action(action)
        self.assertLessEqual({"giants roll", "rapanui_cards cards", "rapanui_board order", "rappanui draw"}, listed)
        pyspiel.random_sim_test(load("giants", explicit_chance=True), 1, True, False)

    def test_a_game_can_end_after_some_decisions(self) -> None:
        for name in GAMES:
            game = load(name, rewards="margin", decisions=5)
            state: Any = game.new_initial_state()
            actions = played(state, 2)
            players = [entry.player for entry in state.full_history()]
            self.assertEqual(sum(player >= 0 for player in players), 5, actions)
            self.assertEqual((state.is_terminal(), state.current_player()), (True, pyspiel.PlayerId.TERMINAL))
            self.assertEqual((state.legal_actions(), state.position.is_over), ([], False))
            played_on = ahu.rollout([state.position], "greedy", rewards="margin")
            np.testing.assert_allclose(state.returns(), played_on.mean(axis=(0, 1)), atol=1e-5)
            self.assertEqual(state.clone().returns(), state.returns())
            pyspiel.random_sim_test(game, 1, True, False)

    def test_few_decisions_make_a_difference(self) -> None:
        for name in GAMES:
            game = load(name, seeds=1, decisions=2, rewards="margin", information="digest", options=SHORT.get(name, ""))
            self.assertGreater(exploitability.nash_conv(game, UniformRandomPolicy(game)), 0, name)

    def test_a_playthrough_is_written(self) -> None:
        for name in GAMES:
            text = generate_playthrough.playthrough(
                f"ahu(game={name},players={seats(name)[0]},decisions=4)", None, seed=1
            )
            self.assertIn("PublicObservationString() = ", text)
            self.assertIn("PrivateObservationString(1) = ", text)

    def test_an_observer_shows_the_public_and_the_private_part(self) -> None:
        state: Any = decision(load("rapanui_cards"), 3)
        single = pyspiel.PrivateInfoType.SINGLE_PLAYER
        public, private = (
            state.get_game().make_py_observer(
                pyspiel.IIGObservationType(perfect_recall=False, public_info=has_public, private_info=secrets)
            )
            for has_public, secrets in ((True, pyspiel.PrivateInfoType.NONE), (False, single))
        )
        public.set_from(state, 0)
        np.testing.assert_array_equal(public.tensor, state.position.observation().array)
        self.assertIsNone(private.tensor)
        for player in range(2):
            self.assertEqual(public.string_from(state, player), state.position.text())
            own = private.string_from(state, player).splitlines()
            self.assertTrue(own)
            self.assertEqual([line for line in own if line not in state.position.text(player).splitlines()], [])
            self.assertFalse(set(own) & set(state.position.text().splitlines()))

    def test_actions_are_in_words(self) -> None:
        for name in GAMES:
            state: Any = decision(load(name), 1)
            for action in state.legal_actions():
                self.assertEqual(state.action_to_string(action), state.position.action_text(action))

    def test_options_and_reward_rules_are_parameters(self) -> None:
        game: Any = load("rappanui", 3, options="equal_turns:true;reshuffle:eager", rewards="margin")
        state = game.new_initial_state()
        self.assertEqual(
            (state.position.options["equal_turns"], state.position.options["reshuffle"]), ("true", "eager")
        )
        played(state, 1)
        np.testing.assert_allclose(state.returns(), state.position.returns("margin"), atol=1e-6)
        self.assertEqual(game.get_type().utility, pyspiel.GameType.Utility.ZERO_SUM)
        self.assertEqual(load(rewards="points").get_type().utility, pyspiel.GameType.Utility.GENERAL_SUM)
        for wrong in (
            {"options": "equal_turns"},
            {"seeds": 0},
            {"decisions": -1},
            {"information": "bits"},
            {"rewards": "margin_gain"},
        ):
            with self.assertRaises(ValueError):
                load(**wrong)
        for refused in ({"options": "moon:1"}, {"rewards": "win"}, {"players": 9}):
            with self.assertRaises(ahu.ServiceError):
                load(**refused)

    def test_the_tensor_is_the_observation_of_the_seat_now(self) -> None:
        state: Any = decision(load("giants"), 2)
        for player in range(3):
            np.testing.assert_array_equal(
                np.float32(state.observation_tensor(player)), state.position.observation(player).array
            )

    def test_an_observer_of_more_than_a_player_is_refused(self) -> None:
        everything = pyspiel.IIGObservationType(
            perfect_recall=False, public_info=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
        )
        with self.assertRaises((ValueError, RuntimeError)):
            load().make_observer(everything, {})


class Information(unittest.TestCase):
    def test_a_resampled_state_has_the_information_state_of_its_player_and_nothing_else(self) -> None:
        for name, players in tables():
            for information in ("text", "digest"):
                with self.subTest(name=name, players=players, information=information):
                    state = load(name, players, information=information).new_initial_state()
                    for _ in range(6):
                        played(state, 1, 15)
                        if not state.is_terminal():
                            for player in range(players):
                                self.check_resampled(state, player)

    def check_resampled(self, state: Any, player: int) -> None:
        world, other = (state.resample_from_infostate(player, lambda draw=draw: draw) for draw in (0.25, 0.75))
        self.assertEqual(shown(world, player), shown(state, player))
        self.assertEqual(world.history(), [])
        # The two worlds have different secrets, but their samples and the knowledge of all players in the samples agree.
        again = world.resample_from_infostate(player, lambda: 0.75)
        self.assertEqual(again.position.fingerprint(), other.position.fingerprint())
        for seat in range(state.num_players()):
            self.assertEqual(shown(again, seat), shown(other, seat))

    def test_equal_information_states_have_equal_legal_actions(self) -> None:
        for name in GAMES:
            with self.subTest(name):
                # With few seeds and short games, equal information states occur.
                game = load(name, seeds=2)
                legal, met = dict[str, list[int]](), 0
                for seed in range(60):
                    state = game.new_initial_state()
                    for step in range(30):
                        played(state, 1000 * seed + step, 1)
                        if state.is_terminal() or state.is_chance_node():
                            continue
                        key = f"{state.current_player()} {state.information_state_string()}"
                        met += key in legal
                        self.assertEqual(legal.setdefault(key, state.legal_actions()), state.legal_actions())
                self.assertGreater(met, 0)

    def test_an_information_state_grows_by_what_the_player_is_told(self) -> None:
        state = load().new_initial_state()
        before = ["", ""]
        while not state.is_terminal():
            played(state, state.move_number(), 1)
            for player in range(2):
                text = state.information_state_string(player)
                self.assertTrue(text.startswith(before[player]))
                before[player] = text
        self.assertNotEqual(*before)
        self.assertIn("\n> meld ", before[0])

    def test_a_seat_sees_its_own_hand_alone(self) -> None:
        state = load().new_initial_state()
        played(state, 5, 4)
        texts = [state.observation_string(player) for player in range(2)]
        hands = [next(line for line in text.splitlines() if line.startswith("your hand")) for text in texts]
        self.assertNotEqual(*hands)
        self.assertNotIn(hands[1].removeprefix("your hand"), texts[0])


def shown(state: Any, player: int) -> tuple[object, ...]:
    """Returns everything that a player gets from a state."""
    return (
        state.information_state_string(player),
        state.observation_string(player),
        tuple(state.observation_tensor(player)),
        state.legal_actions(player),
        state.current_player(),
    )


class Algorithms(unittest.TestCase):
    """The algorithms of OpenSpiel, in each game at its lowest seat count. docs/train/trainers.md has the table."""

    def in_each_game(self, run: Callable[[pyspiel.Game, np.random.RandomState], None], **parameters: Any) -> None:
        for name in GAMES:
            with self.subTest(name):
                run(load(name, **parameters), np.random.RandomState(1))

    def test_mcts(self) -> None:
        def run(game: pyspiel.Game, choices: np.random.RandomState) -> None:
            state = decision(game, 1)
            bot = mcts.MCTSBot(game, 2, ITERATIONS, mcts.RandomRolloutEvaluator(1, choices), random_state=choices)
            self.assertIn(bot.step(state), state.legal_actions())

        self.in_each_game(run)

    def test_ismcts(self) -> None:
        def run(game: pyspiel.Game, choices: np.random.RandomState) -> None:
            state = decision(game, 1)
            bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, choices), 2.0, ITERATIONS, random_state=choices)
            self.assertIn(bot.step(state), state.legal_actions())

        self.in_each_game(run, information="digest")

    def test_outcome_sampling_mccfr(self) -> None:
        limit = sys.getrecursionlimit()
        # The solver makes a recursive call for each ply.
        sys.setrecursionlimit(10_000)
        self.addCleanup(sys.setrecursionlimit, limit)
        for name in GAMES:
            with self.subTest(name):
                np.random.seed(1)
                game = load(name, information="digest", seeds=2, options=SHORT.get(name, ""))
                solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
                with np.errstate(divide="raise", invalid="raise"):
                    for _ in range(ITERATIONS):
                        solver.iteration()
                state = decision(game, 1)
                probabilities = solver.average_policy().action_probabilities(state)
                self.assertEqual(sorted(probabilities), state.legal_actions())

    def test_external_sampling_mccfr(self) -> None:
        def run(game: pyspiel.Game, choices: np.random.RandomState) -> None:
            solver = external_sampling_mccfr.ExternalSamplingSolver(game, external_sampling_mccfr.AverageType.SIMPLE)
            for _ in range(ITERATIONS):
                solver.iteration()
            state = game.new_initial_state()
            while state.is_chance_node():
                state.apply_action(0)
            probabilities = solver.average_policy().action_probabilities(state)
            self.assertEqual(sorted(probabilities), state.legal_actions())
            self.assertAlmostEqual(sum(probabilities.values()), 1)

        np.random.seed(1)
        self.in_each_game(run, information="digest", seeds=2, rewards="margin", decisions=4)

    def test_dqn(self) -> None:
        def run(game: pyspiel.Game, choices: np.random.RandomState) -> None:
            env = rl_environment.Environment(game=game)
            agent = dqn.DQN(
                0,
                state_representation_size=env.observation_spec()["info_state"][0],
                num_actions=env.action_spec()["num_actions"],
                hidden_layers_sizes=[16],
                batch_size=16,
                min_buffer_size_to_learn=16,
                learn_every=4,
            )
            decisions = 0
            while decisions < 4 * ITERATIONS + 16:
                step = env.reset()
                while not step.last():
                    player = step.current_player()
                    legal = step.observations["legal_actions"][player]
                    action = agent.step(step).action if player == 0 else choices.choice(legal)
                    self.assertIn(action, legal)
                    decisions += player == 0
                    step = env.step([action])
                agent.step(step)
            self.assertTrue(np.isfinite(float(agent.loss)))

        self.in_each_game(run)


class Example(unittest.TestCase):
    def test_the_example_runs(self) -> None:
        self.assertIn("returns by seat: [", output_of("play_openspiel.py", "3"))


if __name__ == "__main__":
    unittest.main()
