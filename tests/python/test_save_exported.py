"""pteedit.executorch.save: with stand-ins for the exporter's program manager, and with real ones where it is there."""

import importlib.util
import pathlib
import tempfile
import unittest

import pteedit.executorch
from common import DATA
from pteedit import Container, copy, rewrite
from test_exec_prog import Manager, Tensor, WriterOfData, constant_bytes

HAS_EXPORTER = all(importlib.util.find_spec(name) is not None for name in ("torch", "executorch"))


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class Saved(WithFolder):
    def test_is_the_exporters_file_where_nothing_is_asked(self):
        manager = Manager("f02_linear.pte", forward={})
        path = self.folder / "model.pte"
        self.assertEqual(pteedit.executorch.save(manager, path), [str(path)])
        self.assertEqual(path.read_bytes(), (DATA / "f02_linear.pte").read_bytes())
        self.assertEqual(self.names(), ["model.pte"])
        self.assertRaises(FileExistsError, pteedit.executorch.save, manager, path)
        pteedit.executorch.save(manager, path, replace=True)

    def test_edits_are_those_of_the_operations_one_after_the_other(self):
        source = DATA / "f08" / "b_xnn_base.pte"
        metadata = {"general.name": "base", "context": 8192}
        paths = pteedit.executorch.save(
            Manager("f08/b_xnn_base.pte", forward={}), self.folder / "model.pte", metadata=metadata, strip={"padding": True},
            split={"min_size": 1000},
        )
        edited = copy(source, set_metadata=metadata).to_bytes()["program.pte"]
        stripped = rewrite.strip(edited, padding=True).to_bytes()["program.pte"]
        expected = rewrite.split(stripped, min_size=1000).to_bytes()
        self.assertEqual([pathlib.Path(path).name for path in paths], ["model.ptd", "model.pte"])
        self.assertEqual((self.folder / "model.pte").read_bytes(), expected["program.pte"])
        self.assertEqual((self.folder / "model.ptd").read_bytes(), expected["data.ptd"])

    def test_tensor_data_files_lie_beside_the_program(self):
        manager = WriterOfData("f04/linear.pte", "f04/w.ptd", "f04/odd.ptd")
        paths = pteedit.executorch.save(manager, self.folder / "model.pte", metadata={"a": 1})
        self.assertEqual([pathlib.Path(path).name for path in paths], ["odd.ptd", "w.ptd", "model.pte"])
        self.assertEqual((self.folder / "w.ptd").read_bytes(), (DATA / "f04" / "w.ptd").read_bytes())

    def test_constants_are_chosen_by_their_names_in_the_exported_program(self):
        weight, bias = (constant_bytes("f02_linear.pte", f"forward.constant_{k}") for k in (0, 1))
        manager = Manager("f02_linear.pte", forward={"fc.weight": Tensor(weight), "fc.bias": Tensor(bias)})
        pteedit.executorch.save(manager, self.folder / "model.pte", split={"name": ["fc.weight"], "min_size": 1})
        (entry,) = Container.open_file(self.folder / "model.ptd").describe().named_data
        self.assertEqual(entry.bytes, len(weight))

    def test_keys_are_names_of_the_exported_program_where_that_is_asked_for(self):
        weight, bias = (constant_bytes("f02_linear.pte", f"forward.constant_{k}") for k in (0, 1))
        manager = Manager("f02_linear.pte", forward={"fc.weight": Tensor(weight), "fc.bias": Tensor(bias)})
        pteedit.executorch.save(manager, self.folder / "model.pte", split={"name_keys": True, "min_size": 1})
        program = pteedit.open(self.folder / "model.pte", data=[self.folder / "model.ptd"])
        self.assertEqual([key for key in program.data[0].named_data if not key.startswith("pteedit.base/")], ["fc.weight", "fc.bias"])
        self.assertEqual(program.verify(), [])
        self.assertTrue(program.same(DATA / "f02_linear.pte"))
        other = copy(self.folder / "model.ptd", splat="zeros").to_bytes()["data.ptd"]
        self.assertEqual([found.id for found in pteedit.verify(self.folder / "model.pte", [other])], ["base-missing"])

    def test_refusals_leave_nothing(self):
        manager = Manager("f02_linear.pte", forward={})
        self.assertRaises(TypeError, pteedit.executorch.save, manager, self.folder / "a.pte", strip={"no": 1})
        self.assertRaises(ValueError, pteedit.executorch.save, manager, self.folder / "a.pte", split={"methods": ["x"]})
        self.assertEqual(self.names(), [])


@unittest.skipUnless(HAS_EXPORTER, "torch and executorch are not installed")
class Exported(WithFolder):
    def setUp(self):
        super().setUp()
        import torch
        from executorch.exir import ExecutorchBackendConfig, to_edge

        torch.manual_seed(0)
        self.model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).eval()
        self.image = torch.randn(2, 64)
        exported = torch.export.export(self.model, (self.image,))
        self.lower = lambda **options: to_edge(exported).to_executorch(ExecutorchBackendConfig(**options))

    def outputs(self, program, data=None):
        from executorch.extension.pybindings import portable_lib

        loaded = portable_lib._load_for_executorch(str(program), *([str(data)] if data else []))
        return loaded.run_method("forward", [self.image])[0]

    def test_runs_like_the_exporters_file(self):
        manager = self.lower()
        manager.save(str(self.folder / "exported.pte"))
        pteedit.executorch.save(manager, self.folder / "model.pte", metadata={"a": "b"}, strip=True, split={"min_size": 1000})
        self.assertEqual(self.names(), ["exported.pte", "model.ptd", "model.pte"])
        ours = self.outputs(self.folder / "model.pte", self.folder / "model.ptd")
        self.assertTrue(ours.equal(self.outputs(self.folder / "exported.pte")))
        facts = [entry.key for entry in Container.open_file(self.folder / "model.pte").describe().named_data]
        self.assertEqual(facts, ["metadata.a"])

    def test_names_as_keys_are_those_of_external_constants(self):
        paths = pteedit.executorch.save(self.lower(), self.folder / "model.pte", split={"name_keys": True, "min_size": 1})
        entries = [entry.key for entry in Container.open_file(paths[0]).describe().named_data]
        self.assertEqual(sorted(key for key in entries if "/" not in key), sorted(self.model.state_dict()))
        self.assertEqual(self.outputs(paths[1], paths[0]).shape, (2, 8))

    def test_keys_of_external_constants_are_their_names(self):
        paths = pteedit.executorch.save(self.lower(external_constants=True), self.folder / "model.pte", strip=True)
        entries = Container.open_file(paths[0]).describe().named_data
        self.assertEqual(sorted(entry.key for entry in entries), sorted(self.model.state_dict()))
        self.assertEqual(self.outputs(paths[1], paths[0]).shape, (2, 8))


if __name__ == "__main__":
    unittest.main()
