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
        self._picture.write_text(_picture(points))


def _picture(lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Returns shares, 0 to 1, over decisions, by name, as SVG."""
    most = max((decisions for points in lines.values() for decisions, _ in points), default=0) or 1

    def place(decisions: float, share: float) -> tuple[float, float]:
        across = _LEFT + decisions / most * (_WIDTH - _LEFT - _RIGHT)
        return round(across, 1), round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="{_HEIGHT - 12}">decisions: 0 to {most:,.0f}</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        (start, y), (end, _) = place(0, share), place(most, share)
        parts.append(f'<polyline points="{start},{y} {end},{y}" stroke="#ddd" fill="none"/>')
        parts.append(f'<text x="{start - 6}" y="{y + 4:.1f}" text-anchor="end">{share:g}</text>')
    for number, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [place(decisions, share) for decisions, share in points]
        path = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f'<polyline points="{path}" stroke="{colour}" stroke-width="2" fill="none"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        x, y = _WIDTH - _RIGHT + 12, _TOP + 16 * (number + 1)
        parts.append(f'<text x="{x}" y="{y}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])


public(Curve, module="ahu.training")
