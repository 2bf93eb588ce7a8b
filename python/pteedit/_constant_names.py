"""Names for a program's contents, from the exported programs that it was made of."""

from __future__ import annotations

import ctypes
import hashlib
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from pteedit._lowered import lowered_modules, parameters


def contents_of(exec_prog: object) -> List[Tuple[str, int, str]]:
    """Fully qualified name, bytes and SHA-256 of each tensor of the exported programs in an ExecutorchProgramManager, as
    `ContentNames` takes them; of what has no exported programs none."""
    tensors = list(_tensors(exec_prog))
    digests: Dict[str, Set[bytes]] = {}
    for _, name, _, digest in tensors:
        digests.setdefault(name, set()).add(digest)
    # Methods may use one name for different tensors.
    return [
        (name if len(digests[name]) == 1 else f"{method}.{name}", size, digest.hex())
        for method, name, size, digest in tensors
    ]


def _tensors(exec_prog: Any) -> Iterator[Tuple[str, str, int, bytes]]:
    """Method, fully qualified name, bytes and digest of each tensor that a method's graph, or one lowered from it, takes
    besides its inputs."""
    if not hasattr(exec_prog, "methods") or not hasattr(exec_prog, "exported_program"):
        return
    for method in sorted(exec_prog.methods):
        program = exec_prog.exported_program(method)
        graphs = [program]
        if hasattr(program, "graph_module"):
            graphs += [lowered.original_module for lowered in lowered_modules(program)]
        for graph in graphs:
            for name, tensor in parameters(graph):
                content = _content_of(tensor)
                if content is not None:
                    yield method, name, *content


def digest_of_tensor(tensor: Any) -> Optional[bytes]:
    """Of the bytes that the exporter writes; nothing where there are none to be had, as in fake and sparse tensors."""
    content = _content_of(tensor)
    return content[1] if content is not None else None


def _content_of(tensor: Any) -> Optional[Tuple[int, bytes]]:
    """Bytes and digest."""
    try:
        written = _as_written(tensor.detach().cpu())
        storage = written.untyped_storage()
        size, address = storage.nbytes(), storage.data_ptr()
    except RuntimeError:
        return None
    if size == 0 or address == 0:
        return None
    return size, hashlib.sha256((ctypes.c_char * size).from_address(address)).digest()


def _as_written(tensor: Any) -> Any:
    """The exporter writes whole storages, row-major or channels-last; it copies what is laid out otherwise or is a part."""
    if not tensor.is_contiguous():
        import torch

        if not tensor.is_contiguous(memory_format=torch.channels_last):
            return tensor.contiguous()
    return tensor if tensor.nbytes == tensor.untyped_storage().nbytes() else tensor.clone()
