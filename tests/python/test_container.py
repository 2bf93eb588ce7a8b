"""pteedit.Container, the library as Python sees it."""

import gc
import threading
import unittest

from common import DATA, as_json_shows, inspect
from pteedit import Container


def layout_json(layout):
    return {} if layout is None else {"dtype": layout.dtype, "sizes": layout.sizes, "dim_order": layout.dim_order}


def value_json(value):
    return {"value": value.value, "type": value.type, **layout_json(value.layout)}


def key_json(key):
    shown = {"key": as_json_shows(key)}
    if shown["key"] != key:
        shown["key_hex"] = key.encode("utf-8", "surrogateescape").hex()
    return shown


def description_json(description):
    """The members of `pteinspect --json` that show a description."""
    return {
        "methods": [
            {
                "name": as_json_shows(method.name),
                "inputs": [value_json(value) for value in method.inputs],
                "outputs": [value_json(value) for value in method.outputs],
                "instructions": method.instructions,
                "kernel_calls": method.kernel_calls,
                "delegate_calls": method.delegate_calls,
                "planned_bytes": method.planned_bytes,
            }
            for method in description.methods
        ],
        "tensors": [
            {
                "name": as_json_shows(tensor.name) or None,
                "aliases": [as_json_shows(alias) for alias in tensor.aliases],
                "method": as_json_shows(tensor.method) or None,
                "value": tensor.value if tensor.method else None,
                **layout_json(tensor.layout),
                "bytes": tensor.bytes,
                "store": tensor.store,
                **(key_json(tensor.key) if tensor.key else {"key": None}),
            }
            for tensor in description.tensors
        ],
        "segments": [
            {
                "index": segment.index,
                "offset": segment.extent.offset,
                "bytes": segment.extent.size,
                "alignment": segment.alignment,
                "users": [as_json_shows(user) for user in segment.users],
            }
            for segment in description.segments
        ],
        "named_data": [
            {
                **key_json(entry.key),
                "bytes": entry.bytes,
                **layout_json(entry.layout),
                "sharers": entry.sharers,
            }
            for entry in description.named_data
        ],
        "operators": [
            {
                "name": as_json_shows(op.name),
                "calls": op.calls,
                "methods": [as_json_shows(method) for method in op.methods],
            }
            for op in description.operators
        ],
    }


class Opened(unittest.TestCase):
    def test_every_file_is_described_as_the_tool_does(self):
        for path in sorted(path for path in DATA.rglob("*") if path.suffix in (".pte", ".ptd", ".bpte")):
            with self.subTest(path=str(path.relative_to(DATA))):
                views = inspect(path, "--methods", "--tensors", "--segments", "--named-data", "--operators")
                file = Container.open_file(path)
                self.assertEqual((file.kind, file.size, file.name), (views["kind"], views["bytes"], str(path)))
                for entry in views["named_data"]:  # which delegates tell
                    entry.pop("used_by")
                    entry.pop("read_as", None)
                found = description_json(file.describe())
                self.assertEqual(found, {view: views[view] for view in found})

    def test_references_are_found_when_asked_for(self):
        file = Container.open_file(DATA / "f06" / "mixed.pte")
        self.assertEqual(file.measure_sizes().components[2].components[0].refers_to, [])
        references = file.measure_sizes(look_inside=True).components[2].components[0].refers_to
        named = {entry.key: entry.bytes for entry in file.describe().named_data}
        self.assertEqual({reference.key: reference.bytes for reference in references}, named)

    def test_answers_outlive_what_they_come_from(self):
        node = Container.open_bytes((DATA / "f06" / "mixed.pte").read_bytes(), "a").measure_sizes().components[1]
        gc.collect()
        self.assertEqual(node.components[1].aliases, ["prefill.constant_0"])

    def test_bytes_are_kept_while_they_are_needed(self):
        file = Container.open_bytes((DATA / "f06" / "mixed.pte").read_bytes(), "a")
        gc.collect()
        self.assertEqual((file.name, file.measure_sizes().size), ("a", file.size))

    def test_other_threads_run_while_a_file_is_read(self):
        data = (DATA / "f06" / "mixed.pte").read_bytes()
        is_reading, may_go_on = threading.Event(), threading.Event()

        def read(offset, size):
            is_reading.set()
            self.assertTrue(may_go_on.wait(30))
            return data[offset : offset + size]

        files = []
        thread = threading.Thread(target=lambda: files.append(Container.open_callback(read, len(data), "a")))
        thread.start()
        self.assertTrue(is_reading.wait(30))
        may_go_on.set()
        thread.join()
        self.assertEqual(files[0].measure_sizes().size, len(data))


class Callbacks(unittest.TestCase):
    def test_must_answer_with_bytes(self):
        with self.assertRaisesRegex(TypeError, "did not answer with bytes"):
            Container.open_callback(lambda offset, size: "x" * size, 1000, "a")

    def test_failures_while_measuring_are_raised_on(self):
        data = (DATA / "f06" / "mixed.pte").read_bytes()
        is_broken = False

        def read(offset, size):
            if is_broken:
                raise LookupError(offset)
            return data[offset : offset + size]

        file = Container.open_callback(read, len(data), "a")
        is_broken = True
        with self.assertRaises(LookupError):
            file.measure_sizes()
        is_broken = False
        self.assertEqual(file.measure_sizes().size, len(data))


if __name__ == "__main__":
    unittest.main()
