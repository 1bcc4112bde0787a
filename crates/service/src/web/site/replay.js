// Replays: of a match that has ended, and of a record file that the reader drops onto the page.

import { ask, insist, query } from "./api.js";
import { boardView, chart, eventLog, isTyping, result, seatsView, terms, titleOf, viewerNames } from "./board.js";
import { bdi, choice, element, failure, layout, onLayout, show, tell } from "./dom.js";

/** The steps a second of each speed; after a "t", of turns. */
const SPEEDS = [["0.5", "slow"], ["2", "medium"], ["4", "quick"], ["16", "very quick"], ["t0.5", "turns, slow"], ["t2", "turns, quick"]];

/** The most steps a second at which pieces move. */
const MOVING = 8;

/** The number of boards that are kept. */
const KEPT = 200;

/** The pause before the address gets the ply, in milliseconds: browsers refuse to write it too often. */
const SETTLED = 250;

/** Shows the replay of a match that has ended. */
export async function replayMatch(path, described) {
  const source = {
    load: (viewer) => ask(query(`${path}/replay`, { as: viewer })),
    board: (viewer, ply) => ask(query(`${path}/replay/board`, { as: viewer, ply, layout: layout() })),
  };
  const viewers = described.may_watch.includes("all") ? described.may_watch : ["public"];
  const host = element("div");
  show(titleOf(described), element("h1", {}, described.title), host);
  await replay(host, source, described, viewers, true);
}

/** Shows the page onto which the reader drops a record. */
export async function replayFile() {
  const host = element("div");
  const open = async (file) => {
    const body = await file.arrayBuffer();
    const send = (path) => ask(path, { method: "POST", body });
    const source = {
      load: (viewer) => send(query("/api/record", { as: viewer })),
      board: (viewer, ply) => send(query("/api/record/board", { as: viewer, ply, layout: layout() })),
    };
    host.replaceChildren(element("p", { role: "status" }, "Reading ", bdi(file.name), " …"));
    try {
      const { match } = await source.load("public");
      const title = element("h2", {}, `${match.title}: `, bdi(file.name));
      const place = element("div");
      host.replaceChildren(title, place);
      await replay(place, source, match, ["public", ...match.seats.map((_, seat) => `${seat}`), "all"]);
    } catch (error) {
      host.replaceChildren(failure(error));
    }
  };
  const input = element("input", { type: "file", id: "file", onchange: () => input.files[0] && open(input.files[0]) });
  const zone = element("div", {
    class: "drop",
    ondragover: (event) => event.preventDefault(),
    ondrop: (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
    },
  }, element("label", { for: "file" }, "Drop a record here, or choose a file: "), input);
  show("Replay a file", element("h1", {}, "Replay a file"), zone,
    element("p", { class: "quiet" }, "The server reads the file and keeps nothing of it."), host);
}

/** Returns the ply that the address of the page names; null if it names none. */
function plyInAddress() {
  const ply = new URLSearchParams(location.search).get("ply");
  return /^[0-9]+$/.test(ply ?? "") ? Number(ply) : null;
}

/** Shows a replay in an element: the board, a scrubber, and the events by ply. It begins at the end. The address of a page that
 * `isLinked` names the ply. */
