// connect-node, with the code of protoc-gen-es.
import { setTimeout as sleep } from "node:timers/promises";

import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

import { MatchService } from "./generated/connect_node/ahu/v1/match_service_pb.js";

const LOST = [Code.Canceled, Code.DeadlineExceeded, Code.Internal, Code.Unavailable, Code.Unknown];
const matches = createClient(MatchService, createGrpcTransport({ baseUrl: `http://${process.env.AHU_ADDRESS}` }));
const headers = { authorization: `Bearer ${process.env.AHU_TOKEN}` };
const seat = { matchId: process.env.AHU_MATCH, formats: { legalIds: true }, wait: { seconds: 30n } };

async function send(method: "observe" | "step", request: object) {
  for (;;) {
    try {
      return (await matches[method](request, { headers, timeoutMs: 45_000 })).observation!;
    } catch (error: any) {
      if (!(error instanceof ConnectError && LOST.includes(error.code))) throw error;
      console.error("again:", String(error));
    }
    await sleep(100);
  }
}

let seen = await send("observe", seat);
while (!seen.done) {
  if (seen.decision) {
    const { decisionId, legalIds } = seen.decision;
    const action = { actionId: legalIds[decisionId % legalIds.length] };
    seen = await send("step", { ...seat, decisionId, action });
  } else seen = await send("observe", seat);
}
console.log(...seen.result!.scores, seen.result!.seed);
