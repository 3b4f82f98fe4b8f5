// Live sessions: who, where, how alive, what they hold; to tick for a directive, to give a role, to revoke.
import { act } from "./act.js";
import { confirmed } from "./confirm.js";
import { agentText, bounded, button, byId, clean, fill, make, setText, sync } from "./dom.js";
import { ago } from "./time.js";
import { holdingsOf, placeOf, seatOf } from "./words.js";

const MOST = 200;  // rows in the document
const ROLES = ["build", "ci", "coordinator"];
const HEARS = {
  alive: "follows the feed",
  stale: "has not followed the feed for some minutes",
  unknown: "has not followed the feed for long",
  absent: "never followed the feed",
};

function head(session, now) {
  const state = make("span", "state", make("span", "dot"), `${session.status}, ${ago(session.last_seen_at, now)}`);
  state.dataset.state = session.status;
  const role = make("span", "badge", session.role);
  role.dataset.role = session.role;
  return [make("b", "id", `#${session.id}`), role, state, agentText("span", "seat", seatOf(session)),
    make("span", "place", agentText("span", "", placeOf(session)), session.ephemeral ? make("span", "badge", "ephemeral") : null)];
}

function holds(session) {
  const items = session.tasks.map((task) => make("li", "", make("span", "badge", task.status.replace("_", " ")),
    ` #${task.id} `, agentText("span", "", task.title ?? ""), task.branch ? agentText("span", "mono", ` ${task.branch}`) : null));
  for (const lock of session.locks) items.push(make("li", "", make("span", "badge", "lock"), " ", agentText("span", "mono", lock)));
  return items;
}

export class Sessions {
  #call;
  #changed;
  #choice;
  #overview = null;

  // choice: the sessions that a directive goes to, shared with the form.
  constructor(call, changed, choice) {
    this.#call = call;
    this.#changed = changed;
    this.#choice = choice;
    choice.onChange(() => this.#showTicks());
    byId("sessions-filter").oninput = () => this.#overview && this.show(this.#overview);
  }

  show(overview) {
    this.#overview = overview;
    const words = byId("sessions-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = overview.sessions.filter((session) => {
      const text = clean(`#${session.id} ${session.role} ${session.status} ${seatOf(session)} ${placeOf(session)} ${session.tasks
        .map((task) => task.title).join(" ")} ${session.locks.join(" ")}`).toLowerCase();
      return words.every((word) => text.includes(word));
    });
    sync(byId("sessions-list"), bounded(matching, MOST, byId("sessions-more"), "The filter finds the others."), {
      key: (session) => session.id,
      build: (session) => this.#build(session),
      update: (row, session) => this.#fill(row, session),
      heir: byId("sessions-title"),
    });
    const empty = byId("sessions-empty");
    empty.hidden = overview.sessions.length > 0;
  }

  #build(session) {
    const tick = make("input");
    tick.type = "checkbox";
    tick.checked = this.#choice.has(session.id);
    tick.setAttribute("aria-label", `Direct session ${session.id}`);
    tick.onchange = () => this.#choice.set(session.id, tick.checked);
    const role = make("select", "", ...ROLES.map((name) => make("option", "", name)));
    role.setAttribute("aria-label", `Role of session ${session.id}`);
    role.value = session.role;
    const give = button("Give this role", "", (event) => this.#give(session.id, role.value, event.target));
    const revoke = button("Revoke session", "danger", (event) => this.#revoke(session.id, event.target));
    const more = make("details", "manage", make("summary", "", "Manage"), make("p", "hint about"), make("div", "foot", role, give, revoke));
    more.querySelector("summary").setAttribute("aria-label", `Manage session ${session.id}`);
    return make("li", "row session", make("label", "tick", tick), make("div", "line"), make("ul", "holds"), more);
  }

  #fill(row, session) {
    const now = this.#overview.time;
    const line = row.querySelector(".line");
    fill(line, JSON.stringify([session.status, session.role, ago(session.last_seen_at, now), placeOf(session)]), ...head(session, now));
    fill(row.querySelector(".holds"), JSON.stringify([session.tasks, session.locks]), ...holds(session));
    const capacity = session.capacity === 1 ? "one task at once" : `${session.capacity} tasks at once`;
    setText(row.querySelector(".about"), `${[session.os_family, session.arch].filter(Boolean).join(" ") || "Platform not told"}; `
      + `installation ${session.installation_id}; takes ${capacity}; ${HEARS[session.watcher] ?? session.watcher}.`);
    if (row.dataset.role !== session.role) {
      row.dataset.role = session.role;
      row.querySelector("select").value = session.role;
    }
    row.dataset.state = session.status;
  }

  #showTicks() {
    for (const row of byId("sessions-list").children) {
      row.querySelector("input").checked = this.#choice.has(Number(row.dataset.key));
    }
  }

  async #give(id, role, trigger) {
    await act("sessions", trigger, async () => {
      const { json } = await this.#call("POST", `sessions/${id}/role`, { body: { role, how: "imposed" } });
      return json.applied ? `Session ${id} is ${json.role} now.` : `Session ${id} was ${json.role} already.`;
    });
    this.#changed();
  }

  async #revoke(id, trigger) {
    const session = this.#overview.sessions.find((one) => one.id === id);
    const sure = session && await confirmed({
      title: `Revoke session ${id}?`,
      text: `${seatOf(session)}, ${placeOf(session)}. It is refused from its next call on and cannot come back.${holdingsOf(session)} The agent`
        + ` itself is not stopped.`,
      yes: "Revoke session",
    });
    if (!sure) return;
    await act("sessions", trigger, async () => {
      await this.#call("POST", `sessions/${id}/revoke`, { body: {} });
      return `Session ${id} is revoked.`;
    });
    this.#changed();
  }
}
