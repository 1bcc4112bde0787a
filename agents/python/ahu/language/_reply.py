"""The replies of language models, read as actions. Each search is bounded, whatever a reply has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from ahu._errors import ServiceError

MAX_REPLY = 65_536
"""The number of characters of a reply that are read: its last ones."""

MAX_OBJECTS = 256
"""The number of opening braces at which a JSON object is looked for, from the end of a reply."""

MAX_ACTIONS = 64
"""The largest number of actions in a reply. The others are left out."""

MAX_ACTION = 200
"""The largest number of characters of an action. Longer ones are cut, and are then no actions."""

MAX_REASON = 400
"""The number of characters of the reason for a refusal. The rest is cut."""

_KEY = '"actions"'
_DECODER = json.JSONDecoder()
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_THOUGHT = re.compile(r"(</?think>)", re.IGNORECASE)

_MARKS = " \t\r\n`*\"'.,;:!()_>#~-\u2013\u2014\u2018\u2019\u201c\u201d\u2022"
"""The marks around an action that do not matter: no action begins or ends with one."""

_CLOSERS = _MARKS + "]}"
"""The marks that may follow a form in an answer that was cut off."""


def parse(reply: str, legal: Iterable[str] = (), *, truncated: bool = False) -> list[str] | None:
    """Returns the actions of a reply, without the marks around them; None if it names none.

    Text between `<think>` and `</think>` is not read. The last form counts: a JSON object with the key "actions", or a text in
    brackets, such as `[meld F7; end]`. If there is none, the last line counts, if it is the text of a legal action and nothing
    else. A reply that was cut off counts only if it ends with a form.

    Args:
        reply: the reply. Only its last `MAX_REPLY` characters are read.
        legal: the texts of the legal actions, for a line without a form.
        truncated: True if the reply was cut off.
    """
    text = without_thoughts(reply[-MAX_REPLY:])
    found = _last_form(text)
    if found is not None:
        actions, end = found
        if truncated and text[end:].strip(_CLOSERS):
            return None
        return named(actions)
    if truncated:
        return None
    lines = [line for line in text.splitlines() if line.strip(_MARKS)]
    last = plain(lines[-1]) if lines and len(lines[-1]) <= MAX_ACTION else ""
    return [last] if any(is_same(last, action) for action in legal) else None


def named(actions: Sequence[str]) -> list[str]:
    """Returns the actions of an answer, bounded and without the marks around them."""
    return [short for action in actions[:MAX_ACTIONS] if (short := plain(action)[:MAX_ACTION])]


def plain(action: str) -> str:
    """Returns an action without surrounding marks, and with single spaces between its words."""
    return " ".join(action.strip(_MARKS).split())


def is_same(one: str, other: str) -> bool:
    """Returns True if two texts are the same action, whatever their capitals and the marks around them."""
    return plain(one).lower() == plain(other).lower()


def unknown(game: str, action: str) -> str:
    """Returns the reason why a game does not have an action at all, in one line; empty if it has it."""
    from ahu import _native

    # A longer text, or one with odd signs, is in no error.
    if not action or len(action) > 60 or not (action.isascii() and action.isprintable()):
        return ""
    try:
        _native.parse_action(game, action[0].lower() + action[1:])
    except ServiceError as error:
        return error.message[:MAX_REASON]
    return ""


def quoted(text: str) -> str:
    """Returns a text of a stranger in quotes: one line of visible ASCII characters, of at most 90 characters."""
    return json.dumps(text if len(text) <= 60 else text[:60] + "...")[:400]


def without_thoughts(text: str) -> str:
    """Returns a text without what stands between `<think>` and `</think>`, of which one may lie before the text or after it."""
    kept: list[str] = []
    is_thought = False
    for piece in _THOUGHT.split(text):
        if piece.lower() == "</think>" and not is_thought:
            kept.clear()
        elif _THOUGHT.fullmatch(piece):
            is_thought = piece.lower() == "<think>"
        elif not is_thought:
            kept.append(piece)
    return "\n".join(kept)


def _last_form(text: str) -> tuple[list[str], int] | None:
    """Returns the actions of the last form, and the place at which it ends."""
    form = _of_object(text)
    brackets = [match for match in _BRACKETS.finditer(text, form[1] if form else 0) if match[1].strip()]
    if not brackets:
        return form
    inner = brackets[-1][1].strip().rstrip(",")
    try:
        listed = _texts(json.loads(f"[{inner}]")) if inner.startswith('"') else inner.split(";")
    except (ValueError, RecursionError):
        listed = inner.split(";")
    return listed, brackets[-1].end()


def _of_object(text: str) -> tuple[list[str], int] | None:
    """Returns the actions of the last JSON object with the key "actions", and the place at which it ends."""
    # An object with the key begins before the last key.
    end = text.rfind(_KEY)
    for _ in range(MAX_OBJECTS):
        end = text.rfind("{", 0, end) if end > 0 else -1
        if end < 0:
            return None
        try:
            value, after = _DECODER.raw_decode(text, end)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "actions" in value:
            return _texts(cast(Any, value["actions"])), after
    return None


def _texts(value: Any) -> list[str]:
    values = cast(list[Any], value) if isinstance(value, list) else [value]
    return [one if isinstance(one, str) else json.dumps(one) for one in values if one is not None]
