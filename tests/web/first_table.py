"""Measures the pages of a long season, in headless Chromium on this machine, with a release build of the server.

    cargo bench --bench season_journal -- FOLDER
    cargo build --release
    python tests/web/first_table.py FOLDER

Prints the time until the server has answered first, its memory, the sizes of the answers in gzip, the times until the first paint
and until the table is shown, and the processor time of the server while pages are open and the journal grows.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import statistics
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

import ahu

LOADS = 15
"""The number of loads of each page."""
MINUTES = 3
"""The time for which pages are open, in minutes."""
PROGRAM = Path(__file__).parents[2] / "target/release/ahu"
NOTE_TABLE = """
window.tableShown = new Promise((done) => {
  const look = () => (document.querySelector("tbody tr") ? done(performance.now()) : requestAnimationFrame(look));
  requestAnimationFrame(look);
});
"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class Process:
    """A server in another process."""

    def __init__(self, pid: int, address: str) -> None:
        self.pid, self.address = pid, address

    def memory(self) -> str:
        """Returns the memory now, and the most so far."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = dict(line.split(":", 1) for line in status.splitlines())
        now, most = (int(found[name].split()[0]) // 1024 for name in ("VmRSS", "VmHWM"))
        return f"{now} MB, at most {most} MB so far"

    def on_core(self) -> float:
        """Returns the processor time so far, in seconds."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def get(self, path: str) -> bytes:
        """Returns an answer as it comes over the network, in gzip."""
        request = urllib.request.Request(f"http://{self.address}{path}", headers={"accept-encoding": "gzip"})
        while True:
            try:
                with urllib.request.urlopen(request, timeout=600) as answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                # The answer takes longer than a request may.
                if error.code != 408:
                    raise


@contextmanager
def serve(folder: Path) -> Iterator[Process]:
    arguments = ["--data", str(folder), "--organiser-key", str(folder / "organiser.key")]
    with ahu.launch(program=PROGRAM, arguments=arguments) as server:
        yield Process(server.pid, server.address)


class Growth(threading.Thread):
    """Appends the games of a season in progress to a journal, 20 a minute."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        with path.open("rb") as file:
            file.seek(-1_000_000, os.SEEK_END)
            lines = file.read().decode().splitlines()[1:]
        self.path, self.ended = path, threading.Event()
        self.link = json.loads(lines[-1])["link"]
        draws = [json.loads(line) for line in lines if '"event":"draw"' in line]
        self.agents = [table["agents"] for draw in draws for table in draw["tables"]]
        starts = [json.loads(line)["table"] for line in lines if '"event":"start"' in line]
        self.game = max(starts) + 1

    def append(self, event: str, **content: object) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        body = json.dumps({"at": at, "event": event, **content})
        self.link = hashlib.sha256((self.link + body).encode()).hexdigest()
        with self.path.open("a") as file:
            file.write(f'{body[:-1]},"link":"{self.link}"}}\n')

    def run(self) -> None:
        while not self.ended.wait(3):
            agents = self.agents[self.game % len(self.agents)]
            key = {"stage": 0, "table": self.game, "game": 0, "match": f"{self.game:016x}"}
            self.game += 1
            self.append("draw", stage=0, extra=False, tables=[{"group": 0, "agents": agents}])
            self.append("start", **key)
            result = {"scores": [4, 3, 2, 1], "ranks": [1, 2, 3, 4], "digest": "0" * 64, "decisions": 9}
            self.append("result", **key, agents=agents, forfeits=[None] * 4, **result)


def main() -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None or len(sys.argv) != 2:
        sys.exit("expected a chromium (Debian: apt-get install chromium), and the folder of a season")
    folder = Path(sys.argv[1])
    (journal,) = (folder / "cups/operator").glob("*.jsonl")
    cup = f"/api/cups/{journal.stem}"
    for what in ("without a checkpoint", "with one"):
        with serve(folder) as server:
            begin = time.monotonic()
            server.get(f"{cup}/live")
            print(
                f"first answer {what}: {time.monotonic() - begin:.1f} s, on a core {server.on_core():.1f} s; memory: {server.memory()}"
            )
    arguments = ["--no-sandbox"] if os.getuid() == 0 else []
    with serve(folder) as server, sync_playwright() as playwright:
        agent = json.loads(gzip.decompress(server.get(cup)))["ladder"]["rows"][0]["agent"]
        for path in (cup, f"{cup}?all=1", f"{cup}/live", f"{cup}/agents/{agent}"):
            begin = time.monotonic()
            size = len(server.get(path))
            print(f"{path}: {size:,} bytes in gzip, {1000 * (time.monotonic() - begin):.0f} ms")
        before = server.on_core()
        for _ in range(50):
            server.get(cup)
        print(f"processor time of an answer with the table: {20 * (server.on_core() - before):.1f} ms")
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for path in (f"/cups/{journal.stem}", f"/cups/{journal.stem}/agents/{agent}"):
            times: list[list[float]] = []
            for _ in range(LOADS):
                # A new context has no cache.
                context = browser.new_context()
                context.add_init_script(NOTE_TABLE)
                page = context.new_page()
                page.goto(f"http://{server.address}{path}")
                shown = page.evaluate("window.tableShown")
                page.wait_for_function(f"() => {PAINT}")
                times.append([page.evaluate(PAINT), shown])
                context.close()
            paint, shown = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"{path}: first contentful paint {paint:.0f} ms, table {shown:.0f} ms, medians of {LOADS}")
        growth = Growth(journal)
        growth.start()
        for count in (0, 1, 10):
            pages = [browser.new_page() for _ in range(count)]
            for page in pages:
                page.goto(f"http://{server.address}/cups/{journal.stem}")
            time.sleep(10)
            before = server.on_core()
            time.sleep(60 * MINUTES)
            spent = (server.on_core() - before) / MINUTES
            print(
                f"processor time of the server with {count} open pages: {spent:.2f} s a minute; memory: {server.memory()}"
            )
            for page in pages:
                page.close()
        growth.ended.set()
        browser.close()


if __name__ == "__main__":
    main()
