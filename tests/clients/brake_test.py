#!/usr/bin/env python3
"""The brake in real agent clients: wired by `robot-council brake wire`, a scripted model calls a shell tool that leaves a file.

usage: brake_test.py PREFIX CLIENTS      the arguments of clients_test.py, which holds what both use
In one session of each client: without a stop there is the file; with a stop there is none, and the model reads the reason in its next
request; after `resume`, typed at a pseudo-terminal, there is the file again. Prints TAP. RC_CLIENT=claude runs one client's cases, RC_TEST=word those with the word in their name.
"""
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from drivers import BIN, CLIENTS, Skipped, client_path, wait_for, write_json  # noqa: E402
from fake_model import FakeModel  # noqa: E402
from terminal import ClaudeTerminal, prepare_claude, under_a_terminal  # noqa: E402

REASON = "the release is frozen until Monday"
LIMIT = 120  # seconds one client run may take
NOBODY = 65534
CLAUDE = "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude"


class Person:
    """A home with the program in ~/.local/bin, and a git repository. `as_nobody`: all of it belongs to, and runs as, that user."""

    def __init__(self, as_nobody=False):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="rc-brake-"))
        self.home, self.project = self.root / "home", self.root / "shop"
        (self.home / ".local/bin").mkdir(parents=True)
        self.program = self.home / ".local/bin/robot-council"
        self.user = []
        if as_nobody:
            shutil.copy(BIN, self.program)
            self.user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        else:
            self.program.symlink_to(BIN)
        self.env = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color",
                    "SHELL": "/bin/bash", "USER": "someone", "GIT_CONFIG_NOSYSTEM": "1"}
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ana\n\temail = ana@example.org\n[safe]\n\tdirectory = *\n")
        self.project.mkdir()
        self.git("init", "-q")
        self.git("commit", "-q", "--allow-empty", "-m", "first")
        self.settle()

    def settle(self):
        if self.user:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(self.root)], check=True)

    def git(self, *words):
        subprocess.run(["git", *words], env=self.env, cwd=self.project, check=True, timeout=20)

    def council(self, *words, cwd=None, env=None):
        done = subprocess.run([*self.user, str(self.program), *words], env={**self.env, **(env or {})}, cwd=cwd or self.project,
                              capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, f"robot-council {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def stop(self, *more):
        self.council("stop", "--reason", REASON, *more)

    def resume(self):
        """As a person does it: at a terminal, by typing the repository's name."""
        argv = [*self.user, str(self.program), "resume"]
        if self.user:
            argv[0] = shutil.which("setpriv")
        code, screen = under_a_terminal(argv, self.env, self.project, "to lift it", self.project.name + "\n")
        assert code == 0, f"resume: exit {code}\n{screen}"

    def run(self, argv, extra, cwd=None):
        done = subprocess.run([*self.user, *map(str, argv)], env={**self.env, **extra}, cwd=cwd or self.project,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-1500:]}"
        return done

    def blocked(self):
        """The refused calls in the decision log."""
        log = self.home / ".local/state/robot-council/decisions.jsonl"
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [line for line in lines if line.get("verdict") == "block"]

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


# ---- each client: its shell tool, its wiring, its headless command line

