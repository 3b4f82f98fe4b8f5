// Calls of the operator's interface. What fails is an ApiError with the service's own words where it said any.
const BASE = new URL("../api/operator/", import.meta.url);
const TIMEOUT = 30_000;  // ms, of a call that is not held
const MAX_WORDS = 300;  // characters of a message that is shown

export class ApiError extends Error {
  // status 0: no answer came. retryAfter in ms, or null.
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

async function send(method, path, { token, body, signal, timeout = TIMEOUT }) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeout);
  const abort = () => stop.abort();
  signal?.addEventListener("abort", abort);
  try {
    const headers = { Accept: "application/json" };
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(new URL(path, BASE), {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: stop.signal,
      cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
    });
    return { answer, text: await answer.text() };
  } catch {
    if (signal?.aborted) throw new ApiError(-1, "Ended.", null);
    throw new ApiError(0, stop.signal.aborted ? "The service does not answer." : "The service cannot be reached.", null);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

function retryAfterOf(answer) {
  const seconds = Number(answer.headers.get("Retry-After") ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function wordsOf(json, status) {
  const said = typeof json?.message === "string" ? json.message.slice(0, MAX_WORDS) : "";
  return said || `The service answered ${status} and gave no reason.`;
}

// The JSON of a 2xx (null for an empty one), and how long the service wants to be left alone.
export async function call(method, path, options = {}) {
  const { answer, text } = await send(method, path, options);
  const json = parsed(text);
  if (!answer.ok) throw new ApiError(answer.status, wordsOf(json, answer.status), retryAfterOf(answer));
  if (json === null && answer.status !== 204) throw new ApiError(answer.status, "The service's answer makes no sense.", null);
  return { json, retryAfter: retryAfterOf(answer) };
}
