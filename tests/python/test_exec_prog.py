"""size_distribution with stand-ins for the exporter's program manager, which need no torch."""

import ctypes
import os
import tempfile
import types
import unittest
from unittest import mock

from common import DATA
from pteedit.ptetools import SizeDistribution, size_distribution, size_distribution_from_pte


class Writer:
    """The least that size_distribution needs."""

    def __init__(self, name):
        self.path = DATA / name

    def write_to_file(self, open_file):
        data = self.path.read_bytes()
        for start in range(0, len(data), 1000):
            open_file.write(data[start : start + 1000])


class WriterOfData(Writer):
    def __init__(self, name, *data):
        super().__init__(name)
        self.data = [DATA / file for file in data]

    def write_tensor_data_to_file(self, outdir):
        for path in self.data:
            with open(os.path.join(outdir, path.name), "wb") as file:
                file.write(path.read_bytes())


class Storage:
    def __init__(self, data):
        self.buffer = ctypes.create_string_buffer(data, len(data))

    def nbytes(self):
        return len(self.buffer)

    def data_ptr(self):
        return ctypes.addressof(self.buffer)


class Tensor:
    """As much of a row-major tensor as names are found by."""

    def __init__(self, data):
        self.storage = Storage(data)
        self.nbytes = len(data)

    def detach(self):
        return self

    def cpu(self):
        return self

    def is_contiguous(self):
        return True

    def untyped_storage(self):
        return self.storage


class FakeTensor(Tensor):
    def untyped_storage(self):
        raise RuntimeError("no data")


class Manager(Writer):
    """Has a method for each keyword, with parameters as {name: tensor}."""

    def __init__(self, name, **methods):
        super().__init__(name)
        self.methods = set(methods)
        self._parameters = methods

    def exported_program(self, method_name="forward"):
        parameters = self._parameters[method_name]
        return types.SimpleNamespace(
            graph_signature=types.SimpleNamespace(
                inputs_to_parameters={"p_" + name: name for name in parameters},
                inputs_to_buffers={},
                inputs_to_lifted_tensor_constants={"c_lost": "lost"},
            ),
            state_dict=parameters,
            constants={},
        )


def constant_bytes(name, constant):
    """The bytes of a constant of a test file, by the library's name."""
    from pteedit import Container

    path = DATA / name
    for tensor in Container.open_file(path).describe().tensors:
        if constant in [tensor.name, *tensor.aliases]:
            return path.read_bytes()[tensor.extent.offset : tensor.extent.offset + tensor.extent.size]
    raise LookupError(constant)


class Programs(unittest.TestCase):
    def test_write_to_file_is_enough(self):
        for name in ("f02_linear.pte", "f06/mixed.pte"):
            self.assertEqual(size_distribution(Writer(name)), size_distribution_from_pte(DATA / name))

    def test_data_files_are_components_and_count(self):
        found = size_distribution(WriterOfData("f04/linear.pte", "f04/w.ptd", "f04/odd.ptd"))
        program = size_distribution_from_pte(DATA / "f04" / "linear.pte")
        data = size_distribution_from_pte(DATA / "f04" / "w.ptd")
        self.assertEqual(found.components[:-2], program.components)
        self.assertEqual([part.name for part in found.components[-2:]], ["odd.ptd", "w.ptd"])
        self.assertEqual(found.components[-1], SizeDistribution("w.ptd", data.size, data.components))
        self.assertEqual(found.size, sum(part.size for part in found.components))
        self.assertEqual(found.name, "Total Size")

    def test_a_program_without_data_files_is_not_asked_for_them(self):
        class Refuses(Writer):
            _tensor_data = None

            def write_tensor_data_to_file(self, outdir):
                raise AssertionError

        self.assertEqual(size_distribution(Refuses("f02_linear.pte")).size, 1680)

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
            size_distribution(WriterOfData("f04/linear.pte", "f04/w.ptd"))
            with self.assertRaises(ValueError):
                size_distribution(Writer("README.md"))
            self.assertEqual(os.listdir(folder), [])

    def test_what_the_program_raises_is_raised_on(self):
        class Broken:
            def write_to_file(self, open_file):
                raise KeyError("a")

        with self.assertRaises(KeyError):
            size_distribution(Broken())


class Names(unittest.TestCase):
    def constants(self, manager):
        (component,) = [part for part in size_distribution(manager).components if part.name == "Constant Tensors"]
        return [(part.name, part.aliases) for part in component.components]

    def setUp(self):
        name = "f02_linear.pte"
        self.weight, self.bias = (constant_bytes(name, f"forward.constant_{k}") for k in (0, 1))

    def test_constants_are_called_as_in_the_exported_program(self):
        manager = Manager("f02_linear.pte", forward={"fc.bias": Tensor(self.bias), "fc.weight": Tensor(self.weight)})
        self.assertEqual(self.constants(manager), [("fc.weight", []), ("fc.bias", [])])

    def test_what_differs_in_a_byte_keeps_its_name(self):
        changed = self.bias[:-1] + bytes([self.bias[-1] ^ 1])
        manager = Manager("f02_linear.pte", forward={"fc.bias": Tensor(changed), "fc.weight": Tensor(self.weight)})
        self.assertEqual(self.constants(manager), [("fc.weight", []), ("forward.constant_1", [])])

    def test_tensors_with_equal_bytes_are_aliases(self):
        manager = Manager("f02_linear.pte", forward={"b": Tensor(self.weight), "a": Tensor(self.weight)})
        self.assertEqual(self.constants(manager)[0], ("b", ["a"]))

    def test_tensors_without_bytes_give_no_names(self):
        manager = Manager("f02_linear.pte", forward={"a": FakeTensor(self.weight)})
        self.assertEqual(self.constants(manager)[0], ("forward.constant_0", []))
        empty_name = ("forward.constant_9", [])  # an empty constant
        self.assertIn(empty_name, self.constants(Manager("f12/zoo.pte", forward={"a": Tensor(b"")})))

    def test_a_name_for_different_tensors_tells_the_method(self):
        name = "f06/mixed.pte"
        shared, own = (constant_bytes(name, f"decode.constant_{k}") for k in (1, 2))
        manager = Manager(
            name,
            decode={"w": Tensor(own), "embedding": Tensor(shared)},
            prefill={"w": Tensor(b"other"), "embedding": Tensor(shared)},
        )
        names = self.constants(manager)
        self.assertEqual(names[1], ("embedding", []))
        self.assertEqual(names[2], ("decode.w", []))

    def test_names_of_the_file_stay(self):
        name = "f09/kv_init_names_ext.pte"
        found = size_distribution(Manager(name, forward={"other": Tensor(constant_bytes(name, "k_cache"))}))
        own = size_distribution_from_pte(DATA / name)
        self.assertEqual([part.name for part in found.components], [part.name for part in own.components])
        state = [part for part in found.components if part.name == "Mutable Tensors"][0].components[0]
        self.assertEqual((state.name, state.aliases), ("k_cache", ["other"]))


if __name__ == "__main__":
    unittest.main()
