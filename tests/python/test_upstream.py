"""docs/upstream/ptetools.py, and the fixture of the pytest plugin."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from common import DATA, PROJECT
from pteedit.ptetools import size_distribution_from_pte
from test_exec_prog import WriterOfData

LINEAR = DATA / "f02_linear.pte"


class Proposed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        spec = importlib.util.spec_from_file_location("proposed_ptetools", PROJECT / "docs" / "upstream" / "ptetools.py")
        cls.ptetools = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = cls.ptetools
        cls.addClassCleanup(sys.modules.pop, spec.name)
        spec.loader.exec_module(cls.ptetools)

    def test_is_about_sixty_lines(self):
        lines = (PROJECT / "docs" / "upstream" / "ptetools.py").read_text().splitlines()
        self.assertLess(sum(bool(line.strip()) for line in lines), 60)

    def test_prints_what_ours_prints(self):
        for path in (LINEAR, DATA / "f06" / "mixed.pte", DATA / "f04" / "w.ptd"):
            sizes = self.ptetools.size_distribution_from_pte(path)
            ours = size_distribution_from_pte(path)
            self.assertEqual(sizes.size, ours.size)
            self.assertEqual([part.name for part in sizes.components], [part.name for part in ours.components])
            self.assertIn("<details", sizes._repr_html_())

    def test_a_leaf_is_its_line_and_has_no_components(self):
        leaf = self.ptetools.size_distribution_from_pte(LINEAR).components[0]
        while leaf.components:
            leaf = leaf.components[0]
        self.assertIsNone(leaf.components)
        self.assertRegex(str(leaf), r"^\S.*: \d+ B$")
        self.assertEqual(str(self.ptetools.SizeDistribution("x", 51232)), "x: 51.23 KB")

    def test_takes_what_the_export_script_has(self):
        sizes = self.ptetools.size_distribution(WriterOfData("f04/linear.pte", "f04/w.ptd"))
        self.assertEqual(sizes.components[-1].name, "w.ptd")


class Fixture(unittest.TestCase):
    def pytest(self, *lines):
        if importlib.util.find_spec("pytest") is None:
            self.skipTest("pytest is not installed")
        with tempfile.TemporaryDirectory() as folder:
            body = textwrap.indent("\n".join(lines), "    ")
            path = pathlib.Path(folder, "test_size.py")
            path.write_text(f"LINEAR = {str(LINEAR)!r}\ndef test_size(pte_size):\n{body}\n")
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        return done.returncode, done.stdout + done.stderr

    def test_passes_what_is_not_larger(self):
        code, text = self.pytest("sizes = pte_size(LINEAR, limit=1680)", "assert pte_size(LINEAR, '1.68 KB') == sizes",
                                 "assert sizes.size == 1680", "pte_size(open(LINEAR, 'rb'), 1680)")
        self.assertEqual(code, 0, text)

    def test_fails_what_is_larger_with_what_takes_the_space(self):
        code, text = self.pytest("pte_size(LINEAR, limit='1.5 KB')")
        self.assertEqual(code, 1, text)
        self.assertIn("f02_linear.pte has 1680 bytes, 180 more than 1500\nProgram Flatbuffer: ", text)

    def test_says_what_is_no_limit(self):
        for limit in ("-1", "12 M", "x", ""):
            code, text = self.pytest(f"pte_size(LINEAR, limit={limit!r})")
            self.assertEqual(code, 1)
            self.assertIn(f"ValueError: {limit!r} is no size", text)


if __name__ == "__main__":
    unittest.main()
