"""How two files differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from pteedit._contents import Row
from pteedit._methods import Rows
from pteedit._shown import counted, human_size, shown, table


@dataclass(frozen=True)
class Difference:
    """The first thing in which two files differ."""

    where: str  # "method 'forward', instruction 3"; empty for the file as a whole
    message: str


@dataclass(frozen=True)
class ComponentChange:
    """A component of the files, of whatever size on both sides."""

    name: str  # "Constant Tensors"
    old_bytes: int
    new_bytes: int

    def _row(self) -> Row:
        return {"Component": self.name, **_sizes(self.old_bytes, self.new_bytes)}


@dataclass(frozen=True)
class MatchCounts:
    """How many weights, or delegates, are matched, and how."""

    same: int  # the same bytes, under whatever name and wherever
    changed: int
    added: int
    removed: int
    alike: int = 0  # delegates: other bytes, the same operators, keys and types of constants


@dataclass(frozen=True)
class ElementSample:
    index: int  # in memory order
    before: Optional[float]  # None for what is no finite number
    after: Optional[float]


@dataclass(frozen=True)
class ElementChange:
    """How the elements of two contents differ. Those of a packed type, or of one that is not known, are bytes."""

    unit: str  # "numbers" or "bytes"
    count: int
    differing: int  # whose bits differ, or, between two types, whose values do
    largest_difference: Optional[float]  # None for bytes, and where a number is not finite
    mean_difference: Optional[float]
    first: Tuple[ElementSample, ...]  # three at most; none of bytes


@dataclass(frozen=True)
class SizeChange:
    """A row of the size tree that changed, or a component that has no rows."""

    change: str  # "added", "removed", "changed"; of the same bytes "moved" to another component or "renamed"
    component: str  # in the new file, of what was removed in the old one
    name: str
    old_component: Optional[str]  # where it is another
    old_name: Optional[str]
    old_bytes: int  # as size trees count them: what shares its bytes with another row may have 0
    new_bytes: int
    old_type: Optional[str]  # of weights, "float32[16,4]"
    new_type: Optional[str]
    same_content: bool
    used_by: Tuple[str, ...]  # arguments and delegates of the new file that read it, eight at most
    uses: int  # how many there are
    elements: Optional[ElementChange]
    module: Optional[str] = None

    def _row(self) -> Row:
        name = self.name if self.old_name is None else f"{self.old_name} to {self.name}"
        row = {"Change": self.change, "Component": self.component, "Name": name, **_sizes(self.old_bytes, self.new_bytes)}
        elements = self.elements
        return {**row, "Elements": f"{elements.differing} of {elements.count} {elements.unit}" if elements else ""}


@dataclass(frozen=True)
class MethodChange:
    change: str  # "added", "removed", "changed"
    name: str
    old_instructions: int
    new_instructions: int
    old_values: int
    new_values: int
    old_arenas: Tuple[int, ...]  # bytes of each that is planned
    new_arenas: Tuple[int, ...]
    old_planned_bytes: int
    new_planned_bytes: int

    def _row(self) -> Row:
        instructions = f"{self.old_instructions} to {self.new_instructions}"
        planned = f"{human_size(self.old_planned_bytes)} to {human_size(self.new_planned_bytes)}"
        return {"Change": self.change, "Method": self.name, "Instructions": instructions, "Planned": planned}


@dataclass(frozen=True)
class OperatorChange:
    """How often an operator is called by instructions, or in the graphs of all delegates of a backend."""

    name: str
    backend: Optional[str]  # None for instructions
    old_calls: int
    new_calls: int

    def _row(self) -> Row:
        calls = {"Before": str(self.old_calls), "After": str(self.new_calls)}
        return {"Operator": self.name, "Backend": self.backend or "", **calls}


@dataclass(frozen=True)
class MeaningChange:
    """Something that a program says, in words: None where it does not say it."""

    what: str  # "needs", "bound to", "compile spec", "input", "call", ...
    name: Optional[str]  # "forward 0"
    before: Optional[str]
    after: Optional[str]
    times: int  # of calls: how many

    def _row(self) -> Row:
        what = f"{self.what} {self.name}" if self.name is not None else self.what
        return {"What": what, "Before": self.before or "", "After": self.after or ""}


@dataclass(frozen=True, repr=False)
class Diff:
    """What changed from one file to another, each with its data files. True where anything did but order and padding.

    Its members are those of `pteinspect --json --diff`, which is `to_dict()`. Components add up to the files, and growth of
    `sizes` to theirs.

    >>> from pteedit import diff
    >>> found = diff("data/f08/b_xnn_base.pte", "data/f08/b_xnn_v0.pte")
    >>> found
    <Diff 'data/f08/b_xnn_base.pte' to 'data/f08/b_xnn_v0.pte', 56.83 KB to 65.28 KB: 13 sizes, 1 method, 3 operators, 2 facts>
    >>> bool(found), found.methods[0].change
    (True, 'changed')
    """

    old: str
    old_data: Tuple[str, ...]
    new: str
    new_data: Tuple[str, ...]
    old_bytes: int
    new_bytes: int
    components: Tuple[ComponentChange, ...]
    weights: MatchCounts
    delegates: MatchCounts
    sizes: Tuple[SizeChange, ...]
    methods: Tuple[MethodChange, ...]
    operators: Tuple[OperatorChange, ...]
    meaning: Tuple[MeaningChange, ...]
    members: Mapping[str, Any] = field(compare=False)

    def to_dict(self) -> Dict[str, Any]:
        return dict(self.members)

    def __bool__(self) -> bool:
        return bool(self.sizes or self.methods or self.operators or self.meaning)

    def _parts(self) -> Tuple[Tuple[str, Tuple[Any, ...]], ...]:
        return (("size", self.sizes), ("method", self.methods), ("operator", self.operators), ("fact", self.meaning))

    def __repr__(self) -> str:
        sizes = f"{human_size(self.old_bytes)} to {human_size(self.new_bytes)}"
        changes = ", ".join(counted(len(rows), word) for word, rows in self._parts() if rows)
        return f"<Diff {self.old!r} to {self.new!r}, {sizes}: {changes or 'nothing'}>"

    def _repr_html_(self) -> str:
        files = table([{"Old": self.old, "New": self.new, **_sizes(self.old_bytes, self.new_bytes)}], 1)
        changed = Rows(row for row in self.components if row.old_bytes != row.new_bytes)
        parts = [changed, *(rows for _, rows in self._parts())]
        return files + "".join(Rows(rows)._repr_html_() for rows in parts if rows)


def diff_of(members: Mapping[str, Any]) -> Diff:
    """Of the member `diff` of `pteinspect --json`."""
    return Diff(
        **{name: members[name] for name in ("old", "new", "old_bytes", "new_bytes")},
        old_data=tuple(members["old_data"]),
        new_data=tuple(members["new_data"]),
        components=_rows(ComponentChange, members["components"]),
        weights=MatchCounts(**members["weights"]),
        delegates=MatchCounts(**members["delegates"]),
        sizes=_rows(_size_change, members["sizes"]),
        methods=_rows(MethodChange, members["methods"]),
        operators=_rows(OperatorChange, members["operators"]),
        meaning=_rows(MeaningChange, members["meaning"]),
        members=members,
    )


def _rows(kind: Callable[..., Any], rows: Sequence[Mapping[str, Any]]) -> Tuple[Any, ...]:
    return Rows(kind(**{name: tuple(item) if isinstance(item, list) else item for name, item in row.items()}) for row in rows)


def _size_change(elements: Optional[Mapping[str, Any]], **row: Any) -> SizeChange:
    if elements is None:
        return SizeChange(**row, elements=None)
    first = tuple(ElementSample(**sample) for sample in elements["first"])
    return SizeChange(**row, elements=ElementChange(**{**elements, "first": first}))


def _sizes(old: int, new: int) -> Row:
    sign = "-" if new < old else "+"
    return {"Before": human_size(old), "After": human_size(new), "Growth": sign + human_size(abs(new - old))}
