"""What operations take as a file, and how it is opened."""

from __future__ import annotations

import io
import os
import threading
from typing import BinaryIO, Dict, List, Optional, Sequence, Tuple, Union

from pteedit import _pteedit
from pteedit._pteedit import Container, ContentNames, Source

Path = Union[str, "os.PathLike[str]"]


class Opened:
    """What `pteedit.open` answers with for one file: the opened file, and the data files that it was opened with."""

    _container: Container
    _data_files: Tuple[Container, ...]


File = Union[Path, bytes, BinaryIO, Container, Opened]


class Opener:
    """Opens each file once: contents of one file count once however often it is given."""

    def __init__(self, names: Sequence[Path] = (), to_look: bool = False) -> None:
        """`to_look`: packages of the native backend, too, which are merged and not rewritten otherwise."""
        self._open = Container.open_to_look if to_look else Container.open
        self._takes_packages = to_look
        self._names = ContentNames(names) if names else None
        self._opened: Dict[str, Container] = {}

    def __call__(self, file: File) -> Container:
        if isinstance(file, Opened):
            file = file._container
        if isinstance(file, Container):
            is_refused = file.kind == "ptn" and not self._takes_packages
            return self._open(file.source) if is_refused else self._named(file)
        if not isinstance(file, (str, os.PathLike)):
            return self._named(self._open(source_of(file)))
        path = file if isinstance(file, str) and "://" in file else os.path.realpath(file)
        if path not in self._opened:
            self._opened[path] = self._named(self._open(source_of(file)))
        return self._opened[path]

    def all(self, files: Sequence[File]) -> List[Container]:
        return [self(file) for file in files]

    def matched(self, files: Sequence[File]) -> Tuple[List[Container], Optional[ContentNames]]:
        """Files that hold the same bytes, and checkpoints (paths that end in .safetensors) that hold the same tensors."""
        checkpoints: List[Path] = []
        others: List[Container] = []
        for file in files:
            if isinstance(file, (str, os.PathLike)) and os.fspath(file).endswith(".safetensors"):
                checkpoints.append(file)
            else:
                others.append(self(file))
        return others, ContentNames(checkpoints) if checkpoints else None

    def data_of(self, file: File, given: Sequence[File]) -> List[Container]:
        """The data files of a file: those given, else those inside an archive or those that it was opened with."""
        if given:
            return self.all(given)
        if isinstance(file, Opened):
            return [self._named(data) for data in file._data_files]
        return self.all(data_inside(file))

    def _named(self, file: Container) -> Container:
        return file.named(self._names) if self._names else file


def source_of(file: File) -> Source:
    """The bytes, which need be no file of ours."""
    if isinstance(file, Opened):
        return file._container.source
    if isinstance(file, Container):
        return file.source
    if isinstance(file, bytes):
        return Source.open_bytes(file, "<bytes>")
    if isinstance(file, (str, os.PathLike)):
        return Source.open_file(file)
    if isinstance(file, io.TextIOBase) or not hasattr(file, "seek"):
        raise TypeError(f"a path, bytes or a binary file expected, not {type(file).__name__}")
    return _source_of_stream(file)


def data_inside(file: File) -> List[str]:
    """The data files in an archive (.etm), as paths; of all else none."""
    return _pteedit.data_inside(file) if isinstance(file, (str, os.PathLike)) else []


def _source_of_stream(file: BinaryIO) -> Source:
    lock = threading.Lock()  # the library reads from several threads, and a stream has one place

    def read(offset: int, size: int) -> bytes:
        with lock:
            file.seek(offset)
            parts: List[bytes] = []
            while size > 0:  # raw files may give less at a time
                part = file.read(size)
                if not part:
                    break
                parts.append(part)
                size -= len(part)
            return b"".join(parts)

    return Source.open_callback(read, file.seek(0, os.SEEK_END), str(getattr(file, "name", "<stream>")))
