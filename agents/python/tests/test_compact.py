"""The compact text has the facts of the typed message, which the tests read on their own."""

import random
import re
import unittest
from collections.abc import Iterator
from typing import Any

from support import SHORT

import ahu
from ahu.errors import ServiceError

FOODS = ("fish", "mulberry", "sweet_potato", "grain")
KINDS = (*FOODS, "lumberjack", "priest", "moai")
SIGNS = dict(zip(KINDS, "fmsglpM", strict=True))
COLOURS = "?REWP"


def played(game: str, seats: int, seed: int, options: dict[str, str] = {}) -> Iterator[ahu.State]:
    """Yields the positions of a random game."""
    choices = random.Random(seed)
    state = ahu.new_game(game, seats=seats, options={**SHORT.get(game, {}), **options}, seed=seed)
    while not state.is_over:
        yield state
        seat = choices.choice(state.to_act)
        state.apply(choices.choice(state.legal_ids(seat)), seat)
    yield state


def slashed(*numbers: int) -> str:
    return "/".join(map(str, numbers))


def of_foods(counts: Any) -> str:
    return slashed(*(getattr(counts, food) for food in FOODS))


def of_sizes(counts: Any) -> str:
    return slashed(counts.small, counts.medium, counts.large)


def of_kinds(counts: Any) -> str:
    numbers = {kind: getattr(counts.gatherers if kind in FOODS else counts, kind) for kind in KINDS}
    return " ".join(SIGNS[kind] + (str(n) if n > 1 else "") for kind, n in numbers.items() if n) or "none"


def pile(cards: Any) -> str:
    """Returns the cards of a pile as the legend says."""
    suits: dict[str, str] = {}
    events: dict[str, int] = {}
    for card in cards:
        if card.value:
            sign = {10: "T", 11: "J", 12: "Q"}.get(card.value, str(card.value))
            suits[card.notation[0]] = suits.get(card.notation[0], card.notation[0]) + sign
        else:
            events[card.notation] = events.get(card.notation, 0) + 1
    parts = [*suits.values(), *(name if count == 1 else f"{name}*{count}" for name, count in events.items())]
    return " ".join(parts) or "none"


def names(cards: Any) -> str:
    return " ".join(card.notation for card in cards) or "nothing"


