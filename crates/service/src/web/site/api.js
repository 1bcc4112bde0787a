// Requests to the server, whose errors have a reason and a message.

/** Returns the answer to a request. Throws an Error with the server's message, its `reason`, and the `status`. */
export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server cannot be reached. Is it still running?");
  }
  if (answer.ok) return answer.status === 204 ? null : answer.json();
  const { error } = await answer.json().catch(() => ({ error: { message: `The server answered ${answer.status}.` } }));
  throw Object.assign(new Error(error.message), { reason: error.reason, status: answer.status });
}

/** Returns a path with the parts of a query that have a value. */
export function query(path, parts) {
  const given = Object.entries(parts).filter(([, value]) => value !== "" && value != null);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}
