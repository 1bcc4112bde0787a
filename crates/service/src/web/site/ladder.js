// Ladders: the table of a season that goes on, and the page of one of its agents.

import { ask, keepAsking } from "./api.js";
import { bdi, element, interval, isolated, joined, percent, renew, shape, show, table, tell } from "./dom.js";

/** The number of rows that a long table shows at first, so that it is there at once. Each click adds as many. */
const ROWS = 100;

/** The time for which the figures of a ladder hold, in milliseconds. */
const FRESH = 60_000;

const UNITS = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"]];

/** The words of the page of a ladder, explained. */
const WORDS = [
  ["Rating", "Elo points above the mean of all agents, with half the width of the 95 % interval. 100 points more win about 64 % of the pairs."],
  ["Ranks", "The places that an agent may have by its rating. A new agent has too few games for a place."],
  ["Form", "The deviation of the last 100 games from the rating, if it is 3 or more."],
];

const many = (number) => number.toLocaleString("en");
const signed = (value, digits = 0) => `${value.toFixed(digits) < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
const rated = ({ rating, margin }) => (rating == null ? "" : `${signed(rating)} ± ${margin.toFixed(0)}`);
const day = (at) => new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
const command = (text) => element("pre", { tabindex: "0" }, text);
const pathOf = (id, name) => `/cups/${encodeURIComponent(id)}/agents/${encodeURIComponent(name)}`;
const named = (id, name) => element("a", { href: pathOf(id, name) }, bdi(name));

function ago(now, at) {
  if (at == null) return "never";
  const [size, unit] = UNITS.find(([size]) => now - at >= size) ?? UNITS.at(-1);
  return `${Math.max(0, Math.floor((now - at) / size))} ${unit} ago`;
}

const status = ({ status, reason, form, marked }) => [
  status === "ranked" ? "" : `${status}${reason ? `: ${reason}` : ""}`, marked ? `form ${signed(form, 1)}` : "",
].filter(Boolean).join(", ");

/** Returns a table that shows its first rows, with a button for more: an element, and `update(rows)`. A row has a `key`, and `cells()`. */
function longTable(caption, head) {
  const host = element("div", { class: "figures ranking" });
  let [all, shown] = [[], ROWS];
  const fill = () => {
    const rows = all.slice(0, shown);
    const more = element("button", { type: "button", "data-key": "more", hidden: all.length <= shown, onclick: () => {
      shown += ROWS;
      fill();
    } }, `Show more of ${many(all.length)}`);
    renew(host, table(caption, head, rows.map((row) => row.cells()), rows.map(({ key }) => key)), more);
  };
  return { element: host, update: (rows) => {
    all = rows;
    fill();
  } };
}

/** Returns a list of games in progress. */
const live = (games) => (games.length ? element("ul", { "data-key": "live" }, ...games.map(({ match, agents }) => element("li", { "data-key": match },
  element("a", { href: `/matches/${match}` }, ...joined(agents.map(({ name, place }) => [bdi(name), place ? ` (${place})` : ""]))))))
  : element("p", { "data-key": "none" }, "No game is live."));

/** Returns the ladder of a cup: its elements, `update(found)` with its figures, `isFresh()`, and `look()` at the live games. */
export function ladder(id, path) {
  const [state, games, rest, told] = [element("p"), element("div"), element("div"), element("p", { class: "quiet", role: "status" })];
  const ranking = longTable("Table", ["Place", "Agent", "Rating", "Ranks", "Games", "Last played"]);
  const field = element("input", { type: "search", oninput: () => list() });
  let [found, since] = [null, -Infinity];
  const list = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    const rows = found.rows.filter(({ agent, owner }) => words.every((word) => `${agent} ${owner ?? ""}`.toLowerCase().includes(word)));
    const ends = found.rows.filter(({ place }) => place).flatMap(({ rating, margin }) => [rating - margin, rating + margin]);
    told.textContent = field.value ? `${many(rows.length)} of ${many(found.rows.length)} agents` : "";
    ranking.update(rows.map((row) => ({ key: row.agent, cells: () => [
      `${row.place ?? "–"}`, [named(id, row.agent), ...[row.owner, status(row)].filter(Boolean).map((text) => element("div", { class: "quiet" }, bdi(text))),
        element("div", { class: "quiet brief" }, `${many(row.games)} games, ${ago(found.now, row.last_played)}`)],
      row.rating == null ? "" : [interval(ends, [row.rating - row.margin, row.rating, row.rating + row.margin]), ` ${rated(row)}`],
      row.ranks?.join(" to ") ?? "", many(row.games), ago(found.now, row.last_played),
    ] })));
  };
  const update = (now) => {
    [found, since] = [now, Date.now()];
    const end = now.until ? `, until ${new Date(now.until).toLocaleString()}` : "";
    state.textContent = `${now.game}: ${many(now.rows.length)} agents, ${many(now.games)} games, ${many(now.in_progress)} in progress${end}`;
    list();
    renew(games, live(now.live));
    renew(rest, element("h2", {}, "What proves it"), element("ul", {},
      element("li", {}, element("a", { href: `${path}/journal` }, "The journal"), " has each draw, result, and rating, in lines that are linked by hashes."),
      element("li", {}, "The hash of the salt: ", element("code", {}, now.salt_hash)),
      element("li", {}, `The salts of ${many(now.public_days)} of ${many(now.day + 1)} days are public: with them, everybody draws the tables again.`)),
      element("p", {}, "With the records of the organiser in season.data/records, this checks all of it:"), command(`mkdir season.data
