"""Contents of files: constants and named data, whose bytes are looked at where they lie."""

from __future__ import annotations

import errno
import math
import mmap
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Optional, Tuple, TypeVar

from pteedit._pteedit import Description, Error, Extent, Source, TensorLayout
from pteedit._shown import human_size, shown, table

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

Row = Dict[str, str]


def error(code: str, message: str, file: Optional[str] = None) -> Error:
    """A pteedit.Error as the library makes them."""
    made = Error(f"{shown(file)}: {message}" if file else message)
    made.code, made.file, made.finding = code, file, None
    return made


class Buffer:
    """The bytes of an opened file, looked at in place: a file is mapped when the first of them are asked for."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._whole = memoryview(source.content) if source.content is not None else None

    def view(self, extent: Extent) -> memoryview:
        """Read-only. It keeps the mapping. OSError where the file was cut since it was opened."""
        if self._whole is None:
            place = self._source.place
            if place is None or not extent.size:
                return memoryview(self._source.read(extent.offset, extent.size))
            self._whole = self._mapped(*place)
        return self._whole[extent.offset : extent.offset + extent.size]

    def _mapped(self, descriptor: int, offset: int) -> memoryview:
        size = offset + self._source.size
        try:
            mapping = mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
        except ValueError as cause:  # it is shorter by now
            raise OSError(errno.EIO, f"cannot be mapped: {cause}", self._source.name) from cause
        return memoryview(mapping)[offset:size]


class Content:
    """Bytes in a file, a tensor where the file tells how to read them.

    `dtype` is PyTorch's name for the elements, "float32", and `shape` their number in each dimension; `dim_order` has the
    dimensions from outermost to innermost in memory. All three are None for bytes that only a delegate understands.
    `bytes` is the size of the contents.
    """

    name: str
    bytes: int
    dtype: Optional[str]
    shape: Optional[Tuple[int, ...]]
    dim_order: Optional[Tuple[int, ...]]

    def __init__(self, name: str, size: int, layout: Optional[TensorLayout], extent: Optional[Extent], buffer: Buffer) -> None:
        self.name, self.bytes = name, size
        self.dtype = layout.dtype if layout else None
        self.shape = tuple(layout.sizes) if layout else None
        self.dim_order = tuple(layout.dim_order) if layout else None
        self._extent, self._buffer = extent, buffer

    @property
    def strides(self) -> Optional[Tuple[int, ...]]:
        """Elements from one to the next in each dimension, as PyTorch counts."""
        if self.shape is None or self.dim_order is None or len(self.dim_order) != len(self.shape):
            return None
        strides, step = [0] * len(self.shape), 1
        for dimension in reversed(self.dim_order):
            strides[dimension] = step
            step *= self.shape[dimension]
        return tuple(strides)

    @property
    def data(self) -> memoryview:
        """The bytes, read-only and without a copy; of what came as a stream or lies in an archive, a copy.

        A file is mapped: it must not be cut while the view lives. pteedit.Error where the bytes are in a data file that
        was not given to `open`, OSError where they cannot be read.
        """
        if self._extent is None:
            raise error("invalid-argument", f"the bytes of {self.name!r} are in a data file: open with data=[...]")
        return self._buffer.view(self._extent)

    def numpy(self) -> Array:
        """The tensor as an array of `shape`, read-only and without a copy, with the strides that it has in the file.

        Elements that numpy does not have (bfloat16, float8) are those of ml_dtypes where that is installed. All else is
        an array of uint8, one-dimensional: the bytes. Errors as of `data`, and ImportError without numpy.
        """
        import numpy

        from pteedit._elements import array_at

        data = self.data
        dtype = _numpy_type(self.dtype)
        if dtype is None or self.shape is None or self.dim_order is None:
            return _read_only(numpy.frombuffer(data or bytearray(), numpy.uint8))
        count = math.prod(self.shape)
        if count * dtype.itemsize > len(data):
            raise error("malformed", f"{self.name!r} has {len(data)} bytes, {count * dtype.itemsize} expected")
        if count == 0:
            return _read_only(numpy.zeros(self.shape, dtype))
        order = self.dim_order if len(self.dim_order) == len(self.shape) else tuple(range(len(self.shape)))
        return array_at(data, 0, dtype, self.shape, order)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        array = self.numpy()
        if dtype is not None and dtype != array.dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def _type(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]" if self.shape is not None else "bytes"

    def _row(self) -> Row:
        return {"Name": self.name, "Type": self._type(), "Size": human_size(self.bytes)}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {self._type()}, {human_size(self.bytes)}>"


class Constant(Content):
    """A constant, or the initial state of a mutable buffer; of a data file, an entry with a layout.

    `store` tells where it is: "segment", "inline" (in the tables), "mutable", or "external" (in a data file, under `key`).
    `aliases` are other names of the same bytes. `method` and `value` are the first use, whose layout
    it is; None in a data file.
    """

    aliases: Tuple[str, ...]
    key: Optional[str]
    store: str
    method: Optional[str]
    value: Optional[int]

    def _row(self) -> Row:
        return {**super()._row(), "Store": self.store}


class NamedData(Content):
    """An entry: bytes under a key. `names` are what people call the bytes, where they were told (`open(names=...)`),
    `sharers` the number of entries whose bytes are the very same place."""

    names: Tuple[str, ...]
    sharers: int


Item = TypeVar("Item")


class Names(Mapping[str, Item]):
    """What a file has, by name, in its order. Other names of the same lead to it, too."""

    def __init__(self, items: Dict[str, Item], aliases: Optional[Mapping[str, Item]] = None) -> None:
        self._items, self._aliases = items, aliases or {}

    def __getitem__(self, name: str) -> Item:
        return self._items[name] if name in self._items else self._aliases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        some = [f"{name!r}: {item!r}" for name, item in list(self._items.items())[:_SHOWN]]
        more = [f"... {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "{" + ",\n ".join(some + more) + "}"

    def _repr_html_(self) -> str:
        return table([item._row() for item in list(self._items.values())[:_TABLE_ROWS]], len(self))  # type: ignore[attr-defined]


_SHOWN = 10
_TABLE_ROWS = 100


def constants_of(description: Description, buffer: Buffer, outside: Mapping[str, Content]) -> Names[Constant]:
    """By name. `outside` has what data files hold. Where two contents have one name, the second is called METHOD.NAME."""
    items: Dict[str, Constant] = {}
    aliases: Dict[str, Constant] = {}
    for row in description.tensors:
        if row.store == "planned":
            continue
        place, owner = row.extent, buffer
        if row.key in outside and place is None:
            place, owner = outside[row.key]._extent, outside[row.key]._buffer
        name = row.name
        if name in items:
            if _same_place(items[name], place):
                continue
            name = f"{row.method}.{name}"
        constant = Constant(name, row.bytes if row.bytes is not None else _size(place), row.layout, place, owner)
        constant.aliases, constant.key, constant.store = tuple(row.aliases), row.key or None, row.store
        constant.method, constant.value = (row.method, row.value) if row.method else (None, None)
        items.setdefault(name, constant)
        for alias in constant.aliases:
            aliases.setdefault(alias, constant)
        if constant.key is not None:
            aliases.setdefault(constant.key, constant)
    return Names(items, aliases)


def named_data_of(description: Description, buffer: Buffer) -> Names[NamedData]:
    items: Dict[str, NamedData] = {}
    for row in description.named_data:
        entry = NamedData(row.key, row.bytes, row.layout, row.extent, buffer)
        entry.names, entry.sharers = tuple(row.names), row.sharers
        items.setdefault(row.key, entry)
    aliases = {name: entry for entry in items.values() for name in entry.names}
    return Names(items, aliases)


def _same_place(constant: Constant, place: Optional[Extent]) -> bool:
    known = constant._extent
    if known is None or place is None:
        return known is place
    return (known.offset, known.size) == (place.offset, place.size)


def _size(place: Optional[Extent]) -> int:
    return place.size if place is not None else 0


def _numpy_type(name: Optional[str]) -> Any:
    """None where neither numpy nor ml_dtypes has it."""
    from pteedit._elements import dtype_of

    try:
        dtype = dtype_of(name)
    except ValueError:
        return None
    return None if dtype.kind == "V" and (dtype.names or name is None) else dtype


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
