"""Small files that are made to eat time, memory or stack. Each is a few lines, and says what it multiplies with what.

Run as `hostile_files.py FOLDER [NAME...]` to write them. tests/cli/check_blowups.py runs every command over each.
"""

import json
import pathlib
import struct
import sys

from big_program import HEADER_BYTES
from flat_parts import (DELEGATE_CALL, DOUBLE_LIST_VALUE, KERNEL_CALL, NULL_VALUE, References, STRING_VALUE,
                        TENSOR_LIST_VALUE, Table, Text, Vector, call, coreml_folder, coreml_reference, data_file,
                        delegate, delegate_plan, dump, field, key, lay_out, node, offsets, openvino_model, operator,
                        plan, program, record, run, segment, spec, tensor, tensor_key, timed, value, with_header)

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
    references = [coreml_reference("m", "main", f"{i:04}") for i in range(2000)]
    size = len(references[0])
    extents = [(0, len(model))] + [(len(model) + size * i, size) for i in range(2000)]
    delegates = [delegate("CoreMLBackend", i + 1) for i in range(2000)]
    return program([delegate_plan("forward", delegates)], extents, model + b"".join(references), keys=[key("m")])


@keep
def calls_of_one_coreml_blob_pte():
    blob = coreml_folder(5000)
    return program([delegate_plan("forward", [delegate("CoreMLBackend", 0)], calls=8000)], [(0, len(blob))], blob)


@keep
def values_of_a_coreml_function_pte():
    inputs = b"".join(field(1, field(1, f"{i:x}") + field(2, field(1, field(1, 10) + field(2, 1)))) for i in range(150_000))
    names = field(1, field(1, "0")) * 9_000
    blob = coreml_folder(30, "concat", inputs, field(2, field(1, "values") + field(2, names)))
    return program([delegate_plan("forward", [delegate("CoreMLBackend", 0)])], [(0, len(blob))], blob)


@keep
def edges_of_one_openvino_layer_pte():
    ports = "".join(f'<port id="{i}"/>' for i in range(60_000))
    edges = '<edge from-layer="0" from-port="1" to-layer="0" to-port="59998"/>' * 60_000
    layer = f'<layer id="0" type="Add"><input>{ports}</input><output><port id="60000"/></output></layer>'
    blob = openvino_model(f"<layers>{layer}</layers><edges>{edges}</edges>")
    return program([delegate_plan("forward", [delegate("OpenvinoBackend", 0)])], [(0, len(blob))], blob)


@keep
def arguments_of_one_long_native_name_pte():
    name = Text("x" * 1_000_000)
    argument = Table((1, "ref", Table((0, "B", 1), (1, "ref", Table((0, "ref", name))))))
    call_of_all = Table((0, "ref", Text("n")), (2, "ref", Text("torch.ops.aten.add.Tensor")), (3, "ref", References([argument] * 60_000)))
    constant = Table((0, "ref", name), (1, "ref", Text("k")), (2, "ref", Table((0, "b", 6))))
    method = Table((0, "ref", Text("forward")), (1, "ref", Table((0, "ref", References([call_of_all])))), (2, "ref", References([constant])))
    blob = with_header(Table((0, "ref", Text("1")), (1, "ref", References([method]))), b"NPTG")
    return program([delegate_plan("forward", [delegate("NativeBackend", 0)])], [(0, len(blob))], blob)


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


def texts_of_one_hash(count, slots):
    """That libstdc++ hashes to one number: of each two words in a row, what the hash makes of them has its first bit turned in both."""
    factor, most = 0xC6A4A7935BD1E995, (1 << 64) - 1
    back = pow(factor, -1, 1 << 64)

    def other(word):
        made = int.from_bytes(word, "little") * factor & most
        made = (made ^ made >> 47) * factor & most ^ 1 << 63
        made = made * back & most
        return ((made ^ made >> 47) * back & most).to_bytes(8, "little")

    word = next(word for word in (bytes([n]) * 8 for n in range(1, 256)) if 0 not in other(word))
    pair = [word * 2, other(word) * 2]
    return [b"".join(pair[n >> slot & 1] for slot in range(slots)) for n in range(count)]


@keep
def keys_of_one_hash_ptd():
    return data_file([tensor_key(text) for text in texts_of_one_hash(1 << 16, 16)], [(0, 4)], bytes(4))


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
