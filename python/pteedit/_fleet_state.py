"""What `pteedit.fleet` knows, in a folder that all its workers see, and what a worker does with one file.

    sets.json               the programs with their data files
    scan/ID.parquet         of one file: where its contents are and what their SHA-256 is; in the metadata which file it was
    families/ID.parquet     of one family: the pieces of its outputs, a row group each; in the metadata the family
    families.json           those that were decided on
    done/ID.json            an output that was written

Everything appears by renaming, so that whoever is killed leaves nothing half there.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from pteedit import _pteedit, _remote
from pteedit._contents import error
from pteedit._inputs import Path, source_of
from pteedit._pteedit import Container, Source
from pteedit.rewrite import merge

_HASHED_AT_ONCE = 1 << 23
_META = b"pteedit"
_VERSION = 1  # of these files; others are made anew


@dataclass(frozen=True)
class ProgramSet:
    """A program and the data files that it is loaded with."""

    name: str  # of the program among the outputs, "llama/base.pte"
    files: Tuple[str, ...]  # the program first


@dataclass(frozen=True)
class OutputFile:
    name: str
    bytes: int
    data: Optional[Tuple[str, ...]]  # of a program: what it is loaded with; of data None


@dataclass(frozen=True)
class Family:
    """Programs that share, and what comes of them."""

    name: str  # that of the first program, without its extension
    programs: Tuple[str, ...]
    bytes_before: int
    bytes_after: int
    outputs: Tuple[OutputFile, ...]
    plan: str  # what all of it is made of, as a hash


@dataclass(frozen=True)
class OutputPlan:
    """One output to write."""

    family: str
    plan: str
    index: int
    path: str
    bytes: int
    is_data: bool


class State:
    """The folder, which is all that a worker is sent of it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    @staticmethod
    def create(folder: Path, sets: Sequence[ProgramSet]) -> State:
        whole = os.path.abspath(folder)
        for part in ("scan", "families", "done"):
            os.makedirs(os.path.join(whole, part), exist_ok=True)
        _write_json(os.path.join(whole, "sets.json"), [asdict(one) for one in sets])
        return State(whole)

    def sets(self) -> List[ProgramSet]:
        """By name. FileNotFoundError where nothing was scanned."""
        return [ProgramSet(one["name"], tuple(one["files"])) for one in _read_json(os.path.join(self.folder, "sets.json"))]

    def part_of(self, file: str) -> str:
        return os.path.join(self.folder, "scan", f"{_digest(file)}.parquet")

    def plan_of(self, family: str) -> str:
        return os.path.join(self.folder, "families", f"{_digest(family)}.parquet")

    def keep_families(self, families: Sequence[Family]) -> None:
        _write_json(os.path.join(self.folder, "families.json"), [asdict(family) for family in families])

    def families(self) -> List[Family]:
        """FileNotFoundError where nothing was decided."""
        return [_family(members) for members in _read_json(os.path.join(self.folder, "families.json"))]

    def plans(self, family: Family, folder: str) -> List[OutputPlan]:
        return [
            OutputPlan(family.name, family.plan, i, os.path.join(folder, file.name), file.bytes, file.data is None)
            for i, file in enumerate(family.outputs)
        ]

    def take_folder(self, folder: str) -> None:
        """It is there then, and ours: pteedit.Error where others have it."""
        mark = os.path.join(self.folder, "done", f"{_digest(folder)}.folder")
        if os.path.isdir(folder) and os.listdir(folder) and not os.path.exists(mark):
            raise error("invalid-argument", "holds files that were not written with this state; choose another folder", folder)
        os.makedirs(folder, exist_ok=True)
        _write_json(mark, folder)

    def record_of(self, path: str) -> str:
        return os.path.join(self.folder, "done", f"{_digest(path)}.json")

    def keep_manifest(self, folder: str, families: Sequence[Family]) -> None:
        in_families = {name for family in families for name in family.programs}
        programs = {
            file.name: {"bytes": file.bytes, "data": list(file.data)}
            for family in families
            for file in family.outputs
            if file.data is not None
        }
        alone = {one.name: {"files": list(one.files)} for one in self.sets() if one.name not in in_families}
        _write_json(os.path.join(folder, "fleet.json"), {"programs": programs, "alone": alone})


