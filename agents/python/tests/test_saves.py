"""Episodes that begin at States, end by their number of decisions, or go on after a save."""

import unittest
from typing import Any
from unittest import mock

import numpy as np
from support import SHORT, ServerCase, in_process_too
from test_engines import SideBySide
from test_vector import content

import ahu
from ahu.training import LEARNER, Batch, VectorEnv, remote_engine


def goes_on_alike(
    case: unittest.TestCase, one: VectorEnv, other: VectorEnv, batch: Batch, same: Batch, steps: int
) -> None:
    """Checks that two environments play alike, from batches that show the same rows."""
    for step in range(steps):
        rows = ("env_ids", "seats", "players", "packed_masks")
        case.assertEqual(*([getattr(b, name).tolist() for name in rows] for b in (batch, same)))
        case.assertEqual(batch.observation.packed.tobytes(), same.observation.packed.tobytes())
        case.assertEqual(batch.observation.numbers.tobytes(), same.observation.numbers.tobytes())
        case.assertEqual(one.advise("random").choices.tolist(), other.advise("random").choices.tolist())
        if one.autoreset == "disabled" and (over := ~batch.masks.any(axis=1)).any():
            for env in (one, other):
                env.reset(env_ids=np.flatnonzero(over))
        actions = one.action_masks().argmax(axis=1) if step % 2 else one.advise("random").choices
        batch, same = one.step(actions), other.step(actions)
        case.assertEqual(content(batch), content(same))


