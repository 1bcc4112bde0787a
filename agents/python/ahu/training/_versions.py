"""The versions of the environments, which are part of their ids in Gymnasium, and the minimum versions of libraries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class EnvVersion(NamedTuple):
    """The version of the environment of a game, with the rules and the layout that it stands for.

    Attributes:
        version: the number in the id. It rises by one whenever the rules version or the layout changes.
        rules: the rules version of the game.
        layout: the start of the layout hash, in hexadecimal digits.
    """

    version: int
    rules: int
    layout: str


ENV_VERSIONS: Mapping[str, EnvVersion] = {
    "rappanui": EnvVersion(0, rules=1, layout="26a22e64262a101d"),
    "rapanui_cards": EnvVersion(0, rules=1, layout="40f8607cc8d7028b"),
    "giants": EnvVersion(0, rules=1, layout="0f631d5b342f4d93"),
    "rapanui_board": EnvVersion(0, rules=2, layout="6328371d6dd953df"),
}
"""The environments, by game. A test compares them with the catalog."""


def require(library: str, version: str, least: tuple[int, int]) -> None:
    """Checks the version of a library that an adapter is for. `pyproject.toml` has the same minimum; a test compares.

    Raises:
        ImportError: the version is below the minimum.
    """
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if found < least:
        raise ImportError(f"ahu.training needs {library} {least[0]}.{least[1]} or later, got {version}", name=library)
