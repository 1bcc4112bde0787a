// Measures the children a second that a client in TypeScript gets, with 30 positions a line, in the middle of a game of each kind:
//   agents/typescript/build && node agents/typescript/dist/bench_positions.js target/release/ahu

import { Positions } from "./positions.js";

/** The positions of a line. */
const POSITIONS = 30;
/** The time of a measurement, in milliseconds. */
const TIME = 2000;

interface Look {
  over: boolean;
  to_act: number[];
  legal_ids: number[];
  view: string;
  children: { legal_ids: number[] }[];
}

const positions = new Positions(process.argv[2]);
for (const game of ["rappanui", "rapanui_cards", "giants", "rapanui_board"]) {
  const look = async (plies: number[]): Promise<Look> =>
    (await positions.ask<Look>({
      base: { game, seed: 1 },
      want: { legal_ids: true, view: true },
      positions: [{ plies }],
    }))[0]!;
  // The first action is taken up to the end, and the view is that of the first real choice after the middle.
  const plies: number[] = [];
  for (let now = await look(plies); !now.over; now = await look(plies)) plies.push(now.legal_ids[0]!);
  let [middle, at] = [await look([]), Math.floor(plies.length / 2)];
  do middle = await look(plies.slice(0, at++));
  while (middle.legal_ids.length < 4);
  const { view } = middle;
  const begin = performance.now();
  let [children, sample] = [0, 0];
  while (performance.now() - begin < TIME) {
    const answers = await positions.ask<Look>({
      base: { view },
      want: { children: { legal_ids: true } },
      positions: Array.from({ length: POSITIONS }, () => ({ sample: sample++ })),
    });
    for (const answer of answers) children += answer.children.length;
  }
  const seconds = (performance.now() - begin) / 1000;
  console.log(`${game}: ${Math.round(children / seconds)} children/s, ${(children / sample).toFixed(1)} a position`);
}
positions.close();
