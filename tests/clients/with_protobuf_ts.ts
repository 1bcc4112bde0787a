// protobuf-ts, over its transport for grpc-js.
import { setTimeout as sleep } from "node:timers/promises";

import { ChannelCredentials } from "@grpc/grpc-js";
import { GrpcTransport } from "@protobuf-ts/grpc-transport";
import { RpcError } from "@protobuf-ts/runtime-rpc";

import { MatchServiceClient } from "./generated/protobuf_ts/ahu/v1/match_service.client.js";
import { ObserveRequest, StepRequest } from "./generated/protobuf_ts/ahu/v1/match_service.js";

const LOST = ["CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNKNOWN"];
const transport = new GrpcTransport({ host: process.env.AHU_ADDRESS!, channelCredentials: ChannelCredentials.createInsecure() });
const matches = new MatchServiceClient(transport);
const meta = { authorization: `Bearer ${process.env.AHU_TOKEN}` };
const seat = { matchId: process.env.AHU_MATCH, formats: { legalIds: true }, wait: { seconds: 30n } };

async function send(method: "observe" | "step", request: any) {
  for (;;) {
    try {
      return (await matches[method](request, { meta, timeout: 45_000 }).response).observation!;
    } catch (error: any) {
      if (!(error instanceof RpcError && LOST.includes(error.code))) throw error;
      console.error("again:", error.code, error.message);
    }
    await sleep(100);
  }
}

let seen = await send("observe", ObserveRequest.create(seat as any));
while (!seen.done) {
  if (seen.decision) {
    const { decisionId, legalIds } = seen.decision;
    const action = { actionId: legalIds[decisionId % legalIds.length] };
    seen = await send("step", StepRequest.create({ ...seat, decisionId, action } as any));
  } else seen = await send("observe", ObserveRequest.create(seat as any));
}
console.log(...seen.result!.scores, seen.result!.seed);
transport.close();
