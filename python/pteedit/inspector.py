"""The exporter's Inspector for dumps of the runtime, without torch: same classes, arguments, tables and numbers.

    from pteedit import Inspector

    inspector = Inspector(etdump_path="run.etdp", etrecord="model.etrecord")
    inspector.print_data_tabular()
    inspector.find_total_for_module("fc1")

It opens what the exporter's cannot: records of several methods, dumps with allocations, and dumps whose runs logged
different values (the first run counts, and a RuntimeWarning says so). Graphs are not executed: that needs torch.
"""

from __future__ import annotations

import logging
import math
import mmap
import os
import sys
import tempfile
import warnings
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Dict, Iterator, List, NoReturn, Optional, Protocol, Sequence, Union

from pteedit import _frames
from pteedit._comparison import compare_results
from pteedit._event_blocks import Event, EventBlock, MetadataParser, Number, PerfData, TimeScale, TimeScaleConverter
from pteedit._pteedit import list_programs, read_event_blocks
from pteedit._tensors import LoggedTensor, element_bytes, make_tensor
from pteedit._vgf_statistics import parse_vgf_neural_statistics_delegate_metadata, parse_vgf_neural_statistics_metadata

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Event",
    "EventBlock",
    "Inspector",
    "LoggedTensor",
    "PerfData",
    "ProgramListing",
    "TimeScale",
    "compare_results",
    "parse_vgf_neural_statistics_delegate_metadata",
    "parse_vgf_neural_statistics_metadata",
]

Path = Union[str, "os.PathLike[str]"]

_log = logging.getLogger(__name__)
_MOST_32 = 2**32 - 1  # where clocks of 32 bits wrap


class SavesItself(Protocol):
    """What `Inspector` needs of the exporter's ETRecord."""

    def save(self, path: str) -> None: ...


