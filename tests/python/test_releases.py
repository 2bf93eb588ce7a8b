"""pteedit.package: releases, deltas and updates."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from common import DATA, run_tool
from pteedit import package

FAMILY = DATA / "f08"


class WithReleases(unittest.TestCase):
    """Two releases of two programs, the second retrained."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "tokenizer.json").write_text("{}")
        for name, tuned in (("v1", "b_xnn_v0.pte"), ("v2", "b_xnn_v1.pte")):
            release = package.create(
                {"base": [FAMILY / "b_xnn_base.pte"], "tuned": [FAMILY / tuned]},
                self.folder / name,
                include={"tokenizer": self.folder / "tokenizer.json"},
                labels={"tuned": {"region": "eu"}},
            )
            self.assertEqual(release, package.open(self.folder / name))

    def contents(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir()}


class Releases(WithReleases):
    def test_are_those_of_ptepack(self):
        base, tuned = FAMILY / "b_xnn_base.pte", FAMILY / "b_xnn_v0.pte"
        include = f"tokenizer:{self.folder / 'tokenizer.json'}"
        done = run_tool("ptepack", "create", f"base={base}", f"tuned={tuned}", "-o", self.folder / "tool", "--include", include,
                        "--label", "tuned=region:eu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.contents("tool"), self.contents("v1"))

    def test_tell_what_a_loader_takes(self):
        release = package.open(self.folder / "v1")
        self.assertEqual(release.variants, ["base", "tuned"])
        self.assertEqual(len(release.id), 64)
        self.assertEqual(pathlib.Path(release.paths("tuned")[0]).read_bytes(), (FAMILY / "b_xnn_v0.pte").read_bytes())
        self.assertRaises(KeyError, release.paths, "no")

    def test_with_data_files_give_them_in_their_order(self):
        outputs = [self.folder / "small.pte", self.folder / "weights.ptd"]
        self.assertEqual(run_tool("ptesplit", FAMILY / "b_xnn_base.pte", "-o", outputs[0], "-d", outputs[1]).returncode, 0)
        release = package.create({"one": outputs}, self.folder / "split")
        self.assertEqual([pathlib.Path(path).read_bytes() for path in release.paths("one")], [path.read_bytes() for path in outputs])

    def test_that_are_damaged_have_findings(self):
        path = package.open(self.folder / "v1").paths("tuned")[0]
        package.check(self.folder / "v1")
        self.assertFalse(any(row["findings"] for row in package.verify(self.folder / "v1")["files"]))
        os.truncate(path, 100)
        self.assertEqual(package.verify(self.folder / "v1"),
                         json.loads(run_tool("ptepack", "verify", "--json", self.folder / "v1").stdout))
        package.check(self.folder / "v1", "base")
        with self.assertRaisesRegex(ValueError, "has 100 bytes, "):
            package.check(self.folder / "v1", "tuned")
        os.remove(path)
        self.assertRaises(OSError, package.check, self.folder / "v1")

    def test_are_not_replaced_unasked(self):
        before = self.contents("v1")
        sets = {"base": [FAMILY / "b_xnn_base.pte"]}
        self.assertRaises(FileExistsError, package.create, sets, self.folder / "v1")
        self.assertEqual(self.contents("v1"), before)
        self.assertEqual(package.create(sets, self.folder / "v1", replace=True).variants, ["base"])

    def test_that_grew_are_pruned(self):
        package.create({"base": [FAMILY / "b_xnn_base.pte"]}, self.folder / "v1", replace=True)
        dry = package.prune(self.folder / "v1", dry_run=True)
        self.assertEqual({**dry, "dry_run": False}, package.prune(self.folder / "v1"))
        self.assertEqual(sorted(pathlib.Path(row["file"]).name.split("-")[0] for row in dry["removed"]), ["included", "program"])
        self.assertEqual(package.prune(self.folder / "v1", self.folder / "v2")["removed"], [])
        package.check(self.folder / "v1")
        self.assertRaises(OSError, package.prune, self.folder / "v1", self.folder)

    def test_of_nothing_and_of_strangers_are_errors(self):
        new = self.folder / "new"
        self.assertRaisesRegex(ValueError, "variant 'a' has no files", package.create, {"a": []}, new)
        self.assertRaisesRegex(ValueError, "labels are of no variant: b", package.create, {"a": ["x"]}, new, labels={"b": {}})
        self.assertRaises(OSError, package.create, {"a": [self.folder / "no.pte"]}, new)
        self.assertRaises(OSError, package.open, new)
        self.assertFalse(new.exists())


class Deltas(WithReleases):
    def test_give_the_new_release(self):
        report = package.delta(self.folder / "v1", self.folder / "v2", self.folder / "delta")
        self.assertLess(report["delta_bytes"], report["release_bytes"])
        applied = package.apply(self.folder / "delta", self.folder / "v1", self.folder / "new")
        self.assertEqual(applied["to"], package.open(self.folder / "v2").id)
        self.assertEqual(self.contents("new"), self.contents("v2"))
        with self.assertRaisesRegex(ValueError, "is release "):
            package.apply(self.folder / "delta", self.folder / "v2", self.folder / "other")

    def test_progress_tells_bytes_and_stops_by_what_it_raises(self):
        calls = []
        package.delta(self.folder / "v1", self.folder / "v2", self.folder / "delta", progress=lambda *words: calls.append(words))
        self.assertEqual(calls[-1][0], calls[-1][1])

        def stop(done, total):
            raise KeyboardInterrupt

        before = self.contents("v1")
        for work in (
            lambda: package.delta(self.folder / "v1", self.folder / "v2", self.folder / "other", progress=stop),
            lambda: package.apply(self.folder / "delta", self.folder / "v1", self.folder / "new", progress=stop),
            lambda: package.check(self.folder / "v1", progress=stop),
        ):
            self.assertRaises(KeyboardInterrupt, work)
        self.assertEqual(self.contents("v1"), before)
        self.assertFalse((self.folder / "other").exists() or (self.folder / "new/manifest.json").exists())


class Updates(WithReleases):
    def begin(self, release, with_delta=False):
        for name in ("next", "changes"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir()
        shutil.copy(self.folder / release / "manifest.json", self.folder / "next")
        if with_delta:
            shutil.copy(self.folder / "delta/manifest.json", self.folder / "changes")

    def fetch(self, release, plan, limit=1 << 40):
        for fetch in plan.fetches:
            source = self.folder / ("delta" if fetch.of_delta else release) / fetch.file
            target = self.folder / ("changes" if fetch.of_delta else "next") / fetch.file
            with target.open("ab" if fetch.offset else "wb") as file:
                file.write(source.read_bytes()[fetch.offset : fetch.offset + min(limit, fetch.bytes)])

    def update(self, release, **options):
        words = [self.folder / "next", self.folder / "app"]
        self.fetch(release, package.plan_update(*words, **options))
        return package.update(*words, **options)

    def test_bring_one_variant_from_release_to_release(self):
        package.delta(self.folder / "v1", self.folder / "v2", self.folder / "delta")
        self.begin("v1")
        first = package.plan_update(self.folder / "next", self.folder / "app", variant="tuned")
        self.assertEqual((first.old, first.fetch_bytes), ("", first.download_bytes))
        self.update("v1", variant="tuned")
        self.begin("v2", with_delta=True)
        options = {"variant": "tuned", "delta": self.folder / "changes"}
        plan = package.plan_update(self.folder / "next", self.folder / "app", **options)
        self.assertEqual((plan.old, plan.new), tuple(package.open(self.folder / name).id for name in ("v1", "v2")))
        self.assertLess(plan.fetch_bytes, plan.download_bytes)
        self.assertEqual(self.update("v2", **options)["to"], plan.new)
        package.check(self.folder / "app", "tuned")
        self.assertRaises(OSError, package.check, self.folder / "app", "base")

    def test_go_on_where_they_were_cut(self):
        self.begin("v1")
        words = [self.folder / "next", self.folder / "app"]
        plan = package.plan_update(*words)
        self.fetch("v1", plan, 1000)
        again = package.plan_update(*words)
        self.assertEqual({fetch.offset for fetch in again.fetches if fetch.bytes > 1000}, {1000})
        with self.assertRaisesRegex(ValueError, "still to be fetched"):
            package.update(*words)
        self.update("v1")
        package.check(self.folder / "app")

    def test_can_go_beside_the_old_release(self):
        self.begin("v1")
        self.update("v1")
        before = self.contents("app")
        self.begin("v2")
        self.fetch("v2", package.plan_update(self.folder / "next", self.folder / "app"))
        package.update(self.folder / "next", self.folder / "app", to=self.folder / "beside")
        self.assertEqual(self.contents("app"), before)
        self.assertEqual(package.open(self.folder / "beside").id, package.open(self.folder / "v2").id)


if __name__ == "__main__":
    unittest.main()
