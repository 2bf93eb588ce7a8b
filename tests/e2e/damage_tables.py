"""Damages the tables of programs and data files field by field, for damage.py.

Unlike flipped bits, a damaged field leaves a file that is well-formed: any field of any table of the schemas gets another
value, its neighbour's, or none, and known accidents are staged: segments, buffers and tensors moved onto each other,
offsets exchanged, memory taken away, contents changed under keys that promise them.
"""

import copy
import hashlib
import re

from tables import File, Schema, Table

ELEMENT_BYTES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 2, 6: 4, 7: 8, 11: 1, 15: 2}
EXTERNAL = 1
HUGE_ARENA = 1 << 50
# Real sizes of these would only fill the memory of this machine.
NUMBERS_OF = {
    "non_const_buffer_sizes": lambda old: [-1, 0, old - 1, old + 16, HUGE_ARENA],
    "sizes": lambda old: [-1, 0, 1, old - 1, old + 1, old * 2],
}
PROMISE = re.compile(rb"([0-9a-f]{40})\.[0-9a-f]{8}|(?:scale_)?([0-9a-f]{64})")


class Unsuited(Exception):
    """The file has nothing that this accident could happen to."""


def is_external(tensor):
    return tensor.get("extra_tensor_info", {}).get("location") == EXTERNAL


def byte_size(tensor):
    size = ELEMENT_BYTES.get(tensor.get("scalar_type", 0), 1)
    for extent in tensor.get("sizes", []):
        size *= extent
    return size


def tensors(plan):
    """(index, table) of each tensor value that has bytes."""
    for index, value in enumerate(plan.get("values", [])):
        tensor = value.get("val")
        if tensor is not None and tensor.table == "Tensor" and byte_size(tensor):
            yield index, tensor


def arguments(plan):
    """(values that an instruction names, with the items of lists) in the order of the file."""
    for chain in plan.get("chains", []):
        for instruction in chain.get("instructions", []):
            call = instruction.get("instr_args", {})
            named = list(call.get("args", []))
            for value in list(named):
                held = plan["values"][value].get("val")
                if held is not None and held.table.endswith("TensorList"):
                    named += [item for item in held.get("items", []) if item >= 0]
            yield named


def pick(dice, things):
    things = list(things)
    if not things:
        raise Unsuited
    return dice.choice(things)


def random_plan(file, dice):
    return pick(dice, file.root.get("execution_plan", []))


def is_constant(tensor):
    return tensor.get("data_buffer_idx", 0) != 0 and "allocation_info" not in tensor and not is_external(tensor)


# The accidents. Each edits the tables; those that only a program can have come first.


def overlap_constants(file, dice):
    """A buffer begins before the end of the one before."""
    offsets = file.root.get("constant_segment", {}).get("offsets", [])
    sizes = {tensor["data_buffer_idx"]: byte_size(tensor) for plan in file.root["execution_plan"]
             for _, tensor in tensors(plan) if is_constant(tensor)}
    index = pick(dice, [i for i in range(2, len(offsets)) if sizes.get(i - 1, 0) > 4 and offsets[i] > offsets[i - 1]])
    offsets[index] = offsets[index - 1] + sizes[index - 1] - 4


def exchange_offsets(file, dice):
    """Of two constants."""
    offsets = file.root.get("constant_segment", {}).get("offsets", [])
    first = pick(dice, range(1, len(offsets) - 1))
    second = dice.randrange(first + 1, len(offsets))
    if offsets[first] == offsets[second]:
        raise Unsuited
    offsets[first], offsets[second] = offsets[second], offsets[first]


def lengthen_constant(file, dice):
    """A constant of more elements than its buffer has; its users see another shape."""
    plan = random_plan(file, dice)
    tensor = pick(dice, [tensor for _, tensor in tensors(plan) if is_constant(tensor) and tensor.get("sizes")])
    tensor["sizes"][0] += 64


