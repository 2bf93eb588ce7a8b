"""XNNPACK programs whose tables and graphs can be changed at will, and written again."""

import copy
import dataclasses
import pathlib
import struct

import tables

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schema"
GRAPH = tables.Schema(SCHEMAS / "xnnpack.fbs")
PROGRAM = tables.Schema(SCHEMAS / "program.fbs")
BACKEND = b"XnnpackBackend"
NO_VALUE = 0xFFFFFFFF
HEADER = struct.Struct("<4x4sHIIIQ")
ALIGNMENT = 128


def align(position, alignment):
    return -(-position // alignment) * alignment


class Program:
    """A program and its segments, of which any may be changed before it is written again."""

    def __init__(self, root, segments):
        self.root, self.segments = root, segments

    @classmethod
    def read(cls, content):
        root = tables.decode(PROGRAM, content)
        base = struct.unpack_from("<Q", content, 24)[0] if content[8:12] == b"eh00" else 0
        places = [(base + s.get("offset", 0), s.get("size", 0)) for s in root.get("segments", [])]
        return cls(root, [content[begin : begin + size] for begin, size in places])

    def write(self):
        places, position = [], 0
        for segment in self.segments:
            places.append({"offset": position, "size": len(segment)})
            position = align(position + len(segment), ALIGNMENT)
        root = self.root | {"segments": places}
        program = tables.encode(PROGRAM, root, head=bytes(32))
        base = align(len(program), ALIGNMENT)
        size = places[-1]["offset"] + places[-1]["size"] if places else 0
        header = struct.pack("<4sIQQQ", b"eh00", 32, len(program), base if places else 0, size)
        content = bytearray(program[:8] + header + program[40:])
        for place, segment in zip(places, self.segments):
            content += bytes(base + place["offset"] - len(content)) + segment
        return bytes(content)

    def delegates(self):
        """Yields the references to XNNPACK blobs."""
        for plan in self.root["execution_plan"]:
            yield from (each["processed"] for each in plan.get("delegates", []) if each["id"] == BACKEND)

    def blob(self, reference):
        index = reference.get("index", 0)
        return self.segments[index] if reference.get("location") else self._inline(index)["data"]

    def set_blob(self, reference, blob):
        index = reference.get("index", 0)
        if reference.get("location"):
            self.segments[index] = blob
        else:
            self._inline(index)["data"] = blob

    def _inline(self, index):
        return self.root["backend_delegate_data"][index]


@dataclasses.dataclass
class Graph:
    """A graph, the identifier of its flatbuffer and the constants behind it, which are None in blobs without header."""

    root: dict
    identifier: bytes = b"XN01"
    constants: bytes | None = b""

    @classmethod
    def read(cls, blob):
        if blob[4:8] != b"XH00":
            return cls(tables.decode(GRAPH, blob), blob[4:8], None)
        _, _, offset, size, constants, constants_size = HEADER.unpack_from(blob)
        graph = blob[offset : offset + size]
        return cls(tables.decode(GRAPH, graph), graph[4:8], blob[constants : constants + constants_size])

    def write(self):
        graph = tables.encode(GRAPH, self.root, self.identifier)
        if self.constants is None:
            return graph
        begin = 32
        constants = align(begin + len(graph), 16)
        header = HEADER.pack(b"XH00", HEADER.size, begin, len(graph), constants, len(self.constants))
        blob = header.ljust(begin, b"\0") + graph
        return blob.ljust(constants, b"\0") + self.constants


@dataclasses.dataclass
class Model:
    """A program with a place in it, and its data files."""

    name: str
    program: Program
    delegate: int  # which of the program's XNNPACK blobs
    data: list

    def reference(self, program):
        return list(program.delegates())[self.delegate]

    def graph(self):
        return Graph.read(self.program.blob(self.reference(self.program)))

    def with_graph(self, graph):
        return self.with_blob(graph.write())

    def damaged(self, damage):
        """Returns the bytes of the program with a damage of its graph, or of the program itself."""
        if damage.kind == "call":
            return Program(damage.apply(self.program.root), self.program.segments).write()
        graph = self.graph()
        graph.root = damage.apply(graph.root)
        return self.with_graph(graph)

    def with_blob(self, blob):
        """Returns the bytes of the program with another blob."""
        program = Program(copy.deepcopy(self.program.root), list(self.program.segments))
        program.set_blob(self.reference(program), blob)
        return program.write()


def read_models(name, content, data):
    """Returns a model for each different XNNPACK graph of a program."""
    program = Program.read(content)
    models, seen = [], set()
    for i, reference in enumerate(program.delegates()):
        blob = program.blob(reference)
        if blob not in seen:
            seen.add(blob)
            models.append(Model(f"{name} #{i}" if i else name, program, i, data))
    return models
