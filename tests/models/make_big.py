#!/usr/bin/env python3
"""Makes LoRA families of several gigabytes, for measuring speed and memory.

Variant 0 is a real export at full size. The other variants are copies of that file in which only the LoRA bytes differ,
which is what exporting them would give (--check compares at a small size): a portable program holds the bytes in its
constant segment; XNNPACK names each weight by the SHA-256 of its bytes, so there the names in the program and in the
delegate change too. Needs torch and executorch; see README.md. The export itself needs memory for a few copies of the
weights; the copies are streamed.
"""

import argparse
import hashlib
import json
import logging
import mmap
import os
import shutil
import sys
import tempfile
import warnings
import zlib

import torch
from torch import nn

from exporting import export, lower, xnnpack
from inputs import floats

RANK = 8
FOUNDATION_SEED = 77
VARIANT_SEED = 100_000
FLOAT_BYTES = 4
WIDTH_STEP = 64
HASH_DIGITS = 64


class BigLora(nn.Module):
    """Residual layers of width x width, each with a LoRA pair. On the meta device the weights have no bytes."""

    def __init__(self, width, layers):
        super().__init__()

        def make_layers(width_in, width_out):
            return nn.ModuleList(nn.Linear(width_in, width_out, bias=False, device="meta") for _ in range(layers))

        self.base = make_layers(width, width)
        self.lora_a = make_layers(width, RANK)
        self.lora_b = make_layers(RANK, width)

    def forward(self, x):
        for base, lora_a, lora_b in zip(self.base, self.lora_a, self.lora_b):
            x = x + torch.tanh(base(x) + lora_b(lora_a(x)))
        return x


def make_weight(name, shape, variant):
    """The bytes of a weight depend on its name, and for LoRA on the variant; no two weights are equal."""
    seed = VARIANT_SEED * (variant + 1) if "lora" in name else FOUNDATION_SEED
    generator = torch.Generator().manual_seed(seed + zlib.crc32(name.encode()))
    limit = shape[1] ** -0.5
    return torch.empty(shape).uniform_(-limit, limit, generator=generator)


def make_model(width, layers, variant):
    model = BigLora(width, layers)
    for name, parameter in list(model.named_parameters()):
        owner, leaf = name.rsplit(".", 1)
        weight = nn.Parameter(make_weight(name, parameter.shape, variant), requires_grad=False)
        setattr(model.get_submodule(owner), leaf, weight)
    return model.eval()


def make_lora_bytes(width, layers, variant):
    """The bytes of each LoRA weight of a variant, in the order of the model's parameters."""
    parameters = BigLora(width, layers).named_parameters()
    shapes = {name: parameter.shape for name, parameter in parameters if "lora" in name}
    return [make_weight(name, shape, variant).numpy().tobytes() for name, shape in shapes.items()]


def write_export(path, form, width, layers, variant):
    """Exports a variant and writes it."""
    captured = export(make_model(width, layers, variant), [floats(1, width)])
    program = lower(captured, xnnpack() if form == "xnn" else None)
    with open(path, "wb") as file:
        program.write_to_file(file)


def write_variant(source, path, form, width, layers, variant):
    """Writes a variant as a copy of variant 0 with other LoRA bytes."""
    shutil.copyfile(source, path)
    program, header = read_tables(path)
    replace = replace_named if form == "xnn" else replace_constant
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as contents:
        old_and_new = zip(make_lora_bytes(width, layers, 0), make_lora_bytes(width, layers, variant))
        for old, new in old_and_new:
            replace(contents, program, header, old, new)


def read_tables(path):
    """The program's tables as the exporter's objects, and the extended header; the segments stay unread."""
    from executorch.exir._serialize._flatbuffer_program import _flatbuffer_to_program
    from executorch.exir._serialize._program import _get_extended_header

    with open(path, "rb") as file:
        header = _get_extended_header(file.read(64))
        file.seek(0)
        return _flatbuffer_to_program(file.read(header.program_size)), header


def replace_constant(contents, program, header, old, new):
    """Replaces the buffer of the constant segment that holds the old bytes."""
    constants = program.constant_segment
    base = header.segment_base_offset + program.segments[constants.segment_index].offset
    starts = [base + offset for offset in constants.offsets]
    start = next(start for start in starts if contents[start : start + len(old)] == old)
    contents[start : start + len(new)] = new


def replace_named(contents, program, header, old, new):
    """Replaces the named segment with the old bytes, and their hash in the tables and in the delegates' blobs."""
    old_key, new_key = (hashlib.sha256(weight).hexdigest() for weight in (old, new))
    entry = next(entry for entry in program.named_data if entry.key == old_key)
    start, _ = segment_range(program, header, entry.segment_index)
    contents[start : start + len(new)] = new
    delegates = [delegate for plan in program.execution_plan for delegate in plan.delegates]
    ranges = [segment_range(program, header, delegate.processed.index) for delegate in delegates]
    count = 0
    for start, end in [(0, header.program_size), *ranges]:
        count += replace_text(contents, start, end, old_key.encode(), new_key.encode())
    if count < 2:
        raise ValueError("a key is missing in the tables or in the delegate")


def segment_range(program, header, index):
    segment = program.segments[index]
    start = header.segment_base_offset + segment.offset
    return start, start + segment.size


def replace_text(contents, start, end, old, new):
    """Replaces each occurrence in [start, end) and returns their number."""
    count = 0
    place = contents.find(old, start, end)
    while place >= 0:
        contents[place : place + HASH_DIGITS] = new
        count += 1
        place = contents.find(old, place + HASH_DIGITS, end)
    return count


def write_family(folder, form, width, layers, variants):
    paths = [os.path.join(folder, f"{form}_v{variant}.pte") for variant in range(variants)]
    write_export(paths[0], form, width, layers, 0)
    for variant, path in enumerate(paths[1:], start=1):
        write_variant(paths[0], path, form, width, layers, variant)
    return paths


def check(form):
    """Compares a changed copy with a real export of the same variant, at a small size."""
    width, layers = 64, 3
    with tempfile.TemporaryDirectory() as folder:
        copy = write_family(folder, form, width, layers, 2)[1]
        exported = os.path.join(folder, "exported.pte")
        write_export(exported, form, width, layers, 1)
        with open(copy, "rb") as first, open(exported, "rb") as second:
            return first.read() == second.read()


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=".", help="folder for the files")
    parser.add_argument("--gb", type=float, default=1.0, help="size of the foundation in GiB")
    parser.add_argument("--variants", type=int, default=3)
    parser.add_argument("--form", choices=("portable", "xnn"), default="portable")
    parser.add_argument("--layer-mb", type=int, default=64, help="size of one foundation matrix in MiB")
    parser.add_argument("--check", action="store_true", help="only compare a changed copy with a real export")
    return parser.parse_args()


def main():
    options = parse_options()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    with torch.no_grad():
        if options.check:
            equal = check(options.form)
            print(f"{options.form}: a changed copy and a real export are {'equal' if equal else 'different'}")
            return 0 if equal else 1
        os.makedirs(options.out, exist_ok=True)
        width = int((options.layer_mb * 2**20 / FLOAT_BYTES) ** 0.5) // WIDTH_STEP * WIDTH_STEP
        layers = max(1, round(options.gb * 2**30 / (width * width * FLOAT_BYTES)))
        paths = write_family(options.out, options.form, width, layers, options.variants)
    print(json.dumps({"width": width, "layers": layers, "sizes": {path: os.path.getsize(path) for path in paths}}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
