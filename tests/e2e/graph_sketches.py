"""Makes small sound XNNPACK programs: one for each kind of node and form of its numbers."""

import math
import struct

from graph_models import BACKEND, GRAPH, NO_VALUE, Graph, Model, Program, align

ARENA_ALIGNMENT = 16
TYPES = {name.removeprefix("xnn_datatype_"): number for name, number in GRAPH.enums["XNNDatatype"][1].items()}
# Of the program's tensors, by the graph's type.
SCALAR_TYPES = {"fp32": 6, "fp16": 5, "bf16": 15, "int32": 3, "qint8": 1, "quint8": 0}
SIZES = {"fp32": 4, "fp16": 2, "bf16": 2, "int32": 4, "qint8": 1, "quint8": 1, "qint32": 4, "qcint8": 1, "qcint32": 4}
NODES = {name: number for number, (name, _) in enumerate(GRAPH.unions["XNodeUnion"])}


class Sketch:
    """A graph in the making; inputs and outputs of the program are in the order in which they are made."""

    def __init__(self):
        self.values, self.nodes, self.externals = [], [], []
        self.constants, self.entries = b"", [{"named_key": b""}]

    def tensor(self, dims, type="fp32", flags=0, data=None, quantization=None):
        """Adds a value and returns its id; quantization is the number of its kind and its fields."""
        tensor = {"datatype": TYPES[type], "num_dims": len(dims), "dims": list(dims), "id_out": len(self.values)}
        tensor |= {"external_id": NO_VALUE, "flags": flags}
        if flags:
            tensor["external_id"] = len(self.externals)
            self.externals.append((dims, type, flags, tensor["id_out"]))
        if data is not None:
            tensor["constant_buffer_idx"] = self.constant(data)
        if quantization is None:
            self.values.append({"xvalue_union_type": 1, "xvalue_union": tensor})
        else:
            kind, fields = quantization
            value = {"tensor_value": tensor, "quant_params_type": kind, "quant_params": fields}
            self.values.append({"xvalue_union_type": 2, "xvalue_union": value})
        return tensor["id_out"]

    def constant(self, data):
        self.entries.append({"offset": len(self.constants), "size": len(data)})
        self.constants += data + bytes(-len(data) % 16)
        return len(self.entries) - 1

    def per_tensor(self, scale=0.5, zero_point=0):
        return 2, {"scale": scale, "zero_point": zero_point}

    def per_channel(self, channels, channel_dim=0, inline=False):
        scales = [0.5] * channels
        if inline:
            return 1, {"scale": scales, "channel_dim": channel_dim}
        index = self.constant(struct.pack(f"<{channels}f", *scales))
        return 1, {"scale": [], "channel_dim": channel_dim, "scale_buffer_idx": index, "num_scales": channels}

    def value(self, dims, type, flags=0):
        """A value that is no constant, quantized where its type is."""
        quantized = {"qint8": self.per_tensor(), "quint8": self.per_tensor(0.5, 128)}
        quantized["qdint8"] = 3, {"num_nonbatch_dims": 1}
        return self.tensor(dims, type, flags, None, quantized.get(type))

    def weight(self, dims, type, channel_dim=0):
        count = math.prod(dims)
        quantization = None
        if type in ("qint8", "quint8", "qint32"):
            quantization = self.per_tensor(0.5, 128 if type == "quint8" else 0)
        elif type.startswith("qc"):
            quantization = self.per_channel(dims[channel_dim], channel_dim)
        elif type == "qbint4":
            blocks = dims[0] * dims[1] // 32
            index = self.constant(struct.pack(f"<{blocks}H", *[0x3F00] * blocks))
            fields = {"scale": [], "group_size": 32, "scale_buffer_idx": index, "num_scales": blocks}
            quantization = 4, fields | {"channel_dim": channel_dim}
        size = count // 2 if type.endswith("int4") else count * SIZES[type]
        number = struct.pack("<f", 0.25) if type == "fp32" else b"\0\x34" if type == "fp16" else b"\x01"
        data = (number * size)[:size] if type in ("fp32", "fp16") else bytes(i % 5 for i in range(size))
        return self.tensor(dims, type, 0, data, quantization)

    def node(self, name, min_max=None, **fields):
        node = {"xnode_union_type": NODES[name], "xnode_union": fields, "debug_handle": len(self.nodes)}
        if min_max is not None:
            node["output_min_max"] = {"output_min": min_max[0], "output_max": min_max[1]}
        self.nodes.append(node)

    def model(self, name):
        graph = Graph(
            {
                "version": b"0",
                "xnodes": self.nodes,
                "xvalues": self.values,
                "num_externs": len(self.externals),
                "input_ids": [id for _, _, flags, id in self.externals if flags == 1],
                "output_ids": [id for _, _, flags, id in self.externals if flags == 2],
                "constant_data": self.entries,
            },
            constants=self.constants,
        )
        return Model(name, self.program(graph.write()), 0, [])

    def program(self, blob):
        values, position = [], 0
        for dims, type, _, _ in self.externals:
            tensor = {"scalar_type": SCALAR_TYPES[type], "sizes": list(dims), "dim_order": bytes(range(len(dims)))}
            tensor["allocation_info"] = {"memory_id": 1, "memory_offset_low": position}
            values.append({"val_type": 5, "val": tensor})
            position = align(position + math.prod(dims) * SIZES[type], ARENA_ALIGNMENT)
        ids = range(len(self.externals))
        call = {"delegate_index": 0, "args": list(ids)}
        plan = {
            "name": b"forward",
            "container_meta_type": {"encoded_inp_str": b"[]", "encoded_out_str": b"[]"},
            "values": values,
            "inputs": [i for i in ids if self.externals[i][2] == 1],
            "outputs": [i for i in ids if self.externals[i][2] == 2],
            "chains": [{"inputs": [], "outputs": [], "instructions": [{"instr_args_type": 2, "instr_args": call}]}],
            "operators": [],
            "delegates": [{"id": BACKEND, "processed": {"location": 1, "index": 1}, "compile_specs": []}],
            "non_const_buffer_sizes": [0, position],
        }
        root = {"version": 0, "execution_plan": [plan], "constant_buffer": [], "backend_delegate_data": []}
        return Program(root | {"constant_segment": {"offsets": [0]}}, [b"", blob])


