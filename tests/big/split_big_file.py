#!/usr/bin/env python3
"""Splits and joins a sparse program of 6 GiB with so little memory that weights cannot pass through it whole.

usage: split_big_file.py PTESPLIT FOLDER_OF_BIG_PROGRAM_PY
Exits with 77, which ctest reads as skipped, where the disk has no room: outputs need not be sparse.
"""

import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

# Of address space, of which each thread reserves 72 MB for its stack and heap before it does anything.
MEMORY_BYTES = 256 << 20
THREADS = 2
GIB_OF_FLOATS = (1 << 30) // 4
TENSORS = [GIB_OF_FLOATS] * 5 + [GIB_OF_FLOATS - 4096, 1000, 24]
DISK_BYTES = 14 << 30
SKIPPED = 77


def mark_of(tensor):
    return b"tensor %d begins here" % tensor


def write_marks(file, base, offsets):
    for i, offset in enumerate(offsets):
        file.seek(base + offset)
        file.write(mark_of(i))


def check_marks(path, base, offsets):
    with open(path, "rb") as file:
        for i, offset in enumerate(offsets):
            file.seek(base + offset)
            assert file.read(len(mark_of(i))) == mark_of(i), f"tensor {i} of {path} is not what it was"


def run(*command):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}"


def disk_bytes(path):
    return path.stat().st_blocks * 512


def main():
    tool, support = sys.argv[1:]
    sys.path.insert(0, support)
    sys.dont_write_bytecode = True
    from big_program import place_tensors, segment_base, write_program

    with tempfile.TemporaryDirectory(prefix="pteedit-big-") as name:
        folder = pathlib.Path(name)
        if shutil.disk_usage(folder).free < DISK_BYTES:
            print(f"skipped: {folder} has less than {DISK_BYTES} bytes free")
            return SKIPPED
        whole, program, data, joined = (folder / file for file in ("whole.pte", "split.pte", "data.ptd", "joined.pte"))
        write_program(whole, TENSORS, write_marks)
        size = whole.stat().st_size
        run(tool, "--threads", str(THREADS), whole, "-o", program, "-d", data)
        print(f"{size} bytes are split into {program.stat().st_size} and {data.stat().st_size} ({disk_bytes(data)} on disk)")
        assert program.stat().st_size < 10_000 and data.stat().st_size > size - 10_000
        whole.unlink()
        run(tool, "--join", program, "--data", data, "-o", joined)
        print(f"joined they are {joined.stat().st_size} bytes ({disk_bytes(joined)} on disk)")
        check_marks(joined, segment_base(joined), place_tensors(TENSORS)[0])
    return 0


sys.exit(main())
