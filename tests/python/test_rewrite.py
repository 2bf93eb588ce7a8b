"""pteedit.rewrite: the same bytes as the tools write, for every operation and file."""

import errno
import hashlib
import json
import pathlib
import shutil
import signal
import tempfile
import unittest

import pteedit
from common import DATA, PROJECT, run_tool
from pteedit import Container, rewrite

PROGRAM = DATA / "f08" / "b_xnn_base.pte"
METHODS = DATA / "f06" / "portable_cm.pte"


def digest(file):
    """Of a path or bytes: what is compared, since bytes would fill the screen."""
    return hashlib.sha256(file if isinstance(file, bytes) else file.read_bytes()).hexdigest()


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def tool(self, name, *arguments):
        done = run_tool(name, *arguments)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.returncode == 0

    def contents(self, name):
        folder = self.folder / name
        return {str(path.relative_to(folder)): digest(path) for path in folder.rglob("*") if path.is_file()}


class EveryFile(WithFolder):
    """The fixtures that the tool takes give the same bytes, those that it refuses are refused."""

    def check(self, plan, tool, *options, kinds):
        tried = 0
        for path in sorted(DATA.rglob("*")):
            if path.suffix not in kinds or path.stat().st_size > 300_000:
                continue
            with self.subTest(path=path.relative_to(DATA)):
                output = self.folder / "tool"
                if self.tool(tool, path, "-o", output, "-f", *options):
                    self.assertEqual(digest(next(iter(plan(path).to_bytes().values()))), digest(output))
                    tried += 1
                else:
                    self.assertRaises(ValueError, plan, path)
        self.assertGreater(tried, 100)

    def test_stripped(self):
        self.check(lambda path: rewrite.strip(path, padding=True, dedupe=True), "ptestrip", "--all",
                   kinds=(".pte", ".ptd", ".bpte"))

    def test_repacked(self):
        self.check(lambda path: rewrite.strip(path, repack=True), "ptestrip", "--debug", "--unreferenced", "--repack",
                   kinds=(".pte", ".ptd", ".bpte"))

    def test_debug_files(self):
        kept = 0
        for name in ("f10_stacktrace.pte", "f10_stacktrace_xnn.pte", "f01_add.pte"):
            planned, small, debug = rewrite.strip(DATA / name, keep_debug=True), self.folder / name, self.folder / f"{name}.debug"
            self.assertEqual(run_tool("ptestrip", DATA / name, "-o", small, "--keep-debug", debug).returncode, 0)
            tools = [path.read_bytes() for path in (small, debug) if path.exists()]
            self.assertEqual(list(planned.to_bytes().values()), tools)
            kept += len(tools) - 1
            paths = [self.folder / f"{name}.{i}" for i in range(len(tools))]
            planned.save(*paths)
            self.assertEqual([path.read_bytes() for path in paths], tools)
            self.assertEqual(planned.report.bytes_after, small.stat().st_size)
        self.assertEqual(kept, 1)
        self.assertRaisesRegex(ValueError, "ask for both", rewrite.strip, PROGRAM, debug=False, keep_debug=True)

    def test_stripped_for_programs(self):
        program = DATA / "f04/linear_partial.pte"
        for data_file in sorted((DATA / "f04").glob("*.ptd")):
            output = self.folder / "for.ptd"
            done = run_tool("ptestrip", data_file, "--for", program, "-o", output, "-f")
            if done.returncode == 0:
                self.assertEqual(rewrite.strip(data_file, programs=[program]).to_bytes()["data.ptd"], output.read_bytes())
            else:
                self.assertRaisesRegex(ValueError, "none of its keys is used", rewrite.strip, data_file, programs=[program])

    def test_copied(self):
        added = DATA / "f02_linear.pte"
        edits = [
            ({"set_metadata": {"a.b": 7}}, ["--set-metadata", "a.b=int:7"]),
            ({"upgrade": True, "set_methods": {"get_fact": [1, 2]}}, ["--upgrade", "--set-method", "get_fact=[1,2]"]),
            ({"add_methods": [(added, "forward", "added")]}, ["--add-methods", f"{added}:forward=added"]),
            ({"splat": 1}, ["--splat", "random:1"]),
        ]
        for options, words in edits:
            self.check(lambda path, options=options: rewrite.copy(path, **options), "ptecopy", *words, kinds=(".pte",))
        self.check(lambda path: rewrite.copy(path, add_data={"a.b": added}, splat="zeros"), "ptecopy", "--add-data",
                   f"a.b={added}", "--splat", "zeros", kinds=(".pte", ".ptd"))

    def test_merged_and_packed(self):
        """Beside a program that shares its weights with few of them."""
        other, tried = DATA / "f08/b_xnn_v0.pte", 0
        for path in sorted(DATA.rglob("*.pte")):
            if path.stat().st_size > 300_000 or path == other:
                continue
            with self.subTest(path=path.relative_to(DATA)):
                merged, packed = self.folder / "merged", self.folder / "packed"
                sets = {"one/a.pte": [path], "two/b.pte": [other]}
                words = [f"one={path}", f"two={other}"]
                if self.tool("ptemerge", *words, "-o", merged, "-f"):
                    self.assertEqual(sorted(map(digest, rewrite.merge(sets).to_bytes().values())),
                                     sorted(self.contents("merged").values()))
                    tried += 1
                if self.tool("ptepack", "create", *words, "-o", packed, "-q"):
                    pteedit.pack({"one": [path], "two": [other]}).save(self.folder / "python")
                    self.assertEqual(self.contents("python"), self.contents("packed"))
                    shutil.rmtree(packed)
                    shutil.rmtree(self.folder / "python")
        self.assertGreater(tried, 100)

    def test_split_and_joined(self):
        tried = 0
        for path in sorted(DATA.rglob("*.pte")):
            outputs = [self.folder / "a.pte", self.folder / "a.ptd"]
            if path.stat().st_size > 300_000 or not self.tool("ptesplit", path, "-o", outputs[0], "-d", outputs[1], "-f"):
                continue
            with self.subTest(path=path.relative_to(DATA)):
                contents = rewrite.split(path).to_bytes()
                self.assertEqual(digest(contents["program.pte"]), digest(outputs[0]))
                if "data.ptd" not in contents:
                    continue
                self.assertEqual(digest(contents["data.ptd"]), digest(outputs[1]))
                self.tool("ptesplit", "--join", outputs[0], "--data", outputs[1], "-o", self.folder / "whole", "-f")
                joined = rewrite.join(contents["program.pte"], [contents["data.ptd"]]).to_bytes()
                self.assertEqual(digest(joined["program.pte"]), digest(self.folder / "whole"))
                tried += 1
        self.assertGreater(tried, 50)


