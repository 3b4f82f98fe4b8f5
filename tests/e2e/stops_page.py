#!/usr/bin/env python3
"""Makes a month of invented turn ends, has the installed program report on them and looks at the page in a real browser.

usage: stops_page.py PREFIX FOLDER sample|large|page    prints what is wrong, exit 1; exit 77 with the reason when it cannot run here
The pictures of `page` stay in FOLDER: light.png, dark.png, phone.png, print.pdf.
"""
import datetime
import json
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

PREFIX, FOLDER = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
BIN = PREFIX / "bin/robot-council"
GO = {"yes": 20, "Go ahead.": 18, "ok": 14, "do it": 9, "proceed": 8, "yes please": 7, "ship it": 5, "LGTM": 3, "merge it": 3, "ok go": 1}
OTHER = ["rename it to parse_tabs", "no, use the other branch", "why is the test slow?", "also add a test for <b>tabs</b>"]
PROJECTS = {"/home/dev/parser": 6, "/home/dev/fleet/console": 3, "/home/dev/sensors": 1}
LIGHT, DARK = (0xF7, 0xF4, 0xED), (0x14, 0x16, 0x18)


def iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def pick(choice, weights):
    return choice.choices(list(weights), list(weights.values()))[0]


def prompt(moment, text, number):
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}, "promptId": number, "origin": {"kind": "human"},
                       "promptSource": "typed", "turnOrigin": "human", "timestamp": iso(moment)}) + "\n"


def stop(moment, session, number, path, project, choice):
    line = {"v": 1, "ts": iso(moment), "host": "claude", "session_id": session, "prompt_id": number, "transcript_path": str(path),
            "project": project, "cwd": project, "seat": "7496bacc869b71b2e3a0d2b12c73bd5f",
            "waiting": 0 if choice.random() < .9 else choice.randint(1, 3)}
    kind = choice.random()
    if kind < .2:
        line.update(outcome="skipped", skip=choice.choice(["background_tasks", "session_crons", "no_message", "permission_mode"]))
    elif kind < .23:
        line.update(outcome="error", error={"kind": "timeout", "message": "no answer in time"})
    else:
        go = choice.random() < .2
        line.update(outcome="judged", verdict="continue" if go else "leave", p_kind="phrase", judge="local", model="phrases-1",
                    reason={"kind": "rule", "rule": 4 if go else 2, "question": "asks_approval", "p": 1},
                    answers={"asks_approval": int(go), "needs_input": 0, "hard_to_undo": 0},
                    policy={"path": "/home/dev/stop.yaml", "file": "9f3c" * 4, "questions": "1c0e" * 4, "rules": "77ab" * 4})
    return line


