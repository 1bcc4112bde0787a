"""The key of an account: where the clients find it, the matches of the account, and who does not get it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from unittest import mock

import pytest

import ahu
from ahu._account import account_headers
from ahu._program import Program
from ahu._variables import KEYS
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
        with ahu.client.Client(address, account_key=key.stdout.strip()) as moai, ahu.client.Client(address) as stranger:
            own, other = [stranger.create_match("rappanui", 2, bots={1: "greedy"}).match_id for _ in range(2)]
            stranger.join(other)
            match = moai.join(own).match()
            listed = stranger.list_matches(player_id=match.seats[0].player_id)
            assert [match.match_id for match in listed] == [own]
            assert match.begin_time.ToNanoseconds() >= match.create_time.ToNanoseconds()
            assert not match.HasField("end_time")


def test_a_program_inherits_the_environment_without_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS | {"CUDA_VISIBLE_DEVICES"}:
        monkeypatch.setenv(name, "own")
    seat = mock.Mock(match_id="0123456789abcdef", seat=1, token="of the seat")
    seat.client.address = "127.0.0.1:1"
    Program(f"env > {tmp_path / 'told'}").play(seat)
    told = dict(line.split("=", 1) for line in (tmp_path / "told").read_text().splitlines() if "=" in line)
    assert (told["CUDA_VISIBLE_DEVICES"], told["AHU_TOKEN"]) == ("own", "of the seat")
    assert not KEYS & told.keys()
