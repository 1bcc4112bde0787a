"""The replies of language models, read as actions. Each search is bounded, whatever a reply has."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

MAX_REPLY = 65_536
"""The number of characters of a reply that are read: its last ones."""

MAX_OBJECTS = 256
"""The number of opening braces at which a JSON object is looked for, from the end of a reply."""

MAX_ACTIONS = 64
"""The largest number of actions in a reply. The others are left out."""

MAX_ACTION = 200
"""The largest number of characters of an action. Longer ones are cut, and are then no actions."""

_KEY = '"actions"'
_DECODER = json.JSONDecoder()


def parse(reply: str, legal: Iterable[str] = ()) -> list[str] | None:
    """Returns the actions of a reply; None if it names none.

    The actions are those of the last JSON object with the key "actions"; if there is none, of the last text in brackets, such
    as `[meld F7]`; if there is none either, the last line that is the text of a legal action and nothing else.

    Args:
        reply: the reply. Only its last `MAX_REPLY` characters are read.
        legal: the texts of the legal actions, for a line without brackets.
    """
    text = reply[-MAX_REPLY:]
    found = _of_object(text)
    if found is None:
        found = _of_brackets(text)
    if found is not None:
        return [plain(action)[:MAX_ACTION] for action in found[:MAX_ACTIONS]]
    known = {plain(action) for action in legal}
    for line in reversed(text.splitlines()):
        if len(line) <= MAX_ACTION and plain(line) in known:
            return [plain(line)]
    return None


def plain(action: str) -> str:
    """Returns an action without surrounding quotes and marks, and with single spaces between its words."""
    return " ".join(action.strip(" \t\r\n`*\"'").split())


def quoted(text: str) -> str:
    """Returns a text of a stranger in quotes: one line of visible ASCII characters, of at most 90 characters."""
    return json.dumps(text if len(text) <= 60 else text[:60] + "...")[:400]


def _of_object(text: str) -> list[str] | None:
    """Returns the actions of the last JSON object with the key "actions"."""
    # An object with the key begins before the last key.
    end = text.rfind(_KEY)
    for _ in range(MAX_OBJECTS):
        end = text.rfind("{", 0, end) if end > 0 else -1
        if end < 0:
            return None
        try:
            value, _ = _DECODER.raw_decode(text, end)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "actions" in value:
            return _texts(cast(Any, value["actions"]))
    return None


def _texts(value: Any) -> list[str]:
    values = cast(list[Any], value) if isinstance(value, list) else [value]
    return [one if isinstance(one, str) else json.dumps(one) for one in values if one is not None]


def _of_brackets(text: str) -> list[str] | None:
    """Returns the actions of the last text in brackets, with semicolons between them."""
    end = text.rfind("]")
    begin = text.rfind("[", 0, end) if end > 0 else -1
    if begin < 0:
        return None
    inner = text[begin + 1 : end]
    try:
        listed = json.loads(f"[{inner}]") if inner.lstrip().startswith('"') else inner.split(";")
    except (ValueError, RecursionError):
        listed = inner.split(";")
    return [one for one in _texts(listed) if one.strip()]
