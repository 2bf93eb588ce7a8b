#!/usr/bin/env python3
"""Exports the pairs of tests/data/diff, and writes down what the exporter's own reader finds in them.

`contents.json.gz` has for each file of a pair what a comparison by content needs: hashes, types and values, read with the
exporter's flatbuffer reader and its .ptd reader, and for each pair of programs what the exporter's diff_pte.py says.
Needs torch 2.13.0 and executorch 1.5.1; see README.md.
"""

import argparse
import collections
import dataclasses
import gzip
import hashlib
import json
import logging
import os
import warnings

import torch
from torch import nn

from exporting import export, lower, quantize, xnnpack
from inputs import floats
from models import Mlp

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
INPUT = [floats(2, 16)]
WIDTHS = (16, 32, 32, 4)

# name: old program and its data files, new program and its data files; below tests/data.
PAIRS = {
    "lora_portable": (["f08/a_portable_base.pte"], ["f08/a_portable_v0.pte"]),
    "lora_xnn": (["f08/b_xnn_base.pte"], ["f08/b_xnn_v0.pte"]),
    "lora_versions": (["f08/a_portable_v0.pte"], ["f08/a_portable_v1.pte"]),
    "lora_versions_xnn": (["f08/b_xnn_v0.pte"], ["f08/b_xnn_v1.pte"]),
    "separated": (
        ["f08/a_portable_v0.pte"],
        ["f08/c_portable_v0.pte", "f08/c_portable_v0_foundation.ptd", "f08/c_portable_v0_lora.ptd"],
    ),
    "separated_xnn": (
        ["f08/b_xnn_v0.pte"], ["f08/c_xnn_v0.pte", "f08/c_xnn_v0_foundation.ptd", "f08/c_xnn_v0_lora.ptd"],
    ),
    "separated_versions": (
        ["f08/c_portable_v0.pte", "f08/c_portable_v0_foundation.ptd", "f08/c_portable_v0_lora.ptd"],
        ["f08/c_portable_v1.pte", "f08/c_portable_v1_foundation.ptd", "f08/c_portable_v1_lora.ptd"],
    ),
    "quantized": (["diff/mlp_xnn.pte"], ["diff/mlp_xnn_q8.pte"]),
    "front": (["diff/mlp.pte"], ["diff/mlp_front.pte"]),
    "front_xnn": (["diff/mlp_xnn.pte"], ["diff/mlp_xnn_front.pte"]),
    "tuned": (["diff/mlp.pte"], ["diff/mlp_tuned.pte"]),
    "tuned_xnn": (["diff/mlp_xnn.pte"], ["diff/mlp_xnn_tuned.pte"]),
    "shape": (["diff/mlp.pte"], ["diff/mlp_shape.pte"]),
    "shape_xnn": (["diff/mlp_xnn.pte"], ["diff/mlp_xnn_shape.pte"]),
    "method": (["diff/mlp.pte"], ["diff/mlp_method.pte"]),
    "types": (["diff/types.pte"], ["diff/types_tuned.pte"]),
    "release": (["old/0.6.0_xnn.pte"], ["old/1.0.1_xnn.pte"]),
}
METHODS = {"get_vocab_size": 96, "use_kv": True, "scale": 0.5, "get_name": "mlp"}


class FrontMlp(Mlp):
    """An Mlp with one layer more in front of the others, whose weights are the same."""

    def __init__(self, mlp):
        super().__init__(WIDTHS)
        self.layers = nn.ModuleList([make_layer(16, 16, 77), *mlp.layers])


class Types(nn.Module):
    """A buffer of each type that the portable kernels add."""

    DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8, torch.int16,
              torch.int32, torch.int64)

    def __init__(self, tuned):
        super().__init__()
        for i, dtype in enumerate(self.DTYPES):
            values = torch.arange(8 + i).to(dtype)  # each of other sizes
            if tuned:
                values[i % 8] = values[i % 8] + 3
                values[7] = values[7] - 1
            self.register_buffer(f"c_{i}", values)

    def forward(self, x):
        return tuple(x.to(buffer.dtype) + buffer for buffer in self.buffers())


def make_layer(width_in, width_out, seed):
    layer = nn.Linear(width_in, width_out)
    generator = torch.Generator().manual_seed(seed)
    for parameter in layer.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator) * 0.2
    return layer


def make_mlp(tuned=False):
    mlp = Mlp(WIDTHS)
    mlp.layers = nn.ModuleList(make_layer(a, b, i) for i, (a, b) in enumerate(zip(WIDTHS, WIDTHS[1:])))
    if tuned:
        mlp.layers[1].weight.data[3, 5:9] += 0.25
        mlp.layers[2].bias.data[1] -= 1.0
    return mlp