@in_process_too
class Saves(ServerCase):
    def open(self, game: str, num_envs: int = 4, **arguments: Any) -> VectorEnv:
        options = {**SHORT.get(game, {}), **arguments.pop("options", {})}
        return self.enterContext(VectorEnv(game, num_envs, address=self.address, options=options, **arguments))

    def test_saved_environments_go_on_as_if_they_had_not_been_saved(self) -> None:
        modes = [
            {"autoreset": "same_step", "rewards": "margin_gain", "rotation": "episode"},
            {"autoreset": "next_step", "rewards": "rank", "max_decisions": 25},
            {"autoreset": "disabled", "rewards": "margin_gain", "max_decisions": 40, "rotation": "episode"},
        ]
        for game, seat_count in self.tables():
            for number, mode in enumerate(modes):
                bots = [LEARNER, *[{"greedy": 1, "random": 2}] * (seat_count - 1)] if number != 1 else None
                with self.subTest(game=game, seats=seat_count, mode=mode):
                    arguments = {"seats": seat_count, "players": bots, "seed": 2**64 - 2, **mode}
                    one, other = self.open(game, **arguments), self.open(game, **arguments)
                    batch, rng = one.reset(), np.random.default_rng(1)
                    for _ in range(23 + 10 * number):
                        if one.autoreset == "disabled" and (over := ~batch.masks.any(axis=1)).any():
                            one.reset(env_ids=np.flatnonzero(over))
                        actions = np.array(
                            [rng.choice(np.flatnonzero(m)) if m.any() else 0 for m in one.action_masks()]
                        )
                        batch = one.step(actions)
                    saved = one.save()
                    self.assertEqual(one.save(), saved)
                    same = other.restore(saved)
                    self.assertFalse(same.rewards.any())
                    self.assertEqual(other.save(), saved)
                    np.testing.assert_array_equal(same.ended, ~batch.masks.any(axis=1))
                    goes_on_alike(self, one, other, batch, same, 12)

    def test_a_save_is_taken_before_and_after_set_players(self) -> None:
        players = [LEARNER, "greedy", "random"]
        one, other = (self.open("rapanui_cards", seats=3, players=players, seed=1) for _ in range(2))
        batch = one.reset()
        one.set_players([LEARNER, "random", "easy"])
        saved = one.save()
        with self.assertRaisesRegex(
            ahu.ServiceError, "expected a save of environments with the players external, greedy"
        ):
            other.restore(saved)
        other.set_players([LEARNER, "random", "easy"])
        # The episodes end with the players with whom they began.
        goes_on_alike(self, one, other, batch, other.restore(saved), 40)

    def test_other_bytes_are_refused_and_change_nothing(self) -> None:
        env, twin = (self.open("rappanui", 3, seats=3, seed=1) for _ in range(2))
        batch, same = env.reset(), twin.reset()
        saved = env.save()
        changed = bytearray(saved)
        changed[-3] ^= 1
        others = [
            self.open("rapanui_cards", 3, seats=3, seed=1),
            self.open("rappanui", 3, seats=2, seed=1),
            self.open("rappanui", 3, seats=3, seed=1, options={"combine_rule": "true"}),
            self.open("rappanui", 4, seats=3, seed=1),
            self.open("rappanui", 3, seats=3, seed=1, rewards="points"),
            self.open("rappanui", 3, seats=3, seed=1, rotation="episode"),
            self.open("rappanui", 3, seats=3, seed=1, autoreset="disabled"),
            self.open("rappanui", 3, seats=3, seed=1, max_decisions=5),
        ]
        for data, message in [
            (b"", "expected bytes of VectorEnv.save"),
            (b"hello", "expected bytes of VectorEnv.save"),
            (saved[:-1], "cut or changed"),
            (saved[:20], "cut or changed"),
            (bytes(changed), "cut or changed"),
            (saved + bytes(3_000_000), "expected a save of at most [0-9]+ bytes, got"),
            *((other.save(), "expected a save of environments with the ") for other in others[:-1]),
            (others[-1].save(), "expected a save of environments with max_decisions none, got max_decisions 5"),
        ]:
            with self.subTest(message, size=len(data)), self.assertRaisesRegex(ahu.ServiceError, message):
                env.restore(data)
        goes_on_alike(self, env, twin, batch, same, 10)

    def test_formats_and_groups_may_differ(self) -> None:
        one = self.open("rappanui", 4, seats=3, seed=1, groups=2)
        one.step(one.reset().masks.argmax(axis=1))
        other = self.open("rappanui", 4, seats=3, obs_format="flat", mask_dtype=np.int8)
        batch = other.restore(one.save())
        self.assertEqual(batch.observation.array.shape, (4, other.layout.size))
        self.assertEqual(batch.seeds.tolist(), [1, 2, 3, 4])
        self.assertFalse(batch.starts.any())
        fresh = self.open("rappanui", 4, seats=3, seed=9)
        fresh.reset()
        self.assertTrue(other.restore(fresh.save()).starts.all())
        one.send(one.action_masks()[:2].argmax(axis=1))
        with self.assertRaisesRegex(ValueError, "group 0 is in progress"):
            one.save()

    def test_what_no_save_states_is_refused(self) -> None:
        policy = ahu.batched(lambda batch: batch.masks.argmax(axis=1))
        for arguments, message in (
            ({"on_illegal": "random_legal"}, "expected on_illegal"),
            ({"players": [LEARNER, policy]}, "got a player of the client"),
        ):
            env = self.open("rappanui", 2, seats=2, **arguments)
            env.reset()
            with self.assertRaisesRegex(ValueError, message):
                env.save()


class SavesTravel(SideBySide):
    def test_a_save_goes_on_here_and_there(self) -> None:
        # Many requests are needed.
        self.enterContext(mock.patch.object(remote_engine, "_PART_BYTES", 500))
        pair = self.pair("rapanui_board", 30, players=[LEARNER, "random"], seed=5)
        batch = self.same(pair, lambda env: env.reset())
        for step in range(20):
            actions = pair[0].random_actions(batch, np.random.default_rng(step))
            batch = self.same(pair, lambda env: env.step(actions))
        saves = [env.save() for env in pair]
        self.assertEqual(*saves)
        self.assertGreater(len(saves[0]), 1500)
        for env in pair:
            env.reset()
        restored = self.same(pair, lambda env: env.restore(saves[0]))
        goes_on_alike(self, *pair, batch, restored, 3)


