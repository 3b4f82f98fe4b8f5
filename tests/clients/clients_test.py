#!/usr/bin/env python3
"""One event is one more turn whose request carries the text, with each real agent client.

usage: clients_test.py PREFIX CLIENTS      see drivers.py
"""
import contextlib
import functools
import json
import sys

from drivers import DIRECTIVE, RUNNERS, FakeModel, Fleet, run, wait_for


def ended_or_killed(fleet, harness):
    """The bridge has ended its session. Copilot kills its servers at once, so there the service finds out later."""
    return harness == "copilot" or not fleet.live_sessions()


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
            wait_for("the session's end at the service", lambda: ended_or_killed(fleet, harness), 10)
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


def no_hook_is_one_turn(harness):
    """Without a stop hook the event stays unread: the turn ends, and the history says that nobody got it."""
    with contextlib.closing(Fleet(harness)) as fleet:
        fleet.hooked = False
        model = FakeModel([{"text": "only answer", "before": fleet.direct}])
        with contextlib.closing(model):
            done = RUNNERS[harness](fleet, model)
            assert done.returncode == 0, done.stderr[-1500:]
            assert len(model.requests) == 1, f"{len(model.requests)} requests\n{done.stdout[-1500:]}"
            wait_for("the end of the bridge", lambda: ended_or_killed(fleet, harness), 10)
            history = fleet.command("pending", "--history", f"--service={fleet.url}", f"--harness={harness}")
            unread = f"session-ended 0x [directive] {DIRECTIVE}" in history or DIRECTIVE in json.dumps(fleet.waiting())
            assert unread and "confirmed" not in history, history


def a_flood_of_events_is_bounded(harness, rounds):
    """An event comes in every turn. The client has no limit of its own; the hook answers so many times, then the turn ends."""
    with contextlib.closing(Fleet(harness)) as fleet:
        fleet.env["ROBOT_COUNCIL_ROUNDS"] = str(rounds)
        turns = [{"text": f"answer {number}", "before": functools.partial(fleet.direct, f"event number {number} of many")}
                 for number in range(rounds + 4)]
        model = FakeModel(turns)
        with contextlib.closing(model):
            done = RUNNERS[harness](fleet, model)
            assert done.returncode == 0, done.stderr[-1500:]
            assert len(model.requests) == rounds + 1, f"{len(model.requests)} requests\n{done.stdout[-1500:]}"
            for number in range(rounds):
                assert f"event number {number} of many" in json.dumps(model.requests[number + 1]), f"event {number} did not arrive"


def main():
    tests = [(f"{harness}: {test.__name__.replace('_', ' ')}", functools.partial(test, harness))
             for harness in RUNNERS
             for test in (one_event_is_one_more_turn, quiet_is_one_turn, broken_sink_is_told_once, no_hook_is_one_turn)]
    # Codex and Gemini would go on for ever (wiki/Harnesses.md).
    tests += [(f"{harness}: a flood of events is bounded, rounds {rounds}", functools.partial(a_flood_of_events_is_bounded, harness, rounds))
              for harness, rounds in (("codex", 1), ("codex", 3), ("gemini", 3))]
    return run(tests)


if __name__ == "__main__":
    sys.exit(main())
