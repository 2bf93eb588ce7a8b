"""Reads ExecuTorch program (.pte), data (.ptd) and bundled program (.bpte) files.

`pteedit.ptetools` says what their bytes are for. `Container` is the library itself: its methods and what they answer
with are those of the C++ headers sizes.h and describe.h.
"""

from pteedit._pteedit import Container

__all__ = ["Container"]
