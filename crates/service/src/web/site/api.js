// Requests and streams: errors have a reason and a message, and who may be answered later asks again.

/** The silence after which a stream counts as lost, above two heartbeats of the server, in milliseconds. */
const SILENCE = 40_000;

/** The first pause before the page asks again, and the longest, in milliseconds. */
const [FIRST_PAUSE, LAST_PAUSE] = [1000, 30_000];

/** Returns the answer to a request, with its content still to come. Throws as `ask` does. */
async function request(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server cannot be reached. Is it still running?");
  }
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({ error: { message: `The server answered ${answer.status}.` } }));
  throw Object.assign(new Error(error.message), { reason: error.reason, status: answer.status });
}

/** Returns the content of the answer to a request. Throws an Error with the server's message, its `reason`, and the `status`. */
export async function ask(path, options = {}) {
  const answer = await request(path, options);
  return answer.status === 204 ? null : answer.json();
}

/** Returns the options of a request that brings a value. */
export const post = (value) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) });

/** The reason why a browser that sends no cookie is not known. */
export const NO_COOKIES = "This browser keeps no cookie of this server, so it does not know you. Allow cookies, and try again.";

/** Returns a path with the parts of a query that have a value. */
export function query(path, parts) {
  const given = Object.entries(parts).filter(([, value]) => value !== "" && value != null);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

/** Returns true if the server would answer the same again. */
const isFinal = (error) => [401, 403, 404].includes(error.status);

/** The time in milliseconds after which a connection counts as good, so that the next failure is the first again. */
const STEADY = 30_000;

/** Returns the pause after this many failures, in milliseconds: it grows, and differs from page to page. */
const pauseAfter = (failures) => Math.min(LAST_PAUSE, FIRST_PAUSE * 2 ** failures) * (0.5 + Math.random() / 2);

/** Returns the result of `attempt()`, which is made again until it succeeds or is obsolete. `tell(error)` hears of each failure.
 * Throws what the server would answer again. */
export async function insist(attempt, tell, isObsolete = () => false) {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      // A TypeError is a fault of the page, which would only come again.
      if (isFinal(error) || error instanceof TypeError) throw error;
      if (isObsolete()) return null;
      tell(error);
      await new Promise((resolve) => { setTimeout(resolve, pauseAfter(failures)); });
      if (isObsolete()) return null;
    }
  }
}

/** Makes `attempt(signal, well)` while the page is seen: every `period` milliseconds until its result is true, or without a
 * period until it succeeds; after a failure with a growing pause. `tell(error, isFinal)` hears of each failure, and `tell(null)`
 * that all is well. Returns a function that begins anew. A hidden page has no attempt, since browsers have few connections. */
export function keepAsking(attempt, tell, period) {
  let [present, timer, failures, isOver] = [null, 0, 0, false];
  const begin = async () => {
    clearTimeout(timer);
    present?.abort();
    present = null;
    if (isOver || document.hidden) return;
    const own = new AbortController();
    present = own;
    let since = Infinity;
    const well = () => {
      if (own !== present) return;
      since = Date.now();
      tell(null);
    };
    let pause = period;
    try {
      if (await attempt(own.signal, well)) pause = null;
      if (period) well();
      failures = 0;
    } catch (error) {
      if (own !== present) return;
      // Whoever answers and breaks off at once is asked with a growing pause too.
      if (Date.now() - since > STEADY) failures = 0;
      pause = isFinal(error) ? null : pauseAfter(failures);
      failures += 1;
      tell(error, isFinal(error));
    }
    if (own !== present) return;
    isOver = pause == null;
    if (!isOver) timer = setTimeout(begin, pause);
  };
  const anew = () => {
    isOver = false;
    begin();
  };
  document.addEventListener("visibilitychange", begin);
  anew();
  return anew;
}

/** Reads a stream of events up to its end. `take` has a function for each name of an event. Throws if the stream breaks off, or
 * is silent for so long that its heartbeat has stopped. */
export async function readEvents(path, take, signal, well) {
  const silence = new AbortController();
  let timer = 0;
  const hear = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE);
  };
  try {
    hear();
    const answer = await request(path, { signal: AbortSignal.any([signal, silence.signal]) });
    well();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ;) {
      const { value, done } = await reader.read().catch(() => ({ done: true }));
      if (done) throw new Error("The connection is lost.");
      hear();
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const event of events) {
        const { event: name, data } = Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s)));
        if (name === "end") return;
        if (name === "failure") throw new Error(JSON.parse(data).error.message);
        // An error in the page is reported, and is no failure of the stream.
        queueMicrotask(() => take[name]?.(JSON.parse(data)));
      }
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
