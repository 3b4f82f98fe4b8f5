#!/usr/bin/env python3
"""The operator page in a real browser against a real `serve`; prints TAP.

usage: page_test.py PROGRAM OUTPUT     screenshots go to OUTPUT
"""
import json
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from browser import Browser
from fleet import Serve

program, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PAGE = "/robot-council/"
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> & <b>bold</b>"


class World:
    """A fleet with some life in it, shared by the cases; each opens pages of its own."""

    def __init__(self):
        memory = pathlib.Path("/dev/shm")  # synced writes cost nothing there
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rc-page-test.", dir=memory if memory.is_dir() else None))
        self.serve = Serve(program, self.folder / "fleet", "--tasks-at-once", "3", "--no-rate-limit").start()
        self.browser = Browser()
        self.opened = []
        laptop, desk = self.serve.enrol("laptop", "claude"), self.serve.enrol("desk", "codex")
        self.agents = [
            self.serve.session(laptop, repository="ana/shop", work_location="main", capacity=3, platform={"os_family": "Linux", "arch": "x86_64"}),
            self.serve.session(laptop, repository="ana/shop", work_location="checkout-2"),
            self.serve.session(desk, repository="ana/shop-api", work_location="main")]
        self.ids = [agent["session_id"] for agent in self.agents]

    def open(self, path=PAGE, signed_in=True, **look):
        page = self.browser.page(self.serve.url + path, **look)
        self.opened.append(page)
        if signed_in:
            page.wait("document.activeElement?.id === 'token'")
            page.type(self.serve.token)
            page.key("Enter")
            page.wait_text("#link", "Live")
        return page

    def close_pages(self):
        for page in self.opened:
            page.close()
        self.opened = []

    def close(self):
        self.browser.close()
        self.serve.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def clean(page, world, network_errors=False):
    """No cookie, nothing from elsewhere, no error, no violation of the policy."""
    problems = [text for text in page.problems if not (network_errors and text.startswith("network "))]
    assert problems == [], problems
    assert page.cookies() == [] and page.cookies_set == [], "a cookie was set"
    foreign = [url for url in page.urls if not url.startswith(world.serve.url + "/robot-council/")]
    assert foreign == [] and page.urls, foreign


def case_a_wrong_token_is_said_and_the_right_one_signs_in(world):
    page = world.open(signed_in=False)
    assert page.run("document.getElementById('fleet').hidden")
    page.wait("document.activeElement?.id === 'token'")
    page.type("0" * 64)
    page.key("Enter")
    page.wait_text("#sign-in-error", "This is not the operator's token.")
    assert page.run("localStorage.length") == 0
    page.type(f"  {world.serve.token}\n")
    page.key("Enter")
    page.wait_text("#sessions-list", "claude on laptop")
    assert page.run("localStorage.getItem('robot-council.operator-token')") == world.serve.token
    page.wait_text("#who", "ana")
    clean(page, world, network_errors=True)
    page.call("Page.reload")
    page.wait_text("#sessions-list", "codex on desk")  # signed in still
    assert world.serve.token not in page.run("document.documentElement.outerHTML")


def case_a_code_of_the_address_comes_first_and_is_approved(world):
    other = world.serve.ask_code("tablet", "gemini")
    code = world.serve.ask_code("laptop", "claude")
    typed = code["user_code"].lower()
    page = world.open(f"/robot-council/enroll?user_code={typed[:4]}-{typed[4:]}", signed_in=False)
    page.wait_text("#sign-in-code", f"{code['user_code'][:4]}-{code['user_code'][4:]}")
    page.type(world.serve.token)
    page.key("Enter")
    page.wait_text("#codes > :first-child", "claude on laptop asks to join")
    first = page.text("#codes > :first-child")
    for part in ("Approve only if", "127.0.0.1", "tasks:create, tasks:claim", "installation 1"):
        assert part in first, (part, first)
    assert "gemini on tablet" in page.text("#codes > :nth-child(2)")
    page.click("#codes > .wanted button.main")
    page.wait_text("#waiting-done", "Approved claude on laptop")
    page.wait("document.querySelectorAll('#codes > li').length === 1")
    assert page.run("location.search") == ""
    joined = world.serve.exchange(code)
    page.wait_text("#feed-list", "installation.revoked")
    page.click("#codes button:not(.main)")
    page.wait_text("#waiting-done", "Denied gemini on tablet")
    status, _, body = world.serve.raw("POST", "/robot-council/api/device/token", None,
                                      {"device_code": other["device_code"], "code_verifier": other["verifier"]})
    assert (status, json.loads(body)) == (400, {"error": "access_denied"})
    # The sessions of the old installation ended; the others of the cases come from the new one.
    world.agents[:2] = [world.serve.session(joined, repository="ana/shop", work_location="main", capacity=3),
                        world.serve.session(joined, repository="ana/shop", work_location="checkout-2")]
    world.ids = [agent["session_id"] for agent in world.agents]
    clean(page, world)


