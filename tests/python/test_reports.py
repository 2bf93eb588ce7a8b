"""Views as dicts: what pteinspect prints as JSON."""

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
            self.assertEqual(shown(pteedit.diff(old, new)), printed[-1]["diff"])

    def test_diff_is_between_releases_with_their_data_files(self):
        old, new = (str(DATA / "f08" / f"c_xnn_{variant}.pte") for variant in ("v0", "v1"))
        old_data, data = ([str(DATA / "f08" / f"c_xnn_{variant}_{name}.ptd") for name in ("foundation", "lora")]
                          for variant in ("v0", "v1"))
        options = [option for file in data for option in ("--data", file)]
        printed = json.loads(run_tool("pteinspect", "--json", "--diff", ",".join([old, *old_data]), new, *options).stdout)
        self.assertEqual(shown(pteedit.diff(old, new, old_data=old_data, data=data)), printed[-1]["diff"])

    def test_errors(self):
        with self.assertRaisesRegex(FileNotFoundError, "cannot open.*no.pte"):
            pteedit.delegates(DATA / "no.pte")
        with self.assertRaisesRegex(ValueError, "manifest.json: "):
            pteedit.diff(DATA / "manifest.json", DATA / "f02_linear.pte")
        with self.assertRaisesRegex(ValueError, "f02_linear.pte: is a pte, .*w.ptd is a ptd"):
            pteedit.diff(DATA / "f04" / "w.ptd", DATA / "f02_linear.pte")


if __name__ == "__main__":
    unittest.main()
