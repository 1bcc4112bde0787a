// The rules of the games, in our own words.

import { ask } from "./api.js";
import { element, show } from "./dom.js";

/** Shows the list of games. */
export async function games() {
  const { games: all } = await ask("/api/server");
  show("Rules", element("h1", {}, "Rules"), element("ul", {}, ...all.map(({ id, title, min_seats: least, max_seats: most, credit }) => element("li", {},
    element("a", { href: `/rules/${id}` }, title), `, ${least} to ${most} seats. `, element("span", { class: "quiet" }, credit)))));
}

/** Returns the rules of a game: their title, and nodes. */
export async function rulesOf(game) {
  const { title, html } = await ask(`/api/games/${encodeURIComponent(game)}/rules`);
  // The server has made the markup from the rules of the program, and has escaped their text.
  return { title, nodes: [...new DOMParser().parseFromString(html, "text/html").body.childNodes] };
}

/** Shows the rules of a game. */
export async function rules(game) {
  const { title, nodes } = await rulesOf(game);
  show(title, element("article", {}, ...nodes));
}
