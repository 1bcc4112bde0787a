// Cups: the one that the server plays or shows, with its standings and its games.

import { ask, keepAsking } from "./api.js";
import { bdi, choice, element, isolated, joined, renew, show, table, tell } from "./dom.js";

/** The time between two looks at a cup that goes on, in milliseconds. */
const PERIOD = 3000;

/** Shows the list of cups. */
export async function cups() {
  const all = await ask("/api/cups");
  const rows = all.map((cup) => [
    element("a", { href: `/cups/${encodeURIComponent(cup.id)}` }, bdi(cup.title)), cup.state, `${cup.games_done} of ${cup.games_planned}`,
  ]);
  show("Cups", element("h1", {}, "Cups"),
    rows.length ? table("Cups of this server", ["Cup", "State", "Games"], rows)
      : element("p", {}, "This server shows no cup. ahu cup run --listen serves one."));
}

const percent = (share) => (share == null ? "" : `${(100 * share).toFixed(1)} %`);
const time = (text) => new Date(text).toLocaleString(undefined, {
  year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "numeric", timeZoneName: "short",
});

/** Shows a cup, with its figures as they change. */
export async function cup(id) {
  const path = `/api/cups/${encodeURIComponent(id)}`;
  const { title } = await ask(path);
  const [figures, news] = [element("div", { class: "figures" }), element("div")];
  const games = gameList(path, () => look());
  show(isolated(title), element("h1", {}, bdi(title)), news, figures, element("h2", {}, "Games"), ...games.elements);
  const look = keepAsking(async () => {
    const now = await ask(path);
    renew(figures, ...figuresOf(now));
    await games.refresh(now);
    return now.state === "ended";
  }, (error, isFinal) => tell(news, error, isFinal), PERIOD);
}

/** Returns what the page of a cup shows above the games. */
function figuresOf(found) {
  const winners = found.winners.length
    ? element("p", {}, element("strong", {}, `${found.winners.length > 1 ? "Winners" : "Winner"}: `, ...joined(found.winners.map(bdi)))) : null;
  const begins = found.begin ? `, begins ${time(found.begin)}` : "";
  const until = found.until && found.state !== "ended" ? `, waits for absent agents until ${time(found.until)}` : "";
  const anonymous = found.anonymous && found.state !== "ended"
    ? element("p", {}, "This cup is anonymous: aliases stand for agents until its end.") : null;
  // The last stage decides, so it comes first once the cup is over.
  const stages = found.state === "ended" ? [...found.stages].reverse() : found.stages;
  const hasTeams = found.stages.some((stage) => stage.standings.some((row) => row.owner));
  const head = ["Rank", "Agent", ...(hasTeams ? ["Team"] : []), "Games", "Share of pairs", "Forfeits", "Notes"];
  const standings = stages.map((stage) => table(`${stage.name}: ${stage.game}, ${stage.seats} seats`, head,
    stage.standings.map((row) => [
      row.rank == null ? "–" : `${row.rank}`, bdi(row.name), ...(hasTeams ? [bdi(row.owner ?? "")] : []), `${row.games}`,
      percent(row.points), `${row.forfeits}`, notes(row),
    ]), stage.standings.map((row) => row.name)));
  const out = found.agents.filter((agent) => agent.out);
  const left = out.length ? element("ul", {}, ...out.map((agent) => element("li", {},
    bdi(agent.name), ` ${agent.disqualified ? "is excluded" : "has left"}${agent.reason ? `: ${agent.reason}` : ""}`))) : null;
  const whole = (value) => (value == null ? "?" : value.toFixed(0));
  const ratings = found.ratings.map(({ game, anchor, agents }) => table(
    `Ratings in ${game}: Elo points above ${anchor}`, ["Agent", "Elo", "95 % interval", "Ranks", "Blocks"],
    agents.map(({ agent, elo, low, high, ranks, blocks }) => [
      bdi(agent), elo == null ? "" : whole(elo), elo == null ? "too few blocks" : agent === anchor ? "" : `${whole(low)} to ${whole(high)}`,
      ranks ? ranks.join(" to ") : "", `${blocks}`,
    ]), agents.map(({ agent }) => agent)));
  const state = element("p", {}, `${found.state}: ${found.games_done} of ${found.games_planned} games${begins}${until}`);
  return [winners, state, anonymous, ...standings, left, ...ratings].filter((part) => part != null);
}

/** Describes what the figures of a row do not tell. */
function notes(row) {
  return [
    row.anchor ? "anchor, takes no place" : "", row.advances ? "advances" : "",
    row.disqualified ? "excluded" : row.out ? "has left" : "",
  ].filter(Boolean).join(", ");
}

/** Returns the list of the games of a cup by pages: its elements, and `refresh(cup)`. */
function gameList(path, turned) {
  let [agent, page, asked, isTurning] = ["", 1, 0, false];
  const host = element("div");
  const turn = (text, step, isPossible) =>
    element("button", { type: "button", disabled: !isPossible, onclick: () => {
      // The page that was asked for has not come yet.
      if (isTurning) return;
      isTurning = true;
      page += step;
      turned();
    } }, text);
  const refresh = async ({ stages }) => {
    const names = [...new Set(stages.flatMap((stage) => stage.standings.map((row) => row.name)))].sort();
    renew(list.lastChild, ...[["", "all"], ...names.map((name) => [name, name])].map(([value, text]) => element("option", { value, "data-key": value }, text)));
    // The aliases of an anonymous cup end with it.
    if (agent && !names.includes(agent)) [agent, page] = ["", 1];
    asked += 1;
    const own = asked;
    const found = await ask(`${path}/games?page=${page}&agent=${encodeURIComponent(agent)}`);
    // The reader has turned the page meanwhile, or chosen another agent.
    if (own !== asked) return;
    isTurning = false;
    const row = (game) => {
      const name = `${game.stage}, table ${game.table}, game ${game.game}`;
      const seat = (name, number) => [bdi(name), game.forfeits.includes(number) ? " (forfeit)" : ""];
      return [
        game.id ? element("a", { href: `/matches/${encodeURIComponent(game.id)}` }, name) : name,
        joined(game.agents.map(seat)), game.reason ? `annulled: ${game.reason}` : game.state, game.scores.join(", "),
      ];
    };
    renew(host, table(`Page ${found.page}`, ["Game", "Agents", "State", "Points"], found.games.map(row)),
      element("p", {}, turn("Previous", -1, page > 1), " ", turn("Next", 1, found.has_next)));
  };
  const list = choice("Agent", [], agent, (name) => {
    [agent, page] = [name, 1];
    turned();
  });
  return { elements: [list, host], refresh };
}
