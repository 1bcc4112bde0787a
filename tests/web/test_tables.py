"""The page around a table: whose turn it is, what the end explains, and what moves."""

from __future__ import annotations

import re

from playwright.sync_api import expect
from tests.web.test_web import PATIENCE, InBrowser

from ahu.client import TimeControl

COUNT = """
window.shift = window.moved = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
const animate = Element.prototype.animate;
Element.prototype.animate = function (...all) {
  window.moved += 1;
  return animate.apply(this, all);
};
"""
"""Sums the shifts of the layout, and counts what is moved."""


class Tables(InBrowser):
    def test_the_end_explains_points_banks_and_forfeits_and_the_beginning_has_none(self) -> None:
        clock = TimeControl(bank=300)
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3, time_control=clock)
        seat = self.client.join(match.match_id, name="Ann")
        self.decide(seat, 5)
        seat.resign()
        self.client.get_match(match.match_id, wait=60)
        page = self.open("/rules", viewport={"width": 1920, "height": 1080})
        page.add_init_script(COUNT)
        page.goto(f"http://{self.server.address}/matches/{match.match_id}")
        expect(page.locator(".result")).to_contain_text(
            "Ann has forfeited (resigned), so it comes last.", timeout=PATIENCE
        )
        row = page.locator(".seats tr").nth(1)
        for text in ("forfeited: resigned", "in the bank", "glory", "sacrifice cards"):
            expect(row).to_contain_text(text, timeout=PATIENCE)
        expect(row.locator("td").nth(1)).to_have_text("2")
        # All of the board and the bar are on the screen of a projector.
        for place in (".board", "div.bar"):
            box = page.locator(place).bounding_box()
            assert box
            self.assertLessEqual(box["y"] + box["height"], 1080)
        expect(page.get_by_role("button", name="Full screen")).to_be_visible()
        page.locator(".chart svg").hover(position={"x": 60, "y": 20})
        expect(page.locator(".chart figcaption")).to_have_text(
            re.compile(r"^Points at ply \d+: Ann \d+, greedy@2 \d+$")
        )
        self.assertLess(page.evaluate("window.shift"), 0.1)
        page.keyboard.press("Home")
        expect(row).to_contain_text("5 min 0 s in the bank", timeout=PATIENCE)
        expect(row).not_to_contain_text("forfeited")
        page.get_by_label("Speed").select_option("t2")
        page.get_by_role("button", name="Play", exact=True).click()
        self.shown(page, "turn 2")
        self.assertEqual(self.problems, [])

    def test_whose_turn_it_is_stands_everywhere_and_events_are_spoken(self) -> None:
        match = self.client.create_match("rapanui_cards", 2, bots={1: "greedy"}, seed=3)
        seat = self.client.join(match.match_id, name="Ann")
        path = f"/matches/{match.match_id}"
        own = self.open(f"{path}#token={seat.token}")
        expect(own).to_have_title(re.compile("^▶ Your turn"), timeout=PATIENCE)
        expect(own.locator("link[rel=icon]")).to_have_attribute("href", "/site/icon-turn.svg")
        lobby = self.open("/")
        row = lobby.get_by_role("row").filter(has=lobby.locator(f'a[href="{path}"]'))
        expect(row.locator(".small svg")).to_be_visible(timeout=PATIENCE)
        expect(row).to_contain_text(re.compile(r"▶ Ann \d+, greedy@2 \d+"), timeout=PATIENCE)
        pages = []
        for motion in ("no-preference", "reduce"):
            page = self.open("/rules", reduced_motion=motion)
            page.add_init_script(COUNT)
            page.goto(f"http://{self.server.address}{path}")
            expect(page).to_have_title(re.compile("^▶ \u2068Ann\u2069"), timeout=PATIENCE)
            # The list of events is one stop.
            self.assertEqual(page.locator(".log[tabindex='0'], .log [tabindex]").count(), 1)
            pages.append(page)
        self.decide(seat, 3)
        events = self.client.observe(match.match_id).event_count
        for page in pages:
            expect(page.locator(".log li")).to_have_count(events, timeout=PATIENCE)
            expect(page.locator(".spoken")).not_to_be_empty()
        moved, still = pages
        moved.wait_for_function("() => window.moved > 0")
        self.assertEqual(still.evaluate("window.moved"), 0)
        self.assertEqual(self.problems, [])
