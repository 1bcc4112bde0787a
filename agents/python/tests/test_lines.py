"""Programs of the line protocol as remote agents. In tests/service/compete.rs such a program plays with a key."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import support

import ahu
from ahu import lines
from ahu.v1 import match_service_pb2 as v1

FIRST = """
import json, sys
for line in sys.stdin:
    turn = json.loads(line)
    if turn["type"] == "decide":
        {before}
        print({answer}, flush=True)
"""
"""A program that plays the first legal action, with a statement before each answer."""


STRICT = ahu.client.Conduct(illegal="strike", strikes=1)


def program(answer: str = 'turn["legal"][0]["action_id"]', before: str = "pass") -> str:
    """Returns the command of a program that answers with the value of the expression `answer`."""
    code = FIRST.format(answer=answer, before=before)
    return f"{sys.executable} -c '{code}'"


class Lines(support.ServerCase):
    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def seat(self, game: str = "rappanui", seats: int = 2, **options: Any) -> ahu.client.Seat:
        """Returns seat 1 of a match against greedy."""
        bots = {seat: "greedy" for seat in range(seats) if seat != 1}
        return self.client.join(self.client.create_match(game, seats, bots=bots, seed=11, **options).match_id)

    def told(self, file: str) -> list[dict[str, Any]]:
        """Returns the lines that a program was told, without the values that differ between matches."""
        told = [json.loads(line) for line in (self.folder / file).read_text().splitlines()]
        for line in told:
            # All seats of Giants bid at the same time, and the progress of the other seats differs.
            is_bid = line.get("typed", {}).get("phase") == "PHASE_BID"
            for key in ("match", "clock", "clocks", *(("text", "typed", "view") if is_bid else ())):
                line.pop(key, None)
        return told

    def test_a_program_is_told_what_ahu_play_tells(self) -> None:
        for game, seats in ((game.game, game.min_seats) for game in self.client.list_games()):
            with self.subTest(game):
                here, there = f"tee {self.folder}/here | {program()}", f"tee {self.folder}/there | {program()}"
                players = [f"jsonl:{here}" if seat == 1 else "greedy" for seat in range(seats)]
                arguments = ["play", game, *players, "--seed", "11", "--json", "--strict"]
                played = subprocess.run([ahu.find_program(), *arguments], capture_output=True, text=True)
                self.assertEqual(played.returncode, 0, played.stderr)

                result = lines.play(there, self.seat(game, seats))

                told = self.told("there")
                self.assertEqual(told, self.told("here"))
                self.assertEqual([told[0]["type"], told[-1]["type"]], ["start", "end"])
                self.assertEqual(told[-1]["result"]["scores"], list(result.scores))
                self.assertGreater(len(told), 10)

    def test_clocks_are_told_in_milliseconds(self) -> None:
        control = ahu.client.TimeControl(limit=60, bank=120, increment=0.5)
        lines.play(f"tee {self.folder}/told | {program()}", self.seat(time_control=control))
        start, decide, *_ = [json.loads(line) for line in (self.folder / "told").read_text().splitlines()]
        expected = {"startup_ms": 0, "limit_ms": 60_000, "bank_ms": 120_000, "increment_ms": 500, "lag_ms": 200}
        self.assertEqual(start["clocks"][1], expected)
        self.assertEqual(decide["clock"]["banks_ms"], [None, 120_000])
        self.assertLessEqual(decide["clock"]["left_ms"], 60_200)

    def test_lines_that_are_no_answers_are_skipped(self) -> None:
        strays = ["thinking", "", "{", '{"decision": 0, "action": 1}', "9" * 5000, '{"action": ' + "[" * 20_000]
        command = program(before=f"print(*{json.dumps(strays)}, sep=chr(10))", answer='turn["legal"][0]["text"]')
        with self.assertLogs("ahu", "WARNING") as logs:
            result = lines.play(command, self.seat(conduct=STRICT))
        self.assertIsNone(result.forfeit)
        self.assertTrue(any("skipped: 'thinking'" in line for line in logs.output), logs.output)

    def test_lines_of_another_type_are_skipped(self) -> None:
        talk = [json.dumps({"type": kind, "action": 5}) for kind in ("hello", None)]
        command = program(
            before=f"print(*{json.dumps(talk)}, sep=chr(10))",
            answer='json.dumps({"type": "action", "action": turn["legal"][0]["action_id"]})',
        )
        with self.assertLogs("ahu", "WARNING") as logs:
            self.assertIsNone(lines.play(command, self.seat(conduct=STRICT)).forfeit)
        self.assertEqual(sum("skipped: " in line for line in logs.output), len(talk), logs.output)

    def test_lines_may_have_a_byte_order_mark_and_end_with_a_carriage_return(self) -> None:
        windows = 'sys.stdout.reconfigure(encoding="utf-8-sig", newline=chr(13) + chr(10))'
        for answer in (
            'turn["legal"][0]["text"]',
            'turn["legal"][0]["action_id"]',
            'json.dumps({"action": turn["legal"][0]["action_id"]})',
        ):
            command = program(before=f'turn["decision"] == 1 and {windows}', answer=answer)
            seat = self.seat(conduct=STRICT, time_control=ahu.client.TimeControl(limit=10))
            self.assertIsNone(lines.play(command, seat).forfeit)

    def test_a_program_that_writes_many_lines_costs_no_calls(self) -> None:
        command = program(
            before='[print("line", turn["decision"], number) for number in range(300)]',
            answer='"  ".join(turn["legal"][0]["text"].split())',
        )
        with (
            mock.patch.object(ahu.client.Seat, "parse", autospec=True, side_effect=ahu.client.Seat.parse) as parse,
            self.assertLogs("ahu", "WARNING") as logs,
        ):
            self.assertIsNone(lines.play(command, self.seat(conduct=STRICT)).forfeit)
        self.assertEqual(parse.call_count, lines.STRAYS)
        self.assertEqual(sum("skipped: " in line for line in logs.output), lines.STRAYS)
        self.assertEqual(len(logs.output), lines.STRAYS + 1)

    def test_the_forms_of_an_answer(self) -> None:
        for answer in (
            'json.dumps(str(turn["legal"][0]["action_id"]))',
            'json.dumps({"decision": turn["decision"], "action": turn["legal"][0]["action_id"]})',
            'json.dumps({"action": turn["legal"][0]["text"]})',
        ):
            self.assertIsNone(lines.play(program(answer), self.seat(conduct=STRICT)).forfeit)
        self.assertEqual(lines.play(program('json.dumps({"resign": True})'), self.seat()).forfeit, "resigned")

    def test_a_program_that_fails_ends_the_match_for_this_process(self) -> None:
        for answer, error, message in (
            ("{}", ahu.ProgramFailed, "expected an action id or text"),
            ('json.dumps({"action": [1]})', ahu.ProgramFailed, r"got \[1\]"),
            ("1000000", ahu.IllegalAction, "1000000"),
            ("2**32", ahu.IllegalAction, str(2**32)),
            ('json.dumps({"action": 2**32})', ahu.ProgramFailed, str(2**32)),
            ('json.dumps("melt F7")', ahu.IllegalAction, "melt F7"),
            ("sys.exit(3)", ahu.ProgramFailed, "the program has ended before its match"),
        ):
            with self.subTest(answer), self.assertRaisesRegex(error, message):
                lines.play(program(answer), self.seat())

    def test_a_program_whose_time_is_up_is_killed(self) -> None:
        seat = self.seat(time_control=ahu.client.TimeControl(limit=0.1, lag=0))
        with (
            mock.patch.object(lines, "LATE", 0.0),
            self.assertRaisesRegex(ahu.ProgramFailed, "its time was up"),
        ):
            lines.play("cat > /dev/null", seat)
        result = self.client.get_match(seat.match_id, wait=30.0).result
        self.assertEqual([forfeit.cause for forfeit in result.forfeits], [v1.CAUSE_TIMEOUT])

    def test_a_program_that_is_started_again_goes_on_with_the_match(self) -> None:
        seat = self.seat()
        with self.assertRaises(ahu.ProgramFailed):
            keep = f'open("{self.folder}/first", "a").write(line)'
            lines.play(program(before=f'{keep}; turn["decision"] > 5 and sys.exit(3)'), seat)
        result = lines.play(f"tee {self.folder}/second | {program()}", seat)
        self.assertIsNone(result.forfeit)
        first, second = self.told("first"), self.told("second")
        self.assertEqual([second[1]["decision"], second[1]["attempt"]], [6, 1])
        self.assertEqual(second[1]["text"], first[-1]["text"])
        self.assertEqual(second[1]["events"], [event for line in first for event in line["events"]])

    def test_a_program_gets_its_place_and_no_key(self) -> None:
        seat = self.client.seat(*(lambda seat: (seat.match_id, seat.seat, seat.token, 5))(self.seat()))
        os.environ["AHU_KEY"] = "secret"
        self.addCleanup(os.environ.pop, "AHU_KEY")
        lines.play(f"env > {self.folder}/env; {program()}", seat)
        names = [line for line in (self.folder / "env").read_text().splitlines() if line.startswith("AHU_")]
        expected = {f"AHU_MATCH={seat.match_id}", f"AHU_SEAT={seat.seat}", "AHU_AGENT_SEED=5"}
        self.assertEqual(set(names), expected)

    def test_what_does_not_end_after_its_match_is_killed(self) -> None:
        with mock.patch.object(lines, "END", 0.0), self.assertLogs("ahu", "WARNING") as logs:
            lines.play(f"echo $$ > {self.folder}/pid; {program()}; sleep 1000", self.seat())
        self.assertTrue(any("killed" in line for line in logs.output), logs.output)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)

    def test_what_a_program_starts_in_another_session_ends_with_it(self) -> None:
        start = 'subprocess.Popen(["sleep", "1000"], start_new_session=True)'
        lines.play(program(before=f'import subprocess; turn["decision"] == 1 and {start}'), self.seat())
        # It has inherited the stderr of the program, which this process reads to its end.
        for thread in threading.enumerate():
            if thread.name == "ahu stderr":
                thread.join(60)
                self.assertFalse(thread.is_alive())

    def test_messages_of_a_program_are_bounded(self) -> None:
        noise = 'sys.stderr.write(("x" * 99 + chr(10)) * 2000)'
        with mock.patch.object(lines, "MAX_OUTPUT", 10_000), contextlib.redirect_stderr(io.StringIO()) as shown:
            self.assertIsNone(lines.play(program(before=noise), self.seat()).forfeit)
        self.assertEqual(shown.getvalue().count("x"), 99 * 99)
        self.assertEqual(shown.getvalue().count("left out"), 1)

    def test_the_command_names_what_is_missing(self) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AHU_")}
        command = [sys.executable, "-m", "ahu.lines", "true"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^error: expected an address and a key, .* AHU_KEY_FILE\n$")
        done = subprocess.run([*command, "--games-at-once", "0"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected --games-at-once of at least 1, got 0", done.stderr)
        done = subprocess.run([*command, "bot.js"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("one word, in quotes: python -m ahu.lines 'true bot.js'", done.stderr)


if __name__ == "__main__":
    unittest.main()
