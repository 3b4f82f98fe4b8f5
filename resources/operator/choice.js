// The sessions that a directive goes to. A chosen session that ended stays chosen: an emptied choice must never turn into
// "all sessions" by itself.
export class Choice {
  #ids = new Set();
  #listeners = [];

  has = (id) => this.#ids.has(id);

  ids() {
    return [...this.#ids].sort((a, b) => a - b);
  }

  set(id, chosen) {
    if (chosen) this.#ids.add(id);
    else this.#ids.delete(id);
    this.#tell();
  }

  clear() {
    this.#ids.clear();
    this.#tell();
  }

  onChange(callback) {
    this.#listeners.push(callback);
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}
