// Cups: the one that the server plays or shows, and its standings.

import { ask } from "./api.js";
import { element, show, table } from "./dom.js";

/** Shows the list of cups. */
export async function cups() {
  const all = await ask("/api/cups");
  const rows = all.map((cup) => [
    element("a", { href: `/cups/${encodeURIComponent(cup.id)}` }, cup.title), cup.state, `${cup.games_done} of ${cup.games_planned}`,
  ]);
  show("Cups", element("h1", {}, "Cups"),
    rows.length ? table("Cups of this server", ["Cup", "State", "Games"], rows)
      : element("p", {}, "This server shows no cup. ahu tournament run --listen serves one."));
}

/** Shows a cup. */
export async function cup(id) {
  const found = await ask(`/api/cups/${encodeURIComponent(id)}`);
  const percent = (share) => (share == null ? "" : `${(100 * share).toFixed(1)} %`);
  const standings = found.stages.map((stage) => table(stage.name, ["Rank", "Agent", "Games", "Share of pairs"],
    stage.standings.map((row) => [`${row.rank}`, row.name, `${row.games}`, percent(row.points)])));
  const whole = (value) => (value == null ? "?" : value.toFixed(0));
  const ratings = found.ratings.map(({ game, anchor, agents }) => table(
    `Ratings in ${game}: Elo points above ${anchor}`, ["Agent", "Elo", "95 % interval", "Ranks", "Blocks"],
    agents.map(({ agent, elo, low, high, ranks, blocks }) => [
      agent, elo == null ? "" : whole(elo), elo == null ? "too few blocks" : agent === anchor ? "" : `${whole(low)} to ${whole(high)}`,
      ranks ? ranks.join(" to ") : "", `${blocks}`,
    ])));
  const games = found.matches.map((game) => [
    element("a", { href: `/matches/${encodeURIComponent(game.id)}` }, `${game.stage}, table ${game.table}`),
    (game.agents ?? []).join(", "), game.state, (game.scores ?? []).join(", "),
  ]);
  show(found.title, element("h1", {}, found.title),
    element("p", {}, `${found.state}: ${found.games_done} of ${found.games_planned} games`),
    ...standings, ...ratings,
    games.length ? table("Newest games", ["Game", "Agents", "State", "Points"], games) : null);
}
