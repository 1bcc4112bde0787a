// New matches for people: the form in the lobby, invitations, and the table that waits for its players.

import { NO_COOKIES, ask, post } from "./api.js";
import { bdi, choice, element, joined, show, tell } from "./dom.js";
import { playHere } from "./seat.js";

/** The clocks to choose from. */
const CLOCKS = [["", "none"], ["60/move", "1 minute a decision"], ["300+5", "5 minutes, and 5 s a decision"], ["900+10", "15 minutes, and 10 s a decision"]];

/** The players of a seat that are no bots. */
const PEOPLE = [["me", "I play"], ["friend", "a friend, by a link"], ["open", "an agent that joins"]];

/** The bot that opponents are at first, in any version. */
const USUAL = "easy@";

const kept = (id) => `ahu-invitations-${id}`;

/** Returns the field of a player's name, which the browser remembers. */
function nameField() {
  const field = element("input", { name: "name", maxlength: 32, required: true, value: localStorage.getItem("ahu-name") ?? "guest", autocomplete: "nickname" });
  return [field, element("label", {}, "Your name ", field)];
}

/** Makes a match, takes the own seat, and opens the page of the match. */
async function begin(table, name) {
  const { id, invitations } = await ask("/api/play", post(table));
  sessionStorage.setItem(kept(id), JSON.stringify(invitations.filter(({ player }) => player !== "me")));
  const own = invitations.find(({ player }) => player === "me");
  if (own) await takeSeat(id, own.seat, own.code, name);
  location.assign(`/matches/${id}${own ? `?as=${own.seat}` : ""}`);
}

/** Takes a seat with an invitation code. The same request may be sent again. */
async function takeSeat(id, seat, code, name) {
  localStorage.setItem("ahu-name", name);
  const ticket = `ahu-request-${id}-${seat}`;
  if (!sessionStorage.getItem(ticket)) sessionStorage.setItem(ticket, [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, "0")).join(""));
  await ask(`/api/join/${encodeURIComponent(id)}`, post({ seat, code, name, request_id: sessionStorage.getItem(ticket) }));
  const { may_watch: viewers } = await ask(`/api/matches/${encodeURIComponent(id)}`);
  if (!viewers.includes(`${seat}`)) throw new Error(NO_COOKIES);
  playHere(id, seat);
}

/** Returns the form for a new match. */
export function newTable(server) {
  const games = new Map(server.games.map((game) => [game.id, game]));
  const news = element("div");
  const [seats, options, about] = [element("p", { class: "filters" }), element("dl"), element("p", { class: "quiet" })];
  const [name, naming] = nameField();
  const state = { game: server.games[0].id, seats: [], options: {}, clock: "", bots: [], usual: "" };
  const players = () => {
    const bots = state.bots.map((bot) => [bot.name, bot.name]);
    seats.replaceChildren(
      choice("Seats", Array.from({ length: games.get(state.game).max_seats - games.get(state.game).min_seats + 1 }, (_, more) => {
        const count = `${games.get(state.game).min_seats + more}`;
        return [count, count];
      }), `${state.seats.length}`, (count) => {
        state.seats = Array.from({ length: Number(count) }, (_, seat) => state.seats[seat] ?? state.usual);
        players();
      }),
      ...state.seats.map((player, seat) => choice(`Seat ${seat}`, [...PEOPLE, ...bots], player, (chosen) => {
        // One person sits on one chair.
        if (chosen === "me") state.seats = state.seats.map((other) => (other === "me" ? state.usual : other));
        state.seats[seat] = chosen;
        players();
      })));
    const used = state.bots.filter((bot) => state.seats.includes(bot.name));
    about.replaceChildren(...used.map((bot) => `${bot.name}: ${bot.about} `));
  };
  const choose = async (game) => {
    state.game = game;
    // What is there belongs to another game.
    seats.replaceChildren();
    button.disabled = true;
    const found = await ask(`/api/games/${encodeURIComponent(game)}/choices`);
    if (state.game !== game) return;
    const { min_seats: least } = games.get(game);
    const usual = (found.bots.findLast((bot) => bot.name.startsWith(USUAL)) ?? found.bots[0]).name;
    Object.assign(state, { usual, bots: found.bots, options: {}, seats: Array.from({ length: least }, (_, seat) => (seat ? usual : "me")) });
    players();
    button.disabled = false;
    options.replaceChildren(...found.options.flatMap(({ key, values, meaning }) => {
      const set = (value) => { state.options[key] = value; };
      return [element("dt", {}, choice(key.replaceAll("_", " "), [["", "as usual"], ...values.map((value) => [value, value.replaceAll("_", " ")])], "", set)), element("dd", { class: "quiet" }, meaning)];
    }));
  };
  const submit = async (event) => {
    event.preventDefault();
    const given = Object.entries(state.options).filter(([, value]) => value);
    button.disabled = true;
    await begin({ game: state.game, seats: state.seats, options: Object.fromEntries(given), clock: state.clock }, name.value).catch((error) => tell(news, error, true));
    button.disabled = false;
  };
  const button = element("button", { class: "main" }, "Play");
  choose(state.game).catch((error) => tell(news, error, true));
  return element("section", { class: "play" }, element("h1", {}, "Play"), element("form", { onsubmit: submit },
    element("p", { class: "filters" }, choice("Game", server.games.map(({ id, title }) => [id, title]), state.game, (game) => choose(game).catch((error) => tell(news, error, true))), naming, button),
    seats, about,
    element("details", {}, element("summary", {}, "Clock and rules"), choice("Clock", CLOCKS, "", (clock) => { state.clock = clock; }), options), news));
}