def find_sets(words: Sequence[str]) -> List[ProgramSet]:
    """By name. Programs without a name keep their paths below what these have in common, as `ptemerge` places them.
    pteedit.Error where two would have the same, or there is none."""
    named: List[Tuple[str, List[str]]] = []
    for word in _words_of(words):
        named.extend(_sets_of(word))
    places = [os.path.dirname(files[0]) for name, files in named if not name]
    common = os.path.commonpath(places) if places else ""
    sets: Dict[str, ProgramSet] = {}
    for name, files in named:
        place = os.path.join(name, os.path.basename(files[0])) if name else os.path.relpath(files[0], common)
        if place in sets and sets[place].files != tuple(files):
            raise error("invalid-argument", f"{sets[place].files[0]} and {files[0]} would both become '{place}'; give them names: NAME=FILE")
        sets[place] = ProgramSet(place, tuple(files))
    if not sets:
        raise error("invalid-argument", "there are no programs (.pte)", ", ".join(words))
    return [sets[place] for place in sorted(sets)]


def _words_of(words: Sequence[str]) -> Iterable[str]:
    for word in words:
        if not word.startswith("@"):
            yield word
            continue
        with open(word[1:], encoding="utf-8") as lines:
            yield from (line.rstrip("\n") for line in lines if line.strip())


def _sets_of(word: str) -> List[Tuple[str, List[str]]]:
    """Names, where they were given, and files."""
    if "://" in word and not word.endswith(".pte"):
        return [("", [file]) for file in sorted(_remote.files_below(word)) if file.endswith(".pte")]
    if os.path.isdir(word):
        found = (os.path.join(folder, file) for folder, _, files in os.walk(os.path.abspath(word)) for file in files)
        return [("", [file, *_data_beside(file)]) for file in sorted(found) if file.endswith(".pte")]
    name, files = _pteedit.parse_set(word)
    return [(name, [file if "://" in file else os.path.abspath(file) for file in files])]


def _data_beside(program: str) -> List[str]:
    data = os.path.splitext(program)[0] + ".ptd"
    return [data] if os.path.exists(data) else []


def scan_file(part: str, file: str) -> Optional[int]:
    """Hashes its contents; returns the bytes that were read, None where they are known already."""
    import pyarrow
    from pyarrow import parquet

    identity = identity_of(file)
    if _facts_of(part) == {"version": _VERSION, "file": file, "identity": identity}:
        return None
    source = source_of(file)
    places = _places_of(Container.open(source))
    hashes = [_sha256_of(source, *place) for place in places]
    if identity_of(file) != identity:
        raise OSError(errno.ESTALE, "was changed while it was scanned", file)
    columns = {
        "offset": pyarrow.array([offset for offset, _ in places], pyarrow.uint64()),
        "size": pyarrow.array([size for _, size in places], pyarrow.uint64()),
        "sha256": pyarrow.array(hashes, pyarrow.binary(32)),
    }
    table = pyarrow.table(columns).replace_schema_metadata(_packed({"version": _VERSION, "file": file, "identity": identity}))
    with _renamed_to(part) as path:
        parquet.write_table(table, path)
    return sum(size for _, size in places)


def _places_of(container: Container) -> List[Tuple[int, int]]:
    """Offset and size of each constant and key, as a merge compares them."""
    description = container.describe()
    places = {(row.extent.offset, row.extent.size) for row in description.named_data if row.extent is not None}
    for row in description.tensors:
        if row.extent is not None and row.store in ("segment", "inline"):
            places.add((row.extent.offset, row.extent.size if row.bytes is None else row.bytes))
    return sorted(place for place in places if place[1])


def _sha256_of(source: Source, offset: int, size: int) -> bytes:
    digest = hashlib.sha256()
    for begin in range(offset, offset + size, _HASHED_AT_ONCE):
        digest.update(source.read(begin, min(_HASHED_AT_ONCE, offset + size - begin)))
    return digest.digest()


def identity_of(file: str) -> List[Optional[str]]:
    """What tells it from whatever is there later."""
    if "://" in file:
        return list(_remote.open_url(file).identity)
    facts = os.stat(file)
    return [str(facts.st_size), str(facts.st_mtime_ns), str(facts.st_ino)]


def plan_family(state: State, group: Sequence[ProgramSet]) -> Optional[Family]:
    """Plans what `ptemerge` would write of these programs, without reading what is hashed. None where nothing is shared."""
    name = os.path.splitext(group[0].name)[0]
    files = [file for one in group for file in one.files]
    plan = _digest([_VERSION, _pteedit.__version__, name, [asdict(one) for one in group], [identity_of(file) for file in files]])
    part = state.plan_of(name)
    known = _facts_of(part)
    if known is None or known["plan"] != plan:
        opened = {file: _opened_with_hashes(state, file) for file in sorted(set(files))}
        sets = {one.name: [opened[file] for file in one.files] for one in group}
        planned = merge(sets, shared_name=f"shared/{name}.ptd")
        report = planned.report
        outputs = [OutputFile(file.name, file.bytes, file.data) for file in report.outputs]
        family = Family(name, tuple(sets), report.bytes_before, report.bytes_after, tuple(outputs), plan)
        known = {"version": _VERSION, **asdict(family)}
        _write_pieces(part, planned._planned, known)
    family = _family({key: value for key, value in known.items() if key != "version"})
    return family if any(file.data is None for file in family.outputs) else None


