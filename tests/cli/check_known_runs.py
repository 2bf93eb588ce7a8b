"""Holds what pteprof says of generated dumps against what is known of them: cold runs, noise, missing levels, methods of
one structure, clocks of delegates and operators of 0 ns.
"""

import json
import pathlib
import random
import statistics
import tempfile
import unittest

from checks import DATA, output_of, run
from flat_parts import ALIGNMENT, delegate, delegate_plan, dump, node, program, record
from known_runs import CALLS, DELEGATE_CALLS, KERNELS, KnownRun, LEVELS, OVERHEAD, ROWS, WHOLE
from traces import problems_of, slices_of


class KnownRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, runs):
        path = self.folder / name
        path.write_bytes(dump(runs))
        return path

    def report(self, *arguments, code=0):
        done = run("pteprof", "--json", *arguments, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)[0]

    def trace(self, *arguments):
        trace = json.loads(output_of("pteprof", "--trace", "-", *arguments))
        self.assertEqual(list(problems_of(trace)), [])
        return slices_of(trace)


class ColdRuns(KnownRuns):
    """The first two runs of ten are fifty times slower in an operator that takes 13 % of the others."""

    def setUp(self):
        super().setUp()
        times = random.Random(20)
        self.erf = [round(13_000 * times.uniform(0.95, 1.05)) * (50 if i < 2 else 1) for i in range(10)]
        self.add = [round(87_000 * times.uniform(0.95, 1.05)) for _ in range(10)]
        runs = []
        for erf, add in zip(self.erf, self.add):
            one = KnownRun()
            one.kernel("erf.out", 0, erf)
            one.kernel("add.out", 1, add)
            runs.append(one.end())
        self.dump = self.write("cold.etdp", runs)
        self.whole = [erf + add + 3 * OVERHEAD for erf, add in zip(self.erf, self.add)]

    def test_medians_are_those_of_the_truth_in_every_view(self):
        modules = "root,,m.Net;{0},{0},m.Layer"
        nodes = [node("e", 1, modules=modules.format("slow")), node("a", 2, modules=modules.format("fast"))]
        for one, kernel in zip(nodes, ("erf", "add")):
            one["target"] = f"torch.ops.aten.{kernel}.default"
        path = self.folder / "known.etrecord"
        path.write_bytes(record(nodes, {"0": 1, "1": 2}))
        for view, member, names in (("--by-type", "types", ("type", "erf.out", "add.out")),
                                    ("--by-operator", "operators", ("name", "erf.out", "add.out")),
                                    ("--by-module", "modules", ("module", "slow", "fast"))):
            block = self.report(self.dump, "--etrecord", path, "--target-time-scale", "ns", view)[view[2:].replace("-", "_")][0]
            rows = {row[names[0]]: row for row in block[member]}
            for name, truth in zip(names[1:], (self.erf, self.add)):
                self.assertEqual(rows[name]["time"], statistics.median(truth))
                self.assertAlmostEqual(rows[name]["spread"]["mean"], statistics.mean(truth))
                self.assertAlmostEqual(rows[name]["share"], statistics.median(truth) / statistics.median(self.whole))
            self.assertLess(rows[names[1]]["share"], 0.15)
            self.assertEqual((block["time"], block["cold_runs"]), (statistics.median(self.whole), 2))

    def test_cold_runs_are_counted_and_left_out_on_demand(self):
        text = output_of("pteprof", self.dump, "--by-type").decode()
        self.assertTrue(text.startswith("Execute: medians of 10 runs; cold at the start (more than twice the median): 2, left out "
                                        "with --skip 2\n"), text)
        block = self.report(self.dump, "--by-type", "--skip", "2", "--target-time-scale", "ns")["by_type"][0]
        self.assertEqual((block["runs"], block["cold_runs"]), (8, 0))
        self.assertAlmostEqual(block["spread"]["mean"], statistics.mean(self.whole[2:]))


class Gate(KnownRuns):
    def noisy(self, name, count, runs, seed, median=100_000):
        """A dump of `count` methods, each of so many runs, which alone are logged, with a noise of 10 %."""
        times = random.Random(seed)
        made = []
        for i in range(count):
            for _ in range(runs):
                one = KnownRun(levels=(WHOLE,))
                one.now += round(median * times.lognormvariate(0, 0.1))
                made.append(one.end(f"Execute {i}"))
        return self.write(name, made)

    def alarms(self, before, after, code):
        baseline = self.report(after, "--baseline", before, "--max-slowdown", "5%", code=code)["baseline"]
        return [block["whole"]["verdict"] == "slower" and block["whole"]["slowdown"] > 0.05 for block in baseline["blocks"]]

    def test_equal_code_fails_in_less_than_one_of_a_hundred_comparisons(self):
        """Five runs, as in the worst case: of 2000 comparisons."""
        alarms = self.alarms(self.noisy("a.etdp", 2000, 5, 1), self.noisy("b.etdp", 2000, 5, 2), code=1)
        self.assertEqual(len(alarms), 2000)
        self.assertLessEqual(sum(alarms) / len(alarms), 0.01)

    def test_slower_code_fails(self):
        alarms = self.alarms(self.noisy("a.etdp", 300, 10, 3), self.noisy("b.etdp", 300, 10, 4, 130_000), code=1)
        self.assertGreaterEqual(sum(alarms) / len(alarms), 0.95)

    def test_few_runs_have_no_verdict_and_no_failure(self):
        for runs in (1, 2, 3, 4):
            alarms = self.alarms(self.noisy("a.etdp", 3, runs, 5), self.noisy("b.etdp", 3, runs, 6, 1_000_000), code=0)
            self.assertEqual(alarms, [False] * 3)


