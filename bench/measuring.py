"""Commands and what they take, for the benchmarks."""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time


def measure(command):
    """Seconds, the peak in MiB or None where /usr/bin/time is not there, and seconds of CPU."""
    timer = shutil.which("time")
    prefix = [timer, "-f", "%M"] if timer else []
    start, cpu = time.monotonic(), cpu_seconds()
    done = subprocess.run(prefix + [str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")
    return seconds, int(done.stderr.split()[-1]) / 1024 if timer else None, cpu_seconds() - cpu


def cpu_seconds():
    """User and system time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def drop_from_memory(paths):
    """The files are then read from the disk."""
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_into_memory(paths):
    for path in paths:
        with open(path, "rb") as file:
            while file.read(1 << 24):
                pass


def remove(paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def compare(job, is_cold, seconds, most_rounds=5):
    """The job and its yardsticks in turns, at least once and while there is time; medians, and that of the ratios of the
    rounds. Of several yardsticks the slowest counts. What they write is removed in between, unmeasured."""
    runs, yardsticks, began = [], [], time.monotonic()
    while not runs or (time.monotonic() - began < seconds and len(runs) < most_rounds):
        took = [measured(command, job, is_cold) for command in job.yardsticks]
        yardsticks.append(max((run[0] for run in took), default=None))
        runs.append(measured(job.command, job, is_cold))
    row = {"job": job.name, "state": "cold" if is_cold else "warm", "rounds": len(runs), "bytes": job.bytes,
           "seconds": statistics.median(run[0] for run in runs), "cpu_seconds": statistics.median(run[2] for run in runs)}
    if runs[0][1] is not None:
        row["peak_mib"] = max(run[1] for run in runs)
    if job.yardsticks:
        row.update(yardstick=job.yardstick, yardstick_seconds=statistics.median(yardsticks), target=job.target,
                   ratio=statistics.median(run[0] / other for run, other in zip(runs, yardsticks)))
    return row


def measured(command, job, is_cold):
    remove(job.outputs)
    os.sync()  # what others left to write is not counted
    (drop_from_memory if is_cold else read_into_memory)(job.inputs)
    run = measure(command)
    remove(job.outputs)
    return run