/** Makes the same match again, with new invitations. */
export function rematch(match, seat) {
  const players = match.seats.map(({ player, state }, other) => (other === Number(seat) ? "me" : state === "bot" ? player : "friend"));
  return begin({ game: match.game, seats: players, options: match.options, clock: match.time_control ?? "" }, match.seats[seat].player);
}

/** The reasons why an invitation opens no seat, in words. */
const REFUSALS = {
  SEAT_TAKEN: "Somebody sits there: an invitation opens its seat once.",
  SEAT_RESERVED: "This seat is for somebody with an invitation, and this is none for this seat of this match.",
  MATCH_ENDED: "This invitation has expired: the match has ended.",
};

/** Returns the form by which a person takes a seat; without a code, one that everybody may take. */
function joining(match, seat, code, accepted) {
  const news = element("div");
  const [name, naming] = nameField();
  const submit = async (event) => {
    event.preventDefault();
    try {
      await takeSeat(match.id, seat, code, name.value);
      accepted();
    } catch (error) {
      tell(news, REFUSALS[error.reason] ? { message: REFUSALS[error.reason] } : error, true);
    }
  };
  return element("div", {}, element("form", { class: "filters", onsubmit: submit }, naming, element("button", { class: "main" }, code ? "Take the seat" : `Take seat ${seat}`)), news);
}

/** Shows an invitation, which a person accepts by a name. `accepted()` is called then. */
export function invitation(match, seat, code, accepted) {
  const others = match.seats.flatMap(({ player }) => (player ? [bdi(player)] : []));
  show(`Invitation · ${match.title}`, element("h1", {}, `You are invited to play ${match.title}`),
    element("p", {}, `You get seat ${seat} of ${match.seats.length}. `, ...(others.length ? ["There sit: ", ...joined(others), ". "] : []), element("a", { href: `/rules/${match.game}` }, "The rules")),
    joining(match, seat, code, accepted));
}

/** Returns what a table that waits for players shows: links for friends, and how agents and people join. */
export function waiting(match, isSeated) {
  const links = JSON.parse(sessionStorage.getItem(kept(match.id)) ?? "[]").map(({ seat, code }) => {
    const link = `${location.origin}/matches/${match.id}#seat=${seat}&invite=${code}`;
    return element("p", {}, element("label", {}, `Send this link for seat ${seat} to a friend; it works once: `,
      element("input", { readonly: true, class: "link", value: link, onfocus: (event) => event.target.select() })));
  });
  const open = match.seats.flatMap(({ state }, seat) => (state === "open" ? [seat] : []));
  const others = open.length > links.length ? [element("p", {}, "An agent joins with this id: ", element("code", {}, match.id))] : [];
  if (!isSeated && !links.length) others.push(joining(match, open[0], "", () => location.assign(`/matches/${match.id}?as=${open[0]}`)));
  return element("section", { "aria-label": "Waiting" }, element("p", { role: "status" }, `The match begins when every seat is taken. Open: ${open.map((seat) => `seat ${seat}`).join(", ")}.`), ...links, ...others);
}
