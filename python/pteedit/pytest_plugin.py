"""A gate in tests of export scripts, which pytest finds by itself:

    def test_fits_the_device(pte_size):
        pte_size("model.pte", limit="12 MB")
        pte_size(exec_prog, limit=4_000_000)
"""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Union

import pytest

from pteedit.ptetools import SizeDistribution, size_distribution, size_distribution_from_pte

__all__ = ["pte_size"]

_UNITS = {"": 1, "B": 1, "KB": 1000, "MB": 1000**2, "GB": 1000**3}


@pytest.fixture
def pte_size() -> Callable[..., SizeDistribution]:
    """`pte_size(program, limit)` fails, with what takes the space, where a file or what an ExecutorchProgramManager writes,
    data files included, is larger; otherwise it returns the sizes. `limit`: bytes, or a text such as "1.5 MB", of 1000 each."""

    def check(program: Any, limit: Union[int, str]) -> SizeDistribution:
        given: Any = program
        is_file = isinstance(given, (str, bytes, os.PathLike)) or hasattr(given, "read")
        sizes = size_distribution_from_pte(program) if is_file else size_distribution(program)
        most = _bytes_of(limit)
        if sizes.size > most:
            name = os.fsdecode(program) if isinstance(program, (str, bytes, os.PathLike)) else "the program"
            pytest.fail(f"{name} has {sizes.size} bytes, {sizes.size - most} more than {most}\n{sizes}", pytrace=False)
        return sizes

    return check


def _bytes_of(limit: Union[int, str]) -> int:
    if isinstance(limit, int):
        return limit
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?B?)\s*", limit)
    if found is None or found[2] in ("K", "M", "G"):
        raise ValueError(f"{limit!r} is no size; 4096, '4096 B' and '1.5 MB' are")
    return round(float(found[1]) * _UNITS[found[2]])
