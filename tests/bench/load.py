#!/usr/bin/env python3
"""Loads one `serve`: many sessions that each hold a read of the feed, and what they do to one another.

usage: load.py PROGRAM CLIENT [--sessions 1000] [--seconds 20] [--rate 4]     CLIENT: tests/bench/load_client.cpp, compiled
       load.py PROGRAM --feed [--events 1000000]
The first prints how late events reach all readers, what the service used, and what was lost or doubled; exit 1 when anything was.
The second prints what a read of the feed costs in a short and a long feed, as a ratio.
"""
import argparse
import hashlib
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

API = "/robot-council/api/"


class Serve:
    def __init__(self, program, folder):
        self.folder = folder
        self.process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--data", str(folder), "--login", "bench", "--auto-approve",
                                         "--no-rate-limit"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.token = (folder / "operator.token").read_text().strip()

    def call(self, method, path, token="", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, API + path, None if method == "GET" else json.dumps(body or {}),
                           {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status < 300, f"{method} {path}: {answer.status} {content[:200]}"
        return json.loads(content)

    def enrol(self, label):
        verifier = secrets.token_hex(32)
        code = self.call("POST", "device/code", body={"harness": "claude", "machine_label": label, "requested_abilities": ["events:post"],
                                                      "code_challenge": hashlib.sha256(verifier.encode()).hexdigest()})
        return self.call("POST", "device/token", body={"device_code": code["device_code"], "code_verifier": verifier})["token"]

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self, peak=False):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def load(options, folder):
    serve = Serve(options.program, folder / "fleet")
    try:
        machines = [serve.enrol(f"machine-{number}") for number in range(20)]
        start = time.monotonic()
        sessions = [serve.call("POST", "sessions", machines[number % len(machines)], {"capacity": 16}) for number in range(options.sessions)]
        print(f"{options.sessions} sessions started in {time.monotonic() - start:.1f} s")
        head = max(session["feed_cursor"] for session in sessions)
        lines = "".join(f"{session['session_id']} {session['token']} {head}\n" for session in sessions)
        cpu, start = serve.cpu(), time.monotonic()
        client = subprocess.run([options.client, str(serve.port), str(options.seconds), str(options.rate), serve.token], input=lines, text=True,
                                stdout=subprocess.PIPE, check=False)
        took, used = time.monotonic() - start, serve.cpu() - cpu
        figures = dict(line.split("=", 1) for line in client.stdout.splitlines())
        deliveries = int(figures["deliveries"])
        print(f"{figures['readers']} held reads, {figures['posted']} events in {took:.0f} s, {deliveries} deliveries: "
              f"{figures['lost']} lost, {figures['doubled']} doubled")
        print(f"message posted to read by a session: p50 {figures['p50_ms']} ms, p99 {figures['p99_ms']} ms, longest {figures['max_ms']} ms (budget p99 1000 ms)")
        print(f"the service: {used:.1f} s of processor ({1e6 * used / max(1, deliveries):.0f} us a delivery), {serve.resident():.0f} MiB resident, "
              f"{serve.resident(peak=True):.0f} MiB at most (budget 300 MiB); the load program: {figures['client_cpu_s']} s")
        return client.returncode
    finally:
        serve.stop()


def fill(path, events, sessions):
    """Rows as the service writes them, straight into the store of a service that is stopped."""
    connection = sqlite3.connect(path)
    now = int(time.time() * 1000)
    connection.executemany(
        "INSERT INTO sessions(developer_id, installation_id, token_hash, token_expires_at, contact_at, started_at) VALUES(1, 1, ?, ?, ?, ?)",
        ((secrets.token_hex(32), now + 3_600_000, now, now) for _ in range(sessions)))
    connection.executemany("INSERT INTO events(developer_id, type, body, created_at, actor_session_id, actor_login) VALUES(1, 'narration', ?, ?, 1, 'bench')",
                           ((f"what happened as number {number}", now) for number in range(events)))
    connection.commit()
    connection.close()


def prepared(options, folder, events, sessions):
    serve = Serve(options.program, folder)
    session = serve.call("POST", "sessions", serve.enrol("machine"))
    serve.stop()
    fill(folder / "fleet.db", events, sessions)
    return Serve(options.program, folder), session["token"]


def median_read(fleets, query_of, rounds=200):
    """us of a read, for each fleet; in turn, so that a busy machine slows all alike."""
    times = [[] for _ in fleets]
    for _ in range(rounds):
        for number, (serve, token) in enumerate(fleets):
            start = time.perf_counter()
            serve.call("GET", "events?acknowledge=false&" + query_of[number], token)
            times[number].append((time.perf_counter() - start) * 1e6)
    return [statistics.median(values) for values in times]


def feed(options, folder):
    small, large = (1000, 10), (options.events, 1000)
    fleets = [prepared(options, folder / name, *size) for name, size in (("small", small), ("large", large))]
    try:
        heads = [serve.call("GET", "operator/overview", serve.token)["cursor"] for serve, _ in fleets]
        print(f"feeds of {small[0]} events with {small[1]} sessions, and of {large[0]} with {large[1]}; a read over HTTP, median")
        for what, new in (("nothing new", 0), ("10 new events", 10), ("200 new events", 200)):
            short, long = median_read(fleets, [f"after={head - new}" for head in heads])
            print(f"{what}: {short:.0f} us, {long:.0f} us, ratio {long / short:.2f}")
        short, long = median_read(fleets, [f"after={head // 2}&limit=10" for head in heads])
        print(f"10 events of the middle: {short:.0f} us, {long:.0f} us, ratio {long / short:.2f}")
        return 0
    finally:
        for serve, _ in fleets:
            serve.stop()


def main():
    words = argparse.ArgumentParser()
    words.add_argument("program")
    words.add_argument("client", nargs="?")
    words.add_argument("--sessions", type=int, default=1000)
    words.add_argument("--seconds", type=int, default=20)
    words.add_argument("--rate", type=float, default=4, help="acts a second; one is one to four events")
    words.add_argument("--feed", action="store_true")
    words.add_argument("--events", type=int, default=1_000_000)
    options = words.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rc-load."))
    try:
        if options.feed:
            return feed(options, folder)
        if not options.client:
            words.error("the load needs CLIENT")
        return load(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
