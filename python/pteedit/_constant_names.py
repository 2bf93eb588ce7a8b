"""Names for a program's constants, from the exported programs that it was made of: equal bytes, equal name."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from pteedit._lowered import lowered_modules, parameters
from pteedit._pteedit import Description, Extent
from pteedit._size_distribution import SizeDistribution

# What the library calls a constant or an initial state that has no name in the file.
_GENERATED = re.compile(r".*\.(constant|mutable)_\d+", re.DOTALL)
# A key that is the SHA-256 of the bytes behind it.
_CONTENT_KEY = re.compile("[0-9a-f]{64}")
_CHUNK_BYTES = 1 << 20


class ConstantNames:
    """Fully qualified names by the SHA-256 of a tensor's bytes."""

    def __init__(self, exec_prog: object) -> None:
        """Looks for exported programs in an ExecutorchProgramManager; what has none of them gives no names."""
        tensors = list(_tensors(exec_prog))
        contents: Dict[str, Set[bytes]] = {}
        for _, name, digest in tensors:
            contents.setdefault(name, set()).add(digest)
        self._names: Dict[bytes, List[str]] = {}
        for method, name, digest in tensors:
            # Methods may use one name for different tensors.
            unique_name = name if len(contents[name]) == 1 else f"{method}.{name}"
            names = self._names.setdefault(digest, [])
            if unique_name not in names:
                names.append(unique_name)

    def apply(self, sizes: SizeDistribution, description: Description, path: str) -> None:
        """Renames the constants in `sizes` whose name is not from the file; other names of the bytes become aliases.

        Named data whose key is the SHA-256 of its bytes, as XNNPACK's, keeps the key as its name. Backends that store
        other bytes than the tensor's, transposed or packed, have keys that no tensor is found by.
        """
        if not self._names:
            return
        found: Dict[str, List[str]] = {}
        with open(path, "rb") as file:
            for tensor in description.tensors:
                if tensor.extent is not None and _GENERATED.fullmatch(tensor.name):
                    names = self._names.get(_digest_of_part(file.fileno(), tensor.extent))
                    if names:
                        found[tensor.name] = names
        for component in sizes.components:
            if component.name in ("Constant Tensors", "Mutable Tensors"):
                for part in component.components:
                    _rename(part, found.get(part.name, []))
            elif component.name == "Named Data":
                for part in component.components:
                    _add_names(part, self._names)


def _rename(part: SizeDistribution, names: List[str]) -> None:
    if names:
        kept = [alias for alias in part.aliases if not _GENERATED.fullmatch(alias)]
        part.name, *part.aliases = dict.fromkeys(names + kept)


def _add_names(part: SizeDistribution, names_by_digest: Dict[bytes, List[str]]) -> None:
    """To a row of one or several keys on the same bytes."""
    for key in [part.name, *part.aliases]:
        if _CONTENT_KEY.fullmatch(key):
            part.aliases += [name for name in names_by_digest.get(bytes.fromhex(key), []) if name not in part.aliases]


def _tensors(exec_prog: Any) -> Iterator[Tuple[str, str, bytes]]:
    """Method, fully qualified name and digest of each tensor that a method's graph, or one lowered from it, takes
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
                digest = digest_of_tensor(tensor)
                if digest is not None:
                    yield method, name, digest


def digest_of_tensor(tensor: Any) -> Optional[bytes]:
    """Of the bytes that the exporter writes; nothing where there are none to be had, as in fake and sparse tensors."""
    try:
        written = _as_written(tensor.detach().cpu())
        storage = written.untyped_storage()
        size, address = storage.nbytes(), storage.data_ptr()
    except RuntimeError:
        return None
    if size == 0 or address == 0:
        return None
    return hashlib.sha256((ctypes.c_char * size).from_address(address)).digest()


def _as_written(tensor: Any) -> Any:
    """The exporter writes whole storages, row-major or channels-last; it copies what is laid out otherwise or is a part."""
    if not tensor.is_contiguous():
        import torch

        if not tensor.is_contiguous(memory_format=torch.channels_last):
            return tensor.contiguous()
    return tensor if tensor.nbytes == tensor.untyped_storage().nbytes() else tensor.clone()


def _digest_of_part(descriptor: int, extent: Extent) -> bytes:
    digest = hashlib.sha256()
    offset, end = extent.offset, extent.offset + extent.size
    while offset < end:
        chunk = os.pread(descriptor, min(_CHUNK_BYTES, end - offset), offset)
        if not chunk:
            raise OSError("the program file became shorter while it was read")
        digest.update(chunk)
        offset += len(chunk)
    return digest.digest()