def case_an_unknown_code_is_said_in_the_services_words(world):
    page = world.open()
    page.click("#code")
    page.type("bcdf-ghjk")
    page.key("Enter")
    page.wait_text("#codes > :first-child", "BCDF-GHJK is not among the waiting codes")
    page.click("#codes button.main")
    page.wait_text("#waiting-error", "No enrolment has this code.")
    clean(page, world, network_errors=True)


def case_a_role_is_approved_and_another_denied(world):
    for agent, role in zip(world.agents[:2], ("coordinator", "ci")):
        world.serve.call("POST", "agent/role", agent["token"], {"role": role})
    page = world.open()
    page.wait_text("#roles", f"Session {world.ids[0]} asks to be coordinator, is build")
    assert page.text("#count-waiting") == "2"
    page.click(f"button[aria-label='Approve coordinator for session {world.ids[0]}']")
    page.wait_text("#waiting-done", f"Session {world.ids[0]} is coordinator now.")
    page.wait("document.querySelectorAll('#roles > li').length === 1")  # the other one moved up
    page.click(f"button[aria-label='Deny ci for session {world.ids[1]}']")
    page.wait_text("#waiting-done", f"Refused ci to session {world.ids[1]}. It stays build.")
    page.wait("document.querySelectorAll('#roles > li').length === 0")
    roles = [world.serve.call("GET", "agent/session", agent["token"])["role"] for agent in world.agents[:2]]
    assert roles == ["coordinator", "build"], roles
    page.wait_text(f"#sessions-list [data-key='{world.ids[0]}']", "coordinator")
    clean(page, world)


def case_a_directive_reaches_exactly_the_two_chosen_sessions(world):
    page = world.open()
    head = world.serve.operate("GET", "overview")["cursor"]
    page.wait(f"document.querySelector(\"input[aria-label='Direct session {world.ids[2]}']\")")
    chosen = sorted([world.ids[0], world.ids[2]])
    named = ", ".join(f"#{number}" for number in chosen)
    for number in chosen:
        page.click(f"input[aria-label='Direct session {number}']")
    assert page.run("document.getElementById('whom-chosen').checked")
    page.click("#directive")
    page.type("Rebase on main.")
    page.key("Enter", ctrl=True)
    page.wait_text("#direct-done", f"Sent to {named} as event")
    (event,) = world.serve.events(head)
    assert event["type"] == "directive" and event["body"] == "Rebase on main.", event
    assert event["meta"] == {"targets": chosen} and event["actor"]["github_login"] == "ana", event
    page.wait_text("#feed-list > :first-child", f"to {named}")
    # An emptied choice must not turn into everybody.
    page.click("#direct-clear")
    page.click("#directive")
    page.type("To nobody.")
    page.click("#direct-form button[type=submit]")
    page.wait_text("#direct-error", "No session is chosen.")
    page.click("#whom-all")
    page.click("#direct-form button[type=submit]")
    page.wait_text("#direct-done", "Sent to all sessions")
    assert world.serve.events(head)[-1]["meta"] is None
    page.run("document.getElementById('directive').value = 'x'.repeat(4001)")
    page.click("#direct-form button[type=submit]")
    page.wait_text("#direct-error", "4000")
    clean(page, world, network_errors=True)


