// Elements, and nothing else. Texts become text nodes, so that no name can be markup.

/** Returns an element. `attributes` has attributes, and listeners by names such as `onclick`. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** Returns an element of a drawing. */
export function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) if (value != null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Replaces the page's content and title. */
export function show(title, ...children) {
  document.title = title === "Ahu" ? title : `${title} · Ahu`;
  document.getElementById("main").replaceChildren(...children.filter((child) => child != null));
}

/** Returns a paragraph that tells of a failure. */
export function failure(error) {
  return element("p", { class: "failure", role: "alert" }, error.message);
}

/** Tells of a failure in an element, or that there is none. A failure that stands there already is not read out again. */
export function tell(host, error, isFinal = false) {
  const text = error ? `${error.message}${isFinal ? "" : " The page tries again."}` : "";
  if (host.textContent !== text) host.replaceChildren(...(text ? [failure({ message: text })] : []));
}

/** Returns a name that its neighbours do not turn around, whatever its direction. */
export const bdi = (text) => element("bdi", {}, text);

/** Returns a name for texts that can have no elements, such as titles: in marks that isolate it. */
export const isolated = (text) => `\u2068${text}\u2069`;

/** Returns parts with a separator between them. */
export const joined = (parts, separator = ", ") => parts.flatMap((part, place) => (place ? [separator, part] : [part])).flat();

/** Makes the content of an element the same as the `wanted` nodes, and keeps each node that it has already: focus, selection, and
 * clicks survive. A node with `data-key` is the same wherever it stands, any other at its place. Listeners stay the old ones. */
export function renew(host, ...wanted) {
  const keyOf = (node) => node.dataset?.key;
  const keys = new Set(wanted.map(keyOf));
  for (const old of [...host.children]) if (keyOf(old) != null && !keys.has(keyOf(old))) old.remove();
  const kept = new Map([...host.children].map((child) => [keyOf(child), child]));
  let place = host.firstChild;
  for (const fresh of wanted) {
    const isSame = place && keyOf(place) == null && place.nodeName === fresh.nodeName;
    const old = keyOf(fresh) == null ? (isSame ? place : null) : kept.get(keyOf(fresh));
    if (!old) {
      host.insertBefore(fresh, place);
      continue;
    }
    if (old === place) place = place.nextSibling;
    else host.insertBefore(old, place);
    if (old.nodeType === Node.TEXT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
      continue;
    }
    // What the reader has unfolded stays open.
    for (const { name: key } of [...old.attributes]) if (!fresh.hasAttribute(key) && key !== "open") old.removeAttribute(key);
    for (const { name: key, value } of fresh.attributes) if (old.getAttribute(key) !== value) old.setAttribute(key, value);
    renew(old, ...fresh.childNodes);
  }
  while (host.childNodes.length > wanted.length) host.lastChild.remove();
}

/** Returns a table with a caption, the texts of its header, and rows of cells, which may be cells of a header too. `renew` knows a
 * row by its key, if it has one. */
export function table(caption, header, rows, keys = []) {
  const cells = (name, row, attributes = {}) => row.map((cell) => (cell.nodeName === "TH" ? cell : element(name, attributes, ...[cell].flat())));
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...cells("th", header, { scope: "col" }))),
      element("tbody", {}, ...rows.map((row, place) => element("tr", { "data-key": keys[place] }, ...cells("td", row))))));
}

/** Returns a share in percent, or an empty text. */
export const percent = (share) => (share == null ? "" : `${(100 * share).toFixed(1)}\u00a0%`);

/** Draws an interval on the scale of all ends, with a line at 0. Without an end it goes on for ever. */
export function interval(ends, [low, value, high]) {
  const [least, most] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const x = (value) => 4 + (92 * (value - least)) / (most - least || 1);
  const [from, to] = [low == null ? 0 : x(low), high == null ? 100 : x(high)];
  return shape("svg", { class: "interval", viewBox: "0 0 100 12", "aria-hidden": "true" },
    shape("line", { class: "cursor", x1: x(0), x2: x(0), y1: 0, y2: 12 }),
    shape("path", { d: `M${from} 6H${to}M${from} 3V9M${to} 3V9` }), shape("circle", { cx: x(value), cy: 6, r: 3.5 }));
}

/** Returns a drop-down list of `[value, text]`, with the one that is chosen. */
export function choice(label, options, chosen, onchange) {
  const items = options.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
  const list = element("select", { onchange: () => onchange(list.value) }, ...items);
  return element("label", {}, `${label} `, list);
}

/** True on screens that are narrow, which get pictures for phones. */
const NARROW = matchMedia("(max-width: 43rem)");

/** True for readers who do not want motion. */
const IS_STILL = matchMedia("(prefers-reduced-motion: reduce)");

/** The time in which a piece moves to its new place, and that in which marks appear, in milliseconds. */
const [SLIDE, APPEAR] = [350, 150];

/** The stylesheet and the symbols of all pictures. */
const KIT = document.createElementNS("http://www.w3.org/2000/svg", "defs");
const { documentElement: kit } = new DOMParser().parseFromString(await (await fetch("/site/kit.svg")).text(), "image/svg+xml");
KIT.append(kit.querySelector("style"), ...kit.querySelectorAll("symbol"));

/** Returns the layout of pictures that fits the screen. */
export const layout = () => (NARROW.matches ? "phone" : "wide");

/** Calls `act` when another layout fits the screen. */
export const onLayout = (act) => NARROW.addEventListener("change", act);

/** Draws a picture of the server; nothing for an empty text. A shadow keeps its stylesheet away from the page. Pieces that stood
 * elsewhere before move to their new places if `hasMotion`. */
export function draw(host, svg, hasMotion = false) {
  const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const before = shadow.firstElementChild;
  // An empty text has no root: the parser would make an error page of it.
  if (!svg) return shadow.replaceChildren();
  const pieces = () => [...shadow.querySelectorAll("[data-id]")].map((piece) => [piece, piece.getBoundingClientRect()]);
  const old = hasMotion && !IS_STILL.matches ? new Map(pieces().map(([piece, place]) => [piece.dataset.id, place])) : new Map();
  const picture = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
  picture.append(KIT.cloneNode(true));
  shadow.replaceChildren(picture);
  const { width, height } = picture.viewBox.baseVal;
  host.style.setProperty("--ratio", width / height);
  // Nothing moves from one layout to another.
  if (!old.size || picture.viewBox.baseVal.width !== before?.viewBox.baseVal.width) return;
  const scale = picture.viewBox.baseVal.width / picture.getBoundingClientRect().width;
  for (const [piece, place] of pieces()) {
    const from = old.get(piece.dataset.id);
    const [x, y] = from ? [(from.x - place.x) * scale, (from.y - place.y) * scale] : [0, 0];
    if (Math.hypot(x, y) > 2) piece.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: SLIDE, easing: "ease-in-out" });
  }
  for (const mark of shadow.querySelectorAll(".new, .new2")) mark.animate([{ opacity: 0 }, { opacity: 1 }], APPEAR);
}

/** Returns a time such as "2 min 5 s". */
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
