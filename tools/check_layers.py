#!/usr/bin/env python3
"""Fails when a file includes a room or a third-party header that its own room may not use.

The table is the one of wiki/Architecture.md; CMakeLists.txt holds the same graph for the linker.
"""
import pathlib
import re
import sys

ALL = ("base harness sink pending stop-hook net service-api account bridge fleet brake stops stops/judges "
       "wiring wiring/online cli")
ROOMS = {
    "base": "",
    "harness": "base",
    "sink": "base",
    "net": "base",
    "service-api": "base",
    "brake": "base harness",
    "pending": "base harness sink brake",
    "stop-hook": "base harness brake pending sink",
    "account": "base net service-api",
    "bridge": "base harness net service-api account sink brake stop-hook",
    "fleet": "base net service-api",
    "stops": "base harness sink",
    "stops/judges": "base harness stops net",
    "wiring": "base harness sink pending stop-hook brake stops",
    "wiring/online": "base harness sink pending stop-hook brake stops stops/judges net service-api account bridge wiring",
    "cli": ALL,
}
# A third-party header belongs to these rooms only.
ONLY = {
    "httplib.h": "net", "openssl/": "net", "SQLiteCpp/": "sink fleet", "sqlite3.h": "sink fleet", "pqxx/": "fleet",
    "yaml-cpp/": "stops", "CLI/": "cli", "nlohmann/": "base service-api", "toml++/": "harness",
    "gtest/": "", "benchmark/": "",
}
INCLUDE = re.compile(r'\s*#\s*include\s+["<]([^">]+)')


def room_of(path):
    """The longest room name that begins the path; cli has sub-folders."""
    folder = path.parent.as_posix()
    while folder not in ROOMS and "/" in folder:
        folder = folder.rsplit("/", 1)[0]
    return folder if folder in ROOMS else None


def main():
    bad = 0
    for top in sorted({r.split("/")[0] for r in ROOMS}):
        for path in sorted(pathlib.Path(top).rglob("*.[ch]pp")):
            room = room_of(path)
            allowed = set(ROOMS[room].split()) | {room}
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                included = match.group(1)
                target = room_of(pathlib.PurePosixPath(included))
                if target and target not in allowed:
                    print(f"{path}:{number}: {room}/ may not include {included}")
                    bad += 1
                for head, who in ONLY.items():
                    if included.startswith(head) and room not in who.split():
                        print(f"{path}:{number}: only {who or 'tests'} may include {included}")
                        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
