// A seat in the browser: what a person may do, by clicks on the board, by a list, or by keys. The page knows no rule: the server
// says which actions are legal, and which elements of the picture each of them touches.

import { ask, post, query } from "./api.js";
import { isTyping, named } from "./board.js";
import { duration, element, layout, renew, tell } from "./dom.js";
import { rulesOf } from "./rules.js";

/** The times that are left when the page warns, in milliseconds. */
const WARNINGS = [30_000, 10_000];

/** The pause before a decision without a choice is sent where people would notice that it was none: the least, and the range. */
const [LEAST_PAUSE, PAUSES] = [2000, 4000];

/** The topics of the rules that a player seldom needs. */
const FOLDED = ["Actions", "Rulings", "Options"];

/** The lines around what can be chosen: widths and colours, outer first. They stand out from every ground. */
const LINES = [[5, "#fff"], [2.5, "#1f3fbf"]];

const keyOf = (id) => `ahu-play-${id}`;

/** Returns true if this tab plays a seat; other tabs watch it. */
export const isPlayedHere = (id, seat) => sessionStorage.getItem(keyOf(id)) === `${seat}`;

/** Lets this tab play a seat. */
export const playHere = (id, seat) => sessionStorage.setItem(keyOf(id), `${seat}`);

/** Returns a box that the browser remembers. */
function remembered(name, text) {
  const box = element("input", { type: "checkbox", checked: localStorage.getItem(name) === "yes", onchange: () => localStorage.setItem(name, box.checked ? "yes" : "no") });
  return [box, element("label", {}, box, ` ${text}`)];
}

function beep() {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.15);
  tone.onended = () => audio.close();
}

/** Returns the view of a seat that is played here: an element, `take(position)`, `over(position)`, which is the position with the
 * draft, `mark()` after each drawing of the board, `tick(left)`, and `end()`. `redraw()` draws the board again, and
 * `isPresent()` is false while it shows the past. */
