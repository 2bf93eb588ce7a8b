"""Files with the faults that were published for readers of these formats: each is a sound program of the tests with one thing wrong.
docs/security-cases.md says which fault each is of, and tests/docs/check_security_cases.py verifies them.

Run as `security_cases.py FOLDER [NAME...]` to write them.
"""

import copy
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/e2e"))

import graph_models  # noqa: E402
import tables  # noqa: E402
from flat_parts import FLOAT, References, Table, Text, Vector, value, with_header  # noqa: E402

DATA = ROOT / "tests/data"
KERNEL_CALL, MOVE_CALL, JUMP_CALL, FREE_CALL = 1, 3, 4, 5
SEGMENT_BYTES = 144
NEAR_THE_END = 2**64 - 16  # of 64-bit numbers: what is added wraps around

CASES = {}


def case(make):
    CASES[make.__name__] = make
    return make


class Edited:
    """The first method of a program of the tests, to be changed, and its bytes."""

    def __init__(self, name="f02_linear.pte"):
        self.program = graph_models.Program.read((DATA / name).read_bytes())
        self.root = copy.deepcopy(self.program.root)
        self.plan = self.root["execution_plan"][0]
        self.values = self.plan["values"]
        self.instructions = self.plan["chains"][0]["instructions"]

    def tensor(self, index):
        return self.values[index]["val"]

    def call(self, kind):
        return next(one["instr_args"] for one in self.instructions if one["instr_args_type"] == kind)

    def bytes(self):
        return graph_models.Program(self.root, self.program.segments).write()


CONSTANT, INPUT, OUTPUT, NUMBER = 0, 2, 7, 4  # values of f02_linear.pte


def put(content, form, at, number):
    changed = bytearray(content)
    struct.pack_into(form, changed, at, number)
    return bytes(changed)


@case
def list_longer_than_its_file():
    """A list of values that claims so many that their bytes overflow where an address has 32 bits."""
    content = (DATA / "f02_linear.pte").read_bytes()
    count = struct.pack("<I", len(Edited().values))
    root = struct.unpack_from("<I", content)[0]
    at = content.index(count, root)
    while not _is_list_of_values(content, at, len(Edited().values)):
        at = content.index(count, at + 1)
    return put(content, "<I", at, 0x2000_0001)


def _is_list_of_values(content, at, count):
    """Whether there are as many references at this place, to tables with a type and a table."""
    if at % 4 or at + 4 + 4 * count > len(content):
        return False
    for i in range(count):
        place = at + 4 + 4 * i
        table = place + struct.unpack_from("<I", content, place)[0]
        if not place < table <= len(content) - 4:
            return False
        vtable = table - struct.unpack_from("<i", content, table)[0]
        if not 0 < vtable <= len(content) - 8 or struct.unpack_from("<H", content, vtable)[0] != 8:
            return False
    return True


@case
def place_in_an_arena_that_wraps():
    edited = Edited()
    edited.tensor(OUTPUT)["allocation_info"] |= {"memory_offset_low": 2**32 - 16, "memory_offset_high": 2**32 - 1}
    return edited.bytes()


@case
def copy_of_a_larger_item():
    """What a loop over the first dimension collects is larger than its place."""
    edited = Edited("f13/map.pte")
    calls = [one["instr_args"] for one in edited.instructions if one["instr_args_type"] == KERNEL_CALL]
    names = [operator["name"] for operator in edited.plan["operators"]]
    [copies] = [one for one in calls if names[one.get("op_index", 0)].endswith(b"et_copy_index")]
    collected = edited.tensor(copies["args"][0])
    collected["sizes"][-1] -= 1
    return edited.bytes()


@case
def call_with_too_few_arguments():
    edited = Edited("f13/map.pte")
    names = [operator["name"] for operator in edited.plan["operators"]]
    for one in edited.instructions:
        call = one["instr_args"]
        if one["instr_args_type"] == KERNEL_CALL and names[call.get("op_index", 0)].startswith(b"executorch_prim::"):
            call["args"] = call["args"][:1]
            return edited.bytes()
    raise ValueError("no operator of the runtime itself")


