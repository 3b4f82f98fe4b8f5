#!/usr/bin/env python3
"""Reaching a session of the real Claude Code at its terminal, on a scripted model: idle, and in the middle of a turn.

usage: wake_test.py PREFIX CLIENTS [--long | --measure [MINUTES]]      the arguments of clients_test.py, which holds what both use
The client is wired by `robot-council setup claude` and started without any flag. --long also tries what a person does to a session
(/clear, --resume, Esc, ...); --measure prints the figures of wiki/Wake.md, with an idle waiter watched for MINUTES (10).
Prints TAP (--measure: lines of figures).
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from drivers import Fleet, Skipped, client_path, wait_for  # noqa: E402
from fake_model import FakeModel  # noqa: E402
from terminal import ClaudeTerminal, prepare_claude  # noqa: E402

CLAUDE = "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
TURN_END_HOLD = 2.0  # seconds after a turn end in which the delivering hook goes first
CHANNELS = ("--dangerously-load-development-channels", "server:robot-council")


def busy():
    """How many times slower than an idle machine this one may be just now."""
    return max(1.0, 2.0 * os.getloadavg()[0] / (os.cpu_count() or 1))


class Session:
    """A fleet, the wired client at a terminal, and a model whose next turn is set by the test (`turns`), else a plain answer."""

    def __init__(self, argv=(), fleet=None):
        if shutil.which("tmux") is None:
            raise Skipped("tmux is not there")
        self.binary = client_path(CLAUDE)
        self.fleet = fleet or Fleet("claude")
        self.turns = []
        self.model = FakeModel(lambda _: self.turns.pop(0) if self.turns else {"text": "I see"})
        self.terminals = []
        self.number = 0
        if fleet is None:
            self.wire()
        self.terminal = self.start(argv)

    def wire(self):
        fleet = self.fleet
        prepare_claude(fleet.home, [fleet.project])
        said = fleet.command("setup", "claude", f"--service={fleet.url}", "--yes")
        path = fleet.home / ".claude.json"
        known = json.loads(path.read_text())
        server = known["mcpServers"]["robot-council"]
        server["args"] = ["mcp", "--auto-join"]  # else the agent joins when it is asked to
        path.write_text(json.dumps(known))
        events = json.loads((fleet.home / ".claude/settings.json").read_text())["hooks"]
        assert set(events) >= {"Stop", "SessionStart", "UserPromptSubmit"}, said

    def start(self, argv=()):
        self.number += 1
        folder = self.fleet.root / f"terminal-{self.number}"
        folder.mkdir()
        env = {**self.fleet.env, "ANTHROPIC_BASE_URL": self.model.url, "ANTHROPIC_API_KEY": "dummy-key", "DISABLE_AUTOUPDATER": "1",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        terminal = ClaudeTerminal([self.binary, "--allowedTools", "Bash", *argv], env, self.fleet.project, folder)
        self.terminals.append(terminal)
        terminal.wait_screen("❯")
        wait_for("a session of the client", lambda: len(self.fleet.live_sessions()) >= 1)
        return terminal

    # -- what the waiter does

    def waiters(self):
        """The records of live waiters, from the file that `status` reads."""
        folder = self.fleet.home / ".local/state/robot-council/pending"
        records = [json.loads(path.read_text())["clients"] for path in folder.glob("*.wait")]
        return [one for clients in records for one in clients if os.path.exists(f"/proc/{one['pid']}")]

    def wait_waiter(self, other_than=0, count=1):
        def there():
            live = [one for one in self.waiters() if one["pid"] != other_than]
            return live if len(live) >= count else None
        return wait_for("a waiter", there)

    # -- events

    def post(self, text):
        """Posts a directive; the time at which it was sent."""
        now = time.monotonic()
        self.fleet.operator("POST", "directives", {"body": text})
        return now

    def wait_model(self, text, limit=10):
        """The index of the first request that carries the text."""
        def found():
            for index, request in enumerate(self.model.requests):
                if text in json.dumps(request, ensure_ascii=False):
                    return index + 1
            return 0
        try:
            return wait_for(f"{text!r} at the model", found, limit) - 1
        except AssertionError as late:
            raise AssertionError(f"{late}; {len(self.model.requests)} requests\n{self.terminal.screen()}\n"
                                 f"{self.status()}") from late

    def status(self):
        return self.fleet.command("status", f"--service={self.fleet.url}", "--harness=claude")

    def history(self):
        return self.fleet.command("pending", "--history", f"--service={self.fleet.url}", "--harness=claude")

    def wait_quiet(self, requests):
        """The turn of the last of so many requests is over, and the two seconds after it too."""
        wait_for(f"{requests} requests", lambda: len(self.model.requests) >= requests)
        folder = self.fleet.home / ".local/state/robot-council/pending"

        def ended():
            hooks = list(folder.glob("*.hook"))
            return hooks and time.time() - hooks[0].stat().st_mtime > TURN_END_HOLD + 0.2 and \
                hooks[0].stat().st_mtime > time.time() - (time.monotonic() - self.model.times[requests - 1])
        wait_for("the turn's end, and two seconds more", ended, 15)

    def wake_idle(self, text):
        """Posts to the idle session; seconds until it was handed over, and until the model was asked about it."""
        waiting = self.wait_waiter()[0]["pid"]
        sent = self.post(text)
        wait_for("the hand-over", lambda: not os.path.exists(f"/proc/{waiting}"))
        handed = time.monotonic()
        index = self.wait_model(text)
        return {"handed": handed - sent, "asked": self.model.times[index] - sent}

    def reach_working(self, text, then="go-on"):
        """Posts while a tool call runs, and ends that call once the text was handed over; the request that carries it."""
        go = self.fleet.project / then
        before = len(self.model.requests)
        self.turns = [{"tools": [{"name": "Bash", "input": {"command": f"while [ ! -e {go} ]; do sleep 0.02; done", "description": "d"}}]},
                      {"text": "and on"}]
        self.terminal.say(f"work until {then}")
        wait_for("the first request of the turn", lambda: len(self.model.requests) > before)
        time_of_tool = time.monotonic()
        wait_for("the tool call", lambda: "Running" in self.terminal.screen() or time.monotonic() - time_of_tool > 1.0)
        waiting = self.wait_waiter()[0]["pid"]
        sent = self.post(text)
        wait_for("the hand-over in mid-turn", lambda: not os.path.exists(f"/proc/{waiting}"))
        handed = time.monotonic()
        go.touch()
        index = self.wait_model(text)
        assert index == before + 1, f"request {index} carries it, and not the next of the turn, {before + 1}"
        return {"handed": handed - sent, "after_tool": self.model.times[index] - handed}

    def once(self, text):
        """The text was handed over once, and is confirmed."""
        carriers = [message for message in self.model.requests[-1]["messages"] if text in json.dumps(message, ensure_ascii=False)]
        assert len(carriers) == 1, f"{len(carriers)} messages carry {text!r}"
        everything = json.dumps(self.model.requests, ensure_ascii=False)
        assert "[repeat]" not in everything
        wait_for("nothing waits", lambda: self.fleet.waiting() == [])
        wait_for(f"{text!r} is confirmed", lambda: self.history().count(text) == 1 and "confirmed" in self.history())

    def close(self):
        for terminal in self.terminals:
            terminal.close()
        self.model.close()
        self.fleet.close()


# ---- 19, 20, 21

def both_are_reached(argv=()):
    with contextlib.closing(Session(argv)) as session:
        quick = 1.0 * busy()
        for number, text in enumerate(("first of all: look at the broken build", "second: rebase your branch"), 1):
            took = session.wake_idle(text)
            assert took["handed"] < quick and took["asked"] < 2 * quick, f"{took}, and not {quick:.1f} s and {2 * quick:.1f} s"
            session.wait_quiet(number)
        took = session.reach_working("third: stop that at once")
        assert took["handed"] < quick, f"{took}, and not {quick:.1f} s"
        session.wait_quiet(4)
        session.wait_waiter()
        assert "wake: background hook, waiting since" in session.status(), session.status()
        assert len(session.model.requests) == 4, f"{len(session.model.requests)} requests"
        for text in ("first of all: look at the broken build", "second: rebase your branch", "third: stop that at once"):
            session.once(text)
        assert session.history().count("confirmed") >= 3, session.history()


def idle_and_working_sessions_are_reached():
    """Without any flag: idle just after the start, idle after a turn, and in the middle of a tool call; each once, confirmed."""
    both_are_reached()


def with_a_channel_declared_each_is_handed_over_once():
    """The same with the channel's start flag: two paths, one hand-over."""
    both_are_reached(CHANNELS)


