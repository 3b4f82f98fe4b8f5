"""Real agent clients, driven headless on loopback with the installed programs of this project: fleets, drivers, a small TAP runner.

A test file imports this module, names its tests and calls run(). It is started as  TEST PREFIX CLIENTS  by tools/test-clients:
PREFIX is where robot-council is installed, CLIENTS the folder with the npm installs. A client that is not there is skipped with the reason.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from fake_model import FakeModel  # noqa: E402,F401  (for the tests)

PREFIX, CLIENTS = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
BIN = PREFIX / "bin/robot-council"
SCRIPT = PREFIX / "share/robot-council/stop-hook/robot-council-stop-hook"
DIRECTIVE = "rebase your branch before you go on, says the operator"
LIMIT = 90  # seconds one client run may take


class Skipped(Exception):
    """The test cannot run here; its text says why."""


def wait_for(what, condition, limit=20):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        threading.Event().wait(0.05)  # what is looked at gives no sign when it changes
    raise AssertionError(f"{what}: not within {limit} s")


class Fleet:
    """A private HOME, a checkout, and the embedded service with this machine enrolled as one harness."""

    def __init__(self, harness):
        self.harness = harness
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="rc-clients-"))
        self.home = self.root / "home"
        self.project = self.root / "project"
        self.data = self.root / "fleet"
        for folder in (self.home, self.project):
            folder.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        self.env = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color",
                    "SHELL": "/bin/bash", "USER": "someone"}
        self.serve_err = open(self.root / "serve.err", "wb")
        self.serve = subprocess.Popen([str(BIN), "serve", "--listen", "127.0.0.1:0", "--data", str(self.data), "--auto-approve"],
                                      env=self.env, stdout=subprocess.PIPE, stderr=self.serve_err, text=True)
        line = self.serve.stdout.readline()
        assert line.startswith("listening on http://"), f"serve said {line!r}"
        self.url = line.split()[-1]
        self.command("enroll", "--local", "--data", str(self.data), f"--harness={harness}", "--credential-store=file")
        self.hooked = True  # a driver wires the stop hook
        self.script = self.root / "robot-council-stop-hook"
        self.fill_script()

    def fill_script(self):
        """The shipped script with this seat's values exported at its top, as an installer fills it."""
        lines = SCRIPT.read_text().splitlines()
        values = (f"export ROBOT_COUNCIL_SERVICE='{self.url}'", f"export ROBOT_COUNCIL_HARNESS='{self.harness}'",
                  f"export ROBOT_COUNCIL_BIN='{BIN}'")
        self.script.write_text("\n".join([lines[0], *values, *lines[1:]]) + "\n")
        self.script.chmod(0o755)

    def command(self, *words):
        done = subprocess.run([str(BIN), *words], env=self.env, cwd=self.project, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"robot-council {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def server_entry(self):
        return {"command": str(BIN), "args": ["mcp", "--auto-join"],
                "env": {"ROBOT_COUNCIL_SERVICE": self.url, "ROBOT_COUNCIL_HARNESS": self.harness}}

    def operator(self, method, path, body=None):
        token = (self.data / "operator.token").read_text().strip()
        request = urllib.request.Request(f"{self.url}/robot-council/api/operator/{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"{}")

    def live_sessions(self):
        return self.operator("GET", "overview")["sessions"]

    def waiting(self):
        shown = self.command("pending", "--peek", "--json", f"--service={self.url}", f"--harness={self.harness}")
        return json.loads(shown)["waiting"]

    def direct(self, text=DIRECTIVE):
        """Posts a directive once a session is there, and waits until it is in the seat's sink."""
        wait_for("a session of the client", self.live_sessions)
        self.operator("POST", "directives", {"body": text})
        wait_for("the directive in the sink", lambda: any(text in json.dumps(row) for row in self.waiting()))

    def close(self):
        self.serve.terminate()
        self.serve.wait(15)
        self.serve_err.close()
        shutil.rmtree(self.root, ignore_errors=True)


def client_path(relative, node=0):
    """`node`: the lowest Node.js that runs it; Debian 12 has 18."""
    path = CLIENTS / relative
    if not path.exists():
        raise Skipped(f"{relative} is not installed")
    if node:
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        if int(version.lstrip("v").split(".")[0]) < node:
            raise Skipped(f"{relative} needs Node.js {node}, here is {version}")
    return path


def run_client(fleet, argv, extra):
    done = subprocess.run(argv, env={**fleet.env, **extra}, cwd=fleet.project, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=LIMIT)
    return done


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def hook(fleet, event="Stop", **more):
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": str(fleet.script), "timeout": 20, **more}]}]}}


def claude(fleet, model):
    binary = client_path("claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude")
    if fleet.hooked:
        write_json(fleet.home / ".claude/settings.json", hook(fleet))
    write_json(fleet.project / ".mcp.json", {"mcpServers": {"robot-council": fleet.server_entry()}})
    return run_client(fleet, [str(binary), "-p", "go", "--output-format", "stream-json", "--verbose"],
                      {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy-key", "DISABLE_AUTOUPDATER": "1",
                       "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"})


def codex(fleet, model):
    binary = next(iter(CLIENTS.glob("codex/node_modules/@openai/codex*/vendor/*/codex/codex")), None) \
        or next(iter(CLIENTS.glob("codex/node_modules/@openai/codex*/vendor/*/bin/codex")), None)
    if binary is None:
        raise Skipped("codex is not installed")
    if fleet.hooked:
        write_json(fleet.home / ".codex/hooks.json", hook(fleet))
    entry = {"event_name": "stop", "hooks": [{"async": False, "command": str(fleet.script), "timeout": 20, "type": "command"}]}
    digest = hashlib.sha256(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    server = fleet.server_entry()
    (fleet.home / ".codex").mkdir(exist_ok=True)
    (fleet.home / ".codex/config.toml").write_text(f'''model = "gpt-5.4"
model_provider = "script"
[model_providers.script]
name = "script"
base_url = "{model.url}/v1"
env_key = "SCRIPT_KEY"
wire_api = "responses"
[hooks.state."{fleet.home}/.codex/hooks.json:stop:0:0"]
trusted_hash = "sha256:{digest}"
[mcp_servers.robot-council]
command = "{server['command']}"
args = {json.dumps(server['args'])}
env = {{ ROBOT_COUNCIL_SERVICE = "{fleet.url}", ROBOT_COUNCIL_HARNESS = "codex" }}
''')
    return run_client(fleet, [str(binary), "exec", "--skip-git-repo-check", "--json", "go"], {"SCRIPT_KEY": "dummy"})


def gemini(fleet, model):
    program = client_path("gemini/node_modules/@google/gemini-cli/bundle/gemini.js", node=20)
    settings = hook(fleet, "AfterAgent") if fleet.hooked else {}
    if fleet.hooked:
        settings["hooks"]["AfterAgent"][0]["hooks"][0].update({"timeout": 20000, "command": f"test ! -x {fleet.script} || {fleet.script}"})
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    settings["mcpServers"] = {"robot-council": fleet.server_entry()}
    write_json(fleet.home / ".gemini/settings.json", settings)
    return run_client(fleet, ["node", str(program), "-m", "gemini-2.5-flash", "-p", "go", "--output-format", "stream-json", "--yolo"],
                      {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "dummy", "GEMINI_CLI_TRUST_WORKSPACE": "true"})


def copilot(fleet, model):
    binary = client_path("copilot/node_modules/@github/copilot-linux-x64/copilot")
    if fleet.hooked:
        write_json(fleet.home / ".copilot/hooks/robot-council.json",
                   {"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": str(fleet.script), "timeoutSec": 20}]}})
    write_json(fleet.home / ".copilot/mcp-config.json",
               {"mcpServers": {"robot-council": {"type": "local", "tools": ["*"], **fleet.server_entry()}}})
    return run_client(fleet, [str(binary), "-p", "go", "--allow-all-tools", "--output-format", "json"],
                      {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1", "COPILOT_PROVIDER_API_KEY": "dummy",
                       "COPILOT_MODEL": "gpt-5.4", "COPILOT_AUTO_UPDATE": "false"})


RUNNERS = {"claude": claude, "codex": codex, "gemini": gemini, "copilot": copilot}


def run(tests, at_once=2):
    """Runs (name, function) pairs, some at once, and prints TAP; RC_CLIENT=<part of a name> chooses. Returns the exit code."""
    only = os.environ.get("RC_CLIENT")
    tests = [pair for pair in tests if not only or only in pair[0]]
    print(f"1..{len(tests)}")

    def one(numbered):
        number, (name, test) = numbered
        start = time.monotonic()
        try:
            test()
            return True, f"ok {number} {name} ({time.monotonic() - start:.1f} s)"
        except Skipped as why:
            return True, f"ok {number} {name} # skip {why}"
        except Exception as why:  # noqa: BLE001  one test's failure is not the end of the others
            return False, "\n".join([f"not ok {number} {name}", *(f"# {line}" for line in (str(why) or traceback.format_exc()).splitlines())])

    good = True
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for fine, text in pool.map(one, enumerate(tests, 1)):
            good = good and fine
            print(text, flush=True)
    return 0 if good else 1
