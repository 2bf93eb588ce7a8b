"""Files behind URLs: what is fetched of them, counted by a real nginx, and what servers may do wrong."""

import errno
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import pteedit
from pteedit import _remote

from common import DATA, PROJECT, run_tool

sys.path.append(str(PROJECT / "tests" / "support"))
from big_program import write_program  # noqa: E402
from nginx import Nginx, find  # noqa: E402

try:
    import fsspec
except ImportError:
    fsspec = None
GIGABYTE = 1 << 30
LOCATIONS = """
    location /whole/ {{ alias {files}/; max_ranges 0; }}
    location /untagged/ {{ alias {files}/; etag off; }}
    location /closed/ {{ return 403; }}
    location /broken/ {{ return 503; }}
"""


def inspect(*words):
    """`python -m pteedit inspect`."""
    return subprocess.run(
        [sys.executable, "-m", "pteedit", "inspect", *map(str, words)], capture_output=True, text=True, timeout=120
    )


def write_big(path):
    """A gigabyte of weights, nearly all of it a hole."""
    write_program(path, [1 << 20] * 257, lambda *_: None)


@unittest.skipUnless(find("nginx") and fsspec, "nginx and pteedit[remote] are needed")
class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.files = cls.folder / "server"
        cls.files.mkdir()
        os.chmod(cls.folder, 0o755)
        for name in ("f08/b_xnn_base.pte", "f08/b_xnn_v0.pte", "f08/b_xnn_v1.pte"):
            shutil.copy(DATA / name, cls.files)
        cls.server = cls.enterClassContext(Nginx(cls.folder, LOCATIONS.format(files=cls.files)))
        cls.url = cls.server.url

    def setUp(self):
        self.server.requests()  # not of this test
        self.enterContext(mock.patch.object(_remote, "_FIRST_PAUSE", 0.01))

    def requests(self):
        """[(status, bytes, path)] since the last call."""
        time.sleep(0.2)
        return [(status, size, path) for status, _, path, size in self.server.requests()]

    def served(self):
        return sum(size for _, size, _ in self.requests())


class Reading(Server):
    def test_a_file_behind_a_url_is_the_file(self):
        url = f"{self.url}/b_xnn_base.pte"
        program = pteedit.open(url)
        self.assertEqual(program.name, url)
        self.assertTrue(program.same(DATA / "f08/b_xnn_base.pte"))
        self.assertEqual(pteedit.verify(url), [])
        self.assertEqual(pteedit.diff(url, DATA / "f08/b_xnn_v0.pte").to_dict()["sizes"],
                         pteedit.diff(DATA / "f08/b_xnn_base.pte", DATA / "f08/b_xnn_v0.pte").to_dict()["sizes"])

    def test_a_gigabyte_costs_its_tables(self):
        write_big(self.files / "big.pte")
        url = f"{self.url}/big.pte"
        program = pteedit.open(url)
        self.assertGreater(program.size, GIGABYTE)
        program.sizes(), program.methods, program.constants, program.requirements(), program.verify(hash_keys=False)
        looks = self.requests()
        self.assertLess(sum(size for _, size, _ in looks), 2_000_000)
        self.assertLessEqual(len(looks), 6, looks)
        for words in (("--methods", "--tensors", "--operators"), ("--json", "--segments"), ("--verify", "--no-hashes")):
            self.requests()
            done = inspect(*words, url)
            self.assertEqual((done.returncode > 1, done.stderr), (False, ""), words)
            self.assertLess(self.served(), 2_000_000, words)

    def test_pteinspect_says_of_urls_what_it_says_of_files(self):
        for words in (["--methods"], ["--verify"], ["--duplicates", "b_xnn_v0.pte"], ["--diff", "b_xnn_v0.pte"], ["--hash"]):
            with self.subTest(words[0]):
                local = [str(self.files / word) if word.endswith(".pte") else word for word in words]
                remote = [f"{self.url}/{word}" if word.endswith(".pte") else word for word in words]
                here = inspect(*local, self.files / "b_xnn_base.pte")
                there = inspect(*remote, f"{self.url}/b_xnn_base.pte")
                self.assertEqual(there.stdout, here.stdout.replace(str(self.files), self.url))
                self.assertEqual((there.returncode, there.stderr), (here.returncode, ""))

    def test_split_and_merge_stream_from_urls(self):
        names = ("b_xnn_base.pte", "b_xnn_v0.pte")
        planned = pteedit.merge({name: [f"{self.url}/{name}"] for name in names})
        expected = pteedit.merge({name: [self.files / name] for name in names})
        self.assertEqual(planned.to_bytes(), expected.to_bytes())
        split = pteedit.split(f"{self.url}/b_xnn_base.pte")
        split.save(self.folder / "small.pte", self.folder / "weights.ptd")
        self.assertEqual((self.folder / "weights.ptd").read_bytes(), pteedit.split(self.files / names[0]).to_bytes()["data.ptd"])

    def test_who_reads_on_gets_more_at_once(self):
        size = 40 << 20
        (self.files / "long").write_bytes(bytes(size))
        file = _remote.open_url(f"{self.url}/long")
        for offset in range(0, size, 1 << 20):
            self.assertEqual(file.read(offset, 1 << 20), bytes(1 << 20))
        looks = self.requests()
        self.assertEqual(sum(served for _, served, _ in looks), size)
        self.assertLess(len(looks), 16)

    def test_what_was_fetched_is_kept(self):
        url = f"{self.url}/b_xnn_v1.pte"
        pteedit.open(url).methods
        self.assertGreater(self.served(), 0)
        pteedit.open(url).methods
        self.assertEqual(self.served(), 0)


