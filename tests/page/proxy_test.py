#!/usr/bin/env python3
"""`serve` behind the packaged nginx, and Caddy, with the very blocks of wiki/Serve.md, over TLS; prints TAP.

usage: proxy_test.py PROGRAM     a read is held for its whole 25 s beside the other cases
CADDY names a Caddy that is not in PATH.
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from browser import Browser
from fleet import API, Serve

HOST = "fleet.example.org"
ROOT = pathlib.Path(__file__).resolve().parents[2]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
CADDY = os.environ.get("CADDY") or shutil.which("caddy")


def documented(language):
    """The block of the manual; it must be the file that is installed."""
    page = (ROOT / "wiki/Serve.md").read_text(encoding="utf-8")
    return re.search(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL).group(1)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxied(Serve):
    """The service as its clients see it: through a proxy, from an address of their own."""

    def __init__(self, program, folder, kind):
        super().__init__(program, folder / "fleet", "--behind-proxy", "--public-url", f"https://{HOST}")
        self.home = folder
        self.kind = kind
        self.proxy = None
        self.start()
        self.proxy_port = free_port()
        self._certificate()
        getattr(self, f"_start_{kind}")()

    def _certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={HOST}",
                        "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", self.home / "key.pem", "-out", self.home / "cert.pem"],
                       check=True, capture_output=True)
        self.tls = ssl.create_default_context(cafile=str(self.home / "cert.pem"))

    def _start_nginx(self):
        block = self._here("nginx", (r"listen 443 ssl;", f"listen 127.0.0.1:{self.proxy_port} ssl;"),
                           (r"/etc/\S*fullchain\.pem", str(self.home / "cert.pem")), (r"/etc/\S*privkey\.pem", str(self.home / "key.pem")))
        temporary = "".join(f"{kind}_temp_path {self.home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.home / "nginx.conf").write_text(
            f"{'user root;' if os.geteuid() == 0 else ''}\ndaemon off;\nmaster_process on;\nworker_processes 1;\npid {self.home}/nginx.pid;\n"
            f"error_log {self.home}/error.log;\nevents {{ worker_connections 256; }}\nhttp {{\naccess_log off;\n{temporary}{block}}}\n")
        self.proxy = subprocess.Popen([NGINX, "-p", str(self.home), "-c", str(self.home / "nginx.conf"), "-e", str(self.home / "error.log")],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait_for_proxy()

    def _start_caddy(self):
        block = self._here("caddy", (r"^fleet\.example\.org \{", f"https://{HOST}:{self.proxy_port} {{\n  bind 127.0.0.1\n"
                                     f"  tls {self.home}/cert.pem {self.home}/key.pem"))
        (self.home / "Caddyfile").write_text(f"{{\n  admin off\n  auto_https disable_redirects\n}}\n{block}")
        with open(self.home / "error.log", "wb") as log:
            self.proxy = subprocess.Popen([CADDY, "run", "--config", str(self.home / "Caddyfile"), "--adapter", "caddyfile"], stdin=subprocess.DEVNULL,
                                          stdout=log, stderr=log, env={"HOME": str(self.home), "PATH": "/usr/bin:/bin"})
        self._wait_for_proxy()

    def _here(self, kind, *changes):
        """The documented block with this test's port, service and certificate."""
        block = documented(kind)
        for old, new in (*changes, (r"127\.0\.0\.1:8787", f"127.0.0.1:{self.port}")):
            block, count = re.subn(old, new, block, flags=re.MULTILINE)
            assert count == 1, f"the documented block has no {old}"
        return block

    def _wait_for_proxy(self):
        until = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.proxy_port), 1).close()
                return
            except OSError:
                said = (self.home / "error.log").read_text() if (self.home / "error.log").exists() else ""
                assert self.proxy.poll() is None and time.monotonic() < until, f"the proxy did not start: {said}"

    def raw(self, method, path, token=None, body=None, headers=None, timeout=40, peer="127.0.0.1"):
        fields = {"Host": HOST, **(headers or {})}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            fields["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy_port, timeout=timeout)
        plain = socket.create_connection(("127.0.0.1", self.proxy_port), timeout, source_address=(peer, 0))
        connection.sock = self.tls.wrap_socket(plain, server_hostname=HOST)
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def close(self):
        if self.proxy:
            self.proxy.terminate()
            self.proxy.wait(10)
        self.stop()


class Held(threading.Thread):
    """A read of the whole wait, on a fleet of its own where nothing happens."""

    def __init__(self, program, folder, kind):
        super().__init__()
        self.fleet = Proxied(program, folder, kind)
        self.agent = self.fleet.session(self.fleet.enrol("quiet"))
        self.answer, self.took = None, 0
        self.start()

    def run(self):
        start = time.monotonic()
        try:
            self.answer = self.fleet.raw("GET", f"{API}events?after={self.agent['feed_cursor']}&wait=25", self.agent["token"])
        except (OSError, http.client.HTTPException) as failure:
            self.answer = (0, {}, repr(failure))
        self.took = time.monotonic() - start

    def close(self):
        self.join(45)
        self.fleet.close()


def case_the_block_is_the_installed_file(fleet):
    assert documented("nginx") == (ROOT / "resources/proxy/nginx.conf").read_text()
    assert documented("caddy") == (ROOT / "resources/proxy/Caddyfile").read_text()


def case_healthz_answers(fleet):
    status, _, body = fleet.raw("GET", "/healthz")
    assert status == 200 and json.loads(body)["status"] == "ok"


def case_the_peer_is_the_one_that_the_proxy_sees(fleet):
    body = {"harness": "claude", "machine_label": "far", "requested_abilities": ["tasks:create"], "code_challenge": "a" * 64}
    status, _, content = fleet.raw("POST", API + "device/code", None, body, {"X-Forwarded-For": "203.0.113.7"}, peer="127.0.0.2")
    assert status == 201, content
    assert json.loads(content)["verification_uri"] == f"https://{HOST}/robot-council/enroll"
    (asked,) = [ask for ask in fleet.operate("GET", "overview")["enrolments"] if ask["machine_label"] == "far"]
    assert asked["requested_ip"] == "127.0.0.2", asked


def case_an_mcp_call_works(fleet):
    agent = fleet.session(fleet.enrol("tools"))
    answer = fleet.call("POST", "mcp", agent["token"], {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "task_create", "arguments": {"title": "through the proxy"}}})
    assert answer["result"]["structuredContent"]["status"] == "pending", answer