class States(unittest.TestCase):
    def open(self, game: str = "rappanui", num_envs: int = 3, **arguments: Any) -> VectorEnv:
        return self.enterContext(VectorEnv(game, num_envs, **arguments))

    def test_an_episode_goes_on_as_its_state_with_the_seed_of_the_state(self) -> None:
        for game, seats in (("rappanui", 3), ("rapanui_cards", 2), ("giants", 3), ("rapanui_board", 2)):
            states = []
            for seed in range(3):
                state = ahu.new_game(game, seats=seats, options=SHORT.get(game, {}), seed=seed)
                for step in range(10 + seed):
                    ids = state.legal_ids()
                    state.apply(ids[step % len(ids)])
                states.append(state)
            env = self.open(game, seats=seats, options=SHORT.get(game, {}), seed=1, autoreset="disabled")
            batch = env.reset(states=states, seeds=[state.seed for state in states])
            self.assertEqual(batch.seeds.tolist(), [0, 1, 2])
            saved = env.save()
            for _ in range(20):
                for row in np.flatnonzero(batch.masks.any(axis=1)):
                    seen = states[row].observation(int(batch.seats[row]))
                    self.assertEqual(batch.seats[row], states[row].to_act[0])
                    np.testing.assert_array_equal(batch.observation["bits"][row], seen.bits)
                    np.testing.assert_array_equal(batch.observation["numbers"][row], seen.numbers)
                    self.assertEqual(np.flatnonzero(batch.masks[row]).tolist(), seen.legal_ids)
                if not batch.masks.any(axis=1).all():
                    break
                actions = batch.masks.argmax(axis=1)
                for state, action in zip(states, actions, strict=True):
                    state.apply(int(action))
                batch = env.step(actions)
            twin = self.open(game, seats=seats, options=SHORT.get(game, {}), seed=1, autoreset="disabled")
            twin.restore(saved)
            self.assertEqual(twin.save(), saved)

    def test_chance_follows_from_the_seed_of_the_episode(self) -> None:
        state = ahu.new_game("rapanui_cards", seats=2, seed=1)
        env = self.open("rapanui_cards", 64, seats=2, seed=7)
        env.reset(states=[state] * 64)
        first = env.central()
        self.assertEqual(len(np.unique(first.packed, axis=0)), 1)
        for _ in range(30):
            env.step(env.action_masks().argmax(axis=1))
        self.assertGreater(len(np.unique(env.central().packed, axis=0)), 30)

    def test_other_states_are_refused_and_change_nothing(self) -> None:
        env = self.open(seats=3, seed=1)
        batch = env.reset()
        good = ahu.new_game("rappanui", seats=3, seed=1)
        over = ahu.new_game("rappanui", seats=3, seed=1)
        while not over.is_over:
            over.apply(over.legal_ids()[0])
        for other, message in (
            (ahu.new_game("rappanui", seats=2, seed=1), r"states\[1\]: expected a State of rappanui seats=3"),
            (ahu.new_game("rapanui_cards", seats=3, seed=1), "expected a State of rappanui"),
            (
                ahu.new_game("rappanui", seats=3, options={"combine_rule": "true"}, seed=1),
                "expected a State of rappanui",
            ),
            (over, r"states\[1\]: expected a State of a game in progress, got one that is over"),
        ):
            with self.assertRaisesRegex(ahu.ServiceError, message):
                env.reset(states=[good, other, good])
        with self.assertRaisesRegex(ValueError, "expected 3 states, one for each environment, got 2"):
            env.reset(states=[good, good])
        with self.assertRaisesRegex(ValueError, "no states for environments on a server"):
            VectorEnv("rappanui", 1, seats=3, address="127.0.0.1:1").reset(states=[good])
        env.step(batch.masks.argmax(axis=1))
        env.reset(states=[ahu.new_game("rappanui", seats=3, seed=1, history=False)] * 3)
        with self.assertRaisesRegex(ahu.ServiceError, "environment 0: it began at a State without a history"):
            env.save()


