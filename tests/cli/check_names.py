"""Holds what pteinspect --names finds in the exporter's records against the records themselves, read here another way.

For each record with weights and each program of the tests that holds one of them: constants and keys are called as the
exporter calls the tensors with these bytes, as they are or with dimensions exchanged, and nothing else is. The same of
data files that the exporter filled by name, for the other programs of their models. And models that
were exported for several backends, some of which keep weights inside their blobs or convert them: what one exporter calls
by name, and stores as it is, has this name in the programs of all.
"""

import hashlib
import io
import itertools
import json
import math
import pathlib
import pickle
import struct
import tempfile
import zipfile

from checks import DATA, expect, given, output_of

LEAST_BYTES = 64  # of smaller ones equal bytes say little
ELEMENT_BYTES = {"FloatStorage": 4, "DoubleStorage": 8, "HalfStorage": 2, "BFloat16Storage": 2, "LongStorage": 8, "IntStorage": 4,
                 "ShortStorage": 2, "CharStorage": 1, "ByteStorage": 1, "BoolStorage": 1}


class Unpickler(pickle.Unpickler):
    """Of the file that torch.save writes: tensors become (storage, element bytes, offset, sizes, strides)."""

    def __init__(self, archive):
        self._archive = archive
        self._prefix = next(name for name in archive.namelist() if name.endswith("data.pkl"))[:-len("data.pkl")]
        super().__init__(io.BytesIO(archive.read(self._prefix + "data.pkl")))

    def find_class(self, module, name):
        if name == "OrderedDict":
            return dict
        if name == "_rebuild_tensor_v2":
            return lambda storage, offset, sizes, strides, *_: (*storage, offset, sizes, strides)
        if name.startswith("_rebuild_parameter"):
            return lambda tensor, *_: tensor
        if name == "_rebuild_from_type_v2":
            return lambda rebuild, _, arguments, __: rebuild(*arguments)
        return name

    def persistent_load(self, pid):
        return self._archive.read(f"{self._prefix}data/{pid[2]}"), ELEMENT_BYTES[str(pid[1])]


def gathered(tensor, order):
    """The bytes of a tensor with its dimensions in `order`."""
    storage, width, offset, sizes, strides = tensor
    places = (offset + sum(index * strides[i] for index, i in zip(place, order))
              for place in itertools.product(*(range(sizes[i]) for i in order)))
    return b"".join(storage[place * width : (place + 1) * width] for place in places)


def orders(dimensions):
    yield tuple(range(dimensions))
    if dimensions > 1:
        yield (*range(1, dimensions), 0)
    if dimensions > 2:
        yield (0, *range(2, dimensions), 1)
    if dimensions > 1:
        yield (dimensions - 1, *range(dimensions - 1))


def names_in(record):
    """By hash, what the exporter calls the tensors of a record."""
    names = {}
    with zipfile.ZipFile(record) as archive:
        for entry in archive.namelist():
            content = archive.read(entry)
            if not entry.endswith(("_state_dict", "_constants")) or not content:  # empty: of a slim one
                continue
            with zipfile.ZipFile(io.BytesIO(content)) as inner:
                tensors = Unpickler(inner).load()
            for name, tensor in tensors.items():
                if not isinstance(tensor, tuple):
                    continue
                add_names(tensor, name, names)
    return names


def row_major(content, width, sizes):
    return content, width, 0, sizes, [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]


def add_names(tensor, name, names):
    for order in orders(len(tensor[3])):
        stored = gathered(tensor, order)
        if len(stored) >= LEAST_BYTES:
            names.setdefault(hashlib.sha256(stored).hexdigest(), set()).add(name)


def hashes_of(program):
    [listed] = json.loads(output_of("pteinspect", "--json", "--hash=sha256", program))
    return {one["name"]: one["hash"] for one in listed["hash"] if one["what"] in ("constant", "mutable", "key")}


def rows_of(program, *words):
    """Constants, initial states and keys, in an order that names do not change."""
    [report] = json.loads(output_of("pteinspect", "--json", *words, program))
    parts = [part for part in report["sizes"]["components"] if part["name"] in ("Constant Tensors", "Mutable Tensors", "Named Data")]
    return [row for part in parts for row in part["components"]]


def check_program(program, hashes, record, names):
    every = set().union(*names.values())
    known = 0
    for own, row in zip(rows_of(program), rows_of(program, "--names", record), strict=True):
        content = {hashes[name] for name in (own["name"], *own.get("aliases", ())) if name in hashes}
        if len(content) != 1 or row["size"] < LEAST_BYTES:
            continue
        called = {row["name"], *row.get("aliases", ())} - {own["name"], *own.get("aliases", ())}
        expected = names.get(content.pop(), set())
        known += bool(expected)
        expect(called & every <= expected, f"{program}: {own['name']} is called as others in {record}", called, expected)
        expect(not expected or called & expected or own["name"] in expected, f"{program}: {own['name']} has no name of {record}", called, expected)
    return known


