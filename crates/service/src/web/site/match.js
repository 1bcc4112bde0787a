// One match: live as it is played, or as a replay once it has ended.

import { NO_COOKIES, ask, keepAsking, post, query, readEvents } from "./api.js";
import { boardView, chart, eventLog, isTyping, result, seatsView, terms, titleOf, viewerNames } from "./board.js";
import { debugView } from "./debug.js";
import { choice, duration, element, isolated, layout, onLayout, show, tell } from "./dom.js";
import { invitation, rematch, waiting } from "./play.js";
import { replayMatch } from "./replay.js";
import { isPlayedHere, playHere, seatView } from "./seat.js";

const ICON = document.querySelector("link[rel=icon]");

/** The pause before the address gets the event, in milliseconds: browsers refuse to write it too often. */
const SETTLED = 250;

/** Shows a match. */
export async function match(id) {
  const path = `/api/matches/${encodeURIComponent(id)}`;
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.get("invite")) {
    const [place, code] = [Number(given.get("seat")), given.get("invite")];
    return invitation(await ask(path), place, code, () => {
      history.replaceState(null, "", query(location.pathname, { as: place }));
      match(id);
    });
  }
  const seat = await bringToken(path, given);
  const described = await ask(path);
  if (seat && given.get("play")) playHere(described.id, seat);
  const hasEnded = ["finished", "cancelled", "void"].includes(described.state);
  // Where cookies are blocked, the link stays in the address, to be opened again.
  const isBlocked = seat != null && !hasEnded && !described.may_watch.some((viewer) => viewer !== "public");
  if (seat != null && !isBlocked) history.replaceState(null, "", location.pathname + location.search);
  if (hasEnded && described.may_watch.length) {
    await replayMatch(path, described);
  } else if (!described.may_watch.length) {
    show(titleOf(described), element("h1", {}, described.title), element("p", {}, "This match is sealed: it can be watched once its block has ended."));
  } else {
    live(path, described, seat, isBlocked);
  }
}

/** Gives the token in the address to the server, which makes a cookie of it. Returns the seat that the address names beside it,
 * or an empty text; null without a token. */
async function bringToken(path, given) {
  const token = given.get("token");
  if (!token) return null;
  await ask(`${path}/seat`, post({ token }));
  return given.get("seat") ?? "";
}

