"""An agent that knows nothing of Ahu but what the server tells: no stubs, no package `ahu`.

    pip install grpcio-reflection
    ahu play rappanui greedy "python reflection_agent.py"

It asks the server for its protos by gRPC reflection, prints each observation as JSON, a line each, and takes the first
legal action.
"""

import json
import os
import sys
import time
from collections.abc import Callable

import grpc
from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.message import Message
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

PATIENCE = 60.0  # seconds
LOST = ("CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNKNOWN")


def serialized(message: Message) -> bytes:
    """Returns a message as bytes."""
    return message.SerializeToString()


class Service:
    """A service of a server, as it describes itself."""

    def __init__(self, channel: grpc.Channel, name: str) -> None:
        self._channel = channel
        self._pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
        self._service = self._pool.FindServiceByName(name)

    def call(self, name: str, request: dict, token: str) -> dict:
        """Calls a method. Request and response are as JSON has them."""
        method = self._service.FindMethodByName(name)
        send = self._channel.unary_unary(
            f"/{self._service.full_name}/{name}",
            request_serializer=serialized,
            response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
        )
        message = message_factory.GetMessageClass(method.input_type)()
        json_format.ParseDict(request, message, descriptor_pool=self._pool)
        metadata = (("authorization", f"Bearer {token}"),)
        response = patiently(lambda: send(message, metadata=metadata, timeout=PATIENCE))
        return json_format.MessageToDict(response, preserving_proto_field_name=True, descriptor_pool=self._pool)


def patiently(call: Callable[[], Message]) -> Message:
    """Calls until the server answers, if it is away for a while: every call of an agent may be sent again.

    The retries that gRPC can be configured to make do not suffice: it makes none once an answer has begun.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return call()
        except grpc.RpcError as error:
            if error.code().name not in LOST or time.monotonic() > end:
                raise
        time.sleep(0.1)


def main() -> None:
    """Plays the seat that the environment tells of."""
    seat = {"match_id": os.environ["AHU_MATCH"], "seat": int(os.environ["AHU_SEAT"])}
    token = os.environ["AHU_TOKEN"]
    formats = {"typed": True, "legal_actions": True}
    with grpc.insecure_channel(os.environ["AHU_ADDRESS"]) as channel:
        matches = Service(channel, "ahu.v1.MatchService")
        # Both calls return once the seat has a decision.
        observe = {**seat, "formats": formats, "wait": "30s"}
        observation = matches.call("Observe", observe, token)["observation"]
        while not observation.get("done"):
            decision = observation.get("decision")
            if decision is None:
                observation = matches.call("Observe", observe, token)["observation"]
                continue
            print(json.dumps(observation.get("typed")))
            action = decision["legal_actions"][0]["typed"]
            step = {**observe, "decision_id": decision["decision_id"], "action": {"typed": action}}
            try:
                observation = matches.call("Step", step, token)["observation"]
            except grpc.RpcError as error:
                # The match may have gone on without this answer, because the time was up. Otherwise the answer is wrong.
                observation = matches.call("Observe", observe, token)["observation"]
                waits = observation.get("decision", {}).get("decision_id") == step["decision_id"]
                if waits:
                    sys.exit(error.details())
                print(error.details(), file=sys.stderr)
        ends = ("result", "forfeits", "end_reason")
        print(json.dumps(observation.get("result") or {key: observation[key] for key in ends if key in observation}))


if __name__ == "__main__":
    main()
