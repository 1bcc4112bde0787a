"""The web page on a bad line and in odd hands: cuts, silence, hidden tabs, blocked cookies, keys, and names."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Route, expect
from tests.web.test_web import PATIENCE, InBrowser, Proxy

import ahu
from ahu._server import find_program
from ahu.client import TimeControl

HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Hides the page from its reader, or shows it again."""
ARABIC = "\u0645\u0648\u0627\u064a"
CLOCK = TimeControl(bank=300, limit=240)


class BadLine(InBrowser):
    def waiting(self, **arguments: Any) -> str:
        """Returns the id of a match that waits for the answer of its first seat."""
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3, **arguments)
        self.client.join(match.match_id)
        return match.match_id

    def open_clocked(self, path: str, address: str | None = None) -> Page:
        """Opens a page whose time the test can move on."""
        page = self.open("/rules", address)
        page.clock.install()
        page.goto(f"http://{address or self.server.address}{path}")
        return page

    def answer(self, page: Page, pattern: str, **answer: Any) -> None:
        """Gives this answer in place of the server's own ones."""
        page.route(pattern, lambda route: route.fulfill(**answer))

    def answered(self, path: str, address: str | None = None) -> Any:
        with urllib.request.urlopen(f"http://{address or self.server.address}{path}") as answer:
            return json.load(answer)

    def test_a_page_asks_again_whatever_a_proxy_answers_meanwhile(self) -> None:
        match_id = self.waiting(time_control=CLOCK)
        with Proxy(self.server.address) as proxy:
            page = self.open_clocked(f"/matches/{match_id}", proxy.address)
            self.shown(page, "Live")
            expect(page.locator(".seats")).to_contain_text("left")
            for status in (502, 503, 504, 429, 500):
                self.answer(page, "**/api/**", status=status)
                proxy.cut()
                proxy.mend()
                self.shown(page, "The page tries again.")
                page.clock.run_for(100_000)
                self.shown(page, f"The server answered {status}. The page tries again.")
                expect(page.locator(".seats")).to_contain_text("about ")
                page.clock.run_for(100_000)
                self.shown(page, f"The server answered {status}. The page tries again.")
                page.unroute_all()
                page.clock.run_for(100_000)
                self.shown(page, "Live")
                expect(page.locator(".seats")).not_to_contain_text("about ")

    def test_every_page_loads_once_the_server_is_back(self) -> None:
        ended = self.finished()
        for path, text in (
            ("/", "Live"),
            ("/cups", "This server shows no cup"),
            ("/rules/giants", "Giants"),
            ("/account", "Sign in"),
            (f"/matches/{ended}", "Verified"),
            (f"/matches/{self.waiting()}", "Live"),
        ):
            with self.subTest(path):
                page = self.open_clocked("/rules")
                self.answer(page, "**/api/**", status=502)
                page.goto(f"http://{self.server.address}{path}")
                self.shown(page, "The server answered 502. The page tries again.")
                alert = page.get_by_role("alert").element_handle()
                page.clock.run_for(100_000)
                # It is read out once.
                assert alert is not None
                self.assertTrue(alert.evaluate("alert => alert.isConnected"))
                page.unroute_all()
                page.clock.run_for(100_000)
                self.shown(page, text)

    def test_a_page_gives_up_on_what_the_server_would_answer_again(self) -> None:
        page = self.open_clocked("/matches/0123456789abcdef")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("0123456789abcdef", timeout=PATIENCE)
        expect(alert).not_to_contain_text("tries again")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
        page.clock.run_for(100_000)
        # Requests of before are told before this one.
        page.evaluate("fetch('/rules').then((answer) => answer.text())")
        self.assertEqual(asked, [])

    def test_whoever_answers_and_breaks_off_is_asked_ever_more_seldom(self) -> None:
        page = self.open_clocked("/rules")
        self.answer(page, "**/events?*", status=200, content_type="text/event-stream", body="")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/events?" in request.url else None)
        # What the page has asked for by now, and the ends of the answers, come before another answer.
        seen = "fetch('/rules').then((answer) => answer.text())"
        page.goto(f"http://{self.server.address}/matches/{self.waiting()}")
        self.shown(page, "The connection is lost. The page tries again.")
        # The pauses are half of 1, 2, 4, 8, 16, 30, 30, … seconds or more, so three minutes have 11 to 17 of them. In short steps, since
        # an answer that comes within a step begins the next pause there.
        for _ in range(180):
            page.clock.run_for(1000)
            page.evaluate(seen)
        self.assertGreater(len(asked), 8)
        self.assertLess(len(asked), 20)

    def test_a_silent_connection_does_not_stay_live(self) -> None:
        with Proxy(self.server.address) as proxy:
            page = self.open_clocked(f"/matches/{self.waiting()}", proxy.address)
            self.shown(page, "Live")
            proxy.hush()
            page.clock.run_for(75_000)
            self.shown(page, "The connection is lost. The page tries again.")
            proxy.mend()
            page.clock.run_for(75_000)
            self.shown(page, "Live")

    def test_the_clock_shows_the_time_that_is_left_now(self) -> None:
        for clock, shown in (
            (CLOCK, "about 2 min 0 s left for this decision, 5 min 0 s in the bank"),
            (TimeControl(bank=300), "about 2 min 0 s left"),
        ):
            match_id = self.waiting(time_control=clock)
            position = self.answered(f"/api/matches/{match_id}/board?after=0")
            position |= {"left": [[0, 120_400]], "to_act": [0]}
            position["clocks"] = [{"seat": 0, "bank_ms": 300_000}]
            events = f"event: position\ndata: {json.dumps(position)}\n\n"
            page = self.open("/rules")
            page.clock.install()
            page.clock.pause_at("2100-01-01")
            self.answer(page, "**/events?*", status=200, content_type="text/event-stream", body=events)
            page.goto(f"http://{self.server.address}/matches/{match_id}")
            expect(page.locator(".seats tr").nth(1)).to_contain_text(shown, timeout=PATIENCE)

    def test_a_hidden_tab_leaves_its_connection_to_others(self) -> None:
        match_id = self.waiting()
        context = self.browser.new_context()
        self.addCleanup(context.close)
        pages = [context.new_page() for _ in range(7)]
        for page in pages:
            page.goto(f"http://{self.server.address}/matches/{match_id}")
            self.shown(page, "Live")
            page.evaluate(HIDE, True)
        with pages[0].expect_request("**/events?*"):
            pages[0].evaluate(HIDE, False)
        self.shown(pages[0], "Live")

    def test_the_lobby_changes_in_place(self) -> None:
        first = self.waiting()
        page = self.open("/")
        link = page.locator(f'a[href="/matches/{first}"]')
        link.focus()
        page.evaluate("window.focused = document.activeElement")
        second = self.waiting()
        expect(page.locator(f'a[href="/matches/{second}"]')).to_be_visible(timeout=PATIENCE)
        self.assertTrue(page.evaluate("window.focused === document.activeElement"))
        expect(link).to_be_focused()

    def cup(self, names: tuple[str, str]) -> ahu.Server:
        """Returns a server that shows a cup which has ended."""
        cup = Path(self.enterContext(tempfile.TemporaryDirectory())) / "cup.toml"
        agents = "".join(f'[[agent]]\nname = "{name}"\nbot = "random"\n' for name in names)
        stage = '[[stage]]\nname = "groups"\ngame = "rapanui_cards"\nseats = 2\nblocks = 5\n'
        cup.write_text(f'[cup]\nname = "Cup"\nanchor = "greedy"\n{stage}{agents}')
        subprocess.run([find_program(), "cup", "run", cup], check=True, stdout=subprocess.DEVNULL)
        return self.enterContext(ahu.launch(arguments=["--data", str(cup.with_suffix(".data"))]))

    def test_each_page_of_the_lobby_leads_to_the_next(self) -> None:
        pages = {"": "second", "second": "third", "third": ""}

        def answer(route: Route) -> None:
            asked = parse_qs(urlsplit(route.request.url).query).get("page", [""])[0]
            found = {"matches": [], "next_page": pages[asked]}
            route.fulfill(status=200, content_type="application/json", body=json.dumps(found))

        page = self.open("/rules")
        page.route("**/api/matches?*state=ended*", answer)
        page.goto(f"http://{self.server.address}/")
        for token in ("second", "third"):
            with page.expect_request(f"**/api/matches?*page={token}*"):
                page.get_by_role("button", name="Older").click()
            expect(page.get_by_role("button", name="Newer")).to_be_visible()
        expect(page.get_by_role("button", name="Older")).to_have_count(0)

    def test_the_page_of_a_cup_changes_in_place_until_its_end(self) -> None:
        server = self.cup(("Ann", "Bob"))
        path = f"/api/cups/{self.answered('/api/cups', server.address)[0]['id']}"
        found = self.answered(path, server.address)
        done = found["games_done"]
        state = found | {"state": "running", "games_done": 1, "winners": []}
        page = self.open("/rules", server.address)
        page.clock.install()

        def answer(route: Route) -> None:
            route.fulfill(status=200, content_type="application/json", body=json.dumps(state))

        page.route(f"**{path}", answer)
        page.goto(f"http://{server.address}{path.removeprefix('/api')}")
        self.shown(page, f"running: 1 of {found['games_planned']} games")
        # What the reader has unfolded stays so.
        page.locator("td summary").first.click()
        link = page.get_by_role("link", name="game 1").first
        link.focus()
        page.evaluate("window.focused = document.activeElement")
        state |= {"games_done": done - 1}
        page.clock.run_for(10_000)
        self.shown(page, f"running: {done - 1} of")
        self.assertTrue(page.evaluate("window.focused === document.activeElement"))
        state |= found
        page.clock.run_for(10_000)
        self.shown(page, f"ended: {done} of")
        self.shown(page, "Winner")

    def test_a_cup_begins_by_the_clock_of_the_server_and_names_the_zone(self) -> None:
        server = self.cup(("Ann", "Bob"))
        path = f"/api/cups/{self.answered('/api/cups', server.address)[0]['id']}"
        found = self.answered(path, server.address) | {"state": "waiting", "begin": "2100-01-01T00:00:00Z"}
        page = self.open("/rules", server.address, timezone_id="Asia/Tokyo", locale="en-GB")
        page.clock.install()
        page.clock.pause_at("2200-01-01")
        self.answer(page, f"**{path}", status=200, json=found)
        page.goto(f"http://{server.address}{path.removeprefix('/api')}")
        self.shown(page, "begins 1 Jan 2100, 09:00 GMT+9")

    def test_a_long_name_hides_no_figure_of_a_cup_on_a_phone(self) -> None:
        server = self.cup(("W" * 32, "Bob"))
        path = f"/cups/{self.answered('/api/cups', server.address)[0]['id']}"
        page = self.open(path, server.address, viewport={"width": 360, "height": 800})
        share = page.get_by_role("cell", name=re.compile(r"^[\d.]+ %$")).first
        box = share.bounding_box(timeout=PATIENCE)
        assert box
        self.assertLessEqual(box["x"] + box["width"], 360)

    def test_a_name_from_right_to_left_turns_nothing_around(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id, name=ARABIC)
        seat.resign()
        self.client.get_match(match.match_id, wait=60)
        page = self.open("/")
        cell = page.get_by_role("row").filter(has_text=ARABIC).get_by_role("cell").nth(1)
        expect(cell.locator("bdi")).to_have_text([ARABIC, "greedy@2"], timeout=PATIENCE)
        page = self.open(f"/matches/{match.match_id}")
        expect(page.locator(".seats bdi").first).to_have_text(ARABIC, timeout=PATIENCE)
        self.assertIn(f"\u2068{ARABIC}\u2069", page.title())

    def test_titles_of_tabs_can_be_told_apart(self) -> None:
        titles = set()
        for match_id in (self.waiting(), self.waiting(), self.finished("rapanui_cards")):
            page = self.open(f"/matches/{match_id}")
            self.shown(page, "Seats")
            titles.add(page.title())
        self.assertEqual(len(titles), 3)

    def test_blocked_cookies_are_told_and_the_token_stays(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id)
        page = self.open("/rules")
        self.answer(page, "**/seat", status=204)
        page.goto(f"http://{self.server.address}/matches/{match.match_id}#token={seat.token}")
        expect(page.get_by_role("alert")).to_contain_text("keeps no cookie", timeout=PATIENCE)
        self.assertTrue(page.url.endswith(f"#token={seat.token}"))
        page.unroute_all()
        page.reload()
        self.shown(page, "legal actions")
        expect(page.get_by_role("alert")).to_have_count(0)

    def test_blocked_cookies_are_told_by_sign_in(self) -> None:
        data = Path(self.enterContext(tempfile.TemporaryDirectory())) / "data"
        run = [find_program(), "accounts", "add", "moai", "--data", data]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        server = self.enterContext(ahu.launch(arguments=["--data", str(data), "--require-key"]))
        page = self.open("/account", server.address)
        self.answer(page, "**/api/session", status=204)
        page.get_by_label("Key").fill("x")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("keeps no cookie", timeout=PATIENCE)

    def test_too_many_watchers_are_told_in_words(self) -> None:
        page = self.open("/rules")
        error = {"error": {"reason": "TOO_MANY_WATCHERS", "message": "at most 64 streams at a time"}}
        self.answer(page, "**/events?*", status=429, json=error)
        page.goto(f"http://{self.server.address}/matches/{self.waiting()}")
        self.shown(page, "at most 64 streams at a time The page tries again.")

    def test_a_link_has_whose_view_it_is(self) -> None:
        page = self.open(f"/matches/{self.finished()}?ply=3")
        page.get_by_label("View").select_option("1")
        expect(page).to_have_url(re.compile(r"\?as=1&ply=3$"), timeout=PATIENCE)
        page.reload()
        self.shown(page, "Ply 3 of")
        expect(page.get_by_label("View")).to_have_value("1")

    def test_keys_are_left_to_regions_that_scroll_and_to_the_browser(self) -> None:
        page = self.open(f"/matches/{self.finished()}?ply=9")
        self.shown(page, "Ply 9 of")
        page.keyboard.press("Shift+ArrowLeft")
        page.locator("summary").filter(has_text="The table as text").click()
        table = page.locator("section.table pre")
        table.evaluate("table => { table.style.height = '40px'; table.focus(); }")
        page.keyboard.press("ArrowDown")
        page.wait_for_function("() => document.querySelector('section.table pre').scrollTop > 0")
        self.shown(page, "Ply 9 of")
        page.locator(".log").focus()
        page.keyboard.press("ArrowDown")
        self.shown(page, "Ply 10 of")
        page.keyboard.press("ArrowRight")
        self.shown(page, "Ply 11 of")

    def test_marks_survive_forced_colours_and_paper_and_disabled_buttons_look_so(self) -> None:
        page = self.open(f"/matches/{self.finished()}", forced_colors="active")
        mark = page.locator(".log [aria-selected=true]")
        expect(mark).to_have_css("outline-style", "solid", timeout=PATIENCE)
        page.emulate_media(media="print")
        expect(page.locator("div.bar")).to_be_hidden()
        server = self.cup(("Ann", "Bob"))
        page = self.open(f"/cups/{self.answered('/api/cups', server.address)[0]['id']}", server.address)
        button = page.get_by_role("button", name="Previous")
        expect(button).to_be_disabled(timeout=PATIENCE)
        expect(button).to_have_css("border-top-style", "dashed")

    def test_a_page_over_tls_names_its_scheme(self) -> None:
        def answer(route: Route) -> None:
            path = route.request.url.removeprefix("https://localhost")
            with urllib.request.urlopen(f"http://{self.server.address}{path}") as answer:
                route.fulfill(status=200, headers=dict(answer.headers), body=answer.read())

        page = self.browser.new_page()
        self.addCleanup(page.close)
        page.route("https://localhost/**", answer)
        page.goto("https://localhost/")
        self.shown(page, 'ahu.client.Client("https://localhost")')
