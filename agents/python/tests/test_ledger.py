"""The ledger of a language model, its budget, and a cup of models that is killed."""

import contextlib
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

from support import EXAMPLES
from test_language import TWO_CELLS, scripted

import ahu
from ahu.language import Completion, LanguageAgent, Message, Prices
from ahu.language._ledger import Ledger

PRICES = Prices(input_per_million=90.0, output_per_million=100.0)
"""The prices with which each call of `scripted` costs 0.01."""

PRICES_FILE = 'currency = "USD"\n' + "".join(
    f"[model.{name}]\ninput = 90.0\noutput = 100.0\n" for name in ("a", "b", "c", "poor")
)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class Model(http.server.BaseHTTPRequestHandler):
    """An endpoint whose model is scripted. It knows who asked and what was answered, and holds its answers for a while."""

    changed = threading.Condition()
    # The names of the models that were asked, and the ids of the answers that were sent, in their order.
    asked: list[str]
    answered: list[str]
    # The number of the request from which on no answer is sent; None: each is sent.
    hold_at: int | None
    holds: threading.Event
    held: int

    def do_POST(self) -> None:
        cls = type(self)
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with cls.changed:
            cls.asked.append(asked["model"])
            number = len(cls.asked)
            is_held = cls.hold_at is not None and number >= cls.hold_at
            cls.held += is_held
        if is_held:
            cls.holds.set()
            with contextlib.suppress(ConnectionError):
                # Nothing more comes until the process of the agent is gone.
                self.connection.recv(1)
            with cls.changed:
                cls.held -= 1
                cls.changed.notify_all()
            return
        made = scripted(asked["messages"])
        answer = {
            "id": f"call-{number}",
            "model": f"{asked['model']}-1",
            "choices": [{"message": {"content": made.text}, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": made.tokens_in,
                "completion_tokens": made.tokens_out,
                "prompt_tokens_details": {"cached_tokens": 40},
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
        }
        content = json.dumps(answer).encode()
        with contextlib.suppress(ConnectionError):
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            with cls.changed:
                cls.answered.append(answer["id"])

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  The name in the base.
        pass


class EndpointCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "prices.toml").write_text(PRICES_FILE)
        Model.asked, Model.answered, Model.hold_at, Model.holds, Model.held = [], [], None, threading.Event(), 0
        server = self.enterContext(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"

    def command(self, name: str, *more: str) -> list[str]:
        agent = [sys.executable, str(EXAMPLES / "language_agent.py"), "--model", self.url, "--name", name]
        return [*agent, "--prices", str(self.folder / "prices.toml"), *more]


class TestLedger(unittest.TestCase):
    def setUp(self) -> None:
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "calls.jsonl"

    def test_a_line_that_was_cut_off_is_dropped(self) -> None:
        ledger, other = Ledger(self.path), Ledger(self.path)
        self.assertEqual(ledger.new(), [])
        ledger.append({"call": "a"})
        with self.path.open("a") as file:
            file.write('{"call":"cut')
        other.append({"call": "b", "cost": 1.0})
        self.assertEqual(ledger.new(), [{"call": "a"}, {"call": "b", "cost": 1.0}])
        self.assertEqual((ledger.new(), lines_of(self.path)[0]), ([], {"call": "a"}))

    def test_a_call_is_in_the_ledger_before_it_begins_and_before_its_answer_counts(self) -> None:
        seen: list[int] = []

        def failing(messages: list[Message]) -> Completion:
            seen.append(len(lines_of(self.path)))
            if len(seen) == 4:
                raise ConnectionError("the endpoint is away")
            return scripted(messages)

        agent = LanguageAgent(failing, ledger=self.path, prices=PRICES)
        with self.assertRaisesRegex(ConnectionError, "the endpoint is away"):
            ahu.play("rapanui_cards", [agent, "greedy"], seed=1)
        self.assertEqual(seen, [1, 3, 5, 7])
        lines = lines_of(self.path)
        self.assertEqual(["verdict" in line for line in lines], [False, True] * 3 + [False])
        self.assertEqual([line["call"] for line in lines[:6:2]], [line["call"] for line in lines[1:6:2]])
        self.assertEqual({line["style"] for line in lines}, {agent.style.digest})
        self.assertAlmostEqual(agent.spent, 0.03)

    def test_agents_with_one_ledger_share_its_budget(self) -> None:
        one, two = (LanguageAgent(scripted, ledger=self.path, prices=PRICES, budget=0.095) for _ in range(2))
        with self.assertRaises(ahu.BudgetSpent):
            ahu.play("rapanui_cards", [one, two], seed=1)
        self.assertEqual(one.usage().calls + two.usage().calls, 10)
        self.assertAlmostEqual(two.spent, 0.1)
        with self.assertRaisesRegex(ahu.BudgetSpent, r"0\.10 USD of a budget of 0\.10 are spent"):
            ahu.play(
                "rapanui_cards", [LanguageAgent(scripted, ledger=self.path, prices=PRICES, budget=0.099), "greedy"]
            )
        for wrong in (-1.0, float("nan")):
            with self.assertRaisesRegex(ValueError, "expected a budget of at least 0"):
                LanguageAgent(scripted, prices=PRICES, budget=wrong)

    def test_only_money_of_the_currency_counts_and_a_wrong_line_is_told_each_time(self) -> None:
        self.path.write_text('{"cost":5.0,"currency":"EUR"}\n{"cost":0.25,"currency":"USD"}\n')
        agent = LanguageAgent(scripted, ledger=self.path, prices=PRICES, budget=1.0)
        self.assertEqual(agent.spent, 0.25)
        self.path.write_text(self.path.read_text() + '7\n{"cost":5.0,"currency":"USD"}\n')
        for _ in range(2):
            with self.assertRaisesRegex(ValueError, "expected a JSON object in each line, got b'7'"):
                _ = agent.spent

    def test_a_benchmark_keeps_the_name_the_ledger_and_the_listener_of_an_agent(self) -> None:
        calls: list[Any] = []
        suite = self.path.with_name("two.toml")
        suite.write_text(TWO_CELLS)
        agent = LanguageAgent(lambda _: "I resign", name="mute-1", ledger=self.path, on_call=calls.append)
        report = ahu.benchmark(str(suite), agent, first=1)
        self.assertEqual(report.data["agent"]["name"], "mute-1")
        told = sum(work["calls"] for work in report.language)
        self.assertEqual((len(calls), len(lines_of(self.path))), (told, 2 * told))
        self.assertGreater(told, 0)


class TestExample(EndpointCase):
    def test_a_spent_budget_ends_the_example_with_a_line(self) -> None:
        ledger = self.folder / "calls.jsonl"
        for calls in (3, 0):
            command = self.command("a", "--ledger", str(ledger), "--budget", "0.025", "--game", "rapanui_cards")
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(done.stderr, "0.03 USD of a budget of 0.03 are spent\n")
            self.assertIn(f"{calls} calls, ", done.stdout)
            self.assertIn("USD", done.stdout)
        ended = [line for line in lines_of(ledger) if "verdict" in line]
        self.assertEqual([call["id"] for call in ended], Model.answered)
        self.assertEqual(
            [(call["model"], call["tokens_cached"], call["tokens_reasoning"]) for call in ended], [("a-1", 40, 4)] * 3
        )

    def test_wrong_arguments_are_told(self) -> None:
        for name, more, words in (
            ("x", [], "expected prices of x, got those of a, b, c, poor"),
            ("a", ["--style", '{"rules": "long"}'], "expected rules to be one of full, short, none"),
            ("a", ["--style", '{"rule": "short"}'], "unexpected keyword argument 'rule'"),
            ("a", ["--budget", "-1"], "expected a budget of at least 0"),
        ):
            done = subprocess.run(self.command(name, *more), capture_output=True, text=True, timeout=300)
            self.assertEqual((done.returncode, done.stderr.count("Traceback")), (2, 0), done.stderr)
            self.assertIn(words, done.stderr)


CUP = """
game = "rapanui_cards"
seats = 4
blocks = 1
[cup]
name = "Models"
[clock]
limit = "60s"
startup = "60s"
"""

GAMES = 12
"""The number of games of the cup: each agent has each seat."""


class TestCup(EndpointCase):
    def test_a_cup_of_models_that_is_killed_asks_no_stored_decision_again(self) -> None:
        budgets = {"a": 100.0, "b": 100.0, "c": 100.0, "poor": 0.245}
        file = self.folder / "cup.toml"
        agents = ""
        for name, budget in budgets.items():
            words = self.command(name, "--budget", str(budget))
            command = " ".join(f"'{word}'" for word in [*words, "--style", '{"rules": "none"}'])
            agents += f"[[agent]]\nname = \"{name}\"\ncmd = '''{command}'''\n"
        file.write_text(CUP + agents)
        command = [ahu.find_program(), "cup", "run", str(file), "--concurrency", "2"]
        for hold_at in (60, 150):
            Model.hold_at = hold_at
            Model.holds.clear()
            run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            with run:
                self.assertTrue(Model.holds.wait(300), "expected more requests")
                run.kill()
            # The agents end with the cup.
            with Model.changed:
                self.assertTrue(Model.changed.wait_for(lambda: Model.held == 0, 120), "expected the end of the agents")
            Model.hold_at = None
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)

        data = file.with_suffix(".data")
        events = lines_of(data / "journal.jsonl")
        starts = Counter((event["table"], event["game"]) for event in events if event["event"] == "start")
        self.assertEqual((len(starts), set(starts.values())), (GAMES, {1}), "no game is played anew")
        begun, ended = self.check_ledgers()
        self.assertEqual(set(begun), set(budgets))
        self.assertGreater(sum(map(len, ended.values())), 150)
        # A budget counts through kills, and for both processes of the agent: another one may wait for its answer.
        self.assertIn(len(ended["poor"]), (25, 26))
        log = (data / "logs/poor.log").read_text()
        self.assertIn("USD of a budget of 0.24 are spent\n", log)
        self.assertIn("the program has ended (exit status: 3)", log)
        results = [event for event in events if event["event"] == "result"]
        forfeits = [
            (agent, forfeit)
            for event in results
            for agent, forfeit in zip(event["agents"], event["forfeits"], strict=True)
            if forfeit
        ]
        self.assertEqual(set(forfeits), {("poor", "exited")})
        self.check_table(file, begun, ended)

    def check_table(self, file: Path, begun: dict[str, list[Any]], ended: dict[str, list[Any]]) -> None:
        """Compares the table, the page, and the export of a cup with the ledgers of its agents."""
        out = file.with_name("results")

        def cup(*arguments: str) -> str:
            command = [ahu.find_program(), "cup", *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout

        works = json.loads(cup("table", str(file), "--json"))["language"]
        self.assertEqual([work["agent"] for work in works], sorted(begun))
        for work in works:
            calls = ended[work["agent"]]
            unanswered = len(begun[work["agent"]]) - len(calls)
            self.assertEqual(
                (work["calls"], work["accepted"], work["unanswered"]), (len(calls), len(calls), unanswered)
            )
            self.assertEqual((work["style"], work["models"]), (STYLE, [f"{work['agent']}-1"]))
            for name in ("tokens_in", "tokens_cached", "tokens_out", "tokens_reasoning"):
                self.assertEqual(work[name], sum(call[name] for call in calls))
            self.assertAlmostEqual(work["cost"], sum(call["cost"] for call in calls))
            self.assertEqual(work["currency"], "USD")
        cup("export", str(file), "--out", str(out))
        for text in (cup("table", str(file)), cup("table", str(file), "--html", "-"), (out / "index.html").read_text()):
            for work in works:
                self.assertIn(f"{work['calls']} ({work['unanswered']})", text)
                self.assertIn(f"{work['cost']:.2f} USD", text)
                self.assertIn(STYLE, text)
        checked = cup("verify", str(out))
        self.assertIn("\nvalid\n", checked)
        self.assertIn("nothing proves what the table and the page tell of language models", checked)
        # A program cannot hide the table.
        self.ledger("c").write_text('{"style": 7}\n')
        self.assertIn("no ledger", cup("table", str(file)))
        self.ledger("c").unlink()
        os.mkfifo(self.ledger("c"))
        self.assertIn("no ledger", cup("table", str(file)))

    def ledger(self, name: str) -> Path:
        return self.folder / "cup.data" / "calls" / f"{name}.jsonl"

    def check_ledgers(self) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Compares the ledgers with the calls of the endpoint. Returns the first and the second lines of each agent's calls."""
        begun: dict[str, list[Any]] = {}
        ended: dict[str, list[Any]] = {}
        for name, requests in Counter(Model.asked).items():
            lines = lines_of(self.ledger(name))
            begun[name] = [line for line in lines if "verdict" not in line]
            ended[name] = [line for line in lines if "verdict" in line]
            first, second = ([line["call"] for line in each] for each in (begun[name], ended[name]))
            self.assertEqual((len(set(first)), len(set(second))), (len(first), len(second)))
            self.assertLessEqual(set(second), set(first))
            # Each process had at most one call in flight at each kill: one that was not sent yet, or had no answer yet.
            self.assertLessEqual(requests, len(first))
            self.assertLessEqual(len(first) - len(second), 4)
            asked: dict[tuple[str, int], list[int]] = {}
            for line in begun[name]:
                asked.setdefault((line["match"], line["seat"]), []).append(line["decision"])
            for decisions in asked.values():
                # A decision that comes again was not stored at a kill.
                self.assertEqual(decisions, sorted(decisions))
                self.assertLessEqual(len(decisions) - len(set(decisions)), 2)
        # Each answer is in a ledger once, except those that came at a kill.
        ids = [line["id"] for lines in ended.values() for line in lines]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertLessEqual(set(ids), set(Model.answered))
        cut = sum(map(len, begun.values())) - len(ids)
        self.assertLessEqual(len(Model.answered) - len(ids), cut)
        self.assertGreater(cut, 0, "the calls that were held")
        self.assertEqual({line["style"] for lines in begun.values() for line in lines}, {STYLE})
        return begun, ended


STYLE = ahu.language.Style(rules="none").digest


if __name__ == "__main__":
    unittest.main()
