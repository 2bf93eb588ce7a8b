"""SizeDistribution by itself: text, data frame and HTML."""

import html.parser
import io
import subprocess
import sys
import unittest
from unittest import mock

from common import DATA, run_tool
from pteedit.ptetools import SizeDistribution, size_distribution_from_pte

# Closes tags and attributes, moves the cursor, is no UTF-8.
HOSTILE = "</b><script>alert(1)</script>\"'&\x1b[2J\udcff\n"

# The example that this class was designed by.
EXAMPLE = SizeDistribution(
    "Total Size",
    13951344,
    [
        SizeDistribution("Program Flatbuffer", 51232),
        SizeDistribution(
            "Constant Tensors",
            112,
            [SizeDistribution("conv_0_weight", 64), SizeDistribution("conv_1_weight", 48)],
        ),
        SizeDistribution(
            "Delegate Blobs",
            13900000,
            [SizeDistribution("XnnpackBackend_0", 8850000), SizeDistribution("XnnpackBackend_1", 5050000)],
        ),
    ],
)


def _names_with_components(node):
    for component in node.components:
        if component.components:
            yield component.name
            yield from _names_with_components(component)


def _without_references(text):
    """Without "refers to:" and the deeper lines below it, which tell of bytes that lie elsewhere."""
    lines, depth = [], None
    for line in text.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip(" "))
        if depth is None or indent <= depth:
            depth = indent if line.strip() == "refers to:" else None
            if depth is None:
                lines.append(line)
    return "".join(lines)


class Text(unittest.TestCase):
    def test_is_indented_by_level_and_has_no_total(self):
        expected = """\
Program Flatbuffer: 51.23 KB
Constant Tensors: 112 B
 conv_0_weight: 64 B
 conv_1_weight: 48 B
Delegate Blobs: 13.90 MB
 XnnpackBackend_0: 8.85 MB
 XnnpackBackend_1: 5.05 MB"""
        self.assertEqual(str(EXAMPLE), expected)

    def test_of_a_leaf_is_its_line(self):
        self.assertEqual(str(SizeDistribution("conv_0_weight", 64)), "conv_0_weight: 64 B")
        self.assertEqual(str(SizeDistribution("a", 64, None, ["b"], "inline")), "a (also b): 64 B (inline)")
        self.assertEqual(SizeDistribution("a", 64, components=None), SizeDistribution("a", 64))

    def test_sizes_have_two_decimals_from_one_thousand_bytes_on(self):
        sizes = [0, 999, 1000, 999999, 10**6, 10**9 - 1, 10**9, 2**40, 1005]
        shown = [str(SizeDistribution("", 0, [SizeDistribution("x", size)])) for size in sizes]
        expected = "0 B,999 B,1.00 KB,1000.00 KB,1.00 MB,1000.00 MB,1.00 GB,1099.51 GB,1.00 KB".split(",")
        self.assertEqual(shown, ["x: " + size for size in expected])

    def test_is_what_the_tool_prints_of_everything(self):
        for name in ("f06/mixed.pte", "f16/twice_inline.pte", "f04/w.ptd", "f12/tied_portable.pte"):
            sizes = size_distribution_from_pte(DATA / name)
            options = [word for opened in _names_with_components(sizes) for word in ("-e", opened)]
            printed = run_tool("pteinspect", "-l", *options, DATA / name).stdout.decode()
            self.assertEqual(str(sizes) + "\n", _without_references(printed), name)

    def test_names_cannot_control_a_terminal(self):
        text = str(SizeDistribution("", 2, [SizeDistribution(HOSTILE, 2, [], [HOSTILE], HOSTILE)]))
        self.assertEqual(len(text.splitlines()), 1)
        self.assertEqual(text.count("\\x1b[2J\\xff\\x0a"), 3)
        text.encode()


class DataFrame(unittest.TestCase):
    def test_has_a_row_for_each_component_below_the_root(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = EXAMPLE.to_dataframe()
        self.assertEqual(list(frame.columns), ["Name", "Size (bytes)", "Level"])
        self.assertEqual(
            [tuple(row) for row in frame.itertuples(index=False)],
            [
                ("Total Size", 13951344, 0),
                ("Program Flatbuffer", 51232, 1),
                ("Constant Tensors", 112, 1),
                ("conv_0_weight", 64, 2),
                ("conv_1_weight", 48, 2),
                ("Delegate Blobs", 13900000, 1),
                ("XnnpackBackend_0", 8850000, 2),
                ("XnnpackBackend_1", 5050000, 2),
            ],
        )
        self.assertEqual(str(frame["Size (bytes)"].dtype), "int64")
        SizeDistribution(HOSTILE, 1).to_dataframe().to_csv().encode()

    def test_says_what_is_missing(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "^to_dataframe needs pandas: pip install pandas$"):
                EXAMPLE.to_dataframe()

    def test_pandas_is_only_imported_when_asked_for(self):
        script = "import sys, pteedit.ptetools; sys.exit('pandas' in sys.modules or 'torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", script]).returncode, 0)


class Parsed(html.parser.HTMLParser):
    """What a browser would make of a page: its tags, their nesting checked, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.text = [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


class Html(unittest.TestCase):
    def test_nests_the_components(self):
        page = Parsed(EXAMPLE._repr_html_())
        self.assertEqual(page.open, [])
        self.assertEqual([tag for tag, _ in page.tags].count("li"), 7)
        self.assertEqual([attributes for tag, attributes in page.tags if tag == "details"], [{"open": None}, {}, {}])
        self.assertIn("Total Size: 13.95 MB (13,951,344 bytes, 100.0 %)", page.text)
        self.assertIn("XnnpackBackend_0: 8.85 MB (8,850,000 bytes, 63.4 %)", page.text)

    def test_hostile_names_are_only_text(self):
        part = SizeDistribution(HOSTILE, 2, [SizeDistribution(HOSTILE, 2)], [HOSTILE], HOSTILE)
        source = SizeDistribution(HOSTILE, 2, [part])._repr_html_()
        page = Parsed(source)
        self.assertEqual(page.open, [])
        self.assertLessEqual({tag for tag, _ in page.tags}, {"div", "details", "summary", "ul", "li", "b", "small"})
        self.assertEqual(page.text.count("<script>alert(1)</script>\"'&\\x1b[2J\\xff\\x0a"), 5)
        source.encode()

    def test_refers_to_nothing_outside(self):
        attributes = [name for _, values in Parsed(EXAMPLE._repr_html_()).tags for name in values]
        self.assertLessEqual(set(attributes), {"class", "open"})

    def test_an_empty_tree_has_no_shares(self):
        self.assertNotIn("%", SizeDistribution("Total Size", 0)._repr_html_())


class HostileFile(unittest.TestCase):
    def test_a_key_of_a_data_file_is_kept_and_shown_escaped(self):
        data = (DATA / "f04" / "w.ptd").read_bytes()
        self.assertEqual(data.count(b"fc.weight"), 1)
        sizes = size_distribution_from_pte(io.BytesIO(data.replace(b"fc.weight", b"<i>\x1b'&\xff\"/")))
        self.assertEqual(sizes.components[1].components[0].name, "<i>\x1b'&\udcff\"/")
        self.assertIn(" <i>\\x1b'&\\xff\"/: 128 B\n", str(sizes))
        page = Parsed(sizes._repr_html_())
        self.assertNotIn("i", [tag for tag, _ in page.tags])
        self.assertIn("<i>\\x1b'&\\xff\"/: 128 B", page.text)


if __name__ == "__main__":
    unittest.main()
