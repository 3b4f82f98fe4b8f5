// Follows the fleet: the overview whenever something changed, and the feed with held reads. Both go on for ever; a failure
// is said and tried again.
import { ApiError } from "./api.js";
import { Backoff, Pause } from "./backoff.js";
import { connected, connecting, lost } from "./link.js";

const WAIT = 25;  // s a read is held by the service
const HELD_TIMEOUT = (WAIT + 10) * 1000;  // ms
const LIMIT = 200;  // events of a page
const BETWEEN_PAGES = 500;  // ms; a busy feed comes in pages of many events, and stays under the operator's rate
const BETWEEN_OVERVIEWS = 1000;  // ms
const SHARE = 5;  // an overview that took long, as of a large fleet, is read less often: one part in so many of the time
const OVERVIEW_EVERY = 15_000;  // ms; presence and times change without an event
const NO_PLACE = 5000;  // ms, when the service answers early and empty

export class Follower {
  #call;
  #sink;
  #stop = new AbortController();
  #pause = new Pause();
  #backoff = new Backoff();
  #cursor = null;
  #epoch = null;
  #refreshTimer = null;
  #refreshAt = 0;
  #refreshed = 0;
  #between = BETWEEN_OVERVIEWS;

  // call(method, path, options); sink: { overview(json), events(list), restart(), signedOut(words) }
  constructor(call, sink) {
    this.#call = call;
    this.#sink = sink;
  }

  start() {
    connecting();
    addEventListener("online", this.retry);
    document.addEventListener("visibilitychange", this.#visible);
    this.#run();
  }

  stop() {
    this.#stop.abort();
    clearTimeout(this.#refreshTimer);
    removeEventListener("online", this.retry);
    document.removeEventListener("visibilitychange", this.#visible);
    this.#pause.wake();
  }

  retry = () => this.#pause.wake();

  #visible = () => {
    if (document.visibilityState === "visible") this.refresh();
  };

  // Reads the overview soon; many calls become one.
  refresh(within = 0, soonest = this.#refreshed + this.#between) {
    const at = Math.max(Date.now() + within, soonest);
    if (this.#refreshTimer !== null && this.#refreshAt <= at) return;
    clearTimeout(this.#refreshTimer);
    this.#refreshAt = at;
    this.#refreshTimer = setTimeout(() => this.#refreshNow(), at - Date.now());
  }

  // After an act of this page: whoever acted waits for what came of it.
  refreshAtOnce() {
    this.refresh(0, 0);
  }

  async #refreshNow() {
    this.#refreshTimer = null;
    try {
      await this.#overview();
    } catch (failure) {
      if (failure.status === 401) this.#sink.signedOut(failure.message);
      else this.refresh(failure.retryAfter ?? OVERVIEW_EVERY);  // the feed's read says that the service is lost
    }
  }

  async #overview() {
    this.#refreshed = Date.now();
    const { json } = await this.#call("GET", "overview", { signal: this.#stop.signal });
    this.#between = Math.max(BETWEEN_OVERVIEWS, SHARE * (Date.now() - this.#refreshed));
    this.#sink.overview(json);
    this.refresh(OVERVIEW_EVERY);
    return json;
  }

  async #run() {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#readOn();
      } catch (failure) {
        if (this.#stop.signal.aborted) return;
        if (!(failure instanceof ApiError)) throw failure;
        if (failure.status === 401) {
          this.#sink.signedOut(failure.message);
          return;
        }
        const ms = this.#backoff.next(failure.retryAfter);
        lost(failure.message, ms, this.retry);
        await this.#pause.wait(ms);
      }
    }
  }

  // The overview answers at once, so a returning service is seen at once; then held reads until one fails.
  async #readOn() {
    const overview = await this.#overview();
    if (this.#cursor === null) {
      this.#cursor = overview.cursor;
      this.#sink.restart();
      this.#sink.events(overview.events);
    }
    connected();
    this.#backoff.reset();
    while (!this.#stop.signal.aborted) {
      if (!(await this.#readPage())) return;
    }
  }

  // False when the store went back and everything has to be read anew.
  async #readPage() {
    const asked = Date.now();
    const { json, retryAfter } = await this.#call("GET", `events?after=${this.#cursor}&limit=${LIMIT}&wait=${WAIT}`,
      { signal: this.#stop.signal, timeout: HELD_TIMEOUT });
    connected();
    const wentBack = json.cursor < this.#cursor ||
      (this.#epoch !== null && json.epoch !== this.#epoch && json.epoch_head < this.#cursor);
    this.#epoch = json.epoch;
    if (wentBack) {
      this.#cursor = null;
      return false;
    }
    const still = json.cursor === this.#cursor;
    this.#cursor = json.cursor;
    if (json.events.length > 0) {
      this.#sink.events(json.events);
      this.refresh();
      await this.#pause.wait(BETWEEN_PAGES);
    } else if (still && Date.now() - asked < NO_PLACE) {
      await this.#pause.wait(retryAfter ?? NO_PLACE);
    }
    return true;
  }
}
