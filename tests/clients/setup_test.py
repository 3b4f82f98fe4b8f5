#!/usr/bin/env python3
"""Real agent clients after `robot-council setup`: the bridge connects, `join` works, a directive arrives; after `unsetup` no trace is left.

usage: setup_test.py PREFIX CLIENTS        (tools/test-clients; see drivers.py)
Each client starts in a HOME of its own with the settings that it needs to run here, as its user has written them; everything else is what
`setup` writes. The files that the client writes by itself (its state, its history) are not ours to compare.
"""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from drivers import BIN, CLIENTS, DIRECTIVE, LIMIT, FakeModel, Skipped, client_path, run, wait_for  # noqa: E402

NAME = "robot-council"


class Script(FakeModel):
    """A model that calls the server's tool `join`, as the client's own request names it, and then answers."""

    def __init__(self, joined):
        super().__init__([])
        self.joined = joined

    def _turn(self, body):
        turn = super()._turn(body)
        if turn.get("text") != "SCRIPT-EXHAUSTED":
            return turn  # a side call
        number = len(self.requests)
        if number == 1 and self.joined:
            return {"tools": [join_call(body)]}
        if number == 2 and self.joined:
            self.joined()  # the first answer waits until the directive is in the sink
        return {"text": f"answer {number}"}


def join_call(body):
    """The call of our `join`, by the name under which the client offers it."""
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace" and NAME.replace("-", "_") in tool["name"].replace("-", "_"):
            return {"name": "join", "namespace": tool["name"], "input": {}}
        for one in tool.get("functionDeclarations", [tool]):
            name = one.get("name") or one.get("function", {}).get("name", "")
            if name.endswith("join") and NAME.replace("-", "_") in name.replace("-", "_"):
                return {"name": name, "input": {}}
    if f"mcp__{NAME}__join" in json.dumps(body):  # Claude Code names a server's tools before it describes them
        return {"name": f"mcp__{NAME}__join", "input": {}}
    raise AssertionError(f"the client offers no join: {json.dumps(body.get('tools'))[:2000]}")


