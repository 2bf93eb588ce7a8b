#!/usr/bin/env python3
"""Assembles files as releases 0.1 to 0.3 wrote them, whose exporters no longer run with today's torch.

The tables of files of later releases are turned into JSON with flatc, rearranged, and encoded again:

  0.1_inline           constants in Program.constant_buffer; no segments, no extended header
  0.1_inline_delegate  the same with an XNNPACK delegate in Program.backend_delegate_data
  0.2_segment          a constant segment and an extended header of 24 bytes (without segment_data_size)

Fields that came later are absent. Needs only flatc (2.0.8 tested) and schema/program.fbs.
"""

import argparse
import json
import os
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LATER_PROGRAM_FIELDS = ("mutable_data_segments", "named_data")  # since 0.4 and 0.6

# The extended header lies between the file identifier and the tables: "eh00", its length, the size of the tables with
# the header, the place of the first segment. It gets 32 bytes, so that the tables keep their alignment of 16.
HEADER_OFFSET = 8
HEADER_ROOM = 32
HEADER_LENGTH = 24
SEGMENT_ALIGNMENT = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schema", default=os.path.join(HERE, "../../schema/program.fbs"))
    parser.add_argument("--data", default=os.path.join(HERE, "../data"), help="folder with f02_linear.pte and old/")
    options = parser.parse_args()
    old = os.path.join(options.data, "old")
    linear = read_file(os.path.join(old, "0.4.0_lin.pte"))
    delegate = read_file(os.path.join(old, "0.4.0_xnn_inline.pte"))
    newest = read_file(os.path.join(options.data, "f02_linear.pte"))
    schema = options.schema
    write_file(os.path.join(old, "0.1_inline.pte"), encode(make_inline(linear, schema), schema))
    write_file(os.path.join(old, "0.1_inline_delegate.pte"), encode(make_inline(delegate, schema), schema))
    write_file(os.path.join(old, "0.2_segment.pte"), make_with_segment(newest, schema))


def make_inline(contents, schema):
    """The tables of a file as JSON values, with the buffers of its constant segment inline."""
    tables = decode(contents, schema)
    segment = tables["segments"][0]
    first = segment_base(contents) + segment.get("offset", 0)
    offsets = tables["constant_segment"]["offsets"]
    ends = [*offsets[2:], segment["size"]]
    buffers = [contents[first + start : first + end] for start, end in zip(offsets[1:], ends)]
    tables["constant_buffer"] = [{"storage": list(buffer)} for buffer in [b"", *buffers]]
    tables["segments"] = []
    del tables["constant_segment"]
    return tables


def make_with_segment(contents, schema):
    """A file with the tables and the segments of another, and the short extended header."""
    tables = encode(decode(contents, schema), schema)
    size = len(tables) + HEADER_ROOM
    base = -(-size // SEGMENT_ALIGNMENT) * SEGMENT_ALIGNMENT
    (root,) = struct.unpack_from("<I", tables)
    head = struct.pack("<I4s4sIQQ", root + HEADER_ROOM, tables[4:8], b"eh00", HEADER_LENGTH, size, base)
    head = head.ljust(HEADER_OFFSET + HEADER_ROOM, b"\0")
    return (head + tables[HEADER_OFFSET:]).ljust(base, b"\0") + contents[segment_base(contents) :]


def segment_base(contents):
    """The place of the first segment, as the extended header tells it."""
    assert contents[HEADER_OFFSET : HEADER_OFFSET + 4] == b"eh00"
    return struct.unpack_from("<Q", contents, HEADER_OFFSET + 16)[0]


def decode(contents, schema):
    """The tables as JSON values, without the fields that releases up to 0.3 did not have."""
    with tempfile.TemporaryDirectory() as folder:
        write_file(os.path.join(folder, "program.pte"), contents)
        command = ["flatc", "-t", "--strict-json", "--raw-binary", "-o", folder, schema, "--"]
        subprocess.run([*command, os.path.join(folder, "program.pte")], check=True)
        with open(os.path.join(folder, "program.json")) as file:
            tables = json.load(file)
    for field in LATER_PROGRAM_FIELDS:
        tables.pop(field, None)
    for plan in tables["execution_plan"]:
        plan.pop("non_const_buffer_device", None)  # since 1.3
        for value in plan["values"]:
            value["val"].pop("extra_tensor_info", None)  # since 0.4
    return tables


def encode(tables, schema):
    """The flatbuffer of JSON values."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "program.json")
        with open(source, "w") as file:
            json.dump(tables, file)
        subprocess.run(["flatc", "-b", "-o", folder, schema, source], check=True)
        return read_file(os.path.join(folder, "program.pte"))


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def write_file(path, contents):
    with open(path, "wb") as file:
        file.write(contents)


if __name__ == "__main__":
    main()
