// Machines that ask to join: what they claim, and approve or deny. A code of the address comes first.
import { act } from "./act.js";
import { agentText, button, byId, make, setText, sync } from "./dom.js";
import { ago, until } from "./time.js";
import { normalCode, plural, seatOf, shownCode } from "./words.js";

const heir = () => byId("waiting-title");

function facts(ask, now) {
  const list = make("dl", "facts");
  const add = (name, value) => list.append(make("div", "", make("dt", "", name), agentText("dd", "", value)));
  add("Harness", ask.harness);
  add("Machine", ask.machine_label);
  add("Asked from", ask.requested_ip);
  add("Asked", `${ago(ask.created_at, now)}, ${until(ask.expires_at, now)}`);
  add("Ends", ask.supersedes.length === 0 ? "nothing"
    : `installation ${ask.supersedes.join(", ")} of the same name, with its sessions`);
  add("May", ask.requested_abilities.join(", "));
  return list;
}

export class Codes {
  #call;
  #changed;
  #wanted = "";
  #overview = null;

  constructor(call, changed) {
    this.#call = call;
    this.#changed = changed;
    byId("code-form").onsubmit = (event) => {
      event.preventDefault();
      this.want(byId("code").value);
      byId("code").value = "";
      byId("codes").querySelector("button")?.focus();
    };
  }

  // The code that comes first, as typed or as an address had it; "" for none.
  want(typed) {
    this.#wanted = normalCode(typed);
    setText(byId("waiting-done"), "");
    setText(byId("waiting-error"), "");
    if (this.#overview) this.show(this.#overview);
  }

  // Returns how many wait.
  show(overview) {
    this.#overview = overview;
    const waiting = overview.enrolments;
    const found = waiting.filter((ask) => this.#wanted && ask.user_code === this.#wanted);
    const others = waiting.filter((ask) => !found.includes(ask));
    const first = this.#wanted && found.length === 0 ? [{ user_code: this.#wanted, unknown: true }] : found;
    sync(byId("codes"), [...first, ...others], {
      key: (ask) => (ask.user_code ? `${ask.user_code}${ask.unknown ? "?" : ""}` : `${ask.harness} ${ask.machine_label} ${ask.created_at}`),
      build: () => make("li", "ask"),
      update: (card, ask) => this.#fill(card, ask),
      heir: heir(),
    });
    return waiting.length;
  }

  #fill(card, ask) {
    const wanted = ask.user_code !== null && ask.user_code === this.#wanted;
    card.classList.toggle("wanted", wanted);
    const now = this.#overview.time;
    const mark = JSON.stringify([ask, wanted]);
    if (card.dataset.mark !== mark) {
      card.dataset.mark = mark;
      card.replaceChildren(...this.#parts(ask, wanted));
    }
    if (!ask.unknown) card.querySelector(".facts").replaceWith(facts(ask, now));
  }

  #parts(ask, wanted) {
    const code = ask.user_code ? make("b", "code", shownCode(ask.user_code)) : make("b", "", "Code not known here");
    const title = make("h3", "", code, ask.unknown ? " is not among the waiting codes" : ` ${seatOf(ask)} asks to join`);
    if (!ask.user_code) {
      return [title, make("dl", "facts"), make("p", "hint",
        "It asked before the service restarted. Type the code that the machine shows into the field below.")];
    }
    const hint = ask.unknown
      ? "It was decided or has expired, or was never given out. A new one comes from running enroll again."
      : wanted ? "Approve only if the machine in front of you shows this same code." : "";
    const approve = button("Approve", "main", (event) => this.#decide(ask, "approve", event.target));
    const deny = button("Deny", "", (event) => this.#decide(ask, "deny", event.target));
    approve.setAttribute("aria-label", `Approve ${shownCode(ask.user_code)}`);
    deny.setAttribute("aria-label", `Deny ${shownCode(ask.user_code)}`);
    return [title, ask.unknown ? null : make("dl", "facts"), hint ? make("p", "hint", hint) : null,
      make("div", "foot", approve, deny)].filter(Boolean);
  }

  async #decide(ask, decision, trigger) {
    const settled = await act("waiting", trigger, async () => {
      const { json } = await this.#call("POST", `enrolments/${encodeURIComponent(ask.user_code)}/${decision}`, { body: {} });
      if (ask.user_code === this.#wanted) {
        this.#wanted = "";
        history.replaceState(null, "", location.pathname);
      }
      const what = ask.unknown ? shownCode(json.user_code) : `${seatOf(ask)} (${shownCode(json.user_code)})`;
      if (json.decision !== "approved") return `Denied ${what}.`;
      return `Approved ${what}.` + (json.supersedes.length > 0
        ? ` When it takes its credential, ${plural(json.supersedes.length, "older installation")} of that name ends.` : "");
    });
    if (settled) {
      this.#overview.enrolments = this.#overview.enrolments.filter((other) => other.user_code !== ask.user_code);
      this.show(this.#overview);
    }
    this.#changed();
  }
}
