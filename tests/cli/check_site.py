"""Opens files in the page that is made of the tools for browsers, in a browser without a screen: build/web/site, or --site FOLDER."""

import http.server
import json
import pathlib
import random
import re
import shutil
import tempfile
import threading
import time
import unittest

from browser import Browser
from checks import DATA, ROOT, given, run

FILES = {"/", "/app.css", "/app.js", "/worker.js", "/pteedit.js", "/pteedit.wasm"}
BIG_BYTES = 100 * 10**6
MOST_MEMORY = 64 << 20  # that looking at a big file may take
SHOWN = "document.getElementById('page').contentDocument"


def add_arguments(parser):
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "build/web/site", help="its folder (default: build/web/site)")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Of a server that remembers what it was asked for."""

    def __init__(self, *arguments):
        super().__init__(*arguments, directory=str(given.site))

    def log_request(self, *_):
        self.server.asked.append((self.command, self.path))


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.url = [], "http://127.0.0.1:%d/" % server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Site(unittest.TestCase):
    def setUp(self):
        if not (given.site / "pteedit.wasm").exists():
            raise unittest.SkipTest(f"there is no {given.site}, which the preset web builds")
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.server = serve()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.browser = Browser(self.server.url)
        self.addCleanup(self.browser.__exit__)

    def copied(self, *files):
        return [pathlib.Path(shutil.copy(DATA / file, self.folder)) for file in files]

    def choose(self, *files):
        """As a user does who chooses files; returns what the page says of them."""
        root = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        node = self.browser.call("DOM.querySelector", nodeId=root, selector="#files")["nodeId"]
        self.browser.run("document.body.dataset.state = ''")
        self.browser.call("DOM.setFileInputFiles", files=[str(file) for file in files], nodeId=node)
        return self.said()

    def said(self):
        self.browser.wait_for("document.body.dataset.state === 'done'", 120)
        return self.browser.run("document.getElementById('said').textContent")

    def shown(self):
        """The report in the page that is shown."""
        self.browser.wait_for(f"{SHOWN}.URL === document.getElementById('save').href && {SHOWN}.querySelector('section') !== null")
        self.assertEqual(self.browser.complaints, [])
        return self.browser.run(f"{SHOWN}.getElementById('report').textContent")

    def expected(self, program, *data):
        """That of the page which pteinspect writes of the same files."""
        words = [word for file in data for word in ("--data", file.name)]
        done = run("pteinspect", "-f", "--html", "native.html", program.name, *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        page = (self.folder / "native.html").read_text(encoding="utf-8")
        return re.search(r'id="report">(.*?)</script>', page, re.S)[1]

    def error_of(self, file):
        done = run("pteinspect", file.name, cwd=self.folder)
        self.assertEqual(done.returncode, 3)
        return done.stderr.decode().strip()

    def test_shows_what_pteinspect_does(self):
        for name in ("f02_linear.pte", "f05/mixed.pte", "f06/portable_cm.pte", "f07/gpt_xnn.pte", "f10_stacktrace.pte",
                     "f11_bundled_xnn.bpte", "f04/w.ptd", "native/tuned.ptn",
                     *(path.relative_to(DATA) for path in sorted(DATA.glob("delegates/*.pte")))):
            [file] = self.copied(name)
            self.assertEqual(self.choose(file), "", name)
            self.assertEqual(self.shown(), self.expected(file), name)

    def test_takes_a_program_with_its_data(self):
        files = self.copied("f08/d_xnn_v1.pte", "f08/d_xnn_v1_foundation.ptd")
        self.assertEqual(self.choose(*files), "")
        self.assertEqual(self.shown(), self.expected(*files))
        self.assertIn("d_xnn_v1_foundation.ptd", self.browser.run(f"{SHOWN}.getElementById('top').textContent"))

    def test_looks_at_a_big_file_in_little_memory(self):
        [model] = self.copied("f07/gpt_xnn.pte")
        weights, big = self.folder / "weights.bin", self.folder / "big.pte"
        weights.write_bytes(random.Random(1).randbytes(BIG_BYTES))
        self.assertEqual(run("ptecopy", "-q", model, "--add-data", f"weights={weights}", "-o", big).returncode, 0)
        self.assertGreater(big.stat().st_size, BIG_BYTES)
        begin = time.monotonic()
        self.assertEqual(self.choose(big), "")
        took, memory = time.monotonic() - begin, int(self.browser.run("document.body.dataset.memoryBytes"))
        print(f"{big.stat().st_size} bytes: {took:.1f} s, {memory / 1e6:.1f} MB", flush=True)
        self.assertLess(memory, MOST_MEMORY)
        self.assertEqual(self.shown(), self.expected(big))

    def test_nothing_leaves_the_machine(self):
        [file] = self.copied("f07/gpt_xnn.pte")
        self.choose(file)
        self.shown()
        self.assertEqual({command for command, _ in self.server.asked}, {"GET"})
        self.assertLessEqual({path for _, path in self.server.asked}, FILES)
        other = serve()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        ask = f"fetch('{other.url}').then(() => 'sent', () => 'refused')"
        worker = json.dumps(f"{ask}.then(postMessage)")
        for asking in (ask, "document.getElementById('page').contentWindow." + ask,
                       f"new Promise((done) => new Worker(URL.createObjectURL(new Blob([{worker}]))).onmessage = (event) => done(event.data))"):
            answer = self.browser.call("Runtime.evaluate", expression=asking, awaitPromise=True, returnByValue=True)
            self.assertEqual(answer["result"]["value"], "refused", asking)
        self.assertEqual(other.asked, [])

    def test_says_in_one_line_what_is_wrong(self):
        [file] = self.copied("f07/gpt_xnn.pte")
        cut = self.folder / "cut.pte"
        cut.write_bytes(file.read_bytes()[:-4096])
        self.assertEqual(self.choose(cut), self.error_of(cut))
        self.assertTrue(self.browser.run("document.getElementById('page').hidden"))
        cut.write_bytes(file.read_bytes()[:100])
        self.assertEqual(self.choose(cut), self.error_of(cut))
        with open(cut, "wb") as file_of_5_gb:
            file_of_5_gb.truncate(5 * 10**9)
        self.assertIn("cut.pte: has 5000000000 bytes, ", self.choose(cut))
        self.assertEqual(self.choose(file), "")  # and goes on
        self.assertEqual(self.shown(), self.expected(file))

    def test_shows_one_program_at_a_time(self):
        files = self.copied("f01_add.pte", "f02_linear.pte")
        self.assertEqual(self.choose(*files), "pteinspect: error: f01_add.pte: is shown without other programs, such as 'f02_linear.pte'")

    def test_shows_findings(self):
        [file] = self.copied("f08/d_xnn_v0.pte")  # without its data file
        self.choose(file)
        [finding, *_] = json.loads(self.shown())[0]["findings"]
        self.assertIn(finding["message"], self.browser.run(f"{SHOWN}.getElementById('findings').textContent"))

    def test_takes_names_as_text(self):
        [file] = self.copied("f02_linear.pte")
        odd = file.rename(self.folder / "<img src=x onerror=document.title='evil'>.pte")
        self.assertEqual(self.choose(odd), "")
        self.shown()
        self.assertIn("<img", self.browser.run(f"{SHOWN}.querySelector('h1').textContent"))
        odd.write_text("no program")
        self.assertIn("<img src=x onerror=document.title='evil'>.pte: not a", self.choose(odd))
        for place in ("document", SHOWN):
            self.assertEqual(self.browser.run(f"{place}.querySelectorAll('img').length"), 0)

    def test_takes_what_is_dropped(self):
        files = self.copied("f02_linear.pte", "f01_add.pte")
        for file, y in zip(files, (20, 500)):  # the second one on the page that is shown
            data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
            for kind in ("dragEnter", "dragOver", "drop"):
                self.browser.call("Input.dispatchDragEvent", type=kind, x=300, y=y, data=data)
            self.browser.wait_for(f"document.getElementById('save').download === '{file.name}.html'")
            self.assertEqual(self.said(), "")
            self.assertEqual(self.shown(), self.expected(file))