async function replay(host, source, match, viewers, isLinked = false) {
  const wanted = isLinked ? new URLSearchParams(location.search).get("as") : null;
  let viewer = viewers.includes(wanted) ? wanted : viewers[0];
  let [moments, playing, speed, isByTurn, writing] = [[], 0, 2, false, 0];
  let at = (isLinked ? plyInAddress() : null) ?? Infinity;
  let boards = new Map();
  let verdict = "";

  const [board, seats, curves] = [boardView(match), seatsView(match), chart(match, "ply")];
  const news = element("p", { role: "status", class: "quiet" });
  const scrubber = element("input", { type: "range", min: 0, value: 0, class: "scrubber", "aria-label": "Ply", oninput: () => go(Number(scrubber.value)) });
  const ply = element(isLinked ? "a" : "span");
  const turn = element("span");
  const play = element("button", { type: "button", onclick: () => toggle() }, "Play");
  // A click on an event is a step in the history of the browser.
  const log = eventLog(match, (index, isKey) => {
    if (isKey) return go(index);
    if (isLinked) {
      settle();
      history.pushState(null, "", address(index));
    }
    jump(index);
  });

  /** Returns the address of a ply, as the present viewer sees it. */
  const address = (index) => query("", { as: viewer === viewers[0] ? "" : viewer, ply: index });
  /** Returns a board, from those that are kept if it is there. */
  const boardAt = (ply) => {
    if (!boards.has(ply)) {
      if (boards.size >= KEPT) boards.delete(boards.keys().next().value);
      const asked = source.board(viewer, ply);
      asked.catch(() => boards.delete(ply));
      boards.set(ply, asked);
    }
    return boards.get(ply);
  };
  /** Writes the present ply into the address, if that is due. */
  const settle = () => {
    if (writing) history.replaceState(null, "", address(at));
    clearTimeout(writing);
    writing = 0;
  };
  const go = (index) => {
    const shown = jump(index);
    if (isLinked) {
      clearTimeout(writing);
      writing = setTimeout(settle, SETTLED);
    }
    return shown;
  };
  const jump = async (index) => {
    at = Math.min(Math.max(index, 0), moments.length - 1);
    const moment = moments[at];
    scrubber.value = at;
    scrubber.setAttribute("aria-valuetext", `ply ${moment.ply}, turn ${moment.turn}`);
    ply.textContent = `Ply ${moment.ply} of ${moments.at(-1).ply}`;
    if (isLinked) ply.href = address(at);
    turn.textContent = `, turn ${moment.turn}`;
    curves.point(at);
    log.mark(at);
    const isObsolete = () => moment !== moments[at];
    try {
      const position = await insist(() => boardAt(moment.ply), failed, isObsolete);
      if (isObsolete()) return;
      news.textContent = verdict;
      board.update(position, !playing || speed <= MOVING);
      seats.update(position);
      if (moments[at + 1]) boardAt(moments[at + 1].ply).catch(() => {});
    } catch (error) {
      stop();
      tell(news, error, true);
    }
  };
  const turnFrom = (step) => {
    const turn = moments[at].turn;
    if (step > 0) return moments.findIndex((moment) => moment.turn > turn);
    const first = moments.findIndex((moment) => moment.turn === turn);
    return at > first ? first : Math.max(0, moments.findIndex((moment) => moment.turn === moments[Math.max(0, first - 1)].turn));
  };
  const turns = (step) => {
    const found = turnFrom(step);
    go(found < 0 ? moments.length - 1 : found);
  };
  const stop = () => {
    clearInterval(playing);
    playing = 0;
    play.textContent = "Play";
  };
  const failed = (error) => {
    stop();
    tell(news, error);
  };
  const toggle = () => {
    if (playing) return stop();
    if (at === moments.length - 1) go(0);
    play.textContent = "Pause";
    const next = () => (isByTurn ? turns(1) : go(at + 1));
    playing = setInterval(() => (at < moments.length - 1 ? next() : stop()), 1000 / speed);
  };
  const load = async (chosen) => {
    viewer = chosen;
    boards = new Map();
    stop();
    const loaded = await (isLinked ? insist(() => source.load(chosen), failed, () => viewer !== chosen) : source.load(chosen));
    if (viewer !== chosen) return;
    moments = loaded.moments;
    verdict = loaded.problem ? `This record is not whole: ${loaded.problem}` : "Verified: all chance follows from the seed.";
    news.textContent = verdict;
    scrubber.max = moments.length - 1;
    curves.update(moments.map(({ scores }, index) => [index, scores]), moments.length - 1);
    log.clear();
    log.add(moments.map(({ text, turn, comment }, index) => {
      return { number: index, turn, text: text || (index ? "…" : "the beginning"), comment };
    }));
    await jump(at);
  };
  const KEYS = {
    ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), ArrowUp: () => turns(-1), ArrowDown: () => turns(1),
    Home: () => go(0), End: () => go(moments.length - 1), " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) || (event.key === " " && event.target.closest?.("button"))) return;
    const act = KEYS[event.key];
    if (!act || !host.isConnected) return;
    event.preventDefault();
    act();
  });

  const button = (text, name, act) => element("button", { type: "button", title: name, "aria-label": name, onclick: act }, text);
  host.replaceChildren(
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      element("strong", { class: "result" }, ...(match.state === "running" ? [] : result(match))),
      choice("View", viewerNames(viewers, match), viewer, (chosen) => load(chosen).then(() => isLinked && history.replaceState(null, "", address(at))).catch((error) => tell(news, error, true))),
      choice("Speed", SPEEDS, "2", (chosen) => {
        [speed, isByTurn] = [Number(chosen.replace("t", "")), chosen.startsWith("t")];
        if (playing) {
          stop();
          toggle();
        }
      }), board.whole),
    element("div", { class: "columns" }, board.element,
      element("div", { class: "side" }, seats.element, log.element, curves.element, news, terms(match))),
    element("p", { class: "quiet" }, "Keys: left and right for a ply, up and down for a turn, Home, End, and space to play."),
    element("div", { class: "bar", role: "group", "aria-label": "Plies" },
      button("|‹", "First", () => go(0)), button("«", "Turn back", () => turns(-1)), button("‹", "Back", () => go(at - 1)), play,
      button("›", "Forward", () => go(at + 1)), button("»", "Next turn", () => turns(1)), button("›|", "Last", () => go(moments.length - 1)),
      scrubber, element("span", { class: "place" }, ply, turn)));
  await load(viewer);
  onLayout(() => {
    if (!host.isConnected) return;
    boards = new Map();
    jump(at);
  });
  if (!isLinked) return;
  window.addEventListener("popstate", () => {
    clearTimeout(writing);
    writing = 0;
    jump(plyInAddress() ?? Infinity);
  });
}
