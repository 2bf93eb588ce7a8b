"""The console scripts: each becomes the tool of its name, in `pteedit/bin` beside. Not inside `pteedit`, which takes longer to import than
most tools run."""

import os
import sys
from functools import partial
from typing import NoReturn


def _become(tool: str) -> NoReturn:
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = os.path.join(packages, "pteedit", "bin", tool)
    if os.name == "nt":  # where whoever waits for this process would not wait for the other
        import subprocess

        sys.exit(subprocess.call([program + ".exe", *sys.argv[1:]]))
    os.execv(program, [tool, *sys.argv[1:]])


pteinspect = partial(_become, "pteinspect")
pteprof = partial(_become, "pteprof")
ptesplit = partial(_become, "ptesplit")
ptemerge = partial(_become, "ptemerge")
ptestrip = partial(_become, "ptestrip")
ptecopy = partial(_become, "ptecopy")
ptepack = partial(_become, "ptepack")
