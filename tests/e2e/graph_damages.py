"""Every way in which one field, value or node of an XNNPACK graph, or the call of it, can be wrong."""

import copy
import dataclasses
import math

from graph_models import GRAPH, NO_VALUE

TYPES = GRAPH.enums["XNNDatatype"][1].values()
HUGE = [0x7FFFFFFF, 0xFFFFFFFF]
FLOATS = [math.nan, math.inf, -math.inf, 0.0, -1.0, 1e-40, 3e38]
UNION_TYPES = ("union_type", "params_type")
SCALAR_TYPES = [0, 1, 2, 3, 4, 5, 6, 7, 11, 15]
TENSOR, DELEGATE_CALL = 5, 2  # numbers of the unions in a program
RANGES = {"B": (0, 0xFF), "h": (-0x8000, 0x7FFF), "i": (-0x80000000, 0x7FFFFFFF)}
RANGES |= {"I": (0, 0xFFFFFFFF), "H": (0, 0xFFFF), "Q": (0, 0xFFFFFFFFFFFFFFFF)}


@dataclasses.dataclass(frozen=True)
class Damage:
    """What is changed where: `kind` and `place` group those that are alike."""

    kind: str
    place: str
    path: tuple  # of keys, from the root
    value: object  # what is put there; ABSENT removes it

    def __str__(self):
        words = ".".join(str(step) for step in self.path)
        return f"{self.kind}: {words} = {'absent' if self.value is ABSENT else self.value!r}"

    def apply(self, root):
        """Returns a damaged copy."""
        damaged = copy.deepcopy(root)
        at = damaged
        for step in self.path[:-1]:
            at = at[step]
        if self.value is not ABSENT:
            at[self.path[-1]] = self.value
        elif isinstance(at, list):
            del at[self.path[-1]]
        else:
            at.pop(self.path[-1], None)
        return damaged


class _Absent:
    def __repr__(self):
        return "absent"


ABSENT = _Absent()


def numbers_near(old, letter):
    least, most = RANGES[letter]
    near = {-1, 0, 1, 2, 3, old - 1, old + 1, old * 2, 8, 64, 1000, *HUGE, most}
    return sorted(number for number in near - {old} if least <= number <= most)


def kind_of(table, field):
    """Returns what a field is about."""
    name = field.name
    if table == "OutputMinMax":
        return "bounds"
    if table == "ConstantDataOffset":
        return "constant"
    if table in ("PerTensorQuant", "PerChannelQuant", "PerChannelGroupQuant", "PerTokenDynamicQuant"):
        return "quantization"
    if name in ("datatype", "dq_datatype"):
        return "element type"
    if name in ("dims", "num_dims") and table == "XNNTensorValue":
        return "value dims"
    if name == "flags":
        return "value flags" if table == "XNNTensorValue" else "node flags"
    if table == "XNNTensorValue":
        return {"constant_buffer_idx": "constant"}.get(name, "value id")
    if table == "XNNGraph":
        return "graph"
    if name.endswith("_id"):
        return "node value"
    if field.is_vector:
        return "node list"
    return "node number" if field.type != "f" else "node float"


def values_for(table, field, old, ids):
    """Yields what may be put into a scalar field instead."""
    if field.name in ("datatype", "dq_datatype"):
        yield from (number for number in [*TYPES, 15, 255, -1] if number != old)
    elif field.name == "flags":
        yield from (old ^ (1 << bit) for bit in (*range(12), 30, 31))
        yield 0xFFFFFFFF
    elif field.name.endswith("_id") or field.name == "id_out":
        yield from (number for number in {*ids, len(ids), 1000, NO_VALUE} if number != old)
    elif field.type == "f":
        yield from FLOATS
    else:
        yield from numbers_near(old, field.type)


