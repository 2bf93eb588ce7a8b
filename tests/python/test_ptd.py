"""pteedit.ptd: data files as arrays and as checkpoints, and back."""

import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import pteedit
from common import DATA, PROJECT, run_tool
from pteedit import Container, Error, _pteedit

try:
    import numpy as np
    from pteedit.ptd import from_safetensors, load_ptd, plan_ptd, save_ptd, to_safetensors
except ImportError as error:
    raise unittest.SkipTest(f"needs NumPy: {error}")

DATA_FILES = sorted(DATA.rglob("*.ptd"))


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def assertSame(self, path, other):
        done = run_tool("pteinspect", "--same", path, other)
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())

    def there_and_back(self, tensors, **options):
        return load_ptd(plan_ptd(tensors, **options).to_bytes()["data.ptd"])


def layouts(file):
    """Key, type, sizes and dim order of each entry, and which share their bytes."""
    rows = [(entry.key, entry.layout and (entry.layout.dtype, entry.layout.sizes, entry.layout.dim_order), entry.sharers)
            for entry in file.describe().named_data]
    return sorted(rows, key=str)


class EveryDataFile(WithFolder):
    """The laws; the exporter stores equal contents once, and so do we."""

    def test_loaded_and_saved_is_the_same(self):
        self.assertGreater(len(DATA_FILES), 40)
        for path in DATA_FILES:
            with self.subTest(path=path.relative_to(DATA)):
                save_ptd(load_ptd(path), self.folder / "saved.ptd", replace=True)
                self.assertSame(path, self.folder / "saved.ptd")
                self.assertEqual(layouts(Container.open_file(path)),
                                 layouts(Container.open_file(self.folder / "saved.ptd")))

    def test_as_a_checkpoint_and_back_is_the_same(self):
        for path in DATA_FILES:
            with self.subTest(path=path.relative_to(DATA)):
                checkpoint = to_safetensors(path).to_bytes()["data.safetensors"]
                from_safetensors(checkpoint).save(self.folder / "back.ptd", replace=True)
                self.assertSame(path, self.folder / "back.ptd")
                self.assertEqual(layouts(Container.open_file(path)),
                                 layouts(Container.open_file(self.folder / "back.ptd")))

    def test_from_a_path_bytes_and_a_file_alike(self):
        for path in DATA_FILES:
            content = path.read_bytes()
            mapped, read = load_ptd(path), load_ptd(content)
            with open(path, "rb") as file:
                streamed = load_ptd(file)
            self.assertEqual(list(mapped), list(read))
            for key, array in mapped.items():
                self.assertEqual((array.dtype, array.strides), (read[key].dtype, read[key].strides))
                self.assertEqual(array.tobytes(), read[key].tobytes())
                self.assertEqual(array.tobytes(), streamed[key].tobytes())


