"""The exporter's steps, each as one function: export, tag, quantize, lower."""

import os
import re

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes.external_constants_pass import delegate_external_constants_pass_unlifted
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from inputs import make_tensors


def export(model, inputs, dynamic_shapes=None):
    """Captures a model as an ExportedProgram whose stack traces name files of this folder relative to the project."""
    program = torch.export.export(model.eval(), make_tensors(inputs), dynamic_shapes=dynamic_shapes, strict=False)
    _make_stack_traces_relative(program)
    return program


def lower(programs, partitioner=None, config=None, constant_methods=None):
    """Lowers an ExportedProgram, or a dictionary of them by method, to an ExecuTorch program.

    The first use of a backend draws from torch's random numbers; the next model's weights must not depend on that.
    """
    with torch.random.fork_rng(devices=[]):
        edge = to_edge_transform_and_lower(
            programs, partitioner=partitioner, compile_config=edge_config(), constant_methods=constant_methods
        )
        program = edge.to_executorch(config or backend_config())
    program.lowered_from = list(programs.values()) if isinstance(programs, dict) else [programs]
    return program


def edge_config():
    return EdgeCompileConfig(_check_ir_validity=False)


def backend_config(**options):
    return ExecutorchBackendConfig(**options)


def xnnpack(**options):
    """The list of partitioners that sends what it can to XNNPACK."""
    return [XnnpackPartitioner(**options)]


def tag_delegate_constants(program, inputs, tag_of_node):
    """Exports a program again with its weights marked for a .ptd: tag_of_node gives the file's name or None.

    This is how the XNNPACK backend learns of external weights; portable constants follow the backend
    configuration's external_constants instead.
    """
    module = program.module()
    delegate_external_constants_pass_unlifted(module=module, gen_tag_fn=tag_of_node)
    return torch.export.export(module, make_tensors(inputs))


def quantize(model, inputs, dynamic, dynamic_shapes=None):
    """Exports a model with its linear layers quantized to 8 bits per channel in the way XNNPACK expects."""
    tensors = make_tensors(inputs)
    captured = torch.export.export(model.eval(), tensors, dynamic_shapes=dynamic_shapes, strict=False).module()
    quantizer = XNNPACKQuantizer()
    quantizer.set_global(get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic))
    prepared = prepare_pt2e(captured, quantizer)
    prepared(*tensors)
    return torch.export.export(convert_pt2e(prepared), tensors, dynamic_shapes=dynamic_shapes, strict=False)


def _make_stack_traces_relative(program):
    """Replaces the absolute paths in the nodes' stack traces: emit_stacktrace would write them into the file."""
    here = os.path.dirname(os.path.abspath(__file__)) + os.sep
    for node in program.graph.nodes:
        if "stack_trace" in node.meta:
            trace = (node.meta["stack_trace"] or "").replace(here, "tests/models/")
            node.meta["stack_trace"] = re.sub(r'File "/[^"]*/', 'File "', trace)
