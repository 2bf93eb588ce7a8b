"""Holds pteprof against exports of which it is known what belongs together, and what is equal.

make_branches.py made them; --exports FOLDER takes those that it makes anew, which numbers and names all otherwise.
"""

import json
import math
import pathlib
import unittest

from checks import DATA, given, run


def add_arguments(parser):
    parser.add_argument("--exports", type=pathlib.Path, default=DATA / "branches", help="what make_branches.py wrote")


def answer(*arguments):
    done = run("pteprof", *arguments, text=True)
    return done.returncode, done.stdout, done.stderr


class Exports(unittest.TestCase):
    def refused(self, dump, *files):
        code, out, error = answer(given.exports / dump, *(word if word.startswith("--") else given.exports / word for word in files))
        self.assertEqual((code, out), (3, ""), files)
        return error.split(": ", 3)[-1].strip()

    def test_only_what_belongs_together_is_accepted(self):
        """Each dump with each program and each record."""
        tried = 0
        for dump in sorted(given.exports.glob("*.etdp")):
            owner = dump.stem.removesuffix("_debug")
            for file in sorted([*given.exports.glob("*.pte"), *given.exports.glob("*.etrecord")]):
                options = ["--etrecord", file] if file.suffix == ".etrecord" else [file]
                code, out, error = answer(dump, *options, "--by-type")
                self.assertEqual(code, 0 if file.stem == owner else 3, (dump.name, file.name, error))
                tried += 1
        self.assertGreater(tried, 50)

    def test_programs_that_logged_other_operators_are_refused(self):
        """Of one structure: only what was logged inside delegates tells them apart."""
        for dump in ("xnnpack", "q8"):
            code, out, error = answer(given.exports / (dump + ".etdp"), given.exports / (dump + ".pte"), "--etrecord",
                                      given.exports / (dump + ".etrecord"), "--json", "--by-type")
            self.assertEqual((code, error), (0, ""))
            checked = json.loads(out)[0]["by_type"][0]["checked"]
            self.assertEqual(checked["delegate_rows_in_blobs"], checked["delegate_rows"])
            self.assertEqual((checked["kernels_in_program"], checked["kernels_in_record"]), (2, 2))
        self.assertEqual(self.refused("q8.etdp", "xnnpack.pte"),
                         "is not the program that ran: delegate 'XnnpackBackend_0' has no operator for 'Fully Connected "
                         "(NC, QS8, QC8W) GEMM #1', which was logged")
        self.assertIn("no operator for 'Fully Connected (NC, F32) GEMM #1'", self.refused("xnnpack.etdp", "q8.pte"))

    def test_records_of_other_operators_are_refused(self):
        self.assertEqual(self.refused("argmax.etdp", "--etrecord", "gru.etrecord"),
                         "record is of another program: instruction 0 of block 'Execute' called 'permute_copy', where the "
                         "record has 'full'")
        self.assertEqual(self.refused("q8.etdp", "--etrecord", "xnnpack.etrecord"),
                         "record is of another program: layers of the delegate that instruction 0 of block 'Execute' called "
                         "are quantized, unlike what the record says")
        self.assertIn("are not quantized", self.refused("xnnpack.etdp", "--etrecord", "q8.etrecord"))
        self.assertIn("record is of another program", self.refused("portable.etdp", "--etrecord", "xnnpack.etrecord"))
        self.assertIn("record is of another program", self.refused("argmax.etdp", "--etrecord", "portable.etrecord"))

    def gap(self, run_of, reference_of):
        files = [["%s/%s%s" % (given.exports, name, end) for end in ("_debug.etdp", ".buffer", ".etrecord")]
                 for name in (run_of, reference_of)]
        code, out, error = answer("--json", files[0][0], "--debug-buffer", files[0][1], "--etrecord", files[0][2],
                                 "--gap", ",".join(files[1]))
        self.assertEqual((code, error), (0, ""))
        gap = json.loads(out)[0]["gap"]
        self.assertGreater(len(gap["outputs"]), 0)
        self.assertNotIn(None, [row["gap"] for row in gap["operators"] + gap["outputs"]])
        return gap, [float(row["gap"]["snr"]) for row in gap["operators"] + gap["outputs"]]

    def test_delegates_of_several_outputs_have_no_gap_to_the_same_model(self):
        for names in (("xnnpack", "portable"), ("portable", "xnnpack"), ("xnnpack", "xnnpack"), ("q8", "q8")):
            gap, snr = self.gap(*names)
            self.assertGreater(min(snr), 130, names)
            self.assertGreaterEqual(len(gap["operators"]), 4)
            self.assertEqual(len(gap["outputs"]), 2)
        gap, _ = self.gap("xnnpack", "portable")
        self.assertEqual([(row["events"], row["index"], row["reference_events"]) for row in gap["operators"]],
                         [(["DELEGATE_CALL"], 0, ["native_call_relu.out"]),
                          (["DELEGATE_CALL"], 1, ["native_call_addmm.out"]),
                          (["DELEGATE_CALL"], 2, ["native_call_addmm.out"]),
                          (["native_call_erf.out"], 0, ["native_call_erf.out"]),
                          (["native_call_erf.out"], 0, ["native_call_erf.out"]),
                          (["DELEGATE_CALL"], 0, ["native_call_add.out"])])
        self.assertEqual((gap["unmatched"], gap["untold"]), (0, 0))

    def test_layers_have_no_gap_to_the_same_model(self):
        """A transformer, of whose layers each has a delegate with several outputs."""
        for names in (("layers_xnnpack", "layers"), ("layers", "layers_xnnpack")):
            gap, snr = self.gap(*names)
            self.assertGreater(min(snr), 110, names)
            self.assertGreaterEqual(len(gap["operators"]), 18)
            self.assertEqual(gap["untold"], 0)
        self.assertEqual(set(self.gap("layers_xnnpack", "layers_xnnpack")[1]), {math.inf})

    def test_quantized_numbers_are_not_compared_with_others(self):
        """They are of another scale: what is left are those that were turned back."""
        gap, snr = self.gap("q8", "portable")
        self.assertTrue(all(30 < one < 60 for one in snr), snr)
