"""Changes the code in small ways, and tells which of the changes ("mutants") the tests notice.

    python3 tests/mutants.py [--samples 200] [--seed 42] [--minutes M] [--jobs N] [UNIT ...]

cargo-mutants lists the mutants of a unit, and the seed chooses a sample. A build for each mutant would take long, so a
package is built once with all of its mutants: each changed function has a body for each of them, and the environment variable
`AHU_MUTANT` chooses one. Mutants of constants, of functions that constants call, and of functions that return an
`impl` have a build of their own. A mutant that does not compile counts for nothing. The tests of the unit run in steps, the
quick ones first, until one fails; a mutant is caught too if tests take much longer with it, or more memory than they may have.

The results of a unit are lines of `target/mutants/UNIT.jsonl`. A mutant with a line is not tried again, so an interrupted run
goes on; delete a line to try its mutant again. Prints the mutants that survive, and a table.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import itertools
import json
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
FOLDER = TOP / "target" / "mutants"
COPY = FOLDER / "ahu"

# The processor time of tests with a mutant, as a multiple of their time without one, and in seconds above that.
TIMES, MORE_SECONDS = 4, 10
# The longest time of tests with a mutant, in seconds, for those that wait for ever.
PATIENCE = 900
# The most memory of a process, in bytes.
MEMORY = 8 << 30


@dataclass(frozen=True)
class Step:
    """Tests of a target of a package ("lib" are those in the code), with the arguments that choose some of them."""

    package: str
    target: str
    arguments: tuple[str, ...] = ()
    # The random games of a law for each seat count; None: as many as without this script.
    games: int | None = None


@dataclass(frozen=True)
class Unit:
    """A part of the code: its package, the root of its crate, its files in a folder, some of them left out, and its tests."""

    package: str
    root: str
    folder: str
    files: tuple[str, ...]
    without: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Place:
    """The lines of a changed function with its mutants, or of the body of one mutant."""

    file: str
    lines: range
    numbers: tuple[int, ...]
    is_body: bool


def _but(*slow: str) -> tuple[str, ...]:
    """Returns the arguments that leave tests out."""
    return tuple(argument for part in slow for argument in ("--skip", part))


HOST = Step("ahu-host", "host", _but("records::", "search"))
# Without the tests that take seconds.
QUICK_HOST = Step(
    "ahu-host",
    "host",
    _but(
        *("bots::", "environments", "every_entry", "fold::", "positions::", "records::", "search", "standard_error"),
        "trajectories",
    ),
)
RECORDS = Step("ahu-host", "host", ("records::",))
CONTEST = Step("ahu-contest", "contest", _but("calibration"))
QUICK_CONTEST = Step(
    "ahu-contest",
    "contest",
    _but("calibration", "counts_once", "number_of_threads", "one_game_repeated", "ratings::"),
)
CALIBRATION = Step("ahu-contest", "contest", ("calibration",))


def _game(name: str) -> Unit:
    """Returns the rules of a game, without bots, and without the files that draw, describe, encode, or check a position."""
    apart = ("svg", "text", "question", "wire", "observation", "state_bytes", "invariants", "greedy")
    without = tuple(f"{part}{end}" for part in apart for end in (".rs", "/**/*.rs"))
    # The tests that play many games, and those of other files than the rules.
    slow = (
        *("chains", "combine", "decline", "decode", "end::", "greedy", "laws", "messages", "observation", "picture"),
        *("playing", "secrets", "typed"),
    )
    steps = (
        Step("ahu-host", "rules", (f"{name}::", *_but(*slow))),
        Step("ahu-host", "host", ("playthroughs", "positions")),
        Step("ahu-host", "rules", (f"{name}::", *_but("laws", "messages"))),
        Step("ahu-host", "rules", (f"laws::{name}::",), games=100),
        Step("ahu-games", "lib", (name,)),
    )
    return Unit("ahu-games", "crates/games/src/lib.rs", f"crates/games/src/{name}", ("**/*.rs",), without, steps)


def _host(*files: str, lib: tuple[str, ...] = (), own: tuple[str, ...]) -> Unit:
    """Returns a part of the host, with the modules of its own tests."""
    in_code = (Step("ahu-host", "lib", lib),) if lib else ()
    steps = *in_code, Step("ahu-host", "host", own), QUICK_HOST, RECORDS, HOST
    return Unit("ahu-host", "crates/host/src/lib.rs", "crates/host/src", files, (), steps)


def _contest(name: str) -> Unit:
    """Returns a room of the competitions on paper."""
    steps = Step("ahu-contest", "lib", (f"{name}::",)), QUICK_CONTEST, CONTEST, CALIBRATION
    return Unit("ahu-contest", "crates/contest/src/lib.rs", "crates/contest/src", (f"{name}/*.rs",), (), steps)


UNITS = {
    **{name: _game(name) for name in ("rappanui", "rapanui_cards", "giants", "rapanui_board")},
    "referee": _host("referee.rs", "referee/*.rs", own=("referee::", "conduct::")),
    "clock": _host("clock.rs", lib=("clock::",), own=("clocks::",)),
    "conduct": _host("conduct.rs", own=("conduct::", "referee::")),
    **{name: _contest(name) for name in ("statistics", "blocks")},
    "store": Unit(
        "ahu-service",
        "crates/service/src/lib.rs",
        "crates/service/src/store",
        ("**/*.rs",),
        ("**/fuzzing.rs",),
        (
            Step("ahu-service", "lib", ("store::",)),
            Step("ahu-service", "store"),
            Step("ahu", "cli", ("data::", "records::", "accounts::")),
            Step("ahu-service", "service", ("store", "restart", "journal", "listing")),
        ),
    ),
}

# The function that chooses a mutant, for the root of a crate.
CHOICE = """
/// Returns true if this mutant is chosen.
pub(crate) fn is_mutant(number: u32) -> bool {
    static CHOSEN: std::sync::LazyLock<u32> =
        std::sync::LazyLock::new(|| std::env::var("AHU_MUTANT").map_or(0, |number| number.parse().expect("a number")));
    *CHOSEN == number
}
"""

ENVIRONMENT = {
    **os.environ,
    "CARGO_TARGET_DIR": str(FOLDER / "build"),
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_INCREMENTAL": "1",
    "RUST_BACKTRACE": "0",
}
# Quick builds of games that are still fast enough for thousands of games.
PROFILE = tuple(
    argument
    for name in ("core", "games", "host", "contest")
    for argument in ("--config", f"profile.dev.package.ahu-{name}.opt-level=1")
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("units", nargs="*", metavar="UNIT", help=f"of {', '.join(UNITS)} [default: all]")
    parser.add_argument("--samples", type=int, default=200, help="the number of mutants of each unit [default: 200]")
    parser.add_argument("--seed", type=int, default=42, help="the seed of the sample [default: 42]")
    parser.add_argument("--minutes", type=float, default=math.inf, help="no mutant begins later [default: no limit]")
    jobs = os.cpu_count() or 1
    parser.add_argument(
        "--jobs", type=int, default=jobs, help="the number of mutants tried at once [default: all cores]"
    )
    args = parser.parse_args()
    names = args.units or list(UNITS)
    if unknown := [name for name in names if name not in UNITS]:
        parser.error(f"expected one of {', '.join(UNITS)}, got {', '.join(unknown)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + args.minutes * 60
    samples = {name: _sample(name, args.samples, args.seed) for name in names}
    for package in dict.fromkeys(UNITS[name].package for name in names):
        own = [sample for name, sample in samples.items() if UNITS[name].package == package]
        # The units take turns, so that all have equally many results whenever the time is over.
        mutants = [mutant for turn in itertools.zip_longest(*own) for mutant in turn if mutant is not None]
        Trial(package, deadline, args.jobs).run(mutants)
    print("unit           tried  no build  caught  survived  share caught (95 %)")
    for name in names:
        _print_row(name, samples[name])
    return 0


def _sample(name: str, count: int, seed: int) -> list[dict]:
    """Returns mutants of a unit in a random order."""
    unit = UNITS[name]
    if empty := [file for file in unit.files if not any((TOP / unit.folder).glob(file))]:
        raise SystemExit(f"{name}: {unit.folder} has no file {' and none '.join(empty)}")
    command = ["cargo", "mutants", "--no-config", "--list", "--json", "--package", unit.package]
    for option, files in (("--file", unit.files), ("--exclude", unit.without)):
        command += [f"{option}={unit.folder}/{file}" for file in files]
    listed = subprocess.run(command, cwd=TOP, check=True, capture_output=True, text=True)
    mutants = sorted(json.loads(listed.stdout), key=lambda mutant: mutant["name"])
    if not mutants:
        raise SystemExit(f"{name}: cargo-mutants lists no mutants")
    mutants = [{**mutant, "unit": name} for mutant in mutants]
    return random.Random(seed).sample(mutants, min(count, len(mutants)))


def _results(name: str) -> dict[str, str]:
    """Returns the results of a unit by the names of the mutants."""
    file = FOLDER / f"{name}.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return {line["name"]: line["result"] for line in lines}


def _print_row(name: str, sample: list[dict]) -> None:
    results = _results(name)
    fates = collections.Counter(results[mutant["name"]] for mutant in sample if mutant["name"] in results)
    survived, broken = fates["survived"], fates["did not compile"]
    caught = fates.total() - survived - broken
    low, high = _wilson(caught, caught + survived)
    share = f"{caught / max(caught + survived, 1):.3f} ({low:.3f} to {high:.3f})"
    print(f"{name:14} {fates.total():5} {broken:9} {caught:7} {survived:9}  {share}")


def _wilson(count: int, of: int) -> tuple[float, float]:
    """Returns the interval of Wilson, 95 %, for a share."""
    if of == 0:
        return 0.0, 1.0
    z, share = 1.959964, count / of
    middle, spread = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - spread) / (1 + z * z / of), (middle + spread) / (1 + z * z / of)


class Trial:
    """The trial of mutants of one package."""

    def __init__(self, package: str, deadline: float, jobs: int) -> None:
        self.package, self.deadline, self.jobs = package, deadline, jobs
        self.units = {name: unit for name, unit in UNITS.items() if unit.package == package}
        # The programs of the tests by the folder of their package and their target.
        self.programs: dict[tuple[Path, str], str] = {}
        # The most processor time of tests, in seconds.
        self.limits: dict[Step, int] = {}

    def run(self, mutants: list[dict]) -> None:
        known = {name: result for unit in self.units for name, result in _results(unit).items()}
        if all(mutant["name"] in known for mutant in mutants):
            return
        self.units = {
            name: unit for name, unit in self.units.items() if any(mutant["unit"] == name for mutant in mutants)
        }
        numbered = {n: mutant for n, mutant in enumerate(mutants, 1) if known.get(mutant["name"]) != "did not compile"}
        together, alone = self._build_together(numbered)
        print(f"{self.package}: {len(together)} mutants in one build, {len(alone)} alone", flush=True)
        self._try([(mutant, number) for number, mutant in together.items() if mutant["name"] not in known])
        for mutant in alone.values():
            if mutant["name"] not in known and time.monotonic() < self.deadline:
                text = (TOP / mutant["file"]).read_text()
                _copy({mutant["file"]: _planted(text, mutant["span"], mutant["replacement"])})
                if self._build():
                    self._note(mutant, "did not compile")
                else:
                    self._try([(mutant, 0)])

    def _try(self, mutants: list[tuple[dict, int]]) -> None:
        """Runs the first step with all mutants, the next one with those that are left, and so on."""
        for turn in itertools.count():
            trials = []
            for mutant, number in mutants:
                steps = self.units[mutant["unit"]].steps
                if turn == len(steps):
                    self._note(mutant, "survived")
                else:
                    trials.append((mutant, number, steps[turn]))
            if not trials:
                return
            for _, number, step in trials:
                if step not in self.limits:
                    # The program of a mutant that is built alone has it for good: its tests without one cannot be timed.
                    self.limits[step] = self._limit(step) if number else PATIENCE
            mutants = []
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                fails = pool.map(self._fails, [step for *_, step in trials], [number for _, number, _ in trials])
                for (mutant, number, step), failed in zip(trials, fails, strict=True):
                    if failed:
                        self._note(mutant, f"caught by {_name(step)}")
                    elif failed is not None:
                        mutants.append((mutant, number))

    def _note(self, mutant: dict, result: str) -> None:
        with (FOLDER / f"{mutant['unit']}.jsonl").open("a") as results:
            print(json.dumps({"name": mutant["name"], "result": result}), file=results)
        if result == "survived":
            print(f"{mutant['unit']}: {mutant['name']}", flush=True)

    def _build_together(self, together: dict[int, dict]) -> tuple[dict[int, dict], dict[int, dict]]:
        """Builds the package with mutants, without those that do not compile. Returns its mutants, and those to be built alone."""
        # The functions that constants call, and the mutants that are built alone, as an earlier run found them.
        file = FOLDER / f"{self.package}.json"
        plan = json.loads(file.read_text()) if file.exists() else {"constant": [], "alone": []}
        constant, lonely = set(plan["constant"]), set(plan["alone"])
        alone: dict[int, dict] = {}
        while True:
            for number, mutant in list(together.items()):
                if not _has_body(mutant) or mutant["name"] in lonely or _constant_name(mutant) in constant:
                    alone[number] = together.pop(number)
            file.write_text(json.dumps({"constant": sorted(constant), "alone": sorted(lonely)}))
            changed, places = _with_bodies(together, [unit.folder for unit in self.units.values()], constant)
            root = next(iter(self.units.values())).root
            _copy({root: (TOP / root).read_text() + CHOICE, **changed})
            errors = self._build()
            if not errors:
                return together, dict(sorted(alone.items()))
            before = len(together), len(constant), len(lonely)
            for error in errors:
                if called := re.match(r"cannot call non-const [^`]*`([^`]*)`", error["message"]):
                    constant.add(re.findall(r"\w+", re.sub(r"<.*>", "", called[1]))[-1])
                    continue
                hit = [place for place in places if any(_is_in(span, place) for span in _spans(error))]
                bodies = {place.numbers[0] for place in hit if place.is_body}
                for number in bodies & together.keys():
                    self._note(together.pop(number), "did not compile")
                if not bodies:
                    lonely |= {
                        together[number]["name"] for place in hit for number in place.numbers if number in together
                    }
            if before == (len(together), len(constant), len(lonely)):
                raise SystemExit(errors[0]["rendered"])

    def _build(self) -> list[dict]:
        """Builds the tests of the copy, and returns the errors of the compiler."""
        steps = [step for unit in self.units.values() for step in unit.steps]
        packages = [f"--package={name}" for name in dict.fromkeys(step.package for step in steps)]
        names = dict.fromkeys(step.target for step in steps)
        targets = ["--lib" if name == "lib" else f"--test={name}" for name in names]
        command = ["cargo", "test", *packages, *targets, *PROFILE, "--no-run", "--message-format=json"]
        built = subprocess.run(command, cwd=COPY, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
        for message in messages:
            if message.get("executable") and message["profile"]["test"]:
                name = "lib" if "lib" in message["target"]["kind"] else message["target"]["name"]
                self.programs[Path(message["manifest_path"]).parent, name] = message["executable"]
        errors = [
            m["message"] for m in messages if m["reason"] == "compiler-message" and m["message"]["level"] == "error"
        ]
        errors = [error for error in errors if error["spans"]]
        if built.returncode != 0 and not errors:
            raise SystemExit(built.stderr)
        return errors if built.returncode != 0 else []

    def _limit(self, step: Step) -> int:
        """Returns the most processor time of tests in seconds, from their time without a mutant."""
        listed = subprocess.run(
            [self.programs[_folder(step.package), step.target], "--list", *step.arguments],
            cwd=_folder(step.package), check=True, capture_output=True, text=True,
        )
        if not re.search(": test$", listed.stdout, re.MULTILINE):
            raise SystemExit(f"{_name(step)} has no tests")
        used, status = self._test(step, 0, None)
        if status != 0:
            raise SystemExit(f"{_name(step)} fails without a mutant")
        print(f"{_name(step)}: {used:.1f} s", flush=True)
        return math.ceil(used * TIMES + MORE_SECONDS)

    def _fails(self, step: Step, number: int) -> bool | None:
        """Returns true if tests fail with a mutant; None if there is no time left to try."""
        if time.monotonic() > self.deadline:
            return None
        return self._test(step, number, self.limits[step])[1] != 0

    def _test(self, step: Step, number: int, seconds: int | None) -> tuple[float, int]:
        """Runs tests with a mutant within a limit of processor time, and returns that time and the exit code."""
        folder = _folder(step.package)
        program = self.programs[folder, step.target]
        environment = {
            **ENVIRONMENT,
            "AHU_MUTANT": str(number),
            **({"AHU_GAMES": str(step.games)} if step.games else {}),
        }
        # The shell sets the limits: code of Python between fork and exec is not safe beside other threads.
        script = f'ulimit -v {MEMORY >> 10}; ulimit -t {seconds or "unlimited"}; exec "$0" "$@"'
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(
            ["sh", "-c", script, program, "--quiet", *step.arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, status


def _folder(package: str) -> Path:
    """Returns the folder of a package in the copy."""
    return COPY if package == "ahu" else COPY / "crates" / package.removeprefix("ahu-")


def _name(step: Step) -> str:
    return " ".join((step.package, step.target, *step.arguments))


def _copy(changed: dict[str, str]) -> None:
    """Makes the copy equal to the files that git knows, but for these texts. Files that stay as they are keep their times."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, check=True, capture_output=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        source, target = TOP / name, COPY / name
        if source.is_file():
            content = changed[name].encode() if name in changed else source.read_bytes()
            if not (target.exists() and target.read_bytes() == content):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                target.chmod(source.stat().st_mode)


