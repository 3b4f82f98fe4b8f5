// The page: signed out, or following one fleet.
import { call } from "./api.js";
import { Choice } from "./choice.js";
import { Codes } from "./codes.js";
import { Direct } from "./direct.js";
import { byId, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { Follower } from "./follow.js";
import { noLink } from "./link.js";
import { Locks } from "./locks.js";
import { Machines } from "./machines.js";
import { announce } from "./news.js";
import { Roles } from "./roles.js";
import { Sessions } from "./sessions.js";
import { showSignIn } from "./signin.js";
import { Tasks } from "./tasks.js";
import { forgetToken, onTokenChange, storedToken } from "./token.js";
import { plural } from "./words.js";

const userCode = new URLSearchParams(location.search).get("user_code") ?? "";
let follower = null;

// Everything of the fleet that the page shows; one for each sign-in.
class FleetView {
  #feed = new Feed();
  #parts;
  #waiting = 0;
  #first = true;

  constructor(callAs, changed) {
    const choice = new Choice();
    this.#parts = {
      codes: new Codes(callAs, changed), roles: new Roles(callAs, changed), sessions: new Sessions(callAs, changed, choice),
      tasks: new Tasks(), locks: new Locks(), machines: new Machines(callAs, changed), direct: new Direct(callAs, choice),
    };
    choice.clear();
    this.#parts.codes.want(userCode);
  }

  overview(overview) {
    const { codes, roles, sessions, tasks, locks, machines, direct } = this.#parts;
    setText(byId("who"), `${overview.login}, version ${overview.version}`);
    const waiting = codes.show(overview) + roles.show(overview);
    sessions.show(overview);
    direct.show(overview);
    const counts = { waiting, sessions: overview.sessions.length, tasks: tasks.show(overview), locks: locks.show(overview),
      machines: machines.show(overview) };
    for (const [name, count] of Object.entries(counts)) setText(byId(`count-${name}`), String(count));
    byId("waiting-empty").hidden = byId("codes").childElementCount + byId("roles").childElementCount > 0;
    byId("waiting").classList.toggle("some", waiting > 0);
    document.title = waiting > 0 ? `(${waiting}) Robot Council` : "Robot Council";
    if (waiting > this.#waiting) announce(`${plural(waiting, "request")} ${waiting === 1 ? "waits" : "wait"} for you.`);
    this.#waiting = waiting;
  }

  events(list) {
    this.#feed.add(list, { quiet: this.#first });
    this.#first = false;
  }

  restart() {
    this.#feed.clear();
    this.#first = true;
  }
}

function signedIn(token) {
  const view = new FleetView((method, path, options) => call(method, path, { ...options, token }), () => follower?.refreshAtOnce());
  follower = new Follower((method, path, options) => call(method, path, { ...options, token }), {
    overview: (json) => view.overview(json),
    events: (list) => view.events(list),
    restart: () => view.restart(),
    signedOut: (words) => signOut(words),
  });
  byId("fleet").hidden = false;
  byId("sign-out").hidden = false;
  byId("main").focus();
  follower.start();
}

function signOut(why) {
  forgetToken();
  if (follower === null) return;
  follower.stop();
  follower = null;
  noLink();
  byId("fleet").hidden = true;
  byId("sign-out").hidden = true;
  setText(byId("who"), "");
  document.title = "Robot Council";
  // What was shown goes too: the next person at this screen is not signed in.
  for (const id of ["codes", "roles", "sessions-list", "tasks-groups", "locks-list", "machines-list", "feed-list"]) byId(id).replaceChildren();
  for (const text of document.querySelectorAll("#fleet .done, #fleet .error")) setText(text, "");
  for (const field of document.querySelectorAll("#fleet input, #fleet textarea")) if (field.type !== "radio") field.value = "";
  byId("whom-all").checked = true;
  showSignIn(userCode, why, signedIn);
}

byId("sign-out").onclick = () => signOut();
onTokenChange((token) => {
  if (token === null) signOut("You signed out in another tab.");
  else if (follower === null) location.reload();
});

const token = storedToken();
if (token) signedIn(token);
else showSignIn(userCode, "", signedIn);