def headless_runs_are_not_held():
    """8: `claude -p` runs background hooks in the foreground; with the two entries it ends as fast as without them."""
    with contextlib.closing(Fleet("claude")) as fleet:
        took = {}
        for wake in ("--no-wake", ""):
            fleet.command("setup", "claude", f"--service={fleet.url}", "--yes", *([wake] if wake else []))
            wired = (fleet.home / ".claude/settings.json").read_text()
            assert ("--wait" in wired) == (wake == ""), wired
            runs = []
            for _ in range(2):
                with contextlib.closing(FakeModel([{"text": "done"}])) as model:
                    begun = time.monotonic()
                    done = subprocess.run([str(client_path(CLAUDE)), "-p", "go"], cwd=fleet.project, stdin=subprocess.DEVNULL,
                                          capture_output=True, text=True, timeout=60, env={
                                              **fleet.env, "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy-key",
                                              "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"})
                    assert done.returncode == 0, done.stderr
                    runs.append(time.monotonic() - begun)
            took[wake] = min(runs)
        assert took[""] < took["--no-wake"] + 0.7 * busy(), took


# ---- what a person does to a session (--long)

def clear_gives_the_new_session_its_waiter():
    """/clear: the new session has a waiter of its own, and is woken."""
    with contextlib.closing(Session()) as session:
        old = session.wait_waiter()[0]
        session.wake_idle("before the clearing")
        session.wait_quiet(1)
        before = session.wait_waiter()[0]
        session.terminal.say("/clear")
        now = wait_for("a waiter of another session", lambda: next(
            (one for one in session.waiters() if one["session"] != old["session"]), None))
        assert now["pid"] != before["pid"]
        wait_for("the older waiter's end", lambda: not os.path.exists(f"/proc/{before['pid']}"))
        session.wake_idle("after the clearing")


