"""Releases of a family of programs: made, checked, compared and brought to devices. What `ptepack` does, and pteedit.h.

    release = create({"base": ["base.pte", "shared.ptd"], "french": ["french.pte", "shared.ptd"]}, "v2")
    delta("v1", "v2", "v1-to-v2")

    plan = plan_update("next", "app", delta="changes", variant="french")
    for fetch in plan.fetches:
        ...  # the range of `fetch.file` from `fetch.offset` on, into "changes" or "next"
    update("next", "app", delta="changes", variant="french")

Releases and deltas are folders (docs/ota.md, docs/delta.md). Functions that take `progress` call it now and then with the
bytes that are done and their sum; what it raises stops them and is raised on, and leaves what an interrupted run leaves.
Errors are OSError where the system is to blame and pteedit.Error, a ValueError, otherwise, with the library's one line.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from pteedit import _pteedit
from pteedit.packing import pack

__all__ = ["Fetch", "Plan", "Release", "apply", "check", "create", "delta", "open", "plan_update", "prune", "update", "verify"]

Path = Union[str, "os.PathLike[str]"]
Progress = Optional[Callable[[int, int], object]]


@dataclass(frozen=True)
class Release:
    """A release in a folder: its manifest, as docs/schemas/manifest.schema.json describes it."""

    folder: str
    manifest: Dict[str, Any]

    @property
    def id(self) -> str:
        """64 digits that no other release has."""
        return str(self.manifest["release"])

    @property
    def variants(self) -> List[str]:
        """Their names."""
        return [variant["name"] for variant in self.manifest["variants"]]

    def paths(self, variant: str) -> List[str]:
        """The program of a variant and its data files, in the order in which a loader takes them. KeyError where there
        is no such variant."""
        for row in self.manifest["variants"]:
            if row["name"] == variant:
                return [os.path.join(self.folder, name) for name in row["files"][: row["data_files"] + 1]]
        raise KeyError(variant)


@dataclass(frozen=True)
class Fetch:
    """One request to the server: what follows the `offset` bytes that are there, `bytes` up to the end of the file."""

    of_delta: bool  # whether the file is the delta's; else the release's
    file: str  # its name, in the folder and on the server
    offset: int
    bytes: int
    sha256: str  # of the whole file


@dataclass(frozen=True)
class Plan:
    """What an update has to fetch."""

    old: str  # the release that is installed; empty where there is none
    new: str
    fetches: List[Fetch]
    download_bytes: int  # what would be fetched if nothing were there

    @property
    def fetch_bytes(self) -> int:
        return sum(fetch.bytes for fetch in self.fetches)


def create(
    variants: Mapping[str, Sequence[Path]],
    folder: Path,
    *,
    include: Mapping[str, Path] = {},
    labels: Mapping[str, Mapping[str, str]] = {},
    replace: bool = False,
) -> Release:
    """Makes a release in `folder`: of each variant a program and the data files that it is loaded with, in their order.

    `include`: files that come with all variants, by what they are to the application. `labels`: of variants, beside
    those that their programs tell. `replace` adds to a release that is there, which otherwise is a FileExistsError.
    ValueError where a file is malformed, lacks data or has errors that `pteinspect --verify` finds.
    """
    pack(variants, include=include, labels=labels).save(folder, replace=replace)
    return open(folder)


def open(folder: Path) -> Release:
    """Reads the manifest and looks at no other file. ValueError where it is malformed."""
    return Release(os.fspath(folder), json.loads(_pteedit.read_manifest(folder)))


def verify(folder: Path) -> Dict[str, Any]:
    """Reads every file, and holds each program against its data files: the members of `ptepack verify --json`. What is
    wrong is among `findings`; ValueError only where the manifest is malformed."""
    return _pteedit.verify_release(folder)


def check(folder: Path, variant: Optional[str] = None, *, progress: Progress = None) -> None:
    """That the files of a variant, or all, have the SHA-256 that the manifest says: ValueError about the first that has
    not, OSError where one lacks."""
    _pteedit.check_release(folder, variant or "", progress)


def delta(
    old: Path, new: Path, folder: Path, *, level: int = 9, replace: bool = False, progress: Progress = None
) -> Dict[str, Any]:
    """Writes to `folder` what is new in the release `new` against `old`: the members of `ptepack delta --json`. `level` is
    zstd's. ValueError where a release is not what its manifest says, FileExistsError where there is a delta and no
    `replace`."""
    return _pteedit.create_delta(old, new, folder, level, replace, False, progress)


def apply(
    delta: Path, old: Path, new: Path, *, replace: bool = False, progress: Progress = None
) -> Dict[str, Any]:
    """Makes of the release `old` and a delta the one in `new`, which may be the same folder with `replace`: the members
    of `ptepack apply --json`. `old` is whole whatever happens. ValueError where the delta is for another release or
    something is damaged."""
    return _pteedit.apply_delta(delta, old, new, replace, False, progress)


def prune(*folders: Path, dry_run: bool = False) -> Dict[str, Any]:
    """Removes from folders with a manifest what none of these manifests names, and is called as a file of a release or a
    part of one: the members of `ptepack prune --json`. ValueError where a manifest is malformed; then nothing goes."""
    return _pteedit.prune_releases(folders, dry_run)


def plan_update(
    release: Path, installed: Path, *, delta: Optional[Path] = None, variant: Optional[str] = None
) -> Plan:
    """What a device has to fetch for the release whose manifest is in `release`, together with what was fetched so far,
    where `installed` has the old one, or nothing. `delta`: the same of a delta between the two. ValueError where there
    is no such variant or the delta is for other releases."""
    plan = _pteedit.plan_update(release, delta or "", installed, variant or "")
    return Plan(plan["from"], plan["to"], [Fetch(*fetch) for fetch in plan["fetches"]], plan["download_bytes"])


def update(
    release: Path,
    installed: Path,
    *,
    delta: Optional[Path] = None,
    variant: Optional[str] = None,
    to: Optional[Path] = None,
    progress: Progress = None,
) -> Dict[str, Any]:
    """Once all is fetched, makes the new release in `to`, or in `installed` itself: the members of `ptepack apply --json`.
    The installed one is whole until the manifest takes its place at the end. ValueError where something is still to be
    fetched, or was fetched and is not what the manifests say; then remove that file and plan again."""
    place = installed if to is None else to
    return _pteedit.apply_update(release, delta or "", installed, variant or "", place, to is None, progress)