class Machine:
    """A HOME with the client's own settings, a repository, and a running `serve`; nothing of ours is wired yet."""

    def __init__(self, harness):
        self.harness = harness
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="rc-setup-"))
        self.home, self.project, self.bin = self.root / "home", self.root / "project", self.root / "bin"
        for folder in (self.home, self.project, self.bin):
            folder.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        (self.bin / NAME).symlink_to(BIN)
        self.env = {"HOME": str(self.home), "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
                    "TERM": "xterm-256color", "SHELL": "/bin/bash", "USER": "someone"}
        with open(self.root / "serve.err", "wb") as log:
            self.serve = subprocess.Popen([str(BIN), "serve", "--listen", "127.0.0.1:0", "--auto-approve"], env=self.env,
                                          stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.serve.stdout.readline()
        assert line.startswith("listening on http://"), f"serve said {line!r}"
        self.url = line.split()[-1]

    def council(self, *words, code=0):
        done = subprocess.run([str(BIN), *words], env=self.env, cwd=self.project, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == code, f"robot-council {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def setup(self):
        return self.council("setup", self.harness, "--service", self.url, "--yes")

    def unsetup(self):
        out = self.council("unsetup", self.harness, "--yes")
        assert "No entry of robot-council is left in " in out, out

    def direct(self):
        """Posts a directive for the session that joined, and waits until it is in the seat's sink."""
        self.council("fleet", "direct", DIRECTIVE)
        wait_for("the directive in the sink", lambda: DIRECTIVE in self.council(
            "pending", "--peek", "--json", f"--service={self.url}", f"--harness={self.harness}"))

    def close(self):
        self.serve.terminate()
        self.serve.wait(15)
        shutil.rmtree(self.root, ignore_errors=True)


class Client:
    """What one client needs to run against the scripted model, and which files `setup` edits or makes."""

    files = ()   # edited by us, below HOME: each is compared byte for byte
    shared = ()  # files that the client writes too: only our part is looked for

    def settings(self, machine, url):
        """The user's own settings, before any of ours."""

    def argv(self):
        raise NotImplementedError

    def variables(self, url):
        raise NotImplementedError

    def trust(self, machine, said):
        """What setup told the person to do."""

    def run(self, machine, model):
        return subprocess.run(self.argv(), env={**machine.env, **self.variables(model.url)}, cwd=machine.project,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)


class Claude(Client):
    files = (".claude/settings.json",)
    shared = (".claude.json",)

    def binary(self):
        for folder in ("claude", "cc"):
            path = CLIENTS / folder / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
            if path.exists():
                return path
        raise Skipped("Claude Code is not installed")

    def settings(self, machine, url):
        (machine.bin / "claude").symlink_to(self.binary())  # so that its own program writes the server's entry
        path = machine.home / ".claude/settings.json"
        path.parent.mkdir()
        path.write_text('{\n\t"includeCoAuthoredBy": false, "cleanupPeriodDays": 30\n}')

    def argv(self):
        return [str(self.binary()), "-p", "go", "--output-format", "stream-json", "--verbose",
                "--allowedTools", f"mcp__{NAME}__join"]

    def variables(self, url):
        return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "dummy-key", "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


class Codex(Client):
    files = (".codex/hooks.json",)
    shared = (".codex/config.toml",)

    def argv(self):
        for pattern in ("codex/node_modules/@openai/codex*/vendor/*/codex/codex", "codex/node_modules/@openai/codex*/vendor/*/bin/codex"):
            for binary in CLIENTS.glob(pattern):
                return [str(binary), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json", "go"]
        raise Skipped("codex is not installed")

    def settings(self, machine, url):
        self.argv()
        path = machine.home / ".codex/config.toml"
        path.parent.mkdir()
        path.write_text(f'# mine\nmodel = "gpt-5.4"\nmodel_provider = "script"\n\n[model_providers.script]\nname = "script"\n'
                        f'base_url = "{url}/v1"\nenv_key = "SCRIPT_KEY"\nwire_api = "responses"\n')

    def variables(self, url):
        return {"SCRIPT_KEY": "dummy"}

    def trust(self, machine, said):
        """Trust is recorded as the client records it after a person's yes in /hooks: place and hash of the entry."""
        path = machine.home / ".codex/hooks.json"
        assert "by hand  scan: needs review" in said and f"/hooks" in said and str(path) in said, said
        entry = json.loads(path.read_text())["hooks"]["Stop"][-1]["hooks"][0]
        shape = {"event_name": "stop", "hooks": [{"async": False, **entry}]}
        digest = hashlib.sha256(json.dumps(shape, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        with open(machine.home / ".codex/config.toml", "a", encoding="utf-8") as config:
            config.write(f'\n[hooks.state."{path}:stop:0:0"]\ntrusted_hash = "sha256:{digest}"\n')
        assert "ok  scan: runs" in machine.setup()


class Gemini(Client):
    files = (".gemini/settings.json",)

    def program(self):
        return client_path("gemini/node_modules/@google/gemini-cli/bundle/gemini.js", node=20)

    def settings(self, machine, url):
        self.program()
        path = machine.home / ".gemini/settings.json"
        path.parent.mkdir()
        path.write_text('{\n  // mine\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n')

    def argv(self):
        return ["node", str(self.program()), "-m", "gemini-2.5-flash", "-p", "go", "--output-format", "stream-json", "--yolo"]

    def variables(self, url):
        return {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "dummy", "GEMINI_CLI_TRUST_WORKSPACE": "true"}


class Copilot(Client):
    files = (".copilot/mcp-config.json", ".copilot/hooks/robot-council.json")

    def binary(self):
        return client_path("copilot/node_modules/@github/copilot-linux-x64/copilot")

    def settings(self, machine, url):
        self.binary()

    def argv(self):
        return [str(self.binary()), "-p", "go", "--allow-all-tools", "--output-format", "json"]

    def variables(self, url):
        return {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": "dummy",
                "COPILOT_MODEL": "gpt-5.4", "COPILOT_AUTO_UPDATE": "false"}


def bytes_of(machine, client):
    return {name: (machine.home / name).read_bytes() if (machine.home / name).exists() else None for name in client.files}


def wired_and_taken_out(harness, client):
    """After setup: connected, joined, directed in one turn. After unsetup: the old bytes, and a turn without a trace of ours."""
    with contextlib.closing(Machine(harness)) as machine:
        model = Script(machine.direct)
        with contextlib.closing(model):
            client.settings(machine, model.url)
            before = bytes_of(machine, client)
            client.trust(machine, machine.setup())
            done = client.run(machine, model)
            seen = [json.dumps(request, ensure_ascii=False) for request in model.requests]
            detail = f"exit {done.returncode}, {len(seen)} requests\n{done.stdout[-3000:]}\n{done.stderr[-1500:]}"
            assert done.returncode == 0 and len(seen) == 3, detail
            assert DIRECTIVE not in seen[1], "the directive came before the turn's end"
            assert DIRECTIVE in seen[2], detail
            machine.unsetup()
            after = bytes_of(machine, client)
            assert after == before, f"{before}\n{after}"
            for name in client.shared:
                assert NAME not in (machine.home / name).read_text().replace(str(machine.root), ""), (machine.home / name).read_text()
            # The same client again: it offers no tool of ours and ends after one answer.
            model.joined = None
            model.requests.clear()
            done = client.run(machine, model)
            assert done.returncode == 0 and len(model.requests) == 1, f"{len(model.requests)} requests\n{done.stdout[-2000:]}{done.stderr[-800:]}"
            assert NAME not in json.dumps(model.requests[0].get("tools", [])), "a tool of ours is still offered"


if __name__ == "__main__":
    clients = {"claude": Claude(), "codex": Codex(), "gemini": Gemini(), "copilot": Copilot()}
    sys.exit(run([(f"{name}: setup, a turn with a directive, unsetup", lambda n=name, c=client: wired_and_taken_out(n, c))
                  for name, client in clients.items()]))