class MissingLevels(KnownRuns):
    """Six equal runs of two kernels and a delegate, of which not everything is logged."""

    def of_levels(self, name, levels, slowdown=1):
        runs = []
        for i in range(6):
            one = KnownRun(levels=levels)
            one.kernel("add.out", 0, (1000 + i) * slowdown)
            one.delegate(1, [("k #1", 200 * slowdown), ("k #2", 0)])
            one.kernel("mul.out", 2, 500 * slowdown)
            one.now += 2000 * slowdown  # that no operator took
            runs.append(one.end())
        return self.write(name, runs)

    def test_no_growth_is_invented(self):
        """Where one dump lacks what the other has, by types too."""
        whole = self.of_levels("whole.etdp", LEVELS)
        for without in ((WHOLE,), (CALLS,), (ROWS,), (WHOLE, CALLS, ROWS)):
            other = self.of_levels("other.etdp", [level for level in LEVELS if level not in without])
            for before, after in ((whole, other), (other, whole)):
                for by_type in ((), ("--by-type",)):
                    baseline = self.report(after, "--baseline", before, "--max-slowdown", "5%", *by_type)["baseline"]
                    for block in baseline["by_type" if by_type else "blocks"]:
                        self.assertEqual(block["whole"]["slowdown"], 0, (without, by_type))

    def test_dumps_of_whole_runs_alone_can_be_gated(self):
        fast, slow = self.of_levels("fast.etdp", (WHOLE,)), self.of_levels("slow.etdp", (WHOLE,), 2)
        for by_type in ((), ("--by-type",)):
            baseline = self.report(slow, "--baseline", fast, "--max-slowdown", "5%", *by_type, code=1)["baseline"]
            for block in baseline["by_type" if by_type else "blocks"]:
                self.assertEqual(block["whole"]["verdict"], "slower")
            self.report(fast, "--baseline", slow, "--max-slowdown", "5%", *by_type)

    def test_nothing_in_common_is_said(self):
        done = run("pteprof", self.of_levels("a.etdp", (WHOLE,)), "--baseline", self.of_levels("b.etdp", (KERNELS,)), text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no run of instructions can be compared", done.stderr)

    def test_traces_hold_what_is_there(self):
        for count in range(1, 2 ** len(LEVELS)):
            levels = [level for i, level in enumerate(LEVELS) if count >> i & 1]
            logged = {KERNELS: 2, CALLS: 2, DELEGATE_CALLS: 1, ROWS: 2, WHOLE: 1}
            found = self.trace(self.of_levels("some.etdp", levels))
            self.assertEqual(sum(one["cat"] != "run" for one in found), 6 * sum(logged[level] for level in levels), levels)


class Methods(KnownRuns):
    """A program whose methods call a delegate each, of blobs that differ: the float and the quantized layers of one model."""

    def blob(self, name):
        path = self.folder / f"{name}.blob"
        output_of("pteinspect", "--extract", "XnnpackBackend_0", "-o", path, "-f", DATA / "branches" / f"{name}.pte")
        return path.read_bytes() + bytes(-path.stat().st_size % ALIGNMENT)

    def rows(self, name):
        """What XNNPACK logged of that blob."""
        [_, block] = self.report(DATA / "branches" / f"{name}.etdp")["event_blocks"]
        return [event["name"] for event in block["events"] if event["is_delegated_op"] and event["instruction_id"] == 0]

    def program(self, **methods):
        """By method the name of its blob."""
        plans, extents, segments = [], [], b""
        for name, blob in methods.items():
            plans.append(delegate_plan(name, [delegate("XnnpackBackend", len(extents))]))
            extents.append((len(segments), len(self.blob(blob))))
            segments += self.blob(blob)
        path = self.folder / "known.pte"
        path.write_bytes(program(plans, extents, segments))
        return path

    def known_runs(self, name, took):
        """One run for each time of an operator, and what the runs took."""
        made, whole = [], []
        for time in took:
            one = KnownRun()
            one.delegate(0, [(row, time) for row in self.rows(name)])
            made.append(one.end())
            whole.append(one.now - one.start)
        return made, whole

    def costs(self, *arguments):
        blocks = self.report(*arguments, "--by-type", "--target-time-scale", "ns")["by_type"]
        return [(block["methods"], block["runs"], block["time"]) for block in blocks]

    def test_are_told_apart_by_what_their_delegates_log(self):
        """In one dump in which they take turns, each has a block and medians of its own."""
        path = self.program(forward="xnnpack", quantized="q8")
        floats, times = self.known_runs("xnnpack", range(1000, 1005))
        quantized, quantized_times = self.known_runs("q8", range(9000, 9005))
        mixed = self.write("mixed.etdp", [one for pair in zip(floats, quantized) for one in pair])
        self.assertEqual(self.costs(mixed, path), [(["forward"], 5, statistics.median(times)),
                                                   (["quantized"], 5, statistics.median(quantized_times))])
        self.assertEqual(self.costs(mixed, path, "--method", "quantized", "--runs", "2-3"),
                         [(["quantized"], 2, statistics.median(quantized_times[1:3]))])

    def test_of_one_content_are_not_told_apart_and_that_is_said(self):
        path = self.program(forward="xnnpack", again="xnnpack")
        runs, times = self.known_runs("xnnpack", range(1000, 1003))
        same = self.write("same.etdp", runs)
        done = run("pteprof", "--by-type", same, path, text=True)
        self.assertIn("may be a run of any of forward, again, so it is not joined", done.stderr)
        self.assertTrue(done.stdout.startswith("Execute of forward or again: medians of 3 runs\n"), done.stdout)
        self.assertNotIn("Bytes", done.stdout)
        self.assertEqual(self.costs(same, path, "--method", "again"), [(["again"], 3, statistics.median(times))])

    def test_that_logged_something_else_are_refused(self):
        runs, _ = self.known_runs("q8", [1000])
        done = run("pteprof", self.write("q8.etdp", runs), self.program(forward="xnnpack"), text=True)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("is not the program that ran: delegate 'XnnpackBackend_0' has no operator for", done.stderr)


class Clocks(KnownRuns):
    ROWS = [("k #1", 300), ("k #2", 0), ("k #3", 0), ("k #4", 500), ("k #5", 0)]

    def of_clock(self, clock, levels=LEVELS):
        """Two runs, each of a kernel and two calls of delegates; the delegates' clock stands at `clock` first."""
        runs = []
        for i in range(2):
            one = KnownRun(10 ** 15 + 10 ** 6 * i, levels)
            one.kernel("add.out", 0, 1000)
            one.delegate(1, self.ROWS, clock and clock + 10 ** 6 * i)
            one.kernel("add.out", 2, 1000)
            one.delegate(3, self.ROWS, clock and clock + 10 ** 6 * i + 5000)
            runs.append(one.end())
        return self.write("clock.etdp", runs)

    def inside(self, found):
        """Of each operator of a delegate, its time behind the begin of its run, which the events in the trace are ordered by."""
        starts = [one["ts"] for one in found if one["cat"] == "run"]
        return [(one["name"], round(one["ts"] - max(start for start in starts if start <= one["ts"]), 3), one["dur"])
                for one in found if one["cat"] == "delegate_operator"]

    def test_of_delegates_are_placed_in_their_calls(self):
        """As those of the runtime, whether they are far behind or ahead of it."""
        wanted = self.inside(self.trace(self.of_clock(None)))
        self.assertEqual(len(wanted), 2 * 2 * len(self.ROWS))
        for clock in (5, 10 ** 9, 10 ** 18):
            self.assertEqual(self.inside(self.trace(self.of_clock(clock))), wanted, clock)

    def test_of_delegates_are_placed_in_their_runs_where_no_call_was_logged(self):
        for levels in ([level for level in LEVELS if level != DELEGATE_CALLS], (ROWS, WHOLE), (ROWS, KERNELS)):
            found = self.trace(self.of_clock(5, levels))
            self.assertLess(max(one["ts"] for one in found), 2000, levels)
            self.assertEqual(len(self.inside(found)), 2 * 2 * len(self.ROWS))

    def test_operators_of_no_time_are_siblings_in_their_order(self):
        found = [one for one in self.trace(self.of_clock(None)) if one["cat"] == "delegate_operator"]
        self.assertEqual([one["name"] for one in found], [name for name, _ in self.ROWS] * 4)
        for one, other in zip(found, found[1:]):
            self.assertGreaterEqual(round(other["ts"] - one["ts"] - one["dur"], 6), 0)

    def test_calls_are_around_what_took_all_of_their_time(self):
        one = KnownRun()
        one.kernel("add.out", 0, 1000)
        one.now -= OVERHEAD
        path = self.write("coarse.etdp", [one.end()])
        data = path.read_bytes()
        end = (1_000_000 + 1000).to_bytes(8, "little")
        path.write_bytes(data.replace((1_000_000 + 1000 + OVERHEAD).to_bytes(8, "little"), end))
        found = [one["name"] for one in self.trace(path) if one["cat"] != "run"]
        self.assertEqual(found, ["Method::execute", "OPERATOR_CALL", "native_call_add.out"])
