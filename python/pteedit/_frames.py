"""Tables of events, as the exporter's Inspector lays them out, without pandas until a data frame is asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Sequence, Union

from pteedit._pteedit import grid_text, tsv_text

if TYPE_CHECKING:
    import pandas

    from pteedit._event_blocks import Event, EventBlock

LISTS = frozenset(["raw", "op_types", "stack_traces", "module_hierarchy", "debug_data", "start_time"])

_STATISTICS = ("p10", "p50", "p90", "avg", "min", "max")
_MOST_OP_TYPES = 5  # of more, three are shown
_NOT_PRINTED = frozenset(["raw", "delegate_debug_identifier", "stack_traces", "module_hierarchy", "debug_data"])
_TWICE = "OPERATOR_CALL"  # an operator once more, with what it took to call it
_GAP = math.nan  # what pandas has where a row lacks a column


@dataclass
class Frame:
    """Each row has a cell for each column."""

    columns: List[str]
    rows: List[List[Any]]


def column_names(units: str) -> List[str]:
    """`units` is part of the names of times."""
    return [
        "event_block_name",
        "event_name",
        "raw",
        *(name + units for name in _STATISTICS),
        "op_types",
        "delegate_debug_identifier",
        "stack_traces",
        "module_hierarchy",
        "is_delegated_op",
        "delegate_backend_name",
        "debug_data",
        "start_time",
    ]


def cells_of(event: Event) -> List[Any]:
    """All but the name of the block."""
    perf = event.perf_data
    return [
        event.name,
        perf.raw if perf else None,
        *(getattr(perf, name) if perf else None for name in _STATISTICS),
        _shortened(event.op_types),
        event.delegate_debug_identifier,
        event.stack_traces,
        event.module_hierarchy,
        event.is_delegated_op,
        event.delegate_backend_name,
        event.debug_data,
        event.start_time,
    ]


def frame_of(blocks: Sequence[EventBlock], include_units: bool, include_delegate_debug_data: bool) -> Frame:
    """ValueError where there is nothing to show, as pandas has it."""
    frames = [_block_frame(block, include_units, include_delegate_debug_data) for block in blocks]
    if not frames:
        raise ValueError("No objects to concatenate")
    columns = list(dict.fromkeys(column for frame in frames for column in frame.columns))
    rows = []
    for frame in frames:
        for row in frame.rows:
            by_name = dict(zip(frame.columns, row))
            rows.append([by_name.get(column, _GAP) for column in columns])
    return Frame(columns, rows)


def grid_of(frame: Frame) -> str:
    """As tabulate prints it."""
    shown = _for_printing(frame)
    return grid_text(shown.columns, shown.rows)


def tsv_of(frame: Frame) -> str:
    """As pandas writes it, separated by tabs."""
    shown = _for_printing(frame)
    return tsv_text(shown.columns, shown.rows)


def to_pandas(frame: Frame) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_dataframe needs pandas: pip install pandas") from error
    columns: Dict[str, Any] = {}
    for name, cells in zip(frame.columns, zip(*frame.rows)):
        lacks_texts = any(cell is None for cell in cells) and not any(map(_is_number, cells))
        is_object = lacks_texts or name in LISTS or name == "delegate_debug_identifier"
        columns[name] = pandas.Series(list(cells), dtype=object if is_object else None)
    return pandas.DataFrame(columns)


def _block_frame(block: EventBlock, include_units: bool, include_delegate_debug_data: bool) -> Frame:
    if not block.events:
        raise ValueError("No objects to concatenate")
    units = f" ({block.target_time_scale.value})" if include_units else ""
    frame = Frame(column_names(units), [[block.name, *cells_of(event)] for event in block.events])
    if include_delegate_debug_data:
        metadata = [_metadata_of(event) for event in block.events]
        names = list(dict.fromkeys(name for cells in metadata for name in cells))
        frame.columns += names
        for row, cells in zip(frame.rows, metadata):
            row += [cells.get(name, _GAP) for name in names]
    return frame


def _metadata_of(event: Event) -> Dict[str, Any]:
    metadata = event.delegate_debug_metadatas
    if metadata is None or len(metadata) == 0:
        return {}
    if isinstance(metadata, list):
        return {"delegate_debug_metadata": metadata}
    if isinstance(metadata, dict):
        return metadata
    raise ValueError(f"Unexpected type for delegate_debug_metadata: {type(metadata)}")


def _shortened(op_types: List[str]) -> Union[List[str], str]:
    if len(op_types) < _MOST_OP_TYPES:
        return op_types
    return f"['{op_types[0]}', '{op_types[1]}' ... '{op_types[-1]}'] ({len(op_types)} total)"


def _for_printing(frame: Frame) -> Frame:
    """Without what is too wide for a table; numbers with gaps are fractions, as in pandas."""
    kept = [i for i, column in enumerate(frame.columns) if column not in _NOT_PRINTED]
    rows = [[row[i] for i in kept] for row in frame.rows if _TWICE not in row[1]]
    for place in range(len(kept)):
        if _has_fractions(row[place] for row in rows):
            for row in rows:
                row[place] = None if row[place] is None else float(row[place])
    return Frame([frame.columns[i] for i in kept], rows)


def _has_fractions(cells: Iterable[Any]) -> bool:
    kinds = {type(cell) for cell in cells if cell is not None}
    return float in kinds and kinds <= {int, float}


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)
