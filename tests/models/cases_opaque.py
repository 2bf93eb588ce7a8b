"""f17: a backend that nobody knows, whose blob has no structure and whose keys are unusual."""

import torch
from torch import nn

from exporting import export
from inputs import call, floats, make_tensors
from models import Add
from suite import group

BACKEND = "OpaqueBackend"
BLOB = b"OPAQUE\x00\x00" + bytes(range(256)) * 4


def _define_backend():
    """Defines the backend's class; the exporter finds it by its name among the subclasses of BackendDetails."""
    from executorch.exir._serialize._named_data_store import NamedDataStore
    from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult

    def preprocess(edge_program, compile_specs):
        data = NamedDataStore()
        data.add_named_data("opaque/alpha", b"A" * 100, alignment=64)
        data.add_named_data("opaque/alpha_alias", b"A" * 100, alignment=256)
        data.add_named_data("opaque/\u00e9-unicode key", b"z" * 33, alignment=1)
        data.add_named_data("opaque/outside", b"E" * 70, alignment=32, external_tag="outside")
        return PreprocessResult(processed_bytes=BLOB, data_store_output=data.get_named_data_store_output())

    return type(BACKEND, (BackendDetails,), {"preprocess": staticmethod(preprocess)})


@group("f17_opaque")
def opaque(suite):
    """an unknown backend with aliased keys, compile specs and an external blob"""
    from executorch.exir import to_edge
    from executorch.exir.backend.backend_api import to_backend
    from executorch.exir.backend.compile_spec_schema import CompileSpec

    backend = _define_backend()
    inputs = [floats(2, 3), floats(2, 3, seed=2)]
    specs = [CompileSpec("mode", b"fast\x00\x01"), CompileSpec("empty", b"")]
    lowered = to_backend(backend.__name__, to_edge(export(Add(), inputs)).exported_program(), specs)

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.lowered = lowered

        def forward(self, x, y):
            return self.lowered(x, y)

    program = to_edge(torch.export.export(Outer(), make_tensors(inputs))).to_executorch()
    suite.write(
        "f17_opaque", "f17/opaque.pte", program, [call(*inputs)], "to_backend with a backend of this project",
        "keys that share a segment, a key outside ASCII, compile specs, an external blob", "opaque_", runnable=False,
    )
