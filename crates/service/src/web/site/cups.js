// Cups: the one that the server plays or shows, with its standings and its games.

import { ask } from "./api.js";
import { choice, element, failure, show, table } from "./dom.js";

/** Shows the list of cups. */
export async function cups() {
  const all = await ask("/api/cups");
  const rows = all.map((cup) => [
    element("a", { href: `/cups/${encodeURIComponent(cup.id)}` }, cup.title), cup.state, `${cup.games_done} of ${cup.games_planned}`,
  ]);
  show("Cups", element("h1", {}, "Cups"),
    rows.length ? table("Cups of this server", ["Cup", "State", "Games"], rows)
      : element("p", {}, "This server shows no cup. ahu cup run --listen serves one."));
}

const percent = (share) => (share == null ? "" : `${(100 * share).toFixed(1)} %`);
const time = (text) => new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Shows a cup. */
export async function cup(id) {
  const path = `/api/cups/${encodeURIComponent(id)}`;
  const found = await ask(path);
  const winners = found.winners.length
    ? element("p", {}, element("strong", {}, `${found.winners.length > 1 ? "Winners" : "Winner"}: ${found.winners.join(", ")}`)) : null;
  const begins = found.begin && new Date(found.begin) > new Date() ? `, begins ${time(found.begin)}` : "";
  const until = found.until && found.state !== "ended" ? `, waits for absent agents until ${time(found.until)}` : "";
  const anonymous = found.anonymous && found.state !== "ended"
    ? element("p", {}, "This cup is anonymous: aliases stand for agents until its end.") : null;
  // The last stage decides, so it comes first once the cup is over.
  const stages = found.state === "ended" ? [...found.stages].reverse() : found.stages;
  const hasTeams = found.stages.some((stage) => stage.standings.some((row) => row.owner));
  const head = ["Rank", "Agent", ...(hasTeams ? ["Team"] : []), "Games", "Share of pairs", "Forfeits", "Notes"];
  const standings = stages.map((stage) => table(`${stage.name}: ${stage.game}, ${stage.seats} seats`, head,
    stage.standings.map((row) => [
      row.rank == null ? "–" : `${row.rank}`, row.name, ...(hasTeams ? [row.owner ?? ""] : []), `${row.games}`,
      percent(row.points), `${row.forfeits}`, notes(row),
    ])));
  const out = found.agents.filter((agent) => agent.out);
  const left = out.length ? element("ul", {}, ...out.map((agent) => element("li", {},
    `${agent.name} ${agent.disqualified ? "is excluded" : "has left"}${agent.reason ? `: ${agent.reason}` : ""}`))) : null;
  const whole = (value) => (value == null ? "?" : value.toFixed(0));
  const ratings = found.ratings.map(({ game, anchor, agents }) => table(
    `Ratings in ${game}: Elo points above ${anchor}`, ["Agent", "Elo", "95 % interval", "Ranks", "Blocks"],
    agents.map(({ agent, elo, low, high, ranks, blocks }) => [
      agent, elo == null ? "" : whole(elo), elo == null ? "too few blocks" : agent === anchor ? "" : `${whole(low)} to ${whole(high)}`,
      ranks ? ranks.join(" to ") : "", `${blocks}`,
    ])));
  const names = [...new Set(found.stages.flatMap((stage) => stage.standings.map((row) => row.name)))].sort();
  const games = element("div");
  show(found.title, element("h1", {}, found.title), winners,
    element("p", {}, `${found.state}: ${found.games_done} of ${found.games_planned} games${begins}${until}`), anonymous,
    ...standings, left, ...ratings, element("h2", {}, "Games"), games);
  await list(games, path, names, "", 1);
}

/** Describes what the figures of a row do not tell. */
function notes(row) {
  return [
    row.anchor ? "anchor, takes no place" : "", row.advances ? "advances" : "",
    row.disqualified ? "excluded" : row.out ? "has left" : "",
  ].filter(Boolean).join(", ");
}

/** Shows a page of the games of a cup. */
async function list(host, path, names, agent, page) {
  const again = (newAgent, newPage) => list(host, path, names, newAgent, newPage);
  let found;
  try {
    found = await ask(`${path}/games?page=${page}&agent=${encodeURIComponent(agent)}`);
  } catch (error) {
    return host.replaceChildren(failure(error));
  }
  const rows = found.games.map((game) => {
    const name = `${game.stage}, table ${game.table}, game ${game.game}`;
    const seat = (name, number) => `${name}${game.forfeits.includes(number) ? " (forfeit)" : ""}`;
    return [
      game.id ? element("a", { href: `/matches/${encodeURIComponent(game.id)}` }, name) : name,
      game.agents.map(seat).join(", "), game.reason ? `annulled: ${game.reason}` : game.state, game.scores.join(", "),
    ];
  });
  const turn = (text, number, isPossible) => element("button", { disabled: !isPossible, onclick: () => again(agent, number) }, text);
  host.replaceChildren(
    choice("Agent", [["", "all"], ...names.map((name) => [name, name])], agent, (chosen) => again(chosen, 1)),
    table(`Page ${found.page}`, ["Game", "Agents", "State", "Points"], rows),
    element("p", {}, turn("Previous", page - 1, page > 1), " ", turn("Next", page + 1, found.has_next)));
}
