"""What is wrong with files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence

from pteedit import _pteedit
from pteedit._inputs import File, data_inside, source_of
from pteedit._shown import shown


@dataclass(frozen=True)
class Finding:
    """Something wrong with a file. docs/findings.md says of each `id` what it means and who minds."""

    id: str  # "segment-out-of-file"
    severity: str  # "error": something refuses it, crashes or answers wrongly; "warning"
    where: str  # "segment 3"; empty for the file as a whole
    message: str
    file: str  # its name

    def __str__(self) -> str:
        """As `pteinspect --verify` prints it."""
        where = f"{shown(self.where)} " if self.where else ""
        return f"{self.severity} {self.id}: {where}{shown(self.message)}"


def verify(file: File, data: Sequence[File] = (), *, hash_keys: bool = True) -> List[Finding]:
    """What a runtime refuses, crashes on or silently answers wrongly, in a file or a program with its data files.

    Takes damaged files, too, which `open` refuses. `hash_keys` compares contents with the hashes that are their keys, for
    which all of them are read. OSError where a file cannot be read, pteedit.Error where it is none of our kinds.

    >>> verify("data/f02_linear.pte")
    []
    """
    others = list(data) or list(data_inside(file))
    found = _pteedit.verify(source_of(file), [source_of(other) for other in others], hash_keys)
    return [finding for name, rows in found for finding in findings_of(name, rows)]


def findings_of(file: str, rows: Sequence[Dict[str, Any]]) -> List[Finding]:
    return [Finding(row["id"], row["severity"], row["where"], row["message"], file) for row in rows]
