"""The docs: the commands and Python programs of each page run, in a folder of their own, in the order of the page.

A page's code is its fenced and indented blocks, and each cell of a table that is one command. A Python block whose first line is
a comment with the name of a file is saved under this name, for the commands after it. `ahu serve` runs until the end of
the page, or the next `ahu serve`, on a free port. A block of TOML or CSV is saved under the last name before it. The tables below say
what is shortened, what may fail, what is shown, and what is not run, with the reason. The options
of every command of `ahu`, also of those that are not run, are compared with its `--help`.
"""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from support import HERE

import ahu

ROOT = HERE.parent.parent

PAGES = (
    "README.md",
    "agents/python/README.md",
    "docs/index.md",
    "docs/play.md",
    "docs/compete/index.md",
    "docs/compete/language.md",
    "docs/compete/protos.md",
    "docs/compete/cup.md",
    "docs/compete/mcp.md",
    "docs/compete/python.md",
    "docs/reference/bots.md",
    "docs/reference/lines.md",
    "docs/reference/pictures.md",
    "docs/reference/positions.md",
    "docs/train/environments.md",
    "docs/train/exploit.md",
    "docs/train/index.md",
    "docs/train/language.md",
    "docs/train/net.md",
    "docs/train/speed.md",
    "docs/train/state.md",
    "docs/train/trainers.md",
    "docs/organise/index.md",
    "docs/organise/duels.md",
    "docs/organise/benchmark.md",
    "docs/organise/submit.md",
    "docs/organise/cup.md",
    "docs/organise/results.md",
    "docs/organise/models.md",
    "docs/organise/shards.md",
    "docs/operate/index.md",
    "docs/operate/host.md",
    "docs/operate/tls.md",
    "docs/operate/accounts.md",
    "docs/operate/limits.md",
    "docs/operate/data.md",
    "docs/operate/failures.md",
    "docs/operate/watch.md",
    "docs/operate/web.md",
)
"""The pages whose code runs here."""


def free_port() -> int:
    """Returns a port at which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


AGENT = "cp agents/python/examples/random_agent.py {}"

MATCHES = """
        python -c '
        import ahu
        with ahu.launch(arguments=["--data", "matches"]) as server, ahu.client.Client(server.address) as client:
            match = client.create_match("giants", 3, bots=dict.fromkeys(range(3), "random"))
            client.get_match(match.match_id, wait=30)'"""

BEFORE = {
    "docs/organise/cup.md": AGENT.format("my_bot.py"),
    "docs/organise/duels.md": AGENT.format("my_agent.py"),
    "docs/organise/benchmark.md": AGENT.format("net.py"),
    "docs/organise/submit.md": "cp agents/lines/random_bot.py my_bot.py",
    "docs/organise/results.md": """
        printf '%s\n' 'game = "rappanui"' 'seats = 3' 'blocks = 1' '[cup]' 'name = "Cup"' > cup.toml
        for name in greedy random moai; do
            printf '%s\n' '[[agent]]' "name = '$name'" "bot = '$name'" | sed "s/bot = 'moai'/bot = 'search:5'/" >> cup.toml
        done
        ahu cup run cup.toml""",
    "docs/operate/host.md": """
        printf '%s\n' 'game = "rappanui"' 'blocks = 1' '[cup]' 'name = "Cup"' 'anchor = "greedy"' > cup.toml
        printf '%s\n' 'name,owner' 'moai,Ann' > teams.csv""",
    "docs/operate/accounts.md": "printf '%s\\n' 'name,kind,scopes' 'tangata,person,play watch' > teams.csv",
    "docs/operate/data.md": MATCHES,
    "docs/operate/failures.md": MATCHES,
}
"""Commands that run before a page, which make the files that its reader has."""

