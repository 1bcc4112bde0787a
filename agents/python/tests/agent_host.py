"""A host that tests an example agent in any language: it says no, or more than the agent knows, and looks at what the agent does.

    PYTHONPATH=agents/python python agents/python/tests/agent_host.py COMMAND CERTIFICATE KEY AUTHORITY

The files have the certificate of an authority that nobody trusts, and its key.
tests/cli/agents.rs runs it for each of the agents that are built from the protos alone.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from newer_server import ADJOURNED, NEW, NewerServer
from support import variables

import ahu
from ahu.v1 import match_service_pb2 as v1, match_service_pb2_grpc as services

REASON = "the host dislikes action 5"
"""The message with which the host refuses each answer."""

DISMISSAL = "the cup has ended"
"""The words with which the host says that no more seats come."""


class Host(services.MatchServiceServicer):
    """A match whose first decision has one legal action, which the host refuses.

    Args:
        goes_on: True if the match has ended after the refusal; False if the decision waits as before.
    """

    def __init__(self, goes_on: bool = False) -> None:
        self.goes_on = goes_on
        self.calls: list[tuple[str, str]] = []
        # The names that gRPC looks for.
        self.Observe, self.Step, self.AwaitSeat = self.observe, self.step, self.await_seat

    def _note(self, call: str, context: Any) -> None:
        self.calls.append((call, dict(context.invocation_metadata())["authorization"]))

    def observe(self, request: v1.ObserveRequest, context: Any) -> v1.ObserveResponse:
        self._note("Observe", context)
        observation = v1.Observation(match_id=request.match_id, seat=request.seat, state=v1.MATCH_STATE_RUNNING)
        # An agent that tries again and again fails its test, and does not hold it up.
        if [call for call, _ in self.calls].count("Step") >= (1 if self.goes_on else 3):
            observation.state, observation.done = v1.MATCH_STATE_CANCELLED, True
        else:
            observation.decision.MergeFrom(v1.Decision(decision_id=1, legal_ids=[5], mask=bytes([1 << 5])))
        return v1.ObserveResponse(observation=observation)

    def step(self, request: v1.StepRequest, context: Any) -> v1.StepResponse:
        self._note("Step", context)
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, REASON)
        raise AssertionError("abort raises")

    def await_seat(self, request: v1.AwaitSeatRequest, context: Any) -> v1.AwaitSeatResponse:
        self._note("AwaitSeat", context)
        return v1.AwaitSeatResponse(dismissal=v1.Dismissal(reason=v1.DISMISSAL_REASON_ENDED, message=DISMISSAL))


class Seedless(Host):
    """A host of four matches that gives no seed. Each match is one decision with many legal actions.

    Attributes:
        actions: the actions that were chosen.
    """

    LEGAL = range(8 * 1024)

    def __init__(self) -> None:
        super().__init__()
        self.actions: list[int] = []

    def await_seat(self, request: v1.AwaitSeatRequest, context: Any) -> v1.AwaitSeatResponse:
        if len(self.actions) == 4:
            return super().await_seat(request, context)
        seat = v1.AssignedSeat(match_id=f"m{len(self.actions)}", seat=0, seat_token="token")
        return v1.AwaitSeatResponse(assigned=seat)

    def observe(self, request: v1.ObserveRequest, context: Any) -> v1.ObserveResponse:
        decision = v1.Decision(decision_id=1, legal_ids=self.LEGAL, mask=bytes([255] * (len(self.LEGAL) // 8)))
        return v1.ObserveResponse(observation=v1.Observation(state=v1.MATCH_STATE_RUNNING, decision=decision))

    def step(self, request: v1.StepRequest, context: Any) -> v1.StepResponse:
        self.actions.append(request.action.action_id)
        return v1.StepResponse(observation=v1.Observation(state=v1.MATCH_STATE_CANCELLED, done=True))


class Spare(Seedless):
    """A host that stops to work after its second match, and then refuses all calls, as a spare does."""

    def _refuse(self, context: Any) -> None:
        if len(self.actions) >= 2:
            context.abort(grpc.StatusCode.UNAVAILABLE, "this server does not work now")

    def await_seat(self, request: v1.AwaitSeatRequest, context: Any) -> v1.AwaitSeatResponse:
        self._refuse(context)
        return super().await_seat(request, context)

    def observe(self, request: v1.ObserveRequest, context: Any) -> v1.ObserveResponse:
        self._refuse(context)
        return super().observe(request, context)


def start(command: str, **variables: str) -> subprocess.Popen[str]:
    """Starts an agent with these variables in its environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AHU_")} | variables
    pipe = subprocess.PIPE
    return subprocess.Popen(["sh", "-c", f"exec {command}"], env=environment, stdout=pipe, stderr=pipe, text=True)