def case_events_and_what_they_change_arrive_without_a_reload(world):
    page = world.open()
    page.run("window.same = true")
    task = world.serve.call("POST", "tasks", world.agents[0]["token"], {"title": "Move the cart to the new schema", "priority": 7})["task_id"]
    page.wait_text("#feed-list > :first-child", "task.created")
    world.serve.call("POST", f"tasks/{task}/claim", world.agents[0]["token"])
    world.serve.call("POST", f"tasks/{task}/start", world.agents[0]["token"], {"branch": "cart-schema"})
    world.serve.call("POST", "locks/acquire", world.agents[0]["token"], {"name": "db/migrations", "ttl": 600})
    page.wait_text("#locks-list", "db/migrations")
    page.wait_text("[data-key='in_progress']", "Move the cart to the new schema")
    row = page.text(f"#sessions-list [data-key='{world.ids[0]}']")
    assert "cart-schema" in row and "db/migrations" in row, row
    world.serve.call("POST", "events", world.agents[1]["token"], {"body": "The tests pass again.", "to": [world.ids[0]]})
    page.wait_text("#feed-list > :first-child", "The tests pass again.")
    page.wait("document.getElementById('news').textContent.includes('event')")
    assert page.run("window.same") is True
    clean(page, world)


def case_markup_of_an_agent_stays_text(world):
    page = world.open()
    agent = world.agents[2]
    world.serve.call("POST", "events", agent["token"], {"body": MARKUP + "\u202egnp.exe\u0007"})
    task = world.serve.call("POST", "tasks", agent["token"], {"title": MARKUP, "description": MARKUP})["task_id"]
    world.serve.call("POST", f"tasks/{task}/claim", agent["token"])
    page.wait_text("#feed-list", MARKUP)
    page.wait_text("#tasks-groups", MARKUP)
    page.wait_text("#sessions-list", MARKUP)
    assert page.run("document.querySelectorAll('main img, main script, main .body b').length") == 0
    assert page.run("document.title").endswith("Robot Council")
    assert page.run("![...document.querySelectorAll('.body')].some((e) => /[\\u202e\\u0007]/.test(e.textContent))")
    world.serve.call("POST", f"tasks/{task}/complete", agent["token"])
    clean(page, world)


def case_everything_works_by_keyboard(world):
    code = world.serve.ask_code("server", "goose")
    world.serve.call("POST", "agent/role", world.agents[1]["token"], {"role": "ci"})
    page = world.open(signed_in=False)
    page.wait("document.activeElement?.id === 'token'")
    page.type(world.serve.token)
    page.tab_to("#sign-in-form button")
    page.key("Enter")
    shown = f"{code['user_code'][:4]}-{code['user_code'][4:]}"
    page.wait_text("#codes", shown)
    page.run("document.activeElement.blur(); window.getSelection().removeAllRanges()")
    page.tab_to(".skip", shift=False)
    page.key("Enter")
    assert page.run("document.activeElement?.id") == "main"
    page.tab_to(f"button[aria-label='Approve {shown}']")
    page.key("Enter")
    page.wait_text("#waiting-done", "Approved goose on server")
    assert page.run("document.activeElement?.id") == "waiting-title", "the focus is not lost with the row"
    page.tab_to(f"button[aria-label='Approve ci for session {world.ids[1]}']")
    page.key("Space")
    page.wait_text("#waiting-done", f"Session {world.ids[1]} is ci now.")
    page.tab_to(f"input[aria-label='Direct session {world.ids[1]}']")
    page.key("Space")
    page.tab_to("#directive", shift=True)
    page.type("Only you.")
    page.tab_to("#direct-form button[type=submit]")
    page.key("Enter")
    page.wait_text("#direct-done", f"Sent to #{world.ids[1]} as event")
    # Every place that Tab reaches can be left again: the focus comes around.
    start = page.run("document.activeElement.outerHTML")
    for _ in range(120):
        page.key("Tab")
        if page.run("document.activeElement.outerHTML") == start:
            break
    else:
        raise AssertionError("Tab does not come around")
    clean(page, world)


def case_revoking_asks_first(world):
    doomed = world.serve.session(world.serve.enrol("old", "cursor"), repository="ana/shop")
    number = doomed["session_id"]
    page = world.open()
    page.wait(f"document.querySelector(\"summary[aria-label='Manage session {number}']\")")
    page.click(f"summary[aria-label='Manage session {number}']")
    page.click(f"[data-key='{number}'] button.danger")
    page.wait("document.getElementById('confirm').open")
    assert "cursor on old" in page.text("#confirm-text")
    page.key("Escape")
    page.wait("!document.getElementById('confirm').open")
    assert world.serve.call("GET", "agent/session", doomed["token"])["session_id"] == number
    assert page.run(f"document.activeElement.closest('[data-key=\"{number}\"]') !== null"), "the focus returns"
    page.key("Enter")
    page.wait("document.activeElement?.id === 'confirm-no'")
    page.tab_to("#confirm-yes")
    page.key("Enter")
    page.wait_text("#sessions-done", f"Session {number} is revoked.")
    page.wait(f"!document.querySelector('#sessions-list [data-key=\"{number}\"]')")
    page.click("button[aria-label*='cursor on old']")
    page.click("#confirm-yes")
    page.wait_text("#machines-done", "is revoked, with")
    clean(page, world)


