"""Commands and what they take, for the benchmarks."""

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
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr}")
    return seconds, int(done.stderr.split()[-1]) / 1024 if timer else None, cpu_seconds() - cpu


def cpu_seconds():
    """User and system time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(what, size, repeat, commands):
    print(f"\n{what}: {size} bytes, median of {repeat}, everything in the page cache")
    first = f"of {next(iter(commands))}"
    print(f"{'command':24} {'seconds':>8} {'MB/s':>8} {first:>7} {'CPU':>8} {'peak MiB':>9}")
    first_seconds = None
    for name, command in commands.items():
        if not shutil.which(command[0]):
            print(f"{name:24} not installed")
            continue
        runs = [measure(command) for _ in range(repeat)]
        seconds = statistics.median(run[0] for run in runs)
        first_seconds = first_seconds or seconds
        cpu = statistics.median(run[2] for run in runs)
        peak = f"{max(run[1] for run in runs):9.1f}" if runs[0][1] is not None else f"{'-':>9}"
        print(f"{name:24} {seconds:8.3f} {size / seconds / 1e6:8.0f} {seconds / first_seconds:7.3f} {cpu:8.3f} {peak}", flush=True)
