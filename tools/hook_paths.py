#!/usr/bin/env python3
"""Writes tools/cmake/hook_paths.ld: which functions lie together at the front of the program.

usage: tools/hook_paths.py BUILD     a release build; needs valgrind

Runs what hooks call on a quiet seat and notes every function of the program that was entered. What is not named any more
(renamed, inlined) matches nothing and does no harm, so the list need not follow each change; tests/bench/run prints how many
page faults a quiet `pending` takes, which grow as the list grows old.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests/bench"))
from seat import Seat  # noqa: E402

# Debian's SQLite is one object a source file, and one piece of text an object.
SQLITE = """bitvec btmutex btree build callback expr global hash malloc mem1 mutex mutex_unix os os_unix pager parse pcache pcache1 pragma
prepare printf random resolve select status tokenize util vdbe vdbeapi vdbeaux vdbemem walker where whereexpr wherecode func date
main loadext alter wal memdb memjournal dbstat json auth trigger vtab table backup fault window rtree""".split()
HEAD = """/* Written by tools/hook_paths.py: what runs when a hook calls robot-council lies together at the front of the program's text, so
   that a run touches few pages of the file instead of one in each corner of it. Each first touch is a page fault, and those are
   most of what a quiet turn end costs. An addition to GNU ld's own script; a name that matches nothing does no harm. */
"""


def functions(profile, program):
    """Mangled names of the program's functions in a callgrind file."""
    objects, names, current, found = {}, {}, None, set()
    for line in profile.read_text().splitlines():
        match = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", line)
        if not match:
            continue
        called, kind, number, text = match.groups()
        table = objects if kind == "ob" else names
        if text:
            table[number] = text
        if kind == "ob" and not called:
            current = objects[number]
        elif kind == "fn" and not called and current in (program, "???"):  # callgrind knows the file of .text alone
            found.add(re.sub(r"'\d+$", "", names[number]))
    return found


def patterns(names):
    for name in sorted(names):
        if name.startswith("__") or name.startswith("_Z"):
            # One body may have the names of two constructors, and copies of it names of their own.
            plain = re.sub(r"\.(lto_priv|constprop|isra|part|cold).*$", "", name)
            plain = re.sub(r"([CD])[0-5]E", r"\1?E", plain)
            yield f".text.{plain} .text.{plain}.*"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve() / "robot-council")
    with tempfile.TemporaryDirectory(prefix="rc-hook-paths.") as scratch:
        seat = Seat(program, pathlib.Path(scratch) / "home")
        seat.close()
        payload = '{"session_id":"s","transcript_path":"/nowhere.jsonl","cwd":"%s","hook_event_name":"%s","stop_hook_active":false%s}\n'
        stop = payload % (seat.project, "Stop", "")
        tool = payload % (seat.project, "PreToolUse", ',"tool_name":"Bash"')
        found = set()
        for words, text in ((["pending"], ""), (["pending", "--hook"], stop), (["stops", "record"], stop),
                            (["brake-check", "--client", "claude_code"], tool)):
            profile = pathlib.Path(scratch) / "profile"
            subprocess.run(["valgrind", "--quiet", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}", program,
                            *words], input=text, env=seat.env, cwd=seat.project, check=True, text=True)
            found |= functions(profile, program)
    lines = ["    *(.text.startup .text.startup.*)"]
    lines += [f"    *({pattern})" for pattern in dict.fromkeys(patterns(found))]
    lines += ["    *libSQLiteCpp.a:*(.text .text.*)"]
    lines += [f"    *libyaml-cpp.a:{name}.cpp.o(.text .text.*)" for name in ("parser", "scantoken")]  # their word lists, before main
    lines += [f"    *libsqlite3.a:{name}.o(.text .text.*)" for name in SQLITE]
    out = root / "tools/cmake/hook_paths.ld"
    out.write_text(HEAD + "SECTIONS\n{\n  .text.hook_paths :\n  {\n" + "\n".join(lines) + "\n  }\n}\nINSERT BEFORE .text;\n")
    print(f"{out}: {len(found)} functions")


if __name__ == "__main__":
    main()
