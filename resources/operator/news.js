// What a screen reader is told by itself: few words, and not more often than it can speak them.
import { byId } from "./dom.js";

const PAUSE = 4000;  // ms between two announcements
const MOST = 4;  // of one announcement; more would never end
let waiting = [];
let timer = null;

function speak() {
  byId("news").textContent = waiting.join(" ");
  waiting = [];
  timer = setTimeout(() => {
    timer = null;
    if (waiting.length > 0) speak();
  }, PAUSE);
}

export function announce(text) {
  if (waiting.length < MOST) waiting.push(text);
  if (timer === null) speak();
}
