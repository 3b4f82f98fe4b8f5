// The sign-in: the token is pasted once, checked by the service, and kept.
import { call } from "./api.js";
import { byId, setText } from "./dom.js";
import { storeToken } from "./token.js";
import { normalCode, shownCode } from "./words.js";

// userCode: of the address, "" for none; why: what ended the last sign-in.
export function showSignIn(userCode, why, signedIn) {
  const code = normalCode(userCode);
  byId("sign-in").hidden = false;
  byId("sign-in-code").hidden = code === "";
  setText(byId("sign-in-code-text"), shownCode(code));
  setText(byId("sign-in-error"), why ?? "");
  const field = byId("token");
  field.value = "";
  field.focus();
  byId("sign-in-form").onsubmit = async (event) => {
    event.preventDefault();
    const token = field.value.trim();
    setText(byId("sign-in-error"), "");
    try {
      await call("POST", "sign-in", { body: { token } });
    } catch (failure) {
      if (failure.status === undefined) throw failure;
      setText(byId("sign-in-error"), failure.message);
      field.select();
      return;
    }
    field.value = "";
    storeToken(token);
    byId("sign-in").hidden = true;
    signedIn(token);
  };
}
