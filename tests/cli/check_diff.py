"""Holds `pteinspect --diff` on pairs of real exports against what the exporter's own reader found in them, by content, and
against what the exporter's diff_pte.py tells of them; see tests/models/diff_pairs.py.
"""

import collections
import gzip
import json
import unittest

from checks import DATA, run

TYPES = {"float": "float32", "half": "float16", "double": "float64", "long": "int64", "int": "int32", "short": "int16",
         "char": "int8", "byte": "uint8", "bool": "bool", "bfloat16": "bfloat16"}
NUMBERS = {code: name for code, name in enumerate("uint8 int8 int16 int32 int64 float16 float32 float64".split())}
BFLOAT16 = 15
KNOWN = json.loads(gzip.decompress((DATA / "diff/contents.json.gz").read_bytes()))
WEIGHTS = ("Constant Tensors", "Mutable Tensors", "Named Data", "Tensors")
# Pairs in which value N of one program is value N of the other: diff_pte.py compares by nothing else.
SAME_VALUES = ("lora_versions", "tuned", "shape", "method", "types")


def diff_of(old, new):
    data = [word for name in new[1:] for word in ("--data", DATA / name)]
    done = run("pteinspect", "--json", "--diff", ",".join(str(DATA / name) for name in old), *data, DATA / new[0])
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)[-1]["diff"]


def contents_of(names):
    """How often each content is there: the exporter keeps one of each among the constants and among the keys of a file."""
    contents = collections.Counter()
    for name in names:
        known = KNOWN["files"][name]
        contents.update({one["sha256"] for one in known.get("constants", ())})
        contents.update({one["sha256"] for one in known["keys"].values()})
    return contents


def program_of(names):
    return KNOWN["files"][names[0]]


def calls_of(names):
    return sum((collections.Counter(method["calls"]) for method in program_of(names)["methods"].values()),
               collections.Counter())


def delegates_of(names):
    return collections.Counter(one for method in program_of(names)["methods"].values() for one in method["delegates"])


def words_of(value):
    kind, what = value
    if kind in TYPES and isinstance(what, list):
        return f"{TYPES[kind]}[{','.join(map(str, what))}]"
    return {True: "true", False: "false"}[what] if kind == "bool" else f"'{what}'" if kind == "string" else str(what)


def is_constant(method):
    return method["instructions"] == 0 and not method["inputs"]


