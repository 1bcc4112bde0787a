"""The pages of a ladder: its table, its live games, what proves it, and the page of an agent."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import expect
from tests.web.test_web import PATIENCE, InBrowser

DAY = 86_400
OWNER = "<img src=x onerror=alert(1)>"
"""The name of an account that is markup, unless it is text."""
FILE = """
kind = "ladder"
game = "rapanui_cards"
[cup]
name = "<b>Season"
[clock]
bank = "9s"
[ladder]
ratings_every = "1s"
"""


class Season:
    """A ladder whose organiser is elsewhere: the copy of its journal in the data folder of a server."""

    def __init__(self, data: Path) -> None:
        salt, self.secret = hashlib.sha256(b"salt of the first day"), "f" * 64
        salt_hash = hashlib.sha256(salt.digest()).hexdigest()
        self.id = salt_hash[:16]
        self.path = data / "cups" / "operator" / f"{self.id}.jsonl"
        self.path.parent.mkdir(parents=True)
        self.calls = self.games = self.ended = 0
        self.link = ""
        # The salt of the first day is public 24 hours after it.
        self.now = time.time() - 3 * DAY
        begin = {"format": 2, "release": "0.3.0", "salt_hash": salt_hash, "alias_secret": self.secret, "file": FILE}
        self.append("begin", **begin)
        self.append("open", chain=0, salt=salt_hash)
        self.now += 2 * DAY
        self.append("salt", day=0, salt=salt.hexdigest())

    def append(self, event: str, **content: Any) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now))
        body = json.dumps({"at": at, "event": event, **content})
        self.link = hashlib.sha256((self.link + body).encode()).hexdigest()
        with self.path.open("a") as file:
            file.write(f'{body[:-1]},"link":"{self.link}"}}\n')

    def enter(self, name: str, owner: str) -> None:
        """Enters an agent of an account."""
        self.calls += 1
        account = hashlib.sha256(owner.encode()).hexdigest()[:16]
        player = {"kind": "remote", "games_at_once": 1, "account": account}
        agent = {"name": name, "owner": owner, "is_anchor": False, "player": player}
        self.append("called", call=self.calls, account=owner, change={"event": "add", "agent": agent}, refusal=None)

    def start(self, agents: list[str], match_id: str | None = None) -> dict[str, Any]:
        """Begins a game, and returns its place in the journal."""
        key = {"stage": 0, "table": self.games, "game": 0, "match": match_id or f"{self.games:016x}"}
        self.games += 1
        self.append("draw", stage=0, extra=False, tables=[{"group": 0, "agents": agents}])
        self.append("start", **key)
        return key

    def play(self, first: str, last: str, match_id: str | None = None, forfeit: str | None = None) -> None:
        """Plays a game to its end. The agents take turns at the seats."""
        step = 1 if self.games % 2 else -1
        agents, forfeits = [first, last][::step], [None, forfeit][::step]
        key = self.start(agents, match_id)
        result = {"scores": [9, 5][::step], "ranks": [1, 2][::step], "digest": "0" * 64, "decisions": 9}
        self.append("result", **key, agents=agents, forfeits=forfeits, **result)
        self.ended += 1

    def rate(self, ratings: dict[str, list[int]]) -> None:
        """Enters ratings a day later."""
        self.now += DAY / 4
        self.append("ratings", games=self.ended, ratings=ratings)


class Ladder(InBrowser):
    season: Season

    @classmethod
    def setUpClass(cls) -> None:
        data = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.season = Season(data)
        cls.arguments = ["--data", str(data), "--organiser-key", str(data / "organiser.key")]
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        season = self.season
        if season.calls:
            return
        for name in ("moai@1", "moai@2"):
            season.enter(name, OWNER)
        for name in ("tiki@1", "rongo@1", "broken@1", *(f"new{number:03}@1" for number in range(120))):
            season.enter(name, f"team {name.split('@')[0]}")
        for _ in range(5):
            season.play("tiki@1", "broken@1", forfeit="timeout")
        # An agent that has changed: it loses all games, and then wins them.
        for first, last in (("rongo@1", "tiki@1"), ("tiki@1", "rongo@1")):
            for _ in range(100):
                season.play(first, last)
            season.rate({"tiki@1": [100 if first == "tiki@1" else -100, 90]})
        for _ in range(40):
            season.play("moai@2", "rongo@1")
        self.replay = self.finished("rapanui_cards")
        season.play("moai@2", "new000@1", self.replay)
        Ladder.live = self.client.create_match("rapanui_cards", 2).match_id
        season.start(["rongo@1", "moai@2"], Ladder.live)

    def fits_a_phone(self, path: str, text: str, scheme: str) -> None:
        page = self.open(path, viewport={"width": 360, "height": 800}, color_scheme=scheme)
        self.shown(page, text)
        self.assertEqual(self.problems, [])
        wide = page.locator(".wide").evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
        )
        self.assertEqual(wide, 0)
        self.accessible(page)

    def test_a_ladder_shows_its_table_its_live_games_and_what_proves_it(self) -> None:
        page = self.open("/cups")
        page.get_by_role("link", name="<b>Season").click()
        rows = page.get_by_role("table", name="Table").locator("tbody tr")
        expect(rows).to_have_count(100, timeout=PATIENCE)
        # The newest version of each account, by rating; a new agent and one that rests have no place.
        first = rows.first.get_by_role("cell").all_inner_texts()
        self.assertEqual((first[0], first[1].split("\n")), ("1", ["moai@2", OWNER]), first)
        self.assertRegex(first[2].strip(), r"^\+\d+ ± \d+$")
        self.assertEqual((first[3], first[4]), ("1 to 1", "41"))
        expect(rows.first.locator("svg.interval")).to_have_count(1)
        expect(page.get_by_role("link", name="moai@1")).to_have_count(0)
        expect(rows.filter(has_text="team tiki")).to_contain_text(re.compile(r"form \+\d"))
        expect(page.locator(f'a[href="/matches/{self.live}"]')).to_have_text("rongo@1 (3), moai@2 (1)")
        page.get_by_role("button", name="Show more of 124").press("Enter")
        expect(rows).to_have_count(124)
        search = page.get_by_role("searchbox", name="Search")
        search.press_sequentially("team BROK")
        expect(rows).to_have_count(1)
        expect(page.get_by_role("status")).to_have_text("1 of 124 agents")
        expect(rows).to_contain_text("resting: it has forfeited 5 games in a row")
        expect(rows.get_by_role("cell").first).to_have_text("\u2013")
        search.fill("")
        self.shown(page, "The salts of 1 of 3 days are public")
        self.shown(page, "Seat 1It is worth ")
        expect(page.locator("pre")).to_contain_text("ahu cup verify season.data --salt-hash")
        with urllib.request.urlopen(
            page.get_by_role("link", name="The journal").evaluate("link => link.href")
        ) as answer:
            self.assertEqual(answer.read(), self.season.path.read_bytes())
        address = f"http://{self.server.address}/api/cups/{self.season.id}"
        for path in ("", "?all=1", "/live", "/agents/moai@1"):
            with urllib.request.urlopen(address + path) as answer:
                self.assertNotIn(self.season.secret, answer.read().decode())
        self.assertEqual(page.locator("main img").count(), 0)
        self.fits_a_phone(f"/cups/{self.season.id}", "What proves it", "light")

    def test_the_page_of_an_agent_shows_its_figures_and_what_its_owner_can_do(self) -> None:
        path = f"/cups/{self.season.id}/agents/"
        page = self.open(f"{path}moai@2")
        self.shown(page, "Rating over time")
        for text in (OWNER, "Other versions of the account: moai@1", "1 (1 to 1)", "41, 41.0 won", "Forfeitsnone"):
            self.shown(page, text)
        expect(page.get_by_role("img", name="Rating: +")).to_be_visible()
        against = page.get_by_role("table", name="Against each agent").locator("tbody tr")
        self.assertEqual(against.all_inner_texts(), ["rongo@1\t40\t100.0\u00a0%", "new000@1\t1\t100.0\u00a0%"])
        self.assertEqual(page.get_by_role("table", name="By seat").locator("tbody tr").count(), 2)
        expect(page.locator(f'a[href="/matches/{self.live}"]')).to_be_visible()
        games = page.get_by_role("table", name="Last games").locator("tbody tr")
        expect(games).to_have_count(20)
        games.first.get_by_role("link").first.click()
        self.shown(page, "Verified")
        page = self.open(f"{path}broken@1")
        self.shown(page, "resting: it has forfeited 5 games in a row")
        self.shown(page, "Forfeits5 timeout")
        expect(page.locator("pre")).to_have_text("ahu cup wake broken@1")
        page.get_by_role("link", name="tiki@1").first.click()
        self.shown(page, "Its last 100 games differ from its rating by")
        page = self.open(f"{path}nobody")
        expect(page.get_by_role("alert")).to_contain_text('got "nobody"')
        self.fits_a_phone(f"{path}tiki@1", "Rating over time", "dark")
