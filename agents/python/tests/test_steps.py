"""Steps of a `VectorEnv`, whichever way they take to the engine, and what a server answers."""

import itertools
import unittest
from typing import Any
from unittest import mock

import numpy as np
import test_vector

import ahu
from ahu import _native
from ahu.training import Batch, VectorEnv
from ahu.training._rows import Rows
from ahu.v1.environment_service_pb2 import Episode, RunResponse


def content(batch: Batch) -> dict[str, Any]:
    """Returns the content of a batch, also what follows from the batch before."""
    more = {name: getattr(batch, name).tolist() for name in ("reward", "starts", "truncated")}
    return {**test_vector.content(batch), **more, "group": batch.group}


class StepsTest(unittest.TestCase):
    def test_a_step_of_all_environments_is_a_step_of_each_by_its_number(self) -> None:
        for autoreset, settings in itertools.product(
            ("same_step", "next_step", "disabled"),
            (
                {},
                {"players": [None, "random"], "rewards": "margin_gain"},
                {"on_illegal": "random_legal"},
                {"max_decisions": 9, "groups": 2},
            ),
        ):
            with self.subTest(autoreset=autoreset, settings=settings):
                at_once, by_number = (
                    VectorEnv("rapanui_cards", 4, seats=2, autoreset=autoreset, threads=1, **settings)  # type: ignore[arg-type]
                    for _ in range(2)
                )
                with at_once, by_number:
                    rng = np.random.default_rng(1)
                    at_once.reset(seed=3)
                    by_number.reset(seed=3)
                    for number in range(150):
                        legal = [mask.nonzero()[0] for mask in at_once.action_masks()]
                        actions = np.array([rng.choice(ids) if len(ids) else 0 for ids in legal])
                        if settings.get("on_illegal") and number % 7 == 0:
                            actions[1] = at_once.action_count
                        batch, other = at_once.step(actions), by_number.step(actions, env_ids=range(4))
                        self.assertEqual(content(batch), content(other), number)
                        np.testing.assert_array_equal(at_once.action_masks(), by_number.action_masks())
                        if autoreset == "disabled" and batch.ended.any():
                            for env in (at_once, by_number):
                                env.reset(env_ids=np.flatnonzero(batch.ended))
                    self.assertEqual(at_once.replaced, by_number.replaced)

    def test_a_step_of_one_environment_takes_a_list_as_it_takes_an_array(self) -> None:
        with VectorEnv("rappanui", threads=1) as env:
            [legal] = env.reset(seed=1).masks
            illegal, action = int(np.flatnonzero(~legal)[0]), int(np.flatnonzero(legal)[0])
            for wrong in ([True], [1.0], ["0"]):
                with self.assertRaisesRegex(TypeError, "expected actions as integers, got "):
                    env.step(wrong)
            for wrong in ([], [action, action], [[action]]):
                with self.assertRaises((TypeError, ValueError)):
                    env.step(wrong)
            for wrong in (illegal, -1, 2**40):
                for actions in ([wrong], np.array([wrong])):
                    with self.assertRaisesRegex(ahu.IllegalAction, f"action {wrong} is not legal"):
                        env.step(actions)
            batch = env.step([action])
            other = VectorEnv("rappanui", threads=1)
            other.reset(seed=1)
            self.assertEqual(content(batch), content(other.step(np.array([action]))))

    def test_one_random_action_is_that_of_an_array(self) -> None:
        with VectorEnv("giants", threads=1) as env:
            batch, one, array = env.reset(seed=1), np.random.default_rng(5), np.random.default_rng(5)
            for _ in range(100):
                [action] = env.random_actions(batch, one)
                legal = np.flatnonzero(batch.masks[0])
                self.assertEqual(action, legal[int(array.random(1)[0] * len(legal))])
                batch = env.step([action])


class AnswersTest(unittest.TestCase):
    def test_a_batch_of_a_server_is_read_into_rows(self) -> None:
        env = VectorEnv("rappanui", 2, seats=2, threads=1)
        spec = env.reset(seed=1)._rows.spec
        columns = {
            column.name: bytes([7 * place]) * (2 * column.row_bytes) for place, column in enumerate(spec.columns)
        }
        final = {f"final_{column.name}": b"\1" * column.row_bytes for column in spec.final_columns}
        batch = RunResponse.Batch(
            row_count=2,
            server_nanoseconds=5,
            seeds=(3).to_bytes(8, "little"),
            final_row_count=1,
            episodes=[Episode(environment=1, decision_count=4)],
            **columns,
            **final,
        )
        rows = Rows(spec, 2)
        answer = _native.read_batch(RunResponse(batch=batch).SerializeToString(), spec.widths, rows.memory)
        assert answer is not None
        nanoseconds, seeds, ends = answer
        assert seeds is not None and ends is not None
        self.assertEqual((nanoseconds, seeds.tolist()), (5, [3]))
        self.assertEqual([column.tobytes() for column in ends[0]], list(final.values()))
        self.assertEqual(RunResponse.Batch.FromString(ends[1]), RunResponse.Batch(episodes=batch.episodes))
        for name, content in columns.items():
            self.assertEqual(getattr(rows, name).tobytes(), content, name)

        refused = RunResponse(refused=RunResponse.Refused(message="no")).SerializeToString()
        self.assertIsNone(_native.read_batch(refused, spec.widths, rows.memory))
        for wrong in ({"row_count": 1}, {"seats": b"\1"}, {"seats": b"\1", "ended": b"\1\1\1"}, {"seeds": b"\1"}):
            other = RunResponse.Batch()
            other.MergeFrom(batch)
            for name, value in wrong.items():
                setattr(other, name, value)
            with (
                self.subTest(wrong=list(wrong)),
                self.assertRaisesRegex(ValueError, "expected a block of|expected columns of"),
            ):
                _native.read_batch(RunResponse(batch=other).SerializeToString(), spec.widths, rows.memory)
        with self.assertRaisesRegex(ValueError, "failed to decode"):
            _native.read_batch(b"\x12\xff", spec.widths, rows.memory)

    def test_an_answer_that_cannot_be_read_loses_the_environments(self) -> None:
        with ahu.launch() as server, VectorEnv("rappanui", 2, address=server.address) as env:
            first = content(env.reset(seed=1))
            for answer in (b"\x12\xff", RunResponse(batch=RunResponse.Batch(row_count=3)).SerializeToString()):
                with (
                    mock.patch.object(env._exchange.engine.stream, "receive", return_value=answer),
                    self.assertRaisesRegex(ahu.ServiceError, "INTERNAL: the server gave an answer that cannot be read"),
                ):
                    env.step(env.action_masks().argmax(1))
                self.assertEqual(content(env.reset(seed=1)), first)


if __name__ == "__main__":
    unittest.main()
