"""Lists of legal actions and changes of tables, in few words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

_NUMBERED = re.compile(r"(.*\D)(\d{1,4})")

_SHORTEST = 3
"""The number of actions with consecutive numbers from which on one entry stands for all of them."""


def listed(texts: Sequence[str], most: int) -> str:
    """Returns actions as a list with semicolons: `pass; at 0..41` for `pass`, `at 0`, and so on. Beyond `most` entries, the
    list tells how many actions are left out."""
    entries: list[tuple[str, int]] = []
    place = 0
    while place < len(texts):
        count = _run(texts, place)
        if count >= _SHORTEST:
            entries.append((f"{texts[place]}..{_number(texts[place + count - 1])}", count))
            place += count
        else:
            entries.append((texts[place], 1))
            place += 1
    shown = "; ".join(text for text, _ in entries[:most])
    left = sum(count for _, count in entries[most:])
    return f"{shown}; and {left} more" if left else shown


def changes(before: str, now: str) -> list[str]:
    """Returns what makes one text of another, by the lines of the first, from 1: `3: TEXT` stands for line 3, several of the same
    number stand for it together, and `3 is gone` leaves it out."""
    old, new = before.split("\n"), now.split("\n")
    instead = [[line] for line in old]
    for kind, first, end, new_first, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        added = new[new_first:new_end]
        if kind == "insert":
            at = max(first - 1, 0)
            instead[at] = [*instead[at], *added] if first else [*added, *instead[at]]
        elif kind != "equal":
            for n, line in enumerate(range(first, end)):
                instead[line] = added[n:] if line == end - 1 else added[n : n + 1]
    return [
        text
        for n, (line, lines) in enumerate(zip(old, instead, strict=True), 1)
        if lines != [line]
        for text in ([f"{n}: {one}" for one in lines] or [f"{n} is gone"])
    ]


def _run(texts: Sequence[str], first: int) -> int:
    """Returns the number of actions from `first` on that differ in a number at their end, which rises by one."""
    match = _NUMBERED.fullmatch(texts[first])
    if match is None:
        return 1
    head, number, count = match[1], int(match[2]), 1
    while first + count < len(texts) and texts[first + count] == f"{head}{number + count}":
        count += 1
    return count


def _number(text: str) -> str:
    match = _NUMBERED.fullmatch(text)
    assert match is not None, "the action ends with a number"
    return match[2]
