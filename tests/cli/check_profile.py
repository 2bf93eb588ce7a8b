"""Compares pteprof with what the exporter's Inspector answered.

Numbers are compared as doubles, tables byte for byte.
"""

import gzip
import json
import math
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import warnings
import zipfile

import checks

CASES = checks.DATA / "inspector"
BRANCHES = checks.DATA / "branches"
SCALES = {"source_time_scale": "--source-time-scale", "target_time_scale": "--target-time-scale"}
PLAIN = ("name", "perf", "delegate_debug_identifier", "is_delegated_op", "instruction_id", "start_time", "debug_handles",
         "num_outputs", "delegate_backend_name")


def run(*arguments):
    done = checks.run("pteprof", *arguments, text=True)
    return done.returncode, done.stdout, done.stderr


class Case:
    """One call of the Inspector: its answers, and our command line for the same."""

    def __init__(self, path):
        self.answers = json.loads(gzip.decompress(path.read_bytes()))
        self.name = "%s/%s" % (path.parent.name, path.name.split(".")[0])
        call = self.answers["args"]
        self.command = [path.parent / call["etdump_path"]]
        for argument, option in SCALES.items():
            if argument in call:
                self.command += [option, call[argument]]
        self.has_record = "etrecord" in call
        if self.has_record:
            self.command += ["--etrecord", path.parent / call["etrecord"]]
        self.table_command = list(self.command)  # the debug buffer adds a table
        self.has_buffer = "debug_buffer_path" in call
        if self.has_buffer:
            self.command += ["--debug-buffer", path.parent / call["debug_buffer_path"]]

    def json(self, *options):
        code, out, error = run("--json", *self.command, *options)
        assert code == 0, (self.name, error)
        return json.loads(out)[0]

    def texts(self, number):
        """What the answers hold once for all events: {node: text}."""
        texts, maps = self.answers["intern_texts"], self.answers["intern_maps"]
        return {node: None if text is None else texts[text] for node, text in maps[number].items()}