def case_a_question_asked_again_at_once_is_not_answered_by_the_one_before(world):
    doomed = world.serve.session(world.serve.enrol("hasty", "cursor"), repository="ana/shop")
    number = doomed["session_id"]
    page = world.open()
    revoke = f"#sessions-list [data-key='{number}'] button.danger"
    page.wait(f"document.querySelector(\"{revoke}\")")
    page.click(f"summary[aria-label='Manage session {number}']")
    page.click(revoke)
    page.wait("document.getElementById('confirm').open")
    # Closed and opened in one go: the browser tells of the closing when the second question is already there.
    page.run("(() => { window.closings = 0; const d = document.getElementById('confirm');"
             " d.addEventListener('close', () => { window.closings += 1; });"
             f" d.close(); document.querySelector(\"{revoke}\").click(); }})()")
    page.wait("window.closings === 1 && document.getElementById('confirm').open")
    page.click("#confirm-yes")
    page.wait_text("#sessions-done", f"Session {number} is revoked.")
    clean(page, world)


def case_a_lost_connection_is_said_and_recovers(world):
    page = world.open()
    page.run("window.same = true")
    world.serve.stop()
    page.wait_text("#lost-text", "The service cannot be reached.")
    assert page.text("#link") == "Connection lost"
    page.wait("document.getElementById('retry').textContent.startsWith('Try now (')")
    output.mkdir(parents=True, exist_ok=True)
    page.screenshot(output / "lost-light.png")
    page.click("#direct-form button[type=submit]")  # nothing is typed: the browser itself refuses
    page.click("#directive")
    page.type("Into the void.")
    page.key("Enter", ctrl=True)
    page.wait_text("#direct-error", "The service cannot be reached.")
    assert page.run("document.getElementById('directive').value") == "Into the void.", "what was typed stays"
    world.serve.start()
    page.wait_text("#link", "Live", 20)
    page.wait("document.getElementById('lost').hidden")
    world.serve.call("POST", "events", world.agents[2]["token"], {"body": "Here again."})
    page.wait_text("#feed-list > :first-child", "Here again.")
    assert page.run("window.same") is True
    ids = page.run("[...document.querySelectorAll('#feed-list > li')].map((e) => Number(e.dataset.id))")
    assert len(ids) == len(set(ids)) and ids == sorted(ids, reverse=True), "no event twice, none out of order"
    clean(page, world, network_errors=True)


def case_signing_out_clears_what_was_kept(world):
    page = world.open()
    page.wait_text("#sessions-list", "codex on desk")
    page.click("#sign-out")
    page.wait("!document.getElementById('sign-in').hidden")
    assert page.run("localStorage.length") == 0
    assert "codex" not in page.run("document.getElementById('fleet').textContent.replace(/codes/g, '')")
    asked = len(page.urls)
    world.serve.call("POST", "events", world.agents[2]["token"], {"body": "Not for you."})
    page.browser.pump(0.5)
    assert [url for url in page.urls[asked:] if "/api/" in url] == [], "it still asks"
    page.call("Page.reload")
    page.wait("document.activeElement?.id === 'token'")
    clean(page, world)


def case_the_feed_in_the_document_is_bounded(world):
    page = world.open()
    for number in range(330):
        world.serve.call("POST", "events", world.agents[2]["token"], {"body": f"line {number}"})
    page.wait_text("#feed-list > :first-child", "line 329")
    assert page.run("document.getElementById('feed-list').childElementCount") == 300
    assert "The newest 300 events are kept here." in page.text("#feed-limit")
    world.serve.call("POST", "events", world.agents[2]["token"], {"body": "long " * 700})
    page.wait_text("#feed-list > :first-child", "Show all of it")
    page.run("document.getElementById('feed-show').value = 'lock'; document.getElementById('feed-show').onchange()")
    page.wait_text("#feed", "None of the newest events is of this kind.")
    clean(page, world)


