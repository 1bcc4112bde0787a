"""The texts of players, by the grammar of docs/reference/players.md. `crates/arena/src/player.rs` reads it too."""

from __future__ import annotations

import re

LINES = "jsonl:"
"""The prefix of the command of a program that reads and writes lines of JSON."""

COMMAND = "cmd:"
"""The prefix that a command may have, and needs if it has neither a space nor a slash."""

NET = "net:"
"""The prefix of the name or the file of a net."""


def is_command(player: str) -> bool:
    """Returns True for a command, and False for a bot or a net."""
    if player.startswith((LINES, COMMAND)):
        return True
    return not player.startswith(NET) and re.search(r"[/ \t\n\f\r]", player) is not None


def is_net_file(player: str) -> bool:
    """Returns True for the file of a net, and False for its name, a bot, or a command."""
    return player.startswith(NET) and re.fullmatch(r"[a-z0-9_-]*", player.removeprefix(NET)) is None
