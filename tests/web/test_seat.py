"""A seat in the browser: a person plays by clicks or by keys, and sees only the page."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import tempfile
import unittest
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Page, Response, expect
from tests.web.test_web import GAMES, PATIENCE, InBrowser

from ahu._server import find_program

IS_LONG = "AHU_GAMES" in os.environ
"""True in `.ci/test --long`, where games are played to their ends."""
PHONE, WIDE = ((360, 740), (1440, 900))
SEATS = {"rappanui": (2, 6), "rapanui_cards": (2, 4), "giants": (3, 5), "rapanui_board": (2, 4)}
"""The fewest and the most seats of each game."""
STATE = """() => {
  if (document.querySelector("[role=status] strong")) return "over";
  if (document.querySelector(".seat-panel .main:not([hidden]):not(:disabled)")) return "confirm";
  return document.querySelector(".choices:not([hidden]) button") ? "choose" : null;
}"""
"""Returns what a person at the page can do: choose, confirm, or see that the match is over."""
SITUATION = "() => [document.querySelector('.seat-panel').innerText, document.querySelectorAll('.log li').length].join()"
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

    @property
    def decisions(self) -> int:
        return len(self.costs)

    def _note(self, response: Response) -> None:
        if "/answer?" in response.url and response.ok:
            self.costs += [self.clicks / max(1, self._unforced)] * self._unforced
            self.clicks = 0
        elif "/draft?" in response.url and response.ok:
            # The answer has the steps; the request has those that the person and the server chose before.
            with suppress(Error):
                self._unforced = sum(not step["forced"] for step in response.json()["steps"])

    def state(self) -> str:
        return self.page.wait_for_function(STATE, timeout=PATIENCE).json_value()

    def play(self, act: Any, most: float = float("inf")) -> str:
        """Acts until the match is over, or this many decisions are made."""
        while (state := self.state()) != "over" and self.decisions < most:
            before = self.page.evaluate(SITUATION)
            act(state)
            # A click beside everything that can be chosen changes nothing but the hint.
            with suppress(Error):
                self.page.wait_for_function(f"(before) => ({SITUATION})() !== before", arg=before, timeout=1000)
        return state

    def click(self, state: str) -> None:
        """Clicks on something that is marked, or on a button of the list where nothing is."""
        self.clicks += 1
        if state == "confirm":
            self.page.locator(".seat-panel .main").click()
            return
        marked = self.marks.count()
        if marked:
            self.marks.nth(self.rng.randrange(marked)).click(force=True)
        else:
            choices = self.page.locator(".choices button")
            choices.nth(self.rng.randrange(choices.count())).click()

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
            self.page.locator(".choices button[tabindex='0']").focus()
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
            print(f"{game}: a decision takes {statistics.median(costs):.2f} clicks (median), {statistics.mean(costs):.2f} (mean)")
            self.assertLessEqual(statistics.median(costs), 2)
