"""Which programs of a fleet are a family: found by the engine, of all contents at once."""

from __future__ import annotations

import hashlib
import importlib
import os
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple

from pteedit._fleet_state import ProgramSet, State

if TYPE_CHECKING:
    import pandas

# What is smaller a merge shares with nobody (docs/rewrite.md).
_LEAST_BYTES = 200
# Sets that one task reads the parts of.
_SETS_AT_ONCE = 64

Numbered = Tuple[int, Tuple[str, ...]]  # a set and its parts


def find_families(state: State, min_share: float) -> Tuple[List[List[ProgramSet]], List[str]]:
    """Families of two or more in the order of their names, and the names of sets that were not scanned."""
    dask: Any = importlib.import_module("dask")
    frames: Any = importlib.import_module("dask.dataframe")
    parts = {one: tuple(map(state.part_of, one.files)) for one in state.sets()}
    scanned = [one for one in parts if all(map(os.path.exists, parts[one]))]
    left_out = [one.name for one in parts if one not in set(scanned)]
    if not scanned:
        return [], left_out
    numbered = [(i, parts[one]) for i, one in enumerate(scanned)]
    chunks = [numbered[i : i + _SETS_AT_ONCE] for i in range(0, len(numbered), _SETS_AT_ONCE)]
    with dask.config.set({"dataframe.shuffle.method": "tasks"}):
        frame = frames.from_map(_contents_of, chunks, meta=_contents_of([]))
        few = max(1, len(chunks) // 8)
        contents = frame.groupby("content").agg({"mark": "sum", "one": "sum"}, split_out=few)
        shared = contents[contents["one"] > 1][["mark"]].rename(columns={"mark": "block"})
        blocks = frame.merge(shared, left_on="content", right_index=True).groupby(["block", "set"])["size"].sum(split_out=few)
        sizes = frame.groupby("set")["size"].sum()
        block_bytes, set_bytes = dask.compute(blocks, sizes)
    linked = _linked(block_bytes.to_dict(), set_bytes.to_dict(), min_share)
    return [[scanned[i] for i in members] for members in linked], left_out


def _contents_of(chunk: Sequence[Numbered]) -> pandas.DataFrame:
    """Each content of each set once, with a mark of the set: blocks are known by the sum of these."""
    import pandas
    from pyarrow import parquet

    frames = [pandas.DataFrame({name: pandas.Series(dtype="int64") for name in ("content", "size", "set", "mark", "one")})]
    for number, parts in chunk:
        tables = [parquet.read_table(part, columns=["sha256", "size"]) for part in parts]
        rows = [row for table in tables for row in zip(*(column.to_pylist() for column in table.columns))]
        sizes = {_number(sha256): size for sha256, size in rows if size >= _LEAST_BYTES}
        frame = pandas.DataFrame({"content": list(sizes), "size": list(sizes.values())}, dtype="int64")
        mark = _number(hashlib.sha256(str(number).encode()).digest())
        frames.append(frame.assign(set=number, mark=mark, one=1))
    return pandas.concat(frames, ignore_index=True)


def _number(sha256: bytes) -> int:
    """Enough of it to find families by; a merge compares all of it."""
    return int.from_bytes(sha256[:8], "little", signed=True)


def _linked(blocks: Dict[Tuple[int, int], int], sizes: Dict[int, int], min_share: float) -> List[List[int]]:
    """Sets that blocks link, directly or not. A block links those of which it is at least `min_share` percent."""
    leaders: Dict[int, int] = {}

    def leader(one: int) -> int:
        while leaders.setdefault(one, one) != one:
            leaders[one] = one = leaders[leaders[one]]
        return one

    first: Dict[int, int] = {}  # of each block
    for (block, one), size in sorted(blocks.items()):
        if 100 * size >= min_share * sizes[one]:
            a, b = leader(first.setdefault(block, one)), leader(one)
            leaders[max(a, b)] = min(a, b)
    families: Dict[int, List[int]] = {}
    for one in sorted(leaders):
        families.setdefault(leader(one), []).append(one)
    return [members for members in families.values() if len(members) > 1]
