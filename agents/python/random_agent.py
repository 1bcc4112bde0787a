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


def main() -> None:
    seat = {"match_id": os.environ["AHU_MATCH"], "seat": int(os.environ["AHU_SEAT"])}
    formats = ahu.ObservationFormats(legal_ids=True)
    choices = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None)

    with grpc.insecure_channel(os.environ["AHU_ADDRESS"]) as channel:
        matches = MatchServiceStub(channel)
        observe = ahu.ObserveRequest(**seat, formats=formats, wait=Duration(seconds=30))
        observation = call(matches.Observe, observe).observation
        while observation.state in ONGOING:
            if observation.HasField("decision"):
                decision = observation.decision
                action_id = choices.choice(decision.legal_ids)
                step = ahu.StepRequest(**seat, decision_id=decision.decision_id, action_id=action_id, formats=formats)
                observation = call(matches.Step, step).observation
            else:
                observation = call(matches.Observe, observe).observation

    result = observation.result
    print(f"seat {seat['seat']}: {result.scores[seat['seat']]} points, place {result.ranks[seat['seat']]}")


if __name__ == "__main__":
    main()
