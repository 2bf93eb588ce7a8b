"""Looks at the pages of --html in a browser without a screen: what is on them, and views but for the areas."""

import json
import re
import shutil

from browser import Browser
from checks import DATA
from flat_parts import KERNEL_CALL, call, operator, plan, program, tensor
from page_cases import FOCUSED, PageCase, browse, tiles, without_offsets


class Pages(PageCase):
    def test_shows_every_view_that_has_something_to_show(self):
        for name in ("f07/gpt_xnn.pte", "f04/w.ptd", "f11_bundled_xnn.bpte", "f06/portable_cm.pte"):
            self.page.unlink(missing_ok=True)
            page = browse(self.make(DATA / name))
            embedded = json.loads(re.search(r'id="report">(.*?)</script>', self.page.read_text(), re.S)[1])[0]
            views = {member for member, value in embedded.items() if value not in ([], {}, None)}
            expected = views - {"schema_version", "file", "kind", "bytes"} | {"duplicates"}
            self.assertEqual(set(page.sections), expected, name)
            self.assertGreater(len(expected), 3, name)

    def test_holds_what_json_has(self):
        self.make("-h", "--tensors", "--memory", DATA / "f07/gpt_xnn.pte")
        embedded = json.loads(re.search(r'id="report">(.*?)</script>', self.page.read_text(), re.S)[1])
        [report] = self.report("-h", "--tensors", "--memory", DATA / "f07/gpt_xnn.pte")
        del report["modules"]  # the page adds up itself
        self.assertEqual(without_offsets(embedded), [report])

    def test_gives_areas_by_size(self):
        page = browse(self.make("-l", DATA / "f07/gpt_xnn.pte"))
        sizes = self.report(DATA / "f07/gpt_xnn.pte")[0]["sizes"]
        shares = dict(tiles(page))
        self.assertEqual(len(shares), len(sizes["components"]))
        for node in sizes["components"]:
            self.assertAlmostEqual(shares[node["name"]], node["size"] / sizes["size"], places=4)

    def test_zooms_to_what_the_address_says(self):
        page = browse(self.make("-l", DATA / "f07/gpt_xnn.pte"), {"zoom": json.dumps(["Delegate Blobs"])})
        root = self.report(DATA / "f07/gpt_xnn.pte")[0]["sizes"]
        blobs = next(node for node in root["components"] if node["name"] == "Delegate Blobs")
        self.assertEqual({name for name, _ in tiles(page)}, {node["name"] for node in blobs["components"]})
        self.assertIn("Delegate Blobs 13.66 KB", page.text)

    def test_draws_each_planned_tensor(self):
        page = browse(self.make("--memory", DATA / "f07/gpt_xnn.pte"))
        tensors = self.report("--memory", DATA / "f07/gpt_xnn.pte")[0]["memory"][0]["tensors"]
        drawn = [tensor for tensor in tensors if tensor["first"] is not None and tensor["bytes"]]
        self.assertEqual(len(page.all("rect", class_="tensor")), len(drawn))

    def test_shows_one_file_at_a_time(self):
        self.make("-l", DATA / "f02_linear.pte", DATA / "f04/w.ptd")
        self.assertIn("Program Flatbuffer", browse(self.page).sections["sizes"])
        second = browse(self.page, {"file": "1"})
        self.assertIn("Data Flatbuffer", second.sections["sizes"])
        self.assertEqual(second.all("html")[0]["data-shown"], "1")

    def test_shows_one_view_alone(self):
        self.make(DATA / "f07/gpt_xnn.pte")
        self.assertEqual(set(browse(self.page, {"view": "memory"}).sections), {"memory"})
        self.assertGreater(len(browse(self.page, {"view": "no such view"}).sections), 5)

    def test_shows_what_changed(self):
        self.make("--diff", DATA / "f08/b_xnn_base.pte", DATA / "f08/b_xnn_v0.pte", exit_code=1)
        page = browse(self.page)
        self.assertIn("56.83 KB to 65.28 KB (+8.45 KB, +14.9 %)", page.sections["diff"])
        self.assertIn("XNNFullyConnected", page.sections["diff"])

    def test_shows_findings(self):
        damaged = self.folder / "damaged.pte"
        content = bytearray((DATA / "f07/gpt_xnn.pte").read_bytes())
        damaged.write_bytes(content[:-4096])
        self.make("--verify", damaged, exit_code=1)
        found = self.report("--verify", damaged)[0]["findings"]
        self.assertIn(found[0]["message"], browse(self.page).sections["findings"])

    def test_takes_names_as_text(self):
        odd = self.folder / "odd.ptd"
        odd.write_bytes((DATA / "f04/w.ptd").read_bytes().replace(b"fc.weight", b"</script>"))
        folder = self.folder / "<"
        folder.mkdir()
        named = folder / "script><b id=evil>.pte"
        shutil.copy(DATA / "f02_linear.pte", named)
        page = browse(self.make(odd, named))
        self.assertIn("</script>", page.sections["tensors"])
        page = browse(self.page, {"file": "1"})
        self.assertEqual(page.all("b", id="evil"), [])
        self.assertIn("<b id=evil>", page.text)

    def test_loads_nothing(self):
        text = self.make(DATA / "f07/gpt_xnn.pte").read_text()
        self.assertIn("default-src 'none'", text)
        addresses = set(re.findall(r"https?://[^\"'\s]+", text))
        self.assertEqual(addresses, {"http://www.w3.org/2000/svg"})  # the name of a namespace
        loading = [have for tag, have in browse(self.page).tags if have.get("src") or tag in ("link", "iframe", "img")]
        self.assertEqual(loading, [])

    def test_a_click_opens_a_component(self):
        with self.open("-l", DATA / "f07/gpt_xnn.pte") as page:
            page.click('.map button[data-name="Delegate Blobs"]', down=0.05)  # on its name, where no inner tile is
            page.wait_for("document.querySelector('.trail').textContent.endsWith('Delegate Blobs 13.66 KB')")
            self.assertEqual(page.run("document.querySelectorAll('.map button[data-depth=\"1\"]').length"), 20)
            page.click(".trail button")
            page.wait_for("document.querySelector('.trail').textContent === 'all 187.14 KB'")
            self.assertEqual(page.complaints, [])

    def test_keys_do_what_the_mouse_does(self):
        with self.open("-l", "--operators", DATA / "f07/gpt_xnn.pte") as page:
            page.run("document.querySelector('.map button[data-name=\"Constant Tensors\"]').focus()")
            page.press("Enter", 13)
            page.wait_for("document.querySelector('.trail').textContent.endsWith('Constant Tensors 28.94 KB')")
            page.run("location.hash = ''")
            page.wait_for("document.querySelector('.trail').textContent === 'all 187.14 KB'")
            page.run("document.querySelector('#sizes button.opener').focus()")
            rows = "document.querySelectorAll('#sizes tbody tr').length"
            before = page.run(rows)
            page.press("Enter", 13)
            self.assertGreater(page.run(rows), before)
            self.assertEqual(page.run("document.activeElement.getAttribute('aria-expanded')"), "true")
            page.press("Enter", 13)
            self.assertEqual(page.run(rows), before)
            page.run("document.querySelector('#operators th:nth-child(2) button').focus()")
            page.press("Enter", 13)
            calls = page.run("[...document.querySelectorAll('#operators td:nth-child(2)')].map((one) => Number(one.textContent))")
            self.assertEqual(calls, sorted(calls, reverse=True))

    def test_finds_components_at_any_depth(self):
        with self.open("-l", DATA / "f07/gpt_xnn.pte") as page:
            page.run("document.querySelector('#sizes input').focus()")
            page.type("backend_7")
            self.assertEqual(page.run("[...document.querySelectorAll('#sizes tbody td:first-child')].map((one) => one.textContent)"),
                             ["Delegate Blobs › XnnpackBackend_7"])

    def test_every_control_has_a_name(self):
        with self.open(DATA / "f07/gpt_xnn.pte") as page:
            nameless = page.run("[...document.querySelectorAll('button, input, a, svg')].filter((one) =>"
                                " !(one.getAttribute('aria-label') || one.textContent.trim())).length")
            self.assertEqual(nameless, 0)
            self.assertGreater(page.run("document.querySelectorAll('.map button').length"), 20)

    def test_looks_as_it_should(self):
        for dark, paper in ((False, (255, 255, 255)), (True, (20, 24, 29))):
            self.page.unlink(missing_ok=True)
            with self.open("-l", DATA / "f07/gpt_xnn.pte", dark=dark) as page:
                picture = page.screenshot()
                self.assertEqual(picture.pixel(2, 2), paper)
                x, y = page.center('.map button[data-name="Program Flatbuffer"]')
                self.assertEqual(picture.pixel(x, y), (44, 122, 75))  # its color, where no text is
                self.assertEqual(page.complaints, [])

    def test_shows_sizes_without_scripts(self):
        text = re.search("<noscript>(.*?)</noscript>", self.make("-l", DATA / "f07/gpt_xnn.pte").read_text(), re.S)[1]
        self.assertIn('<tr><td>Named Data</td><td class="number">121.09 KB</td></tr>', text)

    def test_refuses_to_replace_what_it_should_not(self):
        self.make("-l", DATA / "f02_linear.pte")
        before = self.page.read_bytes()
        self.assertEqual(self.run_tool("--html", self.page, "-l", DATA / "f04/w.ptd").returncode, 2)
        self.assertEqual(self.page.read_bytes(), before)
        self.assertEqual(self.run_tool("-f", "--html", self.page, "-l", DATA / "f04/w.ptd").returncode, 0)
        copy = self.folder / "copy.pte"
        shutil.copy(DATA / "f02_linear.pte", copy)
        self.assertEqual(self.run_tool("-f", "--html", copy, copy).returncode, 2)
        self.assertEqual(copy.read_bytes(), (DATA / "f02_linear.pte").read_bytes())
        self.assertEqual(self.run_tool("--html", self.folder / "other.html", "--csv", "-l", copy).returncode, 2)


