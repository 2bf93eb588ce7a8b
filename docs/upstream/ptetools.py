"""What takes the space in a program: executorch.devtools.ptetools, as the PTE Size Inspector RFC (#7088) names it, over pteedit.

    print(size_distribution(exec_prog))                      # at the end of an export script
    size_distribution_from_pte("model.pte").to_dataframe()   # in a notebook

A proposal for ExecuTorch's tree, where it would be devtools/ptetools.py. Needs `pip install pteedit`, and pandas for tables.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, BinaryIO, List, Optional, TYPE_CHECKING, Union

from pteedit import ptetools as _pteedit

if TYPE_CHECKING:
    import pandas as pd

    from executorch.exir import ExecutorchProgramManager


@dataclass
class SizeDistribution:
    """A component: `size` in bytes is the sum over `components`, where it has any."""

    name: str
    size: int
    components: Optional[List[SizeDistribution]] = None

    def __str__(self) -> str:
        """A line for each component, one space of indent a level; of a component that has none, its own line."""
        ours = self._ours()
        return str(ours if self.components else _pteedit.SizeDistribution("", self.size, [ours]))

    def to_dataframe(self) -> pd.DataFrame:
        """Columns "Name", "Size (bytes)" and "Level"."""
        return self._ours().to_dataframe()

    def _repr_html_(self) -> str:
        return self._ours()._repr_html_()

    def _ours(self) -> _pteedit.SizeDistribution:
        return _pteedit.SizeDistribution(self.name, self.size, [part._ours() for part in self.components or []])


def size_distribution(exec_prog: ExecutorchProgramManager) -> SizeDistribution:
    """Of what `exec_prog` writes, its tensor data files included; constants are called as in the exported programs."""
    return _of(_pteedit.size_distribution(exec_prog))


def size_distribution_from_pte(pte_file: Union[str, os.PathLike[str], BinaryIO]) -> SizeDistribution:
    """Of a .pte, .ptd or .bpte file. Only its tables are read."""
    return _of(_pteedit.size_distribution_from_pte(pte_file))


def register_delegate_decoder(backend: str, decoder: Any) -> None:
    """Lets `decoder(blob, backend, compile_specs)` say what is in the blobs of a backend, see `pteedit.register_decoder`."""
    import pteedit

    pteedit.register_decoder(backend, decoder)


def _of(ours: _pteedit.SizeDistribution) -> SizeDistribution:
    return SizeDistribution(ours.name, ours.size, [_of(part) for part in ours.components] or None)
