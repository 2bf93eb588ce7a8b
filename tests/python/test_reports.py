"""Looks at files: what pteinspect prints as JSON."""

import json
import unittest

import pteedit
from common import DATA, as_json_shows, inspect, run_tool


def shown(value):
    """With texts as JSON shows them, and key_hex where that loses bytes."""
    if isinstance(value, str):
        return as_json_shows(value)
    if isinstance(value, list):
        return [shown(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {as_json_shows(name): shown(item) for name, item in value.items()}
    if isinstance(value.get("key"), str) and out["key"] != value["key"]:
        out["key_hex"] = value["key"].encode("utf-8", "surrogateescape").hex()
    return out


class Reports(unittest.TestCase):
    def test_delegates_are_those_of_pteinspect(self):
        count = 0
        for path in sorted(DATA.rglob("*.pte")) + sorted(DATA.rglob("*.bpte")):
            with self.subTest(path):
                delegates = pteedit.delegates(path)
                self.assertEqual(shown(delegates), inspect(path, "--delegates")["delegates"])
                count += len(delegates)
        self.assertGreater(count, 40)

    def test_keys_are_looked_up_in_data_files(self):
        path = str(DATA / "f08" / "c_xnn_v0.pte")
        data = [str(DATA / "f08" / f"c_xnn_v0_{name}.ptd") for name in ("foundation", "lora")]
        delegates = pteedit.delegates(path, data=data)
        self.assertEqual({key["file"] for row in delegates for key in row["keys"]}, set(data))
        options = ["--delegates", *[option for file in data for option in ("--data", file)]]
        self.assertEqual(delegates, inspect(path, *options)["delegates"])

    def test_diff_is_that_of_pteinspect(self):
        for old, new in [("f08/a_portable_v0.pte", "f08/a_portable_v1.pte"), ("f02_linear.pte", "f03_mlp_xnn.pte"),
                         ("f08/c_xnn_v0.pte", "f08/c_xnn_v1.pte"), ("f02_linear.pte", "f02_linear.pte")]:
            old, new = str(DATA / old), str(DATA / new)
            printed = json.loads(run_tool("pteinspect", "--json", "--diff", old, new).stdout)
            found = pteedit.diff(old, new)
            self.assertEqual(shown(found.to_dict()), printed[-1]["diff"])
            self.assertEqual(bool(found), old != new)
            self.check_members(found, found.to_dict())

    def check_members(self, view, members):
        """That all of them are those of the JSON."""
        for name, value in members.items():
            member = getattr(view, name)
            if isinstance(value, dict):
                self.check_members(member, value)
            elif isinstance(value, list):
                self.assertEqual(len(member), len(value))
                for row, expected in zip(member, value):
                    self.check_members(row, expected) if isinstance(expected, dict) else self.assertEqual(row, expected)
            else:
                self.assertEqual(member, value)

    def test_diff_shows_what_changed(self):
        old, new = DATA / "diff" / "mlp.pte", DATA / "diff" / "mlp_tuned.pte"
        found = pteedit.diff(old, new)
        self.assertEqual(repr(found), f"<Diff '{old}' to '{new}', 10.77 KB to 10.77 KB: {len(found.sizes)} sizes>")
        self.assertEqual(found, pteedit.diff(old, new))
        self.assertEqual(hash(found), hash(pteedit.diff(old, new)))
        self.assertNotEqual(found, pteedit.diff(new, old))
        changed = next(row for row in found.sizes if row.elements)
        self.assertIn(f"<td>{changed.name}</td>", found._repr_html_())
        self.assertIn(f"<td>{changed.elements.differing} of {changed.elements.count} numbers</td>", found._repr_html_())
        self.assertRegex(repr(pteedit.diff(old, old)), ": nothing>$")
        others = pteedit.diff(DATA / "f02_linear.pte", DATA / "f06" / "portable_cm.pte")._repr_html_()
        for column in ("Component", "Instructions", "Operator", "What"):
            self.assertIn(f"<th>{column}</th>", others)

    def test_diff_is_between_releases_with_their_data_files(self):
        old, new = (str(DATA / "f08" / f"c_xnn_{variant}.pte") for variant in ("v0", "v1"))
        old_data, data = ([str(DATA / "f08" / f"c_xnn_{variant}_{name}.ptd") for name in ("foundation", "lora")]
                          for variant in ("v0", "v1"))
        options = [option for file in data for option in ("--data", file)]
        printed = json.loads(run_tool("pteinspect", "--json", "--diff", ",".join([old, *old_data]), new, *options).stdout)
        self.assertEqual(shown(pteedit.diff(old, new, old_data=old_data, data=data).to_dict()), printed[-1]["diff"])

    def test_errors(self):
        with self.assertRaisesRegex(FileNotFoundError, "cannot open.*no.pte"):
            pteedit.delegates(DATA / "no.pte")
        with self.assertRaisesRegex(ValueError, "manifest.json: "):
            pteedit.diff(DATA / "manifest.json", DATA / "f02_linear.pte")
        with self.assertRaisesRegex(ValueError, "f02_linear.pte: is a pte, .*w.ptd is a ptd"):
            pteedit.diff(DATA / "f04" / "w.ptd", DATA / "f02_linear.pte")


if __name__ == "__main__":
    unittest.main()
