"""A host that tests an example agent in any language: it says no, and looks at what the agent does then.

    PYTHONPATH=agents/python python agents/python/tests/agent_host.py COMMAND

tests/cli/agents.rs runs it for each of the agents that are built from the protos alone.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from ahu.v1 import match_service_pb2 as v1, match_service_pb2_grpc as services

REASON = "the host dislikes action 5"
"""The message with which the host refuses each answer."""


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
            observation.state = v1.MATCH_STATE_CANCELLED
        else:
            observation.decision.MergeFrom(v1.Decision(decision_id=1, legal_ids=[5], mask=bytes([1 << 5])))
        return v1.ObserveResponse(observation=observation)

    def step(self, request: v1.StepRequest, context: Any) -> v1.StepResponse:
        self._note("Step", context)
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, REASON)
        raise AssertionError("abort raises")

    def await_seat(self, request: v1.AwaitSeatRequest, context: Any) -> v1.AwaitSeatResponse:
        self._note("AwaitSeat", context)
        return v1.AwaitSeatResponse(closed=True)


def run(command: str, host: Host, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs an agent with a host."""
    server = grpc.server(ThreadPoolExecutor(4))
    services.add_MatchServiceServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AHU_")}
        environment |= {"AHU_ADDRESS": f"127.0.0.1:{port}", **variables}
        return subprocess.run(["sh", "-c", f"exec {command}"], env=environment, capture_output=True, text=True)
    finally:
        server.stop(None)


SEAT = {"AHU_MATCH": "m", "AHU_SEAT": "0", "AHU_TOKEN": "token"}


def a_refusal_that_stands_ends_the_agent(command: str) -> None:
    host = Host()
    done = run(command, host, **SEAT)
    assert host.calls.count(("Step", "Bearer token")) == 1, host.calls
    assert done.returncode != 0, done
    assert done.stderr.count(REASON) == 1, done.stderr


def a_refusal_after_which_the_match_went_on_is_told(command: str) -> None:
    done = run(command, Host(goes_on=True), **SEAT)
    assert done.returncode == 0, done
    assert done.stderr.count(REASON) == 1, done.stderr


def main() -> None:
    [command] = sys.argv[1:]
    a_refusal_that_stands_ends_the_agent(command)
    a_refusal_after_which_the_match_went_on_is_told(command)


if __name__ == "__main__":
    main()
