"""Opened files: what is in them, looked up when it is asked for, from one walk over their tables."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, BinaryIO, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

from pteedit import package
from pteedit._contents import Buffer, Constant, Content, NamedData, Names, Row, constants_of, error, named_data_of
from pteedit._decoders import registered_decoders
from pteedit._diff import Diff, Difference, diff_of
from pteedit._findings import Finding, findings_of, verify
from pteedit._inputs import File as Input
from pteedit._inputs import Opened, Opener, Path, data_inside
from pteedit._methods import Delegate, Method, NativeMethod, Plain, Rows, constant_methods_of, methods_of
from pteedit._pteedit import Container, Description, Extent, is_archive
from pteedit._shown import counted, human_size, shown, table
from pteedit._size_distribution import SizeDistribution, from_node
from pteedit._test_cases import TestCase, test_values


@dataclass(frozen=True)
class Segment:
    """A piece of a file, `bytes` from `offset` on, and what lies in it."""

    index: int
    offset: int
    bytes: int
    alignment: int  # that its place and those of the others show
    users: Tuple[str, ...]  # "constants", "mutable data 0", "XnnpackBackend_0", "key 'a'"

    def _row(self) -> Row:
        return {"Index": str(self.index), "Size": human_size(self.bytes), "Users": ", ".join(self.users)}


@dataclass(frozen=True)
class Operator:
    """An operator that a program lists: how often its instructions call it, and in which methods."""

    name: str  # "aten::add.out"
    calls: int
    methods: Tuple[str, ...]

    def _row(self) -> Row:
        return {"Name": self.name, "Calls": str(self.calls), "Methods": ", ".join(self.methods)}


def operators_of(description: Description) -> Tuple[Operator, ...]:
    return Rows(Operator(row.name, row.calls, tuple(row.methods)) for row in description.operators)


@dataclass(frozen=True)
class SizeGroup:
    """Bytes that are the same on each axis: `names` has what they are on `axes`, "(none)" and "(several)" among them."""

    axes: Tuple[str, ...]
    names: Tuple[str, ...]
    bytes: int

    def _row(self) -> Row:
        return {**{axis.capitalize(): name for axis, name in zip(self.axes, self.names)}, "Size": human_size(self.bytes)}


@dataclass(frozen=True)
class RetainedSize:
    """Bytes that nothing else of its kind needs."""

    kind: str  # "method", "delegate", "operator"
    name: str
    bytes: int
    components: Mapping[str, int] = field(hash=False)  # of those bytes, "Named Data"

    def _row(self) -> Row:
        return {"Kind": self.kind, "Name": self.name, "Retained": human_size(self.bytes)}


@dataclass(frozen=True)
class Requirements:
    """What a file needs to run. Lists have the members of `pteinspect --json --requirements`, which is `to_dict()`."""

    min_runtime: str  # the oldest release that loads it, "0.7"
    data_files: int  # how many a loader must take
    data: List[str]  # those of the given ones, in the order that they are to be loaded in
    memory_bytes: Optional[int]  # files, and planned and scratch memory of the method that takes most; None of a data file
    operators: List[Dict[str, Any]]
    backends: List[Dict[str, Any]]
    external_keys: List[Dict[str, Any]]
    not_in_stock_libraries: List[str]  # operators that no kernel library of ExecuTorch has
    members: Mapping[str, Any]

    def to_dict(self) -> Dict[str, Any]:
        return dict(self.members)

    def __repr__(self) -> str:
        backends = ", ".join(backend["name"] for backend in self.backends) or "none"
        counts = counted(len(self.operators), "operator"), counted(self.data_files, "data file")
        return f"<Requirements release {self.min_runtime}, {counts[0]}, backends {backends}, {counts[1]}>"


class File(Opened):
    """An opened file: a `Program`, `Bundle`, `DataFile` or `NativePackage`.

    Opening reads the tables; everything else is read when it is asked for, and weights only where they are looked at.
    """

    def __init__(self, container: Container, data_files: Sequence[Container] = ()) -> None:
        self._container, self._data_files = container, tuple(data_files)
        self._buffer = Buffer(container.source)

    @property
    def name(self) -> str:
        """Its path, or "<bytes>" and the like."""
        return self._container.name

    @property
    def size(self) -> int:
        """In bytes."""
        return self._container.size

    @cached_property
    def data(self) -> Tuple[DataFile, ...]:
        """The data files that it was opened with."""
        return tuple(map(DataFile, self._data_files))

    @cached_property
    def _description(self) -> Description:
        return self._container.describe()

    @cached_property
    def constants(self) -> Names[Constant]:
        """Constants and initial states of mutable buffers, of a data file its entries with a layout, by name."""
        outside: Dict[str, Content] = {}
        for data in self.data:
            for key, entry in data.named_data.items():
                outside.setdefault(key, entry)
        return constants_of(self._description, self._buffer, outside)

    @cached_property
    def named_data(self) -> Names[NamedData]:
        """Its entries by key."""
        return named_data_of(self._description, self._buffer)

    @cached_property
    def segments(self) -> Tuple[Segment, ...]:
        """By index."""
        return Rows(
            Segment(row.index, row.extent.offset, row.extent.size, row.alignment, tuple(row.users))
            for row in self._description.segments
        )

    def sizes(self) -> SizeDistribution:
        """What takes the space: a tree whose leaves add up to the file, in bytes.

        >>> print(open("data/f04/w.ptd").sizes().components[1])
        fc.weight: 128 B
        """
        return from_node(self._container.measure_sizes(True, registered_decoders()))

    def verify(self, *, hash_keys: bool = True) -> List[Finding]:
        """What is wrong with it and its data files; see `pteedit.verify`."""
        return verify(self, self._data_files, hash_keys=hash_keys)

    def diff(self, other: Input) -> Diff:
        """What changed from this file to the other, as `pteinspect --diff THIS OTHER` tells it. pteedit.Error where they are
        of different kinds."""
        opened = Opener(to_look=True)
        new, data = opened(other), opened.data_of(other, ())
        return diff_of(new.diff(self._container, list(self._data_files), data, registered_decoders()))

    def first_difference(self, other: Input, *, stack_traces: bool = True) -> Optional[Difference]:
        """Where a runtime would see two files differ; None where only places, order and padding do. `stack_traces`: whether
        they count."""
        opened = Opener(to_look=True)
        data = list(self._data_files)
        found = self._container.first_difference(opened(other), data, opened.data_of(other, ()), stack_traces)
        return Difference(*found) if found is not None else None

    def same(self, other: Input, *, stack_traces: bool = True) -> bool:
        """Whether there is no `first_difference`."""
        return self.first_difference(other, stack_traces=stack_traces) is None

    def html(self, *views: str) -> str:
        """The page that `pteinspect --html` writes, which needs neither network nor server: with treemap, and all views,
        findings and what it holds twice, for which all bytes are read; or with these views, "methods", "named-data"."""
        options = [f"--{view}" for view in views]
        return self._container.page(list(self._data_files), registered_decoders(), options)

    def _counts(self) -> List[str]:
        return [counted(len(self.constants), "constant"), counted(len(self.named_data), "key")]

    def _facts(self) -> Dict[str, str]:
        return {"Size": human_size(self.size), "Constants": str(len(self.constants)), "Keys": str(len(self.named_data))}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {human_size(self.size)}: {', '.join(self._counts())}>"

    def _repr_html_(self) -> str:
        facts = table([{"File": self.name, **self._facts()}], 1)
        page = html.escape(self.html(*_QUICK_VIEWS), quote=True)
        return f'{facts}<iframe sandbox="allow-scripts" style="width:100%;height:36em;border:0" srcdoc="{page}"></iframe>'


# That read no weights.
_QUICK_VIEWS = ("methods", "tensors", "named-data", "delegates", "operators", "memory", "requirements")


class Loadable(File):
    """What runtimes load: a `Program` or `DataFile`."""

    @cached_property
    def metadata(self) -> Dict[str, Any]:
        """Facts about the model: what is stored as "metadata.KEY", under KEY, and what constant methods return, under their
        names. The bytes of the first do not tell their type, it is guessed: a str where they are text; else an int, a
        float where it would be an int of more than 53 bits; a list of ints; else bytes."""
        facts: Dict[str, Any] = dict(constant_methods_of(self._container))
        for key, value in self._container.metadata():
            facts[key] = value if value is not None else bytes(self.named_data["metadata." + key].data)
        return facts

    def requirements(self) -> Requirements:
        """What it needs to run, together with its data files: operators, backends, keys, the oldest release."""
        members = self._container.requirements(list(self._data_files), registered_decoders())
        names = (one.name for one in fields(Requirements) if one.name != "members")
        return Requirements(**{name: members[name] for name in names}, members=members)

    def sizes_by(self, *axes: str) -> Tuple[SizeGroup, ...]:
        """Its bytes and those of its data files by one or two of "component", "method", "delegate", "backend", "operator",
        "dtype", as `pteinspect --by` tells them: the largest first. They add up to the files.

        >>> open("data/f03_mlp_xnn.pte").sizes_by("backend")[0]
        SizeGroup(axes=('backend',), names=('XnnpackBackend',), bytes=8528)
        """
        known = ("component", "method", "delegate", "backend", "operator", "dtype")
        if len(set(axes)) != len(axes) or len(axes) not in (1, 2) or not set(axes) <= set(known):
            raise error("invalid-argument", f"sizes are by one or two of {', '.join(known)}, not {', '.join(axes) or 'none'}")
        rows = self._container.sizes_by(list(axes), list(self._data_files), registered_decoders())
        return Rows(SizeGroup(axes, tuple(names), size) for names, size in rows)

    def retained(self) -> Tuple[RetainedSize, ...]:
        """What dropping each method, delegate or operator would save, in it and its data files, as `pteinspect --retained`
        tells it; by kind, the largest first."""
        rows = self._container.retained(list(self._data_files), registered_decoders())
        return Rows(RetainedSize(*row) for row in rows)


class NativePackage(File):
    """A package of the native backend (.ptn), which no runtime loads and nothing rewrites. Its `constants` are its tensors,
    its `segments` the members of the archive.

    >>> open("data/native/tuned.ptn")
    <NativePackage 'data/native/tuned.ptn' 7.00 KB: 1 method, 8 constants, 8 keys>
    """

    @cached_property
    def methods(self) -> Names[NativeMethod]:
        """By name."""
        return Names({row.name: NativeMethod(row) for row in self._description.methods})

    @cached_property
    def operators(self) -> Tuple[Operator, ...]:
        """By name."""
        return operators_of(self._description)

    def _counts(self) -> List[str]:
        return [counted(len(self.methods), "method"), *super()._counts()]


class DataFile(Loadable):
    """A data file (.ptd): tensors and other bytes under keys, which programs are loaded with.

    >>> weights = open("data/f04/w.ptd")
    >>> weights.constants["fc.weight"]
    <Constant 'fc.weight' float32[4,8], 128 B>
    >>> weights.constants["fc.weight"].numpy().shape
    (4, 8)
    """


class Program(Loadable):
    """A program (.pte), with the data files that it is loaded with.

    >>> program = open("data/f02_linear.pte")
    >>> program.methods["forward"]
    <Method 'forward' (float32[2,8]) -> (float32[2,4]), 2 instructions, 224 B planned>
    >>> program.methods["forward"].operators
    {'aten::permute_copy.out': 1, 'aten::addmm.out': 1}
    """

    @cached_property
    def methods(self) -> Names[Method]:
        """By name, in the order of the file."""
        return Names(
            methods_of(
                self._container,
                self._description.methods,
                lambda: self._instructions,
                lambda: self._memory,
                lambda: self.delegates,
            )
        )

    @cached_property
    def operators(self) -> Tuple[Operator, ...]:
        """By name; those that no instruction calls have 0 calls."""
        return operators_of(self._description)

    @cached_property
    def delegates(self) -> Tuple[Delegate, ...]:
        """What backends compiled, in the order of the file. Reads the blobs that can be decoded."""
        rows = self._container.delegates(list(self._data_files), registered_decoders())
        return Rows(Delegate(members, Extent(offset, members["size"]), self._buffer) for members, offset in rows)

    @cached_property
    def constant_methods(self) -> Mapping[str, Plain]:
        """What methods without inputs and instructions return, such as "get_eos_ids"; of a tensor its type."""
        return constant_methods_of(self._container)

    @cached_property
    def _instructions(self) -> List[List[Tuple[Any, ...]]]:
        return self._container.instructions()

    @cached_property
    def _memory(self) -> List[Tuple[Any, ...]]:
        return self._container.memory()

    def _facts(self) -> Dict[str, str]:
        size = {"Size": human_size(self.size), "Methods": ", ".join(map(shown, self.methods))}
        return {**size, **super()._facts()}

    def _counts(self) -> List[str]:
        return [counted(len(self.methods), "method"), *super()._counts()]


class Bundle(Program):
    """A bundled program (.bpte): a program with cases to test it on. All but `size`, `sizes()` and `test_cases` is about the
    program.

    >>> open("data/f11_bundled_portable.bpte").test_cases[0]
    <TestCase of 'forward', 1 input, 1 expected output>
    """

    @cached_property
    def test_cases(self) -> Tuple[TestCase, ...]:
        """In the order of the file."""
        rows = self._container.test_cases()
        return Rows(TestCase(method, *(test_values(some, self._buffer) for some in values)) for method, *values in rows)

    def _counts(self) -> List[str]:
        return [*super()._counts(), counted(len(self.test_cases), "test case")]


class Package:
    """A release in a folder, or an archive (.etm) of one variant: programs, each with its data files.

    `release` is the former's manifest, see `pteedit.package`; None of an archive.
    """

    def __init__(
        self,
        path: str,
        variants: Mapping[str, Sequence[str]],
        names: Sequence[Path] = (),
        release: Optional[package.Release] = None,
    ) -> None:
        self.name = path
        self.release = release
        self._paths, self._names = variants, names

    @cached_property
    def programs(self) -> Names[Program]:
        """By variant; that of an archive is called "model"."""
        opened = Opener(self._names)
        programs: Dict[str, Program] = {}
        for name, (program, *data) in self._paths.items():
            container = opened(program)
            programs[name] = (Bundle if container.kind == "bpte" else Program)(container, opened.all(data))
        return Names(programs)

    def verify(self) -> List[Finding]:
        """What is wrong with its files, each by itself and together; of a release also whether they are those of the
        manifest."""
        if self.release is None:
            return [finding for program in self.programs.values() for finding in program.verify()]
        files = package.verify(self.name)["files"]
        return [finding for file in files for finding in findings_of(file["file"], file["findings"])]

    def __repr__(self) -> str:
        return f"<Package {self.name!r}: {', '.join(map(repr, self._paths))}>"

    def _repr_html_(self) -> str:
        rows = [{"Variant": name, "Files": ", ".join(paths)} for name, paths in self._paths.items()]
        return table(rows, len(rows))


def open(
    file: Union[Path, bytes, BinaryIO], data: Sequence[Input] = (), *, names: Sequence[Path] = ()
) -> Union[Program, DataFile, Bundle, NativePackage, Package]:
    """Opens a .pte, .ptd, .bpte or .ptn, told apart by content: a path, the bytes themselves, or a binary file that can seek. A
    folder with a manifest.json and an archive (.etm) are a `Package`.

    `data` are the data files that a program is loaded with, `names` files that know what contents are called: checkpoints
    (.safetensors), records, metadata of blobs. Reads the tables and no weights. OSError where a file cannot be read, and
    what a file object raises; pteedit.Error where it is malformed or of no known kind, with one line that says what is
    wrong.

    >>> open("data/f02_linear.pte")
    <Program 'data/f02_linear.pte' 1.68 KB: 1 method, 2 constants, 0 keys>
    """
    if isinstance(file, (str, os.PathLike)):
        path = os.fspath(file)
        if os.path.isdir(path):
            release = package.open(path)
            return Package(path, {name: release.paths(name) for name in release.variants}, names, release)
        if is_archive(path):
            opened = Package(path, {"model": [path, *data_inside(path)]}, names)
            opened.programs  # which raises what is wrong
            return opened
    return open_file(file, data, names)


def open_file(
    file: Input, data: Sequence[Input] = (), names: Sequence[Path] = ()
) -> Union[Program, DataFile, Bundle, NativePackage]:
    """As `open`, of one file; what is open already stays so, with the data files and names."""
    opened = Opener(names, to_look=True)
    container = opened(file)
    return _KINDS[container.kind](container, opened.data_of(file, data))


_KINDS: Dict[str, Type[Union[Program, DataFile, Bundle, NativePackage]]] = {"pte": Program, "ptd": DataFile, "bpte": Bundle, "ptn": NativePackage}
