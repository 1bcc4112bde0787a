// grpc-js, with proto-loader.
import { setTimeout as sleep } from "node:timers/promises";

import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const LOST = ["CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL", "UNAVAILABLE", "UNKNOWN"];
const options = { keepCase: true, includeDirs: ["../../proto"] };
const { ahu } = grpc.loadPackageDefinition(loadSync("ahu/v1/match_service.proto", options)) as any;
const matches = new ahu.v1.MatchService(process.env.AHU_ADDRESS, grpc.credentials.createInsecure());
const token = new grpc.Metadata();
token.set("authorization", `Bearer ${process.env.AHU_TOKEN}`);
const seat = { match_id: process.env.AHU_MATCH, formats: { legal_ids: true }, wait: { seconds: 30 } };

async function send(method: string, request: object): Promise<any> {
  for (;;) {
    try {
      return await new Promise((answer, fail) => {
        const done = (error: grpc.ServiceError | null, response: any) => (error ? fail(error) : answer(response.observation));
        matches[method](request, token, { deadline: Date.now() + 45_000 }, done);
      });
    } catch (error: any) {
      if (!LOST.includes(grpc.status[error.code])) throw error;
      console.error("again:", grpc.status[error.code], error.details);
    }
    await sleep(100);
  }
}

let seen = await send("Observe", seat);
while (!seen.done) {
  if (seen.decision) {
    const { decision_id, legal_ids } = seen.decision;
    seen = await send("Step", { ...seat, decision_id, action: { action_id: legal_ids[decision_id % legal_ids.length] } });
  } else seen = await send("Observe", seat);
}
console.log(...seen.result.scores, seen.result.seed);
matches.close();
