"""Names of other libraries, for errors that tell what a thing is called here."""

from __future__ import annotations

from typing import Any

HERE = {
    "ahu": {
        "bots": "ahu.game(name).bots",
        "env": "ahu.training.pettingzoo",
        "list_games": "ahu.games()",
        "load_game": "ahu.new_game(name)",
        "make": 'gymnasium.make("ahu.training.gymnasium:ahu/rappanui-v0")',
        "rules": "ahu.game(name)",
        "run": "ahu.play(game, players)",
        "tournament": "ahu.duel(game, players)",
    },
    "State": {
        "children": "ahu.children(state)",
        "copy": "clone()",
        "current_player": "to_act",
        "is_terminal": "is_over",
        "legal_moves": "legal_actions(seat)",
        "player_to_move": "to_act",
        "push": "apply(action)",
        "render": "text(seat) or svg(seat)",
        "rollout": "ahu.rollout([state])",
        "step": "apply(action)",
    },
    "Turn": {
        "current_player": "seat",
        "legal_actions": "legal",
        "legal_moves": "legal",
        "mask": "masks",
        "player": "seat",
        "state": "typed, text, or observation",
    },
    "PlayResult": {
        "returns": "scores or ranks",
        "rewards": "scores or ranks",
        "save": "record, a text that you can write to a file",
        "winner": "ranks: 1 is first, and ties share a rank",
        "winners": "ranks: 1 is first, and ties share a rank",
    },
}
"""The names here, by owner and by the name in other libraries."""


def no_attribute(owner: str, name: str, holder: object) -> AttributeError:
    """Returns the error of an attribute that a type or module does not have, with the name that the thing has here."""
    here = HERE[owner].get(name)
    if here is None:
        # The interpreter adds names that are spelt alike.
        return AttributeError(f"{owner} has no attribute {name!r}", name=name, obj=holder)
    return AttributeError(f"{owner} has no attribute {name!r}; use {here}")


def hinted(owner: type) -> None:
    """Makes the error of an attribute that a class does not have name what it is called here."""

    def missing(self: object, name: str) -> Any:
        # A property of the class that raised an AttributeError raises it again.
        if name in dir(type(self)):
            return object.__getattribute__(self, name)
        raise no_attribute(owner.__name__, name, self)

    # Type checkers know the attributes: a method in the class would hide every unknown name from them.
    setattr(owner, "__getattr__", missing)  # noqa: B010
