// The lobby: the matches of the server, and how to join.

import { signIn } from "./account.js";
import { ask, keepAsking, query } from "./api.js";
import { bdi, choice, draw, duration, element, joined, renew, show, table, tell } from "./dom.js";

/** The time between two looks at the list, in milliseconds. */
const PERIOD = 3000;

const STATES = [["", "All"], ["open", "Live"], ["ended", "Finished"]];

/** The lists of the lobby, in their order: the state, the caption, and the text of an empty list. */
const LISTS = [["open", "Live", "No match is live."], ["ended", "Finished", "No match has ended."]];

/** The most live matches of which the lobby shows the table, and the time between two looks at it, in milliseconds. */
const [TABLES, TABLE_PERIOD] = [4, 12_000];

/** Returns the players of a match, with their points, and a mark before those who have to act. */
function players(match, position) {
  const scores = match.scores ?? position?.scores ?? [];
  return joined(match.seats.map(({ player, state }, seat) => {
    const name = player ?? (state === "open" ? "(open)" : `seat ${seat}`);
    const mark = position?.to_act.includes(seat) ? "▶ " : "";
    return [mark, bdi(name), `${scores[seat] == null ? "" : ` ${scores[seat]}`}${state === "forfeited" ? " (forfeited)" : ""}`];
  }));
}

/** Shows the lobby. */
export async function lobby() {
  const server = await ask("/api/server");
  if (server.needs_key) return show("Sign in", signIn(await ask("/api/account")));
  const filter = { state: "", game: "" };
  const news = element("div");
  const lists = LISTS.map(([state, caption, none]) => matchList(filter, state, [caption, none], () => refresh()));
  const set = (key) => (value) => {
    filter[key] = value;
    lists.forEach((list) => list.restart());
    refresh();
  };
  const ids = [["", "All games"], ...server.games.map(({ id, title }) => [id, title])];
  show("Ahu",
    element("h1", {}, "Matches"),
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      choice("State", STATES, "", set("state")), choice("Game", ids, "", set("game"))),
    news, ...lists.map((list) => list.element), joining(server));
  const look = async () => {
    await Promise.all(lists.map((list) => list.refresh()));
  };
  const refresh = keepAsking(look, (error, isFinal) => tell(news, error, isFinal), PERIOD);
}

/** Returns the list of matches in a state, the newest first: an element, `refresh()`, and `restart()` for another filter. */
function matchList(filter, state, [caption, none], turned) {
  const host = element("div", { class: "list" });
  const pages = [""];
  // The present positions of the live matches, by id.
  const positions = new Map();
  const looked = new Map();
  // `renew` keeps a button with its first listener, so what it reads is here.
  let [next, asked, isTurning] = ["", 0, false];
  const turn = (text, act) => element("button", { type: "button", "data-key": text, onclick: () => {
    // The page that was asked for has not come yet.
    if (isTurning) return;
    isTurning = true;
    act();
    turned();
  } }, text);
  const refresh = async () => {
    host.hidden = filter.state !== "" && filter.state !== state;
    if (host.hidden) return host.replaceChildren();
    asked += 1;
    const own = asked;
    const found = await ask(query("/api/matches", { game: filter.game, state, page: pages.at(-1) }));
    // The reader has turned the page meanwhile, or chosen another filter.
    if (own !== asked) return;
    const { matches } = found;
    [next, isTurning] = [found.next_page, false];
    renew(host,
      matches.length ? listed(caption, matches, positions) : element("p", {}, none),
      element("p", { class: "buttons", "data-key": "buttons" },
        pages.length > 1 ? turn("Newer", () => pages.pop()) : null,
        next ? turn("Older", () => pages.push(next)) : null));
    const live = matches.filter((match) => match.state === "running").slice(0, TABLES);
    for (const seen of [positions, looked]) {
      for (const old of [...seen.keys()]) if (!live.some(({ id }) => id === old)) seen.delete(old);
    }
    for (const { id } of live) {
      if (Date.now() - (looked.get(id) ?? -Infinity) < TABLE_PERIOD) continue;
      looked.set(id, Date.now());
      // A sealed match, or one that is gone by now, has no table here.
      const position = await ask(`/api/matches/${encodeURIComponent(id)}/board`).catch(() => null);
      if (own !== asked) return;
      if (!position) continue;
      positions.set(id, position);
      const place = host.querySelector(`[data-key="${CSS.escape(id)}"] .small`);
      if (place) draw(place, position.svg);
    }
  };
  return { element: host, refresh, restart: () => { [pages.length, isTurning] = [1, true]; } };
}

/** Returns a table of matches, with the tables of those whose present position is known. */
export function listed(caption, matches, positions = new Map()) {
  const quiet = (...parts) => element("div", { class: "quiet" }, ...parts);
  const row = (match) => {
    const labels = Object.entries(match.labels).map(([key, value]) => `${key}=${value}`);
    return [
      [element("a", { href: `/matches/${encodeURIComponent(match.id)}` }, match.title || match.game),
        ...(match.state === "running" ? [element("div", { class: "small" })] : []), quiet(`${match.state}, ${duration(match.age_ms)} ago`)],
      [...players(match, positions.get(match.id)), quiet(labels.join(", "))],
    ];
  };
  return table(caption, ["Game", "Players"], matches.map(row), matches.map(({ id }) => id));
}

function joining(server) {
  return element("section", {},
    element("h2", {}, "Join"),
    element("p", {}, "An agent in any language joins over gRPC at this address. In Python:"),
    element("pre", { tabindex: "0" }, `import ahu

with ahu.client.Client("${location.protocol === "https:" ? location.origin : location.host}") as client:
    match = client.create_match("rappanui", 2, bots={1: "greedy"})
    ahu.connect(MyAgent(), seat=client.join(match.match_id))`),
    element("p", { class: "quiet" }, `Ahu ${server.version}. `, server.durable ? "Matches are kept on disk." : "Matches end with the server."));
}