def lists_for(field, old):
    """Yields what may stand in the place of a vector of numbers."""
    yield ABSENT
    others = [[], old[:-1], old[:1], old + old[-1:], old + [1] * 7, old[::-1]]
    yield from (changed for changed in others if changed != old)
    if field.type == "f":
        yield from ([number, *old[1:]] for number in FLOATS if old)
        return
    for i in range(min(len(old), 4)):
        for number in numbers_near(old[i], field.type):
            yield [*old[:i], number, *old[i + 1 :]]


def damage_table(table, value, path, ids, place):
    """Yields the damage of a table's fields and of the tables in it."""
    for field in GRAPH.fields(table):
        at, kind = (*path, field.name), kind_of(table, field)
        where = f"{place}.{field.name}"
        if field.kind == "scalar" and not field.is_vector:
            if field.name != "debug_handle" and not field.name.endswith(UNION_TYPES):
                for number in values_for(table, field, value.get(field.name, 0), ids):
                    yield Damage(kind, where, at, number)
        elif field.name not in value:
            continue
        elif field.kind == "scalar":
            for numbers in lists_for(field, value[field.name]) if not isinstance(value[field.name], bytes) else ():
                yield Damage(kind, where, at, numbers)
        elif field.kind == "string":
            yield Damage(kind, where, at, ABSENT)
            yield Damage(kind, where, at, b"")
            yield Damage(kind, where, at, b"no such key")
        elif field.is_vector:
            yield Damage("table missing", where, at, ABSENT)
            for i, item in enumerate(value[field.name]):
                yield from damage_table(field.type, item, (*at, i), ids, where_of(field.type, item) or where)
        else:
            yield Damage("table missing", where, at, ABSENT)
            inner = field.type
            if field.kind == "union":
                inner = GRAPH.unions[field.type][value[field.name + "_type"]][1]
            yield from damage_table(inner, value[field.name], at, ids, place)


def where_of(table, value):
    """Returns what a node or value is."""
    if table == "XNode":
        return GRAPH.unions["XNodeUnion"][value["xnode_union_type"]][0]
    if table == "XValue":
        tensor = value["xvalue_union"].get("tensor_value", value["xvalue_union"])
        return "constant" if tensor.get("constant_buffer_idx") else "external" if tensor.get("flags") else "value"
    return ""


def damage_bounds(root):
    """Yields bounds where a node has none, and other wrong ones."""
    pairs = [(1.0, -1.0), (math.nan, 1.0), (0.0, math.nan), (1.0, 1.0), (math.inf, -math.inf), (-1e9, -1e8)]
    for i, node in enumerate(root["xnodes"]):
        for low, high in pairs:
            bounds = {"output_min": low, "output_max": high}
            yield Damage("bounds", where_of("XNode", node), ("xnodes", i, "output_min_max"), bounds)


def damage_nodes(root):
    """Yields nodes of other types, removed, repeated, and in another order."""
    nodes = root["xnodes"]
    for i, node in enumerate(nodes):
        place, old = where_of("XNode", node), node["xnode_union_type"]
        for number, (_, table) in enumerate(GRAPH.unions["XNodeUnion"]):
            if number in (0, old):
                continue
            fields = node["xnode_union"]
            known = {field.name for field in GRAPH.fields(table)}
            changed = node | {"xnode_union_type": number}
            changed["xnode_union"] = {name: value for name, value in fields.items() if name in known}
            yield Damage("node type", place, ("xnodes", i), changed)
        yield Damage("node removed", place, ("xnodes", i), ABSENT)
        yield Damage("node repeated", place, ("xnodes",), nodes[:i] + [node, node] + nodes[i + 1 :])
        if i:
            yield Damage("node order", place, ("xnodes",), [*nodes[: i - 1], node, nodes[i - 1], *nodes[i + 1 :]])
    yield Damage("node removed", "all", ("xnodes",), [])
    yield Damage("node order", "all", ("xnodes",), nodes[::-1])


