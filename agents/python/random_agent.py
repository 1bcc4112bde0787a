"""An agent that takes any legal action, from the protos alone: what an agent in any language has to do.

It is told where to play by its environment, as every agent program is: AHU_ADDRESS, AHU_MATCH,
AHU_SEAT and AHU_TOKEN. Give it a number as argument for choices that repeat.

With the package `ahu` it is shorter: examples/random_agent.py.
"""

import os
import random
import sys
import time

import grpc
from google.protobuf.duration_pb2 import Duration

from ahu.v1 import match_service_pb2 as ahu
from ahu.v1.match_service_pb2_grpc import MatchServiceStub

PATIENCE = 60.0  # seconds
ONGOING = (ahu.MATCH_STATE_SEATING, ahu.MATCH_STATE_RUNNING)


def call(method, request):
    """Calls until the server answers, if it is away for a while: every call of an agent may be sent again."""
    token = (("authorization", f"Bearer {os.environ['AHU_TOKEN']}"),)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return method(request, metadata=token, timeout=PATIENCE)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or time.monotonic() > end:
                raise
        time.sleep(0.1)


def is_to_play(observation):
    """Returns true until the match has ended or the seat has forfeited."""
    return observation.state in ONGOING and observation.seat not in observation.forfeited_seats


def main() -> None:
    seat = {"match_id": os.environ["AHU_MATCH"], "seat": int(os.environ["AHU_SEAT"])}
    formats = ahu.ObservationFormats(legal_ids=True)
    choices = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None)

    with grpc.insecure_channel(os.environ["AHU_ADDRESS"]) as channel:
        matches = MatchServiceStub(channel)
        observe = ahu.ObserveRequest(**seat, formats=formats, wait=Duration(seconds=30))
        observation = call(matches.Observe, observe).observation
        while is_to_play(observation):
            if not observation.HasField("decision"):
                observation = call(matches.Observe, observe).observation
                continue
            decision = observation.decision
            action_id = choices.choice(decision.legal_ids)
            step = ahu.StepRequest(**seat, decision_id=decision.decision_id, action_id=action_id, formats=formats)
            try:
                observation = call(matches.Step, step).observation
            except grpc.RpcError:
                # Perhaps the match has gone on without this answer, because the time was up.
                observation = call(matches.Observe, observe).observation
                if is_to_play(observation) and observation.decision.decision_id == decision.decision_id:
                    raise

    number, result = seat["seat"], observation.result
    if number in observation.forfeited_seats:
        [cause] = [forfeit.cause for forfeit in observation.forfeits if forfeit.seat == number]
        print(f"seat {number}: forfeited ({ahu.Cause.Name(cause)})")
    elif observation.HasField("result"):
        print(f"seat {number}: {result.scores[number]} points, place {result.ranks[number]}")
    else:
        print(f"seat {number}: {ahu.MatchState.Name(observation.state)} ({observation.end_reason})")


if __name__ == "__main__":
    main()