class Loading(WithFolder):
    def test_is_a_view_that_can_be_written_and_leaves_the_file(self):
        path = self.folder / "w.ptd"
        path.write_bytes((DATA / "f04" / "w.ptd").read_bytes())
        before = path.read_bytes()
        tensors = load_ptd(path)
        for array in tensors.values():
            array *= 2
        self.assertEqual(path.read_bytes(), before)
        save_ptd(tensors, path, replace=True)
        again = load_ptd(path)
        for key, array in load_ptd(before).items():
            np.testing.assert_array_equal(again[key], array * 2)

    def test_ties_are_the_same_memory(self):
        tied = load_ptd(DATA / "f12" / "tied__default_external_constant.ptd")
        addresses = [array.__array_interface__["data"][0] for array in tied.values()]
        w = np.arange(6, dtype=np.float32).reshape(2, 3)
        both = self.there_and_back({"a": w, "b": w, "c": w.reshape(3, 2), "apart": w.copy()})
        places = {key: array.__array_interface__["data"][0] for key, array in both.items()}
        self.assertTrue(places["a"] == places["b"] == places["c"] != places["apart"])
        self.assertEqual(len(addresses), len(tied))

    def test_programs_bound_to_the_file_refuse_changed_arrays_and_no_others(self):
        family = {"m/a.pte": [DATA / "f08" / f"c_portable_base{name}" for name in (".pte", "_foundation.ptd")]}
        data, program = pteedit.merge(family, variant_data=True).save(self.folder / "bound")
        for path in (self.folder / "same.ptd", self.folder / "other.ptd"):
            tensors = load_ptd(data)
            if path.stem == "other":
                next(array for array in tensors.values() if array.size)[:] = 1
            planned = plan_ptd(tensors)
            planned.save(path)
            notes = [note for note in planned.report.notes if "to which programs are bound, becomes" in note]
            found = [finding.id for finding in pteedit.verify(program, [path])]
            self.assertEqual(pteedit.open(path).verify(), [])
            self.assertEqual((len(notes), found), (1, ["base-missing"]) if path.stem == "other" else (0, []))
        self.assertEqual((self.folder / "same.ptd").read_bytes(), pathlib.Path(data).read_bytes())

    def test_what_is_no_data_file_is_an_error(self):
        self.assertRaises(FileNotFoundError, load_ptd, self.folder / "none.ptd")
        self.assertRaisesRegex(Error, "is a .pte, a data file expected", load_ptd, DATA / "f02_linear.pte")
        self.assertRaisesRegex(Error, "is a .pte, a data file expected", to_safetensors, DATA / "f02_linear.pte")
        (self.folder / "empty.ptd").touch()
        self.assertRaises(Error, load_ptd, self.folder / "empty.ptd")
        cut = (DATA / "f04" / "w.ptd").read_bytes()[:-1]
        self.assertRaises(Error, load_ptd, cut)
        self.assertRaises(Error, load_ptd, io.BytesIO(cut))

    def test_without_ml_dtypes_bits_are_in_a_field(self):
        code = """if 1:
            import sys
            sys.modules["ml_dtypes"] = None
            import numpy as np
            from pteedit.ptd import load_ptd, plan_ptd
            bits = np.array([0x3F80, 0x4000], "<u2").view([("bfloat16", "<u2")])
            loaded = load_ptd(plan_ptd({"w": bits}).to_bytes()["data.ptd"])["w"]
            assert loaded["bfloat16"].tolist() == [0x3F80, 0x4000], loaded
            """
        subprocess.run([sys.executable, "-c", code], check=True)


