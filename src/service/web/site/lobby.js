// The lobby: the matches of the server, and how to join.

import { ask, query } from "./api.js";
import { choice, duration, element, failure, show, table } from "./dom.js";

/** The time between two looks at the list, in milliseconds. */
const PERIOD = 3000;

const STATES = [["", "All"], ["open", "Live"], ["ended", "Finished"]];

/** Returns the players of a match in words, with their points. */
export function players(match) {
  return match.seats.map(({ player, state }, seat) => {
    const name = player ?? (state === "open" ? "(open)" : `seat ${seat}`);
    const points = match.scores ? ` ${match.scores[seat]}` : "";
    return `${name}${points}${state === "forfeited" ? " (forfeited)" : ""}`;
  }).join(", ");
}

/** Shows the lobby. */
export async function lobby() {
  const server = await ask("/api/server");
  const filter = { state: "", game: "" };
  const list = element("div", { class: "list" });
  const news = element("p", { role: "status", class: "quiet" });
  const pages = [""];

  const refresh = async () => {
    if (document.hidden) return;
    try {
      const { matches, next_page: next } = await ask(query("/api/matches", { ...filter, page: pages.at(-1) }));
      list.replaceChildren(matches.length ? listed(matches) : element("p", {}, "There are no such matches."), turning(next));
      news.textContent = "";
    } catch (error) {
      news.replaceChildren(failure(error));
    }
  };
  const turning = (next) => element("p", { class: "buttons" },
    pages.length > 1 ? element("button", { type: "button", onclick: () => { pages.pop(); refresh(); } }, "Earlier") : null,
    next ? element("button", { type: "button", onclick: () => { pages.push(next); refresh(); } }, "Later") : null);
  const set = (key) => (value) => {
    filter[key] = value;
    pages.length = 1;
    refresh();
  };
  const ids = [["", "All games"], ...server.games.map(({ id, title }) => [id, title])];
  show("Ahu",
    element("h1", {}, "Matches"),
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      choice("State", STATES, "", set("state")), choice("Game", ids, "", set("game"))),
    news, list, joining(server));
  await refresh();
  setInterval(refresh, PERIOD);
  document.addEventListener("visibilitychange", refresh);
}

function listed(matches) {
  const row = (match) => [
    element("a", { href: `/matches/${encodeURIComponent(match.id)}` }, match.title || match.game),
    match.state,
    players(match),
    Object.entries(match.labels).map(([key, value]) => `${key}=${value}`).join(", "),
    `${duration(match.age_ms)} ago`,
  ];
  return table("Matches of this server", ["Game", "State", "Players", "Labels", "Created"], matches.map(row));
}

function joining(server) {
  return element("section", {},
    element("h2", {}, "Join"),
    element("p", {}, "An agent in any language joins over gRPC at this address. In Python:"),
    element("pre", { tabindex: "0" }, `import ahu

with ahu.Client("${location.host}") as client:
    match = client.create_match("rappanui", 2, bots={1: "greedy"})
    ahu.play(MyAgent(), client.join(match.match_id))`),
    element("p", { class: "quiet" }, `Ahu ${server.version}. `, server.durable ? "Matches are kept on disk." : "Matches end with the server."));
}
