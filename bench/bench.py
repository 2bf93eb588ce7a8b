#!/usr/bin/env python3
"""How long the tools take on big programs, beside cp, sha256sum and zstd on the same files in the same run.

usage: bench.py [--mebibytes N] [--repeat N] TOOLS SUPPORT
TOOLS is the build folder's tools/, SUPPORT the source's tests/support/. Prints medians, ratios to the first command, and the peak of
resident memory as /usr/bin/time sees it. Nothing here passes or fails: machines differ.
"""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile

from measuring import report

FLOATS_PER_MEBIBYTE = (1 << 20) // 4
TENSORS = 24
SEED = 1
LISTED_MEBIBYTES = 4096  # of the program that is only looked at; it is one hole on the disk


def write_noise(file, base, offsets):
    """Bytes that do not compress, the same in every run; no two tensors are equal."""
    source = random.Random(SEED)
    end = file.seek(0, 2)
    file.seek(base)
    while file.tell() < end:
        file.write(source.randbytes(min(1 << 24, end - file.tell())))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mebibytes", type=int, default=1200)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("support")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.support)
    sys.dont_write_bytecode = True
    from big_program import write_program

    with tempfile.TemporaryDirectory(prefix="pteedit-bench-") as name:
        folder = pathlib.Path(name)
        elements = [arguments.mebibytes * FLOATS_PER_MEBIBYTE // TENSORS] * TENSORS
        whole = folder / "v0.pte"
        write_program(whole, elements, write_noise)
        rewrite(arguments, folder, whole)
        merge(arguments, folder, whole)
        pack(arguments, folder, whole)
        whole.unlink()
        delegated = folder / "delegated.pte"
        write_program(delegated, elements, write_noise, as_keys=True)
        rewrite_keys(arguments, folder, delegated)
        delegated.unlink()
        listed = folder / "listed.pte"
        write_program(listed, [LISTED_MEBIBYTES * FLOATS_PER_MEBIBYTE // TENSORS] * TENSORS, lambda *_: None)
        look(arguments, listed)


def rewrite(arguments, folder, whole):
    split, strip = arguments.tools / "ptesplit", arguments.tools / "ptestrip"
    copy, program, data = (folder / file for file in ("copy", "split.pte", "data.ptd"))
    report("one program", whole.stat().st_size, arguments.repeat, {
        "cp": ["cp", "--reflink=never", whole, copy],
        "sha256sum": ["sha256sum", whole],
        "zstd -1": ["zstd", "-1", "-f", "-q", whole, "-o", copy],
        "ptesplit --dry-run": [split, "--dry-run", whole, "-o", program, "-d", data],
        "ptesplit": [split, "--force", whole, "-o", program, "-d", data],
        "ptesplit --threads 1": [split, "--force", "--threads", "1", whole, "-o", program, "-d", data],
        "ptesplit --join": [split, "--force", "--join", program, "--data", data, "-o", copy],
        "ptestrip --align 4096": [strip, "--force", "--align", "4096", whole, "-o", copy],
        "ptestrip --dedupe": [strip, "--force", "--dedupe", whole, "-o", copy],
    })
    for path in (copy, program, data):
        path.unlink()


def pack(arguments, folder, whole):
    """A release, and the same compressed: beside what hashes, copies and compresses alone."""
    program = pathlib.Path(arguments.support).parent / "data/f01_add.pte"
    create = [arguments.tools / "ptepack", "create", program, "--include", f"weights:{whole}", "-o"]
    copy, release = folder / "copy", folder / "release"
    report("a release", whole.stat().st_size, arguments.repeat, {
        "zstd -T2 -3": ["zstd", "-T2", "-3", "-f", "-q", whole, "-o", copy],
        "openssl dgst -sha256": ["openssl", "dgst", "-sha256", whole],
        "cp && sync": ["sh", "-c", 'cp --reflink=never "$0" "$1" && sync "$1"', whole, copy],
        "ptepack create": ["sh", "-c", 'rm -rf "$0"; exec "$@"', release, *create, release],
        "ptepack create --compress": ["sh", "-c", 'rm -rf "$0"; exec "$@"', release, *create, release, "--compress", "--threads", "2"],
    })
    copy.unlink()
    shutil.rmtree(release)


def rewrite_keys(arguments, folder, whole):
    """Weights of a delegate, which keep their keys."""
    split, strip = arguments.tools / "ptesplit", arguments.tools / "ptestrip"
    copy, program, data = (folder / file for file in ("copy", "split.pte", "data.ptd"))
    report("one program of a delegate", whole.stat().st_size, arguments.repeat, {
        "cp": ["cp", "--reflink=never", whole, copy],
        "sha256sum": ["sha256sum", whole],
        "ptesplit": [split, "--force", whole, "-o", program, "-d", data],
        "ptesplit --threads 1": [split, "--force", "--threads", "1", whole, "-o", program, "-d", data],
        "ptesplit --match": [split, "--force", "--match", whole, whole, "-o", program, "-d", data],
        "ptesplit --join": [split, "--force", "--join", program, "--data", data, "-o", copy],
        "ptestrip --dedupe": [strip, "--force", "--dedupe", whole, "-o", copy],
    })
    for path in (copy, program, data):
        path.unlink()


def merge(arguments, folder, whole):
    """Two variants that differ in the last of their tensors."""
    variant, out = folder / "v1.pte", folder / "merged"
    shutil.copy(whole, variant)
    with open(variant, "r+b") as file:
        file.seek(-(whole.stat().st_size // (2 * TENSORS)), 2)
        file.write(b"another variant")
    tool = arguments.tools / "ptemerge"
    report("two variants", 2 * whole.stat().st_size, arguments.repeat, {
        "cp": ["cp", "--reflink=never", "--target-directory", make(folder / "copies"), whole, variant],
        "sha256sum": ["sha256sum", whole, variant],
        "ptemerge --dry-run": [tool, "--dry-run", whole, variant, "-o", out],
        "ptemerge": [tool, "--force", whole, variant, "-o", out],
        "ptemerge --threads 1": [tool, "--force", "--threads", "1", whole, variant, "-o", out],
        "pteinspect --duplicates": [arguments.tools / "pteinspect", "--duplicates", whole, variant],
    })
    for path in (folder / "copies", out):
        shutil.rmtree(path)
    variant.unlink()


def look(arguments, listed):
    tool = arguments.tools / "pteinspect"
    views = ["--methods", "--tensors", "--segments", "--delegates", "--operators", "--instructions", "--memory", "--metadata"]
    report("one program, looked at", listed.stat().st_size, arguments.repeat, {
        "cat": ["cat", listed],
        "pteinspect": [tool, listed],
        "pteinspect --json": [tool, "--json", listed],
        "pteinspect, 8 views": [tool, "-h", *views, listed],
    })


def make(folder):
    folder.mkdir()
    return folder


main()