class Inspector:
    """What a dump of the runtime measured, in `event_blocks`, joined with the exporter's record where there is one."""

    def __init__(
        self,
        etdump_path: Optional[Path] = None,
        etdump_data: Optional[bytes] = None,
        etrecord: Optional[Union[Path, SavesItself]] = None,
        source_time_scale: TimeScale = TimeScale.NS,
        target_time_scale: TimeScale = TimeScale.MS,
        debug_buffer_path: Optional[Path] = None,
        delegate_metadata_parser: Optional[MetadataParser] = None,
        delegate_time_scale_converter: Optional[TimeScaleConverter] = None,
        enable_module_hierarchy: bool = False,
        reference_graph_name: str = "edge_dialect_exported_program",
    ) -> None:
        """Takes the dump as a file or as bytes, the record as a file or as an object with a method `save`.

        Times of the dump are in `source_time_scale`, all shown ones in `target_time_scale`; the exporter's TimeScale
        will do too. Of rows of delegates `delegate_time_scale_converter(name, time)` converts each end, and
        `delegate_metadata_parser(metadata by run)` reads what they logged. Tensors are in the file
        `debug_buffer_path`; without it they are all zero. They are tensors of torch where that has been imported
        before, else arrays of numpy where that is installed, else LoggedTensor. `enable_module_hierarchy` changes
        nothing, as with the exporter's. Events get the operators of `reference_graph_name`, which may be another graph
        that the record keeps, "edge_after_transform/forward".

        RuntimeError where just one of the scales is cycles, TypeError where the record is none of these, OSError where
        a file cannot be read, ValueError where there is no dump or two, where a file is malformed, where the record is
        of another program, or has no such graph. Expected outputs that cannot be read are left out with a RuntimeWarning.
        """
        source, target = _scale_of(source_time_scale), _scale_of(target_time_scale)
        if (source is TimeScale.CYCLES) != (target is TimeScale.CYCLES):
            raise RuntimeError("For TimeScale in cycles both the source and target time scale have to be in cycles.")
        self._etrecord = etrecord
        with _record_file(etrecord) as record:
            if (etdump_path is None) == (etdump_data is None):
                raise ValueError("Expecting exactly one of etdump_path or etdump_data to be specified.")
            dump = etdump_data if etdump_data is not None else _readable(etdump_path)
            buffer = None if debug_buffer_path is None else _readable(debug_buffer_path)
            blocks, unread = read_event_blocks(
                dump, source.value, target.value, record, buffer, reference_graph_name
            )
        values = _LoggedValues(debug_buffer_path)
        self.event_blocks: List[EventBlock] = []
        for block in blocks:
            events = [
                _event_of(event, values, delegate_metadata_parser, delegate_time_scale_converter)
                for event in block["events"]
            ]
            self.event_blocks.append(
                EventBlock(
                    name=block["name"],
                    events=events,
                    source_time_scale=source,
                    target_time_scale=target,
                    bundled_input_index=block["bundled_input_index"],
                    run_output=values.all_of(block["run_output"]),
                    reference_output=_reference_of(block["reference_output"]),
                )
            )
            _warn_of_methods(block)
            _warn_of_other_runs(block)
        values.warn_if_missing()
        if unread:
            warnings.warn(f"the outputs that the record expects are left out: {unread}", RuntimeWarning, stacklevel=2)

    def to_dataframe(self, include_units: bool = True, include_delegate_debug_data: bool = False) -> pandas.DataFrame:
        """A row for each event of each block. ValueError where a block has none, ImportError without pandas."""
        return _frames.to_pandas(self._frame(include_units, include_delegate_debug_data))

    def print_data_tabular(
        self,
        file: Optional[IO[str]] = None,
        include_units: bool = True,
        include_delegate_debug_data: bool = False,
    ) -> None:
        """Prints the table of the exporter's Inspector, byte for byte, to `file` or standard output.

        Needs neither pandas nor tabulate. ValueError where a block has no events.
        """
        (sys.stdout if file is None else file).write(
            _frames.grid_of(self._frame(include_units, include_delegate_debug_data))
        )

    def save_data_to_tsv(
        self, file: Union[IO[str], Path], include_units: bool = True, include_delegate_debug_data: bool = False
    ) -> None:
        """Writes the rows and columns of `print_data_tabular`, separated by tabs, all digits shown. Needs no pandas."""
        text = _frames.tsv_of(self._frame(include_units, include_delegate_debug_data))
        if isinstance(file, (str, os.PathLike)):
            with open(file, "w", encoding="utf-8", newline="") as opened:
                opened.write(text)
        else:
            file.write(text)

    def find_total_for_module(self, module_name: str) -> float:
        """Average time of all events that stand for an operator of a module, each once, in the target time scale.

        Of modules any of whose keys has `module_name` in it. Keys are those of the exporter, which may be numbers: the
        paths are in `Event.module_hierarchy`.
        """
        total = 0.0
        for block in self.event_blocks:
            for event in block.events:
                if event.name != "OPERATOR_CALL" and event.perf_data is not None and _is_inside(event, module_name):
                    total += event.perf_data.avg
        return total

    def get_exported_program(self, graph: Optional[str] = None) -> Any:
        """The exporter's program in the record, by default the one in the edge dialect; None where there is no record.

        An ExportedProgram where the exporter is installed, which opens it; else a ProgramListing, which is a text.
        `graph` is the name of another graph that the record keeps, "edge_after_transform/forward", where the exporter
        has none of that name None. ValueError where a listing's record has none.
        """
        if self._etrecord is None:
            _log.warning("there is no exported program: the Inspector was made without a record")
            return None
        record: Any = self._etrecord
        if isinstance(record, (str, os.PathLike)):
            try:
                from executorch.devtools.etrecord import parse_etrecord
            except ImportError:
                return _listing_of(record, graph)
            record = parse_etrecord(os.fspath(record))
        if not hasattr(record, "edge_dialect_program"):
            with _record_file(record) as path:
                return _listing_of(path, graph)
        return record.edge_dialect_program if graph is None else (record.graph_map or {}).get(graph)

    def calculate_numeric_gap(self, distance: Any, *_: Any, **__: Any) -> NoReturn:
        """NotImplementedError: the graph of the record would have to be executed, which takes torch."""
        raise NotImplementedError(
            "calculate_numeric_gap executes the graph of the record, which takes torch and the exporter's Inspector"
        )

    def get_vgf_neural_statistics(self) -> List[Dict[str, Any]]:
        """What the VGF backend logged of neural accelerators: its records, each blob of a segment also as `raw_data`.

        ValueError where one is damaged.
        """
        return [
            record
            for block in self.event_blocks
            for event in block.events
            for record in parse_vgf_neural_statistics_delegate_metadata(event.raw_delegate_debug_metadatas)
        ]

    def _frame(self, include_units: bool, include_delegate_debug_data: bool) -> _frames.Frame:
        return _frames.frame_of(self.event_blocks, include_units, include_delegate_debug_data)


class ProgramListing(str):
    """An exported program in the form in which torch prints it."""


def _listing_of(record: Any, graph: Optional[str]) -> ProgramListing:
    texts = list_programs(os.fsdecode(record), "edge_dialect_exported_program" if graph is None else graph)
    return ProgramListing(
        next(iter(texts.values())) if len(texts) == 1 else "\n".join(f"{name}:\n{text}" for name, text in texts.items())
    )


