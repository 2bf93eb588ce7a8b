"""Tensors out of files, as whatever the program that asks works with."""

from __future__ import annotations

import math
import mmap
import struct
import sys
from dataclasses import dataclass
from typing import Any, Sequence, Tuple

# Bytes of an element, and its code in Python's struct.
_ELEMENTS = {
    "uint8": (1, "B"),
    "int8": (1, "b"),
    "bool": (1, "?"),
    "uint16": (2, "H"),
    "bits16": (2, "H"),
    "int16": (2, "h"),
    "float16": (2, "e"),
    "int32": (4, "i"),
    "uint32": (4, "I"),
    "float32": (4, "f"),
    "float64": (8, "d"),
    "int64": (8, "q"),
    "uint64": (8, "Q"),
}


@dataclass(frozen=True)
class LoggedTensor:
    """A tensor where neither torch nor numpy is at hand. `memoryview(tensor.data)` has its bytes, in row-major order."""

    dtype: str
    shape: Tuple[int, ...]
    data: Any

    def tolist(self) -> Any:
        """Nested lists of numbers; a number where there are no dimensions."""
        return _nested(elements_of(self), self.shape)


def elements_of(tensor: Any) -> Sequence[Any]:
    """Of a tensor of any of these kinds, in row-major order."""
    if isinstance(tensor, LoggedTensor):
        if tensor.dtype not in _ELEMENTS:
            raise TypeError(f"elements of type {tensor.dtype} need torch, imported before")
        return struct.unpack(f"<{math.prod(tensor.shape)}{_ELEMENTS[tensor.dtype][1]}", tensor.data)
    elements: Sequence[Any] = tensor.reshape(-1).tolist()
    return elements


def element_bytes(dtype: str) -> int:
    """Of a type that the exporter's Inspector can read."""
    return _ELEMENTS[dtype][0]


def make_tensor(dtype: str, shape: Sequence[int], data: Any) -> Any:
    """A tensor that looks at `data`, a writable buffer of just its bytes in row-major order; None are zeros.

    Of torch where the program has imported that already, else an array of numpy where that is installed, else a
    LoggedTensor.
    """
    sizes = tuple(shape)
    name = "uint16" if dtype == "bits16" else dtype
    has_bytes = data is not None and len(data) != 0
    torch = sys.modules.get("torch")
    if torch is not None:
        torch_type = getattr(torch, name)
        return torch.frombuffer(data, dtype=torch_type).view(sizes) if has_bytes else torch.zeros(sizes, dtype=torch_type)
    try:
        import numpy

        numpy.dtype(name)
    except (ImportError, TypeError):  # it is not installed, or lacks the type
        return LoggedTensor(name, sizes, data if data is not None else _zeros(math.prod(sizes) * element_bytes(name)))
    if data is None or not has_bytes:
        return numpy.zeros(sizes, dtype=name)
    return numpy.frombuffer(data, dtype=name).reshape(sizes)


def _zeros(size: int) -> Any:
    """Memory that is taken only where it is looked at: sizes are what a file claims."""
    return memoryview(mmap.mmap(-1, size)) if size else bytearray()


def _nested(elements: Sequence[Any], shape: Tuple[int, ...]) -> Any:
    if not shape:
        return elements[0]
    step = math.prod(shape[1:])
    return [_nested(elements[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
