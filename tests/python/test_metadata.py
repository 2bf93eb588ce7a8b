"""What the exporter knows about delegates, from stand-ins and, where there is torch, from the real one."""

import ctypes
import hashlib
import importlib.util
import json
import os
import tempfile
import types
import unittest

import pteedit
from common import DATA, inspect, run_tool
from pteedit.metadata import delegate_metadata, write_delegate_metadata
from pteedit.ptetools import size_distribution

HAS_EXPORTER = all(importlib.util.find_spec(name) is not None for name in ("torch", "executorch"))

PROGRAM = DATA / "f03_mlp_xnn.pte"


def bytes_of(component):
    return run_tool("pteinspect", "--extract", component, "-o", "-", PROGRAM).stdout


class Storage:
    def __init__(self, data):
        self.buffer = ctypes.create_string_buffer(data, len(data))

    def nbytes(self):
        return len(self.buffer)

    def data_ptr(self):
        return ctypes.addressof(self.buffer)


class Tensor:
    def __init__(self, data, shape):
        self.storage, self.nbytes = Storage(data), len(data)
        self.dtype, self.shape = "torch.float32", shape

    def detach(self):
        return self

    cpu = detach

    def is_contiguous(self):
        return True

    def untyped_storage(self):
        return self.storage

    def numel(self):
        return self.nbytes // 4

    def element_size(self):
        return 4


def node(op, target):
    return types.SimpleNamespace(op=op, target=target)


def operator(name):
    return types.SimpleNamespace(name=lambda: name)


class Module:
    """A graph module with other modules in it."""

    def __init__(self, nodes=(), inside=()):
        self.graph = types.SimpleNamespace(nodes=list(nodes))
        self.inside = list(inside)

    def modules(self):
        yield self
        for module in self.inside:
            yield from module.modules()


class Lowered(Module):
    def __init__(self, blob, graph, tensors, keys=(), handles=None):
        super().__init__()
        self.backend_id, self.processed_bytes = "XnnpackBackend", blob
        signature = types.SimpleNamespace(
            inputs_to_parameters={"p_" + name: name for name in tensors},
            inputs_to_buffers={"b_gone": "gone"},
            inputs_to_lifted_tensor_constants={},
        )
        self.original_module = types.SimpleNamespace(
            graph_module=graph, graph_signature=signature, state_dict=tensors, constants={}
        )
        self.named_data_store_output = types.SimpleNamespace(
            pte_data={key: None for key in keys}, external_data={"file": {"outside": None}}
        )
        self.meta = {"debug_handle_map": handles}


WEIGHT = b"\0\0\0\0\0\0\x80\x3f"
WEIGHT_KEY = "22b6f43bd8d27738d3213f29e96b62d01d9d6c0ab4f9732aaae803186f51eab7"


def lowered(blob):
    nodes = [node("placeholder", "x"), node("call_function", operator("aten::linear")),
             node("call_function", __import__("operator").getitem), node("call_function", len)]
    branch = Module([node("call_function", operator("aten::relu"))])
    tensors = {"fc.weight": Tensor(WEIGHT, (1, 2)), "fc.other": Tensor(b"1234", (1,))}
    return Lowered(blob, Module(nodes, [branch]), tensors, [WEIGHT_KEY, "a"], {0: (3, 4), "op": 5})


FROZEN = {
    "backend": "XnnpackBackend",
    "operators": ["aten::linear", "len", "aten::relu"],
    "constants": [
        {"name": "fc.weight", "key": WEIGHT_KEY, "dtype": "float32", "sizes": [1, 2], "bytes": 8},
        {"name": "fc.other", "key": None, "dtype": "float32", "sizes": [1], "bytes": 4},
    ],
    "keys": [WEIGHT_KEY, "a", "outside"],
    "debug_handles": {"0": [3, 4], "op": [5]},
}


