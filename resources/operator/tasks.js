// Tasks by state: what runs first, what is finished last and folded away.
import { agentText, byId, fill, make, setText, sync } from "./dom.js";
import { ago } from "./time.js";

const MOST = 60;  // rows of one state in the document
const GROUPS = [
  ["in_progress", "In progress"], ["blocked", "Blocked"], ["claimed", "Claimed"], ["pending", "Pending"],
  ["failed", "Failed in the last day"], ["done", "Done in the last day"], ["cancelled", "Cancelled in the last day"],
];
const FOLDED = new Set(["done", "cancelled"]);

function rowOf(task, now) {
  const holder = task.claimed_by?.session_id;
  return [
    make("div", "line", make("b", "id", `#${task.id}`),
      task.priority > 0 ? make("span", "badge", `priority ${task.priority}`) : null,
      agentText("span", "title", task.title ?? ""),
      holder ? make("span", "seat", `session ${holder}`) : null,
      task.branch ? agentText("span", "mono", task.branch) : null,
      task.issue ? agentText("span", "mono", task.issue) : null,
      make("span", "place", `${task.claimed_at ? "claimed" : "created"} ${ago(task.claimed_at ?? task.created_at, now)}`))];
}

export class Tasks {
  show(overview) {
    const groups = GROUPS.map(([status, title]) => ({ status, title, tasks: overview.tasks.filter((task) => task.status === status) }))
      .filter((group) => group.tasks.length > 0);
    sync(byId("tasks-groups"), groups, {
      key: (group) => group.status,
      build: (group) => {
        const part = make("details", "group", make("summary", "", `${group.title} `, make("b")), make("ul", "rows"), make("p", "hint"));
        part.open = !FOLDED.has(group.status);
        return part;
      },
      update: (part, group) => {
        const all = overview.counts.tasks[group.status] ?? group.tasks.length;
        const shown = group.tasks.slice(0, MOST);
        const open = !group.title.endsWith("day");
        const count = open ? Math.max(all, group.tasks.length) : group.tasks.length;
        setText(part.querySelector("b"), String(count));
        const hint = part.querySelector(":scope > .hint");
        hint.hidden = count <= shown.length;
        setText(hint, `${shown.length} of ${count} are shown, the most urgent ones. An agent's task_list pages through all.`);
        sync(part.querySelector("ul"), shown, {
          key: (task) => task.id,
          build: () => make("li", "row"),
          update: (row, task) => fill(row, JSON.stringify([task.title, task.status, task.claimed_by, task.branch, task.priority,
            ago(task.claimed_at ?? task.created_at, overview.time)]), ...rowOf(task, overview.time)),
        });
      },
    });
    byId("tasks-empty").hidden = groups.length > 0;
    const { pending, claimed, in_progress: running, blocked } = overview.counts.tasks;
    return pending + claimed + running + blocked;
  }
}
