"""betterproto2, over grpclib (`client_generation=async`)."""

import asyncio
import os
import sys
from datetime import timedelta

from grpclib import GRPCError, Status
from grpclib.client import Channel
from stubs.ahu.v1 import Action, MatchServiceStub, ObservationFormats, ObserveRequest, StepRequest

LOST = (Status.CANCELLED, Status.DEADLINE_EXCEEDED, Status.INTERNAL, Status.UNAVAILABLE, Status.UNKNOWN)
CALL = {"metadata": {"authorization": f"Bearer {os.environ['AHU_TOKEN']}"}, "timeout": 45}
seat = {
    "match_id": os.environ["AHU_MATCH"],
    "formats": ObservationFormats(legal_ids=True),
    "wait": timedelta(seconds=30),
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
        matches = MatchServiceStub(channel)
        seen = await send(matches.observe, ObserveRequest(**seat))
        while not seen.done:
            if decision := seen.decision:
                number, ids = decision.decision_id, decision.legal_ids
                action = Action(action_id=ids[number % len(ids)])
                seen = await send(matches.step, StepRequest(**seat, decision_id=number, action=action))
            else:
                seen = await send(matches.observe, ObserveRequest(**seat))
        print(*seen.result.scores, seen.result.seed)


asyncio.run(main())
