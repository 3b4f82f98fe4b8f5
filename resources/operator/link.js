// Whether the service answers, said at the top. While it does not, what is shown is old, and the page says since when.
import { byId, setText } from "./dom.js";
import { now } from "./time.js";

let lastSeen = "";
let countdown = null;

function show(state, text) {
  byId("link").hidden = false;
  byId("link").dataset.state = state;
  setText(byId("link-text"), text);
  document.body.classList.toggle("stale", state === "lost");
  byId("lost").hidden = state !== "lost";
}

export function connecting() {
  show("connecting", "Connecting");
}

export function connected() {
  clearInterval(countdown);
  lastSeen = now();
  show("live", "Live");
}

// why: the service's words or ours; ms until the next try.
export function lost(why, ms, retryNow) {
  clearInterval(countdown);
  const next = Date.now() + ms;
  const since = lastSeen ? ` What you see is of ${lastSeen}.` : "";
  show("lost", "Connection lost");
  setText(byId("lost-text"), `Connection lost. ${why}${since}`);
  const button = byId("retry");
  const tick = () => setText(button, `Try now (${Math.max(0, Math.ceil((next - Date.now()) / 1000))} s)`);
  tick();
  countdown = setInterval(tick, 1000);
  button.onclick = retryNow;
}

export function noLink() {
  clearInterval(countdown);
  lastSeen = "";
  byId("link").hidden = true;
  byId("lost").hidden = true;
  document.body.classList.remove("stale");
}
