"""f12: constants of every type, shared, empty, in other layouts, of half and of 4-bit precision."""

import torch
from torch import nn

from exporting import backend_config, export, lower, tag_delegate_constants, xnnpack
from inputs import call, floats
from models import Mlp
from suite import group

DTYPES = {
    "bf": torch.bfloat16, "hf": torch.float16, "f64": torch.float64, "i8": torch.int8, "u8": torch.uint8,
    "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
}


class Zoo(nn.Module):
    """A buffer c_* of each type, a scalar and an empty one."""

    def __init__(self):
        super().__init__()
        for name, dtype in DTYPES.items():
            self.register_buffer("c_" + name, torch.arange(6).reshape(2, 3).to(dtype))
        self.register_buffer("c_bool", torch.tensor([[True, False, True], [False, True, False]]))
        self.register_buffer("c_scalar", torch.tensor(2.5))
        self.register_buffer("c_empty", torch.empty(0, 3))

    def forward(self, x):
        y = x * self.c_scalar
        for name in [*DTYPES, "bool"]:
            y = y + getattr(self, "c_" + name).to(torch.float32)
        rest = (self.c_i64 + 1, self.c_hf * 2, self.c_bf * 2, self.c_bool.logical_not(), self.c_i8 + 1)
        return torch.cat([y, self.c_empty], 0), *rest


class Tied(nn.Module):
    """Two layers with one weight, and buffers of equal bytes: as a copy, of another shape, of another type."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 6)
        self.b = nn.Linear(6, 6)
        self.b.weight = self.a.weight
        self.register_buffer("dup1", torch.arange(36.0).reshape(6, 6))
        self.register_buffer("dup2", torch.arange(36.0).reshape(6, 6))
        self.register_buffer("flat", torch.arange(36.0))
        self.register_buffer("as_i32", torch.arange(36.0).view(torch.int32).reshape(6, 6))
        self.register_buffer("z1", torch.zeros(6))
        self.register_buffer("z2", torch.zeros(6))

    def forward(self, x):
        y = self.b(self.a(x)) @ self.dup1 + (x @ self.dup2) * self.flat.sum()
        return y + self.as_i32.to(torch.float32).sum() + self.z1 + self.z2


class ChannelsLast(nn.Module):
    """A convolution and a buffer in the channels-last layout."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
        self.register_buffer("cl", torch.randn(1, 4, 4, 5).to(memory_format=torch.channels_last))

    def forward(self, x):
        return self.conv(x) + self.cl


@group("f12_zoo")
def zoo(suite):
    """constants of every type, a scalar, an empty one"""
    inputs = [floats(2, 3)]
    suite.write(
        "f12_zoo", "f12/zoo.pte", lower(export(Zoo(), inputs)), [call(*inputs)],
        "buffers of every type", "all scalar types that the kernels take; constants without elements and dimensions",
    )
    suite.write(
        "f12_zoo_ext", "f12/zoo_ext.pte",
        lower(export(Zoo(), inputs), config=backend_config(external_constants=True)), [call(*inputs)],
        "the same, external", "tensor layouts of every type in a .ptd", "zoo_",
    )


@group("f12_tied")
def tied(suite):
    """shared constants and constants of equal bytes"""
    inputs = [floats(2, 6)]
    model = Tied()
    forms = {
        "portable": (None, backend_config()),
        "ext": (None, backend_config(external_constants=True)),
        "xnn": (xnnpack(), backend_config()),
    }
    for form, (partitioner, config) in forms.items():
        suite.write(
            f"f12_tied_{form}", f"f12/tied_{form}.pte", lower(export(model, inputs), partitioner, config),
            [call(*inputs)], f"one weight in two layers, equal bytes in other shapes and types, {form}",
            "constants stored once and used under several names", "tied_",
        )


@group("f12_channels_last")
def channels_last(suite):
    """constants and input in the channels-last layout"""
    inputs = [floats(1, 3, 6, 7, channels_last=True)]
    model = ChannelsLast()
    for form, external in (("channels_last", False), ("channels_last_ext", True)):
        program = lower(export(model, inputs), config=backend_config(external_constants=external))
        suite.write(
            f"f12_{form}", f"f12/{form}.pte", program, [call(*inputs)],
            "channels-last convolution, buffer and input" + (", external" if external else ""),
            "dim order 0 2 3 1", "cl_",
        )


@group("f12_half")
def half(suite):
    """MLP of float16 and bfloat16"""
    for dtype in ("float16", "bfloat16"):
        inputs = [floats(2, 16, dtype=dtype)]
        for suffix, partitioner in (("", None), ("_xnn", xnnpack)):
            name = f"f12_{dtype}{suffix}"
            program = export(Mlp().to(getattr(torch, dtype)), inputs)
            suite.write(
                name, f"f12/{name}.pte", lower(program, partitioner and partitioner()), [call(*inputs)],
                f"MLP of {dtype}" + (", XnnpackPartitioner() (declines bfloat16)" if suffix else ""),
                "constants of half precision",
            )


@group("f12b_int4")
def int4(suite):
    """4-bit weights on XNNPACK, inside and external"""
    from torchao.quantization.granularity import PerGroup
    from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig, quantize_

    inputs = [floats(2, 64)]
    model = Mlp((64, 64, 32)).eval()
    quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)))
    suite.write(
        "f12b_8da4w_xnn", "f12/8da4w_xnn.pte", lower(export(model, inputs), xnnpack()), [call(*inputs)],
        "Int8DynamicActivationIntxWeightConfig(int4, groups of 32), XnnpackPartitioner()",
        "packed 4-bit weights and their scales as named data",
    )
    tagged = tag_delegate_constants(export(model, inputs), inputs, lambda node: "q4")
    suite.write(
        "f12b_8da4w_xnn_ext", "f12/8da4w_xnn_ext.pte", lower(tagged, xnnpack()), [call(*inputs)],
        "the same, tagged delegate constants", "4-bit weights in a .ptd",
    )