export function seatView(path, match, seat, board, redraw, isPresent) {
  const kept = `ahu-draft-${match.id}-${seat}`;
  const hasPeople = match.seats.some(({ state }, other) => state !== "bot" && other !== Number(seat));
  /** The open decision, the last one that was answered, and the number of requests so far, of which only the last one counts. */
  let [open, answered, requests, pause] = [null, 0, 0, 0];
  /** The draft as the server knows it, and the elements that were clicked for the next action. */
  let [draft, picked, current, isSending, isAsked] = [null, [], null, false, false];
  let [since, warned, seen, sent] = [[], Infinity, {}, 0];

  const news = element("p", { role: "status", class: "question" });
  const [question, held] = [element("p", { class: "question" }), element("p", { class: "quiet" })];
  // What the server did not answer, and what it refused.
  const [problem, refusal] = [element("div"), element("div")];
  const chips = element("ol", { class: "chips", "aria-label": "Your choices so far" });
  const confirm = element("button", { type: "button", class: "main", onclick: () => send() }, "Confirm");
  const back = element("button", { type: "button", onclick: () => takeBack() }, "Take back");
  const all = element("button", { type: "button", onclick: () => narrow([]) }, "All actions");
  const filter = element("input", { type: "search", "aria-keyshortcuts": "/", oninput: () => list() });
  const filtering = element("label", {}, "Filter ", filter);
  const choices = element("ul", { class: "actions choices", "aria-label": "Legal actions", onkeydown: (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const buttons = [...choices.querySelectorAll("button")];
    if (!step || !buttons.length) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length].focus();
  }, onclick: (event) => {
    const id = event.target.closest("button")?.dataset.action;
    if (id != null) choose(Number(id));
  } });
  const past = element("ul", { class: "log quiet since" });
  const told = element("details", { open: true }, element("summary", {}, "Since your last choice"), past);
  const clock = element("p", { class: "quiet" });
  const [asksFirst, asking] = remembered("ahu-ask", "Confirm every action, not only chains");
  const [sounds, sounding] = remembered("ahu-sound", "Sound");
  const resign = element("button", { type: "button", onclick: async () => {
    if (window.confirm("Resign? A bot plays on for you.")) await ask(query(`${path}/resign`, { as: seat }), post({})).catch((error) => tell(problem, error, true));
  } }, "Resign");
  const rules = element("article");
  const section = element("section", { class: "seat-panel", "aria-label": "Your seat" },
    element("div", { class: "seat-head" }, news, clock, element("p", { class: "buttons steady" }, confirm, back, all, filtering)),
    problem, refusal, element("div", { class: "asked" }, question, held), choices, chips,
    told,
    element("details", { ontoggle: async ({ target }) => {
      if (!target.open || rules.children.length) return;
      let into = rules;
      for (const node of (await rulesOf(match.game)).nodes) {
        if (node.nodeName === "H2") into = rules;
        if (node.nodeName === "H2" && FOLDED.includes(node.textContent)) {
          into = element("details", {}, element("summary", {}, node.textContent));
          rules.append(into);
        } else into.append(node);
      }
      // The phase that the table names.
      const headline = board.element.querySelector("pre").textContent.split("\n")[0].toLowerCase();
      const here = [...rules.querySelectorAll("strong")].find(({ textContent }) => headline.includes(textContent.toLowerCase().replace(/\W+$/, "")));
      here?.classList.add("here");
      here?.scrollIntoView({ block: "center" });
    } }, element("summary", {}, "Rules"), rules),
    element("p", { class: "buttons" }, asking, sounding, resign));

  const say = (...parts) => news.replaceChildren(...parts);
  const ids = () => draft.steps.map(({ id }) => id);
  /** Returns the legal actions that touch all elements that were clicked. */
  const touching = () => (draft?.legal ?? []).filter(({ targets }) => picked.every((target) => targets.includes(target)));
  /** Returns the elements of the picture that can be clicked now. */
  const available = () => new Set(touching().flatMap(({ targets }) => targets).filter((target) => !picked.includes(target)));
  const elements = (wanted) => [...(board.picture.shadowRoot?.querySelectorAll("[data-t]") ?? [])].filter(({ dataset }) => wanted.has(dataset.t));
  const titleOf = (node) => [...node.children].find(({ nodeName }) => nodeName === "title")?.textContent ?? node.dataset.t;

  const list = () => {
    const words = filter.value.toLowerCase().split(" ");
    const found = touching().filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
    // What nothing on the board stands for comes first.
    found.sort((one, other) => Math.min(one.targets.length, 1) - Math.min(other.targets.length, 1));
    renew(choices, ...found.map(({ id, text }, place) => element("li", { "data-key": `${id}` },
      element("button", { type: "button", "data-action": id, tabindex: place ? "-1" : "0" }, ...named(match, text)))));
    filtering.hidden = (draft?.legal.length ?? 0) < 9;
    all.hidden = !picked.length;
  };
  const hold = () => {
    const holdings = draft?.holdings || seen.holdings;
    held.textContent = holdings ? `You have ${holdings.replaceAll("_", " ")}.` : "";
  };
  const render = () => {
    question.replaceChildren(...named(match, draft?.question ?? ""));
    hold();
    renew(chips, ...(draft?.steps ?? []).map(({ text, forced }, place) => element("li", { class: forced ? "quiet" : null },
      ...named(match, text), " ", forced ? null : element("button", { type: "button", "aria-label": `Take back from here: ${text}`, "data-place": place }, "×"))));
    [confirm.hidden, confirm.disabled] = [!isAsked, Boolean(isSending)];
    back.hidden = !draft?.steps.some(({ forced }) => !forced);
    choices.hidden = !draft?.open;
    list();
  };
  chips.addEventListener("click", (event) => {
    const place = event.target.closest("button")?.dataset.place;
    if (place != null && isSending !== open) load(ids().slice(0, Number(place)));
  });

  const load = async (actions) => {
    requests += 1;
    const own = requests;
    clearTimeout(pause);
    try {
      const found = await ask(query(`${path}/draft`, { as: seat, layout: layout() }), post({ decision: open, actions }));
      if (own !== requests) return;
      // What ends a draft is not tried: the table stays as it was before.
      if (!found.open) found.svg = draft?.svg;
      [draft, picked, current] = [found, [], null];
    } catch (error) {
      if (own !== requests) return;
      // A draft of another day: the decision may be open all the same, or is over.
      if (error.status === 409) return actions.length ? load([]) : rest();
      return tell(problem, error, true);
    }
    tell(problem, null);
    filter.value = "";
    sessionStorage.setItem(kept, JSON.stringify({ decision: open, actions: ids() }));
    const hasChoice = draft.steps.some(({ forced }) => !forced);
    isAsked = !draft.open && hasChoice && (draft.steps.length > 1 || asksFirst.checked);
    say(isAsked ? "Others see this once you confirm. It cannot be taken back then." : "Your turn.");
    render();
    redraw();
    if (draft.open) return;
    if (isAsked) return confirm.focus();
    if (hasChoice) return send();
    say("You have one legal action, which is sent: ", ...draft.steps.flatMap(({ text }) => named(match, text)));
    pause = setTimeout(send, hasPeople ? LEAST_PAUSE + Math.random() * PAUSES : 0);
  };
  const choose = (id) => {
    // The answer is under way, and the server may have it.
    if (isSending === open) return null;
    tell(refusal, null);
    return load([...ids(), id]);
  };
  const takeBack = () => {
    const place = draft?.steps.findLastIndex(({ forced }) => !forced) ?? -1;
    if (place >= 0 && isSending !== open) load(ids().slice(0, place));
  };
  const narrow = (targets) => {
    picked = targets;
    const left = touching();
    if (left.length === 1) return choose(left[0].id);
    say(picked.length ? `${left.length} actions are left.` : "Your turn.");
    render();
    redraw();
  };
  const send = async () => {
    clearTimeout(pause);
    if (!draft || draft.open || isSending) return;
    const [decision, actions, hasChoice] = [open, ids(), draft.steps.some(({ forced }) => !forced)];
    [isSending, confirm.disabled, sent] = [decision, true, decision + actions.length - 1];
    const failed = await ask(query(`${path}/answer`, { as: seat }), post({ decision, actions })).then(() => null, (error) => error);
    isSending = false;
    const isRefused = failed?.status === 409;
    tell(isRefused ? refusal : problem, failed, true);
    // The draft stays where the server, or a proxy before it, did not decide: to confirm it again does no harm.
    isAsked = Boolean(failed);
    if (failed && !isRefused) return render();
    sessionStorage.removeItem(kept);
    if (!failed) [answered, since] = [Math.max(answered, decision + actions.length - 1), hasChoice ? [] : since];
    if (open !== decision) return null;
    if (!failed) return rest();
    // Of a chain that broke off, the first steps may have been taken.
    open = seen.decision?.number ?? open;
    return load([]);
  };
  const rest = () => {
    requests += 1;
    clearTimeout(pause);
    [open, draft, picked, isAsked] = [null, null, [], false];
    say("The others have to act.");
    render();
    redraw();
  };

  const mark = () => {
    board.picture.shadowRoot?.querySelectorAll(".can").forEach((line) => line.remove());
    const found = elements(available());
    if (!found.includes(current)) current = null;
    for (const node of found) {
      const { x, y, width, height } = node.getBBox();
      for (const [line, colour] of LINES) {
        const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        const shape = { class: "can", x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 5, stroke: colour, "stroke-width": node === current ? line * 2 : line };
        for (const [name, value] of Object.entries({ ...shape, fill: "#fff", "fill-opacity": 0 })) box.setAttribute(name, value);
        node.append(box);
      }
    }
  };
  board.picture.addEventListener("click", (event) => {
    if (!draft?.open || !section.isConnected || !isPresent()) return;
    // Whatever lies there, from the top down, each with what it is a part of: a piece on a place hides no place.
    const touched = board.picture.shadowRoot.elementsFromPoint(event.clientX, event.clientY).flatMap((node) => {
      const around = [];
      for (let part = node.closest("[data-t]"); part; part = part.parentNode.closest?.("[data-t]")) around.push(part);
      return around;
    });
    // Of several, the smallest, and of equals that whose middle is next: boxes overlap.
    const cost = (node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      const far = Math.hypot(event.clientX - x - width / 2, event.clientY - y - height / 2) / Math.hypot(width, height);
      return width * height * (1 + 4 * far ** 2);
    };
    const hits = touched.filter(({ dataset }) => available().has(dataset.t));
    const hit = hits.length ? hits.reduce((best, node) => (cost(node) < cost(best) ? node : best)) : null;
    if (hit) narrow([...picked, hit.dataset.t]);
    else if (touched.length) say(`${titleOf(touched[0])}: no legal action of yours touches it now. ${draft.question}`);
  });
  board.picture.addEventListener("keydown", (event) => {
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    const found = section.isConnected && isPresent() ? elements(available()) : [];
    if (!found.length) return;
    if (event.key === "Enter" && current && !event.ctrlKey) narrow([...picked, current.dataset.t]);
    else if (x || y) {
      const middle = (node) => {
        const box = node.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      };
      const [fromX, fromY] = current ? middle(current) : [0, 0];
      // The distance in the direction, and twice that across it.
      const far = (node) => {
        const [along, across] = [(middle(node)[0] - fromX) * x + (middle(node)[1] - fromY) * y, (middle(node)[0] - fromX) * y + (middle(node)[1] - fromY) * x];
        return along > 1 ? along + 2 * Math.abs(across) : Infinity;
      };
      const next = current ? found.reduce((best, node) => (far(node) < far(best) ? node : best)) : found[0];
      if (!current || far(next) < Infinity) current = next;
      say(`${titleOf(current)}; ${touching().filter(({ targets }) => targets.includes(current.dataset.t)).length} actions`);
      mark();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("keydown", (event) => {
    if (!section.isConnected || !draft) return;
    const isConfirm = event.key === "Enter" && event.ctrlKey;
    const isFilter = event.key === "/" && !event.target.closest?.("input, textarea, select");
    if (!isConfirm && !isFilter && isTyping(event)) return;
    const act = isConfirm ? send : { Backspace: takeBack, "/": () => filter.focus() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  board.picture.tabIndex = 0;
  board.picture.setAttribute("role", "group");
  board.picture.setAttribute("aria-label", "Board: the arrow keys go to what you can choose, Enter chooses, Backspace takes back");
  render();

  return {
    element: section,
    take(position) {
      seen = position;
      hold();
      since.push(...position.events);
      renew(past, ...since.map(({ text }) => element("li", {}, ...named(match, text))));
      // Of a chain under way, the server tells each step.
      if (isSending && position.decision?.number <= sent) return;
      const [number, fault] = [position.decision?.number, position.forfeits.find((forfeit) => `${forfeit.seat}` === seat)];
      if (number == null || number <= answered) {
        if (open != null) rest();
        if (fault) say(`You have forfeited (${fault.cause}). A bot plays on for you.`);
        else if (!news.textContent) say("The others have to act.");
        return;
      }
      // After a cut, what was not answered is asked again.
      if (number === open) return draft ? null : load([]);
      tell(refusal, null);
      [open, warned] = [number, Infinity];
      if (sounds.checked) beep();
      const saved = JSON.parse(sessionStorage.getItem(kept) ?? "{}");
      load(saved.decision === open ? saved.actions : []);
    },
    over: (position) => (draft?.svg ? { ...position, svg: draft.svg, question: "" } : { ...position, question: "" }),
    mark,
    anew: () => open != null && load(draft ? ids() : []),
    tick(left) {
      clock.textContent = open == null ? "" : `${duration(left)} left`;
      const due = WARNINGS.findLast((warning) => left <= warning);
      if (due && due < warned && open != null) say(`${due / 1000} seconds are left.`);
      if (open != null) warned = due ?? Infinity;
    },
    end() {
      rest();
      section.replaceChildren(told);
    },
  };
}
