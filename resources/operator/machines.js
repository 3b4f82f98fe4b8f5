// Installations: one harness on one machine, which may start sessions until it expires or is revoked.
import { act } from "./act.js";
import { confirmed } from "./confirm.js";
import { agentText, bounded, button, byId, fill, make, sync } from "./dom.js";
import { ago, until } from "./time.js";
import { plural, seatOf } from "./words.js";

const MOST = 100;  // rows in the document

export class Machines {
  #call;
  #changed;
  #overview = null;

  constructor(call, changed) {
    this.#call = call;
    this.#changed = changed;
  }

  #sessionsOf(id) {
    return this.#overview.sessions.filter((session) => session.installation_id === id).length;
  }

  show(overview) {
    this.#overview = overview;
    const live = overview.installations.filter((one) => one.revoked_at === null && Date.parse(one.expires_at) > Date.parse(overview.time));
    sync(byId("machines-list"), bounded(live, MOST, byId("machines-more"), "`robot-council fleet overview --json` lists all."), {
      key: (one) => one.id,
      build: (one) => {
        const revoke = button("Revoke", "danger", (event) => this.#revoke(one, event.target));
        revoke.setAttribute("aria-label", `Revoke installation ${one.id}, ${seatOf(one)}`);
        return make("li", "row machine", make("div", "line"), revoke);
      },
      update: (row, one) => {
        const sessions = this.#sessionsOf(one.id);
        const times = `enrolled ${ago(one.created_at, overview.time)} from ${one.requested_ip || "an unknown address"}, ${until(one.expires_at, overview.time)}`;
        fill(row.querySelector(".line"), `${sessions} ${times}`, make("b", "id", `#${one.id}`), agentText("span", "title", seatOf(one)),
          make("span", "seat", plural(sessions, "session")), make("span", "place", times));
      },
      heir: byId("machines-title"),
    });
    byId("machines-empty").hidden = live.length > 0;
    return live.length;
  }

  async #revoke(one, trigger) {
    const sessions = this.#sessionsOf(one.id);
    const sure = await confirmed({
      title: `Revoke ${seatOf(one)}?`,
      text: `Installation ${one.id} and its ${plural(sessions, "session")} are refused from the next call on; what they hold is released. To come`
        + ` back, that machine has to enroll again and you have to approve it.`,
      yes: "Revoke installation",
    });
    if (!sure) return;
    await act("machines", trigger, async () => {
      const { json } = await this.#call("POST", `installations/${one.id}/revoke`, { body: {} });
      return `Installation ${one.id} is revoked, with ${plural(json.sessions.length, "session")}.`;
    });
    this.#changed();
  }
}