@case
def tensor_of_seventeen_dimensions():
    edited = Edited()
    edited.tensor(OUTPUT).update({"sizes": [1] * 17, "dim_order": bytes(range(17))})
    return edited.bytes()


@case
def sizes_whose_product_wraps():
    edited = Edited()
    edited.tensor(OUTPUT)["sizes"] = [2**31 - 1, 2**31 - 1]
    edited.tensor(OUTPUT)["scalar_type"] = 4
    edited.tensor(INPUT).update({"sizes": [2**31 - 1, 2**31 - 1, 2**31 - 1], "dim_order": bytes(range(3))})
    return edited.bytes()


@case
def negative_size():
    edited = Edited()
    edited.tensor(OUTPUT)["sizes"] = [-100, 4]
    return edited.bytes()


@case
def dim_order_that_is_no_permutation():
    edited = Edited()
    edited.tensor(OUTPUT)["dim_order"] = bytes(2)
    return edited.bytes()


@case
def dim_order_shorter_than_sizes():
    edited = Edited()
    edited.tensor(OUTPUT)["dim_order"] = bytes(1)
    return edited.bytes()


@case
def tensor_without_sizes():
    edited = Edited()
    del edited.tensor(OUTPUT)["sizes"]
    return edited.bytes()


@case
def negative_arena():
    edited = Edited()
    edited.plan["non_const_buffer_sizes"][1] = -1
    return edited.bytes()


@case
def planned_without_arenas():
    edited = Edited()
    edited.plan["non_const_buffer_sizes"] = [0]
    return edited.bytes()


@case
def constant_far_behind_its_segment():
    edited = Edited()
    edited.root["constant_segment"]["offsets"][1] = NEAR_THE_END
    return edited.bytes()


@case
def constant_longer_than_its_inline_bytes():
    edited = Edited("old/0.1_inline.pte")
    for value in edited.values:
        if value["val_type"] == 5 and value["val"].get("data_buffer_idx"):
            value["val"]["sizes"] = [10_000]
            value["val"]["dim_order"] = bytes(1)
            break
    return edited.bytes()


@case
def constant_of_no_buffer():
    edited = Edited()
    edited.tensor(CONSTANT)["data_buffer_idx"] = 999
    return edited.bytes()


@case
def segments_whose_end_wraps():
    content = (DATA / "f02_linear.pte").read_bytes()
    return put(content, "<Q", 32, NEAR_THE_END)


def with_places(places):
    """A program whose only segment with bytes is a blob, and that says this of where segments are."""
    edited = Edited("f03_mlp_xnn.pte")
    for name in ("segments", "named_data"):
        edited.root.pop(name)
    encoded = tables.encode(graph_models.PROGRAM, edited.root | places, head=bytes(32))
    base = graph_models.align(len(encoded), graph_models.ALIGNMENT)
    header = struct.pack("<4sIQQQ", b"eh00", 32, len(encoded), base, SEGMENT_BYTES)
    return (encoded[:8] + header + encoded[40:]).ljust(base, b"\0") + bytes(SEGMENT_BYTES)


@case
def segment_far_behind_the_file():
    return with_places({"segments": [{}, {"offset": NEAR_THE_END, "size": SEGMENT_BYTES}]})


@case
def no_list_of_segments():
    return with_places({"constant_segment": {"offsets": []}})


@case
def no_list_of_methods():
    edited = Edited()
    del edited.root["execution_plan"]
    return edited.bytes()


@case
def root_behind_the_file():
    return put((DATA / "f02_linear.pte").read_bytes(), "<I", 0, 0x7FFF_FFF0)


def _with_instruction(kind, fields, name="f02_linear.pte"):
    edited = Edited(name)
    edited.instructions.append({"instr_args_type": kind, "instr_args": fields})
    return edited.bytes()


@case
def free_of_no_value():
    return _with_instruction(FREE_CALL, {"value_index": 4096})


@case
def free_of_a_number():
    return _with_instruction(FREE_CALL, {"value_index": NUMBER})


