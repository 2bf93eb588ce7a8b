"""Flatbuffers as Python values, by the schemas in schema/: read whole, changed at will, written anew.

A table is a dict of the fields that are present, a vector a list (of numbers that are one byte wide: bytes), a string
is bytes. A union is two fields, as in the file: its number under `<field>_type` and its table under `<field>`. Nothing is
checked: of numbers too large for their type the lowest bits are written.
"""

import dataclasses
import pathlib
import re
import struct

DATA_HEADER, PROGRAM_HEADER = 40, 32
SCALARS = {
    "bool": "B",
    "byte": "b",
    "ubyte": "B",
    "uint8": "B",
    "short": "h",
    "ushort": "H",
    "int": "i",
    "int32": "i",
    "uint": "I",
    "uint32": "I",
    "long": "q",
    "int64": "q",
    "uint64": "Q",
    "float": "f",
    "double": "d",
}


class Table(dict):
    """One that was read, which knows its name in the schema: it is written as that, whatever number a union says."""

    def __init__(self, table):
        super().__init__()
        self.table = table


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a table; kind is scalar, string, table, union or one of these in a vector."""

    name: str
    slot: int
    kind: str
    type: str  # a letter of struct, or the name of a table or union
    is_vector: bool = False
    alignment: int = 1


class Schema:
    """Tables, unions and enumerations of a .fbs file and of those that it includes."""

    def __init__(self, path):
        self.tables, self.unions, self.enums = {}, {}, {}
        self.identifier, self.root = b"", ""
        self._read(pathlib.Path(path))
        self._fields = {}

    def _read(self, path):
        text = re.sub(r"//.*", "", path.read_text())
        for name in re.findall(r'include "([^"]+)"', text):
            self._read(path.parent / name)
        for name in re.findall(r'file_identifier "(....)"', text):
            self.identifier = name.encode()
        for name in re.findall(r"root_type (\w+)", text):
            self.root = name
        for name, base, body in re.findall(r"enum (\w+) *: *(\w+) *\{(.*?)\}", text, re.DOTALL):
            names = [word.split("=") for word in body.split(",") if word.strip()]
            self.enums[name] = (base, {word[0].strip(): int(word[1]) for word in names})
        for name, body in re.findall(r"union (\w+) *\{(.*?)\}", text, re.DOTALL):
            members = [word.split(":") for word in body.split(",") if word.strip()]
            self.unions[name] = [("NONE", "")] + [(word[0].strip(), word[-1].strip()) for word in members]
        for name, body in re.findall(r"table (\w+) *\{(.*?)\}", text, re.DOTALL):
            self.tables[name] = re.findall(r"(\w+) *: *(\[?)(?:\w+\.)*(\w+)\]?[^;]*?(?:force_align: *(\d+))?[^;]*;", body)

    def fields(self, table):
        """Returns the fields of a table, in the order of their slots."""
        if table not in self._fields:
            self._fields[table] = list(self._make_fields(table))
        return self._fields[table]

    def _make_fields(self, table):
        slot = 0
        for name, bracket, kind, alignment in self.tables[table]:
            if kind in self.unions:
                yield Field(name + "_type", slot, "scalar", "B")
                slot += 1
            base = self.enums[kind][0] if kind in self.enums else kind
            word = "scalar" if base in SCALARS else "union" if kind in self.unions else "table"
            if base == "string":
                word = "string"
            yield Field(name, slot, word, SCALARS.get(base, kind), bool(bracket), int(alignment or 1))
            slot += 1


def decode(schema, content, table=None):
    """Returns the root table of a flatbuffer that is sound."""
    return _Reader(schema, content).table(table or schema.root, struct.unpack_from("<I", content)[0])


class _Reader:
    def __init__(self, schema, content):
        self.schema, self.content = schema, content

    def _number(self, letter, at):
        return struct.unpack_from("<" + letter, self.content, at)[0]

    def _target(self, at):
        return at + self._number("I", at)

    def table(self, name, at):
        vtable = at - self._number("i", at)
        slots = self._number("H", vtable) // 2 - 2
        value = Table(name)
        for field in self.schema.fields(name):
            offset = self._number("H", vtable + 4 + 2 * field.slot) if field.slot < slots else 0
            if offset:
                value[field.name] = self._field(field, at + offset, value)
        return value

    def _field(self, field, at, value):
        if field.is_vector:
            return self._vector(field, self._target(at))
        if field.kind == "scalar":
            return self._number(field.type, at)
        if field.kind == "string":
            return self._bytes(self._target(at))
        if field.kind == "table":
            return self.table(field.type, self._target(at))
        return self.table(self.schema.unions[field.type][value[field.name + "_type"]][1], self._target(at))

    def _bytes(self, at):
        return self.content[at + 4 : at + 4 + self._number("I", at)]

    def _vector(self, field, at):
        if field.kind == "scalar" and struct.calcsize(field.type) == 1:
            return self._bytes(at)
        count = self._number("I", at)
        if field.kind == "scalar":
            return list(struct.unpack_from(f"<{count}{field.type}", self.content, at + 4))
        places = [self._target(at + 4 + 4 * i) for i in range(count)]
        if field.kind == "string":
            return [self._bytes(place) for place in places]
        return [self.table(field.type, place) for place in places]


def encode(schema, value, identifier=None, head=b""):
    """Returns the flatbuffer of a root table; `head` are bytes between identifier and tables."""
    return _Writer(schema).write(value, identifier or schema.identifier, head)


def _pack(letter, numbers):
    if letter not in "fd":
        mask, letter = (1 << 8 * struct.calcsize(letter)) - 1, letter.upper()
        numbers = [int(number) & mask for number in numbers]
    return struct.pack(f"<{len(numbers)}{letter}", *numbers)


class _Writer:
    def __init__(self, schema):
        self.schema, self.content = schema, bytearray()

    def write(self, value, identifier, head):
        self.content += bytes(4) + identifier + head
        root = self._table(self.schema.root, value)
        self.content[0:4] = struct.pack("<I", root)
        return bytes(self.content)

    def _pad(self, alignment, before=0):
        self.content += bytes(-(len(self.content) + before) % alignment)

    def _table(self, name, value):
        fields = [field for field in self.schema.fields(name) if field.name in value]
        sizes = {f: 4 if f.is_vector or f.kind != "scalar" else struct.calcsize(f.type) for f in fields}
        places, size = {}, 4
        for field in sorted(fields, key=lambda each: -sizes[each]):
            places[field.slot] = size
            size += sizes[field]
        slots = max(places, default=-1) + 1
        vtable = struct.pack(f"<{2 + slots}H", 4 + 2 * slots, size, *(places.get(slot, 0) for slot in range(slots)))
        self._pad(8, len(vtable) + 4)  # numbers of 8 bytes come first, behind the offset of the vtable
        self.content += vtable
        start = len(self.content)
        self.content += struct.pack("<i", len(vtable)) + bytes(size - 4)
        for field in fields:
            at = start + places[field.slot]
            if field.kind == "scalar" and not field.is_vector:
                self.content[at : at + sizes[field]] = _pack(field.type, [value[field.name]])
            else:
                target = self._target(field, value)
                struct.pack_into("<I", self.content, at, target - at)
        return start

    def _target(self, field, value):
        if field.is_vector:
            return self._vector(field, value[field.name])
        if field.kind == "string":
            return self._bytes(value[field.name] + b"\0", len(value[field.name]))
        table = field.type
        if field.kind == "union":
            is_known = isinstance(value[field.name], Table)
            table = value[field.name].table if is_known else self.schema.unions[field.type][value[field.name + "_type"]][1]
        return self._table(table, value[field.name])

    def _bytes(self, content, count, alignment=4):
        self._pad(max(alignment, 4), 4)
        start = len(self.content)
        self.content += struct.pack("<I", count) + content
        return start

    def _vector(self, field, items):
        if isinstance(items, bytes):
            return self._bytes(items, len(items), field.alignment)
        if field.kind == "scalar":
            return self._bytes(_pack(field.type, items), len(items), max(field.alignment, struct.calcsize(field.type)))
        start = self._bytes(bytes(4 * len(items)), len(items))
        for i, item in enumerate(items):
            at = start + 4 + 4 * i
            target = self._bytes(item + b"\0", len(item)) if field.kind == "string" else self._table(field.type, item)
            struct.pack_into("<I", self.content, at, target - at)
        return start


class File:
    """A .pte with or without an extended header, or a .ptd. `root` may be changed before `bytes()`. Weights and blobs behind the
    tables stay as they are.
    """

    def __init__(self, schema, content):
        self.schema = schema
        self.is_data = content[4:8] == b"FT01"
        base, self.identifier = 0, content[4:8]
        if content[8:12] == b"eh00":
            base = int.from_bytes(content[24:32], "little")
        if self.is_data:
            base = int.from_bytes(content[32:40], "little")
        self.segments = content[base or len(content) :]
        self.root = decode(schema, content)

    def bytes(self):
        length = DATA_HEADER if self.is_data else PROGRAM_HEADER
        has_header = self.is_data or bool(self.segments)
        content = encode(self.schema, self.root, self.identifier, bytes(length + -length % 16 if has_header else 0))
        if not has_header:
            return content
        end = len(content)
        base, size = end + -end % 128, len(self.segments)
        places = (48, end - 48, base, size) if self.is_data else (end, base, size)
        header = struct.pack(f"<4sI{len(places)}Q", b"FH01" if self.is_data else b"eh00", length, *places)
        return content[:8] + header + content[8 + length :].ljust(base - 8 - length, b"\0") + self.segments