def a_resumed_session_is_woken():
    """--resume: what came while nobody ran waits for the first turn end; what comes later wakes."""
    with contextlib.closing(Session()) as session:
        session.terminal.say("hello")
        session.wait_quiet(1)
        session_id = session.wait_waiter()[0]["session"]
        session.terminal.close()
        wait_for("the end of the waiter", lambda: not session.waiters())
        session.terminal = session.start(("--resume", session_id))
        assert session.wait_waiter()[0]["session"] == session_id
        session.wake_idle("to the resumed one")


def a_compaction_keeps_the_session_reachable():
    """/compact: same session, a new waiter; idle again after the next turn end."""
    with contextlib.closing(Session()) as session:
        session.terminal.say("hello")
        session.wait_quiet(1)
        before = session.wait_waiter()[0]["pid"]
        session.terminal.say("/compact")
        session.wait_waiter(other_than=before)
        session.wake_idle("after the compaction")


def an_interrupted_turn_is_reached_by_urgent_events():
    """Esc during a tool call: no stop event comes; a directive reaches the session all the same."""
    with contextlib.closing(Session()) as session:
        session.turns = [{"tools": [{"name": "Bash", "input": {"command": "sleep 300", "description": "d"}}]}]
        session.terminal.say("work long")
        wait_for("the request", lambda: session.model.requests)
        session.terminal.wait_screen("sleep 300")
        session.terminal.keys("Escape")
        session.terminal.wait_screen("nterrupted")
        session.wake_idle("after Esc")


def an_open_permission_dialog_holds_the_text_until_it_is_answered():
    """A dialog waits for the person: the text is handed over at once and is in the next request after the answer."""
    with contextlib.closing(Session(("--permission-mode", "default"))) as session:
        session.turns = [{"tools": [{"name": "Write", "input": {"file_path": str(session.fleet.project / "asked"), "content": "x"}}]},
                         {"text": "done"}]
        session.terminal.say("write that")
        session.terminal.wait_screen("Do you want")
        waiting = session.wait_waiter()[0]["pid"]
        session.post("while it asks")
        wait_for("the hand-over", lambda: not os.path.exists(f"/proc/{waiting}"))
        assert len(session.model.requests) == 1
        session.terminal.keys("Enter")
        assert session.wait_model("while it asks") == 1


def two_sessions_of_a_checkout_get_an_event_once():
    """A second client in the same checkout has a waiter of its own; one of the two gets the event."""
    with contextlib.closing(Session()) as session:
        session.start()
        session.wait_waiter(count=2)
        session.post("for one of you")
        session.wait_model("for one of you")
        session.wait_quiet(1)
        assert len(session.model.requests) == 1, f"{len(session.model.requests)} requests"


def a_sleeping_machine_loses_nothing():
    """Client and waiter stand still (SIGSTOP) while the event comes; going on, the session is woken."""
    with contextlib.closing(Session()) as session:
        waiter = session.wait_waiter()[0]["pid"]
        client = session.terminal.client_pid()
        for pid in (client, waiter):
            os.kill(pid, signal.SIGSTOP)
        session.post("while you slept")
        wait_for("the directive in the sink", lambda: "while you slept" in json.dumps(session.fleet.waiting()))
        for pid in (client, waiter):
            os.kill(pid, signal.SIGCONT)
        session.wait_model("while you slept")


def a_killed_client_leaves_no_waiter():
    """SIGKILL to the client: its waiter ends, the event stays for the next session."""
    with contextlib.closing(Session()) as session:
        waiter = session.wait_waiter()[0]["pid"]
        os.kill(session.terminal.client_pid(), signal.SIGKILL)
        wait_for("the waiter's end", lambda: not os.path.exists(f"/proc/{waiter}"), 7)


