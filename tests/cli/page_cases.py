"""What the checks of --html's pages share: the browser, and cases that make a page."""

import html.parser
import json
import pathlib
import re
import shutil
import tempfile
import unittest
import urllib.parse

from browser import Browser
from checks import run

FOCUSED = "document.activeElement.dataset.name"


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
    with Browser(pathlib.Path(path).as_uri() + ("#" + urllib.parse.urlencode(state) if state else "")) as page:
        dom = page.run("document.documentElement.outerHTML")
        assert not page.complaints, page.complaints
    return Page(dom)


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
        return Browser(self.make(*arguments).as_uri(), **options)
