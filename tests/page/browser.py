"""Drives a headless Chromium over its DevTools pipe, with nothing but the standard library."""
import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import tempfile
import time

DEADLINE = 10  # seconds that a condition of a test may take
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Space": ("Space", 32, " "), "Escape": ("Escape", 27, "")}


class Browser:
    """One process; each page has a context, and so a localStorage, of its own."""

    def __init__(self, *more):
        self.folder = tempfile.mkdtemp(prefix="rc-page-browser.")
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()
        words = [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                 "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", f"--user-data-dir={self.folder}",
                 "--remote-debugging-pipe", *more, "about:blank"]
        # The browser reads commands from descriptor 3 and writes to 4. Copies first: the two may be in the way.
        inside, outside = fcntl.fcntl(to_browser, fcntl.F_DUPFD_CLOEXEC, 10), fcntl.fcntl(from_browser, fcntl.F_DUPFD_CLOEXEC, 10)
        quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        self.pid = os.posix_spawn(words[0], words, os.environ, setsid=True, file_actions=quiet + [
            (os.POSIX_SPAWN_DUP2, inside, 3), (os.POSIX_SPAWN_DUP2, outside, 4)])
        for fd in (to_browser, from_browser, inside, outside):
            os.close(fd)
        self.numbers = itertools.count(1)
        self.rest = b""
        self.pages = {}

    def close(self):
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        until = time.monotonic() + 5
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.killpg(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            select.select([], [], [], 0.02)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _receive(self, until):
        """The next message, or None when the time is over. Events go to their page."""
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.read_fd], [], [], left)[0]:
                return None
            some = os.read(self.read_fd, 1 << 20)
            if not some:
                raise RuntimeError("the browser has ended")
            self.rest += some
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.on_event(message["method"], message["params"])
        return message

    def call(self, method, params=None, session=None):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + DEADLINE
        while (answer := self._receive(until)) is not None:
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
        raise RuntimeError(f"{method}: no answer")

    def pump(self, seconds):
        """Takes in events for so long."""
        until = time.monotonic() + seconds
        while self._receive(until) is not None:
            pass

    def page(self, url, width=1280, height=900, dark=False, mobile=False):
        return Page(self, url, width, height, dark, mobile)


class Page:
    def __init__(self, browser, url, width, height, dark, mobile):
        self.browser = browser
        self.urls, self.problems, self.cookies_set = [], [], []
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", {"url": "about:blank", "browserContextId": self.context, "width": width,
                                                      "height": height})["targetId"]
        self.session = browser.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        browser.pages[self.session] = self
        self.target = target
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.size(width, height, mobile)
        self.scheme(dark)
        self.call("Page.navigate", {"url": url})
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def call(self, method, params=None):
        return self.browser.call(method, params, self.session)

    def size(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})

    def scheme(self, dark):
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def on_event(self, method, params):
        if method == "Network.requestWillBeSent":
            self.urls.append(params["request"]["url"])
        elif method == "Network.responseReceivedExtraInfo":
            self.cookies_set += [value for name, value in params["headers"].items() if name.lower() == "set-cookie"]
        elif method == "Runtime.exceptionThrown":
            self.problems.append("exception: " + json.dumps(params["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + json.dumps(params["args"])[:600])
        elif method == "Log.entryAdded":
            entry = params["entry"]
            self.problems.append(f"{entry['source']} {entry['level']}: {entry['text']} {entry.get('url', '')}")

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script, seconds=DEADLINE):
        """Until the expression is true; says what the page shows when it never is."""
        until = time.monotonic() + seconds
        while True:
            value = self.run(f"Boolean({script})")
            if value:
                return
            if time.monotonic() > until:
                shown = self.run("document.body ? document.body.innerText.slice(0, 3000) : ''")
                raise AssertionError(f"never: {script}\n{shown}\n{self.problems}")
            self.browser.pump(0.02)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def wait_text(self, selector, part, seconds=DEADLINE):
        self.wait(f"(document.querySelector({json.dumps(selector)})?.innerText ?? '').includes({json.dumps(part)})", seconds)

    def key(self, name, shift=False, ctrl=False):
        code, number, text = KEYS[name]
        key = " " if name == "Space" else name
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": (8 if shift else 0) + (2 if ctrl else 0)}
        self.call("Input.dispatchKeyEvent", {"type": "keyDown", **event, **({"text": text} if text and not ctrl else {})})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def tab_to(self, selector, most=80, shift=False):
        """Presses Tab until the element has the focus, and checks that the focus can be seen."""
        quoted = json.dumps(selector)
        for _ in range(most):
            self.key("Tab", shift)
            if self.run(f"document.activeElement.matches({quoted})"):
                seen = self.run("(() => { const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();"
                                " return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 && r.bottom > 0 && r.top < innerHeight; })()")
                assert seen, f"the focus on {selector} cannot be seen"
                return
        raise AssertionError(f"Tab never reaches {selector}")

    def click(self, selector):
        """A real click in the middle of the element."""
        box = self.run("(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'center'});"
                       " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()" % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {"type": kind, "x": box[0], "y": box[1], "button": "left", "clickCount": 1})

    def cookies(self):
        return self.browser.call("Storage.getCookies", {"browserContextId": self.context})["cookies"]

    def screenshot(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole,
                                                    **({"clip": self._whole()} if whole else {})})
        path.write_bytes(base64.b64decode(shot["data"]))

    def _whole(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}

    def close(self):
        self.browser.call("Target.disposeBrowserContext", {"browserContextId": self.context})
        self.browser.pages.pop(self.session, None)
