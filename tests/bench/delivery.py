#!/usr/bin/env python3
"""Times the way of a directive on one machine: posted to the service until its row is committed in the sink.

usage: delivery.py PROGRAM HOME [EVENTS]     HOME is an empty folder; it keeps the quiet sink that is left for other figures
Prints p50, p99 and the resident size of the idle bridge; writes HOME/bench.env with the seat's service URL.
"""
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import time
import urllib.request

program, home = sys.argv[1], pathlib.Path(sys.argv[2])
# A bridge reads 30 pages without a pause, then one every two seconds: so few that no directive waits for that.
events = int(sys.argv[3]) if len(sys.argv) > 3 else 25
project = home / "project"
project.mkdir(parents=True)
subprocess.run(["git", "init", "-q", str(project)], check=True)
env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


serve = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--data", str(home / "fleet"), "--auto-approve", "--no-rate-limit"],
                         env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
url = serve.stdout.readline().split()[-1]
subprocess.run([program, "enroll", "--local", "--data", str(home / "fleet"), "--harness=claude", "--credential-store=file"],
               env=env, check=True, stdout=subprocess.DEVNULL)
env.update({"ROBOT_COUNCIL_SERVICE": url, "ROBOT_COUNCIL_HARNESS": "claude"})
bridge = subprocess.Popen([program, "mcp"], env=env, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)


def call(message):
    bridge.stdin.write(json.dumps(message) + "\n")
    bridge.stdin.flush()
    while True:
        answer = json.loads(bridge.stdout.readline())
        if answer.get("id") == message["id"]:
            return answer


call({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
      "clientInfo": {"name": "bench", "version": "1"}}})
joined = call({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "join", "arguments": {}}})
assert not joined["result"]["isError"], joined

token = (home / "fleet/operator.token").read_text().strip()


def post(text):
    request = urllib.request.Request(f"{url}/robot-council/api/operator/directives", method="POST",
                                     data=json.dumps({"body": text}).encode(),
                                     headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())["event_id"]


sink = next((home / ".local/state/robot-council/pending").glob("*.db"))


def stored():
    connection = sqlite3.connect(f"file:{sink}?mode=ro", uri=True, timeout=5)
    try:
        return dict(connection.execute("select event_id, stored_ms from entry where event_id is not null"))
    finally:
        connection.close()


posted, kept = {}, {}
for number in range(events):
    before = time.time()
    posted[post(f"directive {number}")] = before * 1000
    limit = time.monotonic() + 20
    while time.monotonic() < limit and not posted.keys() <= kept.keys():
        kept.update(stored())
        time.sleep(0.01)
# Handed over and taken in, so that the seat is quiet for the figures that follow.
for _ in range(2):
    subprocess.run([program, "pending"], env=env, cwd=project, check=True, stdout=subprocess.DEVNULL)
late = [kept[event] - posted[event] for event in posted if event in kept]
rss = int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{bridge.pid}/status").read_text()).group(1))
print(f"directive posted to row committed: p50 {percentile(late, 0.5):.0f} ms, p99 {percentile(late, 0.99):.0f} ms, "
      f"{len(late)} of {events} stored (budget p99 50 ms)")
print(f"bridge, resident: {rss / 1024:.1f} MiB (budget 15 MiB)")
bridge.stdin.close()
bridge.wait(15)
serve.terminate()
serve.wait(15)
(home / "bench.env").write_text(f"{url}\n")
sys.exit(0 if len(late) == events else 1)
