// @ts-check
// Talking to the server: one function for an answer, one for a stream of events. Turns whatever goes wrong into one
// kind of error that the places of the page can show. What the answers mean is left to those who ask.

/** @import {Answer, ErrorBody} from "./types.js" */

const ROOT = "/api/v1/";

/** What went wrong, in words for the reader; `kind` is the server's, or "unreachable". */
export class ApiError extends Error {
  /**
   * @param {Partial<ErrorBody> & {kind: string, message: string}} body
   * @param {any} [answer]
   * @param {number} [wait] seconds
   */
  constructor(body, answer = null, wait = 0) {
    super(body.message);
    this.kind = body.kind;
    this.where = body.where ?? null;
    this.command = body.command ?? null;
    this.seeds = body.seeds ?? null;
    this.answer = answer;
    this.wait = wait;
  }
}

/** @param {unknown} error @returns {boolean} whether a request was dropped because its answer is no longer wanted */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * The address of an endpoint with its query; empty parameters are left out.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [query]
 */
export function endpoint(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return ROOT + path + (text ? `?${text}` : "");
}

/**
 * A JSON answer. Raises {@link ApiError}, or an AbortError where `signal` dropped it.
 * @param {string} path
 * @param {Record<string, any>} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(path, query = {}, signal) {
  const response = await reach(endpoint(path, query), { signal });
  return stillWanted(response.json(), signal);
}

/**
 * A JSON answer to a body: text as text, anything else as JSON.
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function send(path, body, signal) {
  const plain = typeof body === "string";
  const headers = { "Content-Type": plain ? "text/plain; charset=utf-8" : "application/json" };
  const response = await reach(endpoint(path), {
    method: "POST",
    headers,
    body: plain ? body : JSON.stringify(body),
    signal,
  });
  return stillWanted(response.json(), signal);
}

/**
 * What a request brought, unless it was dropped while the last of it was on its way: then the browser gives it all the same,
 * and it would overwrite what has been done since.
 * @template T
 * @param {Promise<T>} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function stillWanted(body, signal) {
  const answer = await body;
  signal?.throwIfAborted();
  return answer;
}

/** Times that a refused request is made again, where the server has too much to do at the moment. */
const AGAIN = 6;

/**
 * Asks again after a pause, as long as the server is busy with others: it says how long to wait.
 * @template T
 * @param {() => Promise<T>} request
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export async function patiently(request, signal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      const busy = error instanceof ApiError && (error.kind === "too-many" || error.kind === "busy");
      if (!busy || tries > AGAIN) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * (error.wait || 1)));
      signal.throwIfAborted();
    }
  }
}

/**
 * What the server says of an Oware position, also where its table is missing: then the answer has an `error` beside the
 * board and the moves. Asked as a list of one, which is answered with 200 whatever the position: a table that is not there
 * and a position half typed are no failures of the page.
 * @param {{rules: string, position: string, moves?: string}} game
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
export async function askOware(game, signal) {
  const [answer] = await send("oware", [game], signal);
  if (answer.error && !answer.position) throw new ApiError(answer.error, answer);
  return answer;
}

/**
 * @param {string} path
 * @param {Record<string, any>} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>} a plain text answer
 */
export async function askText(path, query, signal) {
  const response = await reach(endpoint(path, query), { signal });
  return stillWanted(response.text(), signal);
}

/**
 * Server-sent events as they come, until the stream ends. Read by hand, since EventSource tells nothing of a refusal.
 * @param {string} path
 * @param {Record<string, any>} query
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{event: string, data: any}>}
 */
export async function* events(path, query, signal) {
  const response = await reach(endpoint(path, query), { signal, headers: { Accept: "text/event-stream" } });
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader
      .read()
      .catch((error) => Promise.reject(isAbort(error) ? error : unreachable()));
    signal.throwIfAborted();
    if (done) return;
    text += value.replaceAll("\r\n", "\n");
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const found = readEvent(block);
      if (found) yield found;
    }
  }
}

/** @param {string} block the lines of one event */
function readEvent(block) {
  const lines = block.split("\n");
  const event =
    lines
      .find((line) => line.startsWith("event:"))
      ?.slice(6)
      .trim() ?? "message";
  const data = lines
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5))
    .join("\n");
  return data ? { event, data: JSON.parse(data) } : null;
}

/** @param {string} address @param {RequestInit} request @returns {Promise<Response>} */
async function reach(address, request) {
  let response;
  try {
    response = await fetch(address, request);
  } catch (error) {
    throw isAbort(error) ? error : unreachable();
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const wait = Number(response.headers.get("Retry-After")) || 0;
  const error = body?.error ?? {
    kind: "unknown",
    message: `The server answered ${response.status} ${response.statusText}.`,
  };
  throw new ApiError(error, body, wait);
}

function unreachable() {
  return new ApiError({ kind: "unreachable", message: "The server does not answer. Is “abapa serve” still running?" });
}
