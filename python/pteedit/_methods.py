"""Methods of a program: what they take and give, and what they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import (
    Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload
)

from pteedit._contents import Buffer, Row
from pteedit._pteedit import Container, Extent, MethodDescription, ValueDescription
from pteedit._shown import counted, human_size, table

Plain = Union[None, bool, int, float, str, List[Any]]


@dataclass(frozen=True)
class Value:
    """One of a method's values. Of a tensor `dtype`, `shape` and `dim_order`, and `store`: "planned", "segment", "inline",
    "mutable" or "external"; `name` is its fully qualified one, mostly empty. Of all else `value`, which for a list of
    tensors has their indices, and None for none."""

    index: int
    type: str  # "tensor", "int", "bool", "double", "string", "none", or a list of these such as "int_list"
    name: str
    dtype: Optional[str]
    shape: Optional[Tuple[int, ...]]
    dim_order: Optional[Tuple[int, ...]]
    store: str
    value: Plain

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]" if self.shape is not None else self.type

    def _row(self) -> Row:
        return {"Index": str(self.index), "Type": str(self), "Name": self.name, "Value": "" if self.value is None else str(self.value)}


@dataclass(frozen=True)
class Instruction:
    """What a method does at `index` of its chain: calls an operator ("kernel") or delegate `target`, moves, frees, or jumps to
    the instruction `jumps` unless its value is true. `values` are its arguments, as indices."""

    chain: int
    index: int
    kind: str  # "kernel", "delegate", "move", "jump", "free", "none"
    target: Optional[str]
    values: Tuple[int, ...]
    jumps: Optional[int]

    def _row(self) -> Row:
        where = f" to {self.jumps}" if self.jumps is not None else ""
        what = f"{self.kind} {self.target}" if self.target else self.kind + where
        return {"Index": str(self.index), "What": what, "Values": ", ".join(map(str, self.values))}


class PlannedTensor(NamedTuple):
    """Where a value lies in planned memory: `bytes` from `offset` of `arena` on, from instruction `first` to `last`, both None
    where the method has jumps or nothing names it. `bytes` is None where the element type is unknown."""

    value: int
    arena: int
    offset: int
    bytes: Optional[int]
    first: Optional[int]
    last: Optional[int]


@dataclass(frozen=True)
class Memory:
    """The memory planned for a method: bytes of each arena, number 1 first, and what lies in them."""

    arenas: Tuple[int, ...]
    has_lifetimes: bool
    tensors: Tuple[PlannedTensor, ...]

    def __repr__(self) -> str:
        return f"<Memory {', '.join(map(human_size, self.arenas)) or 'none'}, {counted(len(self.tensors), 'tensor')}>"


class Delegate:
    """What a backend compiled, as far as its format is known.

    `bytes` is the size of the processed blob and `data` its bytes; `operators` are those in it, as the backend calls them;
    `constants`, `keys`, `parts`, `compile_specs` and `facts` are as in `pteinspect --json --delegates`, which is
    `to_dict()`. `same_as` names the first delegate with the same blob.
    """

    def __init__(self, members: Dict[str, Any], extent: Extent, buffer: Buffer) -> None:
        self._members, self._extent, self._buffer = members, extent, buffer
        self.name: str = members["name"]
        self.backend: str = members["backend"]
        self.method: str = members["method"]
        self.same_as: Optional[str] = members["same_as"]
        self.decoded: bool = members["decoded"]
        self.why_opaque: Optional[str] = members.get("why_opaque")
        self.operators: List[str] = members["operators"]
        self.constants: List[Dict[str, Any]] = members["constants"]
        self.keys: List[Dict[str, Any]] = members["keys"]
        self.parts: List[Dict[str, Any]] = members["parts"]
        self.compile_specs: List[Dict[str, Any]] = members["compile_specs"]
        self.facts: Dict[str, str] = members["facts"]

    @property
    def bytes(self) -> int:
        """Of the processed blob."""
        return self._extent.size

    @property
    def data(self) -> memoryview:
        """The processed blob, read-only and without a copy; see `Content.data`."""
        return self._buffer.view(self._extent)

    def to_dict(self) -> Dict[str, Any]:
        """As `pteinspect --json --delegates` has it."""
        return self._members

    def _row(self) -> Row:
        inside = counted(len(self.operators), "operator") if self.decoded else "opaque"
        return {"Name": self.name, "Method": self.method, "Size": human_size(self.bytes), "Inside": inside}

    def __repr__(self) -> str:
        counts = (counted(len(self.operators), "operator"), counted(len(self.constants), "constant"))
        inside = ", ".join(counts) if self.decoded else "opaque"
        return f"<Delegate {self.name!r} of {self.method!r}, {human_size(self.bytes)}, {inside}>"


class Values(Sequence[Value]):
    """A method's values, each looked up when it is asked for: a method may have a million."""

    def __init__(self, container: Container, method: int) -> None:
        self._container, self._method = container, method
        self._count = container.count_values(method)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> List[Value]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Value, List[Value]]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(f"value {index} of {self._count}")
        return self._at(index % self._count)

    def __iter__(self) -> Iterator[Value]:
        return map(self._at, range(self._count))

    def _at(self, index: int) -> Value:
        kind, name, store, layout, text, items = self._container.value(self._method, index)
        if layout is not None:
            return Value(index, kind, name, layout.dtype, tuple(layout.sizes), tuple(layout.dim_order), store, None)
        tensors = [item if item >= 0 else None for item in items]
        return Value(index, kind, name, None, None, None, store, tensors if kind.endswith("tensor_list") else plain(kind, text))

    def __repr__(self) -> str:
        return f"<{counted(self._count, 'value')}>"

    def _repr_html_(self) -> str:
        return table([value._row() for value in self[:_TABLE_ROWS]], self._count)


