"""Slims every ETRecord of the test data and asks what profiles, listings and counts say with it: nothing may differ.

With --inspector PYTHON also what the exporter's Inspector says: PYTHON is one that can import executorch.devtools.
"""

import json
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

from checks import DATA, given, run

NAMES = "names_of_constants"  # of weights that are gone, by their hashes
SAVED = ("_state_dict", "_constants", "_example_inputs")
DUMP_VIEWS = ([], ["--json"], ["--tsv"], ["--dataframe", "--json"], ["--no-units"],
              ["--json", "--module", "", "--module", "fc1"])
# Folders of records with several methods, which the Inspector cannot open.
SEVERAL_METHODS = ("two_methods",)
# Of records in delegation/, where no program is beside them.
PROGRAMS = {"gpt_portable": "f07/gpt_basic.pte", "gpt_xnnpack": "f07/gpt_xnn.pte", "gpt_xnnpack_q8": "f07/gpt_xnn_q8.pte",
            "gpt_generate_etrecord": "f07/gpt_xnn.pte", "gpt_generate_etrecord_lowered_copy": "f07/gpt_xnn.pte"}
# Prints the answers of the Inspector for a dump and a record.
ASK = """
import contextlib, io, sys
from executorch.devtools import Inspector
with contextlib.redirect_stdout(io.StringIO()):
    inspector = Inspector(etdump_path=sys.argv[1], etrecord=sys.argv[2])
inspector.print_data_tabular(sys.stdout)
inspector.to_dataframe(include_delegate_debug_data=True).to_csv(sys.stdout)
print([inspector.find_total_for_module(name) for name in ("", "fc1", "h.0")])
print([node.format_node() for node in inspector.get_exported_program().graph.nodes])
"""


# Programs that were recorded lowered have modules, and of these may go:
CALL_DELEGATE = b"executorch_call_delegate"
IN_MODULES = ("processed_bytes", "original_state_dict", "original_constants", "named_data_store")


def without_bytes(program):
    """A lowered program, its modules as objects, without what may go."""
    program = json.loads(program)
    for node in program["graph_module"]["graph"]["nodes"]:
        if node["target"].endswith(CALL_DELEGATE.decode()):
            argument = node["inputs"][0]["arg"]
            module = json.loads(argument["as_string"])
            argument["as_string"] = {key: value for key, value in module.items() if key not in IN_MODULES}
    return program


def add_arguments(parser):
    parser.add_argument("--inspector", help="a Python that can import executorch.devtools")


class SlimRecords(unittest.TestCase):
    maxDiff = 500

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def slim(self, record):
        """The slim record, and the report."""
        slim = self.folder / "slim.etrecord"
        done = run("ptestrip", record, "-o", slim, "-f", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return slim, json.loads(done.stdout)

    def records(self, pattern):
        found = sorted(DATA.glob(pattern))
        self.assertTrue(found)
        for record in found:
            with self.subTest(record=str(record.relative_to(DATA))):
                yield record

    def same(self, tool, *arguments, record, slim):
        before = run(tool, *arguments, "--etrecord", record)
        after = run(tool, *arguments, "--etrecord", slim)
        self.assertEqual(before.returncode, 0, before.stderr)
        self.assertEqual((after.returncode, after.stdout == before.stdout), (0, True), after.stderr)

    def test_joins_of_profiles_stay(self):
        for record in self.records("inspector/*/etrecord.bin*"):
            slim, _ = self.slim(record)
            for dump in sorted(record.parent.glob("*.etdp")):
                for view in DUMP_VIEWS:
                    self.same("pteprof", dump, *view, record=record, slim=slim)

    def test_listings_and_counts_stay(self):
        for record in self.records("delegation/*.etrecord"):
            program = DATA / PROGRAMS.get(record.stem, f"delegation/{record.stem}.pte")
            slim, _ = self.slim(record)
            for view in ("--delegation", "--graph"):
                self.same("pteinspect", "--json", view, program, record=record, slim=slim)

    def test_what_is_left_is_what_was_there(self):
        for record in [*self.records("*/*/etrecord.bin*"), *self.records("*/*.etrecord")]:
            slim, report = self.slim(record)
            self.assertEqual(slim.stat().st_size, report["bytes_after"])
            emptied = {item["name"] for item in report["items"]}
            with zipfile.ZipFile(record) as before, zipfile.ZipFile(slim) as after:
                self.assertIsNone(after.testzip())
                names = after.namelist()
                self.assertEqual(before.namelist(), [name for name in names if name != NAMES or name in before.namelist()])
                weights = [name for name in emptied if name.endswith("_state_dict")]
                self.assertTrue(NAMES not in names or weights or NAMES in before.namelist())
                for entry in before.infolist():
                    contents = after.read(entry.filename)
                    saved = entry.filename.endswith(SAVED)
                    if CALL_DELEGATE in contents:
                        self.assertEqual(without_bytes(contents), without_bytes(before.read(entry)))
                        continue
                    self.assertEqual(contents, b"" if saved else before.read(entry), entry.filename)
                    self.assertEqual(entry.filename in emptied, saved and entry.compress_size > 0, entry.filename)

    def test_slim_records_are_clean_and_stay(self):
        for record in self.records("inspector/*/etrecord.bin*"):
            slim, _ = self.slim(record)
            self.assertEqual(run("pteinspect", "--verify", slim).returncode, 0)
            again = self.folder / "again.etrecord"
            self.assertEqual(run("ptestrip", slim, "-o", again, "-f").returncode, 0)
            self.assertEqual(slim.read_bytes(), again.read_bytes())

    def test_records_with_weights_lose_nine_tenths(self):
        """As the exporter writes them: nothing deflated."""
        for record in self.records("inspector/gpt_*/etrecord.bin"):
            stored = self.folder / "stored.etrecord"
            with zipfile.ZipFile(record) as before, zipfile.ZipFile(stored, "w") as after:
                for entry in before.infolist():
                    after.writestr(entry.filename, before.read(entry))
            for whole in (record, stored):
                slim, _ = self.slim(whole)
                self.assertLess(slim.stat().st_size * 10, whole.stat().st_size)

    def test_inspector_answers_the_same(self):
        if given.inspector is None:
            self.skipTest("needs --inspector")
        for record in self.records("inspector/*/etrecord.bin"):
            if record.parent.name in SEVERAL_METHODS:
                continue  # which it cannot open at all
            slim, _ = self.slim(record)
            answers = [subprocess.run([given.inspector, "-c", ASK, record.parent / "etdump.etdp", file], capture_output=True,
                                      check=True).stdout for file in (record, slim)]
            self.assertGreater(len(answers[0]), 1000)
            self.assertEqual(*answers)
