"""Element types of files as those of NumPy, and the order in which dimensions lie in memory."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Tuple

import numpy as np

_NUMPY = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64").split()
_IN_PROGRAMS = ("complex64", "complex128")  # and not in data files
# Those that NumPy does not have, with their bytes; ml_dtypes has some under the same names.
_OTHERS = {
    "bfloat16": 2,
    "float8_e5m2": 1,
    "float8_e4m3fn": 1,
    "float8_e5m2fnuz": 1,
    "float8_e4m3fnuz": 1,
    "qint8": 1,
    "quint8": 1,
    "qint32": 4,
    "quint4x2": 1,
    "quint2x4": 1,
    "bits16": 2,
}
RAW = np.dtype("V1")  # bytes without a layout


def dtype_of(name: Optional[str]) -> np.dtype[Any]:
    """Of elements that the file calls `name`; where neither NumPy nor ml_dtypes has them, the bits in a field of that name.
    ValueError where nothing is known of them."""
    if name is None:
        return RAW
    if name in _NUMPY or name in _IN_PROGRAMS:
        return np.dtype(name)
    if name not in _OTHERS:
        raise ValueError(f"elements of type {name} cannot be read")
    try:
        import ml_dtypes

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return found
    except (ImportError, AttributeError):
        return np.dtype([(name, f"<u{_OTHERS[name]}")])


def name_of(dtype: np.dtype[Any]) -> Optional[str]:
    """What `dtype_of` takes for it; TypeError where files have no such elements."""
    if dtype == RAW:
        return None
    name = dtype.names[0] if dtype.names and len(dtype.names) == 1 else dtype.name
    if name in _NUMPY or (name in _OTHERS and dtype.itemsize == _OTHERS[name]):
        return name
    raise TypeError(f"has elements of type {dtype}, which data files have not")


def array_at(
    content: Any, offset: int, dtype: np.dtype[Any], shape: Sequence[int], order: Sequence[int]
) -> np.ndarray[Any, Any]:
    """A view of the elements that lie in `content` from `offset` on, with the dimensions in this order."""
    array: np.ndarray[Any, Any] = np.ndarray([shape[i] for i in order], dtype, content, offset)
    return array.transpose([order.index(i) for i in range(len(order))])


def with_order(dtype: np.dtype[Any], order: Sequence[int]) -> np.dtype[Any]:
    """Remembers an order that strides do not tell, as dimensions of one element have any."""
    return np.dtype(dtype, metadata={"dim_order": tuple(order)})


def remembered_order(dtype: np.dtype[Any]) -> object:
    facts: Mapping[str, Any] = dtype.metadata or {}
    return facts.get("dim_order")


def dim_order(
    shape: Sequence[int], strides: Sequence[int], element: int, remembered: object = None
) -> Optional[Tuple[int, ...]]:
    """The dimensions from outermost to innermost in memory; None where elements do not lie one behind the other. Strides in
    the unit of `element`. Row-major where it can be taken for that."""
    dimensions = tuple(range(len(shape)))
    by_stride = tuple(sorted(dimensions, key=lambda i: -strides[i]))
    for order in (remembered, dimensions, by_stride):
        if isinstance(order, tuple) and sorted(order) == list(dimensions) and _fits(shape, strides, element, order):
            return order
    return None


def _fits(shape: Sequence[int], strides: Sequence[int], element: int, order: Tuple[int, ...]) -> bool:
    if 0 in shape:
        return True
    for i in reversed(order):
        if shape[i] != 1 and strides[i] != element:
            return False
        element *= shape[i]
    return True
