"""Files beside programs and data files, with as many of what they list as told: the same bytes in every run."""

import json
import struct
import zipfile

from families import ROOT
from flat_parts import DELEGATE_CALL, call, delegate, offsets, plan, program, tensor

BYTES = 64  # of a tensor
PAGE = 4096  # where XNNPACK begins each packed weight
KEY_DIGITS = 64  # of a weight's name, its SHA-256
CACHE_MAGIC, CACHE_VERSION = 0x58505743, 2
BLOB_HEADER = 32  # of TensorRT
MIDNIGHT = (1980, 1, 1, 0, 0, 0)


def write_package(path, count):
    """A package of the native backend (.ptn), around the graph of one without weights."""
    with zipfile.ZipFile(ROOT / "tests/data/native/no_weights.ptn") as package:
        graph = package.read("program.ptg")
    places = {f"layer{i}.weight": [BYTES * i, BYTES * (i + 1)] for i in range(count)}
    header = json.dumps({name: {"dtype": "F32", "shape": [BYTES // 4], "data_offsets": place} for name, place in places.items()}).encode()
    tensors = b"".join(i.to_bytes(BYTES, "little") for i in range(count))
    with zipfile.ZipFile(path, "w") as package:
        for name, content in (("program.ptg", graph), ("program.safetensors", struct.pack("<Q", len(header)) + header + tensors)):
            package.writestr(zipfile.ZipInfo(name, MIDNIGHT), content)


def write_cache(path, count):
    """What XNNPACK's delegate keeps of packed weights; they are a hole, which takes no space on the disk."""
    index = b"".join(struct.pack(f"<I{KEY_DIGITS}sQQI", KEY_DIGITS, b"%0*d" % (KEY_DIGITS, i), PAGE * i, BYTES, 0) for i in range(count))
    with open(path, "wb") as file:
        file.seek(PAGE * count)
        file.write(index + struct.pack("<QIII", PAGE * count, count, CACHE_MAGIC, CACHE_VERSION))


def write_tensorrt(path, count):
    """A program of one blob of TensorRT, half of its bindings outputs."""
    bindings = [{"name": f"x{i}", "dtype": "float32", "shape": [1, 8], "is_input": i % 2 == 0} for i in range(count)]
    text = json.dumps({"io_bindings": bindings}).encode()
    text += b" " * (-len(text) % 16)
    blob = struct.pack("<4sIIIQQ", b"TR01", BLOB_HEADER, len(text), BLOB_HEADER + len(text), BYTES, 0) + text + bytes(BYTES)
    method = plan("forward", [tensor()], [0], [0], [call(DELEGATE_CALL, 0, [0])], [], [delegate("TensorRTBackend", 0)])
    path.write_bytes(program([method], [(0, len(blob)), (len(blob), 0)], blob, offsets(1, [0])))
