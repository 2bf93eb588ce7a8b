#!/usr/bin/env python3
"""How large deltas are, and how long they take, beside zstd --patch-from, xdelta3, bsdiff and HDiffPatch in the same run.

usage: bench_delta.py [--mebibytes N] [--repeat N] [--case TEXT] TOOLS SUPPORT
TOOLS is the build folder's tools/, SUPPORT the source's tests/support/. Needs numpy; what else is not installed (HDiffPatch is the Python
package hdiffpatch) is left out. The other tools get the one file that changed and what it was before; ptepack gets whole releases, and its size counts its manifest. Nothing here passes or fails.
"""

import argparse
import hashlib
import importlib.util
import json
import pathlib
import shutil
import sys
import tempfile

import numpy

from measuring import measure

TENSORS = 16
FLOAT_BYTES = 4
HDIFFPATCH = """
import hdiffpatch, pathlib, sys
call, one, other, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
more = {"compression": hdiffpatch.COMPRESSION_ZSTD, "validate": False} if call == "diff" else {}
out.write_bytes(getattr(hdiffpatch, call)(one.read_bytes(), other.read_bytes(), **more))
"""
ADAPTER_SHARE = 32  # of the foundation
MOST_FOR_BSDIFF = 64 << 20  # it takes 17 times the file in memory


def weights(random, count):
    return (random.standard_normal(count) * 0.02).astype(numpy.float32)


