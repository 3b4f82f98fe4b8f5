// Locks that are held: by whom, under which fence, for how long.
import { agentText, bounded, byId, fill, make, sync } from "./dom.js";
import { ago, until } from "./time.js";

const MOST = 100;  // rows in the document

export class Locks {
  show(overview) {
    const now = overview.time;
    sync(byId("locks-list"), bounded(overview.locks, MOST, byId("locks-more"), "`robot-council fleet overview` lists all."), {
      key: (lock) => `${lock.name} ${lock.fence}`,
      build: () => make("li", "row"),
      update: (row, lock) => {
        const left = until(lock.expires_at, now);
        const state = make("span", "state", left === "lapsed" ? "lapsed, may be taken over" : left);
        state.dataset.state = left === "lapsed" ? "stale" : "active";
        fill(row, `${left} ${ago(lock.acquired_at, now)} ${lock.session_id}`, make("div", "line", agentText("b", "mono", lock.name),
          make("span", "seat", `session ${lock.session_id}`), state, make("span", "place", `fence ${lock.fence}, taken ${ago(lock.acquired_at, now)}`)));
      },
      heir: byId("locks-title"),
    });
    byId("locks-empty").hidden = overview.locks.length > 0;
    return overview.counts.locks;
  }
}
