#!/usr/bin/env python3
"""Clients that nobody here wrote: the official MCP TypeScript SDK and the MCP Inspector's command line, over stdio, through the bridge to `serve`.

usage: conformance_test.py PREFIX CLIENTS      see drivers.py
"""
import contextlib
import functools
import json
import shutil
import subprocess
import sys

from drivers import BIN, Fleet, client_path, run, wait_for

MODULES = "mcp/node_modules"


def environment(fleet, harness):
    return {**fleet.env, "ROBOT_COUNCIL_SERVICE": fleet.url, "ROBOT_COUNCIL_HARNESS": harness}


def node(fleet, *words, limit=60):
    return subprocess.run([shutil.which("node"), *map(str, words)], env=environment(fleet, fleet.harness), cwd=fleet.project, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)


def sdk_client_finds_nothing_wrong(harness):
    """initialize, list, call, cancel, time-out, list_changed, close; and the session is over at the service."""
    modules = client_path(MODULES + "/@modelcontextprotocol/sdk").parents[2]
    with contextlib.closing(Fleet(harness)) as fleet:
        client = __file__.replace("conformance_test.py", "sdk_client.mjs")
        done = node(fleet, client, modules, fleet.serve.pid, BIN, "mcp")
        wrong = [line for line in done.stdout.splitlines() if not line.startswith("ok ")]
        assert done.returncode == 0 and not wrong, "\n".join([*wrong, done.stderr[-2000:]])
        assert len(done.stdout.splitlines()) >= 24, done.stdout
        wait_for("the session's end at the service", lambda: not fleet.live_sessions(), 1)


def inspector_reads_what_it_asks_for(harness):
    """Each run of the Inspector is one connection: initialize, one request, end."""
    program = client_path(MODULES + "/@modelcontextprotocol/inspector-cli/build/cli.js")
    with contextlib.closing(Fleet(harness)) as fleet:
        # The Inspector looks for its own package.json by a path from the working directory, and finds it only if one is there too.
        (fleet.root / "package.json").write_text("{}")

        def ask(method, *more, joined=True):
            words = ["mcp", *(["--auto-join"] if joined else [])]
            done = node(fleet, program, "--cli", str(BIN), *words, "--method", method, *more)
            assert done.returncode == 0, f"{method}: exit {done.returncode}\n{done.stdout[-800:]}\n{done.stderr[-800:]}"
            return json.loads(done.stdout[done.stdout.index("{"):])
        assert [tool["name"] for tool in ask("tools/list", joined=False)["tools"]] == ["join"]
        assert ask("prompts/list", joined=False) == {"prompts": []}
        names = [tool["name"] for tool in ask("tools/list")["tools"]]
        assert names[:2] == ["leave", "role_request"] and "task_list" in names, names
        made = ask("tools/call", "--tool-name", "task_create", "--tool-arg", "title=from the inspector")
        assert not made.get("isError"), made
        assert "from the inspector" in json.dumps(ask("tools/call", "--tool-name", "task_list"))
        wait_for("the sessions' end at the service", lambda: not fleet.live_sessions(), 1)


if __name__ == "__main__":
    sys.exit(run([(f"{harness}: {test.__name__.replace('_', ' ')}", functools.partial(test, harness))
                  for test, harness in ((sdk_client_finds_nothing_wrong, "claude"), (inspector_reads_what_it_asks_for, "codex"))]))
