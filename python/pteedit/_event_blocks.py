"""What a dump of the runtime holds, in the classes of the exporter's Inspector: same names, members and defaults."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union

from pteedit import _frames
from pteedit._pteedit import statistics

if TYPE_CHECKING:
    import pandas

Number = Union[int, float]
MetadataParser = Callable[[List[Union[bytes, str]]], Union[List[str], Dict[str, Any]]]
TimeScaleConverter = Callable[[str, int], Number]  # of an event's name and a time as measured


class TimeScale(enum.Enum):
    """What times are counted in."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    CYCLES = "cycles"


class PerfData:
    """Times of one event, by run, in the target time scale. Percentiles interpolate between samples, as numpy's do."""

    def __init__(self, raw: Sequence[Number]) -> None:
        self.raw: List[Number] = list(raw)

    def __repr__(self) -> str:
        return f"PerfData(raw={self.raw})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PerfData) and self.raw == other.raw

    @property
    def p10(self) -> float:
        return statistics(self.raw)["p10"]

    @property
    def p50(self) -> float:
        return statistics(self.raw)["p50"]

    @property
    def p90(self) -> float:
        return statistics(self.raw)["p90"]

    @property
    def avg(self) -> float:
        return statistics(self.raw)["avg"]

    @property
    def min(self) -> Number:
        return min(self.raw)

    @property
    def max(self) -> Number:
        return max(self.raw)


@dataclass
class Event:
    """One operator, call or row of a delegate, with its times and what the exporter's record tells of it.

    `name` of a row of a delegate is its identifier, which `delegate_debug_identifier` has as it was logged. `op_types`
    are the operators of the model that it stands for; `stack_traces` and `module_hierarchy` ({key: (path, type)} from
    the outermost module in) tell by node where these were written. `debug_data` is what it logged: tensors, lists of
    them, numbers or None. `perf_data` is None where only values were logged.
    """

    name: str
    perf_data: Optional[PerfData] = None
    op_types: List[str] = field(default_factory=list)
    delegate_debug_identifier: Optional[Union[int, str]] = None
    debug_handles: Optional[Union[int, Sequence[int]]] = None
    num_outputs: int = 1
    stack_traces: Dict[str, Optional[str]] = field(default_factory=dict)
    module_hierarchy: Dict[str, Optional[Dict[str, Any]]] = field(default_factory=dict)
    is_delegated_op: Optional[bool] = None
    delegate_backend_name: Optional[str] = None
    _delegate_debug_metadatas: List[Union[bytes, str]] = field(default_factory=list)
    debug_data: List[Any] = field(default_factory=list)
    _instruction_id: Optional[int] = None
    _delegate_metadata_parser: Optional[MetadataParser] = None
    _delegate_time_scale_converter: Optional[TimeScaleConverter] = None
    _start_time: Optional[List[int]] = None

    @cached_property
    def delegate_debug_metadatas(self) -> Union[List[Union[bytes, str]], List[str], Dict[str, Any]]:
        """What the parser makes of the delegate's metadata; without a parser, the raw ones."""
        if not self.is_delegated_op or self._delegate_metadata_parser is None:
            return self._delegate_debug_metadatas
        return self._delegate_metadata_parser(self._delegate_debug_metadatas)

    @property
    def raw_delegate_debug_metadatas(self) -> List[Union[bytes, str]]:
        """By run, bytes, or "" where a run has none; empty where no run has any."""
        return self._delegate_debug_metadatas

    @property
    def start_time(self) -> Optional[List[int]]:
        """By run, as measured: in the source time scale."""
        return self._start_time

    def asdict(self, _units: str = "") -> Dict[str, Any]:
        """A data frame's columns, each of one cell; `_units` is part of the names of times, " (ms)"."""
        cells = _frames.cells_of(self)
        names = _frames.column_names(_units)[1:]
        return {name: [cell] if name in _frames.LISTS else cell for name, cell in zip(names, cells)}

    def to_dataframe(self, _units: str = "") -> pandas.DataFrame:
        """A data frame of one row. ImportError where pandas is not installed."""
        return _frames.to_pandas(_frames.Frame(_frames.column_names(_units)[1:], [_frames.cells_of(self)]))


@dataclass
class EventBlock:
    """Runs of one shape: loads of a program, executions of a method, or of a branch of it."""

    name: str
    events: List[Event] = field(default_factory=list)
    source_time_scale: TimeScale = TimeScale.NS
    target_time_scale: TimeScale = TimeScale.MS
    bundled_input_index: Optional[int] = None
    run_output: Optional[List[Any]] = None
    reference_output: Optional[List[Any]] = None

    def to_dataframe(
        self, include_units: bool = False, include_delegate_debug_data: bool = False
    ) -> pandas.DataFrame:
        """A row for each event. ValueError where there is none, ImportError where pandas is not installed.

        An event called OPERATOR_CALL is the one before it with what it took to call it.
        """
        return _frames.to_pandas(_frames.frame_of([self], include_units, include_delegate_debug_data))