class OtherViews(PageCase):
    """The diff, the graph, and what is found without being asked for."""

    def test_the_diff_opens_first_with_signs_and_subtotals(self):
        old, new = DATA / "f08/a_portable_v0.pte", DATA / "f08/a_portable_base.pte"
        self.make("--diff", old, new, exit_code=1)
        diff = self.report("--diff", old, new)[-1]["diff"]
        with Browser(self.page.as_uri()) as page:
            self.assertEqual(page.run("document.querySelector('section').id"), "diff")
            rows = page.run("[...document.querySelectorAll('#diff table.diff tr.subtotal')].map((row) => [row.cells[0].textContent,"
                            " Number(row.cells[3].title.split(' ')[0]), row.cells[3].className, row.cells[3].textContent])")
            total = diff["new_bytes"] - diff["old_bytes"]
            self.assertEqual(rows[-1][:2], ["In all, with padding", total])
            for name, bytes_, color, text in rows[:-1]:
                part = [one for one in diff["sizes"] if name.startswith(one["component"])]
                self.assertEqual(bytes_, sum(one["new_bytes"] - one["old_bytes"] for one in part), name)
                self.assertEqual((text[0] == "-", "shrank" in color, "grew" in color), (bytes_ < 0, bytes_ < 0, bytes_ > 0), name)
            areas = page.run("[...document.querySelectorAll('#diff .map button')].slice(1).map((one) => [one.getAttribute('aria-label'), one.style.background])")
            self.assertGreater(len(areas), 3)
            for label, color in areas:
                self.assertEqual(color, "rgb(44, 122, 75)" if ", -" in label else "rgb(168, 74, 40)", label)
            self.assertEqual(page.complaints, [])

    def test_the_table_of_the_diff_has_subtotals_of_modules(self):
        old, new = DATA / "f08/c_portable_base_foundation.ptd", DATA / "f08/c_portable_v0_lora.ptd"
        self.make("--diff", old, new, exit_code=1)
        diff = self.report("--diff", old, new)[-1]["diff"]
        with Browser(self.page.as_uri()) as page:
            rows = page.run("[...document.querySelectorAll('#diff table.diff tr.module')].map((row) => [row.cells[1].textContent,"
                            " Number(row.cells[4].title.split(' ')[0])])")
            self.assertIn("blocks", [name for name, _ in rows])
            for name, growth in rows:
                inside = [one for one in diff["sizes"] if (one.get("module", "") + ".").startswith(name + ".")]
                self.assertEqual(growth, sum(one["new_bytes"] - one["old_bytes"] for one in inside), name)
            self.assertEqual(page.complaints, [])

    def test_the_diff_opens_first_beside_data_files(self):
        self.make("--diff", DATA / "f08/d_xnn_v0.pte", DATA / "f08/d_xnn_v1.pte", "--data", DATA / "f08/d_xnn_v1_foundation.ptd", exit_code=1)
        with Browser(self.page.as_uri()) as page:
            self.assertEqual(page.run("[...document.querySelectorAll('section')].map((one) => one.id)"), ["diff"])
            self.assertEqual(page.complaints, [])

    def test_delegates_open_in_the_graph(self):
        node = "#graph .node"
        with self.open("--graph", "--etrecord", DATA / "delegation/gpt_xnnpack.etrecord", DATA / "f07/gpt_xnn.pte") as page:
            page.run("location.hash = 'view=graph'")
            page.wait_for("document.querySelectorAll('section').length === 1")
            self.assertEqual(page.run("document.querySelectorAll('#graph .node.opens[aria-expanded=\"true\"]').length"), 0)
            page.run("document.querySelector('#graph .node.opens').focus()")
            name = page.run(FOCUSED)
            page.press("Enter", 13)
            page.wait_for("document.querySelector('#graph .node.opens[aria-expanded=\"true\"]') !== null")
            self.assertEqual(page.run(FOCUSED), name)
            page.press("ArrowDown", 40)
            inside = page.run(FOCUSED)
            self.assertNotEqual(inside, name)
            self.assertEqual(page.run("document.querySelector('#graph .panel h3').textContent"), inside)
            page.press("Escape", 27)
            page.wait_for("document.querySelector('#graph .node.opens[aria-expanded=\"true\"]') === null")
            self.assertEqual(page.run(FOCUSED), name)
            page.run("document.querySelector('#graph .panel a').click()")
            page.wait_for("document.querySelector('#graph tr.marked') !== null")
            self.assertTrue(page.run("document.querySelector('#graph tr.marked').textContent").startswith("lowered_module_"))
            self.assertGreater(page.run("document.querySelectorAll('%s').length" % node), 5)
            self.assertEqual(page.complaints, [])

    def test_constants_are_dots_at_the_nodes_that_take_them(self):
        with self.open("--graph", "--tensors", DATA / "f02_linear.pte") as page:
            tensors = {one["name"]: one for one in self.report("--tensors", DATA / "f02_linear.pte")[0]["tensors"]}
            names = page.run("[...document.querySelectorAll('#graph .node .constant title')].map((one) => one.textContent)")
            self.assertEqual(sorted(names), sorted(name for name, one in tensors.items() if one["store"] == "segment"))
            page.run("document.querySelector('#graph .node:has(.constant)').focus()")
            told = page.run("[...document.querySelectorAll('#graph .panel .constants li')].map((one) => one.textContent)")
            for line in told:
                name, facts = line.split(": ")
                self.assertTrue(facts.startswith(tensors[name]["dtype"] + "["), line)
            name = page.run("document.querySelector('#graph .panel .constants a').textContent")
            page.run("document.querySelector('#graph .panel .constants a').click()")
            page.wait_for("document.querySelector('#tensors tr.marked') !== null")
            self.assertIn(name, page.run("document.querySelector('#tensors tr.marked').textContent"))
            self.assertEqual(page.complaints, [])

    def test_thousands_of_nodes_stay_usable(self):
        count, file = 6000, self.folder / "long.pte"
        values = [tensor() for _ in range(count + 1)]
        calls = [call(KERNEL_CALL, 0, [i, i + 1]) for i in range(count)]
        file.write_bytes(program([plan("forward", values, [0], [count], calls, [operator("a::b")])]))
        with self.open("--graph", file) as page:
            self.assertIn("%d nodes" % (count + 1), page.run("document.querySelector('#graph summary').textContent"))
            drawn = "[...document.querySelectorAll('#graph .node')].map((one) => one.dataset.name)"
            self.assertLess(len(page.run(drawn)), 100)
            took = page.run("(() => { const start = performance.now(), place = document.querySelector('.graph');"
                            " place.scrollTop = place.scrollHeight; window.dispatchEvent(new Event('resize')); return performance.now() - start; })()")
            self.assertLess(took, 1000)
            self.assertLess(len(page.run(drawn)), 100)
            self.assertEqual(page.run(drawn)[-1], "a_b_out_%d" % (count - 1))

    def test_advice_findings_and_copies_are_views(self):
        damaged = self.folder / "lacking.pte"
        shutil.copy(DATA / "f08/d_xnn_v0.pte", damaged)  # without its data file
        page = browse(self.make(damaged))  # what is found does not make a page fail
        findings = self.report("--verify", damaged)[0]["findings"]
        self.assertIn(findings[0]["message"], page.sections["findings"])
        self.page.unlink()
        page = browse(self.make(DATA / "f07/gpt_xnn.pte"))
        self.assertIn("ptestrip --dedupe --overlap", page.sections["advise"])
        self.assertIn("Storing each once would save", page.sections["duplicates"])
