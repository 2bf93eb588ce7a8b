#!/usr/bin/env python3
"""How long pteprof takes from start to printed table of a real profile, beside the exporter's Inspector.

usage: bench_profile.py [--repeat N] [--python PYTHON] [--files DIR] TOOLS MODELS
TOOLS is the build folder's tools/, MODELS the source's tests/models/. PYTHON has torch and executorch; without them nothing is
measured. The profile is 20 runs of a GPT of 12 layers with its record of 1.3 GB, made by MODELS/make_profile.py, which takes some
minutes and 3 GB of memory; DIR keeps it for the next time. Prints medians, peaks of resident memory and ratios, and whether both
print the same. Nothing here passes or fails: machines differ.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

from measuring import measure

GOALS = "goals: 100 times, 1/10"
SKIPPED = 77
FILES = ("gpt.etdp", "gpt.etrecord")
INSPECTOR = "import sys; from executorch.devtools import Inspector; "
INSPECTOR += "Inspector(etdump_path=sys.argv[1], etrecord=sys.argv[2]).print_data_tabular()"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--files", type=pathlib.Path)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pteedit-bench-") as name:
        folder = arguments.files or pathlib.Path(name)
        dump, record = (folder / file for file in FILES)
        if not (dump.exists() and record.exists()):
            maker = [arguments.python, arguments.models / "make_profile.py", "--out", folder]
            made = subprocess.run(list(map(str, maker)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if made.returncode != 0:
                print(made.stderr.strip().splitlines()[-1], file=sys.stderr)
                return 0 if made.returncode == SKIPPED else 1
        show(arguments, dump, record)
    return 0


def show(arguments, dump, record):
    commands = {
        "Inspector": [arguments.python, "-c", INSPECTOR, dump, record],
        "pteprof": [arguments.tools / "pteprof", dump, "--etrecord", record],
    }
    tables = [subprocess.run(list(map(str, command)), capture_output=True).stdout for command in commands.values()]
    print(f"dump of {dump.stat().st_size} bytes, record of {record.stat().st_size} bytes, median of {arguments.repeat}, "
          "everything in the page cache")
    rows = tables[1].count(b"\n") // 2 - 1
    print(f"the tables are {'the same' if tables[0] == tables[1] else 'NOT THE SAME'}, {rows} rows")
    print(f"{'command':24} {'seconds':>8} {'peak MiB':>9}")
    seconds, peaks = {}, {}
    for name, command in commands.items():
        runs = [measure(command) for _ in range(arguments.repeat)]
        seconds[name] = statistics.median(run[0] for run in runs)
        peaks[name] = max(run[1] for run in runs) if runs[0][1] is not None else None
        peak = f"{peaks[name]:9.1f}" if peaks[name] is not None else f"{'-':>9}"
        print(f"{name:24} {seconds[name]:8.3f} {peak}", flush=True)
    faster = seconds["Inspector"] / seconds["pteprof"]
    smaller = "-" if None in peaks.values() else f"{peaks['Inspector'] / peaks['pteprof']:.0f}"
    print(f"pteprof is {faster:.0f} times as fast and takes 1/{smaller} of the memory ({GOALS})")


if __name__ == "__main__":
    sys.exit(main())
