"""Views of the library as plain dicts."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence, Union

from pteedit._decoders import registered_decoders
from pteedit._pteedit import Container, ContentNames

Path = Union[str, bytes, "os.PathLike[str]"]
NamesPath = Union[str, "os.PathLike[str]"]


def delegates(path: Path, data: Sequence[Path] = (), names: Sequence[NamesPath] = ()) -> List[Dict[str, Any]]:
    """What is in each delegate's processed blob: the member `delegates` of `pteinspect --json --delegates`.

    `data` are the data files that the program is loaded with, `names` files that know what contents are called. Names
    are as in the file, bytes that are not UTF-8 as lone surrogates. OSError where a file cannot be read, ValueError
    where it is malformed.
    """
    file, *data_files = _open([path, *data], names)
    return file.delegates(data_files, registered_decoders())


def diff(
    old: Path,
    new: Path,
    old_data: Sequence[Path] = (),
    data: Sequence[Path] = (),
    names: Sequence[NamesPath] = (),
) -> Dict[str, Any]:
    """What changed from one file to the other: the member `diff` of `pteinspect --json --diff OLD NEW`.

    `old_data` and `data` are the data files that each is loaded with, `names` files that know what contents are called.
    Errors as of `delegates`, and ValueError where the files are of different kinds.
    """
    before, after, *files = _open([old, new, *old_data, *data], names)
    count = len(old_data)
    return after.diff(before, files[:count], files[count:], registered_decoders())


def _open(paths: Sequence[Path], names: Sequence[NamesPath]) -> List[Container]:
    files = [Container.open_file(path) for path in paths]
    if not names:
        return files
    contents = ContentNames(names)  # one for all: it reads a checkpoint once
    return [file.named(contents) for file in files]
