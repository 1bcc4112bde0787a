"""One player, the same wherever players play: functions of a turn, agents, batched functions, bots, and commands."""

import copy
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from support import EXAMPLES, ServerCase

import ahu
from ahu.training import LEARNER, VectorEnv


def least(batch: ahu.Batch) -> Any:
    """Takes the first legal action."""
    return batch.masks.argmax(axis=1)


class First:
    def act(self, turn: ahu.Turn) -> ahu.Action:
        return turn.legal[0]


class Turns(ServerCase):
    def test_a_turn_has_the_arrays_of_an_environment(self) -> None:
        for game, seats in self.tables():
            for obs_format in ("split", "flat", "packed"):
                turns: list[ahu.Turn] = []

                class Keeps:
                    def act(self, turn: ahu.Turn) -> int:
                        turns.append(turn)
                        return turn.legal_ids[0]

                keeps = Keeps()
                keeps.obs_format = obs_format  # type: ignore[attr-defined]
                limit = {"max_turns": "2"} if game == "giants" else {}
                ahu.play(game, [keeps, *["greedy@1"] * (seats - 1)], seed=7, options=limit, address=self.server.address)
                players = (LEARNER, *["greedy@1"] * (seats - 1))
                env = VectorEnv(game, seats=seats, players=players, seed=7, options=limit, obs_format=obs_format)  # type: ignore[arg-type]
                with env:
                    batch = env.reset()
                    for number, turn in enumerate(turns):
                        self.assertEqual(turn.starts, number == 0)
                        self.assertEqual(turn.layout.hash, env.layout.hash)
                        np.testing.assert_array_equal(turn.masks, batch.masks)
                        for block in ("bits", "numbers"):
                            np.testing.assert_array_equal(turn.observation[block], batch.observation[block])
                        batch = env.step(batch.masks.argmax(axis=1))
                    self.assertEqual(len(batch.episodes), 1)

    def test_a_row_of_an_environment_is_the_turn_of_a_server(self) -> None:
        for game, seats in self.tables():
            told: list[list[Any]] = [[], []]

            def noting(place: int) -> Any:
                def choose(turn: ahu.Turn, place: int = place) -> Any:
                    seen = (turn.decision_id, turn.starts, turn.seat, turn.typed, turn.legal_ids, turn.legal)
                    told[place].append((*seen, [action.typed for action in turn.legal]))
                    return turn.legal[-1].text if turn.decision_id % 2 else turn.legal[-1].typed

                return choose

            limit = {"max_turns": "2"} if game == "giants" else {}
            others = ["greedy@1"] * (seats - 2)
            ahu.play(game, ["greedy@1", noting(0), *others], seed=3, options=limit, address=self.server.address)
            # The learner plays as `greedy@1` does: the bot's choices come from a second environment.
            with VectorEnv(game, seats=seats, players=("greedy@1", LEARNER, *others), seed=3, options=limit) as env:
                player, batch = env.batch_player(noting(1)), env.reset()
                while not batch.episodes:
                    batch = env.step(player.choose(batch))
            for server, row in zip(*told, strict=True):
                self.assertEqual(server, row)

    def test_an_action_that_is_not_legal_is_named(self) -> None:
        for wrong in ("build a boat", 3.5, ahu.Action(id=9999, text="no action")):
            with VectorEnv("rappanui", players=(LEARNER, lambda turn, wrong=wrong: wrong), seed=1) as env:
                with self.assertRaises((ahu.IllegalAction, TypeError)) as caught:
                    batch = env.reset()
                    while True:
                        batch = env.step(batch.masks.argmax(axis=1))
                self.assertRegex(str(caught.exception), "legal")

    def test_environments_on_a_server_have_no_texts_of_actions(self) -> None:
        env = VectorEnv("rappanui", players=(lambda turn: turn.legal[0], LEARNER), seed=1, address=self.server.address)
        with env, self.assertRaisesRegex(LookupError, "use turn.observation, turn.legal_ids, or turn.text"):
            batch = env.reset()
            while True:
                batch = env.step(batch.masks.argmax(axis=1))
        texts: list[str] = []

        def reads(turn: ahu.Turn) -> int:
            texts.append(turn.text)
            return turn.legal_ids[0]

        with VectorEnv("rappanui", players=(reads, LEARNER), seed=1, address=self.server.address) as env:
            batch = env.reset()
            while not texts:
                batch = env.step(batch.masks.argmax(axis=1))
        self.assertIn("Rappa Nui: ", texts[0])


