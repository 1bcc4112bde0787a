"""The forms in which `render` shows a table to people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ahu import _native

RenderMode = Literal["ansi", "svg", "rgb_array"]
"""The form of a table: text, a picture as SVG, or the same picture in pixels (uint8 of `FRAME_SHAPE`)."""

RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)

FRAME_SHAPE = (1200, 800, 3)
"""The height and the width of every picture in pixels, and its colours: red, green, and blue."""

Rendered: TypeAlias = str | NDArray[np.uint8]
"""A table in one of the forms."""

_SIZE = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def checked_render_mode(render_mode: str | None, modes: Sequence[str] = RENDER_MODES) -> Any:
    """Returns the mode.

    Raises:
        ValueError: the mode is neither None nor one of the modes.
    """
    if render_mode not in (None, *modes):
        named = ", ".join(f'"{mode}"' for mode in modes)
        raise ValueError(f"render_mode is {named}, or None, not {render_mode!r}")
    return render_mode


def pixels(svg: str) -> NDArray[np.uint8]:
    """Returns a picture in pixels: uint8 of `FRAME_SHAPE`, whatever its own height, so that pictures can make a film. The
    picture fills the frame in width or in height, and paper fills the rest."""
    height, width, _ = FRAME_SHAPE
    size = _SIZE.search(svg)
    assert size is not None, "the pictures of tables have a size"
    own_width, own_height = map(float, size.groups())
    picture = _native.pixels(svg, min(width, int(own_width * height / own_height)))[:height]
    # The corner of a picture has the colour of the paper.
    frame = np.full(FRAME_SHAPE, picture[0, 0], np.uint8)
    left = (width - picture.shape[1]) // 2
    frame[: picture.shape[0], left : left + picture.shape[1]] = picture
    return frame
