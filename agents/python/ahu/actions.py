"""Actions, in all forms that an agent may use."""

from __future__ import annotations

import operator
import typing
from dataclasses import dataclass, field
from functools import cached_property
from typing import SupportsIndex, TypeAlias

from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

from ahu._public import public
from ahu.messages import unpack
from ahu.v1 import match_service_pb2 as v1


@dataclass(frozen=True, kw_only=True)
class Action:
    """An action in its forms.

    Attributes:
        id: the id, the same in every position of the game.
        text: the notation, such as "meld F7".
    """

    id: int
    text: str
    _packed: Any | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, action: v1.Action) -> Action:
        """Returns the action of a message."""
        packed = action.typed if action.HasField("typed") else None
        return cls(id=action.action_id, text=action.text, _packed=packed)

    @cached_property
    def typed(self) -> typing.Any:
        """The action as a typed message of the game, such as an `ahu.rappanui.v1.rappanui_pb2.Action`.

        Raises:
            LookupError: the agent did not ask for it (`ObservationFormats.typed`).
        """
        if self._packed is None:
            raise LookupError("actions come typed only where the formats that are asked for have `typed`")
        return unpack(self._packed)


Choice: TypeAlias = SupportsIndex | str | Action | Message
"""An action in a form that an agent may return: an id, a text such as "meld F7", one of `Turn.legal`, a typed message of
the game, or an `ahu.v1.Action`."""


def message(choice: Choice) -> v1.Action:
    """Returns an action as a message, in the form that it has.

    Raises:
        TypeError: the action has none of the forms.
        ValueError: the action is a negative id, or an empty `ahu.v1.Action`.
    """
    if isinstance(choice, str):
        return v1.Action(text=choice)
    if isinstance(choice, Action):
        return v1.Action(action_id=choice.id)
    if isinstance(choice, v1.Action):
        if choice == v1.Action():
            raise ValueError("the ahu.v1.Action is empty: give it an action_id, a text or a typed message")
        return choice
    if isinstance(choice, Message):
        packed = choice if isinstance(choice, Any) else Any()
        if packed is not choice:
            packed.Pack(choice)
        return v1.Action(typed=packed)
    return v1.Action(action_id=id_of(choice))


def id_of(choice: SupportsIndex) -> int:
    """Returns an action id as a number.

    Raises:
        TypeError: the action has none of the forms of an action.
        ValueError: the id is negative.
    """
    try:
        number = operator.index(choice)
    except TypeError:
        raise TypeError(
            "an action is an id, a text, a typed message or one of turn.legal, "
            f"not {choice!r} ({type(choice).__name__})"
        ) from None
    if number < 0:
        raise ValueError(f"an action id is 0 or more, not {number}")
    return number


public(Action)
