// Searches: it samples games that it could be in, and lets greedy@2 play them to the end after each action. Half of the actions
// go on to the next round, in new games. Build it with agents/typescript/build, and play it with
//   ahu play rapanui_cards greedy "jsonl:node agents/typescript/dist/search_bot.js"

import { createInterface } from "node:readline";

import { Positions } from "./positions.js";

/** The sampled games of a round. */
const WORLDS = 16;

interface Turn {
  type: string;
  seat: number;
  decision: number;
  view: string;
  legal: { action_id: number }[];
}

interface Rollout {
  rollout: { scores: number[][] };
}

/** Returns the lead over the best other seat at the end of a game, from 0 to 1. */
function utility(scores: number[], seat: number): number {
  const best = Math.max(...scores.filter((_, other) => other !== seat));
  return 1 / (1 + Math.exp((best - scores[seat]!) / 8));
}

/** Returns the action that is best after the last round. */
async function choose(positions: Positions, turn: Turn): Promise<number> {
  const { seat, decision, view } = turn;
  const sum = new Map<number, number>();
  let actions = turn.legal.map((action) => action.action_id);
  for (let round = 0; actions.length > 1; round++) {
    const games = actions.flatMap((action) => Array.from({ length: WORLDS }, (_, world) => ({ action, world })));
    const answers = await positions.ask<Rollout>({
      base: { view },
      want: { rollout: { bot: "greedy@2" } },
      positions: games.map(({ action, world }) => ({
        sample: (decision * 100 + round) * WORLDS + world,
        plies: [{ seat, action }],
      })),
    });
    answers.forEach(({ rollout }, index) => {
      const { action } = games[index]!;
      sum.set(action, (sum.get(action) ?? 0) + utility(rollout.scores[0]!, seat));
    });
    actions.sort((a, b) => (sum.get(b) ?? 0) - (sum.get(a) ?? 0));
    actions = actions.slice(0, Math.ceil(actions.length / 2));
  }
  return actions[0]!;
}

async function main(): Promise<void> {
  const positions = new Positions(process.argv[2]);
  for await (const line of createInterface({ input: process.stdin })) {
    const turn: Turn = JSON.parse(line);
    if (turn.type === "decide") console.log(await choose(positions, turn));
  }
  positions.close();
}

await main();
