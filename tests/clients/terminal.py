"""Terminals for tests: the ceremony of `resume` under a pseudo-terminal, and Claude Code interactive in tmux."""
import json
import os
import pty
import select
import shlex
import signal
import subprocess
import threading
import time


def under_a_terminal(argv, env, cwd, question, typed, limit=20):
    """Runs argv with a terminal of its own, waits for `question` on it, types `typed`. Returns (exit code, what was on the screen)."""
    pid, master = pty.fork()
    if pid == 0:
        try:
            os.chdir(cwd)
            os.execve(argv[0], argv, env)
        finally:
            os._exit(99)
    screen = b""
    asked = False
    end = time.monotonic() + limit
    try:
        while time.monotonic() < end:
            if not select.select([master], [], [], max(0.0, end - time.monotonic()))[0]:
                break
            try:
                block = os.read(master, 4096)
            except OSError:  # EIO: the program closed its terminal
                block = b""
            if not block:
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), screen.decode(errors="replace")
            screen += block
            if not asked and question.encode() in screen:
                asked = True
                os.write(master, typed.encode())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise AssertionError(f"{argv} did not end within {limit} s; its screen: {screen!r}")
    finally:
        os.close(master)


def prepare_claude(home, folders, key="dummy-key"):
    """What a person has answered before: the first start, the key, the trust of the folders. Foreign keys are kept."""
    path = home / ".claude.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known.update({"hasCompletedOnboarding": True, "bypassPermissionsModeAccepted": True,
                  "customApiKeyResponses": {"approved": [key], "rejected": []}})
    for folder in folders:
        known.setdefault("projects", {}).setdefault(str(folder), {})["hasTrustDialogAccepted"] = True
    path.write_text(json.dumps(known))


class ClaudeTerminal:
    """Claude Code at a terminal of its own (a tmux server with a private socket). close() ends both."""

    def __init__(self, argv, env, cwd, folder):
        self.socket = str(folder / "tmux.sock")
        self.folder = folder
        words = ["env", "-i", *(f"{name}={value}" for name, value in env.items()), *map(str, argv)]
        line = f"{shlex.join(words)} 2>{shlex.quote(str(folder / 'claude.err'))}; echo EXITED $?; exec sleep 600"
        subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", line],
                       env={"HOME": str(folder), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "SHELL": "/bin/bash"},
                       cwd=cwd, check=True, timeout=20)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, timeout=20,
                              env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def wait_screen(self, text, limit=20):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if text in self.screen():
                return
            threading.Event().wait(0.05)  # what is looked at gives no sign when it changes
        raise AssertionError(f"{text!r} is not on the screen within {limit} s:\n{self.screen()}")

    def say(self, text):
        """Types a prompt and sends it; Enter goes once the text is in the input line."""
        self.tmux("send-keys", "-l", text)
        self.wait_screen(text)
        self.keys("Enter")

    def client_pid(self):
        """Claude's own process: the only child of the pane's shell."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        with open(f"/proc/{shell}/task/{shell}/children", encoding="ascii") as children:
            return int(children.read().split()[0])

    def close(self):
        self.tmux("kill-server")
