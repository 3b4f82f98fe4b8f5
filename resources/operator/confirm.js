// Asks before what cannot be taken back. The browser keeps the focus inside, Escape cancels, and it returns where it was.
import { byId, setText } from "./dom.js";

export function confirmed({ title, text, yes }) {
  const dialog = byId("confirm");
  setText(byId("confirm-title"), title);
  setText(byId("confirm-text"), text);
  setText(byId("confirm-yes"), yes);
  return new Promise((resolve) => {
    let answer = false;
    byId("confirm-no").onclick = () => dialog.close();
    byId("confirm-yes").onclick = () => {
      answer = true;
      dialog.close();
    };
    dialog.onclose = () => resolve(answer);
    dialog.showModal();
    byId("confirm-no").focus();
  });
}