class Operations(WithFolder):
    def test_save_what_the_tools_write(self):
        cases = {
            "split": (["ptesplit", PROGRAM, "--max-size", "20K", "--no-bind"],
                      rewrite.split(PROGRAM, max_size=20 << 10, bind=False)),
            "least": (["ptesplit", PROGRAM, "--min-size", "1000", "--name", "^0", "--method", "forward", "--bind"],
                      rewrite.split(PROGRAM, min_size=1000, name=["^0"], methods=["forward"], bind=True)),
        }
        for name, (words, planned) in cases.items():
            (self.folder / name).mkdir()
            (self.folder / f"{name}_tool").mkdir()
            tool, python = self.folder / f"{name}_tool", self.folder / name
            self.assertTrue(self.tool(*words, "-o", tool / "small.pte", "-d", tool / "weights.ptd"))
            paths = planned.save(python / "small.pte", python / "weights.ptd")
            self.assertEqual(self.contents(name), self.contents(f"{name}_tool"))
            self.assertEqual(sorted(pathlib.Path(path).name for path in paths), sorted(self.contents(name)))
        self.assertIn("weights.index.json", self.contents("split"))

    def test_merge_into_a_folder(self):
        variants = {f"{name}.pte": [DATA / "f08" / f"b_xnn_{name}.pte"] for name in ("v0", "v1", "v2")}
        planned = rewrite.merge(variants, variant_data=True, min_size=256)
        planned.save(self.folder / "python")
        self.assertTrue(self.tool("ptemerge", *(f"{pathlib.Path(name).stem}={files[0]}" for name, files in variants.items()),
                                  "-o", self.folder / "tool", "--variant-data", "ptd", "--min-size", "256"))
        ours, theirs = self.contents("python"), self.contents("tool")
        self.assertEqual(sorted(ours.values()), sorted(theirs.values()))
        programs = {file.name: file.data for file in planned.report.outputs if file.role == "program"}
        self.assertEqual(programs["v0.pte"], ("shared.ptd", "v0.ptd"))

    def test_match_what_other_files_hold(self):
        names, v0 = DATA / "names", DATA / "f08" / "b_xnn_v0.pte"
        base, checkpoint = DATA / "f08" / "b_xnn_base.pte", names / "layers.safetensors"
        cases = [
            ([v0, DATA / "f08" / "b_xnn_v1.pte"], [base]),
            ([v0], [base]),
            ([names / "layers_portable.pte", names / "layers_xnnpack.pte"], [checkpoint]),
            ([names / "layers_portable.pte"], [checkpoint, base]),
        ]
        for i, (programs, match) in enumerate(cases):
            with self.subTest(programs=programs, match=match):
                words = [word for file in match for word in ("--match", file)]
                self.assertTrue(self.tool("ptemerge", *programs, "-o", self.folder / f"tool{i}", *words))
                sets = {path.name: [path] for path in programs}
                rewrite.merge(sets, match=match).save(self.folder / f"python{i}")
                self.assertEqual(self.contents(f"python{i}"), self.contents(f"tool{i}"))
                self.assertIn("shared.ptd", self.contents(f"python{i}"))
                opened = [pteedit.open(file) if file.suffix == ".pte" else file for file in match]
                self.assertEqual(rewrite.merge(sets, match=opened).to_bytes(), rewrite.merge(sets, match=match).to_bytes())
        for option in ("match", "not_match"):
            outputs = [self.folder / "small.pte", self.folder / "small.ptd"]
            words = [f"--{option.replace('_', '-')}", checkpoint]
            self.assertTrue(self.tool("ptesplit", names / "layers_portable.pte", "-o", outputs[0], "-d", outputs[1], "-f", *words))
            planned = rewrite.split(names / "layers_portable.pte", **{option: [checkpoint]})
            tools = {"program.pte": outputs[0].read_bytes(), "data.ptd": outputs[1].read_bytes()}
            self.assertEqual(planned.to_bytes(), tools)
        (self.folder / "cut.safetensors").write_bytes(checkpoint.read_bytes()[:100])
        with self.assertRaisesRegex(pteedit.Error, "header ends at byte 664"):
            rewrite.merge({"v0.pte": [v0]}, match=[self.folder / "cut.safetensors"])

    def test_against_a_base_refer_to_it(self):
        rewrite.split(PROGRAM).save(self.folder / "a.pte", self.folder / "base.ptd")
        planned = rewrite.split(PROGRAM, against=[self.folder / "base.ptd"], new_data=False)
        self.assertEqual([file.name for file in planned.report.outputs], ["program.pte"])
        self.assertEqual(digest(planned.to_bytes()["program.pte"]), digest(self.folder / "a.pte"))

    def test_copy_edits_methods_and_data(self):
        (self.folder / "tokenizer").write_bytes(b"{}")
        planned = rewrite.copy(
            METHODS,
            keep_methods=["decode"],
            rename_methods={"decode": "forward"},
            set_methods={"get_eos": [1, 2], "get_name": "x", "use_kv": True, "scale": 0.25},
            set_metadata={"general.name": "Llama", "context": 8192, "ratio": 0.5, "sizes": [1, 2], "raw": b"\xff"},
            add_data={"tokenizer": self.folder / "tokenizer", "more": b"12"},
        )
        words = ["--keep-method", "decode", "--rename-method", "decode=forward", "--set-method", "get_eos=[1,2]",
                 "--set-method", "get_name=x", "--set-method", "use_kv=true", "--set-method", "scale=0.25",
                 "--set-metadata", "general.name=Llama", "--set-metadata", "context=int:8192", "--set-metadata",
                 "ratio=float:0.5", "--set-metadata", "sizes=ints:1,2"]
        (self.folder / "raw").write_bytes(b"\xff")
        (self.folder / "more").write_bytes(b"12")
        words += ["--set-metadata", f"raw=bytes:@{self.folder / 'raw'}", "--add-data", f"tokenizer={self.folder / 'tokenizer'}",
                  "--add-data", f"more={self.folder / 'more'}"]
        self.assertTrue(self.tool("ptecopy", METHODS, "-o", self.folder / "tool.pte", *words))
        self.assertEqual(digest(planned.to_bytes()["program.pte"]), digest(self.folder / "tool.pte"))
        edited = rewrite.copy(planned.to_bytes()["program.pte"], remove_metadata=["raw"], remove_data=["^mo"],
                              rename_keys={"tokenizer": "tokenizer.json"}, remove_methods=["scale"])
        self.assertEqual([item.name for item in edited.report.items if item.target is None and item.what == "named-data"],
                         ["metadata.raw", "more"])

    def test_copy_edits_weights_and_joins_programs(self):
        linear = DATA / "f02_linear.pte"
        cases = [
            ({"splat": "zeros"}, ["--splat", "zeros"], linear),
            ({"splat": 7}, ["--splat", "random:7"], linear),
            ({"add_methods": [(linear, "forward", "linear")]}, ["--add-methods", f"{linear}:forward=linear"], METHODS),
            ({"upgrade": True}, ["--upgrade"], sorted((DATA / "old").glob("*.pte"))[0]),
        ]
        for options, words, path in cases:
            with self.subTest(words=words):
                self.assertTrue(self.tool("ptecopy", path, "-o", self.folder / "tool.pte", "-f", *words))
                self.assertEqual(digest(rewrite.copy(path, **options).to_bytes()["program.pte"]), digest(self.folder / "tool.pte"))
        self.assertRaisesRegex(ValueError, "not 'ones'", rewrite.copy, linear, splat="ones")

    def test_take_what_is_opened_and_bytes_alike(self):
        expected = rewrite.strip(PROGRAM).to_bytes()
        self.assertEqual(rewrite.strip(PROGRAM.read_bytes()).to_bytes(), expected)
        self.assertEqual(rewrite.strip(Container.open_file(PROGRAM)).to_bytes(), expected)
        self.assertIs(pteedit.strip, rewrite.strip)

    def test_go_on_from_what_is_planned(self):
        edited = rewrite.copy(PROGRAM, set_metadata={"a": 1})
        through_bytes = rewrite.strip(edited.to_bytes()["program.pte"], padding=True)
        self.assertEqual(rewrite.strip(edited.open(), padding=True).to_bytes(), through_bytes.to_bytes())
        program = rewrite.split(PROGRAM).open()
        self.assertTrue(isinstance(program, pteedit.Program) and program.same(PROGRAM) and len(program.data) == 1, program)
        self.assertEqual(rewrite.join(program).open().constants.keys(), pteedit.open(PROGRAM).constants.keys())
        self.assertIsInstance(rewrite.strip(program.data[0]).open(), pteedit.DataFile)
        two = rewrite.merge({"a.pte": [PROGRAM], "b.pte": [METHODS]})
        self.assertRaisesRegex(ValueError, "several programs", two.open)

    def test_report_what_the_tool_does(self):
        planned = rewrite.split(PROGRAM)
        done = run_tool("ptesplit", PROGRAM, "-o", "program.pte", "-d", "data.ptd", "--dry-run", "--json")
        members = json.loads(done.stdout)
        del members["dry_run"]
        del members["outputs"][0]["data"]
        ours = planned.report.to_dict()
        ours["outputs"].sort(key=lambda file: file["file"] != "program.pte")
        self.assertEqual(ours, members)
        self.assertEqual(planned.report.saved_bytes, members["saved_bytes"])
        self.assertEqual(len(planned.report.items), len(members["items"]))
        self.assertIn("program.pte: ", repr(planned))


