// Building and updating the document. Text is only ever set as text: nothing here takes markup.
export const byId = (id) => document.getElementById(id);

// Characters that a terminal or a line of text obeys: controls but tab and line feed, and the marks that reorder what
// follows. Agents write most of what is shown here.
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

export function clean(text) {
  return String(text ?? "").replace(OBEYED, "\ufffd");
}

export function setText(element, text) {
  const value = clean(text);
  if (element.textContent !== value) element.textContent = value;
}

// make("b", "code", "TEXT") or make("li", "row", child, child)
export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : clean(child));
  }
  return element;
}

// What an agent wrote: isolated, so that its writing direction stays its own.
export function agentText(tag, className, text) {
  const element = make(tag, className, text);
  element.dir = "auto";
  return element;
}

export function button(label, className, onClick) {
  const element = make("button", className, label);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

// Makes `list` show `items` in order, one child each. A child lives as long as its key: focus, ticks and open parts stay.
// build(item) gives a child, update(child, item) fills it; the focus of a child that goes moves to `heir`.
export function sync(list, items, { key, build, update, heir }) {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const wanted = items.map((item) => {
    const name = String(key(item));
    let child = old.get(name);
    if (child) {
      old.delete(name);
    } else {
      child = build(item);
      child.dataset.key = name;
    }
    update?.(child, item);
    return child;
  });
  for (const gone of old.values()) {
    if (gone.contains(document.activeElement)) heir?.focus();
    gone.remove();
  }
  let at = list.firstElementChild;
  for (const child of wanted) {
    if (child === at) {
      at = at.nextElementSibling;
    } else {
      list.insertBefore(child, at);
    }
  }
}

// Sets the children of a cell when its text changed.
export function fill(cell, mark, ...children) {
  if (cell.dataset.mark === mark) return;
  cell.dataset.mark = mark;
  cell.replaceChildren(...children.filter(Boolean));
}

// Shows the first `most` and says how many are left out, and where they are.
export function bounded(items, most, more, where) {
  more.hidden = items.length <= most;
  if (!more.hidden) setText(more, `${most} of ${items.length} are shown. ${where}`);
  return items.slice(0, most);
}
