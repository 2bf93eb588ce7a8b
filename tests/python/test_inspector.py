"""The Inspector: every answer that the exporter's own gave for recorded dumps, and what it says of wrong input."""

import contextlib
import gzip
import hashlib
import importlib.util
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings
import zipfile
from unittest import mock

from common import DATA, run_tool
from pteedit import Event, EventBlock, Inspector, PerfData, TimeScale
from pteedit._tensors import make_tensor

CASES = DATA / "inspector"
HAS_PANDAS = importlib.util.find_spec("pandas") is not None
MISSING = "Output Buffer not found. Tensor Debug Data will not be available."
SCALES = ("source_time_scale", "target_time_scale")
MEMBERS = ("name", "delegate_debug_identifier", "debug_handles", "num_outputs", "is_delegated_op", "delegate_backend_name")


def parse(metadata):
    """The parser that the case `parsed` was recorded with."""
    return {"n": len(metadata), "first": (metadata or ["-"])[0], "f": 0.5, **({"k": 7} if metadata else {})}


class Case:
    """One recorded call of the exporter's Inspector: its answers, and our Inspector for the same."""

    def __init__(self, path):
        self.answers = json.loads(gzip.decompress(path.read_bytes()))
        self.name = "/".join((path.parent.name, path.name.split(".")[0]))
        call = dict(self.answers["args"])
        for argument in ("etdump_path", "etrecord", "debug_buffer_path"):
            if argument in call:
                call[argument] = str(path.parent / call[argument])
        for argument in SCALES:
            if argument in call:
                call[argument] = TimeScale(call[argument])
        if call.pop("parser", None):
            call["delegate_metadata_parser"] = parse
        if call.pop("converter", None):
            call["delegate_time_scale_converter"] = lambda name, time: time * len(name)
        self.call = call

    def inspector(self):
        return Inspector(**self.call)

    def answer(self, member):
        answer = self.answers[member]
        return self.answers[member.replace("deleg1", "deleg0")] if answer == "same as deleg0" else answer

    def texts(self, number):
        """What the answers hold once for all events: {node: text}."""
        texts, maps = self.answers["intern_texts"], self.answers["intern_maps"]
        return {node: None if text is None else texts[text] for node, text in maps[number].items()}


def table_of(inspector, *options):
    out = io.StringIO()
    inspector.print_data_tabular(out, *options)
    return out.getvalue()


def plain(value):
    """What JSON makes of it."""
    return None if isinstance(value, float) and math.isnan(value) else json.loads(json.dumps(value))


