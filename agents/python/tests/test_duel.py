"""Many matches in one process, matches in one call, and comparisons."""

import csv
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar
from unittest import mock

import support

import ahu
from ahu import _duel
from ahu.v1 import match_service_pb2 as v1

RANDOM = f"{shlex.quote(sys.executable)} {shlex.quote(str(support.EXAMPLES / 'random_agent.py'))}"

NOTING = """
import random
import ahu

class Noting:
    matches = 0

    def seed(self, number):
        self.random = random.Random(number)

    def start(self, match):
        self.matches += 1
        print("match", self.matches, "of this process", flush=True)

    def act(self, turn):
        return self.random.choice(turn.legal)

    def end(self, result):
        # The seed of a sealed match is not told.
        print("seed", bool(result.result.seed), flush=True)

ahu.connect(Noting())
"""


def last(turn: ahu.Turn) -> ahu.Action:
    return turn.legal[-1]


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(TemporaryDirectory()))

    def duel(self, agents: dict[str, Any], **options: Any) -> ahu.DuelResult:
        return ahu.duel("rapanui_cards", agents, **options)

    def logged(self, **options: Any) -> list[str]:
        """Plays a program that counts its matches. Returns the lines that it printed, without the game."""
        program = self.folder / "noting.py"
        program.write_text(NOTING)
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
        logs = self.folder / "logs"
        result = self.duel({"n": command, "bot": "random"}, blocks=3, logs=logs, games_at_once=1, **options)
        self.assertEqual((result.games, result.players["n"].forfeits), (6, {}))
        return [line.split("] ", 1)[1] for line in (logs / "n.log").read_text().splitlines()]

    def test_a_newer_program_may_say_more(self) -> None:
        result = self.duel({"a": "greedy", "b": "random"}, blocks=2, seed=1)
        for agent in result.data["agents"]:
            for figures in [agent, *agent.values()]:
                if isinstance(figures, dict):
                    figures["future"] = 1
        self.assertEqual(_duel._result(result.data).players, result.players)

    def test_one_process_plays_all_matches_of_a_slot(self) -> None:
        lines = self.logged()
        counts = [line for line in lines if line.startswith("match")]
        self.assertEqual(counts, [f"match {count} of this process" for count in range(1, 7)])
        self.assertEqual(lines.count("seed True"), 6)

    def test_with_shared_luck_a_process_plays_one_match_and_learns_no_seed(self) -> None:
        lines = self.logged(luck="shared")
        self.assertEqual(lines.count("match 1 of this process"), 6)
        self.assertEqual(lines.count("seed False"), 6)

    def test_with_trust_a_process_plays_many_matches_with_shared_luck(self) -> None:
        lines = self.logged(trust=True)
        self.assertIn("match 6 of this process", lines)
        # The last match of a block may tell its seed: nothing of the block is left to play.
        seeds = [line for line in lines if line.startswith("seed ")]
        self.assertEqual((len(seeds), seeds[::2]), (6, ["seed False"] * 3), "seeds stay sealed until the block ends")

    def test_a_duel_of_examples_repeats_with_its_seed(self) -> None:
        agents = {"a": RANDOM, "b": RANDOM}
        salt = "ab" * 32
        results = [self.duel(agents, blocks=2, seed=5, salt=salt, games_at_once=count) for count in (1, 2)]
        first, second = ({name: agent.score for name, agent in result.players.items()} for result in results)
        self.assertEqual(first, second)
        other = self.duel(agents, blocks=2, seed=6, salt=salt)
        self.assertNotEqual(first, {name: agent.score for name, agent in other.players.items()})

    def test_temporary_files_may_have_long_paths(self) -> None:
        long = self.folder / ("d" * 100)
        long.mkdir()
        with mock.patch.object(tempfile, "tempdir", str(long)), mock.patch.dict(os.environ, {"TMPDIR": str(long)}):
            self.assertEqual(self.duel({"one": last, "two": "random"}, blocks=2).blocks, 2)

    def test_an_agent_may_connect_twice(self) -> None:
        program = self.folder / "twice.py"
        program.write_text(
            "import ahu\n"
            "place = ahu.client.Placement.from_environment()\n"
            "class Twice:\n"
            "    def act(self, turn):\n"
            "        with ahu.client.Client(place.address) as second:\n"
            "            seat = second.seat(place.match_id, place.seat, place.token)\n"
            "            assert seat.observe().decision.decision_id == turn.decision_id\n"
            "        return turn.legal[0]\n"
            "with ahu.client.Client(place.address) as client:\n"
            "    ahu.connect(Twice(), seat=place.seat_of(client))\n"
        )
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
        result = self.duel({"twice": command, "bot": "random"}, blocks=2)
        self.assertEqual(result.players["twice"].forfeits, {})

    def test_programs_end_with_a_duel_that_is_killed(self) -> None:
        mark = self.folder / "pid"
        program = self.folder / "busy.py"
        program.write_text(
            "import os, time, ahu\n"
            "class Busy:\n"
            "    def act(self, turn):\n"
            f"        open({str(mark)!r}, 'w').write(str(os.getpid()))\n"
            "        while True: pass\n"
            "ahu.connect(Busy())\n"
        )
        command = f"busy={shlex.quote(sys.executable)} {shlex.quote(str(program))}"
        duel = subprocess.Popen(
            [ahu.find_program(), "duel", "rapanui_cards", command, "greedy", "-c", "1"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        support.wait_until(lambda: mark.exists() and mark.read_text() != "")
        process = int(mark.read_text())
        duel.send_signal(signal.SIGKILL)
        duel.wait()
        support.wait_until(lambda: not support.runs(process))


class Run(unittest.TestCase):
    def test_functions_agents_and_bots_play_a_match(self) -> None:
        class Counting:
            decisions = 0

            def act(self, turn: ahu.Turn) -> int:
                self.decisions += 1
                return turn.legal[0].id

        counting = Counting()
        result = ahu.play("giants", [last, "greedy", counting], seed=7)
        self.assertEqual((len(result.scores), sorted(result.ranks)[0], result.forfeits), (3, 1, (None, None, None)))
        self.assertEqual(result.seed, 7)
        self.assertGreater(counting.decisions, 10)
        self.assertEqual([seat.name for seat in result.match.seats], ["last", "greedy@2", "Counting"])
        self.assertIn("game giants", result.record)
        self.assertEqual(ahu.play("giants", [last, "greedy", counting], seed=7).scores, result.scores)

    def test_a_function_may_take_several_seats_and_is_called_by_one_at_a_time(self) -> None:
        calls = 0

        def alone(turn: ahu.Turn) -> ahu.Action:
            nonlocal calls
            calls += 1
            self.assertEqual(calls, 1)
            time.sleep(0.001)
            calls -= 1
            return turn.legal[0]

        self.assertEqual(len(ahu.play("giants", [alone, alone, alone], seed=1).scores), 3)

    def test_bots_alone_play_a_match(self) -> None:
        result = ahu.play("rappanui", ["greedy", "random"], seed=3, options={"tie": "fewest_cards"})
        self.assertEqual(result.match.options["tie"], "fewest_cards")
        self.assertGreater(result.scores[0], result.scores[1])

    def test_a_policy_sees_what_its_seat_may_know(self) -> None:
        hands = []

        def looks(turn: ahu.Turn) -> ahu.Action:
            hands.append([len(player.DESCRIPTOR.fields) for player in turn.typed.players])
            self.assertFalse(hasattr(turn, "game"))
            self.assertFalse(turn.message.HasField("result"))
            return turn.legal[-1]

        ahu.play("rappanui", [looks, "random"], seed=3)
        self.assertTrue(hands)

    def test_what_a_player_raises_comes_out_and_the_match_is_cancelled(self) -> None:
        def fails(turn: ahu.Turn) -> ahu.Action:
            raise KeyError("no plan")

        with ahu.launch() as server, ahu.client.Client(server.address) as client:
            with self.assertRaisesRegex(KeyError, "no plan"):
                ahu.play("rappanui", [last, fails], seed=1, address=server.address)
            self.assertEqual(list(client.list_matches()), [], "the matches of run are private")

    def test_faults_are_named(self) -> None:
        with self.assertRaisesRegex(TypeError, "expected a function of a turn, an object with a method act"):
            ahu.play("rappanui", [last, 3])  # type: ignore[list-item]
        with self.assertRaisesRegex(ahu.IllegalAction, "the agent chose 9999"):
            ahu.play("rappanui", [lambda turn: 9999, "random"], seed=1)
        with self.assertRaisesRegex(ahu.ServiceError, 'unknown bot "gredy"'):
            ahu.play("rappanui", [last, "gredy"])
        with self.assertRaisesRegex(ahu.ServiceError, "expected 2 to 6 seats"):
            ahu.play("rappanui", [last])


class Duel(unittest.TestCase):
    def test_functions_and_agents_of_this_process_play_a_duel(self) -> None:
        class Chance:
            seeds: ClassVar[list[int]] = []

            def seed(self, number: int) -> None:
                self.seeds.append(number)
                self.random = random.Random(number)

            def act(self, turn: ahu.Turn) -> ahu.Action:
                return self.random.choice(turn.legal)

        chance = Chance()
        result = ahu.duel("rappanui", {"last": last, "chance": chance}, seats=3, blocks=3, seed=1)
        self.assertEqual((result.blocks, result.games), (3, 9))
        self.assertEqual([agent.seats for agent in result.players.values()], [1, 2])
        self.assertEqual(len(set(chance.seeds)), 18, "each seat of each game has a seed of its own")
        self.assertEqual(result.players["last"].forfeits, {})
        self.assertEqual(str(result), "No verdict on last and chance: expected at least 10 blocks, got 3.")
        self.assertEqual((result.data["luck"], result.data["concurrency"]), ("own", 1))

    def test_players_of_a_list_have_names_of_their_own(self) -> None:
        from ahu._duel import _named

        result = ahu.duel("rappanui", ["greedy@1", last], blocks=2, seed=1)
        self.assertEqual([*result.players], ["greedy@1", "last"])
        least = ahu.batched(lambda batch: batch.masks.argmax(axis=1), name="the net")
        players = [
            least,
            lambda turn: turn.legal[0],
            RANDOM,
            "net:nets/first.net",
            "search:200",
            support.RandomAgent(1),
        ]
        names = ["thenet", "lambda", "random_agent.py", "first.net", "search:200", "RandomAgent"]
        self.assertEqual(_named(players), dict(zip(names, players, strict=True)))
        with self.assertRaisesRegex(ValueError, 'expected names of their own for the players, .* got "last" twice'):
            ahu.duel("rappanui", [last, last])
        for wrong in ("greedy", 7):
            with self.assertRaisesRegex(TypeError, "expected players by name or as a list, such as"):
                ahu.duel("rappanui", wrong)  # type: ignore[arg-type]

    def test_the_program_gets_the_arguments_that_it_decides_about(self) -> None:
        from ahu import _duel

        given = {
            "games": 12,
            "sprt": (0, 0.1),
            "alpha": 0.1,
            "beta": 0.2,
            "patience": 30,
            "strikes": 2,
            "games_at_once": 3,
        }
        expected = ["games=12", "sprt=0,0.1", "alpha=0.1", "beta=0.2", "patience=30", "strikes=2", "concurrency=3"]
        with mock.patch.object(_duel, "_run", side_effect=ahu.DuelError("a test")) as run:
            with self.assertRaisesRegex(ahu.DuelError, "a test"):
                ahu.duel("rappanui", ["greedy", "random"], **given)  # type: ignore[arg-type]
        self.assertLessEqual({f"--{argument}" for argument in expected}, set(run.call_args.args[0]))

    def test_the_progress_counts_games(self) -> None:
        from ahu._duel import _news

        told: list[ahu.Progress] = []
        tell = _news(told.append)
        assert tell is not None
        for line in (
            "a forfeits game 1.0 (timeout)",
            "[###...] 24 of 400 games, 300 games a minute, 2 min left",
            "  a   wins 0.5",
            "[######] 60 of 10000 games at most",
        ):
            tell(line)
        counts = [(progress.done, progress.games) for progress in told]
        self.assertEqual(counts, [(0, None), (24, 400), (24, 400), (60, 10_000)])
        self.assertEqual(str(told[0]), "a forfeits game 1.0 (timeout)")

    def test_the_table_is_data(self) -> None:
        with TemporaryDirectory() as folder:
            records = Path(folder) / "records"
            result = ahu.duel(
                "rappanui",
                {"a": "greedy", "b": "random"},
                sprt=(0, 0.1),
                max_blocks=100,
                seed=1,
                options={"tie": "fewest_cards"},
                records=records,
            )
            with open(records / "results.csv", newline="") as table:
                rows = list(csv.DictReader(table))
        self.assertEqual(len(rows), 2 * result.games)
        wins = sum(float(row["rank"] == "1") for row in rows if row["agent"] == "a") / result.games
        self.assertAlmostEqual(result.players["a"].wins.mean or 0, wins, delta=0.01)
        self.assertEqual(result.data["sprt"]["verdict"], "H1")
        self.assertEqual(result.data["options"]["tie"], "fewest_cards")
        estimate = result.players["a"].pairs
        assert estimate.low is not None and estimate.mean is not None and estimate.high is not None
        self.assertLess(0.5, estimate.low)
        self.assertLessEqual(estimate.mean, estimate.high)
        self.assertRegex(result.verdict[0], "^The test accepts H1 after ")
        [pair] = result.pairs
        self.assertEqual((pair.player, pair.other, pair.verdict), ("a", "b", "better"))
        self.assertEqual(
            (pair.share.mean, pair.share.low, pair.share.high), (estimate.mean, estimate.low, estimate.high)
        )

    def test_batched_players_play_together_and_the_seed_repeats_their_duel(self) -> None:
        sizes: list[int] = []

        @ahu.batched
        def least(batch: ahu.Batch) -> Any:
            sizes.append(len(batch))
            return batch.masks.argmax(axis=1)

        most = ahu.batched(lambda batch: batch.masks.shape[1] - 1 - batch.masks[:, ::-1].argmax(axis=1))
        with TemporaryDirectory() as folder:
            records, told = Path(folder) / "records", list[ahu.Progress]()
            players: dict[str, ahu.Player] = {"least": least, "most": most, "bot": "greedy@1"}
            result = ahu.duel("rappanui", players, blocks=10, seed=1, records=records, on_progress=told.append)
            self.assertEqual((result.blocks, result.games, result.data["luck"]), (10, 60, "shared"))
            # Each of the six seatings is a group of ten games.
            self.assertGreater(max(sizes), 5)
            first = sizes.copy()
            self.assertEqual(told[-1], ahu.Progress(done=60, games=60, text="60 of 60 games"))
            verified = subprocess.run(
                [ahu.find_program(), "records", "verify", records], capture_output=True, text=True
            )
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
            with open(records / "results.csv", newline="") as table:
                rows = [row for row in csv.DictReader(table) if row["agent"] == "least"]
            # The same call goes on, without the seed and with more blocks: it plays two blocks.
            more = ahu.duel("rappanui", players, blocks=12, records=records, on_progress=told.append)
            self.assertEqual((more.blocks, more.data["seed"], str(told[-1])), (12, "1", "12 of 12 games"))
            count = len(sizes)
            same = ahu.duel("rappanui", players, blocks=12, records=records)
            self.assertEqual((len(sizes), same.data["pairs"]), (count, more.data["pairs"]), "nothing is left to play")
            del sizes[len(first) :]
        self.assertEqual(len(rows), 60)
        scores = sum(int(row["score"]) for row in rows) / 60
        self.assertAlmostEqual(result.players["least"].score.mean or 0, scores)
        again = ahu.duel("rappanui", players, blocks=10, seed=1)
        self.assertEqual(sizes, first * 2, "the groups are always the same")
        figures = {name: (player.score, player.pairs) for name, player in result.players.items()}
        self.assertEqual(figures, {name: (player.score, player.pairs) for name, player in again.players.items()})
        own = ahu.duel("rappanui", {"least": least, "bot": "greedy@1"}, blocks=10, seed=1, luck="own")
        self.assertEqual((own.data["luck"], own.games), ("own", 20))

    def test_batched_players_play_with_clocks_and_against_programs(self) -> None:
        least = ahu.batched(lambda batch: batch.masks.argmax(axis=1))
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(support.EXAMPLES / 'random_agent.py'))}"
        for players, more in (
            ({"least": least, "bot": "greedy@1"}, {"time_control": "5+1"}),
            ({"least": least, "program": command}, {}),
            ({"least": least, "turns": last}, {"games_at_once": 2}),
        ):
            result = ahu.duel("rappanui", players, blocks=2, seed=1, **more)  # type: ignore[arg-type]
            self.assertEqual((result.games, result.players["least"].forfeits), (4, {}))

    def test_faults_of_batched_players_are_named(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            ahu.duel("rappanui", {"wrong": ahu.batched(lambda batch: 1 // 0), "bot": "random"}, blocks=2)
        with self.assertRaises(ahu.IllegalAction):
            ahu.duel("rappanui", {"wrong": ahu.batched(lambda batch: [9999] * len(batch)), "bot": "random"}, blocks=2)
        with self.assertRaisesRegex(ahu.DuelError, "gredy"):
            ahu.duel("rappanui", {"net": ahu.batched(lambda batch: batch.masks.argmax(axis=1)), "b": "gredy"}, blocks=2)
        with self.assertRaisesRegex(ahu.DuelError, "--sprt"):
            ahu.duel(
                "rappanui", {"net": ahu.batched(lambda batch: batch.masks.argmax(axis=1)), "b": "random"}, max_blocks=9
            )
        done = subprocess.run(
            [ahu.find_program(), "duel", "rappanui", "a=callable", "greedy"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn(
            'agent a: expected a bot or a command, got "callable": ahu.duel of the Python package', done.stderr
        )

    def test_what_an_agent_raises_ends_the_duel(self) -> None:
        def fails(turn: ahu.Turn) -> ahu.Action:
            raise KeyError("no plan")

        with self.assertRaisesRegex(KeyError, "no plan"):
            ahu.duel("rappanui", {"fails": fails, "bot": "random"}, blocks=1000)

    def test_a_function_that_is_too_slow_forfeits_and_the_duel_goes_on(self) -> None:
        def slow(turn: ahu.Turn) -> ahu.Action:
            if turn.decision_id == 3:
                time.sleep(0.5)
            return turn.legal[0]

        result = ahu.duel("rappanui", {"slow": slow, "bot": "random"}, blocks=2, time_control="0.1/move,startup=20")
        self.assertEqual(result.players["slow"].forfeits, {"timeout": 4})
        self.assertEqual(result.games, 4)

    def test_an_illegal_action_forfeits_where_it_is_agreed(self) -> None:
        def illegal(turn: ahu.Turn) -> int:
            return 9999

        result = ahu.duel("rappanui", {"illegal": illegal, "bot": "random"}, blocks=2, strikes=1)
        self.assertEqual(result.players["illegal"].forfeits, {"illegal": 4})

    def test_what_the_progress_raises_ends_the_duel(self) -> None:
        def fails(progress: ahu.Progress) -> None:
            self.assertEqual((progress.done, progress.games), (0, None))
            raise KeyError(progress.text)

        def crashes(turn: ahu.Turn) -> int:
            return 9999

        with self.assertRaisesRegex(KeyError, "crashes forfeits game"):
            agents = {"crashes": crashes, "bot": "random"}
            ahu.duel("rappanui", agents, blocks=1000, strikes=1, on_progress=fails)

    def test_faults_are_named(self) -> None:
        with self.assertRaisesRegex(ValueError, "expected trust=True"):
            ahu.duel("rappanui", {"a": last, "b": "random"}, luck="shared")
        for agents, options, message in (
            ({"a": "greedy", "b": "gredy"}, {}, 'agent b: unknown bot "gredy"'),
            ({"a": "greedy"}, {}, "expected at least two agents"),
            ({"a": "greedy", "b": "random"}, {"blocks": 0}, "0 is not in 2"),
            ({"a": "greedy", "b": "random"}, {"sprt": (0.1, 0.1)}, "the first is lower"),
            ({"a": "greedy", "b": "random"}, {"time_control": {"a": "10+0.1"}}, "which has no clock"),
            ({"a": f"{RANDOM} --fast", "b": "no_such_program -x"}, {}, "agent b did not begin to play"),
        ):
            with self.assertRaisesRegex(ahu.DuelError, message):
                ahu.duel("rappanui", agents, **options)  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "expected a function"):
            ahu.duel("rappanui", {"a": "greedy", "b": 3})  # type: ignore[dict-item]

    def test_nobody_else_can_hand_over_to_this_process(self) -> None:
        from multiprocessing import AuthenticationError
        from multiprocessing.connection import Client

        from ahu._duel import _Host

        with _Host(last_agent := mock.Mock()) as host:
            with self.assertRaises((AuthenticationError, EOFError, OSError)):
                Client(str(host._listener.address), authkey=os.urandom(32))
            last_agent.act.assert_not_called()


class Keys(support.ServerCase):
    def test_a_wrong_key_is_refused(self) -> None:
        with self.assertRaisesRegex(ahu.ServiceError, "not the key of an agent"):
            ahu.connect(support.RandomAgent(), self.server.address, "wrong")

    def test_without_a_key_the_one_match_is_played(self) -> None:
        match = self.client.create_match("rappanui", 2, bots={1: "random"}, seed=1)
        seat = self.client.join(match.match_id)
        variables = {**support.variables(self.server.address, seat), "AHU_AGENT_SEED": "12"}
        seeds = []

        class Seeded(support.RandomAgent):
            def seed(self, number: int) -> None:
                seeds.append(number)

        with mock.patch.dict(os.environ, variables):
            self.assertEqual(ahu.connect(Seeded(1)).matches, 1)
        self.assertEqual(seeds, [12])
        self.assertEqual(self.client.get_match(match.match_id).state, v1.MATCH_STATE_FINISHED)


if __name__ == "__main__":
    unittest.main()