class _LoggedValues:
    """Values as they were logged, with tensors out of the debug buffer, of which only what is looked at is read."""

    def __init__(self, path: Optional[Path]) -> None:
        self._buffer: Optional[memoryview] = None
        self._lacks_buffer = False
        if path is None:
            return
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self._buffer = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if size else bytearray())

    def all_of(self, values: Sequence[Any]) -> List[Any]:
        return [self._one_of(value) for value in values]

    def warn_if_missing(self) -> None:
        if self._lacks_buffer:
            text = "Output Buffer not found. Tensor Debug Data will not be available."
            warnings.warn(text, stacklevel=3)

    def _one_of(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return self._tensor(*value)
        return self.all_of(value) if isinstance(value, list) else value

    def _tensor(self, dtype: str, sizes: List[int], offset: int) -> Any:
        if self._buffer is None:
            self._lacks_buffer = True
            return make_tensor(dtype, sizes, None)
        size = math.prod(sizes) * element_bytes(dtype)
        return make_tensor(dtype, sizes, self._buffer[offset : offset + size] if size else None)


def _reference_of(value: Any) -> Any:
    if isinstance(value, tuple):
        return make_tensor(*value)
    if isinstance(value, dict):
        return {key: _reference_of(item) for key, item in value.items()}
    return [_reference_of(item) for item in value] if isinstance(value, list) else value


def _event_of(
    event: Dict[str, Any],
    values: _LoggedValues,
    parser: Optional[MetadataParser],
    converter: Optional[TimeScaleConverter],
) -> Event:
    raw = event["raw"]
    if raw is not None and converter is not None and event["is_delegated_op"]:
        name = event["name"]
        ends = zip(event["starts"], event["ends"])
        raw = [_elapsed(converter(name, start), converter(name, end)) for start, end in ends]
    metadata = [one or "" for one in event["metadata"]]
    return Event(
        name=event["name"],
        perf_data=None if raw is None else PerfData(raw),
        op_types=event["op_types"],
        delegate_debug_identifier=event["delegate_debug_identifier"],
        debug_handles=event["debug_handles"],
        num_outputs=event["num_outputs"],
        stack_traces=event["stack_traces"],
        module_hierarchy=event["module_hierarchy"],
        is_delegated_op=event["is_delegated_op"],
        delegate_backend_name=event["backend"],
        _delegate_debug_metadatas=metadata if any(metadata) else [],
        debug_data=values.all_of(event["debug_data"]),
        _instruction_id=event["instruction"],
        _delegate_metadata_parser=parser,
        _delegate_time_scale_converter=converter,
        _start_time=None if raw is None else event["starts"],
    )


def _elapsed(start: Number, end: Number) -> Number:
    """Of a clock that may be of 32 bits and have wrapped."""
    if start <= end:
        return end - start
    if start > _MOST_32 or end > _MOST_32:
        raise ValueError(
            f"Expected start_time ({start}) and end_time ({end}) to be less than {_MOST_32} for cases where there is "
            "wrap-around of time values."
        )
    return (_MOST_32 - start) + end


def _is_inside(event: Event, module_name: str) -> bool:
    return any(module_name in key for levels in event.module_hierarchy.values() for key in levels or ())


def _scale_of(scale: Any) -> TimeScale:
    """Also the exporter's own."""
    return scale if isinstance(scale, TimeScale) else TimeScale(getattr(scale, "value", scale))


def _readable(path: Any) -> str:
    """OSError, as of `open`, where there is no such file."""
    with open(path, "rb"):
        return os.fsdecode(path)


@contextmanager
def _record_file(record: Any) -> Iterator[Optional[str]]:
    """A record that is an object lies in a file only meanwhile."""
    if record is None:
        yield None
    elif isinstance(record, (str, os.PathLike)):
        yield _readable(record)
    elif callable(getattr(record, "save", None)):
        with tempfile.TemporaryDirectory(prefix="pteedit-") as folder:
            path = os.path.join(folder, "record.etrecord")
            record.save(path)
            yield path
    else:
        raise TypeError("Unsupported ETRecord type")


def _warn_of_methods(block: Dict[str, Any]) -> None:
    methods = block["methods"]
    if len(methods) > 1:
        text = f"block '{block['name']}' may be a run of any of {', '.join(methods)}, so it is not joined"
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def _warn_of_other_runs(block: Dict[str, Any]) -> None:
    others = [event["name"] for event in block["events"] if event["other_runs"]]
    if block["other_runs"]:
        others.append("run_output")
    if others:
        text = f"in block '{block['name']}' runs logged different values, the first one's are kept: {', '.join(others)}"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
