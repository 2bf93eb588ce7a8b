"""Files behind URLs, read where they lie through fsspec: http(s), and all that it has a package for (s3, hf, gs, ...)."""

from __future__ import annotations

import errno
import threading
import time
from collections import OrderedDict, deque
from typing import Any, BinaryIO, Callable, Deque, Dict, List, Optional, Tuple, TypeVar
from weakref import WeakValueDictionary

_BLOCK = 1 << 16  # what is asked for at least
_KEPT_BLOCKS = 256  # 16 MiB of a file, for tables that are read more than once
_KEPT_FILES = 8  # that nobody reads any more
_MOST_AHEAD = 1 << 22  # of one who reads on and on
_STREAMS = 8  # of those at a time
_TRIES = 4
_FIRST_PAUSE = 0.5  # seconds, then twice as long each time
_CHECK_SECONDS = 1.0  # how often to ask whether the file is still the same, where reading does not ask

Answer = TypeVar("Answer")
Identity = Tuple[Optional[str], ...]

class RemoteFile:
    """Bytes behind a URL. What is read here and there is fetched in blocks, which are kept for a while; whoever reads on gets
    more and more at once. A file that is another by now, and a server that gives no parts, are an OSError."""

    def __init__(self, url: str, size: int, identity: Identity, file: BinaryIO, look: Optional[Callable[[], Identity]]) -> None:
        """`look` finds the identity anew; None where each read is refused once the file is another."""
        self.url, self.size, self.identity = url, size, identity
        self._file, self._look = file, look
        self._lock = threading.Lock()
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        # By where a read ended: what was fetched behind it, and how much is fetched next.
        self._streams: OrderedDict[int, Tuple[memoryview, int]] = OrderedDict()
        self._looked = time.monotonic()

    def read(self, offset: int, size: int) -> bytes:
        """All of it, from any thread. OSError where it cannot be had."""
        with self._lock:
            rest, ahead = self._streams.pop(offset, (None, 0))
            if rest is None:
                rest = self._in_blocks(offset, size)
            elif len(rest) < size:
                begin = offset + len(rest)
                end = min(max(offset + size, begin + ahead), self.size)
                rest = memoryview(bytes(rest) + _again(self.url, lambda: self._part(begin, end)))
            self._streams[offset + size] = (rest[size:], min(2 * max(ahead, size), _MOST_AHEAD))
            while len(self._streams) > _STREAMS:
                self._streams.popitem(last=False)
            return bytes(rest[:size])

    def _in_blocks(self, offset: int, size: int) -> memoryview:
        """What is there, and behind it to the end of a block."""
        first, last = offset // _BLOCK, -(-(offset + size) // _BLOCK)
        blocks = {i: self._blocks.pop(i) for i in range(first, last) if i in self._blocks}
        missing = [i for i in range(first, last) if i not in blocks]
        if missing:  # in one request
            begin, end = missing[0] * _BLOCK, min((missing[-1] + 1) * _BLOCK, self.size)
            part = _again(self.url, lambda: self._part(begin, end))
            blocks.update({i: part[i * _BLOCK - begin :][:_BLOCK] for i in range(missing[0], missing[-1] + 1)})
        self._blocks.update(blocks)
        while len(self._blocks) > _KEPT_BLOCKS:
            self._blocks.popitem(last=False)
        return memoryview(b"".join(blocks[i] for i in range(first, last)))[offset - first * _BLOCK :]

    def _part(self, begin: int, end: int) -> bytes:
        self._file.seek(begin)
        part = self._file.read(end - begin)
        if len(part) != end - begin:
            raise ConnectionError(f"the server gave {len(part)} bytes at {begin:#x}, {end - begin} expected")
        if self._look is not None and time.monotonic() - self._looked > _CHECK_SECONDS:
            if self._look() != self.identity:
                raise OSError(errno.ESTALE, _CHANGED)
            self._looked = time.monotonic()
        return part


_CHANGED = "was changed since it was opened"
_opened: WeakValueDictionary[str, RemoteFile] = WeakValueDictionary()
_recent: Deque[RemoteFile] = deque(maxlen=_KEPT_FILES)
_opening = threading.Lock()