class RecordedAnswers(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        warnings.simplefilter("ignore")

    def each(self, member):
        paths = sorted(CASES.glob("*/*.expected.json.gz"))
        paths = [path for path in paths if not path.name.startswith("numeric_gap")]  # which executes graphs
        cases = [case for case in map(Case, paths) if member in case.answers]
        self.assertGreater(len(cases), 0)
        yield from cases

    def check_values(self, values, answers):
        self.assertEqual(len(values), len(answers))
        for value, answer in zip(values, answers):
            if not isinstance(answer, dict):
                self.assertEqual(value, answer)
                continue
            self.assertEqual((str(value.dtype), list(value.shape)), (answer["dtype"], answer["shape"]))
            stored = bytes(memoryview(getattr(value, "data", value)))
            self.assertEqual(hashlib.sha256(stored).hexdigest(), answer["sha256"])
            elements = value.tolist() if "values" in answer else []
            for _ in answer["shape"][1:]:
                elements = [element for row in elements for element in row]
            self.assertEqual(elements, answer.get("values", elements))

    def check_logged(self):
        for case in self.each("event_blocks"):
            with self.subTest(case=case.name):
                for block, answer in zip(case.inspector().event_blocks, case.answers["event_blocks"]):
                    self.check_values(block.run_output, answer["run_output"])
                    for event, wanted in zip(block.events, answer["events"]):
                        self.check_values(event.debug_data, wanted.get("debug_data", []))

    @unittest.skipUnless(HAS_PANDAS, "numpy, which pandas brings, is not installed")
    def test_logged_values(self):
        with mock.patch.dict(sys.modules, {"torch": None}):  # whose tensors test_inspector_genuine.py compares
            self.check_logged()

    def test_logged_values_without_numpy(self):
        with mock.patch.dict(sys.modules, {"numpy": None, "torch": None}):
            self.check_logged()

    def test_blocks(self):
        for case in self.each("event_blocks"):
            with self.subTest(case=case.name):
                blocks, expected = case.inspector().event_blocks, case.answers["event_blocks"]
                self.assertEqual(len(blocks), len(expected))
                for block, wanted in zip(blocks, expected):
                    self.assertEqual((block.name, block.bundled_input_index), (wanted["name"], wanted["bundled_input_index"]))
                    self.assertEqual([getattr(block, scale).value for scale in SCALES], [wanted[scale] for scale in SCALES])
                    self.assertEqual(len(block.events), len(wanted["events"]))
                    for event, answer in zip(block.events, wanted["events"]):
                        self.check_event(case, event, answer)

    def check_event(self, case, event, answer):
        for member in MEMBERS:
            self.assertEqual(getattr(event, member), answer[member], member)
        self.assertEqual((event._instruction_id, event.start_time or []), (answer["instruction_id"], answer["start_time"] or []))
        self.assertEqual(event.op_types, answer.get("op_types", []))
        self.assertEqual(event.stack_traces, case.texts(answer["stack_traces"]))
        modules = {node: text and json.loads(text) for node, text in case.texts(answer["module_hierarchy"]).items()}
        self.assertEqual(plain(event.module_hierarchy), modules)
        self.assertEqual(event.perf_data is None, answer["perf"] is None)
        for member, value in (answer["perf"] or {}).items():
            self.assertEqual(getattr(event.perf_data, member), value, member)

    def test_tables_are_equal_to_the_byte(self):
        for units in (1, 0):
            for delegates in (0, 1):
                member = f"tabular_units{units}_deleg{delegates}"
                for case in self.each(member):
                    with self.subTest(case=case.name, member=member):
                        self.assertEqual(table_of(case.inspector(), bool(units), bool(delegates)), case.answer(member))

    def test_separated_by_tabs(self):
        for member in ("tsv", "tsv_deleg1"):
            for case in self.each(member):
                with self.subTest(case=case.name, member=member):
                    out = io.StringIO()
                    case.inspector().save_data_to_tsv(out, True, member == "tsv_deleg1")
                    self.assertEqual(out.getvalue(), case.answers[member])

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_data_frames(self):
        for case in self.each("to_dataframe"):
            with self.subTest(case=case.name):
                answer, frame = case.answers["to_dataframe"], case.inspector().to_dataframe()
                self.assertEqual(list(frame.columns), answer.get("columns_all", case.answers["df_units1_deleg0_columns"]))
                for place, row in enumerate(answer.get("rows", [])):
                    found = [plain(frame[column].tolist()[place]) for column in answer["columns"]]
                    self.assertEqual(found, row)

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_columns_of_data_frames(self):
        for units in (1, 0):
            for delegates in (0, 1):
                member = f"df_units{units}_deleg{delegates}_columns"
                for case in self.each(member):
                    with self.subTest(case=case.name, member=member):
                        frame = case.inspector().to_dataframe(bool(units), bool(delegates))
                        self.assertEqual(list(frame.columns), case.answers[member])

    def test_totals_of_modules(self):
        for case in self.each("find_total_for_module"):
            with self.subTest(case=case.name):
                inspector = case.inspector()
                totals = case.answers["find_total_for_module"]
                self.assertEqual({name: inspector.find_total_for_module(name) for name in totals}, totals)

    def test_dumps_without_events_have_no_table(self):
        inspector = Case(CASES / "synth_no_events/plain.expected.json.gz").inspector()
        self.assertEqual(inspector.event_blocks[0].events, [])
        for call in (inspector.to_dataframe, inspector.print_data_tabular):
            with self.assertRaisesRegex(ValueError, "^No objects to concatenate$"):
                call()

    def test_times_through_a_converter(self):
        case = Case(CASES / "synth_delegate_metadata/parsed.expected.json.gz")
        (block,) = case.inspector().event_blocks
        self.assertEqual([event.perf_data.raw for event in block.events], case.answers["raw"])

    def test_metadata_of_delegates(self):
        path = CASES / "synth_delegate_metadata/etdump.etdp"
        first, second, third = Inspector(etdump_path=path).event_blocks[0].events[:3]
        self.assertEqual(first.raw_delegate_debug_metadatas, [b"abc0", "", b"abc2"])
        self.assertEqual(second.delegate_debug_metadatas, [b"x\x01y"] * 3)
        self.assertEqual(third.raw_delegate_debug_metadatas, [])
        parsed = Inspector(etdump_path=path, delegate_metadata_parser=parse).event_blocks[0].events
        self.assertEqual(parsed[0].delegate_debug_metadatas, {"n": 3, "first": b"abc0", "f": 0.5, "k": 7})
        self.assertEqual(parsed[3].delegate_debug_metadatas, [])  # not of a delegate: the parser is not asked


class Inputs(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        self.folder = CASES / "mlp_portable"
        self.dump, self.record = self.folder / "etdump.etdp", self.folder / "etrecord.bin"
        self.expected = table_of(Inspector(etdump_path=self.dump, etrecord=self.record))

    def test_bytes_and_text_paths(self):
        self.assertEqual(table_of(Inspector(etdump_data=self.dump.read_bytes(), etrecord=str(self.record))), self.expected)

    def test_a_record_that_saves_itself(self):
        class Record:
            def save(_, path):
                pathlib.Path(path).write_bytes(self.record.read_bytes())

        self.assertEqual(table_of(Inspector(str(self.dump), etrecord=Record())), self.expected)

    def test_scales_of_the_exporter(self):
        class Scale:
            value = "us"

        got = Inspector(etdump_path=self.dump, source_time_scale=Scale())
        wanted = Inspector(etdump_path=self.dump, source_time_scale=TimeScale.US)
        self.assertEqual(table_of(got), table_of(wanted))

    def test_records_of_several_methods(self):
        folder = CASES / "two_methods"
        inspector = Inspector(etdump_path=folder / "etdump.etdp", etrecord=folder / "etrecord.bin")
        self.assertGreater(inspector.find_total_for_module(""), 0)

    def test_allocations_are_passed_over(self):
        Inspector(etdump_path=CASES / "synth_allocation/etdump.etdp")

    def test_no_debug_buffer(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Inspector(etdump_path=self.dump)
            self.assertEqual(caught, [])  # where there are no tensors
            block = Inspector(etdump_path=self.folder / "etdump_debug.etdp").event_blocks[1]
        self.assertEqual([str(one.message) for one in caught], [MISSING])
        self.assertEqual(caught[0].filename, __file__)
        self.assertEqual(set(block.events[0].debug_data[0].reshape(-1).tolist()), {0.0})

    def test_runs_that_logged_different_values(self):
        folder = CASES / "state"
        with self.assertWarnsRegex(RuntimeWarning, "^in block 'Execute' runs logged different values, .*run_output$"):
            Inspector(etdump_path=folder / "etdump_debug.etdp", debug_buffer_path=folder / "debug_buffer.bin")

    def test_outputs_that_the_record_expects(self):
        folder = CASES / "state"
        for block in Inspector(folder / "etdump_debug.etdp", etrecord=folder / "etrecord.bin").event_blocks:
            self.assertEqual([value.tolist() for value in block.reference_output], [[2.0, 4.0, 6.0, 8.0], 10.0])
        without = Inspector(self.dump, etrecord=self.record).event_blocks
        self.assertEqual([block.reference_output for block in without], [None, None])

    def test_outputs_that_cannot_be_read_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "model.etrecord")
            with zipfile.ZipFile(CASES / "state/etrecord.bin") as old, zipfile.ZipFile(record, "w") as new:
                for name in old.namelist():
                    new.writestr(name, (DATA / "torch/evil.pt").read_bytes() if name == "reference_outputs" else old.read(name))
            with self.assertWarnsRegex(RuntimeWarning, "left out: entry 'reference_outputs': pickle asks for 'posix.system'"):
                inspector = Inspector(CASES / "state/etdump_debug.etdp", etrecord=record)
        self.assertEqual({block.reference_output for block in inspector.event_blocks}, {None})

    def test_operators_are_those_of_the_named_graph(self):
        folder = CASES / "mlp_portable"
        call = {"etdump_path": folder / "etdump.etdp", "etrecord": folder / "etrecord.bin"}
        types = [event.op_types for event in Inspector(**call).event_blocks[-1].events]
        same = Inspector(**call, reference_graph_name="edge_dialect_exported_program")
        self.assertEqual([event.op_types for event in same.event_blocks[-1].events], types)
        with tempfile.TemporaryDirectory() as name:
            call["etrecord"] = os.path.join(name, "model.etrecord")
            with zipfile.ZipFile(folder / "etrecord.bin") as old, zipfile.ZipFile(call["etrecord"], "w") as new:
                for entry in old.namelist():
                    new.writestr(entry, old.read(entry))
                graph = old.read("edge_dialect_exported_program/forward")
                new.writestr("edge_after_transform/forward", graph.replace(b"edge.ops.aten.addmm.default", b"edge.ops.my.other.default"))
            other = Inspector(**call, reference_graph_name="edge_after_transform/forward")
            shown = [event.op_types for event in other.event_blocks[-1].events]
            self.assertEqual(shown, [["my.other.default" if one == "aten.addmm.default" else one for one in list] for list in types])
            self.assertNotEqual(shown, types)
            with self.assertRaisesRegex(ValueError, "record has no graph 'edge_after', but: "):
                Inspector(**call, reference_graph_name="edge_after")

    def test_standard_output_is_the_default(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            Inspector(etdump_path=self.dump, etrecord=self.record).print_data_tabular()
        self.assertEqual(out.getvalue(), self.expected)

    def test_tables_into_files(self):
        inspector = Inspector(etdump_path=self.dump)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.tsv")
            inspector.save_data_to_tsv(path)
            out = io.StringIO()
            inspector.save_data_to_tsv(out)
            self.assertEqual(pathlib.Path(path).read_text("utf-8"), out.getvalue())

    def test_agrees_with_the_tool(self):
        told = run_tool("pteprof", self.dump, "--etrecord", self.record).stdout.decode()
        self.assertEqual(told, self.expected)

    def test_neither_pandas_nor_numpy_nor_torch_is_imported(self):
        code = (
            "import sys, pteedit\n"
            f"pteedit.Inspector(etdump_path={str(self.dump)!r}).print_data_tabular(open('/dev/null', 'w'))\n"
            "sys.exit(any(name in sys.modules for name in ('pandas', 'numpy', 'torch', 'tabulate')))\n"
        )
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


class VgfStatistics(unittest.TestCase):
    def record(self, **changes):
        blob = {"available": True, "encoding": "base64", "data": "AQID"}
        segment = {"segment_id": 0, "debug_database": blob, "statistics_info": {"available": False}}
        record = {"schema": "executorch.vgf.neural_statistics", "schema_version": 1, "segments": [segment]}
        return json.dumps({**record, **changes}).encode()

    def inspector(self, *metadata):
        inspector = Inspector(CASES / "mlp_portable/etdump.etdp")
        event = Event(name="delegate_execute", _delegate_debug_metadatas=list(metadata), is_delegated_op=True)
        inspector.event_blocks = [EventBlock(name="forward", events=[event])]
        return inspector

    def test_records_have_the_bytes_of_their_blobs(self):
        records = self.inspector("", b"not json", b'{"schema": "other"}', self.record()).get_vgf_neural_statistics()
        self.assertEqual(len(records), 1)
        segment = records[0]["segments"][0]
        self.assertEqual(segment["debug_database"]["raw_data"], b"\1\2\3")
        self.assertEqual(segment["statistics_info"]["raw_data"], b"")
        self.assertEqual(Inspector(CASES / "mlp_portable/etdump.etdp").get_vgf_neural_statistics(), [])

    def test_damaged_records_are_errors(self):
        for metadata, message in (
            (self.record()[:-1], "Malformed VGF"),
            (self.record(schema_version=2), "schema version: 2"),
            (self.record().replace(b"AQID", b"!"), "Malformed base64"),
            (self.record().replace(b"base64", b"hex"), "blob encoding: hex"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                self.inspector(metadata).get_vgf_neural_statistics()


class Programs(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        hidden = mock.patch.dict(sys.modules, {"executorch": None, "executorch.devtools.etrecord": None})
        hidden.start()
        self.addCleanup(hidden.stop)

    def open(self, name):
        return Inspector(etdump_path=CASES / name / "etdump.etdp", etrecord=str(CASES / name / "etrecord.bin"))

    def test_is_a_listing_without_the_exporter(self):
        program = self.open("mlp_portable").get_exported_program()
        told = run_tool("pteprof", "--exported-program", CASES / "mlp_portable/etrecord.bin").stdout.decode()
        self.assertTrue(program.startswith("ExportedProgram:\n"))
        self.assertEqual(program, told)

    def test_other_graphs_by_name(self):
        self.assertIn("torch.ops.aten.linear.default", self.open("mlp_portable").get_exported_program("exported_program"))
        several = self.open("two_methods").get_exported_program()
        self.assertIn("\nedge_dialect_exported_program/forward:\nExportedProgram:\n", several)
        with self.assertRaisesRegex(ValueError, "record has no graph 'other', but: 'exported_program', "):
            self.open("mlp_portable").get_exported_program("other")

    def test_of_a_record_that_saves_itself(self):
        class Record:
            def save(self, path):
                pathlib.Path(path).write_bytes((CASES / "mlp_portable/etrecord.bin").read_bytes())

        inspector = Inspector(etdump_path=CASES / "mlp_portable/etdump.etdp", etrecord=Record())
        self.assertTrue(inspector.get_exported_program().startswith("ExportedProgram:\n"))

    def test_of_a_record_that_has_it(self):
        class Record:
            edge_dialect_program, graph_map = "edge", {"a/forward": "a"}

            def save(self, path):
                pathlib.Path(path).write_bytes((CASES / "mlp_portable/etrecord.bin").read_bytes())

        inspector = Inspector(etdump_path=CASES / "mlp_portable/etdump.etdp", etrecord=Record())
        self.assertEqual([inspector.get_exported_program(graph) for graph in (None, "a/forward", "b")], ["edge", "a", None])


class Errors(unittest.TestCase):
    dump = CASES / "mlp_portable/etdump.etdp"

    def assert_fails(self, error, message, **arguments):
        with self.assertRaises(error) as caught:
            Inspector(**arguments)
        self.assertIn(message, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_one_scale_of_cycles(self):
        message = "For TimeScale in cycles both the source and target time scale have to be in cycles."
        self.assert_fails(RuntimeError, message, etdump_path=self.dump, source_time_scale=TimeScale.CYCLES)

    def test_no_dump_and_two(self):
        message = "Expecting exactly one of etdump_path or etdump_data to be specified."
        self.assert_fails(ValueError, message)
        self.assert_fails(ValueError, message, etdump_path=self.dump, etdump_data=b"")

    def test_files_that_are_not_there(self):
        self.assert_fails(FileNotFoundError, "/no such", etdump_path="/no such")
        self.assert_fails(FileNotFoundError, "/no such", etdump_path=self.dump, etrecord="/no such")
        self.assert_fails(FileNotFoundError, "/no such", etdump_path=self.dump, debug_buffer_path="/no such")

    def test_a_debug_buffer_that_is_too_small(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "short.bin")
            pathlib.Path(path).write_bytes(bytes(64))
            dump = CASES / "mlp_portable/etdump_debug.etdp"
            self.assert_fails(ValueError, "short.bin: ", etdump_path=dump, debug_buffer_path=path)

    def test_what_is_no_dump(self):
        self.assert_fails(ValueError, "<etdump_data>: ", etdump_data=b"garbage")
        self.assert_fails(ValueError, "README.md: ", etdump_path=DATA / "README.md")
        self.assert_fails(ValueError, "etdump_data", etdump_data=self.dump.read_bytes()[:1000])

    def test_what_is_no_record(self):
        self.assert_fails(TypeError, "Unsupported ETRecord type", etdump_path=self.dump, etrecord=3)
        self.assert_fails(ValueError, "etdump.etdp: not an ETRecord", etdump_path=self.dump, etrecord=self.dump)

    def test_a_record_of_another_program(self):
        self.assert_fails(
            ValueError,
            "gpt_portable/etrecord.bin: record is of another program",
            etdump_path=CASES / "mlp_xnnpack/etdump.etdp",
            etrecord=CASES / "gpt_portable/etrecord.bin",
        )

    def test_times_that_go_backwards(self):
        path = CASES / "synth_delegate_metadata/etdump.etdp"
        self.assert_fails(
            ValueError,
            "Expected start_time (4294967296) and end_time (0) to be less than 4294967295",
            etdump_path=path,
            delegate_time_scale_converter=lambda name, time: 2**32 if time % 20 == 0 else 0,
        )

    def test_executing_graphs_takes_torch(self):
        with self.assertRaisesRegex(NotImplementedError, "takes torch"):
            Inspector(etdump_path=self.dump).calculate_numeric_gap("MSE")

    def test_programs_without_a_record(self):
        with self.assertLogs("pteedit.inspector", "WARNING"):
            self.assertIsNone(Inspector(etdump_path=self.dump).get_exported_program())


class Classes(unittest.TestCase):
    def test_tensors_without_numpy_and_torch(self):
        with mock.patch.dict(sys.modules, {"numpy": None, "torch": None}):
            tensor = make_tensor("float16", [2, 3], bytearray(bytes.fromhex("003c 0040 00c0 0000 0078 0100")))
            scalar = make_tensor("int64", [], bytearray(b"\xff" * 8))
            empty = make_tensor("bool", [2, 0], bytearray())
        self.assertEqual(tensor.tolist(), [[1.0, 2.0, -2.0], [0.0, 32768.0, 2.0**-24]])
        self.assertEqual((tensor.dtype, tensor.shape, bytes(memoryview(tensor.data)[:2])), ("float16", (2, 3), b"\0<"))
        self.assertEqual((scalar.tolist(), empty.tolist()), (-1, [[], []]))

    @unittest.skipUnless(HAS_PANDAS, "numpy, which pandas brings, is not installed")
    def test_tensors_with_numpy(self):
        with mock.patch.dict(sys.modules, {"torch": None}):
            tensor = make_tensor("bits16", [2, 1], bytearray(b"\1\0\2\0"))
        self.assertEqual((str(tensor.dtype), tensor.tolist()), ("uint16", [[1], [2]]))

    def test_statistics(self):
        perf = PerfData([3, 1, 2])
        self.assertEqual((perf.raw, perf.min, perf.max), ([3, 1, 2], 1, 3))
        self.assertEqual((perf.p10, perf.p50, perf.p90, perf.avg), (1.2, 2.0, 2.8, 2.0))
        with self.assertRaises(ValueError):
            PerfData([]).avg

    def test_events_of_ones_own(self):
        block = EventBlock("b", [Event("a", PerfData([1.0]), op_types=["x"] * 5), Event("OPERATOR_CALL")])
        self.assertEqual(block.events[0].asdict(" (ms)")["avg (ms)"], 1.0)
        self.assertEqual(block.events[0].asdict()["op_types"], ["['x', 'x' ... 'x'] (5 total)"])
        if HAS_PANDAS:
            self.assertEqual(block.to_dataframe()["event_name"].tolist(), ["a", "OPERATOR_CALL"])
            self.assertEqual(block.to_dataframe(True).columns[3], "p10 (ms)")
            self.assertEqual(block.events[0].to_dataframe().shape, (1, 16))

    def test_what_a_parser_must_not_answer(self):
        event = Event("a", is_delegated_op=True, _delegate_metadata_parser=lambda _: "text")
        with self.assertRaisesRegex(ValueError, "^Unexpected type for delegate_debug_metadata: <class 'str'>$"):
            EventBlock("b", [event]).to_dataframe(include_delegate_debug_data=True)


if __name__ == "__main__":
    unittest.main()
