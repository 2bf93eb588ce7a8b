"""The command line of the Inspector, and its comparison of outputs, against what the exporter's own printed."""

import contextlib
import gzip
import io
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from common import DATA
from pteedit.inspector import LoggedTensor, compare_results

CASES = DATA / "inspector"
SNR, MSE, COSINE = [20.62, math.inf, -5.06, -3.01], [0.06, 0.0, 0.5, 9.0], [1.0, 1.0, -0.54, 0.0]
LINE = "-" * 20
SAME = f"cosine_similarity\n{LINE}\n0     1.00000\n1     1.00000\n\n\n"
TEXT = f"""snr
{LINE}
0    20.62000
1         inf
2    -5.06000
3    -3.01000


mse
{LINE}
0     0.06000
1     0.00000
2     0.50000
3     9.00000


cosine_similarity
{LINE}
0     1.00000
1     1.00000
2    -0.54000
3     0.00000


"""


def run(*arguments):
    command = [sys.executable, "-m", "pteedit.inspector_cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60)


class CommandLine(unittest.TestCase):
    def test_prints_and_writes_the_same_tables(self):
        for name in ("mlp_portable", "two_delegates", "synth_delegate_str"):
            answers = json.loads(gzip.decompress((CASES / name / "plain.expected.json.gz").read_bytes()))
            with self.subTest(case=name), tempfile.TemporaryDirectory() as folder:
                tsv = pathlib.Path(folder, "a.tsv")
                done = run("--etdump_path", CASES / name / "etdump.etdp", "--tsv_path", tsv)
                self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
                self.assertEqual(done.stdout.decode(), answers["tabular_units1_deleg0"])
                self.assertEqual(tsv.read_bytes().decode(), answers["tsv"])

    def test_joins_records_and_takes_scales(self):
        answers = json.loads(gzip.decompress((CASES / "mlp_portable/etrecord_modules.expected.json.gz").read_bytes()))
        files = ["--etdump_path", CASES / "mlp_portable/etdump.etdp", "--etrecord_path", CASES / "mlp_portable/etrecord.bin"]
        self.assertEqual(run(*files).stdout.decode(), answers["tabular_units1_deleg0"])
        done = run(*files, "--source_time_scale", "us", "--target_time_scale", "s")
        self.assertIn("p10 (s)", done.stdout.decode())

    def test_compares_with_the_outputs_of_the_record(self):
        folder = CASES / "state"
        files = ["--etdump_path", folder / "etdump_debug.etdp", "--etrecord_path", folder / "etrecord.bin"]
        done = run(*files, "--debug_buffer_path", folder / "debug_buffer.bin", "--compare_results")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.decode().endswith(f"mse\n{LINE}\n0     0.00000\n1     0.00000\n\n\n" + SAME))

    def test_failures_are_one_line(self):
        dump = CASES / "mlp_portable/etdump.etdp"
        for arguments, code in (
            (["--etdump_path", "/no such"], 4),
            (["--etdump_path", DATA / "README.md"], 3),
            (["--etdump_path", dump, "--source_time_scale", "cycles"], 2),
        ):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (code, b""))
            self.assertRegex(done.stderr.decode(), r"^inspector_cli: error: [^\n]+\n$")
        self.assertEqual(run("--etdump_path", dump, "--source_time_scale", "h").returncode, 2)
        done = run("--etdump_path", dump, "--compare_results")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(
            done.stderr.decode(),
            "inspector_cli: error: nothing to compare with: there is no record, or it has no reference outputs\n",
        )


def tensor(*values, shape=None):
    return LoggedTensor("float32", shape or (len(values),), struct.pack(f"<{len(values)}f", *values))


class Comparison(unittest.TestCase):
    reference = [tensor(1, 2, 3, -4, shape=(2, 2)), tensor(1, 2, 3), tensor(0.5, 0.25), tensor(3, 0)]
    output = [tensor(1.1, 2, 2.5, -4, shape=(2, 2)), tensor(1, 2, 3), tensor(-0.5, 0.3), tensor(0, 3)]

    def compare(self, *arguments, **options):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            return compare_results(*arguments, **options), out.getvalue()

    def test_numbers_and_text(self):
        results, text = self.compare(self.reference, self.output)
        self.assertEqual(results, {"snr": SNR, "mse": MSE, "cosine_similarity": COSINE})
        self.assertEqual(text, TEXT)

    def test_chosen_metrics(self):
        results, _ = self.compare(self.reference, self.output, metrics=["mse"])
        self.assertEqual(list(results), ["mse"])

    def test_what_is_no_tensor(self):
        results, text = self.compare([1, tensor(1)], [1, tensor(1)], metrics=["mse"])
        self.assertEqual(results["mse"], [None, 0.0])
        self.assertIn("0        None\n", text)

    def test_other_shapes_are_refused(self):
        with self.assertRaisesRegex(ValueError, r"^an output has shape \[2\], its reference \[1, 2\]$"):
            self.compare([tensor(1, 2, shape=(1, 2))], [tensor(1, 2)])

    def test_nothing_is_drawn(self):
        with self.assertRaisesRegex(NotImplementedError, "draws no plots"):
            self.compare([], [], plot=True)

    def test_zeros(self):
        results, _ = self.compare([tensor(0), tensor(0)], [tensor(0), tensor(1)])
        self.assertTrue(math.isnan(results["snr"][0]) and math.isnan(results["cosine_similarity"][0]))
        self.assertEqual(results["snr"][1], -math.inf)


if __name__ == "__main__":
    unittest.main()