curl -o season.data/journal.jsonl ${location.origin}${path}/journal
ahu cup verify season.data --salt-hash ${now.salt_hash}`),
      element("h2", {}, "What the words mean"), element("dl", {}, ...[...WORDS, ...now.seats.map((effect, seat) => [`Seat ${seat}`, `It is worth ${rated({ rating: effect.elo, ...effect })} points.`])]
        .flatMap(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)])));
  };
  const look = async () => {
    renew(games, live((await ask(`${path}/live`)).live));
  };
  const search = element("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() }, element("label", {}, "Search ", field), told);
  return { elements: [state, element("h2", {}, "Live games of the best"), games, search, ranking.element, rest], update, look, isFresh: () => Date.now() - since < FRESH };
}

/** Shows an agent of a ladder, with its figures as they change. */
export async function agent(id, name) {
  const path = `/api${pathOf(id, name)}`;
  let next = await ask(path);
  const [figures, news] = [element("div"), element("div")];
  const against = longTable("Against each agent", ["Agent", "Pairs", "Share won"]);
  show(isolated(name), element("h1", {}, bdi(name)), news, figures, against.element);
  keepAsking(async () => {
    const now = next ?? await ask(path);
    next = null;
    renew(figures, ...figuresOf(id, now));
    against.update(now.against.sort((one, other) => other.pairs - one.pairs).map(({ agent: other, pairs, share }) => (
      { key: other, cells: () => [named(id, other), many(pairs), percent(share)] })));
  }, (error, isFinal) => tell(news, error, isFinal), FRESH);
}

/** Returns what the page of an agent shows, but for its opponents. */
function figuresOf(id, now) {
  const facts = [
    ["Ladder", element("a", { href: `/cups/${encodeURIComponent(id)}` }, bdi(now.cup))], ["Owner", bdi(now.owner ?? "")],
    ["Place", now.place ? `${now.place} (${now.ranks.join(" to ")})` : "none"], ["Rating", rated(now)],
    ["Games", `${many(now.games)}, ${now.wins.toFixed(1)} won`], ["Forfeits", Object.entries(now.endings).map(([cause, number]) => `${many(number)} ${cause}`).join(", ") || "none"],
    ["Last played", ago(now.now, now.last_played)], ["Status", status(now) || "plays"],
  ];
  const game = ({ match, at, seats }) => [
    element("a", { href: `/matches/${match}` }, ago(now.now, at)),
    joined(seats.map(({ agent: name, score, rank, forfeit }) => [`${rank}. `, named(id, name), ` ${score ?? ""}${forfeit ? ` (forfeited: ${forfeit})` : ""}`])),
  ];
  const versions = now.entrants.filter((other) => other !== now.agent);
  const history = [...now.history.map(({ day: at, rating }) => [at, rating]), ...(now.rating == null ? [] : [[now.now, now.rating]])];
  return [
    element("dl", {}, ...facts.flatMap(([word, fact]) => [element("dt", {}, word), element("dd", {}, fact)])),
    now.status === "resting" ? element("div", {}, "It rests until its owner wakes it:", command(`ahu cup wake ${now.agent}`)) : null,
    now.marked ? element("p", { class: "failure" },
      `Its last 100 games differ from its rating by ${Math.abs(now.form).toFixed(1)} deviations: an agent that has changed is entered as a new version with ahu cup enter.`) : null,
    versions.length ? element("p", {}, "Other versions of the account: ", ...joined(versions.map((other) => named(id, other)))) : null,
    history.length ? curve(history) : null, element("h2", {}, "Live games"), live(now.live),
    table("Last games", ["Replay", "Agents by seat, with rank and points"], now.last_games.map(game), now.last_games.map(({ match }) => match)),
    table("By seat", ["Seat", "Pairs", "Share won"], now.by_seat.map(({ pairs, share }, seat) => [`${seat}`, many(pairs), percent(share)])),
  ].filter(Boolean);
}

/** Draws ratings over time, each a time and a rating. */
function curve(points) {
  const [left, right, top, bottom] = [44, 440, 8, 120];
  const [[from], [until]] = [points[0], points.at(-1)];
  const ratings = points.map(([, rating]) => rating);
  const low = 50 * Math.floor(Math.min(...ratings) / 50);
  const high = Math.max(low + 50, 50 * Math.ceil(Math.max(...ratings) / 50));
  const x = (at) => left + ((right - left) * (at - from)) / (until - from || 1);
  const y = (rating) => bottom - ((bottom - top) * (rating - low)) / (high - low);
  const text = (x, y, side, content) => shape("text", { x, y, "text-anchor": side }, content);
  const levels = [low, (low + high) / 2, high].flatMap((value) => [
    shape("line", { x1: left, x2: right, y1: y(value), y2: y(value) }), text(left - 5, y(value) + 4, "end", signed(value))]);
  const [first, last] = [points[0], points.at(-1)].map(([at, rating]) => `${signed(rating)} on ${day(at)}`);
  return element("figure", { class: "chart rating" }, element("figcaption", {}, "Rating over time"),
    shape("svg", { viewBox: "0 0 446 142", role: "img", "aria-label": `Rating: ${first}, ${last}` },
      shape("g", { class: "axes" }, ...levels, text(left, 136, "start", day(from)), text(right, 136, "end", day(until))),
      shape("polyline", { class: "curve", points: points.map(([at, rating]) => `${x(at).toFixed(1)},${y(rating).toFixed(1)}`).join(" ") })));
}
