// A directive to all sessions or to the chosen ones.
import { act } from "./act.js";
import { byId, setText } from "./dom.js";
import { plural } from "./words.js";

const LONGEST = 4000;  // characters, as the service counts them
const NEAR = 400;  // characters left from which on they are shown

export class Direct {
  #call;
  #choice;
  #live = new Set();

  constructor(call, choice) {
    this.#call = call;
    this.#choice = choice;
    const text = byId("directive");
    byId("direct-form").onsubmit = (event) => {
      event.preventDefault();
      this.#send();
    };
    text.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("direct-form").requestSubmit();
    };
    text.oninput = () => this.#showLeft();
    byId("direct-clear").onclick = () => {
      choice.clear();
      byId("whom-chosen").focus();
    };
    choice.onChange(() => {
      if (choice.ids().length > 0) byId("whom-chosen").checked = true;
      this.#showChoice();
    });
    this.#showLeft();
  }

  show(overview) {
    this.#live = new Set(overview.sessions.map((session) => session.id));
    setText(byId("direct-all"), `(${this.#live.size})`);
    this.#showChoice();
  }

  #showChoice() {
    const ids = this.#choice.ids();
    setText(byId("direct-chosen"), ids.length === 0 ? "none yet; tick them in the list below"
      : ids.map((id) => (this.#live.has(id) ? `#${id}` : `#${id} (ended)`)).join(", "));
    byId("direct-clear").hidden = ids.length === 0;
  }

  #showLeft() {
    const left = LONGEST - [...byId("directive").value].length;
    setText(byId("directive-left"), left > NEAR ? "" : left >= 0 ? `${plural(left, "character")} left.` : `${-left} too many.`);
  }

  async #send() {
    const text = byId("directive");
    const chosen = byId("whom-chosen").checked;
    const targets = this.#choice.ids();
    if (chosen && targets.length === 0) {
      setText(byId("direct-done"), "");
      setText(byId("direct-error"), "No session is chosen. Tick some in the list of sessions, or direct all of them.");
      return;
    }
    const trigger = byId("direct-form").querySelector("button[type=submit]");
    await act("direct", trigger, async () => {
      const { json } = await this.#call("POST", "directives", { body: chosen ? { body: text.value, targets } : { body: text.value } });
      text.value = "";
      this.#showLeft();
      const whom = chosen ? targets.map((id) => `#${id}`).join(", ") : "all sessions";
      return `Sent to ${whom} as event ${json.event_id}.`;
    });
  }
}
