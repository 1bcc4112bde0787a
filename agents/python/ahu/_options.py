"""Options of a game, as users write them and as the service expects them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Options: TypeAlias = Mapping[str, str | int | bool]
"""Options of a game by key."""


def option_texts(options: Options) -> dict[str, str]:
    """Returns options as the service expects them: text, and "true" or "false" for flags."""
    if not isinstance(options, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  Callers without types.
        raise TypeError(f"expected options as a mapping by key, such as {{}}, got {options!r:.60}")
    texts = {key: str(value) for key, value in options.items()}
    return {key: text.lower() if text in ("True", "False") else text for key, text in texts.items()}
