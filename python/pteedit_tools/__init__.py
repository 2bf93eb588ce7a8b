"""The console scripts: each becomes the tool of its name, in `pteedit/bin` beside. Not inside `pteedit`, which takes longer to import than
most tools run."""

import os
import sys
from typing import NoReturn


def _become(tool: str) -> NoReturn:
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.execv(os.path.join(packages, "pteedit", "bin", tool), [tool, *sys.argv[1:]])


def pteinspect() -> NoReturn:
    _become("pteinspect")


def pteprof() -> NoReturn:
    _become("pteprof")


def ptesplit() -> NoReturn:
    _become("ptesplit")


def ptemerge() -> NoReturn:
    _become("ptemerge")


def ptestrip() -> NoReturn:
    _become("ptestrip")


def ptecopy() -> NoReturn:
    _become("ptecopy")


def ptepack() -> NoReturn:
    _become("ptepack")