class Batched(ServerCase):
    def test_what_it_takes_is_checked(self) -> None:
        with self.assertRaisesRegex(TypeError, "expected a function of a batch, got 'greedy'"):
            ahu.batched("greedy")  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "expected obs_format of split, flat, packed, got 'bits'"):
            ahu.batched(least, obs_format="bits")  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "expected max_wait of 0 seconds or more, got -1"):
            ahu.batched(least, max_wait=-1)
        self.assertEqual(repr(ahu.batched(least, name="net")), "ahu.batched(net)")

    def test_matches_at_the_same_time_are_asked_for_together(self) -> None:
        sizes: list[int] = []
        begun: set[tuple[int, int]] = set()

        def notes(batch: ahu.Batch) -> Any:
            sizes.append(len(batch))
            self.assertEqual(batch.observation.array.dtype, np.float32)
            self.assertEqual(sorted(set(batch.env_ids.tolist())), batch.env_ids.tolist(), "each match has a place")
            for place, seat, starts in zip(batch.env_ids, batch.seats, batch.starts, strict=True):
                self.assertEqual(starts, (int(place), int(seat)) not in begun)
                begun.add((int(place), int(seat)))
            return batch.masks.argmax(axis=1)

        net = ahu.batched(notes, obs_format="flat", max_wait=20)
        seats = [
            self.client.join(self.client.create_match("rappanui", 2, bots={1: "greedy@1"}, seed=seed).match_id)
            for seed in range(4)
        ]
        with ThreadPoolExecutor(4) as threads:
            ends = list(threads.map(lambda seat: ahu.connect(net, seat=seat), seats))
        self.assertEqual(max(sizes), 4)
        alone = [
            ahu.play("rappanui", [ahu.batched(least), "greedy@1"], seed=seed, address=self.server.address).scores
            for seed in range(4)
        ]
        self.assertEqual([tuple(end.result.scores) for end in ends if end.result], alone)

    def test_an_error_of_the_function_reaches_every_match(self) -> None:
        together = threading.Barrier(2, timeout=60)

        class Meets:
            """Two matches that are asked for at the same time."""

            def __init__(self) -> None:
                self.net = copy.deepcopy(net)
                self.formats = self.net.formats
                self.start, self.end = self.net.start, self.net.end

            def act(self, turn: ahu.Turn) -> int:
                together.wait()
                return self.net.act(turn)

        net = ahu.batched(lambda batch: 1 // 0, max_wait=20)
        seats = [
            self.client.join(self.client.create_match("rappanui", 2, bots={1: "greedy@1"}, seed=seed).match_id)
            for seed in range(2)
        ]
        with ThreadPoolExecutor(2) as threads:
            playing = [threads.submit(ahu.connect, Meets(), seat=seat) for seat in seats]
            for future in playing:
                with self.assertRaises(ZeroDivisionError):
                    future.result()

    def test_it_is_the_function_for_loops_of_ones_own(self) -> None:
        net = ahu.batched(least)
        with VectorEnv("rappanui", 4, seed=1) as env:
            batch = env.reset()
            np.testing.assert_array_equal(net(batch), least(batch))


class Everywhere(ServerCase):
    def test_every_kind_of_player_plays_the_same_game(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        (folder / "agent.py").write_text("import ahu\nahu.connect(lambda turn: turn.legal[0])\n")
        (folder / "lines.py").write_text(
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    line = json.loads(line)\n"
            "    if line['type'] == 'decide':\n"
            "        print(line['legal'][0]['action_id'], flush=True)\n"
        )
        players: list[ahu.Player] = [
            lambda turn: turn.legal[0],
            First(),
            ahu.batched(least),
            f"{sys.executable} {folder / 'agent.py'}",
            f"jsonl:{sys.executable} {folder / 'lines.py'}",
        ]
        scores = [
            ahu.play("rappanui", [player, "greedy@1"], seed=5, address=self.server.address).scores for player in players
        ]
        self.assertEqual(scores, scores[:1] * len(players))
        for player in players[:3]:
            with VectorEnv("rappanui", players=(player, LEARNER), seed=5) as env:  # type: ignore[arg-type]
                batch = env.reset()
                while not batch.episodes:
                    batch = env.step(batch.masks.argmax(axis=1))
                own = list(batch.episodes[0].scores)
            whole = ahu.play("rappanui", [player, ahu.batched(least)], seed=5, address=self.server.address)
            self.assertEqual(own, list(whole.scores))

    def test_a_program_that_exits_ends_the_game(self) -> None:
        with self.assertRaisesRegex(
            ahu.ProgramFailed, "the program has exited with status 3 before the end of its match"
        ):
            ahu.play("rappanui", ["sh -c 'exit 3'", "greedy"], address=self.server.address)
        with self.assertRaisesRegex(TypeError, 'expected a player for each seat, such as .*got "greedy"'):
            ahu.play("rappanui", "greedy")
        with self.assertRaisesRegex(ahu.ServiceError, "gredy"):
            ahu.play(
                "rappanui", ["gredy", f"{sys.executable} {EXAMPLES / 'random_agent.py'}"], address=self.server.address
            )


if __name__ == "__main__":
    unittest.main()
