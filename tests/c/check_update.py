"""The example application of docs/c.md: against a server on this machine."""

import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from check_door import FAMILY, make_release
from checks import DATA, ROOT, given, output_of
from nginx import Nginx, find
from range_server import RangeServer

EXAMPLE = ROOT / "docs/examples/update.c"
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{ROOT}/libpteedit/include"]
MAX_TRIES = 100
CUTS = 200
SLOW_BYTES = 4 << 20  # takes nginx seconds where it is told to be slow
ORIGINALS = {"v1": "f08/b_xnn_v0.pte", "v2": "f08/b_xnn_v1.pte"}


def add_arguments(parser):
    parser.add_argument("compiler", help="of C")
    parser.add_argument("library", type=pathlib.Path, help="libpteedit_c.so")
    parser.add_argument("--runner", help="pterun, to load and run what came")


def built_example(folder):
    if subprocess.run([given.compiler, "-E", "-x", "c", "-"], input=b"#include <curl/curl.h>", capture_output=True).returncode:
        raise unittest.SkipTest("there is no curl/curl.h (libcurl4-openssl-dev)")
    program = folder / "update"
    subprocess.run([given.compiler, *STRICT, EXAMPLE, "-o", program, given.library, f"-Wl,-rpath,{given.library.resolve().parent}",
                    "-lcurl"], check=True)
    return [str(program)]


def setUpModule():
    global command, built
    built = tempfile.TemporaryDirectory(prefix="pteedit-update-")
    unittest.addModuleCleanup(built.cleanup)
    command = built_example(pathlib.Path(built.name))


