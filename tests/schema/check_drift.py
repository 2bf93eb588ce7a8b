"""Checks that drift.py tells what a release has that another had not."""

import pathlib
import subprocess
import sys
import tempfile

from checks import ROOT, expect, given

GRAPH = "table Node { name: string; %s } root_type Node; file_identifier \"%s\";"
BACKEND = "class %s(BackendDetails):\n    pass\nBLOB_MAGIC = b\"%s\"\n"


def make(folder, fields, identifier, backend, magic):
    """A package of one schema and one backend."""
    (folder / "exir").mkdir(parents=True)
    (folder / "graph.fbs").write_text(GRAPH % (fields, identifier))
    (folder / "exir/backend.py").write_text(BACKEND % (backend, magic))


def drift(*arguments):
    program = given.tools.parent / "tests/schema/schema_drift"
    done = subprocess.run([sys.executable, ROOT / "tests/schema/drift.py", *arguments, "--schema-drift", program],
                          capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stdout.splitlines() if not line.startswith("our schemas: ")]


def check():
    with tempfile.TemporaryDirectory() as name:
        old, new = pathlib.Path(name) / "old", pathlib.Path(name) / "new"
        make(old, "kind: int;", "AB01", "OldBackend", "XH00")
        make(new, "kind: long; more: [float];", "AB02", "NewBackend", "ZZ99")
        code, lines = drift(new, "--known", old)
        expect(code == 1, f"exit code {code}")
        for line in ("graph.fbs: file identifier: 'AB01' became 'AB02'",
                     "graph.fbs: table 'Node' field 1: 'kind' int default 0 became 'kind' long default 0",
                     "graph.fbs: table 'Node' field 2: new: 'more' [float]",
                     "backend NewBackend: new, no decoder reads it",
                     "backend OldBackend: gone",
                     "magic 'ZZ99': new in exir/backend.py, our sources have not got it",
                     "magic 'XH00': gone from exir/backend.py"):
            expect(line in lines, f"not told: {line}; told are {lines}")
        _, lines = drift(new, "--known", new)
        expect(len(lines) == 1, f"a release differs from itself: {lines}")
