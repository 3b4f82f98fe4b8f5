#!/usr/bin/env python3
"""Figures of one bridge on one machine, with the embedded service.

usage: bridge.py PROGRAM HOME      HOME is an empty folder
Prints: what forwarding adds to a tool call; the way of a directive to the notice, alone and with eight calls in flight that are not
answered; what an idle bridge holds and how often it wakes up, over plain HTTP and over TLS. Exit 1 when a notice or an answer is missing.
"""
import http.client
import http.server
import json
import os
import pathlib
import re
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time
import urllib.request

program, home = sys.argv[1], pathlib.Path(sys.argv[2])
CALLS, DIRECTIVES, IDLE_SECONDS = 150, 25, 25  # a held read of the feed takes 25 s, so one ends in this time
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
home.mkdir(parents=True, exist_ok=True)
base_env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Front(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Passes requests on to the service, and keeps those that name the tool "never" until it is closed."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, target, certificate=None):
        front, self.target, self.over, self.kept = self, target, threading.Event(), 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                if b'"never"' in body:
                    front.kept += 1
                    front.over.wait()
                    return
                upstream = http.client.HTTPConnection(front.target, timeout=60)
                headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
                upstream.request(self.command, self.path, body, headers)
                answer = upstream.getresponse()
                data = answer.read()
                try:
                    self.send_response(answer.status)
                    for name, value in answer.getheaders():
                        if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                            self.send_header(name, value)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # the bridge hung up

            do_GET = do_POST = do_DELETE = pass_on

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"{'https' if certificate else 'http'}://localhost:{self.server_port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass  # a connection that its peer gave up


class Bridge:
    def __init__(self, url, folder, **more):
        self.project = home / folder
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        env = {**base_env, "ROBOT_COUNCIL_SERVICE": url, "ROBOT_COUNCIL_HARNESS": "claude", **more}
        self.process = subprocess.Popen([program, "mcp"], env=env, cwd=self.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.answers, self.notices, self.changed, self.next = {}, [], threading.Condition(), 1
        threading.Thread(target=self.read, daemon=True).start()
        self.call("initialize", INITIALIZE)
        self.send({"method": "notifications/initialized"})
        joined = self.call("tools/call", {"name": "join", "arguments": {}})
        assert not joined["result"]["isError"], joined

    def read(self):
        for line in self.process.stdout:
            message, now = json.loads(line), time.perf_counter()
            with self.changed:
                if message.get("method") == "notifications/claude/channel":
                    self.notices.append(now)
                elif "id" in message:
                    self.answers[message["id"]] = (now, message)
                self.changed.notify_all()

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def call(self, method, params):
        number, self.next = self.next, self.next + 1
        self.send({"id": number, "method": method, "params": params})
        with self.changed:
            assert self.changed.wait_for(lambda: number in self.answers, 20), f"{method} was not answered"
            return self.answers.pop(number)[1]

    def start_call(self, tool):
        number, self.next = self.next, self.next + 1
        self.send({"id": number, "method": "tools/call", "params": {"name": tool, "arguments": {}}})

    def wake_ups(self):
        count = 0
        for status in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/status"):
            count += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M).group(1))
        return count

    def resident_mib(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait(15)


def serve():
    process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--data", str(home / "fleet"), "--auto-approve", "--no-rate-limit"],
                               env=base_env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return process, process.stdout.readline().split()[-1]


def credential(url):
    """The credential of the embedded service, stored for this address too."""
    path = home / ".config/robot-council/credentials.json"
    entries = json.loads(path.read_text())
    secret = next(iter(entries.values()))
    entries[f"{url}|claude"] = secret
    path.write_text(json.dumps(entries))
    return secret


def forwarding(url, bridge):
    """Each call in turn straight to the service and through the bridge: the same request, the same moment."""
    host, port = url.split("//")[1].split(":")

    def direct(path, token, body):
        """As little of a client as there can be: a connection, one write, what comes until its end."""
        data = json.dumps(body).encode()
        head = (f"POST /robot-council/api/{path} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\nAccept: application/json\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n").encode()
        with socket.create_connection((host, int(port)), 20) as connection:
            connection.sendall(head + data)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        status, body = int(answer.split(b" ", 2)[1]), answer.split(b"\r\n\r\n", 1)[1]
        assert status < 300, answer
        return json.loads(body)

    token = direct("sessions", credential(url), {})["token"]
    call = {"name": "task_list", "arguments": {}}
    straight, through = [], []
    for number in range(CALLS):
        begun = time.perf_counter()
        direct("mcp", token, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
        straight.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        bridge.call("tools/call", call)
        through.append((time.perf_counter() - begun) * 1000)
    print(f"a tool call: straight to the service p50 {percentile(straight, 0.5):.2f} ms, through the bridge p50 {percentile(through, 0.5):.2f} ms, "
          f"so forwarding adds {percentile(through, 0.5) - percentile(straight, 0.5):.2f} ms (budget 1 ms)")


def to_notice(service, bridge, what):
    token = (home / "fleet/operator.token").read_text().strip()
    late = []
    for number in range(DIRECTIVES):
        before = len(bridge.notices)
        request = urllib.request.Request(f"{service}/robot-council/api/operator/directives", method="POST", data=json.dumps({"body": f"d {number}"}).encode(),
                                         headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        begun = time.perf_counter()
        urllib.request.urlopen(request, timeout=10).read()
        with bridge.changed:
            assert bridge.changed.wait_for(lambda: len(bridge.notices) > before, 20), "a directive made no notice"
            late.append((bridge.notices[before] - begun) * 1000)
    print(f"directive posted to notice, {what}: p50 {percentile(late, 0.5):.1f} ms, p99 {percentile(late, 0.99):.1f} ms (budget p99 100 ms)")


def certificate():
    """An authority of our own beside the system's, and a certificate for localhost."""
    folder = home / "tls"
    folder.mkdir()

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-days", "2", "-subj", "/CN=bench authority", "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", *curve, "-subj", "/CN=localhost", "-keyout", "own.key", "-out", "own.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    openssl("x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "own.pem")
    system = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    (folder / "all.pem").write_text((system.read_text() if system.exists() else "") + (folder / "ca.pem").read_text())
    return (folder / "own.pem", folder / "own.key"), folder / "all.pem"


service, url = serve()
subprocess.run([program, "enroll", "--local", "--data", str(home / "fleet"), "--harness=claude", "--credential-store=file"],
               env=base_env, check=True, stdout=subprocess.DEVNULL)
front = Front(url.split("//")[1])
own, authorities = certificate()
secure = Front(url.split("//")[1], own)
for address in (front.url, secure.url):
    credential(address)
idle = [("plain HTTP", Bridge(url, "idle")), ("TLS", Bridge(secure.url, "idle-tls", SSL_CERT_FILE=str(authorities)))]
busy = Bridge(url, "busy")
forwarding(url, busy)
to_notice(url, busy, "alone")
busy.close()
stuck = Bridge(front.url, "stuck")
for _ in range(8):
    stuck.start_call("never")
while front.kept < 8:
    time.sleep(0.01)
to_notice(url, stuck, "with eight calls in flight")
front.over.set()
stuck.close()
# The idle bridges got those directives as well; now nothing happens for a while.
time.sleep(1)
print(f"idle bridges are watched for {IDLE_SECONDS} s", flush=True)
begun, before = time.monotonic(), [bridge.wake_ups() for _, bridge in idle]
time.sleep(IDLE_SECONDS)
minutes = (time.monotonic() - begun) / 60
for (how, bridge), count in zip(idle, before):
    print(f"idle bridge, {how}: {bridge.resident_mib():.1f} MiB resident (budget 15 MiB), {(bridge.wake_ups() - count) / minutes:.0f} wake-ups a minute")
    bridge.close()
service.terminate()
service.wait(15)