def outputs_of(files):
    done = subprocess.run([given.runner, *files], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{files}: {done.stdout}{done.stderr}")
    return done.stdout


def download_bytes(folder):
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["variants"]
    return next(row for row in rows if row["name"] == "v0")["download_bytes"]


def id_of(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["release"]


class Document(unittest.TestCase):
    def test_what_is_shown_is_a_program(self):
        text = (ROOT / "docs/c.md").read_text(encoding="utf-8")
        for body in re.findall(r"```c\n(.*?)```", text, re.DOTALL):
            subprocess.run([given.compiler, *STRICT, "-fsyntax-only", "-x", "c", "-"], input=body.encode(), check=True)


class Example(unittest.TestCase):
    """v1, then v2, as the server's `stable`; and the delta between them."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="pteedit-update-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for name, original in ORIGINALS.items():
            make_release(self.folder, name, {**FAMILY, "v0": original})
        subprocess.run([given.tools / "ptepack", "delta", self.folder / "v1", self.folder / "v2", "-o", self.folder / "delta",
                        "--quiet"], check=True)
        deltas = self.folder / "www/deltas"
        deltas.mkdir(parents=True)
        (self.folder / "delta").rename(deltas / f"{id_of(self.folder / 'v1')[:12]}-{id_of(self.folder / 'v2')[:12]}")
        self.device = self.folder / "device"
        self.server = self.enterContext(RangeServer(self.folder / "www"))
        self.serve("v1")

    def serve(self, release):
        stable = self.folder / "www/stable"
        shutil.rmtree(stable, ignore_errors=True)
        shutil.copytree(self.folder / release, stable)
        self.server.requests.clear()

    def update(self, deltas=True):
        words = [f"{self.server.url}/stable", self.device, "v0", *([f"{self.server.url}/deltas"] if deltas else [])]
        return subprocess.run([*command, *words], capture_output=True, text=True)

    def expect_release(self, release, done, original=None):
        self.assertEqual(done.returncode, 0, done.stderr)
        manifest = json.loads((self.folder / release / "manifest.json").read_text(encoding="utf-8"))
        self.assertIn(f"release {manifest['release']}\n", done.stdout)
        names = next(one for one in manifest["variants"] if one["name"] == "v0")["files"]
        for name in names:
            self.assertEqual((self.device / "app" / name).read_bytes(), (self.folder / release / name).read_bytes(), name)
        loads = [line.split("/")[-1] for line in done.stdout.splitlines() if line.startswith("load ")]
        self.assertEqual(loads, names[:len(loads)])
        self.assertEqual(len(loads), 3)
        if given.runner:
            files = [line.removeprefix("load ") for line in done.stdout.splitlines() if line.startswith("load ")]
            self.assertEqual(outputs_of(files), outputs_of([DATA / ORIGINALS[original or release]]))

    def sent(self):
        return sum(count for name, _, count in self.server.requests if name != "manifest.json")

    def test_first_install_then_the_next_release_by_its_delta(self):
        self.expect_release("v1", self.update())
        self.assertEqual(self.sent(), download_bytes(self.folder / "v1"))
        self.serve("v2")
        self.expect_release("v2", self.update())
        self.assertTrue(all(name.startswith("delta-") for name, _, _ in self.server.requests if name != "manifest.json"))
        self.assertLess(self.sent(), 5000)
        self.server.requests.clear()
        self.expect_release("v2", self.update())
        self.assertEqual(self.sent(), 0)

    def test_server_without_deltas_will_do(self):
        self.expect_release("v1", self.update(deltas=False))
        self.serve("v2")
        shutil.rmtree(self.folder / "www/deltas")
        self.expect_release("v2", self.update())

    def test_cut_download_fetches_nothing_twice(self):
        self.server.cut_after = 20_000
        for _ in range(MAX_TRIES):
            done = self.update()
            if done.returncode == 0:
                break
            self.assertFalse((self.device / "app").exists())
        self.expect_release("v1", done)
        self.assertEqual(self.sent(), download_bytes(self.folder / "v1"))

    def test_cut_at_hundreds_of_random_bytes_fetches_nothing_twice(self):
        chance = random.Random(5)
        self.serve("v1")
        cuts, tries = 0, 0
        while cuts < CUTS:
            shutil.rmtree(self.device, ignore_errors=True)
            self.server.requests.clear()
            while True:
                self.server.cut_after = chance.randrange(1, 8000)
                done = self.update()
                if done.returncode == 0:
                    break
                cuts, tries = cuts + 1, tries + 1
                self.assertLess(tries, 10 * CUTS, done.stderr)
                self.assertFalse((self.device / "app").exists())
            self.expect_release("v1", done)
            self.assertEqual(self.sent(), download_bytes(self.folder / "v1"))

    def test_from_nginx_killed_while_it_fetches_goes_on_there(self):
        if find("nginx") is None:
            self.skipTest("there is no nginx")
        self.folder.chmod(0o755)  # its worker is somebody else where root starts it
        (self.folder / "server").symlink_to("www")
        (self.folder / "large.bin").write_bytes(random.Random(6).randbytes(SLOW_BYTES))
        output_of("ptepack", "create", self.folder / "v1-family", "-o", self.folder / "large", "--include", f"large:{self.folder}/large.bin", "-q")
        self.serve("large")
        with Nginx(self.folder) as server:
            words = [*command, f"{server.url}/slow/stable", self.device, "v0"]
            with subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                begun = lambda: sum(path.stat().st_size for path in self.device.glob("next/included-*"))
                for _ in range(1000):
                    time.sleep(0.02)
                    if begun() > SLOW_BYTES // 4:
                        break
                process.kill()
            self.assertFalse((self.device / "app").exists())
            there = begun()
            self.assertTrue(0 < there < SLOW_BYTES, there)
            time.sleep(0.5)  # the cut request is logged
            server.requests()
            words[len(command)] = f"{server.url}/stable"
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
            self.expect_release("large", done, "v1")
            rest = [(status, ranges, size) for status, ranges, path, size in server.requests() if "included-" in path]
            self.assertEqual(rest, [(206, f"bytes={there}-", SLOW_BYTES - there)])

    def test_server_without_ranges_is_asked_for_the_whole(self):
        self.server.cut_after = 5_000
        self.assertEqual(self.update().returncode, 1)
        self.server.cut_after, self.server.has_ranges = None, False
        self.expect_release("v1", self.update())

    def test_yesterdays_file_is_noticed_before_anything_is_replaced(self):
        self.expect_release("v1", self.update())
        before = {path.name: path.read_bytes() for path in (self.device / "app").iterdir()}
        self.serve("v2")
        variant = next((self.folder / "www/stable").glob("variant-*"))
        right = variant.read_bytes()
        variant.write_bytes(next((self.folder / "v1").glob("variant-*")).read_bytes())
        done = self.update(deltas=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, f"next/{variant.name}: has the SHA-256 ")
        self.assertEqual(before, {path.name: path.read_bytes() for path in (self.device / "app").iterdir()})
        variant.write_bytes(right)
        self.expect_release("v2", self.update(deltas=False))

    def test_server_that_is_not_there_is_one_line(self):
        self.serve("v1")
        done = subprocess.run([*command, "http://127.0.0.1:9", self.device, "v0"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.splitlines()[0], "^update: http://127.0.0.1:9/manifest.json: ")

    def test_words_that_lack_are_told(self):
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 2)
