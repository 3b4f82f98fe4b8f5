#!/usr/bin/env python3
"""One event is one more turn whose request carries the text, with each real agent client.

usage: clients_test.py PREFIX CLIENTS      see drivers.py
"""
import contextlib
import functools
import json
import sys

from drivers import DIRECTIVE, RUNNERS, FakeModel, Fleet, run, wait_for


def one_event_is_one_more_turn(harness):
    """A directive that comes during the turn reaches the model as the reason to go on; the next turn end is quiet."""
    with contextlib.closing(Fleet(harness)) as fleet:
        model = FakeModel([{"text": "first answer", "before": fleet.direct}, {"text": "second answer"}])
        with contextlib.closing(model):
            done = RUNNERS[harness](fleet, model)
            seen = [json.dumps(request, ensure_ascii=False) for request in model.requests]
            detail = f"exit {done.returncode}, {len(seen)} requests\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
            assert done.returncode == 0, detail
            assert len(seen) == 2, detail
            assert DIRECTIVE not in seen[0], "the first request knew the directive already"
            assert DIRECTIVE in seen[1], detail
            assert fleet.waiting() == [], "something is still waiting"
            wait_for("the session's end at the service", lambda: not fleet.live_sessions(), 10)
            history = fleet.command("pending", "--history", f"--service={fleet.url}", f"--harness={harness}")
            assert "session-ended" in history or "confirmed" in history, history


def quiet_is_one_turn(harness):
    """A fleet with nothing to say adds no turn."""
    with contextlib.closing(Fleet(harness)) as fleet:
        model = FakeModel([{"text": "only answer"}])
        with contextlib.closing(model):
            done = RUNNERS[harness](fleet, model)
            assert done.returncode == 0, done.stderr[-1500:]
            assert len(model.requests) == 1, f"{len(model.requests)} requests\n{done.stdout[-1500:]}"


def broken_sink_is_told_once(harness):
    """A sink that cannot be read is told to the agent once; the turn ends."""
    with contextlib.closing(Fleet(harness)) as fleet:
        def damage():
            wait_for("a session of the client", fleet.live_sessions)
            folder = fleet.home / ".local/state/robot-council/pending"
            sink = wait_for("the sink", lambda: next(iter(folder.glob("*.db")), None))
            sink.write_bytes(b"this is not a database" * 500)
        model = FakeModel([{"text": "first answer", "before": damage}, {"text": "second answer"}])
        with contextlib.closing(model):
            done = RUNNERS[harness](fleet, model)
            seen = [json.dumps(request) for request in model.requests]
            assert done.returncode == 0, done.stderr[-1500:]
            assert len(seen) == 2, f"{len(seen)} requests"
            assert "could not read the fleet events" in seen[1], seen[1][-1500:]


def main():
    tests = [(f"{harness}: {test.__name__.replace('_', ' ')}", functools.partial(test, harness))
             for harness in RUNNERS for test in (one_event_is_one_more_turn, quiet_is_one_turn, broken_sink_is_told_once)]
    return run(tests)


if __name__ == "__main__":
    sys.exit(main())
