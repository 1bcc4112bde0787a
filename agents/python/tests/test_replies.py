"""The replies of language models: what is read as an answer, and what a model is told of one that is not."""

import json
import unittest
from pathlib import Path

import ahu
from ahu.language import Style, Table, parse
from ahu.language._dialog import EXPECTED, Dialog
from ahu.language._reply import is_same

REPLIES = json.loads(Path(__file__).with_name("replies.json").read_text(encoding="utf-8"))
LEGAL = {3: "no meld", 4: "meld F7"}


class TestReplies(unittest.TestCase):
    def test_each_form_has_its_verdict(self) -> None:
        self.assertGreaterEqual(len(REPLIES), 60)
        for case in REPLIES:
            with self.subTest(**case):
                dialog = Dialog(0, Style(), "rappanui")
                is_cut = case.get("truncated", False)
                verdict, action = dialog.judge(parse(case["reply"], LEGAL.values(), truncated=is_cut), LEGAL, is_cut)
                self.assertEqual(verdict.kind, case["verdict"])
                self.assertEqual(action, 4 if verdict.kind == "accepted" else None)

    def test_what_is_not_read_says_what_was_expected(self) -> None:
        for reply, truncated in (("hello", False), ("hello", True)):
            table = Table(ahu.new_game("rappanui", seats=2, seed=1))
            seat = table.to_act()[0]
            self.assertIn(EXPECTED, table.answer(seat, reply, truncated=truncated).feedback)
            self.assertIn(EXPECTED, table.prompt(seat))
            self.assertIn("or end it with [ACTION]", table.rules(seat).lower().replace("[action]", "[ACTION]"))

    def test_a_refusal_says_why(self) -> None:
        state = ahu.new_game("rappanui", seats=2, seed=1)
        table = Table(state, style=Style(attempts=9))
        seat = table.to_act()[0]
        legal = {action.text for action in state.legal_actions(seat)}
        other = next(text for n in range(state.action_count) if (text := state.action_text(n)) not in legal)
        for reply, words in (
            (other, f'"{other}" is not legal now, so nothing has changed.'),
            (other.capitalize(), f'"{other.capitalize()}" is not legal now, so nothing has changed.'),
            ("fly away", '"fly away" is no action of the game (unknown action "fly"'),
        ):
            self.assertIn(words, table.answer(seat, f"[{reply}]").feedback)

    def test_no_action_begins_or_ends_with_a_mark_and_no_two_differ_in_capitals_alone(self) -> None:
        for summary in ahu.games():
            state = ahu.new_game(summary.game)
            texts = [state.action_text(n) for n in range(state.action_count)]
            self.assertEqual(len({text.lower() for text in texts}), len(texts), summary.game)
            for text in texts:
                self.assertTrue(is_same(f"**{text.upper()}**.", text))
                self.assertFalse(is_same(text[1:], text) or is_same(text[:-1], text), text)
