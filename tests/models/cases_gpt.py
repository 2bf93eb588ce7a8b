"""f07: the GPT in three forms, and a quantized MLP on the portable kernels."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from exporting import export, lower, quantize, xnnpack
from gpt import Gpt
from inputs import call, floats, integers
from models import Mlp
from suite import group

SEED = 1337
TOKENS = [integers(1, 16, high=160)]
FEW_TOKENS = [integers(1, 5, high=160, seed=9)]


@group("f07_gpt")
def gpt(suite):
    """GPT: portable, XNNPACK, XNNPACK with dynamic 8-bit quantization"""
    dynamic_shapes = ({1: torch.export.Dim("token_dim", min=2, max=31)},)
    for form in ("basic", "xnn", "xnn_q8"):
        torch.manual_seed(SEED)
        with sdpa_kernel([SDPBackend.MATH]):
            if form == "xnn_q8":
                captured = quantize(Gpt(), TOKENS, dynamic=True, dynamic_shapes=dynamic_shapes)
            else:
                captured = export(Gpt(), TOKENS, dynamic_shapes)
            program = lower(captured, None if form == "basic" else xnnpack())
        suite.write(
            f"f07_gpt_{form}", f"f07/gpt_{form}.pte", program, [call(*TOKENS), call(*FEW_TOKENS)],
            "dynamic token dimension" + (", dynamic 8-bit quantization" if form == "xnn_q8" else ""),
            "embedding and head share a weight, causal masks as buffers, dynamic shapes",
        )


@group("f07_mlp_q8")
def quantized_mlp(suite):
    """static 8-bit MLP without a delegate"""
    import executorch.kernels.quantized  # noqa: F401  (registers the kernels' variants with an out argument)

    inputs = [floats(2, 16)]
    suite.write(
        "f07_mlp_q8_portable", "f07/mlp_q8_portable.pte", lower(quantize(Mlp(), inputs, dynamic=False)),
        [call(*inputs)], "static 8-bit quantization, no partitioner",
        "quantized_decomposed operators, int8 constants, many scalar values",
    )