class Trouble(Server):
    def fails(self, path, kind, number, words):
        with self.assertRaises(kind) as raised:
            pteedit.open(f"{self.url}/{path}")
        self.assertEqual(raised.exception.errno, number)
        self.assertIn(words, raised.exception.strerror)
        self.assertEqual(raised.exception.filename, f"{self.url}/{path}")

    def test_no_such_file(self):
        self.fails("none.pte", FileNotFoundError, errno.ENOENT, "there is no such file")
        done = inspect(f"{self.url}/none.pte")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stderr, f"pteinspect: error: {self.url}/none.pte: there is no such file\n")

    def test_a_file_that_may_not_be_read(self):
        self.fails("closed/a.pte", PermissionError, errno.EACCES, "may not be read: 403")

    def test_a_server_that_fails_is_asked_again(self):
        self.fails("broken/a.pte", OSError, errno.EIO, "cannot be read, tried 4 times: 503")
        self.assertGreaterEqual(len(self.requests()), 4)

    def test_no_server(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            with self.assertRaisesRegex(OSError, "tried 4 times"):
                pteedit.open(f"http://127.0.0.1:{one.getsockname()[1]}/a.pte")

    def test_a_server_without_parts(self):
        program = pteedit.open(f"{self.url}/whole/b_xnn_base.pte")  # whose tables are at its beginning
        (self.files / "long").write_bytes(bytes(2 << 20))
        with self.assertRaisesRegex(OSError, "no parts of a file .Range requests.; download it first"):
            _remote.open_url(f"{self.url}/whole/long").read(1 << 20, 10)
        self.assertTrue(program.methods)

    def changed(self, place):
        path = self.files / "changing.pte"
        shutil.copy(DATA / "f08/b_xnn_base.pte", path)
        with mock.patch.object(_remote, "_BLOCK", 1 << 10), mock.patch.object(_remote, "_CHECK_SECONDS", -1):
            program = pteedit.open(f"{self.url}{place}/changing.pte")
            path.write_bytes((DATA / "f08/b_xnn_base.pte").read_bytes()[:-1] + b"x")
            os.utime(path, (1, 1_700_000_000))
            with self.assertRaises(OSError) as raised:
                pteedit.strip(program, padding=True, repack=True).to_bytes()
            self.assertEqual(raised.exception.errno, errno.ESTALE)
            self.assertTrue(pteedit.open(f"{self.url}{place}/changing.pte").methods)

    def test_a_file_that_is_changed_meanwhile(self):
        self.changed("")

    def test_a_file_without_a_tag_that_is_changed_meanwhile(self):
        self.changed("/untagged")


@unittest.skipUnless(fsspec, "pteedit[remote] is needed")
class OtherStores(unittest.TestCase):
    def test_what_fsspec_opens_is_opened(self):
        content = (DATA / "f08/b_xnn_base.pte").read_bytes()
        fsspec.filesystem("memory").pipe_file("/store/base.pte", content)
        self.assertEqual(len(pteedit.open("memory://store/base.pte").methods), 1)
        with self.assertRaisesRegex(FileNotFoundError, "there is no such file"):
            pteedit.open("memory://store/none.pte")

    def test_a_file_that_is_changed_meanwhile(self):
        system = fsspec.filesystem("memory")
        system.pipe_file("/store/long", bytes(1 << 20))
        with mock.patch.object(_remote, "_CHECK_SECONDS", -1):
            file = _remote.open_url("memory://store/long")
            system.pipe_file("/store/long", bytes(1 << 20))
            with self.assertRaisesRegex(OSError, "was changed since it was opened"):
                file.read(1 << 18, 1 << 10)

    def test_an_archive_behind_a_url(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        whole = folder / "model.etm"
        pteedit.pack({"base": [DATA / "f08/b_xnn_base.pte"]}).save(folder / "release")
        self.assertEqual(run_tool("ptepack", "etm", f"{folder}/release:base", "-o", whole, "-q").returncode, 0)
        fsspec.filesystem("memory").pipe_file("/store/model.etm", whole.read_bytes())
        self.assertEqual(list(pteedit.open("memory://store/model.etm").programs), ["model"])

    def test_without_the_extra_it_is_named(self):
        with mock.patch.dict(sys.modules, {"fsspec": None}):
            with self.assertRaisesRegex(pteedit.Error, r"pip install 'pteedit\[remote\]'"):
                pteedit.open("https://example.org/a.pte")

    def test_a_store_without_its_package_is_told(self):
        with self.assertRaisesRegex(pteedit.Error, "s3fs"):
            pteedit.open("s3://bucket/a.pte")


class Usage(unittest.TestCase):
    def test_of_the_command(self):
        done = subprocess.run([sys.executable, "-m", "pteedit"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("python -m pteedit inspect", done.stderr)
        self.assertEqual(inspect("--version").returncode, 0)


if __name__ == "__main__":
    unittest.main()