ALONE = [name for name, table in GRAPH.unions["XNodeUnion"] if table in ("_XNNNode1x1", "XNNELU", "XNNLeakyReLU")]
PAIRS = [name for name, table in GRAPH.unions["XNodeUnion"] if table == "_XNNNode2x1"]
NAMED = {"XNNELU": {"alpha": 1.0}, "XNNLeakyReLU": {"negative_slope": 0.1}}
BOUNDED = {"XNNAdd", "XNNSubtract", "XNNMultiply", "XNNDiv", "XNNClamp"}
# Forms in which a kind of node is made besides fp32.
ALONE_FORMS = {name: ["fp16"] for name in ALONE} | {
    "XNNClamp": ["fp16", "qint8", "quint8"],
    "XNNLeakyReLU": ["fp16", "qint8"],
    "XNNSigmoid": ["fp16", "qint8"],
    "XNNTanh": ["qint8"],
    "XNNCopy": ["fp16", "qint8"],
    "XNNGlobalAvgPooling2d": ["qint8"],
}
PAIR_FORMS = {"XNNAdd": ["fp16", "qint8", "quint8", "int32"], "XNNMultiply": ["qint8"], "XNNPReLU": []}
CONVERSIONS = [("fp32", "qint8"), ("qint8", "fp32"), ("fp32", "fp16"), ("fp32", "qdint8"), ("fp32", "quint8")]
# Of input, filter, bias and output.
LAYERS = [
    ("fp32", "fp32", "fp32", "fp32"),
    ("fp32", "fp32", None, "fp32"),
    ("fp16", "fp16", "fp16", "fp16"),
    ("fp32", "fp16", "fp32", "fp32"),
    ("qint8", "qint8", "qint32", "qint8"),
    ("quint8", "quint8", "qint32", "quint8"),
    ("qint8", "qcint8", "qcint32", "qint8"),
    ("qdint8", "qcint8", "fp32", "fp32"),
    ("qdint8", "qcint4", "fp32", "fp32"),
    ("qdint8", "qbint4", "fp32", "fp32"),
    ("fp32", "qcint8", None, "fp32"),
]
NOT_CONVOLVED = {"XNNConv2d": {*LAYERS[8:]}, "XNNDepthwiseConv2d": {*LAYERS[7:]}}
NOT_CONVOLVED["XNNConvTranspose2d"] = {LAYERS[2], *LAYERS[8:]}


