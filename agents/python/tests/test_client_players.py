"""Policies among the players, and evaluations."""

import pickle
import unittest
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from support import ServerCase, in_process_too

import ahu
import ahu.training.gymnasium
from ahu import _native
from ahu.training import LEARNER, Batch, VectorEnv, _bits as bits
from ahu.training.pettingzoo import aec_env


def first(batch: Batch) -> NDArray[np.int64]:
    """Takes the first legal action."""
    return batch.masks.argmax(axis=1)


def any_of(batch: Batch, salt: int = 0) -> NDArray[np.int64]:
    """Takes a legal action that the observation decides."""
    # The end of an episode has no legal action.
    counts = np.maximum(batch.masks.sum(axis=1), 1)
    picks = (
        7 * batch.observation.packed.sum(axis=1, dtype=np.int64) + batch.observation.numbers.sum(axis=1) + salt
    ) % counts
    return _native.nth(bits.ONE_CORE, batch.packed_masks, (picks + 0.5) / counts)


def other(batch: Batch) -> NDArray[np.int64]:
    """Takes another legal action that the observation decides."""
    return any_of(batch, 1)


def last(batch: Batch) -> NDArray[np.int64]:
    """Takes the last legal action."""
    return batch.masks.shape[1] - 1 - batch.masks[:, ::-1].argmax(axis=1)


def batched(player: Any) -> Any:
    """Returns the players with `ahu.batched` around each function of this file."""
    if isinstance(player, Mapping):
        values = [value[0] if isinstance(value, tuple) else value for value in player.values()]
        is_plain = any(callable(value) and not isinstance(value, ahu.Batched) for value in values)
        return {name: batched(value) for name, value in player.items()} if is_plain else player
    if isinstance(player, tuple):
        return tuple(map(batched, player))
    return ahu.batched(player) if callable(player) and not isinstance(player, ahu.Batched) else player


