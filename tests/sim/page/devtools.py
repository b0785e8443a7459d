"""devtools.py: a headless Chromium that a test drives, through a pipe (no port, no other package).

    with Browser() as browser:
        browser.open(path, width=1280, height=900)
        browser.evaluate("document.title")

Whatever the page complains about (exceptions, console errors, requests that fail) is in browser.complaints.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_S = 120


def program():
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Browser:
    def __init__(self):
        self.complaints = []
        self.number = 0
        self.rest = b""
        self.session = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="lockstep-browser-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def descriptors():
            # The browser reads 3 and writes 4; copies first, as one may be in the other's place.
            one, two = os.dup(to_browser), os.dup(from_browser)
            os.dup2(one, 3)
            os.dup2(two, 4)

        environment = dict(os.environ, HOME=self.folder, XDG_CONFIG_HOME=self.folder, XDG_CACHE_HOME=self.folder)
        environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", "--mute-audio",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder}/profile", "about:blank"],
            pass_fds=(3, 4), close_fds=True, preexec_fn=descriptors, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -------------------------------------------------------------- messages

    def _receive(self, until):
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.into, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def _notice(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a)) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:", "about:", "blob:")):
                self.complaints.append(f"asks the network for {url}")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self._receive(until)
            if answer.get("id") != self.number:
                self._notice(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    # -------------------------------------------------------------- what tests do

    def open(self, path, width=1280, height=900, dark=False, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=5 if touch else 1)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=pathlib.Path(path).absolute().as_uri())
        self.wait("document.readyState === 'complete'")

    def evaluate(self, text):
        result = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{text}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, text):
        until = time.monotonic() + PATIENCE_S
        while not self.evaluate(text):
            if time.monotonic() > until:
                raise TimeoutError(f"it never came to this: {text}; complaints: {self.complaints}")
            time.sleep(0.05)

    def frame(self):
        """Waits until what was asked for has been drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none",
                      clickCount=1)

    def drag(self, x, y, dx, dy):
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for part in (0.3, 0.6, 1):
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + dx * part, y=y + dy * part, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + dx, y=y + dy, button="left", clickCount=1)

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])

    def key(self, key):
        text = key if len(key) == 1 else ("\r" if key == "Enter" else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