def read_value(sketch, dims, type):
    """An input of the graph, through a conversion where it cannot be one itself."""
    if type != "qdint8":
        return sketch.value(dims, type, 1)
    given, converted = sketch.value(dims, "fp32", 1), sketch.value(dims, type)
    sketch.node("XNNConvert", input_id=given, output_id=converted)
    return converted


def sketch_alone(name, type):
    sketch, shape = Sketch(), [1, 4, 4, 8]
    pooled = [1, 1, 1, 8] if name == "XNNGlobalAvgPooling2d" else shape
    given, made = sketch.value(shape, type, 1), sketch.value(pooled, type, 2)
    bounds = (-1.0, 1.0) if name == "XNNClamp" else None
    flags = {"flags": 64} if name == "XNNGlobalAvgPooling2d" else {}
    sketch.node(name, bounds, input_id=given, output_id=made, **NAMED.get(name, {}), **flags)
    return sketch


def sketch_pair(name, type, bounds=None):
    sketch, shape = Sketch(), [2, 3, 8]
    given = sketch.value(shape, type, 1)
    if name == "XNNPReLU":
        other = sketch.weight([8], "fp32")
    else:
        other = sketch.value([2, 8, 3] if name == "XNNBatchMatrixMultiply" else shape, type, 1)
    made = sketch.value([2, 3, 3] if name == "XNNBatchMatrixMultiply" else shape, type, 2)
    sketch.node(name, bounds, input1_id=given, input2_id=other, output_id=made)
    return sketch


def sketch_convert(given_type, made_type):
    sketch = Sketch()
    given = sketch.value([2, 8], given_type, 1)
    if made_type == "qdint8":
        converted, weight = sketch.value([2, 8], made_type), sketch.weight([4, 8], "qcint8")
        made = sketch.value([2, 4], "fp32", 2)
        sketch.node("XNNConvert", input_id=given, output_id=converted)
        sketch.node("XNNFullyConnected", input1_id=converted, filter_id=weight, bias_id=NO_VALUE, output_id=made)
    else:
        sketch.node("XNNConvert", input_id=given, output_id=sketch.value([2, 8], made_type, 2))
    return sketch


def sketch_linear(given, weight, bias, made):
    sketch = Sketch()
    source = read_value(sketch, [2, 32], given)
    filter_id = sketch.weight([4, 32], weight)
    bias_id = sketch.weight([4], bias) if bias else NO_VALUE
    target = sketch.value([2, 4], made, 2)
    sketch.node(
        "XNNFullyConnected", (0.0, math.inf), input1_id=source, filter_id=filter_id, bias_id=bias_id, output_id=target
    )
    return sketch


def sketch_convolution(name, given, weight, bias, made):
    sketch = Sketch()
    depthwise, turned = name == "XNNDepthwiseConv2d", name == "XNNConvTranspose2d"
    groups, inputs, outputs = (4, 1, 2) if depthwise else (1, 4, 8) if turned else (2, 2, 4)
    channels = groups * outputs
    source = read_value(sketch, [1, 8, 8, groups * inputs], given)
    shape = [1, 3, 3, channels] if depthwise else [channels, 3, 3, inputs]
    filter_id = sketch.weight(shape, weight, 3 if depthwise else 0)
    bias_id = sketch.weight([channels], bias) if bias else NO_VALUE
    size = 15 if turned else 4
    target = sketch.value([1, size, size, channels], made, 2)
    fields = {f"padding_{side}": 1 for side in ("top", "right", "bottom", "left")}
    fields |= {f"{what}_{way}": 3 for what in ("kernel",) for way in ("height", "width")}
    fields |= {f"subsampling_{way}": 2 for way in ("height", "width")}
    fields |= {f"dilation_{way}": 1 for way in ("height", "width")}
    fields |= {"group_input_channels": inputs, "group_output_channels": outputs, "groups": groups}
    fields |= {"input1_id": source, "filter_id": filter_id, "bias_id": bias_id, "output_id": target}
    sketch.node(name, (0.0, 6.0), **fields)
    return sketch