def run(command: str, **variables: str) -> tuple[int, str]:
    """Runs an agent to its end, and returns its status and its errors."""
    status, _, errors = output_of(command, **variables)
    return status, errors


def output_of(command: str, **variables: str) -> tuple[int, str, str]:
    """Runs an agent to its end, and returns its status, its output, and its errors."""
    with start(command, **variables) as agent:
        output, errors = agent.communicate()
        return agent.returncode, output, errors


@contextlib.contextmanager
def serving(host: Host, credentials: grpc.ServerCredentials | None = None, *, socket: str = "") -> Iterator[str]:
    """Serves a host, also on a Unix socket if one is given, and returns its address without a scheme."""
    server = grpc.server(ThreadPoolExecutor(4))
    services.add_MatchServiceServicer_to_server(host, server)
    address = "127.0.0.1:0"
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    if socket:
        server.add_insecure_port(socket)
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None)


SEAT = {"AHU_MATCH": "m", "AHU_SEAT": "0", "AHU_TOKEN": "token"}


def a_refusal_that_stands_ends_the_agent(command: str) -> None:
    host = Host()
    with serving(host) as address:
        status, errors = run(command, AHU_ADDRESS=address, **SEAT)
    assert host.calls.count(("Step", "Bearer token")) == 1, host.calls
    assert status != 0 and errors.count(REASON) == 1, (status, errors)


def a_refusal_after_which_the_match_went_on_is_told(command: str) -> None:
    with serving(Host(goes_on=True)) as address:
        status, errors = run(command, AHU_ADDRESS=address, **SEAT)
    assert status == 0 and errors.count(REASON) == 1, (status, errors)


def a_key_may_be_in_a_file(command: str) -> None:
    host = Host()
    with tempfile.TemporaryDirectory() as folder, serving(host) as address:
        file = Path(folder) / "moai.key"
        status, errors = run(command, AHU_ADDRESS=address, AHU_KEY_FILE=str(file))
        assert status != 0 and "AHU_KEY_FILE" in errors, (status, errors)
        file.write_bytes(b"secret\r\n")
        assert run(command, AHU_ADDRESS=address, AHU_KEY_FILE=str(file)) == (0, "")
        assert run(command, AHU_ADDRESS=address, AHU_KEY_FILE=str(file), AHU_KEY="other") == (0, "")
    assert host.calls == [("AwaitSeat", "Bearer secret"), ("AwaitSeat", "Bearer other")], host.calls


def what_is_missing_is_named(command: str) -> None:
    with serving(Host()) as address:
        for name in ("AHU_ADDRESS", *SEAT):
            variables = {"AHU_ADDRESS": address, **SEAT}
            del variables[name]
            status, errors = run(command, **variables)
            assert status != 0 and name in errors, (name, status, errors)


