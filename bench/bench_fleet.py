#!/usr/bin/env python3
"""What a file costs in each step of pteedit.fleet, on one thread, and how deciding grows with the number of programs.

usage: bench_fleet.py [--mebibytes N] [--members N] [--many N] SUPPORT
SUPPORT is the source's tests/support/. Runs with the Python in which pteedit[fleet] is installed. Each family has a foundation, and each
member a sixteenth of its own. The files were just written, so that they are read from memory. Nothing here passes or fails.
"""

import argparse
import os
import pathlib
import random
import resource
import sys
import tempfile
import time

TENSORS = 16
FLOAT_BYTES = 4


def write_family(write_program, folder, seed, members, megabytes):
    count = (megabytes << 20) // (TENSORS * FLOAT_BYTES)
    for member in range(members):
        contents = [f"{seed} {i}" for i in range(TENSORS - 1)] + [f"{seed} own {member}"]

        def write(file, base, offsets, contents=contents):
            for offset, content in zip(offsets, contents):
                file.seek(base + offset)
                file.write(random.Random(content).randbytes(count * FLOAT_BYTES))

        folder.mkdir(parents=True, exist_ok=True)
        write_program(folder / f"v{member}.pte", [count] * TENSORS, write)


def timed(name, files, step):
    start, busy = time.monotonic(), time.process_time()
    done = step()
    seconds, busy = time.monotonic() - start, time.process_time() - busy
    assert not done.failures, done.failures
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{name}: {seconds:.2f} s; {1000 * busy / files:.1f} ms of a processor for each file; peak {peak} MiB")
    return done


def run(store, folder, files):
    from pteedit import fleet

    timed("scan", files, lambda: fleet.scan([str(store)], folder / "state"))
    decided = timed("decide", files, lambda: fleet.decide(folder / "state"))
    before, after = (sum(getattr(one, name) for one in decided.families) for name in ("bytes_before", "bytes_after"))
    print(f"{len(decided.families)} families, {before} B before, {after} B after")
    timed("apply", files, lambda: fleet.apply(folder / "state", folder / "out"))
    timed("all again", files, lambda: fleet.scan([str(store)], folder / "state") and fleet.decide(folder / "state") and fleet.apply(folder / "state", folder / "out"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=1024, help="of a large program")
    parser.add_argument("--members", type=int, default=4, help="of the family of large ones")
    parser.add_argument("--many", type=int, default=2000, help="small programs, in families of ten")
    parser.add_argument("support")
    given = parser.parse_args()
    sys.path.insert(0, given.support)
    from big_program import write_program

    os.environ.setdefault("DASK_NUM_WORKERS", "1")
    for members, families, megabytes in ((given.members, 1, given.mebibytes), (10, given.many // 10, 1)):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for family in range(families):
                write_family(write_program, folder / "store" / f"f{family}", family, members, megabytes)
            print(f"{members * families} programs of {megabytes} MiB")
            run(folder / "store", folder, members * families)


if __name__ == "__main__":
    main()