class Diff(unittest.TestCase):
    def test_pairs(self):
        for name, pair in KNOWN["pairs"].items():
            for old, new in ((pair["old"], pair["new"]), (pair["new"], pair["old"])):
                self.diff, self.old, self.new = diff_of(old, new), old, new
                for check in (self.check_sums, self.check_weights, self.check_methods, self.check_operators,
                              self.check_signatures, self.check_types):
                    with self.subTest(pair=name, old=old[0], check=check.__name__):
                        check()
            with self.subTest(pair=name, check="diff_pte"):
                self.diff, self.old, self.new = diff_of(pair["old"], pair["new"]), pair["old"], pair["new"]
                self.check_against_diff_pte(pair["diff_pte"], name in SAME_VALUES)

    def rows(self, *kinds):
        return [row for row in self.diff["sizes"] if row["change"] in kinds and row["component"] in WEIGHTS]

    def meaning(self, what):
        return {row["name"]: (row["before"], row["after"]) for row in self.diff["meaning"] if row["what"] == what}

    def check_sums(self):
        sizes = [sum((DATA / name).stat().st_size for name in side) for side in (self.old, self.new)]
        self.assertEqual([self.diff["old_bytes"], self.diff["new_bytes"]], sizes)
        for member, growth in (("sizes", sizes[1] - sizes[0]), ("components", sizes[1] - sizes[0])):
            self.assertEqual(sum(row["new_bytes"] - row["old_bytes"] for row in self.diff[member]), growth)

    def check_weights(self):
        """What is on both sides is the same, wherever it is; what is on one side is changed, added or removed."""
        old, new = contents_of(self.old), contents_of(self.new)
        weights, common = self.diff["weights"], sum((old & new).values())
        self.assertEqual(weights["same"], common)
        self.assertEqual(weights["changed"] + weights["removed"], sum(old.values()) - common)
        self.assertEqual(weights["changed"] + weights["added"], sum(new.values()) - common)
        self.assertEqual(len(self.rows("added")), weights["added"])
        self.assertEqual(len(self.rows("removed")), weights["removed"])
        for row in self.rows("moved", "renamed"):
            self.assertTrue(row["same_content"], row)

    def check_methods(self):
        before, after = program_of(self.old)["methods"], program_of(self.new)["methods"]
        told = {row["name"]: row for row in self.diff["methods"]}
        for name in {**before, **after}:
            empty = {"instructions": 0, "values": 0, "arenas": [0]}
            then, now = before.get(name, empty), after.get(name, empty)
            facts = [(one["instructions"], one["values"], one["arenas"][1:]) for one in (then, now)]
            self.assertEqual(name in told, (name in before) != (name in after) or facts[0] != facts[1], name)
            if name in told:
                row = told[name]
                self.assertEqual([(row[f"{side}_instructions"], row[f"{side}_values"], row[f"{side}_arenas"])
                                  for side in ("old", "new")], facts)

    def check_operators(self):
        old, new = calls_of(self.old), calls_of(self.new)
        expected = {op: (old[op], new[op]) for op in old | new if old[op] != new[op]}
        told = {row["name"]: (row["old_calls"], row["new_calls"]) for row in self.diff["operators"] if not row["backend"]}
        self.assertEqual(told, expected)
        old, new = delegates_of(self.old), delegates_of(self.new)
        self.assertEqual(set(self.meaning("backend")), {one for one in old | new if old[one] != new[one]})

    def check_signatures(self):
        before, after = program_of(self.old)["methods"], program_of(self.new)["methods"]
        for what, member in (("input", "inputs"), ("output", "outputs")):
            expected = {}
            for name in before.keys() & after.keys():
                if what == "output" and is_constant(before[name]) and is_constant(after[name]):
                    continue
                pairs = zip(map(words_of, before[name][member]), map(words_of, after[name][member]))
                expected.update({f"{name} {i}": pair for i, pair in enumerate(pairs) if pair[0] != pair[1]})
            self.assertEqual(self.meaning(what), expected)
        values = {}
        for name in before.keys() | after.keys():
            pair = tuple([words_of(value) for value in methods[name]["outputs"]]
                         if name in methods and is_constant(methods[name]) else [] for methods in (before, after))
            if pair[0] != pair[1]:
                values[name] = pair
        told = self.meaning("value")
        self.assertEqual(set(told), set(values))
        for name, pair in values.items():
            for text, words in zip(told[name], pair):
                for word in words:
                    self.assertIn(word.strip("'"), text)

    def check_types(self):
        """A pair of weights is of one shape, and each type is one that is there."""
        known = [{f"{TYPES[one['type'][0]]}[{','.join(map(str, one['type'][1]))}]"
                  for one in program_of(side).get("constants", ())} for side in (self.old, self.new)]
        for row in self.rows("changed", "added", "removed"):
            for side, types in (("old", known[0]), ("new", known[1])):
                component = row["old_component"] if side == "old" and row["old_component"] else row["component"]
                if component == "Constant Tensors" and row[f"{side}_type"]:
                    self.assertIn(row[f"{side}_type"], types)
            if row["change"] == "changed" and row["old_type"] and row["new_type"]:
                self.assertEqual(row["old_type"].partition("[")[2], row["new_type"].partition("[")[2])

    def check_against_diff_pte(self, told, same_values):
        """Everything that diff_pte.py tells, ours tells."""
        self.assertEqual(told["version_a"] is not None, "program" in self.meaning("version"))
        names = {row["name"] for row in self.diff["methods"] if row["change"] == "removed"}
        self.assertLessEqual(set(told["extra_plans_in_a"]), names)
        for one in told["named_data_diffs"]:
            side = ("name", "new_bytes") if one["only_in"] == "B" else ("old_name", "old_bytes")
            found = {row[side[0]] or row["name"] for row in self.diff["sizes"] if row["change"] != "added" or side[0] == "name"}
            moved = {row["name"] for row in self.diff["sizes"] if row["change"] == "moved"}
            self.assertIn(one["key"], found | moved)
        elements = []
        for plan in told["plan_diffs"]:
            self.check_plan(plan, same_values)
            elements += [one for one in plan["tensor_diffs"] if one["num_differing"]]
        if same_values:
            self.check_elements(elements)

    def check_plan(self, plan, same_values):
        rows = self.diff["methods"]
        if plan["value_count_a"] is not None:
            self.assertIn((plan["value_count_a"], plan["value_count_b"]), [(r["old_values"], r["new_values"]) for r in rows])
        if plan["instruction_count_a"] is not None:
            self.assertIn((plan["instruction_count_a"], plan["instruction_count_b"]),
                          [(r["old_instructions"], r["new_instructions"]) for r in rows])
        if plan["non_const_buffer_sizes_a"] is not None:
            self.assertIn((plan["non_const_buffer_sizes_a"][1:], plan["non_const_buffer_sizes_b"][1:]),
                          [(r["old_arenas"], r["new_arenas"]) for r in rows])
        calls = {row["name"] for row in self.diff["operators"]}
        self.assertLessEqual({*plan["operators_only_in_a"], *plan["operators_only_in_b"]}, calls)
        self.assertLessEqual({*plan["delegates_only_in_a"], *plan["delegates_only_in_b"]}, set(self.meaning("backend")))
        if not same_values:
            return
        texts = [(row["before"] or "", row["after"] or "") for row in self.diff["meaning"]]
        for value in plan["evalue_diffs"]:
            for field in value["field_diffs"]:
                if field["field_name"] != "items":
                    pair = str(field["value_a"]).lower(), str(field["value_b"]).lower()
                    self.assertTrue(any(pair[0] in a.lower() and pair[1] in b.lower() for a, b in texts), field)
        for tensor in plan["tensor_diffs"]:
            for field in tensor["metadata_diffs"]:
                if field["field_name"] == "sizes":
                    pair = [f"[{','.join(map(str, field[side]))}]" for side in ("value_a", "value_b")]
                    self.assertTrue(any(pair[0] in a and pair[1] in b for a, b in texts), field)

    def check_elements(self, tensors):
        """How many elements of each weight differ, and by how much. diff_pte.py counts the bytes of a bfloat16."""
        def of(type_, sizes, differing, largest, mean):
            return f"{type_}[{','.join(map(str, sizes))}] {differing} {largest:.5g} {mean:.5g}"

        expected = {of(NUMBERS[one["tensor_a"]["scalar_type"]], one["tensor_a"]["sizes"], one["num_differing"],
                       one["max_abs_diff"], one["mean_abs_diff"])
                    for one in tensors if one["tensor_a"]["scalar_type"] != BFLOAT16}
        told = {f"{row['new_type']} {one['differing']} {one['largest_difference']:.5g} {one['mean_difference']:.5g}"
                for row in self.rows("changed") for one in (row["elements"],) if not row["new_type"].startswith("bfloat")}
        self.assertEqual(told, expected)
        samples = {(sample["before"], sample["after"]) for row in self.rows("changed") for sample in row["elements"]["first"]}
        for tensor in tensors:
            if tensor["tensor_a"]["scalar_type"] != BFLOAT16:
                first = tensor["element_diffs"][0]
                self.assertIn((first["value_a"], first["value_b"]), samples)

    def test_bfloat16_elements(self):
        [row] = [row for row in diff_of(["diff/types.pte"], ["diff/types_tuned.pte"])["sizes"]
                 if (row["new_type"] or "").startswith("bfloat16")]
        self.assertEqual(row["elements"], {"unit": "numbers", "count": 10, "differing": 2, "largest_difference": 3.0,
                                           "mean_difference": 2.0,
                                           "first": [{"index": 2, "before": 2.0, "after": 5.0},
                                                     {"index": 7, "before": 7.0, "after": 6.0}]})