function live(path, described, seat, isBlocked) {
  const own = described.may_watch.filter((viewer) => viewer !== "public");
  const wanted = seat || new URLSearchParams(location.search).get("as");
  let viewer = described.may_watch.includes(wanted) ? wanted : own[0] ?? "public";
  // The number of the last event is null until the log is there.
  let [last, after, isLive] = [null, null, false];
  let linked = new URLSearchParams(location.search).get("after");
  let hasEnded = false;
  let [arrived, lastArrived] = [Date.now(), 0];
  let scores = [];
  let isNamed = described.seats.every(({ state }) => state !== "open");

  const [board, seats, curves] = [boardView(described), seatsView(described), chart(described, "event")];
  const connection = element("p", { role: "status", class: "quiet" });
  const problem = element("div");
  const past = element("p", { class: "bar", hidden: true }, "This is the past. ",
    element("button", { type: "button", onclick: () => go(-1) }, "Back"), " ",
    element("button", { type: "button", onclick: () => go(1) }, "Forward"), " ",
    element("button", { type: "button", onclick: () => present() }, "Back to the present"));
  const decision = element("section", { "aria-label": "Decision", hidden: true });
  const debug = described.debugged ? debugView(path) : null;
  const table = element("div");
  if (described.state === "seating") table.append(waiting(described, own.length > 0));
  /** The seats that this tab plays, by number, and the one whose view is shown; null for a viewer who only watches. */
  const seatViews = new Map();
  let person = null;
  const sitting = element("div");
  const sit = () => {
    const isPlayed = own.includes(viewer) && isPlayedHere(described.id, viewer);
    if (isPlayed && !seatViews.has(viewer)) seatViews.set(viewer, seatView(path, described, viewer, board, redraw, () => !shown));
    person = isPlayed ? seatViews.get(viewer) : null;
    const here = () => {
      playHere(described.id, viewer);
      watch(viewer);
    };
    const canSit = own.includes(viewer) && !described.debugged;
    sitting.replaceChildren(...(person ? [person.element] : canSit ? [element("button", { type: "button", onclick: here }, "Play this seat in this tab")] : []));
    document.body.classList.toggle("playing", Boolean(person));
  };
  /** The past position that the reader looks at; null for the present. */
  let shown = null;
  /** The number of looks so far, of which only the last one counts, and the timer that writes the address. */
  let [looks, writing] = [0, 0];
  const address = (number) => {
    clearTimeout(writing);
    writing = setTimeout(() => history.replaceState(null, "", query(location.pathname, { as: viewer, after: number })), SETTLED);
  };
  const lookAt = async (number) => {
    if (number == null) return;
    looks += 1;
    const own = looks;
    log.mark(number);
    try {
      const position = await ask(query(`${path}/board`, { as: viewer, after: number, layout: layout() }));
      if (own !== looks) return;
      shown = position;
      past.hidden = false;
      address(number);
      redraw(true);
      curves.point(number);
      tick();
    } catch (error) {
      if (own === looks) tell(problem, error, true);
    }
  };
  /** Looks at the event before or after the one that is shown; behind the last one is the present. */
  const go = (step) => {
    const number = log.beside(step);
    if (step > 0 && number == null) present();
    else lookAt(number);
  };
  const log = eventLog(described, lookAt);
  /** Draws the moment that is shown: a past one, or the present, with the draft of the person who plays. */
  const redraw = (hasMotion = false) => {
    if (shown ?? last) board.update(shown ?? person?.over(last) ?? last, hasMotion);
    if (!shown) person?.mark();
  };
  const present = () => {
    looks += 1;
    shown = null;
    past.hidden = true;
    address(null);
    log.mark(null);
    if (!last) return;
    redraw();
    curves.point(last.number);
    tick();
  };

  const take = (position) => {
    arrived = Date.now();
    // What is quicker than eight positions a second is not moved.
    const hasMotion = last && arrived - lastArrived > 125;
    [last, after, lastArrived] = [position, position.number, arrived];
    tell(problem, null);
    log.add(position.events, true);
    // A match that has not begun has no points, and maybe open seats.
    if (position.scores.length) {
      scores.push([position.number, position.scores]);
      curves.update(scores, position.number);
      if (!shown) curves.point(position.number);
      table.replaceChildren();
      if (!isNamed) learnNames();
    }
    if (!shown) redraw(hasMotion);
    if (person) person.take(position);
    legalActions(decision, person ? null : position.decision);
    tick();
  };
  const learnNames = async () => {
    isNamed = true;
    try {
      Object.assign(described, await ask(path));
      // The log is told again, with the names.
      log.clear();
      after = null;
      again();
    } catch {
      // The next position asks again.
      isNamed = false;
    }
  };
  const tick = () => {
    if (!last) return;
    const isOwn = Boolean(last.decision);
    const mover = last.to_act.length === 1 ? described.seats[last.to_act[0]].player : null;
    const turn = isOwn ? "▶ Your turn · " : mover ? `▶ ${isolated(mover)} · ` : "";
    document.title = `${turn}${titleOf(described)} · Ahu`;
    const icon = isOwn ? "/site/icon-turn.svg" : "/site/icon.svg";
    if (ICON.getAttribute("href") !== icon) ICON.setAttribute("href", icon);
    const left = new Map(last.left).get(Number(viewer));
    if (person && left != null) person.tick(left - (Date.now() - arrived));
    const hasLimit = described.time_control?.includes("/move");
    if (shown) return seats.update(shown);
    seats.update(last, (bank, seat) => {
      const left = new Map(last.left).get(seat);
      if (left == null) return bank == null ? "" : `${duration(bank)} left`;
      const now = `${isLive ? "" : "about "}${duration(left - (Date.now() - arrived))} left`;
      return hasLimit ? `${now} for this decision${bank == null ? "" : `, ${duration(bank)} in the bank`}` : now;
    });
  };

  const follow = async (signal, well) => {
    isLive = false;
    if (connection.textContent === "Live") connection.textContent = "The page connects again.";
    tick();
    if (after == null) {
      const { events, scores: told } = await ask(query(`${path}/log`, { as: viewer }), { signal });
      if (signal.aborted) return;
      log.add(events);
      [scores, after] = [told, events.at(-1)?.number ?? 0];
      // The moment that the address names.
      if (/^[0-9]+$/.test(linked ?? "")) lookAt(Number(linked));
      linked = null;
    }
    await readEvents(query(`${path}/events`, { as: viewer, after, layout: layout() }), { position: take }, signal, well).catch((error) => {
      // The match is shorter than it was, as after the restore of a backup.
      if (error.status === 400) {
        after = null;
        log.clear();
      }
      throw error;
    });
    await ended(signal);
  };
  const heard = (error, isFinal) => {
    isLive = !error;
    if (error) tell(connection, error, isFinal);
    else connection.textContent = "Live";
    tick();
  };
  const ended = async (signal) => {
    const now = await ask(path, { signal });
    if (signal.aborted) return;
    hasEnded = true;
    Object.assign(described, now);
    const again = person ? element("button", { type: "button", onclick: () => rematch(described, viewer).catch((error) => tell(problem, error, true)) }, "Rematch") : "";
    person?.end();
    document.body.classList.remove("playing");
    connection.replaceChildren("The match has ended. ", element("strong", {}, ...result(described)), " ",
      element("button", { type: "button", onclick: () => location.reload() }, "Replay it"), " ", again);
    decision.hidden = true;
  };

  const watch = (chosen) => {
    viewer = chosen;
    looks += 1;
    [last, after, shown] = [null, null, null];
    address(null);
    log.clear();
    past.hidden = true;
    decision.hidden = true;
    debug?.watch(viewer);
    sit();
    again();
  };
  sit();
  show(titleOf(described),
    element("h1", {}, described.title),
    isBlocked ? element("p", { class: "failure", role: "alert" }, `${NO_COOKIES} You see what everybody sees.`) : null,
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      choice("View", viewerNames(described.may_watch, described), viewer, watch), board.whole, connection, problem), table,
    element("div", { class: "columns" },
      board.element,
      element("div", { class: "side" }, sitting, seats.element, debug?.element, decision, log.element, curves.element, terms(described))),
    past);
  setInterval(tick, 1000);
  document.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !past.isConnected || isTyping(event)) return;
    event.preventDefault();
    if (step < 0 || shown) go(step);
  });
  onLayout(() => {
    if (!past.isConnected) return;
    if (!hasEnded) again();
    if (shown) lookAt(shown.number);
    person?.anew();
  });
  debug?.watch(viewer);
  const again = keepAsking(follow, heard);
}

/** Shows the legal actions of the viewer's decision, with a filter. */
function legalActions(section, decision) {
  const isShown = !section.hidden && section.dataset.decision === `${decision?.number}`;
  section.hidden = !decision;
  // What the reader filters stays.
  if (!decision || isShown) return;
  section.dataset.decision = decision.number;
  const items = decision.legal.map(({ text }) => element("li", {}, text));
  const filter = element("input", { type: "search", oninput: () => {
    items.forEach((item) => { item.hidden = !item.textContent.includes(filter.value); });
  } });
  section.replaceChildren(
    element("h2", {}, `Decision ${decision.number}: ${decision.legal.length} legal actions`),
    element("label", {}, "Filter ", filter),
    element("ul", { class: "actions", tabindex: "0", "aria-label": "Legal actions" }, ...items));
}
