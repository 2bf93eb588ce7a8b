"""Parts of flatbuffers, programs, data files and profiles, from which the tests lay out files by hand."""

import io
import json
import struct
import zipfile

from big_program import Builder, HEADER_BYTES

ALIGNMENT = 16
FLOAT = 6
NULL_VALUE, TENSOR_VALUE, STRING_VALUE, DOUBLE_LIST_VALUE, TENSOR_LIST_VALUE = 1, 5, 6, 8, 10
KERNEL_CALL, DELEGATE_CALL = 1, 2
SEGMENT = 1


# Parts of a flatbuffer. One that is referred to twice lies there once.
class Table:
    def __init__(self, *fields):
        self.fields = fields  # (number, struct format or "ref", value or part)


class Vector:
    def __init__(self, form, values):
        self.form, self.values = form, values


class References:
    def __init__(self, parts):
        self.parts = parts


class Text:
    def __init__(self, text):
        self.text = text


def children(part):
    if isinstance(part, Table):
        return [value for _, form, value in part.fields if form == "ref"]
    return part.parts if isinstance(part, References) else []


def in_order(root):
    """Each part once, behind all that refer to it."""
    waiting, stack = {id(root): 0}, [root]
    while stack:
        for child in children(stack.pop()):
            if id(child) not in waiting:
                waiting[id(child)] = 0
                stack.append(child)
            waiting[id(child)] += 1
    ready = [root]
    while ready:
        part = ready.pop()
        yield part
        for child in children(part):
            waiting[id(child)] -= 1
            if waiting[id(child)] == 0:
                ready.append(child)


class QuickBuilder(Builder):
    """Lays out tables of one shape, of which a file here has thousands, without thinking twice."""

    def __init__(self):
        super().__init__()
        self.shapes = {}

    def table(self, label, fields):
        shape = tuple((number, form) for number, form, _ in fields)
        if shape not in self.shapes:
            self.shapes[shape] = self.shape_of(fields)
        head, form, order = self.shapes[shape]
        self.bytes += bytes(-(len(self.bytes) + len(head)) % 8) + head
        start = self.places[label] = len(self.bytes)
        values = []
        for k, place in order:
            if fields[k][1] == "ref":
                self.patches.append((start + place, fields[k][2]))
                values.append(0)
            else:
                values.append(fields[k][2])
        self.bytes += struct.pack(form, len(head), *values)

    @staticmethod
    def shape_of(fields):
        """The vtable, how to pack the table, and its fields in order, with their places."""
        forms = ["I" if form == "ref" else form for _, form, _ in fields]
        places, size, form = [0] * (1 + max((number for number, _, _ in fields), default=-1)), 4, "<i"
        order = []
        if any(struct.calcsize("<" + one) == 8 for one in forms):
            size, form = 8, "<i4x"
        for k in sorted(range(len(fields)), key=lambda k: -struct.calcsize("<" + forms[k])):
            places[fields[k][0]] = size
            order.append((k, size))
            size, form = size + struct.calcsize("<" + forms[k]), form + forms[k]
        return struct.pack(f"<HH{len(places)}H", 4 + 2 * len(places), size, *places), form, order


def lay_out(root):
    """The bytes of all parts, and where they are."""
    builder = QuickBuilder()
    for part in in_order(root):
        if isinstance(part, Table):
            fields = [(number, form, id(value) if form == "ref" else value) for number, form, value in part.fields]
            builder.table(id(part), fields)
        elif isinstance(part, Vector):
            builder.vector(id(part), part.form, part.values)
        elif isinstance(part, References):
            builder.references(id(part), [id(target) for target in part.parts])
        else:
            builder.text(id(part), part.text)
    return builder.finish(), builder.places


