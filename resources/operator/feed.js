// The feed as it arrives, newest first. Only the newest rows stay in the document.
import { agentText, button, byId, make, setText } from "./dom.js";
import { announce } from "./news.js";
import { clockTime } from "./time.js";
import { plural } from "./words.js";

const MOST = 300;  // rows in the document
const LONG = 600;  // characters from which on a body is folded

const KINDS = [[/^(directive|narration|placement\.)/, "message"], [/^task\./, "task"], [/^lock\./, "lock"], [/./, "session"]];
const kindOf = (type) => KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "session";

function actorOf(event) {
  const { session_id: session, github_login: login } = event.actor ?? {};
  if (session) return `session ${session}`;
  return login ?? "the service";
}

const idsOf = (list) => (Array.isArray(list) ? list.filter(Number.isInteger) : []);

// Whom a message names: who should act, or who is told.
function addressees(event) {
  const ids = [...idsOf(event.meta?.targets), ...idsOf(event.meta?.to)];
  return ids.length > 0 ? ` to ${[...new Set(ids)].map((id) => `#${id}`).join(", ")}` : "";
}

function bodyOf(event) {
  const body = agentText("p", "body", event.body);
  if (event.body.length <= LONG) return [body];
  body.classList.add("folded");
  const more = button("Show all of it", "quiet", () => {
    const folded = body.classList.toggle("folded");
    setText(more, folded ? "Show all of it" : "Show less");
    more.setAttribute("aria-expanded", String(!folded));
  });
  more.setAttribute("aria-expanded", "false");
  return [body, more];
}

function rowOf(event) {
  const by = event.performed_by?.github_login ? `, by ${event.performed_by.github_login}` : "";
  const meta = make("p", "meta", clockTime(event.created_at), " ", make("b", "type", event.type), " ",
    agentText("span", "", `${actorOf(event)}${addressees(event)}${by}`));
  const kind = kindOf(event.type);
  // What the service itself writes is one short sentence: it goes on in the same line.
  if (event.body && kind !== "message") meta.append(" ", agentText("span", "said", event.body));
  const row = make("li", "event", meta, ...(event.body && kind === "message" ? bodyOf(event) : []));
  row.dataset.kind = kind;
  row.dataset.type = event.type;
  row.dataset.id = event.id;
  return row;
}

export class Feed {
  #list = byId("feed-list");
  #newest = 0;

  constructor() {
    byId("feed-show").onchange = () => this.#showEmpty();
    this.clear();
  }

  clear() {
    this.#list.replaceChildren();
    this.#newest = 0;
    setText(byId("feed-limit"), "");
    this.#showEmpty();
  }

  // ascending; an event that is there already is left out.
  add(events, { quiet = false } = {}) {
    const fresh = events.filter((event) => event.id > this.#newest);
    if (fresh.length > 0) this.#newest = fresh[fresh.length - 1].id;
    for (const event of fresh.slice(-MOST)) this.#list.prepend(rowOf(event));
    let dropped = false;
    while (this.#list.childElementCount > MOST) {
      this.#list.lastElementChild.remove();
      dropped = true;
    }
    if (dropped || fresh.length > MOST) {
      setText(byId("feed-limit"), `The newest ${MOST} events are kept here. \`robot-council fleet feed\` and the service keep more.`);
    }
    this.#showEmpty();
    if (!quiet && fresh.length > 0) {
      const last = fresh[fresh.length - 1];
      announce(fresh.length === 1 ? `New event: ${last.type}, ${actorOf(last)}.` : `${plural(fresh.length, "new event")}.`);
    }
  }

  #showEmpty() {
    const kind = byId("feed-show").value;
    this.#list.dataset.show = kind;
    const some = kind === "all" ? this.#list.childElementCount > 0 : this.#list.querySelector(`[data-kind="${kind}"]`) !== null;
    byId("feed-empty").hidden = some;
    setText(byId("feed-empty"), this.#list.childElementCount === 0
      ? "Nothing has happened yet. What sessions tell, claim and lock arrives here by itself."
      : "None of the newest events is of this kind.");
  }
}
