#!/usr/bin/env python3
"""Checks of the text: links between pages exist, no left-over markers."""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MARKERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|HA" r"CK)\b")


def tracked(*patterns):
    out = subprocess.run(["git", "ls-files", *patterns], check=True, capture_output=True, text=True).stdout
    return [pathlib.Path(name) for name in out.splitlines() if pathlib.Path(name).exists()]


def broken_links():
    for page in tracked("README.md", "wiki/*.md", "wiki/**/*.md"):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for target in LINK.findall(line):
                if "://" in target or target.startswith("mailto:"):
                    continue
                if not (page.parent / target).exists():
                    yield f"{page}:{number}: link to {target}, which does not exist"


def markers():
    for path in tracked():
        if path.suffix not in {".cpp", ".hpp", ".py", ".sh", ".md", ".cmake", ".txt", ""}:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, IsADirectoryError):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if MARKERS.search(line):
                yield f"{path}:{number}: left-over marker"


def main():
    found = [*broken_links(), *markers()]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
