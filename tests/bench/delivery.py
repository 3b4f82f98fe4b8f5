#!/usr/bin/env python3
"""Times the way of a directive on one machine: posted to the service until its row is committed in the sink.

usage: delivery.py PROGRAM HOME [EVENTS]     HOME is an empty folder; it keeps the quiet sink that is left for other figures
Prints p50, p99 and the resident size of the idle bridge; writes HOME/bench.env with the seat's service URL.
"""
import pathlib
import sys
import time

from seat import Seat

program, home = sys.argv[1], pathlib.Path(sys.argv[2])
# A bridge reads 30 pages without a pause, then one every two seconds: so few that no directive waits for that.
events = int(sys.argv[3]) if len(sys.argv) > 3 else 25


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


seat = Seat(program, home)
posted, kept = {}, {}


def all_stored():
    kept.update(seat.query("select event_id, stored_ms from entry where event_id is not null"))
    return posted.keys() <= kept.keys()


for number in range(events):
    before = time.time()
    posted[seat.post(f"directive {number}")] = before * 1000
    seat.wait(all_stored, 20)
# Handed over and taken in, so that the seat is quiet for the figures that follow.
seat.pending()
seat.pending()
late = [kept[event] - posted[event] for event in posted if event in kept]
print(f"directive posted to row committed: p50 {percentile(late, 0.5):.0f} ms, p99 {percentile(late, 0.99):.0f} ms, "
      f"{len(late)} of {events} stored (budget p99 50 ms)")
print(f"bridge, resident: {seat.resident_kib() / 1024:.1f} MiB (budget 15 MiB)")
seat.close()
(home / "bench.env").write_text(f"{seat.url}\n")
sys.exit(0 if len(late) == events else 1)