def case_an_event_ends_a_held_read_at_once(fleet):
    agent = fleet.session(fleet.enrol("waiting"))
    answers = []
    reader = threading.Thread(target=lambda: answers.append((time.monotonic(), fleet.raw(
        "GET", f"{API}events?after={agent['feed_cursor']}&wait=25", agent["token"]))))
    reader.start()
    until = time.monotonic() + 10
    while fleet.operate("GET", "overview")["counts"]["held_requests"] < 1:
        assert time.monotonic() < until, "the read is never held"
    posted = time.monotonic()
    fleet.operate("POST", "directives", {"body": "now"})
    reader.join(10)
    ((_, (status, headers, body)),) = answers
    assert time.monotonic() - posted < 3
    assert status == 200 and json.loads(body)["events"][0]["body"] == "now" and headers["Robot-Council-Wait"] == "25"


def case_a_big_body_is_413_of_the_service(fleet):
    status, headers, body = fleet.raw("POST", API + "device/code", None, b'{"harness":"' + b"x" * 70000 + b'"}')
    assert status == 413 and "message" in json.loads(body), (status, body[:200])
    assert headers["Content-Type"] == "application/json"


def case_a_chunked_body_arrives_whole(fleet):
    connection = http.client.HTTPConnection("127.0.0.1", fleet.proxy_port, timeout=20)
    connection.sock = fleet.tls.wrap_socket(socket.create_connection(("127.0.0.1", fleet.proxy_port)), server_hostname=HOST)
    connection.request("POST", API + "operator/sign-in", iter([b'{"token":"', fleet.token.encode(), b'"}']),
                       {"Host": HOST, "Content-Type": "application/json"}, encode_chunked=True)
    answer = connection.getresponse()
    # nginx makes one piece of it; Caddy passes it on as it came, which the service takes from nobody.
    assert answer.status == {"nginx": 204, "caddy": 501}[fleet.kind], (answer.status, answer.read()[:300])
    connection.close()