class Profiles(unittest.TestCase):
    maxDiff = 2000

    def each(self, member):
        found = 0
        for path in sorted(CASES.glob("*/*.expected.json.gz")):
            if path.name.startswith("numeric_gap"):
                continue  # of another shape
            case = Case(path)
            if member in case.answers and "parser" not in case.answers["args"]:
                found += 1
                with self.subTest(case=case.name):
                    yield case
        self.assertGreater(found, 0)

    def test_blocks(self):
        for case in self.each("event_blocks"):
            blocks = case.json()["event_blocks"]
            expected = case.answers["event_blocks"]
            for member in ("name", "bundled_input_index", "source_time_scale", "target_time_scale"):
                self.assertEqual([block[member] for block in blocks], [block[member] for block in expected])
            for block, wanted in zip(blocks, expected):
                self.check_values(block["run_output"], wanted["run_output"])
                self.assertEqual(block.get("runs_with_other_output", 0), 0)
                self.assertEqual(len(block["events"]), len(wanted["events"]))
                for event, answer in zip(block["events"], wanted["events"]):
                    self.check_event(case, event, answer)

    def check_event(self, case, event, answer):
        for member in PLAIN:
            self.assertEqual(event[member], answer[member], member)
        self.assertEqual(event["op_types"], answer.get("op_types", []))
        self.check_values(event["debug_data"], answer.get("debug_data", []))
        self.assertEqual(event["stack_traces"], case.texts(answer["stack_traces"]))
        modules = {node: text and json.loads(text) for node, text in case.texts(answer["module_hierarchy"]).items()}
        self.assertEqual(event["module_hierarchy"], modules)

    def check_values(self, values, answers):
        """The answers hold the elements of few tensors, and hashes of all."""
        self.assertEqual(len(values), len(answers))
        for value, answer in zip(values, answers):
            known = {member: value[member] for member in answer} if isinstance(answer, dict) else value
            self.assertEqual(known, answer)

    def test_logged_values_are_found(self):
        """In the data frame as in the blocks."""
        tensors = 0
        for case in self.each("event_blocks"):
            if not case.has_buffer:
                continue
            frame = case.json("--dataframe")["dataframe"]
            place = frame["columns"].index("debug_data")
            in_blocks = [event["debug_data"] for block in case.json()["event_blocks"] for event in block["events"]]
            self.assertEqual([row[place] for row in frame["rows"]], in_blocks)
            tensors += sum(len(data) for data in in_blocks)
        self.assertGreater(tensors, 0)

    def test_nothing_is_known_of_tensors_without_the_buffer(self):
        case = Case(CASES / "mlp_portable/debug_nobuf.expected.json.gz")
        output = case.json()["event_blocks"][1]["run_output"]
        self.assertEqual(output, [{"dtype": "float32", "shape": [2, 4], "sha256": None, "values": None,
                                   "statistics": None}])

    def gaps(self, case, reference, buffer):
        """The gap to a dump of the same folder, joined by debug handles."""
        folder = CASES / case
        other = "%s,%s,%s" % (reference / "etdump_debug.etdp", buffer, reference / "etrecord.bin")
        code, out, error = run("--json", folder / "etdump_debug.etdp", "--debug-buffer",
                               folder / "debug_buffer.bin", "--etrecord", folder / "etrecord.bin", "--gap", other)
        self.assertEqual((code, error), (0, ""))
        gap = json.loads(out)[0]["gap"]
        self.assertEqual((gap["joined_by"], gap["unmatched"]), ("debug_handles", 0))
        return gap

    def test_gaps_are_those_of_the_inspector(self):
        """The Inspector ran the graph for its reference: here its values are put into the reference's debug buffer."""
        compared = 0
        for path in sorted(CASES.glob("*/numeric_gap.expected.json.gz")):
            answers = json.loads(gzip.decompress(path.read_bytes()))
            columns = answers["exported_program:MSE"]["columns"]
            rows = {metric: [dict(zip(columns, row)) for row in answers["exported_program:" + metric]["rows"]]
                    for metric in ("MSE", "L1", "SNR")}
            buffer = (path.parent / "debug_buffer.bin").read_bytes()
            for row in rows["MSE"]:
                ours, theirs = (struct.pack("<%df" % len(row[side]["values"]), *row[side]["values"])
                                for side in ("runtime_intermediate_output", "aot_intermediate_output"))
                self.assertIn(ours, buffer)
                buffer = buffer.replace(ours, theirs)
            with tempfile.NamedTemporaryFile() as patched:
                patched.write(buffer)
                patched.flush()
                gap = self.gaps(path.parent.name, path.parent, patched.name)["operators"]
            self.assertEqual([row["events"] for row in gap], [row["runtime_ops"] for row in rows["MSE"]])
            self.assertEqual([row["debug_handles"] for row in gap], [row["runtime_debug_handle"] for row in rows["MSE"]])
            for row, *wanted in zip(gap, *rows.values()):
                for side, name in (("runtime", "value"), ("aot", "reference")):
                    self.assertEqual(row[name]["sha256"], wanted[0][side + "_intermediate_output"]["sha256"])
                for metric, answer in zip(("mse", "l1", "snr"), wanted):
                    compared += 1
                    self.assertTrue(math.isclose(float(row["gap"][metric]), float(answer["gap"][0]), rel_tol=1e-12),
                                    (row, answer))
        self.assertGreater(compared, 20)

    def test_calls_of_delegates_are_compared_with_the_last_of_their_operators(self):
        portable, xnnpack = CASES / "gap_portable", CASES / "gap_xnnpack"
        gap = self.gaps("gap_xnnpack", portable, portable / "debug_buffer.bin")
        self.assertEqual([(row["debug_handles"], row["reference_events"], row["events"]) for row in gap["operators"]],
                         [([1, 2], ["native_call_relu.out"], ["DELEGATE_CALL"]),
                          ([3], ["native_call_erf.out"], ["native_call_erf.out"]),
                          ([4, 5], ["native_call_relu.out"], ["DELEGATE_CALL"])])
        for row in gap["operators"] + gap["outputs"]:
            self.assertTrue(100 < row["gap"]["snr"] < 200, row)
        self.assertEqual((len(gap["outputs"]), gap["unmatched_reference"]), (1, 2))

    def test_handles_of_other_exports_are_told_by_name(self):
        """A quantized export numbers the same operators otherwise."""
        portable = CASES / "gap_portable"
        gap = self.gaps("gap_q8", portable, portable / "debug_buffer.bin")
        self.assertEqual([(row["debug_handles"], row["reference_events"], row["events"]) for row in gap["operators"]],
                         [([1, 3, 3, 4, 5, 5, 5], ["native_call_relu.out"], ["DELEGATE_CALL"]),
                          ([6], ["native_call_erf.out"], ["native_call_erf.out"]),
                          ([2, 7, 7, 8, 9, 9, 9], ["native_call_relu.out"], ["DELEGATE_CALL"])])
        for row in gap["operators"] + gap["outputs"]:
            self.assertTrue(40 < row["gap"]["snr"] < 50, row)

    def test_methods_have_outputs_and_gaps_of_their_own(self):
        """The exporter's Inspector cannot open records of several methods."""
        folder = CASES / "two_methods_debug"
        code, out, error = run("--json", folder / "etdump_debug.etdp", "--debug-buffer",
                               folder / "debug_buffer.bin", "--etrecord", folder / "etrecord.bin")
        self.assertEqual((code, error), (0, ""))
        blocks = {block["methods"][0]: block for block in json.loads(out)[0]["event_blocks"] if block["methods"]}
        for method, outputs in (("forward", 1), ("decode", 2)):
            self.assertEqual([gap["max_difference"] for gap in blocks[method]["reference_gap"]], [0] * outputs)
        gap = self.gaps("two_methods_debug", folder, folder / "debug_buffer.bin")
        self.assertEqual([(row["method"], row["debug_handles"]) for row in gap["operators"]],
                         [("forward", [1]), ("decode", [1]), ("decode", [2])])

    def test_reference_outputs_are_those_of_the_record(self):
        folder = CASES / "state"
        code, out, error = run("--json", folder / "etdump_debug.etdp", "--etrecord", folder / "etrecord.bin")
        self.assertEqual((code, error), (0, ""))
        for block in json.loads(out)[0]["event_blocks"]:  # of both, as the exporter's Inspector has it
            self.assertEqual([output["values"] for output in block["reference_output"]], [[2, 4, 6, 8], [10]])

    def test_nothing_that_a_record_asks_for_is_called(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "etrecord.bin"
            with zipfile.ZipFile(CASES / "state/etrecord.bin") as old, zipfile.ZipFile(record, "w") as new:
                for name in old.namelist():
                    new.writestr(name, old.read(name))
                evil = (CASES.parent / "torch/evil.pt").read_bytes()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the name is there twice, and the last one counts
                    new.writestr("reference_outputs", evil)
            code, out, error = run(CASES / "state/etdump_debug.etdp", "--etrecord", record)
        self.assertEqual(code, 0)
        self.assertIn("Method::execute", out)
        self.assertRegex(error, r"\Apteprof: warning: .*: expects outputs that are not compared: entry "
                                r"'reference_outputs': pickle asks for 'posix.system' at byte 25, which tensors do not need\n\Z")

    def test_data_frame(self):
        for case in self.each("to_dataframe"):
            answer = case.answers["to_dataframe"]
            frame = case.json("--dataframe")["dataframe"]
            self.assertEqual(frame["columns"], answer.get("columns_all", case.answers["df_units1_deleg0_columns"]))
            if "rows" not in answer:
                continue  # they follow from the blocks
            places = [frame["columns"].index(column) for column in answer["columns"]]
            self.assertEqual([[row[place] for place in places] for row in frame["rows"]], answer["rows"])

    def check_text(self, member, *options):
        for case in self.each(member):
            code, out, error = run(*case.table_command, *options)
            self.assertEqual((code, error), (0, ""))
            wanted = case.answers[member]
            if wanted == "same as deleg0":
                wanted = case.answers[member.replace("deleg1", "deleg0")]
            self.assertEqual(out.rstrip("\n"), wanted.rstrip("\n"))

    def test_table(self):
        self.check_text("tabular_units1_deleg0")

    def test_values_come_behind_the_table(self):
        case = Case(CASES / "mlp_portable/debug_etrecord.expected.json.gz")
        table = case.answers["tabular_units1_deleg0"].rstrip("\n")
        code, out, error = run(*case.command)
        self.assertEqual((code, error, out[:len(table) + 2]), (0, "", table + "\n\n"))

    def test_table_without_units(self):
        self.check_text("tabular_units0_deleg0", "--no-units")

    def test_tsv(self):
        self.check_text("tsv", "--tsv")

    def test_metadata_of_delegates(self):
        self.check_text("tabular_units0_deleg1", "--no-units", "--delegate-debug-data")
        self.check_text("tsv_deleg1", "--tsv", "--delegate-debug-data")

    def test_metadata_that_is_no_text_is_hex(self):
        texts = hexes = 0
        for name in ("synth_delegate_metadata", "synth_delegate_str"):
            dump = CASES / name / "etdump.etdp"
            if not dump.exists():
                continue
            for block in json.loads(run("--json", dump)[1])[0]["event_blocks"]:
                for event in block["events"]:
                    for one in event["raw_delegate_debug_metadatas"]:
                        texts += isinstance(one, str)
                        hexes += isinstance(one, dict) and bool(bytes.fromhex(one["hex"]))
                        self.assertNotIn("\ufffd", str(one))
        self.assertTrue(texts and hexes, (texts, hexes))

    def test_several_dumps_are_one_table(self):
        first, second = CASES / "mlp_portable/etdump.etdp", CASES / "mlp_portable/etdump_debug.etdp"
        other = CASES / "two_delegates/etdump.etdp"
        dumps = [first, second, other]
        code, out, error = run("--json", *dumps)
        self.assertEqual((code, error), (0, ""))
        report = json.loads(out)[0]
        self.assertEqual([one["file"] for one in report["dumps"]], [str(one) for one in dumps])
        wanted = {}  # medians of each dump alone, by name and instruction
        for i, dump in enumerate(dumps):
            for block in json.loads(run("--json", dump)[1])[0]["event_blocks"]:
                for event in block["events"]:
                    wanted[i, block["name"], event["name"], event["instruction_id"]] = event["perf"]["p50"]
        found = 0
        for block in report["across_dumps"]:
            for row in block["operators"]:
                for i, times in enumerate(row["dumps"]):
                    key = i, block["name"].split()[0], row["name"], row["instruction"]
                    if times and key in wanted:
                        found += 1
                        self.assertEqual(times["p50"], wanted[key])
        self.assertGreater(found, 15)
        lines = run("--csv", "--by-type", *dumps)[1].splitlines()
        self.assertTrue(all(line.rsplit(",", 1)[1] == str(dumps[i % 3]) for i, line in enumerate(lines[1:])), lines)
        for option in ("--table", "--folded", "--by-module"):
            self.assertEqual(run(*dumps, option)[0], 2)

    def test_programs_come_behind_several_dumps(self):
        dump, program = CASES / "two_methods/etdump.etdp", checks.DATA / "delegation/two_methods.pte"
        code, out, error = run("--json", dump, dump, program)
        self.assertEqual((code, error), (0, ""))
        self.assertIn(["decode"], [block["methods"] for block in json.loads(out)[0]["across_dumps"]])
        self.assertEqual(run(dump, CASES / "mlp_portable/etdump.etdp", program)[0], 3)  # which it cannot have logged

    def test_module_totals(self):
        for case in self.each("find_total_for_module"):
            if not case.has_record:
                continue
            wanted = {name: total for name, total in case.answers["find_total_for_module"].items() if name}
            options = [word for name in wanted for word in ("--module", name)]
            self.assertEqual(case.json(*options)["module_totals"], wanted)

    def test_module_paths_are_exact(self):
        case = Case(CASES / "mlp_portable/etrecord_modules.expected.json.gz")
        totals = case.json("--module-path", "fc1", "--module-path", "fc2")["module_path_totals"]
        self.assertGreater(totals["fc1"], 0)
        by_key = case.answers["find_total_for_module"]  # torch's keys, which are numbers
        self.assertIn(totals["fc1"], by_key.values())
        self.assertIn(totals["fc2"], by_key.values())
        code, out, error = run(*case.command, "--module-path", "fc")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("no module is called 'fc', did you mean 'fc1' or 'fc2'?", error)
        folder = CASES / "gpt_portable"  # whose list of modules has no level of its own
        self.assertEqual(run(folder / "etdump.etdp", "--etrecord", folder / "etrecord.bin", "--module-path", "blocks")[0], 0)

    def test_records_are_read_stored_and_deflated(self):
        folder = CASES / "mlp_portable"
        outs = {run("--json", folder / "etdump.etdp", "--etrecord", folder / name)[1]
                for name in ("etrecord.bin", "etrecord.bin.stored")}
        self.assertEqual(len(outs), 1)

    def test_allocations_are_listed(self):
        code, out, _ = run("--json", CASES / "synth_allocation/etdump.etdp")
        self.assertEqual(code, 0)
        allocations = [one for block in json.loads(out)[0]["event_blocks"] for one in block["allocations"]]
        self.assertTrue(allocations)

    def test_wrong_input_is_one_line(self):
        dump, record = CASES / "mlp_portable/etdump.etdp", CASES / "two_methods/etrecord.bin"
        for options, code in (([record], 3), ([dump, "--etrecord", dump], 3),
                              ([dump, "--target-time-scale", "cycles"], 2), (["--tsv"], 2),
                              ([dump, "--tensors"], 2), (["no such file"], 4)):
            got, out, error = run(*options)
            self.assertEqual((got, out, error.count("\n") <= 2), (code, "", True), error)

    def test_the_gate_fails_where_a_verdict_does(self):
        """Of another model, so that the whole run is slower beyond doubt; the same way back it is faster."""
        large, small = (CASES / name / "etdump.etdp" for name in ("gpt_xnnpack", "two_delegates"))
        code, out, error = run(large, "--baseline", small, "--max-slowdown", "5%")
        self.assertEqual((code, error), (1, ""))
        self.assertRegex(out, r"Execute is slower by [0-9.]+ %, at most 5 % allowed\n\Z")
        code, out, _ = run(large, "--baseline", small, "--max-slowdown", "5%", "--by-type", "--json")
        baseline = json.loads(out)[0]["baseline"]
        self.assertEqual((code, baseline["is_too_slow"], baseline["blocks"][1]["whole"]["verdict"]), (1, True, "slower"))
        self.assertIn("erf.out", [event["name"] for event in baseline["by_type"][0]["events"]])
        self.assertEqual(run(small, "--baseline", large, "--max-slowdown", "5%")[0], 0)
        code, _, error = run(large, "--baseline", small, "--max-slowdown", "5%", "--skip", "2")  # leaves three of five
        self.assertEqual((code, error.count("too few runs")), (0, 1))

    def test_a_terminal_shows_types(self):
        """And a pipe the Inspector's table, see above."""
        dump = CASES / "mlp_portable/etdump.etdp"
        tool = checks.given.tools / "pteprof"
        for options, first in (((), "Execute: medians of 5 runs; cold at the start (more than twice the median): 1, left out with "
                                    "--skip 1"), (("--table",), "\u2552"), (("--tsv",), "\tevent_block_name")):
            shown = subprocess.run(["script", "-qec", " ".join(map(str, (tool, dump, *options))), "/dev/null"],
                                   stdout=subprocess.PIPE, check=True).stdout.decode()
            self.assertTrue(shown.startswith(first), shown[:200])

    def test_tables_with_a_record_fit_a_terminal(self):
        """And names can be read: columns that matter less are left out first."""
        files = [BRANCHES / ("xnnpack" + end) for end in (".etdp", ".pte")] + ["--etrecord", BRANCHES / "xnnpack.etrecord"]
        command = " ".join(map(str, (checks.given.tools / "pteprof", "--by-operator", "--skip", "1", *files)))
        for width, has_means, has_percentiles in ((80, False, False), (120, True, False), (140, True, True)):
            shown = subprocess.run(["script", "-qec", "stty cols %d; %s" % (width, command), "/dev/null"],
                                   stdout=subprocess.PIPE, check=True).stdout.decode()
            shown = re.sub(r"\x1b\[\d*m", "", shown).splitlines()
            self.assertLessEqual(max(map(len, shown)), width)
            rows = next(number for number, line in enumerate(shown) if "DELEGATE_CALL" in line)
            titles = " ".join(shown[1:rows]).split()  # a word of a title below the other, where there is no room beside it
            self.assertEqual([name in titles for name in ("Mean", "p90")], [has_means, has_percentiles])
            self.assertLessEqual(set("Time (ms) Share At Node Name Module Source Bytes".split()), set(titles))
            self.assertRegex(shown[rows + 1], r"- Fully ?.*GEMM #1 +.* a  +make_bra")

    def test_what_cannot_be_checked_is_said(self):
        """Here of rows whose blobs are damaged, and of kernels whose operators the record has no more."""
        names = [BRANCHES / ("xnnpack" + end) for end in (".etdp", ".pte", ".etrecord")]
        data = names[1].read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            damaged = pathlib.Path(folder) / "damaged.pte"
            damaged.write_bytes(data.replace(b"XH00", b"XX00"))
            code, out, error = run(names[0], damaged, "--by-type")
            self.assertEqual((code, error), (0, ""))
            self.assertIn("; 5 of 5 rows of delegates are in no blob\n", out)
            empty = pathlib.Path(folder) / "empty.etrecord"
            with zipfile.ZipFile(names[2]) as old, zipfile.ZipFile(empty, "w") as new:
                for entry in old.namelist():
                    new.writestr(entry, old.read(entry).replace(b"debug_handle", b"no_handle")
                                 if entry.startswith("edge_dialect") else old.read(entry))
            code, out, error = run(names[0], "--etrecord", empty, "--by-type")
            self.assertEqual((code, error), (0, ""))
            self.assertIn("; 2 of 2 kernels are in no record\n", out)
        self.assertNotIn("in no", run(names[0], names[1], "--etrecord", names[2], "--by-type")[1])