@in_process_too
class Truncation(ServerCase):
    def test_an_episode_is_truncated_after_so_many_decisions(self) -> None:
        for autoreset in ("same_step", "next_step", "disabled"):
            for rewards in ("rank", "margin_gain"):
                env = self.enterContext(
                    VectorEnv(
                        "rapanui_cards", 3, seats=3, players=[LEARNER, "greedy", LEARNER], max_decisions=10, seed=1,
                        autoreset=autoreset, rewards=rewards, address=self.address,
                    )
                )  # fmt: skip
                batch, paid = env.reset(), np.zeros((3, 3), np.float32)
                for _ in range(40):
                    batch = env.step(env.action_masks().argmax(axis=1))
                    paid += batch.rewards
                    if batch.ended.any():
                        break
                self.assertTrue(batch.truncated[batch.ended].all())
                for episode in batch.episodes:
                    self.assertTrue(episode.truncated)
                    self.assertEqual(episode.decision_count, 10)
                    self.assertEqual(list(episode.returns)[1], 0)
                    np.testing.assert_allclose(paid[episode.environment], list(episode.returns), atol=1e-5)
                    if rewards == "rank":
                        self.assertFalse(any(episode.returns))
                final = batch.final_steps
                self.assertEqual(final.seats.tolist(), [0, 2] * len(batch.episodes))
                self.assertTrue(final.observation["bits"].any(axis=1).all())

    def test_every_episode_has_a_decision_of_the_client(self) -> None:
        players = ["greedy", "greedy", LEARNER]
        env = self.enterContext(
            VectorEnv("rapanui_cards", 2, seats=3, players=players, max_decisions=1, address=self.address)
        )
        batch = env.step(env.reset().masks.argmax(axis=1))
        self.assertTrue(batch.truncated.all() and batch.masks.any(axis=1).all())

    def test_without_it_none_is(self) -> None:
        env = self.enterContext(VectorEnv("rappanui", 8, address=self.address, seed=1))
        env.reset()
        ended = 0
        while not ended:
            batch = env.step(env.action_masks().argmax(axis=1))
            ended += batch.ended.sum()
            self.assertFalse(batch.truncated.any())
        with self.assertRaisesRegex(ValueError, "expected max_decisions from 1 to"):
            VectorEnv("rappanui", max_decisions=0)

    def test_the_adapters_pass_it_on(self) -> None:
        from ahu.training.gymnasium import GymnasiumEnv, GymnasiumVectorEnv
        from ahu.training.pettingzoo import aec_env, parallel_env

        settings: dict[str, Any] = {"seats": 2, "max_decisions": 3, "address": self.address, "seed": 1}
        single = GymnasiumEnv("rappanui", **settings)
        vector = GymnasiumVectorEnv("rappanui", 2, **settings)
        masks = [single.reset()[1]["action_mask"]], vector.reset()[1]["action_mask"]
        for _ in range(2):
            ends = [single.step(masks[0][0].argmax())[2:4], vector.step(masks[1].argmax(axis=1))[2:4]]
            if np.any(ends[0]):
                break
            masks = [single.action_masks()], vector.action_masks()
        # The first environment of both has the same seed.
        self.assertEqual((ends[0], [end.tolist()[0] for end in ends[1]]), ((False, True), [False, True]))
        single.close()
        vector.close()
        table = aec_env("rappanui", **settings)
        table.reset()
        for _ in range(3):
            table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
        self.assertTrue(all(table.truncations.values()) and not any(table.terminations.values()))
        for _ in range(2):
            table.step(None)
        self.assertEqual(table.agents, [])
        table.close()
        both = parallel_env("rappanui", **settings)
        seen, _ = both.reset()
        for _ in range(3):
            seen, _, ended, truncated, _ = both.step(
                {agent: int(own["action_mask"].argmax()) for agent, own in seen.items()}
            )
        self.assertEqual((set(ended.values()), set(truncated.values()), both.agents), ({False}, {True}, []))
        both.close()


if __name__ == "__main__":
    unittest.main()
