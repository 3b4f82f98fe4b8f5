#!/usr/bin/env python3
"""The recorder of turn ends as a stop hook of the real Claude Code, on a scripted model: it sees everything and changes nothing.

usage: stops_test.py PREFIX CLIENTS     (the arguments of clients_test.py)     Prints TAP.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from drivers import BIN, LIMIT, Skipped, client_path, run, wait_for, write_json  # noqa: E402
from fake_model import FakeModel  # noqa: E402
from terminal import ClaudeTerminal, prepare_claude  # noqa: E402

CLAUDE = "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
MOST_MS = 50  # that the hook may add to a turn end
POLICY = """version: 1
unattended: judge
policies:
 stop:
  questions:
   asks_approval: {instructions: "asks to approve a step"}
   needs_input: {instructions: "needs a choice"}
   hard_to_undo: {instructions: "is hard to take back"}
  rules:
   - {when: {hard_to_undo: {p: ">=0.50"}}, then: leave}
   - {when: {asks_approval: {p: ">=0.70"}}, then: continue}
   - default: leave
"""
# What two runs of the same session never share, and what no hook can change.
CHANCE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b|\bcch=[0-9a-f]+")


def busy():
    """How many times slower than an idle machine this one may be just now."""
    return max(1.0, 2.0 * os.getloadavg()[0] / (os.cpu_count() or 1))


class Desk:
    """A home and a checkout of their own, always at the same path, with the recorder wired or not."""

    def __init__(self, root, hooked):
        shutil.rmtree(root, ignore_errors=True)
        self.home, self.project = root / "home", root / "project"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        (self.project / ".robot-council.stop.yaml").write_text(POLICY)
        prepare_claude(self.home, [self.project])
        entry = {"type": "command", "command": f"{BIN} stops record", "timeout": 10}
        write_json(self.home / ".claude/settings.json", {"hooks": {"Stop": [{"hooks": [entry]}]}} if hooked else {})
        self.log = self.home / ".local/state/robot-council/stops/stops.jsonl"

    def env(self, model):
        return {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color",
                "SHELL": "/bin/bash", "USER": "someone", "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy-key",
                "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def lines(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def transcript(self):
        files = list((self.home / ".claude/projects").glob("*/*.jsonl"))
        assert len(files) == 1, files
        return [json.loads(line) for line in files[0].read_text().splitlines()]

    def report(self):
        done = subprocess.run([str(BIN), "stops", "--json"], env={"HOME": str(self.home), "PATH": "/usr/bin:/bin"}, capture_output=True,
                              text=True, timeout=30)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return json.loads(done.stdout)


@contextlib.contextmanager
def place():
    root = pathlib.Path(tempfile.mkdtemp(prefix="rc-stops-"))
    try:
        yield root / "desk"
    finally:
        shutil.rmtree(root, ignore_errors=True)


def turns_are_seen_and_not_continued():
    """At its terminal: every turn end is a line, the hook has no output, no turn is added, and the report pairs what was typed."""
    if shutil.which("tmux") is None:
        raise Skipped("tmux is not there")
    binary = client_path(CLAUDE)
    answers = [{"text": "Tabs parse now. Shall I teach the printer too?"}, {"text": "Done: 212 tests pass."}]
    with place() as root, contextlib.closing(FakeModel(list(answers))) as model:
        desk = Desk(root, hooked=True)
        folder = root / "terminal"
        folder.mkdir()
        with contextlib.closing(ClaudeTerminal([binary], desk.env(model), desk.project, folder)) as terminal:
            terminal.wait_screen("❯")
            terminal.say("parse tabs")
            wait_for("the first turn end in the log", lambda: len(desk.lines()) == 1)
            terminal.say("yes please")
            wait_for("the second turn end in the log", lambda: len(desk.lines()) == 2)
            hooks = wait_for("both hooks in the transcript",
                             lambda: (found := [line for line in desk.transcript() if line.get("subtype") == "stop_hook_summary"])
                             and len(found) == 2 and found)
        assert len(model.requests) == 2, f"{len(model.requests)} requests for two prompts"
        for hook in hooks:
            assert hook["hasOutput"] is False and hook["preventedContinuation"] is False and hook["hookErrors"] == [], hook
        took = min(info["durationMs"] for hook in hooks for info in hook["hookInfos"])
        assert took <= MOST_MS * busy(), f"the hook took {took} ms"
        first, second = desk.lines()
        assert (first["outcome"], first["verdict"], second["verdict"]) == ("judged", "continue", "leave"), (first, second)
        assert first["answers"]["asks_approval"] == 1 and first["stop_hook_active"] is False, first
        counts = desk.report()
        assert [(pair["goahead"], pair["verdict"], pair["prompt_id"]) for pair in counts["pairs"]] \
            == [(True, "continue", first["prompt_id"])], counts
        assert counts["left_out"] == {"ended": 1} and counts["anchors"] == {"prompt_id": 1, "time": 0}, counts


def two_turns(root, binary, hooked):
    """One session of two prompts, headless. Returns what the model was sent and the desk."""
    desk = Desk(root, hooked)
    with contextlib.closing(FakeModel([{"text": "CI is green. Should I merge it?"}, {"text": "Merged."}])) as model:
        for words in (["-p", "go"], ["--continue", "-p", "merge it"]):
            done = subprocess.run([str(binary), *words], env=desk.env(model), cwd=desk.project, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=LIMIT)
            assert done.returncode == 0, f"exit {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        port = model.url.rsplit(":", 1)[1]
        return [CHANCE.sub("-", json.dumps(body).replace(port, "-")) for body in model.requests], desk


def model_sees_the_same_bytes():
    """With the recorder and without it the model is sent the same requests."""
    binary = client_path(CLAUDE)
    with place() as root:
        plain, _ = two_turns(root, binary, hooked=False)
        recorded, desk = two_turns(root, binary, hooked=True)
        assert len(desk.lines()) == 2 and all(line["outcome"] == "judged" for line in desk.lines()), desk.lines()
        assert len(plain) == len(recorded) == 2, (len(plain), len(recorded))
        for number, (before, after) in enumerate(zip(plain, recorded), 1):
            at = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
            assert before == after, f"request {number} differs: {before[at - 60:at + 60]!r} is {after[at - 60:at + 60]!r}"
        assert desk.report()["left_out"] == {"sdk_session": 2}, desk.report()["left_out"]


TESTS = [(f"stops: {test.__name__.replace('_', ' ')}", test) for test in (turns_are_seen_and_not_continued, model_sees_the_same_bytes)]

if __name__ == "__main__":
    sys.exit(run(TESTS))
