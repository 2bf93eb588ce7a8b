"""Looks at the pages that pteprof writes."""

import tempfile

from checks import DATA
from flat_parts import dump
from known_runs import KnownRun, OVERHEAD
from page_cases import PageCase, browse


class ProfilePages(PageCase):
    """Of a dump, beside the sizes of the program that ran where that is given."""

    tool = "pteprof"

    def two_methods(self):
        folder = DATA / "inspector/two_methods"
        return [folder / "etdump.etdp", DATA / "delegation/two_methods.pte", "--etrecord", folder / "etrecord.bin"]

    def gpt(self):
        folder = DATA / "inspector/gpt_xnnpack"
        return [folder / "etdump.etdp", "--etrecord", folder / "etrecord.bin"]

    def test_shows_the_profile_beside_the_sizes(self):
        page = browse(self.make(*self.two_methods()))
        self.assertEqual(set(page.sections), {"sizes", "timeline", "modules", "by_type", "by_operator", "events"})
        self.assertIn("Constant Tensors", page.sections["sizes"])
        self.assertIn("Execute of decode", page.sections["by_type"])

    def test_shows_a_dump_alone(self):
        page = browse(self.make(DATA / "inspector/single_run/etdump.etdp"))
        self.assertEqual(set(page.sections), {"timeline", "by_type", "by_operator", "events"})
        self.assertEqual(self.run_tool("--html", self.page, DATA / "inspector/synth_no_events/etdump.etdp", "-f").returncode, 0)
        self.assertEqual(set(browse(self.page).sections), {"timeline", "events"})  # no instruction ran

    def test_draws_each_event_at_its_time(self):
        with self.open(*self.gpt()) as page:
            blocks = self.report(*self.gpt())[0]["event_blocks"]
            events = next(block for block in blocks if block["name"] == "Execute")["events"]
            drawn = page.run("[...document.querySelectorAll('#timeline .slice')].map((one) => one.dataset.name)")
            self.assertEqual(sorted(drawn), sorted(event["name"] for event in events if event["perf"]))
            whole = next(event for event in events if event["name"] == "Method::execute")
            longest = max((event for event in events if event["name"] == "DELEGATE_CALL"), key=lambda one: one["perf"]["raw"][0])
            rect = ("(() => { const box = document.querySelectorAll('#timeline .slice')[%d].querySelector('rect');"
                    " return [Number(box.getAttribute('x')), Number(box.getAttribute('width'))]; })()")
            by_start = sorted((one for one in events if one["perf"]), key=lambda one: (one["start_time"][0], -one["perf"]["raw"][0]))
            x, width = page.run(rect % by_start.index(longest))
            first = by_start[0]["start_time"][0]
            end = max(one["start_time"][0] + one["perf"]["raw"][0] * 1e6 for one in by_start) - first
            self.assertAlmostEqual(x, 1000 * (longest["start_time"][0] - first) / end, places=3)
            self.assertAlmostEqual(width, 1000 * longest["perf"]["raw"][0] * 1e6 / end, places=3)
            self.assertGreater(whole["perf"]["raw"][0], longest["perf"]["raw"][0])

    def test_tables_add_up_and_values_are_shown(self):
        folder = DATA / "inspector/two_delegates"
        page = browse(self.make(folder / "etdump_debug.etdp", "--etrecord", folder / "etrecord.bin",
                                "--debug-buffer", folder / "debug_buffer.bin"))
        self.assertIn("(rest of Method::execute)", page.sections["by_type"])
        self.assertIn("100.0 %", page.sections["by_operator"])
        self.assertIn("(output)", page.sections["values"])

    def test_clocks_that_wrapped_go_on(self):
        with self.open(DATA / "inspector/synth_wraparound/etdump.etdp") as page:
            ends = page.run("[...document.querySelectorAll('#timeline svg > text')].map((one) => one.textContent)")
            self.assertLess(float(ends[1].split(" ")[0]), 1, ends)

    def test_slices_open_and_runs_can_be_chosen(self):
        with self.open(*self.gpt()) as page:
            slices = "document.querySelectorAll('#timeline .slice').length"
            before = page.run(slices)
            page.run("document.querySelector('#timeline .slice[data-name=\"DELEGATE_CALL\"]').focus()")
            page.press("Enter", 13)
            self.assertLess(page.run(slices), before)
            page.click("#timeline button.link")
            self.assertEqual(page.run(slices), before)
            page.run("(() => { const choice = document.querySelector('#timeline select'); choice.value = '0';"
                     " choice.dispatchEvent(new Event('change')); })()")
            self.assertLess(page.run(slices), before)
            self.assertEqual(page.complaints, [])

    def test_times_of_modules_are_medians(self):
        events = [event for block in self.report(*self.gpt())[0]["event_blocks"] for event in block["events"]]
        with self.open(*self.gpt()) as page:
            rows = page.run("[...document.querySelectorAll('#modules tbody tr')].map((row) => [row.cells[1].title.split(':')[0],"
                            " row.cells[1].textContent])")
        self.assertGreater(len(rows), 3)
        for path, text in rows[1:]:
            inside = [event["perf"]["p50"] for event in events if event["name"] != "OPERATOR_CALL" and self.is_in(event, path)]
            time, scale = text.split(" ")
            self.assertEqual(scale, "ms")
            self.assertAlmostEqual(float(time), sum(inside), delta=sum(inside) / 1000)

    @staticmethod
    def is_in(event, path):
        paths = [level[0] for levels in event["module_hierarchy"].values() for level in (levels or {}).values()]
        return any(one == path or one.startswith(path + ".") for one in paths)

    def test_clocks_of_delegates_are_placed_in_their_calls(self):
        """And operators of 0 ns are beside the others."""
        one = KnownRun(3 * 10 ** 9)
        one.kernel("add.out", 0, 1000)
        one.delegate(1, [("a #1", 500), ("b #1", 0), ("c #1", 0), ("d #1", 700)], clock=7)
        drawn = {}
        with tempfile.NamedTemporaryFile(suffix=".etdp") as dump_file:
            dump_file.write(dump([one.end()]))
            dump_file.flush()
            with self.open(dump_file.name) as page:
                for name, *box in page.run(
                        "[...document.querySelectorAll('#timeline .slice')].map((one) => [one.dataset.name,"
                        " ...['x', 'width', 'y'].map((side) => Number(one.querySelector('rect').getAttribute(side)))])"):
                    drawn[name] = box
        whole = 1000 + 1200 + 3 * OVERHEAD
        call = 1000 + OVERHEAD
        for name, start, length in (("DELEGATE_CALL", call, 1200 + OVERHEAD), ("a #1", call, 500), ("b #1", call + 500, 0),
                                    ("c #1", call + 500, 0), ("d #1", call + 500, 700)):
            x, width, y = drawn[name]
            self.assertAlmostEqual(x, 1000 * start / whole, places=6)
            self.assertAlmostEqual(width, max(0.75, 1000 * length / whole), places=6)
            self.assertEqual(y, drawn["a #1"][2] if "#" in name else drawn["OPERATOR_CALL"][2], name)
