// nice-grpc, with ts-proto (`outputServices=nice-grpc,outputServices=generic-definitions`).
import { setTimeout as sleep } from "node:timers/promises";

import { ClientError, createChannel, createClient, Metadata, Status } from "nice-grpc";

import { MatchServiceDefinition } from "./generated/nice_grpc/ahu/v1/match_service.js";

const LOST = ["CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNKNOWN"];
const channel = createChannel(process.env.AHU_ADDRESS!);
const matches = createClient(MatchServiceDefinition, channel);
const metadata = Metadata({ authorization: `Bearer ${process.env.AHU_TOKEN}` });
const seat = { matchId: process.env.AHU_MATCH, formats: { legalIds: true }, wait: { seconds: 30 } };

async function send(method: "observe" | "step", request: object) {
  for (;;) {
    try {
      return (await matches[method](request, { metadata, signal: AbortSignal.timeout(45_000) })).observation!;
    } catch (error: any) {
      if (error instanceof ClientError && !LOST.includes(Status[error.code])) throw error;
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
channel.close();
