"""Nets: their files, the equality with another implementation, players, and rollouts."""

import hashlib
import itertools
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ahu
from ahu.training import LEARNER, Layout, NetInputs, VectorEnv, net_bytes, read_net, write_net
from ahu.training.catalog import find

GAMES = ("rappanui", "rapanui_cards", "giants", "rapanui_board")
LONG = "AHU_GAMES" in os.environ


def layout_of(game: str) -> Layout:
    """Returns the layout of a game."""
    known = find(game)
    assert known is not None
    return Layout.of(known.layout)


def random_weights(
    game: str, size: int, hidden: tuple[int, ...], seed: int = 1, *, is_advised: bool = False
) -> dict[str, NDArray[np.float32]]:
    """Returns random weights of a net with `size` inputs beside its advice."""
    rng = np.random.default_rng(seed)
    known = find(game)
    assert known is not None
    weights: dict[str, NDArray[np.float32]] = {}
    widths = [size + (known.action_count if is_advised else 0), *hidden]
    layers = [(f"body.{n}", widths[n], widths[n + 1]) for n in range(len(hidden))]
    adviser = [("adviser", hidden[-1], 1)] if is_advised else []
    heads = [("policy", hidden[-1], known.action_count), *adviser, ("value", hidden[-1], 1)]
    for name, inputs, units in [*layers, *heads]:
        weights[f"{name}.weight"] = rng.normal(0, 2 / np.sqrt(inputs), (units, inputs)).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(0.2, 0.3, units).astype(np.float32)
    return weights


