"""Whole matches against a server."""

import asyncio
import json
import unittest
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import support
from support import RandomAgent, ServerCase, play_seat

import ahu
import ahu.aio
from ahu.rappanui.v1 import rappanui_pb2 as rappanui
from ahu.v1 import catalog_service_pb2, catalog_service_pb2_grpc, match_service_pb2 as v1


def play_all(seats: Sequence[ahu.client.Seat], agents: Sequence[ahu.Agent]) -> list[ahu.SeatResult]:
    """Plays seats to the end, each on a thread of its own."""
    with ThreadPoolExecutor(len(seats)) as threads:
        return list(threads.map(play_seat, agents, seats))


class Playing(ServerCase):
    def play(self, agents: Sequence[ahu.Agent], bots: int) -> ahu.client.MatchResult:
        """Plays a match with seed 7 of these agents, and bots in the seats after them."""
        count = len(agents) + bots
        match = self.client.create_match(
            "rappanui", count, bots=dict.fromkeys(range(len(agents), count), "greedy"), seed=7
        )
        seats = [self.client.join(match.match_id, name=f"agent {i}") for i in range(len(agents))]
        results = [played.result for played in play_all(seats, agents)]
        self.assertTrue(all(result == results[0] for result in results))
        assert results[0] is not None
        return results[0]

    def test_agents_and_bots_finish_a_match_at_every_table(self) -> None:
        for agents, bots in ((1, 1), (2, 1), (3, 3)):
            result = self.play([RandomAgent(i) for i in range(agents)], bots)
            self.assertEqual(len(result.scores), agents + bots)
            self.assertEqual(min(result.ranks), 1)
            self.assertEqual(result.seed, "7")
            self.assertEqual(list(result.forfeits), [])

    def test_the_same_seed_and_choices_make_the_same_match(self) -> None:
        first, second = (self.play([RandomAgent(1), RandomAgent(2)], 1) for _ in range(2))
        self.assertEqual(first.fingerprint, second.fingerprint)
        other = self.play([RandomAgent(1), RandomAgent(3)], 1)
        self.assertNotEqual(first.fingerprint, other.fingerprint)

    def test_every_form_of_an_action_plays_the_same_match(self) -> None:
        class Forms(RandomAgent):
            formats = ahu.ObservationFormats(legal_actions=True, typed=True)

            def __init__(self, form) -> None:
                super().__init__(3)
                self._form = form

            def act(self, turn: ahu.Turn):
                return self._form(self._choices.choice(turn.legal))

        forms = (
            lambda action: action,
            lambda action: action.id,
            lambda action: action.text,
            lambda action: action.typed,
            lambda action: v1.Action(action_id=action.id),
        )
        fingerprints = {self.play([Forms(form)], 1).fingerprint for form in forms}
        self.assertEqual(len(fingerprints), 1)

    def test_every_form_of_an_observation_can_be_had(self) -> None:
        case, game = self, self.client.get_game("rappanui")

        class Looks(RandomAgent):
            formats = ahu.ObservationFormats(
                tensor=True, text=True, legal_ids=True, mask=True, typed=True, legal_actions=True
            )
            events = True
            last = 0

            def act(self, turn: ahu.Turn) -> int:
                case.assertIsInstance(turn.typed, rappanui.Observation)
                case.assertEqual(turn.typed.viewer_seat, turn.seat)
                case.assertEqual(len(turn.message.tensor.bits), 8 * -(-game.layout.bit_count // 64))
                case.assertEqual(len(turn.message.tensor.numbers), 2 * game.layout.number_count)
                case.assertIn("hand", turn.text.lower())
                case.assertEqual(tuple(action.id for action in turn.legal), turn.legal_ids)
                case.assertIsInstance(turn.legal[0].typed, rappanui.Action)
                case.assertTrue(all(turn.message.decision.mask[i // 8] >> i % 8 & 1 for i in turn.legal_ids))
                for event in turn.events:
                    case.assertEqual(event.number, self.last + 1, "none is left out, none comes twice")
                    self.last = event.number
                    case.assertIsInstance(ahu.unpack(event.typed), rappanui.Event)
                return super().act(turn)

        agent = Looks(1)
        self.play([agent], 2)
        self.assertGreater(agent.last, 50)

    def test_an_agent_is_told_of_start_and_end(self) -> None:
        calls: list[object] = []

        class Hooks(RandomAgent):
            def start(self, match: ahu.client.Match) -> None:
                calls.append([seat.name for seat in match.seats])

            def end(self, result: ahu.SeatResult) -> None:
                calls.append(result.result)

        result = self.play([Hooks(1)], 1)
        self.assertEqual(calls, [["agent 0", "greedy@2"], result])

    def test_an_illegal_action_is_an_error_that_names_the_legal_ones(self) -> None:
        class Wrong:
            formats = ahu.ObservationFormats(legal_actions=True)

            def __init__(self, choice: int | str) -> None:
                self._choice = choice

            def act(self, turn: ahu.Turn) -> int | str:
                return self._choice

        with self.assertRaisesRegex(ahu.IllegalAction, r'the agent chose 0\b.* Legal: 71 "no meld"') as caught:
            self.play([Wrong(0)], 1)
        self.assertEqual(caught.exception.reason, "ILLEGAL_ACTION")
        self.assertEqual(caught.exception.legal_ids, (71,))
        with self.assertRaisesRegex(ahu.IllegalAction, "the agent chose 'build a boat'.* Legal: ") as caught:
            self.play([Wrong("build a boat")], 1)
        self.assertEqual(caught.exception.reason, "BAD_ACTION")
        with self.assertRaises(ahu.IllegalAction) as caught:
            self.play([Wrong(100_000)], 1)
        self.assertEqual(caught.exception.reason, "UNKNOWN_ACTION")

    def test_an_action_that_comes_too_late_does_no_harm(self) -> None:
        """Another program at the same seat answers first."""

        class Late(RandomAgent):
            formats = ahu.ObservationFormats(legal_ids=True)
            late = 0

            def act(self, turn: ahu.Turn) -> int:
                first, *others = turn.legal_ids
                if not others:
                    return first
                seat.step(first, decision_id=turn.decision_id)
                self.late += 1
                return others[0]

        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        agent = Late()
        result = play_seat(agent, seat)
        self.assertGreater(agent.late, 10)
        self.assertIsNone(result.forfeit)

    def test_a_match_of_bots_alone_is_waited_for(self) -> None:
        match = self.client.create_match("rappanui", 6, bots=dict.fromkeys(range(6), "greedy"), seed=7)
        finished = self.client.get_match(match.match_id, wait=30)
        self.assertEqual((finished.state, finished.result.seed), (v1.MATCH_STATE_FINISHED, "7"))

    def test_a_wait_for_the_end_of_a_match_passes_without_an_error(self) -> None:
        match = self.client.create_match("rappanui", 2)
        self.assertEqual(self.client.get_match(match.match_id, wait=0.01).state, v1.MATCH_STATE_SEATING)

    def test_a_seat_that_has_forfeited_stops(self) -> None:
        class Forfeits(RandomAgent):
            acted = 0

            def act(self, turn: ahu.Turn) -> int:
                self.acted += 1
                if self.acted == 3:
                    try:
                        seat.step(next(i for i in range(1000) if i not in turn.legal_ids))
                    except ahu.IllegalAction as error:
                        assert error.metadata["strikes"] == "1"
                return turn.legal_ids[0]

        strict = ahu.client.Conduct(illegal="strike", strikes=1)
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7, conduct=strict)
        seat = self.client.join(match.match_id)
        agent = Forfeits()
        with self.assertLogs("ahu") as logs:
            played = play_seat(agent, seat)
        self.assertEqual((agent.acted, played.forfeit), (3, "illegal"))
        self.assertIn("has forfeited (illegal)", logs.output[0])
        result = self.client.get_match(match.match_id, wait=30).result
        self.assertEqual(([forfeit.seat for forfeit in result.forfeits], list(result.ranks)), ([0], [2, 1]))

    def test_a_coroutine_is_no_action(self) -> None:
        class Async:
            async def act(self, turn: ahu.Turn) -> int:
                return turn.legal_ids[0]

        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        with self.assertWarns(RuntimeWarning), self.assertRaisesRegex(TypeError, "coroutine"):
            play_seat(Async(), self.client.join(match.match_id))  # type: ignore[arg-type]


class PlayingByAsyncio(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.server = self.enterContext(ahu.launch())
        self.client = await self.enterAsyncContext(ahu.aio.Client(self.server.address))

    async def play(self, agents: Sequence[ahu.aio.Agent], bots: int) -> ahu.SeatResult:
        count = len(agents) + bots
        match = await self.client.create_match(
            "rappanui", count, bots=dict.fromkeys(range(len(agents), count), "greedy"), seed=7
        )
        seats = [await self.client.join(match.match_id) for _ in agents]
        playing = (ahu.aio.connect(agent, seat=seat) for agent, seat in zip(agents, seats, strict=True))
        results = [connected.result for connected in await asyncio.gather(*playing)]
        return results[0]

    async def test_agents_finish_a_match_at_every_table(self) -> None:
        class Async(RandomAgent):
            started = ended = 0

            async def start(self, match: ahu.client.Match) -> None:
                self.started += 1

            async def act(self, turn: ahu.Turn) -> int:  # type: ignore[override]
                await asyncio.sleep(0)
                return super().act(turn)

            async def end(self, result: ahu.SeatResult) -> None:
                self.ended += 1

        for agents, bots in ((1, 1), (2, 1), (3, 3)):
            players = [Async(i) for i in range(agents)]
            result = await self.play(players, bots)
            self.assertEqual(len(result.scores), agents + bots)
            self.assertTrue(all(player.started == player.ended == 1 for player in players))

    async def test_it_is_the_match_that_blocking_agents_play(self) -> None:
        result = await self.play([RandomAgent(1)], 1)

        def blocking() -> ahu.SeatResult:
            with ahu.client.Client(self.server.address) as client:
                match = client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
                return play_seat(RandomAgent(1), client.join(match.match_id))

        other = await asyncio.to_thread(blocking)
        assert result.result is not None and other.result is not None
        self.assertEqual(other.result.fingerprint, result.result.fingerprint)

    async def test_a_match_of_bots_alone_is_waited_for(self) -> None:
        match = await self.client.create_match("rappanui", 6, bots=dict.fromkeys(range(6), "greedy"), seed=7)
        finished = await self.client.get_match(match.match_id, wait=30)
        self.assertEqual((finished.state, finished.result.seed), (v1.MATCH_STATE_FINISHED, "7"))

    async def test_an_illegal_action_is_an_error(self) -> None:
        class Wrong:
            async def act(self, turn: ahu.Turn) -> str:
                return "build a boat"

        with self.assertRaisesRegex(ahu.IllegalAction, "build a boat.* Legal: 71"):
            await self.play([Wrong()], 1)

    async def test_every_call_is_there(self) -> None:
        self.assertEqual([game.game for game in await self.client.list_games()][:2], ["rappanui", "rapanui_cards"])
        self.assertEqual((await self.client.get_game("rappanui")).summary.max_seats, 6)
        self.assertGreater((await self.client.get_server_info()).limits.matches, 0)
        seat = await self.client.join(game="rappanui", seats=2)
        other = await self.client.join(seat.match_id)
        self.assertEqual([match.match_id async for match in self.client.list_matches()], [seat.match_id])
        observation = await seat.observe()
        to_act = seat if observation.HasField("decision") else other
        actions = await to_act.legal_actions(typed=True)
        self.assertTrue((await to_act.parse(actions[0].typed)).legal)
        self.assertEqual((await to_act.step(actions[0])).action_id, actions[0].id)
        with self.assertRaises(ahu.ServiceError) as caught:
            await to_act.record()
        self.assertEqual(caught.exception.reason, "MATCH_NOT_ENDED")
        self.assertEqual((await seat.match()).state, v1.MATCH_STATE_RUNNING)
        with self.assertRaises(ahu.ServiceError) as caught:
            await self.client.get_match("nowhere")
        self.assertEqual(caught.exception.reason, "UNKNOWN_MATCH")


class Calling(ServerCase):
    """Every call, and its refusals."""

    def refused(self, reason: str, call, *arguments, **named) -> ahu.ServiceError:
        """Checks that a call is refused with this reason, and returns the error."""
        with self.assertRaises(ahu.ServiceError) as caught:
            call(*arguments, **named)
        self.assertEqual(caught.exception.reason, reason)
        return caught.exception

    def test_the_catalog_says_what_can_be_played(self) -> None:
        self.assertIn("rappanui", [game.game for game in self.client.list_games()])
        game = self.client.get_game("rappanui")
        self.assertEqual(game.observation_message, "ahu.rappanui.v1.Observation")
        self.assertGreater(self.client.get_server_info().limits.matches, 0)

    def test_errors_say_what_is_wrong(self) -> None:
        error = self.refused("UNKNOWN_GAME", self.client.get_game, "chess")
        self.assertEqual((error.code, error.metadata), ("NOT_FOUND", {"game": "chess"}))
        error = self.refused("BAD_SEAT_COUNT", self.client.create_match, "rappanui", 9)
        self.assertEqual(error.field_violations[0].field, "seat_count")
        error = self.refused("BAD_OPTION", self.client.create_match, "rappanui", 2, options={"tie": "chess"})
        self.assertEqual(error.metadata, {"key": "tie"})
        self.refused("UNKNOWN_BOT", self.client.create_match, "rappanui", 2, bots={0: "deep blue"})
        self.refused("UNKNOWN_MATCH", self.client.get_match, "nowhere")

    def test_the_longest_error_arrives_whole(self) -> None:
        for character in "\U0001f5ff", "%", "\n", " ", '"', "x":
            error = self.refused(
                "BAD_OPTION", self.client.create_match, "rappanui", 2, options={character * 15_000: "x"}
            )
            self.assertEqual(error.code, "INVALID_ARGUMENT")
            self.assertTrue(error.message.endswith("...") and error.metadata["key"].endswith("..."))
            self.assertEqual(error.field_violations[0].field, "options")

    def test_a_seat_is_its_holders(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"})
        self.client.join(match.match_id, seat=0)
        self.refused("SEAT_TAKEN", self.client.join, match.match_id, seat=0)
        error = self.refused("WRONG_TOKEN", self.client.seat(match.match_id, 0, "guess").observe)
        self.assertEqual(error.code, "PERMISSION_DENIED")

    def test_options_are_those_of_the_match(self) -> None:
        options = {"combine_rule": True, "reshuffle": "eager"}
        match = self.client.create_match("rappanui", 2, options=options)
        self.assertEqual((match.options["combine_rule"], match.options["reshuffle"]), ("true", "eager"))

    def test_any_match_that_fits_is_joined(self) -> None:
        first = self.client.join(game="rappanui", seats=3, name="first")
        second = self.client.join(game="rappanui", seats=3, name="second")
        self.assertEqual((second.match_id, second.seat), (first.match_id, 1))
        other = self.client.join(game="rappanui", seats=2)
        self.assertNotEqual(other.match_id, first.match_id)
        with self.assertRaises(ValueError):
            self.client.join()
        with self.assertRaises(ValueError):
            self.client.join(first.match_id, game="rappanui")

    def test_matches_are_listed_page_by_page(self) -> None:
        made = [self.client.create_match("rappanui", 2, labels={"n": str(n % 2)}).match_id for n in range(5)]
        listed = [match.match_id for match in self.client.list_matches(page_size=2)]
        self.assertEqual([match_id for match_id in listed if match_id in made], made[::-1])
        odd = [match.match_id for match in self.client.list_matches(labels={"n": "1"}, page_size=1)]
        self.assertEqual(odd, [made[3], made[1]])
        finished = self.client.list_matches(state=v1.MATCH_STATE_FINISHED)
        self.assertFalse({match.match_id for match in finished} & set(made))

    def test_an_action_is_said_in_all_forms(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        parsed = seat.parse("no meld")
        self.assertTrue(parsed.legal)
        self.assertEqual(parsed.action.text, "no meld")
        self.assertEqual(seat.parse(parsed.action.action_id).action.text, "no meld")
        error = self.refused("BAD_ACTION", seat.parse, "meld Q7")
        self.assertIn("at", error.metadata)

    def test_a_step_may_be_sent_again(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        [action] = seat.legal_actions()
        self.assertEqual((seat.decision_id, action.text), (1, "no meld"))
        self.assertFalse(seat.step(action).replayed)
        self.assertTrue(seat.step(action, decision_id=1).replayed)
        self.refused("DECISION_TAKEN", seat.step, 72, decision_id=1)

    def test_a_step_waits_for_the_next_decision_and_has_a_comment(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        waited = seat.step("no meld", wait=30.0, comment="nothing\nto meld")
        self.assertEqual(waited.observation.decision.decision_id, 2)
        error = self.refused("BAD_FIELD", seat.step, 0, comment="x" * 2049)
        self.assertIn("at most 2048 bytes", error.message)
        play_seat(RandomAgent(1), seat)
        [comment] = self.client.get_record(match.match_id).comments
        self.assertEqual((comment.seat, comment.decision_id, comment.text), (0, 1, "nothing\nto meld"))

    def test_a_match_with_other_rules_than_expected_is_refused(self) -> None:
        game = self.client.get_game("rappanui")
        expected: dict[str, Any] = {"rules_version": game.summary.rules_version, "layout_hash": game.layout.hash}
        seat = self.client.join(self.client.create_match("rappanui", 2, **expected).match_id)
        seat.observe(ahu.ObservationFormats(**expected))
        error = self.refused("RULES_MISMATCH", self.client.create_match, "rappanui", 2, rules_version=99)
        self.assertEqual(error.metadata, {"expected": "99", "served": str(game.summary.rules_version)})
        self.refused("LAYOUT_MISMATCH", seat.observe, ahu.ObservationFormats(layout_hash=bytes(32)))

    def test_a_refusal_that_asks_to_wait_says_how_long(self) -> None:
        with ahu.launch(["--max-matches", "1"]) as server, ahu.client.Client(server.address) as client:
            client.create_match("rappanui", 2)
            with self.assertRaises(ahu.ServiceError) as caught:
                client.create_match("rappanui", 2)
        self.assertEqual((caught.exception.reason, caught.exception.retry_after), ("OVER_SHARE", 5.0))
        self.assertIsNone(self.refused("UNKNOWN_GAME", self.client.get_game, "chess").retry_after)

    def test_a_step_without_a_look_answers_the_decision_that_is_open(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        self.assertEqual(seat.step("no meld").decision_id, 1)

    def test_a_spectator_follows_a_match_without_a_seat(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        shown = self.client.observe(match.match_id, formats=ahu.ObservationFormats(text=True), events_after=0)
        self.assertFalse(shown.HasField("seat") or shown.HasField("decision"))
        self.assertEqual(len(shown.events), shown.event_count)
        self.assertNotEqual(shown.text, seat.observe(ahu.ObservationFormats(text=True)).text)
        own = self.client.observe(match.match_id, token=seat.token)
        self.assertEqual((own.seat, own.HasField("decision")), (0, True))
        seat.step("no meld")
        told = self.client.observe(match.match_id, events_after=shown.event_count, wait=20.0)
        self.assertEqual(told.events[0].number, shown.event_count + 1)
        self.assertEqual(len(told.events), told.event_count - shown.event_count)

    def test_records_are_whole_after_the_end(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, seed=7)
        seat = self.client.join(match.match_id)
        self.refused("MATCH_NOT_ENDED", seat.record)
        result = play_seat(RandomAgent(1), seat)
        record = self.client.get_record(match.match_id)
        self.assertEqual(seat.record(), record)
        assert result.result is not None
        self.assertIn(result.result.fingerprint.hex(), record.record.decode())
        binary = self.client.get_record(match.match_id, record_format=v1.RECORD_FORMAT_BINARY)
        self.assertEqual(ahu.State.from_record(binary.record).scores(), list(result.result.scores))


class Programs(ServerCase):
    """Agents as programs of their own."""

    def play(
        self,
        program: Path,
        *arguments: str,
        game: str = "rappanui",
        seats: int = 2,
        bot: str = "greedy",
        seed: int = 7,
        environment: dict[str, str] | None = None,
    ) -> tuple[str, ahu.client.MatchResult]:
        """Runs a program that plays against bots. Returns its output and the result."""
        match = self.client.create_match(game, seats, bots=dict.fromkeys(range(1, seats), bot), seed=seed)
        seat = self.client.join(match.match_id)
        variables = {**support.variables(self.server.address, seat), **(environment or {})}
        output = support.run_program(program, *arguments, environment=variables)
        ended = self.client.get_match(match.match_id)
        self.assertEqual(ended.state, v1.MATCH_STATE_FINISHED)
        self.assertEqual(list(ended.result.forfeits), [])
        return output, ended.result

    def test_the_examples_play(self) -> None:
        for program, game in (
            ("examples/random_agent.py", "rappanui"),
            ("examples/random_agent.py", "rapanui_cards"),
            ("examples/greedy_agent.py", "rappanui"),
            ("examples/random_agent.py", "giants"),
            ("examples/cards_agent.py", "rapanui_cards"),
            ("examples/giants_agent.py", "giants"),
            ("examples/random_agent.py", "rapanui_board"),
            ("examples/board_agent.py", "rapanui_board"),
            ("examples/search_agent.py", "rapanui_cards"),
            ("random_agent.py", "rappanui"),
            ("random_agent.py", "rapanui_cards"),
            ("random_agent.py", "giants"),
            ("random_agent.py", "rapanui_board"),
        ):
            arguments = ("5",) if program == "random_agent.py" else ()
            output, result = self.play(support.HERE / program, *arguments, game=game, seats=3)
            # The examples that play many matches print nothing.
            played = f"seat 0: {result.scores[0]} points, place {result.ranks[0]}\n"
            self.assertEqual(
                output, "" if program in ("examples/random_agent.py", "examples/search_agent.py") else played, program
            )

    def test_an_agent_without_stubs_plays_by_reflection(self) -> None:
        output, result = self.play(support.EXAMPLES / "reflection_agent.py")
        *observations, last = map(json.loads, output.splitlines())
        self.assertGreater(len(observations), 20)
        self.assertTrue(all(o["@type"].endswith("/ahu.rappanui.v1.Observation") for o in observations))
        self.assertTrue(all(len(o["players"]) == 2 and o["phase"] for o in observations))
        self.assertEqual(last["ranks"], list(result.ranks))

    def test_the_greedy_example_beats_the_random_one(self) -> None:
        _, greedy = self.play(support.EXAMPLES / "greedy_agent.py")
        _, random = self.play(support.EXAMPLES / "random_agent.py")
        self.assertGreater(greedy.scores[0], random.scores[0])

    def test_the_search_example_beats_the_bot_that_plays_on_in_its_search(self) -> None:
        for seats in (2, 3, 4):
            program = support.EXAMPLES / "search_agent.py"
            environment = {"AHU_AGENT_SEED": "1"}
            _, result = self.play(
                program, game="rapanui_cards", seats=seats, bot="greedy", seed=2, environment=environment
            )
            self.assertEqual(result.ranks[0], 1, f"{seats} seats: {result.scores}")

    def test_the_examples_win_at_every_table_by_their_typed_observations(self) -> None:
        for program, game, tables in (
            ("cards_agent.py", "rapanui_cards", (2, 3, 4)),
            ("giants_agent.py", "giants", (3, 4, 5)),
            ("board_agent.py", "rapanui_board", (2, 3, 4)),
        ):
            for seats in tables:
                # No example wins with every seed.
                _, result = self.play(support.EXAMPLES / program, game=game, seats=seats, bot="random", seed=2)
                self.assertEqual(result.ranks[0], 1, f"{game}, {seats} seats: {result.scores}")

    def test_a_program_can_have_a_match_of_its_own(self) -> None:
        first, second = (support.run_program(support.EXAMPLES / "local_match.py", "3") for _ in range(2))
        self.assertIn("greedy_agent", first)
        self.assertIn("fingerprint", first)
        self.assertEqual(first, second)


class Sockets(unittest.TestCase):
    def test_a_unix_socket_is_as_good(self) -> None:
        with TemporaryDirectory() as folder:
            path = f"{folder}/ahu.socket"
            with ahu.launch(["--uds", path]), ahu.client.Client(f"unix:{path}") as client:
                self.assertEqual(client.list_games()[0].game, "rappanui")

    def test_a_client_without_options_is_as_good(self) -> None:
        with TemporaryDirectory() as folder:
            path = f"{folder}/a socket %"
            with ahu.launch(["--uds", path]), grpc.insecure_channel(f"unix:{path}") as channel:
                catalog = catalog_service_pb2_grpc.CatalogServiceStub(channel)
                games = [catalog.ListGames(catalog_service_pb2.ListGamesRequest(), timeout=60).games for _ in range(2)]
                self.assertEqual([game.game for game in games[1]][:1], ["rappanui"])


if __name__ == "__main__":
    unittest.main()
