"""Fleets: the same bytes as ptemerge writes, whoever does the work, whatever is killed, and nothing twice."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import pteedit
from pteedit import _remote, fleet

from common import DATA, PROJECT, run_tool

sys.path.append(str(PROJECT / "tests" / "support"))
from big_program import FLOAT_BYTES, write_program

try:
    import distributed
    import fsspec
except ImportError:
    distributed = None

FLOATS = 1 << 14
LAYERS = 6


def write_member(path, layers):
    """A program of these layers, known by their seeds."""

    def write(file, base, offsets):
        for offset, seed in zip(offsets, layers):
            file.seek(base + offset)
            file.write(random.Random(seed).randbytes(FLOATS * FLOAT_BYTES))

    path.parent.mkdir(parents=True, exist_ok=True)
    write_program(path, [FLOATS] * len(layers), write)


def write_store(folder, families=3, members=8):
    """Families whose members have all layers but one in common, and a program that nobody shares with."""
    for family in range(families):
        for member in range(members):
            layers = [1000 * family + layer for layer in range(1, LAYERS)] + [1_000_000 + 1000 * family + member]
            write_member(folder / f"family{family}" / f"v{member}.pte", layers)
    write_member(folder / "alone.pte", range(9_000_000, 9_000_000 + LAYERS))


def merged_by_the_tool(store, folder):
    """Each family by ptemerge, laid out as a fleet is."""
    folder.mkdir()
    for family in sorted(store.glob("family*")):
        out = folder / f"tool-{family.name}"
        done = run_tool("ptemerge", *sorted(family.glob("*.pte")), "-o", out, "-q")
        assert done.returncode == 0, done.stderr
        (folder / "shared" / family.name).mkdir(parents=True)
        (out / "shared.ptd").rename(folder / "shared" / family.name / "v0.ptd")
        out.rename(folder / family.name)


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.suffix in (".pte", ".ptd")}


@unittest.skipUnless(distributed, "pteedit[fleet] is needed")
class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.store = cls.folder / "store"
        write_store(cls.store)
        merged_by_the_tool(cls.store, cls.folder / "expected")

    def setUp(self):
        self.own = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.state, self.output = self.own / "state", self.own / "shared"

    def do_all(self, store, **options):
        scanned = fleet.scan([str(store)], self.state, **options)
        decided = fleet.decide(self.state, **options)
        applied = fleet.apply(self.state, self.output, **options)
        for done in (scanned, decided, applied):
            self.assertEqual(done.failures, ())
        return scanned, decided, applied

    def expect_what_the_tool_writes(self):
        self.assertEqual(files_of(self.output), files_of(self.folder / "expected"))

    def copy_of_store(self):
        return pathlib.Path(shutil.copytree(self.store, self.own / "store"))


class OnThreads(Fleet):
    def test_writes_what_ptemerge_writes_of_each_family(self):
        scanned, decided, applied = self.do_all(self.store)
        self.expect_what_the_tool_writes()
        self.assertEqual((scanned.programs, scanned.read_files), (25, 25))
        self.assertEqual([family.name for family in decided.families], [f"family{i}/v0" for i in range(3)])
        self.assertEqual(decided.alone, ("alone.pte",))
        for family in decided.families:
            self.assertEqual(sum(file.bytes for file in family.outputs), family.bytes_after)
            self.assertLess(family.bytes_after, family.bytes_before / 3)
        self.assertEqual((applied.files, applied.written_files), (27, 27))
        manifest = json.loads((self.output / "fleet.json").read_text())
        self.assertEqual(manifest["programs"]["family1/v3.pte"]["data"], ["shared/family1/v0.ptd"])
        self.assertEqual(manifest["alone"], {"alone.pte": {"files": [str(self.store / "alone.pte")]}})
        done = run_tool("pteinspect", "--same", self.store / "family1/v3.pte", self.output / "family1/v3.pte",
                        "--data", self.output / "shared/family1/v0.ptd")
        self.assertEqual((done.returncode, done.stdout), (0, b"same\n"))

    def test_does_nothing_twice(self):
        self.do_all(self.store)
        times = {path: path.stat().st_mtime_ns for path in self.own.rglob("*.p*")}
        scanned, _, applied = self.do_all(self.store)
        self.assertEqual((scanned.read_files, scanned.read_bytes, applied.written_files), (0, 0, 0))
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.own.rglob("*.p*")}, times)

    def test_writes_again_what_is_damaged_or_gone(self):
        self.do_all(self.store)
        touched, damaged, gone = (self.output / "family0" / f"v{i}.pte" for i in range(3))
        os.utime(touched)
        content = bytearray(damaged.read_bytes())
        content[-1] ^= 1
        damaged.write_bytes(content)
        gone.unlink()
        _, _, applied = self.do_all(self.store)
        self.assertEqual(applied.written_files, 2)
        self.expect_what_the_tool_writes()

    def test_a_new_version_of_a_program_is_one_more_to_read(self):
        store = self.copy_of_store()
        self.do_all(store)
        write_member(store / "family2" / "v5.pte", [2001, 2002, 2003, 2004, 2005, 77])
        scanned, _, applied = self.do_all(store)
        self.assertEqual((scanned.read_files, applied.written_files), (1, 9))

    def test_deciding_reads_tables_only(self):
        system = fsspec.filesystem("memory")
        for path in self.store.rglob("*.pte"):
            system.pipe_file(f"/fleet/{path.relative_to(self.store)}", path.read_bytes())
        fetched, part = [], _remote.RemoteFile._part

        def counted(file, begin, end):
            fetched.append(end - begin)
            return part(file, begin, end)

        with mock.patch.object(_remote.RemoteFile, "_part", counted), mock.patch.object(_remote, "_BLOCK", 1 << 12):
            fleet.scan(["memory://fleet"], self.state)
            scanned = sum(fetched)
            _remote._recent.clear()
            fetched.clear()
            fleet.decide(self.state)
            self.assertLess(sum(fetched), 25 * 3 * (1 << 12))
            self.assertGreater(scanned, 25 * LAYERS * FLOATS * FLOAT_BYTES)
        fleet.apply(self.state, self.output)
        self.expect_what_the_tool_writes()

    def test_a_small_thing_in_common_makes_no_family(self):
        store = self.own / "store"
        for family in range(2):
            for member in range(2):
                write_member(store / f"f{family}" / f"v{member}.pte", [*range(100 * family + 1, 100 * family + 30), 7])
        fleet.scan([str(store)], self.state)
        self.assertEqual([len(family.programs) for family in fleet.decide(self.state, min_share=5).families], [2, 2])
        self.assertEqual([len(family.programs) for family in fleet.decide(self.state, min_share=0).families], [4])

    def test_programs_with_data_files(self):
        store = self.own / "store"
        for name in ("base", "v0"):
            (store / name).mkdir(parents=True)
            split = pteedit.split(DATA / f"f08/b_xnn_{name}.pte", min_size=1000)
            split.save(store / name / "model.pte", store / name / "model.ptd")
        _, decided, _ = self.do_all(store)
        self.assertEqual(decided.families[0].programs, ("base/model.pte", "v0/model.pte"))
        words = [f"{name}={store}/{name}/model.pte,{store}/{name}/model.ptd" for name in ("base", "v0")]
        self.assertEqual(run_tool("ptemerge", *words, "-o", self.own / "tool", "-q").returncode, 0)
        (self.own / "tool" / "shared").mkdir()
        (self.own / "tool" / "shared.ptd").rename(self.own / "tool" / "shared" / "model.ptd")
        (self.own / "tool" / "shared" / "base").mkdir()
        (self.own / "tool" / "shared" / "model.ptd").rename(self.own / "tool" / "shared" / "base" / "model.ptd")
        self.assertEqual(files_of(self.output), files_of(self.own / "tool"))


class Trouble(Fleet):
    def test_a_damaged_program_keeps_no_other_from_being_shared(self):
        store = self.copy_of_store()
        (store / "family0" / "cut.pte").write_bytes((store / "family0" / "v0.pte").read_bytes()[:-1000])
        [failure] = fleet.scan([str(store)], self.state).failures
        self.assertEqual((failure.file, failure.is_io), (str(store / "family0" / "cut.pte"), False))
        self.assertIn("after the end of the file", failure.message)
        decided = fleet.decide(self.state)
        self.assertEqual([failure.file for failure in decided.failures], ["family0/cut.pte"])
        fleet.apply(self.state, self.output)
        self.expect_what_the_tool_writes()

    def test_a_program_that_was_changed_since_it_was_scanned(self):
        store = self.copy_of_store()
        fleet.scan([str(store)], self.state)
        os.utime(store / "family1" / "v0.pte", (1, 1))
        [failure] = fleet.decide(self.state).failures
        self.assertEqual((failure.file, failure.message, failure.is_io),
                         (str(store / "family1" / "v0.pte"), "was changed since it was scanned; scan again", True))
        fleet.scan([str(store)], self.state)
        fleet.decide(self.state)
        os.utime(store / "family1" / "v0.pte", (2, 2))
        failures = fleet.apply(self.state, self.output).failures
        self.assertIn("was changed since it was scanned; scan again", {failure.message for failure in failures})
        self.assertFalse((self.output / "family1").exists())

    def test_a_folder_of_somebody_else_is_left_alone(self):
        fleet.scan([str(self.store)], self.state)
        fleet.decide(self.state)
        self.output.mkdir()
        (self.output / "mine").write_text("")
        with self.assertRaisesRegex(pteedit.Error, "holds files that were not written with this state"):
            fleet.apply(self.state, self.output)

    def test_two_programs_of_one_name(self):
        with self.assertRaisesRegex(pteedit.Error, "would both become 'x/v0.pte'; give them names"):
            fleet.scan([f"x={self.store}/family0/v0.pte", f"x={self.store}/family1/v0.pte"], self.state)
        with self.assertRaisesRegex(pteedit.Error, "there are no programs"):
            fleet.scan([str(self.own)], self.state)

    def test_without_the_extra_it_is_named(self):
        with mock.patch.dict(sys.modules, {"dask": None}), self.assertRaisesRegex(ImportError, r"pip install 'pteedit\[fleet\]'"):
            fleet.scan([str(self.store)], self.state)


def end_process_when_there(folder):
    """Ends the worker that runs it as kill -9 does, once something is in the folder."""

    def wait():
        while not os.path.isdir(folder) or not any(name.endswith((".json", ".parquet")) for name in os.listdir(folder)):
            time.sleep(0.001)
        os._exit(9)

    threading.Thread(target=wait, daemon=True).start()


class OnACluster(Fleet):
    def test_whoever_is_killed_the_outputs_are_the_same(self):
        cluster = distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, silence_logs=50)
        self.enterContext(cluster)
        client = self.enterContext(distributed.Client(cluster))
        address = cluster.scheduler_address
        for step, folder in ((fleet.scan, "scan"), (fleet.decide, "families"), (fleet.apply, "done")):
            victim = sorted(client.scheduler_info()["workers"])[0]
            client.run(end_process_when_there, str(self.state / folder), workers=[victim])
            words = {"scan": ([str(self.store)], self.state), "families": (self.state,), "done": (self.state, self.output)}[folder]
            self.assertEqual(step(*words, scheduler=address).failures, ())
            for _ in range(200):  # a new one takes its place
                workers = client.scheduler_info()["workers"]
                if victim not in workers and len(workers) == 3:
                    break
                time.sleep(0.1)
            self.assertNotIn(victim, client.scheduler_info()["workers"], "was not killed")
        self.expect_what_the_tool_writes()
        self.assertEqual([path for path in self.output.rglob(".*")], [])


class Command(Fleet):
    def fleet(self, *words):
        return subprocess.run([sys.executable, "-m", "pteedit", "fleet", *map(str, words)], capture_output=True, text=True, timeout=120)

    def test_says_what_it_did(self):
        listed = self.own / "list"
        listed.write_text("".join(f"{path}\n" for path in sorted(self.store.rglob("*.pte"))))
        done = self.fleet("scan", f"@{listed}", "--state", self.state)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^25 programs, 25 files: 25 read, 9\.8\d MB\n$")
        done = self.fleet("decide", "--state", self.state)
        self.assertRegex(done.stdout, r"(?s)^family0/v0: 8 programs, \d+ B before, \d+ B after\n.*\n3 families, \d+ B before, \d+ B after; 1 alone\n$")
        done = self.fleet("apply", "--state", self.state, "-o", self.output, "--json")
        self.assertEqual(json.loads(done.stdout)["written_files"], 27)
        self.expect_what_the_tool_writes()

    def test_fails_with_the_tools_exit_codes(self):
        done = self.fleet("decide", "--state", self.own / "none")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"^fleet: error: .*sets\.json.*\n$")
        self.assertEqual(self.fleet("scan").returncode, 2)
        self.assertEqual(self.fleet("scan", self.own / "none.pte", "--state", self.state).returncode, 4)
        (self.own / "damaged.pte").write_bytes(b"damaged")
        done = self.fleet("scan", self.own / "damaged.pte", "--state", self.state)
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"fleet: error: {self.own}/damaged.pte: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
