"""The text that a language model is told once: the rules, the legend of the table, and the form of an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ahu.language._style import Style
from ahu.v1.catalog_service_pb2 import Game

_SHORT = ("Goal", "Turn", "Scoring")
"""The headings of the rules page in a short form."""

_OPTION = re.compile(r"\* \*\*(?P<key>\w+)\*\* \(.*?; default: (?P<default>.*?)\): ")
"""The line of an option on a rules page."""


def rules_text(game: Game, seat: int, seats: int | None, options: Mapping[str, str], legend: str, style: Style) -> str:
    """Returns the text for the model of a seat. It has no name and no comment of a player, so that none can break it.

    Args:
        game: the description of the game in the catalog.
        seat: the seat, from 0.
        seats: the number of seats; None if it is not known.
        options: the values of all options, by key.
        legend: the legend of the table.
        style: the style.
    """
    of = "" if seats is None else f" of {seats}"
    parts = [
        f"You play the game {game.summary.title} ({game.summary.game}) at seat {seat}{of}; seats count from 0. "
        f"Each turn you see the table and choose an action. Play to rank first."
    ]
    if options:
        parts.append("Options: " + ", ".join(f"{key}={value}" for key, value in sorted(options.items())) + ".")
    if style.rules == "full":
        parts.append(f"# Rules\n\n{_in_force(game.rules, options)}")
    elif style.rules == "short":
        parts += [section for name in _SHORT if (section := _section(game.rules, name))]
        actions = [f"{group.pattern}: {group.meaning}" for group in game.action_groups]
        parts.append("\n".join(["## Actions", *actions]))
    if legend:
        parts.append(f"# Signs of the table\n\n{legend.strip()}")
    parts.append(f"# Your answer\n\n{_answer(style)}")
    return "\n\n".join(parts)


def _in_force(page: str, options: Mapping[str, str]) -> str:
    """Returns a page of rules without its editions. Of its options, those remain that have not their default, since the rules and
    rulings say what holds without them. The glossary stays: it has what the components are."""
    listed = _section(page, "Options")
    changed = [
        line
        for line in listed.splitlines()
        if (entry := _OPTION.match(line)) and options.get(entry["key"], entry["default"]) != entry["default"]
    ]
    page = page.replace(_section(page, "Editions"), "")
    page = page.replace(listed, "\n".join(["## Options", "", *changed]) if changed else "")
    return re.sub(r"\n{3,}", "\n\n", page).strip()


def _section(page: str, name: str) -> str:
    """Returns a section of a page with its heading; empty if the page has none of this name."""
    lines = page.splitlines()
    for first, line in enumerate(lines):
        if line == f"## {name}":
            rest = lines[first + 1 :]
            end = next((n for n, other in enumerate(rest) if other.startswith("## ")), len(rest))
            return "\n".join([line, *rest[:end]]).strip()
    return ""


def _answer(style: Style) -> str:
    text = (
        'End your answer with one JSON object and nothing after it: {"actions": ["ACTION"]}. Or end it with [ACTION]. '
    )
    text += "ACTION is the exact text of an action."
    if style.legal != "never":
        text += " Semicolons separate listed actions; `at 0..41` stands for `at 0` up to `at 41`."
    if style.plan:
        text += (
            " You may give several actions, in order: each is taken if it is legal then, until another player acts; the entry "
            "`wait` lets the rest go on after that. An action without an alternative is taken for you."
        )
    else:
        text += " Give one action. An action without an alternative is taken for you."
    if style.changes:
        text += (
            " A question may tell the changes of the table since the last one that you answered: `3: TEXT` stands for its line 3, "
            "lines with the same number stand for it together, and `3 is gone` means that it is left out. Lines count from 1."
        )
    return f"{text} You have {style.attempts} {'attempt' if style.attempts == 1 else 'attempts'} for a decision."
