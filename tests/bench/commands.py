#!/usr/bin/env python3
"""Times what a person waits for: setup, its second run, status and doctor on a well machine, unsetup.

usage: commands.py PROGRAM HOME     HOME is an empty folder. Exits 1 when a budget is broken: status 20 ms, doctor 10 s (medians).
"""
import pathlib
import statistics
import subprocess
import sys
import time

program, home = sys.argv[1], pathlib.Path(sys.argv[2])
project = home / "project"
(project / "src").mkdir(parents=True)
subprocess.run(["git", "init", "-q", str(project)], check=True)
env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
HARNESSES = ("claude", "codex", "cursor", "gemini", "copilot", "goose")
serve = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--auto-approve", "--no-rate-limit"], env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
url = serve.stdout.readline().split()[-1]


def timed(*words):
    """Seconds of one run of the program, which must end with 0."""
    start = time.monotonic()
    done = subprocess.run([program, *words], env=env, cwd=project, capture_output=True, text=True)
    took = time.monotonic() - start
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return took


try:
    first = [timed("setup", harness, "--service", url, "--yes") for harness in HARNESSES]
    second = [timed("setup", harness, "--service", url, "--yes") for harness in HARNESSES]
    status = statistics.median(timed("status") for _ in range(30))
    one = statistics.median(timed("doctor", "--harness", "claude") for _ in range(5))
    start = time.monotonic()
    every = subprocess.run([program, "doctor"], env=env, cwd=project, capture_output=True, text=True)
    every_took = time.monotonic() - start  # exit 1: Codex's hook waits for a person's review
    out = [timed("unsetup", harness, "--yes") for harness in HARNESSES]
finally:
    serve.terminate()
    serve.wait(15)
print(f"setup with its doctor, median of six harnesses: {statistics.median(first) * 1000:.0f} ms, a second run: {statistics.median(second) * 1000:.0f} ms")
print(f"status, six wired harnesses: {status * 1000:.1f} ms")
print(f"doctor, one harness: {one * 1000:.0f} ms, six: {every_took * 1000:.0f} ms")
print(f"unsetup, median: {statistics.median(out) * 1000:.0f} ms (Cursor's waits 2 s: {max(out) * 1000:.0f} ms)")
if status > 0.020 or every_took > 10:
    print("over the budget: status 20 ms, doctor 10 s")
    sys.exit(1)
