"""What `ptepack` does, planned: releases of a family of programs, deltas between them, and the way from one to the next.

    pack({"base": ["base.pte", "shared.ptd"]}).save("v2")
    step = delta("v1", "v2")
    print(step.report.bytes, [file.name for file in step.report.files])
    step.save("v1-to-v2")
    apply("v1-to-v2", "phone").save("phone", replace=True)

Nothing is written but by `save()`, and nothing is computed before it but what `report` needs. Errors as in `pteedit.rewrite`.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from pteedit import _pteedit
from pteedit._inputs import Path
from pteedit.rewrite import Progress

__all__ = ["PackReport", "PackedFile", "Packing", "apply", "delta", "pack"]

Step = Callable[[str, bool, bool, Progress], Dict[str, Any]]


@dataclass(frozen=True)
class PackedFile:
    name: str
    bytes: int  # of the file in the folder
    how: str  # "program", "shared", ... of a release; "delta"; of what is applied "kept", "linked", "copied", "made"


@dataclass(frozen=True)
class PackReport:
    """What is in the folder then, beside its manifest."""

    from_release: Optional[str]  # None where there is none
    to_release: str
    files: Tuple[PackedFile, ...]
    bytes: int
    members: Mapping[str, Any]

    def to_dict(self) -> Dict[str, Any]:
        """The manifest of a release; else the members that the tool prints with --json, but for `dry_run`."""
        return dict(self.members)


class Packing:
    """A folder that is planned. Good as long as the inputs stay as they are."""

    def __init__(self, step: Step, read: Callable[[Dict[str, Any]], PackReport]) -> None:
        self._step = step
        self._read = read
        self._report: Optional[PackReport] = None

    @property
    def report(self) -> PackReport:
        """Of a new folder; found without writing it."""
        if self._report is None:
            with tempfile.TemporaryDirectory(prefix="pteedit-") as folder:
                self._report = self._reported(os.path.join(folder, "planned"), False, True, None)
        return self._report

    def save(self, folder: Path, *, replace: bool = False, progress: Progress = None) -> PackReport:
        """Writes the folder as the tool does. `replace`: what is there, which otherwise is a FileExistsError. `progress` is
        called now and then with the bytes that are done and their sum; what it raises stops."""
        return self._reported(os.fspath(folder), replace, False, progress)

    def _reported(self, folder: str, replace: bool, dry_run: bool, progress: Progress) -> PackReport:
        members = self._step(folder, replace, dry_run, progress)
        members.pop("dry_run", None)
        return self._read(members)

    def __repr__(self) -> str:
        return f"<Packing to {self.report.to_release[:12]}: {len(self.report.files)} files, {self.report.bytes} bytes>"


def pack(
    variants: Mapping[str, Sequence[Path]],
    *,
    include: Mapping[str, Path] = {},
    labels: Mapping[str, Mapping[str, str]] = {},
    compress: Optional[int] = None,
    pack_bytes: Optional[int] = None,
) -> Packing:
    """A release: of each variant a program and the data files that it is loaded with, in their order. `include`: files that come
    with all variants, by what they are to the application. `labels`: of variants, beside those that their programs tell.
    `compress`: zstd's level, 1 to 22, for a frame of each file beside it, where that saves anything; planning compresses
    nothing. `pack_bytes`: cut into packs of at most so many bytes."""
    unknown = sorted(set(labels) - set(variants))
    if unknown:
        raise ValueError(f"labels are of no variant: {', '.join(unknown)}")
    words = [(name, [os.fspath(path) for path in files], dict(labels.get(name, {}))) for name, files in variants.items()]
    included = [(name, os.fspath(path)) for name, path in include.items()]

    def step(folder: str, replace: bool, dry_run: bool, progress: Progress) -> Dict[str, Any]:
        manifest: Dict[str, Any] = json.loads(
            _pteedit.create_release(words, included, folder, compress, pack_bytes, replace, dry_run, progress)
        )
        return manifest

    def read(manifest: Dict[str, Any]) -> PackReport:
        files = [PackedFile(file["file"], file["bytes"], file["role"]) for file in manifest["files"]]
        return _report(None, manifest["release"], files, manifest)

    return Packing(step, read)


def delta(old: Path, new: Path, *, level: int = 9) -> Packing:
    """What is new in the release in the folder `new` against `old`. `level` is zstd's."""

    def step(folder: str, replace: bool, dry_run: bool, progress: Progress) -> Dict[str, Any]:
        return _pteedit.create_delta(old, new, folder, level, replace, dry_run, progress)

    def read(members: Dict[str, Any]) -> PackReport:
        files = [PackedFile(file["file"], file["delta_bytes"], "delta") for file in members["files"]]
        return _report(members["from"], members["to"], files, members)

    return Packing(step, read)


def apply(delta: Path, old: Path) -> Packing:
    """The release that the delta makes of `old`; may be saved in the folder `old` itself with `replace`."""

    def step(folder: str, replace: bool, dry_run: bool, progress: Progress) -> Dict[str, Any]:
        return _pteedit.apply_delta(delta, old, folder, replace, dry_run, progress)

    def read(members: Dict[str, Any]) -> PackReport:
        files = [PackedFile(file["file"], file["bytes"], file["how"]) for file in members["files"]]
        return _report(members["from"], members["to"], files, members)

    return Packing(step, read)


def _report(
    from_release: Optional[str], to_release: str, files: List[PackedFile], members: Dict[str, Any]
) -> PackReport:
    return PackReport(from_release, to_release, tuple(files), sum(file.bytes for file in files), members)
