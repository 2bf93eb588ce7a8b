"""What takes the space in an ExecuTorch program: a tree of sizes.

    size_distribution_from_pte("model.pte")           # in a notebook; also .ptd and .bpte
"""

from __future__ import annotations

import os
from typing import BinaryIO, List, Union

from pteedit._pteedit import Container, SizeNode
from pteedit._size_distribution import SizeDistribution

__all__ = ["SizeDistribution", "size_distribution_from_pte"]


def size_distribution_from_pte(pte_file: Union[str, bytes, os.PathLike[str], BinaryIO]) -> SizeDistribution:
    """The sizes of a .pte, .ptd or .bpte file: a path, or an open binary file that can seek.

    The root is "Total Size", the file's size. Reads the file's tables and not its weights. OSError where the file cannot
    be read, ValueError where it is malformed or none of these kinds, with one line that says what is wrong.
    """
    if isinstance(pte_file, (str, bytes, os.PathLike)):
        return _from_node(Container.open_file(pte_file).measure_sizes())
    return _from_node(_open_stream(pte_file).measure_sizes())


def _open_stream(file: BinaryIO) -> Container:
    def read(offset: int, size: int) -> bytes:
        file.seek(offset)
        parts: List[bytes] = []
        while size > 0:  # raw files may give less at a time
            part = file.read(size)
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    return Container.open_callback(read, file.seek(0, os.SEEK_END), str(getattr(file, "name", "<stream>")))


def _from_node(node: SizeNode) -> SizeDistribution:
    components = [_from_node(component) for component in node.components]
    return SizeDistribution(node.name, node.size, components, list(node.aliases), node.note)
