"""Reads the tables of a .pte or .ptd into Python objects and writes them again, led by the schema's .fbs files.

For making damaged files: nothing is checked, any field may be set to anything that fits its type, or left out. Weights
and blobs behind the tables stay as they are.
"""

import re
import struct

SCALARS = {
    "bool": "B", "byte": "b", "ubyte": "B", "int8": "b", "uint8": "B", "short": "h", "ushort": "H", "int": "i",
    "uint": "I", "int32": "i", "uint32": "I", "long": "q", "ulong": "Q", "int64": "q", "uint64": "Q", "float": "f",
    "double": "d",
}  # fmt: skip
DATA_HEADER = 40
PROGRAM_HEADER = 32
LEAST_ALIGNMENT = 16  # of bytes inside tables; the schema asks for no more


class Schema:
    """tables: name to list of (field, type); enums: name to number type; unions: name to list of members."""

    def __init__(self, folder, name):
        self.tables, self.enums, self.unions, self.root = {}, {}, {}, None
        self._parse(folder, name)

    def _parse(self, folder, name):
        text = re.sub(r"//[^\n]*", "", (folder / name).read_text())
        for included in re.findall(r'include "([^"]+)";', text):
            self._parse(folder, included)
        for enum, number in re.findall(r"\benum (\w+)\s*:\s*(\w+)", text):
            self.enums[enum] = number
        for union, members in re.findall(r"\bunion (\w+)\s*\{([^}]*)\}", text):
            self.unions[union] = [member.strip() for member in members.split(",") if member.strip()]
        for table, body in re.findall(r"\btable (\w+)\s*\{([^}]*)\}", text):
            self.tables[table] = [(field, kind.split(".")[-1])
                                  for field, kind in re.findall(r"(\w+)\s*:\s*(\[?[\w.]+)\]?", body)]
        for root in re.findall(r"\broot_type (\w+)", text):
            self.root = root

    def scalar(self, kind):
        """The struct letter of a number or enum, None for all else."""
        return SCALARS.get(self.enums.get(kind, kind))

    def slots(self, table):
        """(field, type, vtable slot): a union takes two."""
        slot = 0
        for field, kind in self.tables[table]:
            slot += 1 if kind in self.unions else 0
            yield field, kind, slot
            slot += 1


class Table(dict):
    """Fields by name; absent ones are missing. `table` is its name in the schema; a union's member knows its own."""

    def __init__(self, table, **fields):
        super().__init__(**fields)
        self.table = table


class Reader:
    def __init__(self, schema, data):
        self.schema, self.data = schema, data

    def number(self, letter, at):
        return struct.unpack_from("<" + letter, self.data, at)[0]

    def root(self):
        return self.read(self.schema.root, self.number("I", 0))

    def read(self, table, at):
        vtable = at - self.number("i", at)
        size = self.number("H", vtable)
        found = Table(table)
        for field, kind, slot in self.schema.slots(table):
            place = self.number("H", vtable + 4 + 2 * slot) if 4 + 2 * slot < size else 0
            if place == 0:
                continue
            if kind in self.schema.unions:
                tag_place = self.number("H", vtable + 2 + 2 * slot)
                tag = self.number("B", at + tag_place) if tag_place else 0
                members = self.schema.unions[kind]
                if 0 < tag <= len(members):
                    found[field] = self.read(members[tag - 1], self.follow(at + place))
                continue
            found[field] = self.value(kind, at + place)
        return found

    def follow(self, at):
        return at + self.number("I", at)

    def value(self, kind, at):
        letter = self.schema.scalar(kind)
        if letter:
            return self.number(letter, at)
        at = self.follow(at)
        if not kind.startswith("[") and kind != "string":
            return self.read(kind, at)
        count = self.number("I", at)
        letter = "B" if kind == "string" else self.schema.scalar(kind[1:])
        if letter == "B":
            return self.data[at + 4 : at + 4 + count]
        if letter:
            return list(struct.unpack_from(f"<{count}{letter}", self.data, at + 4))
        return [self.value(kind[1:], at + 4 + 4 * i) for i in range(count)]


