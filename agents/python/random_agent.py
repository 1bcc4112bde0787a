"""An agent that takes any legal action, from the protos alone.

It is told where to play by its environment, as every agent program is: AHU_ADDRESS, AHU_MATCH,
AHU_SEAT and AHU_TOKEN. Give it a number as argument for choices that repeat.
"""

import os
import random
import sys

import grpc
from google.protobuf.duration_pb2 import Duration

from ahu.v1 import match_service_pb2 as ahu
from ahu.v1.match_service_pb2_grpc import MatchServiceStub


def main() -> None:
    seat = {"match_id": os.environ["AHU_MATCH"], "seat": int(os.environ["AHU_SEAT"])}
    token = (("authorization", f"Bearer {os.environ['AHU_TOKEN']}"),)
    forms = ahu.ObservationForms(legal_ids=True)
    choices = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None)

    with grpc.insecure_channel(os.environ["AHU_ADDRESS"]) as channel:
        matches = MatchServiceStub(channel)
        request = ahu.ObserveRequest(**seat, forms=forms, wait=Duration(seconds=30))
        observation = matches.Observe(request, metadata=token).observation
        while observation.state != ahu.MATCH_STATE_FINISHED:
            if observation.HasField("decision"):
                decision = observation.decision
                action_id = choices.choice(decision.legal_ids)
                step = ahu.StepRequest(**seat, decision_id=decision.decision_id, action_id=action_id, forms=forms)
                observation = matches.Step(step, metadata=token).observation
            else:
                observation = matches.Observe(request, metadata=token).observation

        result = observation.result
        print(f"seat {seat['seat']}: {result.scores[seat['seat']]} points, place {result.ranks[seat['seat']]}")


if __name__ == "__main__":
    main()
