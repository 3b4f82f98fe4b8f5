// One act of the operator: runs it, shows what came of it beside where it was asked for.
import { byId, setText } from "./dom.js";

// `place` names the elements PLACE-done and PLACE-error. `run` does the call and returns what to say.
export async function act(place, trigger, run) {
  const done = byId(`${place}-done`);
  const error = byId(`${place}-error`);
  if (trigger?.getAttribute("aria-disabled") === "true") return false;
  setText(done, "");
  setText(error, "");
  // Not `disabled`: that would drop the focus.
  trigger?.setAttribute("aria-disabled", "true");
  try {
    setText(done, await run());
    return true;
  } catch (failure) {
    if (failure.status === undefined) throw failure;
    if (failure.status !== -1) setText(error, failure.message);
    return false;
  } finally {
    trigger?.removeAttribute("aria-disabled");
  }
}