class Rows(Tuple[Any, ...]):
    """A tuple that notebooks show as a table."""

    def _repr_html_(self) -> str:
        return table([item._row() for item in self[:_TABLE_ROWS]], len(self))


class NativeMethod:
    """A method of a package of the native backend: what it takes and gives, as types, "float32[1,31]", and how many
    instructions it has."""

    def __init__(self, description: MethodDescription) -> None:
        self.name: str = description.name
        self.inputs: Tuple[str, ...] = tuple(map(_type_of, description.inputs))
        self.outputs: Tuple[str, ...] = tuple(map(_type_of, description.outputs))
        self.instructions: int = description.instructions

    def _row(self) -> Row:
        return {"Name": self.name, "Inputs": ", ".join(self.inputs), "Outputs": ", ".join(self.outputs)}

    def __repr__(self) -> str:
        takes, gives = ", ".join(self.inputs), ", ".join(self.outputs)
        return f"<NativeMethod {self.name!r} ({takes}) -> ({gives}), {counted(self.instructions, 'instruction')}>"


def _type_of(value: ValueDescription) -> str:
    layout = value.layout
    return f"{layout.dtype}[{','.join(map(str, layout.sizes))}]" if layout is not None else value.type


class Method:
    """A method of a program. What is in it is looked up when it is asked for."""

    def __init__(
        self,
        container: Container,
        index: int,
        description: MethodDescription,
        instructions: Callable[[], List[List[Tuple[Any, ...]]]],
        memory: Callable[[], List[Tuple[Any, ...]]],
        delegates: Callable[[], Sequence[Delegate]],
    ) -> None:
        self.name: str = description.name
        self.planned_bytes: int = description.planned_bytes
        self._description, self._index = description, index
        self._instructions, self._memory, self._delegates = instructions, memory, delegates
        self.values: Values = Values(container, index)

    @property
    def inputs(self) -> Tuple[Value, ...]:
        """Those of `values` that it is called with, in order."""
        return Rows(self.values[value.value] for value in self._description.inputs)

    @property
    def outputs(self) -> Tuple[Value, ...]:
        """Those of `values` that it returns, in order."""
        return Rows(self.values[value.value] for value in self._description.outputs)

    @property
    def instructions(self) -> Tuple[Instruction, ...]:
        """In order, of all its chains."""
        return Rows(map(_instruction, self._instructions()[self._index]))

    @property
    def operators(self) -> Dict[str, int]:
        """Operators that it calls, with the number of calls, in the order of the first ones."""
        calls: Dict[str, int] = {}
        for _, _, kind, target, _, _ in self._instructions()[self._index]:
            if kind == "kernel":
                calls[target] = calls.get(target, 0) + 1
        return calls

    @property
    def delegates(self) -> Tuple[Delegate, ...]:
        """Those of its program that it calls."""
        return Rows(delegate for delegate in self._delegates() if delegate.method == self.name)

    @property
    def memory(self) -> Memory:
        """What is planned for it: arenas, and when and where each tensor is in them."""
        arenas, has_lifetimes, tensors = self._memory()[self._index]
        return Memory(tuple(arenas), has_lifetimes, tuple(map(PlannedTensor._make, tensors)))

    def _signature(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})"

    def _row(self) -> Row:
        return {
            "Name": self.name,
            "Inputs": ", ".join(map(str, self.inputs)),
            "Outputs": ", ".join(map(str, self.outputs)),
            "Instructions": str(self._description.instructions),
            "Planned Memory": human_size(self.planned_bytes),
        }

    def __repr__(self) -> str:
        count = counted(self._description.instructions, "instruction")
        return f"<Method {self.name!r} {self._signature()}, {count}, {human_size(self.planned_bytes)} planned>"

    def _repr_html_(self) -> str:
        return table([self._row()], 1)


_TABLE_ROWS = 100


def methods_of(
    container: Container,
    descriptions: Sequence[MethodDescription],
    instructions: Callable[[], List[List[Tuple[Any, ...]]]],
    memory: Callable[[], List[Tuple[Any, ...]]],
    delegates: Callable[[], Sequence[Delegate]],
) -> Dict[str, Method]:
    """By name, in file order."""
    methods: Dict[str, Method] = {}
    for index, description in enumerate(descriptions):
        methods.setdefault(description.name, Method(container, index, description, instructions, memory, delegates))
    return methods


def constant_methods_of(container: Container) -> Mapping[str, Plain]:
    """What methods without inputs and instructions return: a value, or a list where they return several."""
    facts: Dict[str, Plain] = {}
    for name, values in container.constant_methods():
        plains = [plain(kind, text) for kind, text in values]
        facts.setdefault(name, plains[0] if len(plains) == 1 else plains)
    return facts


def _instruction(row: Tuple[Any, ...]) -> Instruction:
    return Instruction(*row)


def plain(kind: str, text: str) -> Plain:
    """A value of the library's as Python's; of a tensor its type."""
    if kind.endswith("_list"):
        return [plain(kind[: -len("_list")], item) for item in text.split(",")] if text else []
    if kind == "int":
        return int(text) if text not in ("?", "none") else None
    if kind == "bool":
        return text == "true"
    if kind == "double":
        return float(text)
    return text if kind != "none" else None
