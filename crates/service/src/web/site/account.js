// The account: signing in with a key, own keys, own matches.

import { NO_COOKIES, ask } from "./api.js";
import { element, failure, show, table } from "./dom.js";
import { listed } from "./lobby.js";

const SESSION = "/api/session";

/** Shows the account of the session, or the form that signs in. */
export async function account() {
  const account = await ask("/api/account");
  show("Account", ...(account.signed_in ? signedIn(account) : [signIn(account)]));
}

/** Returns the form that signs in. The key goes to the server once, and the browser keeps a cookie that scripts cannot read. */
export function signIn({ required, has_accounts: hasAccounts }) {
  const news = element("div", { role: "status" });
  const key = element("input", { type: "password", name: "key", autocomplete: "current-password", required: true });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await ask(SESSION, { method: "POST", body: JSON.stringify({ key: key.value }) });
      if (!(await ask("/api/account")).signed_in) throw new Error(NO_COOKIES);
      location.reload();
    } catch (error) {
      key.value = "";
      news.replaceChildren(failure(error));
    }
  };
  const why = required ? "This server shows matches to people with a key." : "With a key you see your matches and your keys.";
  return element("section", {},
    element("h1", {}, "Sign in"),
    element("p", {}, hasAccounts || required ? `${why} The operator of the server gives you one.` : "This server has no accounts."),
    hasAccounts || required
      ? element("form", { class: "filters", onsubmit: submit }, element("label", {}, "Key ", key), element("button", {}, "Sign in"))
      : null,
    news);
}

function signedIn({ name, kind, scopes, keys, matches }) {
  const out = async () => {
    await ask(SESSION, { method: "DELETE" });
    location.assign("/");
  };
  const day = (seconds) => new Date(seconds * 1000).toLocaleDateString();
  const row = (key) => [
    `${key.id} ${key.label}`, key.scopes.join(", "),
    `${key.valid ? "valid" : "not valid"}, made ${day(key.created)}${key.expires ? `, ends ${day(key.expires)}` : ""}`,
  ];
  return [
    element("h1", {}, name),
    element("p", {}, `The account is of the kind ${kind}. The key of this session is for: ${scopes.join(", ")}.`),
    element("p", { class: "buttons" }, element("button", { type: "button", onclick: out }, "Sign out")),
    table("Keys", ["Key", "Scopes", "State"], keys.map(row)),
    matches.length ? listed("Your matches", matches) : element("p", {}, "You have played no match here yet."),
  ];
}
