"""Checks what pteprof --trace writes for every dump of the tests: that it is what docs/schemas/trace.schema.json
promises, where there is the module jsonschema, that it follows the rules of the Trace Event Format (traces.py), and that
every sample of the Inspector's data frame is a slice.
"""

import json
import struct
import tempfile
import unittest

from checks import DATA, run, schema_problems
from traces import problems_of, slices_of


def profile(*arguments):
    done = run("pteprof", *arguments)
    return done.returncode, json.loads(done.stdout or "null"), done.stderr.decode()


def dumps():
    found = sorted(DATA.glob("inspector/*/*.etdp"))
    assert found
    return found


class Traces(unittest.TestCase):
    maxDiff = 2000

    def trace(self, dump, *options):
        code, trace, error = profile(dump, "--trace", "-", *options)
        self.assertEqual((code, error), (0, ""))
        return trace

    def test_traces_fit_their_schema(self):
        for dump in dumps():
            record = dump.parent / "etrecord.bin"
            options = ["--etrecord", record] if record.exists() else []
            with self.subTest(dump=dump):
                self.assertEqual([], schema_problems("trace", self.trace(dump, *options)))

    def test_traces_follow_the_rules_of_the_format(self):
        for dump in dumps():
            with self.subTest(dump=dump):
                self.assertEqual([], list(problems_of(self.trace(dump))))

    def test_every_sample_is_a_slice(self):
        for dump in dumps():
            if dump.parent.name == "synth_wraparound":
                continue
            found, trace = {}, self.trace(dump)
            origin = trace["otherData"]["origin"]
            for one in slices_of(trace):
                found.setdefault((one["name"], origin + round(1000 * one["ts"])), []).append(1000 * one["dur"])
            code, report, error = profile("--json", "--dataframe", "--target-time-scale", "ns", dump)
            self.assertEqual((code, error), (0, ""))
            frame = report[0]["dataframe"]
            samples = 0
            with self.subTest(dump=dump):
                for row in frame["rows"]:
                    cells = dict(zip(frame["columns"], row))
                    for start, elapsed in zip(cells["start_time"] or [], cells["raw"] or []):
                        samples += 1
                        durations = found.get((cells["event_name"], start), [])
                        self.assertTrue(any(abs(one - elapsed) < 0.01 for one in durations), (cells["event_name"], start))
                self.assertGreaterEqual(len(slices_of(self.trace(dump))), samples)

    def test_calls_in_loops_are_slices_too(self):
        trace = slices_of(self.trace(DATA / "inspector/synth_dup_in_run/etdump.etdp"))
        self.assertEqual(4, sum(1 for one in trace if one["name"] == "native_call_add.out"))

    def test_clocks_that_wrapped_go_on(self):
        for one in slices_of(self.trace(DATA / "inspector/synth_wraparound/etdump.etdp")):
            self.assertLess(one["dur"], 2 ** 31 / 1000, one)

    def test_methods_backends_and_operators_are_told(self):
        folder = DATA / "inspector/two_delegates"
        trace = self.trace(folder / "etdump.etdp", "--etrecord", folder / "etrecord.bin")
        names = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"]
        self.assertEqual({"runs", "runtime", "in XnnpackBackend"}, set(names))
        calls = [one for one in slices_of(trace) if one["name"] == "DELEGATE_CALL"]
        self.assertTrue(calls)
        for call in calls:
            self.assertEqual(["aten.linear.default", "aten.relu.default"], call["args"]["op_types"])
            self.assertIn(call["args"]["modules"][0], ("ins.0", "ins.1"))

    def test_planned_memory_is_a_counter(self):
        program = DATA / "delegation/two_methods.pte"
        trace = self.trace(DATA / "inspector/two_methods/etdump.etdp", program)
        self.assertEqual([], schema_problems("trace", trace) + list(problems_of(trace)))
        done = run("pteinspect", "--json", "--memory", program)
        most = {}
        for method in json.loads(done.stdout)[0]["memory"]:
            live = {}
            for tensor in method["tensors"]:
                for instruction in range(tensor["first"], tensor["last"] + 1):
                    covered = range(tensor["offset"], tensor["offset"] + tensor["bytes"])
                    live.setdefault(instruction, set()).update(covered)
            most[method["method"]] = [len(live[one]) for one in sorted(live)]
        points = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "C":
                method = event["name"].split()[3].rstrip(",")
                points.setdefault(method, []).append(event["args"]["bytes"])
        for method, wanted in most.items():
            steps = [size for i, size in enumerate(wanted) if i == 0 or size != wanted[i - 1]] + [0]
            shown = [size for i, size in enumerate(points[method]) if i == 0 or size != points[method][i - 1]]
            self.assertEqual(shown[: len(steps)], steps)
            self.assertEqual(len(shown) % len(steps), 0)
        self.assertEqual([], [one for one in self.trace(DATA / "inspector/two_methods/etdump.etdp")["traceEvents"] if one["ph"] == "C"])

    def test_allocations_are_told(self):
        trace = self.trace(DATA / "profile/allocation.etdp")
        self.assertEqual(1, len(trace["otherData"]["allocations"]))

    def test_operators_of_delegates_follow_each_other(self):
        """Also those that took 0 us: by time and place in the file none is inside another."""
        short = 0
        for name in ("mlp_xnnpack", "gpt_xnnpack", "mlp_q8_xnnpack"):
            last = {}
            for one in slices_of(self.trace(DATA / "inspector" / name / "etdump.etdp")):
                if one["cat"] != "delegate_operator":
                    continue
                short += one["dur"] == 0
                self.assertGreaterEqual(one["ts"] + 1e-6, last.get(one["tid"], 0), one)
                last[one["tid"]] = one["ts"] + one["dur"]
        self.assertGreater(short, 100)

    def test_clocks_of_delegates_are_placed_in_their_calls(self):
        """As in the dump whose delegates have the clock of the runtime: their times are moved by a million seconds."""
        dump = DATA / "inspector/mlp_xnnpack/etdump.etdp"
        code, report, error = profile("--json", dump)
        self.assertEqual((code, error), (0, ""))
        data, far = dump.read_bytes(), 10 ** 15
        times = set()
        for event in report[0]["event_blocks"][1]["events"]:
            if event["is_delegated_op"]:
                for start, elapsed in zip(event["start_time"], event["perf"]["raw"]):
                    times |= {start, start + round(1e6 * elapsed)}
        for time in times:
            data = data.replace(struct.pack("<Q", time), struct.pack("<Q", time + far))
        with tempfile.NamedTemporaryFile(suffix=".etdp") as moved:
            moved.write(data)
            moved.flush()
            trace = slices_of(self.trace(moved.name))
        self.assertLess(max(one["ts"] for one in trace), 1e6)
        calls = [one for one in trace if one["cat"] == "delegate"]
        inside = [one for one in trace if one["cat"] == "delegate_operator"]
        self.assertEqual((len(calls), len(inside)), (4, 12))
        for index, one in enumerate(inside):
            call = calls[index // 3]
            self.assertTrue(call["ts"] <= one["ts"] <= call["ts"] + call["dur"], (call, one))
