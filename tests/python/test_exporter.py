"""size_distribution with the real exporter's program manager; skipped where there is no torch or executorch."""

import hashlib
import importlib.util
import os
import tempfile
import unittest

HAS_EXPORTER = all(importlib.util.find_spec(name) is not None for name in ("torch", "executorch"))

if HAS_EXPORTER:
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower

from pteedit._constant_names import digest_of_tensor
from pteedit.ptetools import size_distribution, size_distribution_from_pte


def lower(modules, partitioner=None, **options):
    """Modules by method, each taking an image of 3 x 8 x 8, as an ExecutorchProgramManager."""
    image = (torch.ones(1, 3, 8, 8),)
    programs = {method: torch.export.export(module.eval(), image) for method, module in modules.items()}
    edge = to_edge_transform_and_lower(
        programs, partitioner=partitioner, compile_config=EdgeCompileConfig(_check_ir_validity=False)
    )
    return edge.to_executorch(ExecutorchBackendConfig(**options))


def component(sizes, name):
    (found,) = [part for part in sizes.components if part.name == name]
    return found


def names_and_sizes(part):
    return [(row.name, row.size) for row in part.components]


@unittest.skipUnless(HAS_EXPORTER, "torch and executorch are not installed")
class Exporter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(0)

        class Convolutions(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv_0 = torch.nn.Conv2d(3, 4, 3)
                self.conv_1 = torch.nn.Conv2d(4, 2, 1)
                self.register_buffer("shift", torch.randn(6, 1, 1)[::3])
                self.register_buffer("scale", torch.randn(6, 1, 1)[:2], persistent=False)

            def forward(self, image):
                return self.conv_1(self.conv_0(image).relu()) * self.scale + self.shift

        cls.make = Convolutions
        cls.weights = [("conv_0.weight", 432), ("conv_0.bias", 16), ("conv_1.weight", 32), ("conv_1.bias", 8)]
        cls.buffers = [("shift", 8), ("scale", 8)]

    def assert_is_the_file(self, manager, sizes):
        """The sizes are those of the saved program, but for the names of constants."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.pte")
            manager.save(path)
            saved = size_distribution_from_pte(path)
        self.assertEqual(
            [(part.name, [row.size for row in part.components]) for part in saved.components],
            [(part.name, [row.size for row in part.components]) for part in sizes.components[: len(saved.components)]],
        )

    def test_constants_of_a_portable_program_have_their_names(self):
        manager = lower({"forward": self.make()})
        sizes = size_distribution(manager)
        self.assertCountEqual(names_and_sizes(component(sizes, "Constant Tensors")), self.weights + self.buffers)
        self.assertEqual(sizes.size, len(manager.buffer))
        self.assert_is_the_file(manager, sizes)

    def test_channels_last_weights_have_their_names(self):
        sizes = size_distribution(lower({"forward": self.make().to(memory_format=torch.channels_last)}))
        self.assertIn(("conv_0.weight", 432), names_and_sizes(component(sizes, "Constant Tensors")))

    def test_views_are_known_by_their_own_bytes(self):
        whole = torch.arange(24, dtype=torch.int32).reshape(4, 6)
        for view in (whole, whole.t(), whole[1:3], whole[::2], whole[:, ::3], whole[2, 3]):
            expected = hashlib.sha256(view.numpy().tobytes()).digest()
            self.assertEqual(digest_of_tensor(view), expected, view)

    def test_tensors_without_memory_have_no_digest(self):
        with torch._subclasses.FakeTensorMode():
            fake = torch.ones(2)
        for tensor in (fake, torch.ones(2, device="meta"), torch.ones(2).to_sparse(), torch.ones(0)):
            self.assertIsNone(digest_of_tensor(tensor))

    def test_what_xnnpack_takes_is_in_its_blob_and_named_data(self):
        manager = lower({"forward": self.make()}, [XnnpackPartitioner()])
        sizes = size_distribution(manager)
        self.assertCountEqual(names_and_sizes(component(sizes, "Constant Tensors")), self.buffers)
        self.assertEqual([part.name for part in component(sizes, "Delegate Blobs").components], ["XnnpackBackend_0"])
        self.assertEqual(component(sizes, "Named Data").size, sum(size for _, size in self.weights))
        self.assertEqual(sizes.size, len(manager.buffer))
        self.assert_is_the_file(manager, sizes)

    def test_external_constants_are_in_their_data_file(self):
        manager = lower({"forward": self.make()}, external_constants=True)
        sizes = size_distribution(manager)
        data = component(sizes, "_default_external_constant.ptd")
        self.assertCountEqual(names_and_sizes(component(data, "Tensors")), self.weights + self.buffers)
        with tempfile.TemporaryDirectory() as folder:
            manager.write_tensor_data_to_file(folder)
            (name,) = os.listdir(folder)
            written = size_distribution_from_pte(os.path.join(folder, name))
        self.assertEqual((name, data.size, data.components), (data.name, written.size, written.components))
        self.assertEqual(sizes.size, len(manager.buffer) + data.size)
        self.assert_is_the_file(manager, sizes)

    def test_each_method_gives_names(self):
        shared, other = self.make(), self.make()
        sizes = size_distribution(lower({"a": shared, "b": shared, "c": other}))
        names = [name for name, _ in names_and_sizes(component(sizes, "Constant Tensors"))]
        expected = [method + "." + name for method in "ac" for name, _ in self.weights + self.buffers]
        self.assertCountEqual(names, expected)


if __name__ == "__main__":
    unittest.main()
