"""The key of an account, for a server that requires one or that counts calls by account."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ahu._variables import content_of


def account_headers(key: str | None = None, environment: Mapping[str, str] = os.environ) -> tuple[tuple[str, str], ...]:
    """Returns the headers with the key of the argument, otherwise of the variables; none without a key.

    Raises:
        OSError: the file that AHU_ACCOUNT_KEY_FILE names cannot be read.
    """
    key = environment.get("AHU_ACCOUNT_KEY") if key is None else key
    if key is None and (content := content_of("AHU_ACCOUNT_KEY_FILE", environment)):
        key = content.decode("utf-8-sig")
    return (("ahu-key", key.strip()),) if key else ()
