"""Views of the library as plain dicts."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence, Union

from pteedit._decoders import registered_decoders
from pteedit._pteedit import Container

Path = Union[str, bytes, "os.PathLike[str]"]
NamesPath = Union[str, "os.PathLike[str]"]


def delegates(path: Path, data: Sequence[Path] = (), names: Sequence[NamesPath] = ()) -> List[Dict[str, Any]]:
    """What is in each delegate's processed blob: the member `delegates` of `pteinspect --json --delegates`.

    `data` are the data files that the program is loaded with, `names` files that know what contents are called. Names are as in the file, bytes that are not UTF-8 as
    lone surrogates. OSError where a file cannot be read, ValueError where it is malformed.
    """
    files = [_open(file, names) for file in data]
    return _open(path, names).delegates(files, registered_decoders())


def diff(
    old: Path,
    new: Path,
    old_data: Sequence[Path] = (),
    data: Sequence[Path] = (),
    names: Sequence[NamesPath] = (),
) -> Dict[str, Any]:
    """What changed from one file to the other: the member `diff` of `pteinspect --json --diff OLD NEW`.

    `old_data` and `data` are the data files that each is loaded with, `names` files that know what contents are called. Errors as of `delegates`, and ValueError where
    the files are of different kinds.
    """
    before = [_open(file, names) for file in old_data]
    after = [_open(file, names) for file in data]
    return _open(new, names).diff(_open(old, names), before, after, registered_decoders())


def _open(path: Path, names: Sequence[NamesPath]) -> Container:
    file = Container.open_file(path)
    return file.named(names) if names else file
