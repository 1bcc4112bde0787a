"""Generalized advantages by seat, and the arrays from which loops compute them."""

import unittest

import numpy as np
from support import ServerCase, in_process_too

import ahu
from ahu.training import LEARNER, VectorEnv, seat_advantages


class Advantages(unittest.TestCase):
    """The advantages of two seats in one environment. The successor of a decision is the next decision of the same seat."""

    def advantages(
        self,
        seats: list[int],
        values: list[float],
        last: tuple[int, float],
        gae_lambda: float,
        end: tuple[int, tuple[float, float]] | None = None,
        forced: int | None = None,
        gamma: float = 1.0,
    ) -> list[float | None]:
        """Returns the advantage of each decision; None for a decision without an advantage. `end` is the step that ends the
        episode, and its rewards."""
        rewards, dones = np.zeros((len(seats), 1, 2), np.float32), np.zeros((len(seats), 1), np.bool_)
        if end is not None:
            rewards[end[0], 0], dones[end[0], 0] = end[1], True
        is_free = np.ones_like(dones)
        if forced is not None:
            is_free[forced] = False
        result, has = seat_advantages(
            rewards=rewards,
            dones=dones,
            values=np.array(values, np.float32)[:, None],
            seats=np.array(seats)[:, None],
            is_free=is_free,
            next_values=np.array([last[1]], np.float32),
            next_seats=np.array([last[0]]),
            gamma=gamma,
            gae_lambda=gae_lambda,
        )
        return [round(float(gain), 5) if known else None for gain, known in zip(result[:, 0], has[:, 0], strict=True)]

    def test_a_decision_leads_to_the_next_one_of_the_same_seat(self) -> None:
        # The second decision of seat 0 has no advantage, since the rollout ends before the seat decides again.
        self.assertEqual(self.advantages([0, 1, 1, 0], [0.1, 0.2, 0.4, 0.3], (1, 0.9), 0.0), [0.2, 0.2, 0.5, None])

    def test_the_lambda_counts_decisions_of_the_same_seat_alone(self) -> None:
        gains = self.advantages([0, 1, 1, 0], [0.1, 0.2, 0.4, 0.3], (1, 0.9), 0.5)
        self.assertEqual(gains, [0.2, 0.2 + 0.25, 0.5, None])

    def test_the_discount_counts_decisions_of_the_same_seat_alone(self) -> None:
        gains = self.advantages([0, 1, 0, 1], [0.5, 0.5, 1.0, 1.0], (0, 2.0), 0.0, gamma=0.5)
        self.assertEqual(gains, [0.0, 0.0, 0.0, None])

    def test_an_end_rewards_the_last_decision_of_every_seat(self) -> None:
        # The third decision belongs to the next episode, which does not count for the decisions before.
        gains = self.advantages([0, 1, 0], [0.1, 0.2, 0.3], (1, 0.9), 1.0, end=(1, (1, -1)))
        self.assertEqual(gains, [0.9, -1.2, None])

    def test_with_a_lambda_of_one_advantages_sum_up_to_the_return(self) -> None:
        gains = self.advantages([0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5], (0, 0.0), 1.0, end=(4, (1, -1)))
        self.assertEqual(gains, [0.9, -1.2, 0.7, -1.4, 0.5])

    def test_forced_decisions_are_passed_over(self) -> None:
        gains = self.advantages([0, 0, 0], [0.1, 7.0, 0.3], (0, 0.6), 0.0, forced=1)
        self.assertEqual(gains, [0.2, None, 0.3])


