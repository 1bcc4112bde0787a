"""An agent that takes any legal action, from the protos alone: what an agent in any language has to do.

The environment names the seat, as for every agent program: AHU_ADDRESS, AHU_MATCH, AHU_SEAT, and AHU_TOKEN. A number as
the argument, or as AHU_AGENT_SEED, seeds the choices.

With AHU_ADDRESS, and AHU_KEY or the file AHU_KEY_FILE, it competes: it asks for one seat after another until no more come.

With the package `ahu` it is shorter: examples/random_agent.py.
"""

import collections
import contextlib
import os
import random
import re
import sys
import time
from pathlib import Path

import grpc
from google.protobuf.duration_pb2 import Duration

from ahu.v1 import match_service_pb2 as ahu
from ahu.v1.match_service_pb2_grpc import MatchServiceStub

DEADLINE = 45.0  # seconds: the deadline of a call, with its wait
LOST = (
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNKNOWN,
)
UNKNOWN = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED)
WAIT = Duration(seconds=30)
FIRST_PAUSE = 0.1  # seconds
OWN_MACHINE = re.compile(
    r"(https://)?(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::ffff:127\.[\d.]+\]):", re.IGNORECASE
)


def content(variable):
    """Returns the content of the file that a variable names; nothing if it names none."""
    file = os.environ.get(variable)
    try:
        return Path(file).read_bytes() if file else b""
    except OSError as error:
        sys.exit(f"{variable}: {error}")


KEY = os.environ.get("AHU_KEY") or content("AHU_KEY_FILE").decode("utf-8-sig").strip()
PATIENCE = 24 * 3600.0 if KEY else 60.0  # seconds
# The servers that AHU_ADDRESS names, with commas between them; the first is the one that answered last. Spares wait behind the
# one that works.
SERVERS = collections.deque()


def call(method, token, request):
    """Calls until a server answers, even if all are away for a while. An agent may send every call again."""
    metadata = (("authorization", f"Bearer {token}"),)
    end, pause = time.monotonic() + PATIENCE, FIRST_PAUSE
    tries = 0
    while True:
        tries += 1
        try:
            return getattr(SERVERS[0], method)(request, metadata=metadata, timeout=DEADLINE)
        except grpc.RpcError as error:
            if error.code() not in LOST or time.monotonic() > end:
                raise
            if tries == 1:
                is_untrusted = "CERTIFICATE" in error.details()
                advice = ": AHU_CA_FILE names a file with the authorities to trust" if is_untrusted else ""
                print(f"trying again: {error.details()}{advice}", file=sys.stderr)
        SERVERS.rotate(-1)
        if tries % len(SERVERS) == 0:
            time.sleep(pause)
            pause = min(2 * pause, 5.0)


def name_of(enum, number):
    """Returns the name of a value; its number if the server is newer than the stubs."""
    return {value: name for name, value in enum.items()}.get(number, number)


def forfeits_of(seat, observation):
    """Returns the cause of the forfeit of a seat, in a list that is empty without one."""
    return [name_of(ahu.Cause, forfeit.cause) for forfeit in observation.forfeits if forfeit.seat == seat]


def play(match_id, number, token, seed):
    """Plays a seat until the match has ended or the seat has forfeited.

    With a seed, each choice follows from the seed and the decision alone. So an agent that is started again in the middle
    of a match goes on as it would have.
    """
    seat = {"match_id": match_id, "seat": number}
    formats = ahu.ObservationFormats(legal_ids=True)
    observe = ahu.ObserveRequest(**seat, formats=formats, wait=WAIT)
    observation = call("Observe", token, observe).observation
    while not observation.done:
        if not (decision := observation.decision).decision_id:
            observation = call("Observe", token, observe).observation
            continue
        choices = random.Random(None if seed is None else f"{seed} {decision.decision_id}")
        action_id = choices.choice(decision.legal_ids)
        answer = {"decision_id": decision.decision_id, "action": ahu.Action(action_id=action_id)}
        try:
            # The call returns with the next decision.
            step = ahu.StepRequest(**seat, **answer, formats=formats, wait=WAIT)
            observation = call("Step", token, step).observation
        except grpc.RpcError as error:
            # The match may have gone on without this answer, because the time was up. Otherwise the answer is wrong.
            reason = f"seat {number}: {error.details()}"
            observation = call("Observe", token, observe).observation
            if observation.decision.decision_id == decision.decision_id:
                sys.exit(reason)
            print(reason, file=sys.stderr)

    result = observation.result
    if forfeits := forfeits_of(number, observation):
        print(f"seat {number}: forfeited ({forfeits[0]})")
    elif observation.HasField("result"):
        print(f"seat {number}: {result.scores[number]} points, place {result.ranks[number]}")
    else:
        print(f"seat {number}: {name_of(ahu.MatchState, observation.state)} ({observation.end_reason})")


def compete(key):
    """Plays one seat after another until no more come."""
    asked = ahu.AwaitSeatRequest(wait=WAIT, agent=os.environ.get("AHU_AGENT", ""))
    while not (answer := call("AwaitSeat", key, asked)).HasField("dismissal"):
        if answer.HasField("assigned"):
            seat = answer.assigned
            seed = seat.agent_seed if seat.HasField("agent_seed") else None
            try:
                play(seat.match_id, seat.seat, seat.seat_token, seed)
            except grpc.RpcError as error:
                # A server that was restored from a backup may lack the match. The next call for a seat tries the key.
                if error.code() not in UNKNOWN:
                    raise
                print(f"the server has lost a match: {error.details()}", file=sys.stderr)
    print(f"no more seats: {answer.dismissal.message}")
    if answer.dismissal.reason == ahu.DISMISSAL_REASON_LIMIT:
        # A supervisor starts the agent again later.
        sys.exit(75)


def connect(address):
    """Returns a channel to a server: with TLS for `https://HOST:PORT`, where AHU_CA_FILE may name a private authority."""
    # Look for a server that is away every few seconds, instead of every two minutes, and notice that one has gone.
    names = ("max_reconnect_backoff", "min_reconnect_backoff", "keepalive_time", "keepalive_timeout")
    options = [(f"grpc.{name}_ms", 5000) for name in names]
    if OWN_MACHINE.match(address):
        # The proxies that environment variables name are for other machines.
        options.append(("grpc.enable_http_proxy", 0))
    if address.startswith("https://"):
        credentials = grpc.ssl_channel_credentials(content("AHU_CA_FILE") or None)
        return grpc.secure_channel(address.removeprefix("https://"), credentials, options)
    return grpc.insecure_channel(address, options)


def main() -> None:
    with contextlib.ExitStack() as stack:
        for address in os.environ["AHU_ADDRESS"].split(","):
            SERVERS.append(MatchServiceStub(stack.enter_context(connect(address))))
        if KEY:
            compete(KEY)
        else:
            seed = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("AHU_AGENT_SEED")
            number = int(os.environ["AHU_SEAT"])
            play(os.environ["AHU_MATCH"], number, os.environ["AHU_TOKEN"], seed)


if __name__ == "__main__":
    main()
