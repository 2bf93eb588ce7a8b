"""Looks at the pages that pteprof writes."""

from checks import DATA
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

    def test_times_of_modules_are_those_of_the_tool(self):
        with self.open(*self.gpt()) as page:
            rows = dict(page.run("[...document.querySelectorAll('#modules tbody tr')].map((row) => [row.cells[0].textContent.split(' ')[0],"
                                 " row.cells[1].textContent])"))
            paths = [name for name in rows if name != "(model)"]
            self.assertGreater(len(paths), 3)
            options = [word for path in paths for word in ("--module-path", path)]
            for path, total in self.report(*self.gpt(), *options)[0]["module_path_totals"].items():
                self.assertEqual(rows[path].split(" ")[1], "ms")
                self.assertAlmostEqual(float(rows[path].split(" ")[0]), total, delta=total / 1000)
