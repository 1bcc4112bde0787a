"""The names of bots, and the commands of programs."""

from __future__ import annotations

from pathlib import Path

LINES = "jsonl:"
"""The prefix of the command of a program that reads and writes lines of JSON."""


def is_command(player: str) -> bool:
    """Returns True for a command, and False for the name of a bot, by the rule of `ahu play`."""
    return player.startswith(LINES) or any(map(str.isspace, player)) or Path(player).is_file()
