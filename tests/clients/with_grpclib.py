"""grpclib, with its own stubs over messages of protoc."""

import asyncio
import os
import sys

from google.protobuf.duration_pb2 import Duration
from grpclib import GRPCError, Status
from grpclib.client import Channel

from ahu.v1 import match_service_grpc as services, match_service_pb2 as v1

LOST = (Status.CANCELLED, Status.DEADLINE_EXCEEDED, Status.INTERNAL, Status.UNAVAILABLE, Status.UNKNOWN)
CALL = {"metadata": {"authorization": f"Bearer {os.environ['AHU_TOKEN']}"}, "timeout": 45}
seat = {
    "match_id": os.environ["AHU_MATCH"],
    "formats": v1.ObservationFormats(legal_ids=True),
    "wait": Duration(seconds=30),
}


async def send(method, request):
    while True:
        try:
            return (await method(request, **CALL)).observation
        except Exception as error:
            # A lost connection is an error without a code, of one of several types.
            if isinstance(error, GRPCError) and error.status not in LOST:
                raise
            print("again:", repr(error), file=sys.stderr)
        await asyncio.sleep(0.1)


async def main():
    host, _, port = os.environ["AHU_ADDRESS"].rpartition(":")
    async with Channel(host.strip("[]"), int(port)) as channel:
        matches = services.MatchServiceStub(channel)
        seen = await send(matches.Observe, v1.ObserveRequest(**seat))
        while not seen.done:
            number, ids = seen.decision.decision_id, seen.decision.legal_ids
            if number:
                answer = v1.StepRequest(**seat, decision_id=number, action=v1.Action(action_id=ids[number % len(ids)]))
                seen = await send(matches.Step, answer)
            else:
                seen = await send(matches.Observe, v1.ObserveRequest(**seat))
        print(*seen.result.scores, seen.result.seed)


asyncio.run(main())
