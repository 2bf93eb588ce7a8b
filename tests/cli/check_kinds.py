"""Each option of pteinspect, and each tool, on a file of each kind: an answer, or one sentence that says why there is none."""

import pathlib
import tempfile

from check_option_pairs import Tool
from checks import DATA, expect, output_of, run

KINDS = ("f02_linear.pte", "f04/w.ptd", "f11_bundled_xnn.bpte", "native/two_methods.ptn", "f10_stacktrace.etdp", "delegation/two_delegates.etrecord",
         "xnnpack/packed_cache.bin", "names/layers.safetensors")
ANSWERED, REFUSED = (0, 1), (2, 3, 4)


def problem_of(tool, *words):
    done = run(tool, *words)
    complaints = [line for line in done.stderr.splitlines() if b": warning: " not in line]
    if done.returncode in ANSWERED:
        return ""
    return "" if done.returncode in REFUSED and len(complaints) == 1 else f"exit code {done.returncode}: {complaints[:3]}"


def commands(path, out):
    yield "ptesplit", path, "-o", out / "small.pte", "-d", out / "weights.ptd", "-f"
    yield "ptesplit", "--join", path, "--data", DATA / "f04/w.ptd", "-o", out / "whole.pte", "-f"
    yield "ptemerge", path, path, "-o", out / "merged", "-f"
    yield "ptestrip", path, "-o", out / "stripped", "-f"
    yield "ptecopy", path, "-o", out / "copied", "-f"
    yield "ptepack", "create", path, "-o", out / "release", "-f"
    yield "ptepack", "etm", path, "-o", out / "archive.etm", "-f"
    yield "pteprof", path
    yield "pteprof", DATA / "f10_stacktrace.etdp", path


def check():
    with tempfile.TemporaryDirectory(prefix="kinds-") as name:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        output_of("ptepack", "create", f"a={DATA}/f02_linear.pte", "-o", folder / "release", "-q")
        output_of("ptepack", "etm", f"{folder}/release:a", "-o", folder / "a.etm", "-q")
        samples = Tool("pteinspect", folder).samples()
        for path in [*(DATA / kind for kind in KINDS), folder / "a.etm", folder / "release"]:
            for option, words in samples.items():
                words = [str(word).replace("OUT/", f"{folder}/out/") for word in words]
                force = ["-f"] if "-o" in words or "--html" in words else []
                problem = problem_of("pteinspect", path, *words, *force)
                expect(not problem, f"pteinspect {option} of {path.name}: {problem}")
            for command in commands(path, folder / "out"):
                problem = problem_of(*command)
                expect(not problem, f"{' '.join(map(str, command))}: {problem}")
