// The parts that a live match and a replay share: the board, the seats, the points, and the events.

import { bdi, draw, duration, element, isolated, joined, renew, shape } from "./dom.js";

/** The dashes of the curves, so that they can be told apart without colours. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];

/** The most events that are spoken at once. */
const SPOKEN = 3;

/** Returns the title of the page of a match, which differs from those of other matches from its first letters on. */
export function titleOf(match) {
  const players = match.seats.flatMap(({ player }) => (player ? [isolated(player)] : [])).join(", ");
  return `${match.id.slice(0, 6)}${players ? ` ${players}` : ""} · ${match.title}`;
}

/** Returns the result of a match that has ended, in words. */
export function result(match) {
  if (match.verdict) return named(match, match.verdict);
  return [match.end_reason ? `${match.state}: ${match.end_reason}` : match.state];
}

/** Returns the name of a seat in sentences: with its number where several players have one name, and "seat 0" without a player. */
function shortName(match, seat) {
  const name = (number, isNumbered) => {
    const { player } = match.seats[number] ?? {};
    return player && isNumbered(player) ? `${player} #${number}` : player;
  };
  const isShared = (player) => match.seats.filter((other) => other.player === player).length > 1;
  const all = match.seats.map((_, number) => name(number, isShared) ?? number);
  // A player may be called as another one with its number.
  const own = name(seat, new Set(all).size === all.length ? isShared : () => true);
  return own ? bdi(own) : `seat ${seat}`;
}

/** Returns a text with the names of players in place of their seats and words in place of ids, as parts of an element. */
export function named(match, text) {
  return text.replaceAll("_", " ").split(/\bseat (\d)\b/).map((part, place) => (place % 2 ? shortName(match, part) : part));
}

/** Returns true if a key belongs to the element that has the focus, and not to the page: a field, or a region that scrolls. */
export function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return true;
  if (event.target.closest?.("select, input:not(.scrubber), textarea, summary, a")) return true;
  const region = event.target.closest?.("[tabindex='0']");
  const isAcross = ["ArrowLeft", "ArrowRight"].includes(event.key);
  return Boolean(region) && (isAcross ? region.scrollWidth > region.clientWidth : region.scrollHeight > region.clientHeight);
}

/** Returns the view of a position: an element, a button that fills the screen with it, and `update(position, hasMotion)`. */
export function boardView(match) {
  const question = element("p", { class: "question" });
  const picture = element("div", { class: "board" });
  const hands = element("div", { class: "hands" });
  const text = element("pre", { tabindex: "0" });
  const whole = element("button", { type: "button", class: "whole", onclick: () => (document.fullscreenElement ? document.exitFullscreen() : section.requestFullscreen()) }, "Full screen");
  const section = element("section", { class: "table", "aria-label": "Board" }, question, picture, hands,
    element("details", {}, element("summary", {}, "The table as text"), text));
  return {
    element: section,
    whole: document.fullscreenEnabled ? whole : null,
    update(position, hasMotion = false) {
      // The picture says who has to do what; the question says all that the viewer may do.
      question.textContent = position.question ?? "";
      draw(picture, position.svg, hasMotion);
      text.textContent = position.table;
      while (hands.children.length > position.hands.length) hands.lastChild.remove();
      position.hands.forEach(({ seat, svg }, index) => {
        if (!hands.children[index]) {
          hands.append(element("figure", {}, element("figcaption", {}, "As ", shortName(match, seat), " sees it"), element("div")));
        }
        draw(hands.children[index].lastChild, svg, hasMotion);
      });
    },
  };
}

/** Tells the time in a bank, in milliseconds. */
const inBank = (bank) => (bank == null ? "" : `${duration(bank)} in the bank`);

/** Returns the view of the seats: players, points by source, and who has to decide; an element, and `update(position, note)`. A
 * note tells of a bank and its seat. */
export function seatsView(match) {
  const body = element("tbody");
  return {
    element: element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Seats" }, element("table", { class: "seats" },
      element("caption", {}, "Seats and points"), 
      element("thead", {}, element("tr", {}, ...["Player", "Points", "Rank"].map((text) => element("th", { scope: "col" }, text)))), body)),
    update(position, note = inBank) {
      // A single source would repeat the points.
      const parts = position.score_parts.length > 1 ? position.score_parts : [];
      renew(body, ...match.seats.map(({ player, state }, seat) => {
        const mark = element("span", { class: `seat s${seat}` }, element("span", { class: "on" }, `${seat}`));
        const name = element("bdi", {}, player ?? (state === "open" ? "(open)" : `seat ${seat}`));
        const fault = position.forfeits.find((forfeit) => forfeit.seat === seat);
        const bank = position.clocks.find((clock) => clock.seat === seat)?.bank_ms;
        const now = [fault && `forfeited: ${fault.cause}`, position.to_act.includes(seat) && "to act", note(bank, seat)];
        const lines = [parts.map(([source, points]) => `${source} ${points[seat]}`), now.filter(Boolean)];
        return element("tr", {}, element("th", { scope: "row" }, mark, " ", name, ...lines.map((line) => element("div", { class: "quiet" }, line.join(", ")))),
          ...[position.scores[seat] ?? "", position.ranks?.[seat] ?? ""].map((text) => element("td", {}, text)));
      }));
    },
  };
}

/** Returns the curves of points: an element, `update(steps, end)`, and `point(place)`. Each step has the place from which on the
 * points by seat hold; places go from 0 to `end`. The points below the pointer are told. */