def programs():
    """The file of each program, and the program."""
    wide = [floats(7, 16)]
    methods = {**METHODS, "get_vocab_size": 128, "get_name": "mlp 2"}
    yield "mlp.pte", lower(export(make_mlp(), INPUT), constant_methods=METHODS)
    yield "mlp_front.pte", lower(export(FrontMlp(make_mlp()), INPUT), constant_methods=METHODS)
    yield "mlp_tuned.pte", lower(export(make_mlp(True), INPUT), constant_methods=METHODS)
    yield "mlp_shape.pte", lower(export(make_mlp(), wide), constant_methods=METHODS)
    yield "mlp_method.pte", lower(export(make_mlp(), INPUT), constant_methods=methods)
    yield "mlp_xnn.pte", lower(export(make_mlp(), INPUT), xnnpack())
    yield "mlp_xnn_front.pte", lower(export(FrontMlp(make_mlp()), INPUT), xnnpack())
    yield "mlp_xnn_tuned.pte", lower(export(make_mlp(True), INPUT), xnnpack())
    yield "mlp_xnn_shape.pte", lower(export(make_mlp(), wide), xnnpack())
    yield "mlp_xnn_q8.pte", lower(quantize(make_mlp(), INPUT, dynamic=True), xnnpack())
    yield "types.pte", lower(export(Types(False), [floats(1)]))
    yield "types_tuned.pte", lower(export(Types(True), [floats(1)]))


def digest(contents):
    return hashlib.sha256(bytes(contents)).hexdigest()


def type_of(tensor):
    return [tensor.scalar_type.name.lower(), list(tensor.sizes)]


def value_of(plan, index):
    """A value of a method's signature as JSON: what it is of, and what it is where no input decides that."""
    value = plan.values[index].val
    kind = type(value).__name__
    if kind == "Tensor":
        return type_of(value)
    return [kind.lower(), next(iter(vars(value).values()), None)]


def constants_of(program, plan):
    """Of the tensors of a method that are in the file: the hash of what they read, and their type."""
    for value in plan.values:
        tensor = value.val
        if type(tensor).__name__ != "Tensor" or tensor.data_buffer_idx == 0 or tensor.allocation_info is not None:
            continue
        extra = tensor.extra_tensor_info
        if extra is None or extra.location.name != "EXTERNAL":
            contents = bytes(program.constant_buffer[tensor.data_buffer_idx].storage)
            yield {"sha256": digest(contents), "bytes": len(contents), "type": type_of(tensor)}


def calls_of(plan):
    calls = collections.Counter()
    for chain in plan.chains:
        for instruction in chain.instructions:
            call = instruction.instr_args
            if type(call).__name__ == "KernelCall":
                operator = plan.operators[call.op_index]
                calls[".".join(filter(None, [operator.name, operator.overload]))] += 1
    return calls


def program_contents(contents):
    """What the exporter's reader finds in a program."""
    from executorch.exir._serialize._program import deserialize_pte_binary

    read = deserialize_pte_binary(contents)
    program = read.program
    methods = {}
    constants = []
    for plan in program.execution_plan:
        methods[plan.name] = {
            "inputs": [value_of(plan, index) for index in plan.inputs],
            "outputs": [value_of(plan, index) for index in plan.outputs],
            "arenas": list(plan.non_const_buffer_sizes),
            "values": len(plan.values),
            "instructions": sum(len(chain.instructions) for chain in plan.chains),
            "calls": dict(sorted(calls_of(plan).items())),
            "delegates": [delegate.id for delegate in plan.delegates],
        }
        constants += constants_of(program, plan)
    named = read.named_data
    keys = {}
    if named is not None:
        for key, entry in named.pte_data.items():
            buffer = bytes(named.buffers[entry.buffer_index])
            keys[key] = {"sha256": digest(buffer), "bytes": len(buffer)}
    return {"methods": methods, "constants": constants, "keys": keys}


def data_contents(contents):
    """What the exporter's reader finds in a data file."""
    from executorch.extension.flat_tensor.serialize.serialize import FlatTensorConfig, FlatTensorSerializer

    read = FlatTensorSerializer(FlatTensorConfig()).deserialize(contents)
    keys = {}
    for key, entry in read.named_data.items() if hasattr(read, "named_data") else read.key_to_data_entry.items():
        buffer = bytes(read.buffers[entry.buffer_index])
        keys[key] = {"sha256": digest(buffer), "bytes": len(buffer)}
    return {"keys": keys}


def diff_pte_of(old, new):
    """What diff_pte.py tells, without indices of values: only what is about contents and meaning."""
    from executorch.devtools.pte_tool.diff_pte import diff_pte

    result = diff_pte(old, new, max_samples=3)
    found = dataclasses.asdict(result)
    assert result.error is None, result.error
    return json.loads(json.dumps(found, default=lambda value: getattr(value, "name", str(value))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=os.path.join(DATA, "diff"), help="folder for the files")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    os.makedirs(options.out, exist_ok=True)
    with torch.no_grad():
        for name, program in programs():
            with open(os.path.join(options.out, name), "wb") as file:
                program.write_to_file(file)

    def read(name):
        folder = options.out if name.startswith("diff/") else DATA
        with open(os.path.join(folder, name.removeprefix("diff/")), "rb") as file:
            return file.read()

    names = sorted({name for pair in PAIRS.values() for side in pair for name in side})
    files = {name: (program_contents if name.endswith(".pte") else data_contents)(read(name)) for name in names}
    pairs = {
        name: {"old": old, "new": new, "diff_pte": diff_pte_of(read(old[0]), read(new[0]))}
        for name, (old, new) in PAIRS.items()
    }
    text = json.dumps({"files": files, "pairs": pairs}, separators=(",", ":"), sort_keys=True)
    with open(os.path.join(options.out, "contents.json.gz"), "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