def open_url(url: str) -> RemoteFile:
    """The file as it is now. ImportError where a package is missing, OSError where there is no such file or its size is not
    known. What was fetched of the same file, open elsewhere, is not fetched again."""
    system, path = _store_of(url)

    def look() -> Identity:
        system.invalidate_cache(path)
        return _identity(_again(url, lambda: system.info(path)))

    with _opening:
        system.invalidate_cache(path)
        facts = _again(url, lambda: system.info(path))
        if facts.get("size") is None:
            raise OSError(errno.EINVAL, "the server does not tell its size")
        known = _opened.get(url)
        if known is None or known.identity != _identity(facts):
            words, tag = {}, facts.get("ETag", "W/")
            if url.startswith(("http://", "https://")) and not tag.startswith("W/"):
                words["headers"] = {"If-Match": tag, "Accept-Encoding": "identity"}
            file = _again(url, lambda: system.open(path, "rb", cache_type="none", size=facts["size"], **words))
            known = RemoteFile(url, facts["size"], _identity(facts), file, None if words else look)
            _opened[url] = known
        _recent.append(known)
        return known


def files_below(url: str) -> List[str]:
    """The URLs of all files in a folder and those below it. Fails as `open_url`."""
    system, path = _store_of(url)
    system.invalidate_cache(path)
    found = _again(url, lambda: system.find(path))
    return [system.unstrip_protocol(file) for file in found]


def _store_of(url: str) -> Tuple[Any, str]:
    try:
        import fsspec

        system, path = fsspec.url_to_fs(url)
    except ImportError as cause:
        scheme = url.split("://")[0]
        raise ImportError(f"URLs need pip install 'pteedit[remote]', and {scheme} what fsspec asks for: {cause}") from cause
    return system, path


def _identity(facts: Dict[str, Any]) -> Identity:
    """What tells two files under one URL apart, as far as its store says."""
    names = ("size", "ETag", "etag", "blob_id", "generation", "Last-Modified", "LastModified", "last_modified", "mtime", "created")
    return tuple(str(facts[name]) if facts.get(name) is not None else None for name in names)


def _again(url: str, ask: Callable[[], Answer]) -> Answer:
    """What it answers, after some tries where another one may help. OSError with one line otherwise."""
    for attempt in range(_TRIES):
        try:
            return ask()
        except Exception as error:
            refused = _refusal(error)
            if refused is not None or attempt == _TRIES - 1:
                raise refused or OSError(errno.EIO, f"cannot be read, tried {_TRIES} times: {_line(error)}") from error
        time.sleep(_FIRST_PAUSE * 2**attempt)
    raise AssertionError(url)


def _refusal(error: Exception) -> Optional[OSError]:
    """Where the same question gets the same answer."""
    if isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        return _refusal(error.__cause__)  # as which fsspec raises each failure to look at a file
    status = getattr(error, "status", None)
    if status == 412 or type(error).__name__ == "FileExpired" or getattr(error, "errno", None) == errno.ESTALE:
        return OSError(errno.ESTALE, _CHANGED)
    if isinstance(error, FileNotFoundError) or status == 404:
        return FileNotFoundError(errno.ENOENT, "there is no such file")
    if isinstance(error, PermissionError) or status in (401, 403):
        return PermissionError(errno.EACCES, f"may not be read: {_line(error)}")
    if isinstance(error, ValueError) and ("range requests" in str(error) or "seek" in str(error)):  # of fsspec
        return OSError(errno.EOPNOTSUPP, "the server gives no parts of a file (Range requests); download it first")
    if status is not None and status < 500 and status != 429:
        return OSError(errno.EIO, f"cannot be read: {_line(error)}")
    return None


def _line(error: Exception) -> str:
    if isinstance(error, FileNotFoundError) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    status = getattr(error, "status", None)
    text = f"{status} {getattr(error, 'message', '')}" if status is not None else str(error) or type(error).__name__
    return text.strip().splitlines()[0]
