#!/usr/bin/env python3
"""Real agent clients start the bridge from their own configuration, join through it, call a fleet tool and end; nothing is left behind.

usage: bridge_test.py PREFIX CLIENTS      see drivers.py
The session must be over at the service, and the bridge's process gone, within a second of the client's own end.
"""
import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time

import drivers
from drivers import RUNNERS, FakeModel, Fleet, run, run_client, wait_for, write_json

SECOND = 1.0
TITLE = "made by a tool call of the client"
# How a model names a tool of the server "robot-council".
TOOL = {"claude": lambda name: {"name": f"mcp__robot-council__{name}"},
        "codex": lambda name: {"name": name, "namespace": "mcp__robot_council"},
        "gemini": lambda name: {"name": f"mcp_robot-council_{name}"}}


class Quiet(Fleet):
    """A fleet whose client joins when its model says so."""

    auto_join = False
    start_client = None  # how; else run_with_tools_allowed

    def server_entry(self):
        entry = super().server_entry()
        return entry if self.auto_join else {**entry, "args": ["mcp"]}

    def bridge(self):
        """The pid that the bridge of this seat wrote down."""
        folder = self.home / ".local/state/robot-council/pending"
        record = wait_for("the bridge's record", lambda: next(iter(folder.glob("*.bridge")), None))
        return json.loads(record.read_text())["pid"]

    def tasks(self):
        return self.operator("GET", "overview")["tasks"]


def run_with_tools_allowed(fleet, argv, extra):
    """As a person who lets the server's tools run without being asked; headless nobody can be asked."""
    if fleet.harness == "claude":
        write_json(fleet.project / ".claude/settings.local.json", {"permissions": {"allow": ["mcp__robot-council"]}})
    elif fleet.harness == "codex":
        with open(fleet.home / ".codex/config.toml", "a", encoding="utf-8") as config:  # its last table is the server's
            config.write('default_tools_approval_mode = "approve"\n')
    return run_client(fleet, argv, extra)


# The drivers of the clients start them by this; tests run at the same time, so the fleet says how.
drivers.run_client = lambda fleet, argv, extra: (fleet.start_client or run_with_tools_allowed)(fleet, argv, extra)


def call(harness, name, arguments=None, before=None):
    turn = {"tools": [{**TOOL[harness](name), "input": arguments or {}}]}
    return {**turn, "before": before} if before else turn


def running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def nothing_is_left(fleet, pid, since):
    wait_for("the session's end at the service", lambda: not fleet.live_sessions(), max(0.01, since + SECOND - time.monotonic()))
    wait_for(f"the end of the bridge, process {pid}", lambda: not running(pid), max(0.01, since + SECOND - time.monotonic()))


def joins_calls_and_leaves_nothing(harness):
    """The model joins, then calls a tool that the fleet offers only to a joined bridge."""
    seen = {}
    with contextlib.closing(Quiet(harness)) as fleet:
        # Codex reads the list of tools once, at its start: what a join adds is not there for it.
        fleet.auto_join = harness == "codex"
        joined = lambda: (seen.update(pid=fleet.bridge()), wait_for("the session", fleet.live_sessions))  # noqa: E731
        model = FakeModel([
            *([] if fleet.auto_join else [call(harness, "join")]),
            call(harness, "task_create", {"title": TITLE}, before=joined), {"text": "done"}])
        with contextlib.closing(model):
            done = RUNNERS[harness](fleet, model)
            ended = time.monotonic()
            nothing_is_left(fleet, seen["pid"], ended)
            detail = f"exit {done.returncode}\n{done.stdout[-2500:]}\n{done.stderr[-1500:]}\n{json.dumps(model.requests[-1])[-1500:]}"
            assert done.returncode == 0, detail
            assert TITLE in json.dumps(fleet.tasks()), detail
            if not fleet.auto_join:
                assert "Joined the fleet as session" in json.dumps(model.requests[1]), detail


def codex_joins_by_the_tool(harness="codex"):
    """Without --auto-join the join works too, and its answer says what this client will not see."""
    seen = {}
    with contextlib.closing(Quiet(harness)) as fleet:
        model = FakeModel([call(harness, "join"), {"text": "done", "before": lambda: seen.update(pid=fleet.bridge())}])
        with contextlib.closing(model):
            done = RUNNERS[harness](fleet, model)
            nothing_is_left(fleet, seen["pid"], time.monotonic())
            assert done.returncode == 0, done.stderr[-1500:]
            assert "start it with --auto-join to have the fleet's tools" in json.dumps(model.requests[1]), json.dumps(model.requests)[-2000:]


def killed_client_leaves_nothing(harness):
    """A client killed in the middle of a turn tells nobody; its bridge reads the end of its input."""
    seen, there, go_on = {}, threading.Event(), threading.Event()

    def hang():
        seen["pid"] = fleet.bridge()
        wait_for("the session", fleet.live_sessions)
        there.set()
        go_on.wait(20)

    with contextlib.closing(Quiet(harness)) as fleet:
        fleet.auto_join = True
        model = FakeModel([{"text": "never read", "before": hang}])
        started = []

        def start(_fleet, argv, extra):
            started.append(subprocess.Popen(argv, env={**fleet.env, **extra}, cwd=fleet.project, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

        fleet.start_client = start
        with contextlib.closing(model):
            try:
                RUNNERS[harness](fleet, model)
                assert there.wait(30), "the client did not ask its model"
                os.kill(started[0].pid, signal.SIGKILL)
                killed = time.monotonic()
                nothing_is_left(fleet, seen["pid"], killed)
            finally:
                go_on.set()
                for client in started:
                    client.kill()
                    client.wait(10)


if __name__ == "__main__":
    tests = [(f"{harness}: {test.__name__.replace('_', ' ')}", functools.partial(test, harness))
             for harness in ("claude", "codex", "gemini") for test in (joins_calls_and_leaves_nothing,)]
    tests += [("codex: joins by the tool", codex_joins_by_the_tool)]
    tests += [(f"{harness}: killed client leaves nothing", functools.partial(killed_client_leaves_nothing, harness))
              for harness in ("claude", "codex")]
    sys.exit(run(tests))