class Layouts(WithFolder):
    def order(self, array):
        """The dim order that the file gets."""
        (entry,) = Container.open_bytes(plan_ptd({"x": array}).to_bytes()["data.ptd"], "x").describe().named_data
        return entry.layout.dim_order

    def test_permuted_arrays_stay_permuted(self):
        image = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
        for order in [(0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0), (1, 0, 3, 2)]:
            inverse = [order.index(i) for i in range(4)]
            permuted = np.ascontiguousarray(image.transpose(order)).transpose(inverse)
            self.assertEqual(self.order(permuted), list(order))
            loaded = self.there_and_back({"x": permuted})["x"]
            self.assertEqual(loaded.strides, permuted.strides)
            np.testing.assert_array_equal(loaded, image)

    def test_orders_that_strides_do_not_tell_stay(self):
        for shape in [(2, 1, 4, 4), (2, 3, 1, 1), (1, 1, 1, 1), (2, 1, 4, 1), (0, 3, 2, 2), (1, 3, 2, 2)]:
            with self.subTest(shape=shape):
                count = int(np.prod(shape))
                words = (b"x", ("float32", list(shape), [0, 2, 3, 1]), np.arange(count * 4, dtype=np.uint8))
                file = _pteedit.plan_data([words], "x", 16).to_bytes(0)
                again = plan_ptd(load_ptd(file)).to_bytes()["data.ptd"]
                self.assertEqual(again, file)

    def test_dimensions_of_one_are_row_major_where_they_can_be(self):
        row = np.arange(3, dtype=np.int64)
        for array in (row[None, :], row[:, None], row[None, :, None, None], np.zeros((3, 0)), np.zeros((0, 1, 2))):
            self.assertEqual(self.order(array), list(range(array.ndim)))

    def test_odd_strides_are_made_row_major(self):
        whole = np.arange(24, dtype=np.float32).reshape(4, 6)
        for array in (whole[:, ::2], whole[::-1], whole[1:3, 1:3], np.broadcast_to(whole[0], (5, 6))):
            self.assertEqual(self.order(array), [0, 1])
            np.testing.assert_array_equal(self.there_and_back({"x": array})["x"], array)

    def test_scalars_empty_tensors_and_odd_keys(self):
        tensors = {
            "scalar": np.float32(2.5),
            "zero": np.zeros((0, 4), np.float16),
            "schlüssel/重み": np.arange(3, dtype=np.uint16),
            "not utf-8 \udcff": np.array([True, False]),
            "": np.arange(2, dtype=np.int8),
            "big-endian": np.array([1, 2], ">i4"),
            "raw": b"\x00\x01\x02",
        }
        loaded = self.there_and_back(tensors)
        self.assertEqual(list(loaded), list(tensors))
        self.assertEqual((loaded["scalar"].shape, loaded["scalar"][()]), ((), 2.5))
        self.assertEqual((loaded["zero"].shape, loaded["zero"].dtype), ((0, 4), np.float16))
        self.assertEqual(loaded["big-endian"].tolist(), [1, 2])
        self.assertEqual((loaded["raw"].dtype, loaded["raw"].tobytes()), (np.dtype("V1"), b"\x00\x01\x02"))
        again = self.there_and_back(loaded)
        for key, array in loaded.items():
            self.assertEqual((again[key].dtype, again[key].tobytes()), (array.dtype, array.tobytes()))

    def test_types_of_ml_dtypes_are_kept(self):
        try:
            import ml_dtypes
        except ImportError as error:
            self.skipTest(f"needs ml_dtypes: {error}")
        for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz"):
            array = np.arange(8).astype(getattr(ml_dtypes, name)).reshape(2, 1, 4).transpose(2, 1, 0)
            loaded = self.there_and_back({"x": array})["x"]
            self.assertEqual((loaded.dtype, loaded.tobytes()), (array.dtype, array.tobytes()))

    def test_alignment_is_that_of_every_tensor(self):
        tensors = {str(i): np.ones(i, np.int8) for i in range(1, 5)}
        content = plan_ptd(tensors, alignment=4096).to_bytes()["data.ptd"]
        for segment in Container.open_bytes(content, "x").describe().segments:
            self.assertEqual(segment.extent.offset % 4096, 0)

    def test_what_cannot_be_is_refused_with_the_reason(self):
        for tensors, kind, reason in [
            ({}, ValueError, "there are no tensors"),
            ({"x": np.zeros(1, np.complex64)}, TypeError, "'x': has elements of type complex64"),
            ({"x": np.array(["a"])}, TypeError, "'x': has elements of type <U1"),
            ({"x": [1, 2]}, TypeError, "'x': is a list, no array"),
        ]:
            self.assertRaisesRegex(kind, reason, plan_ptd, tensors)
        for alignment in (0, 8, 48, 1 << 17):
            self.assertRaisesRegex(ValueError, f"alignment is {alignment}", plan_ptd, {"x": np.zeros(1)}, alignment=alignment)
        save_ptd({"x": np.zeros(1)}, self.folder / "x.ptd")
        self.assertRaises(FileExistsError, save_ptd, {"x": np.zeros(1)}, self.folder / "x.ptd")


