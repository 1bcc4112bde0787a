// An agent that chooses random legal actions. It is built from the protos alone, with the gRPC library of Node:
//
//     agents/typescript/build
//     ahu play rappanui greedy "node agents/typescript/dist/random_agent.js"
//
// The environment names the seat, as for every agent program: AHU_ADDRESS, AHU_MATCH, AHU_SEAT, and AHU_TOKEN. A number as
// the first argument seeds the choices. With AHU_ADDRESS, and AHU_KEY or the file AHU_KEY_FILE, it competes: it asks for one
// seat after another until no more come.

import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import type { AssignedSeat__Output } from "./generated/ahu/v1/AssignedSeat.js";
import type { AwaitSeatResponse__Output } from "./generated/ahu/v1/AwaitSeatResponse.js";
import type { MatchServiceClient } from "./generated/ahu/v1/MatchService.js";
import type { ObserveResponse__Output } from "./generated/ahu/v1/ObserveResponse.js";
import type { StepResponse__Output } from "./generated/ahu/v1/StepResponse.js";
import type { ProtoGrpcType } from "./generated/match_service.js";

/** The key with which the agent competes; undefined to play the seat that the environment names. */
const KEY = process.env["AHU_KEY"] || contentOf("AHU_KEY_FILE")?.toString().trim();
/** The time in milliseconds for which the agent tries again while it cannot reach the server. */
const PATIENCE = KEY === undefined ? 60_000 : 24 * 3600_000;
/** The deadline of a call in milliseconds, its wait included: a connection can become silent. */
const DEADLINE = 45_000;
/** The time that one call waits for a decision or a seat. */
const WAIT = { seconds: 30 };
/** The pauses in milliseconds before the second try and at most; each is twice the one before. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
/** The codes of a call that failed with its connection. The server refuses a call with other codes. */
const LOST = new Set([
  grpc.status.CANCELLED,
  grpc.status.DEADLINE_EXCEEDED,
  grpc.status.INTERNAL,
  grpc.status.UNAVAILABLE,
  grpc.status.UNKNOWN,
]);
/** The codes of calls for a seat that the server does not know. */
const UNKNOWN = new Set([grpc.status.NOT_FOUND, grpc.status.PERMISSION_DENIED, grpc.status.UNAUTHENTICATED]);
/** An address of this machine itself. */
const OWN_MACHINE = /^(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::ffff:127\.[\d.]+\]):/i;
/** The content of an observation that the agent reads. */
const FORMATS = { legal_ids: true };

/** A call of a method of a server with its request; the rest is the same for all calls. */
type Call<A> = (server: MatchServiceClient, ...rest: [grpc.Metadata, grpc.CallOptions, grpc.requestCallback<A>]) => void;

/**
 * The servers that AHU_ADDRESS names, with commas between them, and the place of the one that answered last: spares wait behind
 * the one that works.
 */
const servers: MatchServiceClient[] = [];
let working = 0;

