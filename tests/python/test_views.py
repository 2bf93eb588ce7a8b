"""pteedit.open and what it answers with."""

import errno
import gc
import hashlib
import io
import itertools
import os
import pathlib
import re
import signal
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

import pteedit
from common import DATA, inspect, run_tool
from pteedit._contents import Buffer, constants_of
from pteedit._pteedit import Container, Extent, Source

FILES = ["f02_linear.pte", "f12/tied_portable.pte", "f06/mixed.pte", "f06/portable_cm.pte", "f07/gpt_xnn.pte", "f11_bundled_xnn.bpte", "f04/w.ptd"]
VIEWS = ("methods", "instructions", "memory", "operators", "segments", "named-data", "delegates", "metadata", "requirements",
         "tensors")
try:
    import numpy
except ImportError:
    numpy = None


def layout(value):
    if value.shape is None:
        return {}
    return {"dtype": value.dtype, "sizes": list(value.shape), "dim_order": list(value.dim_order)}


def value_json(value):
    return {"value": value.index, "type": value.type, **layout(value)}


def instruction_json(method, row):
    jumps = {"jumps": row.jumps} if row.jumps is not None else {}
    return {"method": method, "chain": row.chain, "index": row.index, "kind": row.kind, "target": row.target,
            "values": list(row.values), **jumps}


