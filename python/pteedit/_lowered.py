"""Modules that the exporter lowered to a backend, inside whatever holds them. Nothing here imports torch."""

from __future__ import annotations

from typing import Any, Iterator, Tuple


def lowered_modules(program: Any) -> Iterator[Any]:
    """Of a program manager (method by method), an exported program, a module, or just this lowered module."""
    if _is_lowered(program):
        yield program
    elif hasattr(program, "methods") and hasattr(program, "exported_program"):
        for method in sorted(program.methods):
            yield from lowered_modules(program.exported_program(method))
    elif hasattr(program, "graph_module"):
        yield from lowered_modules(program.graph_module)
    elif hasattr(program, "modules"):
        yield from (module for module in program.modules() if _is_lowered(module))
    else:
        raise TypeError(f"a {type(program).__name__} holds no lowered modules")


def _is_lowered(module: Any) -> bool:
    return all(hasattr(module, name) for name in ("backend_id", "processed_bytes", "original_module"))


def parameters(program: Any) -> Iterator[Tuple[str, Any]]:
    """Fully qualified name and tensor of what an exported program's graph takes besides its inputs."""
    signature = program.graph_signature
    for names in (
        signature.inputs_to_parameters,
        signature.inputs_to_buffers,
        signature.inputs_to_lifted_tensor_constants,
    ):
        for name in names.values():
            tensor = program.state_dict.get(name, program.constants.get(name))
            if tensor is not None:
                yield name, tensor
