"""Views of the library as plain dicts."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence, Union

from pteedit._decoders import registered_decoders
from pteedit._pteedit import Container

Path = Union[str, bytes, "os.PathLike[str]"]


def delegates(path: Path, data: Sequence[Path] = ()) -> List[Dict[str, Any]]:
    """What is in each delegate's processed blob: the member `delegates` of `pteinspect --json --delegates`.

    `data` are the data files that the program is loaded with. Names are as in the file, bytes that are not UTF-8 as
    lone surrogates. OSError where a file cannot be read, ValueError where it is malformed.
    """
    files = [Container.open_file(file) for file in data]
    return Container.open_file(path).delegates(files, registered_decoders())


def diff(old: Path, new: Path, old_data: Sequence[Path] = (), data: Sequence[Path] = ()) -> Dict[str, Any]:
    """What changed from one file to the other: the member `diff` of `pteinspect --json --diff OLD NEW`.

    `old_data` and `data` are the data files that each is loaded with. Errors as of `delegates`, and ValueError where
    the files are of different kinds.
    """
    before = [Container.open_file(file) for file in old_data]
    after = [Container.open_file(file) for file in data]
    return Container.open_file(new).diff(Container.open_file(old), before, after, registered_decoders())
