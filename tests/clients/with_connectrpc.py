"""connectrpc (connect-py), with the protocol gRPC over HTTP/2."""

import os
import sys
import time

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.protocol import ProtocolType
from protobuf.wkt import Duration
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

from ahu.v1.match_service_connect import MatchServiceClientSync
from ahu.v1.match_service_pb import Action, ObservationFormats, ObserveRequest, StepRequest

LOST = (Code.CANCELED, Code.DEADLINE_EXCEEDED, Code.INTERNAL, Code.UNAVAILABLE, Code.UNKNOWN)
CALL = {"headers": {"authorization": f"Bearer {os.environ['AHU_TOKEN']}"}, "timeout_ms": 45_000}
seat = {
    "match_id": os.environ["AHU_MATCH"],
    "formats": ObservationFormats(legal_ids=True),
    "wait": Duration(seconds=30),
}
http = SyncClient(SyncHTTPTransport(http_version=HTTPVersion.HTTP2))
matches = MatchServiceClientSync(f"http://{os.environ['AHU_ADDRESS']}", protocol=ProtocolType.GRPC, http_client=http)


def send(method, request):
    while True:
        try:
            return method(request, **CALL).observation
        except ConnectError as error:
            if error.code not in LOST:
                raise
            print("again:", error.code.name, error, file=sys.stderr)
        time.sleep(0.1)


seen = send(matches.observe, ObserveRequest(**seat))
while not seen.done:
    if decision := seen.decision:
        ids = decision.legal_ids
        action = Action(action_id=ids[decision.decision_id % len(ids)])
        seen = send(matches.step, StepRequest(**seat, decision_id=decision.decision_id, action=action))
    else:
        seen = send(matches.observe, ObserveRequest(**seat))
print(*seen.result.scores, seen.result.seed)
