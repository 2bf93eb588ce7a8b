"""Holds the names that pteinspect finds in a checkpoint against those of the exporter, for every model of the generator.

generate.py --checkpoints made them, given with --models; of each program, what lies in it as the exporter lowered it, maybe
with dimensions exchanged, is called so, and nothing is called as other bytes are.
"""

import json
import pathlib
import struct

from check_names import LEAST_BYTES, add_names, check_program, hashes_of, row_major
from checks import expect, given

ELEMENT_BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}


def add_arguments(parser):
    parser.add_argument("--models", type=pathlib.Path, required=True, help="what generate.py --checkpoints wrote")


def names_in(checkpoint):
    """By hash, what tensors are called; those that are converted or packed in the program have other hashes there."""
    content = checkpoint.read_bytes()
    (end,) = struct.unpack_from("<Q", content)
    names = {}
    for name, tensor in json.loads(content[8 : 8 + end]).items():
        begin, stop = tensor["data_offsets"]
        storage = content[8 + end + begin : 8 + end + stop]
        if len(storage) >= LEAST_BYTES:
            add_names(row_major(storage, ELEMENT_BYTES[tensor["dtype"]], tensor["shape"]), name, names)
    return names


def check():
    programs, known = 0, 0
    for checkpoint in sorted(given.models.rglob("*.safetensors")):
        names = names_in(checkpoint)
        program = checkpoint.with_suffix(".pte")
        if not names:
            continue
        programs += 1
        for file in (program, *program.parent.glob("*.ptd")):
            hashes = hashes_of(file)
            if names.keys() & hashes.values():
                known += check_program(file, hashes, checkpoint, names)
    print(f"{programs} programs, {known} contents with names of the exporter")
    expect(programs >= 50 and known >= 200, "too few names were compared", programs, known)
