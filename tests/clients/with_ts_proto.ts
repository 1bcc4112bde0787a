// grpc-js, with the stubs of ts-proto (`outputServices=grpc-js`).
import { setTimeout as sleep } from "node:timers/promises";

import * as grpc from "@grpc/grpc-js";

import { MatchServiceClient, ObserveRequest, StepRequest } from "./generated/ts_proto/ahu/v1/match_service.js";

const LOST = ["CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNKNOWN"];
const matches = new MatchServiceClient(process.env.AHU_ADDRESS!, grpc.credentials.createInsecure());
const token = new grpc.Metadata();
token.set("authorization", `Bearer ${process.env.AHU_TOKEN}`);
const seat = { matchId: process.env.AHU_MATCH, formats: { legalIds: true }, wait: { seconds: 30 } };

async function send(method: "observe" | "step", request: object): Promise<any> {
  for (;;) {
    try {
      return await new Promise((answer, fail) => {
        const done = (error: grpc.ServiceError | null, response: any) => (error ? fail(error) : answer(response.observation));
        matches[method](request as any, token, { deadline: Date.now() + 45_000 }, done);
      });
    } catch (error: any) {
      if (!LOST.includes(grpc.status[error.code])) throw error;
      console.error("again:", grpc.status[error.code], error.details);
    }
    await sleep(100);
  }
}

let seen = await send("observe", ObserveRequest.fromPartial(seat));
while (!seen.done) {
  if (seen.decision) {
    const { decisionId, legalIds } = seen.decision;
    const action = { actionId: legalIds[decisionId % legalIds.length] };
    seen = await send("step", StepRequest.fromPartial({ ...seat, decisionId, action }));
  } else seen = await send("observe", ObserveRequest.fromPartial(seat));
}
console.log(...seen.result.scores, seen.result.seed);
matches.close();
