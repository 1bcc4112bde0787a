"""A seed means the same episode in an environment and in a match."""

import unittest
from collections.abc import Mapping
from typing import Any

import numpy as np
from support import SHORT, ServerCase

import ahu
from ahu.training import LEARNER, Batch, VectorEnv

FORMATS = ahu.ObservationFormats(tensor=True, mask=True)


class Episodes(ServerCase):
    def check(self, game: str, seat_count: int, bots: Mapping[int, str], seed: int, options: Mapping[str, Any]) -> None:
        """Plays an episode in this process and on a server, and a match with the same actions. Checks that observations,
        legal actions, and results are the same."""
        players = [bots.get(seat, LEARNER) for seat in range(seat_count)]
        envs = [
            self.enterContext(
                VectorEnv(
                    game,
                    seats=seat_count,
                    players=players,
                    options=options,
                    obs_format="packed",
                    autoreset="disabled",
                    rewards="points",
                    address=address,
                )
            )
            for address in (None, self.server.address)
        ]
        match = self.client.create_match(game, seat_count, bots=bots, seed=seed, options=options)
        seats = {seat.seat: seat for seat in (self.client.join(match.match_id) for _ in range(seat_count - len(bots)))}
        choices = np.random.default_rng(seed)
        batches = [env.reset(seed) for env in envs]
        for batch in batches:
            assert batch.seeds is not None
            self.assertEqual(batch.seeds.tolist(), [seed])
        while not batches[0].ended[0]:
            seat = seats[int(batches[0].seats[0])]
            observation = seat.observe(FORMATS, wait=30)
            # In the environment, bots decide first. The bots of the match may still think about a secret decision.
            while bots.keys() & set(observation.seats_to_act):
                observation = seat.observe(FORMATS, wait=30)
            for batch in batches:
                self.assertEqual((batch.ended[0], batch.seats[0]), (False, seat.seat))
                self.assert_shown(batch, 0, observation)
                self.assertEqual(observation.decision.mask, batch.packed_masks.tobytes())
            [action] = envs[0].random_actions(batches[0], choices)
            seat.step(int(action))
            batches = [env.step([action]) for env in envs]
        shown = {number: seat.observe(FORMATS, wait=30) for number, seat in seats.items()}
        for batch in batches:
            self.assertTrue(batch.ended[0])
            self.assert_ended(batch, shown)

    def assert_shown(self, batch: Batch, row: int, shown: ahu.client.Observation) -> None:
        observation = batch.observation
        self.assertEqual(shown.tensor.bits, observation["bits"][row].tobytes())
        self.assertEqual(shown.tensor.numbers, observation["numbers"][row].tobytes())

    def assert_ended(self, batch: Batch, shown: Mapping[int, ahu.client.Observation]) -> None:
        [episode], final_steps = batch.episodes, batch.final_steps
        assert final_steps is not None
        self.assertEqual(final_steps.seats.tolist(), sorted(shown))
        for row, seat in enumerate(final_steps.seats.tolist()):
            result = shown[seat].result
            self.assertEqual((list(episode.scores), list(episode.ranks)), (list(result.scores), list(result.ranks)))
            self.assertEqual(
                (final_steps.ranks[row], final_steps.returns[row]), (result.ranks[seat], result.scores[seat])
            )
            self.assertEqual(shown[seat].tensor.bits, final_steps.observation["bits"][row].tobytes())
            self.assertEqual(shown[seat].tensor.numbers, final_steps.observation["numbers"][row].tobytes())

    def test_where_the_client_plays_all(self) -> None:
        for game in self.client.list_games():
            # A long game is played in full only at its smallest table.
            for seat_count, options in ((game.min_seats, {}), (game.max_seats, SHORT.get(game.game, {}))):
                with self.subTest(game=game.game, seats=seat_count):
                    self.check(game.game, seat_count, {}, 2**63 + seat_count, options)

    def test_where_bots_play_too(self) -> None:
        for game, seat_count in self.tables():
            for bots in (dict.fromkeys(range(1, seat_count), "greedy"), {0: "random"}):
                with self.subTest(game=game, bots=bots):
                    self.check(game, seat_count, bots, 11, SHORT.get(game, {}))

    def test_with_other_options(self) -> None:
        for game in self.client.list_games():
            for option in self.client.get_game(game.game).options:
                value = other_value(option)
                if value is not None:
                    with self.subTest(game=game.game, option=option.key, value=value):
                        options = {**SHORT.get(game.game, {}), option.key: value}
                        self.check(game.game, game.min_seats, {}, 5, options)


def other_value(option: Any) -> str | None:
    """Returns a value of an option that is not a default at any table; None if the option has no such value."""
    kind = option.WhichOneof("kind")
    if kind == "flag":
        values = ["true", "false"]
    elif kind == "choice":
        values = list(option.choice.values)
    else:
        values = [str(option.number.min), str(option.number.max)]
    return next((value for value in values if value not in option.defaults), None)


if __name__ == "__main__":
    unittest.main()
