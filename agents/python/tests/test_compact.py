"""The compact text in Python. tests/rules/reading.rs checks that it has every fact of the typed message."""

import random
import unittest
from collections.abc import Iterator

from support import SHORT

import ahu
from ahu._errors import ServiceError


def played(game: str, seats: int, seed: int, options: dict[str, str] = {}) -> Iterator[ahu.State]:
    """Yields the positions of a random game."""
    choices = random.Random(seed)
    state = ahu.new_game(game, seats=seats, options={**SHORT.get(game, {}), **options}, seed=seed)
    while not state.is_over:
        yield state
        seat = choices.choice(state.to_act)
        state.apply(choices.choice(state.legal_ids(seat)), seat)
    yield state


class TestCompact(unittest.TestCase):
    def test_the_legend_stays_the_same_for_a_game(self) -> None:
        for game in ("rappanui", "rapanui_cards", "giants", "rapanui_board"):
            states = [*played(game, 4, 1)]
            legends = {state.text(viewer, "legend") for state in states for viewer in (None, 0, 3)}
            self.assertEqual(len(legends), 1, game)

    def test_the_compact_text_is_the_same_on_a_server_and_no_longer_than_half(self) -> None:
        with ahu.launch() as server, ahu.client.Client(server.address) as client:
            for summary in client.list_games():
                created = client.create_match(summary.game, summary.min_seats, seed=5)
                seats = [client.join(created.match_id, seat=n) for n in range(summary.min_seats)]
                state = ahu.new_game(summary.game, seats=summary.min_seats, seed=5)
                formats = ahu.ObservationFormats(compact=True, compact_legend=True, text=True)
                for seat in seats:
                    seen = seat.observe(formats)
                    self.assertEqual(seen.compact, state.text(seat.seat, "compact"))
                    self.assertEqual(seen.compact_legend, state.text(seat.seat, "legend"))
                    self.assertEqual(seen.text, state.text(seat.seat))

    def test_an_unknown_form_is_refused(self) -> None:
        state = ahu.new_game("rappanui", seed=1)
        with self.assertRaisesRegex(ServiceError, 'expected table, compact, or legend, got "short"'):
            state.text(0, "short")