def _offset(text: str, place: dict) -> int:
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1


def _planted(text: str, span: dict, replacement: str) -> str:
    """Returns a text with another part in place of a span."""
    return text[: _offset(text, span["start"])] + replacement + text[_offset(text, span["end"]) :]


def _constant_name(mutant: dict) -> str | None:
    """Returns the name of the mutant's function if it is `const`."""
    text, span = (TOP / mutant["file"]).read_text(), mutant["function"]["span"]
    found = re.search(
        r"^[^/\n]*\bfn (\w+)", text[_offset(text, span["start"]) : _offset(text, span["end"])], re.MULTILINE
    )
    return found[1] if found and "const fn" in found[0] else None


def _has_body(mutant: dict) -> bool:
    """Returns true if the mutant lies in a function of which a call can have one of several bodies."""
    return mutant["function"] is not None and "impl " not in (mutant["function"]["return_type"] or "")


def _with_bodies(
    mutants: dict[int, dict], folders: list[str], constant: set[str]
) -> tuple[dict[str, str], list[Place]]:
    """Returns files in which functions have a body for each of their mutants, with the places of the bodies.

    Only functions with the names of `constant` stay `const`.
    """
    files: dict[str, list[tuple[int, dict]]] = collections.defaultdict(list)
    for number, mutant in mutants.items():
        files[mutant["file"]].append((number, mutant))
    texts, places = {}, []
    for path in sorted({path for folder in folders for path in (TOP / folder).rglob("*.rs")}):
        name = str(path.relative_to(TOP))
        text = path.read_text()
        functions: dict[tuple[int, int], list[tuple[int, dict]]] = collections.defaultdict(list)
        for number, mutant in files.get(name, []):
            span = mutant["function"]["span"]
            functions[_offset(text, span["start"]), _offset(text, span["end"])].append((number, mutant))
        # A function inside another one changes with it.
        for inner in sorted(functions):
            for outer in sorted(functions):
                if outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1] and inner in functions:
                    functions[outer] += functions.pop(inner)
        pieces, at, marks = [], 0, []
        for (start, end), own in sorted(functions.items()):
            begin = start + re.match(r"(?:\s*(?:///.*|#\[.*|//.*)\n)*", text[start:end]).end()
            brace = text.index("{", begin) + 1
            pieces.append(text[at:brace])
            first = sum(map(len, pieces))
            for number, mutant in own:
                low, high = (_offset(text, mutant["span"][key]) for key in ("start", "end"))
                body = text[brace:low] + mutant["replacement"] + text[high : end - 1]
                pieces.append(f" if crate::is_mutant({number}) {{ return {{")
                length = sum(map(len, pieces))
                marks.append((length, length + len(body), (number,), True))
                pieces += [body, "}; }"]
            pieces.append(text[brace:end])
            marks.append((first, sum(map(len, pieces)), tuple(number for number, _ in own), False))
            at = end
        changed = "".join(pieces) + text[at:]
        for low, high, numbers, is_body in marks:
            lines = range(changed.count("\n", 0, low) + 1, changed.count("\n", 0, high) + 2)
            places.append(Place(name, lines, numbers, is_body))
        changed = re.sub(r"\bconst (fn (\w+))", lambda found: found[found[2] not in constant], changed)
        texts[name] = changed
    return texts, places


def _spans(error: dict) -> list[tuple[str, int]]:
    """Returns the files and lines of an error, also those of the macros that it comes from."""
    places, spans = [], [span for span in error["spans"] if span["is_primary"]]
    while spans:
        places += [(span["file_name"], span["line_start"]) for span in spans]
        spans = [span["expansion"]["span"] for span in spans if span.get("expansion")]
    return places


def _is_in(span: tuple[str, int], place: Place) -> bool:
    return span[0] == place.file and span[1] in place.lines


if __name__ == "__main__":
    sys.exit(main())
