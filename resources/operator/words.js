// How the fleet's things are named in text.
import { clean } from "./dom.js";

export function placeOf(session) {
  if (!session.repository) return session.work_location ? `at ${session.work_location}` : "no place told";
  return session.work_location ? `${session.repository} at ${session.work_location}` : session.repository;
}

export const seatOf = (thing) => `${clean(thing.harness)} on ${clean(thing.machine_label)}`;

export const shownCode = (code) => (code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code);

// As the service reads a typed code: upper case, letters only.
export const normalCode = (typed) => typed.toUpperCase().replace(/[^A-Z]/g, "").slice(0, 16);

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

// "Its task goes back and its lock is released."
export function holdingsOf(session) {
  const tasks = session.tasks.length;
  const locks = session.locks.length;
  const parts = [];
  if (tasks > 0) parts.push(`${plural(tasks, "task")} ${tasks === 1 ? "goes" : "go"} back to pending`);
  if (locks > 0) parts.push(`${plural(locks, "lock")} ${locks === 1 ? "is" : "are"} released`);
  return parts.length > 0 ? ` ${parts.join(" and ")}.` : " It holds no task and no lock.";
}
