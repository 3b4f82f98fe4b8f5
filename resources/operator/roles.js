// Sessions that ask for another role: approve or deny exactly what is shown.
import { act } from "./act.js";
import { button, byId, fill, make, setText, sync } from "./dom.js";
import { ago } from "./time.js";
import { placeOf, seatOf } from "./words.js";

const WHAT = {
  coordinator: "A coordinator directs every session and places tasks on them.",
  ci: "It may do what a build session may.",
  build: "It gives up what its present role may do beyond a build session.",
};

export class Roles {
  #call;
  #changed;

  constructor(call, changed) {
    this.#call = call;
    this.#changed = changed;
  }

  // Returns how many wait.
  show(overview) {
    const sessions = new Map(overview.sessions.map((session) => [session.id, session]));
    sync(byId("roles"), overview.role_requests, {
      key: (ask) => `${ask.session_id} ${ask.to}`,
      build: (ask) => this.#build(ask),
      update: (card, ask) => {
        const session = sessions.get(ask.session_id);
        const who = session ? `${seatOf(session)}, ${placeOf(session)}` : "";
        fill(card.querySelector("h3"), `${ask.from}`, make("b", "", `Session ${ask.session_id}`), ` asks to be ${ask.to}, is ${ask.from}`);
        setText(card.querySelector(".hint"), `${who ? `${who}. ` : ""}Asked ${ago(ask.requested_at, overview.time)}. ${WHAT[ask.to] ?? ""}`);
      },
      heir: byId("waiting-title"),
    });
    return overview.role_requests.length;
  }

  #build(ask) {
    const approve = button("Approve", "main", (event) => this.#decide(ask, true, event.target));
    const deny = button("Deny", "", (event) => this.#decide(ask, false, event.target));
    approve.setAttribute("aria-label", `Approve ${ask.to} for session ${ask.session_id}`);
    deny.setAttribute("aria-label", `Deny ${ask.to} for session ${ask.session_id}`);
    return make("li", "ask", make("h3"), make("p", "hint"), make("div", "foot", approve, deny));
  }

  async #decide(ask, approve, trigger) {
    await act("waiting", trigger, async () => {
      const path = `sessions/${ask.session_id}/role`;
      if (approve) {
        await this.#call("POST", path, { body: { role: ask.to, how: "approved" } });
        return `Session ${ask.session_id} is ${ask.to} now.`;
      }
      const { json } = await this.#call("POST", `${path}/deny`, { body: {} });
      return `Refused ${json.refused} to session ${ask.session_id}. It stays ${json.stays}.`;
    });
    this.#changed();
  }
}
