"""Looks at the areas of --html's pages: what they open, say, show in color, and how one gets around in them."""

import json

from browser import Browser
from checks import DATA
from page_cases import FOCUSED, PageCase

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
# Tiles that are wider or higher than their place, and so stand on others.
SWOLLEN_TILES = """(() => {
  const map = document.querySelector('.map');
  return [...map.children].filter((tile) => {
    const box = tile.getBoundingClientRect(), share = (side) => parseFloat(tile.style[side]) / 100;
    return box.width > share("width") * map.clientWidth + .5 || box.height > share("height") * map.clientHeight + .5;
  }).map((tile) => tile.dataset.name);
})()"""
PANEL = ("(() => { const box = document.querySelector('#sizes .panel'); return [['Name', box.querySelector('h3').textContent],"
         " ...[...box.querySelectorAll('dt')].map((one) => [one.textContent, one.nextSibling.textContent])]; })()")
TRAIL = "document.querySelector('.trail').textContent"
TILE = '.map button[data-name="%s"]'


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
                with Browser(self.page.as_uri(), dark=dark) as page:
                    self.assertEqual([one for one in page.run(CONTRASTS) if one[1] < 4.5], [])

    def damaged(self):
        path = self.folder / "damaged.pte"
        path.write_bytes((DATA / "f07/gpt_xnn.pte").read_bytes()[:-4096])
        return path

    def test_labels_are_whole_or_end_in_dots_and_tiles_keep_to_their_places(self):
        self.make(DATA / "f07/gpt_xnn.pte")
        for width in (360, 800, 1400):
            with Browser(self.page.as_uri(), width=width) as page:
                self.assertGreater(page.run("document.querySelectorAll('.map button span').length"), 5)
                self.assertEqual((page.run(CUT_LABELS), page.run(SWOLLEN_TILES)), ([], []))
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
            with Browser(self.page.as_uri() + "#" + address) as page:
                self.assertEqual((page.run(TRAIL), page.run("document.querySelectorAll('section').length > 10"), page.complaints),
                                 ("all 187.14 KB", True, []), address)

    def test_nothing_is_wider_than_a_phone(self):
        self.make(DATA / "f07/gpt_xnn.pte")
        with Browser(self.page.as_uri(), width=360, height=740) as page:
            self.assertEqual(page.run("document.documentElement.scrollWidth"), 360)
            self.assertGreater(page.run("document.querySelector('.panel').getBoundingClientRect().top"),
                               page.run("document.querySelector('.map').getBoundingClientRect().bottom"))

    def test_the_growth_is_in_sight_on_a_phone(self):
        self.make("--diff", DATA / "f08/a_portable_v0.pte", DATA / "f08/a_portable_base.pte", exit_code=1)
        with Browser(self.page.as_uri(), width=360, height=740) as page:
            self.assertLess(page.run("document.querySelector('#diff td.shrank').getBoundingClientRect().right"), 360)
            self.assertEqual(page.run("document.querySelector('#diff tr.row td').getClientRects().length"), 1)

    def test_prints_on_white_without_controls(self):
        with self.open(DATA / "f07/gpt_xnn.pte", dark=True) as page:
            page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            self.assertEqual(page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            self.assertEqual(page.run("[...document.querySelectorAll('input, select, nav')].filter((one) => one.getClientRects().length).length"), 0)
