"""Questions by their changes, plans that wait for others, answers by tools, and many tables in one event loop."""

import asyncio
import copy
import json
import random
import unittest
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from support import SHORT, ServerCase
from test_episodes import other_value
from test_language import by_script, chosen, scripted, texts_in

import ahu
import ahu.aio
from ahu.language import Completion, LanguageAgent, Message, Style, Table
from ahu.language._dialog import WAIT, Dialog
from ahu.language._listing import changes
from ahu.training import _catalog as catalog

OPTIONS: dict[str, dict[str, str]] = {**SHORT, "rapanui_board": {"max_rounds": "3"}}
LEGAL = {1: "pass", 2: "play"}
WHOLE, CHANGED = "The table now:\n", "The changes of the table:\n"


def every_table() -> Iterator[tuple[str, int, dict[str, str]]]:
    """Yields all games with all numbers of seats, each with options that are drawn."""
    draws = random.Random(8)
    for game in ahu.games():
        known = catalog.find(game.game)
        assert known is not None, "the package has the game"
        others = {option.key: value for option in known.options if (value := other_value(option)) is not None}
        for seats in range(game.min_seats, game.max_seats + 1):
            drawn = {key: value for key, value in others.items() if draws.random() < 0.3}
            for options in (OPTIONS.get(game.game, {}), {**OPTIONS.get(game.game, {}), **drawn}):
                try:
                    ahu.new_game(game.game, seats=seats, seed=1, options=options)
                except ahu.ServiceError:
                    # Some options exclude each other.
                    options = OPTIONS.get(game.game, {})
                yield game.game, seats, options


def rebuilt(before: str, lines: list[str]) -> str:
    """Returns the text that the changes of an earlier one tell of, by the rule that a model is told."""
    instead: dict[int, list[str]] = {}
    for line in lines:
        number, is_replaced, text = line.partition(": ")
        if is_replaced and number.isdecimal():
            instead.setdefault(int(number), []).append(text)
        else:
            instead[int(line.removesuffix(" is gone"))] = []
    old = before.split("\n")
    assert set(instead) <= set(range(1, len(old) + 1)), lines
    return "\n".join(text for n, line in enumerate(old, 1) for text in instead.get(n, [line]))


class Reader:
    """A reader of the questions of a seat, who knows those before."""

    def __init__(self) -> None:
        self.table = ""
        self.changed = 0

    def whole(self, question: str) -> str:
        """Returns a question as it is without changes."""
        for head in (WHOLE, CHANGED):
            before, has_head, rest = question.partition(head)
            if has_head:
                told, gap, after = rest.partition("\n\n")
                lines = [] if told == "none" else told.split("\n")
                self.changed += head == CHANGED
                self.table = told if head == WHOLE else rebuilt(self.table, lines)
                return f"{before}{WHOLE}{self.table}{gap}{after}"
        raise AssertionError(question)


