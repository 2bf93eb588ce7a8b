#!/usr/bin/env python3
"""How pteinspect's time and memory grow with the number of constants: bench_constants.py TOOLS SUPPORT.

TOOLS is the build folder's tools/, SUPPORT the source's tests/support/. The programs have 100 to 100,000 constants of 64 bytes, each read
by one call; every fiftieth differs in the file of --diff. Prints seconds of CPU, the factor to a tenth of the constants, and peaks of memory.
"""

import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile

COUNTS = (100, 1000, 10_000, 100_000)
BYTES = 64
CHANGED = 50  # one in so many
VIEWS = {
    "--html": lambda path, _: ["--html", path.with_suffix(".html"), "-f"],
    "--diff": lambda _, old: ["--diff", old],
    "--advise": lambda *_: ["--advise"],
    "-l": lambda *_: ["-l"],
    "--duplicates": lambda *_: ["--duplicates"],
    "--hash": lambda *_: ["--hash"],
}


def write_programs(folder):
    for count in COUNTS:
        write_program(folder / f"{count}.pte", count, changes=False)
        write_program(folder / f"old_{count}.pte", count, changes=True)


def write_program(path, count, changes):
    from flat_parts import KERNEL_CALL, call, offsets, operator, plan, program, tensor

    contents = bytearray(random.Random(count).randbytes(BYTES * count))
    if changes:
        for i in range(0, count, CHANGED):
            contents[i * BYTES] ^= 1
    values = [*(tensor(buffer=i + 1, sizes=(BYTES // 4,)) for i in range(count)), tensor(planned=True, sizes=(BYTES // 4,))]
    calls = [call(KERNEL_CALL, 0, [i, count]) for i in range(count)]
    method = plan("forward", values, [count], [count], calls, [operator("aten::add")])
    places = offsets(0, [0, *range(0, len(contents), BYTES)])
    path.write_bytes(program([method], [(0, len(contents))], bytes(contents), places))


def measure(command):
    """Seconds of CPU, and MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main():
    tools, support = sys.argv[1:]
    sys.path.insert(0, support)
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory(prefix="pteedit-bench-") as name:
        folder = pathlib.Path(name)
        maker = multiprocessing.Process(target=write_programs, args=[folder])  # so that this one stays small: children begin as large
        maker.start()
        maker.join()
        print(f"{'view':14} {'constants':>9} {'CPU s':>8} {'factor':>7} {'peak MB':>8}")
        for view, words_of in VIEWS.items():
            before = None
            for count in COUNTS:
                path, old = folder / f"{count}.pte", folder / f"old_{count}.pte"
                seconds, peak = measure([pathlib.Path(tools) / "pteinspect", path, *words_of(path, old)])
                factor = f"{seconds / before:7.1f}" if before else ""
                print(f"{view:14} {count:9} {seconds:8.3f} {factor:>7} {peak:8.1f}", flush=True)
                before = seconds


if __name__ == "__main__":
    main()