SHORTER = (
    # Where a person would play.
    (r"\bhuman\b", "random"),
    (r"^ahu play --continue match.txt$", "ahu play --continue match.txt --at 5 random greedy"),
    (r"--web\b", "--web --no-open"),
    # Sizes.
    (r"--sprt 0,0.05", "--sprt 0,0.05 --max-blocks 20"),
    (r"search:\d+(m?s)\b", "search:5ms"),
    (r"search:\d+\b(?!m)", "search:5"),
    (r"^ahu speed$", "ahu speed --time 50ms"),
    (r"bench.py --rounds 3 --seconds 0.2", "bench.py --rounds 1 --seconds 0.01 --games rappanui --num-envs 1,16"),
    (
        r"bench.py --measures state --seconds 0.3",
        "bench.py --measures state --seconds 0.01 --rounds 1 --games rappanui",
    ),
    (r"--blocks \d+ --records games", "--blocks 5 --records games"),
    (r"^(ahu analyse match\.txt (?!.*--bot).*)$", r"\1 --bot search:5"),
    (
        r"^ahu play rappanui greedy greedy greedy --record",
        "ahu play giants -o max_turns=2 greedy greedy greedy --record",
    ),
    (r"--blocks 10 --records lost", "--blocks 2 --records lost"),
    (r"(ahu analyse lost .*)", r"\1 --bot search:5"),
    (r'(ahu duel rapanui_cards new="python my_agent.py" .*)', r"\1 --blocks 2"),
    (r"--first 10 --agent moai", "--agent moai"),
    (r"docs/organise/benchmark/v2/moai", "entry"),
    (r"(ahu benchmark run v\d)( --quick)? (.*) --out (\w+)$", r"\1 --first 1 --cell rappanui-2-greedy \3 --out \4"),
    (r"--rerun 5", "--rerun 1"),
    (r"blocks = \d+", "blocks = 1"),
    (r"127\.0\.0\.1:50561", f"127.0.0.1:{free_port()}"),
    # Files and values that a reader has.
    (r"jsonl:./search_bot(.*) --games 200", r"jsonl:python3 agents/lines/random_bot.py\1 --games 4"),
    (r"jsonl:./my_bot", "jsonl:python3 agents/lines/random_bot.py"),
    (
        r"(benchmark (?:compare|table)) net other",
        r"\1 docs/organise/benchmark/v1/greedy@1 docs/organise/benchmark/v1/greedy@2",
    ),
    (r"compare net docs", "compare docs/organise/benchmark/v1/greedy@1 docs"),
    (r" --salt-hash HASH", ""),
    (r"^ahu status$", "ahu status unix:metrics.sock"),
    (r" && scp .*", ""),
    (r"data restore --data matches backup.db", "data restore --data restored backup.db --force"),
    (r"data verify --data matches", "data verify --data restored"),
)
"""Replacements in commands: a pattern and the text in its place. They bound the time of a command, or replace a person."""

MAY_FAIL: tuple[tuple[str, str], ...] = ((r"check-agent .*--positions positions.jsonl", "the bot decides as before"),)
"""Commands that may end with status 3: a pattern and the reason."""

SHOWS = (
    (r"^ahu replay match.txt --verify", "match.txt: valid"),
    (r'^ahu check-agent "python .* --game', "ok      rappanui: survives a lost connection"),
    (r"^ahu duel rappanui mine=.* --sprt", "\nmine is better than random@1: "),
    (r"^ahu analyse lost ", "10 positions added to positions.jsonl\n\nmine in 4 games of rappanui: "),
    (r"^ahu cup table cup.toml --html", ".html has the table"),
    (r"^ahu cup verify", "\nvalid\n"),
    (r"^ahu benchmark verify net$", "\nvalid. Games started"),
    (r"^ahu duel merge shards", "\ngreedy@2 is better than random@1: "),
    (r"^ahu records verify", "1 records valid"),
    (r"^python host.py", " [1, 2, 3]"),
    (r"^python first_action.py", "seat 0 (you): rank "),
)
"""Commands whose output has a text that the page promises: a pattern and the text."""

