"""A seat in the browser: a person plays by clicks or by keys, and sees only the page."""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import tempfile
import unittest
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Page, Response, expect
from tests.web.test_bad_line import HIDE
from tests.web.test_web import GAMES, PATIENCE, InBrowser, Proxy

import ahu
from ahu._server import find_program
from ahu.client import TimeControl

IS_LONG = "AHU_GAMES" in os.environ
"""True in `.ci/test --long`, where games are played to their ends."""
PHONE, WIDE = ((360, 740), (1440, 900))
SEATS = {"rappanui": (2, 6), "rapanui_cards": (2, 4), "giants": (3, 5), "rapanui_board": (2, 4)}
"""The fewest and the most seats of each game."""
MOST_ACTS = 300
"""The most acts of a person between two decisions."""
BRIEF = 2_000
"""The time in which a person finds what it has just seen, in milliseconds."""
STATE = """() => {
  if (document.querySelector("[role=status] strong")) return "over";
  if (document.querySelector(".seat-panel .main:not([hidden]):not(:disabled)")) return "confirm";
  return document.querySelector(".choices:not([hidden]) button") ? "choose" : null;
}"""
"""Returns what a person at the page can do: choose, confirm, or see that the match is over."""
SITUATION = (
    "() => [document.querySelector('.seat-panel').innerText, document.querySelectorAll('.log li').length].join()"
)
"""Returns a text that changes with each step of the person or the others."""


class Person:
    """A person at a page, who chooses at random among what the page offers."""

    def __init__(self, page: Page, seed: int) -> None:
        self.page, self.rng = page, random.Random(seed)
        page.on("response", self._note)
        self.marks = page.locator(".board .can[stroke-width='2.5'], .board .can[stroke-width='5']")
        self.clicks = 0
        self.costs: list[float] = []
        """The clicks for each decision that is not forced, a chain of decisions as their mean."""
        self._unforced = 0
        self._acts = 0

    @property
    def decisions(self) -> int:
        return len(self.costs)

    def _note(self, response: Response) -> None:
        if "/answer?" in response.url and response.ok:
            self.costs += [self.clicks / max(1, self._unforced)] * self._unforced
            self.clicks = self._acts = 0
        elif "/draft?" in response.url and response.ok:
            # The answer has the steps; the request has those that the person and the server chose before.
            with suppress(Error):
                self._unforced = sum(not step["forced"] for step in response.json()["steps"])

    def state(self) -> str:
        return self.page.wait_for_function(STATE, timeout=PATIENCE).json_value()

    def play(self, act: Any, most: float = float("inf")) -> str:
        """Acts until the match is over, or this many decisions are made."""
        while (state := self.state()) != "over" and self.decisions < most:
            self.act(act, state)
        return state

    def act(self, act: Any, state: str) -> None:
        """Acts once, and waits until the page shows it."""
        before = self.page.evaluate(SITUATION)
        # What was there is gone if the answer to the act before comes meanwhile.
        with suppress(Error):
            act(state)
        self._acts += 1
        assert self._acts < MOST_ACTS, f"no decision after {MOST_ACTS} acts"
        # A click beside everything that can be chosen changes nothing but the hint.
        with suppress(Error):
            self.page.wait_for_function(f"(before) => ({SITUATION})() !== before", arg=before, timeout=1000)

    def click(self, state: str) -> None:
        """Clicks on something that is marked, or on a button of the list where nothing is."""
        self.clicks += 1
        if state == "confirm":
            self.page.locator(".seat-panel .main").click(timeout=BRIEF)
            return
        marked = self.marks.count()
        if marked:
            self.marks.nth(self.rng.randrange(marked)).click(force=True, timeout=BRIEF)
        else:
            choices = self.page.locator(".choices button")
            # They may all be gone by now, which a click then finds.
            choices.nth(self.rng.randrange(max(1, choices.count()))).click(timeout=BRIEF)

    def press(self, state: str) -> None:
        """Does the same with keys alone."""
        keyboard = self.page.keyboard
        if state == "confirm":
            keyboard.press("Control+Enter")
        elif self.marks.count() and self.rng.random() < 0.5:
            self.page.locator(".board").focus()
            for _ in range(self.rng.randint(1, 5)):
                keyboard.press(self.rng.choice(("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")))
            keyboard.press("Enter")
        else:
            self.page.locator(".choices button[tabindex='0']").focus(timeout=BRIEF)
            for _ in range(self.rng.randrange(6)):
                keyboard.press("ArrowDown")
            keyboard.press("Enter")