def write_checkpoint(path, tensors):
    """Of {name: (sizes, bytes of float32)}."""
    header, end = {}, 0
    for name, (sizes, content) in tensors.items():
        header[name] = {"dtype": "F32", "shape": sizes, "data_offsets": [end, end + len(content)]}
        end += len(content)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(content for _, content in tensors.values()))


def bytes_of(file, name, folder):
    output_of("pteinspect", "--extract", name, "-f", "-o", folder / "weight", file)
    return (folder / "weight").read_bytes()


def named_by_mlx(program, folder):
    """The weights that MLX calls by their names: "5b5d/layers.0.weight"."""
    [report] = json.loads(output_of("pteinspect", "--json", "--delegates", program))
    return {constant["name"]: (constant["sizes"], bytes_of(program, constant["key"], folder))
            for constant in report["delegates"][0]["constants"]}


def named_in(data_file, folder):
    """Tensors that an exporter called by their names; keys of XNNPACK have no sizes."""
    [report] = json.loads(output_of("pteinspect", "--json", "--named-data", data_file))
    return {entry["key"]: (entry["sizes"], bytes_of(data_file, entry["key"], folder)) for entry in report["named_data"]
            if entry.get("dtype") == "float32" and entry["dim_order"] == sorted(entry["dim_order"])}


def check_data_files(programs, folder):
    """How many contents have a name that a data file beside their program has for these bytes."""
    known, seen, checkpoint = 0, set(), folder / "data.safetensors"
    for data_file in files_called("*.ptd"):
        tensors, names = named_in(data_file, folder), {}
        contents = (data_file.parent, repr(tensors))
        if not tensors or contents in seen:
            continue
        seen.add(contents)
        write_checkpoint(checkpoint, tensors)
        for name, (sizes, content) in tensors.items():
            add_names(row_major(content, ELEMENT_BYTES["FloatStorage"], sizes), name, names)
        for program, hashes in programs.items():
            if program.parent == data_file.parent:
                known += check_program(program, hashes, checkpoint, names)
    return known


def names_inside(program, checkpoint):
    [report] = json.loads(output_of("pteinspect", "--json", "--delegates", "--names", checkpoint, program))
    return {one["name"] for delegate in report["delegates"] for one in delegate["constants"]}


def check_backends(folder):
    data, checkpoint = DATA / "delegates", folder / "mlx.safetensors"
    for source, others in ((data / "mlx_lin.pte", (data / "vk_lin.pte", data / "coreml_lin.pte")),
                           (DATA / "f17/mlx.pte", [DATA / f"f17/{one}.pte" for one in ("coreml", "openvino", "vgf", "vulkan")])):
        tensors = named_by_mlx(source, folder)
        write_checkpoint(checkpoint, tensors)
        for program in others:
            found = names_inside(program, checkpoint)
            expected = {name for name, (_, content) in tensors.items() if len(content) >= LEAST_BYTES}
            expect(len(expected) >= 3 and expected <= found, f"{program} lacks names of {source}", expected - found)
    for program in ("xnn_conv", "coreml_conv", "ov_conv", "tosa_conv", "vgf_conv"):
        found = names_inside(data / f"{program}.pte", DATA / "names/layers.safetensors")
        in_the_model = program in ("coreml_conv", "vgf_conv")  # small biases, among the operators
        expected = {"conv.weight"} if in_the_model else {"conv.weight", "conv.bias"}
        expect(expected <= found, f"{program} lacks names", expected - found)


def add_arguments(parser):
    parser.add_argument("folders", nargs="*", type=pathlib.Path, help="with other programs and records than those of the tests")


def files_called(*patterns):
    return sorted(path for folder in given.folders or [DATA] for pattern in patterns for path in folder.rglob(pattern))


def check():
    programs = {program: hashes_of(program) for program in files_called("*.pte")}
    found = {}
    for record in filter(zipfile.is_zipfile, files_called("*.etrecord", "etrecord.bin")):
        names = names_in(record)
        for program, hashes in programs.items():
            if names.keys() & hashes.values():
                found[record] = found.get(record, 0) + check_program(program, hashes, record, names)
    with tempfile.TemporaryDirectory() as folder:
        check_backends(pathlib.Path(folder))
        beside = check_data_files(programs, pathlib.Path(folder))
    expect(beside >= 50, "too few names of data files were compared", beside)
    expect(len(found) >= 5 and sum(found.values()) >= 30, "too few names were compared", found)
