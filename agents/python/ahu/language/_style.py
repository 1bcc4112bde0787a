"""The style of the questions to a language model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal

FORMAT = 3
"""The version of the prompts and of the reading of answers. Another version changes the digest of every style."""

_CHOICES = {"legal": ("list", "on_error", "never"), "rules": ("full", "short", "none"), "table": ("compact", "people")}


@dataclass(frozen=True, kw_only=True)
class Style:
    """The way in which a language model is asked. A report names the style by its digest.

    Attributes:
        legal: the legal actions: "list", in every prompt; "on_error", after a refused answer alone; "never".
        rules: the rules in `Table.rules`: "full"; "short", the goal, the turn, the scoring, and the actions; "none".
        table: the form of the table: "compact", for language models; "people", the text that people read, with a drawing.
        attempts: the number of answers that a decision may take, 1 or more. The seat forfeits after the last one.
        plan: True if a reply may have several actions. They are taken one after the other, as long as they are legal and no
            other seat acts. An entry "wait" between two of them lets the rest go on after other seats have acted.
        max_legal: the largest number of entries in a list of legal actions, 1 or more. An entry such as "at 0..41" stands for
            many actions.
        changes: True if a question tells what has changed in the table since the last one, for chats that remember: the model
            has to be given its earlier questions and answers. The first question is whole, and so is one after a refused answer.
    """

    legal: Literal["list", "on_error", "never"] = "list"
    rules: Literal["full", "short", "none"] = "full"
    table: Literal["compact", "people"] = "compact"
    attempts: int = 2
    plan: bool = True
    max_legal: int = 64
    changes: bool = False

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(f"expected {name} to be one of {', '.join(choices)}, got {value!r}")
        for name in ("attempts", "max_legal"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"expected {name} to be an integer of at least 1, got {value!r}")

    @property
    def digest(self) -> str:
        """The first 16 digits of the SHA-256 of the style and of the version of the prompts."""
        text = json.dumps({"format": FORMAT, **asdict(self)}, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]
