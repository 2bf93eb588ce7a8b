"""bench/run.sh measures each command on small programs, and its table, picture and page of the documentation are whole."""

import json
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from checks import ROOT, expect, given

JOBS = ["pteinspect", "pteinspect --hash, 1 core", "pteinspect --duplicates, 1 core", "pteinspect --hash=sha256", "ptesplit, keys kept",
        "ptesplit, keys made", "ptesplit --join, keys kept", "ptesplit --join, keys made", "ptestrip --align", "ptemerge of 2", "ptepack create",
        "ptepack create --compress", "ptepack apply"]
KINDS = (", tensors of a .ptn", ", weights of a packed-weight cache", ", bindings of a TensorRT blob")
MORE_THAN_A_TERABYTE = "1x9999"


def bench(out, *words):
    command = [ROOT / "bench/run.sh", "--out", out, "--tools", given.tools, "--seconds", "0", "--growth", "100", *words]
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check():
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        done = bench(out, "--sizes", "2x0.002,1x0.02")
        if "not installed" in done.stderr:
            raise unittest.SkipTest(done.stderr.strip())
        expect(done.returncode == 0, "exit code", done.returncode, done.stderr)
        results = json.loads((out / "results.json").read_text())
        for job in JOBS:
            rows = [row for row in results["rows"] if row["job"] == job]
            expect(rows and all(row["seconds"] > 0 and row["peak_mib"] > 1 for row in rows), job, rows)
            expect(job == "pteinspect" or f"| {job} |" in (out / "results.md").read_text(), job, "is not in the table")
        expect({row["count"] for row in results["growth"]} == {1, 8, 64, 100}, "counts", results["growth"])
        xml.etree.ElementTree.parse(out / "growth.svg")
        expect(not [path for path in out.iterdir() if path.is_dir()], "leaves programs behind")
        done = bench(out, "--sizes", MORE_THAN_A_TERABYTE)
        expect(done.returncode == 1 and "are free" in done.stderr, "a disk that is too small", done.stderr)
        for what in KINDS:
            expect({row["count"] for row in results["growth"] if row["job"].endswith(what)} == {100}, "nothing measured", what)
    page = (ROOT / "docs/performance.md").read_text()
    expect(page.count("<!-- measured -->\n") == page.count("<!-- end -->\n") == 1, "no place for what was measured")