class Seat(InBrowser):
    def begun(self, game: str, seats: int, size: tuple[int, int]) -> Page:
        """Returns the page of a match against `greedy`, which was made in the lobby."""
        page = self.open("/", viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
        form = page.locator("form").first
        form.get_by_label("Game").select_option(game)
        # The seats of the game are there once its bots are.
        expect(form.get_by_label("Seat 1")).to_be_visible()
        form.get_by_label("Seats").select_option(f"{seats}")
        for seat in range(1, seats):
            form.get_by_label(f"Seat {seat}").select_option("greedy@2")
        form.get_by_role("button", name="Play").click()
        page.wait_for_url("**/matches/*")
        return page

    def ended(self, person: Person) -> None:
        expect(person.page.get_by_role("button", name="Rematch")).to_be_visible()
        self.assertRegex(person.page.locator("[role=status] strong").inner_text(), "wins with|share the victory")

    def test_a_first_round_of_each_game_is_played_by_clicks_on_a_phone_and_by_keys(self) -> None:
        for game in GAMES:
            with self.subTest(game):
                person = Person(self.begun(game, SEATS[game][0], PHONE), 1)
                person.play(person.click, 6)
                # What lies below the sheet of a phone has no background that can be measured.
                person.page.evaluate("() => scrollTo(0, 0)")
                self.accessible(person.page)
                self.assertLessEqual(statistics.median(person.costs), 2)
                person = Person(self.begun(game, SEATS[game][0], WIDE), 2)
                person.play(person.press, 6)
                self.assertEqual(self.problems, [])

    @unittest.skipUnless(IS_LONG, "skipped: .ci/test --long plays games to their ends")
    def test_each_game_is_played_to_its_end_by_clicks_alone_and_by_keys_alone(self) -> None:
        for game in GAMES:
            costs: list[float] = []
            for seats in SEATS[game]:
                for size in (PHONE, WIDE):
                    for name in ("click", "press"):
                        with self.subTest(game, seats=seats, size=size, by=name):
                            person = Person(self.begun(game, seats, size), seats)
                            person.play(getattr(person, name))
                            self.ended(person)
                            self.assertEqual(self.problems, [])
                            costs += person.costs if name == "click" else []
            print(
                f"{game}: a decision takes {statistics.median(costs):.2f} clicks (median), {statistics.mean(costs):.2f} (mean)"
            )
            self.assertLessEqual(statistics.median(costs), 2)

    def take_turns(self, people: list[Person], least: int | None) -> None:
        """Lets people play until each has made this number of decisions, or to the end of their match."""
        while least is None or min(person.decisions for person in people) < least:
            states = [person.page.evaluate(STATE) for person in people]
            if "over" in states:
                self.assertIsNone(least, "the match has ended early")
                break
            for person, state in zip(people, states, strict=True):
                if state:
                    person.act(person.click, state)
            if not any(states):
                people[0].page.wait_for_timeout(50)

    def invited(self, page: Page) -> str:
        """Returns the link for a friend on the page of a table that waits."""
        return page.get_by_label("Send this link").input_value()

    def test_a_friend_plays_by_an_invitation_that_opens_one_seat_once(self) -> None:
        page = self.open("/", viewport={"width": WIDE[0], "height": WIDE[1]})
        form = page.locator("form").first
        form.get_by_label("Seat 1").select_option("friend")
        form.get_by_label("Your name").fill("Hotu")
        form.get_by_role("button", name="Play").click()
        self.shown(page, "The match begins when every seat is taken.")
        self.accessible(page)
        path = self.invited(page).split(self.server.address)[1]
        match_id = path.split("/")[2].split("#")[0]

        friend = self.open(path, viewport={"width": PHONE[0], "height": PHONE[1]})
        problems = self.problems
        self.shown(friend, "You get seat 1 of 2. There sit: Hotu.")
        self.accessible(friend)
        friend.get_by_label("Your name").fill("Matua")
        friend.get_by_role("button", name="Take the seat").click()
        friend.wait_for_url("**/matches/*?as=1")
        self.take_turns([Person(page, 1), Person(friend, 2)], 2)
        self.assertEqual(problems, [])

        other = self.client.create_match("rappanui", 2).match_id
        for place, text in (
            (path, "Somebody sits there: an invitation opens its seat once."),
            (path.replace("seat=1", "seat=0"), "Somebody sits there"),
            (path.replace(match_id, other), "This seat is for somebody with an invitation"),
        ):
            with self.subTest(place):
                stranger = self.open(place)
                stranger.get_by_role("button", name="Take the seat").click()
                expect(stranger.get_by_role("alert")).to_contain_text(text)
        gone = self.open(path.replace(match_id, "abcdefgh"))
        expect(gone.get_by_role("alert")).to_contain_text("no match has the id")

    def test_a_person_takes_the_open_seat_of_an_agents_match(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, seed=5)
        agent = self.client.join(match.match_id)
        page = self.open(f"/matches/{match.match_id}")
        self.shown(page, "The match begins when every seat is taken.")
        page.get_by_role("button", name="Take seat 1").click()
        page.wait_for_url("**/matches/*?as=1")
        expect(page.get_by_role("region", name="Your seat")).to_be_visible()
        agent.resign()
        person = Person(page, 1)
        person.play(person.press, 2)

    def test_a_seat_goes_on_after_a_reload_in_another_tab_and_after_a_cut(self) -> None:
        page = self.begun("giants", 3, WIDE)
        person = Person(page, 3)
        person.state()
        page.locator(".choices button").last.click()
        # A step that is forced by the first one stands beside it.
        expect(page.locator(".chips li").first).to_be_visible()
        chosen = page.locator(".chips").inner_text()
        page.reload()
        expect(page.locator(".chips")).to_have_text(chosen, use_inner_text=True)
        page.go_back()
        self.shown(page, "Matches")
        page.go_forward()
        expect(page.locator(".chips")).to_have_text(chosen, use_inner_text=True)

        # A second tab of the browser watches, until its reader wants to play there.
        with page.expect_popup() as opened:
            page.evaluate("() => { window.open(location.href, '_blank', 'noopener'); }")
        second = opened.value
        expect(second.get_by_role("button", name="Play this seat in this tab")).to_be_visible()
        expect(second.locator(".seat-panel")).to_have_count(0)
        second.get_by_role("button", name="Play this seat in this tab").click()
        other = Person(second, 4)
        other.play(other.click, 3)
        # The chain of the first tab is not sent any more: its decisions are taken.
        expect(page.locator(".chips li")).to_have_count(0)
        person.play(person.click, 1)

    def test_a_page_that_is_out_of_date_does_no_harm(self) -> None:
        page = self.begun("rapanui_cards", 2, WIDE)
        Person(page, 1).state()
        page.get_by_label("Confirm every action").check()
        # A click on the past chooses nothing, whatever stood there.
        expect(page.locator(".board .can").first).to_be_attached()
        targets = page.locator(".board [data-t]:has(> .can)").evaluate_all("all => all.map((one) => one.dataset.t)")
        page.locator(".log li").last.click()
        self.shown(page, "This is the past.")
        expect(page.locator(".board .can")).to_have_count(0)
        for target in targets:
            page.locator(f'.board [data-t="{target}"]').first.click(force=True)
        page.get_by_role("button", name="Back to the present").click()
        expect(page.locator(".board .can").first).to_be_attached()
        expect(page.locator(".chips li")).to_have_count(0)
        while Person(page, 1).state() == "choose":
            before = page.evaluate(SITUATION)
            page.locator(".choices button").first.click()
            page.wait_for_function(f"(before) => ({SITUATION})() !== before", arg=before)
        # A hidden page has no stream, and hears nothing of the other answer.
        page.evaluate(HIDE, True)
        page.evaluate(
            """async () => {
              const [, id] = /matches\\/([^?]+)/.exec(location.href);
              const post = (path, value) => fetch(`/api/matches/${id}/${path}?as=0`, { method: "POST", body: JSON.stringify(value) });
              const drafted = await (await post("draft", { decision: 1, actions: [] })).json();
              await post("answer", { decision: 1, actions: [drafted.legal.at(-1).id] });
            }"""
        )
        page.get_by_role("button", name="Confirm", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("decision")
        page.evaluate(HIDE, False)
        person = Person(page, 1)
        person.play(person.click, 2)

    def test_a_restart_of_the_server_and_a_timeout_are_told(self) -> None:
        data = Path(self.enterContext(tempfile.TemporaryDirectory())) / "data"
        arguments = ["--data", str(data)]
        with ahu.launch(arguments=arguments) as first, Proxy(first.address) as proxy:
            page = self.open("/", proxy.address, viewport={"width": WIDE[0], "height": WIDE[1]})
            form = page.locator("form").first
            form.get_by_text("Clock and rules").click()
            form.get_by_label("Clock").select_option("60/move")
            form.get_by_label("Game").select_option("rapanui_cards")
            form.get_by_role("button", name="Play").click()
            person = Person(page, 1)
            person.play(person.click, 2)
            proxy.cut()
            first.close()
            with ahu.launch(arguments=arguments) as again:
                proxy.lead_to(again.address)
                proxy.mend()
                self.shown(page, "Live")
                person.play(person.click, 4)
        # The other seat has time, so that the match goes on.
        control = {0: TimeControl(limit=1.0)}
        match = self.client.create_match("rappanui", 2, seat_time_controls=control, seed=3)
        self.client.join(match.match_id, seat=1)
        token = self.client.join(match.match_id, seat=0).token
        page = self.open(f"/matches/{match.match_id}#seat=0&token={token}&play=1")
        self.shown(page, "You have forfeited (timeout). A bot plays on for you.")
        self.assertNotIn(token, page.url)

    def test_people_do_not_see_in_the_time_that_a_decision_had_no_choice(self) -> None:
        for bots, is_sent_at_once in (({}, False), ({1: "greedy"}, True)):
            # With this seed, the first seat begins and can lay no meld.
            match = self.client.create_match("rappanui", 2, bots=bots, seed=3)
            seat = self.client.join(match.match_id)
            if not bots:
                self.client.join(match.match_id)
            page = self.open("/rules")
            page.clock.install()
            page.clock.pause_at(page.evaluate("() => Date.now() + 1000"))
            answers: list[str] = []
            page.on(
                "request",
                lambda request, answers=answers: answers.append(request.url) if "/answer?" in request.url else None,
            )
            page.goto(f"http://{self.server.address}/matches/{match.match_id}#seat=0&token={seat.token}&play=1")
            self.shown(page, "You have one legal action, which is sent: Play no meld")
            page.clock.run_for(10 if is_sent_at_once else 1900)
            page.evaluate("() => fetch('/api/server')")
            self.assertEqual(len(answers), int(is_sent_at_once))
            page.clock.run_for(6000)
            page.evaluate("() => fetch('/api/server')")
            self.assertEqual(len(answers), 1)

    @unittest.skipIf(shutil.which("openssl") is None, "skipped: there is no openssl, which makes a certificate")
    def test_two_people_with_keys_play_over_tls(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        data, chain, key = folder / "data", folder / "chain.pem", folder / "key.pem"
        made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        subprocess.run([*made.split(), "-keyout", key, "-out", chain], check=True, capture_output=True)
        keys = []
        for name in ("hotu", "matua"):
            for command in (["accounts", "add", name], ["keys", "new", name]):
                run = [find_program(), *command, "--data", data]
                keys.append(subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip())
        arguments = ["--data", data, "--require-key", "--tls-cert", chain, "--tls-key", key]
        with ahu.launch(arguments=[str(argument) for argument in arguments]) as server:
            origin = f"https://{server.address.removeprefix('https://')}"
            pages = []
            for account_key in (keys[1], keys[3]):
                page = self.browser.new_page(ignore_https_errors=True, viewport={"width": WIDE[0], "height": WIDE[1]})
                self.addCleanup(page.close)
                page.goto(f"{origin}/")
                page.get_by_label("Key").fill(account_key)
                page.get_by_role("button", name="Sign in").click()
                self.shown(page, "Play")
                pages.append(page)
            host, guest = pages
            form = host.locator("form").first
            form.get_by_label("Seat 1").select_option("friend")
            form.get_by_role("button", name="Play").click()
            guest.goto(self.invited(host))
            self.shown(guest, "There sit: hotu.")
            guest.get_by_role("button", name="Take the seat").click()
            self.take_turns([Person(host, 1), Person(guest, 2)], None if IS_LONG else 1)
            if IS_LONG:
                expect(host.get_by_role("button", name="Rematch")).to_be_visible()
