"""A tree of sizes, and how it is shown."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Iterator, List, Tuple

from pteedit._pteedit import SizeNode
from pteedit._shown import counted, human_size, shown

if TYPE_CHECKING:
    import pandas

_OPTIONAL = ("Other Names", "Type", "Module")


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
    components: List[SizeDistribution] = field(default_factory=list)  # None is taken for an empty list
    aliases: List[str] = field(default_factory=list)
    note: str = ""
    dtype: str = ""
    module: str = ""

    def __post_init__(self) -> None:
        if self.components is None:  # as the RFC has it for what has no components
            self.components = []

    def __repr__(self) -> str:
        return f"<SizeDistribution {self.name!r} {human_size(self.size)}: {counted(len(self.components), 'component')}>"

    def __str__(self) -> str:
        """One line for each component at any depth, "name: 51.23 KB", one space of indent a level below the first; its own
        line where it has none.

        >>> print(SizeDistribution("weight", 51232))
        weight: 51.23 KB
        """
        if not self.components:
            return self._line()
        return "\n".join(" " * (level - 1) + part._line() for part, level in self._walk() if level > 0)

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
            (shown(part.name), part.size, level, ", ".join(map(shown, part.aliases)), shown(part.dtype), shown(part.module))
            for part, level in self._walk()
        ]
        frame = pandas.DataFrame(rows, columns=["Name", "Size (bytes)", "Level", *_OPTIONAL])
        return frame.drop(columns=[column for i, column in enumerate(_OPTIONAL) if not any(row[3 + i] for row in rows)])

    def _repr_html_(self) -> str:
        """A list of which each component unfolds. Needs nothing but itself: no script, style sheet or network."""
        return f'<div class="pteedit-sizes">{self._html(self.size, is_open=True)}</div>'

    def _walk(self, level: int = 0) -> Iterator[Tuple[SizeDistribution, int]]:
        yield self, level
        for component in self.components:
            yield from component._walk(level + 1)

    def _line(self) -> str:
        return f"{self._title()}: {human_size(self.size)}{self._remark()}"

    def _title(self) -> str:
        aliases = ", ".join(map(shown, self.aliases))
        return f"{shown(self.name)} (also {aliases})" if aliases else shown(self.name)

    def _remark(self) -> str:
        return f" ({shown(self.note)})" if self.note else ""

    def _html(self, total: int, is_open: bool = False) -> str:
        share = f", {100 * self.size / total:.1f} %" if total else ""
        line = (
            f"{html.escape(self._title())}: <b>{human_size(self.size)}</b>"
            f" <small>({self.size:,} bytes{share})</small>{html.escape(self._remark())}"
        )
        if not self.components:
            return line
        items = "".join(f"<li>{component._html(total)}</li>" for component in self.components)
        return f"<details{' open' if is_open else ''}><summary>{line}</summary><ul>{items}</ul></details>"



def from_node(node: SizeNode) -> SizeDistribution:
    """The library's tree as ours."""
    components = [from_node(component) for component in node.components]
    return SizeDistribution(node.name, node.size, components, list(node.aliases), node.note, node.dtype, node.module)
