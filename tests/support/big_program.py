"""Programs with a constant segment of any size, written by hand: a big .pte needs no exporter, and holes in it take no disk.

A float32 tensor [elements] is one value of method 'forward'; all of them together are the constant segment.
"""

import struct

ALIGNMENT = 128
FLOAT = 6
FLOAT_BYTES = 4
HEADER_BYTES = 32


class Builder:
    """Just enough of a flatbuffer writer: parts are laid out front to back, each referring only to later ones."""

    def __init__(self):
        self.bytes = bytearray()
        self.patches = []  # (where the reference is, label of what it refers to)
        self.places = {}

    def align(self, unit, before=0):
        while (len(self.bytes) + before) % unit:
            self.bytes.append(0)

    def table(self, label, fields):
        """fields: (number, struct format or 'ref', value or label). The vtable stands right before the table."""
        fields = sorted(fields, key=lambda field: -(4 if field[1] == "ref" else struct.calcsize("<" + field[1])))
        count = max((number for number, _, _ in fields), default=-1) + 1
        offsets, size = [0] * count, 4
        has_wide = any(form != "ref" and struct.calcsize("<" + form) == 8 for _, form, _ in fields)
        if has_wide:
            size = 8
        for number, form, _ in fields:
            offsets[number] = size
            size += 4 if form == "ref" else struct.calcsize("<" + form)
        vtable_bytes = 4 + 2 * count
        self.align(8, vtable_bytes)
        self.bytes += struct.pack(f"<HH{count}H", vtable_bytes, size, *offsets)
        start = self.places[label] = len(self.bytes)
        self.bytes += struct.pack("<i", vtable_bytes) + bytes(4 if has_wide else 0)
        for _, form, value in fields:
            if form == "ref":
                self.patches.append((len(self.bytes), value))
                self.bytes += bytes(4)
            else:
                self.bytes += struct.pack("<" + form, value)
        assert len(self.bytes) - start == size

    def vector(self, label, form, values):
        self.align(8, 4)
        self.places[label] = len(self.bytes)
        self.bytes += struct.pack(f"<I{len(values)}{form}", len(values), *values)

    def references(self, label, labels):
        self.align(4)
        self.places[label] = len(self.bytes)
        self.bytes += struct.pack("<I", len(labels))
        for target in labels:
            self.patches.append((len(self.bytes), target))
            self.bytes += bytes(4)

    def text(self, label, text):
        raw = text if isinstance(text, bytes) else text.encode()
        self.align(4)
        self.places[label] = len(self.bytes)
        self.bytes += struct.pack("<I", len(raw)) + raw + b"\0"

    def finish(self):
        for place, label in self.patches:
            struct.pack_into("<I", self.bytes, place, self.places[label] - place)
        return bytes(self.bytes)


def place_tensors(element_counts):
    """Where each tensor begins in the segment, and how long that is."""
    offsets, end = [], 0
    for count in element_counts:
        offsets.append(end)
        end += -(-count * FLOAT_BYTES // ALIGNMENT) * ALIGNMENT
    return offsets, end


def write_program(path, element_counts, write_content):
    """Writes a program with a tensor for each count. `write_content(file, base, offsets)` fills the segments, which begin
    at `base`; what it leaves out is a hole."""
    offsets, segment_bytes = place_tensors(element_counts)
    tables = make_tables(element_counts, offsets, segment_bytes)
    base = -(-len(tables) // ALIGNMENT) * ALIGNMENT
    header = b"eh00" + struct.pack("<IQQQ", HEADER_BYTES, len(tables), base, segment_bytes)
    with open(path, "wb") as file:
        file.write(tables[:8] + header + tables[8 + HEADER_BYTES :])
        file.truncate(base + segment_bytes)
        write_content(file, base, offsets)


def segment_base(path):
    with open(path, "rb") as file:
        return struct.unpack_from("<Q", file.read(32), 24)[0]


def make_tables(element_counts, offsets, segment_bytes):
    builder = Builder()
    builder.table("program", [(1, "ref", "plans"), (4, "ref", "segments"), (5, "ref", "constants")])
    builder.references("plans", ["plan"])
    builder.references("segments", ["segment"])
    builder.table("segment", [(1, "Q", segment_bytes)])
    builder.table("constants", [(1, "ref", "offsets")])
    builder.vector("offsets", "Q", [0, *offsets])
    builder.table("plan", [(0, "ref", "name"), (2, "ref", "values"), (8, "ref", "arenas")])
    builder.text("name", "forward")
    builder.vector("arenas", "q", [0])
    builder.references("values", [f"value {i}" for i in range(len(offsets))])
    for i, count in enumerate(element_counts):
        tensor_type = 5  # in the union of values
        builder.table(f"value {i}", [(0, "B", tensor_type), (1, "ref", f"tensor {i}")])
        fields = [(0, "b", FLOAT), (2, "ref", f"sizes {i}"), (3, "ref", f"order {i}"), (5, "I", i + 1)]
        builder.table(f"tensor {i}", fields)
        builder.vector(f"sizes {i}", "i", [count])
        builder.vector(f"order {i}", "B", [0])
    return finished(builder)


def finished(builder):
    start = 8 + HEADER_BYTES
    body = builder.finish()
    root = builder.places["program"] + start
    return struct.pack("<I4s", root, b"ET12") + bytes(HEADER_BYTES) + body