def text_of(value):
    """As the tools show a value of a constant method."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(text_of, value)) if isinstance(value, list) else f"{value:g}" if isinstance(value, float) else str(value)


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class WhatIsInside(unittest.TestCase):
    """The same as the tool says, from the same walk."""

    def check(self, name):
        told = inspect(DATA / name, *["--" + view for view in VIEWS])
        file = pteedit.open(DATA / name)
        self.assertEqual((file.name, file.size), (str(DATA / name), told["bytes"]))
        self.assertEqual(
            [{"index": row.index, "offset": row.offset, "bytes": row.bytes, "alignment": row.alignment,
              "users": list(row.users)} for row in file.segments], told["segments"])
        self.assertEqual({key: (entry.bytes, entry.sharers) for key, entry in file.named_data.items()},
                         {row["key"]: (row["bytes"], row["sharers"]) for row in told["named_data"]})
        self.assertEqual(file.requirements().to_dict(), told["requirements"])
        self.assertEqual(file.requirements().memory_bytes, told["requirements"]["memory_bytes"])
        stored = {}
        for row in told["tensors"]:  # one for each layout that it is read with
            if row["store"] != "planned":
                stored.setdefault(row["name"], row)
        self.assertEqual([{**layout(one), "name": one.name, "bytes": one.bytes, "store": one.store, "key": one.key,
                           "aliases": list(one.aliases), "method": one.method, "value": one.value}
                          for one in file.constants.values()], list(stored.values()))
        for constant in file.constants.values():
            self.assertEqual({file.constants[name] for name in (constant.name, *constant.aliases)}, {constant})
        return file, told

    def test_of_every_kind_of_file(self):
        for name in FILES:
            with self.subTest(name):
                file, told = self.check(name)
                if isinstance(file, pteedit.DataFile):
                    continue
                self.assertEqual([delegate.to_dict() for delegate in file.delegates], told["delegates"])
                self.assertEqual([{"name": op.name, "calls": op.calls, "methods": list(op.methods)} for op in file.operators],
                                 told["operators"])
                self.check_methods(file, told)

    def check_methods(self, file, told):
        instructions = [instruction_json(method.name, row) for method in file.methods.values() for row in method.instructions]
        work = ("macs", "moved_bytes", "is_upper_bound", "why_unknown")  # which only the tool tells
        self.assertEqual(instructions, [{key: row[key] for key in row if key not in work} for row in told["instructions"]])
        for method, row, memory in zip(file.methods.values(), told["methods"], told["memory"]):
            self.assertEqual(method.name, row["name"])
            self.assertEqual([value_json(value) for value in method.inputs], row["inputs"])
            self.assertEqual([value_json(value) for value in method.outputs], row["outputs"])
            self.assertEqual(sum(method.operators.values()), row["kernel_calls"])
            self.assertEqual(list(method.memory.arenas), memory["arenas"])
            self.assertEqual([tensor._asdict() for tensor in method.memory.tensors], memory["tensors"])
            for tensor in method.memory.tensors:
                self.assertEqual(method.values[tensor.value].store, "planned")

    def test_metadata_is_decoded_and_constant_methods_are_beside_it(self):
        program = DATA / "f06" / "portable_cm.pte"
        facts = {"general.name": "Llama", "context": 8192, "ratio": 0.5, "sizes": [1, 2, 3], "raw": b"\xff", "long": "x" * 70000}
        edited = pteedit.open(pteedit.copy(program, set_metadata=facts).to_bytes()["program.pte"])
        self.assertEqual({key: edited.metadata[key] for key in facts}, {**facts, "long": b"x" * 70000})
        told = {row["method"]: [value["text"] for value in row["values"]]
                for row in inspect(program, "--metadata")["metadata"] if "method" in row}
        found = edited.constant_methods.items()
        self.assertEqual({name: [*map(text_of, value if isinstance(value, list) else [value])] for name, value in found}, told)
        self.assertTrue(told)

    def test_values_of_constant_methods_have_pythons_types(self):
        values = {"a": [1, 2], "b": True, "c": 0.5, "d": "text", "e": 7, "f": [0.5, 1.5], "g": [True, False]}
        edited = pteedit.open(pteedit.copy(DATA / "f02_linear.pte", set_methods=values).to_bytes()["program.pte"])
        self.assertEqual({name: edited.constant_methods[name] for name in values}, values)

    def test_every_file_can_be_looked_at(self):
        contents = 0
        for path in sorted(path for path in DATA.rglob("*") if path.suffix in (".pte", ".ptd", ".bpte")):
            with self.subTest(path=str(path.relative_to(DATA))):
                file = pteedit.open(path)
                repr(file), file.metadata, file.segments
                for content in (*file.constants.values(), *file.named_data.values()):
                    self.assertIn(content.name, repr(content))
                    if numpy is not None and (content.store if isinstance(content, pteedit.Constant) else "") != "external":
                        self.assertEqual(content.numpy().nbytes, content.bytes)
                    contents += 1
                for method in getattr(file, "methods", {}).values():
                    repr(method), method.memory, method.instructions, method.values[:]
        self.assertGreater(contents, 1000)

    def test_one_name_of_two_contents_gets_the_method_in_front(self):
        rows = [types.SimpleNamespace(name="w", aliases=[], method=method, value=0, bytes=4, store="segment", key="",
                                      layout=types.SimpleNamespace(dtype="float32", sizes=[1], dim_order=[0]),
                                      extent=Extent(offset, 4)) for method, offset in (("a", 0), ("b", 0), ("c", 4))]
        buffer = Buffer(Source.open_bytes(bytes(8), "x"))
        self.assertEqual(list(constants_of(types.SimpleNamespace(tensors=rows), buffer, {})), ["w", "c.w"])

    def test_values_are_a_sequence(self):
        values = pteedit.open(DATA / "f02_linear.pte").methods["forward"].values
        self.assertEqual([value.index for value in values], list(range(len(values))))
        self.assertEqual((values[-1], values[2:4]), (values[len(values) - 1], [values[2], values[3]]))
        self.assertRaisesRegex(IndexError, "value 99 of", values.__getitem__, 99)
        self.assertEqual(values[6].value, [1, 0])
        lists = {value.type: value.value for value in
                 pteedit.open(DATA / "delegation" / "gpt_xnnpack_q8_seed.pte").methods["forward"].values}
        self.assertTrue(lists["tensor_list"] and all(isinstance(index, int) for index in lists["tensor_list"]))

    def test_names_are_those_of_a_checkpoint(self):
        program = DATA / "f08" / "a_portable_v0.pte"
        own = pteedit.open(program)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "names.safetensors")
            first = max(own.constants.values(), key=lambda one: one.bytes)
            head = '{"my.weight":{"dtype":"F32","shape":%s,"data_offsets":[0,%d]}}' % (list(first.shape), first.bytes)
            path.write_bytes(len(head).to_bytes(8, "little") + head.encode() + first.data)
            named = pteedit.open(program, names=[path])
            self.assertEqual(bytes(named.constants["my.weight"].data), bytes(first.data))
            self.assertIn("my.weight", str(named.sizes()))


@unittest.skipIf(numpy is None, "numpy is not installed")
class Arrays(WithFolder):
    def test_look_at_the_mapping_without_a_copy(self):
        constant = pteedit.open(DATA / "f04" / "w.ptd").constants["fc.weight"]
        array = constant.numpy()
        self.assertTrue(numpy.shares_memory(array, numpy.frombuffer(constant.data, numpy.uint8)))
        self.assertFalse(array.flags.writeable)
        self.assertRaises(ValueError, array.__setitem__, (0, 0), 1)
        content = (DATA / "f04" / "w.ptd").read_bytes()
        self.assertIn(array.tobytes(), content)
        self.assertEqual((array.shape, str(array.dtype)), ((4, 8), "float32"))

    def test_outlive_what_they_come_from(self):
        for given in (DATA / "f04" / "w.ptd", (DATA / "f04" / "w.ptd").read_bytes()):
            array = pteedit.open(given).constants["fc.weight"].numpy()
            gc.collect()
            self.assertIn(array.tobytes(), (DATA / "f04" / "w.ptd").read_bytes())

    def test_of_data_files_given_as_bytes_are_not_copied_either(self):
        content = (DATA / "f04" / "w.ptd").read_bytes()
        array = pteedit.open(DATA / "f04" / "linear.pte", data=[content]).constants["fc.weight"].numpy()
        self.assertTrue(numpy.shares_memory(array, numpy.frombuffer(content, numpy.uint8)))

    def test_are_the_same_from_paths_bytes_and_streams(self):
        path = DATA / "f11_bundled_xnn.bpte"
        with open(path, "rb") as stream:
            files = [pteedit.open(path), pteedit.open(path.read_bytes()), pteedit.open(stream)]
            seen = {tuple(hashlib.sha256(entry.data).hexdigest() for entry in
                          itertools.chain(file.constants.values(), file.named_data.values(), file.delegates)) for file in files}
        self.assertEqual(len(seen), 1)
        self.assertTrue(seen.pop())

    def test_have_the_strides_of_the_dim_order(self):
        for path in sorted(DATA.rglob("*.pte")):
            for constant in pteedit.open(path).constants.values():
                if list(constant.dim_order) == [0, 2, 3, 1] and constant.dtype == "float32" and 1 not in constant.shape:
                    array = constant.numpy()
                    self.assertEqual(tuple(stride // 4 for stride in array.strides), constant.strides)
                    self.assertEqual(array.transpose(0, 2, 3, 1).tobytes(), bytes(constant.data))
                    return
        self.fail("no program has a constant that is channels last")

    def test_use_ml_dtypes_where_numpy_has_no_type(self):
        entry = self.entry("bfloat16")
        fake = types.SimpleNamespace(bfloat16=numpy.uint16)
        with mock.patch.dict(sys.modules, {"ml_dtypes": fake}):
            self.assertEqual((entry.numpy().dtype, entry.numpy().shape), (numpy.uint16, (4, 8)))
        with mock.patch.dict(sys.modules, {"ml_dtypes": None}):
            self.assertEqual((entry.numpy().dtype, entry.numpy().shape), (numpy.uint8, (64,)))

    def test_of_packed_and_unknown_types_are_bytes(self):
        self.assertEqual(self.entry("quint4x2").numpy().dtype, numpy.uint8)
        self.assertEqual(self.entry("scalar_type_99").numpy().shape, (64,))

    def entry(self, dtype):
        told = types.SimpleNamespace(dtype=dtype, sizes=[4, 8], dim_order=[0, 1])
        buffer = Buffer(Source.open_bytes(bytes(64), "x"))
        return pteedit.Constant("x", 64, told, Extent(0, 64), buffer)

    def test_are_refused_where_the_file_has_less_bytes(self):
        told = types.SimpleNamespace(dtype="float64", sizes=[4, 8], dim_order=[0, 1])
        short = pteedit.Constant("x", 256, told, Extent(0, 64), Buffer(Source.open_bytes(bytes(64), "x")))
        with self.assertRaisesRegex(pteedit.Error, "'x' has 64 bytes, 256 expected") as caught:
            short.numpy()
        self.assertEqual(caught.exception.code, "malformed")

    def test_reach_beyond_two_gibibytes(self):
        path = self.folder / "big"
        with open(path, "wb") as file:
            file.seek(5 << 30)
            file.write(b"end")
        buffer = Buffer(Source.open_file(path))
        self.assertEqual(bytes(buffer.view(Extent(5 << 30, 3))), b"end")
        self.assertEqual(len(buffer.view(Extent(1, 4 << 30))), 4 << 30)

    def test_of_a_file_that_was_cut_are_an_error(self):
        path = self.folder / "w.ptd"
        path.write_bytes((DATA / "f04" / "w.ptd").read_bytes())
        opened = pteedit.open(path)
        constant = opened.constants["fc.weight"]
        os.truncate(path, 100)
        with self.assertRaisesRegex(OSError, "cannot be mapped") as caught:
            constant.numpy()
        self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.EIO, str(path)))
        with self.assertRaises(OSError) as caught:
            pteedit.strip(opened).to_bytes()
        self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.EIO, str(path)))

    def test_go_into_numpy_by_themselves(self):
        constant = pteedit.open(DATA / "f04" / "w.ptd").constants["fc.weight"]
        self.assertEqual(numpy.asarray(constant).shape, (4, 8))
        self.assertEqual(numpy.asarray(constant, dtype="float64").dtype, numpy.float64)

    def test_of_data_files_come_with_the_program(self):
        program, data = DATA / "f04" / "linear.pte", DATA / "f04" / "w.ptd"
        inside = pteedit.open(program, data=[data]).constants["fc.weight"]
        self.assertEqual((inside.store, inside.key), ("external", "fc.weight"))
        self.assertEqual(bytes(inside.data), bytes(pteedit.open(data).constants["fc.weight"].data))
        with self.assertRaisesRegex(pteedit.Error, "are in a data file") as caught:
            pteedit.open(program).constants["fc.weight"].numpy()
        self.assertEqual(caught.exception.code, "invalid-argument")


class TestCases(unittest.TestCase):
    def test_of_bundles_have_inputs_and_expected_outputs(self):
        for name in ("f11_bundled_portable.bpte", "f11_bundled_xnn.bpte"):
            bundle = pteedit.open(DATA / name)
            self.assertIn(f"{len(bundle.test_cases)} test case", repr(bundle))
            method = bundle.methods["forward"]
            for case in bundle.test_cases:
                self.assertEqual(case.method, "forward")
                for values, expected in ((case.inputs, method.inputs), (case.expected_outputs, method.outputs)):
                    self.assertEqual([value.shape for value in values], [value.shape for value in expected])
                    for value in values:
                        self.assertEqual(value.numpy().shape, value.shape)
                        self.assertEqual(value.numpy().tobytes(), bytes(value.data))
                        self.assertIn(bytes(value.data), (DATA / name).read_bytes())
            self.assertIn("<th>Expected Outputs</th>", bundle.test_cases._repr_html_())


class Shown(WithFolder):
    def test_reprs_tell_what_it_is(self):
        program = pteedit.open(DATA / "f07" / "gpt_xnn.pte")
        self.assertRegex(repr(program), r"^<Program '.*gpt_xnn.pte' [\d.]+ KB: 1 method, \d+ constants, \d+ keys>$")
        self.assertRegex(repr(program.delegates[0]), r"^<Delegate 'XnnpackBackend_0' of 'forward', 448 B, 1 operator, 0 constants>$")
        self.assertRegex(repr(program.methods["forward"].memory), r"^<Memory [\d.]+ KB, \d+ tensors>$")
        self.assertRegex(repr(program.sizes()), r"^<SizeDistribution 'Total Size' [\d.]+ KB: 5 components>$")
        self.assertRegex(repr(program.requirements()), "^<Requirements release 1.0, .*backends XnnpackBackend, 0 data files>$")
        self.assertRegex(repr(pteedit.open(DATA / "f04" / "w.ptd").named_data), "<NamedData 'fc.weight' float32")
        self.assertRegex(repr(pteedit.open(DATA / "f07" / "gpt_basic.pte").constants), r"\.\.\. \d+ more}$")

    def test_tables_of_notebooks_hold_names_as_text_only(self):
        hostile = b"<i>\x1b'&\xff\"/"
        content = (DATA / "f04" / "w.ptd").read_bytes().replace(b"fc.weight", hostile)
        file = pteedit.open(content)
        for shown in (file, file.constants, file.named_data, file.segments):
            page = shown._repr_html_()
            self.assertNotIn("<i>", page)
            page.encode()
        self.assertIn("&lt;i&gt;\\x1b", file.constants._repr_html_())
        program = pteedit.open(DATA / "f07" / "gpt_xnn.pte")
        for shown in (program.methods, program.methods["forward"], program.methods["forward"].values,
                      program.methods["forward"].instructions, program.delegates, program.operators):
            self.assertRegex(shown._repr_html_(), "^<table>.*</table>")

    def test_the_page_is_that_of_the_tool(self):
        program = pteedit.open(DATA / "f07" / "gpt_xnn.pte")
        page = program.html("methods", "tensors", "named-data", "delegates", "operators", "memory", "requirements")
        self.assertIn("XnnpackBackend_0", page)
        self.assertIn("<script", page)
        frame = re.search('<iframe sandbox="allow-scripts"[^>]* srcdoc="([^"]*)"></iframe>$', program._repr_html_())
        self.assertEqual(frame[1].replace("&quot;", '"').replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">")
                         .replace("&amp;", "&"), page)

    def test_pages_have_every_view_of_the_tool(self):
        c_xnn = [DATA / "f08" / f"c_xnn_v0{name}" for name in (".pte", "_foundation.ptd", "_lora.ptd")]
        bundle = next(DATA.rglob("*.bpte"))
        for path, *data in ([DATA / "f07" / "gpt_xnn.pte"], c_xnn, [DATA / "f04" / "w.ptd"], [bundle]):
            for views in ((), ("graph", "delegation"), ("methods",)):
                with self.subTest(path=path, views=views):
                    words = [word for file in data for word in ("--data", file)] + [f"--{view}" for view in views]
                    output = self.folder / "page.html"
                    done = run_tool("pteinspect", path, *words, "--html", output, "-f")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(pteedit.open(path, data).html(*views) == output.read_text())
        self.assertRaisesRegex(pteedit.Error, "there is no view '--sums'", pteedit.open(c_xnn[0]).html, "sums")

    def test_pages_have_the_names_of_a_checkpoint(self):
        names = DATA / "names" / "layers.safetensors"
        for path in (DATA / "names" / "layers_xnnpack.pte", DATA / "f04" / "w.ptd"):
            for views in ((), ("tensors",)):
                output = self.folder / "page.html"
                words = [path, "--names", names, *(f"--{view}" for view in views)]
                run_tool("pteinspect", *words, "--html", output, "-f").check_returncode()
                self.assertTrue(pteedit.open(path, names=[names]).html(*views) == output.read_text())

    def test_long_lists_say_how_much_they_leave_out(self):
        program = pteedit.open(DATA / "f07" / "gpt_xnn.pte")
        values = program.methods["forward"].values
        self.assertIn(f"<p>{len(values) - 100:,} more</p>", values._repr_html_())


class Compared(WithFolder):
    def test_findings_are_those_of_the_tool(self):
        damaged = self.folder / "damaged.pte"
        damaged.write_bytes((DATA / "f08" / "b_xnn_base.pte").read_bytes()[:-1000])
        told = inspect(damaged, "--verify")["findings"]
        found = pteedit.verify(damaged)
        self.assertEqual([{"id": one.id, "severity": one.severity, "where": one.where, "message": one.message} for one in found],
                         told)
        self.assertEqual((found[0].id, found[0].file), ("file-cut", str(damaged)))
        self.assertIn(str(found[0]), run_tool("pteinspect", "--verify", damaged).stdout.decode())
        self.assertEqual(pteedit.open(DATA / "f02_linear.pte").verify(), [])

    def test_verify_looks_at_data_files_too(self):
        pteedit.split(DATA / "f08" / "b_xnn_base.pte").save(self.folder / "a.pte", self.folder / "a.ptd")
        self.assertEqual(pteedit.open(self.folder / "a.pte", data=[self.folder / "a.ptd"]).verify(), [])
        alone = pteedit.open(self.folder / "a.pte").verify()
        self.assertTrue([finding for finding in alone if finding.severity == "error"])

    def test_same_is_that_of_the_law(self):
        program = pteedit.open(DATA / "f08" / "b_xnn_v0.pte")
        pteedit.split(program).save(self.folder / "a.pte", self.folder / "a.ptd")
        split = pteedit.open(self.folder / "a.pte", data=[self.folder / "a.ptd"])
        self.assertTrue(program.same(split))
        self.assertIsNone(split.first_difference(program))
        difference = program.first_difference(DATA / "f02_linear.pte")
        self.assertTrue(difference.message)
        self.assertFalse(program.same(DATA / "f02_linear.pte"))

    def test_diff_is_from_this_to_the_other(self):
        old, new = DATA / "f08" / "a_portable_v0.pte", DATA / "f08" / "a_portable_v1.pte"
        self.assertEqual(pteedit.open(old).diff(pteedit.open(new)), pteedit.diff(old, new))
        self.assertEqual(pteedit.open(old).diff(new).old, str(old))
        self.assertRaises(pteedit.Error, pteedit.open(old).diff, DATA / "f04" / "w.ptd")


class Rewritten(WithFolder):
    def test_views_are_taken_with_their_data_files(self):
        path = DATA / "f08" / "b_xnn_base.pte"
        program = pteedit.open(path)
        self.assertEqual(pteedit.strip(program).to_bytes(), pteedit.strip(path).to_bytes())
        self.assertEqual(pteedit.copy(program, upgrade=True).to_bytes(), pteedit.copy(path, upgrade=True).to_bytes())
        pteedit.split(program).save(self.folder / "a.pte", self.folder / "a.ptd")
        split = pteedit.open(self.folder / "a.pte", data=[self.folder / "a.ptd"])
        whole = pteedit.join(split).to_bytes()["program.pte"]
        self.assertEqual(whole, pteedit.join(self.folder / "a.pte", [self.folder / "a.ptd"]).to_bytes()["program.pte"])
        other = DATA / "f08" / "b_xnn_v0.pte"
        merged = pteedit.merge({"a.pte": [split], "b.pte": [other]})
        sizes = [split.size, split.data[0].size, other.stat().st_size]
        self.assertEqual(merged.report.bytes_before, sum(sizes))
        added = pteedit.copy(DATA / "f02_linear.pte", add_methods=[(program, "forward", "second")])
        self.assertEqual(list(pteedit.open(added.to_bytes()["program.pte"]).methods), ["forward", "second"])

    def test_streams_are_taken(self):
        path = DATA / "f08" / "b_xnn_base.pte"
        with open(path, "rb") as stream:
            self.assertEqual(pteedit.strip(stream).to_bytes(), pteedit.strip(path).to_bytes())

    def test_streams_have_one_place_for_all_threads(self):
        class Slow(io.BytesIO):
            def seek(self, *place):
                found = super().seek(*place)
                time.sleep(0.0001)  # whoever else seeks now, reads here
                return found

        path = DATA / "f07" / "gpt_basic.pte"
        whole = pteedit.split(path).to_bytes()
        self.assertEqual(pteedit.split(Slow(path.read_bytes())).to_bytes(), whole)


class Packages(WithFolder):
    def release(self):
        paths = {name: [DATA / "f08" / f"b_xnn_{name}.pte"] for name in ("v0", "v1")}
        pteedit.merge({f"{name}.pte": files for name, files in paths.items()}).save(self.folder / "family")
        files = {name: [self.folder / "family" / f"{name}.pte", self.folder / "family" / "shared.ptd"] for name in paths}
        pteedit.package.create(files, self.folder / "release")
        return self.folder / "release"

    def test_of_a_release_are_its_variants_with_their_data(self):
        opened = pteedit.open(self.release())
        self.assertIsInstance(opened, pteedit.Package)
        self.assertEqual(list(opened.programs), ["v0", "v1"])
        self.assertEqual(len(opened.programs["v1"].data), 1)
        self.assertTrue(opened.programs["v1"].same(DATA / "f08" / "b_xnn_v1.pte"))
        self.assertEqual(opened.verify(), [])
        self.assertRegex(repr(opened), "^<Package '.*release': 'v0', 'v1'>$")
        self.assertIn("v1", opened._repr_html_())
        self.assertEqual(opened.release.variants, ["v0", "v1"])

    def test_of_an_archive_are_its_program_with_its_data(self):
        archive = self.folder / "v1.etm"
        done = run_tool("ptepack", "etm", f"{self.release()}:v1", "-o", archive)
        self.assertEqual(done.returncode, 0, done.stderr)
        opened = pteedit.open(archive)
        self.assertIsInstance(opened, pteedit.Package)
        program = opened.programs["model"]
        self.assertEqual(len(program.data), 1)
        self.assertTrue(program.same(DATA / "f08" / "b_xnn_v1.pte"))
        self.assertEqual(opened.verify(), [])
        self.assertEqual(len(pteedit.join(archive).to_bytes()), 1)

    def test_folders_without_a_manifest_are_none(self):
        self.assertRaisesRegex(FileNotFoundError, "manifest.json", pteedit.open, self.folder)


class Errors(WithFolder):
    def test_are_pythons(self):
        with self.assertRaises(FileNotFoundError) as caught:
            pteedit.open(self.folder / "none.pte")
        self.assertEqual(caught.exception.filename, str(self.folder / "none.pte"))
        with self.assertRaises(pteedit.Error) as caught:
            pteedit.open((DATA / "f02_linear.pte").read_bytes()[:-1])
        self.assertEqual((caught.exception.code, caught.exception.file, caught.exception.finding),
                         ("malformed", "<bytes>", "file-cut"))
        self.assertRaises(pteedit.Error, pteedit.open, b"no program")
        for other in (1, None, io.StringIO("text")):
            message = f"a path, bytes or a binary file expected, not {type(other).__name__}"
            self.assertRaisesRegex(TypeError, message, pteedit.open, other)
        self.assertRaises(pteedit.Error, pteedit.open, DATA / "f02_linear.pte", data=[DATA / "manifest.json"])

    def failing(self, path):
        """A stream that fails once it is told to."""
        stream = io.BytesIO(pathlib.Path(path).read_bytes())
        read, self.fails = stream.read, False

        class Failing(io.BytesIO):
            def read(stream, size=-1):
                if self.fails:
                    raise LookupError("the cable is out")
                return read(size)

            seek = staticmethod(stream.seek)

        return Failing()

    def test_of_streams_are_raised_on_wherever_they_are_read(self):
        pteedit.split(DATA / "f08" / "b_xnn_base.pte").save(self.folder / "a.pte", self.folder / "a.ptd")
        stream = self.failing(self.folder / "a.ptd")
        program = pteedit.open(self.folder / "a.pte", data=[stream])
        other = pteedit.open(DATA / "f08" / "b_xnn_base.pte")
        planned = pteedit.join(program)
        self.fails = True
        calls = {
            "verify": program.verify,
            "diff": lambda: other.diff(program),
            "diff back": lambda: program.diff(other),
            "same": lambda: other.same(program),
            "join": lambda: pteedit.join(program),
            "save": lambda: planned.save(self.folder / "b.pte"),
            "to_bytes": planned.to_bytes,
            "against": lambda: pteedit.split(other, against=[program.data[0]]),
            "merge": lambda: pteedit.merge({"a.pte": [program], "b.pte": [other]}),
            "data": lambda: next(iter(program.data[0].named_data.values())).data,
        }
        for name, call in calls.items():
            with self.subTest(name):
                self.assertRaisesRegex(LookupError, "the cable is out", call)
        self.assertFalse((self.folder / "b.pte").exists())
        self.fails = False
        self.assertEqual(program.verify(), [])


class Work(WithFolder):
    """What takes long lets others run, and can be interrupted."""

    def setUp(self):
        super().setUp()
        # Where tests run in the background, Ctrl-C is ignored.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        planned = pteedit.copy(DATA / "f02_linear.pte", add_data={"zeros": bytes(64 << 20)})
        for name in ("a.pte", "b.pte"):
            planned.save(self.folder / name)

    def test_lets_other_threads_run(self):
        program, other = (pteedit.open(self.folder / name) for name in ("a.pte", "b.pte"))
        count, is_done = 0, threading.Event()

        def counting():
            nonlocal count
            while not is_done.wait(0.0005):
                count += 1

        thread = threading.Thread(target=counting)
        thread.start()
        before = count
        self.assertTrue(program.same(other))
        seen = count - before
        is_done.set()
        thread.join()
        self.assertGreater(seen, 2)

    def test_ends_with_ctrl_c_and_can_be_done_again(self):
        program = pteedit.open(self.folder / "a.pte")
        with self.assertRaises(KeyboardInterrupt):
            threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
            for _ in range(200):
                program.same(self.folder / "b.pte")
        self.assertTrue(program.same(self.folder / "b.pte"))

    def test_leaves_nothing_behind_after_ctrl_c_while_saving(self):
        planned = pteedit.strip(self.folder / "a.pte", padding=True)
        with self.assertRaises(KeyboardInterrupt):
            threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGINT)).start()
            for _ in range(200):
                planned.save(self.folder / "b.pte", replace=True)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a.pte", "b.pte"})

    def test_opening_is_quick_and_reads_no_weights(self):
        before = time.monotonic()
        program = pteedit.open(self.folder / "a.pte")
        repr(program), program.methods["forward"].instructions
        self.assertLess(time.monotonic() - before, 0.5)


if __name__ == "__main__":
    unittest.main()
