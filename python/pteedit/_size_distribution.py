"""A tree of sizes, and how it is shown."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterator, List, Tuple

from pteedit._pteedit import escape_control

if TYPE_CHECKING:
    import pandas

_OPTIONAL = ("Other Names", "Type", "Module")
_UNITS = (("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000))


@dataclass
class SizeDistribution:
    """A part of a program or data file: `size` in bytes is the sum over `components` wherever there are any.

    `aliases` are other names of the same bytes; `note` is "inline", or "same as X" where X has the bytes; `dtype` is the
    type of weights, "float32" whatever the backend calls it, and `module` what holds them in the model; both may be empty.
    Names are as in the file, bytes that are not UTF-8 as lone surrogates; whatever is shown has them and control
    characters escaped.
    """

    name: str
    size: int
    components: List[SizeDistribution] = field(default_factory=list)
    aliases: List[str] = field(default_factory=list)
    note: str = ""
    dtype: str = ""
    module: str = ""

    def __str__(self) -> str:
        """One line for each component at any depth, "name: 51.23 KB", one space of indent a level below the first."""
        return "\n".join(
            " " * (level - 1) + f"{part._title()}: {_human_size(part.size)}{part._remark()}"
            for part, level in self._walk()
            if level > 0
        )

    def to_dataframe(self) -> pandas.DataFrame:
        """Columns "Name", "Size (bytes)", "Level", and where something has them "Other Names", "Type" and "Module": this
        node at level 0, then its components, each before its own.

        ImportError where pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from error
        rows = [
            (_shown(part.name), part.size, level, ", ".join(map(_shown, part.aliases)), _shown(part.dtype), _shown(part.module))
            for part, level in self._walk()
        ]
        frame = pandas.DataFrame(rows, columns=["Name", "Size (bytes)", "Level", *_OPTIONAL])
        return frame.drop(columns=[column for column in _OPTIONAL if not frame[column].any()])

    def _repr_html_(self) -> str:
        """A list of which each component unfolds. Needs nothing but itself: no script, style sheet or network."""
        return f'<div class="pteedit-sizes">{self._html(self.size, is_open=True)}</div>'

    def _walk(self, level: int = 0) -> Iterator[Tuple[SizeDistribution, int]]:
        yield self, level
        for component in self.components:
            yield from component._walk(level + 1)

    def _title(self) -> str:
        aliases = ", ".join(map(_shown, self.aliases))
        return f"{_shown(self.name)} (also {aliases})" if aliases else _shown(self.name)

    def _remark(self) -> str:
        return f" ({_shown(self.note)})" if self.note else ""

    def _html(self, total: int, is_open: bool = False) -> str:
        share = f", {100 * self.size / total:.1f} %" if total else ""
        line = (
            f"{html.escape(self._title())}: <b>{_human_size(self.size)}</b>"
            f" <small>({self.size:,} bytes{share})</small>{html.escape(self._remark())}"
        )
        if not self.components:
            return line
        items = "".join(f"<li>{component._html(total)}</li>" for component in self.components)
        return f"<details{' open' if is_open else ''}><summary>{line}</summary><ul>{items}</ul></details>"


def _human_size(size: int) -> str:
    """"51.23 KB" for 51232, as the tools show it: powers of 1000, the unit by the size itself and not by its rounding."""
    for unit, unit_bytes in _UNITS:
        if size >= unit_bytes:
            return f"{size / unit_bytes:.2f} {unit}"
    return f"{size} B"


def _shown(text: str) -> str:
    return escape_control(text.encode("utf-8", "surrogateescape"))
