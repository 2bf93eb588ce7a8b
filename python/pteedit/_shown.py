"""How names, sizes and tables are shown."""

from __future__ import annotations

import html
from typing import Dict, List

from pteedit._pteedit import escape_control

_UNITS = (("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000))


def human_size(size: int) -> str:
    """"51.23 KB" for 51232, as the tools show it: powers of 1000, the unit by the size itself and not by its rounding."""
    for unit, unit_bytes in _UNITS:
        if size >= unit_bytes:
            return f"{size / unit_bytes:.2f} {unit}"
    return f"{size} B"


def counted(count: int, word: str) -> str:
    """"1 key", "2 keys"."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def shown(text: str) -> str:
    """With control characters, and bytes that are no UTF-8, written out."""
    return escape_control(text.encode("utf-8", "surrogateescape"))


def table(rows: List[Dict[str, str]], count: int) -> str:
    """HTML with a line for each row, all of the same columns, and how many of `count` are left out."""
    if not rows:
        return "<p>none</p>"
    head = "".join(f"<th>{html.escape(column)}</th>" for column in rows[0])
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(shown(cell))}</td>" for cell in row.values()) + "</tr>" for row in rows
    )
    more = f"<p>{count - len(rows):,} more</p>" if count > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{more}"
