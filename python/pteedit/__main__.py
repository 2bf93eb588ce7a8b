"""`python -m pteedit inspect ARGUMENTS...` is pteinspect, with URLs for files; `fleet` is `pteedit.fleet`."""

from __future__ import annotations

import signal
import sys
from typing import Sequence

from pteedit import _pteedit

_USAGE = """usage: python -m pteedit inspect ARGUMENTS...
       python -m pteedit fleet scan|decide|apply ARGUMENTS...

inspect takes the arguments of pteinspect, and a URL wherever that takes a file; fleet shares what thousands of programs
have in common. Each has a --help."""


def main(words: Sequence[str]) -> int:
    """Returns the exit code."""
    if words[:1] == ["inspect"]:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # it works outside Python
        return _pteedit.inspect(list(words[1:]))
    if words[:1] == ["fleet"]:
        from pteedit import fleet

        return fleet.main(words[1:])
    print(_USAGE, file=sys.stdout if words[:1] == ["--help"] else sys.stderr)
    return 0 if words[:1] == ["--help"] else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
