#!/usr/bin/env python3
"""Writes wiki/Limits.md from the rooms' limits.hpp: one row a constant, with the comment that stands at it.

usage: tools/limits_page.py          write the page
       tools/limits_page.py --check  fail when the page differs from what the headers say
"""
import pathlib
import re
import sys

CONSTANT = re.compile(r"^(?:inline )?constexpr\s+[\w:<>{}, ]+?\s+(k[A-Z]\w*)\s*(?:=\s*|\{)(.*);$")
CONTINUED = 8  # blanks: a comment that far in goes on from the line above

HEAD = """# Limits

Every size, count and time that the product bounds, by room. A limit that is reached is said, never passed over in silence.
This page is made from the `limits.hpp` of each room by `tools/limits_page.py`.
"""


def value_of(text):
    """The initialiser, without the braces, suffixes and comments of C++."""
    text = text.split("//")[0].strip()
    text = re.sub(r"\}?;$", "", text)
    text = re.sub(r"std::\w+\{([^}]*)\}", r"\1", text)
    return re.sub(r"(?<=\d)[uUlL]+\b", "", text).strip()


def rows(header):
    lines = header.read_text(encoding="utf-8").splitlines()
    comment = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        stripped = line.strip()
        if stripped.startswith("//"):
            comment.append(stripped.lstrip("/ "))
            continue
        if "constexpr" not in stripped:
            if stripped:
                comment = []
            continue
        # One statement may stand on several lines, and its comment behind it too.
        code, said = [], list(comment)
        while True:
            head, _, tail = line.partition("//")
            code.append(head.strip())
            if tail:
                said.append(tail.strip())
            if ";" in head or at == len(lines):
                break
            line = lines[at]
            at += 1
        while at < len(lines) and lines[at].strip().startswith("//") and len(lines[at]) - len(lines[at].lstrip()) > CONTINUED:
            said.append(lines[at].strip().lstrip("/ "))
            at += 1
        comment = []
        match = CONSTANT.match(" ".join(code))
        if match:
            yield match.group(1), value_of(match.group(2) + ";"), " ".join(part for part in said if not part.startswith("---")).replace("|", "\\|")


def page():
    text = HEAD
    for header in sorted(pathlib.Path(".").glob("*/limits.hpp")) + sorted(pathlib.Path(".").glob("*/*/limits.hpp")):
        if header.parts[0] in ("build", "tests"):
            continue
        text += f"\n## {header.parent}\n\n| constant | value | what and why |\n| --- | --- | --- |\n"
        for name, value, said in rows(header):
            text += f"| `{name}` | `{value}` | {said} |\n"
    return text


def main():
    target = pathlib.Path("wiki/Limits.md")
    if sys.argv[1:] == ["--check"]:
        if not target.exists() or target.read_text(encoding="utf-8") != page():
            print("wiki/Limits.md is not what the limits.hpp say; run tools/limits_page.py")
            return 1
        return 0
    target.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
