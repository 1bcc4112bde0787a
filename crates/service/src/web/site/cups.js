// Cups: the one that the server plays or shows, with its standings and its games.

import { ask, keepAsking } from "./api.js";
import { bdi, choice, element, interval, isolated, joined, percent, renew, show, table, tell } from "./dom.js";
import { ladder } from "./ladder.js";

/** The time between two looks at a cup that goes on, in milliseconds. */
const PERIOD = 3000;

/** The words of the page of a cup, explained. */
const WORDS = [
  ["Share of pairs", "In a game, each two seats of different agents are a pair. The better place wins it, and a tie is a half."],
  ["Crosstable", "The share of pairs that the agent of the row won against that of the column. Shares with * differ from 50 for sure enough."],
  ["Block", "A table whose games give each agent each seat. Its games together count as one result."],
  ["Anchor", "The agent whose rating is 0. It takes no place."],
  ["Elo", "The rating above the anchor. An agent with 100 points more wins about 64 % of the pairs against the other."],
  ["95 % interval", "The ratings that fit the games. Of many such intervals, 95 % have the true rating."],
  ["Ranks", "The places that an agent may have by its rating, together with all others in 95 % of all cups."],
  ["Forfeit", "The loss of a seat by a fault, such as too little time. A bot plays on."],
];

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

const whole = (value) => (value == null ? "?" : value.toFixed(0));
const time = (text) => new Date(text).toLocaleString(undefined, {
  year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "numeric", timeZoneName: "short",
});

/** Shows a cup, with its figures as they change. */
export async function cup(id) {
  const path = `/api/cups/${encodeURIComponent(id)}`;
  let next = await ask(path);
  const [figures, news] = [element("div", { class: "figures" }), element("div")];
  const season = next.ladder ? ladder(id, path) : null;
  const games = gameList(path, () => look());
  const list = element("section", {}, element("h2", {}, "Games"), ...games.elements);
  show(isolated(next.title), element("h1", {}, bdi(next.title)), news, figures, ...(season?.elements ?? []), list);
  const look = keepAsking(async () => {
    if (season?.isFresh() && list.hidden) return season.look();
    const now = next ?? await ask(path);
    next = null;
    // The ladder has begun.
    if (now.ladder && !season) return cup(id).then(() => true);
    season?.update(now.ladder);
    // A ladder has tables once another stage follows.
    list.hidden = figures.hidden = season != null && !now.stages.length;
    if (!list.hidden) {
      renew(figures, ...figuresOf(now));
      await games.refresh(now);
    }
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
  const head = ["Rank", "Agent", "Share of pairs", "Games"];
  const standings = stages.map((stage) => table(`${stage.name}: ${stage.game}, ${stage.seats} seats`, head,
    stage.standings.map((row) => [
      row.rank == null ? "–" : `${row.rank}`, [bdi(row.name), element("div", { class: "quiet" }, ...notes(row))],
      percent(row.points), `${row.games}`,
    ]), stage.standings.map((row) => row.name)));
  const out = found.agents.filter((agent) => agent.out);
  const left = out.length ? element("ul", {}, ...out.map((agent) => element("li", {},
    bdi(agent.name), ` ${agent.disqualified ? "is excluded" : "has left"}${agent.reason ? `: ${agent.reason}` : ""}`))) : null;
  const ratings = found.ratings.map(({ game, anchor, agents }) => {
    const ends = agents.flatMap(({ low, elo, high }) => [low, elo, high]).filter((value) => value != null);
    return table(`Ratings in ${game}: Elo points above ${anchor}`, ["Agent", "Elo", "95 % interval", "Ranks"],
      agents.map(({ agent, elo, low, high, ranks, blocks }) => [
        [bdi(agent), element("div", { class: "quiet" }, `${blocks} blocks`)], elo == null ? "" : whole(elo),
        elo == null ? "too few blocks" : [interval(ends, [low, elo, high]), agent === anchor ? "" : ` ${whole(low)} to ${whole(high)}`],
        ranks ? ranks.join(" to ") : "",
      ]), agents.map(({ agent }) => agent));
  });
  const words = element("details", {}, element("summary", {}, "What the words mean"),
    element("dl", {}, ...WORDS.flatMap(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)])));
  const state = element("p", {}, `${found.state}: ${found.games_done} of ${found.games_planned} games${begins}${until}`);
  return [winners, state, anonymous, ...standings, left, ...found.crosstables.map(crosstable), ...ratings, words].filter((part) => part != null);
}

/** Returns who won how many pairs against whom. */
function crosstable({ game, agents, rows }) {
  const cell = (cell) => (cell ? `${(100 * cell.share).toFixed(0)}${cell.differs ? "\u00a0*" : ""}` : "–");
  const head = agents.map((agent, place) => element("abbr", { title: agent }, `${place + 1}`));
  return table(`Crosstable of ${game}, in percent`, ["Agent", ...head],
    rows.map((row, place) => [element("th", { scope: "row" }, `${place + 1}. `, bdi(agents[place])), ...row.map(cell)]), agents);
}

/** Describes what the figures of a row do not tell. */
function notes(row) {
  return joined([
    row.owner ? bdi(row.owner) : "", row.anchor ? "anchor, takes no place" : "", row.advances ? "advances" : "",
    row.disqualified ? "excluded" : row.out ? "has left" : "", row.forfeits ? `${row.forfeits} ${row.forfeits === 1 ? "forfeit" : "forfeits"}` : "",
  ].filter(Boolean));
}

/** Returns the list of the tables of a cup with their games, by pages: its elements, and `refresh(cup)`. */
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
    const game = ({ id, game, agents, state, scores, forfeits, reason }) => {
      const name = `game ${game}`;
      const seat = (name, number) => [bdi(name), ` ${scores[number] ?? ""}`, forfeits.includes(number) ? " (forfeit)" : ""];
      const told = reason ? `, annulled: ${reason}` : state === "finished" ? "" : `, ${state}`;
      return element("li", {}, id ? element("a", { href: `/matches/${encodeURIComponent(id)}` }, name) : name, ": ", ...joined(agents.map(seat)), told);
    };
    const row = ({ stage, table, extra, agents, games }) => {
      const ended = games.filter(({ state }) => state === "finished").length;
      return [
        `${stage}, table ${table}${extra ? ", extra" : ""}`, [
          ...(agents.length ? agents.map(({ name, share }) => element("div", {}, bdi(name), ` ${percent(share)}`)) : ["annulled"]),
          element("details", {}, element("summary", {}, `${ended} of ${games.length} games`), element("ul", {}, ...games.map(game))),
        ],
      ];
    };
    renew(host, table(`Page ${found.page}`, ["Table", "Agents, with their share of pairs"], found.tables.map(row),
      found.tables.map(({ stage, table, agents }) => `${stage} ${table} ${agents.length}`)),
      element("p", {}, turn("Previous", -1, page > 1), " ", turn("Next", 1, found.has_next)));
  };
  const list = choice("Agent", [], agent, (name) => {
    [agent, page] = [name, 1];
    turned();
  });
  return { elements: [list, host], refresh };
}