def claude_env(model):
    return {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy-key", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


def claude_argv(*more):
    return [client_path(CLAUDE), "-p", "go", "--output-format", "stream-json", "--verbose", *more]


def claude(person, model):
    person.run(claude_argv("--allowedTools", "Bash"), claude_env(model))


def trust_codex_hook(person):
    """What /hooks writes when a person trusts the hook; computed from the file that `brake wire` wrote."""
    path = person.home / ".codex/hooks.json"
    entry = json.loads(path.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    shown = {"event_name": "pre_tool_use", "hooks": [{"async": False, **entry}]}
    digest = hashlib.sha256(json.dumps(shown, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return f'[hooks.state."{path}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:{digest}"\n'


def codex(person, model):
    binary = next(iter(CLIENTS.glob("codex/node_modules/@openai/codex*/vendor/*/codex/codex")), None) \
        or next(iter(CLIENTS.glob("codex/node_modules/@openai/codex*/vendor/*/bin/codex")), None)
    if binary is None:
        raise Skipped("codex is not installed")
    (person.home / ".codex/config.toml").write_text(f'''model = "gpt-5.4"
model_provider = "script"
[model_providers.script]
name = "script"
base_url = "{model.url}/v1"
env_key = "SCRIPT_KEY"
wire_api = "responses"
{trust_codex_hook(person)}''')
    person.run([binary, "exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox", "go"],
               {"SCRIPT_KEY": "dummy"})


def gemini(person, model):
    program = client_path("gemini/node_modules/@google/gemini-cli/bundle/gemini.js", node=20)
    path = person.home / ".gemini/settings.json"
    write_json(path, {**json.loads(path.read_text()), "security": {"auth": {"selectedType": "gemini-api-key"}}})
    person.run(["node", program, "-m", "gemini-2.5-flash", "-p", "go", "--output-format", "stream-json", "--yolo"],
               {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "dummy", "GEMINI_CLI_TRUST_WORKSPACE": "true"})


def copilot(person, model):
    binary = next(iter(CLIENTS.glob("copilot/node_modules/@github/copilot-linux-*/copilot")), None)
    if binary is None:
        raise Skipped("copilot is not installed")
    person.run([binary, "-p", "go", "--allow-all-tools", "--output-format", "json"],
               {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1", "COPILOT_PROVIDER_API_KEY": "dummy",
                "COPILOT_MODEL": "gpt-5.4", "COPILOT_AUTO_UPDATE": "false"})


def qwen(person, model):
    program = client_path("qwen/node_modules/.bin/qwen", node=20)
    person.run([program, "-p", "go", "--output-format", "stream-json", "--yolo"],
               {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_MODEL": "lab-model"})


def bash(command):
    return {"name": "Bash", "input": {"command": command, "description": "d"}}


def shell(name, key="command", **more):
    return lambda command: {"name": name, "input": {key: command, **more}}


# client: (its headless run, its shell tool, brake wire's id, how `brake wire` is told where)
RUNS = {
    "claude": (claude, bash, "claude_code", {}),
    "codex": (codex, shell("exec_command", "cmd"), "codex_cli", {}),
    "gemini": (gemini, shell("run_shell_command"), "gemini_cli", {}),
    "copilot": (copilot, shell("bash", description="d"), "vscode_copilot", {}),
    # Qwen Code has no id of its own; it reads Claude Code's settings in its own folder.
    "qwen": (qwen, shell("run_shell_command", is_background=False), "claude_code", {"CLAUDE_CONFIG_DIR": ".qwen"}),
}


def three_calls(person, tool, folder=None):
    """The model's script: a call before the stop, one under it, one after it; and the check of what came of them."""
    folder = folder or person.project
    marks = [folder / f"mark-{word}" for word in ("before", "under", "after")]
    there = []

    def look(then):
        def step():
            there.append([mark.exists() for mark in marks])
            then()
        return step

    turns = [{"tools": [tool(f"touch {marks[0]}")]},
             {"tools": [tool(f"touch {marks[1]}")], "before": look(person.stop)},
             {"tools": [tool(f"touch {marks[2]}")], "before": look(person.resume)},
             {"text": "done", "before": look(lambda: None)}]

    def check(requests):
        seen = [json.dumps(request, ensure_ascii=False) for request in requests]
        assert len(seen) == 4, f"{len(seen)} requests; files: {there}"
        assert there == [[True, False, False], [True, False, False], [True, False, True]], f"files after each call: {there}"
        assert REASON not in seen[1], "the reason was there before the stop"
        assert "stopped: " + REASON in seen[2], f"the reason did not reach the model: {seen[2][-2000:]}"
        assert "only a person can lift it" in seen[2], seen[2][-2000:]
    return turns, check


def stop_refuses_and_resume_lifts(client):
    """A stop refuses the next call of a running session, its reason reaches the model, and after resume the call is made."""
    run, tool, wire_id, moved = RUNS[client]
    with contextlib.closing(Person()) as person:
        env = {name: str(person.home / value) for name, value in moved.items()}
        said = person.council("brake", "wire", wire_id, env=env)
        assert "wired" in said, said
        turns, check = three_calls(person, tool)
        with contextlib.closing(FakeModel(turns)) as model:
            run(person, model)
            check(model.requests)
        assert [line["actor"] for line in person.blocked()] == [wire_id], person.blocked()


def without_its_program_the_wired_client_refuses(client):
    """The program is removed while it is wired: the entry refuses the call and says what to do."""
    run, tool, wire_id, moved = RUNS[client]
    with contextlib.closing(Person()) as person:
        person.council("brake", "wire", wire_id, env={name: str(person.home / value) for name, value in moved.items()})
        person.program.unlink()
        if shutil.which("robot-council", path="/usr/local/bin:/opt/homebrew/bin:/usr/bin"):
            raise Skipped("this machine has robot-council where the entry looks for it")
        mark = person.project / "mark"
        with contextlib.closing(FakeModel([{"tools": [tool(f"touch {mark}")]}, {"text": "done"}])) as model:
            run(person, model)
            assert not mark.exists(), "the call was made"
            talk = model.requests[1].get("messages") or model.requests[1].get("input") or model.requests[1].get("contents")
            # Copilot CLI hands a refusal's words on only when they are JSON on stdout, which a shell without our program does not write.
            why = "hook exited with code 2" if client == "copilot" else "robot-council is missing; a person must reinstall it"
            assert why in json.dumps(talk), json.dumps(talk)[-2000:]


# ---- Claude Code in other ways

def claude_bypassing_permissions_is_stopped(_):
    """--dangerously-skip-permissions does not skip the brake (Claude Code refuses that mode to root: it runs as nobody)."""
    user = os.geteuid() == 0
    if user and sum(int(line.split()[2]) for line in pathlib.Path("/proc/self/uid_map").read_text().splitlines()) <= NOBODY:
        raise Skipped("a plain user's namespace has no other user that Claude Code could run as")
    with contextlib.closing(Person(as_nobody=user)) as person:
        binary = client_path(CLAUDE)
        if user:  # nobody may not look into root's folders
            binary = shutil.copy(binary, person.root / "claude")
            person.root.chmod(0o755)
        person.council("brake", "wire", "claude_code")
        turns, check = three_calls(person, bash)
        with contextlib.closing(FakeModel(turns)) as model:
            person.run([binary, *claude_argv("--dangerously-skip-permissions")[1:]], claude_env(model))
            check(model.requests)


def claude_after_cd_out_of_the_repository_is_stopped(_):
    """The agent's shell has left the stopped repository for another one: the project variable still says where it belongs."""
    with contextlib.closing(Person()) as person:
        other = person.root / "other"
        subprocess.run(["git", "init", "-q", str(other)], check=True)
        person.council("brake", "wire", "claude_code")
        mark = other / "mark"
        turns = [{"tools": [bash(f"cd {other} && pwd")]},
                 {"tools": [bash("touch mark")], "before": person.stop},
                 {"text": "done"}]
        with contextlib.closing(FakeModel(turns)) as model:
            person.run(claude_argv("--allowedTools", "Bash", "--add-dir", str(other)), claude_env(model))
            assert not mark.exists() and not (person.project / "mark").exists()
            assert "stopped: " + REASON in json.dumps(model.requests[2])


def claude_in_a_linked_worktree_is_stopped(_):
    """A stop given in the main checkout holds in its worktrees."""
    with contextlib.closing(Person()) as person:
        worktree = person.root / "side"
        person.git("worktree", "add", "-q", str(worktree), "-b", "side")
        person.council("brake", "wire", "claude_code")
        turns, check = three_calls(person, bash, worktree)
        with contextlib.closing(FakeModel(turns)) as model:
            person.run(claude_argv("--allowedTools", "Bash"), claude_env(model), cwd=worktree)
            check(model.requests)


def claude_subagent_is_stopped(_):
    """A subagent's tool call is refused too, and the subagent reads the reason."""
    with contextlib.closing(Person()) as person:
        person.council("brake", "wire", "claude_code")
        mark = person.project / "mark"
        task = "leave the mark for me please"
        seen = {"sub": [], "main": []}

        def turn(body):
            first = json.dumps(body["messages"][0])
            who = "sub" if task in first else "main"
            seen[who].append(json.dumps(body))
            if who == "sub":
                if len(seen["sub"]) > 1:
                    return {"text": "I was refused"}
                person.stop()
                return {"tools": [bash(f"touch {mark}")]}
            if len(seen["main"]) > 1:
                return {"text": "done"}
            name = "Agent" if "Agent" in [tool["name"] for tool in body["tools"]] else "Task"
            return {"tools": [{"name": name, "input": {"description": "d", "prompt": task, "subagent_type": "general-purpose"}}]}

        with contextlib.closing(FakeModel(turn)) as model:
            person.run(claude_argv("--allowedTools", "Bash,Agent,Task"), claude_env(model))
        assert len(seen["sub"]) == 2, {key: len(value) for key, value in seen.items()}
        assert not mark.exists(), "the subagent's call was made"
        assert "stopped: " + REASON in seen["sub"][1], seen["sub"][1][-2000:]


def claude_at_a_terminal_is_stopped(_):
    """The interactive client in tmux: the same three calls in one turn."""
    if shutil.which("tmux") is None:
        raise Skipped("tmux is not there")
    with contextlib.closing(Person()) as person:
        person.council("brake", "wire", "claude_code")
        prepare_claude(person.home, [person.project])
        turns, check = three_calls(person, bash)
        with contextlib.closing(FakeModel(turns)) as model:
            argv = [client_path(CLAUDE), "--allowedTools", "Bash"]
            with contextlib.closing(ClaudeTerminal(argv, {**person.env, **claude_env(model)}, person.project, person.root)) as terminal:
                terminal.wait_screen("❯")
                terminal.say("go now")
                try:
                    wait_for("the fourth request", lambda: len(model.requests) >= 4, 40)
                except AssertionError as late:
                    raise AssertionError(f"{late}; {len(model.requests)} requests\n{terminal.screen()}") from late
                check(model.requests)


def main():
    if pwd.getpwuid(os.geteuid()).pw_dir != os.environ.get("RC_PASSWD_HOME"):
        print("1..1\nok 1 the brake in real clients # skip run it by tools/test-clients: a stop is also written to the password database's home")
        return 0
    tests = [(stop_refuses_and_resume_lifts, client) for client in RUNS]
    tests += [(without_its_program_the_wired_client_refuses, client) for client in RUNS]
    tests += [(test, "claude") for test in (claude_at_a_terminal_is_stopped, claude_bypassing_permissions_is_stopped,
                                            claude_subagent_is_stopped, claude_after_cd_out_of_the_repository_is_stopped,
                                            claude_in_a_linked_worktree_is_stopped)]
    only = os.environ.get("RC_CLIENT")
    tests = [pair for pair in tests if only in (None, "", pair[1])]
    wanted = os.environ.get("RC_TEST", "")
    tests = [pair for pair in tests if wanted in pair[0].__name__]
    print(f"1..{len(tests)}")
    failed = False
    # Most of a client's run is waiting for what it does not reach here: several at a time.
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        for number, lines in enumerate(pool.map(lambda pair: outcome(*pair), tests), 1):
            failed = failed or lines[0].startswith("not ok")
            print(lines[0].format(number=number), *lines[1:], sep="\n", flush=True)
    return 1 if failed else 0


def outcome(test, client):
    """Runs one case; its TAP lines, the number left open."""
    name = f"brake, {client}: {test.__name__.replace('_', ' ')}"
    start = time.monotonic()
    try:
        test(client)
        return [f"ok {{number}} {name} ({time.monotonic() - start:.1f} s)"]
    except Skipped as why:
        return [f"ok {{number}} {name} # skip {why}"]
    except (AssertionError, subprocess.SubprocessError, OSError, StopIteration, KeyError, IndexError) as why:
        text = str(why) if isinstance(why, AssertionError) and str(why) else traceback.format_exc()
        return [f"not ok {{number}} {name}", *(f"# {line}" for line in text.splitlines())]


if __name__ == "__main__":
    sys.exit(main())