/** Sends a request until a server answers: every request of an agent may arrive twice. */
async function send<A>(token: string, call: Call<A>): Promise<A> {
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const end = Date.now() + PATIENCE;
  let pause = FIRST_PAUSE;
  for (let tries = 1; ; tries++) {
    try {
      return await new Promise<A>((resolve, reject) =>
        call(servers[working]!, metadata, { deadline: Date.now() + DEADLINE }, (error, response) => (error ? reject(error) : resolve(response!))),
      );
    } catch (error) {
      const { code, details } = error as grpc.ServiceError;
      if (!LOST.has(code) || Date.now() > end) throw error;
      const advice = /certificate/.test(details) ? ": AHU_CA_FILE names a file with the authorities to trust" : "";
      if (tries === 1) console.error(`trying again: ${details}${advice}`);
    }
    working = (working + 1) % servers.length;
    if (tries % servers.length === 0) {
      await sleep(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }
}

/**
 * Returns one of the ids. The choice follows from the seed and the decision alone: an agent that is started again in the
 * middle of a match goes on as it would have.
 */
function choose(ids: number[], seed: string, decision: number): number {
  const hash = createHash("sha256").update(`${seed} ${decision}`).digest();
  return ids[Number(hash.readBigUInt64BE() % BigInt(ids.length))]!;
}

/** Plays a seat until the match has ended or the seat has forfeited. */
async function play(assigned: AssignedSeat__Output): Promise<void> {
  const { match_id, seat, seat_token: token } = assigned;
  const seed = assigned.agent_seed ?? randomBytes(8).toString("hex");
  const observe = async () => {
    const request = { match_id, seat: seat!, formats: FORMATS, wait: WAIT };
    const response = await send<ObserveResponse__Output>(token, (server, ...rest) => server.Observe(request, ...rest));
    return response.observation!;
  };

  let observation = await observe();
  while (!observation.done) {
    const decision = observation.decision;
    if (!decision) {
      observation = await observe();
      continue;
    }
    const { decision_id } = decision;
    const action_id = choose(decision.legal_ids, seed, decision_id);
    // The call returns with the next decision.
    const request = { match_id, seat: seat!, decision_id, action: { action_id }, formats: FORMATS, wait: WAIT };
    try {
      const response = await send<StepResponse__Output>(token, (server, ...rest) => server.Step(request, ...rest));
      observation = response.observation!;
    } catch (error) {
      // The match may have gone on without this answer, because the time was up. Otherwise the answer is wrong.
      const reason = `seat ${seat}: ${(error as grpc.ServiceError).details}`;
      observation = await observe();
      if (observation.decision?.decision_id === decision_id) throw new Error(reason);
      console.error(reason);
    }
  }

  const forfeit = observation.forfeits.find((forfeit) => forfeit.seat === seat);
  const result = observation.result;
  if (forfeit) console.log(`seat ${seat}: forfeited (${forfeit.cause})`);
  else if (result) console.log(`seat ${seat}: ${result.scores[seat!]} points, place ${result.ranks[seat!]}`);
  else console.log(`seat ${seat}: ${observation.state} (${observation.end_reason})`);
}

/** Plays one seat after another until no more come. */
async function compete(key: string): Promise<void> {
  for (;;) {
    const asked = { wait: WAIT, agent: process.env["AHU_AGENT"] ?? "" };
    const response = await send<AwaitSeatResponse__Output>(key, (server, ...rest) => server.AwaitSeat(asked, ...rest));
    const { assigned, dismissal } = response;
    if (dismissal) {
      console.log(`no more seats: ${dismissal.message}`);
      // With 75, a supervisor starts the agent again later.
      process.exitCode = dismissal.reason === "DISMISSAL_REASON_LIMIT" ? 75 : 0;
      return;
    }
    if (!assigned) continue;
    try {
      await play(assigned);
    } catch (error) {
      // A server that was restored from a backup may lack the match. The next call for a seat tries the key.
      const { code, details } = error as grpc.ServiceError;
      if (!UNKNOWN.has(code)) throw error;
      console.error(`the server has lost a match: ${details}`);
    }
  }
}

/** Returns the content of the file that a variable of the environment names; undefined if it names none. */
function contentOf(name: string): Buffer | undefined {
  const file = process.env[name];
  try {
    return file ? readFileSync(file) : undefined;
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

/** Returns a variable of the environment. */
function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`expected the variable ${name}, as \`ahu play\` sets it`);
  return value;
}

/** Returns the seat that the environment names. */
function seatOfEnvironment(): AssignedSeat__Output {
  return {
    match_id: variable("AHU_MATCH"),
    seat: Number(variable("AHU_SEAT")),
    seat_token: variable("AHU_TOKEN"),
    ...(process.argv[2] !== undefined && { agent_seed: process.argv[2] }),
  };
}

/** Returns an address without its scheme, and its credentials: TLS for https://, where AHU_CA_FILE may name an authority. */
function secured(address: string): [string, grpc.ChannelCredentials] {
  if (!address.startsWith("https://")) return [address.replace(/^http:\/\//, ""), grpc.credentials.createInsecure()];
  return [address.slice("https://".length), grpc.credentials.createSsl(contentOf("AHU_CA_FILE") ?? null)];
}

async function main(): Promise<void> {
  const protos = fileURLToPath(new URL("../../../proto", import.meta.url));
  const options = { longs: String, enums: String, defaults: true, oneofs: true, keepCase: true, includeDirs: [protos] };
  const definitions = loadSync("ahu/v1/match_service.proto", options);
  const { ahu } = grpc.loadPackageDefinition(definitions) as unknown as ProtoGrpcType;
  for (const named of variable("AHU_ADDRESS").split(",")) {
    const [address, credentials] = secured(named);
    servers.push(
      new ahu.v1.MatchService(address, credentials, {
        // The proxies that environment variables name are for other machines.
        "grpc.enable_http_proxy": OWN_MACHINE.test(address) ? 0 : 1,
        // Look for a server that is away every few seconds, instead of every two minutes.
        "grpc.max_reconnect_backoff_ms": LONGEST_PAUSE,
        // Notice that a server has gone.
        "grpc.keepalive_time_ms": LONGEST_PAUSE,
        "grpc.keepalive_timeout_ms": LONGEST_PAUSE,
      }),
    );
  }
  await (KEY === undefined ? play(seatOfEnvironment()) : compete(KEY));
  for (const server of servers) server.close();
}

await main();
