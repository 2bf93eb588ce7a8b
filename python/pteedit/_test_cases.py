"""What a bundled program is tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence, Tuple, Union

from pteedit._contents import Buffer, Content, Row
from pteedit._shown import counted


class TestTensor(Content):
    """A tensor of a test case: `numpy()`, `shape` and `dtype` as of a `Constant`."""

    __test__ = False  # for pytest


TestValue = Union[None, bool, int, float, TestTensor]


@dataclass(frozen=True, repr=False)
class TestCase:
    """Inputs for a method, and the outputs that are expected of them: tensors, numbers, None for what the file leaves out."""

    __test__ = False

    method: str
    inputs: Tuple[TestValue, ...]
    expected_outputs: Tuple[TestValue, ...]

    def _row(self) -> Row:
        shown = {"Inputs": self.inputs, "Expected Outputs": self.expected_outputs}
        return {"Method": self.method, **{name: ", ".join(map(_shown, some)) for name, some in shown.items()}}

    def __repr__(self) -> str:
        counts = counted(len(self.inputs), "input"), counted(len(self.expected_outputs), "expected output")
        return f"<TestCase of {self.method!r}, {counts[0]}, {counts[1]}>"


def _shown(value: TestValue) -> str:
    return value._type() if isinstance(value, TestTensor) else str(value)


def test_values(values: Sequence[Tuple[Any, Any, Any]], buffer: Buffer) -> Tuple[TestValue, ...]:
    """Of a layout or None, an extent, and a number or None each."""
    return tuple(
        TestTensor(f"value {i}", extent.size, layout, extent, buffer) if layout is not None or extent.size else number
        for i, (layout, extent, number) in enumerate(values)
    )