def damage_values(root):
    """Yields values of another kind, removed, repeated, and quantized in other ways."""
    values = root["xvalues"]
    quantizations = [
        (1, {"scale": [0.5] * 4, "channel_dim": 0}),
        (2, {"scale": 0.5, "zero_point": 1}),
        (3, {"num_nonbatch_dims": 1}),
        (4, {"scale": [0.5], "group_size": 32, "channel_dim": 0}),
    ]
    for i, value in enumerate(values):
        place, union = where_of("XValue", value), value["xvalue_union"]
        tensor = union.get("tensor_value", union)
        yield Damage("value removed", place, ("xvalues", i), ABSENT)
        yield Damage("value repeated", place, ("xvalues",), [*values, value])
        if "tensor_value" in union:
            plain = {"xvalue_union_type": 1, "xvalue_union": tensor}
            yield Damage("quantization kind", place, ("xvalues", i), plain)
        for kind, params in quantizations:
            if kind != union.get("quant_params_type"):
                inner = {"tensor_value": tensor, "quant_params_type": kind, "quant_params": params}
                changed = {"xvalue_union_type": 2, "xvalue_union": inner}
                yield Damage("quantization kind", place, ("xvalues", i), changed)
        external = tensor.get("external_id", 0)
        if external != NO_VALUE:
            others = [j for j, other in enumerate(values) if j != i and not is_external(other)]
            yield from (share_external(place, values[j], j, external) for j in others)
    yield Damage("value removed", "all", ("xvalues",), [])


def tensor_of(value):
    return value["xvalue_union"].get("tensor_value", value["xvalue_union"])


def is_external(value):
    return tensor_of(value).get("external_id", 0) != NO_VALUE


def share_external(place, value, index, external):
    changed = copy.deepcopy(value)
    tensor_of(changed)["external_id"] = external
    return Damage("external twice", place, ("xvalues", index), changed)


def damage_graph(root):
    """Yields all single damages of a graph."""
    ids = [tensor_of(value).get("id_out", 0) for value in root["xvalues"]]
    yield from damage_table("XNNGraph", root, (), ids, "graph")
    yield from damage_bounds(root)
    yield from damage_nodes(root)
    yield from damage_values(root)


def damage_calls(root, backend):
    """Yields calls of a backend's delegates with other arguments, in the tables of a program."""
    for i, plan in enumerate(root["execution_plan"]):
        delegates = [j for j, each in enumerate(plan.get("delegates", [])) if each["id"] == backend]
        for j, chain in enumerate(plan["chains"]):
            for k, instruction in enumerate(chain["instructions"]):
                call = instruction["instr_args"]
                if instruction["instr_args_type"] != DELEGATE_CALL or call.get("delegate_index", 0) not in delegates:
                    continue
                at = ("execution_plan", i, "chains", j, "instructions", k, "instr_args", "args")
                args = call["args"]
                for changed in (args[:-1], [], args[::-1], [args[0]] * len(args), [*args[:-1], 1000], [*args, args[0]]):
                    if changed != args:
                        yield Damage("call", "arguments", at, changed)
                for number in set(args):
                    yield from damage_argument(plan["values"][number], ("execution_plan", i, "values", number))


def damage_argument(value, path):
    """Yields the tensor of an argument with another type or shape."""
    if value["val_type"] != TENSOR:
        return
    tensor = value["val"]
    for number in SCALAR_TYPES:
        if number != tensor.get("scalar_type", 0):
            yield Damage("call", "element type", (*path, "val"), tensor | {"scalar_type": number})
    sizes = tensor["sizes"]
    for changed in ([*sizes, 1], [1, *sizes], sizes[1:]):
        shape = {"sizes": changed, "dim_order": bytes(range(len(changed)))}
        yield Damage("call", "dimensions", (*path, "val"), tensor | shape)
    yield Damage("call", "no tensor", path, {"val_type": 2, "val": {"int_val": 1}})
