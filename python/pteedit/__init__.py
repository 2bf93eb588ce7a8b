"""Reads and rewrites ExecuTorch program (.pte), data (.ptd) and bundled program (.bpte) files.

    program = pteedit.open("model.pte")
    program.methods["forward"].inputs, program.constants["fc.weight"].numpy(), program.verify()

`open` answers with a `Program`, `DataFile`, `Bundle`, `NativePackage` or `Package`; what is in it is looked up when it is asked for.
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
from pteedit._contents import Constant, NamedData
from pteedit._event_blocks import Event, EventBlock, PerfData, TimeScale
from pteedit._diff import Diff, Difference
from pteedit._findings import Finding, verify
from pteedit._methods import Delegate, Instruction, Method, Value
from pteedit._reports import delegates, diff
from pteedit._size_distribution import SizeDistribution
from pteedit._views import Bundle, DataFile, NativePackage, Package, Program, open
from pteedit.inspector import Inspector
from pteedit.packing import apply, delta, pack
from pteedit.rewrite import copy, join, merge, merge_packages, split, strip

__all__ = [
    "__version__",
    "Bundle",
    "Constant",
    "Container",
    "ContentNames",
    "DataFile",
    "Delegate",
    "Diff",
    "Difference",
    "Error",
    "Event",
    "EventBlock",
    "Finding",
    "Inspector",
    "Instruction",
    "Method",
    "NamedData",
    "NativePackage",
    "Package",
    "PerfData",
    "Program",
    "SizeDistribution",
    "TimeScale",
    "Value",
    "apply",
    "copy",
    "delegates",
    "delta",
    "diff",
    "join",
    "merge",
    "merge_packages",
    "open",
    "pack",
    "register_decoder",
    "split",
    "strip",
    "verify",
]
