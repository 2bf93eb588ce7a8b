"""A chromium without a screen that a test drives over the pipe of its debugging protocol; nothing but the standard library."""

import atexit
import base64
import functools
import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    raise unittest.SkipTest("there is no chromium")
COMPLAINTS = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


class Chromium:
    """The process, which all pages of a test share, and its protocol."""

    def __init__(self):
        self.profile = tempfile.mkdtemp()
        to_browser, self.out = os.pipe()
        self.input, from_browser = os.pipe()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        # The protocol is on descriptors 3 and 4, whatever they are called here.
        command = 'exec 3<&%d 4>&%d; exec "$@"' % (to_browser, from_browser)
        self.process = subprocess.Popen(
            ["sh", "-c", command, "sh", CHROMIUM, "--headless", *sandbox, "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--window-size=1200,900", "--remote-debugging-pipe", "--user-data-dir=" + self.profile],
            pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.count, self.complaints = b"", 0, []
        atexit.register(self.end)

    def end(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            if answer.get("method") in COMPLAINTS:
                self.complaints.append(answer)

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.input, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)


@functools.cache
def chromium():
    return Chromium()


class Browser:
    """One page, which knows nothing of those before it."""

    def __init__(self, url, dark=False, width=1200, height=900):
        self.context = chromium().call("Target.createBrowserContext")["browserContextId"]
        target = chromium().call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = chromium().call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.resize(width, height)
        self.call("Page.navigate", url=url)
        while self.run("document.readyState") != "complete" or self.run("location.href") == "about:blank":
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        chromium().call("Target.disposeBrowserContext", browserContextId=self.context)

    @property
    def complaints(self):
        """What its scripts logged or threw."""
        return [event["params"] for event in chromium().complaints if event["sessionId"] == self.session]

    def call(self, method, **parameters):
        return chromium().call(method, self.session, **parameters)

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script):
        """The value of an expression."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description"))
        return result["result"].get("value")

    def wait_for(self, condition, seconds=20):
        """Until the expression is true: what follows an event comes later."""
        end = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > end:
                raise AssertionError("after %d seconds not yet: %s" % (seconds, condition))
            time.sleep(0.02)

    def center(self, selector):
        return self.place(selector, 0.5, 0.5)

    def place(self, selector, across, down):
        """Of a point in an element, in shares of its size."""
        script = ("(() => { const box = document.querySelector(%s).getBoundingClientRect();"
                  " return [box.x + box.width * %g, box.y + box.height * %g]; })()" % (json.dumps(selector), across, down))
        return self.run(script)

    def click(self, selector, across=0.5, down=0.5):
        x, y = self.place(selector, across, down)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def hover(self, selector, across=0.5, down=0.5):
        x, y = self.place(selector, across, down)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def png(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def screenshot(self):
        return Picture(self.png())


class Picture:
    """A PNG of 8 bits a channel, without interlacing, as browsers take them: width, height, pixel(x, y)."""

    def __init__(self, png):
        place, data = 8, b""
        while place < len(png):
            size, kind = struct.unpack_from(">I4s", png, place)
            content = png[place + 8 : place + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, color = struct.unpack_from(">IIBB", content)
                self.channels = {2: 3, 6: 4}[color]
                assert depth == 8
            data += content if kind == b"IDAT" else b""
            place += size + 12
        self.rows = self.unfiltered(zlib.decompress(data))

    def unfiltered(self, data):
        stride, step, rows = self.width * self.channels, self.channels, []
        before = bytes(stride)
        for y in range(self.height):
            start = y * (stride + 1)
            kind, row = data[start], bytearray(data[start + 1 : start + 1 + stride])
            for i in range(stride):
                left = row[i - step] if i >= step else 0
                up, corner = before[i], before[i - step] if i >= step else 0
                if kind == 1:
                    row[i] = (row[i] + left) & 255
                elif kind == 2:
                    row[i] = (row[i] + up) & 255
                elif kind == 3:
                    row[i] = (row[i] + (left + up) // 2) & 255
                elif kind == 4:
                    guess = left + up - corner
                    row[i] = (row[i] + min((left, up, corner), key=lambda value: abs(guess - value))) & 255
            rows.append(row)
            before = row
        return rows

    def pixel(self, x, y):
        start = int(x) * self.channels
        return tuple(self.rows[int(y)][start : start + 3])