def share_planned_bytes(file, dice):
    """A tensor comes to lie in part on another one of the same instruction."""
    plan = random_plan(file, dice)
    places = {index: tensor["allocation_info"] for index, tensor in tensors(plan) if "allocation_info" in tensor}
    sizes = {index: byte_size(tensor) for index, tensor in tensors(plan)}
    named = pick(dice, [both for both in ([v for v in args if v in places and sizes[v] >= 32] for args in arguments(plan))
                        if len(set(both)) > 1])
    first = pick(dice, named)
    second = pick(dice, [value for value in named if value != first])
    places[second].update(memory_id=places[first].get("memory_id", 0),
                          memory_offset_low=places[first].get("memory_offset_low", 0) + 16)
    plan["non_const_buffer_sizes"] = [size + (1 << 20) if size else 0 for size in plan["non_const_buffer_sizes"]]


def misalign_planned(file, dice):
    plan = random_plan(file, dice)
    tensor = pick(dice, [tensor for _, tensor in tensors(plan)
                         if "allocation_info" in tensor and ELEMENT_BYTES.get(tensor.get("scalar_type", 0), 1) > 1])
    place = tensor["allocation_info"]
    place["memory_offset_low"] = place.get("memory_offset_low", 0) + 1
    plan["non_const_buffer_sizes"] = [size + 64 if size else 0 for size in plan["non_const_buffer_sizes"]]


def take_memory(file, dice):
    plan = random_plan(file, dice)
    free = set(plan.get("inputs", [])) | set(plan.get("outputs", []))
    named = {value for args in arguments(plan) for value in args}
    tensor = pick(dice, [tensor for index, tensor in tensors(plan)
                         if "allocation_info" in tensor and index in named and index not in free])
    if tensor.get("data_buffer_idx") or is_external(tensor):
        raise Unsuited
    del tensor["allocation_info"]


def take_buffer(file, dice):
    """A constant says buffer 0, which is none."""
    plan = random_plan(file, dice)
    named = {value for args in arguments(plan) for value in args}
    pick(dice, [tensor for i, tensor in tensors(plan) if is_constant(tensor) and i in named])["data_buffer_idx"] = 0


def feed_constant(file, dice):
    plan = random_plan(file, dice)
    constant, _ = pick(dice, [(i, tensor) for i, tensor in tensors(plan) if is_constant(tensor) or is_external(tensor)])
    inputs = plan.get("inputs", [])
    inputs[dice.randrange(len(inputs)) if inputs else pick(dice, [])] = constant


def ask_for_a_huge_arena(file, dice):
    sizes = random_plan(file, dice).get("non_const_buffer_sizes", [])
    sizes[pick(dice, range(1, len(sizes)))] = dice.choice([1 << 48, HUGE_ARENA, 1 << 62])


def drop_methods(file, _):
    file.root["execution_plan"] = []


def overlap_segments(file, dice):
    """A segment begins 16 bytes early, inside the one before."""
    table = file.root.get("segments", [])
    order = sorted((i for i in range(len(table)) if table[i].get("size", 0) > 16), key=lambda i: table[i].get("offset", 0))
    places = [order[k] for k in range(1, len(order))
              if table[order[k]].get("offset", 0) - 16 < table[order[k - 1]].get("offset", 0) + table[order[k - 1]]["size"]
              and table[order[k]].get("offset", 0) >= 16]
    table[pick(dice, places)]["offset"] -= 16


def exchange_segments(file, dice):
    table = [segment for segment in file.root.get("segments", []) if segment.get("size", 0)]
    first, second = pick(dice, table), pick(dice, table)
    if first.get("offset", 0) == second.get("offset", 0):
        raise Unsuited
    first["offset"], second["offset"] = second.get("offset", 0), first.get("offset", 0)


def change_promised_bytes(file, dice):
    """Of a content whose key says what it is."""
    table = file.root.get("segments", [])
    kept = []
    for entry in file.root.get("named_data", []):
        promise = PROMISE.fullmatch(entry.get("key", b""))
        segment = table[entry.get("segment_index", 0)]
        begin, size = segment.get("offset", 0), segment.get("size", 0)
        digest = hashlib.sha256(file.segments[begin : begin + size]).hexdigest().encode()
        if promise and size and digest.startswith(promise.group(1) or promise.group(2)):
            kept.append((begin, size))
    begin, size = pick(dice, kept)
    content = bytearray(file.segments)
    content[begin + dice.randrange(size)] ^= 1 << dice.randrange(8)
    file.segments = bytes(content)


