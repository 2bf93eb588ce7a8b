"""Small files that are made to eat time, memory or stack. Each is a few lines, and says what it multiplies with what.

Run as `hostile_files.py FOLDER [NAME...]` to write them. tests/cli/check_blowups.py runs every command over each.
"""

import io
import json
import pathlib
import struct
import sys
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


def coreml_folder(operators, name="linear"):
    """A folder in memory with a model of so many operators in one function."""
    one = field(3, field(1, name) + field(3, field(1, "x")))
    function = field(2, "ios17") + field(3, field(1, "ios17") + field(2, one * operators))
    model = field(1, 8) + field(502, field(2, field(1, "main") + field(2, function)))
    nodes = [{"name": "model.mlmodel", "kind": 0, "dataRegion": {"offset": 0, "size": len(model)}}]
    for i, child in enumerate(["model.mlmodel", "com.apple.CoreML", "Data", "model.mlpackage"]):
        nodes.append({"name": child, "kind": 1, "children": {child: i}})
    return model + json.dumps({"nodes": nodes}).encode()[::-1]


def coreml_reference(name, function="main"):
    return b"CMJR" + json.dumps({"version": 1, "key": name, "functionName": function}).encode()


# Dumps and records.
def dump(runs):
    return with_header(Table((0, "I", 0), (1, "ref", References(runs))), b"ED00")


def run(events, name="Execute"):
    return Table((0, "ref", Text(name)), (3, "ref", References(events)))


def timed(name, instruction, text=None):
    fields = [(0, "ref", name if isinstance(name, Text) else Text(name)), (1, "i", 0), (2, "i", instruction)]
    fields += [(4, "ref", text)] if text else []
    return Table((0, "ref", Table(*fields, (6, "Q", 1), (7, "Q", 2))))


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


def node(name, handle, trace=None, arguments=()):
    metadata = {"debug_handle": str(handle), **({"stack_trace": trace} if trace else {})}
    inputs = [{"name": "x", "arg": {"as_tensor": {"name": one}}, "kind": 1} for one in arguments]
    return {"target": "torch.ops.aten.add.Tensor", "inputs": inputs,
            "outputs": [{"as_tensor": {"name": name}}], "metadata": metadata}


# The files. The name tells what is multiplied.
FILES = {}


def keep(make):
    FILES[make.__name__] = make
    return make


@keep
def nested_bundles_bpte():
    inner = program([plan("forward")])
    for _ in range(6000):
        vtable, table = struct.pack("<HHHHHH", 10, 8, 0, 0, 4, 0), struct.pack("<iI", 12, 4)
        inner = struct.pack("<I4s", 20, b"BP08") + vtable + table + struct.pack("<I", len(inner)) + inner
    return inner


@keep
def tables_with_one_wide_vtable_pte():
    return wide_vtables(1000, 32000, 0)


@keep
def tables_with_overlapping_vtables_pte():
    return wide_vtables(8000, 24000, 1)


