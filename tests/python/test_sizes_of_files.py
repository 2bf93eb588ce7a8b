"""size_distribution_from_pte: the answers for real files, and what it says of others."""

import errno
import io
import os
import pathlib
import tempfile
import unittest

from common import DATA, from_json, inspect, to_json_names
from pteedit.ptetools import SizeDistribution, size_distribution_from_pte


class FrozenAnswers(unittest.TestCase):
    def test_a_program(self):
        expected = SizeDistribution(
            "Total Size",
            1680,
            [
                SizeDistribution("Program Flatbuffer", 1432),
                SizeDistribution(
                    "Constant Tensors",
                    144,
                    [
                        SizeDistribution("forward.constant_0", 128, dtype="float32"),
                        SizeDistribution("forward.constant_1", 16, dtype="float32"),
                    ],
                ),
                SizeDistribution("Padding", 104),
            ],
        )
        found = size_distribution_from_pte(DATA / "f02_linear.pte")
        inside = {part.name: part.size for part in found.components[0].components}
        self.assertEqual(sum(inside.values()), 1432)
        self.assertTrue({"header", "vtables", "method forward", "between tables"} <= set(inside), inside)
        found.components[0].components = []
        self.assertEqual(found, expected)

    def test_other_names_of_the_same_bytes_are_aliases(self):
        constants = size_distribution_from_pte(DATA / "f06" / "mixed.pte").components[1]
        self.assertEqual(constants.components[1].name, "decode.constant_1")
        self.assertEqual(constants.components[1].aliases, ["prefill.constant_0"])

    def test_a_data_file(self):
        expected = (
            "Data Flatbuffer: 208 B\n header: 60 B\n vtables: 38 B\n segments: 20 B\n named_data: 56 B\n strings: 14 B\n"
            " between tables: 20 B\nTensors: 128 B\n fc.weight: 128 B\nPadding: 48 B"
        )
        self.assertEqual(str(size_distribution_from_pte(DATA / "f04" / "w.ptd")), expected)

    def test_a_bundled_program(self):
        sizes = size_distribution_from_pte(DATA / "f11_bundled_portable.bpte")
        self.assertEqual([part.name for part in sizes.components], ["Bundled Data", "Program"])
        self.assertEqual(sizes.size, (DATA / "f11_bundled_portable.bpte").stat().st_size)
        self.assertEqual(sizes.components[1].components[0].name, "Program Flatbuffer")


class Agreement(unittest.TestCase):
    def test_every_file_is_measured_as_the_tool_does(self):
        files = sorted(path for path in DATA.rglob("*") if path.suffix in (".pte", ".ptd", ".bpte"))
        self.assertGreater(len(files), 100)
        for path in files:
            with self.subTest(path=str(path.relative_to(DATA))):
                found = size_distribution_from_pte(path)
                self.assertEqual(to_json_names(found), from_json(inspect(path)["sizes"]))
                self.assert_sums(found)
                self.assertEqual(found.size, path.stat().st_size)

    def assert_sums(self, tree):
        if tree.components:
            self.assertEqual(tree.size, sum(component.size for component in tree.components))
        for component in tree.components:
            self.assert_sums(component)


class KindsOfInput(unittest.TestCase):
    def setUp(self):
        self.path = DATA / "f06" / "mixed.pte"
        self.expected = size_distribution_from_pte(self.path)

    def test_text_and_bytes_paths(self):
        self.assertEqual(size_distribution_from_pte(str(self.path)), self.expected)
        self.assertEqual(size_distribution_from_pte(os.fsencode(self.path)), self.expected)

    def test_open_files(self):
        with open(self.path, "rb") as file:
            self.assertEqual(size_distribution_from_pte(file), self.expected)
        self.assertEqual(size_distribution_from_pte(io.BytesIO(self.path.read_bytes())), self.expected)

    def test_raw_files_that_give_less_than_asked_for(self):
        class Dribble(io.BytesIO):
            def read(self, size=-1):
                return super().read(min(size, 100))

        self.assertEqual(size_distribution_from_pte(Dribble(self.path.read_bytes())), self.expected)

    def test_the_weights_of_an_open_file_are_not_read(self):
        class Counter(io.BytesIO):
            count = 0

            def read(self, size=-1):
                data = super().read(size)
                self.count += len(data)
                return data

        path = DATA / "f07" / "gpt_basic.pte"
        counter = Counter(path.read_bytes())
        tables = size_distribution_from_pte(counter).components[0].size
        self.assertLess(counter.count, tables + 16384)
        self.assertLess(counter.count, path.stat().st_size / 2)


class Errors(unittest.TestCase):
    def assert_fails(self, error, message, argument):
        with self.assertRaises(error) as caught:
            size_distribution_from_pte(argument)
        self.assertEqual(str(caught.exception), message)

    def test_a_file_that_is_not_there(self):
        message = "[Errno 2] cannot open: No such file or directory: '/no such.pte'"
        self.assert_fails(FileNotFoundError, message, "/no such.pte")

    def test_a_folder(self):
        with self.assertRaisesRegex(OSError, "not a regular file") as caught:
            size_distribution_from_pte(DATA)
        self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.EIO, str(DATA)))

    def test_another_kind_of_file(self):
        with self.assertRaisesRegex(ValueError, r"README\.md: not a \.pte, \.ptd or \.bpte file: [^\n]*$"):
            size_distribution_from_pte(DATA / "README.md")

    def test_a_malformed_file_is_blamed_by_name(self):
        whole = (DATA / "f02_linear.pte").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "cut\n.pte")
            path.write_bytes(whole[:-4])
            with self.assertRaisesRegex(ValueError, r"/cut\\x0a\.pte: [^\n]*segment[^\n]*$"):
                size_distribution_from_pte(path)

    def test_a_malformed_stream_too(self):
        stream = io.BytesIO((DATA / "f02_linear.pte").read_bytes()[:-4])
        with self.assertRaisesRegex(ValueError, "^<stream>: "):
            size_distribution_from_pte(stream)

    def test_an_open_file_that_ends_early(self):
        class Short(io.BytesIO):
            def read(self, size=-1):
                return b""

        self.assert_fails(OSError, "[Errno 5] the read function gave 0 bytes, 64 expected: '<stream>'", Short(bytes(1000)))

    def test_what_an_open_file_raises_is_raised_on(self):
        class Broken(io.BytesIO):
            def read(self, size=-1):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            size_distribution_from_pte(Broken(bytes(1000)))

    def test_something_that_is_no_file(self):
        with self.assertRaises((TypeError, AttributeError)):
            size_distribution_from_pte(3)


if __name__ == "__main__":
    unittest.main()
