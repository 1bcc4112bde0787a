// The router: each path of the server that is a page has a function that shows it.

import { account, signIn } from "./account.js";
import { ask, insist } from "./api.js";
import { element, failure, show, tell } from "./dom.js";
import { cup, cups } from "./cups.js";
import { agent } from "./ladder.js";
import { lobby } from "./lobby.js";
import { match } from "./match.js";
import { replayFile } from "./replay.js";
import { games, rules } from "./rules.js";

const PAGES = [
  [/^\/$/, lobby],
  [/^\/matches\/([^/]+)$/, match],
  [/^\/replay$/, replayFile],
  [/^\/cups$/, cups],
  [/^\/cups\/([^/]+)$/, cup],
  [/^\/cups\/([^/]+)\/agents\/([^/]+)$/, agent],
  [/^\/account$/, account],
  [/^\/rules$/, games],
  [/^\/rules\/([^/]+)$/, rules],
];

async function open() {
  const path = location.pathname;
  for (const link of document.querySelectorAll("nav a")) {
    const own = link.getAttribute("href");
    const isHere = own === "/" ? path === "/" || path.startsWith("/matches") : path.startsWith(own);
    if (isHere) link.setAttribute("aria-current", "page");
  }
  for (const [pattern, page] of PAGES) {
    const found = pattern.exec(path);
    if (!found) continue;
    const parts = found.slice(1).map(decodeURIComponent);
    const shown = () => page(...parts).catch(async (error) => {
      if (error.reason !== "NO_KEY") throw error;
      show("Sign in", signIn(await ask("/api/account")));
    });
    const news = element("div");
    return insist(shown, (error) => {
      if (!news.isConnected) show("Ahu", news);
      tell(news, error);
    }).catch((error) => show("Error", element("h1", {}, "Error"), failure(error)));
  }
}

open();