def sketch_pooling(name, type):
    sketch = Sketch()
    given = sketch.value([1, 8, 8, 4], type, 1)
    fields = {f"pooling_{way}": 2 for way in ("height", "width")}
    made = sketch.value([1, 4, 4, 4], type, 2)
    if name == "XNNArgMaxPooling2d":
        index = sketch.value([1, 4, 4, 4], "int32", 2)
        sketch.node(name, input_id=given, output_value_id=made, output_index_id=index, **fields)
        return sketch
    fields |= {f"{what}_{way}": n for what, n in (("stride", 2), ("dilation", 1)) for way in ("height", "width")}
    sketch.node(name, (0.0, 6.0), input_id=given, output_id=made, **fields)
    return sketch


def sketch_shape(name, type, given_shape, made_shape, **fields):
    sketch = Sketch()
    given, made = sketch.value(given_shape, type, 1), sketch.value(made_shape, type, 2)
    sketch.node(name, input_id=given, output_id=made, **fields)
    return sketch


def sketch_concatenation(count, type):
    sketch = Sketch()
    inputs = {f"input{i + 1}_id": sketch.value([2, 3, 4], type, 1) for i in range(count)}
    sketch.node(f"XNNConcatenate{count}", axis=1, output_id=sketch.value([2, 3 * count, 4], type, 2), **inputs)
    return sketch


def make_sketches():
    """Yields name and sketch of every kind of node in every form."""
    for name in ALONE:
        if name == "XNNConvert":
            continue
        for type in ["fp32", *ALONE_FORMS[name]]:
            yield f"{name} {type}", sketch_alone(name, type)
    for name in PAIRS:
        for type in ["fp32", *PAIR_FORMS.get(name, ["qint8"] if name in BOUNDED else ["fp16"])]:
            yield f"{name} {type}", sketch_pair(name, type)
        if name in BOUNDED:
            yield f"{name} bounded", sketch_pair(name, "fp32", (0.0, 6.0))
    for given, made in CONVERSIONS:
        yield f"XNNConvert {given} {made}", sketch_convert(given, made)
    for types in LAYERS:
        form = " ".join(type or "none" for type in types)
        yield f"XNNFullyConnected {form}", sketch_linear(*types)
        for name in ("XNNConv2d", "XNNDepthwiseConv2d", "XNNConvTranspose2d"):
            if types not in NOT_CONVOLVED[name]:
                yield f"{name} {form}", sketch_convolution(name, *types)
    for name, type in (("XNNArgMax", "fp32"), ("XNNAvg", "fp32"), ("XNNAvg", "fp16")):
        yield f"{name}Pooling2d {type}", sketch_pooling(name + "Pooling2d", type)
    for type in ("fp32", "fp16", "qint8"):
        yield f"XNNMaxPooling2d {type}", sketch_pooling("XNNMaxPooling2d", type)
        turn = {"num_dims": 3, "perm": [0, 2, 1]}
        yield f"XNNStaticTranspose {type}", sketch_shape("XNNStaticTranspose", type, [2, 3, 4], [2, 4, 3], **turn)
        shape = {"num_dims": 2, "new_shape": [6, 4]}
        yield f"XNNStaticReshape {type}", sketch_shape("XNNStaticReshape", type, [2, 3, 4], [6, 4], **shape)
        pads = {"pre_paddings": [0, 1, 0], "post_paddings": [0, 0, 2], "padding_value": 1.5}
        yield f"XNNStaticConstantPad {type}", sketch_shape("XNNStaticConstantPad", type, [2, 3, 4], [2, 4, 6], **pads)
        part = {"num_dims": 3, "offsets": [0, 1, 0], "sizes": [2, 2, 3]}
        yield f"XNNStaticSlice {type}", sketch_shape("XNNStaticSlice", type, [2, 3, 4], [2, 2, 3], **part)
        size = {"new_height": 8, "new_width": 6}
        resized = sketch_shape("XNNStaticResizeBilinear2D", type, [1, 4, 4, 3], [1, 8, 6, 3], **size)
        yield f"XNNStaticResizeBilinear2D {type}", resized
        for count in (2, 3, 4, 5):
            yield f"XNNConcatenate{count} {type}", sketch_concatenation(count, type)
