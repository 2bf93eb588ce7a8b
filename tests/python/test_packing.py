"""pteedit.pack, delta and apply: the same folders as the tool makes, for every program of the test data."""

import json
import pathlib
import tempfile
import unittest

import pteedit
from common import DATA, run_tool

FAMILY = DATA / "f08"


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def contents(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir()}

    def tool(self, *words):
        return run_tool("ptepack", *words).returncode


class LikeTheTool(WithFolder):
    def test_releases_of_every_program(self):
        tried = 0
        for number, entry in enumerate(json.loads((DATA / "manifest.json").read_text())["entries"]):
            files = [DATA / name for name in (entry["pte"], *entry["data"])]
            if files[0].suffix != ".pte" or sum(path.stat().st_size for path in files) > 60_000:
                continue
            with self.subTest(name=entry["name"]):
                planned, output = pteedit.pack({"one": files}), self.folder / str(number)
                if self.tool("create", f"one={','.join(map(str, files))}", "-o", output) != 0:
                    self.assertRaises(ValueError, planned.save, self.folder / "none")
                    continue
                # Which has the SHA-256 of every file.
                self.assertEqual(planned.report.to_dict(), json.loads((output / "manifest.json").read_text()))
                tried += 1
        self.assertGreater(tried, 40)

    def test_compressed_and_cut_into_packs(self):
        sets = {name: [FAMILY / f"b_xnn_{name}.pte"] for name in ("base", "v0")}
        words = [f"{name}={files[0]}" for name, files in sets.items()]
        packed = pteedit.pack(sets, compress=7, pack_bytes=100_000)
        self.assertEqual(self.tool("create", *words, "-o", self.folder / "tool", "--compress=7", "--packs", "100000"), 0)
        packed.save(self.folder / "ours")
        self.assertEqual(self.contents("ours"), self.contents("tool"))
        self.assertTrue(any(name.endswith(".zst") for name in self.contents("ours")))
        self.assertRaisesRegex(ValueError, "over the size of packs", pteedit.pack(sets, pack_bytes=10).save, self.folder / "no")
        self.assertRaisesRegex(ValueError, "zstd level 99, 1 to 22", pteedit.pack(sets, compress=99).save, self.folder / "no")
        self.assertRaisesRegex(ValueError, "zstd level 0", pteedit.delta(self.folder / "ours", self.folder / "tool", level=0).save, self.folder / "no")

    def test_deltas_and_what_is_made_of_them(self):
        for name, tuned in (("v1", "b_xnn_v0.pte"), ("v2", "b_xnn_v1.pte")):
            pteedit.pack({"base": [FAMILY / "b_xnn_base.pte"], "tuned": [FAMILY / tuned]}).save(self.folder / name)
        old, new = self.folder / "v1", self.folder / "v2"
        sets = [f"base={FAMILY / 'b_xnn_base.pte'}", f"tuned={FAMILY / 'b_xnn_v1.pte'}"]
        self.assertEqual(self.tool("create", *sets, "-o", self.folder / "tool_v2"), 0)
        self.assertEqual(self.contents("tool_v2"), self.contents("v2"))
        step = pteedit.delta(old, new)
        self.assertEqual(step.save(self.folder / "delta"), step.report)
        self.assertEqual(self.tool("delta", old, new, "-o", self.folder / "tool_delta"), 0)
        self.assertEqual(self.contents("delta"), self.contents("tool_delta"))
        applied = pteedit.apply(self.folder / "delta", old)
        self.assertEqual(applied.save(self.folder / "applied"), applied.report)
        self.assertEqual(self.contents("applied"), self.contents("v2"))
        self.assertEqual(self.tool("apply", self.folder / "tool_delta", "--from", old, "-o", self.folder / "tool_applied"), 0)
        self.assertEqual(self.contents("tool_applied"), self.contents("v2"))
        self.assertEqual(step.report.to_release, applied.report.to_release)
        self.assertIn("files, ", repr(step))


class Planning(WithFolder):
    def test_writes_nothing_before_it_is_saved(self):
        planned = pteedit.pack({"one": [FAMILY / "b_xnn_base.pte"]})
        self.assertEqual([file.how for file in planned.report.files], ["program"])
        self.assertEqual(planned.report.bytes, (FAMILY / "b_xnn_base.pte").stat().st_size)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(planned.save(self.folder / "v1").to_dict(), json.loads((self.folder / "v1" / "manifest.json").read_text()))
        self.assertRaises(FileExistsError, planned.save, self.folder / "v1")

    def test_progress_can_stop(self):
        def stop(done, total):
            raise KeyError("enough")

        planned = pteedit.pack({"one": [FAMILY / "b_xnn_base.pte"]})
        self.assertRaises(KeyError, planned.save, self.folder / "v1", progress=stop)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
