"""Functions that open files for one look."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from pteedit._diff import Diff
from pteedit._inputs import File, Path
from pteedit._views import Program, open_file


def delegates(path: File, data: Sequence[File] = (), names: Sequence[Path] = ()) -> List[Dict[str, Any]]:
    """What is in each delegate's processed blob: the member `delegates` of `pteinspect --json --delegates`.

    `data` are the data files that the program is loaded with, `names` files that know what contents are called. Names
    are as in the file, bytes that are not UTF-8 as lone surrogates. OSError where a file cannot be read, ValueError
    where it is malformed.
    """
    file = open_file(path, data, names)
    return [delegate.to_dict() for delegate in file.delegates] if isinstance(file, Program) else []


def diff(
    old: File,
    new: File,
    old_data: Sequence[File] = (),
    data: Sequence[File] = (),
    names: Sequence[Path] = (),
) -> Diff:
    """What changed from one file to the other, as `pteinspect --diff OLD NEW` tells it.

    `old_data` and `data` are the data files that each is loaded with, `names` files that know what contents are called.
    Errors as of `delegates`, and ValueError where the files are of different kinds.
    """
    return open_file(old, old_data, names).diff(open_file(new, data, names))
