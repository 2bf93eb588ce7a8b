"""Names of contents: from checkpoints and records, and in data frames."""

import json
import unittest

from common import DATA
from pteedit import Container, ContentNames, delegates, diff
from pteedit.ptetools import size_distribution_from_pte

PROGRAM = DATA / "names/layers_xnnpack.pte"
CHECKPOINT = DATA / "names/layers.safetensors"
RECORD = DATA / "names/layers_xnnpack.etrecord"
EXPECTED = json.loads((DATA / "names/layers.expected.json").read_text(encoding="utf-8"))


def keys(sizes):
    (component,) = [part for part in sizes.components if part.name == "Named Data"]
    return component.components


class Names(unittest.TestCase):
    def test_keys_are_called_as_in_the_checkpoint(self):
        for names in ([CHECKPOINT], [RECORD], [str(CHECKPOINT), RECORD]):
            rows = keys(size_distribution_from_pte(PROGRAM, names))
            self.assertEqual({row.aliases[-1]: [row.name] for row in rows}, {key: names for key, names in EXPECTED.items() if key in {row.aliases[-1] for row in rows}})
            self.assertEqual(len(rows), 9)

    def test_without_checkpoint_they_are_their_keys(self):
        self.assertEqual([row.aliases for row in keys(size_distribution_from_pte(PROGRAM))], [[]] * 9)

    def test_contents_name_themselves(self):
        (key, *_) = [entry.key for entry in Container.open_file(PROGRAM).describe().named_data]
        named = Container.open_file(PROGRAM).named(ContentNames(contents=[("my.weight", 864, key)]))
        self.assertEqual(named.describe().named_data[0].names, ["my.weight"])

    def test_delegates_and_differences_have_names(self):
        constants = [row["name"] for row in delegates(PROGRAM, names=[CHECKPOINT])[0]["constants"]]
        self.assertIn("depthwise.weight", constants)
        changes = diff(PROGRAM, DATA / "names/layers_portable.pte", names=[CHECKPOINT]).sizes
        self.assertIn("fc.weight", [change.name for change in changes])

    def test_what_knows_no_names_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "has no names: it is a program"):
            size_distribution_from_pte(PROGRAM, [PROGRAM])
        with self.assertRaises(OSError):
            size_distribution_from_pte(PROGRAM, [DATA / "nothing.safetensors"])

    def test_data_frames_have_a_column_for_other_names(self):
        try:
            frame = size_distribution_from_pte(PROGRAM, [CHECKPOINT]).to_dataframe()
        except ImportError:
            self.skipTest("no pandas")
        self.assertEqual(list(frame.columns), ["Name", "Size (bytes)", "Level", "Other Names", "Type", "Module"])
        (other,) = frame[frame["Name"] == "fc.weight"]["Other Names"]
        self.assertEqual(EXPECTED[other], ["fc.weight"])
        self.assertEqual(frame[frame["Module"] == "fc"]["Name"].tolist(), ["fc.weight", "fc.bias"])

    def test_how_much_is_of_a_type_is_one_query(self):
        try:
            frame = size_distribution_from_pte(PROGRAM).to_dataframe()
        except ImportError:
            self.skipTest("no pandas")
        (weights,) = frame[frame["Name"] == "Named Data"]["Size (bytes)"]
        self.assertEqual(frame[frame["Type"] == "float32"]["Size (bytes)"].sum(), weights)


if __name__ == "__main__":
    unittest.main()
