"""The key of an account: where the clients find it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ahu._account import account_headers


def test_the_argument_comes_before_the_variable_and_the_variable_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes("\ufeffof the file\r\n".encode())
    by_file = {"AHU_ACCOUNT_KEY_FILE": str(file)}
    by_variable = by_file | {"AHU_ACCOUNT_KEY": "of the variable"}

    assert account_headers(environment={}) == ()
    assert account_headers(environment=by_file) == (("ahu-key", "of the file"),)
    assert account_headers(environment=by_variable) == (("ahu-key", "of the variable"),)
    assert account_headers("of the argument", by_variable) == (("ahu-key", "of the argument"),)
    assert account_headers("", by_variable) == ()


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"AHU_ACCOUNT_KEY_FILE: No such file or directory: .*missing"):
        account_headers(environment={"AHU_ACCOUNT_KEY_FILE": str(tmp_path / "missing")})
