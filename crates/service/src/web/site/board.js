// The parts that a live match and a replay share: the board, the seats, the points, and the events.

import { bdi, draw, element, isolated, joined } from "./dom.js";

/** The dashes of the curves, so that they can be told apart without colours. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];

/** Returns the name of a seat for people: of its player, if it has one. */
function seatName(match, seat) {
  const { player } = match.seats[seat];
  return player ? [bdi(player), ` (seat ${seat})`] : [`seat ${seat}`];
}

/** Returns the title of the page of a match, which differs from those of other matches from its first letters on. */
export function titleOf(match) {
  const players = match.seats.flatMap(({ player }) => (player ? [isolated(player)] : [])).join(", ");
  return `${match.id.slice(0, 6)}${players ? ` ${players}` : ""} · ${match.title}`;
}

/** Returns the result of a match that has ended, in words. */
export function result(match) {
  if (match.state !== "finished") return [match.end_reason ? `${match.state}: ${match.end_reason}` : match.state];
  const winners = match.seats.map((_, seat) => seat).filter((seat) => match.ranks?.[seat] === 1);
  const points = match.scores?.[winners[0]];
  const wins = winners.length > 1 ? "share the victory" : "wins";
  const names = joined(winners.map((seat) => seatName(match, seat)), " and ");
  return [...names, ` ${wins} with ${points} ${points === 1 ? "point" : "points"}.`];
}

/** Returns the view of a position: an element, and `update(position)`. */
export function boardView(match) {
  const headline = element("p", { class: "question" });
  const picture = element("div", { class: "board" });
  const hands = element("div", { class: "hands" });
  const text = element("pre", { tabindex: "0" });
  return {
    element: element("section", { "aria-label": "Board" }, headline, picture, hands,
      element("details", {}, element("summary", {}, "The table as text"), text)),
    update(position) {
      // The picture has the headline.
      headline.textContent = position.question ?? "";
      const names = match.seats.map(({ player }) => player);
      draw(picture, position.svg, names);
      text.textContent = position.table;
      while (hands.children.length > position.hands.length) hands.lastChild.remove();
      position.hands.forEach(({ seat, svg }, index) => {
        if (!hands.children[index]) {
          hands.append(element("figure", {}, element("figcaption", {}, `As seat ${seat} sees it`), element("div")));
        }
        draw(hands.children[index].lastChild, svg, names);
      });
    },
  };
}

/** Returns the view of the seats: players, points, and who has to decide. */
export function seatsView(match) {
  const rows = match.seats.map((_, seat) => {
    const cells = { name: element("bdi"), points: element("td"), rank: element("td"), note: element("td") };
    const mark = element("span", { class: `seat s${seat}` }, element("span", { class: "on" }, `${seat}`));
    const name = element("th", { scope: "row" }, mark, " ", cells.name);
    return { cells, row: element("tr", {}, name, cells.points, cells.rank, cells.note) };
  });
  const header = ["Seat and player", "Points", "Rank", "Now"].map((text) => element("th", { scope: "col" }, text));
  return {
    element: element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Seats" }, element("table", { class: "seats" }, element("caption", {}, "Seats"),
      element("thead", {}, element("tr", {}, ...header)), element("tbody", {}, ...rows.map(({ row }) => row)))),
    update(position, note = () => "") {
      rows.forEach(({ cells }, seat) => {
        const { player, state } = match.seats[seat];
        cells.name.textContent = player ?? (state === "open" ? "(open)" : `seat ${seat}`);
        cells.points.textContent = position.scores[seat] ?? "";
        cells.rank.textContent = position.ranks?.[seat] ?? "";
        const fault = position.forfeits.find((forfeit) => forfeit.seat === seat);
        const parts = [fault && `forfeited: ${fault.cause}`, position.to_act.includes(seat) && "to act", note(seat)];
        cells.note.textContent = parts.filter(Boolean).join(", ");
      });
    },
  };
}

/** Returns the curves of points: an element, `update(steps, end)`, and `point(place)`. Each step has the place from which on the
 * points by seat hold; places go from 0 to `end`. */
export function chart(seats) {
  const svg = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const [width, height] = [400, 100];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Points as the match goes on" });
  const curves = Array.from({ length: seats }, (_, seat) => svg("polyline", { class: `curve s${seat}`, "stroke-dasharray": DASHES[seat] }));
  const cursor = svg("line", { class: "cursor", y1: 0, y2: height });
  picture.append(cursor, ...curves);
  const range = element("figcaption");
  let x = () => 0;
  return {
    element: element("figure", { class: "chart" }, picture, range),
    update(steps, end) {
      const all = steps.flatMap(([, points]) => points);
      const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
      x = (place) => (width * place) / Math.max(1, end);
      const y = (value) => height - 2 - ((height - 4) * (value - low)) / (high - low);
      curves.forEach((curve, seat) => {
        const corners = steps.flatMap(([place, points], index) => {
          const until = steps[index + 1]?.[0] ?? end;
          return [place, until].map((at) => `${x(at).toFixed(1)},${y(points[seat]).toFixed(1)}`);
        });
        curve.setAttribute("points", corners.join(" "));
      });
      range.textContent = `Points, from ${low} to ${high}`;
    },
    point(place) {
      cursor.setAttribute("x1", x(place));
      cursor.setAttribute("x2", x(place));
    },
  };
}

/** Returns the log of events, in which a click jumps: an element, `add(events)`, `mark(number)`, and `clear()`. */
export function eventLog(jump) {
  const list = element("ol", { class: "log", tabindex: "0", "aria-label": "Events" });
  const items = new Map();
  let [turn, marked] = [0, null];
  return {
    element: element("section", {}, element("h2", {}, "Events"), list),
    add(events) {
      const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
      for (const event of events) {
        if (items.has(event.number)) continue;
        const button = element("button", { type: "button", onclick: () => jump(event.number) }, event.text);
        const item = element("li", { class: event.turn > turn ? "turn" : null }, button);
        turn = event.turn;
        items.set(event.number, item);
        list.append(item);
      }
      if (isAtEnd) list.scrollTop = list.scrollHeight;
    },
    mark(number) {
      marked?.removeAttribute("aria-current");
      marked = items.get(number);
      marked?.setAttribute("aria-current", "true");
      if (marked) list.scrollTop = marked.offsetTop - Math.max(0, (list.clientHeight - marked.offsetHeight) / 2);
    },
    clear() {
      list.replaceChildren();
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
