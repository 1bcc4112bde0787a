"""What a model earns beside random bots at a `Table`. The stall of a player with a clock is in tests/host/rewards.rs."""

import random
import statistics
import unittest

from support import SHORT
from test_language import texts_in

import ahu
from ahu.language import Style, Table

PLAYED = 24
"""The number of games of random actions, in each game and number of seats. The seeds are fixed, so each figure is."""

STYLE = Style(plan=False, attempts=1, max_legal=10_000)

OPTIONS: dict[str, dict[str, str]] = {**SHORT, "rapanui_board": {"max_rounds": "1"}}


def reward(game: str, seats: int, seed: int, player: str) -> float:
    """Plays a game of a model beside random bots, and returns the model's reward."""
    own = seed % seats
    state = ahu.new_game(game, seats=seats, seed=seed, options=OPTIONS.get(game, {}))
    table = Table(state, style=STYLE, bots={seat: "random" for seat in range(seats) if seat != own})
    choices = random.Random(f"{game} {seats} {seed}")
    while table.to_act():
        if player == "gives up":
            table.forfeit(own)
        elif player == "says nothing":
            table.answer(own, "")
        else:
            verdict = table.answer(own, f"[{choices.choice(texts_in(table.prompt(own)))}]")
            assert verdict.kind == "accepted", verdict
    return table.reward(own)


class TestRewards(unittest.TestCase):
    def test_a_forfeit_earns_less_than_random_bots_and_random_actions_earn_the_same(self) -> None:
        for summary in ahu.games():
            for seats in range(summary.min_seats, summary.max_seats + 1):
                with self.subTest(game=summary.game, seats=seats):
                    for player in ("gives up", "says nothing"):
                        rewards = [reward(summary.game, seats, seed, player) for seed in range(2 * seats)]
                        self.assertEqual(set(rewards), {-1.0})
                    rewards = [reward(summary.game, seats, seed, "random") for seed in range(PLAYED)]
                    error = statistics.stdev(rewards) / PLAYED**0.5
                    # The rewards of all seats of a game add up to 0, and each bot has the same share of them.
                    self.assertLess(abs(statistics.fmean(rewards)), 3 * error)
                    self.assertLess(error, 0.25)


if __name__ == "__main__":
    unittest.main()