class Saving(WithFolder):
    def test_replaces_only_when_told(self):
        planned = rewrite.strip(PROGRAM)
        path = self.folder / "a.pte"
        path.write_text("mine")
        self.assertRaisesRegex(FileExistsError, "exists already", planned.save, path)
        self.assertEqual(path.read_text(), "mine")
        self.assertEqual(planned.save(path, replace=True), [str(path)])
        self.assertEqual(digest(path), digest(planned.to_bytes()["program.pte"]))

    def test_never_changes_an_input(self):
        path = self.folder / "a.pte"
        path.write_bytes(PROGRAM.read_bytes())
        self.assertRaisesRegex(ValueError, "inputs are never changed", rewrite.strip(path).save, path, replace=True)

    def test_asks_for_as_many_paths_as_there_are_files(self):
        self.assertRaisesRegex(TypeError, "takes 2 paths, 1 given", rewrite.split(PROGRAM).save, self.folder / "a.pte")
        self.assertRaisesRegex(TypeError, "takes 1 path, 2 given", rewrite.strip(PROGRAM).save, "a", "b")

    def test_tells_the_progress_and_stops_when_that_raises(self):
        seen = []
        planned = rewrite.split(PROGRAM)
        planned.save(self.folder / "a.pte", self.folder / "a.ptd", progress=lambda done, total: seen.append((done, total)))
        self.assertEqual(seen[0][0], 0)
        self.assertEqual(seen[-1][0], seen[-1][1])

        def fail(done, total):
            raise KeyError("enough")

        self.assertRaisesRegex(KeyError, "enough", planned.save, self.folder / "b.pte", self.folder / "b.ptd", progress=fail)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.ptd", "a.pte"])

    def test_leaves_nothing_after_ctrl_c(self):
        # Where tests run in the background, Ctrl-C is ignored.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        planned = rewrite.split(PROGRAM)

        def interrupt(done, total):
            signal.raise_signal(signal.SIGINT)

        self.assertRaises(KeyboardInterrupt, planned.save, self.folder / "b.pte", self.folder / "b.ptd", progress=interrupt)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_tells_what_is_wrong_as_python_does(self):
        missing = self.folder / "none.pte"
        with self.assertRaises(FileNotFoundError) as caught:
            rewrite.strip(missing)
        self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.ENOENT, str(missing)))
        damaged = self.folder / "damaged.pte"
        damaged.write_bytes(PROGRAM.read_bytes()[:-1000])
        with self.assertRaises(pteedit.Error) as caught:
            rewrite.strip(damaged)
        self.assertEqual((caught.exception.code, caught.exception.file), ("malformed", str(damaged)))
        self.assertEqual(caught.exception.finding, "file-cut")
        with self.assertRaises(pteedit.Error) as caught:
            rewrite.copy(METHODS, keep_methods=["x"])
        self.assertEqual((caught.exception.code, caught.exception.finding), ("invalid-argument", None))

    def test_counts_each_input_once_and_none_for_another(self):
        first, second = (DATA / "f08" / f"b_xnn_{name}.pte" for name in ("v0", "v1"))
        both = first.stat().st_size + second.stat().st_size
        planned = rewrite.merge({"a.pte": [first.read_bytes()], "b.pte": [second.read_bytes()]})
        self.assertEqual(planned.report.bytes_before, both)
        linear = DATA / "f02_linear.pte"
        added = rewrite.copy(METHODS, add_methods=[(linear, "forward", "a"), (linear, "forward", "b")])
        self.assertEqual(added.report.bytes_before, METHODS.stat().st_size + linear.stat().st_size)

    def test_refuses_what_the_tools_refuse(self):
        self.assertRaisesRegex(ValueError, "not 'weights'", rewrite.split, PROGRAM, kinds=["weights"])
        self.assertRaisesRegex(ValueError, "each output needs a program", rewrite.merge, {})
        self.assertRaises(ValueError, rewrite.strip, PROJECT / "README.md")


if __name__ == "__main__":
    unittest.main()