def no_proxy_leads_to_this_machine(command: str) -> None:
    proxies = dict.fromkeys(("grpc_proxy", "http_proxy", "https_proxy"), "http://127.0.0.1:1")
    with tempfile.TemporaryDirectory() as folder, serving(Host(), socket=f"unix:{folder}/ahu.socket") as address:
        port = address.rpartition(":")[2]
        hosts = ("127.0.0.1", "LOCALHOST", "0.0.0.0", "[::ffff:127.0.0.1]")
        # The agent in Rust takes no Unix sockets.
        sockets = () if "random-agent" in command else (f"unix:{folder}/ahu.socket",)
        for each in (*sockets, *(f"{host}:{port}" for host in hosts)):
            assert run(command, AHU_ADDRESS=each, AHU_KEY="secret", **proxies) == (0, ""), each


def without_a_seed_an_agent_chooses_anew_in_each_match(command: str) -> None:
    host = Seedless()
    with serving(host) as address:
        status, errors = run(command, AHU_ADDRESS=address, AHU_KEY="secret")
    assert status == 0 and len(host.actions) == 4 and len(set(host.actions)) > 1, (status, errors, host.actions)


def an_authority_that_is_not_trusted_is_told(command: str, certificate: Path, key: Path, authority: Path) -> None:
    credentials = grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    host = Host()
    with serving(host, credentials) as address:
        with start(command, AHU_ADDRESS=f"https://{address}", AHU_KEY="secret") as agent:
            # The agent tries again and again, since the server may get another certificate.
            assert agent.stderr is not None and any("AHU_CA_FILE" in line for line in agent.stderr), "told at its end"
            agent.kill()
        status, errors = run(command, AHU_ADDRESS=f"https://{address}", AHU_KEY="secret", AHU_CA_FILE="missing.pem")
        assert status != 0 and "AHU_CA_FILE" in errors, (status, errors)
        variables = {"AHU_ADDRESS": f"https://{address}", "AHU_KEY": "secret", "AHU_CA_FILE": str(authority)}
        status, errors = run(command, **variables)
        assert status == 0, errors


def a_newer_server_is_played_on(command: str) -> None:
    adjourned = v1.Observation(state=ADJOURNED, done=True, end_reason="a storm")
    forfeited = v1.Observation(done=True, forfeits=[v1.Forfeit(seat=0, cause=NEW)])
    with ahu.launch() as server:
        for ending, told in ((None, " points, place "), (adjourned, "(a storm)"), (forfeited, "forfeited")):
            with NewerServer(server.address, ending) as newer, ahu.client.Client(newer.address) as client:
                seat = client.join(client.create_match("rappanui", 2, bots={1: "greedy"}).match_id)
                status, output, errors = output_of(command, **variables(newer.address, seat))
                assert status == 0 and told in output, (told, output, errors)


def a_dismissal_is_told_in_its_words(command: str) -> None:
    with serving(Host()) as address, NewerServer(address) as newer:
        for each in (address, newer.address):
            ended = output_of(command, AHU_ADDRESS=each, AHU_KEY="secret")
            assert ended == (0, f"no more seats: {DISMISSAL}\n", ""), ended


def the_server_that_works_is_found(command: str) -> None:
    before, after = Spare(), Seedless()
    # Nothing listens at the first address.
    with serving(before) as one, serving(after) as other:
        status, output, errors = output_of(command, AHU_ADDRESS=f"127.0.0.1:1,{one},{other}", AHU_KEY="secret")
    assert status == 0 and DISMISSAL in output and "trying again" in errors, (status, output, errors)
    assert [len(before.actions), len(after.actions)] == [2, 4], (before.actions, after.actions)


def main() -> None:
    command, certificate, key, authority = sys.argv[1:]
    a_refusal_that_stands_ends_the_agent(command)
    a_refusal_after_which_the_match_went_on_is_told(command)
    a_key_may_be_in_a_file(command)
    what_is_missing_is_named(command)
    no_proxy_leads_to_this_machine(command)
    a_newer_server_is_played_on(command)
    a_dismissal_is_told_in_its_words(command)
    the_server_that_works_is_found(command)
    without_a_seed_an_agent_chooses_anew_in_each_match(command)
    an_authority_that_is_not_trusted_is_told(command, Path(certificate), Path(key), Path(authority))


if __name__ == "__main__":
    main()
