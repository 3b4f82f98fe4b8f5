"""A real `serve` and agents that speak to it."""
import hashlib
import http.client
import json
import secrets
import subprocess

API = "/robot-council/api/"


class Serve:
    """`robot-council serve` on a folder; start() may be called again after stop(): the same port."""

    def __init__(self, program, folder, *options):
        self.program, self.folder, self.options = program, folder, options
        self.port = 0
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", str(self.folder), "--login", "ana", *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), f"serve did not start: {line!r}"
        self.port = int(line.rsplit(":", 1)[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = (self.folder / "operator.token").read_text().strip()
        return self

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(15)
            self.process.stdout.close()
            self.process = None

    def raw(self, method, path, token=None, body=None, headers=None, timeout=40):
        """status, headers, body of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        fields = dict(headers or {})
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), fields)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def call(self, method, path, token=None, body=None):
        status, _, content = self.raw(method, API + path, token, body if body is not None or method == "GET" else {})
        assert 200 <= status < 300, f"{method} {path}: {status} {content[:300]}"
        return json.loads(content) if content else None

    def operate(self, method, path, body=None):
        return self.call(method, "operator/" + path, self.token, body)

    def ask_code(self, label, harness="claude"):
        """What a machine gets that asks to join: its verifier is kept in the answer."""
        verifier = secrets.token_hex(32)
        code = self.call("POST", "device/code", None, {
            "harness": harness, "machine_label": label, "requested_abilities": ["tasks:create", "tasks:claim", "locks:acquire", "events:post"],
            "code_challenge": hashlib.sha256(verifier.encode()).hexdigest()})
        return {**code, "verifier": verifier}

    def exchange(self, code):
        return self.call("POST", "device/token", None, {"device_code": code["device_code"], "code_verifier": code["verifier"]})

    def enrol(self, label, harness="claude"):
        code = self.ask_code(label, harness)
        self.operate("POST", f"enrolments/{code['user_code']}/approve")
        return self.exchange(code)

    def session(self, installation, **about):
        return self.call("POST", "sessions", installation["token"], about)

    def events(self, after=0):
        return self.operate("GET", f"events?after={after}")["events"]
