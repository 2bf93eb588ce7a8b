"""Reads ExecuTorch program (.pte), data (.ptd) and bundled program (.bpte) files.

`pteedit.ptetools` says what their bytes are for, `delegates` what is in the blobs of backends, `diff` what changed.
`split`, `join`, `merge`, `strip` and `copy` plan what the tools of these names write (`pteedit.rewrite`).
`pteedit.ptd` has data files as arrays and checkpoints, `pteedit.executorch` saves what was exported.
`register_decoder` lets a function of yours open the blobs of a backend, `pteedit.metadata` keeps what the exporter
knows about them. `pack`, `delta` and `apply` plan
releases (`pteedit.packing`), `pteedit.package` brings them to devices. `Inspector` shows where the time went, as
the exporter's own does. `Container` is the library itself: its methods and what they answer with are those of the C++
headers; `ContentNames` are names for its contents.
"""

from pteedit._decoders import register_decoder
from pteedit._pteedit import Container, ContentNames, Error, __version__
from pteedit._event_blocks import Event, EventBlock, PerfData, TimeScale
from pteedit._reports import delegates, diff
from pteedit.inspector import Inspector
from pteedit.packing import apply, delta, pack
from pteedit.rewrite import copy, join, merge, split, strip

__all__ = [
    "__version__",
    "Container",
    "ContentNames",
    "Error",
    "Event",
    "EventBlock",
    "Inspector",
    "PerfData",
    "TimeScale",
    "apply",
    "copy",
    "delegates",
    "delta",
    "diff",
    "join",
    "merge",
    "pack",
    "register_decoder",
    "split",
    "strip",
]