class Reference:
    """Another reader of the file, and another evaluation in whole numbers, with dense matrices of numpy."""

    def __init__(self, content: bytes, layout: Layout) -> None:
        assert hashlib.sha256(content[:-32]).digest() == content[-32:]
        head, _, body = content[:-32].partition(b"\n\n")
        lines = [line.split(" ") for line in head.decode().split("\n")]
        self.layout = layout
        self.decoded = [line[1] for line in lines if line[0] == "decoded"]
        self.thresholds = {line[1]: [int(one) for one in line[2:]] for line in lines if line[0] == "thresholds"}
        hidden = next([int(one) for one in line[1:]] for line in lines if line[0] == "hidden")
        actions = next(int(line[1]) for line in lines if line[0] == "actions")
        self.adviser = next((line[1] for line in lines if line[0] == "adviser"), None)
        self.actions = actions
        size = self.inputs(
            np.zeros((1, layout.bit_count), np.uint8), np.zeros((1, layout.number_count), np.int16), np.zeros(1, int)
        ).shape[1]
        self.layers: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        heads = [(hidden[-1], 1)] * (2 if self.adviser else 1)
        shapes = [*zip([size, *hidden], [*hidden, actions], strict=False), *heads]
        at = 0
        for number, (inputs, units) in enumerate(shapes):
            weight = np.frombuffer(body, np.int8, inputs * units, at).astype(np.int64)
            at += inputs * units
            bias = np.frombuffer(body, "<i4", units, at).astype(np.int64)
            multiplier = np.frombuffer(body, "<u4", units, at + 4 * units).astype(np.int64)
            at += 8 * units
            shape = (inputs, units) if number == 0 else (units, inputs)
            matrix = weight.reshape(shape)
            self.layers.append((matrix if number == 0 else matrix.T, bias, multiplier))
        assert at == len(body)

    def inputs(
        self, split: NDArray[np.uint8], numbers: NDArray[np.int16], advice: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        """Returns the inputs by loops over fields and values."""
        columns: list[NDArray[Any]] = []
        for field in self.layout.fields.values():
            if field.block == "numbers":
                for place in range(field.offset, field.offset + field.size):
                    columns += [numbers[:, place] > one for one in self.thresholds.get(field.name, [])]
            elif field.name in self.decoded:
                values = split[:, field.block_slice].reshape(-1, *field.shape)
                digits = np.moveaxis(values, 1 + field.axis, -1).reshape(len(split), -1, field.shape[field.axis])
                for number in range(digits.shape[1]):
                    code = sum(digits[:, number, digit].astype(int) << digit for digit in range(digits.shape[2]))
                    columns += [code == value for value in range(2 ** digits.shape[2])]
            else:
                columns += [split[:, place] for place in range(field.offset, field.offset + field.size)]
        if self.adviser:
            columns += [advice == action for action in range(self.actions)]
        return np.stack(columns, 1).astype(np.int64)

    def evaluate(
        self, split: NDArray[np.uint8], numbers: NDArray[np.int16], advice: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Returns scores and values."""
        state = self.inputs(split, numbers, advice)
        count = 3 if self.adviser else 2
        hidden, (policy, *adviser, value) = self.layers[:-count], self.layers[-count:]
        for weight, bias, multiplier in hidden:
            sums = (state.astype(np.int32) @ weight.astype(np.int32)).astype(np.int64) + bias
            state = np.clip((sums * multiplier + 2**23) // 2**24, 0, 255)
        scores = (state @ policy[0] + policy[1]) * policy[2]
        for weight, bias, multiplier in adviser:
            scores[np.arange(len(state)), advice] += ((state @ weight + bias) * multiplier)[:, 0]
        return scores, ((state @ value[0] + value[1]) * value[2] / 2**32).astype(np.float32)[:, 0]


class Files(unittest.TestCase):
    def test_scores_choices_and_values_equal_another_implementation(self) -> None:
        positions = 100_000 if LONG else 2_000
        for game, adviser in itertools.product(GAMES, (None, "greedy@2")):
            layout = layout_of(game)
            inputs = NetInputs(layout, decode=16 if game == "giants" else 64)
            weights = random_weights(game, inputs.size, (40, 20), is_advised=adviser is not None)
            content = net_bytes(weights, game=game, inputs=inputs, adviser=adviser)
            net, reference = ahu.training.Net(content), Reference(content, layout)
            size = inputs.size + (reference.actions if adviser else 0)
            self.assertEqual((net.game, net.hidden, net.inputs, net.adviser), (game, [40, 20], size, adviser))
            seen = 0
            chosen: set[int] = set()
            with VectorEnv(game, 250, seed=3, obs_format="split", rotation="episode") as env:
                batch, rng = env.reset(), np.random.default_rng(1)
                while seen < positions:
                    observation = batch.observation
                    advice = env.advise(adviser).choices.astype(np.int64) if adviser else None
                    scores, values = net.evaluate(observation.packed, observation.numbers, advice)
                    expected, expected_values = reference.evaluate(observation["bits"], observation.numbers, advice)
                    np.testing.assert_array_equal(scores, expected)
                    np.testing.assert_array_equal(values, expected_values)
                    theirs = reference.inputs(observation["bits"], observation.numbers, advice)[:, : inputs.size]
                    np.testing.assert_array_equal(inputs.of(observation, np.uint8), theirs)
                    best = net.choose(observation.packed, observation.numbers, batch.packed_masks, advice)
                    lowest = np.where(batch.masks, expected, np.iinfo(np.int64).min).argmax(1)
                    np.testing.assert_array_equal(best, lowest)
                    chosen |= set(best.tolist())
                    seen += len(batch)
                    # Half of the moves are the net's, so that positions are like those that it plays.
                    batch = env.step(np.where(rng.random(len(batch)) < 0.5, best, env.random_actions(batch, rng)))
            self.assertGreater(len(chosen), 2)

    def test_advice_is_an_action_for_each_row(self) -> None:
        inputs = NetInputs(layout_of("rappanui"))
        weights = random_weights("rappanui", inputs.size, (8,), is_advised=True)
        advised = ahu.training.Net(net_bytes(weights, game="rappanui", inputs=inputs, adviser="greedy@1"))
        alone = ahu.training.Net(
            net_bytes(random_weights("rappanui", inputs.size, (8,)), game="rappanui", inputs=inputs)
        )
        with VectorEnv("rappanui", 2) as env:
            batch = env.reset()
        arrays = (batch.observation.packed, batch.observation.numbers)
        expected = "expected the choices of greedy@1 as advice, 2 ids of actions below 183"
        for net, advice, message in [
            (advised, None, expected),
            (advised, np.zeros(1, np.int64), expected),
            (advised, np.array([0, 183]), expected),
            (advised, np.array([-1, 0]), expected),
            (alone, np.zeros(2, np.int64), "expected no advice: this net has no adviser"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                net.evaluate(*arrays, advice)
            with self.assertRaisesRegex(ValueError, message):
                net.choose(*arrays, batch.packed_masks, advice)

    def test_whole_numbers_are_close_to_the_floats(self) -> None:
        for game in GAMES:
            inputs = NetInputs(layout_of(game))
            weights = random_weights(game, inputs.size, (48,), seed=2)
            net = ahu.training.Net(net_bytes(weights, game=game, inputs=inputs))
            with VectorEnv(game, 300, seed=8) as env:
                batch = env.reset()
                for _ in range(20):
                    batch = env.step(env.random_actions(batch, np.random.default_rng(1)))
            hidden = np.clip(inputs.of(batch.observation) @ weights["body.0.weight"].T + weights["body.0.bias"], 0, 1)
            logits = hidden @ weights["policy.weight"].T + weights["policy.bias"]
            value = hidden @ weights["value.weight"][0] + weights["value.bias"][0]
            scores, values = net.evaluate(batch.observation.packed, batch.observation.numbers)
            self.assertLess(np.abs(scores / 2**32 - logits).max(), 0.15)
            self.assertLess(np.abs(values - value).max(), 0.1)

    def test_weights_that_do_not_fit_are_refused(self) -> None:
        inputs = NetInputs(layout_of("rappanui"))
        good = random_weights("rappanui", inputs.size, (8,))
        for change, message in [
            ({"policy.weight": good["policy.weight"][:-1]}, "the policy: expected a weight of shape"),
            ({"body.0.weight": good["body.0.weight"][:, 1:]}, "body.0: expected a weight of shape"),
            ({"body.0.bias": np.full(8, np.nan)}, "body.0.bias: expected finite numbers"),
            (
                {"actor.weight": good["policy.weight"], "actor.bias": good["policy.bias"]},
                "expected one layer of a name",
            ),
            ({"body.0.weight": good["body.0.weight"] * 1e4}, "expected weights up to 127, got"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                net_bytes({**good, **change}, game="rappanui", inputs=inputs)
        with self.assertRaisesRegex(ValueError, "expected a game with the layout of the inputs, got 'giants'"):
            net_bytes(good, game="giants", inputs=inputs)
        with self.assertRaisesRegex(ValueError, "expected a hidden layer or more and a layer policy"):
            net_bytes(
                {"body.weight": good["body.0.weight"], "body.bias": good["body.0.bias"]}, game="rappanui", inputs=inputs
            )
        advised = random_weights("rappanui", inputs.size, (8,), is_advised=True)
        for weights, adviser, message in [
            (good, "greedy@2", 'expected a layer "adviser" with an adviser, and none without'),
            (advised, None, 'expected a layer "adviser" with an adviser, and none without'),
            (advised, "greedy", "expected a quick bot with its version, such as greedy@2, got .greedy.$"),
            ({**advised, "body.0.weight": good["body.0.weight"]}, "greedy@2", "body.0: expected a weight of shape"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                ahu.training.Net(net_bytes(weights, game="rappanui", inputs=inputs, adviser=adviser))
        with self.assertRaisesRegex(TypeError, "expected a mapping of arrays, or a module with state_dict, got list"):
            net_bytes([1], game="rappanui", inputs=inputs)
        with self.assertRaisesRegex(ValueError, "expected visible text"):
            ahu.training.Net(net_bytes(good, game="rappanui", inputs=inputs, provenance="a\x1b"))

    def test_a_module_of_torch_is_read_by_its_methods(self) -> None:
        class Tensor:
            def __init__(self, array: Any) -> None:
                self.array = array

            def detach(self) -> Any:
                return self

            def cpu(self) -> Any:
                return self

            def numpy(self) -> Any:
                return self.array

        inputs = NetInputs(layout_of("rappanui"))
        weights = random_weights("rappanui", inputs.size, (8,))

        class Module:
            def state_dict(self) -> Any:
                return {name: Tensor(array) for name, array in weights.items()}

        self.assertEqual(
            net_bytes(Module(), game="rappanui", inputs=inputs), net_bytes(weights, game="rappanui", inputs=inputs)
        )


class Players(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = Path(folder) / "first.net"
        self.inputs = NetInputs(layout_of("rapanui_cards"))
        self.weights = random_weights("rapanui_cards", self.inputs.size, (16,))
        self.name = write_net(self.path, self.weights, game="rapanui_cards", inputs=self.inputs, provenance="a test")
        self.net = read_net(self.path)

    def test_a_net_plays_matches_duels_and_environments(self) -> None:
        player = f"net:{self.path}"
        self.assertEqual((self.net.name, self.net.provenance), (self.name, "a test"))
        played = ahu.play("rapanui_cards", [player, "greedy"], seed=7)
        self.assertEqual(len(played.scores), 2)
        other = f"net:{self.path.with_name('other.net')}"
        weights = random_weights("rapanui_cards", self.inputs.size, (24, 8), seed=5)
        write_net(other.removeprefix("net:"), weights, game="rapanui_cards", inputs=self.inputs)
        # Nets take no random numbers, so the table depends on the seed alone.
        result = ahu.duel("rapanui_cards", {"net": player, "bot": other}, blocks=8, seed=1)
        self.assertEqual(result.players["net"].player, self.name)
        choose = ahu.batched(
            lambda batch: self.net.choose(batch.observation.packed, batch.observation.numbers, batch.packed_masks),
            obs_format="packed",
        )
        # The net in Python plays as the net in the program does.
        same = ahu.duel("rapanui_cards", {"net": choose, "bot": other}, blocks=8, seed=1)
        self.assertEqual(same.players["net"].margin, result.players["net"].margin)
        self.assertNotEqual(result.players["net"].margin.mean, 0)
        both = ahu.duel("rapanui_cards", {"one": choose, "other": player}, blocks=2, seed=1)
        self.assertEqual(both.players["one"].margin.mean, 0)
        with VectorEnv("rapanui_cards", 4, players=[LEARNER, {player: 1.0, "random": 1.0}], seed=1) as env:
            batch, rng, bots = env.reset(), np.random.default_rng(1), set[str]()
            for _ in range(200):
                batch = env.step(env.random_actions(batch, rng))
                bots |= {bot for episode in batch.episodes for bot in episode.bots}
        self.assertEqual(bots, {"", self.name, "random@1"})

    def test_a_server_and_environments_refuse_what_is_no_net(self) -> None:
        with self.assertRaisesRegex(ahu.ServiceError, 'unknown bot "net:/etc/none"'):
            VectorEnv("rapanui_cards", 1, players=[LEARNER, "net:/etc/none"]).reset()
        with self.assertRaisesRegex(ValueError, "expected a net that begins with"):
            VectorEnv("rapanui_cards", 1, players=[LEARNER, "net:/etc/passwd"])
        with ahu.launch() as server, ahu.client.Client(server.address) as client:
            for name in ("net:/etc/passwd", f"net:{self.path}", self.name):
                with self.assertRaisesRegex(ahu.ServiceError, f'unknown bot "{name}"'):
                    client.create_match("rapanui_cards", 2, bots={0: name})

    def test_a_rollout_is_what_steps_with_its_actions_are(self) -> None:
        settings: dict[str, Any] = {
            "seed": 5,
            "rewards": "margin_gain",
            "rotation": "episode",
            "players": [LEARNER, "greedy"],
        }
        weights = random_weights("rapanui_cards", self.inputs.size, (16,), is_advised=True)
        advised = ahu.training.Net(net_bytes(weights, game="rapanui_cards", inputs=self.inputs, adviser="greedy@2"))
        for net in (self.net, advised):
            with VectorEnv("rapanui_cards", 3, **settings) as env, VectorEnv("rapanui_cards", 3, **settings) as other:
                batch = other.reset()
                env.reset()
                for steps in (40, 1, 25):
                    rollout = env.rollout(net, steps)
                    self.assertEqual((len(rollout), rollout.packed_masks.shape[:2]), (steps, (steps, 3)))
                    for step in range(steps):
                        advice = None if net.adviser is None else other.advise(net.adviser).choices.astype(np.int64)
                        np.testing.assert_equal(None if rollout.advice is None else rollout.advice[step], advice)
                        np.testing.assert_array_equal(rollout.packed[step], batch.observation.packed)
                        np.testing.assert_array_equal(rollout.numbers[step], batch.observation.numbers)
                        np.testing.assert_array_equal(rollout.packed_masks[step], batch.packed_masks)
                        np.testing.assert_array_equal(rollout.seats[step], batch.seats)
                        np.testing.assert_array_equal(rollout.players[step], batch.players)
                        np.testing.assert_array_equal(rollout.starts[step], batch.starts)
                        scores, values = net.evaluate(batch.observation.packed, batch.observation.numbers, advice)
                        np.testing.assert_array_equal(rollout.values[step], values)
                        logits = np.where(batch.masks, scores / 2**32, -np.inf)
                        logs = logits - logits.max(1, keepdims=True)
                        logs -= np.log(np.exp(logs).sum(1, keepdims=True))
                        np.testing.assert_allclose(
                            rollout.log_probabilities[step], logs[np.arange(3), rollout.actions[step]], atol=1e-5
                        )
                        batch = other.step(rollout.actions[step])
                        np.testing.assert_array_equal(rollout.rewards[step], batch.rewards)
                        np.testing.assert_array_equal(rollout.ended[step], batch.ended)
                    np.testing.assert_array_equal(rollout.last.observation.packed, batch.observation.packed)
                    if net.adviser is not None:
                        np.testing.assert_equal(rollout.last_advice, other.advise(net.adviser).choices)
                    np.testing.assert_array_equal(rollout.last.rewards, batch.rewards)
                    np.testing.assert_array_equal(rollout.last.reward, batch.reward)
                    np.testing.assert_array_equal(rollout.last.ended, batch.ended)
                    np.testing.assert_array_equal(env.action_masks(), other.action_masks())
                    # Both go on by steps.
                    chosen = batch.masks.argmax(1)
                    batch = other.step(chosen)
                    np.testing.assert_array_equal(env.step(chosen).observation.packed, batch.observation.packed)

    def test_a_rollout_without_sense_is_refused(self) -> None:
        for settings, net, steps, temperature, message in [
            ({}, self.net, 0, 1.0, "expected 1 step or more, got 0"),
            ({}, self.net, 1, -1.0, "expected a temperature from 0 to 1000, got -1"),
            ({}, self.net, 1, float("nan"), "expected a temperature from 0 to 1000, got NaN"),
            ({"autoreset": "next_step"}, self.net, 1, 1.0, 'expected autoreset="same_step"'),
            (
                {"players": [LEARNER, ahu.batched(lambda batch: batch.masks.argmax(1))]},
                self.net,
                1,
                1.0,
                "learners and bots",
            ),
        ]:
            with VectorEnv("rapanui_cards", 2, **settings) as env, self.assertRaisesRegex(ValueError, message):
                env.rollout(net, steps, temperature=temperature)
        with (
            VectorEnv("giants", 2) as env,
            self.assertRaisesRegex(ValueError, "expected a net for giants, got one for rapanui"),
        ):
            env.rollout(self.net, 1)


class Servers(unittest.TestCase):
    def test_a_server_plays_the_nets_that_its_operator_lists(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "first.net"
            inputs = NetInputs(layout_of("rappanui"))
            name = write_net(path, random_weights("rappanui", inputs.size, (8,)), game="rappanui", inputs=inputs)
            with ahu.launch(["--net", f"house={path}"]) as server, ahu.client.Client(server.address) as client:
                match = client.create_match("rappanui", 2, bots={0: "net:house", 1: name}, seed=1)
                record = client.get_record(match.match_id) if client.get_match(match.match_id, wait=30).result else None
                assert record is not None
                self.assertEqual(record.record.decode().count(f"bot {name}"), 2)
                with self.assertRaisesRegex(
                    ahu.ServiceError, r"unknown bot \"net:other\" \(expected one of .*, net:house\)"
                ):
                    client.create_match("rappanui", 2, bots={0: "net:other"})


if __name__ == "__main__":
    unittest.main()
