// Asks before what cannot be taken back. The browser keeps the focus inside, Escape cancels, and it returns where it was.
import { byId, setText } from "./dom.js";

let settle = () => {};  // of the question before

export function confirmed({ title, text, yes }) {
  const dialog = byId("confirm");
  setText(byId("confirm-title"), title);
  setText(byId("confirm-text"), text);
  setText(byId("confirm-yes"), yes);
  // "close" comes a little after the closing. Asked again in between, the question before is answered here with no, and its late
  // event must not answer this one.
  settle(false);
  return new Promise((resolve) => {
    settle = resolve;
    let answer = false;
    byId("confirm-no").onclick = () => dialog.close();
    byId("confirm-yes").onclick = () => {
      answer = true;
      dialog.close();
    };
    dialog.onclose = () => {
      if (!dialog.open) resolve(answer);
    };
    dialog.showModal();
    byId("confirm-no").focus();
  });
}