class StandIns(unittest.TestCase):
    def setUp(self):
        self.blob = bytes_of("XnnpackBackend_0")
        self.expected = {
            "schema_version": 1,
            "delegates": [{"sha256": hashlib.sha256(self.blob).hexdigest(), "bytes": 1600, **FROZEN}],
        }

    def test_tell_operators_constants_keys_and_debug_handles(self):
        self.assertEqual(delegate_metadata(lowered(self.blob)), self.expected)

    def test_are_found_wherever_they_are_and_once(self):
        one = lowered(self.blob)
        module = Module(inside=[one, Module(inside=[one])])
        program = types.SimpleNamespace(graph_module=module)
        manager = types.SimpleNamespace(methods={"a", "b"}, exported_program=lambda method: program)
        for holder in (module, program, manager):
            self.assertEqual(delegate_metadata(holder), self.expected)
        self.assertEqual(delegate_metadata(Module()), {"schema_version": 1, "delegates": []})
        with self.assertRaisesRegex(TypeError, "a str holds no lowered modules"):
            delegate_metadata("model.pte")

    def test_what_is_written_is_what_pteinspect_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "metadata.json")
            for _ in range(2):  # also where there is one already
                write_delegate_metadata(lowered(self.blob), path)
            self.assertEqual(os.listdir(folder), ["metadata.json"])
            (delegate,) = inspect(PROGRAM, "--delegates", "--metadata-json", path)["delegates"]
        self.assertEqual(delegate["operators"], FROZEN["operators"])
        self.assertEqual([constant["name"] for constant in delegate["constants"]], ["fc.weight", "fc.other"])
        (found,) = pteedit.delegates(PROGRAM)
        self.assertEqual(delegate["parts"], found["parts"])

    def test_nothing_is_left_behind_where_writing_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "metadata.json"))
            with self.assertRaises(OSError):
                write_delegate_metadata(lowered(self.blob), os.path.join(folder, "metadata.json"))
            self.assertEqual(os.listdir(folder), ["metadata.json"])


    def test_keys_get_the_names_of_their_constants(self):
        key = "cc37467011404dea45b2e52ec2a957e6f7fc5164dde4ba2a7cc74598fab5f4d2"
        tensors = {"fc3.bias": Tensor(bytes_of(key), (4,)), "fc3.tied": Tensor(bytes_of(key), (4,))}
        module = Module(inside=[Lowered(self.blob, Module(), tensors)])
        signature = types.SimpleNamespace(
            inputs_to_parameters={}, inputs_to_buffers={}, inputs_to_lifted_tensor_constants={}
        )
        program = types.SimpleNamespace(graph_module=module, graph_signature=signature, state_dict={}, constants={})
        manager = types.SimpleNamespace(
            methods={"forward"},
            exported_program=lambda method: program,
            write_to_file=lambda file: file.write(PROGRAM.read_bytes()),
        )
        (named,) = [part for part in size_distribution(manager).components if part.name == "Named Data"]
        self.assertEqual(len(named.components), 6)
        names = {row.name: row.aliases for row in named.components if row.aliases}
        self.assertEqual(names, {"fc3.bias": ["fc3.tied", key]})


# Of the model below, by the exporter that tests/python/run.sh installs.
KEYS = [
    "29e1889124dc651e7bb488251123910767d042ae6dc47c280ec364655e24ab49",
    "8e628779e6a74ee0b36991c10158f63cafec7d340ad4e075592502c8708524dd",
    "986c627ee6ef1bcc3d746256a7045624ceeb44c4ed557ca055b2d43933de3489",
    "a73a7e84d52450cde4510c653619e159a10b903d7e491273a2e256311b20ec2e",
]
FROZEN_EXPORT = {
    "bytes": 1184,
    "backend": "XnnpackBackend",
    "operators": ["aten::linear", "aten::relu", "aten::linear"],
    "constants": [
        {"name": "fc1.weight", "key": KEYS[0], "dtype": "float32", "sizes": [3, 4], "bytes": 48},
        {"name": "fc1.bias", "key": KEYS[1], "dtype": "float32", "sizes": [3], "bytes": 12},
        {"name": "fc2.weight", "key": KEYS[3], "dtype": "float32", "sizes": [2, 3], "bytes": 24},
        {"name": "fc2.bias", "key": KEYS[2], "dtype": "float32", "sizes": [2], "bytes": 8},
    ],
    "keys": KEYS,
}


@unittest.skipUnless(HAS_EXPORTER, "torch and executorch are not installed")
class Exporter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import torch
        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        from executorch.exir import to_edge_transform_and_lower

        class Mlp(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc1, self.fc2 = torch.nn.Linear(4, 3), torch.nn.Linear(3, 2)
                for shift, parameter in enumerate(self.parameters()):
                    parameter.data = torch.arange(parameter.numel()).reshape(parameter.shape) + float(shift)

            def forward(self, x):
                return self.fc2(self.fc1(x).relu())

        exported = torch.export.export(Mlp().eval(), (torch.ones(1, 4),))
        cls.edge = to_edge_transform_and_lower({"forward": exported}, partitioner=[XnnpackPartitioner()])
        cls.program = cls.edge.to_executorch()

    def test_the_edge_program_tells_what_is_frozen(self):
        metadata = delegate_metadata(self.edge)
        (delegate,) = metadata["delegates"]
        self.assertRegex(delegate.pop("sha256"), "^[0-9a-f]{64}$")
        self.assertEqual(delegate, FROZEN_EXPORT)
        self.assertEqual(delegate_metadata(self.program), delegate_metadata(self.edge))

    def test_names_are_shown_in_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path, metadata = os.path.join(folder, "m.pte"), os.path.join(folder, "m.json")
            with open(path, "wb") as file:
                self.program.write_to_file(file)
            write_delegate_metadata(self.edge, metadata)
            (delegate,) = inspect(path, "--delegates", "--metadata-json", metadata)["delegates"]
        shown = [{**constant, "common_dtype": "float32"} for constant in FROZEN_EXPORT["constants"]]
        self.assertEqual(delegate["constants"], shown)
        self.assertEqual([key["key"] for key in delegate["keys"]], FROZEN_EXPORT["keys"])

    def test_keys_get_the_names_of_their_constants(self):
        (named,) = [part for part in size_distribution(self.program).components if part.name == "Named Data"]
        names = {row.name: row.aliases for row in named.components}
        self.assertEqual(names, {one["name"]: [one["key"]] for one in FROZEN_EXPORT["constants"]})


if __name__ == "__main__":
    unittest.main()
