"""Shares what thousands of programs have in common, on this machine's threads or a Dask cluster.

    scan(["store"], "state")  # reads all bytes, once: where contents are, and their SHA-256
    decide("state")           # which programs are a family, and of which pieces its files are made
    apply("state", "shared")  # writes them

Each step can be repeated and goes on where it was, so that nothing is lost with a machine. All that is written is what
`ptemerge` writes of a family. `state` is a folder that every worker sees, as it sees the programs and the outputs.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from pteedit import _fleet_state as states
from pteedit._fleet_families import find_families
from pteedit._fleet_state import Family, State
from pteedit._inputs import Path
from pteedit._pteedit import Error
from pteedit._shown import counted, human_size, shown

__all__ = ["Applied", "Decided", "Failure", "Scanned", "apply", "decide", "main", "scan"]


@dataclass(frozen=True)
class Failure:
    """What could not be read or written, and is left out."""

    file: str
    message: str
    is_io: bool  # the system is to blame


@dataclass(frozen=True)
class Scanned:
    programs: int
    files: int
    read_files: int  # those that were not known already
    read_bytes: int
    failures: Tuple[Failure, ...]


@dataclass(frozen=True)
class Decided:
    """What `apply` writes. A program that is in no family shares too little with any other and stays where it is."""

    families: Tuple[Family, ...]
    alone: Tuple[str, ...]
    failures: Tuple[Failure, ...]


@dataclass(frozen=True)
class Applied:
    files: int
    written_files: int  # those that were not there already
    written_bytes: int
    failures: Tuple[Failure, ...]


def scan(sets: Sequence[str], state: Path, *, scheduler: Optional[str] = None) -> Scanned:
    """Notes where contents are and what they are, of files that are new or changed.

    `sets` are folders, whose programs are each one with the data file of the same name beside it; SETs as of `ptemerge`,
    "[NAME=]A.pte[,A.ptd...]"; and "@LIST", a file with one of these in each line. All may be URLs. `scheduler` is the
    address of a Dask cluster. ImportError without pteedit[fleet], pteedit.Error where two programs would have one name.
    """
    programs = states.find_sets(sets)
    known = State.create(state, programs)
    files = sorted({file for one in programs for file in one.files})
    with _engine(scheduler) as run:
        results = run(states.scan_file, [(known.part_of(file), file) for file in files])
    failures, sizes = _sorted_out(files, results)
    return Scanned(len(programs), len(files), sum(size is not None for size in sizes), sum(filter(None, sizes)), failures)


def decide(state: Path, *, min_share: float = 1.0, scheduler: Optional[str] = None) -> Decided:
    """Finds the families and plans what is written of each. Of the files it reads the tables and what delegates compiled.

    Contents that the same programs have are a block, which makes a family of those of which it is at least `min_share`
    percent. With 0 a family is all that has anything in common that a merge would share. OSError where a file was changed
    since it was scanned.
    """
    known = State(os.path.abspath(state))
    with _engine(scheduler) as run:
        groups, left_out = find_families(known, min_share)
        results = run(states.plan_family, [(known, group) for group in groups])
    failures, planned = _sorted_out([group[0].name for group in groups], results)
    families = tuple(family for family in planned if family is not None)
    known.keep_families(families)
    failed = {one.name for group, result in zip(groups, results) if isinstance(result, Failure) for one in group}
    named = failed.union(left_out, *(family.programs for family in families))
    missing = tuple(Failure(name, "was not scanned, or cannot be read", False) for name in left_out)
    return Decided(families, tuple(one.name for one in known.sets() if one.name not in named), failures + missing)


def apply(state: Path, folder: Path, *, scheduler: Optional[str] = None) -> Applied:
    """Writes what was decided: each program under its name, what families share as "shared/NAME.ptd", and "fleet.json", which
    says which data files each program is loaded with, once all is there.

    A file is there already where its size and time are those that were noted, or else its SHA-256. A program is written once
    its data file is there. pteedit.Error where the folder holds other files.
    """
    known = State(os.path.abspath(state))
    target = os.path.abspath(folder)
    known.take_folder(target)
    families = known.families()
    plans = [plan for family in families for plan in known.plans(family, target)]
    data, programs = ([plan for plan in plans if plan.is_data is wanted] for wanted in (True, False))
    with _engine(scheduler) as run:
        results = run(states.write_output, [(known, plan) for plan in data])
        failures, sizes = _sorted_out([plan.path for plan in data], results)
        broken = {plan.family for plan, result in zip(data, results) if isinstance(result, Failure)}
        programs = [plan for plan in programs if plan.family not in broken]
        results = run(states.write_output, [(known, plan) for plan in programs])
    more_failures, more_sizes = _sorted_out([plan.path for plan in programs], results)
    written = [size for size in sizes + more_sizes if size > 0]
    if not failures + more_failures:
        known.keep_manifest(target, families)
    return Applied(len(plans), len(written), sum(written), failures + more_failures)


Task = Callable[..., Any]


@contextlib.contextmanager
def _engine(scheduler: Optional[str]) -> Iterator[Callable[[Task, Sequence[Tuple[Any, ...]]], List[Any]]]:
    """What runs a function on many arguments and gives the results in their order: what it failed with among them."""
    try:
        dask: Any = importlib.import_module("dask")
        distributed: Any = importlib.import_module("distributed")
        importlib.import_module("pyarrow")  # which the workers need
    except ImportError as cause:
        raise ImportError(f"fleets need pip install 'pteedit[fleet]': {cause}") from cause

    def run(function: Task, arguments: Sequence[Tuple[Any, ...]]) -> List[Any]:
        task = dask.delayed(_attempt, pure=False, traverse=False)
        return list(dask.compute(*[task(function, words) for words in arguments]))

    with contextlib.ExitStack() as stack:
        if scheduler is None:
            stack.enter_context(dask.config.set(scheduler="threads"))
        else:
            stack.enter_context(distributed.Client(scheduler))
        yield run


def _attempt(function: Task, words: Tuple[Any, ...]) -> Any:
    """One file that is damaged keeps none of the others from being shared."""
    try:
        return function(*words)
    except (Error, OSError) as caught:
        message = caught.strerror if isinstance(caught, OSError) and caught.strerror else str(caught)
        return Failure(str(getattr(caught, "filename", None) or ""), message, isinstance(caught, OSError))


def _sorted_out(names: Sequence[str], results: Sequence[Any]) -> Tuple[Tuple[Failure, ...], List[Any]]:
    failures = []
    for name, result in zip(names, results):
        if isinstance(result, Failure):
            failures.append(Failure(result.file or name, result.message, result.is_io))
    return tuple(failures), [result for result in results if not isinstance(result, Failure)]


def main(words: Sequence[str]) -> int:
    """`python -m pteedit fleet`. Returns the exit code."""
    options = _parser().parse_args(words)
    try:
        done = options.run(options)
    except ImportError as caught:
        return _fail(caught, 2)
    except OSError as caught:
        return _fail(caught, 4)
    except ValueError as caught:
        return _fail(caught, 3)
    print(json.dumps(asdict(done), indent=1) if options.json else _text(done))
    for failure in done.failures:
        print(f"fleet: error: {shown(failure.file)}: {shown(failure.message)}", file=sys.stderr)
    return max((4 if failure.is_io else 3 for failure in done.failures), default=0)


def _fail(caught: Exception, code: int) -> int:
    print(f"fleet: error: {caught}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pteedit fleet", description="Share what thousands of programs have in common.")
    steps = parser.add_subparsers(required=True, metavar="STEP")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--state", required=True, metavar="FOLDER", help="what is known, for the next step or another try")
    common.add_argument("--scheduler", metavar="ADDRESS", help="a Dask cluster, tcp://HOST:8786; otherwise this machine's threads")
    common.add_argument("--json", action="store_true", help="what was done as JSON")
    first = steps.add_parser("scan", parents=[common], help="hash what the programs have")
    first.add_argument("sets", nargs="+", metavar="SET", help="a folder, [NAME=]A.pte[,A.ptd...], or @LIST with one of these a line")
    first.set_defaults(run=lambda options: scan(options.sets, options.state, scheduler=options.scheduler))
    second = steps.add_parser("decide", parents=[common], help="find families, plan what is written of them")
    second.add_argument("--min-share", type=float, default=1.0, metavar="PERCENT", help="of a program that makes it one of a family (%(default)s)")
    second.set_defaults(run=lambda options: decide(options.state, min_share=options.min_share, scheduler=options.scheduler))
    third = steps.add_parser("apply", parents=[common], help="write what was planned")
    third.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where programs and shared data go")
    third.set_defaults(run=lambda options: apply(options.state, options.output, scheduler=options.scheduler))
    return parser


def _text(done: Any) -> str:
    if isinstance(done, Scanned):
        return f"{counted(done.programs, 'program')}, {counted(done.files, 'file')}: {done.read_files} read, {human_size(done.read_bytes)}"
    if isinstance(done, Applied):
        return f"{counted(done.files, 'file')}: {done.written_files} written, {human_size(done.written_bytes)}"
    lines = [
        f"{shown(family.name)}: {counted(len(family.programs), 'program')}, {family.bytes_before} B before, {family.bytes_after} B after"
        for family in done.families
    ]
    before, after = (sum(getattr(family, name) for family in done.families) for name in ("bytes_before", "bytes_after"))
    total = f"{len(done.families)} famil{'y' if len(done.families) == 1 else 'ies'}, {before} B before, {after} B after; {len(done.alone)} alone"
    return "\n".join([*lines, total])
