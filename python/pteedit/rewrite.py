"""What `ptesplit`, `ptemerge`, `ptestrip` and `ptecopy` do, on files, bytes and what is opened already.

    planned = split("model.pte")
    print(planned.report.saved_bytes, planned.report.items[0].name)
    planned.save("small.pte", "weights.ptd")

Each function plans and writes nothing; what it returns knows every byte and can be saved, or taken as bytes. Sizes are in
bytes. Inputs are paths, bytes, binary files and what `pteedit.open` opened, which brings its data files along; they are
never changed. Errors are OSError where the system is to blame or an output
is there already, and pteedit.Error, a ValueError, otherwise: a file that is not fully understood is refused.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from pteedit import _pteedit
from pteedit._inputs import File, Opener, Path

if TYPE_CHECKING:
    from pteedit._views import Loadable

__all__ = ["Item", "OutputFile", "Report", "Rewrite", "Skipped", "copy", "join", "merge", "merge_packages", "split", "strip"]

Progress = Optional[Callable[[int, int], object]]
MethodValue = Union[bool, int, float, str, Sequence[Union[bool, int, float, str]]]
MetadataValue = Union[str, int, float, Sequence[int], bytes]


@dataclass(frozen=True)
class Item:
    """What moved, came or went."""

    what: str  # "constant", "mutable", "named-data", ...
    name: str
    key: str  # under which data files have it; empty where none has
    bytes: int
    source: Optional[str]  # the files it came from and went to; None where it came or went for good
    target: Optional[str]


@dataclass(frozen=True)
class Skipped:
    """What stayed, and why."""

    what: str
    name: str
    bytes: int
    reason: str


@dataclass(frozen=True)
class OutputFile:
    name: str
    bytes: int
    role: str  # "program", "shared", "variant", "index", "debug"
    data: Optional[Tuple[str, ...]] = None  # of a merged program: the data files to load it with, in their order


@dataclass(frozen=True)
class Report:
    """The exact effect of a rewrite. Files are called as the function that planned it was told."""

    outputs: Tuple[OutputFile, ...]
    bytes_before: int  # of all files that were given
    bytes_after: int  # of all that are there then, with data files that stay as they are
    saved_bytes: int
    items: Tuple[Item, ...]
    skipped: Tuple[Skipped, ...]
    notes: Tuple[str, ...]  # what else changed or could surprise
    min_runtime: Optional[str]  # the oldest release, "0.7", that loads the programs
    data_files: int  # how many a program then needs, at most
    members: Mapping[str, Any]

    def to_dict(self) -> Dict[str, Any]:
        """The members that the tool prints with --json, but for `dry_run`."""
        return dict(self.members)


class Rewrite:
    """Outputs that are planned. Good as long as the inputs stay as they are."""

    def __init__(self, planned: _pteedit.Rewrite, in_folder: bool = False) -> None:
        self._planned = planned
        self._in_folder = in_folder
        self.report: Report = _report(planned.report())

    def save(self, *paths: Path, replace: bool = False, progress: Progress = None) -> List[str]:
        """Writes the outputs as the tools do, all or none, and returns their paths.

        Of a split, the program's path and then the data file's, whose shards and index lie beside it; of `keep_debug` the
        debug file's likewise; of a merge, a folder; else one path. `replace`: what is there already, which otherwise is an error. `progress` is called now and then
        with the bytes written and their sum; what it raises stops, and so does Ctrl-C: nothing is left behind.
        """
        takes = 1 if self._in_folder else 1 + self._has_second()
        if len(paths) != takes:
            raise TypeError(f"save() takes {takes} path{'s' if takes > 1 else ''}, {len(paths)} given")
        data_path = paths[1] if takes > 1 else None
        return self._planned.save(paths[0], data_path, self._in_folder, replace, progress)

    def to_bytes(self) -> Dict[str, bytes]:
        """The outputs by their names in the report. For small ones: all of it is in memory."""
        return {name: self._planned.to_bytes(i) for i, name in enumerate(self._planned.names)}

    def open(self) -> Loadable:
        """The program, with the data files that are planned for it, or what is the only output, as `pteedit.open` answers: to
        be looked at, or for the next operation, with nothing written in between."""
        from pteedit._views import Loadable, open_file  # which imports this module

        roles = [file.role for file in self.report.outputs]
        if roles.count("program") > 1:
            raise ValueError("there are several programs; save them")
        is_program = "program" in roles
        data = [self._planned.open(i) for i, role in enumerate(roles) if role == "shared" and is_program]
        opened = open_file(self._planned.open(roles.index("program") if is_program else 0), data)
        assert isinstance(opened, Loadable)
        return opened

    def _has_second(self) -> bool:
        outputs = self.report.outputs
        return len(outputs) > 1 and any(file.role in ("shared", "debug") for file in outputs)

    def __repr__(self) -> str:
        files = ", ".join(f"{file.name}: {file.bytes} bytes" for file in self.report.outputs)
        return f"<Rewrite {files}; saves {self.report.saved_bytes} bytes>"


_PROGRAM, _DATA = "program.pte", "data.ptd"


def split(
    program: File,
    data: Sequence[File] = (),
    *,
    kinds: Sequence[str] = (),
    name: Sequence[str] = (),
    methods: Sequence[str] = (),
    backends: Sequence[str] = (),
    min_size: Optional[int] = None,
    max_size: Optional[int] = None,
    match: Sequence[File] = (),
    not_match: Sequence[File] = (),
    against: Sequence[File] = (),
    new_data: bool = True,
    bind: Optional[bool] = None,
    name_keys: bool = False,
    align: int = 16,
    names: Sequence[Path] = (),
) -> Rewrite:
    """Moves weights out of `program` into a data file: "program.pte" and "data.ptd", which lacks where nothing moved.

    `data`: data files that the program has already, which stay; else those that it was opened with. What moves is told as by the options of `ptesplit`: `kinds`
    of "constant", "named-data", "mutable"; `name`, expressions of which one is found in a name; `methods` and `backends`
    that use it; `min_size`; what the files `match` hold too and `not_match` do not, programs, data files and checkpoints
    (.safetensors, by path). `max_size` cuts the data into
    shards. `against`: data files that devices have; without `new_data` only what they hold moves. `bind`: whether runtimes
    shall refuse other data files; None where keys do not tell contents. `names`: files that know what contents are
    called. `name_keys`: constants have these names as keys, as `external_constants=True` of the exporter gives them, where
    the program has no name for them; the program is bound then. A name of several contents stays inside, and keys that
    delegates ask for are in their blobs and stay.
    """
    opened = Opener(names)
    words = _pteedit.SplitWords()
    unknown = sorted(set(kinds) - {"constant", "named-data", "mutable"})
    if unknown:
        raise ValueError(f"kinds are 'constant', 'named-data' and 'mutable', not {unknown[0]!r}")
    wanted = kinds or ("constant", "named-data")
    words.constants, words.named_data, words.mutables = ("constant" in wanted, "named-data" in wanted, "mutable" in wanted)
    words.name, words.methods, words.backends = list(name), list(methods), list(backends)
    words.min_size, words.max_size, words.alignment = min_size, max_size, align
    words.bind, words.name_keys = bind, name_keys
    data_name = _DATA if new_data else ""
    return Rewrite(
        _pteedit.split(
            opened(program),
            opened.data_of(program, data),
            _PROGRAM,
            data_name,
            words,
            opened.matched(match),
            opened.matched(not_match),
            opened.all(against),
        )
    )


def join(program: File, data: Sequence[File] = (), *, align: int = 16, names: Sequence[Path] = ()) -> Rewrite:
    """Puts what `program` refers to in its data files back into it: "program.pte". `data`: these, where it was not opened
    with them."""
    opened = Opener(names)
    return Rewrite(_pteedit.join(opened(program), opened.data_of(program, data), _PROGRAM, align))


def merge(
    programs: Mapping[str, Sequence[File]],
    *,
    variant_data: bool = False,
    min_size: Optional[int] = None,
    max_size: Optional[int] = None,
    match: Sequence[File] = (),
    against: Sequence[File] = (),
    bind: Optional[bool] = None,
    shared_name: str = "shared.ptd",
    align: int = 16,
    names: Sequence[Path] = (),
) -> Rewrite:
    """Lets variants share what they have in common: a folder with a data file `shared_name` and the programs.

    `programs`: by the name of the output in the folder, such as "french.pte", a program and the data files that it is loaded with.
    `variant_data`: large contents that a variant has alone go into a data file beside it, "french.ptd". `match`: what is
    shared is what these hold, and nothing else. Other options as for `split`.
    """
    opened = Opener(names)
    sets = [
        (output, os.path.splitext(output)[0] + ".ptd", [opened(files[0]), *opened.data_of(files[0], files[1:])])
        for output, files in programs.items()
        if files
    ]
    if len(sets) != len(programs) or not sets:
        raise ValueError("each output needs a program")
    matched = opened.matched(match)
    planned = _pteedit.merge(
        sets, shared_name, variant_data, min_size, max_size, bind, align, matched, opened.all(against)
    )
    return Rewrite(planned, in_folder=True)


def merge_packages(packages: Mapping[str, File], *, name: str = "shared.ptn") -> Rewrite:
    """One package of the native backend of several, where tensors with the same type, sizes and bytes are stored once.

    `packages`: by the name of the variant, such as "v1", whose method forward becomes v1.forward. `name`: of the output.
    """
    open_file = Opener(to_look=True)
    return Rewrite(_pteedit.merge_packages([(variant, open_file(file)) for variant, file in packages.items()], name))


def strip(
    file: File,
    *,
    debug: bool = True,
    unreferenced: bool = True,
    padding: bool = False,
    dedupe: bool = False,
    overlap: bool = False,
    repack: bool = False,
    unwrap: bool = False,
    keep_debug: bool = False,
    programs: Sequence[File] = (),
    align: int = 16,
    names: Sequence[Path] = (),
) -> Rewrite:
    """Removes what does not run from a program, data file or bundle: stack traces, what nothing refers to, padding, second
    copies. The options are those of `ptestrip`; `programs` are those of `--for`, all that read a data file. What `debug` removes is
    with `keep_debug` a second output, "debug.pte", where there is any."""
    if keep_debug and not debug:
        raise ValueError("keep_debug keeps what debug removes; ask for both")
    open_file = Opener(names)
    opened = open_file(file)
    name = _DATA if opened.kind == "ptd" else _PROGRAM
    wanted = {
        "debug": debug, "unreferenced": unreferenced, "padding": padding, "dedupe": dedupe, "overlap": overlap,
        "repack": repack, "unwrap": unwrap, "keep_debug": keep_debug,
    }  # fmt: skip
    words = [word for word, is_given in wanted.items() if is_given]
    return Rewrite(_pteedit.strip(opened, name, words, [open_file(program) for program in programs], align))


def copy(
    file: File,
    *,
    upgrade: bool = False,
    keep_methods: Sequence[str] = (),
    remove_methods: Sequence[str] = (),
    rename_methods: Mapping[str, str] = {},
    add_methods: Sequence[Union[File, Tuple[File, str], Tuple[File, str, str]]] = (),
    set_methods: Mapping[str, MethodValue] = {},
    remove_metadata: Sequence[str] = (),
    remove_data: Sequence[str] = (),
    rename_keys: Mapping[str, str] = {},
    set_metadata: Mapping[str, MetadataValue] = {},
    add_data: Mapping[str, Union[bytes, Path]] = {},
    replace: Mapping[str, Union[bytes, Path]] = {},
    refit: Sequence[Path] = (),
    splat: Union[None, str, int] = None,
    names: Sequence[Path] = (),
    align: int = 16,
) -> Rewrite:
    """Edits a program or data file, in this order. The options are those of `ptecopy`.

    `add_methods`: programs whose methods are added, all or the one named, which may get another name. `set_methods`: what
    constant methods return, a value or a list, as the exporter's `constant_methods`. `remove_data`: expressions of which one is
    found in a key. `set_metadata`: facts under "metadata.KEY". `add_data`: by key, bytes or the path of a file that has
    them. `replace`: for a constant or key, a .npy or the bytes as they are stored. `refit`: checkpoints (.safetensors) with
    other weights for all that they have by name. `splat`: "zeros", or a seed of random numbers, instead of weights.
    """
    words = _pteedit.CopyWords(align)
    if upgrade:
        words.upgrade()
    words.keep_methods(list(keep_methods))
    words.remove_methods(list(remove_methods))
    words.rename_methods(list(rename_methods.items()))
    opened = Opener()
    for added in add_methods:
        if not isinstance(added, tuple):
            added = (added, "", "")
        words.add_methods(opened(added[0]), added[1], added[2] if len(added) == 3 else "")
    for method, value in set_methods.items():
        if isinstance(value, Sequence) and not isinstance(value, str):
            words.set_method((method, list(value), True))
        else:
            words.set_method((method, [value], False))
    for key in remove_metadata:
        words.remove_metadata(key)
    words.remove_data(list(remove_data))
    words.rename_keys(list(rename_keys.items()))
    for key, fact in set_metadata.items():
        words.set_metadata(key, fact)
    for key, data in add_data.items():
        words.add_data(key, data if isinstance(data, bytes) else _read(data))
    for path in names:
        words.add_names(path)
    for name, data in replace.items():
        words.replace(name, data if isinstance(data, bytes) else _read(data))
    for path in refit:
        words.refit(path)
    if splat is not None:
        if isinstance(splat, str) and splat != "zeros":
            raise ValueError(f"splat is 'zeros' or a seed, not {splat!r}")
        words.splat(None if isinstance(splat, str) else splat)
    target = opened(file)
    return Rewrite(_pteedit.copy(target, _DATA if target.kind == "ptd" else _PROGRAM, words))


def _read(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _report(members: Dict[str, Any]) -> Report:
    return Report(
        outputs=tuple(
            OutputFile(file["file"], file["bytes"], file["role"], tuple(file["data"]) if "data" in file else None)
            for file in members["outputs"]
        ),
        bytes_before=members["bytes_before"],
        bytes_after=members["bytes_after"],
        saved_bytes=members["saved_bytes"],
        items=tuple(
            Item(item["what"], item["name"], item["key"], item["bytes"], item["from"], item["to"])
            for item in members["items"]
        ),
        skipped=tuple(Skipped(**item) for item in members["skipped"]),
        notes=tuple(members["notes"]),
        min_runtime=members["min_runtime"],
        data_files=members["data_files"],
        members=members,
    )