def _opened_with_hashes(state: State, file: str) -> Container:
    from pyarrow import parquet

    part = state.part_of(file)
    facts = _facts_of(part)
    if facts is None or facts["identity"] != identity_of(file):
        raise OSError(errno.ESTALE, "was changed since it was scanned; scan again", file)
    columns = parquet.read_table(part).to_pydict()
    hashes = list(zip(columns["offset"], columns["size"], columns["sha256"]))
    return Container.open(_pteedit.with_hashes(source_of(file), hashes))


def _write_pieces(part: str, planned: _pteedit.Rewrite, facts: Mapping[str, Any]) -> None:
    import pyarrow
    from pyarrow import parquet

    fields = [("source", pyarrow.string()), ("offset", pyarrow.uint64()), ("size", pyarrow.uint64()), ("bytes", pyarrow.binary())]
    schema = pyarrow.schema(fields, metadata=_packed(facts))
    with _renamed_to(part) as path, parquet.ParquetWriter(path, schema) as writer:
        for i in range(len(planned.names)):
            columns = list(zip(*planned.pieces(i)))
            arrays = [pyarrow.array(column, kind) for column, (_, kind) in zip(columns, fields)]
            table = pyarrow.Table.from_arrays(arrays, schema=schema)
            writer.write_table(table, row_group_size=max(1, len(table)))


def write_output(state: State, plan: OutputPlan) -> int:
    """Returns the bytes that were written: 0 where the file is there already."""
    record = state.record_of(plan.path)
    if _is_done(record, plan):
        return 0
    os.makedirs(os.path.dirname(plan.path), exist_ok=True)
    sha256 = _pteedit.write_pieces(plan.path, _pieces_of(state, plan))
    facts = os.stat(plan.path)
    _write_json(record, {"plan": plan.plan, "bytes": facts.st_size, "mtime": facts.st_mtime_ns, "sha256": sha256})
    return plan.bytes


def _is_done(record: str, plan: OutputPlan) -> bool:
    try:
        known, facts = _read_json(record), os.stat(plan.path)
    except (OSError, ValueError):
        return False
    if (known["plan"], known["bytes"]) != (plan.plan, facts.st_size):
        return False
    return bool(known["mtime"] == facts.st_mtime_ns or known["sha256"] == _sha256_of(source_of(plan.path), 0, facts.st_size).hex())


def _pieces_of(state: State, plan: OutputPlan) -> List[Tuple[Optional[Source], int, int]]:
    from pyarrow import parquet

    rows = parquet.ParquetFile(state.plan_of(plan.family)).read_row_group(plan.index).to_pylist()
    opened: Dict[str, Source] = {}
    for file in sorted({row["source"] for row in rows if row["source"] is not None}):
        facts = _facts_of(state.part_of(file))
        if facts is None or facts["identity"] != identity_of(file):
            raise OSError(errno.ESTALE, "was changed since it was scanned; scan again", file)
        opened[file] = source_of(file)
    pieces: List[Tuple[Optional[Source], int, int]] = []
    for row in rows:
        source = opened[row["source"]] if row["source"] is not None else None
        if row["bytes"] is not None:
            source = Source.open_bytes(row["bytes"], "<planned>")
        pieces.append((source, row["offset"], row["size"]))
    return pieces


def _facts_of(part: str) -> Optional[Dict[str, Any]]:
    """What is in the metadata; None where the file is not there or of another version."""
    import pyarrow
    from pyarrow import parquet

    try:
        facts: Dict[str, Any] = json.loads(parquet.read_schema(part).metadata[_META])
    except (OSError, pyarrow.ArrowException):
        return None
    return facts if facts.get("version") == _VERSION else None


def _packed(facts: Mapping[str, Any]) -> Dict[bytes, bytes]:
    return {_META: json.dumps(facts).encode()}


def _family(members: Mapping[str, Any]) -> Family:
    outputs = (OutputFile(file["name"], file["bytes"], _tuple(file["data"])) for file in members["outputs"])
    return Family(**{**members, "programs": tuple(members["programs"]), "outputs": tuple(outputs)})


def _tuple(names: Optional[Sequence[str]]) -> Optional[Tuple[str, ...]]:
    return tuple(names) if names is not None else None


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:32]


@contextlib.contextmanager
def _renamed_to(path: str) -> Iterator[str]:
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".new-")
    os.close(handle)
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _write_json(path: str, content: object) -> None:
    with _renamed_to(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)


def _read_json(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)