ANY_ACCIDENTS = [overlap_segments, exchange_segments, change_promised_bytes]
ACCIDENTS = [overlap_constants, exchange_offsets, lengthen_constant, share_planned_bytes, misalign_planned, take_memory,
             take_buffer, feed_constant, ask_for_a_huge_arena, drop_methods, *ANY_ACCIDENTS]  # fmt: skip


class TableDamage:
    def __init__(self, schema_folder):
        self.schemas = {b"ET12": Schema(schema_folder / "program.fbs"), b"FT01": Schema(schema_folder / "flat_tensor.fbs")}

    def damage(self, content, dice):
        """Returns (kind, damaged content): an accident's name, or the table and field that was changed."""
        file = File(self.schemas[content[4:8]], content)
        for _ in range(100):
            try:
                kind = self._stage(file, dice) if dice.random() < 0.35 else self._change_field(file, dice)
                return kind, file.bytes()
            except Unsuited:
                continue
        raise RuntimeError("a file that nothing can be done to")

    @staticmethod
    def _stage(file, dice):
        accident = dice.choice(ANY_ACCIDENTS if file.is_data else ACCIDENTS)
        accident(file, dice)
        return accident.__name__

    def _change_field(self, file, dice):
        found = {}
        self._collect(file.root, file.schema, found)
        name = pick(dice, (table for table in sorted(found) if file.schema.tables[table]))
        fields = file.schema.fields(name)
        tags = {field.name + "_type" for field in fields if field.kind == "union"}  # change with what they tell
        field = pick(dice, (field for field in fields if field.name not in tags))
        table = pick(dice, found[name])
        before = copy.deepcopy(table.get(field.name))
        tag = table.get(field.name + "_type")
        neighbour = pick(dice, found[name])
        self._change(table, field, neighbour, file.schema, dice)
        if table.get(field.name) == before and table.get(field.name + "_type") == tag:
            raise Unsuited
        return f"{name}.{field.name}"

    def _collect(self, table, schema, found):
        found.setdefault(table.table, []).append(table)
        for value in table.values():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, Table):
                    self._collect(item, schema, found)

    def _change(self, table, field, neighbour, schema, dice):
        name, old = field.name, table.get(field.name)
        if dice.random() < 0.15:
            table.pop(name, None)
            table.pop(name + "_type", None)
        elif dice.random() < 0.2 and name in neighbour:
            table[name] = copy.deepcopy(neighbour[name])
            if field.kind == "union":
                table[name + "_type"] = neighbour[name + "_type"]
        elif field.is_vector:
            table[name] = self._vector(name, field.type if field.kind == "scalar" else None, list(old or []), dice)
        elif field.kind == "scalar":
            table[name] = self._number(name, old or 0, dice)
        elif field.kind == "string":
            table[name] = dice.choice([b"", b"none", (old or b"a") + b"\0b", (old or b"a") * 60, (old or b"a")[:-1]])
        elif field.kind == "union" and old is not None:
            table[name + "_type"] = dice.randrange(len(schema.unions[field.type]) + 1)
        else:
            raise Unsuited

    @staticmethod
    def _number(field, old, dice):
        if isinstance(old, float):
            return dice.choice([0.0, -old, float("nan"), old + 1])
        if field in NUMBERS_OF:
            return dice.choice(NUMBERS_OF[field](old))
        return dice.choice([0, 1, 2, old + 1, old - 1, old + 4, old * 2, 99, -1, 0x7FFFFFFF])

    def _vector(self, field, letter, items, dice):
        if not items:
            raise Unsuited
        at = dice.randrange(len(items))
        what = dice.choice(["empty", "shorter", "longer", "exchange", "number", "number", "number"])
        if what == "empty":
            items = []
        elif what == "shorter":
            del items[at]
        elif what == "longer":
            items.insert(at, items[at])
        elif what == "number" and letter:
            limit = 256 if letter == "B" else None
            items[at] = self._number(field, items[at], dice) % limit if limit else self._number(field, items[at], dice)
        else:
            other = dice.randrange(len(items))
            items[at], items[other] = items[other], items[at]
        return bytes(items) if letter == "B" else items