class Checkpoints(WithFolder):
    def setUp(self):
        super().setUp()
        w = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        half = np.arange(6, dtype=np.float16).reshape(2, 3)
        self.tensors = {"half": half, "w": w, "tied": w, "permuted": np.asfortranarray(half), "ü": np.int64(7), "raw": b"abc"}
        self.checkpoint = to_safetensors(plan_ptd(self.tensors).to_bytes()["data.ptd"]).to_bytes()["data.safetensors"]

    def test_have_row_major_elements_under_the_same_names(self):
        length = int.from_bytes(self.checkpoint[:8], "little")
        header = json.loads(self.checkpoint[8 : 8 + length])
        self.assertEqual(length % 8, 0)
        self.assertEqual(header.pop("__metadata__"),
                         {"format": "pt", "tied": "w", "ptd.layout.permuted": "5|2,3|1,0", "ptd.layout.raw": ""})
        self.assertEqual(set(header), set(self.tensors) - {"tied"})
        begin, end = header["permuted"]["data_offsets"]
        self.assertEqual(self.checkpoint[8 + length :][begin:end], self.tensors["half"].tobytes())
        self.assertEqual(header["ü"]["data_offsets"][0], 0)  # large elements first, so that all are aligned

    def test_are_what_the_formats_own_library_reads_and_writes(self):
        try:
            from safetensors import numpy as safetensors
        except ImportError as error:
            self.skipTest(f"needs safetensors: {error}")
        loaded = safetensors.load(self.checkpoint)
        np.testing.assert_array_equal(loaded["permuted"], self.tensors["half"])
        np.testing.assert_array_equal(loaded["w"], self.tensors["w"])
        written = safetensors.save({"b": np.arange(4, dtype=np.int32), "a": np.zeros((0, 2))}, {"c": "b"})
        back = load_ptd(from_safetensors(written).to_bytes()["data.ptd"])
        self.assertEqual({key: array.shape for key, array in back.items()}, {"a": (0, 2), "b": (4,), "c": (4,)})

    def test_that_were_edited_elsewhere_lose_the_layouts_that_no_longer_fit(self):
        edited = self.checkpoint.replace(b'"5|2,3|1,0"', b'"5|3,2|1,0"')
        back = load_ptd(from_safetensors(edited).to_bytes()["data.ptd"])
        np.testing.assert_array_equal(back["permuted"], self.tensors["half"])
        self.assertTrue(back["permuted"].flags.c_contiguous)
        for nonsense in (b'"5|2,3|1,1"', b'"5|2,3|1,9"', b'"|||||||||"', b'"5|2,,|1,0"', b'"5|2,3,-,0"'):
            from_safetensors(self.checkpoint.replace(b'"5|2,3|1,0"', nonsense))

    def test_keep_names_of_the_weights_of_a_program(self):
        planned = from_safetensors(DATA / "names" / "layers.safetensors")
        self.assertEqual(len(planned.report.items), 9)
        self.assertEqual(planned.report.min_runtime, "0.7")
        self.assertEqual(planned.report.items[0].target, "data.ptd")
        self.assertEqual(planned.report.bytes_before, (DATA / "names" / "layers.safetensors").stat().st_size)

    def test_refuse_what_the_format_cannot_say(self):
        data = plan_ptd({"\udcff": np.zeros(1)}).to_bytes()["data.ptd"]
        self.assertRaisesRegex(Error, "cannot be a name in a checkpoint", to_safetensors, data)
        self.assertRaises(FileNotFoundError, from_safetensors, self.folder / "none.safetensors")
        self.assertRaises(Error, from_safetensors, b"{}")
        header = b'{"x":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}}'
        four_bits = len(header).to_bytes(8, "little") + header + b"\0"
        self.assertRaisesRegex(Error, "dtype 'F4', which data files have not", from_safetensors, four_bits)

    def test_never_become_their_own_input(self):
        path = self.folder / "a.ptd"
        save_ptd(self.tensors, path)
        self.assertRaisesRegex(ValueError, "inputs are never changed", to_safetensors(path).save, path, replace=True)