def wide_vtables(tables, fields, step):
    """Values whose vtables, each `step` numbers behind the one before, have so many fields that nobody knows."""
    nulls = [Table() for _ in range(tables)]
    # Each number is the size of a vtable, the size of a table and the place of a field.
    four_numbers = (4 + 2 * fields) * 0x0001_0001_0001_0001
    numbers = Vector("Q", [four_numbers] * ((2 + fields + step * tables) // 4 + 1))
    holder = value(DOUBLE_LIST_VALUE, Table((0, "ref", numbers)))
    root = Table((1, "ref", References([plan("forward", [holder, *(value(NULL_VALUE, null) for null in nulls)])])))
    raw = bytearray(with_header(root, b"ET12"))
    places = lay_out(root)[1]
    for i, null in enumerate(nulls):
        vtable = places[id(numbers)] + 4 + 2 * step * i
        struct.pack_into("<i", raw, 8 + HEADER_BYTES + places[id(null)], places[id(null)] - vtable)
    return bytes(raw)


@keep
def delegates_on_one_coreml_blob_pte():
    blob = coreml_folder(5000)
    return program([delegate_plan("forward", [delegate("CoreMLBackend", 0) for _ in range(4000)])], [(0, len(blob))], blob)


@keep
def references_to_one_coreml_model_pte():
    model, reference = coreml_folder(5000), coreml_reference("m")
    extents = [(0, len(model))] + [(len(model) + len(reference) * i, len(reference)) for i in range(2000)]
    delegates = [delegate("CoreMLBackend", i + 1) for i in range(2000)]
    return program([delegate_plan("forward", delegates)], extents, model + reference * 2000, keys=[key("m")])


@keep
def references_that_differ_to_one_coreml_model_pte():
    model = coreml_folder(5000)
    references = [coreml_reference("m", f"function{i:04}") for i in range(2000)]
    size = len(references[0])
    extents = [(0, len(model))] + [(len(model) + size * i, size) for i in range(2000)]
    delegates = [delegate("CoreMLBackend", i + 1) for i in range(2000)]
    return program([delegate_plan("forward", delegates)], extents, model + b"".join(references), keys=[key("m")])


@keep
def calls_of_one_coreml_blob_pte():
    blob = coreml_folder(5000)
    return program([delegate_plan("forward", [delegate("CoreMLBackend", 0)], calls=8000)], [(0, len(blob))], blob)


@keep
def constant_method_with_one_text_pte():
    text = value(STRING_VALUE, Table((0, "ref", Text("x" * 100_000))))
    return program([plan("get_text", [text], outputs=[0] * 20_000)])


@keep
def instructions_with_one_long_operator_pte():
    calls = [call(KERNEL_CALL, 0, [0]) for _ in range(8000)]
    return program([plan("forward", [tensor(planned=True)], [0], [0], calls, [operator("x" * 100_000)])])


@keep
def stack_traces_of_one_list_pte():
    frame = Table((0, "ref", Text("a" * 2000)))
    calls = [call(KERNEL_CALL, 0, [0]) for _ in range(20_000)]
    traces = [Table((0, "ref", References([frame] * 2)))] * len(calls)
    return program([plan("forward", [tensor(planned=True)], [0], [0], calls, [operator("aten::add")], traces=traces)])


@keep
def values_of_a_long_method_pte():
    values = [tensor(buffer=1 + i) for i in range(4000)]
    calls = [call(KERNEL_CALL, 0, [0]) for _ in range(4000)]
    return program([plan("m" * 100_000, values, [0], [0], calls, [operator("a")])], [(0, 16000)], bytes(16000),
                   offsets(0, [0, *range(0, 16000, 4)]))


@keep
def delegates_of_a_long_backend_pte():
    backend = Text("B" * 50_000)
    calls = [call(DELEGATE_CALL, 0, [0]) for _ in range(8000)]
    return program([plan("forward", [tensor(planned=True)], [0], [0], calls, [], [delegate(backend, 0)])], [(0, 4)], b"blob")


@keep
def users_of_one_long_key_pte():
    """Delegates that mention it in one blob."""
    long = "k" * 1000
    blob = long.encode()
    delegates = [delegate("Other", 0) for _ in range(8000)]
    keys = [key(long[:n], 0) for n in range(1, 1001, 10)]
    return program([delegate_plan("forward", delegates)], [(0, len(blob))], blob, keys=keys)


@keep
def one_long_key_beside_short_ones_ptd():
    keys = ["k" * 50_000] + [f"k{i}" for i in range(5000)]
    return data_file([tensor_key(name) for name in keys], [(0, 4)], bytes(4))


@keep
def mutable_segments_pte():
    count = 16_000
    values = [tensor(buffer=1, planned=True, part=i) for i in range(count)]
    return program([plan("forward", values)], [(4 * i, 4) for i in range(count)], bytes(range(256)) * (4 * count // 256),
                   mutable=[offsets(i, [0, 0]) for i in range(count)])


@keep
def methods_with_delegates_pte():
    count = 4000
    blob = b"blob" * count
    plans = [delegate_plan(f"m{i}", [delegate("Other", i)]) for i in range(count)]
    return program(plans, [(4 * i, 4) for i in range(count)], blob)


@keep
def methods_with_constants_pte():
    """Each method uses its own constant."""
    count = 6000
    plans = [plan(f"m{i}", [tensor(buffer=i + 1)], [], [0], [call(KERNEL_CALL, 0, [0])], [operator("a")]) for i in range(count)]
    return program(plans, [(0, 4 * count)], bytes(4 * count), offsets(0, [0, *range(0, 4 * count, 4)]))


@keep
def methods_with_one_constant_pte():
    """Each method has another name for it."""
    count = 16_000
    plans = [plan(f"m{i}", [tensor(buffer=1)], [], [0]) for i in range(count)]
    return program(plans, [(0, 4)], bytes(4), offsets(0, [0, 0]))


@keep
def keys_that_begin_each_other_pte():
    names = ["a" * n for n in range(1, 1025)]
    blob = b"a" * 500_000
    return program([delegate_plan("forward", [delegate("Other", 0)])], [(0, len(blob))], blob, keys=[key(n) for n in names])


@keep
def keys_and_compile_specs_pte():
    specs = References([spec("s", b"x" * (i % 7)) for i in range(8000)])
    keys = [key(f"key {i}") for i in range(8000)]
    return program([delegate_plan("forward", [delegate("Other", 0, specs)])], [(0, 4)], b"blob", keys=keys)


@keep
def delegates_with_shared_compile_specs_pte():
    specs = References([spec("s", b"x" * 40) for _ in range(200)])
    delegates = [delegate("Other", 0, specs) for _ in range(400)]
    return program([delegate_plan("forward", delegates)], [(0, 4)], b"blob", keys=[key("key")])


@keep
def equal_constants_that_overlap_pte():
    """Each begins a little behind the one before and has as many bytes, all zero."""
    count, size = 8000, 400_000
    values = [tensor(buffer=i + 1, sizes=(size,)) for i in range(count)]
    return overlapping(values, count, 4 * size)


@keep
def constants_that_overlap_pte():
    """Each reaches to the end of the segment."""
    count, size = 8000, 100_000
    return overlapping([tensor(buffer=i + 1, sizes=(size - i,)) for i in range(count)], count, 4 * size - 4 * count)


def overlapping(values, count, size):
    segment_bytes = size + 4 * count
    return program([plan("forward", values)], [(0, segment_bytes)], bytes(segment_bytes),
                   offsets(0, [0, *range(0, 4 * count, 4)]))


@keep
def constants_of_unknown_type_pte():
    """Where a buffer ends is told by the next one alone."""
    count = 16_000
    values = [tensor(buffer=i + 1, sizes=(), dtype=99) for i in range(count)]
    return program([plan("forward", values)], [(0, 4 * count)], bytes(4 * count), offsets(0, [0, *range(0, 4 * count, 4)]))


@keep
def segments_that_overlap_pte():
    count, size = 4000, 500_000
    extents = [(i, size) for i in range(count)]
    return program([plan("forward")], extents, bytes(size + count), keys=[key(f"k{i}", i) for i in range(count)])


@keep
def keys_on_one_segment_pte():
    return program([plan("forward")], [(0, 500_000)], bytes(500_000), keys=[key(f"key {i}") for i in range(16_000)])


@keep
def operators_of_many_methods_pte():
    """The same operators in each method."""
    operators = References([operator(f"op{i}") for i in range(300)])
    plans = []
    for i in range(300):
        chain = Table((2, "ref", References([call(KERNEL_CALL, k, []) for k in range(10)])))
        plans.append(Table((0, "ref", Text(f"m{i}")), (5, "ref", References([chain])), (6, "ref", operators)))
    return program(plans)


@keep
def lists_of_one_list_pte():
    """Calls that take a list of many tensors."""
    count = 8000
    values = [tensor(planned=True), value(TENSOR_LIST_VALUE, Table((0, "ref", Vector("i", [0] * count))))]
    calls = [call(KERNEL_CALL, 0, [1, 1]) for _ in range(count)]
    return program([plan("forward", values, [0], [0], calls, [operator("cat")])])


@keep
def inputs_of_one_shape_pte():
    """One value is named as input again and again."""
    return program([plan("forward", [tensor(planned=True, sizes=(1,) * 16)], [0] * 100_000, [0] * 100_000)])


@keep
def jumps_pte():
    count = 16_000
    jump = [Table((0, "B", 4), (1, "ref", Table((1, "i", i)))) for i in range(count)]
    return program([plan("forward", [value(2, Table())], [], [], jump)])


@keep
def long_traces_etrecord():
    """Many nodes on one handle, each with one long stack trace."""
    trace = 'File "a.py", line 1, in f\n' * 8000
    return record([node(f"n{i}", 1, trace) for i in range(40)], {str(i): [1] for i in range(400)})


@keep
def nodes_on_one_handle_etrecord():
    return record([node(f"n{i}", 1) for i in range(16_000)], {str(i): [1] for i in range(400)})


@keep
def handles_of_one_event_etrecord():
    """A list names one handle again and again."""
    return record([node(f"n{i}", 1) for i in range(400)], {str(i): [1] * 400 for i in range(400)})


@keep
def delegate_maps_etrecord():
    """Many identifiers in each delegate, and rows of delegates that look through them."""
    names = {f"k{i}": [1] for i in range(20_000)}
    delegates = {"0": {"name": "Other", "delegate_map": names}}
    return record([node("n", 1)], {"0": [1]}, delegates)


@keep
def zeros_safetensors():
    """Thousands of names for one content, in each of its shapes and of the sizes that the program beside it has."""
    count, bytes_of_one = 16_000, 256
    shapes = [[64], [1, 64], [8, 8], [4, 4, 4], [2, 32], [64, 1]]
    header = {
        f"w{i}": {"dtype": "F32", "shape": shapes[i % 6], "data_offsets": [bytes_of_one * i, bytes_of_one * (i + 1)]}
        for i in range(count)
    }
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(bytes_of_one * count)


@keep
def zeros_pte():
    """Constants of one content, each under a method of its own shape."""
    count, bytes_of_one = 4000, 256
    values = [tensor(buffer=i + 1, sizes=(8, 8) if i % 2 else (64,)) for i in range(count)]
    places = [0, *range(0, bytes_of_one * count, bytes_of_one)]
    return program([plan("forward", values)], [(0, bytes_of_one * count)], bytes(bytes_of_one * count), offsets(0, places))


@keep
def events_etdp():
    name = Text("native_call_add.out")
    return dump([run([timed(name, i) for i in range(400)])])


@keep
def events_of_a_delegate_etdp():
    return dump([run([timed("", 0, Text(f"k{i}")) for i in range(8000)])])


@keep
def one_long_name_beside_short_ones_etdp():
    names = [Text("x" * 50_000)] + [Text(f"x{i}") for i in range(8000)]
    return dump([run([timed(name, i) for i, name in enumerate(names)])])


@keep
def runs_etdp():
    """Each of another shape."""
    return dump([run([timed(Text("OPERATOR_CALL"), i)]) for i in range(16_000)])


@keep
def events_with_one_long_name_etdp():
    name = Text("x" * 50_000)
    return dump([run([timed(name, i) for i in range(8000)])])


def write(folder, names=()):
    """Writes the files, and returns their paths by name."""
    paths = {}
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        stem, ending = name.rsplit("_", 1)
        if names and name not in names:
            continue
        paths[name] = pathlib.Path(folder) / f"{stem}.{ending}"
        paths[name].write_bytes(make())
    return paths


if __name__ == "__main__":
    for path in write(sys.argv[1], sys.argv[2:]).values():
        print(f"{path.stat().st_size:>9} {path}")
