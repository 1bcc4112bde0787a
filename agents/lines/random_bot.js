// Plays a random legal action, but asks once more if it is the one that it played last. Run it with node.
let last = null;

function choose(turn) {
  const pick = () => turn.legal[Math.floor(Math.random() * turn.legal.length)];
  const first = pick();
  return first.text === last ? pick() : first;
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const turn = JSON.parse(line);
  if (turn.type === "start") console.error(`${turn.game} as seat ${turn.seat} of ${turn.seats}`);
  if (turn.type === "end") console.error(turn.result ? `rank ${turn.result.ranks[turn.seat]}` : turn.reason);
  if (turn.type !== "decide") return;
  // turn.text is the table for people, and turn.typed the same as fields.
  const action = choose(turn);
  last = action.text;
  console.log(JSON.stringify({ decision: turn.decision, action: action.text }));
});