export function chart(match, unit) {
  const [left, width, top, height] = [34, 400, 6, 140];
  const picture = shape("svg", { viewBox: `0 0 ${width + left} ${height + 22}`, role: "img", "aria-label": "Points as the match goes on" });
  const axes = shape("g", { class: "axes" });
  const curves = match.seats.map((_, seat) => shape("polyline", { class: `curve s${seat}`, "stroke-dasharray": DASHES[seat] }));
  const cursor = shape("line", { class: "cursor", y1: top, y2: height });
  picture.append(axes, cursor, ...curves);
  const told = element("figcaption", {}, "Points");
  let [all, last] = [[], 0];
  const x = (place) => left + ((width - 6) * place) / Math.max(1, last);
  const tell = (place) => {
    const points = all.findLast(([from]) => from <= place)?.[1];
    if (points) told.replaceChildren(`Points at ${unit} ${place}: `, ...joined(match.seats.map((_, seat) => [shortName(match, seat), ` ${points[seat]}`])));
  };
  picture.addEventListener("pointermove", (event) => {
    const { x: from, width: across } = picture.getBoundingClientRect();
    const at = (((event.clientX - from) / across) * (width + left) - left) / (width - 6);
    tell(Math.round(Math.min(Math.max(at, 0), 1) * last));
  });
  return {
    element: element("figure", { class: "chart" }, picture, told),
    update(steps, end) {
      [all, last] = [steps, end];
      const values = steps.flatMap(([, points]) => points);
      const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
      const y = (value) => height - ((height - top) * (value - low)) / (high - low);
      const levels = [low, Math.round((low + high) / 2), high].map((value) => [
        shape("line", { x1: left, x2: left + width - 6, y1: y(value), y2: y(value) }),
        shape("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, value)]);
      const ends = [[0, "start"], [end, "end"]].map(([place, side]) => shape("text", { x: x(place), y: height + 16, "text-anchor": side }, `${unit} ${place}`));
      axes.replaceChildren(...levels.flat(), ...ends);
      curves.forEach((curve, seat) => {
        const corners = steps.flatMap(([place, points], index) => {
          const until = steps[index + 1]?.[0] ?? end;
          return [place, until].map((at) => `${x(at).toFixed(1)},${y(points[seat]).toFixed(1)}`);
        });
        curve.setAttribute("points", corners.join(" "));
      });
    },
    point(place) {
      cursor.setAttribute("x1", x(place));
      cursor.setAttribute("x2", x(place));
      tell(place);
    },
  };
}

/** Returns the log of events, one stop of the Tab key, in which a click and the arrow keys jump (`jump(number, isKey)`): an element, `add(events,
 * isNews)`, `mark(number)`, `beside(step)`, and `clear()`. News is spoken to a screen reader. */
export function eventLog(match, jump) {
  const spoken = element("p", { class: "spoken", "aria-live": "polite" });
  const items = new Map();
  let [turn, marked] = [0, null];
  /** Returns the number of the event before or after the marked one; null at the ends. */
  const beside = (step) => {
    // Without a mark, the present is shown: the position after the last event.
    const now = items.get(marked) ?? list.lastChild;
    const found = step < 0 ? now?.previousSibling : now?.nextSibling;
    return found ? Number(found.dataset.number) : null;
  };
  const list = element("ol", {
    class: "log", tabindex: "0", "aria-label": "Events",
    onclick: (event) => event.target.closest("li") && jump(Number(event.target.closest("li").dataset.number)),
    onkeydown: (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      const number = beside(step);
      if (number != null) jump(number, true);
    },
  });
  return {
    element: element("section", {}, element("h2", {}, "Events"), list, spoken),
    add(events, isNews = false) {
      const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
      for (const event of events) {
        if (items.has(event.number)) continue;
        const item = element("li", { class: event.turn > turn ? "turn" : null, role: "option", id: `event-${event.number}`, "data-number": event.number, "aria-selected": "false" },
          ...named(match, event.text), ...(event.comment ? [`\n“${event.comment}”`] : []));
        turn = event.turn;
        items.set(event.number, item);
        // A list box without options would be a fault.
        list.setAttribute("role", "listbox");
        list.append(item);
      }
      if (isNews && events.length) {
        const more = events.length > SPOKEN ? [`${events.length - SPOKEN} events, then: `] : [];
        spoken.replaceChildren(...more, ...events.slice(-SPOKEN).flatMap(({ text }) => [...named(match, text), ". "]));
      }
      if (isAtEnd) list.scrollTop = list.scrollHeight;
    },
    mark(number) {
      items.get(marked)?.setAttribute("aria-selected", "false");
      marked = number;
      const item = items.get(number);
      item?.setAttribute("aria-selected", "true");
      list.setAttribute("aria-activedescendant", item?.id ?? "");
      if (item) list.scrollTop = item.offsetTop - Math.max(0, (list.clientHeight - item.offsetHeight) / 2);
    },
    beside,
    clear() {
      list.replaceChildren();
      list.removeAttribute("role");
      items.clear();
      [turn, marked] = [0, null];
    },
  };
}

/** Returns the names of viewers for a list. */
export function viewerNames(viewers, match) {
  return viewers.map((viewer) => {
    if (viewer === "public") return [viewer, "everybody"];
    if (viewer === "all") return [viewer, "all hands"];
    return [viewer, `as seat ${viewer}${match.seats[viewer]?.player ? `, ${isolated(match.seats[viewer].player)}` : ""}`];
  });
}

/** Returns the terms of a match. */
export function terms(described) {
  const rows = Object.entries(described.options).map(([key, value]) => [key, value]);
  if (described.time_control) rows.push(["clock", described.time_control]);
  if (described.delay) rows.push(["delay", `${described.delay} events`]);
  if (described.seed) rows.push(["seed", described.seed]);
  const items = rows.flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, value)]);
  return element("details", {}, element("summary", {}, "Options"), element("dl", {}, ...items));
}