def settings_changed_while_it_runs():
    """The two entries are taken out and put back during the session: the next prompt starts a waiter again."""
    with contextlib.closing(Session()) as session:
        path = session.fleet.home / ".claude/settings.json"
        wired = path.read_text()
        without = json.loads(wired)
        for event in ("SessionStart", "UserPromptSubmit"):
            del without["hooks"][event]
        path.write_text(json.dumps(without))
        session.wake_idle("the old waiter still serves")  # and is used up by it
        session.wait_quiet(1)
        path.write_text(wired)
        time_of_change = time.monotonic()
        wait_for("the client has read its settings", lambda: time.monotonic() - time_of_change > 2.5)
        session.terminal.say("hello again")
        session.wait_quiet(2)
        session.wake_idle("wired again")


SHORT = [idle_and_working_sessions_are_reached, with_a_channel_declared_each_is_handed_over_once,
         headless_runs_are_not_held]
LONG = [clear_gives_the_new_session_its_waiter, a_resumed_session_is_woken, a_compaction_keeps_the_session_reachable,
        an_interrupted_turn_is_reached_by_urgent_events, an_open_permission_dialog_holds_the_text_until_it_is_answered,
        two_sessions_of_a_checkout_get_an_event_once, a_sleeping_machine_loses_nothing, a_killed_client_leaves_no_waiter,
        settings_changed_while_it_runs]


# ---- figures

def figures(name, values):
    ordered = sorted(values)
    print(f"{name}: median {statistics.median(ordered):.2f} s, min {ordered[0]:.2f} s, max {ordered[-1]:.2f} s, {len(ordered)} times",
          flush=True)


def proc(pid, key):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    raise KeyError(key)


def watch_idle(minutes):
    """A waiter of an idle session: what it keeps and how often it wakes."""
    with contextlib.closing(Session()) as session:
        waiter = session.wait_waiter()[0]["pid"]
        before = proc(waiter, "voluntary_ctxt_switches") + proc(waiter, "nonvoluntary_ctxt_switches")
        clock_ticks = sum(map(int, pathlib.Path(f"/proc/{waiter}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        begun = time.monotonic()
        while time.monotonic() - begun < minutes * 60:
            time.sleep(min(10.0, minutes * 60))
        passed = time.monotonic() - begun
        after = proc(waiter, "voluntary_ctxt_switches") + proc(waiter, "nonvoluntary_ctxt_switches")
        ticks = sum(map(int, pathlib.Path(f"/proc/{waiter}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) - clock_ticks
        print(f"idle waiter, {passed / 60:.1f} minutes: {after - before} wake-ups, one every {passed / max(1, after - before):.1f} s; "
              f"{ticks * 1000 // os.sysconf('SC_CLK_TCK')} ms of processor time; resident {proc(waiter, 'VmRSS') / 1024:.1f} MiB, "
              f"of its own {proc(waiter, 'RssAnon') / 1024:.2f} MiB", flush=True)


def measure(minutes):
    version = subprocess.run([str(client_path(CLAUDE)), "--version"], capture_output=True, text=True, timeout=30,
                             env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}).stdout.strip()
    print(f"client: {version}; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    idle, handed, after_tool = [], [], []
    with contextlib.closing(Session()) as session:
        done = 0
        for number in range(5):  # a client is woken at most six times in ten minutes
            idle.append(session.wake_idle(f"idle event number {number}"))
            done += 1
            session.wait_quiet(done)
    for number in range(5):
        with contextlib.closing(Session()) as session:
            times = session.reach_working(f"working event number {number}")
            handed.append(times["handed"])
            after_tool.append(times["after_tool"])
    figures("idle: directive posted to handed over", [one["handed"] for one in idle])
    figures("idle: directive posted to first model request", [one["asked"] for one in idle])
    figures("working: directive posted to handed over", handed)
    figures("working: end of the tool call to the request that carries it", after_tool)
    if minutes > 0:
        watch_idle(minutes)
    return 0


def main():
    if "--measure" in sys.argv:
        rest = sys.argv[sys.argv.index("--measure") + 1:]
        return measure(float(rest[0]) if rest else 10.0)
    tests = SHORT + (LONG if "--long" in sys.argv else [])
    wanted = os.environ.get("RC_TEST", "")
    tests = [test for test in tests if wanted in test.__name__]
    print(f"1..{len(tests)}")
    failed = False
    for number, test in enumerate(tests, 1):
        name = f"wake, claude: {test.__name__.replace('_', ' ')}"
        start = time.monotonic()
        try:
            test()
            print(f"ok {number} {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Skipped as why:
            print(f"ok {number} {name} # skip {why}", flush=True)
        except (AssertionError, subprocess.SubprocessError, OSError, StopIteration, KeyError, IndexError) as why:
            failed = True
            print(f"not ok {number} {name}", flush=True)
            for line in (str(why) if isinstance(why, AssertionError) and str(why) else traceback.format_exc()).splitlines():
                print(f"# {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