class Writer:
    """Lays tables out one behind the other from byte `at` on, where the file's first bytes end."""

    def __init__(self, schema, at):
        self.schema, self.data = schema, bytearray(at)

    def pad(self, alignment, ahead=0):
        """So that what comes after `ahead` more bytes is aligned."""
        self.data += bytes(-(len(self.data) + ahead) % alignment)

    def put(self, letter, at, number):
        size = struct.calcsize(letter)
        if letter in "fd":
            struct.pack_into("<" + letter, self.data, at, number)
        else:
            self.data[at : at + size] = (int(number) & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def point(self, at, to):
        self.put("I", at, to - at)

    def write(self, table):
        """Returns the table's place."""
        slots = {}  # number to (struct letter or None for an offset, value)
        for field, kind, slot in self.schema.slots(table.table):
            if table.get(field) is None:
                continue
            value = table[field]
            letter = self.schema.scalar(kind)
            slots[slot] = (letter, value, kind)
            if kind in self.schema.unions:
                members = self.schema.unions[kind]
                slots[slot - 1] = ("B", table.get(field + "_type", members.index(value.table) + 1), kind)
        order = sorted(slots, key=lambda slot: -struct.calcsize(slots[slot][0] or "I"))
        places, size = {}, 4
        for slot in order:
            width = struct.calcsize(slots[slot][0] or "I")
            size += -(size + 4) % width  # tables begin 4 bytes before a multiple of 8
            places[slot] = size
            size += width
        count = 1 + max(slots, default=-1)
        self.pad(8, 4 + 2 * count + 4)
        vtable = len(self.data)
        at = vtable + 4 + 2 * count
        self.data += struct.pack("<HH", 4 + 2 * count, size)
        self.data += b"".join(struct.pack("<H", places.get(slot, 0)) for slot in range(count))
        self.data += struct.pack("<i", at - vtable) + bytes(size - 4)
        for slot, (letter, value, kind) in slots.items():
            if letter:
                self.put(letter, at + places[slot], value)
            else:
                self.point(at + places[slot], self.child(kind, value))
        return at

    def child(self, kind, value):
        if not kind.startswith("[") and kind != "string":
            return self.write(value)
        letter = "B" if kind == "string" else self.schema.scalar(kind[1:])
        width = struct.calcsize(letter or "I")
        self.pad(LEAST_ALIGNMENT if letter == "B" else max(4, width), 4)
        at = len(self.data)
        self.data += struct.pack("<I", len(value)) + bytes(width * len(value) + (1 if kind == "string" else 0))
        if letter == "B":
            self.data[at + 4 : at + 4 + len(value)] = bytes(value)
            return at
        for i, item in enumerate(value):
            if letter:
                self.put(letter, at + 4 + width * i, item)
            elif item is not None:
                self.point(at + 4 + 4 * i, self.child(kind[1:], item))
        return at


class File:
    """A .pte with or without an extended header, or a .ptd. `root` may be changed before `bytes()`."""

    def __init__(self, schema, content):
        self.schema = schema
        self.is_data = content[4:8] == b"FT01"
        self.base, self.identifier = len(content), content[4:8]
        if content[8:12] == b"eh00":
            self.base = int.from_bytes(content[24:32], "little") or len(content)
        if self.is_data:
            self.base = int.from_bytes(content[32:40], "little") or len(content)
        self.segments = content[self.base :]
        self.root = Reader(schema, content).root()

    def bytes(self):
        length = DATA_HEADER if self.is_data else PROGRAM_HEADER
        has_header = self.is_data or bool(self.segments)
        writer = Writer(self.schema, 8 + (length + -length % 16 if has_header else 0))
        writer.point(0, writer.write(self.root))
        writer.data[4:8] = self.identifier
        end = len(writer.data)
        if not has_header:
            return bytes(writer.data)
        writer.pad(128)
        base, size = len(writer.data), len(self.segments)
        if self.is_data:
            writer.data[8:48] = struct.pack("<4sIQQQQ", b"FH01", length, 48, end - 48, base, size)
        else:
            writer.data[8:40] = struct.pack("<4sIQQQ", b"eh00", length, end, base, size)
        return bytes(writer.data) + self.segments
