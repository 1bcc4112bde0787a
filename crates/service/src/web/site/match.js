// One match: live as it is played, or as a replay once it has ended.

import { ask, query } from "./api.js";
import { boardView, chart, eventLog, result, seatsView, terms, viewerNames } from "./board.js";
import { debugView } from "./debug.js";
import { choice, duration, element, failure, show } from "./dom.js";
import { replayMatch } from "./replay.js";

/** The pause before a stream that the server refused is asked for again, in milliseconds. */
const RETRY = 3000;

/** Shows a match. */
export async function match(id) {
  const path = `/api/matches/${encodeURIComponent(id)}`;
  const seat = await bringToken(path);
  const described = await ask(path);
  if (["finished", "cancelled", "void"].includes(described.state) && described.may_watch.length) {
    await replayMatch(path, described);
  } else if (!described.may_watch.length) {
    show(described.title, element("h1", {}, described.title), element("p", {}, "This match is sealed: it can be watched once its block has ended."));
  } else {
    live(path, described, seat);
  }
}

/** Gives the token in the address to the server, which makes a cookie of it, and takes it out of the address. Returns the
 * seat that the address names. */
async function bringToken(path) {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (!token) return null;
  history.replaceState(null, "", location.pathname + location.search);
  await ask(`${path}/seat`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) });
  return given.get("seat");
}

function live(path, described, seat) {
  const own = described.may_watch.filter((viewer) => viewer !== "public");
  let viewer = own.includes(seat) ? seat : own[0] ?? "public";
  let [source, last, retry] = [null, null, 0];
  let arrived = Date.now();
  let scores = [];
  let isNamed = described.seats.every(({ state }) => state !== "open");

  const [board, seats, curves] = [boardView(described), seatsView(described), chart(described.seats.length)];
  const connection = element("p", { role: "status", class: "quiet" });
  const past = element("p", { class: "bar", hidden: true }, "This is the past. ",
    element("button", { type: "button", onclick: () => present() }, "Back to the present"));
  const decision = element("section", { "aria-label": "Decision", hidden: true });
  const debug = described.debugged ? debugView(path) : null;
  const log = eventLog(async (number) => {
    try {
      board.update(await ask(query(`${path}/board`, { as: viewer, after: number })));
      past.hidden = false;
      log.mark(number);
    } catch (error) {
      connection.replaceChildren(failure(error));
    }
  });
  const present = () => {
    past.hidden = true;
    log.mark(null);
    if (last) board.update(last);
  };

  const take = (position) => {
    arrived = Date.now();
    last = position;
    log.add(position.events);
    // A match that has not begun has no points, and maybe open seats.
    if (position.scores.length) {
      scores.push([position.number, position.scores]);
      curves.update(scores, position.number);
      curves.point(position.number);
      if (!isNamed) learnNames();
    }
    if (past.hidden) board.update(position);
    legalActions(decision, position.decision);
    tick();
  };
  const learnNames = async () => {
    isNamed = true;
    try {
      Object.assign(described, await ask(path));
      if (past.hidden) board.update(last);
      tick();
    } catch (error) {
      connection.replaceChildren(failure(error));
    }
  };
  const tick = () => {
    if (!last) return;
    seats.update(last, (seat) => {
      const bank = last.clocks.find((clock) => clock.seat === seat)?.bank_ms;
      if (bank == null) return "";
      return `${duration(bank - (last.to_act.includes(seat) ? Date.now() - arrived : 0))} left`;
    });
  };

  const begin = async () => {
    clearTimeout(retry);
    source?.close();
    const begun = viewer;
    try {
      const { events, scores: told } = await ask(query(`${path}/log`, { as: viewer }));
      if (begun !== viewer) return;
      log.add(events);
      scores = told;
      follow(events.at(-1)?.number ?? 0);
    } catch (error) {
      lost(error);
    }
  };
  // The browser connects again after a cut, and says which event it had last.
  const follow = (after) => {
    source = new EventSource(query(`${path}/events`, { as: viewer, after }));
    source.addEventListener("open", () => { connection.textContent = "Live"; });
    source.addEventListener("position", (event) => take(JSON.parse(event.data)));
    source.addEventListener("end", () => { source.close(); ended(); });
    source.addEventListener("failure", (event) => { source.close(); lost(new Error(JSON.parse(event.data).error.message)); });
    source.addEventListener("error", () => {
      connection.textContent = "The connection is lost. The page connects again.";
      if (source.readyState === EventSource.CLOSED) lost(null);
    });
  };
  const lost = async (error) => {
    try {
      const now = await ask(path);
      if (["finished", "cancelled", "void"].includes(now.state)) return ended();
      retry = setTimeout(begin, RETRY);
      if (error) connection.replaceChildren(failure(error));
    } catch (gone) {
      connection.replaceChildren(failure(gone));
      if (!gone.status) retry = setTimeout(begin, RETRY);
    }
  };
  const ended = async () => {
    // The last events are missing if the end came with the description.
    try {
      log.add((await ask(query(`${path}/log`, { as: viewer }))).events);
      Object.assign(described, await ask(path));
    } catch (error) {
      return connection.replaceChildren(failure(error));
    }
    connection.replaceChildren("The match has ended. ", element("strong", {}, result(described)), " ", element("button", { type: "button", onclick: () => location.reload() }, "Replay it"));
    decision.hidden = true;
  };

  const watch = (chosen) => {
    viewer = chosen;
    last = null;
    log.clear();
    past.hidden = true;
    decision.hidden = true;
    debug?.watch(viewer);
    begin();
  };
  show(described.title,
    element("h1", {}, described.title),
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      choice("View", viewerNames(described.may_watch, described), viewer, watch), connection),
    element("div", { class: "columns" },
      board.element,
      element("div", {}, seats.element, debug?.element, log.element, decision, curves.element, terms(described))),
    past);
  setInterval(tick, 1000);
  // A page that slept has lost its stream without notice.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && source?.readyState === EventSource.CLOSED) lost(null);
  });
  debug?.watch(viewer);
  begin();
}

/** Shows the legal actions of the viewer's decision, with a filter. */
function legalActions(section, decision) {
  section.hidden = !decision;
  if (!decision) return;
  const items = decision.legal.map(({ text }) => element("li", {}, text));
  const filter = element("input", { type: "search", oninput: () => {
    items.forEach((item) => { item.hidden = !item.textContent.includes(filter.value); });
  } });
  section.replaceChildren(
    element("h2", {}, `Decision ${decision.number}: ${decision.legal.length} legal actions`),
    element("label", {}, "Filter ", filter),
    element("ul", { class: "actions", tabindex: "0", "aria-label": "Legal actions" }, ...items));
}