class Facts:
    """The lines and the items that a compact text has to have."""

    @staticmethod
    def rappanui(m: Any) -> Iterator[str]:
        yield f"points {slashed(*(p.points for p in m.players))}; cards {slashed(*(p.hand_count for p in m.players))}"
        yield f"deck {m.deck_count}, used up {m.passes} of 3 times, hand limit {m.hand_limit}"
        yield f"discarded {len(m.discard_pile)}: {pile(m.discard_pile)}"
        yield f"eroded {len(m.erosion_pile)}: {pile(m.erosion_pile)}"
        if m.HasField("viewer_seat"):
            yield f"you are seat {m.viewer_seat}; hand {names(m.hand)}"
        if m.laid:
            yield f"laid {names(m.laid)}"
        if m.surely_held:
            yield f": {pile(m.surely_held)}"
        if m.excess:
            yield f"to discard {m.excess}, in the order F, W, P, S, events"
        for player in m.players:
            if player.known_cards:
                yield f"seat {player.seat} has {names(player.known_cards)}"
        if m.phase not in (1, 6):
            yield f"seat {m.player_seat}: "

    @staticmethod
    def rapanui_cards(m: Any) -> Iterator[str]:
        columns = [
            f"{c.number} {' '.join([SIGNS[KINDS[k - 1]] for k in c.cards] + ['?'] * (c.card_count - len(c.cards))) or 'none'}"
            for c in m.columns
        ]
        yield f"columns {', '.join(columns)}; stack {m.stack_count}, Moai out of the game {m.boxed_moai}"
        by_seat = [
            slashed(*(getattr(p, name) for p in m.players))
            for name in ("points", "glory", "wood", "sacrifice_card_count")
        ]
        yield "by seat: points {}, glory {}, wood {}, sacrifice cards {}".format(*by_seat)
        yield "displays: " + ", ".join(f"seat {p.seat} {of_kinds(p.display)}" for p in m.players)
        yield f"supply {of_foods(m.supply)}"
        if m.stone.HasField("cards"):
            yield f"on the stone {of_foods(m.stone.cards)}"
        if m.HasField("worth"):
            yield f"a card is worth {of_foods(m.worth)}"
            for p in m.players:
                yield f"cards of seat {p.seat} {of_foods(p.sacrifice_cards)}"
            return
        top = SIGNS[FOODS[m.stone.top - 1]] if m.stone.top else ("face down" if m.stone.top_face_down else "empty")
        yield f"top of the stone {top}, {m.stone.hidden_card_count} laid face down so far"
        if m.HasField("viewer_seat"):
            own = m.players[m.viewer_seat]
            yield f"you are seat {m.viewer_seat}; hand {of_kinds(own.hand)}"
            yield f"your price in wood {of_foods(own.prices)}"
            yield f"your sacrifice cards {of_foods(own.sacrifice_cards)}"
            yield f"laid face down by you {of_foods(own.hidden_cards)}"

    @staticmethod
    def giants(m: Any) -> Iterator[str]:
        if m.HasField("viewer_seat"):
            yield f"you are seat {m.viewer_seat}"
        yield f"turn {m.turn}/{m.max_turns}, seat {m.first_seat} goes first"
        moai = slashed(*m.moai_left) if m.moai_left else "0/0/0"
        yield (
            f"to come: Moai {moai}, headdresses {m.headdresses_left}, half-tablets {m.halves_left}, logs {m.logs_left}"
        )
        if m.dice:
            yield f"dice {' '.join(map(str, m.dice))}"
        for p in m.players:
            behind = f"w{p.workers} TM{p.markers} lg{p.logs} ba{p.bases}" if p.HasField("workers") else "?"
            at = {
                area: "".join(s for s, spot in (("S", p.sorcerer), ("C", p.chief)) if spot.area == area)
                for area in (1, 2)
            }
            front = [f"w{p.workers_spent}"] * bool(p.workers_spent) + [f"TM{p.markers_spent}"] * bool(p.markers_spent)
            front += [at[2]] * bool(at[2])
            front += [piece.name for piece in m.pieces if piece.area == 2 and piece.owner_seat == p.seat]
            yield (
                f"seat {p.seat}: {p.points} points, {p.halves} half-tablets, behind {f'{behind} {at[1]}'.strip()}, "
                f"in front {' '.join(front) or 'nothing'}"
            )
        for ahu_ in m.ahus:
            owner = str(ahu_.base_seat) if ahu_.HasField("base_seat") else "?"
            if ahu_.moai:
                yield f"a{ahu_.number} {owner}:{ahu_.moai[0]}{'^' if ahu_.headdress else ''}"
            elif ahu_.HasField("base_seat"):
                yield f"a{ahu_.number} r{owner}"
        for hex_ in m.hexes:
            parts: list[str] = []
            for piece in m.pieces:
                if piece.area == 3 and piece.hex == hex_.number:
                    owner = piece.owner_seat
                    mark = "" if not piece.HasField("owner_seat") else f"={owner}" if piece.marked else f"-{owner}"
                    parts.append(piece.name + mark)
            for f in hex_.figures:
                workers = "" if not f.workers else "w" if f.workers == 1 else f"w{f.workers}"
                parts.append(f"{f.seat}{workers}{'S' * f.sorcerer}{'C' * f.chief}")
            if hex_.logs:
                parts.append(f"+{hex_.logs}")
            if parts:
                yield f"{hex_.number}: {' '.join(parts)}"
        cut = [str(h.number) for h in m.hexes if h.terrain == 6 and h.harvest == 0]
        if cut and m.logs_left:
            yield f"forests cut {', '.join(cut)}"

    @staticmethod
    def rapanui_board(m: Any) -> Iterator[str]:
        if m.HasField("viewer_seat"):
            yield f"you are seat {m.viewer_seat}"
        resources = ("reeds", "eggs", "wood", "pearls")
        for p in m.players:
            worth = str(p.offering_points) if p.HasField("offering_points") else "?"
            moai = " ".join([*"s" * p.moai.small, *"m" * p.moai.medium, *"l" * p.moai.large])
            line = (
                f"seat {p.seat}: {p.points} points, offerings worth {worth}, Resources "
                f"{slashed(*(getattr(p.resources, name) for name in resources))}, {p.villager_count} Villagers"
            )
            yield line + (f", transport {moai}" if moai else "")
            if p.sorcerer.place == 2:
                yield f"Sorcerer on star {p.sorcerer.star}"
            if p.chief.place == 4:
                yield f"Chief on space {p.chief.space}"
            if p.tablet:
                yield "tablet"
        offerings = ("hut", "chicken", "hatchet", "boat", "necklace")
        for s in m.stacks:
            values, outstanding = (" ".join(map(str, v)) or "-" for v in (s.values, s.outstanding_values))
            yield f"{offerings[s.type - 1]} {values} ({outstanding})"
        yield f"supply: Moai {of_sizes(m.supply)}, Pukao {m.pukao_count}"
        yield f"free in the quarry {of_sizes(m.free_quarry_places)}"
        if m.turn_order:
            yield f"turn order {', '.join(map(str, m.turn_order))}"
        yield f"empty ahus {m.empty_ahu_count}"
        if m.phase != 13:
            yield f"(at most {m.last_ahu_count} end the game)"
        for space in m.spaces:
            parts: list[str] = []
            if space.HasField("owner_seat"):
                some = lambda n, sign: "" if not n else sign if n == 1 else f"{n}{sign}"  # noqa: E731
                standing, lying = some(space.standing_count, "i"), some(space.lying_count, "_")
                parts.append(f"{space.owner_seat}:{standing}{lying}{'C' * space.chief}")
            letters = "l" * space.moai.large + "m" * space.moai.medium + "s" * space.moai.small
            if letters:
                parts.append(letters + "^" * space.styled_count)
            yield from parts
            if space.tiles or parts:
                yield f"{space.number} "


