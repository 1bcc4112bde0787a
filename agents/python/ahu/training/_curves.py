"""The evaluations of a training run: lines of JSON, and a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from ahu._public import public

_COLOURS = ("#0b6e99", "#b3421b", "#4a7a2c", "#7b4a9e", "#8a6d00", "#555555")
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 360, 56, 150, 16, 40


class Curve:
    """The evaluations of a run in a folder: `curve.jsonl`, a line for each, and `curve.svg` with the figures that name wins.

    Args:
        folder: the folder of the run.
        goes_on: True to keep the lines of the run before.
    """

    def __init__(self, folder: Path, *, goes_on: bool = False) -> None:
        self._lines, self._picture = folder / "curve.jsonl", folder / "curve.svg"
        if not goes_on:
            self._lines.unlink(missing_ok=True)

    def add(self, figures: Mapping[str, Any]) -> None:
        """Adds an evaluation to the file and the picture.

        Args:
            figures: the figures; "decisions" has the decisions so far, and a list the mean and the ends of its interval.
        """
        with self._lines.open("a") as file:
            file.write(f"{json.dumps(figures)}\n")
        points: dict[str, list[tuple[float, float]]] = {}
        for one in map(json.loads, self._lines.read_text().splitlines()):
            for name, value in one.items():
                if "wins" in name and value is not None and value != [None] * 3:
                    mean = float(value[0] if isinstance(value, list) else value)  # pyright: ignore[reportUnknownArgumentType]
                    points.setdefault(name, []).append((float(one.get("decisions", 0)), mean))
        self._picture.write_text(picture(points, "decisions"))


def picture(lines: Mapping[str, Sequence[tuple[float, float]]], x_name: str) -> str:
    """Returns lines through points (x, y), by name, as SVG."""
    every = [point for points in lines.values() for point in points]
    most_x = max([x for x, _ in every], default=0) or 1
    low, high = min([0.0, *(y for _, y in every)]), max([1.0, *(y for _, y in every)])

    def place(x: float, y: float) -> str:
        across = _LEFT + x / most_x * (_WIDTH - _LEFT - _RIGHT)
        return f"{across:.1f},{_HEIGHT - _BOTTOM - (y - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for part in range(5):
        y = low + (high - low) * part / 4
        start, end = place(0, y), place(most_x, y)
        across, down = start.split(",")
        parts.append(f'<polyline points="{start} {end}" stroke="#ddd" fill="none"/>')
        parts.append(f'<text x="{float(across) - 6}" y="{float(down) + 4:.1f}" text-anchor="end">{y:g}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 12}">{x_name}: 0 to {most_x:,.0f}</text>')
    for number, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(place(x, y) for x, y in points)
        parts.append(f'<polyline points="{path}" stroke="{colour}" stroke-width="2" fill="none"/>')
        parts += [
            f'<circle cx="{at.split(",")[0]}" cy="{at.split(",")[1]}" r="3" fill="{colour}"/>' for at in path.split()
        ]
        parts.append(
            f'<text x="{_WIDTH - _RIGHT + 12}" y="{_TOP + 16 * (number + 1)}" fill="{colour}">{escape(name)}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


public(Curve, module="ahu.training")
