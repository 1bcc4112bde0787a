"""grpcio, with stubs of grpcio-tools."""

import os
import sys
import time

import grpc
from google.protobuf.duration_pb2 import Duration

from ahu.v1 import match_service_pb2 as v1, match_service_pb2_grpc as services

LOST = {grpc.StatusCode[name] for name in ("CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNKNOWN")}
CALL = {"metadata": [("authorization", f"Bearer {os.environ['AHU_TOKEN']}")], "timeout": 45}
seat = {
    "match_id": os.environ["AHU_MATCH"],
    "formats": v1.ObservationFormats(legal_ids=True),
    "wait": Duration(seconds=30),
}
matches = services.MatchServiceStub(grpc.insecure_channel(os.environ["AHU_ADDRESS"]))


def send(method, request):
    while True:
        try:
            return method(request, **CALL).observation
        except grpc.RpcError as error:
            if error.code() not in LOST:
                raise
            print("again:", error.code().name, file=sys.stderr)
        time.sleep(0.1)


seen = send(matches.Observe, v1.ObserveRequest(**seat))
while not seen.done:
    number, ids = seen.decision.decision_id, seen.decision.legal_ids
    if number:
        answer = v1.StepRequest(**seat, decision_id=number, action=v1.Action(action_id=ids[number % len(ids)]))
        seen = send(matches.Step, answer)
    else:
        seen = send(matches.Observe, v1.ObserveRequest(**seat))
print(*seen.result.scores, seen.result.seed)
