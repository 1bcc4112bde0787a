// The parts that a live match and a replay share: the board, the seats, the points, and the events.

import { draw, element } from "./dom.js";

/** The dashes of the curves, so that they can be told apart without colours. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];

/** Returns the view of a position: an element, and `update(position)`. */
export function boardView() {
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
      draw(picture, position.svg);
      text.textContent = position.table;
      while (hands.children.length > position.hands.length) hands.lastChild.remove();
      position.hands.forEach(({ seat, svg }, index) => {
        if (!hands.children[index]) {
          hands.append(element("figure", {}, element("figcaption", {}, `As seat ${seat} sees it`), element("div")));
        }
        draw(hands.children[index].lastChild, svg);
      });
    },
  };
}

/** Returns the view of the seats: players, points, and who has to decide. */
export function seatsView(match) {
  const rows = match.seats.map(({ player }, seat) => {
    const cells = { points: element("td"), rank: element("td"), note: element("td") };
    const name = element("th", { scope: "row" }, element("span", { class: `seat seat${seat}` }, `${seat}`), ` ${player ?? "(open)"}`);
    return { cells, row: element("tr", {}, name, cells.points, cells.rank, cells.note) };
  });
  const header = ["Seat and player", "Points", "Rank", "Now"].map((text) => element("th", { scope: "col" }, text));
  return {
    element: element("table", { class: "seats" }, element("caption", {}, "Seats"),
      element("thead", {}, element("tr", {}, ...header)), element("tbody", {}, ...rows.map(({ row }) => row))),
    update(position, note = () => "") {
      rows.forEach(({ cells }, seat) => {
        cells.points.textContent = position.scores[seat] ?? "";
        cells.rank.textContent = position.ranks?.[seat] ?? "";
        const fault = position.forfeits.find((forfeit) => forfeit.seat === seat);
        const parts = [fault && `forfeited: ${fault.cause}`, position.to_act.includes(seat) && "to act", note(seat)];
        cells.note.textContent = parts.filter(Boolean).join(", ");
      });
    },
  };
}

/** Returns the curves of points: an element, and `update(points, at)` with a list of points by seat for each place. */
export function chart(seats) {
  const svg = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const [width, height] = [400, 100];
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Points as the match goes on" });
  const curves = Array.from({ length: seats }, (_, seat) => svg("polyline", { class: `curve curve${seat}`, "stroke-dasharray": DASHES[seat] }));
  const cursor = svg("line", { class: "cursor", y1: 0, y2: height });
  picture.append(cursor, ...curves);
  const range = element("figcaption");
  return {
    element: element("figure", { class: "chart" }, picture, range),
    update(points, at) {
      const all = points.flat();
      const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
      const x = (index) => (width * index) / Math.max(1, points.length - 1);
      const y = (value) => height - 2 - ((height - 4) * (value - low)) / (high - low);
      curves.forEach((curve, seat) => {
        curve.setAttribute("points", points.map((own, index) => `${x(index).toFixed(1)},${y(own[seat]).toFixed(1)}`).join(" "));
      });
      cursor.setAttribute("x1", x(at));
      cursor.setAttribute("x2", x(at));
      range.textContent = `Points, from ${low} to ${high}`;
    },
  };
}

/** Returns the log of events, in which a click jumps: an element, `add(events)`, `mark(number)`, and `clear()`. */
export function eventLog(jump) {
  const list = element("ol", { class: "log", tabindex: "0", "aria-label": "Events" });
  const items = new Map();
  let turn = 0;
  let marked = null;
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
      if (marked) list.scrollTop = marked.offsetTop - list.offsetTop - list.clientHeight / 2;
    },
    clear() {
      list.replaceChildren();
      items.clear();
      turn = 0;
      marked = null;
    },
  };
}

/** Returns the names of viewers for a list. */
export function viewerNames(viewers, match) {
  return viewers.map((viewer) => {
    if (viewer === "public") return [viewer, "what everybody sees"];
    if (viewer === "all") return [viewer, "all hands"];
    return [viewer, `as seat ${viewer}${match.seats[viewer]?.player ? `, ${match.seats[viewer].player}` : ""}`];
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
