"""Nets as files: a net that was trained becomes a player without Python."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ahu._native import Net
from ahu._nets import read_net
from ahu.training import _bits as bits, _catalog as catalog
from ahu.training._layout import Field, Layout
from ahu.training._observation import Observation

Weights: TypeAlias = Any
"""The weights of a net: a mapping from names to arrays, or an object with a method `state_dict` that returns one, such as a torch
module."""

_POLICY = ("policy", "actor")
_VALUE = ("value", "critic")
_ADVISER = ("adviser",)
_CLIP = 255
"""The highest activation in the file."""
_PLACES = 24
"""The binary places of the multiplier of a hidden unit."""
_ONE = 2**32
"""The value of a score of 1 in the file."""
_LEAST_SCALE = 2.0**-20
"""The least scale of a weight, so that its multiplier has several digits."""


class InputTables(NamedTuple):
    """The inputs of a net by their sources, for programs that compute the inputs on a device.

    Attributes:
        bits: for each bit that is an input, its place among the bits of an observation, and the input: int64 [b, 2].
        codes: for each binary number with an input for each value, the places of its digits, the lowest first, filled up
            with -1: int64 [c, d].
        code_inputs: the input of the value 0 of each of these numbers, which the inputs of the other values follow: int64 [c].
        numbers: for each threshold, the place of the number, the input, and the threshold: int64 [t, 3].
    """

    bits: NDArray[np.int64]
    codes: NDArray[np.int64]
    code_inputs: NDArray[np.int64]
    numbers: NDArray[np.int64]


class NetInputs:
    """The inputs of a net: zeros and ones, made of observations.

        inputs = NetInputs(env.layout)
        array = inputs.of(batch.observation)

    A bit of the layout is an input. A binary number of few values has one input for each of its values instead, and a number
    has one for each threshold that it exceeds. The inputs follow the fields of the layout, in its order.

    Args:
        layout: the layout of observations.
        decode: the most values of a binary number that has an input for each value; 0: none.
        growth: the ratio of neighbouring thresholds of numbers that have many values; above 1.

    Attributes:
        layout: the layout.
        decoded: the names of the binary fields that are read by value.
        thresholds: the thresholds of each field of numbers, by its name.
        size: the number of inputs.
    """

    def __init__(self, layout: Layout, *, decode: int = 16, growth: float = 1.25) -> None:
        if growth <= 1:
            raise ValueError(f"expected a growth above 1, got {growth}")
        fields = layout.fields.values()
        self.layout = layout
        self.decoded = tuple(
            field.name for field in fields if field.kind == "binary" and 2 ** field.shape[field.axis] <= decode
        )
        self.thresholds: dict[str, tuple[int, ...]] = {
            field.name: _thresholds(field, growth)
            for field in fields
            if field.block == "numbers" and field.min < field.max
        }
        self.size = sum(self._size(field) for field in fields)

    def __repr__(self) -> str:
        return f"NetInputs(size={self.size}, decoded={len(self.decoded)}, numbers={len(self.thresholds)})"

    def of(self, observation: Observation, dtype: Any = np.float32) -> NDArray[Any]:
        """Returns the inputs of observations in any format: `dtype` [n, size], 0 or 1."""
        packed, numbers = observation.packed, observation.numbers
        split = bits.unpack(packed, self.layout.bit_count)
        out = np.empty((len(packed), self.size), dtype)
        for start, field in self._alone:
            out[:, start : start + field.size] = split[:, field.block_slice]
        for start, places, weights in self._codes:
            values = split[:, places].astype(np.int64) @ weights
            width = 2 ** places.shape[1]
            hot = np.zeros((len(packed), len(places), width), dtype)
            np.put_along_axis(hot, values[:, :, None], 1, axis=2)
            out[:, start : start + len(places) * width] = hot.reshape(len(packed), -1)
        for start, field, thresholds in self._numbers:
            over = numbers[:, field.block_slice, None] > thresholds
            out[:, start : start + field.size * len(thresholds)] = over.reshape(len(packed), -1)
        return out

    @property
    def tables(self) -> InputTables:
        """The inputs by their sources."""
        alone = [(field.offset + n, start + n) for start, field in self._alone for n in range(field.size)]
        codes = [
            (list(digits), start + n * 2 ** len(digits))
            for start, places, _ in self._codes
            for n, digits in enumerate(places.tolist())
        ]
        most = max((len(digits) for digits, _ in codes), default=0)
        numbers = [
            (field.offset + n, start + n * len(thresholds) + k, threshold)
            for start, field, thresholds in self._numbers
            for n in range(field.size)
            for k, threshold in enumerate(thresholds.tolist())
        ]
        return InputTables(
            np.array(alone, np.int64).reshape(-1, 2),
            np.array([digits + [-1] * (most - len(digits)) for digits, _ in codes], np.int64).reshape(len(codes), most),
            np.array([first for _, first in codes], np.int64),
            np.array(numbers, np.int64).reshape(-1, 3),
        )

    def _size(self, field: Field) -> int:
        if field.block == "numbers":
            return field.size * len(self.thresholds.get(field.name, ()))
        if field.name in self.decoded:
            digits = field.shape[field.axis]
            return field.size // digits * 2**digits
        return field.size

    @cached_property
    def _starts(self) -> dict[str, int]:
        """The first input of each field."""
        starts, before = dict[str, int](), 0
        for field in self.layout.fields.values():
            starts[field.name] = before
            before += self._size(field)
        return starts

    @cached_property
    def _alone(self) -> list[tuple[int, Field]]:
        """The fields whose bits are read one by one, each with its first input."""
        fields = self.layout.fields.values()
        alone = [field for field in fields if field.block == "bits" and field.name not in self.decoded]
        return [(self._starts[field.name], field) for field in alone]

    @cached_property
    def _codes(self) -> list[tuple[int, NDArray[np.intp], NDArray[np.int64]]]:
        """Of each decoded field the first input, the places of the digits of each number, and the worth of the digits."""
        codes: list[tuple[int, NDArray[np.intp], NDArray[np.int64]]] = []
        for name in self.decoded:
            field = self.layout.fields[name]
            places = np.moveaxis(np.arange(field.size).reshape(field.shape), field.axis, -1)
            digits = field.shape[field.axis]
            codes.append((self._starts[name], field.offset + places.reshape(-1, digits), 2 ** np.arange(digits)))
        return codes

    @cached_property
    def _numbers(self) -> list[tuple[int, Field, NDArray[np.int16]]]:
        fields = self.layout.fields
        return [
            (self._starts[name], fields[name], np.array(thresholds, np.int16))
            for name, thresholds in self.thresholds.items()
        ]


def write_net(
    path: str | os.PathLike[str],
    weights: Weights,
    *,
    game: str,
    inputs: NetInputs,
    clip: float = 1.0,
    adviser: str | None = None,
    provenance: str = "no provenance",
) -> str:
    """Writes a net to a file, which plays as `net:FILE` wherever a bot plays, and returns its name.

        name = ahu.training.write_net("first.net", module, game="rappanui", inputs=inputs)
        ahu.duel("rappanui", {"net": "net:first.net", "bot": "greedy"})

    The net has hidden layers, whose units are clipped from 0 to `clip`, and one or two heads, all of them linear. Weights are
    rounded to 8 bits with a scale for each unit, activations to 0 to 255. A net that was trained with these roundings in mind
    loses nothing by them; other nets lose little.

    Args:
        path: the file.
        weights: for each layer "NAME.weight", [units, inputs], and "NAME.bias", [units], as arrays, tensors, or a module with
            `state_dict`. The layer whose name begins with "policy" or "actor" scores the actions, the one with "value" or
            "critic" is the value of the position and may be missing. With an adviser, the layer "adviser", of one unit, is the
            trust in it: a score that is added to the score of its choice. All others are hidden layers, 1 to 3, in their order.
        game: the game, by its name in the catalog.
        inputs: the inputs of the first layer.
        clip: the highest activation of a hidden unit, above 0.
        adviser: a quick bot with its version, such as "greedy@2". Wherever the net plays, it is told the choice of this bot: the
            first layer has an input more for each action, after all others, and the input of the choice is 1.
        provenance: who made the net, and how: visible text of one line, 1 to 1,024 bytes.

    Raises:
        ValueError: there is no such game, or the layers do not fit each other, the game, or the bounds of the file.
    """
    content = net_bytes(weights, game=game, inputs=inputs, clip=clip, adviser=adviser, provenance=provenance)
    name = Net(content).name
    Path(path).write_bytes(content)
    return name


def net_bytes(
    weights: Weights,
    *,
    game: str,
    inputs: NetInputs,
    clip: float = 1.0,
    adviser: str | None = None,
    provenance: str = "no provenance",
) -> bytes:
    """Returns the content of the file that `write_net` writes."""
    known = catalog.find(game)
    if known is None or known.layout.hash != inputs.layout.hash:
        raise ValueError(f"expected a game with the layout of the inputs, got {game!r}")
    if clip <= 0:
        raise ValueError(f"expected a clip above 0, got {clip}")
    hidden, heads = _layers(weights)
    if ("the adviser" in heads) != (adviser is not None):
        raise ValueError('expected a layer "adviser" with an adviser, and none without')
    expected = inputs.size + (known.action_count if adviser else 0)
    for name, (weight, bias) in [*hidden.items(), *heads.items()]:
        units = len(bias) if name in hidden else known.action_count if name == "the policy" else 1
        if weight.shape != (units, expected) or bias.shape != (units,):
            raise ValueError(
                f"{name}: expected a weight of shape ({units}, {expected}) and a bias of shape ({units},), got "
                f"{weight.shape} and {bias.shape}"
            )
        expected = units if name in hidden else expected
    parts: list[bytes] = []
    unit = 1.0  # The activation of one step of an input.
    for number, (weight, bias) in enumerate(hidden.values()):
        quantized = _quantized(weight, bias, unit, _CLIP / clip * 2**_PLACES)
        parts += _part(*quantized, transposed=number == 0)
        unit = clip / _CLIP
    for weight, bias in heads.values():
        parts += _part(*_quantized(weight, bias, unit, float(_ONE)), transposed=False)
    sizes = " ".join(str(len(bias)) for _, bias in hidden.values())
    lines = [
        "ahu net 1",
        f"game {game}",
        f"rules {known.summary.rules_version}",
        f"actions {known.action_count}",
        f"layout {inputs.layout.hash.hex()}",
        f"provenance {provenance}",
        *([f"adviser {adviser}"] if adviser else []),
        *(f"field {line}" for line in _table(inputs.layout)),
        *(f"decoded {name}" for name in inputs.decoded),
        *(f"thresholds {name} {' '.join(map(str, ones))}" for name, ones in inputs.thresholds.items()),
        f"hidden {sizes}",
        f"value {str('the value' in heads).lower()}",
        "",
        "",
    ]
    content = "\n".join(lines).encode() + b"".join(parts)
    return content + hashlib.sha256(content).digest()


def _thresholds(field: Field, growth: float) -> tuple[int, ...]:
    """Returns the thresholds of a field of numbers: each of the first 16 values, then fewer and fewer."""
    thresholds, step = list[int](), 1.0
    at = float(field.min)
    while at < field.max and len(thresholds) < 255:
        thresholds.append(int(at))
        if len(thresholds) >= 16:
            step *= growth
        at = int(at + step)
    return tuple(thresholds)


def _table(layout: Layout) -> list[str]:
    """Returns the fields as the hash of the layout covers them."""
    lines = [
        f"{one.name} {one.block} {one.kind} {list(one.shape)} {one.axis} {one.offset} {one.min} {one.max} "
        f"{str(one.seat_relative).lower()} {one.values_axis} {','.join(one.values)}"
        for one in layout.fields.values()
    ]
    text = "".join(f"{line}\n" for line in lines)
    assert hashlib.sha256(text.encode()).digest() == layout.hash, "the hash covers the table"
    return lines


_Layer: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


def _layers(weights: Weights) -> tuple[dict[str, _Layer], dict[str, _Layer]]:
    """Returns the hidden layers by name, and the heads in the order of the file."""
    if hasattr(weights, "state_dict"):
        weights = weights.state_dict()
    if not isinstance(weights, Mapping):
        raise TypeError(f"expected a mapping of arrays, or a module with state_dict, got {type(weights).__name__}")
    given = cast("Mapping[str, object]", weights)
    layers: dict[str, _Layer] = {}
    for key in given:
        name, _, kind = key.rpartition(".")
        if kind == "weight":
            if f"{name}.bias" not in given:
                raise ValueError(f'expected "{name}.bias" beside "{key}", got none')
            layers[name] = (_array(key, given[key]), _array(f"{name}.bias", given[f"{name}.bias"]))

    def head(names: tuple[str, ...]) -> _Layer | None:
        found = [name for name in layers if name.split(".")[0] in names]
        if len(found) > 1:
            raise ValueError(
                f"expected one layer of a name that begins with {' or '.join(names)}, got {', '.join(found)}"
            )
        return layers.pop(found[0]) if found else None

    found = {"the policy": head(_POLICY), "the adviser": head(_ADVISER), "the value": head(_VALUE)}
    heads = {name: layer for name, layer in found.items() if layer is not None}
    if "the policy" not in heads or not layers:
        raise ValueError(f"expected a hidden layer or more and a layer policy, got {', '.join(given)}")
    return layers, heads


def _array(name: str, value: Any) -> NDArray[np.float64]:
    """Returns an array, or a tensor of torch, as an array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    array = np.asarray(cast("ArrayLike", value), np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, got others")
    return array


def _quantized(
    weight: NDArray[np.float64], bias: NDArray[np.float64], unit: float, one: float
) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.uint32]]:
    """Returns the weights, the bias, and the multiplier of each unit in whole numbers.

    Args:
        weight: the weights.
        bias: the bias of each unit.
        unit: the activation of one step of an input.
        one: the value of 1 after the multiplication.
    """
    scales = np.maximum(np.abs(weight).max(1) / 127, _LEAST_SCALE)
    # A bias is far below 2^30 then.
    scales = np.maximum(scales, np.abs(bias) / unit / 2**29)
    multipliers = np.rint(scales * unit * one)
    if (multipliers >= 2**32).any():
        raise ValueError(f"expected weights up to {127 * 2**32 / (unit * one):.0f}, got {np.abs(weight).max():.0f}")
    # With the multiplier as it is written, which is rounded too.
    scales = multipliers / (unit * one)
    rounded = np.clip(np.rint(weight / scales[:, None]), -127, 127).astype(np.int8)
    return rounded, np.rint(bias / (scales * unit)).astype(np.int32), multipliers.astype(np.uint32)


def _part(
    weight: NDArray[np.int8], bias: NDArray[np.int32], multipliers: NDArray[np.uint32], *, transposed: bool
) -> list[bytes]:
    order = np.ascontiguousarray(weight.T) if transposed else weight
    return [order.tobytes(), bias.astype("<i4").tobytes(), multipliers.astype("<u4").tobytes()]


__all__ = ["Net", "NetInputs", "net_bytes", "read_net", "write_net"]