NOT_RUN = (
    (
        r"^createdb |postgres://|^AHU_ADDRESS=https://one",
        "needs a database, and a spare: `tests/store`, `tests/durability` run them",
    ),
    (r"^(pip|npm|apt-get|cargo) |^python3 -m venv|^pip3 ", "installs or builds; `wheel_check.py` and `.ci/test` do it"),
    (
        r"(?m)train_(ppo|net|best_response)\.py|^from train_ppo|\bmatch\.py|runs/net/|ahu\.exploit\(",
        "needs torch: `tests_trainers/test_net_page.py`, `test_train_ppo.py`, and `test_train_net.py` run it",
    ),
    (r"trl/examples/learn\.py", "needs torch and TRL: `tests_trainers/door_trl.py` runs it"),
    (r'"rappanui": net\}|my_net\.py', "needs torch: `tests_trainers/test_net_page.py` runs it"),
    (
        r"training\.(sb3|torchrl|rllib|openspiel)|import torch\n\n\ndef unpacked",
        "needs the trainers: `tests_trainers/test_documents.py` runs it",
    ),
    (r"^ray start|train_ray\.py", "needs a cluster: `tests_trainers/test_ray.py` makes one"),
    (r"RecordVideo", "needs moviepy"),
    (r"to_parquet", "needs pyarrow: `tests_trainers/test_train_net.py` runs it"),
    (r"^benches/ladder", "takes core-hours"),
    (r"^\.ci/entries", "needs a checkout; `test_entries.py` runs it"),
    (r"python -m benchmarks\.choices", "takes minutes"),
    (r"^bash (agents/demo|\.ci/)", "runs all tests, or is run by them"),
    (r"--pause", "waits for a person; tests/web has a browser"),
    (r"agents/typescript/build|^call |npx buf", "needs npm and the network; tests/service runs both agents"),
    (r"^AHU_ADDRESS=|practice=True", "needs a cup elsewhere; tests/cli/cup.rs has one"),
    (
        r"cup run (open|nets).toml|--server cup\.example|--agent net=remote",
        "waits for agents elsewhere; tests/cli has them",
    ),
    (r"sealed:HEX", "needs a salt; tests/cli/benchmark.rs has one"),
    (r"report bot$|verify checked|^export PYTHONPATH=", "belongs to commands that need torch"),
    (r"^ahu cup (readmit|withdraw|disqualify) ", "changes a cup in progress; tests/cli/cup.rs does it"),
    (r"--(shard|records|out) .*parts/|merge parts/", "one of 16 machines; tests/cli/shards.rs plays all"),
    (r"SLURM|sbatch", "needs a cluster"),
    (r"^http://", "an address for a browser"),
    (r"^(tar xzf|install|useradd|certbot) |RENEWED|/usr/local/bin/ahu|^#!/bin/sh", "changes a machine"),
    (r"--tls-cert|--server https:", "needs a certificate; tests/cli/cup_tls.rs makes one"),
    (
        r"language_agent\.py --model|cup (run|table|export) models.toml",
        "needs an endpoint; test_language.py and test_ledger.py have one",
    ),
)
"""Commands and programs that are not run: a pattern and the reason."""

ADDRESS = "127.0.0.1:50551"
"""The address of `ahu serve` in the pages."""

LONGEST = 120
"""The time that the commands of a block may take on a busy machine, in seconds."""

SHELLS = ("sh", "bash", "")


@dataclass(frozen=True)
class Code:
    """A block of a page, or a command in a table.

    Attributes:
        language: the word after the fence; empty for an indented block and a command in a table.
    """

    language: str
    text: str
    line: int


def code_of(page: str) -> list[Code]:
    """Returns the code of a page in its order."""
    found: list[Code] = []
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        line, start = lines[at], at
        # Code in a list is indented by four more.
        indented = " " * (8 if _is_in_list(lines, at) else 4)
        if fence := re.match(r"( *)```(\w*)", line):
            at = lines.index(f"{fence[1]}```", at + 1)
            found.append(Code(fence[2] or "text", _dedented(lines[start + 1 : at], len(fence[1])), start + 1))
        elif line.startswith(indented) and not lines[at - 1].strip():
            while at < len(lines) and (lines[at].startswith(indented) or not lines[at].strip()):
                at += 1
            found.append(Code("", _dedented(lines[start:at], len(indented)), start + 1))
            continue
        elif line.startswith("|"):
            cells = (re.fullmatch(r"`((?:ahu|python) [^`]+)`", cell.strip()) for cell in re.split(r"(?<!\\)\|", line))
            found.extend(Code("", cell[1].replace(r"\|", "|"), start + 1) for cell in cells if cell)
        at += 1
    return found


def _dedented(lines: list[str], indentation: int) -> str:
    return "\n".join(line[indentation:] for line in lines).strip() + "\n"


def _is_in_list(lines: list[str], at: int) -> bool:
    """Returns True if the last line before that is not indented by four or more begins an item of a list, or goes on with it."""
    before = next((line for line in reversed(lines[:at]) if line.strip() and not line.startswith("    ")), "")
    return bool(re.match(r"(\*|-|\d+\.) |  ", before))


