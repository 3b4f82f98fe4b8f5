// Times of the service: ISO 8601 with whole seconds. Ages are counted by the service's clock, not by this browser's.
import { make } from "./dom.js";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

function span(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

const between = (from, to) => Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));

export const ago = (time, now) => (time ? `${span(between(time, now))} ago` : "at an unknown time");

export const until = (time, now) => (Date.parse(time) <= Date.parse(now) ? "lapsed" : `${span(between(now, time))} left`);

export function clockTime(time) {
  const element = make("time", "", clock.format(new Date(time)));
  element.dateTime = time;
  element.title = full.format(new Date(time));
  return element;
}

export const now = () => clock.format(new Date());
