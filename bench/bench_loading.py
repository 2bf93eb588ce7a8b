"""What a merged family takes on the real runtime: bench_loading.py FAMILY WHOLE.pte...

FAMILY is what ptemerge wrote of the programs WHOLE.pte. Prints what each program adds when all are loaded into one process, and how long
the first takes to load, whole and split, in turns, and the processor time of both processes, which other work moves less.
Everything lies in the page cache, as far as memory goes; drop it before (/proc/sys/vm/drop_caches) and read all files once, for
what was just written lies there in pages of other sizes, which is 5 % of the time. tests/models/make_big.py makes families of
gigabytes; load_family is built by tests/e2e/setup_runtime.sh.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

from measuring import cpu_seconds


def programs_of(family):
    """Programs with their data files, as load_family takes them: the shared files first, then a program's own."""
    shared = sorted(family.glob("*.ptd"))
    own = {path.stem for path in family.rglob("*.pte")}
    shared = [path for path in shared if path.stem not in own]
    found = []
    for program in sorted(family.rglob("*.pte")):
        beside = program.with_suffix(".ptd")
        found.append([program, *shared, *([beside] if beside.exists() else [])])
    return found


def load(loader, options, programs):
    """Of each program: milliseconds to load, MiB of anonymous memory and of PSS that it added."""
    words = [",".join(str(path) for path in files) for files in programs]
    done = subprocess.run([loader, *options, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.splitlines()[-1])
    return [[float(cell) for cell in line.split()[:3]] for line in done.stdout.splitlines()[1:]]


def print_memory(arguments, split):
    print(f"{'loaded as':24} {'first anonymous':>16} {'PSS':>8} {'each further anonymous':>23} {'PSS':>8}   (MiB)")
    for options in ([], ["--one-arena"], ["--weight-cache"], ["--file"], ["--file", "--weight-cache"]):
        first, *further = load(arguments.loader, options, split)
        most = [max(row[i] for row in further) for i in (1, 2)] if further else [0, 0]
        name = " ".join(options) or "--mmap"
        print(f"{name:24} {first[1]:16.1f} {first[2]:8.1f} {most[0]:23.1f} {most[1]:8.1f}", flush=True)


def print_times(arguments, split):
    print(f"\n{'load, median of ' + str(arguments.repeat):24} {'whole ms':>9} {'split ms':>9} {'ratio':>6} {'CPU':>6}")
    for options in ([], ["--file"]):
        runs = {"whole": [], "split": []}
        for _ in range(arguments.repeat):
            for name, programs in (("whole", [[arguments.whole[0]]]), ("split", split[:1])):
                before = cpu_seconds()
                milliseconds = load(arguments.loader, options, programs)[0][0]
                runs[name].append((milliseconds, cpu_seconds() - before))
        (whole, whole_cpu), (other, other_cpu) = ([statistics.median(column) for column in zip(*runs[name])] for name in ("whole", "split"))
        print(f"{' '.join(options) or '--mmap':24} {whole:9.1f} {other:9.1f} {other / whole:6.3f} {other_cpu / whole_cpu:6.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loader", default="build/runtime/build/load_family")
    parser.add_argument("--repeat", type=int, default=9, help="loads of which the median is taken; 0: only memory")
    parser.add_argument("family", type=pathlib.Path)
    parser.add_argument("whole", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    split = programs_of(arguments.family)
    if len(split) != len(arguments.whole):
        sys.exit(f"{arguments.family} has {len(split)} programs, {len(arguments.whole)} expected")
    print_memory(arguments, split)
    if arguments.repeat:
        print_times(arguments, split)


if __name__ == "__main__":
    main()
