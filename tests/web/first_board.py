"""Measures the time until the web page shows the board of a live match, in headless Chromium on this machine.

    python tests/web/first_board.py

Prints, for each game, the median and the quartiles over fresh browsers, from the beginning of the navigation until the
board is in the page, in milliseconds.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys

from playwright.sync_api import sync_playwright

import ahu

GAMES = ("rappanui", "rapanui_cards", "giants", "rapanui_board")
LOADS = 15
"""The number of loads of each page."""
NOTE_BOARD = """
window.boardShown = new Promise((done) => {
  const look = () => {
    const board = document.querySelector(".board");
    if (board?.shadowRoot?.querySelector("svg")) done(performance.now());
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
"""


def main() -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("there is no chromium (Debian: apt-get install chromium)")
    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    with ahu.launch() as server, sync_playwright() as playwright, ahu.client.Client(server.address) as client:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        print(f"milliseconds until the board is shown, {LOADS} loads: quartile, median, quartile")
        for game in GAMES:
            seats = 3 if game == "giants" else 2
            match = client.create_match(game, seats, bots=dict.fromkeys(range(1, seats), "greedy"), seed=5)
            client.join(match.match_id)
            times = []
            for _ in range(LOADS):
                # A new context has no cache.
                context = browser.new_context()
                context.add_init_script(NOTE_BOARD)
                page = context.new_page()
                page.goto(f"http://{server.address}/matches/{match.match_id}")
                times.append(float(page.evaluate("window.boardShown")))
                context.close()
            low, middle, high = statistics.quantiles(times, n=4)
            print(f"{game:<14} {low:6.0f} {middle:6.0f} {high:6.0f}")
        browser.close()


if __name__ == "__main__":
    main()