def file_of(code: Code, page: str) -> str | None:
    """Returns the name of the file that a block is: the last name with the extension in the text before the block."""
    before = "\n".join(page.splitlines()[: code.line - 1])
    names = re.findall(rf"`([\w-]+\.{code.language})`", before.rpartition("\n#")[2])
    return names[-1] if code.language in {"csv", "toml"} and names else None


def commands_of(text: str) -> Iterator[str]:
    """Yields the commands of a block: lines, and those that belong together, such as a loop."""
    command = ""
    for line in text.splitlines():
        if not command and (not line.strip() or line.startswith("#")):
            continue
        command = f"{command}\n{line}" if command else line
        if not line.endswith("\\") and _is_complete(command):
            yield command
            command = ""
    if command:
        raise ValueError(f"no command: {command}")


def _is_complete(command: str) -> bool:
    checked = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True)
    return checked.returncode == 0 and "here-document" not in checked.stderr


def bare(command: str) -> str:
    """Returns a command without its comment, and with the program and the interpreter of the test."""
    command = re.sub(r"target/(release|debug)/ahu\b", "ahu", command)
    command = re.sub(r'"\$\(agents/python/environment \w+\)"', "python", command)
    return re.sub(r"^((?:[^\"'#\n]|\"[^\"]*\"|'[^']*'|(?<! )#)*?)\s+# .*$", r"\1", command, flags=re.MULTILINE).strip()


def shorter(command: str) -> str:
    for pattern, replacement in SHORTER:
        command = re.sub(pattern, replacement, command)
    return command


def row_of(rows: tuple[tuple[str, str], ...], code: str) -> tuple[str, str] | None:
    return next((row for row in rows if re.search(row[0], code)), None)


@functools.cache
def help_of(*words: str) -> str:
    return subprocess.run([ahu.find_program(), *words, "--help"], capture_output=True, text=True).stdout


def unknown_options(command: str) -> list[str]:
    """Returns the options of a command of `ahu` that its help does not have."""
    quoted = re.sub(r"\"[^\"]*\"|'[^']*'|\$\([^)]*\)", "QUOTED", command)
    unknown: list[str] = []
    for words in re.findall(r"(?:^|[;&|]\s*)(?:[A-Z_]+=\S+ )*ahu ([^|;&<>]*)", quoted, re.MULTILINE):
        subcommand = [word for word in words.split()[:2] if re.fullmatch(r"[a-z-]+", word)]
        if subcommand and subcommand[0].startswith("-"):
            subcommand = []
        text = help_of(*[word for word in subcommand if not word.startswith("-")])
        options = re.findall(r"(?<![\w-])--?[a-zA-Z][a-z0-9-]*(?=[\s=]|$)", words.partition(" -- ")[0])
        unknown += [f"{option} of ahu {words}" for option in options if not re.search(rf"(?<!\w){option}\b", text)]
    return unknown


