"""The key of an account: where the clients find it, and the matches of the account."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import ahu
from ahu._account import account_headers
from ahu.server import find_server


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


def test_the_matches_of_an_account_are_listed(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    program = find_server()
    subprocess.run([program, "accounts", "add", "moai", "--data", data], check=True, stdout=subprocess.DEVNULL)
    key = subprocess.run(
        [program, "keys", "new", "moai", "--data", data], check=True, stdout=subprocess.PIPE, text=True
    )
    with ahu.launch(["--data", data]) as server:
        address = server.address
        with ahu.client.Client(address, key=key.stdout.strip()) as moai, ahu.client.Client(address) as stranger:
            own, other = [stranger.create_match("rappanui", 2, bots={1: "greedy"}).match_id for _ in range(2)]
            stranger.join(other)
            match = moai.join(own).match()
            listed = stranger.list_matches(player_id=match.seats[0].player_id)
            assert [match.match_id for match in listed] == [own]
            assert match.begin_time.ToNanoseconds() >= match.create_time.ToNanoseconds()
            assert not match.HasField("end_time")
