"""The modules of public names: users import a name from there, and pickles name nothing else."""

from __future__ import annotations

from typing import Any


def public(*things: Any, module: str = "ahu") -> None:
    """Gives classes and functions the module from which users import them."""
    for thing in things:
        thing.__module__ = module