class TestChanges(unittest.TestCase):
    def test_the_question_before_and_the_changes_make_the_whole_question(self) -> None:
        # What stands in the changes is so of the questions that the seat is shown in any case: a line of the present table, or the
        # number of a line of the one before.
        for game, seats, options in every_table():
            with self.subTest(game=game, seats=seats, options=options):
                state = ahu.new_game(game, seats=seats, options=options, seed=seats)
                style = Style(attempts=3, legal="list")
                table = Table(state, style=Style(attempts=3, changes=True))
                twin = Table(state.clone(), style=style)
                draws, readers, asked = random.Random(seats), [Reader() for _ in range(seats)], 0
                while (to_act := table.to_act()) and asked < 150:
                    self.assertEqual(twin.to_act(), to_act)
                    seat, asked = draws.choice(to_act), asked + 1
                    # Some are asked for nothing, some twice, and some are told wrong answers.
                    if draws.random() < 0.1:
                        table.prompt(seat)
                        table.delegate(seat)
                        twin.delegate(seat)
                        continue
                    question, expected = table.prompt(seat), twin.prompt(seat)
                    self.assertEqual(table.prompt(seat), question)
                    self.assertEqual(readers[seat].whole(question), expected)
                    self.assertLessEqual(len(question), len(expected))
                    texts = texts_in(expected)
                    plan = ["fly"] if draws.random() < 0.1 else [draws.choice(texts) for _ in range(3)]
                    self.assertEqual(table.answer(seat, actions=plan), twin.answer(seat, actions=plan))
                    if plan == ["fly"] and seat in table.to_act():
                        self.assertIn(f"{WHOLE}{state.text(seat, 'compact').rstrip()}\n", table.prompt(seat))
                self.assertGreater(sum(reader.changed for reader in readers), asked // 4)

    def test_any_text_is_told_by_the_lines_of_any_other(self) -> None:
        draws = random.Random(3)
        for _ in range(2000):
            before, now = ("\n".join(draws.choices(["a", "b", "3: c", "", "1 is gone"], k=n)) for n in (5, 4))
            self.assertEqual(rebuilt(before, changes(before, now)), now)
            longer = f"{now}\n{before}\n{now}"
            self.assertEqual(rebuilt(before, changes(before, longer)), longer)
        self.assertEqual(changes("a\nb\nc", "a\nd\nc"), ["2: d"])
        self.assertEqual(changes("a\nb\nc", "a\nc"), ["2 is gone"])
        self.assertEqual(changes("a\nc", "z\na\nb\nc"), ["1: z", "1: a", "1: b"])
        self.assertEqual(changes("a", "a"), [])

    def test_the_base_is_the_last_question_with_an_accepted_answer(self) -> None:
        dialog = Dialog(0, Style(changes=True, attempts=9), "rappanui")
        long = "\n".join(f"a line of the table with the number {n}" for n in range(5))

        def told(table: str) -> str:
            return dialog.prompt(table, LEGAL, 1).split("\n\nLegal")[0].split("\n\n")[0]

        self.assertEqual(told(long), WHOLE + long)
        self.assertEqual(told(long), WHOLE + long, "no answer came")
        dialog.accept(["pass"])
        self.assertEqual(told(f"{long}\nmore"), f"{CHANGED}5: a line of the table with the number 4\n5: more")
        dialog.accept([])
        self.assertEqual(told(long), f"{CHANGED}none", "an action without an answer was in no chat")
        dialog.refuse(dialog.judge(None, LEGAL, False)[0])
        self.assertEqual(told(long), WHOLE + long, "the chat may not have the refused answer")
        dialog.accept(["pass"])
        self.assertEqual(told("other"), f"{WHOLE}other", "the changes are longer than the table")
        self.assertIn("`3 is gone`", Table(ahu.new_game("rappanui", seed=1), style=Style(changes=True)).rules(0))
        self.assertNotIn("is gone", Table(ahu.new_game("rappanui", seed=1)).rules(0))

    def test_an_agent_hands_on_the_chat(self) -> None:
        chats: list[list[Message]] = []

        def thinking(messages: list[Message]) -> str:
            chats.append(messages)
            if len(chats) == 4:
                return "hello"
            return f"<think>{'much ' * 50}</think>\n{scripted(messages).text}"

        with TemporaryDirectory() as folder:
            path = Path(folder) / "chat.jsonl"
            agent = LanguageAgent(thinking, style=Style(changes=True, plan=False), transcript=path)
            played = ahu.play("rapanui_cards", [agent, "greedy"], seed=4)
            tries = [json.loads(line) for line in path.read_text().splitlines()[1:]]
            again = ahu.play("rapanui_cards", [agent, "greedy"], seed=5)
        plain = ahu.play("rapanui_cards", [LanguageAgent(scripted, style=Style(plan=False)), "greedy"], seed=4)
        self.assertEqual((played.scores, played.usage[0].calls), (plain.scores, plain.usage[0].calls + 1))
        accepted = [n for n, told in enumerate(tries) if told["verdict"] == "accepted"]
        self.assertEqual(len(accepted), len(tries) - 1)
        for n, told in enumerate(tries):
            before = [at for at in accepted if at < n]
            roles = ["system", *["user", "assistant"] * len(before), "user"]
            self.assertEqual([message["role"] for message in chats[n]], roles)
            questions = [message["content"] for message in chats[n] if message["role"] == "user"]
            self.assertEqual(questions, [tries[at]["prompt"] for at in before] + [told["prompt"]])
            self.assertNotIn("much", "".join(message["content"] for message in chats[n][1:]))
        self.assertIn(CHANGED, chats[1][-1]["content"])
        self.assertIn(WHOLE, chats[4][-1]["content"], "after a refused answer")
        self.assertEqual(len(chats[len(tries)]), 2, "another match begins another chat")
        self.assertGreater(again.usage[0].calls, 0)


class TestPlansThatWait(unittest.TestCase):
    def test_a_plan_with_waits_goes_on_after_others_have_acted(self) -> None:
        for game, most in (("giants", 0.6), ("rapanui_board", 0.6), ("rapanui_cards", 0.8), ("rappanui", 1.0)):
            with self.subTest(game=game):
                questions: dict[bool, int] = {}
                for waits in (False, True):
                    seats = 3
                    state = ahu.new_game(game, seats=seats, seed=2, options=OPTIONS.get(game, {}))
                    table = Table(state, bots=dict.fromkeys(range(1, seats), "greedy"))
                    questions[waits] = 0
                    while table.to_act():
                        questions[waits] += 1
                        note = "Your plan ended" in table.prompt(0)
                        plan = _future(state, dict(table._place._decisions), 6)
                        given = plan if waits else [entry for entry in plan if entry != WAIT]
                        applied = table.answer(0, actions=given).applied
                        if waits:
                            self.assertFalse(note)
                            self.assertEqual(list(applied), [entry for entry in plan if entry != WAIT])
                self.assertLess(questions[True], most * questions[False])

    def test_a_wait_lasts_until_the_next_choice(self) -> None:
        dialog = Dialog(1, Style(), "rappanui")
        dialog.accept(["pass", "Wait.", "play", "pass"])
        dialog.tell([("seat 2 acts", [2]), ("seat 0 acts", [0])])
        dialog.end_plan()
        self.assertEqual(dialog.silent({7: "forced"}), (7, False))
        dialog.tell([("seat 2 acts", [2])])
        self.assertEqual(dialog.silent(LEGAL), (2, True))
        dialog.tell([("seat 2 acts", [2])])
        self.assertIsNone(dialog.silent(LEGAL), "there was no wait before the last action")
        self.assertIn('before "pass", since seat 2 acted', dialog.prompt("table", LEGAL, 1))
        dialog.accept(["pass", "wait", "play", "wait"])
        self.assertEqual(dialog.silent({2: "play"}), (2, True), "a forced action may be planned")
        self.assertIsNone(dialog.silent(LEGAL))
        self.assertNotIn("Your plan", dialog.prompt("table", LEGAL, 1))
        dialog.accept(["pass", "wait", "fly"])
        self.assertIsNone(dialog.silent(LEGAL))
        self.assertIn('Your plan ended at "fly"', dialog.prompt("table", LEGAL, 1))
        alone = Dialog(1, Style(plan=False), "rappanui")
        alone.accept(["pass", "wait", "play"])
        self.assertIsNone(alone.silent(LEGAL))

    def test_no_game_has_the_action(self) -> None:
        for game in ahu.games():
            table = Table(ahu.new_game(game.game, seed=1))
            [seat, *_] = table.to_act()
            self.assertIn("is no action of the game", table.answer(seat, f"[{WAIT}]").feedback)
            self.assertIn("`wait`", table.rules(seat))
            self.assertNotIn("`wait`", Table(ahu.new_game(game.game, seed=1), style=Style(plan=False)).rules(0))


def _future(state: ahu.State, decisions: dict[int, int], most: int) -> list[str]:
    """Returns the next choices of seat 0 against greedy as it will come, with a wait wherever another seat acts in between."""
    clone, plan, has_acted = state.clone(), list[str](), False
    while not clone.is_over and len(plan) < most:
        seat = clone.to_act[0]
        legal = clone.legal_ids(seat)
        action = clone._bot_choice(seat, "greedy", decisions[seat])
        decisions[seat] += 1
        if seat == 0 and len(legal) > 1:
            plan += [WAIT] if plan and has_acted else []
            plan.append(clone.action_text(action))
            has_acted = False
        told: list[ahu.StateEvent] = []
        clone.apply(action, seat, told)
        has_acted |= 0 not in clone.to_act or any(set(event.actor_seats) - {0} for event in told)
    return plan


class TestBotsOfATable(unittest.TestCase):
    def test_a_bot_chooses_from_what_its_seat_sees(self) -> None:
        for game in ahu.games():
            state, looked = ahu.new_game(game.game, seed=4, options=OPTIONS.get(game.game, {})), 0
            while not state.is_over:
                seat = state.to_act[0]
                legal = state.legal_ids(seat)
                if state.plies % 5 == 0 and len(legal) > 1:
                    looked += 1
                    for bot in ("random", "greedy", "search:4"):
                        ones = (state.clone(seed=9), state.resample(seat, looked).clone(seed=9))
                        choices = [one._bot_choice(seat, bot, looked) for one in ones]
                        self.assertEqual(*choices)
                        self.assertIn(choices[0], legal)
                state.apply(legal[looked % len(legal)], seat)
            self.assertGreater(looked, 3, game.game)
        state = ahu.new_game("rappanui", seats=2, seed=1)
        with self.assertRaisesRegex(ahu.ServiceError, "wise"):
            state._bot_choice(state.to_act[0], "wise", 1)
        with self.assertRaises(ahu.ServiceError):
            state._bot_choice(1 - state.to_act[0], "greedy", 1)


class TestAnswersByTools(unittest.TestCase):
    def test_actions_have_the_verdicts_of_texts(self) -> None:
        for given, kind in ((["fly"], "illegal"), ([], "unreadable"), (["", "..."], "unreadable"), (None, "accepted")):
            by_text, by_tool = (Table(ahu.new_game("rapanui_cards", seats=2, seed=1)) for _ in range(2))
            [seat, *_] = by_text.to_act()
            actions = texts_in(by_text.prompt(seat))[:1] if given is None else given
            verdict = by_tool.answer(seat, actions=actions, decision=by_tool.decision(seat))
            self.assertEqual(verdict, by_text.answer(seat, json.dumps({"actions": actions})))
            self.assertEqual(verdict.kind, kind)
        table = Table(ahu.new_game("rapanui_cards", seats=2, seed=1), style=Style(attempts=1))
        seat = table.to_act()[0]
        legal = texts_in(table.prompt(seat))[0]
        self.assertEqual(
            table.answer(seat, actions=[f"x] [{legal}"]).fault, "illegal", "a text in an action is no form"
        )
        self.assertEqual(table.forfeited, (seat,))

    def test_either_a_reply_or_actions(self) -> None:
        table = Table(ahu.new_game("rapanui_cards", seats=2, seed=1))
        seat = table.to_act()[0]
        for reply, actions in ((None, None), ("[x]", ["x"]), (None, "pass"), (None, [7]), (None, [None])):
            with self.assertRaisesRegex(TypeError, "expected a reply as a text, or a list of actions, got"):
                table.answer(seat, reply, actions=actions)  # pyright: ignore[reportArgumentType]
        self.assertEqual(table.decision(seat), 1)


class TestManyTables(ServerCase):
    def test_seats_of_many_matches_are_asked_in_one_event_loop(self) -> None:
        games = 12

        async def play() -> list[ahu.aio.Connected]:
            everyone, asked = asyncio.Event(), set[str]()

            async def waiting(messages: list[Message]) -> Completion:
                # No match goes on before each match has asked: a call that blocked the loop would be the last one.
                asked.add(str(len(asked)))
                if len(asked) == games:
                    everyone.set()
                await asyncio.wait_for(everyone.wait(), 60)
                return scripted(messages)

            agent = LanguageAgent(waiting, style=Style(plan=False))
            async with ahu.aio.Client(self.server.address) as client:
                created = [
                    await client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=n) for n in range(games)
                ]
                seats = [await client.join(match.match_id, seat=0) for match in created]
                played = await asyncio.gather(*(ahu.aio.connect(copy.deepcopy(agent), seat=seat) for seat in seats))
            self.assertEqual(agent.usage().calls, agent.usage().accepted)
            return played

        for seed, connected in enumerate(asyncio.run(play())):
            direct = ahu.play("rapanui_cards", [by_script, "greedy"], seed=seed)
            assert connected.result is not None
            self.assertEqual(tuple(connected.result.scores), direct.scores)

    def test_a_plain_function_and_a_forfeit_too(self) -> None:
        async def play(agent: LanguageAgent) -> ahu.SeatResult | None:
            async with ahu.aio.Client(self.server.address) as client:
                match = await client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=1)
                return (await ahu.aio.connect(agent, seat=await client.join(match.match_id, seat=0))).result

        done = asyncio.run(play(LanguageAgent(scripted)))
        assert done is not None
        self.assertIsNone(done.forfeit)
        lost = asyncio.run(play(LanguageAgent(lambda messages: "hello")))
        assert lost is not None
        self.assertEqual(lost.forfeit, "resigned")

        class Own(LanguageAgent):
            """Decides by itself, and asks no model."""

            def act(self, turn: ahu.Turn, /) -> int:
                return turn.legal_ids[0]

        done = asyncio.run(play(own := Own(lambda messages: "hello")))
        assert done is not None
        self.assertEqual((done.forfeit, own.usage().calls), (None, 0))

    def test_a_plan_that_waits_goes_on_at_a_server(self) -> None:
        asked: list[int] = []
        for place in ("server", "state"):
            state = ahu.new_game("giants", seats=3, seed=3, options=SHORT["giants"])
            bots = {1: "greedy", 2: "greedy"}
            if place == "server":
                created = self.client.create_match("giants", 3, options=SHORT["giants"], bots=bots, seed=3)
                table = Table(self.client.join(created.match_id, seat=0))
            else:
                table = Table(state.clone(), bots=bots)
            asked.append(0)
            while not table.is_over:
                for seat in table.to_act():
                    asked[-1] += 1
                    prompt = table.prompt(seat)
                    choice = chosen(seat, texts_in(prompt))
                    given = [choice, WAIT, *["place worker", "at 9", WAIT] * 3, "pass"]
                    self.assertEqual(table.answer(seat, actions=given).kind, "accepted")
        self.assertEqual(asked[0], asked[1])


if __name__ == "__main__":
    unittest.main()
