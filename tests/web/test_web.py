"""The web page as a person sees it, in headless Chromium.

    python -m pytest tests/web

The tests start a server on a free port. They are skipped where there is no Chromium.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, Route, expect, sync_playwright

import ahu
from ahu._server import find_program

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
GAMES = ("rappanui", "rapanui_cards", "giants", "rapanui_board")
WRONG_AT_FIRST = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        is_wrong = message["decision"] == 1 and message["attempt"] == 1
        print(9999 if is_wrong else message["legal"][0]["action_id"], flush=True)
"""
"""An agent of the line protocol whose first answer no game has."""
SCREENS = ((390, 844), (1366, 900), (1920, 1080))
"""The sizes of a phone, of a small desktop, and of a projector."""
COLOURS = """() => [0, 1].map((seat) => {
  const style = (element) => getComputedStyle(element);
  const mark = document.querySelector(`.seat.s${seat}`);
  const board = document.querySelector(".board").shadowRoot;
  return [
    style(mark).backgroundColor, style(document.querySelector(`.curve.s${seat}`)).stroke,
    ...Array.from(board.querySelectorAll(`.s${seat}`), (shape) => style(shape).color),
  ];
})"""
"""Returns all colours of the first two seats: of their marks in the table, of their curves, and on the board."""
UNFOLD = """() => {
  for (const region of document.querySelectorAll(".side, .log, .actions")) {
    Object.assign(region.style, { maxHeight: "none", overflow: "visible" });
  }
  for (const bar of document.querySelectorAll(".bar")) bar.style.position = "static";
}"""
"""Shows all that is in regions which scroll: axe-core measures nothing that is out of view."""
RIGHT_EDGES = """(board, name) => [
  ...Array.from(board.shadowRoot.querySelectorAll("text")).filter((text) => text.textContent.startsWith(name)),
  board.shadowRoot.querySelector("svg"),
].map((shape) => shape.getBoundingClientRect().right)"""
"""Returns where the texts that begin with a name end at the right, and then where the picture ends."""
BROKEN_WORDS = r"""() => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/[^\s-]+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const lines = new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top)));
      if (lines.size > 1 && word.length <= 20) broken.push(word);
    }
  }
  return broken;
}"""
"""Returns the words of the page that stand in two lines. A word has no hyphen, and at most 20 letters."""
PATIENCE = 60_000
"""The time that the page has for anything on a busy machine, in milliseconds."""


def events_of(page: Page) -> Locator:
    """Returns the events in the log of a page."""
    return page.locator(".log li")