def program(write_program, path, tensors):
    def fill(file, base, offsets):
        for offset, tensor in zip(offsets, tensors):
            file.seek(base + offset)
            tensor.tofile(file)

    write_program(path, [tensor.nbytes // FLOAT_BYTES for tensor in tensors], fill)


def release(folder, contents):
    """A release of one variant; contents: [program, data file...], as paths."""
    folder.mkdir()
    files = []
    for i, path in enumerate(contents):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        role, suffix = ("shared", "ptd") if i else ("program", "pte")
        files.append({"file": f"{role}-{sha256[:12]}.{suffix}", "role": role, "bytes": path.stat().st_size, "sha256": sha256})
        shutil.copy(path, folder / files[-1]["file"])
    sizes = [file["bytes"] for file in files]
    variant = {"name": "a", "labels": {}, "files": [file["file"] for file in files], "download_bytes": sum(sizes),
               "installed_bytes": sum(sizes), "largest_file_bytes": max(sizes), "min_runtime": "1.0", "data_files": len(files) - 1}
    manifest = {"schema_version": "1.0", "release": hashlib.sha256(str(files).encode()).hexdigest(),
                "files": sorted(files, key=lambda file: file["file"]), "variants": [variant], "bases": []}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def cases(write_program, folder, mebibytes):
    """Yields a name, the programs before and after, and data files that both have."""
    random = numpy.random.default_rng(1)
    old, new = folder / "old.pte", folder / "new.pte"
    count = (mebibytes << 20) // FLOAT_BYTES // TENSORS
    foundation = [weights(random, count) for _ in range(TENSORS)]
    adapter = [weights(random, count // ADAPTER_SHARE) for _ in range(TENSORS)]
    shared = folder / "shared.ptd"
    shared.write_bytes(b"".join(tensor.tobytes() for tensor in foundation))
    program(write_program, old, adapter)
    program(write_program, new, [weights(random, tensor.size) for tensor in adapter])
    yield "another adapter", old, new, [shared]
    program(write_program, old, foundation + adapter)
    program(write_program, new, foundation + [weights(random, tensor.size) for tensor in adapter])
    yield "another adapter, all in one file", old, new, []
    program(write_program, new, [tensor + weights(random, tensor.size) / 1000 for tensor in foundation] + adapter)
    yield "retrained", old, new, []
    bytes_of = [(tensor * 1500).astype(numpy.int8).view(numpy.float32) for tensor in foundation]
    moved = [(tensor * 1503).astype(numpy.int8).view(numpy.float32) for tensor in foundation]
    program(write_program, old, bytes_of)
    program(write_program, new, moved)
    yield "quantized anew, int8", old, new, []
    program(write_program, old, foundation)
    cut = [foundation[0][:-1000], *reversed(foundation[1:])]
    program(write_program, new, [weights(random, 500), *cut])
    yield "exported anew: order, places, tables", old, new, []


def others(old, new, patch, made):
    """What makes a patch and what applies it, by name."""
    commands = {
        "zstd --patch-from -9": (["zstd", "-q", "-f", "-9", "--long=31", f"--patch-from={old}", new, "-o", patch],
                                 ["zstd", "-q", "-d", "-f", "--long=31", f"--patch-from={old}", patch, "-o", made]),
        "zstd --patch-from -19": (["zstd", "-q", "-f", "-19", "--long=31", f"--patch-from={old}", new, "-o", patch],
                                  ["zstd", "-q", "-d", "-f", "--long=31", f"--patch-from={old}", patch, "-o", made]),
        "xdelta3 -9": (["xdelta3", "-e", "-f", "-9", "-B", str(1 << 30), "-s", old, new, patch],
                       ["xdelta3", "-d", "-f", "-B", str(1 << 30), "-s", old, patch, made]),
    }
    if importlib.util.find_spec("hdiffpatch"):
        commands["HDiffPatch, zstd"] = tuple([sys.executable, "-c", HDIFFPATCH, call, *paths]
                                             for call, *paths in (("diff", old, new, patch), ("apply", old, patch, made)))
    if old.stat().st_size <= MOST_FOR_BSDIFF:
        commands["bsdiff"] = (["bsdiff", old, new, patch], ["bspatch", old, made, patch])
    return commands


def row(name, size, of, made, applied):
    peak = [f"{run[1]:9.1f}" if run and run[1] is not None else f"{'-':>9}" for run in (made, applied)]
    seconds = [f"{run[0]:9.2f}" if run else f"{'-':>9}" for run in (made, applied)]
    print(f"{name:24} {size:12} {100 * size / of:7.2f} {seconds[0]} {peak[0]} {seconds[1]} {peak[1]}", flush=True)


def best(command, repeat):
    return min((measure(command) for _ in range(repeat)), key=lambda run: run[0])


def compare(tools, folder, name, old, new, shared, repeat):
    size = new.stat().st_size
    print(f"\n{name}: {size} bytes changed of {size + sum(path.stat().st_size for path in shared)}, fastest of {repeat}")
    print(f"{'':24} {'bytes':>12} {'% of it':>7} {'made, s':>9} {'peak MiB':>9} {'applied,s':>9} {'peak MiB':>9}")
    before, after, delta, made = (folder / part for part in ("before", "after", "delta", "made"))
    release(before, [old, *shared])
    release(after, [new, *shared])
    pack = tools / "ptepack"
    for level in ("9", "19"):
        written = best([pack, "delta", before, after, "-o", delta, "-f", "--level", level], repeat)
        runs = []
        for _ in range(repeat):
            shutil.rmtree(made, ignore_errors=True)
            runs.append(measure([pack, "apply", delta, "--from", before, "-o", made]))
        if not all((made / path.name).read_bytes() == path.read_bytes() for path in after.iterdir()):
            sys.exit("applied to something else")
        row(f"ptepack delta {level}", sum(path.stat().st_size for path in delta.iterdir()), size, written, min(runs, key=lambda run: run[0]))
    copied = best(["sh", "-c", f"rm -rf {made}; cp -r --reflink=never {after} {made} && sync {made}/*"], repeat)
    row("cp && sync of the result", sum(path.stat().st_size for path in after.iterdir()), size, None, copied)
    for path in (before, after, delta, made):
        shutil.rmtree(path)
    patch, output = folder / "patch", folder / "output"
    for tool, (make, apply) in others(old, new, patch, output).items():
        if not shutil.which(make[0]):
            print(f"{tool:24} not installed")
            continue
        written = best(make, 1)
        applied = best(apply, repeat)
        if output.read_bytes() != new.read_bytes():
            sys.exit(f"{tool} made something else")
        row(tool, patch.stat().st_size, size, written, applied)
        patch.unlink()
        output.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mebibytes", type=int, default=48)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--case", default="", help="only those with this text in their names")
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("support")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.support)
    sys.dont_write_bytecode = True
    from big_program import write_program

    with tempfile.TemporaryDirectory(prefix="pteedit-bench-") as name:
        folder = pathlib.Path(name)
        for what, old, new, shared in cases(write_program, folder, arguments.mebibytes):
            if arguments.case in what:
                compare(arguments.tools, folder, what, old, new, shared, arguments.repeat)


main()
