"""What the exporter knows about delegates and does not write into the program, kept beside it.

    edge = to_edge_transform_and_lower(program, partitioner=[...])
    write_delegate_metadata(edge, "model.json")
    edge.to_executorch().save("model.pte")

Then `pteinspect --metadata-json model.json model.pte` shows blobs, also those that nobody can decode, with the operators
and constants that they were made of. Works with whatever `to_backend` and the functions above it return, and does not
import torch.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Dict, Iterator, List, Union

from pteedit._constant_names import digest_of_tensor
from pteedit._lowered import lowered_modules, parameters

__all__ = ["delegate_metadata", "write_delegate_metadata"]


def delegate_metadata(program: Any) -> Dict[str, Any]:
    """The metadata of all delegates in `program`, as docs/schemas/delegate_metadata.schema.json describes it.

    `program` is an EdgeProgramManager or ExecutorchProgramManager, an ExportedProgram, a module with lowered modules in
    it, or one lowered module; TypeError where it is none of these. Operators are those of the exported graph before the
    backend compiled it, constants its parameters and buffers under their fully qualified names, with their key where
    the backend stores them as they are.
    """
    blobs: List[Dict[str, Any]] = []
    for lowered in lowered_modules(program):
        blob = _blob_metadata(lowered)
        if blob not in blobs:
            blobs.append(blob)
    return {"schema_version": 1, "delegates": blobs}


def write_delegate_metadata(program: Any, path: Union[str, "os.PathLike[str]"]) -> None:
    """Writes `delegate_metadata(program)` to `path`, whole or not at all; an existing file is replaced."""
    text = json.dumps(delegate_metadata(program), indent=1) + "\n"
    temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def _blob_metadata(lowered: Any) -> Dict[str, Any]:
    graph = lowered.original_module
    keys = _keys(getattr(lowered, "named_data_store_output", None))
    blob: Dict[str, Any] = {
        "sha256": hashlib.sha256(lowered.processed_bytes).hexdigest(),
        "bytes": len(lowered.processed_bytes),
        "backend": lowered.backend_id,
        "operators": list(_operators(graph.graph_module)),
        "constants": [_constant(name, tensor, keys) for name, tensor in parameters(graph)],
        "keys": keys,
    }
    handles = (getattr(lowered, "meta", None) or {}).get("debug_handle_map")
    if handles:
        blob["debug_handles"] = {str(event): _handles(handle) for event, handle in handles.items()}
    return blob


def _keys(named_data: Any) -> List[str]:
    """Of what the backend gave the exporter to store beside the blob."""
    if named_data is None:
        return []
    external = [key for file in named_data.external_data.values() for key in file]
    return sorted({*named_data.pte_data, *external})


def _operators(graph_module: Any) -> Iterator[str]:
    """Also of the branches of control flow, each behind the graph that it belongs to."""
    for module in graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            if node.op == "call_function" and getattr(node.target, "__module__", "") != "_operator":
                yield _operator_name(node.target)


def _operator_name(target: Any) -> str:
    name = getattr(target, "name", None)  # of an operator with overloads, "aten::add.Tensor"
    return str(name()) if callable(name) else str(getattr(target, "__name__", target))


def _constant(name: str, tensor: Any, keys: List[str]) -> Dict[str, Any]:
    """With its key where that is the SHA-256 of its bytes, as XNNPACK's is unless it transposed or packed them."""
    digest = digest_of_tensor(tensor)
    key = digest.hex() if digest is not None else ""
    return {
        "name": name,
        "key": key if key in keys else None,
        "dtype": str(tensor.dtype).replace("torch.", "", 1),
        "sizes": [int(size) for size in tensor.shape],
        "bytes": int(tensor.numel()) * int(tensor.element_size()),
    }


def _handles(handle: Any) -> List[int]:
    return [int(one) for one in handle] if isinstance(handle, (list, tuple)) else [int(handle)]