@in_process_too
class Rewards(ServerCase):
    def test_the_reward_is_that_of_the_seat_that_acted_although_the_next_episode_has_another(self) -> None:
        for autoreset in ("same_step", "next_step"):
            env = self.enterContext(
                VectorEnv(
                    "rappanui",
                    16,
                    players=(LEARNER, "greedy@2"),
                    rotation="episode",
                    seed=3,
                    autoreset=autoreset,  # type: ignore[arg-type]
                    address=self.address,
                )
            )
            rng, batch, returns, begun = np.random.default_rng(1), env.reset(), list[float](), 16
            self.assertTrue(batch.starts.all())
            self.assertFalse(batch.reward.any())
            while len(returns) < 200:
                acted = batch.seats.copy()
                batch = env.step(env.random_actions(batch, rng))
                np.testing.assert_array_equal(batch.reward, batch.rewards[np.arange(16), acted])
                begun += int(batch.starts.sum())
                returns += batch.reward[batch.ended].tolist()
                if autoreset == "same_step":
                    np.testing.assert_array_equal(batch.starts, batch.ended)
                if batch.final_steps is not None:
                    np.testing.assert_array_equal(batch.reward[batch.ended], batch.final_steps.returns)
            self.assertLess(np.mean(returns), -0.9, "random play loses against greedy@2")
            self.assertAlmostEqual(begun, 16 + len(returns), delta=16)

    def test_a_part_of_a_batch_keeps_both(self) -> None:
        env = self.enterContext(VectorEnv("rappanui", 6, seed=1, address=self.address))
        batch = env.reset()
        while not batch.ended.any():
            batch = env.step(batch.masks.argmax(axis=1))
        places = np.flatnonzero(batch.ended)
        part = batch.take(places)
        np.testing.assert_array_equal(part.reward, batch.reward[places])
        np.testing.assert_array_equal(part.starts, batch.starts[places])
        some = env.step(part.masks.argmax(axis=1), env_ids=part.env_ids)
        np.testing.assert_array_equal(some.reward, some.rewards[np.arange(len(some)), part.seats])

    def test_the_reward_is_the_same_when_it_is_read_late(self) -> None:
        env = self.enterContext(VectorEnv("rappanui", 4, groups=2, rewards="margin_gain", seed=1, address=self.address))
        rng, batches = np.random.default_rng(1), [env.reset(group=group) for group in range(2)]
        kept: list[tuple[ahu.Batch, object]] = []
        while len(kept) < 900:
            # The whole batch, a group, and some environments.
            acted = np.concatenate([batch.seats for batch in batches])
            whole = env.step(np.concatenate([env.random_actions(batch, rng) for batch in batches]))
            last = whole.take(np.arange(2, 4))
            env.send(env.random_actions(last, rng), group=1)
            group = env.recv()
            last = group.take(np.arange(1, 2))
            some = env.step(env.random_actions(last, rng), env_ids=last.env_ids)
            for batch, seats in ((whole, acted), (group, whole.seats[2:]), (some, last.seats)):
                kept.append((batch, batch.rewards[np.arange(len(batch)), seats]))
            batches = [whole.take(np.arange(2)), group.take(np.arange(1)), some]
        for batch, expected in kept:
            np.testing.assert_array_equal(batch.reward, expected)
        self.assertTrue(any(batch.reward.any() for batch, _ in kept))

    def test_players_among_others_are_told_when_their_episode_begins(self) -> None:
        asked: list[ahu.Batch] = []

        @ahu.batched
        def noting(batch: ahu.Batch) -> object:
            asked.append(batch)
            return batch.masks.argmax(axis=1)  # type: ignore[return-value]

        env = self.enterContext(VectorEnv("rappanui", 4, players=(noting, LEARNER), seed=1, address=self.address))
        batch, ended = env.reset(), 0
        while ended < 8:
            batch = env.step(batch.masks.argmax(axis=1))
            np.testing.assert_array_equal(batch.starts, batch.ended)
            ended += int(batch.ended.sum())
        begun = sum(int(own.starts.sum()) for own in asked)
        self.assertEqual(begun, 4 + ended)
        seen: set[int] = set()
        for own in asked:
            for environment, starts in zip(own.env_ids.tolist(), own.starts.tolist(), strict=True):
                self.assertTrue(starts or environment in seen)
                seen.add(environment)


if __name__ == "__main__":
    unittest.main()