class OnTheRuntime(WithFolder):
    """Programs run with data files that were loaded and saved as with the original ones."""

    def test_outputs_are_those_of_the_original(self):
        built = PROJECT / "build" / "runtime" / "build" / "pterun"
        runner = str(built) if built.exists() else shutil.which("pterun")
        if runner is None:
            self.skipTest("needs pterun, which ./test.sh builds")
        run = lambda program, data: subprocess.run([runner, program, *data], capture_output=True).stdout
        tried = 0
        for entry in json.loads((DATA / "manifest.json").read_text())["entries"]:
            files = [DATA / name for name in entry["data"]]
            outputs = run(DATA / entry["pte"], files)
            if not files or b'"ok":true' not in outputs:
                continue
            with self.subTest(name=entry["name"]):
                saved = [self.folder / path.name for path in files]
                for path, copied in zip(files, saved):
                    checkpoint = to_safetensors(path).to_bytes()["data.safetensors"]
                    through_both = from_safetensors(checkpoint).to_bytes()["data.ptd"]
                    save_ptd(load_ptd(through_both), copied, replace=True)
                self.assertEqual(run(DATA / entry["pte"], saved), outputs)
                tried += 1
        self.assertGreater(tried, 10)


class WithTorch(WithFolder):
    @classmethod
    def setUpClass(cls):
        try:
            import torch
            from executorch.exir._serialize._cord import Cord
            from executorch.extension.flat_tensor.serialize.serialize import FlatTensorSerializer
        except ImportError as error:
            raise unittest.SkipTest(f"needs torch and executorch: {error}")
        cls.torch = torch
        cls.read = staticmethod(lambda content: FlatTensorSerializer().deserialize(Cord(content)))

    def test_the_exporters_reader_accepts_what_is_saved(self):
        for path in DATA_FILES:
            if "0.6.0" in path.name:  # whose layout it no longer reads
                continue
            with self.subTest(path=path.relative_to(DATA)):
                saved = self.read(plan_ptd(load_ptd(path)).to_bytes()["data.ptd"])
                original = self.read(path.read_bytes())
                self.assertEqual(set(saved.named_data), set(original.named_data))
                for key, entry in original.named_data.items():
                    self.assertEqual(saved.named_data[key].tensor_layout, entry.tensor_layout)
                    self.assertEqual(bytes(saved.buffers[saved.named_data[key].buffer_index]),
                                     bytes(original.buffers[entry.buffer_index]))

    def test_tensors_are_saved_with_their_layouts(self):
        torch = self.torch
        image = torch.arange(24, dtype=torch.float32).reshape(1, 2, 3, 4)
        tensors = {
            "parameter": torch.nn.Parameter(torch.ones(2, 3)),
            "bf16": torch.arange(6, dtype=torch.bfloat16).reshape(2, 3).t(),
            "last": image.to(memory_format=torch.channels_last),
            "odd": image[..., ::2],
            "expanded": torch.ones(1).expand(3, 4),
            "scalar": torch.tensor(True),
            "empty": torch.zeros(0, 3),
        }
        tensors["tied"] = tensors["parameter"].detach()
        content = plan_ptd(tensors).to_bytes()["data.ptd"]
        entries = {entry.key: entry for entry in Container.open_bytes(content, "x").describe().named_data}
        self.assertEqual(entries["last"].layout.dim_order, [0, 2, 3, 1])
        self.assertEqual(entries["bf16"].layout.dim_order, [1, 0])
        self.assertEqual(entries["odd"].layout.dim_order, [0, 1, 2, 3])
        self.assertEqual(entries["tied"].sharers, entries["parameter"].sharers)
        for key, array in load_ptd(content).items():
            expected = tensors[key].detach()
            self.assertEqual(array.shape, tuple(expected.shape))
            self.assertEqual(array.tobytes(), expected.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
        for tensor in (torch.zeros(2).to_sparse(), torch.quantize_per_tensor(torch.zeros(2), 1.0, 0, torch.qint8)):
            self.assertRaisesRegex(TypeError, "store its parts", plan_ptd, {"x": tensor})


if __name__ == "__main__":
    unittest.main()
