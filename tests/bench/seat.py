"""A seat for figures: the embedded service, this machine enrolled, a bridge that has joined. Used by the scripts of this folder."""
import json
import pathlib
import re
import sqlite3
import subprocess
import time
import urllib.request


class Seat:
    """`home` is an empty folder. env and project are what a hook of the seat is started with."""

    def __init__(self, program, home):
        self.program, self.home = program, pathlib.Path(home)
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        self.env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        self.serve = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--data", str(self.home / "fleet"), "--auto-approve",
                                       "--no-rate-limit"], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.serve.stdout.readline().split()[-1]
        subprocess.run([program, "enroll", "--local", "--data", str(self.home / "fleet"), "--harness=claude", "--credential-store=file"],
                       env=self.env, check=True, stdout=subprocess.DEVNULL)
        self.env.update({"ROBOT_COUNCIL_SERVICE": self.url, "ROBOT_COUNCIL_HARNESS": "claude"})
        self.bridge = subprocess.Popen([program, "mcp"], env=self.env, cwd=self.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self._call({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}})
        joined = self._call({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "join", "arguments": {}}})
        assert not joined["result"]["isError"], joined
        self.token = (self.home / "fleet/operator.token").read_text().strip()
        self.sink = next((self.home / ".local/state/robot-council/pending").glob("*.db"))

    def _call(self, message):
        self.bridge.stdin.write(json.dumps(message) + "\n")
        self.bridge.stdin.flush()
        while True:
            answer = json.loads(self.bridge.stdout.readline())
            if answer.get("id") == message["id"]:
                return answer

    def post(self, text):
        request = urllib.request.Request(f"{self.url}/robot-council/api/operator/directives", method="POST",
                                         data=json.dumps({"body": text}).encode(),
                                         headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())["event_id"]

    def query(self, sql):
        connection = sqlite3.connect(f"file:{self.sink}?mode=ro", uri=True, timeout=5)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def wait(self, condition, limit=30):
        end = time.monotonic() + limit
        while time.monotonic() < end and not condition():
            time.sleep(0.01)

    def pending(self, *words):
        return subprocess.run([self.program, "pending", *words], env=self.env, cwd=self.project, check=True, capture_output=True, text=True)

    def resident_kib(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.bridge.pid}/status").read_text()).group(1))

    def close(self):
        self.bridge.stdin.close()
        self.bridge.wait(15)
        self.serve.terminate()
        self.serve.wait(15)
