"""Data files (.ptd) as dictionaries of arrays, and as checkpoints. Needs NumPy.

    tensors = load_ptd("weights.ptd")
    tensors["fc.weight"] *= 0.5
    save_ptd(tensors, "scaled.ptd")
    to_safetensors("weights.ptd").save("weights.safetensors")

Keys that are no UTF-8 have lone surrogates, as Python's file names. Entries whose bytes only a delegate understands are
arrays of type V1. Element types that NumPy does not have are those of `ml_dtypes` where that is installed; where not, and
for quantized elements, the bits are in a field of the type's name: array["bfloat16"].
"""

from __future__ import annotations

import mmap
import os
import sys
from typing import Any, BinaryIO, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from pteedit import _pteedit
from pteedit._elements import RAW, array_at, dim_order, dtype_of, name_of, remembered_order, with_order
from pteedit._inputs import File, Opener, Path
from pteedit._pteedit import Container
from pteedit.rewrite import Progress, Rewrite

__all__ = ["from_safetensors", "load_ptd", "plan_ptd", "save_ptd", "to_safetensors"]

_Layout = Tuple[Optional[str], List[int], List[int]]


def load_ptd(file: Union[Path, bytes, BinaryIO]) -> Dict[str, NDArray[Any]]:
    """The tensors of a data file by their keys, in the order of the file: views of its bytes, with the strides that they
    lie in; of tied ones the same bytes. Of a path the file is mapped and read where it is looked at; what is written to
    an array stays in memory. Do not cut such a file short meanwhile. Of bytes the arrays are read-only.

    OSError where the file cannot be read, pteedit.Error where it is damaged or no data file.
    """
    if isinstance(file, bytes):
        return _tensors(Container.open_bytes(file, "<bytes>"), file)
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened:
            return _map(opened, os.fspath(file))
    content = file.read()
    return _tensors(Container.open_bytes(content, str(getattr(file, "name", "<stream>"))), content)


def plan_ptd(tensors: Mapping[str, Any], *, alignment: int = 16) -> Rewrite:
    """What `save_ptd` writes, as "data.ptd"."""
    words = []
    for key, tensor in tensors.items():
        try:
            words.append((key.encode("utf-8", "surrogateescape"), *_words(tensor)))
        except TypeError as error:
            raise TypeError(f"{key!r}: {error}") from None
    return Rewrite(_pteedit.plan_data(words, "data.ptd", alignment))


def save_ptd(
    tensors: Mapping[str, Any], path: Path, *, alignment: int = 16, replace: bool = False, progress: Progress = None
) -> None:
    """Writes a data file with these tensors in their order, whole or not at all. Memory is not copied.

    Values are NumPy arrays, tensors of torch, or bytes, which get no layout. The dim order is that of the strides: permuted
    arrays stay permuted; where elements do not lie one behind the other (slices, broadcasts), they are copied to be
    row-major. Arrays of the same memory and size are stored once. `alignment` of each tensor in the file: a power of two
    from 16 to 65536 (the exporter has 128). `replace`, `progress`: as in `Rewrite.save`.

    TypeError where data files have no such elements, ValueError where there are no tensors, OSError where the file cannot be
    written or, without `replace`, is there.
    """
    plan_ptd(tensors, alignment=alignment).save(path, replace=replace, progress=progress)


def to_safetensors(file: File) -> Rewrite:
    """The data file `file` as a checkpoint, "data.safetensors": row-major, under the same names. Its metadata has tied
    tensors as `safetensors.torch.save_model` writes them, and layouts for `from_safetensors`."""
    return Rewrite(_pteedit.to_safetensors(Opener()(file), "data.safetensors"))


def from_safetensors(file: Union[Path, bytes], *, alignment: int = 16) -> Rewrite:
    """The checkpoint `file` as a data file, "data.ptd": with the layouts and tied tensors of the data file that it was made
    of, otherwise row-major."""
    return Rewrite(_pteedit.from_safetensors(file, "data.ptd", alignment))


def _map(file: BinaryIO, name: str) -> Dict[str, NDArray[Any]]:
    if os.fstat(file.fileno()).st_size == 0:  # which cannot be mapped
        return _tensors(Container.open_bytes(b"", name), b"")
    content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    opened = Container.open_callback(lambda offset, size: content[offset : offset + size], len(content), name)
    return _tensors(opened, content)


def _tensors(file: Container, content: Union[bytes, mmap.mmap]) -> Dict[str, NDArray[Any]]:
    tensors: Dict[str, NDArray[Any]] = {}
    for key, layout, offset, size in _pteedit.data_tensors(file):
        try:
            tensors[key] = _array(layout, content, offset, size)
        except ValueError as error:
            raise ValueError(f"{file.name}: {key!r}: {error}") from None
    return tensors


def _array(layout: _Layout, content: Union[bytes, mmap.mmap], offset: int, size: int) -> NDArray[Any]:
    name, sizes, given = layout
    if name is None:
        return np.ndarray((size,), RAW, content, offset)
    dtype, order = dtype_of(name), tuple(given) or tuple(range(len(sizes)))
    array = array_at(content, offset, dtype, sizes, order)
    if dim_order(sizes, array.strides, dtype.itemsize) == order:
        return array
    return array_at(content, offset, with_order(dtype, order), sizes, order)


def _words(tensor: Any) -> Tuple[_Layout, NDArray[Any]]:
    """Its layout and its bytes in memory."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(tensor, torch.Tensor):
        return _words_of_torch(torch, tensor)
    if isinstance(tensor, (bytes, bytearray, memoryview)):
        return (None, [], []), np.frombuffer(tensor, np.uint8)
    if not isinstance(tensor, (np.ndarray, np.generic)):
        raise TypeError(f"is a {type(tensor).__name__}, no array, tensor or bytes")
    array = np.asarray(tensor)
    name = name_of(array.dtype)
    if name is None:
        return (None, [], []), np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
        array = array.astype(array.dtype.newbyteorder("<"))
    order = dim_order(array.shape, array.strides, array.itemsize, remembered_order(array.dtype))
    if order is None:
        array, order = np.ascontiguousarray(array), tuple(range(array.ndim))
    return (name, list(array.shape), list(order)), array.transpose(order).reshape(-1).view(np.uint8)


def _words_of_torch(torch: Any, tensor: Any) -> Tuple[_Layout, NDArray[Any]]:
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise TypeError("is sparse or has scales, which data files cannot hold; store its parts")
    name = str(tensor.dtype).replace("torch.", "", 1)
    dtype_of(name)
    tensor = tensor.detach().resolve_conj().resolve_neg().cpu()
    order = dim_order(tensor.shape, tensor.stride(), 1)
    if order is None:
        tensor, order = tensor.contiguous(), tuple(range(tensor.dim()))
    data = tensor.permute(order).reshape(-1).view(torch.uint8).numpy()
    return (name, [int(size) for size in tensor.shape], list(order)), data