def make_home(sessions=14):
    """A HOME with a stop log and the transcripts it names."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="rc-stops-"))
    projects, log = home / ".claude/projects/-w", home / ".local/state/robot-council/stops"
    projects.mkdir(parents=True)
    log.mkdir(parents=True)
    choice = random.Random(7)
    lines = []
    for at in range(sessions):
        session = f"5e55c0de-0000-4000-8000-{at:012d}"
        path = projects / f"{session}.jsonl"
        project = pick(choice, PROJECTS)
        moment = datetime.datetime(2026, 10, 31, 8, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=at * 2.1)
        said = [prompt(moment, "begin", f"p{at}-0")]
        for turn in range(choice.randint(18, 34)):
            moment += datetime.timedelta(seconds=choice.randint(60, 900))
            line = stop(moment, session, f"p{at}-{turn}", path, project, choice)
            lines.append(line)
            likely = .87 if line.get("verdict") == "continue" else .12
            text = pick(choice, GO) if choice.random() < likely else choice.choice(OTHER)
            moment += datetime.timedelta(seconds=min(choice.lognormvariate(4.6, 1.6), 90000))
            if choice.random() < .95:
                said.append(prompt(moment, text, f"p{at}-{turn + 1}"))
        path.write_text("".join(said))
    (log / "stops.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return home


def report(home, *words):
    done = subprocess.run([str(BIN), "stops", *words], env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0 and done.stderr == "", f"exit {done.returncode}: {done.stderr}"
    return done.stdout


def sample(home):
    text = report(home)
    assert "Of " in text and "stops the set would have continued" in text and "Did it stop while the fleet had work" in text, text
    counts = json.loads(report(home, "--json"))
    assert len(counts["pairs"]) + sum(counts["left_out"].values()) == counts["log"]["lines"], counts["left_out"]
    assert not any("text" in pair["next"] for pair in counts["pairs"])


def large(home):
    """A log and a transcript far over the usual size cost time, not memory."""
    log = home / ".local/state/robot-council/stops/stops.jsonl"
    once = log.read_text()
    padding = ',"state":"' + "x" * 3000 + '"}\n'
    wide = once.replace("}\n", padding)
    with open(log, "w") as out:
        for _ in range(16):
            out.write(wide)
    size = log.stat().st_size
    for path in sorted((home / ".claude/projects/-w").glob("*.jsonl"))[:4]:
        with open(path, "a") as out:
            for _ in range(4):
                out.write('{"type":"assistant","message":{"content":"' + "y" * (4 << 20) + '"}}\n')
            out.write('{"type":"user","toolUseResult":{},"message":{"content":[{"type":"image","data":"' + "z" * (8 << 20) + '"}]}}\n')
    report(home, "--json")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert size > 16 << 20, size
    assert used < 96 << 20, f"{used >> 20} MiB for a log of {size >> 20} MiB and four transcripts of 24 MiB"


def pixels(path, most):
    """Width, bytes a pixel and the first rows of an 8-bit RGB or RGBA picture."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, parts = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        parts[kind] = parts.get(kind, b"") + data[at + 8:at + 8 + length]
        at += 12 + length
    width, height, _, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    step = 4 if colour == 6 else 3
    raw = zlib.decompress(parts[b"IDAT"])
    rows, before = [], bytes(width * step)
    for y in range(min(height, most)):
        start = y * (width * step + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for x in range(len(row)):
            left = row[x - step] if x >= step else 0
            up, corner = before[x], before[x - step] if x >= step else 0
            guess = left + up - corner
            near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[x] = (row[x] + (0, left, up, (left + up) // 2, near)[kind]) & 255
        rows.append(bytes(row))
        before = row
    return width, step, rows


def shoot(browser, page, *words):
    with tempfile.TemporaryDirectory(prefix="rc-browser-") as profile:
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                        f"--user-data-dir={profile}", *words, page.as_uri()], capture_output=True, timeout=60)


def background(picture, colour, most):
    """The picture's edges are the page's background: nothing stands out at the side."""
    width, step, rows = pixels(picture, most)
    for y, row in enumerate(rows):
        for x in (0, width - 1):
            assert tuple(row[x * step:x * step + 3]) == colour, f"{picture.name}: pixel {x},{y} is {row[x * step:x * step + 3].hex()}"


def page(home):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / "page.html"
    assert "Wrote " in report(home, "--html", str(file))
    assert file.stat().st_mode & 0o777 == 0o600
    html = file.read_text()
    assert "://" not in html and "<script" not in html and "<b>tabs" not in html
    if not browser:
        print("no Chromium here")
        sys.exit(77)
    dark = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")
    for name, colour, rows, words in (("light", LIGHT, 20, ("--window-size=1180,1400",)), ("dark", DARK, 20, ("--window-size=1180,1400", *dark)),
                                      ("phone", LIGHT, 900, ("--window-size=500,1400",))):
        picture = FOLDER / f"{name}.png"
        picture.unlink(missing_ok=True)
        shoot(browser, file, f"--screenshot={picture}", *words)
        assert picture.exists(), f"the browser made no {name} picture"
        background(picture, colour, rows)
    pdf = FOLDER / "print.pdf"
    pdf.unlink(missing_ok=True)
    shoot(browser, file, f"--print-to-pdf={pdf}", "--no-pdf-header-footer")
    assert pdf.read_bytes()[:5] == b"%PDF-"


def main():
    home = make_home()
    try:
        {"sample": sample, "large": large, "page": page}[sys.argv[3]](home)
    except AssertionError as wrong:
        print(wrong)
        return 1
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
