"""Short tracebacks: an error of somebody's own agent shows the frames of the agent, and not those of this package."""

from __future__ import annotations

import functools
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_OURS = f"{Path(__file__).parent}/"
_STANDARD = f"{sysconfig.get_path('stdlib')}/"
_INSTALLED = ("/site-packages/", "/dist-packages/")


def without_ours(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Returns the function with shorter tracebacks: an error from the code of the caller, such as its agent, leaves out the
    frames of this package and of the standard library that lead there. An error of this package keeps all frames."""

    @functools.wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            return function(*arguments, **named)
        except Exception as error:
            error.__traceback__ = _shortened(error.__traceback__)
            raise

    return call


def _shortened(traceback: TracebackType | None) -> TracebackType | None:
    """Returns the traceback from the first frame of foreign code on; the whole traceback if it has none."""
    rest = traceback
    while rest is not None and _is_ours(rest.tb_frame.f_code.co_filename):
        rest = rest.tb_next
    return traceback if rest is None else rest


def _is_ours(path: str) -> bool:
    is_standard = path.startswith(_STANDARD) and not any(folder in path for folder in _INSTALLED)
    return path.startswith((_OURS, "<")) or is_standard