@in_process_too
class Policies(ServerCase):
    def open(self, num_envs: int = 6, **arguments: Any) -> VectorEnv:
        settings = {"game": "rappanui", "seats": 3, "seed": 5, "address": self.address, **arguments}
        if "players" in settings:
            settings["players"] = batched(tuple(settings["players"]))
        return self.enterContext(VectorEnv(num_envs=num_envs, **settings))

    def expected(
        self, env_id: int, policies: dict[int, Callable[[Batch], Any]], rotation: str, steps: int
    ) -> list[Any]:
        """Plays one environment in a plain loop. Returns each decision of the learner, player 0: its seat, mask, the rewards
        since the last decision, and the result of the episode that ended in between."""
        env = self.open(1, game="rapanui_cards", seed=5 + env_id, rotation=rotation, rewards="points")
        rows: list[Any] = []
        rewards, result = np.zeros(3), None
        batch = env.reset()
        while len(rows) < steps:
            player = int(batch.players[0])
            if player == 0:
                rows.append((int(batch.seats[0]), batch.masks[0].tolist(), rewards.tolist(), result))
                rewards, result = np.zeros(3), None
            batch = env.step((policies[player] if player else any_of)(batch))
            rewards = rewards + batch.rewards[0]
            for episode in batch.episodes:
                final = batch.final_steps
                assert final is not None
                own = int(np.flatnonzero(final.players == 0)[0])
                result = (episode.seed, list(episode.ranks), float(final.returns[own]), int(final.seats[own]))
        return rows

    def test_the_learner_sees_what_a_loop_of_its_own_would_show(self) -> None:
        for rotation, groups in (("fixed", 2), ("episode", 1)):
            env = self.open(
                game="rapanui_cards",
                players=(LEARNER, other, {"any": any_of}),
                rotation=rotation,
                groups=groups,
                rewards="points",
            )
            rows: list[list[Any]] = [[] for _ in range(6)]
            batch = env.reset()
            for _ in range(80):
                self.assertEqual(set(batch.players.tolist()), {0})
                final = batch.final_steps
                results: dict[int, Any] = {}
                if final is not None:
                    self.assertEqual(set(final.players.tolist()), {0})
                    ends = zip(batch.episodes, final.env_ids, final.returns, final.seats, strict=True)
                    for episode, env_id, value, seat in ends:
                        self.assertEqual(episode.environment, env_id)
                        results[int(env_id)] = (episode.seed, list(episode.ranks), float(value), int(seat))
                for place, env_id in enumerate(batch.env_ids):
                    seen = (int(batch.seats[place]), batch.masks[place].tolist(), batch.rewards[place].tolist())
                    rows[env_id].append((*seen, results.get(int(env_id))))
                    self.assertEqual(bool(batch.ended[place]), int(env_id) in results)
                batch = env.step(any_of(batch))
            for env_id in range(6):
                expected = self.expected(env_id, {1: other, 2: any_of}, rotation, 80)
                self.assertEqual(rows[env_id], expected)
                self.assertGreater(sum(row[3] is not None for row in expected), 0)

    def test_groups_in_flight_play_the_same(self) -> None:
        players = (LEARNER, {"any": any_of, "other": other}, "random")
        env, twin = self.open(players=players, groups=2), self.open(players=players)
        expected = twin.reset()
        batches = [env.reset(group=group) for group in range(2)]
        for _ in range(60):
            for group, batch in enumerate(batches):
                env.send(any_of(batch), group=group)
            expected = twin.step(any_of(expected))
            batches = [env.recv() for _ in range(2)]
            np.testing.assert_array_equal(np.concatenate([batch.masks for batch in batches]), expected.masks)
            np.testing.assert_array_equal(np.concatenate([batch.rewards for batch in batches]), expected.rewards)

    def test_policies_are_asked_in_batches_and_drawn_by_weight(self) -> None:
        asked: Counter[int] = Counter()

        def counted(batch: Batch) -> NDArray[np.int64]:
            asked[len(batch)] += 1
            return any_of(batch)

        players = (LEARNER, {"often": (counted, 3), "seldom": (other, 1)})
        env, twin = (self.open(200, game="rapanui_cards", seats=2, players=players) for _ in range(2))
        names: list[str] = []
        batch, same = env.reset(), twin.reset()
        for _ in range(80):
            batch, same = env.step(any_of(batch)), twin.step(any_of(same))
            self.assertEqual([list(episode.bots) for episode in batch.episodes], [list(e.bots) for e in same.episodes])
            names += [episode.bots[1] for episode in batch.episodes]
            self.assertTrue(all(episode.bots[0] == "" for episode in batch.episodes))
        self.assertGreater(max(asked), 50)
        self.assertEqual(set(names), {"often", "seldom"})
        # With some two hundred draws, 0.15 is five standard deviations.
        self.assertGreater(len(names), 150)
        self.assertLess(abs(names.count("often") / len(names) - 0.75), 0.15)

    def test_a_policy_is_drawn_for_each_episode_by_the_seed_alone(self) -> None:
        players = (LEARNER, {"any": any_of, "other": other})
        env = self.open(8, game="rapanui_cards", seats=2, players=players)
        drawn: list[set[tuple[int, int, str]]] = []
        for _ in range(2):
            batch = env.reset(seed=9)
            episodes: Counter[int] = Counter()
            names: set[tuple[int, int, str]] = set()
            while len(names) < 24:
                batch = env.step(any_of(batch))
                for episode in batch.episodes:
                    names.add((episode.environment, episodes[episode.environment], episode.bots[1]))
                    episodes[episode.environment] += 1
            drawn.append(names)
        self.assertEqual(drawn[0], drawn[1])
        # At least one environment has drawn both policies.
        pairs = {(environment, name) for environment, _, name in drawn[0]}
        self.assertGreater(len(pairs), len({environment for environment, _ in pairs}))

    def test_an_episode_without_a_decision_of_a_learner_is_skipped(self) -> None:
        calls = []

        def wrong_at_first(batch: Batch) -> NDArray[np.int64]:
            calls.append(len(batch))
            return first(batch) if len(calls) > 1 else np.full(len(batch), 9999)

        for autoreset in ("next_step", "disabled"):
            calls.clear()
            arguments = {"seats": 2, "on_illegal": "terminate", "autoreset": autoreset}
            twin = self.open(4, **arguments)
            expected = twin.reset(seed=1)
            seeds, asked = expected.seeds.copy(), expected.seats == 0
            self.assertEqual(set(asked.tolist()), {False, True})
            seeds[asked] = twin.reset().seeds[asked]
            batch = self.open(4, players=(wrong_at_first, LEARNER), **arguments).reset(seed=1)
            self.assertEqual(batch.seeds.tolist(), seeds.tolist())
            self.assertEqual((batch.ended.any(), batch.rewards.any(), batch.players.tolist()), (False, False, [1] * 4))

    def test_an_end_is_shown_to_the_learner_in_every_mode(self) -> None:
        finals = []
        for autoreset in ("next_step", "same_step", "disabled"):
            env = self.open(1, players=(any_of, LEARNER, other), autoreset=autoreset)
            batch = env.reset()
            while not batch.ended[0]:
                batch = env.step(any_of(batch))
            final = batch.final_steps
            assert final is not None
            self.assertEqual((len(final), final.seats.tolist(), final.players.tolist()), (1, [1], [1]))
            finals.append((final.returns.tolist(), final.observation["bits"].tolist()))
            if autoreset != "same_step":
                self.assertEqual((batch.seats.tolist(), batch.players.tolist(), batch.masks.any()), ([1], [1], False))
                np.testing.assert_array_equal(batch.observation["bits"], final.observation["bits"])
            if autoreset == "disabled":
                with self.assertRaises(ahu.ServiceError):
                    env.step([0])
                batch = env.reset()
            else:
                batch = env.step(any_of(batch) if autoreset == "same_step" else [0])
            self.assertEqual((batch.ended.any(), batch.rewards.any(), batch.masks.any()), (False, False, True))
        self.assertEqual(finals[0], finals[1])
        self.assertEqual(finals[0], finals[2])

    def test_the_margin_on_the_way_sums_to_the_margin(self) -> None:
        env = self.open(8, players=(LEARNER, any_of, other), rewards="margin_gain", rotation="episode")
        batch = env.reset()
        sums, episodes = np.zeros(8), 0
        seats = batch.seats.copy()
        for _ in range(200):
            batch = env.step(any_of(batch))
            sums += batch.rewards[np.arange(8), seats]
            if batch.final_steps is not None:
                for env_id, value in zip(batch.final_steps.env_ids, batch.final_steps.returns, strict=True):
                    self.assertEqual(sums[env_id], value)
                    sums[env_id], episodes = 0, episodes + 1
            seats = batch.seats.copy()
        self.assertGreater(episodes, 10)

    def test_a_fault_of_a_policy_is_named_and_the_environments_begin_anew(self) -> None:
        for wrong, error, message in (
            (lambda batch: np.full(len(batch), 9999), ahu.IllegalAction, "action 9999 is not legal"),
            (lambda batch: np.zeros(len(batch) + 1, int), ValueError, 'player "wrong": expected actions of shape'),
            (
                lambda batch: np.zeros(len(batch)),
                TypeError,
                'player "wrong": expected actions as integers, got float64',
            ),
            (lambda batch: 1 // 0, ZeroDivisionError, ""),
        ):
            env = self.open(2, players=(LEARNER, {"wrong": wrong}), seats=2)
            for _ in range(2):
                with self.assertRaisesRegex(error, message):
                    batch = env.reset(seed=1)
                    while True:
                        batch = env.step(any_of(batch))
                with self.assertRaisesRegex(LookupError, "no episode has begun"):
                    env.action_masks()
        replaced = self.open(
            2, players=(LEARNER, lambda batch: np.full(len(batch), 9999)), seats=2, on_illegal="random_legal"
        )
        batch = replaced.reset()
        for _ in range(100):
            batch = replaced.step(any_of(batch))
        self.assertGreater(replaced.replaced, 0)

    def test_players_that_make_no_sense_are_refused(self) -> None:
        for players, error, message in (
            ((first, last), ValueError, "one of the players or more is LEARNER"),
            ((LEARNER, {"first": first, "greedy": 1}), TypeError, "bots by weight or players by name, not both"),
            ((LEARNER, {"first": (first, 0)}), ValueError, 'the weight of "first" is a number above 0, not 0'),
        ):
            with self.assertRaisesRegex(error, message):
                VectorEnv("rappanui", players=batched(players))

    def test_the_adapters_take_policies(self) -> None:
        env = gymnasium.make("ahu/rappanui-v0", players=(ahu.batched(first), LEARNER), address=self.address)
        _, info = env.reset(seed=3)
        terminated = False
        while not terminated:
            self.assertEqual(info["seat"], 1)
            _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        table = aec_env("rappanui", seats=3, players=(LEARNER, ahu.batched(last), LEARNER), address=self.address)
        table.reset(seed=3)
        self.assertEqual(table.possible_agents, ["player_0", "player_2"])
        for _ in table.agent_iter():
            observation, _, over, _, _ = table.last()
            table.step(None if over else int(observation["action_mask"].argmax()))


def drawn(episode: Any) -> str:
    """Returns the name of the bot or policy that played against the learner, without its version."""
    [name] = filter(None, episode.bots)
    return name.split("@")[0]


@in_process_too
class SetPlayers(ServerCase):
    def open(self, *players: Any, num_envs: int = 8, **arguments: Any) -> VectorEnv:
        settings = {"seats": len(players), "seed": 5, "address": self.address, **arguments}
        return self.enterContext(VectorEnv("rapanui_cards", num_envs, players=batched(players), **settings))

    def opponents(self, env: VectorEnv, batch: Batch, episodes: int) -> tuple[Batch, list[list[str]]]:
        """Plays until each environment has ended this number of episodes. Returns the last batch, and the opponents of the
        episodes of each environment."""
        seen: list[list[str]] = [[] for _ in range(env.num_envs)]
        while min(map(len, seen)) < episodes:
            batch = env.step(any_of(batch))
            for episode in batch.episodes:
                seen[episode.environment].append(drawn(episode))
        return batch, seen

    def test_new_players_play_from_the_next_episode_on(self) -> None:
        for autoreset in ("same_step", "next_step"):
            for rotation in ("fixed", "episode"):
                env = self.open(LEARNER, "random", autoreset=autoreset, rotation=rotation)
                batch, seen = self.opponents(env, env.reset(), 1)
                changes = (
                    ("greedy", {"greedy"}),
                    (any_of, {"any_of"}),
                    ({"first": first, "last": last}, {"first", "last"}),
                    ({"random": 1, "easy": 1}, {"random", "easy"}),
                    (other, {"other"}),
                )
                before = {"random"}
                for player, names in changes:
                    env.set_players(batched((LEARNER, player)))
                    batch, seen = self.opponents(env, batch, 4)
                    for own in seen:
                        # With "next_step", an episode that has ended before the change is not the first of these.
                        self.assertIn(own[0], before | (names if autoreset == "next_step" else set()), own)
                        self.assertLessEqual(set(own[1:]), names)
                    before = names

    def test_they_play_as_if_they_had_played_before(self) -> None:
        for player in ("greedy", {"random": 1, "greedy": 2}, any_of):
            env, twin = self.open(LEARNER, "random", "random"), self.open(LEARNER, player, "random")
            env.reset()
            twin.reset()
            env.set_players(batched((LEARNER, player, "random")))
            batch, expected = env.reset(seed=9), twin.reset(seed=9)
            for _ in range(100):
                np.testing.assert_array_equal(batch.observation.packed, expected.observation.packed)
                self.assertEqual(list(batch.episodes), list(expected.episodes))
                batch, expected = env.step(any_of(batch)), twin.step(any_of(expected))

    def test_players_are_set_before_the_first_episode_and_kept_in_copies(self) -> None:
        env = self.open(LEARNER, {"random": 1})
        env.set_players((LEARNER, {"greedy": 1}))
        for one in (env, self.enterContext(pickle.loads(pickle.dumps(env)))):
            self.assertEqual({name for own in self.opponents(one, one.reset(), 1)[1] for name in own}, {"greedy"})
            one.close()
            self.assertEqual({name for own in self.opponents(one, one.reset(), 1)[1] for name in own}, {"greedy"})

    def test_a_refusal_changes_no_player(self) -> None:
        env = self.open(LEARNER, "random", "random", groups=2)
        for group in range(2):
            batch = env.reset(group=group)
            env.send(any_of(batch), group=group)
        for players, error, message in (
            ((LEARNER, "greedy"), ValueError, r"expected 3 players, with LEARNER in the places \[0\]"),
            (("greedy", LEARNER, "greedy"), ValueError, r"with LEARNER in the places \[0\]"),
            ((LEARNER, LEARNER, "greedy"), ValueError, r"with LEARNER in the places \[0\]"),
            ("greedy", TypeError, "one for each seat"),
            ((LEARNER, "greedy", {"greedy": 0}), ValueError, "a number above 0"),
            ((LEARNER, "greedy", "greedy"), ValueError, "group 0 is in progress: recv its answer first"),
        ):
            with self.assertRaisesRegex(error, message):
                env.set_players(batched(players))
        env.recv()
        env.recv()
        with self.assertRaisesRegex(ahu.ServiceError, 'unknown bot "gredy"; did you mean "greedy"'):
            env.set_players((LEARNER, "random", "gredy"))
        batch = env.reset()
        while not batch.episodes:
            batch = env.step(any_of(batch))
        self.assertEqual(list(batch.episodes[0].bots), ["", "random@1", "random@1"])

    def test_a_mapping_that_changes_is_not_ignored(self) -> None:
        net = ahu.batched(first)
        for mapping, changes in (
            ({"greedy": 1, "random": 1}, {"greedy": 2}),
            ({"greedy": 1}, {"random": 1}),
            ({"first": net}, {"first": ahu.batched(last)}),
            ({"first": (net, 1)}, {"first": (net, 2)}),
        ):
            env = self.open(LEARNER, mapping)
            batch = env.reset()
            mapping |= changes
            for call in (env.reset, lambda: env.step(any_of(batch)), lambda: env.send(any_of(batch))):
                with self.assertRaisesRegex(RuntimeError, "has changed.*call set_players"):
                    call()
            env.set_players((LEARNER, mapping))
            env.step(any_of(batch))


if __name__ == "__main__":
    unittest.main()
