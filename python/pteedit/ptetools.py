"""What takes the space in an ExecuTorch program: a tree of sizes, from the exporter's program or from a file.

    print(size_distribution(exec_prog))               # at the end of an export script
    size_distribution_from_pte("model.pte")           # in a notebook; also .ptd and .bpte
"""

from __future__ import annotations

import io
import os
import tempfile
from typing import Iterator, Protocol, Sequence, Tuple, Union

from pteedit._constant_names import contents_of
from pteedit._decoders import registered_decoders
from pteedit._inputs import File
from pteedit._pteedit import Container, ContentNames
from pteedit._size_distribution import SizeDistribution, from_node
from pteedit._views import open_file

__all__ = ["SizeDistribution", "size_distribution", "size_distribution_from_pte"]


class ProgramWriter(Protocol):
    """What `size_distribution` needs of an ExecutorchProgramManager."""

    def write_to_file(self, open_file: io.BufferedWriter) -> None: ...


def size_distribution(exec_prog: ProgramWriter) -> SizeDistribution:
    """The sizes of what `exec_prog` writes: the program's components, then each of its tensor data files as one more.

    The root is "Total Size", all files together. Constants, and keys that are hashes, are called by their names in the
    exported programs, where the program manager has these. Writes to temporary files, so that nothing is in memory
    twice; OSError where that fails.
    """
    with tempfile.TemporaryDirectory(prefix="pteedit-") as folder:
        program_path = os.path.join(folder, "program.pte")
        with open(program_path, "wb") as file:
            exec_prog.write_to_file(file)
        names = ContentNames(contents=contents_of(exec_prog))
        program = Container.open_file(program_path).named(names)
        sizes = from_node(program.measure_sizes(True, registered_decoders()))
        for name, path in write_tensor_data(exec_prog, os.path.join(folder, "data")):
            data_file = Container.open_file(path).named(names)
            data = from_node(data_file.measure_sizes(True, registered_decoders()))
            sizes.components.append(SizeDistribution(name, data.size, data.components))
            sizes.size += data.size
    return sizes


def size_distribution_from_pte(
    pte_file: File, names: Sequence[Union[str, os.PathLike[str]]] = ()
) -> SizeDistribution:
    """The sizes of a .pte, .ptd or .bpte file: a path, an open binary file that can seek, or what is open.

    `names` are files that know what its contents are called: checkpoints (.safetensors), records, metadata of blobs.
    The root is "Total Size", the file's size. Reads the file's tables and not its weights. OSError where the file cannot
    be read, ValueError where it is malformed or none of these kinds, with one line that says what is wrong.
    """
    return open_file(os.fsdecode(pte_file) if isinstance(pte_file, bytes) else pte_file, names=names).sizes()


def write_tensor_data(exec_prog: ProgramWriter, folder: str) -> Iterator[Tuple[str, str]]:
    """Name and path of each tensor data file, by name."""
    write = getattr(exec_prog, "write_tensor_data_to_file", None)
    # Releases differ in what a program without such data has here; some refuse to write nothing.
    if write is None or not getattr(exec_prog, "_tensor_data", True):
        return
    os.mkdir(folder)
    write(folder)
    for name in sorted(os.listdir(folder)):
        yield name, os.path.join(folder, name)