class TestCompact(unittest.TestCase):
    def test_the_facts_of_the_typed_message_stand_in_the_compact_text(self) -> None:
        for game in ("rappanui", "rapanui_cards", "giants", "rapanui_board"):
            looked = 0
            for seats in (2 + (game == "giants"), 4):
                for n, state in enumerate(played(game, seats, seats)):
                    if n % 3:
                        continue
                    for viewer in (None, *range(seats)):
                        text = state.text(viewer, "compact")
                        message = state.observation(viewer).typed
                        self.assertEqual(state.observation(viewer).compact, text)
                        for fact in getattr(Facts, game)(message):
                            looked += 1
                            self.assertIn(fact, text, f"{game}, viewer {viewer}")
            self.assertGreater(looked, 1000, game)

    def test_the_legend_stays_the_same_for_a_game(self) -> None:
        for game in ("rappanui", "rapanui_cards", "giants", "rapanui_board"):
            states = [*played(game, 4, 1)]
            legends = {state.text(viewer, "legend") for state in states for viewer in (None, 0, 3)}
            self.assertEqual(len(legends), 1, game)

    def test_the_legend_of_giants_has_every_neighbour_and_every_ahu(self) -> None:
        for board in ("v1", "tiny"):
            state = ahu.new_game("giants", seats=3, options={"board": board}, seed=1)
            message = state.observation().typed
            legend = state.text(None, "legend")
            neighbours: dict[int, set[int]] = {hex_.number: set() for hex_ in message.hexes}
            stretches = re.search(r"has them\. (.*)\.\n", legend)
            assert stretches is not None
            rows = [re.fullmatch(r"(\d+)-(\d+)(?: \(\+(\d+) \+(\d+)\))?", row) for row in stretches[1].split(", ")]
            for place, row in enumerate(rows):
                assert row is not None
                first, last = int(row[1]), int(row[2])
                after = rows[place + 1] if place + 1 < len(rows) else None
                for n in range(first, last + 1):
                    near = [n + 1] if n < last else []
                    if row[3] is not None and after is not None:
                        near += [n + int(row[s]) for s in (3, 4) if int(after[1]) <= n + int(row[s]) <= int(after[2])]
                    for other in near:
                        neighbours[n].add(other)
                        neighbours[other].add(n)
            self.assertEqual({h.number: set(h.neighbours) for h in message.hexes}, neighbours, board)
            for ahu_ in message.ahus:
                self.assertIn(f"a{ahu_.number} {ahu_.hex} {ahu_.moai_points}/{ahu_.headdress_points}", legend)
            for hex_ in message.hexes:
                if hex_.terrain == 6:
                    self.assertIn(f"{hex_.number} ({hex_.harvest})", legend)

    def test_the_legend_of_the_board_game_has_every_space(self) -> None:
        for seats in (2, 4):
            state = ahu.new_game("rapanui_board", seats=seats, seed=1)
            legend = state.text(None, "legend")
            for space in state.observation().typed.spaces:
                near = [str(n) for n in space.adjacent_spaces] + ["?CQ"[q] for q in space.adjacent_quarries]
                colours = "".join(COLOURS[colour] for colour in space.colours)
                self.assertIn(f"{space.number} {colours}: {' '.join(near)}", legend)

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
