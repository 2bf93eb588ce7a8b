"""Sizes by who needs them, and packages of the native backend."""

import pathlib
import tempfile
import unittest

import pteedit
from common import DATA, from_json, inspect, run_tool


class Grouped(unittest.TestCase):
    """Sizes by who needs them, as the tool tells them."""

    FILES = ("f03_mlp_xnn.pte", "f06/portable_cm.pte", "f04/w.ptd", "f07/gpt_xnn.pte")

    def test_sizes_by_axes(self):
        for name in self.FILES:
            for axes in (["component"], ["dtype", "backend"], ["method", "operator"]):
                with self.subTest(name=name, axes=axes):
                    told = inspect(DATA / name, "--by", ",".join(axes))["by"]
                    found = pteedit.open(DATA / name).sizes_by(*axes)
                    self.assertEqual([{**dict(zip(one.axes, one.names)), "bytes": one.bytes} for one in found], told)
                    self.assertEqual(sum(one.bytes for one in found), (DATA / name).stat().st_size)
        self.assertIn("<th>Dtype</th>", found._repr_html_() + pteedit.open(DATA / name).sizes_by("dtype")._repr_html_())
        for axes in ((), ("color",), ("method", "method"), ("method", "dtype", "backend")):
            self.assertRaisesRegex(pteedit.Error, "sizes are by one or two of component, ", pteedit.open(DATA / name).sizes_by, *axes)

    def test_retained(self):
        for name in self.FILES:
            found = pteedit.open(DATA / name).retained()
            rows = [{"kind": one.kind, "name": one.name, "bytes": one.bytes, "components": one.components} for one in found]
            self.assertEqual(rows, inspect(DATA / name, "--retained")["retained"])
        self.assertIn("<th>Retained</th>", found._repr_html_())
        self.assertEqual(len(set(found)), len(found))

    def test_data_files_count_too(self):
        paths = [DATA / "f08" / f"c_xnn_v0{name}" for name in (".pte", "_foundation.ptd", "_lora.ptd")]
        found = pteedit.open(paths[0], data=paths[1:]).sizes_by("method")
        self.assertEqual(sum(one.bytes for one in found), sum(path.stat().st_size for path in paths))


class NativePackages(unittest.TestCase):
    PATH = DATA / "native" / "two_methods.ptn"

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_are_opened_to_look(self):
        package = pteedit.open(self.PATH)
        self.assertIsInstance(package, pteedit.NativePackage)
        told = inspect(self.PATH, "--methods", "--tensors", "--operators")
        self.assertEqual(list(package.methods), [row["name"] for row in told["methods"]])
        self.assertRegex(repr(next(iter(package.methods.values()))), r"^<NativeMethod '[a-z]+' \(float32\[.*\) -> \(float32\[.*, [0-9]+ instructions>$")
        self.assertEqual([row.name for row in package.operators], [row["name"] for row in told["operators"]])
        self.assertEqual(from_json(told["sizes"]).size, package.sizes().size)
        weight = package.constants["copy.weight"]
        self.assertEqual(weight.numpy().nbytes, 512)
        self.assertIs(weight.data.readonly, True)
        self.assertEqual(package.verify(), [])
        self.assertTrue(package.same(self.PATH))
        self.assertFalse(package.same(DATA / "native" / "tuned.ptn"))
        self.assertTrue(package.diff(DATA / "native" / "tuned.ptn"))
        for shown in (package, package.methods, package.operators, package.constants, package.segments):
            self.assertIn("<table>", shown._repr_html_())
        page = self.folder / "page.html"
        run_tool("pteinspect", self.PATH, "--html", page)
        self.assertTrue(package.html() == page.read_text())
        with open(self.PATH, "rb") as stream:
            self.assertIsInstance(pteedit.open(stream), pteedit.NativePackage)

    def test_are_merged_as_by_the_tool(self):
        variants = {"a": self.PATH, "b": DATA / "native" / "tuned.ptn"}
        merged = pteedit.merge_packages(variants)
        run_tool("ptemerge", *(f"{name}={path}" for name, path in variants.items()), "-o", self.folder / "tool")
        written = (self.folder / "tool" / "shared.ptn").read_bytes()
        self.assertEqual(merged.to_bytes(), {"shared.ptn": written})
        self.assertEqual(merged.report.bytes_before - merged.report.bytes_after, sum(path.stat().st_size for path in variants.values()) - len(written))
        merged.save(self.folder / "saved.ptn")
        self.assertEqual((self.folder / "saved.ptn").read_bytes(), written)
        opened = {name: pteedit.open(path) for name, path in variants.items()}
        self.assertEqual(pteedit.merge_packages(opened, name="x.ptn").to_bytes(), {"x.ptn": written})
        self.assertRaisesRegex(pteedit.Error, "package", pteedit.merge_packages, {"a": DATA / "f02_linear.pte"})

    def test_are_not_rewritten(self):
        package = pteedit.open(self.PATH)
        for call in (pteedit.strip, pteedit.copy, pteedit.split, pteedit.join, lambda file: pteedit.merge({"a.pte": [file]})):
            for file in (package, self.PATH, self.PATH.read_bytes()):
                self.assertRaisesRegex(pteedit.Error, "package of the native backend .*looked at, and merged", call, file)

    def test_damage_is_found(self):
        damaged = self.PATH.read_bytes()[:-40]
        self.assertRaises(pteedit.Error, pteedit.open, damaged)
        self.assertTrue(pteedit.verify(damaged))


if __name__ == "__main__":
    unittest.main()
