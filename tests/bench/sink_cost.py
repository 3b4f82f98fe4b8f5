#!/usr/bin/env python3
"""Times one hand-over in the life of a sink: 200 waiting events, and settling beside a short and a long history.

usage: sink_cost.py PROGRAM HOME EMPTY [ROUNDS]     HOME: an empty folder, on a memory file system so that no disk is timed;
                                                   EMPTY: a program that does nothing, the yardstick
Each round starts from a copy of the same sink. Prints medians of the whole process's life and their ratios to EMPTY.
"""
import os
import pathlib
import shutil
import statistics
import sys
import time

from seat import Seat

program, home, empty = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 40
seat = Seat(program, home)


def fill(count):
    """So many directives waiting."""
    for number in range(count):
        seat.post(f"directive {number} with some words so that it is as long as one that a person writes")
    seat.wait(lambda: seat.query("select count(*) from entry where state = 0")[0][0] >= count)


def hand_over():
    seat.pending()
    seat.pending()


def keep(name):
    copy = home / name
    shutil.copy(seat.sink, copy)
    return copy


fill(10)
hand_over()
fill(1)
seat.pending()  # printed, to be settled by the next call
sinks = {"settle, history of 10": keep("short.db")}
hand_over()
while seat.query("select count(*) from history")[0][0] < 1000:
    fill(200)
    if "offer, print and mark 200 events" not in sinks:
        sinks["offer, print and mark 200 events"] = keep("full.db")
    hand_over()
fill(1)
seat.pending()
sinks["settle, history of 1,000"] = keep("long.db")
seat.close()


def life(argv):
    actions = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, seat.env, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, argv
    return (time.perf_counter() - start) * 1000, (used.ru_utime + used.ru_stime) * 1000


os.chdir(seat.project)
times = {"empty": [], **{name: [] for name in sinks}}
for _ in range(rounds):
    times["empty"].append(life([empty]))
    for name, copy in sinks.items():
        shutil.copy(copy, seat.sink)
        times[name].append(life([program, "pending"]))


def median(name, which):
    return statistics.median(value[which] for value in times[name])


for name in times:
    life_ms, cpu_ms = median(name, 0), median(name, 1)
    print(f"{name:<34} median {life_ms:6.2f} ms ({cpu_ms:.2f} ms on the processor)   {life_ms / median('empty', 0):.2f} x empty")
print("budget of 200 events: 10 ms. Settling beside 1,000 rows of history: "
      f"{median('settle, history of 1,000', 0) / median('settle, history of 10', 0):.2f} times as long as beside 10 (budget 1.5)")
