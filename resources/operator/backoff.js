// Back-off of a reader that lost the service: 1 s doubling to 30 s, with jitter so that pages do not return together.
const FIRST = 1000;  // ms
const LONGEST = 30_000;  // ms

export class Backoff {
  #failures = 0;

  reset() {
    this.#failures = 0;
  }

  // ms until the next try; never less than the service asked for.
  next(atLeast) {
    const full = Math.min(LONGEST, FIRST * 2 ** this.#failures);
    this.#failures += 1;
    return Math.max(atLeast ?? 0, full * (0.75 + Math.random() / 4));
  }
}

// A pause that `wake()` ends.
export class Pause {
  #end = null;

  wait(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake() {
    this.#end?.();
  }
}
