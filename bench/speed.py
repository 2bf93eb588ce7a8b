#!/usr/bin/env python3
"""Measures the tools on families of programs, each command and what it is held against in turns: see run.sh --help."""

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from exporter import beside_exporter  # noqa: E402
from families import GB, write_family, write_floats, write_hole, write_whole  # noqa: E402
from growth import grow  # noqa: E402
from jobs import Job, Jobs, missing_tools  # noqa: E402
from measuring import compare, measure, remove  # noqa: E402
from report import write_report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTED_BYTES = 4 * GB
WARM_SHARE = 4  # what takes less than this part of the memory stays there
OUTPUT_SHARE = 4  # of the largest program: what a command writes, its yardstick's copy, and two releases of before


def parse_sizes(text):
    """ "8x0.1,1x8": so many programs of so many GB."""
    families = [part.split("x") for part in text.split(",")]
    return [(int(count), int(float(size) * GB)) for count, size in families]


def parse():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench", help="where results go: JSON, SVG, Markdown")
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/release/tools")
    parser.add_argument("--sizes", type=parse_sizes, default="8x0.1,8x1,1x8", help="families: COUNTxGB,... (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=8, help="for the rounds of a row; there is at least one (default: %(default)s)")
    parser.add_argument("--growth", type=int, default=400_000, help="the most of anything in a small program (default: %(default)s)")
    parser.add_argument("--exporter", type=pathlib.Path, help="a Python that has torch and executorch, to compare with")
    parser.add_argument("--scratch", type=pathlib.Path, help="where programs are made (default: below OUT)")
    parser.add_argument("--docs", action="store_true", help="also put the results into docs/performance.md")
    return parser.parse_args()


def check_room(folder, sizes):
    need = max(count * size + OUTPUT_SHARE * size for count, size in sizes)
    free = shutil.disk_usage(folder).free
    if need > free:
        sys.exit(f"run.sh: error: {folder} needs {need} bytes for {sizes}, only {free} are free; see --sizes and --scratch")


def states(size):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return (False, True) if size * WARM_SHARE < memory else (True,)


def jobs_of(jobs, folder, count, size):
    """Of a family; what a job needs is there while it is measured."""
    if count > 1:
        family = write_family(folder, count, size)
        yield from jobs.hashes(family)
        yield from jobs.sha256(family[0])
        yield from jobs.split(family[0], keyed=True)
        yield from with_split(jobs, folder, family[0], keyed=True)
        yield from with_merged(jobs, folder, family)
        yield from with_releases(jobs, folder, family)
        remove(family)
    whole = folder / "constants.pte"
    write_whole(whole, size)
    yield from jobs.split(whole, keyed=False)
    yield from jobs.align(whole)
    if count > 1:
        yield from jobs.pack(whole)
        yield from with_split(jobs, folder, whole, keyed=False)
    remove([whole])
    if count > 1:
        floats = folder / "weights.bin"
        write_floats(floats, size)
        yield from jobs.compress(floats)
        remove([floats])


def with_merged(jobs, folder, family):
    merged = folder / "merged"
    measure(jobs.tool("ptemerge", *family, "-o", merged))
    yield from jobs.merge(family, sorted(path for path in merged.rglob("*") if path.is_file()))
    remove([merged])


def with_releases(jobs, folder, family):
    for command in jobs.releases(family):
        measure(command)
    yield from jobs.apply()
    remove([folder / name for name in ("release1", "release2", "delta")])


def with_split(jobs, folder, whole, keyed):
    program, data = folder / "small.pte", folder / "small.ptd"
    measure(jobs.tool("ptesplit", whole, "-o", program, "-d", data))
    yield from jobs.join(program, data, keyed)
    remove([program, data])


def rows_of(arguments, folder):
    jobs = Jobs(arguments.tools.resolve(), folder)
    listed = folder / "listed.pte"
    write_hole(listed, LISTED_BYTES)
    yield {"family": "4 GB", **compare(Job("pteinspect", LISTED_BYTES, [], jobs.tool("pteinspect", listed)), False, 2, 50)}
    remove([listed])
    for count, size in arguments.sizes:
        name = f"{count} × {size / GB:g} GB"
        for job in jobs_of(jobs, folder, count, size):
            for is_cold in states(sum(path.stat().st_size for path in job.inputs)):
                yield {"family": name, "size": size, **compare(job, is_cold, arguments.seconds)}


def machine(scratch):
    def first(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""

    cpu = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
           if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": cpu[0] if cpu else platform.machine(), "cores": len(os.sched_getaffinity(0)), "memory_gb": round(memory / GB),
            "kernel": platform.release(), "file_system": first(["stat", "-f", "-c", "%T", scratch])}


def main():
    arguments = parse()
    missing = missing_tools()
    if missing:
        sys.exit(f"run.sh: error: not installed: {', '.join(missing)}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pteedit-bench-", dir=arguments.scratch or arguments.out) as name:
        folder = pathlib.Path(name)
        check_room(folder, arguments.sizes)
        results = {"machine": machine(folder), "arguments": sys.argv[1:], "rows": [], "growth": [], "exporter": []}
        for part, rows in (("rows", rows_of(arguments, folder)), ("growth", grow(arguments.tools, folder, arguments.growth)),
                           ("exporter", beside_exporter(arguments.exporter, arguments.tools, folder))):
            for row in rows:
                print(json.dumps(row), flush=True)
                results[part].append(row)
    write_report(results, arguments.out, ROOT / "docs" if arguments.docs else None)


if __name__ == "__main__":
    main()
