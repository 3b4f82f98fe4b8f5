// The operator's token in this browser. localStorage belongs to one origin, port included; a cookie would be sent to every
// port of the host, also to a development server that an agent runs.
const KEY = "robot-council.operator-token";

export function storedToken() {
  return localStorage.getItem(KEY);
}

export function storeToken(token) {
  localStorage.setItem(KEY, token);
}

export function forgetToken() {
  localStorage.removeItem(KEY);
}

// Another tab signed in or out.
export function onTokenChange(callback) {
  addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) callback(storedToken());
  });
}
