// Drives the bridge with the official MCP TypeScript SDK, whose client validates every message it gets.
// usage: node sdk_client.mjs MODULES SERVICE_PID COMMAND ARGUMENT...     the bridge's environment and folder are ours
// MODULES: folder with node_modules. SERVICE_PID: stopped for the moments in which a call must hang.
// Prints one line a check, "ok NAME" or "not ok NAME: why"; exit 1 when one failed.
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import path from "node:path";

const [modules, servicePid, command, ...args] = process.argv.slice(2);
const require = createRequire(path.join(modules, "here.js"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { ToolListChangedNotificationSchema } = require("@modelcontextprotocol/sdk/types.js");

let failed = false;
function check(name, good, why = "") {
  failed ||= !good;
  console.log(good ? `ok ${name}` : `not ok ${name}: ${typeof why === "string" ? why : JSON.stringify(why)}`);
}
async function until(condition, limit = 5000) {
  for (const end = Date.now() + limit; Date.now() < end; await pause(5)) if (condition()) return true;
  return condition();
}
async function error_of(promise) {
  try {
    return JSON.stringify(await promise);
  } catch (error) {
    return error;
  }
}

const transport = new StdioClientTransport({ command, args, env: process.env, cwd: process.cwd(), stderr: "pipe" });
const client = new Client({ name: "conformance", version: "1" }, { capabilities: {} });
const complaints = [];
let changes = 0;
client.onerror = (error) => complaints.push(String(error));
client.setNotificationHandler(ToolListChangedNotificationSchema, () => { changes += 1; });

await client.connect(transport);
const bridge = transport.pid;
check("initialize names the server", client.getServerVersion()?.name === "Robot Council", client.getServerVersion());
check("initialize tells its capabilities", client.getServerCapabilities()?.tools?.listChanged === true, client.getServerCapabilities());
check("initialize carries instructions", (client.getInstructions() ?? "").includes("join"), client.getInstructions());
check("ping", Object.keys(await client.ping()).length === 0);
const unjoined = (await client.listTools()).tools.map((tool) => tool.name);
check("unjoined, join is the only tool", unjoined.join() === "join", unjoined);
check("unjoined, no resources", (await client.listResources()).resources.length === 0);
check("unjoined, no resource templates", (await client.listResourceTemplates()).resourceTemplates.length === 0);
check("unjoined, no prompts", (await client.listPrompts()).prompts.length === 0);
const refused = await error_of(client.callTool({ name: "task_list", arguments: {} }));
check("unjoined, another tool is refused", refused.code === -32002, String(refused));

const before = changes;
const joined = await client.callTool({ name: "join", arguments: {} });
check("join", !joined.isError && joined.content[0].text.startsWith("Joined the fleet as session"), joined);
check("join tells that the list changed", changes > before, `${changes} after ${before}`);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
check("joined, the fleet's tools are listed", tools.slice(0, 2).join() === "leave,role_request" && tools.includes("task_create"), tools);

const created = await client.callTool({ name: "task_create", arguments: { title: "é \u{1F600} \u2028 end" } });
check("a fleet tool is called", !created.isError, created);
const listed = await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: "task_list", arguments: {} })));
check("twenty calls at once are all answered", listed.every((answer) => JSON.stringify(answer).includes("\u{1F600} \u2028 end")), listed[0]);
const wrong = await error_of(client.callTool({ name: "no_such_tool", arguments: {} }));
check("an unknown tool is an error", typeof wrong !== "string" || wrong.includes('"isError":true'), String(wrong));

// A service that does not answer: the call is cancelled, and what comes later is not an answer to it.
process.kill(servicePid, "SIGSTOP");
const abort = new AbortController();
const hanging = error_of(client.callTool({ name: "task_list", arguments: {} }, undefined, { signal: abort.signal }));
await pause(100);
abort.abort("enough");
check("a cancelled call ends", String(await hanging).includes("enough"));
const late = await error_of(client.callTool({ name: "task_list", arguments: {} }, undefined, { timeout: 100 }));
check("a call that times out is cancelled", late.code === -32001, String(late));
check("ping while the service hangs", Object.keys(await client.ping()).length === 0);
process.kill(servicePid, "SIGCONT");
check("the next call is answered", !(await client.callTool({ name: "task_list", arguments: {} })).isError);

const left = await client.callTool({ name: "leave", arguments: {} });
check("leave", left.content[0].text.startsWith("Left the fleet"), left);
check("leave tells that the list changed", await until(() => changes > before + 1), String(changes));
check("joined again", !(await client.callTool({ name: "join", arguments: {} })).isError);
check("nothing was invalid or unasked for", complaints.length === 0, complaints);

const closing = Date.now();
await client.close();
const took = Date.now() - closing;
let alive = true;
try { process.kill(bridge, 0); } catch { alive = false; }
check("close ends the bridge, by end of input", !alive && took < 1500, `alive ${alive}, ${took} ms`);
process.exit(failed ? 1 : 0);
