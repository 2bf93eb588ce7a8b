"""Looks at the pages of --html in a browser without a screen."""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse

from browser import Browser
from checks import DATA, run
from hostile_files import KERNEL_CALL, call, operator, plan, program, tensor

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    raise unittest.SkipTest("there is no chromium")


class Page(html.parser.HTMLParser):
    """What the browser made of a page: `tags` [(tag, attributes)], `sections` {id: text}, `sources` what it loads."""

    def __init__(self, dom):
        super().__init__()
        self.tags, self.sections, self.open, self.text = [], {}, [], ""
        self.feed(dom)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag == "section":
            self.open.append(attributes.get("id"))
            self.sections[attributes.get("id")] = ""

    def handle_endtag(self, tag):
        if tag == "section":
            self.open.pop()

    def handle_data(self, data):
        self.text += data
        for section in self.open:
            self.sections[section] += data

    def all(self, tag, **attributes):
        return [have for name, have in self.tags
                if name == tag and all(have.get(key.rstrip("_")) == value for key, value in attributes.items())]


def browse(path, state=None):
    """The page after its script ran. Fails on anything that the browser complains of."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    url = pathlib.Path(path).as_uri() + ("#" + urllib.parse.urlencode(state) if state else "")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([CHROMIUM, "--headless", *sandbox, "--disable-gpu", "--user-data-dir=" + profile,
                               "--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0", "--virtual-time-budget=4000",
                               "--dump-dom", url], capture_output=True, timeout=120)
    complaints = [line for line in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
    assert not complaints, complaints
    return Page(done.stdout.decode())


def tiles(page):
    """Name and share of the area of each tile right inside what is open; the bytes of this have a margin."""
    found = []
    for button in page.all("button"):
        if button.get("data-depth") != "1":
            continue
        width, height = (float(re.search(side + r":\s*([\d.e-]+)%", button["style"])[1]) for side in ("width", "height"))
        found.append((button["data-name"], width * height))
    whole = sum(area for _, area in found)
    return [(name, area / whole) for name, area in found]


def without_offsets(report):
    """Which pages alone have in their size trees."""
    def strip(node):
        node.pop("offset", None)
        for one in node["components"]:
            strip(one)

    for file in report:
        strip(file["sizes"])
    return report


class PageCase(unittest.TestCase):
    tool = "pteinspect"

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.page = self.folder / "page.html"

    def run_tool(self, *arguments):
        return run(self.tool, *arguments, text=True)

    def make(self, *arguments, exit_code=0):
        done = self.run_tool("--html", self.page, *arguments)
        self.assertEqual((done.returncode, done.stdout), (exit_code, ""), done.stderr)
        return self.page

    def report(self, *arguments):
        return json.loads(self.run_tool("--json", *arguments).stdout)

    def open(self, *arguments, **options):
        return Browser(CHROMIUM, self.make(*arguments).as_uri(), **options)


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
        self.assertEqual(without_offsets(embedded), self.report("-h", "--tensors", "--memory", DATA / "f07/gpt_xnn.pte"))

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


# Of each text in sight, in white or not: its words and the contrast with what is behind it, as WCAG computes it.
CONTRASTS = """(() => {
  const parts = (text) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = text; pen.fillRect(0, 0, 1, 1); return [...pen.getImageData(0, 0, 1, 1).data]; };
  const luminance = (color) => color.slice(0, 3).map((one) => one / 255).map((one) => one <= .03928 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4)
    .reduce((sum, one, i) => sum + one * [.2126, .7152, .0722][i], 0);
  const behind = (node) => {
    if (node.tagName === "text" && node.classList.contains("inside")) {
      const rects = node.parentNode.querySelectorAll("rect");
      return parts(getComputedStyle(rects[rects.length - 1]).fill);
    }
    for (let one = node; one; one = one.parentElement) {
      const color = parts(getComputedStyle(one).backgroundColor);
      if (color[3] === 255) return color;
    }
  };
  const found = [];
  for (const node of document.querySelectorAll("body *")) {
    const text = [...node.childNodes].filter((one) => one.nodeType === 3).map((one) => one.textContent.trim()).join("");
    if (!text || !node.getClientRects().length || ["SCRIPT", "OPTION", "title"].includes(node.tagName)) continue;
    const style = getComputedStyle(node), ink = luminance(parts(node.tagName === "text" ? style.fill : style.color)), paper = luminance(behind(node));
    found.push([text.slice(0, 40), (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05)]);
  }
  return found;
})()"""
# Labels of tiles that stand out of their tile, or of their own place.
CUT_LABELS = """[...document.querySelectorAll('.map button span')].filter((label) => {
  const text = label.getBoundingClientRect(), tile = label.parentNode.getBoundingClientRect();
  return text.right > tile.right || text.bottom > tile.bottom || label.parentNode.scrollWidth > label.parentNode.clientWidth;
}).map((label) => label.textContent)"""
PANEL = ("(() => { const box = document.querySelector('#sizes .panel'); return [['Name', box.querySelector('h3').textContent],"
         " ...[...box.querySelectorAll('dt')].map((one) => [one.textContent, one.nextSibling.textContent])]; })()")
TRAIL = "document.querySelector('.trail').textContent"
TILE = '.map button[data-name="%s"]'
FOCUSED = "document.activeElement.dataset.name"


class Areas(PageCase):
    """Tiles, what they tell, and how they open and close."""

    def test_tiles_group_by_module_and_open_all_the_way_down(self):
        with self.open("-l", DATA / "f08/c_portable_base_foundation.ptd") as page:
            names = page.run("[...document.querySelectorAll('.map button')].map((one) => one.dataset.name)")
            for name in ("blocks", "blocks.0", "blocks.0.norm", "blocks.0.norm.weight"):
                if name != "blocks.0.norm.weight":
                    self.assertIn(name, names)
            for name in ("blocks", "blocks.1", "blocks.1.norm"):
                page.click(TILE % name, down=0.02)
                page.wait_for(TRAIL + ".includes(%s)" % json.dumps(name.rpartition(".")[2] + " "))
            self.assertTrue(page.run(TRAIL).endswith("Tensors 49.66 KB › blocks 25.09 KB › 1 12.54 KB › norm 256 B"), page.run(TRAIL))
            self.assertEqual(page.run("[...document.querySelectorAll('.map button')].map((one) => one.dataset.name)"),
                             ["blocks.1.norm", "blocks.1.norm.weight", "blocks.1.norm.bias"])
            self.assertEqual(page.complaints, [])

    def test_modules_are_those_of_the_text(self):
        file = DATA / "f08/c_portable_base_foundation.ptd"
        with self.open("-l", file) as page:
            shown = page.run("""(() => {
  const lines = [], visit = (node, depth) => {
    lines.push(" ".repeat(depth) + node.name + ": " + node.size);
    for (const one of insideOf(node)) visit(one, depth + 1);
  };
  visit(report[0].sizes.components.find((one) => one.name === "Tensors"), 0);
  return lines.join("\\n") + "\\n";
})()""")
        self.assertEqual(shown, self.run_tool("--bytes", "-e", "Tensors", file).stdout)
        self.assertIn("\n   blocks.0.norm: 256\n    blocks.0.norm.weight: 128\n", shown)

    def test_the_panel_tells_what_a_tile_is(self):
        file = DATA / "f07/gpt_xnn.pte"
        hashes = {one["name"]: one["hash"] for one in self.report("--hash", file)[0]["hash"] if one["what"] == "constant"}
        with self.open(file, width=1400) as page:
            self.assertEqual(dict(page.run(PANEL))["Bytes"], "187.14 KB (187136)")
            page.hover(TILE % "forward.constant_3")
            told = dict(page.run(PANEL))
            self.assertEqual({name: told[name] for name in ("Name", "Type", "Sizes", "Bytes", "Of the file", "Used by", "Hash")},
                             {"Name": "forward.constant_3", "Type": "float32", "Sizes": "[160, 32]", "Bytes": "20.48 KB (20480)",
                              "Of the file": "10.9 %", "Used by": "aten::embedding.out (forward)", "Hash": hashes["forward.constant_3"]})
            place = self.run_tool("--json", "--at", told["Offset"].split(" ")[0], file)
            self.assertIn("forward.constant_3", json.loads(place.stdout)[0]["at"]["components"])
            page.run("document.querySelector('%s').focus()" % TILE % "forward.constant_5")
            self.assertEqual(dict(page.run(PANEL))["Name"], "forward.constant_5")
            page.click(TILE % "forward.constant_0")
            self.assertEqual(dict(page.run(PANEL))["Name"], "forward.constant_0")
            page.click("#sizes .panel a")
            page.wait_for("document.querySelectorAll('section').length === 1")
            self.assertEqual(page.run("document.querySelector('#tensors tr.marked td').textContent"), "forward.constant_0")

    def test_the_panel_tells_who_uses_a_key(self):
        with self.open(DATA / "f07/gpt_xnn.pte") as page:
            page.hover(".map button[data-name^='99a66fdf']")
            told = dict(page.run(PANEL))
            self.assertEqual((told["Used by"], told["Type"]), ("XnnpackBackend_9", "float32"))

    def test_colors_mean_what_is_chosen(self):
        color = "getComputedStyle(document.querySelector('.map button[data-name%s]')).backgroundColor"
        with self.open(DATA / "f07/gpt_xnn_q8.pte") as page:
            self.assertEqual(page.run("[...document.querySelector('#sizes select').options].map((one) => one.value)"),
                             ["component", "type", "quantization", "backend"])
            kinds = {}
            for meaning in ("component", "type", "quantization", "backend"):
                page.run("location.hash = 'color=%s'" % meaning)
                page.wait_for("document.querySelector('#sizes select').value === '%s'" % meaning)
                kinds[meaning] = page.run("[...document.querySelectorAll('.legend li')].map((one) => one.textContent.replace(/ [\\d.]+ .?B$/, ''))")
            self.assertIn("float32", kinds["type"])
            self.assertIn("int8", kinds["type"])
            self.assertEqual(set(kinds["quantization"][:2]), {"8 bits", "floats of 32 bits"})
            self.assertIn("XnnpackBackend", kinds["backend"])
            self.assertNotEqual(page.run(color % '="forward.constant_3"'), page.run(color % '^="309983b0"'))

    def test_every_text_can_be_read(self):
        for dark in (False, True):
            self.page.unlink(missing_ok=True)
            with self.open(DATA / "f07/gpt_xnn_q8.pte", dark=dark) as page:
                for color in ("component", "type"):
                    page.run("location.hash = 'color=%s'" % color)
                    page.wait_for("document.querySelector('#sizes select').value === '%s'" % color)
                    found = page.run(CONTRASTS)
                    self.assertGreater(len(found), 200)
                    self.assertEqual([one for one in found if one[1] < 4.5], [])
            for arguments in (["--diff", DATA / "f08/b_xnn_base.pte", DATA / "f08/b_xnn_v0.pte"], ["--verify", self.damaged()]):
                self.page.unlink(missing_ok=True)
                self.make(*arguments, exit_code=1)
                with Browser(CHROMIUM, self.page.as_uri(), dark=dark) as page:
                    self.assertEqual([one for one in page.run(CONTRASTS) if one[1] < 4.5], [])

    def damaged(self):
        path = self.folder / "damaged.pte"
        path.write_bytes((DATA / "f07/gpt_xnn.pte").read_bytes()[:-4096])
        return path

    def test_labels_are_whole_or_end_in_dots(self):
        self.make(DATA / "f07/gpt_xnn.pte")
        for width in (360, 800, 1400):
            with Browser(CHROMIUM, self.page.as_uri(), width=width) as page:
                self.assertGreater(page.run("document.querySelectorAll('.map button span').length"), 5)
                self.assertEqual(page.run(CUT_LABELS), [])
                page.resize(500)
                page.wait_for("document.querySelector('.map').clientWidth < 500")
                page.run("new Promise((done) => requestAnimationFrame(done))")
                self.assertEqual(page.run(CUT_LABELS), [])

    def test_the_focus_stays_and_escape_goes_out(self):
        with self.open("-l", DATA / "f07/gpt_xnn.pte") as page:
            page.run("document.querySelector('%s').focus()" % TILE % "Delegate Blobs")
            page.press("Enter", 13)
            page.wait_for(TRAIL + ".endsWith('Delegate Blobs 13.66 KB')")
            self.assertEqual(page.run(FOCUSED), "Delegate Blobs")
            page.run("document.querySelector('%s').focus()" % TILE % "XnnpackBackend_9")
            page.press("Enter", 13)
            page.wait_for(TRAIL + ".endsWith('XnnpackBackend_9 1.44 KB')")
            for end in ("Delegate Blobs 13.66 KB", "all 187.14 KB"):
                page.press("Escape", 27)
                page.wait_for(TRAIL + ".endsWith('%s')" % end)
                self.assertEqual(page.run(FOCUSED), "XnnpackBackend_9")
            page.press("Escape", 27)  # from the start there is nowhere to go
            self.assertEqual(page.run(TRAIL), "all 187.14 KB")
            self.assertEqual(page.complaints, [])

    def test_a_damaged_address_opens_the_start(self):
        self.make(DATA / "f07/gpt_xnn.pte")
        for address in ("zoom=%5B%22", "zoom=null", "zoom=5", "zoom=%7B%7D", "file=-1", "file=7", "file=1e9", "file=x", "view=__proto__", "%E0%A4%A",
                        "color=constructor", "zoom=%5B%5B%5D%2C1%5D&file=0.5&view=%00", "find=%3Cb%3E"):
            with Browser(CHROMIUM, self.page.as_uri() + "#" + address) as page:
                self.assertEqual((page.run(TRAIL), page.run("document.querySelectorAll('section').length > 10"), page.complaints),
                                 ("all 187.14 KB", True, []), address)

    def test_nothing_is_wider_than_a_phone(self):
        self.make(DATA / "f07/gpt_xnn.pte")
        with Browser(CHROMIUM, self.page.as_uri(), width=360, height=740) as page:
            self.assertEqual(page.run("document.documentElement.scrollWidth"), 360)
            self.assertGreater(page.run("document.querySelector('.panel').getBoundingClientRect().top"),
                               page.run("document.querySelector('.map').getBoundingClientRect().bottom"))

    def test_the_growth_is_in_sight_on_a_phone(self):
        self.make("--diff", DATA / "f08/a_portable_v0.pte", DATA / "f08/a_portable_base.pte", exit_code=1)
        with Browser(CHROMIUM, self.page.as_uri(), width=360, height=740) as page:
            self.assertLess(page.run("document.querySelector('#diff td.shrank').getBoundingClientRect().right"), 360)

    def test_prints_on_white_without_controls(self):
        with self.open(DATA / "f07/gpt_xnn.pte", dark=True) as page:
            page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            self.assertEqual(page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            self.assertEqual(page.run("[...document.querySelectorAll('input, select, nav')].filter((one) => one.getClientRects().length).length"), 0)


class OtherViews(PageCase):
    """The diff, the graph, and what is found without being asked for."""

    def test_the_diff_opens_first_with_signs_and_subtotals(self):
        old, new = DATA / "f08/a_portable_v0.pte", DATA / "f08/a_portable_base.pte"
        self.make("--diff", old, new, exit_code=1)
        diff = self.report("--diff", old, new)[-1]["diff"]
        with Browser(CHROMIUM, self.page.as_uri()) as page:
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
        with Browser(CHROMIUM, self.page.as_uri()) as page:
            rows = page.run("[...document.querySelectorAll('#diff table.diff tr.module')].map((row) => [row.cells[1].textContent,"
                            " Number(row.cells[4].title.split(' ')[0])])")
            self.assertIn("blocks", [name for name, _ in rows])
            for name, growth in rows:
                inside = [one for one in diff["sizes"] if (one.get("module", "") + ".").startswith(name + ".")]
                self.assertEqual(growth, sum(one["new_bytes"] - one["old_bytes"] for one in inside), name)
            self.assertEqual(page.complaints, [])

    def test_the_diff_opens_first_beside_data_files(self):
        self.make("--diff", DATA / "f08/d_xnn_v0.pte", DATA / "f08/d_xnn_v1.pte", "--data", DATA / "f08/d_xnn_v1_foundation.ptd", exit_code=1)
        with Browser(CHROMIUM, self.page.as_uri()) as page:
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
