"""Catch as a server of dm_env_rpc: a ball falls through 10 rows of 10, and a paddle moves to catch it. The server prints
its address."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from concurrent import futures

import grpc
import numpy as np
from dm_env_rpc.v1 import dm_env_rpc_pb2 as rpc, dm_env_rpc_pb2_grpc, tensor_utils

SIDE = 10
"""The number of rows, and of columns."""

PADDLE, BOARD, REWARD = 1, 1, 2
"""The ids of the action and of the observations."""


class Catch:
    """One game, until it is reset."""

    def __init__(self) -> None:
        self._choices = random.Random(1)
        self.reset()

    def reset(self) -> None:
        self._row, self._column, self._paddle = 0, self._choices.randrange(SIDE), SIDE // 2
        self._begun = False

    def step(self, request: rpc.StepRequest) -> rpc.StepResponse:
        """One row down. The first step of an episode only shows it."""
        if self._begun:
            move = int(tensor_utils.unpack_tensor(request.actions[PADDLE]))
            self._paddle = min(max(self._paddle + move, 0), SIDE - 1)
            self._row += 1
        self._begun = True
        over = self._row == SIDE - 1
        board = np.zeros((SIDE, SIDE), np.float32)
        board[self._row, self._column] = board[SIDE - 1, self._paddle] = 1
        reward = np.float32(over and (1 if self._paddle == self._column else -1))
        values = {BOARD: board, REWARD: reward}
        return rpc.StepResponse(
            state=rpc.EnvironmentStateType.TERMINATED if over else rpc.EnvironmentStateType.RUNNING,
            observations={uid: tensor_utils.pack_tensor(values[uid]) for uid in request.requested_observations},
        )


class Service(dm_env_rpc_pb2_grpc.EnvironmentServicer):
    """One world for all clients."""

    # gRPC gives the name.
    def Process(  # noqa: N802
        self, requests: Iterator[rpc.EnvironmentRequest], context: grpc.ServicerContext
    ) -> Iterator[rpc.EnvironmentResponse]:
        catch = Catch()
        for request in requests:
            match request.WhichOneof("payload"):
                case "create_world":
                    yield rpc.EnvironmentResponse(create_world=rpc.CreateWorldResponse(world_name="catch"))
                case "join_world":
                    yield rpc.EnvironmentResponse(join_world=rpc.JoinWorldResponse(specs=specs()))
                case "step":
                    response = catch.step(request.step)
                    yield rpc.EnvironmentResponse(step=response)
                    if response.state == rpc.EnvironmentStateType.TERMINATED:
                        catch.reset()
                case "reset":
                    catch.reset()
                    yield rpc.EnvironmentResponse(reset=rpc.ResetResponse(specs=specs()))


def specs() -> rpc.ActionObservationSpecs:
    return rpc.ActionObservationSpecs(
        actions={PADDLE: rpc.TensorSpec(name="paddle", dtype=rpc.DataType.INT8)},
        observations={
            BOARD: rpc.TensorSpec(name="board", shape=[SIDE, SIDE], dtype=rpc.DataType.FLOAT),
            REWARD: rpc.TensorSpec(name="reward", dtype=rpc.DataType.FLOAT),
        },
    )


def main() -> None:
    server = grpc.server(futures.ThreadPoolExecutor(1))
    dm_env_rpc_pb2_grpc.add_EnvironmentServicer_to_server(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(f"127.0.0.1:{port}", flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
