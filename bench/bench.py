#!/usr/bin/env python3
"""How long the tools take on a big program, beside cp, sha256sum and zstd on the same file in the same run.

usage: bench.py [--mebibytes N] [--repeat N] TOOLS SUPPORT
TOOLS is the build folder's tools/, SUPPORT the source's tests/support/. Prints medians, ratios to cp, and the peak of
resident memory as /usr/bin/time sees it. Nothing here passes or fails: machines differ.
"""

import argparse
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FLOATS_PER_MEBIBYTE = (1 << 20) // 4
TENSORS = 24
SEED = 1


def write_noise(file, base, offsets):
    """Bytes that do not compress, the same in every run; no two tensors are equal."""
    source = random.Random(SEED)
    end = file.seek(0, 2)
    file.seek(base)
    while file.tell() < end:
        file.write(source.randbytes(min(1 << 24, end - file.tell())))


def measure(command):
    """Seconds, and the peak in MiB or None where /usr/bin/time is not there."""
    timer = shutil.which("time")
    prefix = [timer, "-f", "%M"] if timer else []
    start = time.monotonic()
    done = subprocess.run(prefix + [str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr}")
    return seconds, int(done.stderr.split()[-1]) / 1024 if timer else None


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

    inspect, split = arguments.tools / "pteinspect", arguments.tools / "ptesplit"
    with tempfile.TemporaryDirectory(prefix="pteedit-bench-") as name:
        folder = pathlib.Path(name)
        whole, copy, program, data = (folder / file for file in ("whole.pte", "copy", "split.pte", "data.ptd"))
        write_program(whole, [arguments.mebibytes * FLOATS_PER_MEBIBYTE // TENSORS] * TENSORS, write_noise)
        commands = {
            "cp": ["cp", "--reflink=never", whole, copy],
            "sha256sum": ["sha256sum", whole],
            "zstd -1": ["zstd", "-1", "-f", "-q", whole, "-o", copy],
            "pteinspect": [inspect, whole],
            "pteinspect --json": [inspect, "--json", whole],
            "ptesplit --dry-run": [split, "--dry-run", whole, "-o", program, "-d", data],
            "ptesplit": [split, "--force", whole, "-o", program, "-d", data],
            "ptesplit --threads 1": [split, "--force", "--threads", "1", whole, "-o", program, "-d", data],
            "ptesplit --join": [split, "--force", "--join", program, "--data", data, "-o", copy],
        }
        report(whole.stat().st_size, commands, arguments.repeat)


def report(size, commands, repeat):
    print(f"{size} bytes, median of {repeat}, everything in the page cache")
    print(f"{'command':24} {'seconds':>8} {'MB/s':>8} {'of cp':>7} {'peak MiB':>9}")
    copying = None
    for name, command in commands.items():
        if not shutil.which(command[0]):
            print(f"{name:24} not installed")
            continue
        runs = [measure(command) for _ in range(repeat)]
        seconds = statistics.median(run[0] for run in runs)
        copying = copying or seconds
        peak = f"{max(run[1] for run in runs):9.1f}" if runs[0][1] is not None else f"{'-':>9}"
        print(f"{name:24} {seconds:8.3f} {size / seconds / 1e6:8.0f} {seconds / copying:7.2f} {peak}", flush=True)


main()