def case_origins_are_held_to_the_public_address(fleet):
    for origin, wanted in ((f"https://{HOST}", 204), (f"http://{HOST}", 403), ("https://evil.example", 403), ("null", 403)):
        status, _, body = fleet.raw("POST", API + "operator/sign-in", None, {"token": fleet.token}, {"Origin": origin})
        assert status == wanted, (origin, status, body)
    status, _, body = fleet.raw("GET", "/healthz", headers={"Host": "evil.example"})
    # Caddy knows no such site and answers by itself, with nothing.
    assert status == 421 if fleet.kind == "nginx" else body == b"", (status, body)


def case_the_operator_page_works_in_a_browser(fleet):
    if shutil.which("chromium") is None:
        return "chromium is not there"
    browser = Browser(f"--host-resolver-rules=MAP {HOST}:443 127.0.0.1:{fleet.proxy_port}", "--ignore-certificate-errors")
    try:
        page = browser.page(f"https://{HOST}/")
        page.wait("document.activeElement?.id === 'token'")
        page.type(fleet.token)
        page.key("Enter")
        page.wait_text("#link", "Live")
        page.click("#directive")
        page.type("Through the proxy.")
        page.click("#direct-form button[type=submit]")
        page.wait_text("#feed-list > :first-child", "Through the proxy.")
        assert page.run("location.href") == f"https://{HOST}/robot-council/"
        assert page.problems == [] and page.cookies() == [], page.problems
    finally:
        browser.close()
    return None


def case_a_read_held_for_25_seconds_is_not_cut(fleet):
    fleet.held.join(40)
    status, _, body = fleet.held.answer
    assert status == 200 and json.loads(body)["events"] == [], (status, body[:300])
    assert 24.5 < fleet.held.took < 30, fleet.held.took


def run_cases(kind, program, folder, cases, first):
    """Runs all cases behind one proxy; how many failed."""
    bad, started = 0, []
    try:
        for name in ("quiet", "busy"):
            (folder / kind / name).mkdir(parents=True)
        started.append(held := Held(program, folder / kind / "quiet", kind))
        started.append(fleet := Proxied(program, folder / kind / "busy", kind))
        fleet.held = held
        for number, (name, function) in enumerate(cases, first):
            try:
                skipped = function(fleet)
                print(f"ok {number} behind {kind}: {name}{f' # skip {skipped}' if skipped else ''}", flush=True)
            except (AssertionError, RuntimeError, OSError, ValueError, http.client.HTTPException):
                bad += 1
                print(f"not ok {number} behind {kind}: {name}")
                print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
    finally:
        for one in reversed(started):
            one.close()
    return bad


def main():
    proxies = {"nginx": NGINX, "caddy": CADDY}
    program = pathlib.Path(sys.argv[1]).resolve()
    cases = [(name[5:].replace("_", " "), function) for name, function in globals().items() if name.startswith("case_")]
    openssl = shutil.which("openssl")
    there = [kind for kind, path in proxies.items() if path and openssl]
    print(f"1..{len(there) * len(cases) + len(proxies) - len(there)}", flush=True)
    folder, bad, number = pathlib.Path(tempfile.mkdtemp(prefix="rc-proxy-test.")), 0, 1
    try:
        for kind in proxies:
            if kind in there:
                bad += run_cases(kind, program, folder, cases, number)
                number += len(cases)
            else:
                print(f"ok {number} behind {kind} # skip {kind if openssl else 'openssl'} is not there")
                number += 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
