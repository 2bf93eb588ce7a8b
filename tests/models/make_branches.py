#!/usr/bin/env python3
"""Exports models whose delegates have several outputs, with records, and runs them: make_branches.py --out DIR.

The same weights portable, with XNNPACK, and quantized for it, each as NAME.pte, NAME.etrecord, NAME.etdp (four runs),
NAME_debug.etdp and NAME.buffer (one run on the same input); layers and layers_xnnpack, a transformer of --layers; and argmax
and gru, of other models. Records are to be slimmed with ptestrip. Needs torch and executorch.
"""

import argparse
import pathlib
import sys


def models(layers):
    import torch
    from torch import nn

    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c, self.d = (nn.Linear(*sizes) for sizes in ((8, 8), (8, 4), (8, 4), (4, 4)))

        def forward(self, x):
            h = torch.relu(self.a(x))
            return torch.erf(self.b(h)) + self.d(torch.erf(self.c(h))), h

    class Argmax(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 3)

        def forward(self, x):
            return torch.argmax(self.o(x), -1)

    class Gru(nn.Module):
        def __init__(self):
            super().__init__()
            self.g = nn.GRU(4, 6, batch_first=True)

        def forward(self, x):
            return self.g(x)[0]

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.out = nn.LayerNorm(8), nn.Linear(8, 8)
            self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))

        def forward(self, x):
            h = self.norm(x)
            return x + self.out(torch.softmax(self.q(h) @ self.k(h).transpose(-1, -2), -1) @ self.v(h))

    torch.manual_seed(0)
    x, one = (torch.randn(3, 8),), (torch.randn(1, 3, 8),)
    branches, stack = Branches().eval(), nn.Sequential(*(Layer() for _ in range(layers))).eval()
    return {"layers": (stack, one, False), "layers_xnnpack": (stack, one, True),
            "portable": (branches, x, False), "xnnpack": (branches, x, True), "q8": (quantized(branches, x), x, True),
            "argmax": (Argmax().eval(), (torch.randn(2, 4),), False),
            "gru": (Gru().eval(), (torch.randn(1, 7, 4),), False)}


def quantized(model, x):
    import torch
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer, get_symmetric_quantization_config)
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model, x).module(), quantizer)
    prepared(*x)
    return convert_pt2e(prepared)


def export(model, x, with_xnnpack, path):
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    lowered = to_edge_transform_and_lower(torch.export.export(model, x), generate_etrecord=True,
                                          partitioner=[XnnpackPartitioner()] if with_xnnpack else [])
    program = lowered.to_executorch()
    path.with_suffix(".pte").write_bytes(program.buffer)
    program.get_etrecord().save(str(path.with_suffix(".etrecord")))


def run(x, path):
    from executorch.extension.pybindings.portable_lib import _load_for_executorch

    for suffix, runs, buffer in ((".etdp", 4, ""), ("_debug.etdp", 1, str(path.with_suffix(".buffer")))):
        module = _load_for_executorch(str(path.with_suffix(".pte")), enable_etdump=True,
                                      debug_buffer_size=1_000_000 if buffer else 0)
        for _ in range(runs):
            module.run_method("forward", x)
        module.write_etdump_result_to_file(str(path.with_name(path.name + suffix)), buffer)
    buffer = path.with_suffix(".buffer")
    buffer.write_bytes(buffer.read_bytes().rstrip(b"\0") + bytes(64))  # what follows was never written


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--layers", type=int, default=3)
    arguments = parser.parse_args()
    folder = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    for name, (model, x, with_xnnpack) in models(arguments.layers).items():
        export(model, x, with_xnnpack, folder / name)
        run(x, folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