@unittest.skipIf(CHROMIUM is None, "skipped: there is no chromium (Debian: apt-get install chromium)")
class InBrowser(unittest.TestCase):
    """A server, and a browser beside it."""

    server: ahu.Server
    browser: Browser
    arguments: ClassVar[list[str]] = []
    """The options of the server."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(ahu.launch(arguments=cls.arguments))
        playwright = cls.enterClassContext(sync_playwright())
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        self.client = self.enterContext(ahu.client.Client(self.server.address))

    def open(self, path: str, address: str | None = None, **context: Any) -> Page:
        """Opens a page, and fails the test if the browser reports an error or loads from elsewhere."""
        page = self.browser.new_page(**context)
        self.addCleanup(page.close)
        page.set_default_timeout(PATIENCE)
        origin = f"http://{address or self.server.address}"
        # Of this page alone: axe-core makes problems on pages that it has looked at.
        problems: list[str] = []
        self.problems = problems
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: self.assertTrue(request.url.startswith((origin, "blob:", "data:"))))
        page.goto(origin + path)
        return page

    def shown(self, page: Page, text: str) -> None:
        expect(page.locator("main")).to_contain_text(text, timeout=PATIENCE)

    def accessible(self, page: Page) -> None:
        """Fails if axe-core finds anything, or cannot measure the contrast of a text, or if the page is wider than its window.

        It measures no text of a drawing; the tests of `crates/core/src/parts/picture/palette.rs` do.
        """
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(wide, 0)
        page.evaluate(UNFOLD)
        found = Axe().run(page, options={"resultTypes": ["violations", "incomplete"]}).response
        nodes = [(rule["id"], node) for rule in found["violations"] + found["incomplete"] for node in rule["nodes"]]
        self.assertEqual([(rule, node["html"]) for rule, node in nodes if not node["html"].startswith("<text")], [])

    def decide(self, seat: ahu.client.Seat, decisions: int) -> None:
        """Answers this many decisions of a seat."""

        class Enough(Exception):
            pass

        class Some:
            formats = ahu.ObservationFormats(legal_ids=True)
            left = decisions

            def act(self, turn: ahu.Turn) -> int:
                self.left -= 1
                if self.left < 0:
                    raise Enough
                return turn.legal_ids[0]

        with suppress(Enough):
            ahu.connect(Some(), seat=seat)

    def finished(self, game: str = "rappanui", **arguments: Any) -> str:
        """Returns the id of a match of bots that has ended."""
        seats = 3 if game == "giants" else 2
        match = self.client.create_match(game, seats, bots=dict.fromkeys(range(seats), "greedy"), seed=7, **arguments)
        self.client.get_match(match.match_id, wait=60)
        return match.match_id


class Web(InBrowser):
    def record(self) -> bytes:
        return self.client.get_record(self.finished()).record

    @contextmanager
    def played(self, game: str) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yields the id of a match that waits for its first seat, and a function that plays it to the end."""
        seats = 3 if game == "giants" else 2
        # A game of Giants has hundreds of events, and the page shows each.
        options = {"max_turns": "2"} if game == "giants" else {}
        bots = dict.fromkeys(range(1, seats), "greedy")
        match = self.client.create_match(game, seats, bots=bots, seed=5, options=options)
        seat = self.client.join(match.match_id)

        class First:
            formats = ahu.ObservationFormats(legal_ids=True)

            def act(self, turn: ahu.Turn) -> int:
                return turn.legal_ids[0]

        yield match.match_id, lambda: None if ahu.connect(First(), seat=seat).result else self.fail("no result")

    def axe_everywhere(self, path: str, text: str) -> None:
        for width, scheme in ((360, "light"), (1280, "dark")):
            page = self.open(path, viewport={"width": width, "height": 800}, color_scheme=scheme)
            self.shown(page, text)
            # Before axe-core, whose own probes break the policy of the page.
            self.assertEqual(self.problems, [])
            self.accessible(page)

    def test_the_lobby_lists_matches_and_filters_them(self) -> None:
        ended = self.finished("rapanui_cards")
        waiting = self.client.create_match("giants", 3)
        page = self.open("/")
        self.shown(page, "Rapa Nui, the card game")
        expect(page.locator(f'a[href="/matches/{ended}"]')).to_be_visible()
        page.get_by_label("State").select_option("open")
        expect(page.locator(f'a[href="/matches/{waiting.match_id}"]')).to_be_visible()
        expect(page.locator(f'a[href="/matches/{ended}"]')).to_have_count(0)
        page.get_by_label("State").select_option("")
        newer_ended = self.finished("rapanui_cards")
        newer_waiting = self.client.create_match("giants", 3)
        expected = [newer_waiting.match_id, waiting.match_id, newer_ended, ended]
        expect(page.locator(f'a[href="/matches/{newer_ended}"]')).to_be_visible()
        expect(page.locator(f'a[href="/matches/{newer_waiting.match_id}"]')).to_be_visible()
        hrefs = page.locator('a[href^="/matches/"]').evaluate_all("links => links.map((link) => link.pathname)")
        found = [path.split("/")[-1] for path in hrefs]
        self.assertEqual([match_id for match_id in found if match_id in expected], expected)
        page.locator("form.filters").get_by_label("Game").select_option("rappanui")
        expect(page.locator(f'a[href="/matches/{waiting.match_id}"]')).to_have_count(0)
        self.shown(page, self.server.address)
        self.assertEqual(self.problems, [])

    def test_every_page_is_accessible_and_fits_a_phone(self) -> None:
        ended = self.finished()
        waiting = self.client.create_match("rapanui_board", 2).match_id
        for path, text in (
            ("/", "Matches"),
            ("/replay", "Drop a record here"),
            ("/cups", "Cups"),
            ("/rules", "Rules"),
            ("/account", "Sign in"),
            ("/rules/giants", "Giants"),
            (f"/matches/{ended}", "Verified"),
            (f"/matches/{waiting}", "Live"),
        ):
            with self.subTest(path):
                self.axe_everywhere(path, text)

    def test_a_live_match_is_watched_to_its_end_in_each_game(self) -> None:
        for game in GAMES:
            with self.subTest(game), self.played(game) as (match_id, play):
                page = self.open(f"/matches/{match_id}")
                self.shown(page, "Live")
                expect(page.locator(".board svg")).to_be_visible()
                playing = threading.Thread(target=play)
                playing.start()
                self.shown(page, "The match has ended.")
                playing.join()
                told = self.client.observe(match_id, events_after=0)
                expect(page.locator(".log li")).to_have_count(told.event_count)
                players = [seat.name for seat in self.client.get_match(match_id).seats]

                def named(seat: re.Match[str], players: list[str] = players) -> str:
                    name = players[int(seat[1])]
                    return name if players.count(name) == 1 else f"{name} #{seat[1]}"

                text = re.sub(r"\bseat (\d)\b", named, told.events[-1].text.replace("_", " "))
                self.assertEqual(page.locator(".log li").last.inner_text(), text)
                page.locator(".log li").nth(2).click()
                self.shown(page, "This is the past.")
                page.get_by_role("button", name="Back to the present").click()
                page.get_by_role("button", name="Replay it").click()
                self.shown(page, "Verified")
                self.assertEqual(self.problems, [])

    def test_a_seat_sees_its_decision_and_the_token_leaves_the_address(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id)
        page = self.open(f"/matches/{match.match_id}#token={seat.token}")
        self.shown(page, "legal actions")
        self.assertEqual(urlsplit(page.url).fragment, "")
        actions = page.get_by_role("list", name="Legal actions").locator("li:visible")
        count = actions.count()
        self.assertGreater(count, 1)
        page.get_by_label("Filter").fill(actions.first.inner_text())
        self.assertLess(actions.count(), count)
        page.get_by_label("View").select_option("public")
        expect(page.get_by_role("heading", name="legal actions")).to_have_count(0)
        self.assertEqual(self.problems, [])

    def test_an_author_steps_an_agent_and_reads_its_answers(self) -> None:
        agent = Path(self.enterContext(tempfile.TemporaryDirectory())) / "agent.py"
        agent.write_text(WRONG_AT_FIRST)
        command = [find_program(), "play", "rapanui_cards", f"jsonl:{sys.executable} {agent}"]
        command += ["greedy", "--seed", "3", "--strikes", "9", "--web", "--no-open", "--pause"]
        playing = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.enterContext(playing)
        # Before the context waits for it.
        self.addCleanup(playing.kill)
        assert playing.stdout and playing.stdin
        line = next(line for line in playing.stdout if b" as seat 0 sees it: " in line).decode()
        address = urlsplit(line.split()[-1])
        threading.Thread(target=playing.stdout.read, daemon=True).start()
        page = self.open(f"{address.path}#{address.fragment}", address.netloc)
        answers = page.get_by_role("list", name="Answers")
        self.shown(page, "The agent's answers")
        expect(answers).to_have_text("none yet")
        step = page.get_by_role("button", name="Step")
        # With this seed, the agent begins.
        step.click()
        expect(answers.locator("li")).to_have_count(2)
        expect(answers.locator("li").first).to_contain_text("refused: ")
        expect(answers.locator("li").last).to_contain_text("Decision 1: ")
        self.assertEqual(self.problems, [])
        self.accessible(page)
        page.get_by_role("button", name="Run").click()
        self.shown(page, "The match has ended.")
        expect(step).to_be_hidden()
        playing.stdin.close()

    def picture(self, page: Page) -> str:
        """Returns the board's picture as text, as soon as there is one: its answer comes after the words of the page."""
        expect(page.locator(".board svg")).to_be_visible()
        return page.locator(".board").evaluate("board => board.shadowRoot.innerHTML")

    def test_a_replay_is_scrubbed_by_keys_buttons_and_the_log(self) -> None:
        page = self.open(f"/matches/{self.finished()}")
        self.shown(page, "wins with")
        end = self.picture(page)
        last = int(page.locator(".scrubber").get_attribute("max") or 0)
        self.shown(page, f"Ply {last} of {last}")
        page.keyboard.press("ArrowLeft")
        self.shown(page, f"Ply {last - 1} of {last}")
        page.keyboard.press("Home")
        page.get_by_role("button", name="Next turn").click()
        self.shown(page, "turn 1")
        page.locator(".scrubber").fill("10")
        self.shown(page, "Ply 10 of")
        page.locator(".log li").nth(20).click()
        self.shown(page, "Ply 20 of")
        self.assertNotEqual(self.picture(page), end)
        page.get_by_label("View").select_option("all")
        expect(page.locator(".hands figure")).to_have_count(2)
        page.get_by_label("View").select_option("1")
        expect(page.locator(".hands figure")).to_have_count(0)
        page.locator(".scrubber").fill(f"{last - 30}")
        page.get_by_label("Speed").select_option("16")
        page.get_by_role("button", name="Play", exact=True).click()
        self.shown(page, f"Ply {last} of {last}")
        self.assertEqual(self.problems, [])

    def test_an_address_leads_to_a_ply(self) -> None:
        match_id = self.finished()
        page = self.open(f"/matches/{match_id}?ply=10")
        self.shown(page, "Ply 10 of")
        page.keyboard.press("ArrowRight")
        self.shown(page, "Ply 11 of")
        expect(page).to_have_url(re.compile(r"\?ply=11$"), timeout=PATIENCE)
        page.locator(".log li").nth(20).click()
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile(r"\?ply=21$"), timeout=PATIENCE)
        page.go_back()
        self.shown(page, "Ply 11 of")
        page.go_forward()
        self.shown(page, "Ply 21 of")
        link = page.get_by_role("link", name="Ply 21 of").get_attribute("href")
        self.assertEqual(link, "?ply=21")
        page.reload()
        self.shown(page, "Ply 21 of")
        for wrong in ("99999", "-1", "x"):
            page = self.open(f"/matches/{match_id}?ply={wrong}")
            self.picture(page)
            last = page.locator(".scrubber").get_attribute("max")
            self.shown(page, f"Ply {last} of {last}")
            self.assertEqual(self.problems, [])

    def test_an_address_has_a_ply_beside_a_token(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id)
        seat.resign()
        self.client.get_match(match.match_id, wait=60)
        page = self.open(f"/matches/{match.match_id}?ply=0#token={seat.token}")
        self.shown(page, "Ply 0 of")
        self.assertEqual((urlsplit(page.url).query, urlsplit(page.url).fragment), ("ply=0", ""))

    def test_a_finished_match_shows_its_winner_and_its_last_event_on_the_first_screen(self) -> None:
        for game in GAMES:
            match_id = self.finished(game)
            result = self.client.get_match(match_id).result
            assert result is not None
            winner = list(result.ranks).index(1)
            page = self.open(f"/matches/{match_id}", viewport={"width": 1366, "height": 900})
            with self.subTest(game):
                self.shown(page, f"greedy@2 #{winner} wins with {result.scores[winner]} points, ")
                expect(page.locator(".log li").last).to_have_attribute("aria-selected", "true", timeout=PATIENCE)
                for ply in ("", "Home", "End"):
                    if ply:
                        page.keyboard.press(ply)
                    self.present_is_in_view(page)

    def present_is_in_view(self, page: Page) -> None:
        """Fails if the present event is not in view within the list of events, and the list on the first screen."""
        boxes = page.locator(".log, .log [aria-selected=true]").evaluate_all(
            "found => found.map((element) => element.getBoundingClientRect().toJSON())"
        )
        listed, event = boxes
        self.assertLess(listed["top"], event["bottom"])
        self.assertGreater(listed["bottom"], event["top"])
        self.assertGreaterEqual(event["top"], listed["top"] - 1)
        self.assertLessEqual(listed["bottom"], page.viewport_size["height"] if page.viewport_size else 0)
        self.assertEqual(page.evaluate("scrollY"), 0)

    def test_the_controls_leave_the_board_on_the_first_screen(self) -> None:
        for game in GAMES:
            match_id = self.finished(game)
            for width, height in SCREENS:
                with self.subTest(game, width=width):
                    page = self.open(f"/matches/{match_id}", viewport={"width": width, "height": height})
                    self.picture(page)
                    board, bar = (page.locator(place).bounding_box() for place in (".board", ".bar"))
                    assert board and bar
                    self.assertLessEqual(board["y"], height / 4)
                    self.assertLessEqual(bar["y"] + bar["height"], height)
                    # A picture for phones is longer than they are.
                    if width > height:
                        self.assertLessEqual(board["y"] + board["height"], bar["y"])
                    self.assertGreaterEqual(min(board["y"] + board["height"], bar["y"]) - board["y"], height / 3)

    def test_no_word_is_broken_on_a_phone(self) -> None:
        ended = self.finished()
        waiting = self.client.create_match("rapanui_board", 2).match_id
        for path, text in (
            ("/", "Matches"),
            ("/replay", "Drop a record here"),
            ("/rules/giants", "Giants"),
            (f"/matches/{ended}", "Verified"),
            (f"/matches/{waiting}", "Live"),
        ):
            for width in (360, 390):
                with self.subTest(path, width=width):
                    page = self.open(path, viewport={"width": width, "height": 844})
                    self.shown(page, text)
                    self.assertEqual(page.evaluate(BROKEN_WORDS), [])

    def test_a_seat_has_one_colour_everywhere(self) -> None:
        for game in GAMES:
            match_id = self.finished(game)
            for scheme in ("light", "dark"):
                with self.subTest(game, scheme=scheme):
                    page = self.open(f"/matches/{match_id}", color_scheme=scheme)
                    self.picture(page)
                    colours = page.evaluate(COLOURS)
                    self.assertEqual([len(set(of_seat)) for of_seat in colours], [1, 1], colours)
                    self.assertGreater(min(map(len, colours)), 2)
                    self.assertNotEqual(colours[0][0], colours[1][0])

    def test_names_stand_on_the_board_as_text_and_fit(self) -> None:
        for game in GAMES:
            for name, shown in (("<b>Ann</b>", r"^<b>Ann</b>$"), ("W" * 60, r"^W{10,59}…$")):
                with self.subTest(game, name=name):
                    seats = 3 if game == "giants" else 2
                    bots = dict.fromkeys(range(1, seats), "greedy")
                    match = self.client.create_match(game, seats, bots=bots, seed=5)
                    page = self.open(f"/matches/{match.match_id}")
                    self.shown(page, "(open)")
                    # The page learns the name once the match begins.
                    self.client.join(match.match_id, name=name)
                    named = page.locator(".board text").filter(has_text=re.compile(shown))
                    expect(named.first).to_be_attached(timeout=PATIENCE)
                    expect(page.locator(".seats th").filter(has_text=name)).to_have_count(1)
                    bots = page.locator(".board text").filter(has_text=re.compile("^greedy@2"))
                    expect(bots.first).to_be_attached()
                    self.assertEqual(page.locator(".board b").count(), 0)
                    # In one step, for the next picture may take the place of this one at any time.
                    *names_end, picture_ends = page.locator(".board").evaluate(RIGHT_EDGES, name[:8])
                    self.assertGreater(len(names_end), 0)
                    self.assertLess(max(names_end), picture_ends)

    def test_a_live_match_is_walked_through_by_keys_and_its_address_names_the_event(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        self.client.join(match.match_id)
        path = f"/matches/{match.match_id}"
        page = self.open(path)
        self.shown(page, "Live")
        events = events_of(page)
        expect(events.first).to_be_attached(timeout=PATIENCE)
        last = events.count()
        self.assertGreater(last, 2)
        present = self.picture(page)
        page.keyboard.press("ArrowLeft")
        self.shown(page, "This is the past.")
        expect(events.nth(last - 2)).to_have_attribute("aria-selected", "true")
        expect(page).to_have_url(re.compile(rf"after={last - 1}$"), timeout=PATIENCE)
        self.assertNotEqual(self.picture(page), present)
        # The link leads to the same moment.
        page = self.open(f"{path}?after=2")
        self.shown(page, "This is the past.")
        expect(events_of(page).nth(1)).to_have_attribute("aria-selected", "true", timeout=PATIENCE)
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
        expect(events_of(page).first).to_have_attribute("aria-selected", "true", timeout=PATIENCE)
        self.shown(page, "This is the past.")
        page.get_by_role("button", name="Back to the present").click()
        expect(page.get_by_text("This is the past.")).to_be_hidden()
        expect(page).not_to_have_url(re.compile("after="), timeout=PATIENCE)
        self.assertEqual(self.problems, [])

    def test_a_late_answer_shows_no_board_of_another_viewer(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id)
        page = self.open(f"/matches/{match.match_id}#token={seat.token}")
        self.shown(page, "legal actions")
        self.assertIn("Your hand", self.picture(page))
        held: list[Route] = []
        page.route("**/board?as=0**", lambda route: held.append(route))
        with page.expect_request("**/board?as=0**"):
            page.keyboard.press("ArrowLeft")
        expect(page.locator(".log [aria-selected=true]")).to_have_count(1)
        page.get_by_label("View").select_option("public")
        self.shown(page, "Live")
        expect(page.locator(".board text").filter(has_text="Your hand")).to_have_count(0, timeout=PATIENCE)
        (route,) = held
        with page.expect_response("**/board?as=0**") as late:
            route.continue_()
        late.value.finished()
        # Requests of this page are answered after what the page does with that answer.
        page.evaluate("fetch('/rules').then((answer) => answer.text())")
        expect(page.locator(".board text").filter(has_text="Your hand")).to_have_count(0)
        self.assertEqual(self.problems, [])

    def test_the_curves_of_a_live_match_begin_with_the_match(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id)
        self.decide(seat, 40)
        page = self.open(f"/matches/{match.match_id}")
        curve = page.locator(".curve.s1")
        expect(curve).to_have_attribute("points", re.compile(r"^34\.0,140\.0 .*428\.0,"), timeout=PATIENCE)
        corners = [corner.split(",") for corner in (curve.get_attribute("points") or "").split()]
        self.assertGreater(len({y for _, y in corners}), 2, corners)

    def dropped(self, content: bytes) -> Page:
        page = self.open("/replay")
        page.locator("#file").set_input_files({"name": "match.txt", "mimeType": "text/plain", "buffer": content})
        return page

    def test_a_dropped_record_is_replayed(self) -> None:
        record = self.record()
        page = self.dropped(record)
        self.shown(page, "Verified")
        self.shown(page, "the game is over")
        self.shown(page, "wins with")
        page = self.dropped(record[: len(record) // 2])
        self.shown(page, "This record is not whole")
        self.assertEqual(self.problems, [])

    def test_a_dropped_file_that_is_no_record_is_refused_in_words(self) -> None:
        record = self.record().decode()
        for content, words in (
            ("a letter\n", "record"),
            (record.replace("rules 1", "rules 99"), "99"),
            ("\0\1\2" * 1000, "record"),
        ):
            page = self.dropped(content.encode())
            expect(page.get_by_role("alert")).to_contain_text(words)

    def test_a_page_goes_on_after_a_cut(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id)
        with Proxy(self.server.address) as proxy:
            page = self.open(f"/matches/{match.match_id}", proxy.address)
            self.shown(page, "Live")
            proxy.cut()

            class First:
                formats = ahu.ObservationFormats(legal_ids=True)

                def act(self, turn: ahu.Turn) -> int:
                    return turn.legal_ids[0]

            ahu.connect(First(), seat=seat)
            proxy.mend()
            self.shown(page, "The match has ended.")
            events = self.client.observe(match.match_id).event_count
            expect(page.locator(".log li")).to_have_count(events)

    def test_a_cup_shows_its_standings_its_ratings_and_its_games(self) -> None:
        cup = Path(self.enterContext(tempfile.TemporaryDirectory())) / "cup.toml"
        agents = "".join(
            f'[[agent]]\nname = "{name}"\nowner = "team {name}"\nbot = "random"\n' for name in ("Ann", "Bob")
        )
        stages = "".join(
            f'[[stage]]\nname = "{name}"\ngame = "rapanui_cards"\nseats = 2\nblocks = {blocks}\n{more}'
            for name, blocks, more in (("groups", 30, "advance = 2\n"), ("final", 10, ""))
        )
        head = '[cup]\nname = "<b>Cup"\nanchor = "greedy"\n' + stages
        cup.write_text(head + agents)
        subprocess.run([find_program(), "cup", "run", cup], check=True, stdout=subprocess.DEVNULL)
        with ahu.launch(arguments=["--data", str(cup.with_suffix(".data"))]) as server:
            page = self.open("/cups", server.address)
            page.get_by_role("link", name="<b>Cup").click()
            self.shown(page, "Ratings in rapanui_cards: Elo points above greedy")
            self.shown(page, "Winner")
            # The final comes first, the anchor takes no place, and teams have names.
            captions = page.locator("caption").all_inner_texts()
            self.assertEqual([caption.split(":")[0] for caption in captions[:2]], ["final", "groups"])
            anchor = page.get_by_role("row").filter(has_text="anchor, takes no place").first
            expect(anchor.get_by_role("cell").first).to_have_text("\u2013")
            expect(page.get_by_role("cell", name="team Bob").first).to_be_visible()
            self.assertEqual(page.get_by_role("cell", name="advances").count(), 2)
            # Who has won against whom, as the server counts it; each interval is drawn beside its figures.
            crosstable = page.get_by_role("table", name="Crosstable")
            with urllib.request.urlopen(f"http://{server.address}/api{urlsplit(page.url).path}") as answer:
                ((cells, *_),) = [table["rows"] for table in json.load(answer)["crosstables"]]
            shown = crosstable.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts()
            for cell, text in zip(cells, shown, strict=True):
                if cell is None:
                    self.assertEqual(text, "\u2013")
                else:
                    self.assertAlmostEqual(float(text.split("\u00a0")[0]), 100 * cell["share"], delta=0.51)
            ratings = page.get_by_role("table", name="Ratings")
            expect(ratings.locator("svg.interval")).to_have_count(3)
            # Who has lost all pairs has no lower bound.
            intervals = ratings.locator("td:nth-child(3)").all_inner_texts()
            bounds = [text for text in intervals if re.fullmatch(r"(-?\d+|\?) to (-?\d+|\?)", text.strip())]
            self.assertEqual((len(intervals), len(bounds)), (3, 2))
            page.get_by_text("What the words mean").click()
            expect(page.get_by_text("The better place wins it")).to_be_visible()
            # All games, by pages of tables: 3 pairs with 30 and 10 tables of 2 games.
            tables = page.get_by_role("row").filter(has=page.locator("details"))
            for number in range(1, 7):
                self.shown(page, f"Page {number}")
                expect(tables).to_have_count(20)
                expect(page.locator("td a")).to_have_count(40)
                expect(page.locator("td a").first).to_be_hidden()
                if number < 6:
                    page.get_by_role("button", name="Next").click()
            expect(page.get_by_role("button", name="Next")).to_be_disabled()
            page.get_by_label("Agent").select_option("Ann")
            self.shown(page, "Page 1")
            expect(page.get_by_role("cell", name="Bob").first).to_be_visible()
            self.assertEqual(self.problems, [])
            self.accessible(page)
            tables.first.locator("summary").click()
            page.get_by_role("link", name="game 0").first.click()
            self.shown(page, "Verified")

    def test_a_person_signs_in_with_a_key_and_sees_keys_and_matches(self) -> None:
        data = Path(self.enterContext(tempfile.TemporaryDirectory())) / "data"
        run = [find_program(), "accounts", "add", "moai", "--data", data]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        new = [find_program(), "keys", "new", "moai", "--label", "laptop", "--data", data]
        key = subprocess.run(new, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        with ahu.launch(arguments=["--data", str(data), "--require-key"]) as server:
            with ahu.Client(server.address, account_key=key) as client:
                match = client.create_match("rappanui", 2, bots={1: "greedy"})
                client.join(match.match_id)
            page = self.open("/", server.address, viewport={"width": 360, "height": 800})
            self.shown(page, "Sign in")
            self.accessible(page)
            page.get_by_label("Key").fill(f"{key[:-1]}x")
            page.get_by_role("button", name="Sign in").click()
            expect(page.get_by_role("alert")).to_contain_text("the key is not valid")
            page.get_by_label("Key").fill(key)
            page.get_by_role("button", name="Sign in").click()
            self.shown(page, "Finished")
            page.get_by_role("link", name="Account").click()
            for text in ("moai", "laptop", "Your matches", "moai, greedy@2"):
                self.shown(page, text)
            self.accessible(page)
            self.assertNotIn(key, page.content())
            self.assertNotIn("ahu-session", page.evaluate("document.cookie"))
            page.get_by_role("button", name="Sign out").click()
            self.shown(page, "Sign in")

    def test_a_match_that_does_not_exist_and_a_wrong_token_are_told(self) -> None:
        page = self.open("/matches/0123456789abcdef")
        expect(page.get_by_role("alert")).to_contain_text("0123456789abcdef")
        match = self.client.create_match("rappanui", 2)
        page = self.open(f"/matches/{match.match_id}#token=00ff")
        expect(page.get_by_role("alert")).to_contain_text("token")

    def test_names_and_labels_are_never_markup(self) -> None:
        markup = "<img src=x onerror=alert(1)>"
        match = self.client.create_match("rappanui", 2, bots={1: "greedy"}, labels={"a": markup})
        self.client.join(match.match_id, name=markup)
        for path in ("/", f"/matches/{match.match_id}"):
            page = self.open(path)
            self.shown(page, markup)
            self.assertEqual(page.locator("main img").count(), 0)
            self.assertEqual(self.problems, [])

    def test_the_site_is_small_and_loads_nothing_from_elsewhere(self) -> None:
        page = self.browser.new_page()
        self.addCleanup(page.close)
        sizes: list[int] = []
        page.on("response", lambda answer: sizes.append(len(answer.body())) if answer.ok else None)
        page.goto(f"http://{self.server.address}/rules")
        page.get_by_role("link", name="Giants").wait_for()
        self.assertLess(sum(sizes), 150_000)
        with urllib.request.urlopen(f"http://{self.server.address}/api/server") as answer:
            self.assertEqual(len(json.load(answer)["games"]), len(GAMES))


class Proxy:
    """A way to the server that can be cut."""

    def __init__(self, address: str) -> None:
        self.lead_to(address)
        self._sockets: list[socket.socket] = []
        self._is_cut = self._is_silent = False

    def __enter__(self) -> Proxy:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Ends all connections, and refuses others."""
        self._is_cut = True
        for end in self._sockets:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._sockets.clear()

    def mend(self) -> None:
        """Accepts connections again, and brings what they say."""
        self._is_cut = self._is_silent = False

    def lead_to(self, address: str) -> None:
        """Connects with another server from now on."""
        host, _, port = address.rpartition(":")
        self._to = (host, int(port))

    def hush(self) -> None:
        """Keeps all connections, and brings nothing over them any more."""
        self._is_silent = True

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if self._is_cut:
                    near.close()
                    continue
                far = socket.create_connection(self._to)
                self._sockets += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self._is_silent:
                    target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    unittest.main()
