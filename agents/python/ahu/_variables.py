"""Variables of the environment: keys, and files that variables name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

KEYS = frozenset({"AHU_ACCOUNT_KEY", "AHU_ACCOUNT_KEY_FILE", "AHU_KEY", "AHU_KEY_FILE"})
"""The variables with the keys of whoever starts this process."""


def content_of(variable: str, environment: Mapping[str, str] = os.environ) -> bytes | None:
    """Returns the content of the file that a variable names; None if it names none.

    Raises:
        OSError: the file cannot be read; the message names the variable.
    """
    if not (file := environment.get(variable)):
        return None
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise OSError(error.errno, f"{variable}: {error.strerror}", file) from None
