"""f14 to f16: alignments and inline delegates, equal keys with other contents, several delegates."""

import torch
from torch import nn

from exporting import backend_config, export, lower, xnnpack
from inputs import call, floats
from models import Linear, Mlp
from suite import group

INPUTS = [floats(2, 16)]
INLINE = {"extract_delegate_segments": False}
CONFIGS = {
    "seg16": {"segment_alignment": 16},
    "seg64": {"segment_alignment": 64},
    "seg4096": {"segment_alignment": 4096},
    "seg16k": {"segment_alignment": 16384},
    "const64": {"constant_tensor_alignment": 64},
    "const8": {"constant_tensor_alignment": 8},
    "const1": {"constant_tensor_alignment": 1},
    "inline": INLINE,
    "inline_c64": {**INLINE, "constant_tensor_alignment": 64},
}
DELEGATE_CONFIGS = {
    "del256": {"delegate_alignment": 256},
    "inline_del256": {**INLINE, "delegate_alignment": 256},
    "inline_del1024": {**INLINE, "delegate_alignment": 1024},
}


class Weightless(nn.Module):
    def forward(self, x, y):
        return torch.sigmoid(x + y) * y


class Interrupted(nn.Module):
    """Two parts for a delegate with portable operators and a constant between them."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(16, 16)
        self.b = nn.Linear(16, 8)
        self.steps = nn.Parameter(torch.randn(16))

    def forward(self, x):
        y = torch.relu(self.a(x))
        return self.b(torch.cumsum(y, 1) + torch.erf(torch.cumsum(self.steps, 0)))


class Twice(nn.Module):
    """The same layer before and behind a portable operator."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(16, 16)

    def forward(self, x):
        return self.a(torch.cumsum(self.a(x), 1))


@group("f14_configs")
def configs(suite):
    """alignments of segments, constants and delegates; inline delegates"""
    for backend, configurations in (("portable", CONFIGS), ("xnn", {**CONFIGS, **DELEGATE_CONFIGS})):
        for name, options in configurations.items():
            program = export(Mlp(), INPUTS)
            suite.write(
                f"f14_{name}_{backend}", f"f14/{name}_{backend}.pte",
                lower(program, xnnpack() if backend == "xnn" else None, backend_config(**options)), [call(*INPUTS)],
                f"{options}, {backend}", "alignment and place of the contents",
            )


@group("f14_noweights")
def weightless(suite):
    """a delegate without weights, inline and as a segment"""
    inputs = [floats(2, 3), floats(2, 3, seed=2)]
    forms = {"nosegments": (INLINE, "no extended header"), "segments": ({}, "a delegate segment only")}
    for form, (options, exercises) in forms.items():
        suite.write(
            f"f14_noweights_{form}", f"f14/noweights_{form}.pte",
            lower(export(Weightless(), inputs), xnnpack(), backend_config(**options)), [call(*inputs)],
            f"XnnpackPartitioner(), no weights, {options}", exercises,
        )


@group("f14_ext")
def external_alignment(suite):
    """segment alignment of a .ptd"""
    for alignment in (16, 4096):
        config = backend_config(external_constants=True, segment_alignment=alignment)
        suite.write(
            f"f14_ext_seg{alignment}", f"f14/ext_seg{alignment}.pte", lower(export(Mlp(), INPUTS), config=config),
            [call(*INPUTS)], f"external_constants=True, segment_alignment={alignment}",
            "segment alignment of a .ptd", f"seg{alignment}_",
        )


@group("f15_conflict")
def conflicts(suite):
    """models whose .ptd files have equal keys with other bytes, shapes and types"""
    half = [floats(2, 8, dtype="float16")]
    variants = [
        (Linear(8, 4), [floats(2, 8)], "the first of the four"),
        (Linear(8, 4), [floats(2, 8)], "the keys of f15_conflict_0 with other bytes"),
        (Linear(8, 6), [floats(2, 8)], "the keys of f15_conflict_0 with another shape"),
        (Linear(8, 4).half(), half, "the keys of f15_conflict_0 with another type"),
    ]
    for index, (model, inputs, exercises) in enumerate(variants):
        suite.write(
            f"f15_conflict_{index}", f"f15/m{index}.pte",
            lower(export(model, inputs), config=backend_config(external_constants=True)), [call(*inputs)],
            "linear layer, external_constants=True", exercises, f"m{index}_",
        )


@group("f16_break")
def breaks(suite):
    """several delegates in one method"""
    for form, options in (("segments", {}), ("inline", INLINE)):
        suite.write(
            f"f16_break_{form}", f"f16/break_{form}.pte",
            lower(export(Interrupted(), INPUTS), xnnpack(), backend_config(**options)), [call(*INPUTS)],
            f"portable operators between two parts, {options}", "two delegates and portable constants",
        )
        suite.write(
            f"f16_twice_{form}", f"f16/twice_{form}.pte",
            lower(export(Twice(), INPUTS), xnnpack(), backend_config(**options)), [call(*INPUTS)],
            f"one layer on both sides of a portable operator, {options}", "two delegates that share a key",
        )
    suite.write(
        "f16_per_op", "f16/per_op.pte", lower(export(Mlp(), INPUTS), xnnpack(per_op_mode=True)), [call(*INPUTS)],
        "XnnpackPartitioner(per_op_mode=True)", "a delegate for each operator",
    )