@case
def move_of_no_value():
    return _with_instruction(MOVE_CALL, {"move_from": 4096, "move_to": OUTPUT})


@case
def move_of_a_number_to_a_tensor():
    return _with_instruction(MOVE_CALL, {"move_from": NUMBER, "move_to": OUTPUT})


@case
def jump_to_itself():
    edited = Edited("f13/cond_portable.pte")
    edited.call(JUMP_CALL)["destination_instruction"] = 0
    return edited.bytes()


@case
def jump_by_a_tensor_without_memory():
    edited = Edited("f13/cond_portable.pte")
    condition = edited.tensor(edited.call(JUMP_CALL)["cond_value_index"])
    condition.pop("allocation_info", None)
    edited.plan["inputs"] = [one for one in edited.plan["inputs"] if edited.values[one]["val"] is not condition]
    return edited.bytes()


@case
def value_without_content():
    edited = Edited()
    edited.values[NUMBER] = {}
    return edited.bytes()


@case
def test_tensor_without_its_bytes():
    """A bundled program whose test says larger sizes than there are bytes."""
    tensor = Table((0, "b", FLOAT), (1, "ref", Vector("i", [1000, 4])), (2, "ref", Vector("B", bytes(16))), (3, "ref", Vector("B", [0, 1])))
    one = Table((0, "ref", References([value(1, tensor)])), (1, "ref", References([])))
    suite = Table((0, "ref", Text("forward")), (1, "ref", References([one])))
    whole = (DATA / "f02_linear.pte").read_bytes()
    return with_header(Table((1, "ref", References([suite])), (2, "ref", Vector("B", whole))), b"BP08")


def xnnpack(change):
    """A program with one blob of XNNPACK, whose graph is changed."""
    content = (DATA / "f03_mlp_xnn.pte").read_bytes()
    [model] = graph_models.read_models("", content, [])
    graph = model.graph()
    changed = change(graph)
    return model.with_graph(graph) if changed is None else model.with_blob(changed)


def value_of(graph, index):
    return graph.root["xvalues"][index]["xvalue_union"]


@case
def xnnpack_graph_behind_its_blob():
    return xnnpack(lambda graph: put(graph.write(), "<I", 10, 0x7FFF_FFFF))


@case
def xnnpack_graph_with_a_wild_offset():
    return xnnpack(lambda graph: put(graph.write(), "<I", 32, 0x00FF_FFF0))


@case
def xnnpack_without_nodes():
    return xnnpack(lambda graph: graph.root.pop("xnodes") and None)


@case
def xnnpack_value_without_content():
    def change(graph):
        graph.root["xvalues"][0] = {}

    return xnnpack(change)


@case
def xnnpack_constant_of_no_buffer():
    return xnnpack(lambda graph: value_of(graph, 1).update(constant_buffer_idx=1000))


@case
def xnnpack_fewer_sizes_than_dimensions():
    return xnnpack(lambda graph: value_of(graph, 0).update(num_dims=6))


@case
def xnnpack_node_of_no_value():
    def change(graph):
        graph.root["xnodes"][0]["xnode_union"]["output_id"] = 4000

    return xnnpack(change)


@case
def xnnpack_flags_that_nothing_knows():
    return xnnpack(lambda graph: value_of(graph, 0).update(flags=0xFFFF_FF01))


@case
def xnnpack_constant_behind_its_data():
    def change(graph):
        graph.root["constant_data"][1] = {"offset": 2**40, "size": 2048}

    return xnnpack(change)


@case
def xnnpack_more_externals_than_values():
    return xnnpack(lambda graph: graph.root.update(num_externs=2**31))


def write(folder, names=()):
    """Writes the files, and returns their paths by name."""
    paths = {}
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for name, make in CASES.items():
        if names and name not in names:
            continue
        content = make()
        paths[name] = pathlib.Path(folder) / (name + (".bpte" if content[4:8] == b"BP08" else ".pte"))
        paths[name].write_bytes(content)
    return paths


if __name__ == "__main__":
    for path in write(sys.argv[1], sys.argv[2:]).values():
        print(path)