class Pages(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(TemporaryDirectory()))
        programs = self.folder / "programs"
        programs.mkdir()
        # The programs which are in PATH where the package is installed.
        for name, program in (("ahu", ahu.find_program()), ("python", sys.executable), ("python3", sys.executable)):
            (programs / name).write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
            (programs / name).chmod(0o755)
        # A page of the checkout names its files.
        for name in ("agents", "benches", "docs", "examples", "proto"):
            (self.folder / name).symlink_to(ROOT / name)
        packages = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(packages),
            "AHU_PROGRAM": str(Path(ahu.find_program()).resolve()),
        }
        self.address = ""
        self.server: ahu.Server | None = None

    def test_the_help_of_the_training_example_needs_no_pytorch(self) -> None:
        (self.folder / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\")\n")
        self.environment["PYTHONPATH"] = os.pathsep.join([str(self.folder), self.environment["PYTHONPATH"]])
        done = self.run_in_folder(sys.executable, "agents/python/examples/train_ppo.py", "--help")
        self.assertIn("--total-timesteps", done.stdout)

    def run_page(self, name: str) -> None:
        if before := BEFORE.get(name):
            self.run_in_folder("bash", "-euc", textwrap.dedent(before))
        page = (ROOT / name).read_text()
        for code in code_of(page):
            with self.subTest(page=name, line=code.line):
                if file := file_of(code, page):
                    (self.folder / file).write_text(shorter(code.text) + "\n")
                elif code.language == "python":
                    self.run_python(code.text)
                elif code.language in SHELLS:
                    self.run_commands(code.text)
                elif code.language == "json":
                    for line in code.text.splitlines() if code.text.count("\n{") else [code.text]:
                        json.loads(line)

    def run_python(self, text: str) -> None:
        compile(text, "block", "exec")
        if file := re.match(r"# (\w+\.py)\n", text):
            (self.folder / file[1]).write_text(self.addressed(text))
        elif row_of(NOT_RUN, text) is None:
            self.run_in_folder(sys.executable, "-W", "ignore", "-c", self.addressed(shorter(text)))

    def run_commands(self, text: str) -> None:
        script: list[str] = []
        shown: list[str] = []
        may_fail = False
        for command in map(bare, commands_of(text)):
            self.assertEqual(unknown_options(command), [])
            if row_of(NOT_RUN, command):
                continue
            if serve := re.match(r"((?:\w+=\S+ )*)ahu serve\b(.*)", command):
                self.run_script(script, may_fail=may_fail)
                script = []
                self.serve(serve[2])
                continue
            fails = row_of(MAY_FAIL, command) is not None
            may_fail |= fails
            script.append(f"{{ {self.addressed(shorter(command))}\n}}" + (" || [ $? = 3 ]" if fails else ""))
            shown += [shows for pattern, shows in SHOWS if re.search(pattern, command)]
        printed = self.run_script(script, may_fail=may_fail)
        for text in shown:
            self.assertTrue(text in printed, f"expected {text!r}, got {printed[-1000:]}")

    def serve(self, arguments: str) -> None:
        # The server gets a free port.
        own = re.sub(r"--listen \S+|2> \S+", "", arguments)
        own = re.sub(r"--metrics\b", f"--metrics unix:{self.folder}/metrics.sock", own)
        if self.server:
            self.server.close()
        self.server = self.enterContext(in_folder_of(self.folder, own.split()))
        self.address = self.server.address

    def addressed(self, text: str) -> str:
        """Returns code with the address of the page's server; starts one if the page has none."""
        if ADDRESS in text and not self.address:
            self.serve("")
        return text.replace(ADDRESS, self.address)

    def run_script(self, script: list[str], *, may_fail: bool) -> str:
        """Runs commands and returns their output."""
        if not script:
            return ""
        done = self.run_in_folder("bash", "-euxo", "pipefail", "-c", "\n".join(script))
        if not may_fail:
            self.assertNotRegex(done.stderr, r"(?m)^Traceback|plays on|stand-in")
        return done.stdout + done.stderr

    def run_in_folder(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in the folder."""
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
        self.assertEqual(process.returncode, 0, f"{command[-1]}\n{output[-3000:]}{errors[-3000:]}")
        return subprocess.CompletedProcess(command, 0, output, errors)


def in_folder_of(folder: Path, arguments: list[str]) -> ahu.Server:
    """Starts a server whose relative paths lie in a folder."""
    values = {f"--{name}" for name in ("data", "organiser-key", "uds")}
    after = ["", *arguments]
    return ahu.launch(
        arguments=[
            str(folder / word) if before in values else word for before, word in zip(after, arguments, strict=False)
        ]
    )


def _test_of(name: str) -> None:
    def test(self: Pages) -> None:
        self.run_page(name)

    setattr(Pages, "test_" + re.sub(r"\W+", "_", name.removesuffix(".md")).lower(), test)


for _name in PAGES:
    _test_of(_name)


class Tables(unittest.TestCase):
    def test_every_row_is_needed(self) -> None:
        everything: list[str] = []
        for name in PAGES:
            for code in code_of((ROOT / name).read_text()):
                if code.language in {"python", "toml"}:
                    everything.append(code.text)
                elif code.language in SHELLS:
                    everything += map(bare, commands_of(code.text))
        for pattern, text in (*SHORTER, *MAY_FAIL, *SHOWS, *NOT_RUN):
            self.assertTrue(any(re.search(pattern, code) for code in everything), f"{pattern}: {text}")

    def test_commands_in_prose_have_options_that_exist(self) -> None:
        for name in PAGES:
            prose = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text(), flags=re.MULTILINE | re.DOTALL)
            for command in re.findall(r"`(ahu [a-z][^`]*)`", prose):
                with self.subTest(page=name, command=command):
                    self.assertEqual(unknown_options(command), [])


if __name__ == "__main__":
    unittest.main()