def sideways(page):
    """Elements that stick out of the width of the window, but in a part that scrolls by itself."""
    return page.run("""(() => {
      const wide = document.documentElement.clientWidth;
      const out = [...document.querySelectorAll('body *')].filter((e) => !e.closest('pre, .aside, .skip, legend') && e.getBoundingClientRect().right > wide + 0.5)
        .map((e) => e.tagName + '.' + e.className + '#' + e.id);
      return [document.documentElement.scrollWidth > wide, out];
    })()""")


def populate(world):
    """What screenshots show."""
    serve, agents = world.serve, world.agents
    words = ["Split the checkout into steps", "Index orders by customer", "Write down the retry rules of the payment queue"]
    for number, title in enumerate(words):
        task = serve.call("POST", "tasks", agents[number % 3]["token"], {"title": title, "priority": 5 - number, "issue": f"ana/shop#{40 + number}"})["task_id"]
        if number < 2:
            serve.call("POST", f"tasks/{task}/claim", agents[number + 1]["token"])
    serve.call("POST", "locks/acquire", agents[2]["token"], {"name": "src/payments", "ttl": 300})
    serve.call("POST", "events", agents[1]["token"], {"body": "The payment queue retries three times now; I saw two failures in the old log.\nNext: the index."})
    serve.call("POST", "directives", agents[0]["token"], {"body": "Leave src/payments alone until the lock is free.", "targets": [world.ids[1]]})
    serve.call("POST", "agent/role", agents[2]["token"], {"role": "coordinator"})
    return serve.ask_code("build-4", "copilot")


def case_screenshots_and_no_sideways_scroll_at_360(world):
    code = populate(world)
    output.mkdir(parents=True, exist_ok=True)
    path = f"/robot-council/enroll?user_code={code['user_code']}"
    for name, look in (("light", {}), ("dark", {"dark": True})):
        page = world.open(path, signed_in=False, **look)
        page.screenshot(output / f"sign-in-{name}.png")
        page.type(world.serve.token)
        page.key("Enter")
        page.wait_text("#roles", "asks to be coordinator")
        page.screenshot(output / f"desk-{name}.png")
        page.size(360, 740, mobile=True)
        page.wait("innerWidth === 360")
        wide, out = sideways(page)
        assert not wide and out == [], out
        page.screenshot(output / f"phone-{name}.png", whole=True)
        page.click(f"summary[aria-label='Manage session {world.ids[0]}']")
        assert sideways(page) == [False, []], sideways(page)
        clean(page, world)
    page.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    assert page.run("getComputedStyle(document.getElementById('sign-out')).transitionProperty") == "none"
    page.scheme(True)
    page.run("document.getElementById('sign-out').click()")
    page.wait("!document.getElementById('sign-in').hidden")
    page.screenshot(output / "phone-sign-in-dark.png")
    assert sideways(page) == [False, []], sideways(page)


def case_a_new_fleet_says_what_to_do_next(world):
    empty = Serve(program, world.folder / "empty", "--no-rate-limit").start()
    try:
        page = world.browser.page(empty.url + "/")  # the bare address leads to the page
        world.opened.append(page)
        assert page.run("location.pathname") == PAGE
        page.type(empty.token)
        page.key("Enter")
        page.wait_text("#link", "Live")
        shown = page.text("#fleet")
        for part in ("Nothing waits for you.", "No session is live.", "No task is open.", "No lock is held.", "No machine may start sessions.",
                     "Nothing has happened yet."):
            assert part in shown, part
        output.mkdir(parents=True, exist_ok=True)
        page.screenshot(output / "empty-light.png")
    finally:
        empty.stop()


def main():
    if shutil.which("chromium") is None:
        print("1..1\nok 1 operator page # skip chromium is not there")
        return 0
    cases = [(name[5:].replace("_", " "), function) for name, function in globals().items() if name.startswith("case_")]
    chosen = sys.argv[3] if len(sys.argv) > 3 else ""
    cases = [(name, function) for name, function in cases if chosen in name]
    print(f"1..{len(cases)}", flush=True)
    world, bad = World(), 0
    try:
        for number, (name, function) in enumerate(cases, 1):
            start = time.monotonic()
            try:
                function(world)
                print(f"ok {number} operator page: {name} ({time.monotonic() - start:.1f} s)", flush=True)
            except (AssertionError, RuntimeError, OSError, ValueError):
                bad += 1
                print(f"not ok {number} operator page: {name}")
                print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
            finally:
                world.close_pages()
    finally:
        world.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