def with_header(root, identifier, segments=b""):
    """A file of these tables; with segments, which are behind each other from the base on."""
    header_bytes = 0 if identifier == b"BP08" else HEADER_BYTES if identifier == b"ET12" else 40
    body, places = lay_out(root)
    start = 8 + header_bytes
    tables = bytearray(struct.pack("<I4s", places[id(root)] + start, identifier) + bytes(header_bytes) + body)
    base = -(-len(tables) // ALIGNMENT) * ALIGNMENT
    if identifier == b"ET12":
        tables[8:start] = b"eh00" + struct.pack("<IQQQ", HEADER_BYTES, len(tables), base, len(segments))
    if identifier == b"FT01":
        tables[8:start] = b"FH01" + struct.pack("<IQQQQ", 40, start, len(tables) - start, base, len(segments))
    return bytes(tables) + bytes(base - len(tables)) + segments


# Tables of programs and data files, by the field numbers of schema/*.fbs.
def program(plans, extents=(), segments=b"", constants=None, mutable=None, keys=None, inline=None):
    fields = [(1, "ref", References(plans)), (4, "ref", References([segment(*extent) for extent in extents]))]
    if inline:
        fields.append((3, "ref", References([Table((0, "ref", Vector("B", blob))) for blob in inline])))
    if constants:
        fields.append((5, "ref", constants))
    if mutable:
        fields.append((6, "ref", References(mutable)))
    if keys:
        fields.append((7, "ref", References(keys)))
    return with_header(Table(*fields), b"ET12", segments)


def data_file(entries, extents, segments):
    root = Table((1, "ref", References([segment(*extent) for extent in extents])), (2, "ref", References(entries)))
    return with_header(root, b"FT01", segments)


def segment(offset, size):
    return Table((0, "Q", offset), (1, "Q", size))


def offsets(index, places):
    return Table((0, "I", index), (1, "ref", Vector("Q", places)))


def key(text, index=0):
    return Table((0, "ref", Text(text)), (1, "I", index))


def tensor_key(text, index=0, sizes=(1,)):
    layout = Table((0, "b", FLOAT), (1, "ref", Vector("i", sizes)), (2, "ref", Vector("B", range(len(sizes)))))
    return Table((0, "ref", Text(text)), (1, "I", index), (2, "ref", layout))


def plan(name, values=(), inputs=(), outputs=(), instructions=(), operators=(), delegates=(), traces=None):
    name = name if isinstance(name, Text) else Text(name)
    chain = Table((2, "ref", References(instructions)), *([(3, "ref", References(traces))] if traces else []))
    fields = [(0, "ref", name), (2, "ref", References(values)), (3, "ref", Vector("i", inputs))]
    fields += [(4, "ref", Vector("i", outputs)), (5, "ref", References([chain])), (6, "ref", References(operators))]
    return Table(*fields, (7, "ref", References(delegates)), (8, "ref", Vector("q", [0])))


def value(kind, part):
    return Table((0, "B", kind), (1, "ref", part))


def tensor(buffer=0, sizes=(1,), planned=False, part=None, dtype=FLOAT):
    fields = [(0, "b", dtype), (2, "ref", Vector("i", sizes)), (3, "ref", Vector("B", range(len(sizes))))]
    fields.append((5, "I", buffer))
    if planned:
        fields.append((6, "ref", Table((0, "I", 1))))
    if part is not None:
        fields.append((9, "ref", Table((0, "Q", part))))
    return value(TENSOR_VALUE, Table(*fields))


def operator(name):
    return Table((0, "ref", Text(name)), (1, "ref", Text("out")))


def call(kind, index, args):
    return Table((0, "B", kind), (1, "ref", Table((0, "i", index), (1, "ref", Vector("i", args)))))


def delegate(backend, index, specs=None, location=SEGMENT):
    backend = backend if isinstance(backend, Text) else Text(backend)
    fields = [(0, "ref", backend), (1, "ref", Table((0, "b", location), (1, "I", index)))]
    return Table(*fields, *([(2, "ref", specs)] if specs else []))


def spec(name, content):
    return Table((0, "ref", Text(name)), (1, "ref", Vector("B", content)))


def delegate_plan(name, delegates, calls=None):
    """A method that calls each of its delegates, or as often as told the first."""
    indices = range(len(delegates)) if calls is None else [0] * calls
    return plan(name, [tensor(planned=True)], [0], [0], [call(DELEGATE_CALL, i, [0]) for i in indices], [], delegates)


# Protobuf, for a Core ML model.
def varint(number):
    out = b""
    while number > 0x7F:
        out, number = out + bytes([0x80 | number & 0x7F]), number >> 7
    return out + bytes([number])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def coreml_folder(operators, name="linear", inputs=b"", arguments=b""):
    """A folder in memory with a model of so many operators in one function."""
    one = field(3, field(1, name) + arguments + field(3, field(1, "x")))
    function = inputs + field(2, "ios17") + field(3, field(1, "ios17") + field(2, one * operators))
    model = field(1, 8) + field(502, field(2, field(1, "main") + field(2, function)))
    nodes = [{"name": "model.mlmodel", "kind": 0, "dataRegion": {"offset": 0, "size": len(model)}}]
    for i, child in enumerate(["model.mlmodel", "com.apple.CoreML", "Data", "model.mlpackage"]):
        nodes.append({"name": child, "kind": 1, "children": {child: i}})
    return model + json.dumps({"nodes": nodes}).encode()[::-1]


def coreml_reference(name, function="main", remark=""):
    return b"CMJR" + json.dumps({"version": 1, "key": name, "functionName": function, "remark": remark}).encode()


def openvino_model(net):
    """A blob of the CPU plugin before 2026, without constants."""
    xml = b'<?xml version="1.0"?><net>' + net.encode() + b"</net>"
    return struct.pack("<6Q", 48, 0, 48, 0, 48, len(xml)) + xml


# Dumps and records.
def dump(runs):
    return with_header(Table((0, "I", 0), (1, "ref", References(runs))), b"ED00")


def run(events, name="Execute"):
    return Table((0, "ref", Text(name)), (3, "ref", References(events)))


def timed(name, instruction, text=None, start=1, end=2, chain=0):
    fields = [(0, "ref", name if isinstance(name, Text) else Text(name)), (1, "i", chain), (2, "i", instruction)]
    fields += [(4, "ref", text)] if text else []
    return Table((0, "ref", Table(*fields, (6, "Q", start), (7, "Q", end))))


def record(nodes, handles, delegates=None):
    """An archive with one graph of these nodes; `handles` by instruction."""
    graph = {"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": nodes}, "signature": {}}}
    entries = {"ETRECORD_V0": "", "edge_dialect_exported_program/forward": json.dumps(graph)}
    entries["debug_handle_map"] = json.dumps({"forward": handles})
    entries["delegate_map"] = json.dumps({"forward": delegates or {}})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def node(name, handle, trace=None, arguments=(), modules=None):
    metadata = {"debug_handle": str(handle), **({"stack_trace": trace} if trace else {})}
    metadata.update({"nn_module_stack": modules} if modules else {})
    inputs = [{"name": "x", "arg": {"as_tensor": {"name": one}}, "kind": 1} for one in arguments]
    return {"target": "torch.ops.aten.add.Tensor", "inputs": inputs,
            "outputs": [{"as_tensor": {"name": name}}], "metadata": metadata}
